#!/bin/sh
# Tries whether `gctune replay` says what is true, on examples/rails:
#
#   - the defaults against themselves, half of the times with another program
#     loading the machine, show no difference;
#   - RUBY_GC_HEAP_INIT_SLOTS=1500000 takes more memory and is faster;
#   - RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR=1.05 is slower.
#
# scripts/honesty.sh [NULL-REPLAYS] [REPLAYS-OF-EACH-EFFECT]
#
# Forty and ten take some hours. What was measured lies in demo/honesty, one
# JSON object a line; started again, it goes on where it was. Options for replay
# can be given in REPLAY, such as REPLAY="--pairs 6".
set -eu

cd "$(dirname "$0")/.."
nulls=${1:-40}
effects=${2:-10}
out=demo/honesty
mkdir -p "$out"

replay() { # of a setting, into a file
	# shellcheck disable=SC2086 # the options are words
	./gctune replay --config examples/rails/gctune.yaml --store "$out/none.db" --format json ${REPLAY:-} --setting "$1" >>"$out/$2"
}

lines() { if [ -f "$out/$1" ]; then wc -l <"$out/$1"; else echo 0; fi; }

# The busy program is one loop, and is ended with whatever ends this script.
busy=
start_busy() {
	sh -c 'while :; do :; done' &
	busy=$!
}
stop_busy() {
	[ -z "$busy" ] || kill "$busy" 2>/dev/null || :
	busy=
}
trap stop_busy EXIT
trap 'exit 130' INT TERM

# A value that is the interpreter's own default makes the defaults of it.
same=$(./gctune params --config examples/rails/gctune.yaml --format json |
	sed -n 's/.*"name":"\(RUBY_GC_HEAP_GROWTH_FACTOR\)","default":"\([^"]*\)".*/\1=\2/p')
[ -n "$same" ] || { echo "honesty: this Ruby tells no default of RUBY_GC_HEAP_GROWTH_FACTOR" >&2; exit 1; }

repeat() { # until a file has so many lines
	while [ "$(lines "$3")" -lt "$2" ]; do
		echo "+ replay $(($(lines "$3") + 1)) of $2: $3" >&2
		replay "$1" "$3"
	done
}

repeat "$same" $(((nulls + 1) / 2)) null-quiet.jsonl
start_busy
repeat "$same" $((nulls / 2)) null-busy.jsonl
stop_busy
repeat RUBY_GC_HEAP_INIT_SLOTS=1500000 "$effects" init-slots.jsonl
repeat RUBY_GC_HEAP_OLDOBJECT_LIMIT_FACTOR=1.05 "$effects" oldobject.jsonl

count() { # lines of a file that match
	if [ -f "$out/$1" ]; then grep -c "$2" "$out/$1" || :; else echo 0; fi
}

row() { # title, file, what must be so, and in how many at least or at most
	pairs=$(sed -n 's/.*"pairs":\([0-9]*\).*/\1/p' "$out/$2" 2>/dev/null | awk '{ n += $1 } END { if (NR) printf "%.1f", n / NR; else print "-" }')
	printf '%-44s %8s %6s  %10s %6s %6s  %6s %6s %6s\n' "$1" "$(lines "$2")" "$pairs" \
		"$(count "$2" '"throughput":"better"')" "$(count "$2" '"throughput":"none"')" "$(count "$2" '"throughput":"worse"')" \
		"$(count "$2" '"memory":"better"')" "$(count "$2" '"memory":"none"')" "$(count "$2" '"memory":"worse"')"
}

printf '%-44s %8s %6s  %-24s  %s\n' "" "" "mean" "throughput" "memory"
printf '%-44s %8s %6s  %10s %6s %6s  %6s %6s %6s\n' setting replays pairs better none worse better none worse
row "the defaults, quiet" null-quiet.jsonl
row "the defaults, another program at work" null-busy.jsonl
row "INIT_SLOTS=1500000" init-slots.jsonl
row "OLDOBJECT_LIMIT_FACTOR=1.05" oldobject.jsonl
echo
claims=0 null=0
for file in null-quiet.jsonl null-busy.jsonl; do
	claims=$((claims + $(count "$file" '"verdict":{"throughput":"\(better\|worse\)"\|"verdict":{[^}]*"memory":"\(better\|worse\)"')))
	null=$((null + $(lines "$file")))
done
echo "$claims of $null replays of the defaults claim a difference (at a true rate of 1 in 20, $null give $(((null + 10) / 20)) on average)"
echo "$(count init-slots.jsonl '"memory":"worse"') of $(lines init-slots.jsonl) find INIT_SLOTS=1500000 to take more memory, $(count init-slots.jsonl '"throughput":"better"') to be faster"
echo "$(count oldobject.jsonl '"throughput":"worse"') of $(lines oldobject.jsonl) find OLDOBJECT_LIMIT_FACTOR=1.05 slower"
