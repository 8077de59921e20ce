# lib.sh - what the thread scripts share. Sourced.
. "$(dirname "$0")/../lib/tap.sh"

dir=${PERDURE_BUILD:-build}/tests/threads
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Addresses as the tool has them: not random, where that is allowed.
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'

# run POLICY SEED PROGRAM [ARGS]: its output in $tmp/out, with its status as the last line. A limit
# that is far above what it takes: a hang is a failure, not a wait.
run()
{
	policy=$1 seed=$2 program=$3
	shift 3
	mode=driven
	[ "$policy" = alone ] && mode=alone
	PD_TEST_MODE=$mode PD_TEST_POLICY=$policy PD_TEST_SEED=$seed \
		timeout 300 $fixed "$dir/$program" "$@" >"$tmp/out" 2>&1
	echo "status $?" >>"$tmp/out"
}

# again POLICY SEED PROGRAM: how to see it by hand, with what it said.
again()
{
	echo "# PD_TEST_MODE=driven PD_TEST_POLICY=$1 PD_TEST_SEED=$2 build/tests/threads/$3"
	sed 's/^/#   /' "$tmp/out" | head -20
}
