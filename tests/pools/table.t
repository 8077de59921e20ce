#!/bin/sh
# The table of pools: what the session asks of it; and that all of it leaves the files alone.
. "$(dirname "$0")/lib.sh"

prepare table
fingerprint . >../before
GLOBS='*.pm:*.nothing' driven "$P/table" >../out 2>&1
grep -v '^1\.\.' ../out
grep -q '^not ok' ../out && failed=1
count=$(grep -c '^\(not \)\?ok' ../out)
fingerprint . | diff ../before -
ok $? 'nothing in the directory has changed'
done_testing
