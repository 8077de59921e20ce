#!/bin/sh
# Drivers run alone: real threads, and a verdict. The example map, in C and as C++; structures that are wrong; drivers that are.
. "$(dirname "$0")/../lib/run.sh"

instrument map "$top/examples/map.c" "$top/examples/map_driver.c"
./map --threads 4 --ops 100000 pool.pm >out 2>&1
[ $? = 0 ] && grep -q '^linearizable: [0-9]* operations of 4 threads, seed 1$' out
ok $? 'the example is linearizable' out
rm -f pool.pm
./map --threads 8 --ops 20000 --keys 20 --seed 7 pool.pm >out 2>&1
ok $? 'with few keys, too' out
./map pool.pm >out 2>&1
[ $? = 2 ] && grep -qx 'perdure linear: pool.pm already exists: a stress test starts with a new file' out
ok $? 'a pool that is there is left alone' out
[ "$(wc -l <"$top/examples/map_driver.c")" -le 40 ]
ok $? 'a driver takes 40 lines or fewer'

# Nothing is missing in the example, and something is with -DBUG
"$perdure" lint --pm '*.pm' ./map --ops 50 --keys 10 lint.pm >out 2>&1
ok $? 'the example flushes what it stores' out
instrument bug "$top/examples/map.c" "$top/examples/map_driver.c" -DBUG
"$perdure" lint --pm '*.pm' ./bug --ops 50 --keys 10 lint.pm >out 2>&1
[ $? = 1 ] && grep -q '^lint/missing-flush .*map\.c' out
ok $? 'with -DBUG it does not' out

# From a file of operations
rm -f pool.pm
printf '# by hand\nput 1 2\n@2 get 1\n@3 remove 1\n' >w
./map --ops w pool.pm >out 2>&1
[ $? = 0 ] && grep -q '^linearizable: 4 operations of 3 threads' out
ok $? 'a workload from a file' out
printf 'put 1 2\n\n\n\n\n\nget\n' >w
./map --ops w none.pm >out 2>&1
[ $? = 2 ] && grep -qx 'perdure linear: w: line 7: get needs argument 1' out
ok $? 'a mistake in line 7' out

# What is wrong is shown
instrument queue "$top/tests/linear/wrong.c"
./queue --threads 1 --ops 50 q.pm >out 2>&1
[ $? = 1 ] && grep -q '^not linearizable: dequeue() = .* by thread 1: no order of the operations explains it$' out &&
	grep -q '^By the specification it returns:$' out && grep -q '^> T1 ' out
ok $? 'a queue that forgets' out
instrument race "$top/tests/linear/wrong.c" -DRACE
status=0
for seed in 1 2 3 4 5; do # threads that never meet show nothing
	./race --threads 4 --ops 2000 --seed $seed r.pm >out 2>&1
	status=$?
	[ $status = 0 ] || break
done
[ $status = 1 ]
ok $? 'increments that race' out

# Drivers that are wrong: one line, status 2
refuses() { # BAD line
	instrument bad "$top/tests/linear/wrong.c" -DBAD="$1"
	./bad b.pm >out 2>&1
	[ $? = 2 ] && [ "$(cat out)" = "perdure linear: $2" ]
	ok $? "$2" out
}
refuses 1 "the specification 'queue' has no operation 'enqueu'"
refuses 2 "'enqueue' has another number of arguments in the specification 'queue'"
refuses 3 "the driver's table has no operations"
refuses 4 "there is no specification 'cue'"

# The example of docs/specifications.md compiles as C and as C++, and runs
sed -n '/^```c$/,/^```$/{/^```/!p;}' "$top/docs/specifications.md" >own.c
cp own.c own.cc
instrument own own.c
./own --threads 3 --ops 2000 o.pm >out 2>&1
[ $? = 0 ] && grep -q '^linearizable' out
ok $? "one's own specification, by the example of the documentation" out
instrument ownxx own.cc
./ownxx --threads 3 --ops 2000 p.pm >out 2>&1
ok $? 'the same in C++' out
finish
