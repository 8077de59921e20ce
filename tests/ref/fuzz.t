#!/bin/sh
# Twenty seconds of the model against its naive twin; `make fuzz` runs longer.
build=${PERDURE_BUILD:-$(dirname "$0")/../../build}
at_least=300

echo "1..2"
summary=$("$build/tests/ref/fuzz" --seconds 20 --seed 1 --jobs 2 --max-states 20000 --out "$build/tests/ref")
status=$?
echo "# $summary"
[ $status -eq 0 ] || printf 'not '
echo "ok 1 - model and reference agree on every program"
compared=$(echo "$summary" | sed -n 's/^compared \([0-9]*\) programs.*/\1/p')
[ "${compared:-0}" -ge $at_least ] || printf 'not '
echo "ok 2 - at least $at_least programs were compared"
