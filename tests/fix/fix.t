#!/bin/sh
# fix.t - perdure fix as a user runs it: where patches come from and go to, what is verified, what is refused. TAP.
: "${PERDURE:=$(cd "$(dirname "$0")/../.." && pwd)/build/perdure}"
. "$(dirname "$0")/../lib/tap.sh"
set -u
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'cd / && rm -rf "$dir"' EXIT
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
unset PERDURE_AUDIT

# program STORE: one that stores twice, and has nothing to flush with
program() {
	cat <<C
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	uint64_t count;
	uint64_t pad[7];
	uint64_t other;
};

int main(void)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0644);
	struct file *f;

	if (ftruncate(fd, 4096) != 0)
		return 2;
	f = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	$1
	f->other = 2;
	_mm_clflush(&f->other);
	_mm_sfence();
	return 0;
}
C
}

# build FILE; lint: the id of the only finding
build() { "$PERDURE" cc -g -O1 -w -o p "$1" >build.log 2>&1; }
lint() {
	rm -rf perdure.out
	"$PERDURE" lint -q --pm 'x.pm' ./p >lint.log 2>&1
	jq -r '.findings[] | select(.severity != "note") | .id' perdure.out/last/result.json
}
run() {
	out=$("$PERDURE" "$@" 2>err)
	status=$?
	err=$(cat err)
}
has() { # TEXT PART NAME
	case $1 in *"$2"*) ok 0 "$3" ;; *) ok 1 "$3" "wanted: $2" "got: $1" ;; esac
}

# ---- a program without a function for it: the patch brings one along ------------------------------------
program 'f->count = 1;' >p.c
build p.c
id=$(lint)
cp p.c before.c
run fix "$id"
is 0 "$status" 'a patch is made'
has "$out" '+	persist_range(&f->count, sizeof(f->count));' 'it has the call'
has "$out" '+static void persist_range(' 'and the function'
has "$err" "p.c:21: adds 'persist_range" 'stderr says what it does'
"$PERDURE" fix "$id" 2>/dev/null >fix.diff
patch -p1 --dry-run <fix.diff >applied 2>&1
ok $? 'patch takes it' applied
git init -q git && cp p.c git && (cd git && git apply --check ../fix.diff) >applied 2>&1
ok $? 'so does git apply' applied
run fix --build "$PERDURE cc -g -O1 -w -o p p.c" "$id"
is 0 "$status" 'the patch is verified' 
has "$err" 'verified: the failure is gone, and nothing new' 'it says so'
is "$(cat fix.diff)" "$out" 'and it is the same patch'
cmp -s p.c before.c
ok $? 'the source is as it was'
is '' "$(ls "$TMPDIR")" 'no copy is left behind'

# ---- builds that do not help -----------------------------------------------------------------------------
run fix --build 'echo no such compiler >&2; false' "$id"
is 3 "$status" 'a build that fails: not verified'
has "$err" 'no such compiler' 'what the build says is shown'
has "$err" "fails in the copy of '$dir'; only what is below '$dir' was copied" 'and where it ran'
# Also where this test itself ignores ^C, as what runs in the background does.
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$PERDURE" fix --build 'kill -INT $$ $PPID' "$id" >/dev/null 2>&1
is 3 "$?" '^C ends the build'
is '' "$(ls "$TMPDIR")" 'and leaves nothing behind'
run fix --build true "$id"
is 1 "$status" 'a build that builds nothing: not verified'
has "$err" 'the build command did not change the program in the copy' 'and that is said'
run fix --build 'rm p' "$id"
is 2 "$status" 'a build that leaves no program'
run fix --build "$PERDURE cc -g -O1 -w -o p p.c && sed -i 's/f->other/f->pad[0]/' p.c && $PERDURE cc -g -O1 -w -DX -o p p.c" "$id"
cmp -s p.c before.c
ok $? 'whatever a build does, it does to a copy'
is '' "$(ls "$TMPDIR")" 'which is removed'

# ---- which finding ---------------------------------------------------------------------------------------
run fix 0123456789
is 2 "$status" 'an id that is not there'
has "$err" 'there is no finding 0123456789' 'is named'
run fix xyz
is 2 "$status" 'what is no id'
run fix
is 2 "$status" 'no id at all'
"$PERDURE" lint -q --seed 2 --pm x.pm --out second ./p >/dev/null 2>&1
"$PERDURE" merge -o merged.json perdure.out/last second >/dev/null 2>&1
run fix --out merged.json "$id"
is 0 "$status" 'a patch of a merged result'
run fix --out merged.json --build true "$id"
is 2 "$status" 'which cannot be verified'
has "$err" 'does not say how it was made' 'and that is said'

# ---- which source ----------------------------------------------------------------------------------------
touch -d '+1 hour' p.c
run fix "$id"
is 3 "$status" 'a source that was changed'
has "$err" 'the source changed after' 'is not patched'
is '' "$out" 'and nothing is written'
rm p.c
run fix "$id"
is 3 "$status" 'a source that is gone'
has "$err" 'p.c:21: the source cannot be read' 'is named'

# ---- all sorts of sources --------------------------------------------------------------------------------
mkdir 'a dir' && cd 'a dir' || exit 1
program 'if (fd > 0) f->count = 1; /* größer */' | sed 's/$/\r/' >'my file.c'
build 'my file.c'
id=$(lint)
run fix --build "'$PERDURE' cc -g -O1 -w -o p 'my file.c'" "$id"
is 0 "$status" 'blanks in names, CRLF, an if without braces: verified' 
"$PERDURE" fix "$id" 2>/dev/null >fix.diff
patch --binary -p1 <fix.diff >applied 2>&1
ok $? 'and patch takes it' applied
is 0 "$(grep -vc "$(printf '\r')\$" 'my file.c')" 'each line ends with CRLF'
build 'my file.c' && touch -d '-1 hour' 'my file.c'
is '' "$(lint)" 'and the finding is gone'
cd "$dir" || exit 1

mkdir real linked && program 'f->count = 1;' >real/p.c && ln -s ../real/p.c linked/p.c && cd linked || exit 1
build p.c
id=$(lint)
run fix "$id"
is 0 "$status" 'a source that is a link'
has "$out" '--- a/real/p.c' 'the file that it leads to is patched'
has "$err" "patch -p1 -d $dir" 'and it is said from where'
cd "$dir" || exit 1

# ---- a git work tree: what is ignored is not copied, what is new is ---------------------------------------
mkdir -p tree/src tree/big && cd tree && git init -q . || exit 1
program '#include "store.h"' >src/p.c
echo 'f->count = 1;' >src/store.h
printf 'p\nbig/\nperdure.out/\n*.log\nx.pm\n' >.gitignore
git add .gitignore src/p.c
truncate -s 5G big/data
build src/p.c
id=$(lint)
run fix --build "$PERDURE cc -g -O1 -w -o p src/p.c" "$id"
is 3 "$status" 'a store in a file that is included into a function: no patch'
program 'f->count = 1;' >src/p.c
build src/p.c
id=$(lint)
run fix --build "test -f src/store.h && test ! -e big/data && $PERDURE cc -g -O1 -w -o p src/p.c" "$id"
is 0 "$status" 'a copy of a work tree has what git knows'
cd "$dir" || exit 1

# ---- results say how they were made -----------------------------------------------------------------------
cd real && build p.c
PERDURE_PM='x.pm' PERDURE_OPTIONS='--strict' "$PERDURE" lint -q --out there -- ./p >/dev/null 2>&1
is '--pm x.pm --strict -q --out there -- ./p' "$(jq -r '.arguments | join(" ")' there/result.json)" 'arguments, with the environment'\''s'
is "$dir/real" "$(jq -r .directory there/result.json)" 'and the directory'

# ---- a transaction of libpmemobj, an ordinary binary ------------------------------------------------------
mkdir "$dir/tx" && cd "$dir/tx" || exit 1
cat >logged.c <<'C'
#include <libpmemobj.h>
#include <unistd.h>

POBJ_LAYOUT_BEGIN(l);
POBJ_LAYOUT_ROOT(l, struct root);
POBJ_LAYOUT_END(l);

struct root {
	uint64_t first, second;
};

int main(void)
{
	PMEMobjpool *p = access("x.pm", F_OK) == 0 ? pmemobj_open("x.pm", "l")
						   : pmemobj_create("x.pm", "l", PMEMOBJ_MIN_POOL, 0600);
	TOID(struct root) r = POBJ_ROOT(p, struct root);

	TX_BEGIN(p) {
		TX_ADD_FIELD(r, first);
		D_RW(r)->first++;
		D_RW(r)->second++;
	} TX_END
	pmemobj_close(p);
	return 0;
}
C
cc -g -O1 -w -o p logged.c -lpmemobj
PMEMOBJ_CONF=prefault.at_create=0 ./p # so that the runs below only open the pool
lint >/dev/null # libpmemobj has findings of its own
id=$(jq -r '.findings[] | select(.kind == "lint/unlogged-write") | .id' perdure.out/last/result.json)
run fix --build 'cc -g -O1 -w -o p logged.c -lpmemobj' "$id"
is 0 "$status" 'a store that its transaction has not logged: a patch, verified'
has "$out" '+		TX_ADD_FIELD(r, second);' 'in the words of the function'
has "$err" 'verified: the failure is gone, and nothing new' 'and it helps'

# The function that is added comes before the one that uses it, also where that one shares its line with others.
cat >line.c <<'C'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *p; static int zero(void)
{ return 0; } static void set(uint64_t *to) { *to = 1; } static int none(void) { return zero(); }

int main(void)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0644);

	if (ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	set(p);
	p[8] = 2;
	_mm_clflush(p + 8);
	_mm_sfence();
	return none();
}
C
build line.c
run fix --build "$PERDURE cc -g -O1 -w -o p line.c" "$(lint)"
is 0 "$status" 'functions that share a line: a patch, verified'

# What is not compiled is no place for a fence.
cat >branch.c <<'C'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static void set(uint64_t *p)
{
	p[0] = 1;
#ifdef NEVER
	__builtin_ia32_clflushopt(&p[0]);
	_mm_sfence();
#else
	__builtin_ia32_clflushopt(&p[0]);
#endif
	__atomic_store_n(&p[8], 1, __ATOMIC_RELEASE);
	_mm_clflush(&p[8]);
}

int main(void)
{
	int fd = open("branch.pm", O_RDWR | O_CREAT, 0644);
	uint64_t *p;

	if (ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p[8] && !p[0])
		return 3;
	set(p);
	return 0;
}
C
"$PERDURE" cc -g -O1 -w -mclflushopt -o p branch.c
rm -rf perdure.out
"$PERDURE" check -q --only crash --pm 'branch.pm' ./p >check.log 2>&1
run fix --build "$PERDURE cc -g -O1 -w -mclflushopt -o p branch.c" "$(jq -r '.findings[0].id' perdure.out/last/result.json)"
is 0 "$status" 'a flush in a branch that is not compiled: a patch, verified'

finish
