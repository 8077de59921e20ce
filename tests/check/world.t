#!/bin/sh
# Bad input of perdure check: what it cannot follow it says, in one line.
. "$(dirname "$0")/../lib/run.sh"
cat >leave.c <<'C'
void leave_at_once(void)
{
	__asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
}
C
cc -c leave.c || exit 1
# Paths that are long are to be shown whole.
long=$(printf 'a-long-name-%.0s' 1 2 3 4 5 6 7 8 9)
mkdir -p "$long" && cp "$top/tests/check/world.c" "$long"
instrument world -pthread "$PWD/$long/world.c" leave.o

# check NAME STATUS JQ-TEST MODE OPTIONS...
check() {
	name=$1 want=$2 test=$3 mode=$4
	shift 4
	"$perdure" check --only crash --json a.json --pm '*.pm' "$@" -- ./world "$mode" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e "$test" a.json >/dev/null
	ok $? "$name (status $status)" text
}
check 'a recovery that needs a file that was never made' 1 \
	'.findings | length == 1 and .[0].cause == "recovery" and (.[0].output | contains("other.pm: No such file"))' \
	none --recover './world other'
check 'a fork whose child stores to PM' 3 '(.complete | not) and .findings == [] and .losses.child.count > 0 and
	(.losses["system-call"].examples[0] | contains("fork")) and (.limits[0] | contains("child of fork"))' fork
check 'an exec' 3 '(.complete | not) and .findings == [] and (.losses["system-call"].examples[0] | contains("/bin/true"))' exec
for how in scandir scandirat glob; do
	check "a new segment is in the list of $how" 0 '.complete' "list $how"
done
check 'ftw does not list it, so nothing is confirmed' 3 '(.complete | not) and .findings == [] and
	.losses["unmodelled-call"].count > 0 and (.limits | any(contains("does not model")))' 'list nftw'
check '/dev/urandom' 0 '.complete' random
check 'a socket' 0 '.complete' socket
check 'its own descriptors are all that it sees' 0 '.complete' descriptors
check 'traps and flags of floating point' 0 '.complete' flags
check 'holes are not modelled, so nothing is confirmed' 3 '(.complete | not) and .findings == [] and
	(.losses["unmodelled-call"].examples[0] | contains("SEEK_DATA"))' holes
check 'a file that gets its name when it is complete' 0 '.complete' nameless --only crash --pm '#*'
check 'if its temporary name is not PM, that is what to change' 3 '(.complete | not) and
	(.losses["unmodelled-call"].examples[0] | contains("name it with --pm, too"))' nameless
check 'pages that a handler opens when they are stored to' 0 '.complete' guards
check 'a pool of 1 GB' 0 '.complete and .stats.seconds < 20' big
check 'PM that is mapped and not touched' 3 '(.complete | not) and (.limits[0] | startswith("nothing was tested"))' map
check 'an end that bypasses exit' 3 '(.complete | not) and (.limits[0] | contains("bypassed normal exit"))' raw
check 'not deterministic' 3 '(.complete | not) and (.limits[0] |
	test("not deterministic.*world.c:[0-9]+ read .*w.pm[+]0x[0-9a-f]+ where before .*world.c:[0-9]+ read .*w.pm[+]0x"))' cycles
check 'threads: complete for some schedules' 0 '.complete and .scope == "for 8 schedules"' threads
grep -q 'clean for 8 schedules' text
ok $? 'and the text says so' text
check 'no threads: complete' 0 '.complete and (has("scope") | not)' none --recover './world look'

"$perdure" check --pm '*.pm' ./world plain >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "nothing that --pm '\*.pm' matches was mapped, so nothing was checked .*it mapped no file writable and shared" err
ok $? 'a program that never touches PM' err
"$perdure" check --pm '*.pm' ./world splice >out 2>err
[ $? = 2 ] && grep -q "itself exited with status 8, without any crash, after a call that perdure does not model (splice of a PM file)" err
ok $? 'a program that fails because of what perdure refuses' err
finish
