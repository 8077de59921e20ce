#!/bin/sh
# Snapshots in the middle of paths (src/runtime/explore/deep.h): with and without them, the same paths, inputs and findings, and
# no byte of another path's input anywhere.
. "$(dirname "$0")/../lib/run.sh"

# explored NAME OPTION...: result NAME; its inputs, in their order, in NAME.inputs
explored() {
	name=$1
	shift
	"$perdure" explore -q --pm '*.pm' --sym-stdin "$bytes" -j1 --search bfs --out "$name" "$@" ./deep x.pm >out 2>err
	cat "$name"/inputs/*/stdin >"$name.inputs"
}
same() { jq -S '[.complete, .stats.paths, .stats.branches_covered, .stats.pm_sites_reached, .limits, [.findings[] | .id, .paths]]' "$1/result.json"; }

bytes=4
for how in 0 1 2; do
	[ $how = 2 ] && bytes=5
	compile "$perdure" cc --symbolic -g -O1 -DHOW=$how -DWORK=100 -o deep "$here/deep.c"
	explored without$how --snapshots 0
	explored every$how --snapshot-after 0
	jq -e '.complete and .stats.snapshots == 0 and .stats.runs_from_snapshots == 0' without$how/result.json >/dev/null &&
		jq -e '.stats.snapshots > 10 and .stats.runs_from_snapshots > .stats.runs / 2' every$how/result.json >/dev/null
	ok $? "how $how: most runs start from a snapshot" every$how/result.json
	[ -s every$how.inputs ] && cmp -s without$how.inputs every$how.inputs && [ "$(same without$how)" = "$(same every$how)" ]
	ok $? "how $how: the same inputs and figures" without$how/result.json every$how/result.json
done
! grep -q 'explore/abort' without0/result.json every?/result.json
ok $? 'no byte of another input is left' every0/result.json every1/result.json every2/result.json

# A limit of memory: the oldest go, and nothing else changes. More than 256 are never kept.
explored few --snapshot-after 0 --snapshots 1M
jq -e '.stats.snapshots_given_up > 0' few/result.json >/dev/null && cmp -s every2.inputs few.inputs && [ "$(same few)" = "$(same every2)" ]
ok $? 'where memory is short, the oldest go' few/result.json
explored two --snapshot-after 0 -j2
[ "$(jq '[.complete, .stats.paths]' two/result.json)" = "$(jq '[.complete, .stats.paths]' every2/result.json)" ]
ok $? 'two workers, each with its own: as many paths' two/result.json
"$perdure" explore --snapshots 5 --sym-stdin 1 ./deep x.pm >out 2>err
[ $? = 2 ] && grep -q -- '--snapshots takes 0 or a size' err
ok $? 'a size that is none' err

# A path costs what it writes to itself, whatever was written before: also in a large pool all of it runs in place
compile "$perdure" cc --symbolic -g -O1 -o pool "$top/bench/explore_pool.c"
for mb in 1 48; do
	"$perdure" explore -q -j1 --pm '*.pm' --sym-stdin 5 --max-paths 200 --json pool$mb.json ./pool pool$mb.pm $mb >out 2>err
done
jq -es 'all(.stats.paths == 200) and (map(.stats.runs_in_place > 100) | .[0] == .[1])' pool1.json pool48.json >/dev/null
ok $? 'paths beside a large pool run in place' pool1.json pool48.json
finish
