#!/bin/sh
# Files that are mapped with MAP_FIXED at an address outside of the PM window: they are in the window, and a program
# that goes by the address that it gets does not notice.
. "$(dirname "$0")/../lib/run.sh"
cd "$top" || exit 1
"$perdure" cc -g -O1 -o "$dir/fixed" tests/check/fixed.c || exit 1
cd "$dir" || exit 1

run() { # status, pattern in the output, verb, address, how
	rm -f ./*.pm
	"$perdure" "$3" --out o --pm '*.pm' -- ./fixed x.pm "$4" "$5" >out 2>&1
	[ $? = "$1" ] && grep -q "$2" out
	ok $? "$3 at $4, $5" out
}

for at in 0x600000000000 0x10000000000 0x7e0000000000; do
	run 0 'clean.*all 4 crash points' check $at returned
done
run 1 'recovery-exit' check 0x600000000000 lost
run 1 'missing-flush' lint 0x600000000000 lost
run 2 'asked for .*x.pm at 0x600000000000 and got 0x1[0-9a-f]*;' check 0x600000000000 constant
run 2 'asked for .*x.pm at 0x600000000000 and got' check 0x600000000000 reserved
run 3 'asked for .*x.pm at 0x600000000000 and got' lint 0x600000000000 constant
run 2 'itself exited\|no PM\|nothing' check 0x600000000000 taken
run 2 "where perdure keeps memory of its own; map it at the start of the PM window" check 0x300000000000 returned
run 0 'clean' check 0x100000000000 constant
finish
