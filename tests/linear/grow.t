#!/bin/sh
# perdure linear grows its workload by coverage: a split that the drawn one does not reach is tested without being asked for.
. "$(dirname "$0")/../lib/run.sh"

for fixed in 0 1; do
	instrument split$fixed "$top/bugs/linear-split/case.c" -I"$top/bugs" -DFIXED=$fixed
done
line=$(grep -n '//@ store' "$top/bugs/linear-split/case.c" | cut -d: -f1)

"$perdure" linear --pm '*.pm' --schedules 1 --no-grow --json r.json ./split0 >out 2>&1
[ $? = 0 ] && jq -e '.complete and .stats.workloads_taken == null' r.json >/dev/null
ok $? 'the workload that is drawn does not split a leaf' out r.json
"$perdure" linear --pm '*.pm' --schedules 1 --json r.json ./split0 >out 2>&1
[ $? = 1 ] && grep -q "^linear/incompletely-durable .*: the store at case.c:$line was lost" out &&
	jq -e '.findings | length == 1 and .[0].confirmed' r.json >/dev/null
ok $? 'one that has grown shows what is wrong with it' out r.json
jq -e '.stats | .workloads_proposed > 5 and .workloads_taken == 1 and .places_only_they_reach > 5' r.json >/dev/null
ok $? 'it is taken for the places that it alone reaches' r.json
jq -e '.findings[0].facts | .operations > 100 and .operations_left < .operations' r.json >/dev/null
ok $? 'and minimised' r.json
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: no order of the operations explains get(' out
ok $? 'it is replayed' out
"$perdure" linear --pm '*.pm' --schedules 1 --minimise 0 --json r.json ./split0 >out 2>&1
"$perdure" replay "$(jq -r '.findings[0].id' r.json)" >out 2>&1
[ $? = 1 ] && grep -q '^replayed: no order of the operations explains get(' out
ok $? 'as it was found, too' out
"$perdure" linear --pm '*.pm' --schedules 1 --json r.json ./split1 >out 2>&1
[ $? = 0 ] && jq -e '.complete and .stats.workloads_taken == 1' r.json >/dev/null
ok $? 'where it is fixed nothing is found' out r.json
"$perdure" linear --pm '*.pm' --schedules 1 --ops 100 --json r.json ./split0 >out 2>&1
[ $? = 0 ] && jq -e '.stats.workloads_taken == null' r.json >/dev/null
ok $? 'with --ops it is that workload and no other' out r.json

# A leaf of 360 slots is full only where nearly all operations add.
for fixed in 0 1; do
	instrument wide$fixed "$top/bugs/linear-split/case.c" -I"$top/bugs" -DFIXED=$fixed -DSLOTS=360
done
"$perdure" linear --pm '*.pm' --schedules 1 --minimise 0 --json r.json ./wide0 >out 2>&1
[ $? = 1 ] && grep -q "^linear/incompletely-durable .*: the store at case.c:$line was lost" out &&
	jq -e '.findings | length == 1 and .[0].confirmed' r.json >/dev/null
ok $? 'workloads that fill the structure reach a split that comes late' out r.json
"$perdure" linear --pm '*.pm' --schedules 1 --json r.json ./wide1 >out 2>&1
[ $? = 0 ] && jq -e '.complete and .stats.workloads_taken == 1' r.json >/dev/null
ok $? 'where it is fixed nothing is found' out r.json

# The program may stand less than that: it is told how it fails, and how to do without.
instrument weak "$here/crashed.c" -DWRONG=11
"$perdure" linear --pm '*.pm' --threads 1 --schedules 1 --json r.json ./weak >out 2>&1
[ $? = 3 ] && jq -e '.findings == [] and .stats.workloads_refused > 0 and (.limits | length == 1) and
	(.limits[0] | contains("the longer workloads") and contains("signal 6") and contains("--no-grow"))' r.json >/dev/null
ok $? 'a program that fails with longer workloads' out r.json
"$perdure" linear --pm '*.pm' --threads 1 --schedules 1 --no-grow ./weak >out 2>&1
ok $? 'and is clean without' out
finish
