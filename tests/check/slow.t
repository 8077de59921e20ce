#!/bin/sh
# A recovery that is only slow does not hang: it has as long as the program itself needs, and longer.
. "$(dirname "$0")/../lib/run.sh"
instrument slow "$top/tests/check/slow.c"

# slow HOW OPTIONS...
slow() {
	how=$1
	shift
	rm -f new.pm
	"$perdure" check --only crash --hang 10ms "$@" --json a.json --pm '*.pm' ./slow $how new.pm >text 2>err
	[ $? = 0 ] && jq -e '.complete and .findings == []' a.json >/dev/null
	ok $? "$how is slow, and does not hang ($*)" text
}
slow early -j1
slow early -j2
slow late -j1
slow late -j2
slow many -j1
slow same -j1
slow beside -j1 --schedules 1
"$perdure" check --only crash --hang 10ms --json a.json --pm '*.pm' ./slow stuck new.pm >text 2>err
[ $? = 1 ] && jq -e '.findings | length == 1 and .[0].kind == "crash/recovery-hang" and (.[0].message | contains("--hang"))' a.json >/dev/null
ok $? 'one that hangs is found, and the message names --hang' text
"$perdure" check --only crash --hang 10ms --json a.json --pm '*.pm' ./slow asleep new.pm >text 2>err
[ $? = 1 ] && jq -e --argjson line "$(grep -n '@ asleep' "$top/tests/check/slow.c" | cut -d: -f1)" '[.findings[] |
	select(.kind == "crash/recovery-hang" and .confirmed) | .sites[] | select(.role == "fail")] | map([.function, .line]) ==
	[["main", $line]]' a.json >/dev/null
ok $? 'one that waits in a system call is shown there' text a.json
finish
