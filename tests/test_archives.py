"""Invented archives as a corpus: what stays, what is left out and why, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pagecost.corpora.archives import REASONS, ArchivesSource, archive_path
from pagecost.corpora.build import check_pins
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import MULTIPLE, ArchivesCorpus, Corpus, CorpusPins
from tests.builders import (
    ALPHA,
    BETA,
    TREES,
    Function,
    Json,
    ProjectionRow,
    Source,
    Tree,
    archives_corpus,
    archives_plan,
    cached,
    projection_bytes,
    projection_of,
    projection_rows,
    sha256,
    stock,
    zip_bytes,
)


class Kit:
    """A folder with a projection, a cache with archives, and the corpus that pins them."""

    def __init__(self, folder: Path, trees: Sequence[Tree] = TREES) -> None:
        self.folder, self.cache, self.trees = folder, folder / "cache", trees
        self.corpus: Json = archives_corpus(trees)
        stock(self.cache, trees)
        self.project(projection_of(trees))

    def project(self, data: bytes) -> None:
        """Another projection, pinned."""
        (self.folder / "projection.csv").write_bytes(data)
        self.corpus["projection"]["sha256"] = sha256(data)

    def project_rows(self, rows: Sequence[ProjectionRow]) -> None:
        self.project(projection_bytes(sorted(rows, key=lambda row: row.candidate_id)))

    def repack(self, tree: Tree, files: dict[str, bytes], root: str | None = None) -> None:
        """Another archive in the place of a tree's, not pinned."""
        members = {f"{root or tree.root}/{name}": data for name, data in files.items()}
        cached(self.cache, tree).write_bytes(zip_bytes(members))

    def source(self, *, strict: bool = False) -> ArchivesSource:
        kind = msgspec.convert(self.corpus, ArchivesCorpus)
        return ArchivesSource(kind, self.folder, self.cache, strict=strict)

    def load(self) -> Corpus:
        return self.source().load()

    def differences(self) -> str:
        """In what the corpus is not the one that the plan of TREES pins."""
        pins = msgspec.convert(archives_plan()["corpus"]["pins"], CorpusPins)
        with pytest.raises(InputError) as error:
            check_pins(self.load().counts, pins, "plan.json: $.corpus.pins")
        return str(error.value)

    def refusal(self, *, strict: bool = False) -> str:
        with pytest.raises(InputError) as error:
            self.source(strict=strict).load()
        return str(error.value)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


def one_file(source: Source, path: str = "a/b.go", **others: bytes) -> Tree:
    """A tree of that file, and one more that always stays."""
    stays = Source((Function("stays", "// Remains whatever happens.", "func stays() { here() }"),))
    named = {name.replace("__", "/"): data for name, data in others.items()}
    return Tree("o/r", "c" * 40, {path: source, "always/stays.go": stays}, named)


def left_out(folder: Path, source: Source, path: str = "a/b.go", **others: bytes) -> str | None:
    """Why the one function of that file is left out; None where it stays."""
    found = Kit(folder, [one_file(source, path, **others)]).load()
    reasons = [reason for reason, count in found.counts.exclusions.items() if count]
    names = [document.name for document in found.documents]
    assert "stays" in names
    assert ("asked" in names) == (not reasons)
    return reasons[0] if reasons else None


def asked(doc: str = "// asks a question", code: str = "func asked() { answer() }") -> Function:
    return Function("asked", doc, code)


def headed(header: str) -> Source:
    return Source((asked(),), header)


# --- What stays -----------------------------------------------------------------------------------


def test_documents_are_the_functions_that_stay_in_ascending_id(kit: Kit) -> None:
    found = kit.load()
    kept = {"vault/vault.go", "parse/parse.go", "fleet/fleet.go", "fleet/again.go"}
    rows = [row for row in projection_rows() if row.path in kept]
    assert [document.id for document in found.documents] == [row.candidate_id for row in rows]
    assert [document.name for document in found.documents] == [row.name for row in rows]
    by_name = {document.name: document for document in found.documents}
    code = {
        one.name: one.code for tree in TREES for s in tree.sources.values() for one in s.functions
    }
    for name, document in by_name.items():
        assert document.text == code[name]
        (row,) = [row for row in rows if row.name == name]
        assert (document.repository, document.path) == (row.repository, row.path)


def test_a_document_knows_the_line_its_code_begins_on(kit: Kit) -> None:
    for document in kit.load().documents:
        (tree,) = [tree for tree in TREES if tree.repository == document.repository]
        lines = tree.files()[document.path].decode().split("\n")
        assert lines[document.line - 1] == document.text.split("\n")[0]


def test_the_id_is_a_hash_of_repository_path_and_code(kit: Kit) -> None:
    for document in kit.load().documents:
        identity = f"{document.repository}\0{document.path}\0{document.text}".encode()
        assert document.id == hashlib.sha256(identity).hexdigest()


def test_a_query_is_the_comment_with_its_markers_and_its_case(kit: Kit) -> None:
    found = kit.load()
    texts = {query.text: query for query in found.queries}
    text = "// Close writes the ledger back, with a fresh seal, // and forgets the key."
    query = texts[text]
    assert query.id == hashlib.sha256(text.lower().encode()).hexdigest()
    assert [found.documents[at].name for at in query.relevant] == ["Vault.Close"]
    assert (query.repository, query.stratum) == ("example/alpha", "name-present")


def test_queries_are_in_ascending_id_and_one_for_each_comment(kit: Kit) -> None:
    found = kit.load()
    ids = [query.id for query in found.queries]
    assert ids == sorted(set(ids))
    assert len(ids) == 11
    (shared,) = [query for query in found.queries if len(query.relevant) > 1]
    names = [found.documents[at].name for at in shared.relevant]
    assert sorted(names) == ["shipReady", "shipReadyAgain"]
    assert list(shared.relevant) == sorted(shared.relevant)


def test_a_query_is_name_present_where_it_names_a_target_ignoring_case(kit: Kit) -> None:
    found = kit.load()
    present = {
        found.documents[query.relevant[0]].name
        for query in found.queries
        if query.stratum == "name-present"
    }
    assert present == {"openVault", "Vault.Close", "launchFleet", "shipReady"}


def test_counts_and_hashes_are_those_of_documents_and_queries(kit: Kit) -> None:
    found = kit.load()
    counts = found.counts
    ids = "".join(f"{document.id}\n" for document in found.documents)
    asked_ids = "".join(f"{query.id}\n" for query in found.queries)
    assert counts.membership == hashlib.sha256(ids.encode()).hexdigest()
    assert counts.query_hash == hashlib.sha256(asked_ids.encode()).hexdigest()
    assert (counts.documents, counts.queries) == (12, 11)
    assert [(row.name, row.documents, row.queries) for row in counts.repositories] == [
        ("example/alpha", 6, 6),
        ("example/beta", 6, 5),
    ]
    assert counts.strata == {"name-present": 4, "name-absent": 7}
    assert counts.exclusions == {
        "code": 0,
        "generated": 1,
        "notice": 1,
        "header": 1,
        "query": 1,
    }
    assert list(counts.exclusions) == list(REASONS)
    assert found.notes == ()


def test_the_order_of_archives_and_of_members_changes_nothing(kit: Kit) -> None:
    before = kit.load()
    kit.corpus["archives"].reverse()
    kit.repack(ALPHA, dict(reversed(ALPHA.files().items())))
    after = kit.load()
    assert (after.documents, after.queries) == (before.documents, before.queries)
    assert after.counts == before.counts


def test_a_comment_in_two_repositories_counts_under_multiple(tmp_path: Path) -> None:
    trees = [
        replace(one_file(Source((asked(),))), repository=f"o/{name}", revision=name * 40)
        for name in ("d", "e")
    ]
    kit = Kit(tmp_path, trees)
    found = kit.load()
    assert {query.repository for query in found.queries} == {MULTIPLE}
    assert [(row.name, row.documents, row.queries) for row in found.counts.repositories] == [
        ("o/d", 2, 0),
        ("o/e", 2, 0),
        (MULTIPLE, 0, 2),
    ]
    kit.corpus["refuse_multiple"] = True
    assert "is relevant in several repositories (o/d, o/e), which the plan refuses" in kit.refusal()


def test_pieces_of_a_comment_are_joined_by_line_breaks_and_trimmed(tmp_path: Path) -> None:
    function = asked(doc="/* First\n\tSecond  line\n */")
    found = Kit(tmp_path, [one_file(Source((function,)))]).load()
    assert "/* First Second line */" in [query.text for query in found.queries]


# --- What is left out -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "// Code generated by invented. DO NOT EDIT.\npackage a\n",
        "// CODE GENERATED\npackage a\n",
        "/* It was generated By hand. */\npackage a\n",
        "// Do Not Edit\npackage a\n",
        "// no such word above; do not edit\n",
    ],
)
def test_a_generated_file_is_left_out(tmp_path: Path, header: str) -> None:
    assert left_out(tmp_path, headed(header)) == "generated"


@pytest.mark.parametrize(
    "header",
    [
        "package a\n\n// Code generated by nobody.\n",
        "package a // do not edit\n",
        "// edit me\npackage a\n",
    ],
)
def test_only_what_stands_above_the_package_says_that_a_file_is_generated(
    tmp_path: Path, header: str
) -> None:
    assert left_out(tmp_path, headed(header)) is None


@pytest.mark.parametrize(
    "notice",
    ["a__LICENSE", "a__License.txt", "a__copying", "a__COPYING.md", "a__NOTICE", "a__notice.x.y",
     "a__LICENSE."],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a/b.go", "a/deep/er/b.go"])
def test_what_lies_below_a_notice_is_left_out(tmp_path: Path, notice: str, path: str) -> None:
    assert left_out(tmp_path, headed("package a\n"), path, **{notice: b"terms"}) == "notice"


@pytest.mark.parametrize(
    ("others", "path"),
    [
        ("NOTICE", "a/b.go"),  # in the root
        ("b__NOTICE", "a/b.go"),  # beside it
        ("a__b__NOTICE", "a/b.go"),  # below it
        ("ab__NOTICE", "a/b.go"),
        ("a__LICENSES", "a/b.go"),
        ("a__license-x", "a/b.go"),
        ("a__my.license", "a/b.go"),
        ("a__NOTICE__x.txt", "a/b.go"),  # a folder of that name
    ],
)
def test_a_notice_elsewhere_leaves_nothing_out(tmp_path: Path, others: str, path: str) -> None:
    assert left_out(tmp_path, headed("package a\n"), path, **{others: b"terms"}) is None


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("// Copyright of somebody.\npackage a\n", "header"),
        ("// under the MIT LICENSE\npackage a\n", "header"),
        ("// apache license\npackage a\n", "header"),
        ("// Copyright. Under the Apache License.\npackage a\n", None),
        ("package a\n\n// Copyright of somebody.\n", None),
        ("// to whom it may concern\npackage a\n", None),
    ],
)
def test_other_terms_in_the_header_leave_a_file_out(
    tmp_path: Path, header: str, expected: str | None
) -> None:
    assert left_out(tmp_path, headed(header)) == expected


@pytest.mark.parametrize(
    ("doc", "code"),
    [
        ("   ", "func asked() {}"),
        ("\u00a0\u3000", "func asked() {}"),
        ("// same", "func asked() { // same\n}"),
        ("// The  Same", "func asked() { // the\n\tsame thing\n}"),
    ],
)
def test_a_comment_that_asks_nothing_or_stands_in_its_code_is_left_out(
    tmp_path: Path, doc: str, code: str
) -> None:
    assert left_out(tmp_path, Source((asked(doc, code),))) == "query"


def test_a_function_is_left_out_for_the_first_reason_alone(tmp_path: Path) -> None:
    echo = asked("// same", "func asked() { // same\n}")
    everything = "// Copyright. Code generated.\npackage a\n"
    header_too = "// Copyright.\npackage a\n"
    cases: list[tuple[str, dict[str, bytes], str]] = [
        (everything, {"a__NOTICE": b""}, "generated"),
        (header_too, {"a__NOTICE": b""}, "notice"),
        (header_too, {}, "header"),
        ("package a\n", {}, "query"),
    ]
    for number, (header, others, expected) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert left_out(folder, Source((echo,), header), "a/b.go", **others) == expected


def test_a_corpus_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    tree = replace(ALPHA, sources={"made/table.go": ALPHA.sources["made/table.go"]})
    assert "no document is left after the exclusions" in Kit(tmp_path, [tree]).refusal()


# --- Rows that don't fit --------------------------------------------------------------------------


def change(kit: Kit, name: str, **changes: object) -> None:
    """Replaces fields of that function's row."""
    rows = projection_rows(kit.trees)
    (at,) = [i for i, row in enumerate(rows) if row.name == name]
    rows[at] = replace(rows[at], **changes)  # type: ignore[arg-type]
    kit.project_rows(rows)


def line_of(kit: Kit, name: str) -> str:
    text = (kit.folder / "projection.csv").read_text(encoding="utf-8")
    (at,) = [i for i, line in enumerate(text.split("\n"), 1) if f",{name}," in line]
    return f"projection.csv: line {at}: "


def test_code_that_lies_outside_its_file_is_refused(kit: Kit) -> None:
    size = len(BETA.files()["fleet/again.go"])
    change(kit, "shipReadyAgain", code_end=size + 1)
    message = kit.refusal()
    assert line_of(kit, "shipReadyAgain") in message
    assert f"-{size + 1} lies outside its file of {size} bytes" in message


def test_a_comment_that_lies_outside_its_file_is_refused(kit: Kit) -> None:
    change(kit, "shipReadyAgain", doc_spans="100000-100009")
    message = kit.refusal()
    assert line_of(kit, "shipReadyAgain") in message
    assert "span 100000-100009 lies outside its file" in message


def test_code_that_hashes_to_another_id_is_refused(kit: Kit) -> None:
    rows = projection_rows()
    (row,) = [row for row in rows if row.name == "rotateKey"]
    change(kit, "rotateKey", code_end=int(row.code_end) - 1)
    message = kit.refusal()
    assert line_of(kit, "rotateKey") in message
    assert f"the row says {row.candidate_id}" in message


def test_the_same_code_at_another_path_is_another_candidate(kit: Kit) -> None:
    files = BETA.files()
    kit.repack(BETA, files | {"fleet/copy.go": files["fleet/again.go"]})
    change(kit, "shipReadyAgain", path="fleet/copy.go")
    assert "the code hashes to " in kit.refusal()


def test_a_span_that_cuts_a_character_in_two_is_refused(tmp_path: Path) -> None:
    kit = Kit(tmp_path, [one_file(Source((asked(doc="// naïve"),)))])
    (row,) = [row for row in projection_rows(kit.trees) if row.name == "asked"]
    start = int(row.doc_spans.split("-")[0])
    change(kit, "asked", doc_spans=f"{start}-{start + 6}")
    assert line_of(kit, "asked") + "byte 5 of it is not UTF-8" in kit.refusal()


def test_a_file_that_is_not_utf_8_is_refused_though_the_code_is(kit: Kit) -> None:
    files = BETA.files()
    kit.repack(BETA, files | {"fleet/again.go": files["fleet/again.go"] + b"// caf\xe9\n"})
    message = kit.refusal()
    assert line_of(kit, "shipReadyAgain") + "fleet/again.go: byte " in message
    assert "is not UTF-8" in message


def test_a_row_of_a_repository_that_is_not_pinned_is_refused(kit: Kit) -> None:
    change(kit, "rotateKey", repository="example/gamma")
    expected = "repository 'example/gamma' is not among the plan's archives: example/alpha, example"
    assert line_of(kit, "rotateKey") + expected in kit.refusal()


def test_a_projection_that_is_not_the_pinned_one_is_refused(kit: Kit) -> None:
    path = kit.folder / "projection.csv"
    path.write_bytes(path.read_bytes().replace(b"rotateKey", b"rotateKex"))
    assert f"projection.csv: sha256 {sha256(path.read_bytes())}, the plan pins" in kit.refusal()
    with pytest.raises(InputError, match="the plan pins"):
        kit.source().fingerprint()


# --- Archives that don't fit ----------------------------------------------------------------------


def test_an_archive_without_a_pinned_file_is_refused(kit: Kit) -> None:
    files = ALPHA.files()
    del files["vault/vault.go"]
    kit.repack(ALPHA, files)
    assert f"{ALPHA.root}/vault/vault.go is missing" in kit.refusal()


def test_an_archive_with_another_licence_is_refused(kit: Kit) -> None:
    kit.repack(ALPHA, ALPHA.files() | {"LICENSE": b"Other terms.\n"})
    expected = f"LICENSE: sha256 {sha256(b'Other terms.' + bytes([10]))}, the plan pins "
    assert expected in kit.refusal()


def test_an_archive_without_its_licence_is_refused(kit: Kit) -> None:
    files = ALPHA.files()
    del files["LICENSE"]
    kit.repack(ALPHA, files)
    assert f"{ALPHA.root}/LICENSE is missing" in kit.refusal()


def test_an_archive_with_another_root_folder_is_refused(kit: Kit) -> None:
    other = f"alpha-{'d' * 40}"
    kit.repack(ALPHA, ALPHA.files(), root=other)
    assert f"root folder {other!r}, expected {ALPHA.root!r}" in kit.refusal()


def test_an_archive_with_another_comment_is_found_out_by_its_pins_alone(kit: Kit) -> None:
    # Candidate ids don't cover comments: only the query hash does.
    files = ALPHA.files()
    before = files["vault/vault.go"]
    files["vault/vault.go"] = before.replace(b"Replaces the key", b"Replaced the key")
    kit.repack(ALPHA, files)
    message = kit.differences()
    assert message.startswith("plan.json: $.corpus.pins.query_hash: found '")
    assert "\n" not in message


def test_everything_in_which_the_corpus_is_not_the_pinned_one_is_named(kit: Kit) -> None:
    files = ALPHA.files()
    # No longer said to be generated, so that its function stays.
    header = files["made/table.go"].replace(b"generated", b"assembled")
    files["made/table.go"] = header.replace(b"DO NOT EDIT", b"do not open")
    kit.repack(ALPHA, files)
    message = kit.differences()
    fields = [line.split(":")[1].strip() for line in message.split("\n")]
    assert fields == [
        f"$.corpus.pins.{name}"
        for name in (
            "documents", "queries", "membership", "query_hash", "repositories", "strata",
            "exclusions",
        )
    ]  # fmt: skip
    assert "$.corpus.pins.documents: found 13, the plan pins 12" in message
    assert "found {'name-present': 5, 'name-absent': 7}" in message


def test_an_archive_that_differs_only_in_its_packing_is_noted(kit: Kit) -> None:
    before = kit.load()
    assert before.notes == ()
    kit.repack(ALPHA, ALPHA.files() | {"more.txt": b"more"})
    found = sha256(cached(kit.cache, ALPHA).read_bytes())
    after = kit.load()
    assert (after.documents, after.queries) == (before.documents, before.queries)
    (note,) = after.notes
    assert note.startswith("example/alpha: the archive is not GitHub's own (")
    assert found[:12] in note


def test_strictness_refuses_what_differs_only_in_its_packing(kit: Kit) -> None:
    kit.source(strict=True).load()
    kit.repack(ALPHA, ALPHA.files() | {"more.txt": b"more"})
    kit.load()
    expected = "refused, since archives must match to the byte"
    assert expected in kit.refusal(strict=True)
    kit.corpus["strict_archives"] = True
    assert expected in kit.refusal()


def test_an_archive_that_is_not_in_the_cache_is_missing_and_not_wrong(kit: Kit) -> None:
    cached(kit.cache, BETA).unlink()
    for call in (kit.source().load, kit.source().fingerprint):
        with pytest.raises(CorpusMissing, match="example/beta at bbbbbbbbbbbb is not in the cache"):
            call()


def test_archives_have_a_place_each_in_the_cache(kit: Kit) -> None:
    corpus = msgspec.convert(kit.corpus, ArchivesCorpus)
    for tree, archive in zip(TREES, corpus.archives, strict=True):
        assert archive_path(kit.cache, archive) == cached(kit.cache, tree)


def test_the_fingerprint_covers_every_byte_of_projection_and_archives(kit: Kit) -> None:
    before = kit.source().fingerprint()
    assert kit.source(strict=True).fingerprint() == before
    assert Kit(kit.folder).source().fingerprint() == before
    kit.repack(BETA, BETA.files() | {"more.txt": b"more"})
    changed = kit.source().fingerprint()
    kit.project(projection_bytes(projection_rows()[1:]))
    assert len({before, changed, kit.source().fingerprint()}) == 3
