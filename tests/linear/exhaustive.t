#!/bin/sh
# perdure linear --exhaustive: all schedules with few preemptions, as many as a naive enumeration has, and all crash states.
. "$(dirname "$0")/../lib/run.sh"

# naive A B PREEMPTIONS: schedules of two threads that stop at A and B places where the other one may go on
naive() {
	perl -e 'our ($a, $b, $bound) = @ARGV;
		sub at { # a thread is at the first of $mine places; the other one comes to $others places when it goes on
			my ($mine, $others, $p) = @_;
			my $n = $mine > 1 ? at($mine - 1, $others, $p) : 1;
			return $n if $p == $bound;
			return $n + ($others ? at($others, $mine - 1, $p + 1) : 1);
		}
		print at($a, $b, 0) + at($b, $a, 0), "\n";' "$@"
}

# schedules PREEMPTIONS: as many as were run
schedules() {
	"$perdure" linear --pm '*.pm' --exhaustive --preemptions "$1" --ops w --json r.json -q ./steps >out 2>&1
	jq -r 'if .complete then .stats.schedules else "incomplete" end' r.json
}

# One set stops where it is called, before its store and before its flush.
instrument steps "$here/steps.c"
printf 'set 1 5\n@2 set 2 6\n' >w
for n in 0 1 2 3; do
	[ "$(schedules $n)" = "$(naive 3 3 $n)" ]
	ok $? "two sets, $n preemptions: $(naive 3 3 $n) schedules" out r.json
done
printf 'set 1 5\nset 3 5\n@2 set 2 6\n' >w
[ "$(schedules 2)" = "$(naive 6 3 2)" ]
ok $? "three sets: $(naive 6 3 2) schedules" out r.json

for fixed in 0 1; do
	instrument harris$fixed "$top/bugs/linear-harris/case.c" -I"$top/bugs" -DFIXED=$fixed
done
printf 'add 1\nremove 1\n@2 contains 1\n' >w
"$perdure" linear --pm '*.pm' --exhaustive --ops w --json r.json ./harris0 >out 2>&1
[ $? = 1 ] && jq -e '[.findings[] | select(.confirmed and .kind == "linear/visible-not-durable" and .witness.schedule.policy == "bounded")] | length > 0' r.json >/dev/null
ok $? 'what is wrong is found' out r.json
! grep -q 'durably linearizable for' out
ok $? 'and not called right' out
"$perdure" replay "$(jq -r '[.findings[] | select(.kind == "linear/visible-not-durable")][0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: contains(1) = 0 used what another operation had written' out
ok $? 'its schedule is replayed' out
"$perdure" linear --pm '*.pm' --exhaustive --ops w --json r.json ./harris1 >out 2>&1
[ $? = 0 ] && tr '\n' ' ' <out | grep -q "durably linearizable for this workload in $(jq .stats.schedules r.json)  *schedules with up to 2 preemptions, in all crash states"
ok $? 'what is right is said to be right for this workload' out r.json
"$perdure" linear --pm '*.pm' --exhaustive --ops w --schedules 5 ./harris1 >out 2>&1
[ $? = 3 ] && tr '\n' ' ' <out | grep -q 'at least [0-9]* schedules were not tried' && ! grep -q 'durably linearizable' out
ok $? 'not where schedules were left out' out
"$perdure" linear --pm '*.pm' --exhaustive --threads 8 --ops 32 --schedules 1 ./steps >out 2>&1
[ $? = 3 ] && tr '\n' ' ' <out | grep -q 'the workload is too large  *for --exhaustive' && ! grep -q 'durably linearizable' out
ok $? 'nor where the workload is too large for it' out
"$perdure" linear --pm '*.pm' --ops w ./harris1 >out 2>&1
[ $? = 0 ] && grep -q '^perdure linear: clean for this workload' out
ok $? 'nor without --exhaustive' out
instrument test "$top/examples/map.c" "$top/examples/map_test.c"
"$perdure" linear --pm '*.pm' --spec map --exhaustive --preemptions 0 ./test >out 2>&1
[ $? = 0 ] && tr '\n' ' ' <out | grep -q 'durably linearizable for this workload in [0-9]*  *schedules*  *with up to 0 preemptions'
ok $? 'a program that announces its operations' out
finish
