#!/bin/sh
# Several jobs find what one finds, and what a killed process was at is done again.
. "$(dirname "$0")/../lib/run.sh"
instrument killer "$top/tests/check/killer.c"
for s in clht cceh fastfair; do
	instrument $s-right -w -pthread -DBUG=0 "$top/bugs/structures/$s.c"
	instrument $s-wrong -w -pthread -DBUG=3 "$top/bugs/structures/$s.c"
done

# What came of it, without what may differ: where the work was done, and how long that took.
summary='[.complete, .stats.crash_points, .stats.outcomes, .stats.outcomes_digest,
	([.findings[] | [.id, .kind, .cause, [.sites[] | [.role, .file, .line]]]] | sort)]'

# run FILE OPTIONS... PROGRAM...
run() {
	to=$1
	shift
	"$perdure" check -q --out out --json result.json --pm '*.pm' "$@" >text 2>err
	rm -rf out
	jq -c "$summary" result.json >"$to"
}

# same NAME OPTIONS... PROGRAM...
same() {
	name=$1
	shift
	run one -j1 "$@"
	jq '.stats.executions' result.json >executions
	for j in 2 5; do
		run several -j$j "$@"
		cmp -s one several
		ok $? "$name: $j jobs find what one finds" one several
	done
	[ "$(jq .stats.jobs result.json)" = 5 ]
	ok $? "$name: the report has the number of jobs"
}
for s in clht cceh fastfair; do
	same "$s" ./$s-right x.pm 10 1
	[ "$(jq .stats.executions result.json)" = "$(cat executions)" ]
	ok $? "$s: each recovery is executed once" executions result.json
	same "$s with a bug" ./$s-wrong x.pm 10 1
done
same 'two threads, three schedules' --schedules 3 ./clht-right x.pm 8 2
same 'two crashes' --crashes 2 ./clht-wrong x.pm 3 1
same 'no increments' --no-incremental ./cceh-right x.pm 4 1

instrument wide "$top/tests/check/wide.c"
for jobs in 1 2; do
	run wide -j$jobs --time-limit 4s ./wide x.pm
	jq -e '(.complete | not) and ([.findings[] | select(.kind == "crash/recovery-exit")] | length) == 1' result.json >/dev/null
	ok $? "$jobs jobs: a crash point with too many states does not hide what comes after it" result.json
done

run undisturbed ./killer nobody x.pm marker
# Its system calls, of which perdure must not know, are all that is not understood
jq -e '.limits == [] and (.losses | keys) == ["inline-asm"] and (.findings | length) == 1' result.json >/dev/null
ok $? 'the program that kills has one bug' result.json
for jobs in 1 2; do
	for who in self zygote walker first; do
		[ $jobs$who = 1walker ] && continue # with one job nobody is split off
		rm -f marker
		run killed -j$jobs ./killer $who x.pm marker
		[ -e marker ] && cmp -s undisturbed killed
		ok $? "$jobs jobs, killed: $who; found all the same" undisturbed killed err
	done
done
finish
