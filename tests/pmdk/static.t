#!/bin/bash
# static.t - PMDK as a part of the program: its doings are set apart, its transactions heard, its frames folded. TAP.
. "$(dirname "$0")/../lint/lib.sh"
compile "$here/tree" tree
mark=$(mark "$top/bugs/pmdk-no-add/case.c" store)
sed 's,"../pmdk.h","'"$top"'/bugs/pmdk.h",' "$top/bugs/pmdk-no-add/case.c" >prog.c
library=$dir/tree/src/libpmemobj/libpmemobj.c
for fixed in 0 1; do
	instrument prog prog.c "$library" -DFIXED=$fixed -mclflushopt
	rm -f my.pm && ./prog my.pm
	"$perdure" check --json r.json --pm '*.pm' ./prog my.pm >text 2>err
	status=$?
	[ $status = $((1 - fixed)) ]
	ok $? "check, fixed $fixed: status $status" text
	jq -e '[.findings[] | select(.library == null)] | length == '$((1 - fixed)) r.json >/dev/null && grep -q '^inside libpmemobj: ' text
	ok $? 'what the library does is set apart' text
	"$perdure" check -q --libraries libpmemobj --json r.json --pm '*.pm' ./prog my.pm >more 2>err
	jq -e 'all(.findings[]; .library == null) and any(.findings[]; .kind == "torn/store")' r.json >/dev/null
	ok $? 'unless it is asked for' more
	[ $fixed = 1 ] && continue
	jq -e "$defs"' any(.findings[]; .cause == "unlogged" and at("store"; '"$mark"'))' r.json >/dev/null &&
		grep -q 'in pmemobj_tx_process, [0-9]* frame' text && ! grep -q 'libpmemobj\.c' text
	ok $? 'the store that was not logged is named, and no line of the library' text
done
finish
