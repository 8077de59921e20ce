#!/bin/sh
# PM that recovery gives to the kernel through a structure: it is read, and seen to be read; or the recovery is not judged,
# since the call fails only because PM is closed then. Never a finding that is not there, never clean.
. "$(dirname "$0")/../lib/run.sh"
instrument further -mclwb "$top/tests/check/further.c"
check() { # how
	"$perdure" check --only crash --json r.json --pm '*.pm' --recover "./further $1 new.pm verify" ./further "$1" new.pm >text 2>&1
}
result() { jq -e "$1" r.json >/dev/null; }

for how in messages memory; do
	./further $how "$how.dat" && ./further $how "$how.dat" verify
	ok $? "$how: runs by itself"
	check $how
	[ $? = 3 ] && result '.findings == []'
	ok $? "$how: no finding, and a loss" text
	check lost-$how
	[ $? = 1 ] && result '.findings | length == 1 and .[0].confirmed and .[0].cause == "missing-flush"'
	ok $? "$how: what was lost is found" text
done
for how in requests exec unknown; do
	./further $how "$how.dat" && ./further $how "$how.dat" verify
	ok $? "$how: runs by itself"
	for how in $how lost-$how; do
		check $how
		[ $? = 3 ] && result '.findings == [] and (.complete | not)'
		ok $? "$how: is not judged" text
	done
done
finish
