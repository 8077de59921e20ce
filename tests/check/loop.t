#!/bin/sh
# A recovery that goes round in circles is told soon; one that only waits long is none.
. "$(dirname "$0")/../lib/run.sh"
instrument patient "$top/tests/check/patient.c"
head -c 100000 /dev/zero >equal
for how in count mapped clock file alarm chance sleeper counter handed; do
	"$perdure" check --only crash --pm '*.pm' ./patient $how $how.pm >text 2>err
	ok $? "it waits for a while: $how" text
done
# Of several threads that wait at places of their own, each may be the one that is named, in some schedule.
for how in ring word beyond xchg join both plain bare swap mixed; do
	"$perdure" check --only crash --json a.json --pm '*.pm' ./patient $how $how.pm >text 2>err
	[ $? = 1 ] && jq -e '.findings | length > 0 and all(.kind == "crash/recovery-hang" and (.message | contains("comes back to the same state")))' a.json >/dev/null
	ok $? "it waits for ever: $how" text
done
# What it says about it is about that.
"$perdure" check --only crash --json a.json --pm '*.pm' ./patient ring ring.pm >text 2>err
grep -q '^  why  *no store was lost' text &&
	jq -e '.findings[0] | .cause == "not-atomic" and (.fix | startswith("recovery reads ring.pm+0x") and contains("over and over"))' a.json >/dev/null
ok $? 'a circle of links: which words it reads' text
# Also in drawn schedules, once they draw nothing more.
"$perdure" check --only crash --schedules 4 --json a.json --pm '*.pm' ./patient plain plain.pm >text 2>err
[ $? = 1 ] && jq -e '.findings | length == 1 and (.[0].message | contains("comes back to the same state"))' a.json >/dev/null
ok $? 'it waits for ever in any schedule' text
jq -e '.findings | all(.message | contains("budget") | not)' a.json >/dev/null
ok $? 'and that is proven in all of them' text
# Who asks under a lock, again and again, does not keep from running whom it asks about.
instrument asks "$top/tests/check/asks.c"
for how in 'check --only crash' 'check --only crash --schedules 6' lint; do
	timeout 100 "$perdure" $how --pm '*.pm' ./asks asks.pm >text 2>err
	ok $? "it asks under a lock: $how" text
done
finish
