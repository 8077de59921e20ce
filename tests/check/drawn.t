#!/bin/sh
# perdure check --random: what is drawn follows from the seed, and what it finds is real.
. "$(dirname "$0")/../lib/run.sh"
instrument right -w -pthread -DBUG=0 "$top/bugs/structures/fastfair.c"
for bug in 1 2 3; do
	instrument wrong$bug -w -pthread -DBUG=$bug "$top/bugs/structures/fastfair.c"
done

# draw FILE OPTIONS... PROGRAM...: the status is left in $status
draw() {
	to=$1
	shift
	rm -rf out
	"$perdure" check -q --out out --json "$to" --pm '*.pm' "$@" >text 2>err
	status=$?
}
ids='[.findings[].id] | sort'

for bug in 1 3; do
	draw all.json ./wrong$bug x.pm 16 1
	draw drawn.json --random 120 -j1 ./wrong$bug x.pm 16 1
	[ $status = 1 ] && jq -e -s "(.[0] | $ids) as \$all | .[1] | ($ids) as \$some |
		(\$some | length) > 0 and (\$some - \$all) == [] and (.complete | not)" all.json drawn.json >/dev/null
	ok $? "bug $bug: what is drawn is among all, and told with the least that has to be lost" drawn.json
	id=$(jq -r '.findings[0].id' drawn.json)
	"$perdure" replay --out out "$id" >text 2>&1
	ok $(($? != 1)) "bug $bug: it can be replayed" text
	draw two.json --random 120 -j2 ./wrong$bug x.pm 16 1
	[ "$(jq -c "$ids" two.json)" = "$(jq -c "$ids" drawn.json)" ]
	ok $? "bug $bug: two jobs draw the same" two.json
done
draw one.json --random 100 ./right x.pm 16 1
[ $status = 3 ] && jq -e '.findings == [] and .stats.executions == 101 and .stats.schedules == 1 and
	(.limits[0] | contains("--random"))' one.json >/dev/null
ok $? 'nothing found: incomplete, and it says why; as many recoveries as were asked for' one.json text
draw one.json --random 100 ./wrong2 x.pm 16 1
draw other.json --random 100 --seed 2 ./wrong2 x.pm 16 1
draw again.json --random 100 ./wrong2 x.pm 16 1
points='.stats | [.crash_points_executed, .outcomes_digest]'
[ "$(jq -c "$points" one.json)" = "$(jq -c "$points" again.json)" ] &&
	[ "$(jq -c "$points" one.json)" != "$(jq -c "$points" other.json)" ]
ok $? 'the seed decides' one.json again.json other.json
draw threads.json --random 200 ./right x.pm 8 2
jq -e '.findings == [] and .stats.schedules == 4 and .stats.executions == 201' threads.json >/dev/null
ok $? 'with threads, over several schedules' threads.json
draw nested.json --random 40 --crashes 2 ./right x.pm 8 1
jq -e '.findings == [] and .stats.executions > 41' nested.json >/dev/null
ok $? 'recoveries crash, too' nested.json
draw none.json --random 0 ./right x.pm 8 1
[ $status = 2 ] && grep -q 'takes a number from 1' err
ok $? 'none at all is a mistake' err
finish
