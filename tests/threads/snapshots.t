#!/bin/sh
# Ten thousand snapshots of a threaded program; each goes on and is right.
. "$(dirname "$0")/lib.sh"

for policy in default random; do
	run $policy 1 snapshots
	[ "$(cat "$tmp/out")" = "10000 snapshots
snapshots: ok
status 0" ]
	r=$?
	ok $r "10000 snapshots, $policy schedule"
	[ $r = 0 ] || again $policy 1 snapshots
done

finish
