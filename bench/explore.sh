#!/bin/bash
# perdure explore: paths a second of CPU time, all processes together, and how that grows with the input;
# what code that follows labels costs where there are none; and what a path costs beside a large pool. Usage: bench/explore.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
over=0

exceeded() {
	echo "  EXCEEDED: $*"
	over=1
}

# measure PROGRAM BYTES NAME [LEAST]
measure() {
	local TIMEFORMAT='%U %S' cpu paths rate complete
	cpu=$({ time "$build/perdure" explore --pm '*.pm' --sym-stdin "$2" --json r.json -q "./$1" >/dev/null 2>&1 || true; } 2>&1 |
		awk '{ print $1 + $2 }')
	paths=$(jq .stats.paths r.json)
	complete=$(jq -r 'if .complete then "yes" else "no" end' r.json)
	rate=$(awk "BEGIN { printf \"%.0f\", $paths / ($cpu + 0.001) }")
	jq -r --arg name "$3" --arg cpu "$cpu" --arg rate "$rate" --arg complete "$complete" \
		'[$name, .stats.paths, .stats.runs_in_place, .stats.questions, .stats.questions - .stats.questions_without_solver, .stats.solver_seconds, $cpu, $rate, $complete] | @tsv' r.json |
		awk -F'\t' '{ printf "%-22s %8d %9d %10d %9d %9.2f %8.2f %12d  %s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9 }'
	[ "$complete" = yes ] || exceeded "$3 is not complete"
	[ -z "${4-}" ] || [ "$rate" -ge "$4" ] || exceeded "$3: $rate paths a second of CPU time ($4)"
}

for n in 2 3 4; do
	"$build/perdure" cc --symbolic -O1 -DCOMMANDS=$n -o kv$n "$top/bench/explore_kv.c"
done
"$build/perdure" cc --symbolic -O1 -o num "$top/bench/explore_num.c"
printf '%-22s %8s %9s %10s %9s %9s %8s %12s  %s\n' program paths 'in place' questions 'to solver' 'solver s' 'CPU s' 'paths/CPU s' complete
measure kv2 4 'kv, 4 bytes'
measure kv3 6 'kv, 6 bytes'
measure kv4 8 'kv, 8 bytes' 5000
measure num 4 'num, 4 bytes' 500

# Code without labels: the least of five, in turns.
"${CLANG:-clang-19}" -O2 -o native "$top/bench/explore_cpu.c"
"$build/perdure" cc --symbolic -O2 -o labels "$top/bench/explore_cpu.c"
native= labels=
for _ in 1 2 3 4 5; do
	for p in native labels; do
		t=$(./$p | cut -d' ' -f1)
		declare "$p=$(awk "BEGIN { b = \"${!p}\"; print (b == \"\" || $t < b + 0) ? $t : b }")"
	done
done
ratio=$(awk "BEGIN { printf \"%.2f\", $labels / $native }")
echo "code without labels, against native: $ratio x"
awk "BEGIN { exit !($ratio <= 4) }" || exceeded "$ratio times native (4)"

# What a path costs beside a large pool: the CPU time of 7776 paths, without that of one.
"$build/perdure" cc --symbolic -O1 -o pool "$top/bench/explore_pool.c"
# cost MEGABYTES
cost() {
	local TIMEFORMAT='%U %S' all=0 one=0 paths
	for paths in 1 100000; do
		rm -f x.pm
		one=$all
		all=$({ time "$build/perdure" explore -q -j1 --pm '*.pm' --sym-stdin 5 --max-paths $paths --json "r$1.json" ./pool x.pm "$1" >/dev/null 2>&1 || true; } 2>&1 |
			awk '{ print $1 + $2 }')
	done
	awk "BEGIN { print $all - $one }"
}
small=$(cost 1)
large=$(cost 64)
jq -e '.complete and .stats.paths == 7776 and .stats.runs_in_place == .stats.paths' r1.json r64.json >/dev/null || exceeded 'the pools are not explored in place'
ratio=$(awk "BEGIN { printf \"%.2f\", $large / ($small + 0.001) }")
echo "7776 paths beside a pool of 64 MB, against 1 MB: $ratio x ($large s, $small s)"
awk "BEGIN { exit !($ratio <= 2) }" || exceeded "$ratio times a small pool (2)"
exit $over
