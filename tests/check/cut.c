/*
 * cut.c - bugs that are soon found, then so many states that nobody comes to the end of them.
 *
 *	cut FILE WORDS [threads|repair]
 *
 * With `threads` two of them do that; with `repair` recovery stores to each word that it finds, and it is a recovery from
 * a crash of that one that interrupts. The header is never flushed; the second note is flushed, but after it was committed. Then WORDS words are stored,
 * each in a line of its own, and recovery looks at all. If CUT is the number of a process, or a file `victim` has it, the
 * first recovery that finds one of them interrupts it: what is known by then is what there will be.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 40 };

struct word {
	_Alignas(64) uint64_t v;
};

struct file {
	struct word header, made, note, count, word[MOST];
};

static void flush(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void construct(struct file *f)
{
	f->header.v = 0x1234; //@ header
	f->made.v = 1;
	flush(&f->made);
}

static void add(struct file *f)
{
	f->note.v = 5; //@ note
	f->count.v = 1;
	flush(&f->count);
	flush(&f->note);
}

static const char *whom(void)
{
	static char pid[20];
	int fd = open("victim", O_RDONLY);

	if (fd < 0)
		return getenv("CUT");
	return read(fd, pid, sizeof(pid) - 1) > 0 ? pid : NULL;
}

static void recover(struct file *f, int n, uint64_t repaired)
{
	const char *pid = whom();

	if (f->header.v != 0x1234) //@ header-load
		abort();
	if (f->count.v && f->note.v != 5) //@ note-load
		exit(3);
	for (int i = 0; i < n; i++) {
		if (f->word[i].v >= repaired && pid) {
			kill(atoi(pid), getenv("CUT_BY") ? atoi(getenv("CUT_BY")) : SIGINT);
			pid = NULL;
		}
		if (repaired == 2 && f->word[i].v == 1) {
			f->word[i].v = 2;
			flush(&f->word[i]);
		}
	}
}

struct part {
	struct file *f;
	int from, to;
};

static void *store(void *of)
{
	struct part *p = of;

	for (int i = p->from; i < p->to; i++)
		p->f->word[i].v = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1, n = argc > 2 ? atoi(argv[2]) : 0;
	struct file *f;
	pthread_t other;

	if (fd < 0 || n > MOST || posix_fallocate(fd, 0, sizeof(*f)) != 0)
		return 99;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->made.v) {
		recover(f, n, argc > 3 && *argv[3] == 'r' ? 2 : 1);
		return 0;
	}
	construct(f);
	add(f);
	struct part first = {f, 0, n / 2}, second = {f, n / 2, n};

	if (argc > 3 && *argv[3] == 't' && pthread_create(&other, NULL, store, &first) == 0) {
		store(&second);
		pthread_join(other, NULL);
	} else {
		store(&first);
		store(&second);
	}
	return 0;
}
