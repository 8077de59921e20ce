#!/bin/sh
# Input that takes a way which is easily overlooked: it is followed, or the result is not complete, and says why. The
# program is never blamed.
. "$(dirname "$0")/../lib/run.sh"

compile "$perdure" cc --symbolic -g -O1 -w -pthread -o unusual "$here/unusual.c"
last=perdure.out/last/result.json
explore() {
	"$perdure" explore -q --pm '*.pm' --sym-stdin "$2" ./unusual "$1" >out 2>err
}

# The inputs contain one that finds, and one that does not
both() {
	found=0 other=0
	for i in perdure.out/last/inputs/*/stdin; do
		./unusual "$1" <"$i" >said
		grep -q found said && found=1 || other=1
	done
	[ $found$other = 11 ]
}

for way in list growing-file result thread-exit format print-list text target length string-length; do
	explore $way 2
	[ $? = 0 ] && jq -e '.complete and (.findings | length) == 0' $last >/dev/null && both $way
	ok $? "followed: $way" $last
done

# what is in the way, and the word that names it
while read -r way bytes pattern; do
	explore "$way" "$bytes"
	[ $? = 3 ] && jq -e --arg p "$pattern" '(.complete | not) and (.findings | length) == 0 and
		any(.limits[]; test($p))' $last >/dev/null
	ok $? "not complete: $way" $last
done <<END
word 4 passed to getw,
wide-character 2 passed to fgetwc,
wide-number 2 passed .*vfwscanf
wide-line 2 passed .*: fgetws
assembly 2 passed to asm,
own-memory 2 read again
mapped-file 2 read again
vector 2 read again
message 2 read again
kernel 2 read again
second-address 2 .
fault 2 more than 16 values
stream 2 read again
descriptor 2 read again
date 2 passed to mktime,
format-of-date 2 passed to strftime,
thread-name 2 passed to pthread_setname_np,
error 2 more than 16 values
exit 2 more than 16 values
END

# Whether the places can be read that a symbolic index leads to is found out without leaving the process
cat >table.c <<'END'
#include <unistd.h>

static int table[256];

int main(void)
{
	unsigned char c = 0;

	table['q'] = 1;
	return read(0, &c, 1) == 1 && table[c] ? write(1, "found\n", 6) != 6 : 0;
}
END
compile "$perdure" cc --symbolic -g -O1 -o table table.c
"$perdure" explore -q --pm '*.pm' --sym-stdin 1 ./table >out 2>err
jq -e '.complete and .stats.paths == 2 and .stats.runs_in_place > 0 and .stats.runs_forked == 0' $last >/dev/null
ok $? 'a table is looked up in place' $last

# Text for a descriptor is in the file, also if that is PM, and whoever runs the program
cat >text.c <<'END'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("text.pm", O_RDWR | O_CREAT, 0600);
	char *p, c = 0;

	if (fd < 0 || ftruncate(fd, 64) || read(0, &c, 1) < 0 || dprintf(fd, "%d", 7) != 1)
		exit(1);
	p = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || *p != '7')
		abort();
	p[1] = c == 'q';
	_mm_clflush(p);
	return 0;
}
END
compile "$perdure" cc --symbolic -g -o text text.c
"$perdure" explore -q --pm '*.pm' --sym-stdin 1 ./text >out 2>err
[ $? = 0 ] && "$perdure" lint -q --pm '*.pm' ./text </dev/null >out 2>err && rm -f text.pm && ./text </dev/null
ok $? 'dprintf into a file in PM' err

# Wide characters of a file in PM are what they are
echo 'qr' >wide.pm
cat >wide.c <<'END'
#include <emmintrin.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <wchar.h>

int main(void)
{
	char *p = mmap(NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, open("wide.pm", O_RDWR), 0);
	FILE *f = fopen("wide.pm", "r");
	wchar_t s[8];

	*p = 'q';
	_mm_clflush(p);

	if (!f || fgetwc(f) != L'q' || ungetwc(L'Q', f) != L'Q' || !fgetws(s, 8, f) || wcscmp(s, L"Qr\n"))
		return 1;
	if (fgetwc(f) != WEOF || !feof(f) || fwide(f, 0) <= 0)
		return 2;
	rewind(f);
	if (fgetwc(f) != L'q' || fclose(f))
		return 3;
	f = fopen("wide.pm", "r");
	return fgetc(f) == 'q' && fgetwc(f) == WEOF ? 0 : 4;
}
END
compile "$perdure" cc -g -o wide wide.c
"$perdure" lint -q --pm '*.pm' ./wide >out 2>err
[ $? = 0 ]
ok $? 'wide characters of a file in PM' err
finish
