#!/bin/sh
# Code that was not compiled with perdure cc: what it flushes is seen, by probes; what it stores is not, and nothing is
# made of that.
. "$(dirname "$0")/../lib/run.sh"
src=$top/tests/check/foreign.c
library() { # compiler...
	"$@" -g -O1 -DLIBRARY -shared -fPIC -Wl,-soname,libforeign.so -o libforeign.so "$src"
}
check() { "$perdure" check --only crash --json r.json --pm '*.pm' ./foreign "$1" new.pm >text 2>err; }
library cc
instrument foreign "$src" -pthread -L. -lforeign -Wl,-rpath,.
check own
ok $? 'functions of PMDK that do nothing to PM' text
check memcpy
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] &&
	grep -q "calls pmem_memcpy_persist of libforeign.so, which was not compiled with 'perdure cc'" err
ok $? 'one that stores to PM: refused, and named' err
is_clean() { [ "$1" = 0 ] && jq -e '.complete and (.findings | length) == 0 and .losses == {}' r.json >/dev/null; }
is_bug() { # status
	[ "$1" = 1 ] && jq -e '.complete and (.findings | length) == 1 and .findings[0].confirmed and
		.findings[0].cause == "missing-flush"' r.json >/dev/null
}
check persist
is_clean $?
ok $? 'what a library flushes is seen' text
check wrong
is_bug $?
ok $? 'and that it flushes the wrong line' text
cc -g -O1 -DLIBRARY -fPIC -shared -o liblater.so "$src"
check later
is_clean $?
ok $? 'what one flushes that is loaded later is seen' text
"$perdure" lint --json r.json --pm '*.pm' ./foreign wrong lint.pm >text 2>err
[ $? = 1 ] && jq -e '(.findings | length) == 2 and all(.findings[]; .kind == "lint/missing-flush")' r.json >/dev/null
ok $? 'lint sees these flushes, too, and calls none of them needless' text
cc -g -O1 -DLIBRARY -c -o library.o "$src"
instrument linked "$src" library.o -pthread -ldl
"$perdure" check --only crash --json r.json --pm '*.pm' ./linked persist linked.pm >text 2>err
is_clean $?
ok $? 'what an object file flushes that was linked in is seen' text
unconfirmed() { # status, loss
	[ "$1" != 0 ] && jq -e '(.complete | not) and all(.findings[]; .confirmed | not) and .losses["'"$2"'"].count > 0' \
		r.json >/dev/null
}
check made
unconfirmed $? blind-flush
ok $? 'a flush by code that was made at run time: nothing is confirmed' text
check child
unconfirmed $? child
ok $? 'a store and flush by a child of fork: nothing is confirmed' text
check put
[ $? = 3 ] && jq -e '(.findings | length) == 0 and (.complete | not) and .losses["blind-store"].count > 0' r.json >/dev/null &&
	grep -q "not compiled with 'perdure cc' (libforeign.so?)" text
ok $? 'stores of a library: not called lost, and the library is named' text
check forgets
[ $? = 1 ] && jq -e '.findings | length == 1 and (.[0].confirmed | not) and .[0].cause == "missing-flush"' r.json >/dev/null &&
	grep -q 'executed, but not confirmed' text
ok $? "a mistake of the program's own beside it is told, but not confirmed" text
lockset() { "$perdure" lockset --json r.json --pm '*.pm' ./foreign race race.pm >text 2>err; }
unconfirmed='any(.limits[]?; contains("races were not confirmed"))'
lockset
[ $? = 1 ] && jq -e "$unconfirmed"' and all(.findings[]; .confirmed | not)' r.json >/dev/null
ok $? 'lockset confirms nothing with it' text
library "$perdure" cc
lockset
[ $? = 1 ] && jq -e "$unconfirmed | not" r.json >/dev/null
ok $? 'and does with a library that it sees' text
for how in persist put; do
	check $how
	ok $? "the same library, compiled with perdure cc: $how" text
done
check forgets
[ $? = 1 ] && jq -e '.complete and (.findings | length == 1 and .[0].confirmed)' r.json >/dev/null
ok $? 'then the mistake is confirmed' text
finish
