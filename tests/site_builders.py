"""What tests of the site need: records of invented ranks, pages taken apart, sites built once.

A version here ranks a distribution that is installed nowhere, so it is always rebuilt from its
ranks: nothing is searched, and any rank can be claimed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from pagecost import jsonio, project, ranks, results, site, versions
from pagecost.charts.draw import Drawer
from pagecost.model import (
    NOT_FOUND,
    Group,
    Outcomes,
    PageCost,
    Plan,
    PolicyDepth,
    PolicyResult,
    Quality,
    QueryRow,
    RankColumn,
    RankTable,
    Results,
)
from tests.builders import ROOT, Json, environment, pagecost, plan_of, sha256

CONFIG = 'site_name: "Invented"\ndocs_dir: site\nextra:\n  pagecost:\n    output: _site\n'
REPOSITORIES = ("example/alpha", "example/beta")
STRATA = ("name-present", "name-absent")
Ranks = Mapping[str, Sequence[int | None]]
RANKS: Ranks = {
    "baseline": (1, 2, 9, 40, 3, 17, 25, 6),
    "helper": (1, 1, 4, 12, 3, 33, 7, 5),
}
"""Of eight queries: five better, two the same, one worse."""


# --- Plans and records of invented ranks ----------------------------------------------------------


def policy(name: str, label: str | None = None, *, searches: int = 1) -> Json:
    """A policy of which a page takes that many searches: 1, or 2 as an interleaving does."""
    made: Json = {"kind": "bm25", "text": "raw", "k1": 1.2, "b": 0.75}
    if searches == 2:
        made = {"kind": "interleave", "first": made, "second": {**made, "text": "identifiers"}}
    return {"name": name, "ranking": made} | ({"label": label} if label else {})


def plan_json(
    version: str = "1",
    *,
    experiment: str = "tiny",
    queries: int = 8,
    documents: int = 60,
    repositories: Sequence[str] = REPOSITORIES,
    **changes: Any,
) -> Json:
    """A frozen plan over a corpus that nobody has, of so many queries."""
    table = rank_table({}, queries, documents, repositories)
    held = [sum(row.repository == name for row in table.rows) for name in repositories]
    strata = [sum(row.stratum == name for row in table.rows) for name in STRATA]
    corpus: Json = {
        "kind": "distributions",
        "distributions": [
            {
                "name": "pagecost-invented",
                "version": "1.0",
                "sha256": "0" * 64,
                "licence_name": "LicenseRef-Invented",
                "repository_url": "https://example.invalid/source",
            }
        ],
        "trivial_statements": 2,
        "pins": {
            "documents": documents,
            "queries": queries,
            "membership": "1" * 64,
            "query_hash": jsonio.ids_hash(row.query_id for row in table.rows),
            "repositories": [
                {
                    "name": name,
                    "documents": documents if place == 0 else 0,
                    "queries": held[place],
                }
                for place, name in enumerate(repositories)
            ],
            "strata": dict(zip(STRATA, strata, strict=True)),
            "exclusions": {"tests": 2, "undocumented": 1},
        },
    }
    policies = [policy("baseline", "baseline"), policy("helper", "helper", searches=2)]
    settled: Json = {"status": "frozen", "policies": policies, "page_sizes": [1, 5, 20]}
    settled["primary_page_size"] = 5
    return plan_of(corpus, experiment, version, **(settled | changes))


def plan(version: str = "1", **changes: Any) -> Plan:
    """That plan, read."""
    return msgspec.convert(plan_json(version, **changes), Plan)


def rank_table(
    given: Ranks, queries: int, documents: int, repositories: Sequence[str] = REPOSITORIES
) -> RankTable:
    """Those ranks, None for not found; repositories and strata take turns over the queries."""
    ids = sorted(sha256(f"query {number}".encode()) for number in range(queries))
    rows = tuple(
        QueryRow(
            query_id=one,
            repository=repositories[number % len(repositories)],
            stratum=STRATA[number // 2 % 2],
            relevant=1,
            target_path=f"invented/part{number}.py",
            target_line=number + 1,
            target_name=f"Part{number}.answer",
        )
        for number, one in enumerate(ids)
    )
    columns = tuple(
        RankColumn(
            name, np.array([NOT_FOUND if r is None else r for r in own], np.int64), documents
        )
        for name, own in given.items()
    )
    return RankTable(rows, columns)


def counted(
    plan: Plan,
    counts: Mapping[str, tuple[int, int]],
    *,
    emitted: Mapping[str, int] | None = None,
    not_found: Mapping[str, int] | None = None,
) -> Results:
    """A record that claims those pages and searches of each policy, at every page size.

    `emitted` are its candidates, 40 unless given; negative searches stand for such as nobody gave.
    """
    pins = results.pinned(plan)
    documents = pins.documents
    assert documents is not None
    none = Outcomes(win=0, loss=0, tie=pins.queries)
    quality = Quality(
        recall_at_1=0.5, recall_at_5=0.5, recall_at_10=0.5, mrr=0.5, mean_rank=2.0,
        median_rank=1, p95_rank=3,
    )  # fmt: skip

    def group(by: Any, name: str, queries: int) -> Group:
        made = []
        for one in plan.policies:
            pages, given = counts[one.name]
            searches = given if given >= 0 else None
            read = (emitted or {}).get(one.name, 40)
            missing = (not_found or {}).get(one.name, 0)
            costs = [
                PageCost(
                    page_size=size, pages=pages, emitted=read, searches=searches,
                    on_pages=none, on_searches=None if searches is None else none,
                )
                for size in plan.page_sizes
            ]  # fmt: skip
            made.append(
                PolicyResult(
                    policy=one.name, found=queries - missing, not_found=missing,
                    quality=quality, costs=costs,
                )
            )  # fmt: skip
        return Group(by=by, name=name, queries=queries, policies=made)

    return Results(
        schema=1,
        experiment=plan.experiment,
        version=plan.version,
        plan_sha256="2" * 64,
        corpus=pins,
        policies=[PolicyDepth(name=one.name, depth=documents) for one in plan.policies],
        baseline=plan.baseline,
        page_sizes=plan.page_sizes,
        groups=[
            group("all", "all", pins.queries),
            *(group("repository", row.name, row.queries) for row in pins.repositories),
            *(group("stratum", name, number) for name, number in pins.strata.items()),
        ],
        ranks_sha256="3" * 64,
    )


# --- Projects on disk -----------------------------------------------------------------------------


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Those files below the folder, text as UTF-8 with its line ends as they are."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def add_version(
    root: Path, plan: Json, given: Ranks | None = None, writeup: str | None = None
) -> None:
    """A version below `site/`: its plan, its record if there are ranks, its write-up."""
    folder = root / "site" / plan["experiment"] / plan["version"]
    data = jsonio.canonical(plan)
    files: dict[str, str | bytes] = {"plan.json": data}
    if given is not None:
        read = msgspec.convert(plan, Plan)
        pins = results.pinned(read)
        assert pins.documents is not None
        names = [row.name for row in pins.repositories]
        table = rank_table(given, pins.queries, pins.documents, names)
        ranks_csv = ranks.to_csv(table)
        scored = results.score(read, jsonio.sha256(data), table, ranks_csv)
        files |= {"ranks.csv": ranks_csv, "results.json": results.to_json(scored)}
    if writeup is not None:
        files["writeup.md"] = writeup
    write(folder, files)


def tiny(root: Path, *, explored: bool = True) -> Path:
    """A small project with every kind of page: recorded, frozen and draft, guide, write-up."""
    write(
        root,
        {
            "mkdocs.yml": CONFIG + "nav:\n  - Home: index.md\n  - Guide: guide/index.md\n",
            "site/index.md": "# Invented experiments\n\nNothing here is *real*.\n",
            "site/guide/index.md": "# Guide\n\nSee [the report](../tiny/1/#cost), "
            "[the newest](../tiny/latest/) and [more](more.md#below).\n",
            "site/guide/more.md": "# More\n\n## Below\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n",
            "site/tiny/index.md": "---\ntitle: A tiny question\nabstract: Is it tiny?\n---\n\n"
            "It is tiny. See [the guide](../guide/index.md).\n",
        },
    )
    add_version(
        root, plan_json("1"), RANKS, "# What it says\n\nSee [the costs](#cost).\n\n```\ncode\n```\n"
    )
    if explored:
        add_version(root, plan_json("1.1", kind="exploration", title="Looked at after"), RANKS)
    add_version(root, plan_json("2", title="Frozen alone"))
    draft = plan_json("3", title="Not yet frozen", status="draft")
    add_version(root, draft)
    return root


def render(root: Path, figures: Path) -> dict[str, bytes]:
    """The files of that project's site, in this process; drawings are kept in `figures`."""
    found = project.load(root / "mkdocs.yml")
    loaded = [versions.load(where) for where in found.versions]
    return site.render(found.config, loaded, Drawer(figures), lambda one: "pip install invented")


def figures_folder(factory: pytest.TempPathFactory) -> Path:
    """Where the tests of one run share drawings, which depend on nothing but their content."""
    return factory.getbasetemp() / "shared-figures"


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# --- The committed site ---------------------------------------------------------------------------


def without_corpora(folder: Path) -> dict[str, str]:
    """The environment of a process that finds no corpus: other versions are installed first."""
    for name in ("networkx", "docutils", "boltons", "more-itertools"):
        info = folder / f"{name.replace('-', '_')}-0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    return environment(PYTHONPATH=os.pathsep.join((str(ROOT), str(folder))))


def committed_site(factory: pytest.TempPathFactory) -> Path:
    """The site of this repository's own plans and records, built once a run, from ranks alone."""
    return _committed_site(factory.getbasetemp() / "committed")


@cache
def _committed_site(folder: Path) -> Path:
    env = without_corpora(folder / "nothing") | {"PAGECOST_CACHE": str(folder / "cache")}
    done = pagecost("build", "--output", str(folder / "site"), cwd=ROOT, env=env)
    assert done.status == 0, done.err
    ranked = [line.split()[0] for line in done.err.splitlines() if "from source" in line]
    assert ranked == ["cut-runs@2"]  # whose run files are committed with it
    return folder / "site"


def copy_committed(root: Path) -> Path:
    """This repository's configuration, plans, records and prose, away from its Git."""
    root.mkdir()
    shutil.copy(ROOT / "mkdocs.yml", root / "mkdocs.yml")
    shutil.copytree(ROOT / "site", root / "site")
    return root


# --- Pages taken apart ----------------------------------------------------------------------------

_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
                   "source", "track", "wbr"))  # fmt: skip


@dataclass
class Element:
    """An element: its attributes, the text inside, and whether it or what it is in is hidden."""

    tag: str
    attributes: dict[str, str | None]
    is_hidden: bool
    text: str = ""

    def get(self, name: str) -> str:
        """An attribute's value; KeyError where the element has none."""
        value = self.attributes[name]
        assert value is not None, f"<{self.tag} {name}> has no value"
        return value


@dataclass
class Page(HTMLParser):
    """A page taken apart by the parser of the standard library, which trusts nobody."""

    source: str
    elements: list[Element] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(self.source)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice: {attrs}"
        element = self._add(tag, dict(attrs))
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add(tag, dict(attrs))

    def _add(self, tag: str, attributes: dict[str, str | None]) -> Element:
        hidden = "hidden" in attributes or any(one.is_hidden for one in self._open)
        self.elements.append(Element(tag, attributes, hidden))
        return self.elements[-1]

    def handle_endtag(self, tag: str) -> None:
        closed = self._open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """The elements of that tag with those attributes; `class_` is one of the classes."""
        one_class = attributes.pop("class_", None)
        return [
            element
            for element in self.elements
            if element.tag == tag
            and all(element.attributes.get(k.replace("_", "-")) == v for k, v in attributes.items())
            and (one_class is None or one_class in (element.attributes.get("class") or "").split())
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        """The only such element."""
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def text(self) -> str:
        """All text of the body."""
        return " ".join(self.one("body").text.split())

    def meta(self, name: str) -> str | None:
        """What a <meta name> says."""
        found = self.all("meta", name=name)
        return found[0].get("content") if found else None


def pages(contents: Mapping[str, bytes]) -> Iterator[tuple[str, Page]]:
    """The pages among those files, taken apart."""
    for path, data in contents.items():
        if path.endswith(".html"):
            yield path, Page(data.decode("utf-8"))
