#!/bin/sh
# PM that recovery reads by code which was not compiled with perdure cc, or by libc: it is seen, or it is a loss.
. "$(dirname "$0")/../lib/run.sh"
src=$top/tests/check/blind.c
cc -g -O1 -DLIBRARY -shared -fPIC -Wl,-soname,libblind.so -o libblind.so "$src"
cc -g -O1 -DLIBRARY -c -o blind.o "$src"
instrument blind "$src" -L. -lblind -Wl,-rpath,.
instrument static "$src" blind.o
check() { # how [program]
	"$perdure" check --only crash --json r.json --pm '*.pm' "./${2:-blind}" "$1" new.pm >text 2>&1
}
losses() { jq -e "$1" r.json >/dev/null; }
read_by() { # name: named in the text and in the JSON, incomplete
	losses '(.complete | not) and .losses["blind-read"].count > 0 and (.losses["blind-read"].examples | any(contains("'"$1"'")))' &&
		grep -q "not compiled with 'perdure cc' (.*$1" text && grep -q "${2:-CC='perdure cc'}" text
}
found() { losses '.findings | length == 1 and .[0].confirmed and .[0].cause == "missing-flush"'; }

check lost-nothing
[ $? = 3 ] && read_by 'foreign_get of libblind.so'
ok $? 'what it reads does not matter: a loss, and not clean' text
for how in library:foreign_get kept:foreign_kept sum:foreign_sum write:foreign_write signal:foreign_get; do
	check "${how%:*}"
	[ $? = 0 ] && losses '.losses == {}'
	ok $? "durable when it is read: ${how%:*}" text
	check "lost-${how%:*}"
	[ $? = 1 ] && found && read_by "${how#*:} of libblind.so"
	ok $? "lost: ${how%:*}" text
done
check lost-library static
[ $? = 1 ] && found && read_by static
ok $? 'an object file that was linked in' text
check lost-fnmatch
[ $? = 1 ] && found && read_by 'fnmatch of libc.so.6' 'copy what it reads out of PM first' && ! grep -q 'build it with' text
ok $? 'a function of libc that is not wrapped' text
cat >asm.c <<'C'
#define FIXED 1
#include "bugs/pm.h"
int main(void)
{
	uint64_t *p = pm_map("new.pm", 4096), n = 2;
	void *at = p;

	if (p[1] > 7)
		return 3;
	__asm__ volatile("cld\n\trep stosq" : "+D"(at), "+c"(n) : "a"(7L) : "memory"); /* here */
	pm_persist(p, 16);
	return 0;
}
C
instrument asm -I"$top" asm.c
"$perdure" check --only crash --json r.json --pm '*.pm' ./asm >text 2>&1
[ $? = 3 ] && losses '.losses["inline-asm"].count > 0' && ! grep -q "CC=" text &&
	grep -q "inline assembly that perdure does not understand (asm.c:$(grep -n here asm.c | cut -d: -f1): cld; rep stosq)" text
ok $? 'inline assembly of its own, with its place' text
cat >string.cc <<'C'
#include "bugs/pm.h"
#include <charconv>
#include <string>
#include <string_view>

/* Appends are compiled with the program, what is hashed is copied first; from_chars is the C++ library's. */
int main(int argc, char **argv)
{
	char *pm = (char *)pm_map("new.pm", 128);
	std::string s;

	(void)argv;
	double d;

	if (argc > 1)
		std::from_chars(pm, pm + 100, d);
	if (std::hash<std::string_view>()(std::string_view(pm + 64, 9)) !=
	    std::hash<std::string>()(std::string(pm + 64, 9)))
		return 2;
	s.append(pm, 100);
	if (s[0] && s[64] != 'x')
		return 1;
	pm[64] = 'x';
#if FIXED
	pm_persist(pm + 64, 1);
#endif
	pm[0] = 'y';
	pm_persist(pm, 1);
	return 0;
}
C
"$perdure" c++ -g -O1 -DFIXED=1 -I"$top" -o string string.cc &&
	"$perdure" check --only crash --json r.json --pm '*.pm' ./string >text 2>&1
[ $? = 0 ] && losses '.complete and .losses == {}' && "$perdure" c++ -g -O1 -DFIXED=0 -I"$top" -o lost-string string.cc &&
	! "$perdure" check --only crash --json r.json --pm '*.pm' ./lost-string >text 2>&1 &&
	found && losses '.complete and .losses == {}'
ok $? 'strings of C++ are compiled with the program, hashes read copies' text
"$perdure" check --only crash --json r.json --pm '*.pm' ./string number >text 2>&1
[ $? = 3 ] && grep -q "by code that was not compiled with 'perdure cc' (std::from_chars of libstdc++.so.6)" text && ! grep -q _ZNS text &&
	grep -q 'copy what it reads out of PM first' text
ok $? 'a function of the C++ library, by its name' text
for how in strtol sscanf strtoumax strtold strverscmp strxfrm wcs inet gmtime lsearch; do
	check "$how"
	[ $? = 0 ] && losses '.losses == {}' && check "lost-$how"
	[ $? = 1 ] && found && losses '.complete and .losses == {}'
	ok $? "a function of libc that is wrapped: $how" text
done
for level in -O0 -O1 -O2 -O3 -Os; do
	"$perdure" c++ -g $level -o early "$top/tests/check/blind_early.cpp"
	"$perdure" check --strict --json r.json --pm '*.pm' ./early new.pm >text 2>&1
	losses '.complete and .losses == {} and .findings == []'
	ok $? "a load that the optimiser would execute early, $level" text
	"$perdure" check --strict --json r.json --pm '*.pm' ./early read new.pm >text 2>&1
	losses '.complete and .losses == {} and (.findings | map(.kind) == ["torn/store"])'
	ok $? "and one that is executed, $level" text
done
"$perdure" cc -g -O1 -DLIBRARY -shared -fPIC -Wl,-soname,libblind.so -o libblind.so "$src"
check lost-library
[ $? = 1 ] && found && losses '.losses["blind-read"] == null'
ok $? 'the library, compiled with perdure cc' text

# Who holds a lock in PM is looked up by the runtime when all threads are stuck: no read of the program's, and none of others.
instrument held "$top/bugs/mutex-held/case.c" -DFIXED=0
"$perdure" check --json r.json --pm '*.pm' ./held held.pm >text 2>&1
[ $? = 1 ] && losses '.complete and .losses == {} and (.findings | map(.kind) == ["crash/recovery-deadlock"])'
ok $? 'a lock that the crash left held: its holder is looked up' text
finish
