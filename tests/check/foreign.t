#!/bin/sh
# A library that was not compiled with perdure cc: what it flushes is not seen, and nothing is made of that.
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
check persist
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] &&
	grep -q "calls pmem_persist of libforeign.so, which was not compiled with 'perdure cc'" err
ok $? 'one that flushes PM: refused, and named' err
check put
[ $? = 3 ] && jq -e '(.findings | length) == 0 and (.complete | not) and .losses["blind-store"].count > 0' r.json >/dev/null &&
	grep -q "not compiled with 'perdure cc' (libforeign.so?)" text && grep -q 'not reported' text
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
