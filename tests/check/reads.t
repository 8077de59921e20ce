#!/bin/sh
# Recoveries that split where they load from PM read what follows each by itself: no one takes the input of another.
. "$(dirname "$0")/../lib/run.sh"
instrument reads "$here/reads.c"
printf xy >words
"$perdure" check --pm '*.pm' --json r.json ./reads <words >out 2>err
[ $? = 0 ] && jq -e '.complete and all(.findings[]; .severity == "note") and .stats.executions > 1' r.json >/dev/null
ok $? 'standard input' out err
"$perdure" check --pm '*.pm' -j1 --json r.json ./reads <words >out 2>err
[ $? = 0 ] && jq -e '.complete and all(.findings[]; .severity == "note") and .stats.executions > 1' r.json >/dev/null
ok $? 'with one worker' out err
"$perdure" check --pm '*.pm' --json r.json ./reads words >out 2>err
[ $? = 0 ] && jq -e '.complete and all(.findings[]; .severity == "note") and .stats.executions > 1' r.json >/dev/null
ok $? 'a file that was opened before' out err
finish
