#!/bin/sh
# What a finding of perdure check says: where recovery fails, who called whom, the whole story.
. "$(dirname "$0")/../lib/run.sh"
instrument notes -DBUG "$top/examples/notes.c"
"$perdure" check --only crash --explain --pm '*.pm' --json a.json ./notes my.pm first second >text 2>err
line() { grep -n "$1" "$top/examples/notes.c" | head -1 | cut -d: -f1; }
length=$(line 'n->length = ') count=$(line 'f->count + 1') assert=$(line 'assert(')

story() { jq -r '.findings[0].explain[]' "$1" >story; }
story a.json
grep -q "^the cache line at my.pm+0x40, before the crash:" story &&
	grep -q "notes.c:$length in add, called from .*: store of 8 bytes to my.pm+0x40: 0x5" story
ok $? 'the stores to the line at stake' story
grep -q '^power fails before notes.c:.* in persist, called from notes.c:' story
ok $? 'the crash' story
grep -q "notes.c:$assert in main: reads my.pm+0x40: 0x0, not the 0x5 that notes.c:$length stored (one of 2 possible values)" story
ok $? 'the read that missed it' story
tail -2 story | head -1 | grep -q "^recovery aborts at notes.c:$assert in main"
ok $? 'the failure' story
tail -1 story | grep -q "^tried: with the store at notes.c:$length durable and all else unchanged, recovery succeeds\$"
ok $? 'and what was tried to know the cause' story
grep -q "^            | recovery aborts at notes.c:$assert" text
ok $? 'the text has it' text
"$perdure" report a.json >out
grep -q "^            | recovery aborts at notes.c:$assert" out
ok $? 'so has the report of a result' out

"$perdure" check -q --pm '*.pm' ./notes my.pm first second >/dev/null 2>err
"$perdure" replay "$(jq -r '.findings[0].id' perdure.out/last/result.json)" --explain --image img >out 2>err
[ $? = 1 ] && sed -n '/^the whole story:/,/^image:/p' out | sed '1d;$d' | diff - story >diff && [ -s img ]
ok $? 'a replay tells the same' out
"$perdure" report --explain >out 2>err
[ $? = 1 ] && sed -n 's/^            | //p' out | sed '/notes: .*Assertion/d' | diff - story >diff
ok $? 'a report of a result without stories finds them' out
"$perdure" report --explain --format json >out 2>err
story out
[ "$(wc -l <story)" -gt 5 ]
ok $? 'also in JSON' out
story a.json

# Flushes and fences, and the flush that comes too late.
cat >late.c <<'C'
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct file { uint64_t data, pad[7], commit, more[7], lock; };
static struct file *f;
static void set(uint64_t *p, uint64_t v) { *p = v; }
static void flush(void *p) { __asm__ volatile("clwb (%0)" : : "r"(p) : "memory"); }
static int late(void)
{
	if (f->commit && f->data != 2)
		exit(3);
	set(&f->data, 1);
	flush(&f->data);
	_mm_sfence();
	set(&f->data, 2);
	set(&f->commit, 1);
	flush(&f->commit);
	_mm_sfence();
	flush(&f->data);
	_mm_sfence();
	return 0;
}
static void fail(void) { *(volatile int *)0 = 1; }
static void fault(void) { if (f->commit) fail(); f->commit = 1; _mm_clflush(&f->commit); }
static int twice(void) { int r = f->commit == 1; f->commit = 1; _mm_clflush(&f->commit); return r; }
static void spin(void)
{
	while (__sync_lock_test_and_set(&f->lock, 1))
		;
	f->commit = 1;
	_mm_clflush(&f->commit);
	_mm_clflush(&f->lock);
	f->lock = 0;
	_mm_clflush(&f->lock);
}
static int call(int fd)
{
	uint64_t one = 1;
	if (f->commit && !f->data)
		exit(4);
	if (pwrite(fd, &one, 8, 0) != 8)
		return 9;
	f->commit = 1;
	_mm_clflush(&f->commit);
	return 0;
}
static int page(void)
{
	if (f[100].commit && !f->data)
		exit(4);
	f->data = 1;
	f[100].commit = 1;
	return msync((char *)f + 12288, 4096, MS_SYNC);
}
int main(int argc, char **argv)
{
	int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
	if (argc < 3 || ftruncate(fd, 65536))
		return 9;
	f = mmap(0, 65536, 3, MAP_SHARED, fd, 0);
	switch (argv[1][0]) {
	case 'l': return late();
	case 'f': fault(); return 0;
	case 't': return twice();
	case 's': spin(); return 0;
	case 'c': return call(fd);
	case 'p': return page();
	}
	return 8;
}
C
instrument late -w late.c
check() { # MODE OPTIONS...
	mode=$1
	shift
	"$perdure" check --explain --no-torn --pm '*.pm' --json a.json "$@" ./late "$mode" "$mode".pm >text 2>err
	story a.json
}
at() { grep -n "$1" late.c | head -1 | cut -d: -f1; }
check l
sed -n '/cache line/,/power fails/p' story | sed 's/.*: \(store of\|clwb\|sfence\|-- the\)/\1/; s/ of late.*//; s/ to late.*: / /' >order
printf '%s\n' 'store of 8 bytes to l.pm+0x0: 0x1' 'clwb of l.pm+0x0' sfence 'store of 8 bytes to l.pm+0x0: 0x2' >want
sed -n '/cache line/,/-- crash;/p' story | sed '1d;$d' | sed 's/.*: \(store\|clwb\|sfence\)/\1/' | cmp -s - want
ok $? 'stores, flushes and fences of the line, in their order' story
grep -A1 -- '-- crash;' story | tail -1 | grep -q 'clwb of l.pm+0x0'
ok $? 'the flush that comes too late' story
jq -e '.findings | length == 1 and .[0].cause == "order"' a.json >/dev/null
ok $? 'its cause is the order' text
jq -e --argjson l "$(at 'set(&f->data, 2)')" '.findings[0].sites[0] | .role == "store" and .function == "set" and .stack[0].line == $l' a.json >/dev/null
ok $? 'a store in a helper has its caller' text

check f
jq -e --argjson l "$(at 'static void fail')" '.findings[0].sites | map(select(.role == "fail"))[0] | .line == $l and .function == "fail" and .stack[0].function == "fault"' a.json >/dev/null
ok $? 'where a signal strikes' text
check t
jq -e '.findings[] | select(.cause == "recovery") | .fix | contains("this needs no crash")' a.json >/dev/null
ok $? 'a program that fails on its own result, without any crash' text
check s
jq -e '.findings | length == 1 and .[0].cause == "lock-held" and (.[0].fix | contains("s.pm+0x80"))' a.json >/dev/null
ok $? 'a spin lock that stays held' text
check c
jq -e --argjson l "$(at 'if (pwrite')" '.findings[0].sites[0] | .role == "store" and .line == $l' a.json >/dev/null &&
	! grep -q 'unknown place' text
ok $? 'a store by a system call has the place of the call' text
check p --model page
jq -e '.findings[0].fix | test("msync")' a.json >/dev/null && grep -q '^            | the page at p.pm+0x0' text
ok $? 'with pages, the fix is an msync' text

# One bug, one finding; two bugs, two findings. Frames of the C++ library are not the user's.
cat >two.cc <<'C'
#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <emmintrin.h>
#include <sys/mman.h>
#include <unistd.h>
struct head { alignas(64) uint64_t magic; uint64_t size; };
struct body { alignas(64) uint64_t v[8]; };
struct file { head h; body far; alignas(64) uint64_t gap[64]; body b; alignas(64) uint64_t ready; };
static void set(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
static void init(file *f)
{
	set(&f->h.magic, 77);
	set(&f->h.size, 8);
	set(&f->b.v[0], 5);
}
static void fill(file *f, const uint64_t *from) { std::copy(from, from + 8, f->far.v); }
int main(int, char **a)
{
	int fd = open(a[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(file))) return 9;
	file *f = (file *)mmap(0, sizeof(file), 3, MAP_SHARED, fd, 0);
	if (f->ready) {
		if (f->h.magic != 77) return 3;
		if (f->h.size != 8) __builtin_trap();
		if (f->b.v[0] != 5) return 4;
		if (f->far.v[0] != 1) return 5;
		return 0;
	}
	uint64_t from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	init(f);
	fill(f, from);
	set(&f->ready, 1);
	_mm_clflush(&f->ready);
	return 0;
}
C
instrument two -w two.cc
"$perdure" check --only crash --pm '*.pm' --json a.json ./two t.pm >text 2>err
at() { grep -n "$1" two.cc | head -1 | cut -d: -f1; }
jq -e '.findings | length == 3 and all(.cause == "missing-flush")' a.json >/dev/null
ok $? 'three objects that are not flushed are three findings' text
jq -e --argjson a "$(at 'h.magic, 77')" --argjson b "$(at 'b.v.0., 5')" '
	[.findings[].sites[] | select(.role == "caller") | .line] | contains([$a, $b])' a.json >/dev/null
ok $? 'two of them by one helper, told apart by their callers' text
jq -e --argjson a "$(at 'h.magic != 77')" --argjson b "$(at 'h.size != 8')" '
	.findings | any([.sites[] | select(.role == "load") | .line] == [$a, $b])' a.json >/dev/null
ok $? 'two members of one object are one, with both reads' text
jq -e --argjson l "$(at 'std::copy')" '.findings | any(.sites[0].line == $l and .sites[0].stack[0].function == "main")' a.json >/dev/null
ok $? 'a store by std::copy is where that was called' text
# A read that had a choice stays in the story, however much recovery reads after it.
cat >long.c <<'C'
#include <assert.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("long.pm", O_RDWR | O_CREAT, 0600), grown = ftruncate(fd, 65536);
	volatile uint64_t *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint64_t valid = p[8], data = p[0], sum = 0;

	if (valid) {
		for (int i = 16; i < 8192; i++)
			sum += p[i];
		assert(data == 7 && !sum);
		return 0;
	}
	p[0] = 7;
	p[8] = 1;
	_mm_clflush((void *)(p + 8));
	_mm_sfence();
	return grown;
}
C
instrument long long.c
"$perdure" check --explain --only crash --json a.json --pm '*.pm' ./long >text 2>err
[ $? = 1 ] && jq -e '.findings | length == 1 and (.[0].story | map(select(.step == "read")) | length == 26 and .[1].value == "0x0" and .[1].at.line == 12)' a.json >/dev/null
ok $? 'a read that had a choice is shown, however many follow' text
finish
