#!/bin/sh
# What perdure trace lists is what the program did.
. "$(dirname "$0")/../lib/run.sh"
instrument notes "$top/examples/notes.c"
./notes a.pm first >/dev/null
sum=$(cksum <a.pm)
"$perdure" trace --pm '*.pm' ./notes a.pm hello >listing 2>got
ok $? 'a clean run' got
line() { grep -n "$1" "$top/examples/notes.c" | head -1 | cut -d: -f1; }
grep -E '^T0  (store|clflush|sfence)' listing | sed 's/  */ /g' >have
cat >want <<X
T0 store a.pm+0x80 8 = 0x5 notes.c:$(line 'n->length = strnlen') add
T0 store a.pm+0x88 5 = 0x6f6c6c6568 notes.c:$(line 'memcpy(n->text') add
T0 clflush a.pm+0x80 64 notes.c:$(line '_mm_clflush(line)') persist
T0 sfence notes.c:$(line '_mm_sfence()') persist
T0 store a.pm+0x0 8 = 0x2 release notes.c:$(line '__atomic_store_n(.f->count') add
T0 clflush a.pm+0x0 64 notes.c:$(line '_mm_clflush(line)') persist
T0 sfence notes.c:$(line '_mm_sfence()') persist
X
diff want have >difference
ok $? 'stores, flushes and fences, with values and places' difference
[ "$sum" = "$(cksum <a.pm)" ]
ok $? 'the PM file is as before'
grep -qx hello got
ok $? "the program's output goes to standard error"
"$perdure" trace --pm '*.pm' ./notes a.pm hello >again 2>/dev/null
cmp listing again
ok $? 'the same run again gives the same listing'
"$perdure" trace --stats --pm '*.pm' ./notes a.pm hello >stats 2>/dev/null
[ "$(awk '$2 == "store" { print $1 }' stats)" = 3 ] && [ "$(awk '$2 == "clflush" { print $1 }' stats)" = 2 ]
ok $? '--stats counts' stats

# Stores that nobody told us of.
cc -shared -fPIC -o libplug.so "$here/plug.c"
instrument blind "$here/blind.c" -L. -lplug -Wl,-rpath,.
"$perdure" trace --pm '*.pm' ./blind b.pm >listing 2>got
status=$?
[ $status = 3 ]
ok $? "blind stores: status 3 (was $status)" got
grep -q "blind-store: 1 bytes of .*b.pm at offset 0x0 changed by code that was not instrumented at blind.c" got
ok $? 'one is found at the flush' got
grep -q 'blind-store: 1 bytes of .*b.pm at offset 0x40' got
ok $? 'one is found at the end' got

# A library that changes many words is one cause, with a count; and is no slower to tell.
cc -shared -fPIC -DMANY -o libplug.so "$here/plug.c"
"$perdure" trace --stats --pm '*.pm' ./blind many.pm >listing 2>got
[ $? = 3 ] && [ "$(grep -c 'loss: blind-store' got)" = 2 ] &&
	grep -q 'bytes of .*many.pm at offset 0x40 .*(the first of 131065 like it)' got
ok $? 'many blind stores: one line a cause' got
"$perdure" lint --json r.json --pm '*.pm' ./blind many.pm >text 2>got
[ $? = 3 ] && jq -e '.losses | length == 1 and .["blind-store"].count == 131066 and (.["blind-store"].examples | length) == 2' r.json >/dev/null
ok $? 'and in a report' text
cc -shared -fPIC -o libplug.so "$here/plug.c"

# PM that is mapped before the program's own constructors have run.
cc -shared -fPIC -DLIBRARY -o libearly.so "$here/early.c"
instrument early "$here/early.c" -rdynamic -L. -learly -Wl,-rpath,.
"$perdure" trace --pm '*.pm' ./early >listing 2>got
[ $? = 3 ] && grep -qx '1 2 2' got && grep -q 'blind-store: 1 bytes of .*early.pm at offset 0x0' got
ok $? 'PM that a constructor of a library maps' got
[ ! -e early.pm ]
ok $? 'the file was not made'

# Threads: one schedule a seed, a hundred times.
instrument crowd "$here/crowd.cc" -pthread
for how in default random pct:3:2000; do
	"$perdure" trace --schedule $how --seed 5 --pm '*.pm' ./crowd >one 2>first
	ok $? "schedule $how: a C++ program with eight threads runs" first
	[ "$(cut -d' ' -f1 first)" = 80 ] && grep -q acquire one && grep -q '^T8 *store' one
	ok $? "schedule $how: every thread did its work"
	same=0
	for i in $(seq 34); do
		"$perdure" trace --schedule $how --seed 5 --pm '*.pm' ./crowd >two 2>second
		cmp -s one two && cmp -s first second && same=$((same + 1))
	done
	[ $same = 34 ]
	ok $? "schedule $how: the same seed gives the same events ($same of 34 times)"
done
cp one five
"$perdure" trace --schedule pct:3:2000 --seed 6 --pm '*.pm' ./crowd >six 2>/dev/null
! cmp -s five six
ok $? 'another seed gives another schedule'
finish
