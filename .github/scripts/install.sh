#!/usr/bin/env bash
# Installs pagecost into the Python that is there.
#
# Reads: INSTALL, what pip installs, in words as on its command line. Where it is empty, the action's
# own checkout, GITHUB_ACTION_PATH.
set -euo pipefail

read -r -d '' -a words <<<"$INSTALL" || true
[ "${#words[@]}" -gt 0 ] || words=("$GITHUB_ACTION_PATH")
python -I -m pip install --disable-pip-version-check "${words[@]}"
