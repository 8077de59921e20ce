#!/bin/sh
# A recovery that maps a PM file private reads what it looks at, and not all of the file.
. "$(dirname "$0")/../lib/run.sh"
instrument private "$top/tests/check/private.c"

# check STATUS HOW NAME OPTIONS...
check() {
	want=$1 how=$2 name=$3
	shift 3
	timeout 60 "$perdure" check --only crash --json a.json --pm '*.pm' "$@" ./private "$how" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e .complete a.json >/dev/null
	ok $? "$how: $name (status $status)" text
}
check 0 shared 'a shared mapping, to compare with'
executions=$(jq .stats.executions a.json)
check 0 look 'a private one sees the same'
[ "$(jq .stats.executions a.json)" = "$executions" ]
ok $? "and takes as many executions: $executions" a.json
check 1 lost 'what it finds is found'
jq -e '.findings | length == 1 and .[0].confirmed' a.json >/dev/null
ok $? 'once, and confirmed' text
check 0 change 'what is stored into it stays there'
check 0 change 'after two crashes, too' --crashes 2
check 0 cut 'parts of it may go'
check 1 fault 'and what the program may not touch is its own fault'
jq -e '.findings | length == 1 and .[0].kind == "crash/recovery-signal"' a.json >/dev/null
ok $? 'a signal' text
timeout 60 "$perdure" check --only crash --json a.json --pm '*.pm' ./private give >text 2>err
[ $? != 4 ] && jq -e '.findings == []' a.json >/dev/null
ok $? 'give: a system call reads its bytes' text
finish
