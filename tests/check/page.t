#!/bin/sh
# --model page: what write, pwrite, msync, fsync, fdatasync and O_SYNC do, and findings in the words of that model.
. "$(dirname "$0")/../lib/run.sh"
instrument page "$top/tests/check/page.c"

# check STATUS MODE OPTIONS...
check() {
	want=$1 mode=$2
	shift 2
	"$perdure" check --json a.json --model page --pm 'page.db' "$@" ./page "$mode" >text 2>err
	status=$?
	[ $status = "$want" ] && [ ! -s err ] && jq -e '.limits == [] and .losses == {}' a.json >/dev/null
	ok $? "$mode: status $status, and deterministic" text
	! grep -Eiq 'clwb|clflush|sfence|flush and fence|flush the line|cache line' text
	ok $? "$mode: no word of another model" text
}
has() {
	jq -e "$2" a.json >/dev/null
	ok $? "$1" text
}
check 0 whole --only crash
for how in fsync fdatasync osync msync; do
	check 0 $how --only crash
done
for mode in pages nosync range; do
	check 1 $mode --only crash
	has "$mode: one finding, with values that differ" '.findings | length == 1 and
		(.[0].message | test("the write at page.c:[0-9]+ was lost, so page.c:[0-9]+ read 0x0 instead of 0x7"))'
done
has 'nosync: an fsync is missing, no msync' '.findings[0].fix | contains("fsync") and (contains("msync") | not)'
check 1 mapped --only crash
grep -q '^  why       the store is never synced (msync, fsync)$' text
ok $? 'mapped: why, in the words of the model' text
has 'mapped: an msync is missing' '.findings | length == 1 and (.[0].fix | contains("msync") and (contains("fsync") | not)) and
	(.[0].message | test("the store at .* was lost, so .* read 0x0 instead of 0x7"))'
"$perdure" replay --explain "$(jq -r '.findings[0].id' a.json)" >text 2>err
[ $? = 1 ] && ! grep -Eiq 'clwb|clflush|sfence|cache line' text
ok $? 'mapped: the story has no word of another model' text
line=$(grep -n 'the sync' "$top/tests/check/page.c" | cut -d: -f1)
check 1 torn --only torn
has 'torn: until the msync, not for ever' "[.findings[].message] | length == 1 and (.[0] | contains(\"before page.c:$line\")) and
	(.[0] | contains(\"nothing makes it durable\") | not)"
"$perdure" check -q --strict --json a.json --model page --pm 'page.db' --only torn ./page pages >text 2>err
has 'pages: a write is not torn inside a page' '.findings == []'

# What stdio writes is written by the call that makes it do so, which has no wrapper, whatever was called before
cat >log.c <<'C'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
	FILE *f = fopen("page.db", "a+");
	char text[40];
	int n = 0;

	for (rewind(f); fgets(text, sizeof(text), f); n++)
		if (strncmp(text, "item", 4) || !strchr(text, '\n'))
			return 3;
	for (; n < 3; n++) {
		fprintf(f, "item %d of 3\n", n);
		fflush(f); /* the write */
		fsync(fileno(f));
	}
	return 0;
}
C
instrument log log.c
line=$(grep -n 'the write' log.c | cut -d: -f1)
"$perdure" check --json a.json --model page --only crash --pm 'page.db' ./log >text 2>err
has 'stdio: one finding, at the flush' "[.findings[].sites[] | select(.role == \"store\") | .line] == [$line]"
finish
