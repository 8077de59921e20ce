#!/bin/sh
# perdure lint: what pmemcheck gets wrong, how programs end, what options do; through both front ends.
. "$(dirname "$0")/lib.sh"
src=$here/cases.c
clean='.complete and .findings == [] and .losses == {}'

all() {
	make_case cases "$src"
	run="--pm *.pm -- ./cases"
	set -f

	lint 'flush and fence' 0 "$clean" $run good new.pm
	lint 'movnti; sfence' 0 "$clean" $run movnti new.pm
	lint 'movnti' 1 "only(\"lint/missing-fence\") and (.findings[0] | at(\"store\"; $(mark "$src" nt)))" \
		$run movnti-no-fence new.pm
	lint "another thread's fence" 1 "has(\"lint/missing-fence\") and (.findings[0] |
		at(\"flush\"; $(mark "$src" other-flush)) and at(\"store\"; $(mark "$src" other-store)))" \
		$run other-thread new.pm
	lint 'what another thread flushes' 1 "only(\"lint/missing-flush\") and (.findings[0] |
		at(\"store\"; $(mark "$src" background)) and at(\"before\"; $(mark "$src" background-flush)) and
		(.fix | startswith(\"another thread flushes what\")))" $run background new.pm
	lint 'what another thread has flushed by chance' 1 'only("lint/missing-flush") and
		(.findings[0].fix | startswith("flush the line after"))' $run by-chance new.pm
	lint 'a locked instruction is a fence' 0 "$clean" $run locked new.pm
	lint 'duplicates collapse' 1 "only(\"lint/missing-flush\") and .findings[0].count == 1000" $run duplicates new.pm
	lint '20,000 forgotten flushes' 1 "has(\"lint/missing-flush\") and any(.findings[]; .count == 20000)" \
		$run many-forgotten new.pm
	lint 'unmapped' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" unmapped)) and
		(.message | contains(\"unmapped\")))" $run unmapped new.pm
	lint 'a callback of libc' 1 "only(\"lint/missing-flush\") and
		(.findings[0] | at(\"store\"; $(mark "$src" callback)))" $run callback new.pm
	lint 'deep recursion' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" deep)))" \
		$run deep new.pm
	lint 'one of three ways to the same store' 1 "only(\"lint/missing-flush\") and (.findings[0] | .count == 20 and
		at(\"store\"; $(mark "$src" ways)) and at(\"store\"; $(mark "$src" ways-forgotten)))" $run ways new.pm
	lint 'a function that only flushes' 1 "(.findings | length) == 2 and
		any(.findings[]; .kind == \"lint/extra-flush\" and .count == 7 and calls($(mark "$src" wrapped-again)) and
			(.message | contains(\"5 of 5 flushes\") and contains(\"most often for this one of 2 callers\"))) and
		any(.findings[]; .kind == \"lint/flush-volatile\" and calls($(mark "$src" wrapped-stack)))" \
		$run wrapped new.pm
	lint 'who is at fault: the function, or those who call it' 1 "(.findings | length) == 3 and
		any(.findings[]; .kind == \"lint/extra-fence\" and .count == 16 and at(\"fence\"; $(mark "$src" users-fence)) and
			([.sites[] | select(.role == \"caller\")] | length) == 4 and
			(.message | contains(\"16 of 16 fences\") and contains(\"all 4 callers\"))) and
		any(.findings[]; .kind == \"lint/extra-flush\" and .count == 4 and calls($(mark "$src" users-again))) and
		any(.findings[]; .kind == \"lint/extra-at-times\" and .count == 4 and at(\"flush\"; $(mark "$src" users-flush)) and
			calls($(mark "$src" users-at-times)) and (.message | contains(\"4 of 16 flushes\") and
			contains(\"2 of 4 callers\")))" --gen-suppressions users.supp $run users new.pm
	lint 'the same suppressed' 0 '.findings == [] and .suppressed == 3' --suppress users.supp $run users new.pm
	lint 'needless at times, and costly' 1 "only(\"lint/extra-flush\") and (.findings[0] |
		at(\"flush\"; $(mark "$src" each-second)) and (.message | contains(\"200 of 400 flushes\") and
		contains(\"46% of what all flushes and fences cost\")))" $run costly new.pm
	for mode in cheap seldom; do
		lint "needless at times, $mode" 0 'only("lint/extra-at-times")' $run $mode new.pm
	done
	lint 'needless at first only' 0 "only(\"lint/extra-at-times\") and (.findings[0].message | contains(\"1 of 8\"))" \
		$run first-only new.pm
	lint 'too late for a flush' 1 "only(\"lint/overwritten-unpersisted\") and
		(.findings[0] | at(\"store\"; $(mark "$src" late)))" $run late-flushed new.pm
	lint 'too late for a flush, and never flushed' 1 "only(\"lint/missing-flush\") and
		(.findings[0] | at(\"store\"; $(mark "$src" late))) and .stats.overwritten_told_as_missing == 1" $run late new.pm
	lint 'pwrite, fsync, msync' 0 "$clean" $run syscalls new.pm

	lint 'O_DSYNC' 0 "$clean" $run dsync new.pm
	lint 'O_SYNC' 0 "$clean" $run sync new.pm
	lint 'pwritev2, RWF_DSYNC' 0 "$clean" $run dsync-call new.pm
	lint 'pwritev2' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" dsync-call)))" \
		$run no-dsync-call new.pm
	lint 'pwritev2, RWF_DSYNC, of something else' 1 "only(\"lint/missing-flush\") and
		(.findings[0] | at(\"store\"; $(mark "$src" dsync-after)))" $run dsync-after new.pm
	lint 'a hole' 0 "$clean" $run hole new.pm
	lint 'neither' 1 "all(.findings[]; .kind == \"lint/missing-flush\" and at(\"store\"; $(mark "$src" dsync)))" \
		$run no-sync new.pm

	lint 'a file grows by a zero' 0 "$clean" $run grown new.pm
	lint 'and by something else' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" grown)))" \
		$run grown-x new.pm

	lint 'nothing is stored' 0 "$clean" $run nothing new.pm
	grep -q 'Watched 0 PM stores' text
	ok $? "$front: and that is said" text

	# However it ends, what was seen until then is told.
	for how in 'kill 9' 'segv 11'; do
		lint "${how% *}ed" 1 "(.complete | not) and only(\"lint/extra-flush\") and
			(.findings[0] | at(\"flush\"; $(mark "$src" again))) and
			(.limits[0] | contains(\"signal ${how#* }\"))" $run "${how% *}" new.pm
	done
	lint '_exit' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" _exit)))" \
		$run _exit new.pm
	lint 'replaced by exec' 1 "has(\"lint/missing-flush\")" $run exec new.pm
	lint 'a status that is not 0' 3 '(.complete | not) and .findings == [] and (.limits[0] | contains("status 7"))' \
		$run status new.pm
	lint 'the time is over' 3 '(.complete | not) and (.limits[0] | contains("--time-limit"))' --time-limit 1s \
		$run hang new.pm
	lint 'the time is over, and no PM was mapped' 1 '(.limits[0] | contains("before the program mapped anything that --pm '"'never'"' matches"))' \
		--time-limit 1s --pm never -- ./cases hang new.pm
	! ps -eo args | grep -q '[.]/cases hang new.pm'
	ok $? "$front: the time is over: no process is left"

	# Options.
	lint '--no-perf' 3 '.findings == []' --no-perf $run kill new.pm
	lint '--only' 0 '.findings == []' --only missing-fence $run duplicates new.pm
	lint '--only, a glob' 1 'only("lint/missing-flush")' --only 'lint/missing-*' $run duplicates new.pm
	lint 'eADR' 0 "$clean" --model eadr $run duplicates new.pm
	lint 'mapped files' 1 'has("lint/missing-flush") and has("lint/extra-flush") and
		(.findings[0].fix | contains("msync"))' --model page $run good new.pm
	# A file from before: what is written there without having been read.
	head -c $((16 << 20)) /dev/zero >old.pm
	lint 'a file from before' 1 'only("lint/missing-flush")' $run duplicates old.pm
	lint '--transient' 1 'only("lint/transient") and .findings[0].severity == "performance"' --transient \
		$run duplicates old.pm
	lint '--transient, read before' 1 'only("lint/missing-flush")' --transient $run reads old.pm
	lint '--transient, a new file' 1 'only("lint/missing-flush")' --transient $run duplicates new.pm
	"$perdure" lint -q --pm '*.pm' ./cases good new.pm >text 2>&1
	[ $? = 0 ] && [ ! -e new.pm ]
	ok $? "$front: the file is not changed"
	set +f
}

# What the program says of itself.
said() {
	set -f
	lint 'a point' 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$src" point-store)) and
		at(\"check\"; $(mark "$src" point)))" $run point new.pm
	lint 'pd_transient' 0 "$clean" $run transient new.pm
	lint 'a transaction' 1 "(.findings | length) == 2 and
		any(.findings[]; .kind == \"lint/unlogged-write\" and at(\"store\"; $(mark "$src" unlogged)) and
			at(\"transaction\"; $(mark "$src" begin))) and
		any(.findings[]; .kind == \"lint/redundant-log\" and at(\"log\"; $(mark "$src" again-log)))" $run tx new.pm
	lint 'a lock in a transaction' 1 "(.findings | length) == 2 and has(\"lint/transient\") and
		any(.findings[]; .kind == \"lint/unlogged-write\" and at(\"store\"; $(mark "$src" tx-count)))" $run tx-lock new.pm
	lint 'a transaction left open' 1 "any(.findings[]; .kind == \"lint/open-transaction\" and
		at(\"transaction\"; $(mark "$src" begin)))" $run tx-open new.pm
	set +f
}

for front in binary instrumented; do
	all
	said
done
set -f
lint 'an address that is not given' 3 'any(.limits[]; contains("asked for") and contains("0x7e0000000000"))' \
	$run insists new.pm
lint 'the same in Valgrind' 0 '.complete' --binary $run insists new.pm
lint 'a fork' 3 '.findings == [] and (.losses | length) == 1' $run forks new.pm
set +f

# Forgotten flushes do not slow it down: the same loop with and without them.
least() {
	best=
	for i in 1 2 3 4 5; do
		rm -f new.pm
		"$perdure" lint -q --json r.json --pm '*.pm' ./cases "$1" new.pm >/dev/null 2>&1
		t=$(jq .stats.seconds r.json)
		best=$(awk "BEGIN { print (\"$best\" == \"\" || $t < \"$best\" + 0) ? $t : \"$best\" }")
	done
	echo "$best"
}
right=$(least many)
wrong=$(least many-forgotten)
awk "BEGIN { exit !($wrong < 2 * $right + 0.1) }"
ok $? "20,000 forgotten flushes: $wrong s, without them $right s"
finish
