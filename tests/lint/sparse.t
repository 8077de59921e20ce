#!/bin/sh
# A sparse pool of 64 GB, by both front ends: what is stored at its end is seen.
. "$(dirname "$0")/../lib/run.sh"
for forget in '' -DFORGET; do
	instrument sparse$forget $forget "$top/tests/lint/sparse.c"
	cc -g -o plain$forget $forget "$top/tests/lint/sparse.c" || exit 1
	want=$([ "$forget" ] && echo 1 || echo 0)
	for program in sparse$forget plain$forget; do
		rm -f x.pm
		"$perdure" lint --only missing-flush --pm '*.pm' ./$program x.pm >out 2>err
		status=$?
		[ $status = "$want" ] && { [ $want = 0 ] || grep -q 'lint/missing-flush.*sparse.c:20' out; }
		ok $? "$program: status $want (is $status)" out err
	done
done
finish
