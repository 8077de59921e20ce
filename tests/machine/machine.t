#!/bin/sh
# machine.t - ordinary machines that differ from the developer's: limits, containers, no /proc. TAP.
#
# Each of them must give the same result, or one line that says what is missing.
. "$(dirname "$0")/../lib/run.sh"
cc -O1 -Wall -o deny "$top/tests/machine/deny.c" || exit 1
instrument good "$top/examples/notes.c"
instrument bad -DBUG "$top/examples/notes.c"

# runs NAME [COMMAND...]: a clean program is clean and a bad one has its finding, when COMMAND starts perdure
runs() {
	name=$1
	shift
	"$@" "$perdure" check --jobs 2 --only crash --out o --pm '*.pm' ./good my.pm a b >text 2>&1
	status=$?
	[ $status = 0 ] && grep -q '^perdure check: clean' text
	ok $? "$name: clean (status $status)" text
	"$@" "$perdure" check --jobs 2 --only crash --out o --json a.json --pm '*.pm' ./bad my.pm a b >text 2>&1
	status=$?
	[ $status = 1 ] && jq -e '.complete and (.findings | length == 1) and .findings[0].confirmed' a.json >/dev/null
	ok $? "$name: a finding (status $status)" text
}

# doctor NAME STATUS PATTERN [COMMAND...]
doctor() {
	name=$1 want=$2 pattern=$3
	shift 3
	"$@" "$perdure" doctor >text 2>&1
	status=$?
	[ $status = "$want" ] && grep -qE "$pattern" text
	ok $? "doctor: $name (status $status)" text
}

# refuses NAME STATUS PATTERN [COMMAND...]: one line
refuses() {
	name=$1 want=$2 pattern=$3
	shift 3
	"$@" "$perdure" check --out o --pm '*.pm' ./good my.pm a b >text 2>&1
	status=$?
	[ $status = "$want" ] && [ "$(wc -l <text)" = 1 ] && grep -qE "$pattern" text
	ok $? "$name (status $status)" text
}

doctor 'this machine' 0 '^stack  *ok '
runs 'this machine' env

# ---- limits --------------------------------------------------------------------------------------
limit() { # ARGUMENTS-OF-ULIMIT COMMAND...
	what=$1
	shift
	sh -c "ulimit $what && exec \"\$@\"" sh "$@"
}
runs 'ulimit -s unlimited' limit '-s unlimited'
doctor 'an unlimited stack' 0 '^stack  *worked around  *unlimited' limit '-s unlimited'
runs 'ulimit -s of 20 TB' limit '-s 20000000000'
runs 'ulimit -n 256' limit '-n 256'
runs 'ulimit -n 900, that can be raised' limit '-S -n 900'
runs 'ulimit -n 256 that can be raised' limit '-S -n 256'
runs 'ulimit -n 64' limit '-n 64'
doctor 'few files' 0 '^files  *worked around  *256 ' limit '-n 256'
refuses 'ulimit -n 24' 4 '^perdure: only 24 files may be open here, .*ulimit -n' limit '-n 24'
doctor 'too few files' 4 '^files  *not possible  *only 24 files' limit '-n 24'
refuses 'ulimit -v' 4 '^perdure: virtual memory is limited to .*ulimit -v unlimited' limit '-v 8000000'
doctor 'a limit on virtual memory' 4 '^address space  *not possible  *virtual memory is limited' limit '-v 8000000'
runs 'ulimit -v that can be raised' limit '-S -v 8000000'
runs 'ulimit -f that can be raised' limit '-S -f 100'

# Limits on processes are for users other than root; nobody else has this number.
few() { # HOW-MANY COMMAND...
	many=$1
	shift
	rm -rf o a.json
	# Without a second look (PERDURE_AUDIT): that takes processes of its own.
	PERDURE_AUDIT=0 setpriv --reuid=61234 --regid=61234 --clear-groups --inh-caps=+dac_override \
		--ambient-caps=+dac_override prlimit --nproc="$many:$many" "$@"
}
if few 8 true 2>/dev/null; then
	chmod 777 .
	runs 'ulimit -u 8' few 8
	refuses 'ulimit -u 4' 4 '^perdure: no more processes can be started here \(ulimit -u\), not even for one job; raise the limit' \
		few 4
	doctor 'few processes' 0 '^processes  *worked around  *only 9 more can be started' few 10
	doctor 'too few processes' 4 '^processes  *not possible  *only 3 more can be started' few 4
	# A thread that could not be made is not the program's failure, nor a recovery that is not deterministic.
	instrument threads -pthread "$top/tests/machine/threads.c"
	few 8 "$perdure" check --jobs 4 --only crash --out o --pm '*.pm' ./threads >text 2>&1
	status=$?
	[ $status = 0 ] && grep -q '^perdure: no more processes can be started here (ulimit -u), so --jobs was ' text
	ok $? "ulimit -u 8, with threads: fewer jobs (status $status)" text
	few 6 "$perdure" check --jobs 4 --only crash --out o --pm '*.pm' ./threads >text 2>&1
	status=$?
	[ $status = 4 ] && [ "$(wc -l <text)" = 1 ] && grep -q 'not even for one job' text
	ok $? "ulimit -u 6, with threads: refused (status $status)" text
	few 1 "$perdure" trace --pm '*.pm' ./threads >text 2>&1
	status=$?
	[ $status = 4 ] && grep -q 'ulimit -u' text
	ok $? "ulimit -u 1: trace (status $status)" text
	few 2 "$perdure" trace --pm '*.pm' ./threads >/dev/null 2>text
	status=$?
	[ $status = 4 ] && grep -q 'no more threads can be started here; raise the limit (ulimit -u)' text
	ok $? "ulimit -u 2: trace of threads (status $status)" text
else
	skip 'few processes' 'setpriv is not permitted'
fi

# ---- memory --------------------------------------------------------------------------------------
runs 'memory that counts before it is used' ./deny commit --
instrument large "$top/tests/machine/large.c"
./deny commit -- "$perdure" check --only crash --out o --pm '*.pm' ./large >text 2>&1
status=$?
[ $status = 4 ] && [ "$(wc -l <text)" = 1 ] && grep -q "no memory for a second copy of the PM files .*perdure doctor" text
ok $? "and too little of it for a large PM file: one line (status $status)" text

# PM files there are copied, and nothing of ours is.
mkdir shm
if unshare -m mount -t tmpfs -o size=1m none shm 2>/dev/null; then
	unshare -m sh -c "mount -t tmpfs -o size=1m none shm && mount --bind shm /dev/shm && TMPDIR=/dev/shm && export TMPDIR && \
		exec '$perdure' check --only crash --out o --pm '*.pm' ./large /dev/shm/large.pm" >text 2>&1
	status=$?
	[ $status = 0 ]
	ok $? "1 MB of /dev/shm, and a PM file of 1 GB in it (status $status)" text
else
	skip 'a small /dev/shm' 'mounts are not permitted'
fi

# ---- places --------------------------------------------------------------------------------------
runs 'without HOME' env -u HOME
runs 'with an empty environment' env -i PATH="$PATH"

mkdir ro tmp
if unshare -m mount -t tmpfs none ro 2>/dev/null; then
	unshare -m sh -c "mount -t tmpfs none ro && cd ro && mount -o remount,ro none . && \
		TMPDIR='$dir/tmp' exec '$perdure' check --only crash --pm '*.pm' ../bad ../my.pm a b" >text 2>err
	status=$?
	at=$(sed -n 's/^perdure: cannot write to this directory (Read-only file system): the result goes to \([^;]*\);.*/\1/p' err)
	[ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && [ -f "$at/result.json" ] && grep -qF -- "--out $at" text
	ok $? "a read-only directory: the result is elsewhere (status $status)" err
	doctor 'a read-only directory' 0 '^results  *worked around' \
		unshare -m sh -c 'mount -t tmpfs none ro && cd ro && mount -o remount,ro none . && exec "$@"' sh
else
	skip 'a read-only directory' 'mounts are not permitted'
fi

# ---- the kernel ----------------------------------------------------------------------------------
# An execution that has ended was waited for as long as one that hangs.
timeout 90 ./deny pidfd -- "$perdure" check --only crash --hang 100s --out o --pm '*.pm' ./good my.pm a b >text 2>&1
status=$?
[ $status = 0 ]
ok $? "no pidfd_open (status $status)" text
doctor 'no pidfd_open' 0 '^waiting  *worked around' ./deny pidfd --
doctor 'no seccomp' 0 '^traps  *worked around' ./deny seccomp --
runs 'no seccomp' ./deny seccomp --

# As docker has it: addresses are random, and all executions must have the same ones.
runs 'no personality()' ./deny personality --
doctor 'no personality()' 0 '^addresses  *worked around  *are random here' ./deny personality --
instrument address "$top/tests/machine/address.c"
for recover in '' ./address; do
	./deny personality -- "$perdure" check --jobs 2 --only crash --out o ${recover:+--recover $recover} --pm '*.pm' ./address \
		>text 2>&1
	status=$?
	if [ -z "$recover" ]; then
		[ $status = 0 ]
		ok $? "no personality(): a program that depends on its addresses (status $status)" text
	else
		! grep -q 'not deterministic' text
		ok $? "no personality(): a recovery that depends on its addresses (status $status)" text
	fi
done

if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
	without_proc() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"; }
	runs 'no /proc' without_proc
	doctor 'no /proc' 0 '^/proc  *worked around' without_proc
	for verb in lint lockset trace; do
		"$perdure" $verb --pm '*.pm' ./bad my.pm a b >text 2>&1
		want=$?
		without_proc "$perdure" $verb --pm '*.pm' ./bad my.pm a b >text 2>&1
		status=$?
		[ $status = $want ]
		ok $? "no /proc: $verb (status $status, with it $want)" text
	done
	without_proc "$perdure" lint --pm '*.pm' /bin/true >text 2>&1
	status=$?
	[ $status = 4 ] && grep -q '^perdure: there is no /proc here, and Valgrind needs it' text
	ok $? "no /proc: Valgrind is refused (status $status)" text
	without_proc "$perdure" cc -g -o again "$top/examples/notes.c" >text 2>&1
	ok $? 'no /proc: cc' text
	instrument input "$top/tests/machine/input.c"
	echo 'to be stored' | without_proc "$perdure" check --only crash --out o --pm '*.pm' ./input >text 2>&1
	status=$?
	[ $status = 0 ]
	ok $? "no /proc: each execution reads standard input from its start (status $status)" text
else
	skip 'no /proc' 'mounts are not permitted'
fi
finish
