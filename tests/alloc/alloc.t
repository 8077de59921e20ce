#!/bin/sh
# Threads under an allocator of the program's own: linked, preloaded, part of the program, instrumented or not.
# Each engine must say what it says with glibc's.
. "$(dirname "$0")/../lib/run.sh"
cd "$dir" || exit 1
src=$top/tests/alloc

build_all() {
	"$perdure" cc -g -O1 -c -o prog.o "$src/prog.c" &&
		"$perdure" c++ -g -O1 -c -o local.o "$src/local.cc" &&
		"$perdure" cc -g -O1 -fno-builtin -c -o mutex-instrumented.o "$src/own.c" &&
		"$perdure" cc -g -O1 -fno-builtin -DSPIN -c -o spin-instrumented.o "$src/own.c" &&
		gcc -g -O1 -fno-builtin -c -o mutex-plain.o "$src/own.c" &&
		gcc -g -O1 -fno-builtin -DSPIN -c -o spin-plain.o "$src/own.c" &&
		"$perdure" c++ -o glibc prog.o local.o || return
	for own in mutex-instrumented spin-instrumented mutex-plain spin-plain; do
		"$perdure" c++ -o $own prog.o local.o $own.o || return
	done
	for lib in jemalloc tcmalloc_minimal mimalloc; do
		"$perdure" c++ -o $lib prog.o local.o -Wl,--no-as-needed -l$lib || return
	done
	"$perdure" cc -g -O1 -o stranger "$src/stranger.c" &&
		gcc -shared -fPIC -o otherlibc.so "$src/otherlibc.c" &&
		gcc -shared -fPIC -DHANG -o hanglibc.so "$src/otherlibc.c"
}
build_all >log 2>&1
ok $? 'the programs are built' log

# Waits for its deadline while the rest runs.
LD_PRELOAD=$PWD/hanglibc.so timeout 60 "$perdure" lint --out hang.out --pm '*.pm' ./glibc hang.pm >hang 2>&1 &
hanging=$!

# say VERB OPTIONS... PROGRAM...: the exit status, and what it says that does not depend on the allocator.
say() {
	verb=$1
	shift
	rm -f x.pm
	timeout 60 "$perdure" $verb -q --out out --json r.json --pm '*.pm' "$@" >text 2>&1
	echo "status $?"
	rm -rf out
	jq -c '[.complete, .losses, ([.findings[] | .kind] | unique)]' r.json 2>&1
	rm -f r.json
}

# lives SCHEDULE SEED PROGRAM...: how threads came and went; main does not wait for the end of the detached one.
lives() {
	schedule=$1 seed=$2
	shift 2
	rm -f x.pm
	timeout 60 "$perdure" trace --schedule=$schedule --seed=$seed --pm '*.pm' "$@" >text 2>err
	echo "status $?"
	sed -n '/^T2 *thread-end/d; s/^\(T[0-9]* *thread-[a-z]*\) */\1 /p' text | sort
	cat err
}

all() {
	say 'check -j2 --schedules 3' "$1" x.pm bug
	say check "$1" x.pm
	say 'lockset --no-confirm' "$1" x.pm bug
	say lint "$1" x.pm bug
	lives default 1 "$1" x.pm
	for seed in 1 2 3; do
		lives random $seed "$1" x.pm
	done
}

all ./glibc >want 2>&1
[ "$(grep '^status' want | tr '\n' ' ')" = 'status 1 status 0 status 1 status 1 status 0 status 0 status 0 status 0 ' ] &&
	grep -q 'lockset/persistent-race' want && grep -q 'crash/' want
ok $? 'with the allocator of glibc, each engine finds the bugs' want
for a in mutex-instrumented spin-instrumented mutex-plain spin-plain jemalloc tcmalloc_minimal mimalloc; do
	all ./$a >got 2>&1
	cmp -s want got
	ok $? "the same with $a" got
done
for lib in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so; do
	LD_PRELOAD=$lib all ./glibc >got 2>&1
	cmp -s want got
	ok $? "the same with $lib, preloaded" got
done

# Kernel threads that are not the scheduler's.
say lint ./stranger x.pm >got
grep -q '^status 3' got && grep -q '"thread"' got
ok $? 'lint: a kernel thread that is not scheduled is a loss' got
say lint ./stranger x.pm store >got
grep -q '^status 3' got && grep -q '"blind-store"' got
ok $? 'lint: and so is what it does to PM' got
say check ./stranger x.pm >got
grep -q '^status 3' got && grep -q "a kernel thread ('stranger') that was not made by pthread_create" text
ok $? 'check: the same, where nobody is split off' text
export MALLOC_CONF=background_thread:true
say check ./jemalloc x.pm >got
grep -q '^status 2' got && grep -q 'background_thread:false' text
ok $? "check: jemalloc's background thread is named, with the way out" text
say lint ./jemalloc x.pm >got
grep -q '^status 3' got && grep -q '"thread"' got
ok $? "lint: jemalloc's background thread is a loss" got
unset MALLOC_CONF

# Another libc.
LD_PRELOAD=$PWD/otherlibc.so say lint ./glibc x.pm >got
grep -q '^status 4' got && [ "$(wc -l <text)" = 1 ] && grep -q 'a test could not join one' text
ok $? 'a libc whose threads work otherwise is one line' text
wait $hanging
[ $? = 4 ] && [ "$(wc -l <hang)" = 1 ] && grep -q 'a test could not join one' hang
ok $? 'and one in which they hang, too' hang

finish
