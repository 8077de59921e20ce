#!/bin/sh
# On a terminal: how far it is, and when it will be done. Elsewhere: nothing.
. "$(dirname "$0")/../lib/run.sh"
instrument long -w -pthread -DBUG=0 "$top/bugs/structures/fastfair.c"
script -qc "$perdure check --no-torn -j1 --json t.json --pm '*.pm' ./long x.pm 160 1" /dev/null | tr '\r' '\n' >text
grep -Eq '^.{0,4}[0-9]+ of [0-9]+ crash points \([0-9]+ %\), [0-9]+ recoveries \([0-9]+/s\), 0 failed, [0-9]+ s' text
ok $? 'a terminal shows crash points, recoveries and failures' text
total=$(sed -n 's/.* of \([0-9]*\) crash points.*/\1/p' text | sort -u)
[ "$total" = "$(jq .stats.crash_points t.json)" ]
ok $? 'as many crash points as there will be' text
"$perdure" check --no-torn -j1 --json f.json --pm '*.pm' ./long x.pm 160 1 >text 2>err
[ ! -s err ] && jq -e -s '.[0].stats.executions == .[1].stats.executions' t.json f.json >/dev/null
ok $? 'elsewhere nothing is shown, and the same is done' err t.json f.json


# What comes after exploring takes time as well.
sh "$top/tests/check/many.sh" 20 >many.c
instrument many many.c
script -qc "$perdure check --only crash --pm '*.pm' ./many" /dev/null | tr '\r' '\n' >text
grep -Eq 'finding the cause of failure 20, [0-9]+ s' text && grep -Eq 'replaying failure 20, [0-9]+ s' text
ok $? 'what is done about failures' text
finish
