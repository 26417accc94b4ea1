"""What a plan's own terms mean, in words: its policies, and what is looked for."""

from __future__ import annotations

from collections.abc import Sequence

from pagecost.model import (
    ALL,
    FIRST,
    Bm25,
    Collection,
    Deferred,
    Interleave,
    Model,
    Plan,
    Policy,
    Ranking,
    Run,
)
from pagecost.policies import is_bound, parameters, resolve, search_tiers
from pagecost.report import words

TIES = {
    "score-then-docno": "by score, ties by document id descending, as trec_eval 9 orders",
    "rank-column": "by its rank column, whatever the scores",
}
_TEXTS = {"raw": "the text as it stands", "identifiers": "the text with identifiers split"}


def policy_said(plan: Plan, policy: Policy) -> str:
    """How a policy orders documents, and how many searches its pages take."""
    return f"{_order_said(policy.ranking)}; {_searches_said(plan, policy)}."


def _order_said(part: str | Ranking) -> str:
    match part:
        case str():
            return part
        case Bm25(text=text, k1=k1, b=b):
            return f"BM25 (k1 {k1:g}, b {b:g}) over {_TEXTS[text]}"
        case Model(library=library, model=model, text=text):
            given = (f"{name} {value:g}" for name, value in parameters(part).items())
            return (
                f"{library}'s {model} ({', '.join(given)}) over {_TEXTS[text]}, under our tie rule"
            )
        case Run(file=file, ties=ties):
            return f"the run {file.path}, {TIES[ties]}"
        case Interleave(first=first, second=second):
            return f"interleaves {_order_said(first)} with {_order_said(second)}, in that order"
        case Deferred(first=first, second=second, after=after):
            return (
                f"the first {words.count(after, 'candidate')} of {_order_said(first)} unchanged, "
                f"then {_order_said(second)} without those"
            )


def _searches_said(plan: Plan, policy: Policy) -> str:
    tiers = search_tiers(resolve(plan.policies)[policy.name])
    if tiers is None:
        return "searches a page were not given"
    said = []
    for bound, searches in tiers:
        amount = words.count(searches, "search", "searches")
        if bound:
            said.append(
                f"{amount} for a page that ends at or before candidate {words.number(bound)}"
            )
        else:
            said.append(f"{amount} for any other" if said else f"{amount} a page")
    return ", ".join(said)


def bounds_said(policies: Sequence[Policy]) -> str | None:
    """Whose searches are an upper bound, and why; None where all are exact."""
    rankings = resolve(policies)
    bound = [
        words.subject(policy)
        for policy in policies
        if is_bound(rankings[policy.name]) and search_tiers(rankings[policy.name]) is not None
    ]
    if not bound:
        return None
    return (
        f"Searches of {', '.join(bound)} are an upper bound: a run delivers for some query less "
        "than comes before the change, and every query is counted as if the change came there."
    )


# --- The target -----------------------------------------------------------------------------------

_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


def target_said(plan: Plan) -> str:
    """What is looked for: the document whose rank is counted."""
    target = plan.definitions.target
    if target == FIRST:
        return "the first relevant document" if is_judged(plan) else "the first known target"
    if target == ALL:
        return "the last of all relevant documents" if is_judged(plan) else "the last known target"
    several = int(target.split()[0])
    is_teen = several % 100 in (11, 12, 13)
    ending = "th" if is_teen else _ORDINALS.get(several % 10, "th")
    return f"the {several}{ending} relevant document"


def is_judged(plan: Plan) -> bool:
    """Does the corpus have judgments, and not only known targets?"""
    return isinstance(plan.corpus, Collection)


def share_name(plan: Plan) -> str:
    """What the share of queries whose target stands among the first k is called.

    With one known target it is recall; with several relevant documents the field says success.
    """
    return "Success" if is_judged(plan) or plan.definitions.target != FIRST else "Recall"
