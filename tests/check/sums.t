#!/bin/sh
# Checksums: fewer recoveries are executed, and nothing that their caller can tell apart is missed.
. "$(dirname "$0")/../lib/run.sh"
instrument sums "$top/tests/check/sums.cc" -w -mclflushopt
instrument copied "$top/tests/check/sums.cc" -DCOPY -w -mclflushopt
instrument marked -DFIXED=1 -w -I"$top/include" "$top/bugs/checksum-marked/case.c"

# run FILE OPTIONS... PROGRAM...
run() {
	to=$1
	shift
	rm -rf out
	"$perdure" check -q --out out --json "$to" --pm '*.pm' "$@" >text 2>err
}
run plain.json ./sums x.pm
run sums.json --checksum checksum ./sums x.pm
jq -e -s '(.[0] | .complete) and (.[1] | .complete) and .[1].stats.outcomes == 4 and
	.[0].stats.outcomes_digest == .[1].stats.outcomes_digest and
	.[1].stats.executions * 4 < .[0].stats.executions' plain.json sums.json >/dev/null
ok $? 'a function that reads what is validated: the same outcomes with a quarter of the executions' plain.json sums.json
run both.json --checksum checksum --checksum valid ./sums x.pm
jq -e -s '.[0].stats.outcomes_digest == .[1].stats.outcomes_digest and
	.[1].stats.executions < .[0].stats.executions' sums.json both.json >/dev/null
ok $? 'two functions' sums.json both.json
run copied.json --checksum checksum ./copied x.pm
jq -e -s '.[1].complete and .[0].stats.outcomes_digest == .[1].stats.outcomes_digest and
	.[1].stats.executions * 2 < .[0].stats.executions' sums.json copied.json >/dev/null
ok $? 'the same records, copied: one moment inside of each copy' sums.json copied.json
for other in -j1 -j3 --no-incremental; do
	run other.json $other --checksum checksum ./sums x.pm
	jq -e -s '.[0].stats.outcomes_digest == .[1].stats.outcomes_digest and .[1].complete' sums.json other.json >/dev/null
	ok $? "the same outcomes with $other" other.json
done
run marked.json ./marked x.pm
jq -e '.complete and .findings == [] and .stats.executions < 20' marked.json >/dev/null
ok $? 'what perdure.h marks needs no option' marked.json
"$perdure" check --out out --pm '*.pm' --checksum chekcsum ./sums x.pm >text 2>err
grep -q 'chekcsum: no function of that name' err
ok $? 'a name that nothing has is pointed out' err
finish
