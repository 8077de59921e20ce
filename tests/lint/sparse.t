#!/bin/sh
# A sparse pool of 64 GB, or of a page more, by both front ends: what is stored at its end is seen.
. "$(dirname "$0")/../lib/run.sh"
line=$(grep -n 'the end' "$top/tests/lint/sparse.c" | cut -d: -f1)
for flags in '' -DFORGET -DBEYOND '-DBEYOND -DFORGET'; do
	named=$(echo "$flags" | tr -d ' ')
	instrument sparse$named $flags "$top/tests/lint/sparse.c"
	cc -g -o plain$named $flags "$top/tests/lint/sparse.c" || exit 1
	case $flags in *FORGET) want=1 ;; *) want=0 ;; esac
	for program in sparse$named plain$named; do
		rm -f x.pm
		"$perdure" lint --only missing-flush --pm '*.pm' ./$program x.pm >out 2>err
		status=$?
		[ $status = "$want" ] && { [ $want = 0 ] || grep -q "lint/missing-flush.*sparse.c:$line" out; }
		ok $? "$program: status $want (is $status)" out err
	done
done
finish
