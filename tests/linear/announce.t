#!/bin/sh
# perdure linear --spec: programs with a main and threads of their own, which announce their operations (perdure.h). A map in C and
# a queue in C++, broken and fixed; from the command line to the replay; announcements that are wrong; no effect elsewhere.
. "$(dirname "$0")/../lib/run.sh"

linear() { "$perdure" linear --pm '*.pm' "$@" >out 2>&1; }
line=$(grep -n 'atomic_exchange' "$here/announce.c" | cut -d: -f1)
for bug in 0 1 2 3 4; do instrument map$bug "$here/announce.c" -DBUG=$bug; done
instrument queue "$here/announce.cc"
instrument broken "$here/announce.cc" -DBUG=1

# ---- verdicts ----

linear --spec map ./map0 a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean for this workload in [0-9]* schedules\. ' out && [ ! -e a.pm ]
ok $? 'a map in C' out
linear --spec queue ./queue a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'a queue in C++' out
instrument example "$top/examples/map.c" "$top/examples/map_test.c"
linear --spec map --schedules 4 ./example
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'the example' out
instrument bug "$top/examples/map.c" "$top/examples/map_test.c" -DBUG
linear --spec map --schedules 1 ./bug
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*: put(1, 10) = none returned, but its effect is gone (get(1) = none)' out
ok $? 'the example as the documentation shows it' out
linear --spec map --crashes 2 --schedules 2 ./map0 a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'where recovery crashes, too' out
linear --spec ordered-map --schedules 2 ./map0 a.pm scan
[ $? = 0 ] && grep -q '^perdure linear: clean ' out
ok $? 'a result with data, which is in PM' out
linear --spec ordered-map --schedules 2 ./map1 a.pm scan
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*(scan(0, 3) = 0)' out
ok $? 'that shows what is gone' out

linear --spec map --json r.json ./map1 a.pm
[ $? = 1 ] && grep -q "^linear/incompletely-durable .*: put(0, 1) = none returned, but its effect is gone (get(0) = none) after a crash right after an operation returned: the store at announce.c:$line was lost" out &&
	grep -q '^perdure linear: 1 bug\. ' out
ok $? 'a put that is not flushed' out
grep -q '^            | > T0  .*!\[\]  get(0) = none$' out && ! grep -q 'perdure\.h' out
ok $? 'the history is drawn; the crash is where the program announces' out
[ "$(jq -r '.verb, (.findings[0] | .kind, .cause, .confirmed, .facts.operation), .stats.recoveries_without_operations' r.json |
	tr '\n' ' ')" = 'linear linear/incompletely-durable missing-flush true put(0, 1) = none 0 ' ]
ok $? 'in JSON' r.json
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: put(0, 1) = none returned, but its effect is gone' out
ok $? 'it is replayed' out
linear --spec map ./map2 a.pm
[ $? = 1 ] && grep -q '^linear/visible-not-durable .*: get(0) = 1 used what another operation had written' out
ok $? 'what is read before it is durable' out
linear --spec map ./map3 a.pm
[ $? = 1 ] && sed 1q out | grep -q '^linear/not-linearizable .*: no order of the operations explains get(0) = none, even without a crash'
ok $? 'what needs no crash comes first' out
linear --spec map ./map4 a.pm
[ $? = 1 ] && grep -q '^linear/recovery-abort' out
ok $? 'a recovery that aborts' out
linear --spec queue ./broken a.pm
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*: dequeue() = 1 returned, but its effect is gone (dequeue() = 1)' out
ok $? 'a dequeue that is not flushed' out
linear --spec map --condition buffered --schedules 1 --recover './map1 a.pm read' --json r.json ./map1 a.pm
[ $? = 1 ] && grep -q '^linear/incompletely-durable .*(get(1) = 2)' out
ok $? 'of another condition, recovered by another command' out
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: .*(get(1) = 2)' out
ok $? 'they are replayed, too' out

instrument sync "$here/announce_sync.c"
linear --spec register --condition buffered ./sync a.pm
[ $? = 0 ] && grep -q '^perdure linear: clean for this workload\. ' out
ok $? 'a sync, bytes, and operations that return nothing' out
linear --spec register --condition buffered ./sync a.pm nothing
[ $? = 1 ] && grep -q '^linear/incompletely-durable' out
ok $? 'a sync that does nothing' out
grep -q '^            | > T0 .*!\[\]  read() = ' out
ok $? 'its history is shown, whatever the program prints' out
linear --spec register ./sync a.pm
[ $? = 1 ] && grep -q '^linear/incompletely-durable' out
ok $? 'without the condition all has to last' out

# ---- announcements that are wrong ----

refuses() { # what, line; the rest is the command
	what=$1 line=$2
	shift 2
	linear "$@"
	[ $? = 2 ] && [ "$(cat out)" = "perdure: $line" ]
	ok $? "$what" out
}
wrong() { # WRONG, what, line
	export WRONG=$1
	refuses "$2" "./map0: $3" --spec map ./map0 a.pm
	unset WRONG
}
ends='call pd_op_end when an operation returns, on every path'
wrong 1 'an operation in another one' "thread 1 begins 'get' while its 'put' has not ended; $ends"
wrong 2 'an end without a beginning' 'thread 2 calls pd_op_end without an operation; call pd_op_begin in the same thread before'
wrong 3 'an unknown operation' \
	"the specification 'map' has no operation 'inc'; it has put, insert, update, upsert, get, contains, remove, erase, replace, size, clear"
wrong 4 'an argument too few' "'put' has 2 arguments in the specification 'map', but was announced with 1"
wrong 9 'arguments too many' "'put' has 2 arguments in the specification 'map', but was announced with 4"
wrong 5 'an operation that does not end' "thread 2 ended inside 'put'; $ends"
wrong 8 'a mistake of recovery alone' \
	'thread 0 calls pd_op_end without an operation; call pd_op_begin in the same thread before (in recovery)'
wrong 6 'no operation' \
	'it announced no operation, so there is nothing to judge; call pd_op_begin and pd_op_end (perdure.h) around what it does'
printf '#include <perdure.h>\nint main(void) { pd_op_begin("put", 1, 2, 3, 4, 5); }\n' >many.c
"$perdure" cc many.c >out 2>&1
[ $? != 0 ] && grep -q pd_op_begin_takes_4_words_at_most out
ok $? 'five arguments do not compile' out

# It does announce some where the file was not there yet; that shows nothing of what came before the crash.
export WRONG=7
linear --spec map ./map0 a.pm
[ $? = 3 ] && grep -q 'incomplete: nothing was tested: recovery (the same command) announced no operation, or did not end by exit,' out
ok $? 'no operation in any recovery' out
export WRONG=10
linear --spec map --json r.json ./map0 a.pm
[ $? = 3 ] && grep -q 'incomplete: not all was tested: recovery (the same command) announced no operation, or did not end by exit, after some crashes,' out &&
	[ "$(jq .stats.recoveries_without_operations r.json)" -gt 0 ]
ok $? 'none in some recoveries' out
export WRONG=11
linear --spec map --schedules 1 ./map0 a.pm
[ $? = 3 ] && grep -q 'incomplete: nothing was tested: recovery (the same command) announced no operation, or did not end by exit,' out
ok $? 'recoveries that leave without coming to their end' out
unset WRONG

# ---- who names the specification ----

refuses 'announced, and no specification' "./map0: it announces operations ('get'); name their specification: perdure linear --spec NAME" ./map0
export WRONG=6
refuses 'neither announced nor a driver' \
	"./map0: it is not a driver (perdure_linear.h); a program with its own main announces its operations (pd_op_begin in perdure.h), and --spec names their specification" ./map0
unset WRONG
refuses 'no such specification' \
	"./map0: there is no specification 'mop'; --spec takes map, multimap, set, ordered-map, queue, stack, priority-queue, register, counter, array, or one that the program has (PD_LINEAR_SPEC in perdure_linear.h)" \
	--spec mop ./map0
refuses 'a workload for a program that has one' '--keys is for drivers; with --spec the program chooses its own operations' --spec map --keys 4 ./map0
instrument driver "$top/examples/map.c" "$top/examples/map_driver.c"
refuses 'a driver' './driver: it is a driver, which names its specification itself; leave out --spec' --spec map ./driver a.pm
refuses 'a driver that recovers' '--recover needs --spec: a driver is its own recovery' --recover ./driver ./driver

# ---- no effect elsewhere ----

plain native "$here/announce.c" -I"$top/include" -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic -Werror -pthread &&
	plain native++ "$here/announce.cc" -I"$top/include" -std=c++11 -Wall -Wextra -Wpedantic -Werror -pthread
./native n.pm && ./native++ q.pm && ./map0 n.pm && ./queue q.pm
ok $? 'without perdure, and alone' /dev/null
WRONG=1 ./map0 n.pm && WRONG=1 "$perdure" check --pm '*.pm' ./map0 c.pm >out 2>&1
ok $? 'in check nobody listens' out
rm -f n.pm
"$perdure" lint --pm '*.pm' ./native n.pm >out 2>&1
ok $? 'in Valgrind' out
finish
