#!/bin/sh
# perdure linear, from the command line to the replay: the example, registers that are wrong in one way each, bad input.
. "$(dirname "$0")/../lib/run.sh"

instrument map "$top/examples/map.c" "$top/examples/map_driver.c"
instrument bug "$top/examples/map.c" "$top/examples/map_driver.c" -DBUG
line=$(grep -n 'fresh->used = 1' "$top/examples/map.c" | cut -d: -f1)

"$perdure" linear --pm '*.pm' ./map >out 2>&1
[ $? = 0 ] && grep -q '^perdure linear: clean for this workload in [0-9]* schedules\. ' out
ok $? 'the example is durably linearizable' out
"$perdure" linear --pm '*.pm' --threads 1 --ops 24 ./map a.pm >out 2>&1
[ $? = 0 ] && grep -q '^perdure linear: clean for this workload\. ' out && [ ! -e a.pm ]
ok $? 'by one thread; its pool is not made' out
"$perdure" linear --pm '*.pm' --threads 3 --ops 18 --keys 3 --seed 5 ./map >out 2>&1
ok $? 'by three threads' out
"$perdure" linear --pm '*.pm' --threads 1 --ops 6 --crashes 2 ./map >out 2>&1
ok $? 'where recovery crashes, too' out

"$perdure" linear --pm '*.pm' --explain --json r.json ./bug >out 2>&1
[ $? = 1 ] && grep -q "^linear/incompletely-durable .*: put(.*) = none returned, but its effect is gone (get(.*) = none).*: the store at map.c:$line was lost" out &&
	grep -q '^perdure linear: 1 bug\. ' out
ok $? 'a put that is not flushed' out
grep -q '^            | > T0  .*!\[\]  get(.*) = none$' out
ok $? 'the history is drawn' out
grep -q '| power fails \(right after an operation returned\|before map.c:\)' out
ok $? 'and the crash has a place' out
[ "$(jq -r '.verb, (.findings[0] | .kind, .cause, .confirmed, .facts.operation)' r.json | tr '\n' ' ')" = \
	'linear linear/incompletely-durable missing-flush true put(1, 1) = none ' ]
ok $? 'in JSON' r.json
id=$(jq -r '.findings[0].id' r.json)
"$perdure" replay "$id" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: put(.*) = none returned, but its effect is gone' out
ok $? 'it is replayed' out
"$perdure" linear --pm '*.pm' --only linear/unrecovered ./bug >out 2>&1
[ $? = 0 ]
ok $? '--only' out
"$perdure" linear --pm '*.pm' --condition buffered --threads 1 --ops 4 ./bug >out 2>&1
ok $? 'what came last may be lost, if that is the condition' out
"$perdure" linear --pm '*.pm' --condition buffered ./bug >out 2>&1
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*: put(1, 1) = none returned, but its effect is gone (get(2) = 2)' out
ok $? 'but not what came before' out
"$perdure" check --pm '*.pm' --no-torn ./bug x.pm >out 2>&1
[ $? = 1 ] && grep -q '^linear/incompletely-durable' out
ok $? 'check runs drivers, too' out

printf 'put 5 1\n@2 put 6 2\nget 5\n' >w
"$perdure" linear --pm '*.pm' --ops w ./bug >out 2>&1
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*: put(1, 1) = none returned' out
ok $? 'operations from a file' out
printf 'put 1 2\n\n\n\n\n\nget\n' >w
"$perdure" linear --pm '*.pm' --ops w ./map >out 2>&1
[ $? = 2 ] && [ "$(cat out)" = 'perdure: ./map: w: line 7: get needs argument 1' ]
ok $? 'a mistake in line 7: nothing but that' out

finds() { # WRONG kind
	instrument reg$1 "$here/crashed.c" -DWRONG="$1"
	"$perdure" linear --pm '*.pm' --threads 1 ./reg$1 >out 2>&1
	[ $? = 1 ] && [ "$(sed -n '1s/ .*//p' out)" = "$2" ]
	ok $? "$2" out
}
finds 1 linear/not-linearizable
grep -q 'even without a crash' out
ok $? 'and it says so' out
finds 2 linear/recovery-exit
finds 3 linear/recovery-abort
finds 4 linear/recovery-hang
finds 5 linear/not-persistent
read=$(grep -n '^static void get' "$here/crashed.c" | cut -d: -f1)
read=$((read + 1)) # where its body begins
[ "$(grep -c '^linear/' out)" = 1 ] && tr '\n' ' ' <out | grep -q "^linear/not-persistent .*: write([0-9]*) returned, but its effect is gone after a restart (read() = 0), although every  *store was durable: it was kept in ordinary memory, which  *crashed.c:$read read"
ok $? 'state in ordinary memory: one line, with where it was read' out

refuses() { # what, line; the rest is the command
	what=$1 line=$2
	shift 2
	"$perdure" linear --pm '*.pm' "$@" >out 2>&1
	[ $? = 2 ] && grep -q "$line" out
	ok $? "$what" out
}
refuses 'a pool and no more' "^perdure: linear: only the pool's name may follow the driver" ./map a.pm b.pm
refuses 'no driver' 'name the driver'
refuses 'no such condition' 'condition' --condition lasting ./map
instrument reg6 "$here/crashed.c" -DWRONG=6
refuses 'what cannot be opened' 'the driver cannot open it' ./reg6
instrument bad "$here/wrong.c" -DBAD=3
refuses 'a table without operations' "the driver's table has no operations" ./bad
instrument none "$here/wrong.c"
"$perdure" linear --pm '*.pm' ./none >out 2>&1
[ $? = 2 ]
ok $? 'no PM touched' out
finish
