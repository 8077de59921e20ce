#!/bin/sh
# C++: functions that only flush are known whatever they are, both front ends have the same names for everything,
# so that suppressions of one serve the other, and stacks are short.
. "$(dirname "$0")/lib.sh"
src=$here/cxx.cc
run="--pm *.pm -- ./cxx new.pm"
set -f

for front in instrumented binary; do
	make_case cxx "$src"
	told=
	for called in anonymous member instance copy object library; do
		told="$told any(.findings[]; .kind == \"lint/extra-flush\" and calls($(mark "$src" $called))) and"
	done
	lint 'who calls what only flushes' 1 "$told (.findings | length) == 7" --gen-suppressions $front.supp $run
	jq -r '.findings[] | .kind as $k | .sites[] | "\($k) \(.role) \(.line) \(.function)"' result.json | sort >names.$front
	lint 'readable names' 1 'all(.findings[].sites[] | .function, .stack[].function;
		test("^_Z|[(<](?!anonymous|\\))") | not) and
		any(.findings[]; .sites[0].function == "lambda::{lambda}") and
		any(.findings[]; .sites[0].function == "(anonymous namespace)::flush") and
		any(.findings[]; .sites[0].function == "pm::Line::persist") and
		any(.findings[].sites[].stack[]; .file | startswith("/usr/"))' $run
	! grep -q 'called from /usr/' text && grep -q '^ *through std::for_each' text
	ok $? "$front: templates of the system are folded" text
done
diff names.instrumented names.binary >names
ok $? 'the same names' names
lint "the other's suppressions" 0 '.findings == [] and .suppressed == 7' --suppress instrumented.supp $run
front=instrumented
make_case cxx "$src"
lint "the other's suppressions" 0 '.findings == [] and .suppressed == 7' --suppress binary.supp $run
# As debuggers and linkers would write it.
cat >hand.supp <<'END'
[by hand]
kind = lint/extra-flush
function = void pm::Line<std::pair<unsigned long, int> >::persist()
END
lint 'a name with everything' 1 '(.findings | length) == 6 and .suppressed == 1' --suppress hand.supp $run
finish
