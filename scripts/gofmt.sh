#!/bin/sh
# Fails with the names of the Go files that gofmt would change.
set -eu

cd "$(dirname "$0")/.."
gofmt=$(scripts/go env GOROOT)/bin/gofmt
unformatted=$(find . -name '.?*' -prune -o -name '*.go' -exec "$gofmt" -l {} +)
[ -n "$unformatted" ] || exit 0
printf 'not formatted; run gofmt -w on:\n%s\n' "$unformatted" >&2
exit 1
