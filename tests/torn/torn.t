#!/bin/sh
# Torn stores in perdure check: what is said of them, and the options.
. "$(dirname "$0")/../lib/run.sh"
instrument pairs "$top/tests/torn/pairs.c"

# check NAME STATUS JQ-TEST OPTIONS... -- MODE
check() {
	name=$1 want=$2 test=$3
	shift 3
	strict=--strict # portability warnings decide, and notes: where none is wanted, they must not
	[ "$want" = 1 ] || strict=
	rm -rf perdure.out x.pm
	"$perdure" check $strict --json a.json --pm '*.pm' "$@" x.pm >text 2>err
	status=$?
	[ $status = "$want" ]
	ok $? "$name: status $want (was $status)" text
	jq -e "$test" a.json >/dev/null
	ok $? "$name: $test" a.json
}
line() { grep -n "$1" "$top/tests/torn/pairs.c" | head -1 | cut -d: -f1; }

# What a finding says.
check 'two fields' 1 '[.findings[].field] | sort == ["pair.key", "pair.value"]' -- ./pairs plain
key='.findings[] | select(.field == "pair.key")'
check 'its sites' 1 "$key | [.sites[] | select(.role == \"store\") | .line] == [$(line 'first key'), $(line 'second key')]" -- ./pairs plain
check 'the load' 1 "$key | [.sites[] | select(.role == \"load\") | .line] == [$(line 'load key')]" -- ./pairs plain
check 'the fix' 1 "$key | .fix | contains(\"_Atomic\") and contains(\"memory_order_release\")" -- ./pairs plain
check 'the window' 1 '.findings[0].message | contains("if power fails after the store, before pairs.c:")' -- ./pairs copy
check 'the kind' 1 'all(.findings[]; .kind == "torn/store" and (.confirmed | not))' -- ./pairs plain
check 'the witness' 1 "$key | .replay | startswith(\"perdure replay\")" -- ./pairs plain
"$perdure" replay "$(jq -r "$key | .id" a.json)" >text 2>err
[ $? = 1 ] && grep -q 'replayed: the crash, and a recovery that reads' text
ok $? 'a replay gets there' text
id=$(jq -r "$key | .id" a.json)
check 'the id is the field'"'"'s, not the sites'"'" 1 "$key | .id == \"$id\"" -- ./pairs plain once

# Options.
check '--no-torn' 0 '.findings == [] and (.stats | has("torn_races"))' --no-torn -- ./pairs plain
check '--only torn' 1 '[.findings[].kind] | unique == ["torn/store"]' --only torn -- ./pairs fails
check '--only crash' 1 '[.findings[].kind] | unique == ["crash/recovery-exit"]' --only crash -- ./pairs fails
check 'both' 1 '[.findings[].kind] | unique == ["crash/recovery-exit", "torn/store"]' -- ./pairs fails
"$perdure" check --only torn --no-torn --pm '*.pm' -- ./pairs plain x.pm >text 2>err
[ $? = 2 ] && grep -q 'nothing would be left to do' err
ok $? '--only torn --no-torn makes no sense' err
"$perdure" check --only rust --pm '*.pm' -- ./pairs plain x.pm >text 2>err
[ $? = 2 ] && grep -q -- "--only 'rust': check has no such kind" err
ok $? '--only takes kinds and engines' err
check 'eADR has no window' 0 '.findings == []' --model eadr -- ./pairs plain

# A copy of one byte has no parts; the ends of a longer one are a part of it.
instrument bytes "$top/tests/torn/bytes.c"
for at in 1 48 49 55; do
	check "one byte at $at" 0 '.findings == []' -- ./bytes $at 1
done
for at in '55 2' '48 9' '48 2' '47 9' '1 3' '40 24' '55 9'; do
	check "offset and length: $at" 1 '[.findings[].kind] == ["torn/block-store"]' -- ./bytes $at
done

# Checksums.
check 'under a checksum' 0 '.findings == []' -- ./pairs summed
check '--benign' 0 '[.findings[] | .kind] | unique == ["torn/checksummed-store"]' --benign -- ./pairs summed
check '--checksum FUNCTION' 0 '.findings == []' --checksum sum_of -- ./pairs summed-unmarked
check 'without it' 1 '.findings != []' -- ./pairs summed-unmarked
cat >record.c <<'C'
#define FIXED 1
#include "bugs/pm.h"
struct record {
	uint32_t crc;
	char text[124]; /* more than a line */
};
static uint32_t WHAT(const char *s)
{
	uint32_t h = 5381;

	for (int i = 0; i < 124; i++)
		h = h * 33 + (unsigned char)s[i];
	return h;
}
int main(int argc, char **argv)
{
	struct record *r = pm_map(argv[argc - 1], sizeof(*r)), made = {0};

	if (r->crc && r->crc == WHAT(r->text))
		puts(r->text);
	strcpy(made.text, "a text that takes more than one cache line, which is what recovery cannot know of");
	made.crc = WHAT(made.text);
	if (argc > 2)
		memcpy(r, &made, sizeof(made));
	else
		memcpy(r->text, made.text, sizeof(made.text));
	__atomic_store_n(&r->crc, made.crc, __ATOMIC_RELEASE);
	pm_persist(r, sizeof(*r));
	return 0;
}
C
for name in record_crc visit_all; do
	instrument $name -I"$top" -DWHAT=$name record.c
done
check 'what looks like a checksum is asked about' 1 'any(.findings[]; .fix | contains("--checksum record_crc"))' -- ./record_crc
check 'it is one' 0 '.findings == []' --checksum record_crc -- ./record_crc
check 'and so is the checksum itself' 1 'any(.findings[]; .field == "record.crc" and (.fix | contains("pd_checksum_begin()")))' --checksum record_crc -- ./record_crc whole
check 'other functions are not' 1 'all(.findings[]; .fix | contains("--checksum") | not)' -- ./visit_all

# Suppressions, by field, by function, by place.
suppress() {
	printf '[known]\nkind = torn/*\n%s\n' "$2" >list
	check "suppressed by $1" 1 '[.findings[].field] == ["pair.value"]' --suppress list -- ./pairs plain
}
suppress field 'field = pair.key'
suppress function 'function = set_keys'
suppress place "file = pairs.c:$(line 'first key')"

# One bug, one finding: what recovery fails for the loss of is told there, with its like that nobody flushes.
instrument told -DFIXED=0 "$top/tests/torn/told.c"
check 'told by a crash' 1 '[.findings[] | .field // .cause] | sort == ["missing-flush", "table.count"]' -- ./told
check 'and counted' 1 '.stats.torn_told_by_crash == 2' -- ./told
check 'not where crashes are not told' 1 '[.findings[].field] | sort == ["table.count", "table.seed", "table.size"]' --only torn -- ./told

# What waits for the fence that recovery fails for the lack of; a copy in another function does not.
instrument fence "$top/tests/torn/fence.c"
check 'the same fence' 1 '[.findings[] | .cause // .field] == ["missing-fence", "record.title"]' -- ./fence
check 'counted' 1 '.stats.torn_told_by_crash == 2' -- ./fence
check 'shown where crashes are not' 1 '[.findings[].field] | sort == ["record.name", "record.size", "record.title"]' --only torn -- ./fence
printf '[known]\nkind = crash/*\n' >list
check 'a suppressed crash takes no store with it' 1 '.suppressed == 1 and ([.findings[].field] | sort ==
	["record.name", "record.size", "record.title"])' --suppress list -- ./fence

# Kinds of stores.
check 'a struct of one word' 1 '[.findings[] | [.kind, .field]] == [["torn/split-store", "file.box.word"]]' -- ./pairs word
check 'a copy' 1 '.findings[0].kind == "torn/block-store"' -- ./pairs copy
check 'across words' 1 '.findings[0] | .kind == "torn/split-store" and (.message | contains("crosses a word"))' -- ./pairs across
check 'volatile is a note' 0 '.findings[0] | .kind == "torn/volatile-store" and .severity == "note"' -- ./pairs volatile
check 'by inline asm' 0 '.findings == []' -- ./pairs asm

# What half of it cannot harm: said, with the reason, and no error.
for mode in magic magic-short; do
	check "$mode: only compared with a constant" 0 '(.findings | length) == 1 and (.findings[0] |
		.kind == "torn/compared-store" and .severity == "note" and (.message | contains("harmless: recovery only")))' \
		-- ./pairs $mode
done
for mode in magic-used magic-refused magic-refused-again magic-less; do
	check "$mode: used" 1 '[.findings[] | .kind] == ["torn/store"]' --only torn -- ./pairs $mode
done
check 'zeros over zeros' 0 '.findings == [] and .stats.torn_unchanged > 0' -- ./pairs zero
check 'zeros over zeros, --benign' 0 "[.findings[] | .kind] == [\"torn/unchanged-store\"] and
	(.findings[0] | .sites[0].line == $(line '/\* zero'))" --benign -- ./pairs zero
check 'zeros over something' 1 "[.findings[] | .kind] == [\"torn/block-store\"] and
	(.findings[0] | .sites[0].line == $(line '/\* zero'))" -- ./pairs zero-used

# What the compiler makes of it, at the level that was asked for (portable.t has more).
for level in O0 O2; do
	instrument pairs -$level "$top/tests/torn/pairs.c"
	"$perdure" check --json $level.json --pm '*.pm' -- ./pairs clear x.pm >text 2>err
done
jq -e 'all(.findings[]; .kind == "torn/store") and .findings != []' O0.json >/dev/null
ok $? 'at -O0 stores are left as they are' O0.json
jq -e 'any(.findings[]; .kind == "torn/split-store" and (.message | contains("this build merges into a memset")))' O2.json >/dev/null
ok $? 'at -O2 a row of stores of zero is a memset' O2.json
[ "$(jq '[.findings[].field] | sort' O0.json)" = "$(jq '[.findings[].field] | sort' O2.json)" ]
ok $? 'the fields are the same' O2.json
for level in O0 O2; do
	instrument halves -$level "$top/tests/torn/halves.c"
	"$perdure" check --only torn --json $level.json --pm '*.pm' -- ./halves >text 2>err
	jq -r '.findings[] | .kind == "torn/split-store" and (.message | contains("this build splits into several stores"))' $level.json >$level
done
[ "$(sort -u O0) $(sort -u O2)" = 'false true' ]
ok $? 'at -O2 a struct of one word is stored by halves, at -O0 it is not' text

# Several recoveries at once, nothing shared, and drawn at random: the same races.
instrument pairs "$top/tests/torn/pairs.c"
for o in '--jobs 1' '--jobs 4' --no-incremental '--random 200 --seed 3' '--random 200 --seed 3 --jobs 3'; do
	"$perdure" check $o --only torn --json b.json --pm '*.pm' -- ./pairs plain x.pm >text 2>err
	jq -c '[.findings[] | [.id, .field]] | sort' b.json >>same
done
[ "$(sort -u same | wc -l)" = 1 ] && grep -q pair.key same
ok $? 'the same races with --jobs, --no-incremental and --random' same

# A copy that is made for callers: they are named, as of a lost store.
cat >copy.c <<'C'
#include "bugs/pm.h"
#include <string.h>

__attribute__((noinline)) static void copy(char *to, const char *from, size_t n)
{
	memcpy(to, from, n);
}

__attribute__((noinline)) static void put(char *pm)
{
	copy(pm + 64, "two words, or so", 16);
}

int main(void)
{
	char *pm = (char *)pm_map("x.pm", 128), there[16];

	memcpy(there, pm + 64, sizeof(there));
	if (there[0] > 'z')
		return 1;
	put(pm);
	pm_persist(pm + 64, sizeof(there));
	return 0;
}
C
instrument copy -DFIXED=1 -I"$top" copy.c
for o in --jobs=2 --no-incremental; do
	"$perdure" check $o --json c.json --pm '*.pm' ./copy >text 2>err
	is "copy put main" "$(jq -r '.findings[] | select(.kind == "torn/block-store") | .sites[] | select(.role == "store") |
		[.function, .stack[].function] | join(" ")' c.json)" "the calls that led to a copy ($o)"
done

# Of structures of some size, too, with all their stores plain and two threads.
for s in clht cceh fastfair; do
	instrument $s -w -pthread -DPLAIN -DBUG=0 "$top/bugs/structures/$s.c"
	for o in --jobs=2 --no-incremental; do
		"$perdure" check $o --only torn --json $s$o.json --pm '*.pm' -- ./$s x.pm 8 2 >text 2>err
		jq -c '[.findings[] | [.id, .field, .kind, ([.sites[] | select(.role != "crash") | .line] | sort)]] | sort' $s$o.json >$s$o
	done
	cmp -s $s--jobs=2 $s--no-incremental && grep -q torn/store $s--no-incremental
	ok $? "$s: the same without increments" $s--no-incremental
done
finish
