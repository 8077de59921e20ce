#!/bin/sh
# Store buffers: litmus files as programs have the outcomes and the images that the model has, all of them and no
# others; a handshake that is right but for the buffers; runs and replays that are the same each time.
. "$(dirname "$0")/../lib/run.sh"
instrument litmus "$top/tests/check/litmus.c"

# of KIND: the set that perdure litmus prints under this name, one a line
of() {
	awk -v kind="$1" '/^  [a-z]/ { on = $1 == kind } on && /^    / { sub(/^ */, ""); print }' set | sort -u
}

# as_program FILE SCHEDULES all|some
as_program() {
	rm -f out img
	"$perdure" check -q --no-torn --schedules "$2" --pm '*.pm' --recover "./litmus image $1 x.pm $dir/img" -- \
		./litmus run "$1" x.pm "$dir/out" >text 2>&1
	status=$?
	"$perdure" litmus -s "$1" >set
	of outcomes >want
	sort -u out >got
	of images >want.img
	sort -u img >got.img
	comm -13 want got >differ && comm -13 want.img got.img >>differ
	[ $status = 0 ] && [ -s got ] && [ -s got.img ] && [ ! -s differ ]
	ok $? "$(basename "$1"): nothing that the model forbids" differ
	[ "$3" = some ] || { diff want got >differ && diff want.img got.img >>differ; }
	ok $? "$(basename "$1"): $3 that it allows, in $2 schedules" differ
}
files=0
for f in "$top"/tests/litmus/*.litmus; do
	# several threads on words with a line each, and one execution: what the program can do
	grep -q '^T1:' "$f" && ! grep -Eq '^(model|line|init|crash):' "$f" || continue
	files=$((files + 1))
	case $f in */thread-iriw.litmus) as_program "$f" 150 some ;; *) as_program "$f" 150 all ;; esac
done
[ $files -ge 30 ]
ok $? "$files litmus files are run as programs"

# The same without a seed: no store waits.
sb=$top/tests/litmus/order-write-read.litmus
"$perdure" check -q --no-torn --schedules 1 --pm '*.pm' --recover "./litmus image $sb x.pm $dir/img" -- ./litmus run "$sb" x.pm "$dir/alone" \
	>text 2>&1
[ "$(sort -u alone)" = 'r0=0 r1=1' ]
ok $? 'the default schedule has no buffers' alone

# A bug that only buffers show: found, found again, and the twin is right.
for fixed in 0 1; do
	instrument dekker$fixed -DFIXED=$fixed "$top/bugs/dekker-sfence/case.c"
done
"$perdure" check -q --json result.json --pm '*.pm' --schedules 16 ./dekker0 x.pm >text 2>&1
[ $? = 1 ] && jq -e '[.findings[] | select(.kind == "crash/recovery-abort")] | length == 1' result.json >/dev/null
ok $? 'sfence in place of mfence is found in 16 schedules' text
id=$(jq -r '.findings[0].id' result.json)
bad=0
for i in 1 2 3; do
	"$perdure" replay "$id" >out 2>&1
	[ $? = 1 ] && grep -q '^replayed: recovery aborts' out || bad=1
done
ok $bad 'replay: it fails again, three times of three' out
"$perdure" replay "$id" --explain >out 2>&1
grep -q 'case.c:[0-9]*.* in take' out
ok $? 'replay --explain: stores that waited are said to be where they were made' out
"$perdure" check -q --pm '*.pm' --schedules 300 ./dekker1 x.pm >text 2>&1
ok $? 'with mfence it is clean in 300 schedules' text

# One seed, one run.
bad=0
times=15
[ -z "$PERDURE_THOROUGH" ] || times=50
"$perdure" check -q --json first.json -j1 --pm '*.pm' --schedules 4 ./dekker0 x.pm >/dev/null 2>&1
for i in $(seq $times); do
	"$perdure" check -q --json again.json -j1 --pm '*.pm' --schedules 4 ./dekker0 x.pm >/dev/null 2>&1
	for j in first again; do
		jq -S '[.findings[] | .id, .sites] , (.stats | .crash_points, .executions, .events, .outcomes)' $j.json >$j
	done
	cmp -s first again || bad=1
done
ok $bad "$times times the same seeds: the same findings, crash points, recoveries and events" again
finish
