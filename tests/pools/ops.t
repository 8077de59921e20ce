#!/bin/sh
# Every file call gives the same result natively, with the library alone, and driven; and driven, nothing
# of the user's is changed, whatever way the program ends.
. "$(dirname "$0")/lib.sh"

prepare native
"$P/ops.native" old.pm new.pm >../out 2>&1
ok $? 'the program runs natively'
[ "$(wc -l <../out)" -gt 300 ]
ok $? 'and prints the results of some hundred calls'

prepare alone
PERDURE_PM='*.pm' "$P/ops" old.pm new.pm >../out 2>&1
ok $? 'the program runs alone'
diff ../../native/out ../out
ok $? 'as it runs natively'
diff ../../native/pm/old.pm old.pm
ok $? 'and leaves the same bytes'

for how in end abort kill; do
	prepare $how
	fingerprint . >../before
	(driven "$P/ops" old.pm new.pm $how) >../out 2>../err
	status=$?
	case $how in
	end) [ $status = 0 ] ;;
	abort) [ $status = 134 ] ;;
	kill) [ $status = 137 ] ;;
	esac
	ok $? "the program runs driven to its $how (status $status)"
	diff ../../native/out ../out
	ok $? 'as it runs natively'
	fingerprint . | diff ../before -
	ok $? 'and nothing in the directory has changed'
done

prepare killed
fingerprint . >../before
for ms in 0.001 0.003 0.006 0.01 0.02; do
	(driven timeout -s KILL $ms "$P/ops" old.pm new.pm) >../out 2>../err
done
fingerprint . | diff ../before -
ok $? 'nor when it is killed on its way'

prepare forced
fingerprint . >../before
(PMEM_IS_PMEM_FORCE=1 GLOBS='' driven "$P/ops" old.pm new.pm) >../out 2>../err
sed '/^test_names/,$d' ../out >/dev/null
grep -q 'mmap64\|maps: 1 1 1' ../out
ok $? 'PMEM_IS_PMEM_FORCE makes pools of files that are opened for reading and writing'
cmp old.pm ../../native/pm/old.pm >/dev/null
[ $? = 1 ]
ok $? 'so that the file is not changed'
done_testing
