#!/bin/sh
# Tests of perdure linear: likely linearization points, pairs that are brought together, without any schedule's luck.
. "$(dirname "$0")/../lib/run.sh"

# found CASE OPTIONS...: kinds that are found, with one schedule of the threads
found() {
	name=$1
	shift
	"$perdure" linear --pm '*.pm' --schedules 1 --json r.json -q "$@" "./$name" >out 2>&1
	jq -r '[.findings[] | select(.confirmed) | .kind] | unique | join(" ")' r.json
}

case_of() { # CASE: builds it broken and fixed
	instrument "$1.bug" "$top/bugs/$1/case.c" -I"$top/bugs" -DFIXED=0
	instrument "$1.fixed" "$top/bugs/$1/case.c" -I"$top/bugs" -DFIXED=1
}

tests_find() { # CASE KIND WHAT
	case_of "$1"
	[ "$(found "$1.bug")" = "$2" ] && jq -e '.findings[0].witness.schedule.policy == "test"' r.json >/dev/null
	ok $? "$3" out r.json
	[ "$(found "$1.fixed")" = '' ] && jq -e '.complete and .stats.tests > 20' r.json >/dev/null
	ok $? "$3: not where it is fixed" out r.json
}
tests_find linear-harris linear/visible-not-durable 'a pair: one that reads acts on what is not durable'
tests_find linear-bst linear/visible-not-durable 'late: the lock is given back before the flush'
tests_find linear-enrol linear/visible-not-durable 'a thread stores more in its first operation'
tests_find linear-helped linear/visible-not-durable 'crossed: a store that only two that meet make'
jq -e '.stats.meetings_only_concurrent > 0' r.json >/dev/null
ok $? 'which is why it is tried' r.json
[ "$(found linear-helped.bug --threads 1)" = '' ] && jq -e '.stats.tests > 20 and .stats.meetings == 0' r.json >/dev/null
ok $? 'operations of one thread never meet' out r.json
case_of linear-twice

"$perdure" linear --pm '*.pm' --schedules 1 --json r.json -q ./linear-bst.bug >out 2>&1
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: ' out
ok $? 'a test is replayed by its name' out
"$perdure" replay --explain "$(jq -r '.findings[0].id' r.json)" >out 2>&1
sed -n '/^the cache line at/,/^power fails/p' out | grep -q '^  -- crash; what would have followed:$'
ok $? 'its story ends where power fails: the flush comes later' out
case_of linear-ring
"$perdure" linear --pm '*.pm' --json r.json -q ./linear-ring.bug >out 2>&1
line=$(grep -n '//@ load' "$top/bugs/linear-ring/case.c" | cut -d: -f1)
[ "$(jq -r '.findings[0] | .sites[.facts.reader] | "\(.role) \(.line) \(.function)"' r.json)" = "reader $line enqueue" ] &&
	jq -r '.findings[0].fix' r.json | grep -q "; or let the thread that reads it at case.c:$line make it durable (flush and fence) before it goes on$"
ok $? 'who has read what was lost, and went on, is named' r.json
jq -e '.findings[0] | [.facts.history[] | select(.operation | endswith("interrupted")).thread] == [[.story[] | select(.event == "store")][0].thread]' r.json >/dev/null
ok $? 'operations and stores number threads alike' r.json

"$perdure" linear --pm '*.pm' --schedules 1 --explain-points ./linear-bst.fixed >out 2>&1
[ $? = 0 ] && grep -q '^likely linearization points: [0-9]* of [0-9]* stores' out &&
	grep -q "linear-bst/case.c:$(grep -n '//@ store' "$top/bugs/linear-bst/case.c" | head -n 1 | cut -d: -f1) in .*: an atomic instruction, [0-9]* times$" out
ok $? '--explain-points' out
line=$(grep -n '//@ store' "$top/bugs/linear-bst/case.c" | head -n 1 | cut -d: -f1)
printf 'case.c:%s' "$line" >points
[ "$(found linear-bst.bug --points points)" = linear/visible-not-durable ] &&
	jq -e '.stats.likely_points < .stats.stores_in_operations' r.json >/dev/null
ok $? '--points: the true one is enough' out r.json
[ "$(found linear-bst.bug --points all)" = linear/visible-not-durable ] &&
	jq -e '.stats | .likely_points == .stores_in_operations' r.json >/dev/null
ok $? 'and all stores' out r.json
printf 'case.c:1\nnothing.c:%s\n' "$line" >points
[ "$(found linear-bst.bug --points points)" = '' ] && jq -e '.stats.likely_points == 0' r.json >/dev/null
ok $? 'and others find nothing' out r.json
[ "$(found linear-twice.fixed --all-states)" = '' ] && jq -e '.stats.tests > 20' r.json >/dev/null && [ "$(found linear-twice.bug --all-states)" = linear/visible-not-durable ]
ok $? '--all-states' out r.json

# A test makes power fail right after a store: it says so, and shows nothing that came later.
case_of linear-btree
"$perdure" linear --pm '*.pm' --schedules 1 --json r.json -q --no-grow ./linear-btree.bug >out 2>&1
id=$(jq -r 'first(.findings[] | select(.facts.after_store and (.facts.lost | not))).id' r.json)
"$perdure" replay --explain "$id" >explained 2>&1
at=$(sed -n 's/.*after a crash right after the store at \([^ ,]*\).*/\1/p' explained)
[ -n "$at" ] && sed -n '/^nothing was lost/,/^power fails/p' explained | tail -n 1 | grep -q "^power fails right after the store at $at" &&
	sed -n '/^nothing was lost/,/^power fails/p' explained | tail -n 2 | grep -q "^  $at in .*: .*store of"
ok $? 'power fails right after the store that the test is for, which is the last one shown' out explained r.json

# The store after which a thread was held has the calls that led to it, whatever was stored meanwhile.
instrument readers "$here/crashed.c" -DWRONG=7
[ "$(found readers)" = linear/visible-not-durable ] &&
	[ "$(jq -r '[.findings[].sites[] | select(.role == "store") | .stack[0].function] | unique | join(" ")' r.json)" = put ]
ok $? 'the calls that led to the store that was held' out r.json

# A reader that waits for a held writer with plain loads never yields: the meeting is given up.
instrument waits "$here/crashed.c" -DWRONG=8
timeout 60 "$perdure" linear --pm '*.pm' --schedules 1 --json r.json -q ./waits >out 2>&1
[ $? = 0 ] && jq -e '.stats.meetings_impossible > 0' r.json >/dev/null
ok $? 'an operation that waits with plain loads does not stop the tests' out r.json

# Nobody may see a mutex half taken: the thread is held when it has it.
instrument mutex "$here/crashed.c" -DWRONG=9
timeout 60 "$perdure" linear --pm '*.pm' --schedules 1 --no-grow --ops 30 --json r.json -q ./mutex >out 2>&1
[ $? = 0 ] && jq -e '.stats.meetings_impossible > 0' r.json >/dev/null
ok $? 'a thread that takes a mutex in PM is held' out r.json

# What needs neither a crash nor a second thread comes first, and alone.
instrument wrong "$here/crashed.c" -DWRONG=1
"$perdure" linear --pm '*.pm' --json r.json -q ./wrong >out 2>&1
[ "$(jq -r '[.findings[].kind] | join(" ")' r.json)" = linear/not-linearizable ] && jq -e '.findings[0].confirmed' r.json >/dev/null
ok $? 'a structure that is wrong by itself' out r.json

"$perdure" linear --pm '*.pm' --schedules 1 --jobs 1 --json one.json -q ./linear-harris.bug >out 2>&1
"$perdure" linear --pm '*.pm' --schedules 1 --jobs 5 --json five.json -q ./linear-harris.bug >out 2>&1
jq -e '.findings | length > 0' one.json >/dev/null &&
	[ "$(jq -c '[([.findings[].id] | sort), .stats.tests, .stats.meetings]' one.json)" = "$(jq -c '[([.findings[].id] | sort), .stats.tests, .stats.meetings]' five.json)" ]
ok $? 'the same with 1 and 5 jobs' one.json five.json
finish
