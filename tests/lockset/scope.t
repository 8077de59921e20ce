#!/bin/sh
# What a verb has not looked at is not called clean: lockset without a second thread, lint and the order of stores.
. "$(dirname "$0")/../lib/run.sh"
instrument notes "$top/examples/notes.c"
gcc -g -O1 -I"$top/include" -o notes.plain "$top/examples/notes.c"
cat >alone.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* A second thread that has nothing to do with PM. */
static void *work(void *arg) { return arg; }
int main(void)
{
	int fd = open("x.pm", O_RDWR | O_CREAT, 0600);
	pthread_t t;
	long *p;

	if (ftruncate(fd, 4096))
		return 9;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_create(&t, 0, work, 0);
	*p = 1;
	__builtin_ia32_clflush(p);
	pthread_join(t, 0);
	return 0;
}
C
instrument alone alone.c
gcc -g -O1 -pthread -o alone.plain alone.c

for how in '' .plain; do
	rm -f x.pm
	"$perdure" lockset --json a.json --pm '*.pm' ./notes$how x.pm one >text 2>err
	[ $? = 3 ] && grep -q 'no bug found, but incomplete: nothing to judge: the program ran a single thread' text &&
		jq -e '(.complete | not) and .findings == [] and .stats.threads == 1' a.json >/dev/null
	ok $? "lockset, one thread: nothing to judge ($how)" text
	"$perdure" lockset --json a.json --pm '*.pm' ./alone$how >text 2>err
	[ $? = 3 ] && grep -q 'nothing to judge: only one thread accessed PM' text && jq -e '.stats.pm_threads == 1' a.json >/dev/null
	ok $? "lockset, one thread that accesses PM: nothing to judge ($how)" text
	"$perdure" lint --json a.json --pm '*.pm' ./alone$how >text 2>err
	[ $? = 0 ] && grep -q '^perdure lint: clean\. .* Not judged: the order in which stores become durable' text &&
		jq -e '.not_judged | contains("perdure check")' a.json >/dev/null
	ok $? "lint says that order was not judged, and what judges it ($how)" text
	"$perdure" report --format text a.json 2>err | grep -q "Not judged: .*'perdure check' does that"
	ok $? "and so does a report of it ($how)" err
done
finish
