"""`pagecost quick`: one report from files, and the same files as a version of a project."""

from __future__ import annotations

import datetime
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagecost import bringing, files, runs
from pagecost.cli import main
from pagecost.manifest import MARKER
from tests.builders import Done, Json, TinyProject, git, git_init, pagecost, sha256
from tests.collection_builders import packed, write
from tests.site_builders import Page, figures_folder, tree

QRELS = "q1 0 b 1\nq1 0 a 0\nq2 0 c 2\nq3 0 d 1\nq3 0 e 1\nq4 0 z 0\n"
OURS = "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 x 1 3 t\nq2 Q0 c 2 3 t\nq3 Q0 e 1 1 t\n"
BASE = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 b 1 1 t\nq3 Q0 d 1 3 t\nq3 Q0 x 2 2 t\nq3 Q0 e 3 1 t\n"
"""Targets: base finds q1 at 2, q2 not, q3 at 1; ours finds them at 1, 2 and 1."""

DATE = ("--date", "2026-01-02")
FILES = ("--qrels", "qrels.txt", "--run", "base.run", "--run", "ours.run")
FIGURES = ("fig-cost", "fig-ranks", "fig-wins")
REPORT = (
    "citation.bib", "costs.csv", "costs.csv-metadata.json", "index.html", "og.png", "plan.json",
    "queries.js", "ranks.csv", "ranks.csv-metadata.json", "results.json", "summary.md",
    *(f"{name}.{ext}" for name in FIGURES for ext in ("js", "png", "svg", "vl.json")),
    *(f"embed/{name}/index.html" for name in FIGURES),
)  # fmt: skip
NOT_GIVEN = "its searches were not given, nor were those of the baseline."
REPAIRED = "note: runs/ours.run: 2 documents placed by the tie rule\n"


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with judgments and two runs, which is the current one. Drawings are shared."""
    folder = tmp_path / "mine"
    write(folder, "qrels.txt", QRELS)
    write(folder, "base.run", BASE)
    write(folder, "ours.run", OURS)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PAGECOST_CACHE", str(figures_folder(tmp_path_factory)))
    return folder


def quick(*arguments: str) -> Result:
    """In this process; what went wrong without a message fails the test."""
    done = CliRunner().invoke(main, ["quick", *arguments], prog_name="pagecost")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def headline(*arguments: str) -> str:
    """What is printed, without making the report."""
    done = quick(*DATE, *arguments, "--dry-run")
    assert done.exit_code == 0, done.stderr
    return done.stdout.partition("\n")[0]


def refusal(*arguments: str) -> str:
    """What is said with status 2; nothing is printed or written."""
    before = tree(Path.cwd())
    done = quick(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert tree(Path.cwd()) == before
    return " ".join(done.stderr.split())


def plan_of(*arguments: str) -> Json:
    """The plan in the report that those arguments make."""
    done = quick(*arguments, "--output", "report")
    assert done.exit_code == 0, done.stderr
    made: Json = json.loads(Path("report", "plan.json").read_bytes())
    return made


def page() -> Page:
    return Page(Path("report", "index.html").read_text(encoding="utf-8"))


def pages(policy: str, size: int) -> int:
    results = json.loads(Path("report", "results.json").read_bytes())
    (one,) = (row for row in results["groups"][0]["policies"] if row["policy"] == policy)
    (cost,) = (row for row in one["costs"] if row["page_size"] == size)
    found: int = cost["pages"]
    return found


# --- One report -----------------------------------------------------------------------------------


def without_progress(said: str) -> str:
    """What stays where a machine is fast enough to need no progress."""
    lines = said.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("drawing: ", "reading: ")))


def test_a_report_is_made_where_there_is_no_project(here: Path) -> None:
    done = pagecost("quick", *FILES, cwd=here)
    assert done.status == 0, done.err
    first, missing = done.out.splitlines()
    assert first == (
        f"At 20 candidates a page, ours needs as many pages as the baseline; {NOT_GIVEN} "
        "It misses 0 of 3 targets, the baseline 1."
    )
    assert "0 by ours, 1 by base" in missing
    assert without_progress(done.err) == f"{REPAIRED}wrote report/index.html\n"
    made = tree(here / "report")
    assert {name for name in made if not name.startswith("assets/")} == {*REPORT, MARKER}
    assert sorted(path.name for path in here.iterdir()) == [
        "base.run", "ours.run", "qrels.txt", "report",
    ]  # fmt: skip


def test_each_count_of_the_report_is_that_of_the_runs(here: Path) -> None:
    plan = plan_of(*FILES, *DATE, "--page-size", "1", "--page-size", "2")
    assert plan["page_sizes"] == [1, 2]
    assert [pages("base", 1), pages("base", 2)] == [2 + 1 + 1, 3]
    assert [pages("ours", 1), pages("ours", 2)] == [1 + 2 + 1, 3]


def test_a_report_says_that_it_was_made_from_files(here: Path) -> None:
    plan_of(*FILES, *DATE)
    shown = page().text
    assert "Made from files" in shown
    assert "nobody who knows these runs did" in shown
    assert "Latest version" not in shown
    assert "exploration" in shown


def test_a_run_is_called_after_its_file_or_as_it_is_said(here: Path) -> None:
    write(here, "deep/2026-11.RUN.gz", packed(OURS))
    given = ("--run", "base.run", "--run", "deep/2026-11.RUN.gz", "--run", "mine=ours.run")
    plan = plan_of("--qrels", "qrels.txt", *given, *DATE)
    assert [one["name"] for one in plan["policies"]] == ["base", "2026-11", "mine"]
    assert [one["ranking"]["file"]["path"] for one in plan["policies"]] == [
        "runs/base.run", "runs/2026-11.run.gz", "runs/mine.run",
    ]  # fmt: skip
    assert (plan["baseline"], plan["primary_policy"]) == ("base", "2026-11")


def test_a_file_whose_name_has_an_equals_sign_is_that_file(here: Path) -> None:
    write(here, "k=1.run", OURS)
    assert headline("--qrels", "qrels.txt", "--run", "base.run", "--run", "k=1.run").startswith(
        "At 20 candidates a page, k-1 needs"
    )
    named = ("--run", "base.run", "--run", "tuned=k=1.run")
    assert ", tuned needs " in headline("--qrels", "qrels.txt", *named)


def test_files_may_be_gzip_whatever_they_are_called(here: Path) -> None:
    quick(*FILES, *DATE)
    before = tree(here / "report")
    write(here, "base.run", packed(BASE))
    write(here, "qrels.txt", packed(QRELS))
    quick(*FILES, *DATE)
    after = tree(here / "report")
    assert after["ranks.csv"] == before["ranks.csv"]
    assert json.loads(after["plan.json"])["corpus"]["qrels"]["path"] == "qrels.txt.gz"


@pytest.mark.parametrize(("second", "name"), [("deep/base.run", "base"), ("BASE=ours.run", "BASE")])
def test_two_runs_of_one_name_are_refused(here: Path, second: str, name: str) -> None:
    write(here, "deep/base.run", OURS)
    said = refusal("--qrels", "qrels.txt", "--run", "base.run", "--run", second)
    assert f"a second run called '{name}'; name them apart: NAME=" in said


def test_a_name_that_is_none_is_refused(here: Path) -> None:
    write(here, "ü.run", OURS)
    assert "ü.run: no name for this run; give one with NAME=ü.run" in refusal(
        "--qrels", "qrels.txt", "--run", "ü.run"
    )
    for given, place in (("a b=ours.run", "run 'a b': "), ("=ours.run", "run '': ")):
        said = refusal("--qrels", "qrels.txt", "--run", given)
        assert f"{place}expected a name of at most 80 letters" in said
    assert "'query_id' is a column of ranks.csv" in refusal(
        "--qrels", "qrels.txt", "--run", "query_id=ours.run"
    )


@pytest.mark.parametrize("option", [("--primary", "other"), ("--searches", "other=1")])
def test_a_choice_that_names_no_run_is_refused(here: Path, option: tuple[str, str]) -> None:
    assert (
        refusal(*FILES, *option)
        == f"error: {option[0].removeprefix('--')}: no run is called 'other'; known: base, ours"
    )


@pytest.mark.parametrize(
    "given", ["ours", "ours=", "=1", "ours=0", "ours=-1", "ours=1.5", "ours=²"]
)
def test_searches_that_are_not_a_name_and_a_number_are_refused(here: Path, given: str) -> None:
    assert f"--searches: '{given}': expected NAME=N, N from 1 on" in refusal(
        *FILES, "--searches", given
    )


def test_the_first_page_size_is_primary_whatever_the_order(here: Path) -> None:
    sizes = ("--page-size", "5", "--page-size", "20", "--page-size", "2", "--page-size", "5")
    plan = plan_of(*FILES, *DATE, *sizes)
    assert (plan["page_sizes"], plan["primary_page_size"]) == ([2, 5, 20], 5)
    plan = plan_of(*FILES, *DATE)
    assert (plan["page_sizes"], plan["primary_page_size"]) == ([1, 5, 10, 20, 50], 20)


def test_the_headline_is_about_the_run_that_was_named(here: Path) -> None:
    assert ", base needs 3 pages; its searches were not given." in headline(
        *FILES, "--primary", "base"
    )
    assert ", only needs 3 pages; " in headline("--qrels", "qrels.txt", "--run", "only=ours.run")


def test_what_a_reader_looks_for_can_be_chosen(here: Path) -> None:
    at_1 = (*FILES, *DATE, "--page-size", "1")
    plan = plan_of(*at_1, "--target", "all")
    assert plan["definitions"]["target"] == "all relevant documents"
    # q1 at 2 and 1, q2 not found (1 line) and at 2, q3 at 3 and not found (1 line).
    assert (pages("base", 1), pages("ours", 1)) == (2 + 1 + 3, 1 + 2 + 1)
    plan = plan_of(*at_1, "--target", "2")
    assert plan["definitions"]["target"] == "2 relevant documents"
    assert (pages("base", 1), pages("ours", 1)) == (3, 1)
    assert plan["corpus"]["pins"]["exclusions"]["too-few-relevant"] == 2
    assert plan_of(*at_1, "--target", "1")["definitions"]["target"] == "first relevant document"
    for wrong in ("0", "-1", "none", "1.5"):
        assert f"target '{wrong}': expected first, all, or a number" in refusal(
            *FILES, "--target", wrong, "--output", "other"
        )
    assert "no query has the relevant documents" in refusal(
        *FILES, "--target", "9", "--output", "other"
    )


def test_the_least_grade_that_counts_can_be_chosen(here: Path) -> None:
    plan = plan_of(*FILES, *DATE, "--relevance-level", "2", "--page-size", "1")
    assert plan["corpus"]["relevance_level"] == 2
    assert plan["corpus"]["pins"]["queries"] == 1
    assert (pages("base", 1), pages("ours", 1)) == (1, 2)


def test_the_rank_column_decides_where_that_is_chosen(here: Path) -> None:
    write(here, "base.run", "q1 Q0 b 2 2 t\nq1 Q0 a 1 1 t\n")
    quick(*FILES, *DATE, "--page-size", "1")
    by_score = pages("base", 1)
    plan = plan_of(*FILES, *DATE, "--page-size", "1", "--ties", "rank-column")
    assert {one["ranking"]["ties"] for one in plan["policies"]} == {"rank-column"}
    assert (by_score, pages("base", 1)) == (3, 4)


def test_a_title_and_a_date_stand_in_the_plan(here: Path) -> None:
    plan = plan_of(*FILES, *DATE, "--title", "Mine & theirs")
    assert (plan["title"], plan["date"]) == ("Mine & theirs", "2026-01-02")
    plan = plan_of(*FILES)
    assert plan["title"] == "ours against base on qrels"
    assert plan["date"] == datetime.date.today().isoformat()
    assert "month must be in 1..12" in refusal(*FILES, "--date", "2026-13-01")


# --- Searches are never invented ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), NOT_GIVEN),
        (("base=2",), "its searches were not given."),
        (("ours=2",), "its 6 searches (proxy) can’t be compared: those of the baseline were not"),
        (("base=2", "ours=1"), "as many pages and 50.0\u202f% fewer searches (proxy)."),
        (("base=1", "ours=1"), "as many pages and as many searches (proxy) as the baseline."),
    ],
)
def test_the_headline_says_whose_searches_were_not_given(
    here: Path, given: tuple[str, ...], said: str
) -> None:
    several = [word for one in given for word in ("--searches", one)]
    assert said in headline(*FILES, *several)


def test_searches_that_were_given_are_counted_and_shown(here: Path) -> None:
    plan = plan_of(
        *FILES, *DATE, "--page-size", "1", "--searches", "base=3", "--searches", "ours=2"
    )
    assert [one["ranking"]["searches"] for one in plan["policies"]] == [3, 2]
    rows = Path("report", "summary.md").read_text(encoding="utf-8")
    assert "| **1** | base | 4 | 0 | 12 | 0 | 1 |" in rows
    assert "| **1** | ours | 4 | 0 | 8 | −33.3\u202f% | 0 |" in rows
    runs = page().one("section", id="provenance").text
    assert "Searches: 3 searches a page, by its author's word." in runs
    assert "Searches: 2 searches a page, by its author's word." in runs
    assert "not given" not in page().text


def test_without_searches_none_are_shown_anywhere(here: Path) -> None:
    plan_of(*FILES, *DATE)
    made = tree(here / "report")
    trio = page().one("dl", class_="trio").text.split("Search-work proxy")
    assert " ".join(trio[1].split()) == "proxy, not time not givenNo number is invented."
    for name in ("index.html", "summary.md", "costs.csv", "fig-cost.js", "fig-wins.svg"):
        text = made[name].decode("utf-8")
        assert "None" not in text, name
        assert "NaN" not in text, name
    for one in page().all("tr"):
        if "not given" in one.text:
            # Neither a change nor a quotient stands beside what was not given.
            assert re.search("not given(–|not known: searches were not given$)", one.text)
    for row in made["costs.csv"].decode().splitlines()[1:]:
        fields = row.split(",")
        assert [fields[8], *fields[12:15]] == [""] * 4


# --- Refused, and replaced ------------------------------------------------------------------------


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(here: Path) -> None:
    before = tree(here)
    done = quick(*FILES, "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("At 20 candidates a page")
    assert done.stderr == f"{REPAIRED}would write report/index.html\n"
    assert tree(here) == before


def test_a_folder_of_somebody_elses_is_refused_before_anything_is_read(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(here, "report/notes.txt", "mine")
    monkeypatch.setattr(runs, "read", lambda *_: pytest.fail("read first"))
    for more in ((), ("--dry-run",)):
        assert "report: holds files that pagecost did not write (notes.txt)" in refusal(
            *FILES, *more
        )


def test_its_own_report_is_replaced(here: Path) -> None:
    plan_of(*FILES, *DATE)
    first = tree(here / "report")
    plan_of("--qrels", "qrels.txt", "--run", "ours.run", *DATE)
    second = tree(here / "report")
    # One run alone has one figure, so the files of the others are gone.
    assert set(first) - set(second) == {
        name for name in REPORT if name.removeprefix("embed/").startswith(FIGURES[1:])
    }
    assert first["index.html"] != second["index.html"]
    write(here, "report/notes.txt", "mine")
    assert "notes.txt" in refusal(*FILES)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ours.run", OURS + "q2 Q0 c 2\n", "ours.run: line 6: expected at least 6 fields, found 4"),
        ("ours.run", OURS + "q2 Q0 d 3 high t\n", "ours.run: line 6: score 'high', expected"),
        ("ours.run", b"\x1f\x8b\x08\x00broken", "ours.run: damaged gzip"),
        ("ours.run", "", "ours.run: no line holds a document"),
        ("qrels.txt", QRELS + "q1 0 b 0\n", "qrels.txt: line 7: query 'q1', document 'b': grade 0"),
        ("qrels.txt", "q1 0 b\n", "qrels.txt: line 1: expected 4 fields, found 3"),
    ],
)
def test_an_error_in_a_file_names_file_and_line(
    here: Path, name: str, content: str | bytes, said: str
) -> None:
    write(here, name, content)
    done: Done = pagecost("quick", *FILES, cwd=here)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {said}")
    assert not (here / "report").exists()


def test_a_file_that_is_not_there_is_named(here: Path) -> None:
    assert "--run: other.run: no such file" in refusal(
        "--qrels", "qrels.txt", "--run", "name=other.run"
    )
    assert "'--qrels': File 'other.txt' does not exist" in refusal(
        "--qrels", "other.txt", "--run", "base.run"
    )
    assert "Missing option '--run'" in refusal("--qrels", "qrels.txt")


def test_output_and_save_exclude_each_other(here: Path) -> None:
    assert "--output and --save exclude each other" in refusal(
        *FILES, "--output", "x", "--save", "site/mine/1"
    )


# --- The same bytes -------------------------------------------------------------------------------


def test_the_same_files_give_the_same_bytes_wherever_they_lie(here: Path, tmp_path: Path) -> None:
    done = pagecost("quick", *FILES, *DATE, cwd=here)
    assert done.status == 0, done.err
    first = tree(here / "report")
    other = tmp_path / "elsewhere" / "deep"
    other.mkdir(parents=True)
    for name in ("qrels.txt", "base.run", "ours.run"):
        shutil.copy(here / name, other / name)
    given = ("--qrels", str(other / "qrels.txt"), "--run", str(other / "base.run"))
    done = pagecost(
        "quick", *given, "--run", str(other / "ours.run"), *DATE, "--output", "out", cwd=tmp_path
    )
    assert done.status == 0, done.err
    assert tree(tmp_path / "out") == first
    for name, data in first.items():
        assert str(tmp_path).encode() not in data, name


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--primary", "base"),
        ("--page-size", "5", "--page-size", "20", "--page-size", "2"),
        ("--target", "all", "--ties", "rank-column", "--title", 'It\'s "mine" & $HOME'),
        ("--relevance-level", "2", "--searches", "ours=2", "--searches", "base=1"),
    ],
)
def test_the_command_on_the_page_makes_the_same_report_again(
    here: Path, options: tuple[str, ...]
) -> None:
    write(here, "k=1.run", OURS)
    done = quick(*FILES, "--run", "k=1.run", "--run", "named=ours.run", *DATE, *options)
    assert done.exit_code == 0, done.stderr
    first = tree(here / "report")
    program, command, *arguments = shlex.split(page().one("pre", id="cmd").text)
    assert (program, command) == ("pagecost", "quick")
    shutil.rmtree(here / "report")
    done = quick(*arguments)
    assert done.exit_code == 0, done.stderr
    assert tree(here / "report") == first


def test_a_quiet_run_prints_the_headline_alone_and_a_verbose_one_every_repair(here: Path) -> None:
    write(here, "base.run", BASE.replace("\n", "\r\n"))
    done = quick(*FILES, "--dry-run", "--quiet")
    assert (done.stderr, len(done.stdout.splitlines())) == ("", 2)
    done = quick(*FILES, "--dry-run", "--verbose")
    assert "runs/base.run: 6 lines, 3 judged queries, 1 to 3 documents" in done.stderr
    assert "note: runs/base.run: 6 lines ending in CRLF\n" in done.stderr
    assert "note: runs/ours.run: 2 documents placed by the tie rule\n" in done.stderr


# --- --save ---------------------------------------------------------------------------------------

SAVED = ["qrels.txt", "runs/base.run", "runs/ours.run", ".gitattributes", "plan.json", "PLAN.md"]


def test_saved_where_there_is_no_project_one_is_begun(here: Path) -> None:
    done = quick(*FILES, *DATE, "--save", "site/mine/1")
    assert (done.exit_code, done.stdout) == (0, "")
    names = ["mkdocs.yml", *(f"site/mine/1/{name}" for name in SAVED), ".gitattributes"]
    assert done.stderr.splitlines() == [
        *(f"wrote {here / name}" for name in names),
        "next: edit its plan.json, commit its files if you may, then `pagecost freeze mine@1` and "
        "`pagecost record mine@1`",
    ]
    made = TinyProject(here)
    assert made.version("mine@1").state == "draft"
    assert made.file("mine@1", "runs/ours.run").read_bytes() == OURS.encode()
    assert made.file("mine@1", "qrels.txt").read_bytes() == QRELS.encode()
    saved = made.plan("mine@1")
    assert saved["kind"] == "exploration"
    assert saved["policies"][1]["ranking"]["pins"]["tied"] == 2
    reported = plan_of(*FILES, *DATE)
    assert saved == reported | {"experiment": "mine", "version": "1"}


def test_saved_in_a_project_it_joins_that(
    here: Path, tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tiny_project.state()
    given = [str(here / one) if "." in one else one for one in FILES]
    monkeypatch.chdir(tiny_project.docs)
    done = quick(*given, *DATE, "--save", "mine/1")
    assert done.exit_code == 0, done.stderr
    after = tiny_project.state()
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {
        ".gitattributes",
        *(f"site/mine/1/{name}" for name in SAVED),
    }
    assert [one.key for one in tiny_project.load().versions] == ["mine@1", "tiny@1"]
    monkeypatch.chdir(tiny_project.root)
    done = quick(*given, *DATE, "--save", "site/tiny/1")
    assert done.exit_code == 2
    assert "tiny@1: exists already" in done.stderr
    assert tiny_project.state() == after


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("mine/1", "not a version's folder here: {here}/site/EXPERIMENT/VERSION"),
        ("site/deep/mine/1", "not a version's folder here: {here}/site/EXPERIMENT/VERSION"),
        ("site/mine", "{here}/site/mine: not a version's folder here: {here}/site/EXPERIMENT"),
        ("site/guide/1", "experiment 'guide' is reserved"),
        ("site/mine/latest", "version 'latest' is reserved"),
        ("site/a b/1", "experiment 'a b' is no name"),
    ],
)
def test_a_place_that_is_no_versions_folder_is_refused(here: Path, place: str, said: str) -> None:
    assert said.format(here=here) in refusal(*FILES, "--save", place)


def test_a_dry_run_of_saving_writes_nothing(here: Path) -> None:
    before = tree(here)
    done = quick(*FILES, "--save", "site/mine/1", "--dry-run")
    assert done.exit_code == 0
    assert done.stderr.count("would write ") == len(SAVED) + 2
    assert "wrote" not in done.stderr
    assert tree(here) == before


def test_the_site_of_a_project_is_not_replaced_by_one_report(here: Path) -> None:
    site = here / "site-of-mine"
    made = {"index.html": b"<p>", "mine/1/index.html": b"<p>"}
    files.write_tree(site, made, keep_out=())
    before = tree(here)
    for more in ((), ("--dry-run",)):
        assert "holds a whole site, which one report would replace" in refusal(
            *FILES, "--output", "site-of-mine", *more
        )
    assert tree(here) == before
    assert quick(*FILES, *DATE, "--output", "report").exit_code == 0
    assert quick(*FILES, *DATE, "--output", "report").exit_code == 0, "a report may be replaced"


def test_searches_that_are_given_twice_must_agree(here: Path) -> None:
    assert "--searches ours=2: ours=1 was given before it" in refusal(
        *FILES, "--searches", "ours=1", "--searches", "ours=2"
    )
    assert plan_of(*FILES, *DATE, "--searches", "ours=1", "--searches", "ours=1")


def test_nothing_is_said_to_be_frozen_that_is_not(here: Path) -> None:
    plan_of(*FILES, *DATE)
    shown = page().text
    assert "nothing was frozen" in shown
    assert "to be frozen" not in shown
    assert "frozen page size" not in shown
    assert "frozen in the plan" not in (here / "report" / "fig-cost.js").read_text("utf-8")


def test_what_can_not_be_read_saves_nothing(here: Path) -> None:
    write(here, "ours.run", "q1 Q0\n")
    assert "ours.run: line 1: expected at least 6 fields, found 2" in refusal(
        *FILES, "--save", "site/mine/1"
    )


def fine(done: Done) -> Done:
    assert done.status == 0, done.err
    return done


def test_a_saved_version_lives_its_whole_life_and_replays_in_a_clone(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGECOST_CACHE", str(tmp_path / "cache"))
    crlf = OURS.replace("\n", "\r\n").encode()
    write(here, "ours.run", crlf)
    fine(pagecost("quick", *FILES, *DATE, "--save", "site/mine/1", cwd=here))
    write(here, ".gitignore", "/_site/\n/*.run\n")
    made = TinyProject(here)
    git_init(here)
    made.commit("Draft")
    assert "frozen" in fine(made.run("freeze", "mine@1")).err
    fine(made.run("record", "mine@1"))
    made.commit("Record")
    fine(made.run("build"))
    checked = fine(made.run("verify", "mine@1", "--strict"))
    assert {line.split()[0] for line in checked.out.splitlines()} == {"ok"}
    assert "runs/ours.run: sha256 " in checked.out

    clone = TinyProject(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", str(here), str(clone.root))
    assert clone.file("mine@1", "runs/ours.run").read_bytes() == crlf
    fine(clone.run("verify", "mine@1", "--strict"))
    for name in ("base.run", "ours.run"):
        clone.file("mine@1", f"runs/{name}").unlink()
    monkeypatch.setenv("PAGECOST_CACHE", str(tmp_path / "other-cache"))
    shutil.copytree(tmp_path / "cache" / "figures", tmp_path / "other-cache" / "figures")
    built = fine(clone.run("build"))
    assert "replayed from ranks; its corpus is not at hand" in built.err
    assert tree(clone.root / "_site") == tree(here / "_site")
    fine(clone.run("fetch", "mine@1", "--from", str(here)))
    assert "replayed from source" in fine(clone.run("build")).err


def test_runs_keep_their_bytes_on_their_way_through_git(here: Path, tmp_path: Path) -> None:
    mixed = BASE.replace("\n", "\r\n", 3).encode()
    write(here, "base.run", mixed)
    write(here, "qrels.txt", QRELS.replace("\n", "\r\n"))
    quick(*FILES, *DATE, "--save", "site/mine/1")
    for name in ("base.run", "ours.run", "qrels.txt"):
        (here / name).unlink()
    git_init(here)
    TinyProject(here).commit("Draft")
    git(tmp_path, "clone", "--quiet", "-c", "core.autocrlf=true", str(here), "clone-to")
    clone = TinyProject(tmp_path / "clone-to")
    plan = clone.plan("mine@1")
    for pinned in (plan["corpus"]["qrels"], plan["policies"][0]["ranking"]["file"]):
        data = clone.file("mine@1", pinned["path"]).read_bytes()
        assert sha256(data) == pinned["sha256"]
    assert clone.file("mine@1", "runs/base.run").read_bytes() == mixed
    assert b"\r" not in clone.file("mine@1", "plan.json").read_bytes()


# --- From a name to a name ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25.run", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.trec.TXT", "bm25"),
        ("input.bm25", "input.bm25"),
        ("a b  c.run", "a-b-c"),
        ("_x_.res", "x"),
        ("x" * 99, "x" * 80),
    ],
)
def test_a_run_is_called_after_its_file(file: str, name: str) -> None:
    assert bringing.name_of(Path("deep", file)) == name
