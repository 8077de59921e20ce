#!/bin/sh
# Calls that fail (--sym-faults): each of them is tried, so many at a time as was asked for; an input has them as a file that a
# person reads, and any build of the program fails in the same way on it.
. "$(dirname "$0")/../lib/run.sh"
symbolic() {
	name=$1
	shift
	compile "$perdure" cc --symbolic -g -O1 -o "$name" "$@"
}
symbolic faults "$here/faults.c"
symbolic many -DROUNDS=10 "$here/faults.c"
instrument plain "$here/faults.c"
instrument changed '-DFIRST=realloc(0,8)' "$here/faults.c"
last=perdure.out/last/result.json

# Three calls, which fail in 1, 1 and 3 ways; and none of them
"$perdure" explore --pm '*.pm' --sym-stdin 2 --sym-faults ./faults >out 2>err
[ $? = 0 ] && grep -q 'every path of this program for inputs of 2 bytes and at most 1 failing call' out
ok $? 'one failing call a path: complete and clean' out
jq -e '.stats.paths == 6 and .stats.runs_in_place + .stats.runs_forked == 6' $last >/dev/null
ok $? 'every call that may fail, in every way' $last
"$perdure" explore --pm '*.pm' --sym-stdin 2 --sym-faults=2 --out two ./faults >out 2>err
[ $? = 1 ] && grep -q 'explore/abort .*malloc() that fails with ENOMEM at faults.c:[0-9]* (call 1), calloc() that fails with ENOMEM' out &&
	grep -q 'explore/abort .*read() that fails with EINTR at faults.c:[0-9]* (call 3), read() that is short' out
ok $? 'two of them: both bugs, with the calls' out
jq -e '.complete and .stats.faults_max == 2 and ([.findings[] | select(.kind == "explore/abort")] | length == 2 and all(.confirmed))' two/result.json >/dev/null
ok $? 'confirmed, complete' two/result.json
"$perdure" explore --pm '*.pm' -q --sym-stdin 2 --sym-faults=2 --no-in-place --out alone ./faults >out 2>err
[ "$(jq .stats.paths two/result.json)" = "$(jq .stats.paths alone/result.json)" ] && jq -e '.stats.runs_in_place == 0' alone/result.json >/dev/null
ok $? 'the same paths in processes of their own' alone/result.json
"$perdure" explore --pm '*.pm' -q --sym-stdin 2 --sym-faults=2 -j1 --max-paths 3 --out cut ./faults >out 2>err
"$perdure" explore --pm '*.pm' -q --sym-stdin 2 --sym-faults=1 --resume cut ./faults >out 2>err
[ $? = 2 ] && grep -q 'the same --sym' err
ok $? 'gone on with, with another number of faults: refused' err
"$perdure" explore --pm '*.pm' -q --sym-stdin 2 --sym-faults=2 --resume cut ./faults >out 2>err
[ "$(jq .stats.paths two/result.json)" = "$(jq .stats.paths cut/result.json)" ] && jq -e '.findings | length == 2' cut/result.json >/dev/null
ok $? 'gone on with: the same paths, the same findings' out

id=$(jq -r '[.findings[] | select(.facts.input | contains("malloc"))][0].id' two/result.json)
"$perdure" replay --out two "$id" --input kept >out 2>err
[ $? = 1 ] && grep -q '^replayed: the program aborts' out
ok $? 'replayed' out
[ "$(grep -v '^#' kept/faults | sed 's/:[0-9]*$//')" = "1 malloc ENOMEM at faults.c
2 calloc ENOMEM at faults.c" ]
ok $? 'the calls as a file' kept/faults
"$perdure" lint --pm '*.pm' -q --input kept ./plain >out 2>err
grep -q 'killed by signal 6' err
ok $? 'a plain build fails in the same way on it' err
"$perdure" lint --pm '*.pm' --input kept ./changed my.pm >out 2>err
[ $? = 3 ] && jq -e '.losses.fault.count == 1' $last >/dev/null
ok $? 'a program that makes other calls: what did not fail is reported' err
"$perdure" explore --pm '*.pm' -q --sym-stdin 2 --sym-faults=2 --input kept -j1 --max-paths 1 --out begun ./faults >out 2>err
jq -e '.stats.paths == 1 and (.findings | length == 1)' begun/result.json >/dev/null
ok $? 'begun with' out
echo '1 malloc EINTR' >kept/faults
"$perdure" explore --pm '*.pm' -q --sym-faults --input kept ./faults >out 2>err
[ $? = 2 ] && grep -q "is no fault" err
ok $? 'a file with something else in it' err

# In check a call fails in the first execution, not in recovery
cat >first.c <<'END'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("first.pm", O_RDWR | O_CREAT, 0600);
	char *p = ftruncate(fd, 4096) ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *room = malloc(100);

	if (p[0] && !room)
		abort();
	if (!room) {
		p[0] = 1;
		_mm_clflush(p);
		p[64] = 1;
		_mm_clflush(p + 64);
	}
	return 0;
}
END
instrument first first.c
mkdir once
echo '3 malloc ENOMEM' >once/faults
"$perdure" check -q --pm '*.pm' --input once ./first >out 2>err
[ $? = 0 ]
ok $? 'no call fails in recovery' out

"$perdure" explore --pm '*.pm' --sym-stdin 2 --sym-faults=1,10 ./many >out 2>err
[ $? = 3 ] && grep -q 'only the first 10' out
ok $? 'calls beyond those that were to fail: not complete' out
for bad in 0 9 x 1, 1,0; do
	"$perdure" explore --pm '*.pm' -q --sym-faults=$bad ./faults >out 2>err
	[ $? = 2 ] && grep -q -- '--sym-faults takes' err
	ok $? "--sym-faults=$bad" err
done
finish
