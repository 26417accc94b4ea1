"""A brute-force oracle, written from the stated method alone: slow, plain, and without numpy.

Tests hold the package against it. Nothing here imports the package's own arithmetic, only the
records that say what a ranking is made of.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from pagecost.model import Bm25, Deferred, Interleave, Model, Ranking, Run

Leaf = Bm25 | Model | Run
RAW = Bm25(text="raw")
IDENTIFIERS = Bm25(text="identifiers")

# Case that changes length, splits at categories, marks, digits of other scripts, every white space
# that matters: what goes wrong when a rule is replaced by one that is nearly the same.
NASTY = (
    "aBcDxYZ09_-./é"  # plain
    "ÉßẞİıΣσς\u212a\u2126\u212b"  # upper and lower case, one longer in lower case, sigma, units
    "ǅǄǆᾼ"  # title case (Lt) is neither upper nor lower
    "𐐀𐐨𝐀𝐚Ꭰꭰ"  # case beyond the basic plane, and Cherokee
    "ªʰ中ـ"  # letters without case
    "٣७𝟘５"  # decimal digits (Nd)
    "²½ⅧⅷⒶⓐ①"  # numbers and symbols that aren't (No, Nl, So)
    "\u0301\u0345\u200d\u00ad"  # marks and format characters
    "\t\n\r \x0b\x0c\x1c\x1f\x85\xa0\u2028\u2029\u3000\u200b\ufeff"  # white space, and not
)


# --- Text -----------------------------------------------------------------------------------------


def is_letter_or_digit(character: str) -> bool:
    """Category L* or Nd."""
    return unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


def lower(text: str) -> str:
    """Character by character; one whose lower case is longer stays."""
    made = ""
    for character in text:
        made += character.lower() if len(character.lower()) == 1 else character
    return made


def tokens(text: str) -> list[str]:
    """Lower case first, then split at every other character."""
    found = [""]
    for character in lower(text):
        if is_letter_or_digit(character):
            found[-1] += character
        else:
            found.append("")
    return [token for token in found if token]


def identifier_normalized(text: str) -> str:
    """The whole text, looking at the neighbours of each character in the original."""
    made = ""
    for i, character in enumerate(text):
        category = unicodedata.category(character)
        before = unicodedata.category(text[i - 1]) if i else ""
        after = unicodedata.category(text[i + 1]) if i + 1 < len(text) else ""
        follows_lower_or_digit = before in ("Ll", "Nd")
        ends_an_acronym = before == "Lu" and after == "Ll"
        if category == "Lu" and (follows_lower_or_digit or ends_an_acronym):
            made += " "
        made += lower(character) if is_letter_or_digit(character) else " "
    while "  " in made:
        made = made.replace("  ", " ")
    return made.strip(" ")


def tokens_as(text: str, kind: str) -> list[str]:
    """The tokens of raw, or of identifier-normalized text."""
    return tokens(text if kind == "raw" else identifier_normalized(text))


# --- Scores and orders ----------------------------------------------------------------------------


def bm25_scores(
    documents: Sequence[Sequence[str]], query: Sequence[str], k1: float = 1.2, b: float = 0.75
) -> list[float]:
    """Scores of all documents, by dictionaries, operations grouped as stated."""
    n = len(documents)
    counts = [Counter(document) for document in documents]
    frequency = Counter(term for count in counts for term in count)
    total = sum(len(document) for document in documents)
    scores = []
    for document, count in zip(documents, counts, strict=True):
        score = 0.0
        for term in sorted(set(query), key=lambda term: term.encode("utf-8")):
            if term in count:
                df, tf = frequency[term], count[term]
                norm = k1 * ((1 - b) + (b * len(document)) / (total / n))
                idf = math.log(1 + ((n - df) + 0.5) / (df + 0.5))
                score = score + ((idf * tf) * (k1 + 1)) / (tf + norm)
        scores.append(score)
    return scores


def by_score(scores: Sequence[float]) -> list[int]:
    """All documents: a higher score first, equal scores in document order."""
    return sorted(range(len(scores)), key=lambda position: (-scores[position], position))


def interleave(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The next of one not yet emitted, then the next of the other, until both run out."""
    queues = [list(first), list(second)]
    order: list[int] = []
    while queues[0] or queues[1]:
        for queue in queues:
            while queue:
                document = queue.pop(0)
                if document not in order:
                    order.append(document)
                    break
    return order


def deferred(first: Sequence[int], second: Sequence[int], after: int) -> list[int]:
    """The first `after` of one unchanged, then the other without those."""
    kept = list(first[:after])
    return kept + [document for document in second if document not in kept]


def order_of(ranking: str | Ranking, leaves: Mapping[Leaf, Sequence[int]]) -> list[int]:
    """All documents as a ranking orders them, from the full orders of its leaves."""
    if isinstance(ranking, Interleave):
        return interleave(order_of(ranking.first, leaves), order_of(ranking.second, leaves))
    if isinstance(ranking, Deferred):
        first, second = order_of(ranking.first, leaves), order_of(ranking.second, leaves)
        return deferred(first, second, ranking.after)
    assert not isinstance(ranking, str), "resolved rankings only"
    return list(leaves[ranking])


def first_rank(order: Sequence[int], relevant: Iterable[int]) -> int:
    """1-based position of the first relevant document."""
    return 1 + min(order.index(document) for document in relevant)


def rank_of(order: Sequence[int], relevant: Collection[int], wanted: int) -> int | None:
    """1-based position at which so many relevant documents were seen; None where they never are."""
    places = [place for place, document in enumerate(order, start=1) if document in relevant]
    return places[wanted - 1] if wanted <= len(places) else None


# --- Cost -----------------------------------------------------------------------------------------


def page_by_page(
    rank: int | None, size: int, depth: int, searches_of_page: Callable[[int], int]
) -> tuple[int, int, int]:
    """Pages, candidates and searches until the target was shown, or all that is delivered was.

    `searches_of_page` says what a page costs that ends after so many candidates. One page is asked
    for even where nothing is delivered.
    """
    pages = candidates = searches = 0
    while not pages or (candidates < depth and (rank is None or candidates < rank)):
        pages += 1
        searches += searches_of_page(min(pages * size, depth))
        candidates += min(size, depth - candidates)
    return pages, candidates, searches


def nearest_rank(ranks: Collection[int | None], percent: int) -> int | None:
    """The smallest value that at least so many percent of all reach; None stands behind all."""
    infinity = math.inf
    ordered = sorted(infinity if rank is None else rank for rank in ranks)
    for place, value in enumerate(ordered, start=1):
        if Fraction(place, len(ordered)) >= Fraction(percent, 100):
            return None if value == infinity else int(value)
    raise AssertionError("percent is at most 100")


# --- Strategies -----------------------------------------------------------------------------------


def rankings(leaves: Sequence[Leaf], most_after: int) -> st.SearchStrategy[Ranking]:
    """Leaves, and interleaved and deferred rankings of them, nested."""

    def composed(parts: st.SearchStrategy[Ranking]) -> st.SearchStrategy[Ranking]:
        after = st.integers(1, most_after)
        return st.one_of(
            st.builds(Interleave, first=parts, second=parts),
            st.builds(Deferred, first=parts, second=parts, after=after),
        )

    return st.recursive(st.sampled_from(leaves), composed, max_leaves=4)


def corpora(vocabulary: Sequence[str], most: int = 24) -> st.SearchStrategy[list[str]]:
    """Texts made of those words: few words, so that scores tie, and some texts empty."""
    text = st.lists(st.sampled_from(vocabulary), max_size=8).map(" ".join)
    return st.lists(text, min_size=1, max_size=most)
