#!/bin/sh
# perdure check on the structures of bugs/structures, with growing numbers of keys.
# Usage: bench/structures.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
over=0

printf '%-10s %5s %10s %8s %8s %9s %9s\n' structure keys executions points per-point eager-10^ seconds
for s in clht cceh fastfair; do
	"$build/perdure" cc -O2 -w -pthread -DBUG=0 -o "$s" "$top/bugs/structures/$s.c"
	previous=
	for keys in 4 8 16 32 64; do
		"$build/perdure" check -q --json out.json --pm '*.pm' "./$s" x.pm $keys 1 >/dev/null || {
			echo "$s with $keys keys: not clean" >&2
			exit 1
		}
		set -- $(jq -r '.stats | [.executions, .crash_points, .executions_per_crash_point, .eager_states_log10, .seconds] | @tsv' out.json)
		printf '%-10s %5d %10d %8d %8.2f %9.1f %9.3f\n' $s $keys "$1" "$2" "$3" "$4" "$5"
		if awk "BEGIN { exit !($3 >= 2) }"; then
			echo "  EXCEEDED: at most 2 executions a crash point"
			over=1
		fi
		if [ $keys = 64 ] && awk "BEGIN { exit !($1 / $previous > 2.6) }"; then
			echo "  EXCEEDED: executions grow more than in proportion to the keys"
			over=1
		fi
		previous=$1
	done
done
exit $over
