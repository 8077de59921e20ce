#!/bin/sh
# perdure replay: the files as the crash left them, and a debugger where it matters.
. "$(dirname "$0")/../lib/run.sh"
instrument notes -DBUG "$top/examples/notes.c"
cc -O1 -w -DBUG -o native "$top/examples/notes.c"
"$perdure" check -q --pm '*.pm' ./notes my.pm first second >/dev/null 2>&1
id=$(jq -r '.findings[0].id' perdure.out/last/result.json)

"$perdure" replay "$id" --image crashed >out 2>err
[ $? = 1 ] && grep -q "^image: crashed is $dir/my.pm as the crash left it (6464 bytes)" out &&
	[ "$(od -An -tu8 -N8 crashed)" -ge 1 ] && [ "$(stat -c %s crashed)" = 6464 ]
ok $? 'an image of the crashed file' out
(./native crashed) >out 2>&1
[ $? -gt 128 ] && grep -q 'Assertion .*length > 0' out
ok $? 'the same program fails on it, natively and by itself' out
cp crashed before
"$perdure" replay "$id" --image crashed >out 2>err
[ $? = 2 ] && grep -q "'crashed' exists" err && cmp -s crashed before
ok $? 'a file that exists is not written over' err
"$perdure" replay "$id" --image nowhere/at/all >out 2>err
[ $? = 2 ] && grep -q "cannot write '.*nowhere/at/all'" err
ok $? 'an image that cannot be written' err

# The witness says where power failed and what was read; a replay says where it is now.
jq -e '.findings[0].witness | .schedule == {"policy": "late", "seed": 1, "nth": 0} and (.crashes | length == 1) and (.crashes[0] |
	.before == "clflush" and .function == "persist" and (.file | endswith("notes.c")) and .line > 0 and .point > 0 and
	(.reads | length > 0) and all(.reads[]; .of > 1 and .line > 0 and (.seen | startswith("0x"))) and
	any(.reads[]; .value > 0))' perdure.out/last/result.json >/dev/null
ok $? 'the crash by its point, the values by their reads' perdure.out/last/result.json
"$perdure" replay "$id" >out 2>err
[ $? = 1 ] && ! grep -q 'not where it was' out
ok $? 'it is where it was' out
{ echo '/* A line more */'; cat "$top/examples/notes.c"; } >moved.c
mv notes kept
instrument notes -DBUG moved.c
"$perdure" replay "$id" >out 2>err
[ $? = 1 ] && grep -q '^not where it was: power fails at .*moved.c:[0-9]*, which was at .*notes.c:[0-9]* (has the' out
ok $? 'it is somewhere else' out
mv kept notes

# What recovery itself stores is not in the image.
cat >fix.c <<'C'
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	int fd2 = open(argv[2], O_RDWR | O_CREAT, 0600);
	volatile uint64_t *p, *q;

	if (ftruncate(fd, 4096) || ftruncate(fd2, 8192))
		return 9;
	p = mmap(0, 4096, 3, MAP_SHARED, fd, 0);
	q = mmap(0, 8192, 3, MAP_SHARED, fd2, 0);
	if (q[0] == 1) {
		uint64_t lost = p[0] != 5;

		p[0] = 77;
		q[0] = 78;
		return lost ? 3 : 0;
	}
	p[0] = 5;
	p[8] = 6;
	q[0] = 1;
	_mm_clflush((void *)q);
	return 0;
}
C
instrument fix -w -include unistd.h fix.c
"$perdure" check -q --pm '*.pm' ./fix a.pm b.pm >text 2>&1
id=$(jq -r '.findings[0].id' perdure.out/last/result.json)
"$perdure" replay "$id" --image two >out 2>err
[ $? = 1 ] && [ "$(od -An -v -tu8 -N8 two | tr -d ' ')" = 0 ] && [ "$(od -An -v -tu8 -N8 two.2 | tr -d ' ')" = 1 ]
ok $? 'two files: as they were before recovery stored to them' out
[ "$(od -An -v -tu8 -j64 -N8 two | tr -d ' ')" = 6 ] && [ "$(stat -c %s two.2)" = 8192 ]
ok $? 'a line that nobody has read is as new as it can be' out

# gdb
if command -v gdb >/dev/null; then
	"$perdure" check -q --pm '*.pm' ./notes my.pm first second >/dev/null 2>&1
	id=$(jq -r '.findings[0].id' perdure.out/last/result.json)
	"$perdure" replay "$id" --gdb='gdb -q -batch -ex bt -ex continue -ex bt' >out 2>err
	status=$?
	sed -n '/power fails here/,/does not see the newest/p' out >first
	sed -n '/does not see the newest/,$p' out >second
	[ $status = 1 ] && grep -q 'in persist .*notes.c:' first && grep -q '_mm_clflush(line)' first &&
		grep -q ' add (f=' first
	ok $? 'gdb: stops where the power fails' out
	sed -n '2,3p' second | grep -q 'assert(f->note\[i\].length > 0'
	ok $? 'gdb: stops at the read that decides' out
	grep -q 'SIGABRT' second && grep -q '^replayed: recovery aborts' second
	ok $? 'gdb: goes on to the failure' out
else
	echo "# there is no gdb here"
fi
"$perdure" replay "$id" --gdb=./nothere >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "debugger './nothere' could not be started" err
ok $? 'a debugger that is not there' err
finish
