#!/bin/sh
# Executions from a zygote: many, equal, and none of them changes anything.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc -O1 -o notes "$top/examples/notes.c"
"$build/tests/zygote-runs" '*.pm' 300 ./notes z.pm one two 2>/dev/null >out
take out
[ ! -e z.pm ]
ok $? 'no file was made'
finish
