#!/bin/sh
# A fault in perdure's own code is no bug of the program: it ends the run with status 4. One of the program's that shows in
# perdure's code is the program's.
. "$(dirname "$0")/../lib/run.sh"
instrument ours "$top/tests/check/ours.c"
core=$(nm "$(dirname "$perdure")/lib/perdure/libperdure_rt.so" | awk '$3 == "pd_log_next" {print $1}')
[ -n "$core" ]
ok $? 'a function of the core'
for where in first recovery; do
	"$perdure" check --pm '*.pm' ./ours $where "$core" >text 2>err
	[ $? = 4 ] && grep -q "defect in perdure's runtime: signal 11.*please report it" text err
	ok $? "a fault of perdure's own: $where" text err
done
"$perdure" lint --pm '*.pm' ./ours first "$core" >text 2>err
[ $? = 4 ] && grep -q "defect in perdure's runtime: signal 11.*please report it" err
ok $? "a fault of perdure's own: lint" text err
for how in stack wild; do
	"$perdure" check --only crash --json a.json --pm '*.pm' ./ours $how "$core" >text 2>err
	[ $? = 1 ] && jq -e '.complete and [.findings[] | select(.kind == "crash/recovery-signal" and .confirmed)] == .findings' a.json >/dev/null
	ok $? "one of the program's: $how" text err
done
finish
