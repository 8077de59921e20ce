#!/bin/sh
# Schedules: by default a program with threads is tried in several, and what goes wrong only if a thread is interrupted is
# found.
. "$(dirname "$0")/../lib/run.sh"
instrument turns -pthread "$top/tests/check/turns.c"

# check NAME STATUS JQ-TEST MODE OPTIONS...
check() {
	name=$1 want=$2 test=$3 mode=$4
	shift 4
	"$perdure" check --only crash --json r.json --pm '*.pm' "$@" -- ./turns "$mode" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e "$test" r.json >/dev/null
	ok $? "$name (status $status)" text
}
line=$(grep -n '//@ store$' "$top/tests/check/turns.c" | cut -d: -f1)
check 'each thread runs until it is done: nothing' 0 '.complete and .scope == "for 1 schedule (--schedules N tries more)"' \
	reader --schedules 1
check 'by default one is interrupted' 1 ".findings | length == 1 and .[0].confirmed and
	any(.[0].sites[]; .role == \"store\" and .line == $line)" reader
jq -S '[.findings, .coverage]' r.json >first.json
id=$(jq -r '.findings[0].id' r.json)
"$perdure" replay "$id" >text 2>err
[ $? = 1 ] && grep -q '^replayed: recovery exits with status 1' text
ok $? 'that is replayed' text err
same=0
for jobs in 1 2 5; do
	"$perdure" check -j$jobs --only crash --json r.json --pm '*.pm' ./turns reader >text 2>err
	jq -S '[(.findings | map(del(.replay, .patch))), .coverage]' r.json >now.json
	jq '[(.[0] | map(del(.replay, .patch))), .[1]]' first.json | jq -S . | cmp -s - now.json || same=1
done
ok $same 'the same with 1, 2 and 5 jobs' first.json now.json
check 'with a lock: nothing, in at least 8' 0 '.complete and (.scope | test("^for ([8-9]|[1-3][0-9]) schedules$")) and
	.stats.schedules >= 8' right
grep -q '^perdure check: clean for [0-9]* schedules, for --only crash\. Explored all ' text
ok $? 'and the verdict says so' text
[ "$(jq .stats.executions r.json)" -lt 40 ]
ok $? 'schedules share what their recoveries have in common' text
check 'as many as one likes' 0 '.scope == "for 3 schedules"' right --schedules 3
check 'without threads there is one' 0 '.stats.schedules == 1 and (has("scope") | not)' alone

# A program that fails by itself in some schedules is checked in the others.
check 'it fails by itself in some' 3 '([.limits[] | select(test("the program itself failed in [0-9]+ of [0-9]+ schedules:.*status 8"))] |
	length) == 1 and .findings == []' fails --ok-exit 0,8
finish
