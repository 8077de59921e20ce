#!/bin/sh
# Findings of perdure linear show the shortest history that is left after minimising, and it is what a replay runs.
. "$(dirname "$0")/../lib/run.sh"

# What is drawn in the text report.
drawn() { sed -n 's/^            | //p' out >drawn; }

instrument map "$top/examples/map.c" "$top/examples/map_driver.c" -DBUG
"$perdure" linear --pm '*.pm' --minimise 120 --schedules 1 --json r.json ./map >out 2>&1
[ $? = 1 ] && grep -q '^  history   minimised: 1 of the 100 operations is enough$' out &&
	jq -e '.findings | length == 1 and (.[0] | .confirmed and .facts.operations_left == 1 and .facts.operations == 100 and (.facts.minimising_cut | not))' r.json >/dev/null
ok $? 'a put that is lost is all that is left of 100 operations' out r.json
[ "$(sed -n 's/^            | [> ] T[0-9]* *[^ ]*  //p' out | tr '\n' ' ')" = 'put(1, 1) = none get(1) = none ' ]
ok $? 'and all that is drawn, with what recovery saw' out
jq -r '.settings[.findings[0].witness.settings].program | join(" ")' r.json | grep -q -- '--do put 1 1$'
ok $? 'the settings of its witness have these operations' r.json
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: put(1, 1) = none returned, but its effect is gone' out &&
	[ "$(grep -c '^[> ] T[0-9]* ' out)" = 2 ]
ok $? 'they are replayed' out
whole=$(jq -r '.findings[0] | [.id, .kind, .cause] | join(" ")' r.json)

"$perdure" linear --pm '*.pm' --minimise 0 --schedules 1 --json r.json ./map >out 2>&1
[ $? = 1 ] && ! grep -q 'minimised' out && grep -q '^  history' out && [ "$(jq -r '.findings[0] | [.id, .kind, .cause] | join(" ")' r.json)" = "$whole" ] &&
	jq -e '.settings | length == 1' r.json >/dev/null
ok $? 'without minimising it is the same finding' out r.json
"$perdure" linear --pm '*.pm' --minimise 1 --schedules 1 --json r.json ./map >out 2>&1
[ $? = 1 ] && tr '\n' ' ' <out | grep -q 'operations are enough; out of time: fewer may be' &&
	jq -e '.findings[0].facts | .minimising_cut and .operations_left < .operations' r.json >/dev/null
ok $? 'what the budget cuts is said' out r.json

# Two keys: the entry of one is damaged when another one is inserted.
instrument btree "$top/bugs/linear-btree/case.c" -I"$top/bugs" -DFIXED=0
"$perdure" linear --pm '*.pm' --minimise 120 --schedules 1 --json r.json ./btree >out 2>&1
jq -e '[.findings[] | .facts | select(.operations_left)] | length > 0 and all(has("history_key") | not) and
	any([.history[].operation] | contains(["insert(1, 1) = 1", "insert(2, 2) interrupted"]))' r.json >/dev/null
ok $? 'operations on other keys are drawn where they matter' out r.json

# A pair, by two threads, and what came before them.
instrument harris "$top/bugs/linear-harris/case.c" -I"$top/bugs" -DFIXED=0
"$perdure" linear --pm '*.pm' --minimise 120 --schedules 1 --json r.json ./harris >out 2>&1
drawn
grep -qx '  T0   \[\]...!..  add(1) = 1' drawn && grep -qx '  T1   ..\[==!..  remove(1) interrupted' drawn &&
	grep -qx '  T2   ...\[\]!..  contains(1) = 0' drawn
ok $? 'a pair: who is held, and who acts on it' drawn r.json
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: ' out
ok $? 'is replayed' out

# Recoveries that fail have a history, too.
for wrong in 2 3 4; do
	instrument reg$wrong "$here/crashed.c" -DWRONG=$wrong
	"$perdure" linear --pm '*.pm' --minimise 120 --threads 1 --ops 8 --schedules 1 --json r.json ./reg$wrong >out 2>&1
	drawn
	jq -e '.findings[0] | .confirmed and .facts.operations_left == 1' r.json >/dev/null && grep -qx '  T[01]   \[!  write([0-9]*) interrupted' drawn
	ok $? "$(jq -r '.findings[0].kind' r.json): the history before the crash" drawn r.json
done
instrument stuck "$here/crashed.c" -DWRONG=10
"$perdure" linear --pm '*.pm' --minimise 3 --threads 1 --ops 8 --schedules 1 --hang 300ms --json r.json ./stuck >out 2>&1
drawn
jq -e '.findings | length == 1 and (.[0] | .kind == "linear/recovery-hang" and (.fix | startswith("find out where recovery loops")))' r.json >/dev/null &&
	grep -qx ' *T[01]   \(\.*\)\[!\.  write([0-9]*) interrupted' drawn && grep -qx '> T0   \.*!\[  read() interrupted' drawn
ok $? 'also of one that has to be killed, since it does nothing that shows' drawn r.json
instrument radix "$top/bugs/linear-radix/case.c" -I"$top/bugs" -DFIXED=0
"$perdure" linear --pm '*.pm' --minimise 120 --schedules 1 --json r.json ./radix >out 2>&1
drawn
grep -qx '  T1   \[!.  insert(1, 1) interrupted' drawn && grep -qx '> T0   .!\[  get(1) interrupted' drawn
ok $? 'and the operation that recovery hangs in' drawn r.json
finish
