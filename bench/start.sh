#!/bin/bash
# A whole run of perdure check with 4 keys, where starting is most of it, against native runs: CPU time, of the tool and of
# all executions, start to end. `large` is the same program with 10,000 more places in its code, none of which is reached.
# Usage: bench/start.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
RUNS=20
over=0

exceeded() {
	echo "  EXCEEDED: $*"
	over=1
}

# Milliseconds of CPU time a run: the least of three times RUNS.
cost() {
	local TIMEFORMAT='%U %S' i
	for i in 1 2 3; do
		{ time "$@" >/dev/null 2>&1; } 2>&1 | awk -v n=$RUNS '{ print 1000 * ($1 + $2) / n }'
		rm -f ./*.pm
	done | sort -g | head -n 1
}

version() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		"$build/perdure" --version
	done
}

native() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		"$1" $i.pm 4 2
	done
}

# Makes no file.
check() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		"$build/perdure" check -q --no-torn --schedules 1 -j1 --out out --json r.json --pm '*.pm' "$1" x.pm 4 2
	done
}

ratio() {
	awk "BEGIN { printf \"%.1f\", $1 / $2 }"
}

{
	echo 'void never(volatile unsigned long *p) {'
	for i in $(seq 1000); do
		echo '	p[0] = 1; p[1] = 2; p[2] = 3; p[3] = 4; p[4] = 5; p[5] = 6; p[6] = 7; p[7] = 8; p[8] = 9; p[9] = 10;'
	done
	echo '}'
} >never.c
"$build/perdure" cc -O1 -c never.c
tool=$(cost version)
printf '%-10s %10s %9s %9s %12s %9s %7s\n' structure executions 'native ms' 'check ms' 'an execution' 'large ms' ratio
for s in clht cceh fastfair radix; do
	"$build/perdure" cc -O2 -w -pthread -DBUG=0 -o "$s" "$top/bugs/structures/$s.c"
	"$build/perdure" cc -O2 -w -pthread -DBUG=0 -o "$s-large" "$top/bugs/structures/$s.c" never.o
	cc -O2 -w -pthread -mclwb -mclflushopt -DBUG=0 -o "$s-native" "$top/bugs/structures/$s.c"
	native=$(cost native "./$s-native")
	whole=$(cost check "./$s")
	large=$(cost check "./$s-large")
	executions=$(jq .stats.executions r.json)
	printf '%-10s %10d %9.2f %9.2f %12.2f %9.2f %7s\n' $s "$executions" "$native" "$whole" \
		"$(awk "BEGIN { print ($whole - $tool) / $executions }")" "$large" "$(ratio "$whole" "$native")"
	awk "BEGIN { exit !($whole > 2 * $executions * $native) }" &&
		exceeded 'a run costs at most twice as many native runs as it has executions'
	awk "BEGIN { exit !($large > 1.4 * $whole) }" && exceeded 'places that are not reached cost at most 40 %'
done
printf 'perdure --version: %.2f ms\n' "$tool"
exit $over
