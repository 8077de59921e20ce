#!/bin/sh
# What is needless is not always to be left out: others may need it, or a flush may be missing.
. "$(dirname "$0")/lib.sh"
src=$here/fixes.c
line() { mark "$src" "$1" | tr -d '[]'; }

for front in instrumented binary; do
	make_case fixes "$src"
	lint 'needless flushes and fences' 1 '.complete and (.findings | length) == 5' --pm '*.pm' -- ./fixes new.pm
	fix() { # NAME KIND ROLE MARK TEXT: the fix of that finding says so
		jq -e "$defs any(.findings[]; .kind == \"lint/$2\" and .sites[0].role == \"$3\" and
			any(.sites[0:2][]; .line == $(line "$4")) and (.fix | contains(\"$5\")))" result.json >said
		ok $? "$front: $1" text
	}
	fix 'others need the flush' extra-flush flush to-pm "when called from fixes.c:$(line needs-not); other callers need it"
	fix 'a flush is missing before the fence' extra-fence fence alone "flush what fixes.c:$(line unflushed) stores"
	fix 'a second fence has nothing to do with it' extra-fence fence persists 'remove the fence'
	"$perdure" replay --out perdure.out/1 "$(jq -r '.findings[0].id' result.json)" >text 2>&1
	[ $? = 2 ] && grep -q "is from 'perdure lint', whose findings have no crash to replay" text
	ok $? "$front: what was not executed is not replayed" text
done
finish
