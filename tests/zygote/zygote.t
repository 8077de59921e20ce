#!/bin/sh
# Executions from a zygote: many, equal, and none of them changes anything.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${PERDURE_BUILD:-$top/build}
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
"$build/perdure" cc -O1 -o notes "$top/examples/notes.c" || exit 1
"$build/tests/zygote-runs" '*.pm' 300 ./notes z.pm one two 2>/dev/null >out
status=$?
grep -v '^1\.\.' out
if [ -e z.pm ]; then echo 'not ok 4 - no file was made'; else echo 'ok 4 - no file was made'; fi
echo 1..4
exit $status
