#!/bin/sh
# Transactions of the stock libpmemobj, which announces them to Valgrind; and whose findings are whose.
. "$(dirname "$0")/lib.sh"
front=binary
src=$here/pmdk.c
make_case pmdk "$src" -lpmemobj
export PMEM_IS_PMEM_FORCE=1
set -f
run="--pm *.pm -- ./pmdk"
own='[.findings[] | select(.library == null and .severity != "note")]'

for mode in right logged alloc abort; do
	lint "$mode" 0 "$own == [] and .complete" $run $mode new.pm
done
lint 'unlogged' 1 "any($own[]; .kind == \"lint/unlogged-write\" and at(\"store\"; $(mark "$src" unlogged))) and
	($own | length) == 1" $run unlogged new.pm
# Neither logged nor, in a line of its own, flushed: one mistake, one finding; unless it is asked for alone.
lint 'unlogged, unflushed' 1 "($own | length) == 1 and ($own[0] | .kind == \"lint/unlogged-write\" and
	at(\"store\"; $(mark "$src" unlogged-unflushed)) and (.message | contains(\"never flushed either\"))) and
	.stats.unflushed_told_as_unlogged == 1" $run unlogged-unflushed new.pm
lint 'unflushed, asked for' 1 "($own | length) == 1 and ($own[0] | .kind == \"lint/missing-flush\" and
	at(\"store\"; $(mark "$src" unlogged-unflushed)) and (.fix | startswith(\"log the range\")))" \
	--only missing-flush $run unlogged-unflushed new.pm
lint 'left open' 1 "any($own[]; .kind == \"lint/open-transaction\")" $run left-open new.pm
lint 'persisted twice' 1 "any($own[]; .kind == \"lint/extra-flush\" and at(\"flush\"; $(mark "$src" persist-twice)))" \
	$run persist-twice new.pm
lint 'all persisted for each word' 1 "($own | length) == 1 and ($own[0] | .kind == \"lint/extra-flush\" and
	at(\"flush\"; $(mark "$src" persist-all)) and (.message | contains(\"% of what all flushes\")))" $run persist-all new.pm
lint 'forgotten' 1 "($own | length) == 1 and ($own[0] | .kind == \"lint/missing-flush\" and
	at(\"store\"; $(mark "$src" forgotten)))" $run forgotten new.pm
lint 'logged twice' 1 "any($own[]; .kind == \"lint/redundant-log\" and at(\"log\"; $(mark "$src" log-twice)))" \
	$run log-twice new.pm

# An instrumented program with the stock library: the runtime would not see what the library flushes.
front=instrumented
make_case pmdk "$src" -lpmemobj
lint 'instrumented, right' 0 "$own == [] and .complete and .losses == {}" $run right new.pm
grep -q 'uses PMDK as it is shipped' err
ok $? 'it is said that it runs in Valgrind' err
lint 'instrumented, unlogged' 1 "any($own[]; .kind == \"lint/unlogged-write\" and
	at(\"store\"; $(mark "$src" unlogged)))" $run unlogged new.pm

# A libpmemobj of the user's own: what it does for a caller is the caller's, and the rest counts as the user's.
for front in instrumented binary; do
	agent=$here/agent.c
	make_case libpmemobjown.so "$agent" -DLIBRARY -shared -fPIC
	make_case agent "$agent" -L. -lpmemobjown -Wl,-rpath,.
	flushes='[.findings[] | select(.kind == "lint/extra-flush")]'
	lint 'a libpmemobj of their own' 1 "($flushes | length) == 2 and
		any($flushes[]; .sites[0:2] | any(.[]; .line == $(mark "$agent" user)[0])) and
		any($flushes[]; .sites[0:2] | any(.[]; .line == $(mark "$agent" library)[0]))" --pm '*.pm' -- ./agent new.pm
done
front=binary src=$here/pmdk.c
make_case pmdk "$src" -lpmemobj

# What PMDK calls removed is not forgiven where it is unmapped next, whatever length is told.
removed=$here/removed.c
for front in instrumented binary; do
	make_case removed "$removed"
	for mode in short whole middle; do
		lint "removed, $mode" 1 "only(\"lint/missing-flush\") and (.findings[0] | at(\"store\"; $(mark "$removed" lost)))" \
			--pm '*.pm' -- ./removed $mode new.pm
	done
	lint 'removed, locks' 0 '.findings == []' --pm '*.pm' -- ./removed locks new.pm
done
front=binary

# What the library does itself is one line, and decides nothing unless it is asked for.
lint "the library's own" 0 'any(.findings[]; .library == "libpmemobj")' $run right new.pm
grep -q '^inside libpmemobj: ' text
ok $? 'the library is one line' text
lint "the library's own, asked for" 1 'any(.findings[]; .library == null)' --libraries libpmemobj $run right new.pm
lint "every library's, asked for" 1 'all(.findings[]; .library == null)' --libraries all $run right new.pm
finish
