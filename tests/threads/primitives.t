#!/bin/sh
# Every program says the same alone, under the default schedule, and under many random ones.
. "$(dirname "$0")/lib.sh"

seeds=${PD_SEEDS:-25}

for p in mutex rwlock cond life cancel c11 cxx sleep signal forks mainexit pmlock io many; do
	run alone 1 $p
	cp "$tmp/out" "$tmp/alone"
	grep -q "^$p: ok$" "$tmp/alone" && grep -q '^status 0$' "$tmp/alone"
	wrong=$?
	ok $wrong "$p alone"
	for policy in default random pct early; do
		bad=$wrong
		for seed in $(seq $seeds); do
			run $policy $seed $p
			cmp -s "$tmp/out" "$tmp/alone" || {
				bad=1
				again $policy $seed $p
				break
			}
			[ $policy = default ] && break
		done
		ok $bad "$p under $policy schedules"
	done
done

# Where the processor or the kernel does not let us set the FS base ourselves.
export PD_TEST_NOFSGS=1
run random 1 cxx
grep -q '^cxx: ok$' "$tmp/out"
ok $? "cxx by arch_prctl"

finish
