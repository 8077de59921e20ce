#!/bin/sh
# Programs that can never end are told so, with who waits for what.
. "$(dirname "$0")/lib.sh"

# stuck NAME STATUS TEXT
stuck()
{
	run default 1 stuck "$1"
	sed -i 's/0x[0-9a-f]*/LOCK/g' "$tmp/out"
	grep -qx "perdure: $3" "$tmp/out" && grep -qx "status $2" "$tmp/out"
	r=$?
	ok $r "$1"
	[ $r = 0 ] || again default 1 "stuck $1"
}

stuck abba 75 'deadlock: thread 0 waits to join thread 1; thread 1 waits for mutex LOCK held by thread 2; thread 2 waits for mutex LOCK held by thread 1'
stuck self 75 'deadlock: thread 0 waits for mutex LOCK held by thread 0'
stuck lost-signal 75 'deadlock: thread 0 waits for condition variable LOCK'
stuck orphan 75 'deadlock: thread 0 waits for mutex LOCK held by thread 1, which has ended'
stuck pm-normal 75 'deadlock: thread 0 waits for mutex LOCK, which was locked before this execution started'
stuck pm-recursive 75 'deadlock: thread 0 waits for mutex LOCK, which was locked before this execution started'
stuck main-left 75 'deadlock: thread 0 has ended and waits for the others; thread 1 waits for mutex LOCK held by thread 0, which has ended'
stuck livelock 76 'livelock: no thread makes progress: thread 0 runs; thread 1 runs'
stuck tries 76 'livelock: no thread makes progress: thread 0 runs; thread 1 runs'
stuck reads-few 76 'livelock: no thread makes progress: thread 0 runs'
run default 1 stuck reads-many
grep -qx 'not stuck' "$tmp/out"
ok $? 'looking things up is no livelock'
stuck jump 77 'thread 1 jumps (longjmp) into a frame of thread 0, which is undefined'

finish
