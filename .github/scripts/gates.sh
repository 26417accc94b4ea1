#!/usr/bin/env bash
# Holds the gates of every version against its record. Ends as `pagecost check` does: 0 all held,
# 1 one did not, 2 one could not be decided.
#
# Reads: CONFIG, the project's mkdocs.yml. Writes `gates` to GITHUB_OUTPUT, and what was found to
# GITHUB_STEP_SUMMARY.
set -euo pipefail

status=0
found=$(pagecost check --config "$CONFIG" 2>&1) || status=$?
case $status in
  0) gates='held' ;;
  1) gates='not held' ;;
  *) gates='not decided' ;;
esac
printf '%s\n' "$found"
printf 'gates=%s\n' "$gates" >>"${GITHUB_OUTPUT:-/dev/null}"
{
  printf '## Gates: %s\n\n' "$gates"
  printf '%s\n' "$found" | sed 's/^/    /'
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$status"
