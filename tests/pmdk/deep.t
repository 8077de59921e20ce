#!/bin/bash
# deep.t - however deep libpmemobj is when it stores, the line of the user's that called it is named. TAP.
. "$(dirname "$0")/../lint/lib.sh"
src=$here/deep.c
for front in instrumented binary; do
	make_case libpmemobj.so.1 "$here/deep.c" -DLIBRARY -shared -fPIC -Wl,-soname,libpmemobj.so.1
	make_case deep "$here/deep.c" -L. -l:libpmemobj.so.1 -Wl,-rpath,.
	lint 'deep in the library' 1 "any(.findings[]; .kind == \"lint/missing-flush\" and .library == null and
		at(\"store\"; $(mark "$here/deep.c" user)))" --no-perf --pm '*.pm' -- ./deep new.pm
	[ $front = binary ] && continue
	"$perdure" check --only crash --json result.json --pm '*.pm' ./deep new.pm >text 2>err
	[ $? = 1 ] && jq -e "$defs (.findings | length) == 1 and (.findings[0] | at(\"store\"; $(mark "$here/deep.c" user)))" result.json >/dev/null
	ok $? 'check names it, too' text
done
finish
