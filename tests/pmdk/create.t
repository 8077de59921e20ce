#!/bin/bash
# create.t - a crash right after a file was made, before anything is in it, is called that. TAP.
. "$(dirname "$0")/../lib/run.sh"
cat >make.c <<'END'
#include <emmintrin.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	struct stat st;
	long *p;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 1;
	/* It was there: it has a size, thinks who wrote this */
	if (EMPTY_IS_NEW ? st.st_size == 0 : argc == 2)
		if (ftruncate(fd, 4096) != 0)
			return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*p = *p + 1;
	_mm_clflush(p);
	return 0;
}
END
for new in 0 1; do
	instrument make make.c -DEMPTY_IS_NEW=$new
	"$perdure" check --only crash --json r.json --recover './make again x.pm' --pm '*.pm' ./make x.pm >text 2>err
	[ $? = $((1 - new)) ]
	ok $? "an empty file is a new one: $new" text
	[ $new = 1 ] && continue
	jq -e '.findings | length == 1 and .[0].kind == "crash/recovery-signal" and (.[0].fix | startswith("nothing was stored yet: the file is new"))' r.json >/dev/null
	ok $? 'and that is what it says' text
done
finish
