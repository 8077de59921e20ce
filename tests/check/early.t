#!/bin/sh
# Code of the program that runs before its own constructors: its places are known nevertheless.
. "$(dirname "$0")/../lib/run.sh"
cat >first.c <<'C'
void early(void) __attribute__((weak));

__attribute__((constructor)) static void start(void)
{
	if (early)
		early();
}
C
"$perdure" cc -shared -fPIC -o libfirst.so first.c || exit 1
cat >early.c <<'C'
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static struct file {
	uint64_t ready;
	_Alignas(64) uint64_t data;
} *f;

void early(void)
{
	int fd = open("early.pm", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		_exit(9);
	f = mmap(0, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->ready)
		return;
	f->data = 7; /* never flushed */
	__atomic_store_n(&f->ready, 1, __ATOMIC_RELEASE);
	_mm_clflush(&f->ready);
}

int main(void)
{
	return f->data != 7;
}
C
at=$(grep -n 'f->data = 7;' early.c | cut -d: -f1)
instrument early -rdynamic early.c -Wl,--no-as-needed -L. -lfirst -Wl,-rpath,"$PWD"
"$perdure" check --only crash --json a.json --pm '*.pm' ./early >text 2>&1
[ $? = 1 ] && jq -e --argjson at "$at" '.findings | length == 1 and .[0].cause == "missing-flush" and
	(.[0].sites | any(.role == "store" and .line == $at and .function == "early"))' a.json >/dev/null
ok $? 'a store that a library asks for before the program begins' text

# The numbers of 5,000 places take 70 pages: they are written once, not by each of 22 executions.
cat >many.c <<'C'
#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINES = 20 };

void never(volatile unsigned long *p);

int main(int argc, char **argv)
{
	int fd = open("many.pm", O_RDWR | O_CREAT, 0600);
	volatile unsigned long *p;

	if (fd < 0 || ftruncate(fd, LINES * 64) != 0)
		return 9;
	p = mmap(0, LINES * 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < LINES * 8; i += 8) {
		if (p[i])
			continue;
		p[i] = 1;
		_mm_clflush((void *)&p[i]);
	}
	if (argc > 9)
		never(p);
	return 0;
}
C
{
	echo 'void never(volatile unsigned long *p) {'
	for i in $(seq 500); do
		echo '	p[0] = 1; p[1] = 2; p[2] = 3; p[3] = 4; p[4] = 5; p[5] = 6; p[6] = 7; p[7] = 8; p[8] = 9; p[9] = 10;'
	done
	echo '}'
} >never.c
echo 'void never(volatile unsigned long *p) {}' >little.c
instrument many many.c never.c
instrument few many.c little.c
faults() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt)' "$perdure" check -j1 --only crash --pm '*.pm' "$1"
}
more=$(($(faults ./many) - $(faults ./few)))
[ $more -lt 700 ]
ok $? "an execution does not write to all places of the program ($more more page faults)"

# Each object says where its record is.
instrument two -DTWO early.c first.c
[ "$(readelf -nW two 2>/dev/null | grep -c '^ *perdure ')" = 2 ]
ok $? 'a note for each object'
finish
