#!/bin/sh
# Executions from a zygote: many, equal, and none of them changes anything.
. "$(dirname "$0")/../lib/run.sh"
compile "$perdure" cc -O1 -o notes "$top/examples/notes.c"
"$build/tests/zygote-runs" '*.pm' 300 ./notes z.pm one two 2>/dev/null >out
take out
"$build/tests/zygote-board" ./notes z.pm one two 2>err >out
take out
[ ! -e z.pm ]
ok $? 'no file was made'
# A fork passes on the mapped pages of a file only where one of the mapping is the process's own.
cat >code.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("code.pm", O_RDWR | O_CREAT, 0600), code = 0, n = 0, own = 0;
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[500];
	volatile long *p;

	if (!f || ftruncate(fd, 4096) != 0)
		return 9;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	while (fgets(line, sizeof(line), f)) {
		if (strchr(line, '-') && strchr(line, ' ') > strchr(line, '-'))
			code = strstr(line, " r-xp ") && strchr(line, '/');
		n += code && strncmp(line, "Size:", 5) == 0;
		own += code && strncmp(line, "Anonymous:", 10) == 0 && !strstr(line, " 0 kB");
	}
	n += p[0] > 1 ? 99 : 0;
	p[0] = 1;
	return n < 3 || own < n;
}
C
compile "$perdure" cc -O1 -w -o code code.c
"$perdure" check -q --pm '*.pm' ./code >out 2>&1
grep -q clean out
ok $? 'executions inherit code: they own a page of each mapping of it' out
cat >wild.c <<'C'
#include "event/layout.h"
#include <fcntl.h>
#include <emmintrin.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("wild.pm", O_RDWR | O_CREAT, 0600);
	volatile long *p;

	if (ftruncate(fd, 4096) != 0)
		return 9;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[0] = 1;
	_mm_clflush((void *)p);
	*(volatile long *)PD_LAYOUT_BOARD = 0;
	return 0;
}
C
compile "$perdure" cc -I"$top/src" -o wild wild.c
"$perdure" check -q --pm '*.pm' ./wild >out 2>err
[ $? = 4 ] && grep -q "'./wild' overwrote memory of perdure" err
ok $? 'a program that writes over the board' err
finish
