#!/bin/bash
# Orders of search of perdure explore, compared as in Agamotto's Fig. 3: sites that change PM, and findings, over the number of
# paths and over time; the mean of some seeds. A bar shows sites (#) and, behind them, findings (*). What was found within the time is
# judged after it. Usage: bench/search.sh BUILD-DIR [SEEDS]
set -eu
build=$(cd "$1" && pwd)
seeds=${2:-2}
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# row PROGRAM SEARCH OPTION LIMIT
row() {
	local seed
	for seed in $(seq "$seeds"); do
		"$build/perdure" explore --pm '*.pm' --sym-stdin 24 --search "$2" --seed "$seed" --jobs 1 "$3" "$4" --json r.json -q \
			"./$1" shell.pm >/dev/null 2>&1 || true
		jq -r '[.stats.pm_sites_reached, .stats.pm_sites, .stats.branches_covered, (.findings | length), .stats.paths] | @tsv' r.json
	done | awk -v search="$2" -v limit="$4" '{ s += $1; all = $2; b += $3; f += $4; p += $5 } END {
		printf "%-9s %6s %8.0f %6.1f of %d %10.1f %9.1f  ", search, limit, p / NR, s / NR, all, b / NR, f / NR
		for (i = 0; i < s / NR; i++)
			printf "#"
		for (i = 0; i < f / NR; i++)
			printf "*"
		print "" }'
}

# table PROGRAM OPTION LIMIT...
table() {
	local program=$1 option=$2 search limit
	shift 2
	printf '%-9s %6s %8s %12s %10s %9s\n' search "${option##*-}" paths 'PM sites' branches findings
	for search in pm coverage bfs dfs random; do
		for limit in "$@"; do
			row "$program" "$search" "$option" "$limit"
		done
	done
}

for words in strncmp loops; do
	"$build/perdure" cc --symbolic -O2 -g $([ $words = strncmp ] || echo -DLOOPS) -o $words "$top/bench/explore_shell.c"
	echo "explore_shell, words by $words"
	table $words --max-paths 125 500 2000
	table $words --time-limit 250ms 1s 4s
done
