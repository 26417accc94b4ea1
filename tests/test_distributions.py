"""Invented distributions, installed into a folder of their own, as documents and queries."""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from pagecost.corpora.distributions import REASONS, DistributionsSource, pin
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import MULTIPLE, Corpus, Distribution, DistributionsCorpus

KEPT = 'def kept(a):\n    """Stays in."""\n    b = a\n    return b\n'


def recorded(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


class Site:
    """A folder on sys.path. What is installed there is a dist-info and files, nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def install(
        self,
        files: Mapping[str, str | bytes],
        *,
        name: str = "demo",
        version: str = "1.0",
        more: Iterable[str] = (),
    ) -> Path:
        """Write the distribution, with `more` lines in its RECORD; returns its dist-info."""
        lines = list(more)
        for path, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(data)
            lines.append(f"{path},sha256={recorded(data)},{len(data)}")
        info = self.root / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "RECORD").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        importlib.invalidate_caches()
        return info

    def load(self, source: str | bytes, *, path: str = "demo/a.py", trivial: int = 0) -> Corpus:
        """The corpus of one distribution that holds just that file."""
        self.install({path: source})
        return load(trivial=trivial)

    def counts(self, source: str, *, path: str = "demo/a.py", trivial: int = 0) -> dict[str, int]:
        """The exclusions other than 0, with a function beside the file that stays."""
        self.install({path: source, "demo/kept.py": KEPT})
        found = load(trivial=trivial)
        assert "kept" in [document.name for document in found.documents]
        return {reason: count for reason, count in found.counts.exclusions.items() if count}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    root = tmp_path / "site"
    root.mkdir()
    monkeypatch.syspath_prepend(root)
    return Site(root)


def demo(version: str = "1.0", sha256: str | None = None) -> Distribution:
    return Distribution(name="demo", version=version, sha256=sha256)


def plan(
    *distributions: Distribution, trivial: int = 0, refuse_multiple: bool = False
) -> DistributionsCorpus:
    return DistributionsCorpus(
        distributions=list(distributions) or [demo()],
        trivial_statements=trivial,
        refuse_multiple=refuse_multiple,
    )


def load(*distributions: Distribution, trivial: int = 0, refuse_multiple: bool = False) -> Corpus:
    corpus = plan(*distributions, trivial=trivial, refuse_multiple=refuse_multiple)
    return DistributionsSource(corpus).load()


def fingerprint(*distributions: Distribution) -> str:
    return DistributionsSource(plan(*distributions)).fingerprint()


def texts(corpus: Corpus) -> dict[str, str]:
    return {document.name: document.text for document in corpus.documents}


def lines(corpus: Corpus) -> dict[str, int]:
    return {document.name: document.line for document in corpus.documents}


def only_query(corpus: Corpus) -> str:
    (query,) = corpus.queries
    return query.text


# --- Documents ----------------------------------------------------------------------------------


def test_a_document_is_the_function_without_its_docstring(site: Site) -> None:
    corpus = site.load('X = 1\n\n\ndef f(x):\n    """Say it.\n\n    More.\n    """\n    return x\n')
    (document,) = corpus.documents
    assert document.repository == "demo"
    assert document.path == "demo/a.py"
    assert document.name == "f"
    assert document.line == 4
    assert document.text == "def f(x):\n    \n    return x"
    assert only_query(corpus) == "Say it."


def test_the_id_is_a_hash_of_distribution_path_name_and_code(site: Site) -> None:
    corpus = site.load('class A:\n    def f(x):\n        "Say it."\n        return x\n')
    code = "    def f(x):\n        \n        return x"
    expected = hashlib.sha256(f"demo\0demo/a.py\0A.f\0{code}".encode()).hexdigest()
    assert [document.id for document in corpus.documents] == [expected]


def test_an_unchanged_function_keeps_its_id_in_another_version(site: Site) -> None:
    before = site.load(KEPT)
    for file in (site.root / "demo-1.0.dist-info").iterdir():
        file.unlink()
    (site.root / "demo-1.0.dist-info").rmdir()
    site.install({"demo/a.py": f"# moved down\n{KEPT}"}, version="2.0")
    after = load(demo("2.0"))
    assert [one.id for one in after.documents] == [one.id for one in before.documents]
    assert after.documents != before.documents


def test_methods_nested_and_async_functions_have_qualified_names(site: Site) -> None:
    corpus = site.load(
        "class A:\n"
        "    class B:\n"
        "        async def method(self):\n"
        '            "In a class in a class."\n'
        "def outer():\n"
        '    "Around."\n'
        "    async def inner():\n"
        '        "Inside."\n'
        "        class C:\n"
        "            def deep(self):\n"
        '                "Deepest."\n'
        "async def top():\n"
        '    "Alone."\n'
    )
    assert lines(corpus) == {
        "A.B.method": 3,
        "outer": 5,
        "outer.inner": 7,
        "outer.inner.C.deep": 10,
        "top": 12,
    }


def test_functions_below_any_statement_are_found(site: Site) -> None:
    place = '{}:\n    def f{}():\n        "Number {}."\n'
    heads = (
        "if a",
        "elif b",
        "else",
        "for x in y",
        "else",
        "while a",
        "else",
        "with a",
        "try",
        "except E",
        "else",
        "finally",
    )
    blocks = [place.format(head, number, number) for number, head in enumerate(heads)]
    match = 'match a:\n    case 1:\n        def g():\n            "In a case."\n'
    corpus = site.load("".join(blocks) + match)
    assert set(lines(corpus)) == {f"f{number}" for number in range(len(heads))} | {"g"}


def test_a_long_elif_chain_is_no_problem(site: Site) -> None:
    limit = sys.getrecursionlimit()
    chain = "if x == 0:\n    pass\n" + "".join(
        f"elif x == {number}:\n    pass\n" for number in range(limit)
    )
    assert set(texts(site.load(f'{chain}else:\n    def f():\n        "Last."\n'))) == {"f"}


def test_the_docstrings_of_inner_functions_and_classes_are_taken_out_too(site: Site) -> None:
    corpus = site.load(
        'def outer():\n    "Around."\n    def inner():\n        "Inside."\n'
        '    class Local:\n        "Named."\n    return inner\n'
    )
    assert texts(corpus) == {
        "outer": "def outer():\n    \n    def inner():\n        \n"
        "    class Local:\n        \n    return inner",
        "outer.inner": "    def inner():\n        ",
    }


def test_a_document_begins_with_its_first_decorator_and_its_line_is_that_of_def(
    site: Site,
) -> None:
    corpus = site.load(
        "import a\n"
        "\n"
        "@a.one(\n"
        "    1,\n"
        ")\n"
        "# between\n"
        "@a.two\n"
        "def f():\n"
        '    "Say it."\n'
        "    return 1\n"
        "# after\n"
    )
    code = "@a.one(\n    1,\n)\n# between\n@a.two\ndef f():\n    \n    return 1"
    assert texts(corpus) == {"f": code}
    assert lines(corpus) == {"f": 8}


def test_a_decorator_in_parentheses_is_whole(site: Site) -> None:
    corpus = site.load(
        'class A:\n    @(  # why @\n        one\n    )\n    def f():\n        "Say it."\n'
    )
    assert texts(corpus)["A.f"].startswith("    @(  # why @\n        one\n    )\n    def f():")


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ('def f(): "Say it."\n', "def f(): "),
        ('def f(): "Say it."; return 1  # why\n', "def f(): ; return 1  # why"),
        ('def f():\n    "Say it."; x = 1\n    return x\n', "def f():\n    ; x = 1\n    return x"),
        ('def f():\n    ("Say it.")\n    return 1\n', "def f():\n    ()\n    return 1"),
        ("def f():\n    \"Say \" 'it.'\n    return 1\n", "def f():\n    \n    return 1"),
        ('def f():\n    "Say it."  # why\n', "def f():\n      # why"),
        ("def f():\n    r'''Say\n    it.'''; return 1\n", "def f():\n    ; return 1"),
    ],
)
def test_exactly_the_characters_of_the_docstring_are_cut_out(
    site: Site, source: str, code: str
) -> None:
    corpus = site.load(source)
    assert texts(corpus) == {"f": code}
    assert only_query(corpus) == "Say it."


def test_columns_are_counted_in_bytes_of_utf_8(site: Site) -> None:
    corpus = site.load('def f(ä="€😀"): "Sagt: schön 😀."; return "€", ä  # ü\n')
    assert texts(corpus) == {"f": 'def f(ä="€😀"): ; return "€", ä  # ü'}
    assert only_query(corpus) == "Sagt: schön 😀."


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_breaks_stay_as_they_are(site: Site, end: str) -> None:
    source = 'X = 1\n@a\ndef f():\n    """Say\n    it.\n    """\n    x = 1\n    return x\nY = 2\n'
    corpus = site.load(source.replace("\n", end).encode())
    assert texts(corpus) == {"f": f"@a{end}def f():{end}    {end}    x = 1{end}    return x"}
    assert lines(corpus) == {"f": 3}
    assert only_query(corpus) == "Say it."


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_end_of_the_file_makes_no_difference(site: Site, end: str) -> None:
    corpus = site.load(f'def f():\n    "Say it."\n    return 1{end}'.encode())
    assert texts(corpus) == {"f": "def f():\n    \n    return 1"}


def test_form_feeds_and_line_separators_do_not_end_a_line(site: Site) -> None:
    corpus = site.load(
        'X = "a\u2028b\x85c"\n\x0c\n# \x0b \x1c\n'
        '\x0cdef f(x="\u2029"):\n    "Say it."\n    return x\n'
    )
    assert texts(corpus) == {"f": '\x0cdef f(x="\u2029"):\n    \n    return x'}
    assert lines(corpus) == {"f": 4}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "koi8-r"])
def test_a_declared_encoding_is_honoured(site: Site, encoding: str) -> None:
    letter = "я" if encoding == "koi8-r" else "é"
    source = f'# -*- coding: {encoding} -*-\ndef f(x="{letter}"): "Say {letter}."; return x\n'
    corpus = site.load(source.encode(encoding))
    assert texts(corpus) == {"f": f'def f(x="{letter}"): ; return x'}
    assert only_query(corpus) == f"Say {letter}."


def test_a_byte_order_mark_is_no_part_of_the_text(site: Site) -> None:
    corpus = site.load('def f(): "Say it."; return 1\n'.encode("utf-8-sig"))
    assert texts(corpus) == {"f": "def f(): ; return 1"}


def test_source_is_parsed_and_never_run(site: Site) -> None:
    corpus = site.load(f"raise SystemExit('run')\n{KEPT}")
    assert set(texts(corpus)) == {"kept"}
    assert "demo" not in sys.modules


def test_what_python_would_warn_of_in_a_file_goes_unsaid(site: Site) -> None:
    # pytest turns warnings into errors here, which would then be a file that does not parse.
    corpus = site.load(f"X = '\\d'\nY = 1if X else 2\n{KEPT}")
    assert set(texts(corpus)) == {"kept"}


def test_only_python_files_are_read(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "demo/b.pyi": KEPT, "demo/c.txt": "(", "demo/d.PY": "("})
    assert [one.path for one in load().documents] == ["demo/a.py"]


# --- Queries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("docstring", "query"),
    [
        ('"""One line."""', "One line."),
        ('"""Two\n    lines.\n\n    And more."""', "Two lines."),
        ('"""\n\n    Below.\n\n    More.\n    """', "Below."),
        ('"""Up to spaces.\n       \t \n    More."""', "Up to spaces."),
        ('"""\n    \u00a0\n    After a blank line.\n    """', "After a blank line."),
        (r'"""By escape.\n\nMore."""', "By escape."),
        (r'r"""Raw \n\n stays."""', r"Raw \n\n stays."),
        (r'"""A lone \ud800 surrogate."""', "A lone ? surrogate."),
    ],
)
def test_the_query_is_the_first_paragraph(site: Site, docstring: str, query: str) -> None:
    assert only_query(site.load(f"def f():\n    {docstring}\n    return 1\n")) == query


def test_a_query_of_two_distributions_is_counted_under_multiple(site: Site) -> None:
    site.install({"demo/a.py": KEPT})
    site.install({"other/a.py": KEPT.replace("Stays in", "STAYS  in")}, name="other")
    both = (demo(), Distribution(name="other", version="1.0"))
    corpus = load(*both)
    assert [query.repository for query in corpus.queries] == [MULTIPLE]
    assert {document.repository for document in corpus.documents} == {"demo", "other"}
    with pytest.raises(InputError, match="demo, other"):
        load(*both, refuse_multiple=True)


def test_the_distribution_is_named_as_the_plan_names_it(site: Site) -> None:
    site.install({"demo/a.py": KEPT}, name="some_thing")
    corpus = load(Distribution(name="Some-Thing", version="1.0"))
    assert [document.repository for document in corpus.documents] == ["Some-Thing"]


# --- Exclusions ---------------------------------------------------------------------------------


def test_every_reason_is_listed_in_order_even_if_nothing_is_left_out(site: Site) -> None:
    exclusions = site.load(KEPT).counts.exclusions
    assert list(exclusions.items()) == [
        ("tests", 0),
        ("undocumented", 0),
        ("trivial", 0),
        ("duplicate", 0),
        ("query", 0),
    ]
    assert tuple(exclusions) == REASONS


@pytest.mark.parametrize(
    "path",
    [
        "test/a.py",
        "demo/tests/a.py",
        "demo/testing/deep/a.py",
        "demo/test_a.py",
        "demo/a_test.py",
        "test_.py",
        "_test.py",
        "demo/conftest.py",
        "conftest.py",
    ],
)
def test_functions_of_a_test_file_are_left_out(site: Site, path: str) -> None:
    undocumented = "def bare():\n    return 1\n"
    assert site.counts(KEPT + undocumented, path=path, trivial=2) == {"tests": 2}


@pytest.mark.parametrize(
    "path",
    [
        "contest/a.py",
        "demo/latest.py",
        "demo/tests.py",
        "demo/test.py",
        "demo/testing.py",
        "demo/mytests/a.py",
        "demo/tests_of/a.py",
        "demo/atest_b.py",
        "demo/myconftest.py",
        "demo/conftest_py/a.py",
        "demo/test_things/a.py",
    ],
)
def test_a_file_that_only_sounds_like_tests_stays(site: Site, path: str) -> None:
    assert site.counts(KEPT.replace("kept", "also"), path=path) == {}


@pytest.mark.parametrize(
    "body",
    ["pass", '""', '"""\n    \u3000\n    """', 'b"Bytes."', 'f"Formatted."', "1", '"a" + "b"'],
)
def test_a_function_without_a_docstring_or_with_a_blank_one_is_left_out(
    site: Site, body: str
) -> None:
    assert site.counts(f"def f():\n    {body}\n    return 1\n") == {"undocumented": 1}


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        ("", 0),
        ("pass", 1),
        ("x = 1; y = 2", 2),
        ("if a:\n        b()\n    else:\n        c()", 3),
        ("try:\n        a()\n    except E:\n        b()\n    finally:\n        c()", 4),
        ("match a:\n        case 1:\n            b()", 2),
        ("def g():\n        x = 1\n        return x", 3),
        ("class C:\n        x = 1", 2),
        ("return [x for x in (lambda: y)()]", 1),
    ],
)
def test_statements_are_counted_at_any_depth_without_the_docstring(
    site: Site, body: str, statements: int
) -> None:
    big = KEPT.replace("    b = a\n", "    b = a\n" * 9)
    site.install({"demo/a.py": f'def f():\n    "Say it."\n    {body}\n', "demo/big.py": big})
    assert set(texts(load(trivial=statements))) == {"f", "kept"}
    found = load(trivial=statements + 1)
    assert set(texts(found)) == {"kept"}
    assert found.counts.exclusions["trivial"] == 1


def test_the_same_function_again_in_the_same_file_is_a_duplicate(site: Site) -> None:
    again = KEPT.replace("Stays in", "Another docstring")
    corpus = site.load(f"{KEPT}{again}{KEPT.replace('b', 'c')}")
    assert corpus.counts.exclusions["duplicate"] == 1
    assert sorted(document.line for document in corpus.documents) == [1, 9]
    assert only_query(corpus) == "Stays in."


def test_the_same_function_elsewhere_is_a_document_of_its_own(site: Site) -> None:
    indented = KEPT.replace("\n    ", "\n        ").replace("def", "    def")
    site.install({"demo/a.py": f"{KEPT}class A:\n{indented}", "demo/b.py": KEPT})
    corpus = load()
    assert len(corpus.documents) == 3
    assert corpus.counts.exclusions["duplicate"] == 0


def test_a_query_that_stands_in_its_code_is_left_out(site: Site) -> None:
    source = 'def f(x):\n    "Return  X"\n    y = 1\n    return\tx + y\n'
    assert site.counts(source) == {"query": 1}
    assert "f" not in texts(load())


def test_a_query_is_not_looked_for_in_its_own_docstring(site: Site) -> None:
    assert site.counts('def f(x):\n    """Return x\n\n    Return x."""\n    return 1\n') == {}


@pytest.mark.parametrize(
    ("source", "path", "counts"),
    [
        ("def f(): pass\n", "tests/a.py", {"tests": 1}),
        ("def f(): pass\n", "demo/a.py", {"undocumented": 1}),
        ('def f(): "f"\n' * 2, "demo/a.py", {"trivial": 2}),
        ('def f(x):\n  "f"\n  return\n  x\n' * 2, "demo/a.py", {"duplicate": 1, "query": 1}),
    ],
)
def test_a_function_is_counted_under_the_first_reason_only(
    site: Site, source: str, path: str, counts: dict[str, int]
) -> None:
    assert site.counts(source, path=path, trivial=2) == counts


def test_excluding_everything_is_an_error(site: Site) -> None:
    with pytest.raises(InputError, match="no document is left"):
        site.load("X = 1\n")


# --- What is not at hand ------------------------------------------------------------------------


def test_what_is_missing_is_said_with_one_command_that_gets_all(site: Site) -> None:
    site.install({"demo/a.py": KEPT}, version="1.1")
    site.install({"right/a.py": KEPT}, name="right")
    corpus = plan(
        demo(),
        Distribution(name="right", version="1.0"),
        Distribution(name="no-such-thing", version="3.2"),
    )
    source = DistributionsSource(corpus)
    for attempt in (source.load, source.fingerprint, lambda: pin(corpus)):
        with pytest.raises(CorpusMissing) as error:
            attempt()
        message = str(error.value)
        assert "demo: 1.1 is installed, the plan pins 1.0" in message
        assert "no-such-thing: not installed, the plan pins 3.2" in message
        assert 'pip install "demo==1.0" "right==1.0" "no-such-thing==3.2"' in message
        assert 'pip install -e ".[corpora]"' in message
        assert "right:" not in message


def test_what_is_left_of_a_broken_uninstall_is_not_installed(site: Site) -> None:
    info = site.install({"demo/a.py": KEPT})
    (info / "METADATA").unlink()
    with pytest.raises(CorpusMissing, match="demo: not installed"):
        load()


# --- What is wrong ------------------------------------------------------------------------------


def fails(*parts: str, distribution: Distribution | None = None, missing: bool = False) -> None:
    """Loading is an InputError whose message has all the parts; is it only something missing?"""
    with pytest.raises(InputError) as error:
        load(distribution or demo())
    assert isinstance(error.value, CorpusMissing) == missing
    for part in ("demo==1.0", *parts):
        assert part in str(error.value)


def test_a_file_changed_after_installation_is_refused(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "demo/b.py": KEPT})
    (site.root / "demo/b.py").write_text(KEPT + "\n")
    fails("demo/b.py: changed", recorded(KEPT.encode()), recorded(KEPT.encode() + b"\n"))
    with pytest.raises(InputError, match=r"demo/b\.py: changed"):
        pin(plan())


def test_a_changed_test_file_is_refused_too(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "tests/b.py": KEPT})
    (site.root / "tests/b.py").write_text(KEPT + "\n")
    fails("tests/b.py: changed")


def test_a_missing_file_is_refused(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "demo/b.py": KEPT})
    (site.root / "demo/b.py").unlink()
    fails("demo/b.py", "can't be read")
    with pytest.raises(InputError, match=r"demo==1\.0: demo/b\.py"):
        fingerprint()


@pytest.mark.parametrize(
    "field",
    [
        "",
        "sha256=",
        f"sha512={'A' * 86}",
        f"{'A' * 43}",
        f"sha256={'A' * 43}=",
        f"sha256={'+' * 43}",
    ],
)
def test_a_python_file_without_a_sha256_in_record_is_refused(site: Site, field: str) -> None:
    site.install({"demo/a.py": KEPT}, more=[f"demo/b.py,{field},"])
    fails("demo/b.py", "RECORD", repr(field))


def test_a_row_of_a_path_alone_has_no_hash(site: Site) -> None:
    site.install({"demo/a.py": KEPT}, more=["demo/b.py"])
    fails("demo/b.py", "RECORD")


@pytest.mark.parametrize(
    "path",
    [
        "../../bin/tool.py",
        "demo/../../up.py",
        "/usr/lib/tool.py",
        "C:/tool.py",
        "..\\up.py",
        "\\tool.py",
    ],
)
def test_a_file_outside_the_installation_is_not_looked_at(site: Site, path: str) -> None:
    inside = site.install({"demo/a.py": KEPT})
    (pinned,) = pin(plan())
    with (inside / "RECORD").open("a") as file:
        file.write(f"{path},,\n")
    assert [document.path for document in load().documents] == ["demo/a.py"]
    assert pin(plan()) == [pinned]


def test_two_dots_within_a_name_are_inside(site: Site) -> None:
    site.install({"demo/a..b.py": KEPT})
    assert [document.path for document in load().documents] == ["demo/a..b.py"]


def test_a_quoted_path_is_read_as_csv(site: Site) -> None:
    info = site.install({"demo/a,b.py": KEPT})
    (info / "RECORD").write_text(f'"demo/a,b.py",sha256={recorded(KEPT.encode())},1\n')
    assert [document.path for document in load().documents] == ["demo/a,b.py"]


def test_backslashes_in_record_are_slashes(site: Site) -> None:
    info = site.install({"demo/a.py": KEPT})
    (info / "RECORD").write_text(f"demo\\a.py,sha256={recorded(KEPT.encode())},1\n")
    assert [document.path for document in load().documents] == ["demo/a.py"]


def test_a_record_that_is_not_csv_or_not_utf_8_is_refused(site: Site) -> None:
    info = site.install({"demo/a.py": KEPT})
    (info / "RECORD").write_text('"demo/a.py,\n')
    fails("RECORD can't be read")
    (info / "RECORD").write_bytes(b"\xff,,\n")
    fails("RECORD can't be read")


def test_an_editable_install_is_refused(site: Site) -> None:
    site.install({"demo.pth": "/home/somebody/demo"})
    fails("editable", "without -e", missing=True)


def test_an_editable_install_with_a_finder_of_its_own_is_refused(site: Site) -> None:
    info = site.install({"__editable___demo_finder.py": KEPT})
    direct = {"url": "file:///home/somebody/demo", "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(direct))
    fails("editable", "without -e", missing=True)


@pytest.mark.parametrize(
    "text",
    ['{"url": "file:///demo", "dir_info": {}}', '{"url": "https://example.org"}', "[]", "{"],
)
def test_an_install_from_elsewhere_is_not_editable(site: Site, text: str) -> None:
    info = site.install({"demo/a.py": KEPT})
    (info / "direct_url.json").write_text(text)
    assert set(texts(load())) == {"kept"}


def test_an_installation_without_a_record_is_refused(site: Site) -> None:
    info = site.install({"demo/a.py": KEPT})
    (info / "RECORD").unlink()
    fails("RECORD", missing=True)


@pytest.mark.parametrize(
    "source",
    [
        b"def f(:\n",
        b"X = 'open\n",
        b"X = 1\0\n",
        b"print 'two'\n",
        b"X = " + b"(" * 300 + b")" * 300,
        b"X = " + b"-" * 100_000 + b"1",
        b"# coding: no-such-encoding\n",
        b"# coding: hex\n",
        b"# coding: ascii\nX = '\xe9'\n",
        b"X = 1\n\n\nX = '\xe9'\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
    ],
    ids=lambda source: repr(source[:20]),
)
@pytest.mark.parametrize("path", ["demo/b.py", "tests/b.py"])
def test_a_file_that_is_not_python_is_refused_not_dropped(
    site: Site, source: bytes, path: str
) -> None:
    site.install({"demo/a.py": KEPT, path: source})
    fails(path)


# --- The pin ------------------------------------------------------------------------------------


def test_the_pin_is_a_hash_of_paths_and_recorded_hashes_in_path_order(site: Site) -> None:
    site.install({"demo/b.py": KEPT, "demo/B.py": "X = 1\n", "a.py": "", "demo/data.txt": "x"})
    rows = (("a.py", b""), ("demo/B.py", b"X = 1\n"), ("demo/b.py", KEPT.encode()))
    listing = "".join(f"{path},sha256={recorded(data)}\n" for path, data in rows)
    expected = hashlib.sha256(listing.encode()).hexdigest()
    assert pin(plan()) == [demo(sha256=expected)]


def test_the_pin_fills_in_the_hash_and_keeps_everything_else(site: Site) -> None:
    site.install({"demo/a.py": KEPT})
    site.install({"other/a.py": KEPT}, name="other")
    other = Distribution(
        name="other",
        version="1.0",
        sha256="0" * 64,
        licence_name="MIT",
        repository_url="https://example.org/other",
    )
    first, second = pin(plan(other, demo()))
    assert (first.name, first.licence_name) == ("other", "MIT")
    assert first.repository_url == "https://example.org/other"
    assert first.sha256 not in (None, "0" * 64, second.sha256)
    assert second == demo(sha256=second.sha256)


def test_a_plan_that_pins_what_is_installed_loads_the_same(site: Site) -> None:
    unpinned = site.load(KEPT)
    assert load(*pin(plan())) == unpinned


def test_a_distribution_other_than_the_pinned_one_is_refused(site: Site) -> None:
    site.install({"demo/a.py": KEPT})
    (found,) = pin(plan())
    fails(str(found.sha256), "0" * 64, distribution=demo(sha256="0" * 64))


# --- The fingerprint ----------------------------------------------------------------------------


def test_the_fingerprint_stays_while_nothing_changes(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "demo/data.txt": "x"})
    before = fingerprint()
    assert len(before) == 64
    (site.root / "demo/data.txt").write_text("y")
    assert fingerprint() == before
    assert fingerprint(demo(sha256="0" * 64)) == before


def test_a_changed_byte_changes_the_fingerprint(site: Site) -> None:
    site.install({"demo/a.py": KEPT, "tests/a.py": KEPT})
    seen = {fingerprint()}
    for path in ("demo/a.py", "tests/a.py"):
        (site.root / path).write_text(KEPT.replace("a", "A", 1))
        seen.add(fingerprint())
    assert len(seen) == 3


def test_name_version_and_path_belong_to_the_fingerprint(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install({"demo/a.py": KEPT})
    seen = {fingerprint()}
    site.install({"demo/a.py": KEPT}, name="other")
    seen.add(fingerprint(Distribution(name="other", version="1.0")))
    for number, (version, path) in enumerate((("2.0", "demo/a.py"), ("1.0", "demo/b.py"))):
        root = tmp_path / str(number)
        root.mkdir()
        monkeypatch.syspath_prepend(root)
        Site(root).install({path: KEPT}, version=version)
        seen.add(fingerprint(demo(version)))
    assert len(seen) == 4
