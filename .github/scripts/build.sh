#!/usr/bin/env bash
# Builds the site, without drafts, which are never published, and says where it is.
#
# Reads: CONFIG, the project's mkdocs.yml; OUTPUT, where the site goes. Writes `site` to
# GITHUB_OUTPUT.
set -euo pipefail

pagecost build --no-drafts --config "$CONFIG" --output "$OUTPUT"
printf 'site=%s\n' "$OUTPUT" >>"${GITHUB_OUTPUT:-/dev/null}"
