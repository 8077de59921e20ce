#!/bin/sh
# perdure check --ambiguous: reads of recovery that could see more than one value, whether anything fails or not.
. "$(dirname "$0")/../lib/run.sh"
line() { grep -n "$1" "$top/examples/notes.c" | head -1 | cut -d: -f1; }
instrument right "$top/examples/notes.c"
instrument bug -DBUG "$top/examples/notes.c"

"$perdure" check --ambiguous --json a.json --pm '*.pm' ./right my.pm first second >text 2>err
[ $? = 0 ] && grep -q 'clean; 1 note\. ' text
ok $? 'notes do not decide the exit status' text
jq -e --argjson load "$(line 'note\[f->count\]')" --argjson store "$(line 'f->count + 1')" '
	.findings | length == 1 and .[0].kind == "crash/ambiguous-load" and .[0].severity == "note" and
	(.[0].sites | map([.role, .line])) == [["load", $load], ["store", $store]]' a.json >/dev/null
ok $? 'the read and the store, where all is well' text
"$perdure" check --json b.json --pm '*.pm' ./right my.pm first second >text 2>err
jq -e '.findings == []' b.json >/dev/null
ok $? 'only on request' text

"$perdure" check --ambiguous --json a.json --pm '*.pm' ./bug my.pm first second >text 2>err
[ $? = 1 ] && jq -e --argjson load "$(line 'assert(')" --argjson store "$(line 'n->length =')" '
	[.findings[] | select(.kind == "crash/ambiguous-load") | .sites | map(.line)] | contains([[$load, $store]])' a.json >/dev/null
ok $? 'beside a finding' text

# Whatever is executed and in which order, the same reads are told.
loads() { jq -c '[.findings[] | select(.kind == "crash/ambiguous-load") | [.id, .sites]] | sort' a.json; }
loads >want
for how in '--jobs 1' '--jobs 4' --no-incremental '--crashes 1'; do
	"$perdure" check --ambiguous --json a.json $how --pm '*.pm' ./bug my.pm first second >text 2>err
	loads | cmp -s - want
	ok $? "the same with $how" text
done
finish
