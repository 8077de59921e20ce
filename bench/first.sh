#!/bin/bash
# The first execution of perdure check, with all its crash points and a recovery that does nothing, against
# a native run: CPU time of both, from start to end, taken in turns. Usage: bench/first.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
RUNS=10
over=0

cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

native() {
	local i
	for ((i = 0; i < RUNS; i++)); do
		rm -f x.pm
		./native x.pm "$1"
	done
}

check() {
	rm -f x.pm
	"$build/perdure" check -q --schedules 1 -j1 --recover /bin/true --json r.json --pm '*.pm' ./first x.pm "$1" || true
}

"$build/perdure" cc -O2 -w -I "$top/examples" -o first "$top/bench/first.c" "$top/examples/map.c"
cc -O2 -w -I "$top/examples" -o native "$top/bench/first.c" "$top/examples/map.c"
printf '%8s %12s %10s %12s %12s %10s\n' keys 'crash points' events 'native ms' 'checked ms' slowdown
for keys in 1000 4000 16000; do
	for i in 1 2 3; do
		cpu native $keys >>native.$keys
		cpu check $keys >>check.$keys
	done
	n=$(sort -g native.$keys | head -n 1)
	c=$(sort -g check.$keys | head -n 1)
	slow=$(awk "BEGIN { print $c / ($n / $RUNS) }")
	printf '%8d %12d %10d %12.2f %12.2f %10.1f\n' $keys "$(jq .stats.crash_points r.json)" \
		"$(jq .stats.events r.json)" "$(awk "BEGIN { print 1000 * $n / $RUNS }")" \
		"$(awk "BEGIN { print 1000 * $c }")" "$slow"
	# With 1,000 keys it is the start.
	if [ $keys != 1000 ] && awk "BEGIN { exit !($slow > 10) }"; then
		echo '  EXCEEDED: a first execution costs at most 10 times a native run'
		over=1
	fi
done
exit $over
