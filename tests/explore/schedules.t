#!/bin/sh
# Threads: which of them runs when is a part of the input (--schedules), kept as a file; and
# what happens before the first use of the input belongs to every path. Child processes are not explored.
. "$(dirname "$0")/../lib/run.sh"
symbolic() {
	name=$1
	shift
	compile "$perdure" cc --symbolic -g -O1 -pthread -o "$name" "$@"
}
symbolic threads "$here/schedules.c"
symbolic alone -DALONE "$here/schedules.c"
instrument plain -O1 -pthread "$here/schedules.c"
symbolic early "$here/early.c"
symbolic child "$here/child.c"
symbolic beyond -DBEYOND "$here/child.c"
last=perdure.out/last/result.json

"$perdure" explore --pm '*.pm' --sym-stdin 1 ./threads >out 2>err
[ $? = 0 ] && grep -q 'every path of this program for inputs of 1 byte, ' out
ok $? 'one schedule: threads that end while the input is explored; clean' out
"$perdure" explore --pm '*.pm' --sym-stdin 1 --schedules 12 --out many ./threads >out 2>err
[ $? = 1 ] && grep -q 'explore/abort .*the program aborts at schedules.c:[0-9]*, with stdin "r", thread schedule [0-9]*$' out &&
	grep -q 'every path of this program for inputs of 1 byte and 12 schedules of its threads' out
ok $? 'twelve: found with input and schedule' out
jq -e '.complete and .stats.schedules == 12 and .stats.paths == 24 and ([.findings[] | select(.kind == "explore/abort")] | length == 1 and all(.confirmed))' many/result.json >/dev/null
ok $? 'each path by each schedule; confirmed' many/result.json
[ "$(cat many/inputs/*/schedule | sort | uniq -c | awk '$1 == 2' | wc -l)" = 12 ]
ok $? 'the schedule is a file of the input'
"$perdure" explore --pm '*.pm' -q --sym-stdin 1 --schedules 12 --no-in-place --out forked ./threads >out 2>err
[ "$(jq -c '[.stats.paths, [.findings[].id]]' many/result.json)" = "$(jq -c '[.stats.paths, [.findings[].id]]' forked/result.json)" ]
ok $? 'the same in processes of their own' forked/result.json
id=$(jq -r '.findings[] | select(.kind == "explore/abort") | .id' many/result.json)
"$perdure" replay --out many "$id" --input kept >out 2>err
[ $? = 1 ] && grep -q '^replayed: the program aborts' out
ok $? 'replayed' out
"$perdure" lint --pm '*.pm' -q --input kept ./plain >out 2>err
grep -q 'killed by signal 6' out
ok $? 'a plain build runs by it, too' out
echo 0 >kept/schedule
"$perdure" lint --pm '*.pm' -q --input kept ./plain >out 2>err
[ $? = 0 ]
ok $? 'and by another one ends' out
echo late >kept/schedule
"$perdure" lint --pm '*.pm' -q --input kept ./threads >out 2>err
[ $? = 2 ] && grep -q "'schedule' is no number" err
ok $? 'a file with something else in it' err
"$perdure" explore --pm '*.pm' -q --sym-stdin 1 --schedules 12 -j1 --max-paths 5 --out cut ./threads >out 2>err
"$perdure" explore --pm '*.pm' -q --sym-stdin 1 --schedules 8 --resume cut ./threads >out 2>err
[ $? = 2 ] && grep -q 'the same --sym options, --schedules' err
ok $? 'gone on with, with another number of schedules: refused' err
"$perdure" explore --pm '*.pm' -q --sym-stdin 1 --schedules 12 --resume cut ./threads >out 2>err
[ "$(jq -c '[.stats.paths, [.findings[].id]]' many/result.json)" = "$(jq -c '[.stats.paths, [.findings[].id]]' cut/result.json)" ]
ok $? 'gone on with: the same' cut/result.json
"$perdure" explore --pm '*.pm' --sym-stdin 1 --schedules 12 ./alone >out 2>err
jq -e '.complete and .stats.paths == 2' $last >/dev/null && grep -q 'for inputs of 1 byte, ' out
ok $? 'without threads there is nothing to choose' out

"$perdure" explore --pm '*.pm' --sym-stdin 1 ./early >out 2>err
[ $? = 1 ] && grep -q '^lint/missing-flush .*early.c:19' out
ok $? 'before the first use of the input: a store that is never flushed' out
jq -e '.complete and .stats.paths == 2 and .stats.pm_sites_reached == 3 and .findings[0].facts.paths == 2' $last >/dev/null
ok $? 'on every path' $last
"$perdure" explore --pm '*.pm' -q --check --sym-stdin 1 ./early >out 2>err
jq -e '.stats.paths_checked == 1' $last >/dev/null
ok $? 'given to check' $last
"$perdure" explore --pm '*.pm' -q --sym-args 2 ./child >out 2>err
[ $? = 1 ] && jq -e '[.findings[] | select(.kind == "lint/missing-flush")] | length == 1' $last >/dev/null
ok $? 'a child that looks at the input: its parent is explored' out
jq -e '(.complete | not) and .losses["system-call"].count > 0' $last >/dev/null && ! grep -q 'every path' out
ok $? 'and the result is not complete' out
"$perdure" explore --pm '*.pm' -q --sym-args 2 ./beyond >out 2>err
[ $? = 3 ] && jq -e '.findings == [] and any(.limits[]; contains("did not report again"))' $last >/dev/null
ok $? 'what only the exploration shows is no finding, and not forgotten' out
finish
