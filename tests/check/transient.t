#!/bin/sh
# What recovery does not need, as pd_transient and PMDK's requests say it, has one value after a crash and is never torn;
# it hides nothing else.
. "$(dirname "$0")/../lib/run.sh"
instrument transient -I"$top/include" "$top/tests/check/transient.c"
truncate -s 4096 x.pm

# check STATUS HOW NAME OPTIONS...
check() {
	want=$1 how=$2 name=$3
	shift 3
	timeout 60 "$perdure" check --json a.json --pm '*.pm' "$@" ./transient "$how" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e .complete a.json >/dev/null
	ok $? "$how: $name (status $status)" text
}
check 1 silent 'a word that is not flushed may be lost' --only crash
check 0 said 'but not if nobody needs it' --only crash
jq -e '.findings == []' a.json >/dev/null
ok $? 'nothing is reported of it' a.json
torn='[.findings[] | select(.kind != "torn/compared-store")] | length'
check 1 silent 'and it may be torn' --only torn
jq -e "$torn >= 1" a.json >/dev/null
ok $? 'as such' a.json
check 0 said 'but not if nobody needs it' --only torn
jq -e "$torn == 0" a.json >/dev/null
ok $? 'nothing is reported of it' a.json
check 0 said 'after two crashes, too' --crashes 2
for how in beside flushed logged; do
	check 1 $how 'what is needed counts'
	jq -e '[.findings[] | select(.kind == "crash/recovery-abort" and .confirmed)] | length == 1' a.json >/dev/null
	ok $? 'and is confirmed' a.json
done
finish
