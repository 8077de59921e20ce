#!/bin/bash
# build.t - perdure pmdk: a tree that builds as PMDK's does becomes instrumented libraries, and stays as it was. TAP.
. "$(dirname "$0")/../lib/run.sh"
compile "$here/tree" tree
look() { find tree -printf '%p %T@ %s %m\n' | sort; }
look >before

"$perdure" pmdk -j2 -o out tree >said 2>err
ok $? 'it builds' err
grep -q "^PMDK 2\.1\.0, from $dir/tree into $dir/out$" err && grep -q '^  libpmemobj  ' err
ok $? 'and shows how far it is' err
look | cmp -s before -
ok $? 'the tree is as it was'
[ ! -e out/tree/.git ] && [ ! -e out/tree/doc ] && cmp -s out/lib/libpmem.so.1 out/tree/src/nondebug/libpmem.so.1 &&
	! grep -q 'of another' out/lib/libpmem.so.1
ok $? 'what another compiler made is not used' said
nm -D out/lib/libpmemobj.so.1 | grep -q ' U __pd_'
ok $? 'the library is instrumented'

# What it says, done: another program, the commands as they are printed
grep '^  export' said >exports
[ "$(wc -l <exports)" = 2 ]
ok $? 'it says what to export' said
sed 's,"../pmdk.h","'"$top"'/bugs/pmdk.h",' "$top/bugs/pmdk-no-add/case.c" >prog.c
(
	. ./exports
	PATH=$(dirname "$perdure"):$PATH
	eval "$(grep '^  perdure cc' said)" && ./prog my.pm && eval "$(grep '^  perdure check' said)"
) >text 2>&1
[ $? = 1 ] && grep -q 'was not logged in the transaction that begins at prog.c' text
ok $? 'and how to check a program, which works' text

# Again
"$perdure" pmdk -o out tree >said 2>err && ! grep -q 'perdure-cc .*-c ' out/log
ok $? 'nothing is compiled again' out/log
echo '/* */' >>tree/src/libpmem/libpmem.c
"$perdure" pmdk -q -o out tree >said 2>err && [ "$(grep -c 'perdure-cc .*-c ' out/log)" = 1 ] && [ ! -s err ]
ok $? 'but what has changed' out/log
"$perdure" pmdk -q -o out tree EXTRA_CFLAGS=-DOTHER >said 2>err && [ "$(grep -c 'perdure-cc .*-DOTHER ' out/log)" = 2 ]
ok $? 'and with other settings everything' out/log

# For explore
"$perdure" pmdk --symbolic -q -o symbolic tree >said 2>err
[ $? = 0 ] && nm -D symbolic/lib/libpmemobj.so.1 | grep -q ' U __pd_sym_' &&
	grep -q '^  perdure cc --symbolic ' said && grep -q '^  perdure explore ' said
ok $? 'with --symbolic it builds for explore' said

# What does not work, in one line that says what to do
refused() {
	"$perdure" pmdk "${@:2}" >said 2>err
	[ $? = 2 ] && [ "$(grep -c '^perdure: ' err)" = 1 ] && grep -qe "$1" err && [ ! -s said ]
	ok $? "refused: ${*:2}" err
}
mkdir other && touch other/mine
refused 'no source tree of PMDK' other
refused 'holds something else.*-o' -o other tree
[ "$(ls other)" = mine ]
ok $? 'and it still does'
refused 'blanks' -o 'a b' tree
refused 'VAR=VALUE' -o out tree more
refused 'name the source tree' -o out
echo 1.3 >tree/VERSION
refused 'is PMDK 1.3; perdure builds 1.4' -o out tree
rm tree/VERSION
refused 'does not say which version' -o out tree
printf 'Mon\n\n\t* Version 2.1.1\n\n\t* Version 1.3\n' >tree/ChangeLog
echo 'int f(void) { return nobody; }' >>tree/src/libpmem/libpmem.c
refused "building libpmem failed (status 2); '$dir/out/log' has" -o out tree
grep -q "^PMDK 2.1.1," err && grep -q "undeclared identifier 'nobody'" err
ok $? 'with the end of what make printed' err
finish
