"""`versions.json`: what is listed of a published version, and what may not happen to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import jsonio
from pagecost import plan as plans
from pagecost.errors import InputError
from pagecost.project import WRITEUP, VersionFolder
from pagecost.publish import ledger
from pagecost.publish.ledger import Entry, Fate, Knows, Ledger
from pagecost.versions import Record, Version
from tests.builders import Json, sha256
from tests.site_builders import plan_json

RESULTS, RANKS = b"results", b"ranks"
RECORD = (RESULTS, RANKS)


class Maker:
    """Makes frozen versions as far as the ledger looks at them: bytes, whatever they say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(
        self,
        key: str = "tiny@1",
        *,
        record: tuple[bytes, bytes] | None = None,
        writeup: str | None = None,
        **changes: Any,
    ) -> Version:
        experiment, name = key.split("@")
        data = jsonio.canonical(plan_json(name, experiment=experiment, **changes))
        where = VersionFolder(experiment, name, self._folder / sha256((writeup or "").encode()))
        if writeup is not None:
            where.folder.mkdir(exist_ok=True)
            where.file(WRITEUP).write_bytes(writeup.encode("utf-8"))
        return Version(
            where=where,
            plan=plans.parse(data, "plan.json"),
            plan_json=data,
            digest=sha256(data),
            record=Record(*record, cast(Any, None), cast(Any, None)) if record else None,
            documents_txt=None,
            writeup=writeup,
        )


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    return Maker(tmp_path_factory.mktemp("versions"))


def listing(*published: Version, prose: Mapping[str, str] | None = None) -> Ledger:
    """The ledger once these were published, one after the other."""
    made = ledger.updated(None, [], prose or {})
    for one in published:
        made = ledger.updated(made, [one], {})
    return made


def knowing(*texts: str) -> Knows:
    """A clone whose write-ups had these texts at one time or another."""
    return lambda _, digest: digest in {sha256(text.encode()) for text in texts}


def refusals(known: Ledger, own: Version, *texts: str) -> list[str]:
    return list(ledger.refusals(known, [own], knowing(*texts)))


# --- What is listed -------------------------------------------------------------------------------


def test_a_version_is_listed_by_the_digests_of_its_files(make: Maker) -> None:
    one = make(
        record=RECORD, writeup="Tiny.\r\n", title="A title", date="2026-03-04", kind="exploration"
    )
    assert listing(one).versions == [
        Entry(
            experiment="tiny",
            version="1",
            kind="exploration",
            date="2026-03-04",
            title="A title",
            plan_sha256=sha256(one.plan_json),
            results_sha256=sha256(RESULTS),
            ranks_sha256=sha256(RANKS),
            writeup_sha256=sha256(b"Tiny.\r\n"),
        )
    ]


def test_a_version_without_a_record_is_listed_without_its_digests(make: Maker) -> None:
    (entry,) = listing(make()).versions
    assert (entry.results_sha256, entry.ranks_sha256, entry.writeup_sha256) == (None, None, None)
    assert entry.key == "tiny@1"


def test_versions_are_listed_by_experiment_and_in_their_own_order(make: Maker) -> None:
    keys = ["tiny@10", "tiny@9", "fleet@2", "tiny@1rc1", "tiny@1", "Other@x"]
    known = listing(*map(make, keys))
    expected = ["Other@x", "fleet@2", "tiny@1rc1", "tiny@1", "tiny@9", "tiny@10"]
    assert [entry.key for entry in known.versions] == expected
    assert list(known.by_key()) == expected


def test_what_was_listed_before_stays_listed(make: Maker) -> None:
    known = listing(make("fleet@1"), make(record=RECORD), prose={"b.md": "0" * 64})
    later = ledger.updated(known, [make("tiny@2")], {"a.md": "1" * 64})
    assert [entry.key for entry in later.versions] == ["fleet@1", "tiny@1", "tiny@2"]
    assert later.versions[:2] == known.versions
    assert list(later.prose.items()) == [("a.md", "1" * 64), ("b.md", "0" * 64)]


TEXT = st.characters(codec="utf-8")
DIGESTS = st.binary(max_size=2).map(sha256)
SLUGS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,5}", fullmatch=True)
ENTRIES = st.builds(
    Entry,
    experiment=SLUGS,
    version=SLUGS,
    kind=st.sampled_from(("confirmatory", "replication", "exploration")),
    date=st.dates().map(str),
    title=st.text(TEXT),
    plan_sha256=DIGESTS,
    results_sha256=st.none() | DIGESTS,
    ranks_sha256=st.none() | DIGESTS,
    writeup_sha256=st.none() | DIGESTS,
)


@given(st.lists(ENTRIES, max_size=4), st.dictionaries(st.text(TEXT), DIGESTS, max_size=2))
def test_what_is_written_is_what_is_read(entries: list[Entry], prose: dict[str, str]) -> None:
    made = Ledger(schema=1, versions=entries, prose=prose)
    assert ledger.from_json(ledger.to_json(made), "versions.json") == made


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "versions.json: line 1, column 2: not JSON"),
        (b"\xff", "versions.json: byte 0 is not UTF-8"),
        (b"[]", r"versions.json: \$: Expected `object`, got `array`"),
        (b'{"versions": []}', r"missing required field `schema`"),
        (b'{"schema": 2, "versions": []}', r"\$\.schema: .*found 2"),
        (b'{"schema": 1, "versions": [], "more": 1}', "unknown field `more`"),
        (b'{"schema": 1, "versions": [], "versions": []}', "'versions' stands twice"),
    ],
)
def test_what_is_no_ledger_is_refused_with_the_place(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ledger.from_json(data, "versions.json")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("experiment", "../../etc"),
        ("version", ".."),
        ("version", "a/b"),
        ("plan_sha256", "0" * 63),
        ("results_sha256", "X" * 64),
        ("writeup_sha256", 1),
        ("colour", "red"),
    ],
)
def test_an_entry_that_could_not_have_been_written_is_refused(
    make: Maker, field: str, value: object
) -> None:
    made = msgspec.to_builtins(listing(make(record=RECORD)))
    made["versions"][0][field] = value
    with pytest.raises(InputError, match=r"\$\.versions\[0\]"):
        ledger.from_json(jsonio.canonical(made), "versions.json")


# --- What becomes of a version --------------------------------------------------------------------

FATES: list[tuple[Fate, list[Json], Json, str]] = [
    # published before, own, the texts that its write-up had in this clone
    ("new", [], {}, ""),
    ("new", [{"key": "tiny@2"}, {"key": "fleet@1"}], {}, ""),
    ("same", [{}], {}, ""),
    ("same", [{"record": RECORD, "writeup": "a"}], {"record": RECORD, "writeup": "a"}, "a"),
    ("same", [{"writeup": "a"}], {"writeup": "a"}, ""),
    ("record added", [{}], {"record": RECORD}, ""),
    ("record added", [{"writeup": "a"}], {"record": RECORD, "writeup": "b"}, "ab"),
    ("write-up changed", [{}], {"writeup": "a"}, "a"),
    ("write-up changed", [{"record": RECORD, "writeup": "a"}],
     {"record": RECORD, "writeup": "b"}, "ab"),
    ("write-up changed", [{"writeup": "a"}, {"writeup": "b"}], {"writeup": "a"}, "ab"),
    ("behind", [{"record": RECORD}], {}, ""),
    ("behind", [{"writeup": "a"}, {"writeup": "b"}], {"writeup": "a"}, "a"),
    ("behind", [{"writeup": "a"}], {}, ""),
    ("behind", [{"record": RECORD, "writeup": "b"}], {"writeup": "b"}, "ab"),
]  # fmt: skip


@pytest.mark.parametrize(("fate", "published", "own", "texts"), FATES)
def test_a_version_is_new_same_ahead_or_behind(
    make: Maker, fate: Fate, published: list[Json], own: Json, texts: str
) -> None:
    known, ours = listing(*(make(**one) for one in published)), make(**own)
    assert refusals(known, ours, *texts) == []
    before = known.by_key().get(ours.where.key)
    assert ledger.fate(ours, before, knowing(*texts)) == fate


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("plan.json", {"record": RECORD, "title": "Another title"}),
        ("results.json", {"record": (b"other", RANKS)}),
        ("ranks.csv", {"record": (RESULTS, b"other")}),
    ],
)
def test_a_file_that_changed_since_it_was_published_is_refused(
    make: Maker, name: str, own: Json
) -> None:
    before = make(record=RECORD)
    (said,) = refusals(listing(before), make(**own))
    digests = {"plan.json": before.digest, "results.json": sha256(RESULTS)}
    assert said.startswith(
        f"tiny@1: {name} was published with sha256 {digests.get(name, sha256(RANKS))} and now has "
    )
    assert "restore the file from Git" in said
    assert "pagecost new tiny@NEXT --like tiny@1" in said


def test_every_file_that_changed_is_named(make: Maker) -> None:
    own = make(record=(b"other", b"others"), title="Another title")
    found = [said.split()[1] for said in refusals(listing(make(record=RECORD)), own)]
    assert found == ["plan.json", "results.json", "ranks.csv"]


@pytest.mark.parametrize(
    ("own", "published"), [("tiny@V1", "tiny@v1"), ("Tiny@v1", "tiny@v1"), ("TINY@2", "tiny")]
)
def test_a_name_that_differs_only_by_case_is_refused(make: Maker, own: str, published: str) -> None:
    (said,) = refusals(listing(make("tiny@v1")), make(own))
    assert said.startswith(f"{own}: published as {published!r}, which differs only by case")
    assert "rename it back" in said


@pytest.mark.parametrize(
    ("published", "own", "texts"),
    [
        ([{"record": RECORD}], {"writeup": "mine"}, "mine"),
        ([{"writeup": "a"}, {"writeup": "b"}], {"record": RECORD, "writeup": "a"}, "a"),
        ([{"writeup": "a"}], {"record": RECORD}, ""),
        ([{"record": RECORD, "writeup": "a"}], {"writeup": "b"}, "ab"),
    ],
)
def test_a_version_that_is_ahead_and_behind_is_refused(
    make: Maker, published: list[Json], own: Json, texts: str
) -> None:
    (said,) = refusals(listing(*(make(**one) for one in published)), make(**own), *texts)
    assert "more of it was published from elsewhere, and more of it is here" in said
    assert "git pull" in said


def test_a_version_that_is_not_published_from_here_is_never_refused(make: Maker) -> None:
    known = listing(make(record=RECORD), make("tiny@2", record=RECORD))
    own = [make("tiny@2", record=RECORD), make("fleet@1")]
    assert list(ledger.refusals(known, own, knowing())) == []


# --- Any history ----------------------------------------------------------------------------------

STATES = st.fixed_dictionaries(
    {
        "key": st.sampled_from(("tiny@1", "tiny@1", "tiny@1", "tiny@2", "Tiny@1", "fleet@1")),
        "record": st.sampled_from((None, RECORD, RECORD, (b"other", RANKS))),
        "writeup": st.sampled_from((None, *"abc")),
        "title": st.sampled_from(("One", "One", "One", "Another")),
    }
)


@given(history=st.lists(st.tuples(st.sampled_from((0, 1)), STATES), max_size=10))
def test_nothing_that_is_listed_ever_changes_or_goes(
    make: Maker, history: list[tuple[int, Json]]
) -> None:
    known = listing()
    texts: list[set[str]] = [set(), set()]  # what each clone's write-ups said, of whatever version
    for clone, state in history:
        own, before = make(**state), known.by_key()
        texts[clone] |= {state["writeup"]} - {None}
        knows = knowing(*texts[clone])
        if refusals(known, own, *texts[clone]):
            continue
        fate = ledger.fate(own, before.get(own.where.key), knows)
        if fate == "behind":
            continue
        known = ledger.updated(known, [own], {})
        after = known.by_key()
        assert after.keys() - before.keys() == ({own.where.key} if fate == "new" else set())
        for key, entry in before.items():
            later = after[key]
            assert later.plan_sha256 == entry.plan_sha256
            assert later.results_sha256 == (entry.results_sha256 or later.results_sha256)
            assert later.ranks_sha256 == (entry.ranks_sha256 or later.ranks_sha256)
            if (text := entry.writeup_sha256) not in (None, later.writeup_sha256):
                assert knows(own, str(text)), "a text that this clone never saw is replaced"
        assert ledger.fate(own, after[own.where.key], knows) == "same"
        assert ledger.updated(known, [own], {}) == known
        assert len({key.lower() for key in after}) == len(after)
        assert refusals(known, own, *texts[clone]) == []
