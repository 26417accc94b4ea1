#!/usr/bin/env bash
# Comments on a pull request what differs from BASE, in one comment that later runs update.
#
# Reads: CONFIG, the project's mkdocs.yml; BASE, a revision; PULL_REQUEST, its number; GH_TOKEN; and
# GITHUB_REPOSITORY, GITHUB_SERVER_URL and GITHUB_RUN_ID. Writes the diff to GITHUB_STEP_SUMMARY too.
# A token that may not write, as that of a pull request from a fork, is no failure: a notice says so.
#
# Check out with `fetch-depth: 0`. BASE alone is fetched where it is missing, but whether a plan was
# frozen before it was scored is read from the whole history.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
issues=repos/$GITHUB_REPOSITORY/issues
run=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
# One comment a project. No character of a path can end the marker early.
marker="<!-- pagecost diff ${CONFIG//[^a-zA-Z0-9._\/-]/_} -->"

in_project() { git -C "$(dirname "$CONFIG")" "$@"; }

if ! in_project cat-file -e "$BASE^{commit}" 2>/dev/null; then
  # --depth in a whole checkout would cut its history.
  shallow=$(in_project rev-parse --is-shallow-repository)
  [ "$shallow" = true ] || shallow=
  in_project fetch --quiet --no-tags ${shallow:+--depth=1} origin "$BASE"
  BASE=$(in_project rev-parse FETCH_HEAD)
fi

pagecost diff --config "$CONFIG" --since "$BASE" --format markdown >"$work/diff.md"
cat "$work/diff.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

# GitHub takes 65,536 characters. Bytes are never fewer, however it counts. -I, since a pull request
# could bring a json.py along.
python -I -c '
import json, sys
from pathlib import Path

marker, run, diff = sys.argv[1:]
body = text = Path(diff).read_text(encoding="utf-8")
kept = text.encode()[:60_000].decode(errors="ignore")
if kept != text:
    kept = kept[: kept.rfind("\n") + 1] or kept
    body = f"The diff is too long for a comment and is cut; [the run]({run}) shows all of it.\n\n{kept}"
print(json.dumps({"body": f"{marker}\n\n{body}"}))
' "$marker" "$run" "$work/diff.md" >"$work/comment.json"

# A comment is this one if it begins with the marker and is by who writes now. `&&`, since -e does
# not hold in a condition.
write_comment() {
  me=$(gh api graphql -f query='{viewer{login}}' --jq .data.viewer.login) &&
    gh api --paginate --slurp "$issues/$PULL_REQUEST/comments?per_page=100" >"$work/comments.json" &&
    id=$(python -I -c '
import json, sys
from pathlib import Path

marker, me, comments = sys.argv[1:]
for page in json.loads(Path(comments).read_bytes()):
    for comment in page:
        by = (comment["user"] or {}).get("login")
        if by == me and (comment["body"] or "").splitlines()[:1] == [marker]:
            sys.exit(print(comment["id"]))
' "$marker" "$me" "$work/comments.json") &&
    if [ -n "$id" ]; then
      gh api --method PATCH "$issues/comments/$id" --input "$work/comment.json"
    else
      gh api --method POST "$issues/$PULL_REQUEST/comments" --input "$work/comment.json"
    fi
}

if ! write_comment >/dev/null 2>"$work/error"; then
  printf '::notice title=pagecost diff::Not commented; the diff is in the step summary. %s\n' \
    "$(tr '%\r\n' '   ' <"$work/error")"
fi
