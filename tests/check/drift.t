#!/bin/sh
# A failure that is another one when it is replayed, since the program has stored another value: it is not confirmed, and
# the limit says why.
. "$(dirname "$0")/../lib/run.sh"
instrument drift "$top/tests/check/drift.c"
why='1 finding did not fail in the same way when replayed: the program does not store the same values each time'

# run JQ-TEST HOW
run() {
	"$perdure" check -j1 --only crash --json r.json --pm '*.pm' ./drift "$2" >text 2>err
	status=$?
	[ $status = 1 ] && [ ! -s err ] && jq -e --arg why "$why" "$1" r.json >/dev/null
}
# check NAME JQ-TEST HOW: one value in 199 is the same again by chance, so it is tried up to three times
check() {
	run "$2" "$3" || run "$2" "$3" || run "$2" "$3"
	ok $? "$1 (status $status)" text
}
check 'the same each time: confirmed' '.complete and ([.findings[] | .confirmed] == [true])' same
check 'another each time: not confirmed, and why' '(.complete | not) and ([.findings[] | .confirmed] == [false]) and
	([.limits[] | select(startswith($why))] | length == 1)' other
finish
