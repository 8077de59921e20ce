#!/bin/sh
# perdure explore where there is not enough room: for the paths that wait, on the disk. What does not fit is counted, and the result is
# incomplete.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc --symbolic -g -O1 -o bounds "$here/bounds.c"

"$perdure" explore --pm '*.pm' --sym-stdin 64 --search bfs --memory 64M --max-paths 600 --json r.json ./bounds x.pm >out 2>err
[ $? = 3 ] && jq -e '(.complete | not) and .stats.paths > 0 and .stats.paths_pending > 1000 and .stats.paths_pending <= .stats.pending_max and
	any(.limits[]; test("^no room for [0-9]+ paths that were found"))' r.json >/dev/null
ok $? 'paths that there is no room for are counted' out r.json
[ ! -s err ]
ok $? 'and nothing else is said' err

mkdir full
if unshare -m mount -t tmpfs -o size=48k none full 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=48k none full && "$@"; echo $? >status' - \
		"$perdure" explore --pm '*.pm' --sym-stdin 1 --out full/out --json r.json ./bounds x.pm >out 2>err
	[ "$(cat status)" = 4 ] && jq -e '(.complete | not) and any(.limits[]; contains("could not be kept") and contains("No space left on device"))' r.json >/dev/null &&
		grep -q "No space left on device; free some space or name another place" err
	ok $? 'inputs that a full disk does not take' out err r.json
	! grep -q -- '--resume full\|perdure replay' out
	ok $? 'nobody is sent to a folder that is not there' out
fi
finish
