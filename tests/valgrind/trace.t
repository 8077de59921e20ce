#!/bin/sh
# perdure trace of programs that nobody has instrumented.
. "$(dirname "$0")/../lib/run.sh"
plain notes "$top/examples/notes.c"
./notes a.pm first >/dev/null
sum=$(cksum <a.pm)
"$perdure" trace --pm '*.pm' ./notes a.pm hello >listing 2>got
ok $? 'a clean run' got
line() { grep -n "$1" "$top/examples/notes.c" | head -1 | cut -d: -f1; }
events() { grep -E '^T0  (store|clflush|sfence)' "$1" | sed 's/  */ /g; s/ [a-z]*intrin.h[^<]*< / /; s/ \(notes.c:[0-9]*\).*/ \1/; s/ [^ ]*\.S:.*/ libc/'; }
events listing >have
cat >want <<X
T0 store a.pm+0x80 8 = 0x5 notes.c:$(line 'n->length = strnlen')
T0 store a.pm+0x88 4 = 0x6c6c6568 libc
T0 store a.pm+0x8c 1 = 0x6f libc
T0 clflush a.pm+0x80 64 notes.c:$(line '_mm_clflush(line)')
T0 sfence notes.c:$(line '_mm_sfence()')
T0 store a.pm+0x0 8 = 0x2 notes.c:$(line 'in one piece')
T0 clflush a.pm+0x0 64 notes.c:$(line '_mm_clflush(line)')
T0 sfence notes.c:$(line '_mm_sfence()')
X
# How libc copies five bytes is its own affair, as long as it is those five.
sed -i '/libc$/d' want have
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
[ "$(awk '$2 == "clflush" { print $1 }' stats)" = 2 ] && [ "$(awk '$2 == "sfence" { print $1 }' stats)" = 2 ]
ok $? '--stats counts' stats

"$perdure" trace --pm '*.pm' ./notes new.pm hello >new 2>got && grep -q 'pool-size.*new.pm' new
ok $? 'a new file' got
[ ! -e new.pm ]
ok $? 'it was not made'

# --binary: the same program instrumented, seen as a binary.
"$perdure" cc -g -O1 -o notes-i "$top/examples/notes.c"
"$perdure" trace --pm '*.pm' ./notes-i a.pm hello 2>/dev/null | grep -q '^T0  load'
ok $? 'an instrumented one is run by the runtime'
"$perdure" trace --stats --pm '*.pm' ./notes-i a.pm hello 2>/dev/null | grep -q ' [1-9][0-9]*  instrumented object files'
ok $? 'which knows that it is'
"$perdure" trace --stats --binary --pm '*.pm' ./notes-i a.pm hello 2>/dev/null >stats
grep -q ' 0  instrumented object files' stats && [ "$(awk '$2 == "clflush" { print $1 }' stats)" = 2 ]
ok $? '--binary runs it in Valgrind' stats
finish
