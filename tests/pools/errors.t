#!/bin/sh
# What cannot be done: the errno that there would be natively, or one line and the right status.
. "$(dirname "$0")/lib.sh"

prepare errors
touch sub/y.pm
fingerprint . >../before

for what in fixed twice; do
	driven "$P/errors" $what >../out 2>../err
	[ $? = 2 ] && [ ! -s ../out ] && [ "$(wc -l <../err)" = 1 ] && grep -q '^perdure: .*new.pm.*MAP_FIXED' ../err
	ok $? "MAP_FIXED $what: $(cat ../err)"
done

rm -f ../log
PERDURE_TEST_LOG=../log driven "$P/errors" huge >../out 2>../err
printf 'ftruncate: done\nftruncate: EFBIG\npwrite: EFBIG\n' | diff - ../out
ok $? 'a file that outgrows its place'
grep -q '^loss .*window' ../log
ok $? 'is a loss that is counted'

driven "$P/errors" space >../out 2>../err
echo 'fallocate: ENOSPC' | diff - ../out
ok $? 'no space'

(ulimit -v 1000000 && driven "$P/errors" space) >../out 2>../err
[ $? = 4 ] && [ "$(wc -l <../err)" = 1 ] && grep -q 'ulimit -v' ../err
ok $? "a limit of address space: $(cat ../err)"
fingerprint . | diff ../before -
ok $? 'and nothing has changed'

# Somebody without permission must still be able to get at the programs.
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && $nobody test -x "$P/errors"; then
	chmod 755 "$scratch" ..
	chmod 600 old.pm
	chmod 555 sub
	chmod 777 .
	fingerprint . >../before
	for kind in errors.native errors; do
		GLOBS='*.pm' driven setpriv --reuid 65534 --regid 65534 --clear-groups "$P/$kind" denied \
			>../out.$kind 2>&1
		rm -f new.pm
	done
	diff ../out.errors.native ../out.errors
	ok $? 'without permission the errors are the native ones'
	grep -q 'EACCES' ../out.errors
	ok $? 'which are errors'
fi
finish
