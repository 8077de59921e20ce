#!/bin/sh
# What real programs do on a path: give memory back, close their input, loop as often as a number says, store to PM from code that
# was not instrumented.
. "$(dirname "$0")/../lib/run.sh"
compile gcc -c -o blind.o "$here/blind.c"
compile "$perdure" cc --symbolic -g -O1 -o real "$here/real.c" blind.o
last=perdure.out/last/result.json
explore() {
	"$perdure" explore --pm '*.pm' "$@" >out 2>err
}

explore --sym-stdin 3 ./real closes
[ $? = 0 ] && grep -q 'Complete: ' out
ok $? 'a closed stdin is read: as libc has it' out

explore --sym-stdin 4 --max-paths 120 -j1 ./real loops
od -A n -t u4 -w4 -v perdure.out/last/inputs/*/stdin | sort -n | tail -1 >most
[ "$(jq .stats.paths $last)" -ge 60 ] && [ "$(cat most)" -lt 5000 ]
ok $? 'numbers that a loop goes up to: small ones first' most

explore --sym-stdin 1 --time-limit 1s --path-limit 60s ./real spins
[ $? = 3 ] && [ -s perdure.out/last/state ] &&
	jq -e '.stats.paths == 1 and .stats.paths_pending == 1 and .stats.exploring_seconds < 20' $last >/dev/null
ok $? 'the time limit stops a path that is running, which is kept' out

explore --sym-stdin 2 -j1 ./real unmaps my.pm
[ "$(grep -c '^explore/signal .*SIGSEGV at real.c' out)" = 2 ]
ok $? 'pages that are protected or given back fault' out
jq -e '.losses."blind-store".count > 0' $last >/dev/null
ok $? 'a blind store on one path is noticed' $last
jq -e '.stats.runs == 6 and .stats.runs_in_place == 2' $last >/dev/null
ok $? 'the paths without a fault are in place' $last
explore --sym-stdin 2 -j1 --no-in-place --out alone ./real unmaps my.pm
[ "$(jq .stats.paths $last)" = "$(jq .stats.paths alone/result.json)" ] && cat perdure.out/last/inputs/*/stdin >a &&
	cat alone/inputs/*/stdin >b && cmp -s a b
ok $? 'as in processes of their own' alone/result.json

at=$(grep -n '/\* here \*/' "$here/real.c" | cut -d: -f1)
explore --sym-stdin 8 -j1 --max-paths 200 ./real differs
grep -q "real.c:$at" out
ok $? 'a program that depends on the time: the line is named' out
finish
