"""`plan.json`, read strictly: what is wrong is named by file and JSON path."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from pagecost import plan
from pagecost.errors import InputError
from pagecost.model import (
    RESERVED_POLICY_NAMES,
    SEARCHES,
    SEARCHES_WITH_RUNS,
    TIES,
    TIES_WITH_RUNS,
    ArchivesCorpus,
    Bm25,
    Interleave,
    QueryRow,
)
from tests.builders import (
    ROOT,
    Json,
    archives_corpus,
    distributions_plan,
    plan_of,
    sha256,
)

COMMITTED = sorted((ROOT / "site").glob("*/*/plan.json"))
PINS: Json = {
    "documents": 3,
    "queries": 2,
    "membership": "1" * 64,
    "query_hash": "2" * 64,
    "repositories": [
        {"name": "example/alpha", "documents": 2, "queries": 1},
        {"name": "example/beta", "documents": 1, "queries": 1},
    ],
    "strata": {"name-present": 2, "name-absent": 0},
    "exclusions": {"code": 0},
}


def valid() -> Json:
    return plan_of(archives_corpus() | {"pins": PINS}, "tiny", "1")


def refusal(made: Json | bytes) -> str:
    """Why that plan is refused. The message names the file."""
    data = made if isinstance(made, bytes) else json.dumps(made).encode("utf-8")
    with pytest.raises(InputError) as error:
        plan.parse(data, "here/plan.json")
    message = str(error.value)
    assert all(line.startswith("here/plan.json: ") for line in message.split("\n"))
    return message


def changed(path: str, value: Any) -> Json:
    """The valid plan with one value replaced, or taken out where `value` is Ellipsis."""
    made = valid()
    *above, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    inner: Any = made
    for step in above:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return made


def bm25() -> Json:
    return {"kind": "bm25", "text": "raw"}


def interleave(first: str | Json, second: str | Json) -> Json:
    return {"kind": "interleave", "first": first, "second": second}


# --- What loads -----------------------------------------------------------------------------------


def test_a_valid_plan_loads_as_what_it_says() -> None:
    found = plan.parse(json.dumps(valid()).encode(), "plan.json")
    assert (found.key, found.is_draft, found.page_sizes) == ("tiny@1", True, [1, 2, 5])
    assert isinstance(found.corpus, ArchivesCorpus)
    assert [one.repository for one in found.corpus.archives] == ["example/alpha", "example/beta"]
    assert isinstance(found.policy("helper").ranking, Interleave)


def test_a_policy_is_shown_by_its_label_or_else_by_its_name() -> None:
    made = changed("policies.0.label", "the *plain* one")
    found = plan.parse(json.dumps(made).encode(), "plan.json")
    assert [policy.shown for policy in found.policies] == ["the *plain* one", "helper"]


def test_what_is_left_out_has_its_documented_default() -> None:
    made = changed("policies.0.ranking", bm25())
    del made["status"]
    found = plan.parse(json.dumps(made).encode(), "plan.json")
    assert found.is_draft
    assert found.publish_queries is False
    assert found.policies[0].ranking == Bm25(text="raw", k1=1.2, b=0.75)


def test_a_name_that_no_policy_has_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        plan.parse(json.dumps(valid()).encode(), "plan.json").policy("other")


def test_the_digest_is_that_of_the_bytes_whatever_their_layout(tmp_path: Path) -> None:
    for layout in (None, 2, 4):
        data = json.dumps(valid(), indent=layout).encode()
        (tmp_path / "plan.json").write_bytes(data)
        assert plan.load(tmp_path / "plan.json")[1] == sha256(data)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: "@".join(path.parts[-3:-1]))
def test_every_plan_that_was_ever_frozen_here_stays_readable(path: Path) -> None:
    found, digest = plan.load(path)
    assert not found.is_draft
    assert digest == json.loads(path.with_name("results.json").read_bytes())["plan_sha256"]


def test_six_plans_are_frozen_here() -> None:
    assert [plan.load(path)[0].key for path in COMMITTED] == [
        "cut-runs@1",
        "cut-runs@2",
        "page-cost@12",
        "page-cost@12.1",
        "python-packages@1",
        "python-packages@2",
    ]


# --- The schema -----------------------------------------------------------------------------------


def test_the_schema_accepts_the_committed_plans() -> None:
    validator = jsonschema.Draft202012Validator(plan.schema())
    validator.check_schema(plan.schema())
    for path in COMMITTED:
        validator.validate(json.loads(path.read_bytes()))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("colour", "blue"),
        ("measured", ...),
        ("corpus.archives.0.sha256", "A" * 64),
        ("experiment", "../x"),
        ("policies.0.ranking.kind", "tfidf"),
        ("page_sizes", [1, 0]),
        ("date", "2026-01-02\n"),
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(path: str, value: Any) -> None:
    made = changed(path, value)
    assert not jsonschema.Draft202012Validator(plan.schema()).is_valid(made)
    refusal(made)


def test_the_schema_describes_every_field_that_an_author_writes() -> None:
    definitions: Any = plan.schema()["$defs"]
    undescribed = [
        name for name, found in definitions["Plan"]["properties"].items()
        if name not in ("corpus", "definitions") and "description" not in found
    ]  # fmt: skip
    assert not undescribed


# --- Fields ---------------------------------------------------------------------------------------

FIELDS: dict[str, tuple[str, Any, str]] = {
    "an unknown field": ("colour", "blue", "plan.json: $: Object contains unknown field `colour`"),
    "an unknown field further down": (
        "corpus.archives.1.licence.url", "x",
        "$.corpus.archives[1].licence: Object contains unknown field `url`",
    ),
    "no list of what is measured": ("measured", ..., "missing required field `measured`"),
    "no list of what is not": ("not_measured", ..., "missing required field `not_measured`"),
    "no assumptions": ("assumptions", ..., "missing required field `assumptions`"),
    "an empty list of what is measured": ("measured", [], "$.measured: Expected `array` of"),
    "an empty list of what is not": ("not_measured", [], "$.not_measured: Expected `array` of"),
    "an empty list of assumptions": ("assumptions", [], "$.assumptions: Expected `array` of"),
    "a blank caveat in a list": ("measured", ["good", " \n"], "$.measured[1]: Expected `str`"),
    "no caveat": ("caveat", ..., "missing required field `caveat`"),
    "a blank caveat": ("caveat", " ", "$.caveat: Expected `str`"),
    "a caveat that is too long": ("caveat", "x" * 601, "$.caveat: Expected `str` of length <= 600"),
    "a format that isn't known": ("schema", 2, "$.schema: Invalid enum value 2"),
    "a format that is true": ("schema", True, "$.schema: Expected `int`, got `bool`"),
    "a status that isn't known": ("status", "final", "$.status: Invalid enum value 'final'"),
    "a kind that isn't known": ("kind", "pilot", "$.kind: Invalid enum value 'pilot'"),
    "a replication of nothing": ("kind", "replication", "$.origin: missing; a replication names"),
    "another definition": ("definitions.ties", "random", "$.definitions.ties: Invalid enum value"),
    "a day that doesn't exist": ("date", "2026-02-30", "$.date: '2026-02-30': day is out of"),
    "the year 0": ("date", "0000-01-01", "$.date: '0000-01-01': year 0 is out of range"),
    "a date in words": ("date", "2 January 2026", "$.date: Expected `str` matching regex"),
    "a date with a line break": ("date", "2026-01-02\n", "$.date: Expected `str` matching regex"),
    "a date in other digits": ("date", "٢٠٢٦-٠١-٠٢", "$.date: Expected `str` matching regex"),
    "a title of two lines": ("title", "a\nb", "$.title: Expected `str` matching regex"),
    "an experiment that is a path": ("experiment", "../x", "$.experiment: Expected `str` matching"),
    "a version that is a path": ("version", "1/2", "$.version: Expected `str` matching regex"),
    "a version that is a number": ("version", 1, "$.version: Expected `str`, got `int`"),
    "page sizes out of order": (
        "page_sizes", [1, 5, 2], "$.page_sizes[2]: 2 after 5; expected ascending sizes, each once"
    ),
    "a page size twice": ("page_sizes", [1, 2, 2], "$.page_sizes[2]: 2 after 2; expected"),
    "a page size above ten million": (
        "page_sizes", [2, 10_000_001], "$.page_sizes[1]: Expected `int` <= 10000000"
    ),
    "a page size of zero": ("page_sizes", [0, 2], "$.page_sizes[0]: Expected `int` >= 1"),
    "a negative page size": ("page_sizes", [-1, 2], "$.page_sizes[0]: Expected `int` >= 1"),
    "a page size of a half": ("page_sizes", [2, 2.5], "$.page_sizes[1]: Expected `int`, got"),
    "a page size with a point": ("page_sizes", [2, 5.0], "$.page_sizes[1]: Expected `int`, got"),
    "a page size that is true": ("page_sizes", [True, 2], "$.page_sizes[0]: Expected `int`, got"),
    "a page size in quotes": ("page_sizes", ["2"], "$.page_sizes[0]: Expected `int`, got `str`"),
    "a page size of 400 digits": ("page_sizes", [10**400], "$.page_sizes[0]: Expected `int` <="),
    "no page size": ("page_sizes", [], "$.page_sizes: Expected `array` of length >= 1"),
    "51 page sizes": ("page_sizes", list(range(1, 52)), "$.page_sizes: Expected `array` of length"),
    "a primary page size that isn't one": (
        "primary_page_size", 3, "$.primary_page_size: 3 is not one of the page sizes 1, 2, 5"
    ),
    "a baseline that isn't there": (
        "baseline", "okapi", "$.baseline: no policy is named 'okapi'; known: baseline, helper"
    ),
    "a primary policy that isn't there": (
        "primary_policy", "Helper", "$.primary_policy: no policy is named 'Helper'"
    ),
    "no policy": ("policies", [], "$.policies: Expected `array` of length >= 1"),
    "a policy without a name": ("policies.0.name", "", "$.policies[0].name: Expected `str`"),
    "a policy's name with a comma": ("policies.0.name", "a,b", "$.policies[0].name: Expected"),
    "a policy's name of 81 letters": ("policies.0.name", "a" * 81, "$.policies[0].name: Expected"),
    "a policy's name with a line break": ("policies.0.name", "a\n", "$.policies[0].name: Expected"),
    "a policy of an unknown kind": (
        "policies.0.ranking.kind", "tfidf", "$.policies[0].ranking.kind: Invalid value 'tfidf'"
    ),
    "another policy's fields": (
        "policies.0.ranking.after", 2, "$.policies[0].ranking: Object contains unknown field"
    ),
    "a negative k1": ("policies.0.ranking.k1", -0.1, "$.policies[0].ranking.k1: Expected `float`"),
    "a b above 1": ("policies.0.ranking.b", 1.5, "$.policies[0].ranking.b: Expected `float` <= 1"),
    "a k1 that is true": ("policies.0.ranking.k1", True, "$.policies[0].ranking.k1: Expected"),
    "deferred after 0": (
        "policies.1.ranking",
        {"kind": "deferred", "first": "baseline", "second": bm25(), "after": 0},
        "$.policies[1].ranking.after: Expected `int` >= 1",
    ),
    "a model of another library": (
        "policies.1.ranking",
        {"kind": "model", "library": "other", "model": "BM25Okapi", "text": "raw"},
        "$.policies[1].ranking.library: Invalid enum value 'other'",
    ),
    "a name that no policy has": (
        "policies.1.ranking", interleave("baseline", "okapi"),
        "$.policies: no policy is named 'okapi'; known: baseline, helper",
    ),
    "a policy of itself": (
        "policies.1.ranking", interleave("baseline", "helper"),
        "$.policies: policy 'helper' is made of itself: helper → helper",
    ),
    "a revision that is a branch": (
        "corpus.archives.0.revision", "main", "$.corpus.archives[0].revision: Expected `str`"
    ),
    "a repository without an owner": (
        "corpus.archives.0.repository", "alpha", "$.corpus.archives[0].repository: Expected `str`"
    ),
    "a repository twice, ignoring case": (
        "corpus.archives.1.repository", "Example/ALPHA",
        "$.corpus.archives: a repository stands 2 times (ignoring case): 'example/alpha'",
    ),
    "a hash in capitals": (
        "corpus.archives.0.sha256", "A" * 64, "$.corpus.archives[0].sha256: Expected `str` matching"
    ),
    "no archive": ("corpus.archives", [], "$.corpus.archives: Expected `array` of length >= 1"),
    "a corpus of an unknown kind": ("corpus.kind", "web", "$.corpus.kind: Invalid value 'web'"),
    "a projection elsewhere": (
        "corpus.projection.path", "../p.csv",
        "$.corpus.projection.path: '../p.csv', expected 'projection.csv'",
    ),
    "documents that don't add up": (
        "corpus.pins.documents", 4,
        "$.corpus.pins.documents: 4, but the repositories have 3 together",
    ),
    "queries that don't add up": (
        "corpus.pins.queries", 3, "$.corpus.pins.queries: 3, but the repositories have 2 together"
    ),
    "strata that don't add up": (
        "corpus.pins.strata", {"name-present": 1},
        "$.corpus.pins.strata: 1 queries together, expected 2",
    ),
    "a repository pinned twice": (
        "corpus.pins.repositories", [{"name": "a/b", "documents": 1, "queries": 1}] * 2,
        "$.corpus.pins.repositories: a repository stands 2 times",
    ),
    "a negative count": (
        "corpus.pins.exclusions.code", -1, "$.corpus.pins.exclusions[...]: Expected `int` >= 0"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIELDS)
def test_a_wrong_field_is_refused_by_its_path(case: str) -> None:
    path, value, expected = FIELDS[case]
    plan.parse(json.dumps(valid()).encode(), "plan.json")  # the one change is what is wrong
    assert expected in refusal(changed(path, value))


@pytest.mark.parametrize("name", ["baseline", "Baseline", "BASELINE"])
def test_two_policies_of_one_name_are_refused_ignoring_case(name: str) -> None:
    made = valid()
    made["policies"].append({"name": name, "ranking": bm25()})
    assert "$.policies: a policy's name stands 2 times (ignoring case): 'baseline'" in refusal(made)


@pytest.mark.parametrize("name", QueryRow.__struct_fields__)
def test_a_policy_named_like_a_column_of_ranks_csv_is_refused(name: str) -> None:
    made = valid()
    made["policies"].append({"name": name, "ranking": bm25()})
    assert f"$.policies[2].name: '{name}' is a column of ranks.csv" in refusal(made)


def test_the_reserved_names_are_the_columns_of_ranks_csv() -> None:
    assert frozenset(QueryRow.__struct_fields__) == RESERVED_POLICY_NAMES


def test_every_problem_is_named_at_once() -> None:
    made = changed("page_sizes", [5, 2])
    made |= {"baseline": "none", "date": "2026-13-01"}
    message = refusal(made)
    assert "$.date:" in message
    assert "$.baseline:" in message
    assert "$.page_sizes[1]:" in message


# --- Policies made of each other ------------------------------------------------------------------


def named(**rankings: Json) -> Json:
    """The valid plan with these policies besides the baseline and the helper."""
    made = valid()
    made["policies"] += [{"name": name, "ranking": one} for name, one in rankings.items()]
    return made


def test_a_cycle_of_policies_is_refused_and_shown() -> None:
    made = named(
        a=interleave("baseline", "b"),
        b=interleave("c", "baseline"),
        c={"kind": "deferred", "first": "baseline", "second": "a", "after": 3},
    )
    assert "$.policies: policy 'a' is made of itself: a → b → c → a" in refusal(made)


def test_a_policy_that_is_used_twice_is_no_cycle() -> None:
    made = named(a=interleave("helper", "helper"), b=interleave("a", "helper"))
    plan.parse(json.dumps(made).encode(), "plan.json")


def test_policies_that_double_each_other_are_refused_before_they_are_resolved() -> None:
    # 2 to the power of 40 rankings: resolving them would not end.
    names = ["baseline", *(f"p{i}" for i in range(40))]
    made = named(**{after: interleave(before, before) for before, after in pairwise(names)})
    assert "$.policies: policy 'p5' is made of more than 100 rankings" in refusal(made)


def nested(depth: int) -> bytes:
    """A plan whose helper is interleaved so many times over."""
    inner = (
        '{"kind": "interleave", "first": "baseline", "second": ' * depth
        + '{"kind": "bm25", "text": "raw"}'
        + "}" * depth
    )
    made = changed("policies.1.ranking", "@")
    return json.dumps(made).replace('"@"', inner).encode()


def test_rankings_nested_a_few_deep_are_read() -> None:
    plan.parse(nested(20), "plan.json")


@pytest.mark.parametrize("depth", [60, 400, 900])
def test_rankings_nested_too_deep_to_be_ranked_are_refused(depth: int) -> None:
    assert "$.policies: policy 'helper' is made of more than 100 rankings" in refusal(nested(depth))


# --- What a frozen plan must have -----------------------------------------------------------------


def test_a_draft_needs_no_pins() -> None:
    assert plan.parse(json.dumps(changed("corpus.pins", ...)).encode(), "p").corpus.pins is None


def test_a_frozen_plan_without_pins_is_refused() -> None:
    made = changed("corpus.pins", ...) | {"status": "frozen"}
    assert "$.corpus.pins: missing; a frozen plan pins its corpus (`pagecost corpus`" in refusal(
        made
    )


@pytest.mark.usefixtures("tiny_distribution")
def test_a_frozen_plan_pins_every_distribution() -> None:
    made = distributions_plan(status="frozen")
    plan.parse(json.dumps(made).encode(), "p")
    del made["corpus"]["distributions"][0]["sha256"]
    expected = "$.corpus.distributions[0].sha256: missing; a frozen plan pins it"
    assert expected in refusal(made)
    plan.parse(json.dumps(made | {"status": "draft"}).encode(), "p")


@pytest.mark.usefixtures("tiny_distribution")
def test_a_distribution_twice_is_refused_ignoring_case() -> None:
    made = distributions_plan()
    made["corpus"]["distributions"] += [{"name": "Knots", "version": "1.0"}]
    expected = "$.corpus.distributions: a distribution stands 2 times (ignoring case): 'knots'"
    assert expected in refusal(made)


# --- Bytes that are no plan -----------------------------------------------------------------------


def written(*replaced: tuple[str, str]) -> bytes:
    """The valid plan's file with parts of its text replaced, each of which must be there."""
    text = json.dumps(valid(), indent=2)
    for before, after in replaced:
        assert before in text
        text = text.replace(before, after, 1)
    return text.encode("utf-8", "surrogatepass")


NOT_A_PLAN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "line 1, column 1: not JSON"),
    "blanks": (b" \n", "line 2, column 1: not JSON"),
    "a list": (b"[]", "Expected `object`, got `array`"),
    "null": (b"null", "Expected `object`, got `null`"),
    "an empty object": (b"{}", "$: Object missing required field"),
    "a cut": (written()[:-3], "not JSON"),
    "more behind it": (written() + b"{}", "not JSON: Extra data"),
    "a comment": (b"// a plan\n" + written(), "line 1, column 1: not JSON"),
    "a trailing comma": (written(("\n}", ",\n}")), "not JSON"),
    "a byte-order mark": (b"\xef\xbb\xbf" + written(), "starts with a byte-order mark"),
    "UTF-16": (written().decode().encode("utf-16"), "byte 0 is not UTF-8"),
    "a byte that is not UTF-8": (
        b"{\"title\": \"caf\xe9\"}", "byte 14 is not UTF-8"
    ),
    "a surrogate in UTF-8": (written(("An inv", "An \ud800inv")), "is not UTF-8"),
    "half a surrogate pair": (
        written(("An inv", "An \\ud83d inv")), "a \\u escape that is no character"
    ),
    "half a surrogate pair as a key": (
        written(('"title"', '"\\udc00"')), "a \\u escape that is no character"
    ),
    "a control character": (written(("An inv", "An \x01 inv")), "not JSON: Invalid control"),
    "not a number": (written(("1.2", "NaN")), "NaN is not a JSON number"),
    "infinity": (written(("1.2", "-Infinity")), "-Infinity is not a JSON number"),
    "a number beyond all floats": (written(("1.2", "1e999")), "Number out of range"),
    "a number of 5,000 digits": (
        written(('"primary_page_size": 2', f'"primary_page_size": {"9" * 5000}')),
        "a number is too long",
    ),
    "a key twice": (
        written(('"title"', '"caveat"')), "the key 'caveat' stands twice in one object"
    ),
    "a key twice, one of them escaped": (
        written(('"title"', '"c\\u0061veat"')), "the key 'caveat' stands twice in one object"
    ),
    "a key twice further down": (
        written(('"k1": 1.2', '"b": 1.2')), "the key 'b' stands twice in one object"
    ),
    "100,000 brackets": (b"[" * 100_000, "nested too deeply"),
    "100,000 pairs of brackets": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "100,000 braces": (b'{"a":' * 100_000, "nested too deeply"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_A_PLAN)
def test_bytes_that_are_no_plan_are_refused(case: str) -> None:
    data, expected = NOT_A_PLAN[case]
    assert expected in refusal(data)


def test_a_file_that_is_missing_a_folder_or_too_large_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(InputError, match=r"plan\.json: can't be read: No such file"):
        plan.load(path)
    path.mkdir()
    with pytest.raises(InputError, match=r"plan\.json: can't be read: Is a directory"):
        plan.load(path)
    path.rmdir()
    path.write_bytes(written() + b" " * (1 << 20))
    with pytest.raises(InputError, match=r"plan\.json: larger than 1,048,576 bytes"):
        plan.load(path)


# --- Runs and collections -------------------------------------------------------------------------

RUN_PINS: Json = {"lines": 4, "topics": 2, "deepest": 2, "shallowest": 2}
COLLECTION_PINS: Json = {
    "documents": 3,
    "queries": 2,
    "membership": "1" * 64,
    "query_hash": "2" * 64,
    "repositories": [],
    "strata": {},
    "exclusions": {"unjudged": 1},
    "judgments": {"judgments": 5, "relevant": 2},
}
TREC_PINS: Json = COLLECTION_PINS | {"documents": None, "membership": None}
WITH_RUNS = {"ties": TIES_WITH_RUNS, "searches": SEARCHES_WITH_RUNS}


def file(path: str) -> Json:
    return {"path": path, "sha256": sha256(path.encode())}


def run(path: str = "a.run", **changes: Any) -> Json:
    return {"kind": "run", "file": file(path), "pins": RUN_PINS} | changes


def trec(**changes: Any) -> Json:
    made = {"kind": "trec", "name": "Invented", "qrels": file("qrels"), "pins": TREC_PINS}
    return made | changes


def beir(**changes: Any) -> Json:
    files = {what: file(f"{what}.gz") for what in ("documents", "queries", "qrels")}
    return {"kind": "beir", "name": "Invented", **files, "pins": COLLECTION_PINS} | changes


def ir_dataset(**changes: Any) -> Json:
    made = {"kind": "ir-datasets", "dataset": "invented", "sha256": "3" * 64}
    return made | {"pins": COLLECTION_PINS} | changes


def over(corpus: Json, *rankings: Json, target: str = "first relevant document") -> Json:
    """A frozen plan of those rankings, named p0, p1, …, with the definitions they call for."""
    made = plan_of(
        corpus,
        "tiny",
        "1",
        status="frozen",
        policies=[{"name": f"p{at}", "ranking": one} for at, one in enumerate(rankings)],
        baseline="p0",
        primary_policy=f"p{len(rankings) - 1}",
    )
    made["definitions"]["target"] = target
    if '"run"' in json.dumps(rankings):
        made["definitions"] |= WITH_RUNS
    return made


def accept(made: Json) -> None:
    """The plan loads, and the published schema takes it too."""
    plan.parse(json.dumps(made).encode(), "plan.json")
    jsonschema.Draft202012Validator(plan.schema()).validate(made)


LATE: Json = {"kind": "deferred", "first": bm25(), "second": run(), "after": 3}
MADE_OF_RUNS: dict[str, Json] = {
    "a run": run(),
    "interleaved": interleave(bm25(), run()),
    "interleaved first": interleave(run(), bm25()),
    "deferred": LATE,
    "deep inside": interleave(bm25(), interleave(bm25(), LATE)),
    "under a name": interleave("p0", LATE),
}


def test_plans_over_every_kind_of_collection_load() -> None:
    accept(over(trec(), run(), run("b.run", ties="rank-column", searches=2)))
    accept(over(trec(topics=file("topics")), run(), interleave("p0", run("b.run"))))
    accept(over(beir(), bm25(), run()))
    accept(over(beir(), bm25(), interleave("p0", bm25() | {"text": "identifiers"})))
    accept(over(ir_dataset(), bm25()))
    accept(over(ir_dataset(pins=TREC_PINS), run()))


@pytest.mark.parametrize("case", MADE_OF_RUNS)
@pytest.mark.parametrize(
    ("field", "term", "plain"),
    [("ties", TIES_WITH_RUNS, TIES), ("searches", SEARCHES_WITH_RUNS, SEARCHES)],
)
def test_a_plan_with_a_run_says_so_in_its_definitions(
    case: str, field: str, term: str, plain: str
) -> None:
    made = over(beir(), bm25(), MADE_OF_RUNS[case])
    accept(made)
    made["definitions"][field] = plain
    assert refusal(made) == (
        f"here/plan.json: $.definitions.{field}: {plain!r}, expected {term!r}, since a policy is "
        "made of a run"
    )


@pytest.mark.parametrize(
    ("field", "term", "plain"),
    [("ties", TIES_WITH_RUNS, TIES), ("searches", SEARCHES_WITH_RUNS, SEARCHES)],
)
def test_a_plan_without_a_run_does_not_claim_one(field: str, term: str, plain: str) -> None:
    for made in (valid(), over(beir(), bm25(), interleave("p0", bm25()))):
        made["definitions"][field] = term
        assert refusal(made) == (
            f"here/plan.json: $.definitions.{field}: {term!r}, expected {plain!r}, since no policy "
            "is made of a run"
        )


@pytest.mark.parametrize(
    "ranking",
    [
        bm25(),
        {"kind": "model", "library": "rank_bm25", "model": "BM25L", "text": "raw"},
        interleave("p0", bm25()),
        {"kind": "deferred", "first": run(), "second": bm25(), "after": 3},
    ],
)
def test_judgments_alone_can_not_be_ranked_by_an_index(ranking: Json) -> None:
    accept(over(beir(), run(), ranking))
    assert refusal(over(trec(), run(), ranking)) == (
        "here/plan.json: $.policies: a corpus of kind 'trec' has no documents, so every policy "
        "must be a run or be made of runs"
    )


OUTSIDE = ("../x", "/x", "a\\b", "C:x", "a/../../x", "a/..", "..", "//host/x", "\\\\host\\x", ".")


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize(
    "made",
    [
        lambda path: over(trec(), run(path)),
        lambda path: over(trec(), run(), interleave("p0", run(path))),
        lambda path: over(trec(qrels=file(path)), run()),
        lambda path: over(trec(topics=file(path)), run()),
        lambda path: over(beir(documents=file(path)), bm25()),
        lambda path: over(beir(queries=file(path)), bm25()),
        lambda path: over(beir(qrels=file(path)), bm25()),
    ],
    ids=["run", "inner run", "qrels", "topics", "documents", "queries", "beir qrels"],
)
def test_a_pinned_file_lies_below_the_versions_folder(made: Any, path: str) -> None:
    expected = f"here/plan.json: {path!r}: expected a path below the version's folder, divided by /"
    assert refusal(made(path)) == expected
    accept(made("a/b c/x.gz"))


def test_two_files_of_one_path_are_refused_and_one_file_may_be_drawn_on_twice() -> None:
    accept(over(trec(), run(), run(ties="rank-column")))
    other = {"path": "a.run", "sha256": "9" * 64}
    assert "a pinned file: a path stands 2 times (ignoring case): 'a.run'" in refusal(
        over(trec(), run(), run(file=other))
    )
    assert "'a.run'" in refusal(over(trec(), run(), run("A.run")))
    assert "'qrels'" in refusal(over(trec(), run("QRELS")))


TARGETS = ("2 relevant documents", "10 relevant documents", "999999 relevant documents")


@pytest.mark.parametrize("target", TARGETS)
def test_several_relevant_documents_are_looked_for_in_a_collection_only(target: str) -> None:
    for corpus, ranking in ((trec(), run()), (beir(), bm25()), (ir_dataset(), bm25())):
        accept(over(corpus, ranking, target=target))
    made = changed("definitions.target", target)
    assert refusal(made).startswith(
        f"here/plan.json: $.definitions.target: {target!r}: only where a corpus has judgments;"
    )


@pytest.mark.parametrize(
    "target",
    [
        "0 relevant documents",
        "1 relevant documents",
        "01 relevant documents",
        "1 relevant document",
        "1000000 relevant documents",
        "-2 relevant documents",
        "2 relevant documents\n",
        "٣ relevant documents",
        "the first relevant document",
        "all",
        "",
    ],
)
def test_a_target_that_is_none_of_the_known_is_refused(target: str) -> None:
    made = over(trec(), run(), target=target)
    assert "$.definitions.target: Expected `str` matching regex" in refusal(made)
    assert not jsonschema.Draft202012Validator(plan.schema()).is_valid(made)


def test_all_relevant_documents_may_be_looked_for_in_any_corpus() -> None:
    accept(changed("definitions.target", "all relevant documents"))
    accept(over(trec(), run(), target="all relevant documents"))


@pytest.mark.parametrize(
    ("target", "relevant", "wanted"),
    [
        ("first relevant document", 5, 1),
        ("all relevant documents", 5, 5),
        ("2 relevant documents", 5, 2),
        ("12 relevant documents", 5, 12),
    ],
)
def test_a_target_says_how_many_of_a_querys_relevant_documents_are_wanted(
    target: str, relevant: int, wanted: int
) -> None:
    made = plan.parse(json.dumps(over(trec(), run(), target=target)).encode(), "plan.json")
    assert made.definitions.wanted(relevant) == wanted


@pytest.mark.parametrize("ranking", [run("b.run"), interleave("p0", run("b.run"))])
def test_a_frozen_plan_pins_its_runs_and_a_draft_need_not(ranking: Json) -> None:
    made = over(trec(), run(), ranking)
    inner = ranking if ranking["kind"] == "run" else ranking["second"]
    accept(made)
    unpinned = inner | {"pins": None}
    bare = unpinned if ranking["kind"] == "run" else ranking | {"second": unpinned}
    made = over(trec(), run(), bare)
    assert refusal(made) == (
        "here/plan.json: $.policies: b.run: pins missing; a frozen plan pins its runs"
    )
    accept(made | {"status": "draft"})


def test_a_frozen_plan_pins_what_a_library_gives() -> None:
    made = over(ir_dataset(sha256=None), bm25())
    assert refusal(made) == "here/plan.json: $.corpus.sha256: missing; a frozen plan pins it"
    accept(made | {"status": "draft"})


PIN_CASES: dict[str, tuple[Json, Json, str]] = {
    "a collection without judgments": (
        beir(pins=COLLECTION_PINS | {"judgments": None}), bm25(),
        "$.corpus.pins.judgments: missing; a collection has them",
    ),
    "a collection with repositories": (
        beir(pins=COLLECTION_PINS | {"repositories": PINS["repositories"]}), bm25(),
        "$.corpus.pins.repositories: expected none, and no strata, in a collection",
    ),
    "a collection with strata": (
        trec(pins=TREC_PINS | {"strata": {"all": 2}}), run(),
        "$.corpus.pins.repositories: expected none, and no strata, in a collection",
    ),
    "other sources with judgments": (
        archives_corpus(pins=PINS | {"judgments": COLLECTION_PINS["judgments"]}), bm25(),
        "$.corpus.pins.judgments: only a collection has them",
    ),
    "other sources without repositories": (
        archives_corpus(pins=COLLECTION_PINS | {"judgments": None}), bm25(),
        "$.corpus.pins.repositories: none; expected every repository",
    ),
    "documents where only runs are known": (
        trec(pins=COLLECTION_PINS), run(),
        "$.corpus.pins.documents: expected null, since only runs are known",
    ),
    "no documents where they are": (
        beir(pins=TREC_PINS), bm25(),
        "$.corpus.pins.documents: null, expected how many documents there are",
    ),
    "no documents in archives": (
        archives_corpus(pins=PINS | {"documents": None, "membership": None}), bm25(),
        "$.corpus.pins.documents: null, expected how many documents there are",
    ),
    "documents without their hash": (
        beir(pins=COLLECTION_PINS | {"membership": None}), bm25(),
        "$.corpus.pins.membership: expected null where documents is null, and only there",
    ),
    "a hash without documents": (
        trec(pins=TREC_PINS | {"membership": "1" * 64}), run(),
        "$.corpus.pins.membership: expected null where documents is null, and only there",
    ),
    "a collection without pins": (
        {key: value for key, value in trec().items() if key != "pins"}, run(),
        "$.corpus.pins: missing; a frozen plan pins its corpus",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PIN_CASES)
def test_pins_that_no_corpus_of_that_kind_has_are_refused(case: str) -> None:
    corpus, ranking, expected = PIN_CASES[case]
    assert f"here/plan.json: {expected}" in refusal(over(corpus, ranking))


@pytest.mark.parametrize(
    ("model", "parameter", "known"),
    [
        ("BM25Okapi", "delta", "k1, b, epsilon"),
        ("BM25L", "epsilon", "k1, b, delta"),
        ("BM25Plus", "epsilon", "k1, b, delta"),
    ],
)
def test_a_parameter_that_a_model_does_not_have_is_refused(
    model: str, parameter: str, known: str
) -> None:
    ranking = {"kind": "model", "library": "rank_bm25", "model": model, "text": "raw"}
    accept(over(beir(), bm25(), ranking | {"k1": 2.0, "b": 0.5}))
    for wrong in (ranking | {parameter: 0.5}, interleave(bm25(), ranking | {parameter: 0.5})):
        assert refusal(over(beir(), bm25(), wrong)) == (
            f"here/plan.json: $.policies: {model} has no parameter {parameter!r}; it has {known}"
        )


FIELDS_OF_RUNS: dict[str, tuple[Json, str]] = {
    "another tie rule": (run(ties="random"), "$.policies[0].ranking.ties: Invalid enum value"),
    "no search": (run(searches=0), "$.policies[0].ranking.searches: Expected `int` >= 1"),
    "half a search": (run(searches=1.5), "$.policies[0].ranking.searches: Expected"),
    "a file by its name": (run(file="a.run"), "$.policies[0].ranking.file: Expected `object`"),
    "a file without its hash": (run(file={"path": "a"}), "missing required field `sha256`"),
    "an unknown field": (run(depth=5), "$.policies[0].ranking: Object contains unknown field"),
    "pins of no line": (
        run(pins=RUN_PINS | {"lines": 0}), "$.policies[0].ranking.pins.lines: Expected `int` >= 1"
    ),
    "an unknown repair": (
        run(pins=RUN_PINS | {"typos": 1}), "$.policies[0].ranking.pins: Object contains unknown"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIELDS_OF_RUNS)
def test_a_wrong_field_of_a_run_is_refused_by_its_path(case: str) -> None:
    ranking, expected = FIELDS_OF_RUNS[case]
    assert expected in refusal(over(trec(), ranking))


@pytest.mark.parametrize("name", ["plan.json", "Plan.JSON", "results.json", "ranks.csv"])
def test_a_pinned_file_is_none_of_the_versions_own(name: str) -> None:
    """Recording would write over it."""
    expected = f"{name!r}: a version's own file has that name"
    assert expected in refusal(over(trec(), run(name)))


def test_a_policy_is_made_of_one_statement_about_a_run() -> None:
    """An interleaving of the two would count both."""
    accept(over(trec(), run(searches=1), run(searches=2)))
    accept(over(trec(), run(searches=1), interleave("p0", run(searches=1))))
    assert "'p1' is made of one run with two statements about it" in refusal(
        over(trec(), run(searches=1), interleave("p0", run(searches=2)))
    )
