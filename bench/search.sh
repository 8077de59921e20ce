#!/bin/bash
# Orders of search of perdure explore, compared as in Agamotto's Fig. 3: sites that change PM, and findings, over the number of
# paths; the mean of some seeds. With a bar for the sites, of those that there may be. Usage: bench/search.sh BUILD-DIR [SEEDS]
set -eu
build=$(cd "$1" && pwd)
seeds=${2:-2}
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# row PROGRAM SEARCH PATHS
row() {
	local seed
	for seed in $(seq "$seeds"); do
		"$build/perdure" explore --pm '*.pm' --sym-stdin 24 --search "$2" --seed "$seed" --jobs 1 --max-paths "$3" --json r.json -q \
			"./$1" shell.pm >/dev/null 2>&1 || true
		jq -r '[.stats.pm_sites_reached, .stats.pm_sites, .stats.branches_covered, (.findings | length)] | @tsv' r.json
	done | awk -v search="$2" -v paths="$3" '{ s += $1; all = $2; b += $3; f += $4 } END {
		printf "%-9s %6d %6.1f of %d %10.1f %9.1f  ", search, paths, s / NR, all, b / NR, f / NR
		for (i = 0; i < s / NR; i++)
			printf "#"
		print "" }'
}

for words in strncmp loops; do
	"$build/perdure" cc --symbolic -O2 -g $([ $words = strncmp ] || echo -DLOOPS) -o $words "$top/bench/explore_shell.c"
	echo "explore_shell, words by $words"
	printf '%-9s %6s %12s %10s %9s\n' search paths 'PM sites' branches findings
	for search in pm coverage bfs dfs random; do
		for paths in 125 500 2000; do
			row $words $search $paths
		done
	done
done
