#!/bin/sh
# What an instrumented program pays. Usage: bench/runtime.sh BUILD-DIR
set -eu
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
clang=${CLANG:-clang-19}
clangxx=${CLANGXX:-clang++-19}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
over=0

# line TEXT VALUE UNIT LIMIT
line() {
	note=
	if [ "$4" != 0 ]; then
		note="   (at most $4)"
		if awk "BEGIN { exit !($2 > $4) }"; then
			note="$note   EXCEEDED"
			over=1
		fi
	fi
	printf '%-58s %10.2f %s%s\n' "$1" "$2" "$3" "$note"
}

"$clang" -O2 -w -o cpu_native "$bench/cpu_loop.c"
"$build/perdure" cc -O2 -w -o cpu_perdure "$bench/cpu_loop.c"
"$clangxx" -O2 -w -o cxx_native "$bench/cpu_loop.cc"
"$build/perdure" c++ -O2 -w -o cxx_perdure "$bench/cpu_loop.cc"
# Alternately, so that a slow minute of the machine meets both; the least of each counts.
for i in 1 2 3 4 5; do
	for lang in cpu cxx; do
		./${lang}_native >>native
		./${lang}_perdure >>perdure
	done
done
cut -d' ' -f1,3 native | sort -u >sums.native
cut -d' ' -f1,3 perdure | sort -u >sums.perdure
cmp sums.native sums.perdure || { echo 'instrumented code computes something else' >&2; exit 1; }
least() { awk '!($1 in t) || $2 < t[$1] { t[$1] = $2 } END { for (k in t) print k, t[k] }' "$1" | sort; }
least native >a
least perdure >b
join a b >both
while read -r name native perdure; do
	line "code without PM, instrumented : native, $name" "$(awk "BEGIN { print $perdure / $native }")" x 2
done <both
line 'code without PM, instrumented : native, geometric mean' \
	"$(awk '{ s += log($3 / $2); n++ } END { print exp(s / n) }' both)" x 2
text() { size -A "$1" | awk '$1 ~ /^[.]text/ { n += $2 } END { print n }'; }
line 'machine code, instrumented : native, C' "$(awk "BEGIN { print $(text cpu_perdure) / $(text cpu_native) }")" x 0
line 'machine code, instrumented : native, C++' "$(awk "BEGIN { print $(text cxx_perdure) / $(text cxx_native) }")" x 0

"$build/perdure" cc -O2 -w -o pm_loop "$bench/pm_loop.c"
"$clang" -O2 -w -o pm_native "$bench/pm_loop.c"
figures=$(PERDURE_PM= "$build/bench/driven" model '*.pm' ./pm_loop x.pm 2>&1)
set -- $figures
line 'PM store through the hook, model attached, with clwb+sfence' "$1" ns 150
line 'PM load through the hook, model attached' "$2" ns 80
figures=$("$build/bench/driven" trace '*.pm' ./pm_loop x.pm 2>&1)
set -- $figures
line 'PM store, traced' "$1" ns 0
line 'PM load, traced' "$2" ns 0
exit $over
