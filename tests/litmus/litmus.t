#!/bin/sh
# Every litmus file gives exactly the sets that it lists; every cell of the ordering table and every
# rule of docs/model.md has a test.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
perdure=${PERDURE:-build/perdure}

for f in tests/litmus/*.litmus; do
	out=$("$perdure" litmus -q "$f" 2>&1)
	status=$?
	ok $status "$(basename "$f" .litmus)" "$out" "replay: $perdure litmus -s $f"
	grep -Eq '^(images|outcomes):' "$f"
	ok $? "$(basename "$f" .litmus) says what it expects"
done

ops='read write rmw mfence sfence flushopt flush'
for earlier in $ops; do
	for later in $ops; do
		grep -q "^# cell:.*\b$earlier/$later\b" tests/litmus/*.litmus
		ok $? "the order of $earlier and a later $later has a test"
	done
done

for rule in $(grep -o '^### P[0-9]*' docs/model.md | cut -d' ' -f2); do
	grep -qw "rule: $rule" tests/litmus/*.litmus
	ok $? "rule $rule has a test"
	grep -rqw "$rule" src/model src/litmus
	ok $? "rule $rule is cited in the code"
done

finish
