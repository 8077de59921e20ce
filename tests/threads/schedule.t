#!/bin/sh
# The same seed is the same schedule, another seed another one; and all schedules are all of them.
. "$(dirname "$0")/lib.sh"

export PD_TEST_DIGEST="$tmp/digest"

for policy in default random pct; do
	bad=0
	run $policy 7 eight
	cp "$tmp/out" "$tmp/first"
	cp "$tmp/digest" "$tmp/first.digest"
	for i in $(seq 99); do
		run $policy 7 eight
		cmp -s "$tmp/out" "$tmp/first" && cmp -s "$tmp/digest" "$tmp/first.digest" || {
			bad=1
			again $policy 7 eight
			break
		}
	done
	grep -q '^status 0$' "$tmp/first" || bad=1
	ok $bad "eight std::threads, $policy, one seed: the same 100 times"
done

for policy in random pct; do
	for seed in $(seq 20); do
		run $policy $seed eight
		cat "$tmp/out"
	done | grep -v '^status 0$' | sort | uniq -d >"$tmp/twice"
	[ ! -s "$tmp/twice" ]
	ok $? "eight std::threads, $policy, 20 seeds: 20 schedules"
done

unset PD_TEST_DIGEST
run all 1 race 1
[ "$(cat "$tmp/out")" = "1 2 
status 0" ]
ok $? "every schedule of a race by snapshots: every outcome and no other"
run default 1 race 1
[ "$(head -1 "$tmp/out")" = "2 " ]
ok $? "the default schedule has no race"

finish
