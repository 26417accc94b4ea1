"""A site laid over a branch: nothing of others is touched, and nothing that a page needs goes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

import msgspec
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pagecost import manifest
from pagecost.errors import InputError
from pagecost.manifest import MARKER
from pagecost.publish.ledger import LEDGER
from pagecost.publish.merge import TEXT, Merged, merge
from tests.builders import sha256

CSS, OLD_CSS, JS = (
    "assets/site.0123456789.css",
    "assets/site.abcdef0123.css",
    "assets/site.00000000ff.js",
)
FOLDER = "tiny/1/"


class State(msgspec.Struct, frozen=True):
    """A branch: every file by path, and those of them that pagecost wrote."""

    files: dict[str, bytes]
    ours: frozenset[str] = frozenset()

    @property
    def before(self) -> dict[str, str]:
        return manifest.of({path: self.files[path] for path in self.ours})

    def merged(self, site: Mapping[str, bytes], replaced: Iterable[str] = (FOLDER,)) -> Merged:
        texts = {p: data for p, data in self.files.items() if p.endswith(TEXT) or p in site}
        return merge(self.files.keys(), self.before, site, list(replaced), texts)

    def after(self, done: Merged) -> State:
        """The branch once that is done."""
        kept = {path: data for path, data in self.files.items() if path not in done.remove}
        return State(kept | done.write, frozenset(done.manifest))


def branch(ours: Mapping[str, bytes], others: Mapping[str, bytes] | None = None) -> State:
    return State({**ours, **(others or {})}, frozenset(ours))


def naming(*assets: str) -> bytes:
    """A page that refers to those assets."""
    return "".join(f'<link href="../{asset}">\n' for asset in assets).encode()


# --- What is written and removed ------------------------------------------------------------------


def test_a_site_is_laid_over_an_empty_branch() -> None:
    site = {"index.html": b"front", "tiny/1/index.html": b"report"}
    done = branch({}).merged(site)
    assert (done.write, done.remove) == (site, [])
    assert done.manifest == {path: sha256(data) for path, data in site.items()}


def test_a_folder_that_is_published_again_becomes_exactly_what_it_is_now() -> None:
    ours = {"tiny/1/index.html": b"old", "tiny/1/gone.csv": b"", "tiny/10/index.html": b"ten"}
    state = branch(ours)
    done = state.merged({"tiny/1/index.html": b"new"})
    assert done.remove == ["tiny/1/gone.csv"]
    assert state.after(done).files == {"tiny/1/index.html": b"new", "tiny/10/index.html": b"ten"}
    assert "tiny/1/gone.csv" not in done.manifest


def test_what_others_put_into_our_folder_stays() -> None:
    done = branch({"tiny/1/index.html": b""}, {"tiny/1/notes.txt": b"mine"}).merged(
        {"tiny/1/index.html": b"new"}
    )
    assert done.remove == []
    assert "tiny/1/notes.txt" not in done.manifest


def test_a_page_that_is_not_made_any_more_stays_outside_the_folders() -> None:
    done = branch({"guide/old/index.html": b"old"}).merged({"index.html": b"front"})
    assert done.remove == []
    assert done.manifest.keys() == {"guide/old/index.html", "index.html"}


def test_what_was_removed_by_hand_is_not_removed_again() -> None:
    state = State({}, frozenset())
    before = manifest.of({"tiny/1/gone.csv": b"", OLD_CSS: b""})
    done = merge(state.files.keys(), before, {"tiny/1/index.html": b""}, [FOLDER], {})
    assert done.remove == []
    assert done.manifest.keys() == {"tiny/1/index.html"}


# --- Others' files --------------------------------------------------------------------------------


def refusal(state: State, site: Mapping[str, bytes]) -> str:
    with pytest.raises(InputError) as error:
        state.merged(site)
    return str(error.value)


def test_a_file_of_somebody_else_in_the_way_is_refused() -> None:
    others = {"index.html": b"by hand", "guide/index.html": b"by hand", "CNAME": b"example.invalid"}
    said = refusal(branch({}, others), {"index.html": b"ours", "guide/index.html": b"ours"})
    assert said == (
        "guide/index.html, index.html: on the branch already, and not pagecost's. Move it away, or "
        "publish to a branch of its own with --branch"
    )


def test_a_file_of_somebody_else_that_is_the_same_becomes_ours() -> None:
    done = branch({}, {"index.html": b"same"}).merged({"index.html": b"same"})
    assert done.manifest == {"index.html": sha256(b"same")}


def test_a_file_where_a_folder_is_to_be_is_refused() -> None:
    assert refusal(branch({}, {"tiny": b"file"}), {"tiny/1/index.html": b""}).startswith("tiny: ")


def test_a_folder_where_a_file_is_to_be_is_refused() -> None:
    said = refusal(branch({}, {"index.html/page.txt": b""}), {"index.html": b""})
    assert said.startswith("index.html/: ")


@pytest.mark.parametrize("path", [MARKER, LEDGER])
def test_files_that_are_ours_by_their_names_are_in_nobodys_way(path: str) -> None:
    done = branch({}, {path: b"before"}).merged({path: b"now"})
    assert done.write == {path: b"now"}


@pytest.mark.parametrize("ours", [True, False])
def test_a_nojekyll_that_is_there_stays_as_it_is(ours: bool) -> None:
    there = {".nojekyll": b"not empty"}
    done = branch(there if ours else {}, there).merged({".nojekyll": b"", "index.html": b""})
    assert done.write == {"index.html": b""}
    assert (".nojekyll" in done.manifest) == ours


# --- Assets ---------------------------------------------------------------------------------------


def test_an_asset_that_no_page_names_any_more_is_removed() -> None:
    state = branch({"index.html": naming(OLD_CSS, JS), OLD_CSS: b"old", JS: b"js"})
    done = state.merged({"index.html": naming(CSS, JS), CSS: b"new", JS: b"js"})
    assert done.remove == [OLD_CSS]
    assert done.manifest.keys() == {"index.html", CSS, JS}


@pytest.mark.parametrize("page", ["tiny/2/index.html", "style.css", "feed.xml", "NOTES.md"])
@pytest.mark.parametrize("ours", [True, False])
def test_an_asset_that_a_page_still_names_stays(page: str, ours: bool) -> None:
    named = {page: naming(OLD_CSS)}
    state = branch({OLD_CSS: b"old"} | (named if ours else {}), named)
    done = state.merged({"index.html": naming(CSS), CSS: b"new"})
    assert done.remove == []
    assert OLD_CSS in done.manifest


def test_an_asset_that_only_a_new_page_names_stays() -> None:
    done = branch({OLD_CSS: b"old"}).merged({"index.html": naming(OLD_CSS)})
    assert done.remove == []


def test_an_asset_of_the_site_stays_though_no_page_names_it() -> None:
    done = branch({CSS: b"css"}).merged({CSS: b"css"})
    assert done.remove == []
    assert done.manifest == {CSS: sha256(b"css")}


def test_a_page_that_goes_or_is_written_anew_holds_no_asset() -> None:
    ours = {"tiny/1/gone.html": naming(OLD_CSS), "index.html": naming(OLD_CSS), OLD_CSS: b""}
    done = branch(ours).merged({"index.html": naming(CSS), CSS: b"new"})
    assert done.remove == [OLD_CSS, "tiny/1/gone.html"]


def test_an_asset_of_somebody_else_stays_though_no_page_names_it() -> None:
    done = branch({}, {OLD_CSS: b"theirs"}).merged({"index.html": b""})
    assert done.remove == []


def test_a_file_beside_the_assets_without_a_hash_in_its_name_stays() -> None:
    done = branch({"assets/logo.png": b"", "assets/site.css": b""}).merged({"index.html": b""})
    assert done.remove == []


# --- Any branch -----------------------------------------------------------------------------------

ASSETS = (CSS, OLD_CSS, JS)
PAGES = ("index.html", "tiny/1/index.html", "tiny/1/figures.js", "tiny/2/index.html", "about.html")
PLAIN = ("CNAME", ".nojekyll", "tiny/1/plan.json", "tiny/2/plan.json", LEDGER)
IN_THE_WAY = ("tiny", "guide", "index.html/more.html", "assets")

CHOICES: dict[str, tuple[bytes | None, ...]] = {
    **dict.fromkeys(PAGES, (None, b"", naming(CSS), naming(OLD_CSS))),
    **dict.fromkeys(PLAIN, (None, b"1", b"2")),
    **dict.fromkeys(ASSETS, (None, b"the same under every name")),
}


@st.composite
def contents(draw: st.DrawFn) -> dict[str, bytes]:
    """Some of those files, with one of those contents each."""
    drawn = draw(st.tuples(*map(st.sampled_from, CHOICES.values())))
    return {path: data for path, data in zip(CHOICES, drawn, strict=True) if data is not None}


@st.composite
def branches(draw: st.DrawFn) -> State:
    """A branch with files of pagecost's and of others, now and then where ours are to be."""
    files = draw(contents())
    theirs = draw(st.sets(st.sampled_from(tuple(CHOICES)), max_size=2))
    blocking = draw(st.sampled_from((*[None] * 9, *IN_THE_WAY)))
    if blocking is not None:
        files = {path: data for path, data in files.items() if not _collide(path, blocking)}
        files, theirs = files | {blocking: b"theirs"}, theirs | {blocking}
    return State(files, frozenset(files.keys() - theirs))


def _collide(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def parents(path: str) -> set[str]:
    parent = posixpath.dirname(path)
    return {parent, *parents(parent)} if parent else set()


def in_the_way(state: State, site: Mapping[str, bytes]) -> bool:
    """Is a file of others where the site would write something else?"""
    theirs = {p for p in state.files if p not in state.ours and p not in (MARKER, LEDGER)}
    return any(
        (path in theirs and path != ".nojekyll" and state.files[path] != data)
        or parents(path) & theirs
        or any(path in parents(other) for other in theirs)
        for path, data in site.items()
    )


@settings(max_examples=300)
@given(branches(), contents(), st.sets(st.sampled_from(("tiny/1/", "tiny/2/"))))
def test_any_merge_touches_nothing_of_others_and_breaks_no_page(
    state: State, site: dict[str, bytes], replaced: set[str]
) -> None:
    try:
        done = state.merged(site, replaced)
    except InputError:
        event("refused")
        assert in_the_way(state, site)
        return
    assert not in_the_way(state, site)
    after = state.after(done).files
    # Only what belongs to the site is written, only what was ours is removed.
    assert done.write.keys() <= site.keys()
    assert set(done.remove) <= state.ours - site.keys()
    for path, data in state.files.items():
        if path not in state.ours and path != LEDGER:
            assert after[path] == data
    for path, data in site.items():
        assert after[path] == (state.files.get(path, data) if path == ".nojekyll" else data)
    # No asset goes that a page names, and nothing else but what is left of a folder.
    for path in done.remove:
        if path in ASSETS:
            name = posixpath.basename(path).encode()
            assert not any(name in data for p, data in after.items() if p.endswith(TEXT))
        else:
            assert path.startswith(tuple(replaced))
    assert not {p for p in state.ours & after.keys() - site.keys() if p.startswith(tuple(replaced))}
    # The manifest is true.
    theirs = state.files.keys() - state.ours
    kept = {path for path in theirs if path not in site or path == ".nojekyll"}
    assert done.manifest.keys() == after.keys() - kept
    for path in done.manifest:
        assert done.manifest[path] == sha256(after[path])


@given(branches(), contents())
def test_the_same_site_merged_again_changes_nothing(state: State, site: dict[str, bytes]) -> None:
    try:
        once = state.merged(site)
    except InputError:
        return
    middle = state.after(once)
    again = middle.merged(site)
    assert again.remove == []
    assert again.manifest == once.manifest
    assert middle.after(again) == middle
