#!/bin/sh
# --gen-suppressions, --suppress: what was judged once is not shown again, and is counted.
. "$(dirname "$0")/lib.sh"
front=instrumented
src=$top/bugs/lint-pointer-flushed/case.c
make_case case "$src" -DFIXED=0
set -f
run="--pm *.pm -- ./case new.pm"

lint 'without' 1 '(.findings | length) == 3' --gen-suppressions made.supp $run
grep -c '^\[' made.supp >count
[ "$(cat count)" = 3 ]
ok $? 'an entry for each finding' made.supp
lint 'all suppressed' 0 '.findings == [] and .suppressed == 3 and (.suppressions | length) == 3 and
	all(.suppressions[]; .count == 1 and .file == "made.supp")' --suppress made.supp $run
grep -q "suppressed by '[0-9a-f]* in add' (made.supp:[0-9]*): 1 finding" text
ok $? 'the report counts them' text

# One of them, and one that takes nothing.
cat >hand.supp <<'EOF'
# it is only a copy
[the pointer]
kind = lint/flush-volatile
function = pm_*
caller = add
[gone]
kind = lint/extra-fence
EOF
lint 'some' 1 '(.findings | length) == 2 and .suppressed == 1' --suppress hand.supp $run
grep -q "hand.supp:6: 'gone' matches no finding" err
ok $? 'an entry that takes nothing is named' err
lint 'what is left' 1 '(.findings | length) == 2' --suppress hand.supp --gen-suppressions - $run
[ "$(grep -c '^kind = lint/missing-flush' err)" = 2 ]
ok $? 'only what is left gets an entry' err
# Of another engine: the same format.
"$perdure" check --help | grep -q gen-suppressions
ok $? 'check makes them, too'
finish
