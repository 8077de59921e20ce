#!/bin/sh
# Every litmus file gives exactly the sets that it lists; every cell of the ordering table and every
# rule of docs/model.md has a test.
cd "$(dirname "$0")/../.." || exit 1
perdure=${PERDURE:-build/perdure}
n=0
failed=0

ok() { # status name
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		failed=1
		echo "not ok $n - $2"
	fi
}

for f in tests/litmus/*.litmus; do
	out=$("$perdure" litmus -q "$f" 2>&1)
	status=$?
	ok $status "$(basename "$f" .litmus)"
	[ $status = 0 ] || printf '%s\n# replay: %s litmus -s %s\n' "$out" "$perdure" "$f" | sed 's/^/# /'
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

echo "1..$n"
exit $failed
