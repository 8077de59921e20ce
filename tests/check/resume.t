#!/bin/sh
# A run that was cut short goes on: it finds what an undisturbed one finds, and executes nothing twice.
. "$(dirname "$0")/../lib/run.sh"
instrument cut "$top/tests/check/cut.c"
cp cut twice # `cut` is made anew
# All that a result says, but where it is, and what it took.
what='del(.findings[].replay, .findings[].patch) | {complete, limits, findings, coverage, losses, points: .stats.crash_points, done: .stats.crash_points_done,
	eager: .stats.eager_states_log10, outcomes: .stats.outcomes_digest, schedules: .stats.schedules, scope}'
same() { jq -S "$what" "$1" >a && jq -S "$what" "$2" >b && diff a b >diff; }
# What the processes of a run have executed: recoveries, without those of the run before.
executed() { jq '.stats | .executions - .schedules - (.executions_before // 0)' "$1"; }

# The number of who is to be interrupted is in a file that recovery reads.
cuts() { sh -c 'echo $$ >victim; exec "$@"' - "$perdure" check "$@" >text 2>err; }

"$perdure" check --json whole.json --pm '*.pm' ./cut x.pm 10 >text 2>err
[ $? = 1 ] && jq -e .complete whole.json >/dev/null
ok $? 'from the start' text

# ^C, by the first recovery that finds a word: nearly all is left to do
for signal in 2:'^C' 15:SIGTERM; do
	CUT_BY=${signal%%:*} cuts --out cut.out --json cut.json --pm '*.pm' ./cut x.pm 10
	rm victim
	tr -s '\n ' ' ' <text | grep -q "'perdure check --resume cut.out' continues where this run stopped" && jq -e '.complete | not' cut.json >/dev/null
	ok $? "${signal#*:} says how to go on" text
	CUT_BY=${signal%%:*} "$perdure" check --resume cut.out --out more.out --json more.json >text 2>err
	[ $? = 1 ] && ! grep -q '^hint' text && same whole.json more.json
	ok $? "${signal#*:}: it ends with the same result" diff
	[ $(($(executed more.json) + $(executed cut.json) - 1)) = "$(executed whole.json)" ]
	ok $? "${signal#*:}: nothing is executed twice" more.json
done

# Cut again and again.
cuts --out 0.out --json 0.json --pm '*.pm' ./cut x.pm 10
for n in 1 2 3; do
	cuts --resume $((n - 1)).out --out $n.out --json $n.json
done
[ "$(jq .complete [0-3].json | sort -u)" = false ] && [ "$(executed 3.json)" -gt 0 ]
ok $? 'several times' text
rm victim
"$perdure" check --resume 3.out --out 4.out --json 4.json >text 2>err
n=4
same whole.json 4.json && [ "$(jq .stats.executions_before 4.json)" -gt "$(jq .stats.executions_before 3.json)" ]
ok $? 'several times, and to the end' diff
"$perdure" check --resume $n.out >text 2>err
[ $? = 2 ] && grep -q "has nothing to go on with" err
ok $? 'a run that is at its end has nothing left' err

# Threads: in the middle of the schedules; those that follow are as many as they would have been.
"$perdure" check --json whole.json --pm '*.pm' ./cut x.pm 6 threads >text 2>err
cuts --out cut.out --json cut.json --pm '*.pm' ./cut x.pm 6 threads
rm victim
jq -e '(.complete | not) and .stats.resumable == 1 and .stats.schedules == 1' cut.json >/dev/null
ok $? 'threads: cut' text
"$perdure" check --resume cut.out --json more.json >text 2>err
same whole.json more.json && jq -e '.stats.schedules >= 8' more.json >/dev/null
ok $? 'threads: the same schedules, the same result' diff

# Other circumstances: what was known is not true of them.
cuts --out cut.out --pm '*.pm' ./cut x.pm 10
rm victim
refuses() {
	name=$1 word=$2
	shift 2
	"$@" >text 2>err
	[ $? = 2 ] && grep -q -e "--resume: $word: this is not as it was" err
	ok $? "refused: $name" err
}
refuses 'another variable' 'the variable MINE' env MINE=1 "$perdure" check --resume cut.out
refuses 'another option' '--seed' "$perdure" check --resume cut.out --seed 3
refuses 'another argument' 'the program and its arguments' "$perdure" check --resume cut.out --pm '*.pm' ./cut x.pm 9
refuses 'another input' 'standard input' sh -c 'echo x | "$0" check --resume cut.out --pm "*.pm" ./cut x.pm 10' "$perdure"
mkdir elsewhere
(cd elsewhere && ln -s ../cut . && "$perdure" check --resume ../cut.out >../text 2>../err)
[ $? = 2 ] && grep -q 'the current directory' err
ok $? 'refused: another directory' err
echo 1 >x.pm
refuses 'a PM file that is there now' "the file .*x.pm" "$perdure" check --resume cut.out
rm x.pm
cp cut.out/state state
dd if=state of=cut.out/state bs=1000 count=100 status=none
"$perdure" check --resume cut.out >text 2>err
[ $? = 2 ] && grep -q "is not whole" err
ok $? 'refused: half of a file' err
cp state cut.out/state
instrument cut "$top/tests/check/cut.c" -DOTHER
refuses 'another program' 'the .* .*cut' "$perdure" check --resume cut.out

# Several crashes in a row: recoveries that may crash in turn are executed again, those that follow are known. How many crash
# points those have that are executed depends on which of them come first.
what="$what | del(.points, .eager)"
"$perdure" check --crashes 2 --json whole.json --pm '*.pm' ./twice x.pm 5 repair >text 2>err
cuts --crashes 2 --out 0.out --json 0.json --pm '*.pm' ./twice x.pm 5 repair
grep -q "'perdure check --resume 0.out' continues" text && jq -e '(.complete | not) and .stats.resumable == 1' 0.json >/dev/null
ok $? 'several crashes: cut' text
cuts --resume 0.out --out 1.out --json 1.json
rm victim
"$perdure" check --resume 1.out --out 2.out --json 2.json >text 2>err
same whole.json 2.json
ok $? 'several crashes: the same result' diff
[ "$(executed 2.json)" -lt "$(executed whole.json)" ]
ok $? 'and some of it was known' 2.json
"$perdure" check --resume 2.out >text 2>err
[ $? = 2 ] && grep -q 'has nothing to go on with' err
ok $? 'and then nothing is left' err
refuses 'another number of crashes' '--crashes' "$perdure" check --resume 1.out --crashes 3

# What is not kept is not offered.
for option in --eager --no-incremental; do
	"$perdure" check -q $option --out one.out --pm '*.pm' ./cut x.pm 2 >text 2>err
	"$perdure" check --resume one.out >text 2>err
	[ $? = 2 ] && grep -q -e "--resume: a run with $option cannot be continued" err
	ok $? "nor with $option" err
done
"$perdure" check -q --random 2 --out one.out --pm '*.pm' ./cut x.pm 2 >text 2>err
"$perdure" check --resume one.out >text 2>err
[ $? = 2 ] && grep -q 'to sample more, run it again with another --seed' err
ok $? 'nor with --random' err
finish
