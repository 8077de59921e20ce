#!/bin/bash
# perdure linear on the map of examples/, with growing numbers of operations: tests, how many of them a
# second of CPU time, and memory. Usage: bench/linear.sh BUILD-DIR
#
# A test is one recovery after one crash of the plan (docs/engines/linear.md), with all keys read, removed
# and read again, and the history judged. Only tests count: one schedule, and that is in the time.
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

# measure OPS: sets tests, points, cpu (seconds), mb, rate (tests a second of CPU time), each (ms a test)
measure() {
	local TIMEFORMAT='%U %S'
	cpu=$({ time "$build/perdure" linear --pm '*.pm' --ops "$1" --keys 100 --schedules 1 --json r.json -q ./map >/dev/null 2>&1; } 2>&1 |
		awk '{ print $1 + $2 }')
	tests=$(jq .stats.tests r.json)
	points=$(jq .stats.likely_points r.json)
	mb=$(jq '(.stats.shared_kb + .stats.jobs * .stats.largest_process_kb) / 1024 | floor' r.json)
	rate=$(awk "BEGIN { printf \"%.0f\", $tests / $cpu }")
	each=$(awk "BEGIN { printf \"%.2f\", 1000 * $cpu / $tests }")
}

bar() {
	local n=$1 s=
	while [ "$n" -gt 0 ]; do
		s="$s#"
		n=$((n - 1))
	done
	echo "$s"
}

"$build/perdure" cc -O1 -o map "$top/examples/map.c" "$top/examples/map_driver.c"
printf '%10s %8s %8s %10s %12s %8s %6s  %-49s %s\n' operations points tests 'CPU s' 'tests/CPU s' ms/test MB \
	'tests, 40 each' 'CPU time, 0.1 s each'
for n in 125 250 500 1000; do
	measure $n
	tenths=$(awk "BEGIN { printf \"%.0f\", 10 * $cpu }")
	printf '%10d %8d %8d %10.2f %12d %8s %6d  %-49s %s\n' $n "$points" "$tests" "$cpu" "$rate" "$each" "$mb" \
		"$(bar $((tests / 40)))" "$(bar "$tenths")"
	[ $n = 125 ] && first=$each
	[ "$mb" -lt 1024 ] || exceeded "memory: $mb MB (1024)"
done
# On two cores a wall-clock second has two seconds of CPU time.
[ "$rate" -ge 250 ] || exceeded "tests a second on two cores: $((2 * rate)) (500)"
echo "a test at 1,000 operations against one at 125: $(awk "BEGIN { printf \"%.2f\", $each / $first }") x"
exit $over
