#!/bin/bash
# perdure check on the structures of bugs/structures, with growing numbers of keys, by one job and by two.
# Usage: bench/structures.sh BUILD-DIR
#
# slowdown: CPU time of one execution under check (all of the exploration, shared out over its executions)
# against one run of the program as the system's compiler makes it, both from start to end.
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
over=0
RUNS=200

exceeded() {
	echo "  EXCEEDED: $*"
	over=1
}

# CPU seconds of all that the arguments run.
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

many() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		rm -f x.pm
		"$@"
	done
}

# The least of three, in seconds a run.
native() {
	local i
	for i in 1 2 3; do
		cpu many "$@"
	done | sort -g | head -n 1 | awk -v n=$RUNS '{ print $1 / n }'
}

stat_of() {
	jq -r ".stats.$1" "$2"
}

check() {
	local jobs=$1
	shift
	rm -f x.pm
	"$build/perdure" check -q --no-torn --schedules 1 -j"$jobs" --json "$jobs.json" --pm '*.pm' "$@"
}

printf '%-10s %5s %10s %7s %9s %9s %9s %9s %8s %8s\n' structure keys executions points per-point eager-10^ \
	'1 job s' '2 jobs s' slowdown 'peak MB'
for s in clht cceh fastfair radix; do
	"$build/perdure" cc -O2 -w -pthread -DBUG=0 -o "$s" "$top/bugs/structures/$s.c"
	cc -O2 -w -pthread -mclwb -mclflushopt -DBUG=0 -o "$s-native" "$top/bugs/structures/$s.c"
	rm -f plot
	previous=
	for keys in 4 8 16 32 64; do
		rm -rf perdure.out
		used=$(cpu check 1 "./$s" x.pm $keys 1)
		check 2 "./$s" x.pm $keys 1 >/dev/null || {
			echo "$s with $keys keys: not clean" >&2
			exit 1
		}
		executions=$(stat_of executions 1.json)
		[ "$executions" = "$(stat_of executions 2.json)" ] || exceeded 'two jobs execute other recoveries than one'
		slow=$(awk "BEGIN { print $used / $executions / $(native "./$s-native" x.pm $keys 1) }")
		per=$(stat_of executions_per_crash_point 1.json)
		peak=$(jq '(.stats.largest_process_kb + .stats.shared_kb) / 1024' 1.json)
		printf '%-10s %5d %10d %7d %9.2f %9.1f %9.3f %9.3f %8.1f %8.1f\n' $s $keys "$executions" \
			"$(stat_of crash_points 1.json)" "$per" "$(stat_of eager_states_log10 1.json)" \
			"$(stat_of seconds 1.json)" "$(stat_of seconds 2.json)" "$slow" "$peak"
		echo "$keys $executions" >>plot
		awk "BEGIN { exit !($per >= 2) }" && exceeded 'at most 2 executions a crash point'
		awk "BEGIN { exit !($slow > 10) }" && exceeded 'an execution costs at most 10 times a native run'
		[ $keys = 32 ] && awk "BEGIN { exit !($(stat_of seconds 1.json) > 60) }" && exceeded '32 keys end within 60 s'
		[ $keys = 64 ] && awk "BEGIN { exit !($executions / $previous > 2.6) }" &&
			exceeded 'executions grow more than in proportion to the keys'
		previous=$executions
	done
	awk '{ n[NR] = $1; v[NR] = $2 } END { for (i = 1; i <= NR; i++) {
		printf "           %5d |", n[i]
		for (k = 0; k < 60 * v[i] / v[NR]; k++) printf "#"
		printf " %.1f executions a key\n", v[i] / n[i] } }' plot
done
# Many keys, two threads of the program, two jobs. growth: the exponent of CPU time from the row before.
printf '%-10s %5s %10s %7s %9s %9s %9s %8s %8s\n' structure keys executions points per-point 's' 'CPU s' growth 'peak MB'
for s in clht cceh fastfair radix; do
	previous=
	for keys in 64 250 1000; do
		rm -rf perdure.out
		used=$(cpu check 2 --time-limit 300s "./$s" x.pm $keys 2)
		[ "$(jq .complete 2.json)" = true ] || exceeded "$s with $keys keys is not complete"
		peak=$(jq '(.stats.largest_process_kb + .stats.shared_kb) / 1024' 2.json)
		seconds=$(stat_of seconds 2.json)
		per=$(stat_of executions_per_crash_point 2.json)
		growth=$(awk "BEGIN { print ${previous:-0} ? log($used / ${previous:-1}) / log($keys / ${before:-1}) : 0 }")
		printf '%-10s %5d %10d %7d %9.2f %9.2f %9.2f %8.2f %8.1f\n' $s $keys "$(stat_of executions 2.json)" \
			"$(stat_of crash_points 2.json)" "$per" "$seconds" "$used" "$growth" "$peak"
		awk "BEGIN { exit !($per >= 2) }" && exceeded 'at most 2 executions a crash point'
		awk "BEGIN { exit !($seconds > 60) }" && exceeded 'at most 60 s'
		awk "BEGIN { exit !($peak > 500) }" && exceeded 'at most 500 MB'
		awk "BEGIN { exit !($growth > 1.2) }" && exceeded 'CPU time grows at most as n^1.2'
		previous=$used before=$keys
	done
done
exit $over
