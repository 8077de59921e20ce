#!/bin/sh
# The PMDK libraries, as shipped, work on files that are not there.
. "$(dirname "$0")/lib.sh"

for kind in native driven; do
	prepare $kind
	rm -f old.pm link.pm
	printf 'PMEMPOOLSET\n10M %s/part0.pm\n10M %s/part1.pm\nREPLICA\n20M %s/copy.pm\n' \
		"$PWD" "$PWD" "$PWD" >set
	fingerprint . >../before
	case $kind in
	native) "$P/pmdk" >../out 2>&1 ;;
	driven) GLOBS="$PWD/*.pm:$PWD/pmem.*:$PWD/#*" LD_PRELOAD="$P/libpools_test.so" \
		driven "$P/pmdk" >../out 2>&1 ;;
	esac
	ok $? "the program runs ($kind)"
done
diff ../../native/out ../out
ok $? 'and prints the same'
grep -q 'open: 100 root' ../out
ok $? 'with what it has stored'
fingerprint . | diff ../before -
ok $? 'and no file was made'
finish
