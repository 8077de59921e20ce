#!/bin/sh
# The model against its naive twin, on random programs; `make fuzz` runs longer.
. "$(dirname "$0")/../lib/tap.sh"
build=${PERDURE_BUILD:-$(dirname "$0")/../../build}
programs=1000 at_least=900

summary=$("$build/tests/ref/fuzz" --count $programs --seed 1 --jobs 2 --max-states 20000 --out "$build/tests/ref")
ok $? 'model and reference agree on every program' "$summary"
echo "# $summary"
compared=$(echo "$summary" | sed -n 's/^compared \([0-9]*\) programs.*/\1/p')
[ "${compared:-0}" -ge $at_least ]
ok $? "at least $at_least programs were compared" "$summary"
finish
