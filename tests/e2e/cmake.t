#!/bin/sh
# cmake.t - a project of somebody else: find_package(Perdure), perdure_add_test, ctest; PERDURE_OPTIONS. TAP.
. "$(dirname "$0")/../lib/run.sh"
make -s -C "$top" install B="$build" DESTDIR="$dir/root" PREFIX=/opt/p >log 2>&1
ok $? 'make install' log
(cd "$build/lib/perdure" && find . ! -type d | sort) >here
(cd root/opt/p/lib/perdure && find . ! -type d | sort) >there
[ -s here ] && diff here there >log
ok $? 'all of lib/perdure is installed' log

mkdir project && cp "$top/examples/notes.c" project/notes.c
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(notes C)
enable_testing()
find_package(Perdure REQUIRED)
foreach(name notes forgetful)
  add_executable(${name} notes.c)
endforeach()
target_compile_definitions(forgetful PRIVATE BUG)
target_compile_options(forgetful PRIVATE -g)
perdure_instrument(notes forgetful)
add_executable(plain notes.c)
perdure_add_test(NAME right CHECK PM *.pm COMMAND notes a.pm one two)
perdure_add_test(NAME wrong CHECK PM '*.pm' OPTIONS --no-torn COMMAND forgetful a.pm one "two words")
perdure_add_test(NAME binary LINT PM *.pm COMMAND plain a.pm one)
perdure_add_test(NAME known CHECK PM *.pm BASELINE old.json COMMAND forgetful a.pm one "two words")
perdure_add_test(NAME partly CHECK PM *.pm OPTIONS --random 1 SKIP_INCOMPLETE COMMAND notes a.pm one)
perdure_add_test(NAME uninstrumented CHECK PM *.pm COMMAND plain a.pm one)
CMAKE
cmake -S project -B made -DCMAKE_PREFIX_PATH="$dir/root/opt/p" >log 2>&1 && cmake --build made >>log 2>&1
ok $? 'configured and built' log
(cd made && ctest -R '^wrong$' --output-on-failure) >text 2>&1
[ $? != 0 ] && grep -q 'crash/recovery-abort .*notes.c' text
ok $? 'a bug fails its test, and ctest shows it' text
cp made/perdure/wrong/result.json project/old.json
id=$(jq -r '.findings[] | select(.kind == "crash/recovery-abort").id' project/old.json)
configure="cmake -S project -B made -DCMAKE_PREFIX_PATH='$dir/root/opt/p'"
# As inside of a make that has a job server, which the build cannot reach.
MAKELEVEL=1 MAKEFLAGS=' -j2 --jobserver-auth=3,4' "$perdure" fix --out made/perdure/wrong --build "$configure && cmake --build made" "$id" 3>/dev/null 4>&3 >fix.diff 2>err
is '0 1' "$? $(grep -c '^+.*persist(' fix.diff)" 'its fix, tried with CMake' err
"$perdure" fix --out made/perdure/wrong --build 'cmake --build made' "$id" >fix.diff 2>err
[ $? = 3 ] && grep -q "which has no '$dir/made': that is configured for its place; let the command configure it again" err
ok $? 'a build directory is none of the copy'"'"'s' err
(cd made && ctest -L perdure) >text 2>&1
is 'right Passed wrong ***Failed binary Passed known Passed partly ***Skipped uninstrumented ***Failed' \
	"$(sed -n 's/.*Test *#[0-9]*: \([a-z]*\) \.*\( *\)\([A-Za-z*]*\).*/\1 \3/p' text | xargs)" 'each has the verdict that it should have'
(cd made && ctest -R uninstrumented --output-on-failure) >text 2>&1
grep -q 'perdure cc' text
ok $? 'a program that is not instrumented: what to do' text
cmake -S project -B whole -DCMAKE_PREFIX_PATH="$dir/root/opt/p" -DCMAKE_C_COMPILER="$dir/root/opt/p/bin/perdure-cc" >log 2>&1 && cmake --build whole >>log 2>&1 &&
	(cd whole && ctest -R '^right$|uninstrumented') >text 2>&1
ok $? 'or everything with perdure-cc as the compiler' log text
printf 'cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(Perdure REQUIRED)\nperdure_add_test(NAME x PM *.pm COMMAND y)\n' >project/CMakeLists.txt
cmake -S project -B bad -DCMAKE_PREFIX_PATH="$dir/root/opt/p" >log 2>&1
[ $? != 0 ] && grep -q 'CHECK|LINT|LOCKSET' log
ok $? 'a test without a verb is refused' log

# ---- PERDURE_OPTIONS ----------------------------------------------------------------------------------

instrument notes "$top/examples/notes.c" -DBUG
PERDURE_OPTIONS="--pm '*.pm' -q" "$perdure" lint ./notes a.pm one >text 2>&1
is '1 1' "$? $(grep -c '^perdure lint' text)" 'PERDURE_OPTIONS is taken'
PERDURE_OPTIONS='--model page' "$perdure" check -q --pm '*.pm' --model adr ./notes a.pm one two >text 2>&1
is 1 $? 'the command line has the last word' text
for wrong in ./notes -- --pm "'x" --checksum=f; do
	PERDURE_OPTIONS=$wrong "$perdure" lint --pm '*.pm' --out never ./notes a.pm one >text 2>&1
	[ $? = 2 ] && grep -q PERDURE_OPTIONS text && [ ! -e never ]
	ok $? "PERDURE_OPTIONS=$wrong is refused" text
done
PERDURE_OPTIONS='--jobs=1' "$perdure" report -q >text 2>&1
is 1 $? 'verbs that run nothing do not look at it'
finish
