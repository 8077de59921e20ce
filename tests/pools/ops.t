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
killed=0
for calls in 1 20 50 100 150; do
	(DIE=$calls driven "$P/ops" old.pm new.pm) >../out 2>../err
	[ $? = 137 ] && killed=$((killed + 1))
done
fingerprint . | diff ../before - && [ $killed = 5 ]
ok $? 'nor when it is killed on its way'

prepare forced
fingerprint . >../before
for name in native forced; do
	cd "../../$name/pm" || exit 2
	rm -f a.pm b.pm
	case $name in
	native) "$P/fuzz.native" 5 200 >../fuzz ;;
	forced) (PMEM_IS_PMEM_FORCE=1 GLOBS='' driven "$P/fuzz" 5 200) >../fuzz 2>&1 ;;
	esac
done
diff ../../native/fuzz ../fuzz
ok $? 'PMEM_IS_PMEM_FORCE makes pools of files that are opened for reading and writing'
[ ! -e a.pm ] && [ ! -e b.pm ]
ok $? 'which are not created'
finish
