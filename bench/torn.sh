#!/bin/bash
# Torn stores on the structures of bugs/structures. Usage: bench/torn.sh BUILD-DIR
#
# First: races and fields, with prefixes of executions and without (Yashme's Table 5), on the structures with
# all their stores plain (-DPLAIN): every crash point, and a single random recovery. Second: what looking for
# them costs in CPU time, against --no-torn; the least of RUNS runs of each, taken in turns.
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
over=0
RUNS=${RUNS:-15}

check() { # json options... -- program
	local json=$1
	shift
	rm -f x.pm
	"$build/perdure" check -q -j1 --time-limit 60s --json "$json" --pm '*.pm' "$@" >/dev/null 2>&1 || [ $? = 1 ] || [ $? = 3 ]
}

races() { # options... -- program: pairs of store and load/fields
	check a.json --only torn "$@"
	jq -r '"\(.stats.torn_races)/\(.findings | length)"' a.json
}

# CPU seconds of all that the arguments run.
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

printf '%-22s %12s %12s %14s %14s %9s %9s %9s\n' 'races/fields' prefix no-prefix 'random prefix' 'no-prefix' \
	'torn s' 'without s' overhead
for s in clht cceh fastfair; do
	for how in right plain; do
		flags=
		[ $how = right ] || flags=-DPLAIN
		"$build/perdure" cc -O2 -w -pthread $flags -DBUG=0 -o $s-$how "$top/bugs/structures/$s.c"
	done
	for size in '48 1' '16 2'; do
		for how in right plain; do
			run="-- ./$s-$how x.pm $size"
			rm -f with without
			for ((i = 0; i < RUNS; i++)); do
				cpu check a.json --only torn $run >>with
				cpu check a.json --no-torn $run >>without
			done
			with=$(sort -g with | head -1) without=$(sort -g without | head -1)
			printf '%-22s %12s %12s %14s %14s %9.3f %9.3f %8.1f%%\n' "$s-$how $size" \
				"$(races $run)" "$(races --no-prefix $run)" \
				"$(races --random 1 --seed 5 $run)" "$(races --random 1 --seed 5 --no-prefix $run)" \
				"$with" "$without" "$(awk -v a="$with" -v b="$without" 'BEGIN { print 100 * (a / b - 1) }')"
			awk -v a="$with" -v b="$without" 'BEGIN { exit a > 1.1 * b + 0.01 }' || {
				echo "  EXCEEDED: more than 10 %"
				over=1
			}
		done
	done
done
exit $over
