#!/bin/sh
# Tunes the blog of examples/rails from end to end: search, front, replay of
# one setting beside the defaults, export. What it makes lies in demo/; started
# again, it goes on where it was.
set -eu

cd "$(dirname "$0")/.."
budget=${1:-50}
choice=${2:-}
mkdir -p demo

tune() {
	command=$1
	shift
	echo "+ gctune $command $*" >&2
	./gctune "$command" --config examples/rails/gctune.yaml --store demo/gctune.db "$@"
}

tune optimize --budget "$budget" --confirm 2
tune pareto --plot
# The named choice that is no default: there is nothing to say of the defaults
# against themselves.
chosen() {
	tune pareto 2>/dev/null | sed -n "s/^$1 *trial \([0-9]*\):.*/\1/p"
}
for name in throughput knee memory; do
	[ -n "$choice" ] || [ "$(chosen $name)" = 0 ] || choice=$name
done
choice=${choice:-knee}

tune replay --best "$choice" --pairs 6
tune export --best "$choice" --format env >demo/blog.env

echo "the setting is in demo/blog.env:" >&2
cat demo/blog.env
