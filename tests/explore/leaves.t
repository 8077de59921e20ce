#!/bin/sh
# A run that leaves the path of its record is none of the paths: it is counted apart, and the result is not complete. What
# it shows is reported if it happens again.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc --symbolic -g -O1 -o leaves "$here/leaves.c"

"$perdure" explore -q -j1 --pm '*.pm' --sym-stdin 1 --out left ./leaves >out 2>err
[ $? = 3 ] && jq -e '(.complete | not) and .stats.paths == 1 and .stats.runs == 2 and
	any(.limits[]; test("^the program is not deterministic: 1 run left the path .* first at .*leaves.c:"))' left/result.json >/dev/null
ok $? 'a run that leaves its path is no path' out left/result.json

"$perdure" explore -q -j1 --pm '*.pm' --sym-stdin 1 --out failed ./leaves a >out 2>err
jq -e '(.complete | not) and .stats.paths == 1 and .findings == [] and any(.limits[]; test("not deterministic")) and
	any(.limits[]; test("1 path failed while explored"))' failed/result.json >/dev/null
ok $? 'one that fails is tried again, and said to have failed' out failed/result.json
finish
