"""A project on disk: `mkdocs.yml`, and the versions found below its docs_dir."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import jsonio, project, versions
from pagecost.errors import CheckFailed, InputError
from pagecost.names import split_key, version_order
from pagecost.project import Config
from tests.builders import TinyProject, archives_plan, make_project, require


def configured(folder: Path, text: str | bytes) -> Config:
    """The configuration in that text, beside a folder `docs`."""
    (folder / "docs").mkdir(exist_ok=True)
    path = folder / "mkdocs.yml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return project.load_config(path)


def refusal(folder: Path, text: str | bytes) -> str:
    """Why that configuration is refused. The message names the file."""
    with pytest.raises(InputError) as error:
        configured(folder, text)
    message = str(error.value)
    assert message.startswith(f"{folder / 'mkdocs.yml'}: ")
    assert "\n" not in message
    return message


# --- mkdocs.yml -----------------------------------------------------------------------------------


def test_what_is_not_set_is_as_mkdocs_has_it(tmp_path: Path) -> None:
    found = configured(tmp_path, "plugins: []\n")
    assert found == Config(
        root=tmp_path,
        site_name="pagecost",
        site_url=None,
        repo_url=None,
        docs_dir=tmp_path / "docs",
        site_dir=tmp_path / "site",
        output=tmp_path / "_site",
        nav=(),
    )


def test_what_is_set_is_read(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    found = configured(
        tmp_path,
        "site_name: Costs\nsite_url: https://example.invalid/costs\n"
        "repo_url: https://example.invalid/repo/\ndocs_dir: texts\nsite_dir: _mkdocs\n"
        "extra:\n  other: 1\n  pagecost:\n    output: public\n",
    )
    assert found.site_name == "Costs"
    assert found.site_url == "https://example.invalid/costs/"
    assert found.repo_url == "https://example.invalid/repo/"
    assert found.docs_dir == tmp_path / "texts"
    assert found.output == tmp_path / "public"


def test_the_navigation_is_flattened(tmp_path: Path) -> None:
    found = configured(
        tmp_path,
        "nav:\n  - index.md\n  - Guide:\n      - First: guide/first.md\n"
        "      - Deeper:\n          - guide/second.md\n  - 12: twelve.md\n",
    )
    assert found.nav == (
        ("index", "index.md"),
        ("First", "guide/first.md"),
        ("second", "guide/second.md"),
        ("12", "twelve.md"),
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("!ENV COSTS_NAME", "pagecost"),
        ("!ENV [COSTS_NAME]", "pagecost"),
        ("!ENV [COSTS_NAME, fallback]", "fallback"),
        ("!ENV [COSTS_OTHER, COSTS_NAME, fallback]", "fallback"),
        ("!ENV []", "pagecost"),
    ],
)
def test_a_name_that_is_not_in_the_environment_has_its_default(
    tmp_path: Path, written: str, expected: str
) -> None:
    assert configured(tmp_path, f"site_name: {written}\n").site_name == expected


@pytest.mark.parametrize(
    "written", ["!ENV COSTS_NAME", "!ENV [COSTS_NAME]", "!ENV [COSTS_OTHER, COSTS_NAME, fallback]"]
)
@pytest.mark.parametrize("value", ["Costs", "Costs: all of them", "[costs", "*costs"])
def test_a_name_that_is_in_the_environment_has_its_value_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, value: str
) -> None:
    monkeypatch.setenv("COSTS_NAME", value)
    assert configured(tmp_path, f"site_name: {written}\n").site_name == value


def test_a_value_from_the_environment_must_still_be_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COSTS_NAME", "12")
    assert "site_name: 12, expected text" in refusal(tmp_path, "site_name: !ENV COSTS_NAME\n")


def test_tags_of_python_say_nothing_and_run_nothing(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    found = configured(
        tmp_path,
        "markdown_extensions:\n"
        "  - emoji:\n      generator: !!python/name:material.extensions.emoji.to_svg\n"
        f"      other: !!python/object/apply:os.mkdir ['{ran}']\n"
        f"      more: !!python/object/new:os.system ['mkdir {ran}']\n"
        "  - unknown: !relative $config_dir\n  - more: !whatever {a: [1]}\n"
        "site_name: Costs\n",
    )
    assert found.site_name == "Costs"
    assert not ran.exists()


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "expected a mapping of settings"),
    "a list": ("- a\n", "expected a mapping of settings"),
    "a text": ("costs\n", "expected a mapping of settings"),
    "brackets left open": ("nav: [a, b\n", "not YAML: while parsing a flow sequence"),
    "a tab": ("nav:\n\t- a\n", "not YAML: while scanning for the next token"),
    "two documents": ("a: 1\n---\nb: 2\n", "not YAML: expected a single document"),
    "an alias to nothing": ("nav: *a\n", "not YAML: found undefined alias"),
    "an unknown standard tag": ("a: !!what x\n", "not YAML: could not determine a constructor"),
    "a date that doesn't exist": ("a: 2026-02-30\n", "not YAML: day is out of range for month"),
    "a truth that is none": ("a: !!bool perhaps\n", "not YAML: 'perhaps'"),
    "a number that is none": ("a: !!int many\n", "not YAML: invalid literal for int()"),
    "a number without digits": ('a: !!int ""\n', "not YAML: string index out of range"),
    "a time that is none": ("a: !!timestamp noon\n", "not YAML: "),
    "a mapping from the environment": ("a: !ENV {b: c}\n", "not YAML: expected a scalar node"),
    "1,000 brackets": ("a: " + "[" * 1000 + "\n", "not YAML: maximum recursion depth exceeded"),
    "a byte-order mark": (b"\xef\xbb\xbfsite_name: a\n", "starts with a byte-order mark"),
    "Latin-1": (b"site_name: caf\xe9\n", "byte 14 is not UTF-8"),
    "a control character": ("site_name: a\x01b\n", "not YAML: unacceptable character"),
    "a name that is a number": ("site_name: 12\n", "site_name: 12, expected text"),
    "a name that is a list": ("site_name: [a]\n", "site_name: ['a'], expected text"),
    "half a surrogate pair": ('site_name: "a\\ud800"\n', "site_name: 'a\\ud800' holds what is no"),
    "half a pair in nav": ('nav: [{"a\\ud800": b.md}]\n', "nav: 'a\\ud800' holds what is no"),
    "an address that is none": (
        "site_url: example.invalid\n",
        "site_url: 'example.invalid', expected an http(s) address",
    ),
    "an address that is a script": ("repo_url: 'javascript:alert(1)'\n", "expected an http(s)"),
    "an address with a quote": ("site_url: 'https://a/\"b'\n", "expected an http(s) address"),
    "no docs_dir": ("docs_dir: none\n", "/none is no folder"),
    "a docs_dir that is a file": ("docs_dir: mkdocs.yml\n", "docs_dir: "),
    "an extra that is a list": ("extra: [a]\n", "extra: expected a mapping"),
    "ours as a text": ("extra:\n  pagecost: _site\n", "pagecost: expected a mapping"),
    "an unknown key of ours": (
        "extra:\n  pagecost:\n    ouput: x\n    1: y\n",
        "extra.pagecost: unknown: 1, ouput",
    ),
    "a navigation in itself": ("nav: &a\n  - A: *a\n  - B: *a\n", "nav: nested too deeply"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_wrong_configuration_is_refused_by_its_name(tmp_path: Path, case: str) -> None:
    text, expected = BROKEN[case]
    assert expected in refusal(tmp_path, text)


def test_the_configuration_is_found_in_a_folder_above(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "a" / "mkdocs.yml").write_text("site_name: a\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: further up\n")
    assert project.find_config(below) == tmp_path / "a" / "mkdocs.yml"


def test_where_there_is_no_configuration_the_message_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no mkdocs\.yml in .* or above; .*pagecost new"):
        project.find_config(tmp_path)


# --- Versions -------------------------------------------------------------------------------------


def with_folders(root: Path, *keys: str) -> TinyProject:
    """A project with empty plan files for these keys: enough to be found."""
    made = make_project(root, versions=(), state="draft", with_git=False)
    for key in keys:
        made.folder(key).mkdir(parents=True)
        made.file(key, "plan.json").write_bytes(b"")
    return made


def test_versions_are_found_below_their_experiments_in_order(tmp_path: Path) -> None:
    keys = ["b@2", "b@10", "a@12.1", "a@12", "a@9", "a@1-beta", "a@1"]
    found = with_folders(tmp_path / "p", *keys).load()
    assert [one.key for one in found.versions] == [
        "a@1-beta", "a@1", "a@9", "a@12", "a@12.1", "b@2", "b@10",
    ]  # fmt: skip


def test_versions_that_read_alike_have_one_order_whatever_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = with_folders(tmp_path / "p", "a@1.0", "a@1-0", "a@01.0", "a@1_0")
    orders = set()
    globbed = list(made.docs.glob("*/*/plan.json"))
    for listing in (globbed, globbed[::-1]):
        monkeypatch.setattr(Path, "glob", lambda _self, _pattern, listing=listing: iter(listing))
        orders.add(tuple(one.key for one in made.load().versions))
    assert orders == {("a@01.0", "a@1-0", "a@1.0", "a@1_0")}


def test_numbers_in_versions_are_compared_by_value() -> None:
    names = ["2", "10", "1.10", "1.9", "rc2", "rc10", "1", "1.rc1", "01.10"]
    ordered = sorted(names, key=version_order)
    assert ordered == ["1.rc1", "1", "1.9", "1.10", "01.10", "2", "10", "rc2", "rc10"]


VERSIONS = {
    "numbers by value": ("1.9", "1.10", "1.100", "2", "10", "100"),
    "a pre-release before its release": (
        "1.10.dev1", "1.10a1", "1.10b1", "1.10b2", "1.10b10", "1.10rc1", "1.10", "1.10.1",
    ),
    "pre-releases by any of their names": (
        "1-dev", "1-alpha", "1-alpha2", "1-beta", "1-preview3", "1-rc4", "1",
    ),
    "a longer one after what it begins with": ("12", "12a", "12b", "12.1", "12.1.1", "13"),
    "a v before a number is no matter": ("v1", "1.5", "v2", "V2.1", "3"),
    "dates": ("2025-12-31", "2026-01-02", "2026-01-10", "2026-11-30"),
    "dates after small numbers": ("1", "12", "2026", "2026-11-30"),
    "names come last": ("1.9", "v2", "2026-11-30", "dev", "dev2", "dev10", "main", "vault"),
}  # fmt: skip


@pytest.mark.parametrize("case", VERSIONS)
def test_versions_stand_in_the_order_that_people_expect(tmp_path: Path, case: str) -> None:
    expected = list(VERSIONS[case])
    made = with_folders(tmp_path / "p", *(f"a@{name}" for name in reversed(expected)))
    assert [one.version for one in made.load().versions] == expected


def test_everything_that_was_asked_for_stands_in_one_order() -> None:
    expected = ["1.9", "1.10rc1", "1.10", "v2", "12", "12a", "12.1", "2026-01-02", "2026-11-30"]
    assert sorted([*reversed(expected), "dev"], key=version_order) == [*expected, "dev"]


numbered = st.lists(st.integers(0, 120), min_size=1, max_size=4)


@given(numbered, numbered, st.sampled_from(".-_+"), st.sampled_from(("rc", "dev", "b")))
def test_numbers_are_compared_one_by_one_and_a_release_follows_its_candidates(
    one: list[int], other: list[int], separator: str, before: str
) -> None:
    ours, theirs = (separator.join(map(str, numbers)) for numbers in (one, other))
    assert (version_order(ours) < version_order(theirs)) == (one < other)
    candidate = f"{ours}{before}1"
    assert version_order(candidate) < version_order(ours)
    assert (version_order(candidate) < version_order(theirs)) == (one <= other)


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", fullmatch=True))
def test_every_name_has_a_place_whatever_its_case(name: str) -> None:
    assert version_order(name) == version_order(name.lower()) == version_order(name.upper())


def test_a_folder_without_a_plan_is_no_version(tmp_path: Path) -> None:
    made = with_folders(tmp_path / "p", "a@1")
    (made.docs / "a" / "2").mkdir()
    (made.docs / "a" / "1" / "deeper").mkdir()
    (made.docs / "a" / "1" / "deeper" / "plan.json").write_bytes(b"")
    assert [one.key for one in made.load().versions] == ["a@1"]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("guide@1", "experiment 'guide' is reserved ("),
        ("Assets@1", "experiment 'Assets' is reserved"),
        ("a@latest", "version 'latest' is reserved (compare, embed, latest)"),
        ("a@Compare", "version 'Compare' is reserved"),
        ("a b@1", "experiment 'a b' is no name"),
        ("a@1.", "version '1.' is no name"),
        (".a@1", "experiment '.a' is no name"),
        (f"a@{'x' * 65}", "is no name: up to 64 letters"),
        ("é@1", "experiment 'é' is no name"),
    ],
)
def test_a_folder_whose_name_is_none_is_refused(tmp_path: Path, folder: str, expected: str) -> None:
    with pytest.raises(InputError, match=re.escape(expected)):
        with_folders(tmp_path / "p", folder).load()


@pytest.mark.parametrize("key", ["a@1", "page-cost@12.1", "A_b+c@0", f"{'x' * 64}@{'9' * 64}"])
def test_a_key_is_two_names(key: str) -> None:
    assert "@".join(split_key(key)) == key


@pytest.mark.parametrize(
    "key",
    ["", "a", "a@", "@1", "a@1@2", "../a@1", "a@../1", "a@..", "a/b@1", "a@1\n", "a\\b@1", "a@1\0",
     "a@é", "a@1 ", "-a@1", "a@-1", ".@1"],
)  # fmt: skip
def test_a_key_that_is_no_safe_folder_name_is_refused(key: str) -> None:
    with pytest.raises(InputError, match=re.escape(repr(key))):
        split_key(key)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("Tiny@1", "tiny@2"), "'Tiny' and 'tiny' differ only by case; rename one"),
        (("a@RC1", "a@rc1"), "'RC1' and 'rc1' differ only by case; rename one"),
    ],
)
def test_names_that_differ_only_by_case_are_refused(
    tmp_path: Path, keys: tuple[str, str], expected: str
) -> None:
    (tmp_path / "CASE").mkdir()
    require(not (tmp_path / "case").exists(), "this file system folds case")
    with pytest.raises(InputError, match=re.escape(expected)):
        with_folders(tmp_path / "p", *keys).load()


def test_a_key_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    found = with_folders(tmp_path / "p", "a@1", "b@2").load()
    assert found.find("b@2").folder == tmp_path / "p" / "site" / "b" / "2"
    with pytest.raises(InputError, match=r"a@2: no such version below .*; known: a@1, b@2"):
        found.find("a@2")
    with pytest.raises(InputError, match="c: no such experiment; known: a, b"):
        found.select("c")


def test_a_selection_is_everything_an_experiment_or_a_version(tmp_path: Path) -> None:
    found = with_folders(tmp_path / "p", "a@1", "a@2", "b@1").load()

    def keys(selection: str | None) -> list[str]:
        return [one.key for one in found.select(selection)]

    assert keys(None) == ["a@1", "a@2", "b@1"]
    assert keys("a") == ["a@1", "a@2"]
    assert keys("a@2") == ["a@2"]


# --- One version ----------------------------------------------------------------------------------

KEY = "tiny@1"


def input_error(made: TinyProject) -> str:
    with pytest.raises(InputError) as error:
        made.version(KEY)
    return str(error.value)


def check_failed(made: TinyProject) -> str:
    with pytest.raises(CheckFailed) as error:
        made.version(KEY)
    return str(error.value)


def test_the_three_states_of_a_version(tmp_path: Path) -> None:
    for state in ("draft", "frozen", "recorded"):
        made = make_project(tmp_path / state, state=state, with_git=False)
        assert made.version(KEY).state == state


def test_a_recorded_version_holds_its_files_to_the_byte(tiny_project: TinyProject) -> None:
    found = tiny_project.version(KEY)
    assert found.record is not None
    assert found.record.results_json == tiny_project.file(KEY, "results.json").read_bytes()
    assert found.record.ranks_csv == tiny_project.file(KEY, "ranks.csv").read_bytes()
    assert found.record.results.plan_sha256 == found.digest
    assert found.record.table.column("helper").depth == 12
    assert found.writeup is None


def test_a_writeup_may_come_later(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "writeup.md")
    path.write_text("# Findings\n", encoding="utf-8")
    assert tiny_project.version(KEY).writeup == "# Findings\n"
    path.write_bytes(b"caf\xe9")
    assert "writeup.md: byte 3 is not UTF-8" in input_error(tiny_project)


@pytest.mark.parametrize(("field", "value"), [("experiment", "other"), ("version", "2")])
def test_a_plan_in_another_folder_than_it_says_is_refused(
    tmp_path: Path, field: str, value: str
) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    made.change_plan(KEY, **{field: value})
    folder = {"experiment": "tiny", "version": "1"}[field]
    expected = f"plan.json: $.{field}: {value!r}, but its folder says {folder!r}"
    assert expected in input_error(made)


@pytest.mark.parametrize(
    ("kept", "gone"), [("results.json", "ranks.csv"), ("ranks.csv", "results.json")]
)
def test_half_a_record_is_refused(tiny_project: TinyProject, kept: str, gone: str) -> None:
    tiny_project.file(KEY, gone).unlink()
    expected = f"{gone}: missing, though {kept} is there: half a record"
    assert expected in input_error(tiny_project)


def test_a_record_of_a_draft_is_refused(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, status="draft")
    assert "a record, but the plan is a draft and may yet change" in check_failed(tiny_project)


def test_a_record_scored_from_another_plan_is_refused(tiny_project: TinyProject) -> None:
    before = tiny_project.version(KEY).digest
    tiny_project.change_plan(KEY, title="Another comparison")
    message = check_failed(tiny_project)
    assert "a frozen plan has changed, or the record is another's" in message
    assert before in message


def test_other_ranks_than_the_results_name_are_refused(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "ranks.csv")
    data = path.read_bytes()
    assert b",6,2\n" in data
    path.write_bytes(data.replace(b",6,2\n", b",5,2\n"))
    message = check_failed(tiny_project)
    assert f"ranks.csv: sha256 {jsonio.sha256(path.read_bytes())}, but results.json says" in message


def test_a_projection_that_is_missing_or_another_is_refused(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "projection.csv")
    data = path.read_bytes()
    path.write_bytes(data + b"\n")
    assert "projection.csv: sha256 " in input_error(tiny_project)
    assert "the plan pins " in input_error(tiny_project)
    path.unlink()
    assert "projection.csv: can't be read: No such file" in input_error(tiny_project)


RESULTS_CHANGED: dict[str, tuple[bytes, bytes, str]] = {
    "a cut": (b"}\n", b"\n", "results.json: line "),
    "an unknown field": (b'"schema"', b'"colour": 1, "schema"', "unknown field `colour`"),
    "a key twice": (b'"baseline": ', b'"schema": ', "the key 'schema' stands twice"),
    "a number in quotes": (b'"schema": 1', b'"schema": "1"', "$.schema: Expected `int`, got `str`"),
    "not a number": (b'"mrr": 0', b'"mrr": NaN, "x": 0', "NaN is not a JSON number"),
    "no group": (b'"groups": [', b'"groups": [], "x": [', "unknown field `x`"),
    "another first group": (b'"by": "all"', b'"by": "stratum"', "expected all queries first"),
}


@pytest.mark.parametrize("case", RESULTS_CHANGED)
def test_results_that_are_no_record_are_refused(tiny_project: TinyProject, case: str) -> None:
    before, after, expected = RESULTS_CHANGED[case]
    path = tiny_project.file(KEY, "results.json")
    data = path.read_bytes()
    assert before in data
    start, _, end = data.rpartition(before) if case == "a cut" else data.partition(before)
    path.write_bytes(start + after + end)
    message = input_error(tiny_project)
    assert "results.json" in message
    assert expected in message


def test_folders_in_place_of_files_are_refused(tiny_project: TinyProject) -> None:
    for name in ("ranks.csv", "projection.csv", "writeup.md", "plan.json"):
        path = tiny_project.file(KEY, name)
        path.unlink(missing_ok=True)
        path.mkdir()
        assert f"{name}: can't be read: Is a directory" in input_error(tiny_project)


def test_a_version_is_loaded_without_its_corpus(tmp_path: Path, cache: Path) -> None:
    made = make_project(tmp_path / "p", versions={KEY: archives_plan()}, with_git=False)
    for path in (cache / "archives").iterdir():
        path.unlink()
    assert versions.load(made.where(KEY)).state == "recorded"
