#!/bin/sh
# What a compiler may split and this build does not: a portability warning, which decides nothing without --strict.
. "$(dirname "$0")/../lib/run.sh"

# check NAME STATUS JQ-TEST OPTIONS... -- PROGRAM
check() {
	name=$1 want=$2 test=$3
	shift 3
	rm -rf perdure.out x.pm
	"$perdure" check --json a.json --pm '*.pm' "$@" >text 2>err
	status=$?
	[ $status = "$want" ]
	ok $? "$name: status $want (was $status)" text
	jq -e "$test" a.json >/dev/null
	ok $? "$name: $test" a.json
}
says() { # NAME PATTERN
	grep -Eq "$2" text
	ok $? "$1: says '$2'" text
}

for level in O0 O1 O2 O3; do
	instrument words-$level -$level -DFIXED=1 "$top/tests/torn/words.c"
	check "a right list of words, -$level" 0 '.findings != [] and .complete and
		all(.findings[]; .kind == "torn/store" and .severity == "portability")' -- ./words-$level x.pm
	check "-$level --strict" 1 '.findings != [] and .strict' --strict -- ./words-$level x.pm
done
check 'each field once' 0 '[.findings[].field] | sort == ["list.head", "node.color", "node.key", "node.live", "node.owner",
	"node.value"]' -- ./words-O2 x.pm
says 'the verdict' '^perdure check: clean; 6 portability warnings\. Explored all '
[ "$(grep -c '^torn/store' text)" = 6 ] && [ "$(grep -vc '^perdure check:\|^coverage:\|^KIND  *ID  *READ AT  *WHAT$\|^torn/store' text)" = 0 ]
ok $? 'a table with a line each, and nothing else' text
line=$(grep -n 'the commit' "$top/tests/torn/words.c" | cut -d: -f1)
says 'a word' "^torn/store [0-9a-f]{10}  words.c:[0-9]+  +words.c:$line list.head: plain 4-byte store; a compiler may split it; use _Atomic\$"
loads=$("$perdure" report --format json | jq -r '.findings[] | [.sites[] | select(.role == "load").line][0]' | sort)
[ "$(sed -n 's/^torn.store [0-9a-f]*  words.c:\([0-9]*\) .*/\1/p' text | sort)" = "$loads" ]
ok $? 'each says where it is read' text
says 'a byte' 'node.live: plain 1-byte store; a compiler may store another value there first; use _Atomic$'

# The same from a saved result.
"$perdure" report >again
[ $? = 0 ] && cmp -s text again
ok $? 'report: the same' again
"$perdure" report --strict >again
[ $? = 1 ] && grep -q '^perdure check: 6 portability warnings\. ' again
ok $? 'report --strict' again
"$perdure" report --format sarif >a.sarif
jq -e '.runs[0] | all(.results[]; .level == "note") and .tool.driver.rules[0].defaultConfiguration.level == "note" and
	.invocations[0].exitCode == 0' a.sarif >/dev/null
ok $? 'SARIF: note' a.sarif
"$perdure" check --strict --out strict --pm '*.pm' -- ./words-O2 x.pm >text 2>err
"$perdure" report strict >again
[ $? = 1 ]
ok $? 'report: a strict result stays strict' again
"$perdure" merge -o merged.json strict perdure.out/last >/dev/null
[ $? = 1 ]
ok $? 'merge: of a strict result, too' merged.json

# A bug beside them comes first.
check 'a bug among words' 1 '[.findings[].severity] | unique == ["correctness", "portability"] and
	.[0] == "correctness"' -- ./words-O2 x.pm named
check 'the bug' 1 '[.findings[] | select(.severity == "correctness") | [.kind, .field]] == [["torn/block-store", "list.name"]]' \
	-- ./words-O2 x.pm named
head -1 text | grep -q '^torn/block-store'
ok $? 'the bug comes first' text
says 'and is counted first' '^perdure check: 1 potential bug, 6 portability warnings\. '
[ "$(sed -n '/^torn\/store/,$p' text | grep -vc '^torn/store\|^coverage:\|^perdure check:')" = 0 ]
ok $? 'the warnings come last' text

# --strict is every engine's.
for verb in lint lockset; do
	"$perdure" $verb --help | grep -q -- --strict
	ok $? "$verb has --strict"
done

# What this build makes of a store decides, after code generation.
instrument made -O2 "$top/tests/torn/made.c"
for case in \
	split:torn/split-store:'splits into several stores' \
	mixed:torn/split-store:'splits into several stores' \
	set:torn/split-store:'merges into a memset' \
	constant:torn/store:'plain 8-byte store' \
	row:torn/store:'plain 8-byte store' \
	count:torn/store:'plain 8-byte store' \
	branch:torn/store:'plain 8-byte store' \
	loop:torn/store:'plain 8-byte store' \
	bits:torn/store:'bit-field of a 4-byte word' \
	or:torn/store:'plain 4-byte store'; do
	mode=${case%%:*} rest=${case#*:}
	"$perdure" check --only torn --json a.json --pm '*.pm' -- ./made $mode x.pm >text 2>err
	jq -e "[.findings[].kind] | unique == [\"${rest%%:*}\"]" a.json >/dev/null &&
		jq -e "all(.findings[]; .message | contains(\"${rest#*:}\"))" a.json >/dev/null
	ok $? "$mode: ${rest%%:*}, ${rest#*:}" a.json
done
check 'what the compiler removes is not called whole' 1 '[.findings[] | select(.kind == "torn/split-store") | [.field,
	(.message | contains("this build has no instruction of its own"))]] == [["file.word", true]]' -- ./made removed x.pm

# Stores of a library that the user did not build: set apart, in one line. PMDK's count as such, whoever compiled them.
instrument libpmemobj.so -shared -fPIC -DLIBRARY "$top/tests/torn/library.c"
instrument libmine.so -shared -fPIC -DLIBRARY "$top/tests/torn/library.c"
instrument with-pmdk "$top/tests/torn/library.c" ./libpmemobj.so
instrument with-mine "$top/tests/torn/library.c" ./libmine.so
for mode in lib header; do
	check "$mode: a library's" 0 '[.findings[] | [.kind, .library]] == [["torn/block-store", "libpmemobj"]]' -- ./with-pmdk $mode x.pm
	says "$mode" '^inside libpmemobj: 1 finding, seen 1 time; --libraries libpmemobj shows them$'
	says "$mode" '^perdure check: clean\. Explored all '
	check "$mode: --strict is about the program" 0 '.findings[0].library == "libpmemobj"' --strict -- ./with-pmdk $mode x.pm
	for l in libpmemobj all 'libp*'; do
		check "$mode: --libraries $l" 1 '[.findings[] | [.kind, .library]] == [["torn/block-store", null]]' --libraries "$l" \
			-- ./with-pmdk $mode x.pm
	done
done
check "the program's own, beside a library" 1 '[.findings[].library] == [null]' -- ./with-pmdk own x.pm
check "a library of the user's" 1 '[.findings[].library] == [null]' -- ./with-mine lib x.pm

# Which of several structs of one name and size it is, nobody knows: then there is a field only where they agree.
"$perdure" c++ -O1 -DFIXED=1 -o same "$top/tests/torn/same.cc"
check 'structs of one name' 0 '[.findings[] | select(.sites[0].function == "main").field] | sort == [null, null, "page.next"]' -- ./same x.pm
finish
