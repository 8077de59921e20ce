#!/bin/sh
# perdure check: each way in which a recovery can end badly, and good ones.
. "$(dirname "$0")/../lib/run.sh"
instrument cases "$top/tests/check/cases.c"
head -c 4096 /dev/zero >zero.pm
sum=$(cksum <zero.pm)

# check NAME STATUS JQ-TEST MODE OPTIONS...
check() {
	name=$1 want=$2 test=$3 mode=$4
	shift 4
	rm -rf perdure.out
	"$perdure" check --json result.json --pm '*.pm' "$@" -- ./cases "$mode" new.pm >text 2>err
	status=$?
	[ $status = "$want" ]
	ok $? "$name: status $want (was $status)" text
	jq -e "$test" result.json >/dev/null
	ok $? "$name: $test" result.json
}
line() { grep -n "/\\* $1 \\*/" "$top/tests/check/cases.c" | cut -d: -f1; }
one='.complete and (.findings | length) == 1 and .findings[0].confirmed and .findings[0].kind =='
check 'nothing wrong' 0 '.complete and .findings == [] and .stats.crash_points > 3' none
check 'a signal' 1 "$one \"crash/recovery-signal\" and (.findings[0].message | contains(\"signal 11\"))" signal
check 'a recursion without end' 1 "$one \"crash/recovery-signal\" and (.findings[0] | (.message | startswith(\"recovery runs out of stack (signal 11\")) and
	.facts.out_of_stack and ([.sites[] | select(.role == \"fail\") | [.line, .stack[].line]] == [[$(line once), $(line twice)]] or
	[.sites[] | select(.role == \"fail\") | [.line, .stack[].line]] == [[$(line twice), $(line once)]]))" recurse
check 'an abort' 1 "$one \"crash/recovery-abort\" and .findings[0].output == \"found the commit\\n\"" abort
check 'an assertion' 1 "$one \"crash/recovery-abort\" and (.findings[0].output | contains(\"Assertion\"))" assert
check 'an exit status' 1 "$one \"crash/recovery-exit\" and (.findings[0].message | contains(\"status 7\"))" exit
check 'an exit status that is right' 0 '.complete and .findings == []' exit --ok-exit 0,7
check 'a loop' 1 "$one \"crash/recovery-hang\" and .findings[0].cause == \"recovery\"" hang
check 'a loop without events' 1 "$one \"crash/recovery-hang\"" spin --hang 500ms
check 'a deadlock' 1 "$one \"crash/recovery-deadlock\"" deadlock
check 'pd_check' 1 "$one \"crash/check-failed\" and (.findings[0] | (.message | contains(\"p->commit == 2 (cases.c:\")) and any(.sites[]; .role == \"check\" and .function == \"recover\"))" check
check 'a recovery that branches after a failed check' 1 "$one \"crash/check-failed\" and
	(.findings[0].sites | all(.line != $(line unneeded)))" 'missing, check' --jobs 1
# Who is to flush what another thread makes durable: not the one that stores.
check 'made durable by another thread, too late' 1 "$one \"crash/recovery-exit\" and .findings[0].cause == \"order\" and
	(.findings[0].fix | startswith(\"let thread 1 flush and fence (at \") and contains(\"what cases.c:$(line helped) stores\") and
	contains(\"before its own store at cases.c:$(line said), \"))" helped
check 'trusted before another thread makes it durable' 1 "$one \"crash/recovery-exit\" and
	(.findings[0].fix | startswith(\"delay the store at cases.c:$(line trusted), \") and contains(\"until thread 1 has made\"))" helped-late
check 'a clock' 0 '.complete and .findings == []' clock
check 'two crashes' 0 '.complete and .findings == []' none --crashes 2
# What the recovery that fails itself has stored is found by the next one, which fails in another way.
check 'two crashes, and both recoveries fail' 1 '.complete and (.findings | length) == 2 and all(.findings[]; .confirmed) and
	any(.findings[]; (.message | contains("status 6")) and any(.sites[]; .role == "caller" and .line == '"$(line stored)"'))' \
	'exit, and again' --crashes 2
check 'eADR' 0 '.complete and .findings == []' none --model eadr
for model in adr eadr; do
	cp zero.pm old.pm
	"$perdure" check -q --model $model --pm '*.pm' --recover './cases filled old.pm' ./cases none old.pm >text 2>&1
	[ $? = 1 ]
	ok $? "$model: power fails before the first store, too" text
	rm old.pm
done
check 'the time is over' 3 '(.complete | not) and .findings == [] and (.limits | length) > 0' spin --time-limit 300ms
! ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q " $(pwd -P)/cases\$"
ok $? 'the time is over: no process is left'
mkfifo gone
sh -c 'KILL=$$ exec "$@"' - "$perdure" check -q --pm '*.pm' ./cases spin new.pm >/dev/null 2>&1 9>gone &
exec 8<gone # from now on all of them have the other end
wait $! 2>/dev/null
timeout 60 cat <&8
ok $? 'kill -9 of the tool: no process is left'
exec 8<&-
check 'another recovery' 1 "$one \"crash/recovery-exit\"" none --recover './cases exit new.pm'

# Programs that are right, and once were not taken for it.
instrument right "$top/tests/check/right.c"
right() {
	name=$1
	shift
	"$perdure" check -q --pm '*.pm' "$@" >text 2>err
	ok $? "right: $name" text
}
right 'a file is deleted and made again' ./right unlink
right 'a file replaces another by rename' --crashes 2 ./right rename
right 'addresses of ordinary memory' -j1 ./right addresses
right 'addresses of ordinary memory, two jobs' -j2 ./right addresses
right 'two files' --crashes 2 ./right two
right 'many lines pending, and a large pool' ./right big
echo hello | "$perdure" check -q --json a.json --pm '*.pm' ./right input >text 2>err
[ $? = 1 ] && jq -e '.findings[0].kind == "crash/recovery-exit"' a.json >/dev/null
ok $? 'every execution reads the same standard input' text
"$perdure" check -q --hang 300ms --time-limit 2s --pm '*.pm' ./right wide >text 2>err
[ $? = 3 ] && grep -q 'no bug found, but incomplete' text
ok $? 'a recovery that waits for its branches does not hang' text
sh -c 'CUT=$$ exec "$@"' - "$perdure" check -q --pm '*.pm' ./right wide >text 2>err
grep -q 'incomplete: interrupted' text
ok $? '^C keeps what was found' text

# Replay
"$perdure" check -q --pm '*.pm' ./cases abort new.pm >/dev/null
id=$(jq -r '.findings[0].id' perdure.out/last/result.json)
"$perdure" replay "$id" >out 2>err
[ $? = 1 ] && grep -q '^replayed: recovery aborts' out && grep -q 'found the commit' out
ok $? 'a replay fails again' out
"$perdure" check -q --pm '*.pm' ./cases abort new.pm >/dev/null
[ "$id" = "$(jq -r '.findings[0].id' perdure.out/last/result.json)" ]
ok $? 'the id is the same in every run'
"$perdure" replay 0123456789 >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ]
ok $? 'a replay of what is not there' err

# The same with and without what earlier crash points have shown.
for mode in none abort exit check; do
	"$perdure" check -q --json a.json --pm '*.pm' ./cases $mode new.pm >/dev/null
	"$perdure" check -q --no-incremental --json b.json --pm '*.pm' ./cases $mode new.pm >/dev/null
	[ "$(jq -c '[.findings[].id]' a.json)" = "$(jq -c '[.findings[].id]' b.json)" ]
	ok $? "$mode: the same findings without increments"
	[ "$(jq .stats.executions a.json)" -le "$(jq .stats.executions b.json)" ]
	ok $? "$mode: not more executions with them"
done

# Bad input
bad() {
	name=$1 want=$2 pattern=$3
	shift 3
	"$@" >out 2>err
	status=$?
	[ $status = "$want" ] && [ "$(grep -c '^perdure:' err)" = 1 ] && grep -Eq -- "$pattern" err
	ok $? "$name (status $status)" err
}
bad 'no program' 2 'name the program' "$perdure" check
bad 'no PM' 2 "name the program's PM files" "$perdure" check ./cases none plain
rm -f plain
bad 'a glob that matches nothing' 2 "nothing that --pm 'q\*' matches" "$perdure" check --pm 'q*' ./cases none plain
rm -f plain
bad 'the program fails by itself' 2 'itself exited with status 2' "$perdure" check --pm '*.pm' ./cases
bad 'a bad list' 2 'ok-exit takes' "$perdure" check --ok-exit 1,x --pm '*.pm' ./cases none x.pm
bad 'a recovery that is not there' 2 "cannot run './nothere'" "$perdure" check --recover ./nothere --pm '*.pm' ./cases none x.pm
"$perdure" check -q --pm '*.pm' ./cases none zero.pm >/dev/null
[ "$sum" = "$(cksum <zero.pm)" ]
ok $? "the user's file is as before"
[ "$(ls *.pm)" = zero.pm ] && [ ! -e core ]
ok $? 'no file was made'
finish
