/*
 * fuzz.c - random changes of two PM files and their mappings.
 *
 *	fuzz SEED STEPS
 *
 * Maps, unmaps, protects, grows and cuts a.pm and b.pm, writes them by store and by write(2), maps
 *them into reservations with MAP_FIXED, and prints what can be seen after each step: results,
 *bytes, and the signal that touching a page raises. The same natively and driven.
 *
 * A mapping whose pages are also mapped elsewhere is never protected: there, and only there, pages
 *of two mappings are not told apart (pm/pool_map.c says so).
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	  4096
#define MAX_PAGES 24
#define MAPS	  6

struct mapping {
	char *addr;
	int pages;
	int file;
	int off;
	int reserved; /* pages of the reservation around it, 0: none */
	char *reservation;
	int protected; /* some page of it was */
	int guest;     /* in a reservation, or at the same place as one that is */
};

static struct mapping maps[MAPS];
static int fds[2], sizes[2];
static uint64_t state;
static sigjmp_buf env;

static unsigned draw(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % n;
}

static volatile int armed;

static void on_fault(int sig)
{
	if (!armed)
		_exit(99);
	siglongjmp(env, sig);
}

/* The byte at p, or 1000 + the signal. */
static int look(volatile unsigned char *p)
{
	int sig = sigsetjmp(env, 1), v = 0;

	armed = 1;
	if (!sig)
		v = *p;
	armed = 0;
	return sig ? 1000 + sig : v;
}

static int set(volatile unsigned char *p, int v)
{
	int sig = sigsetjmp(env, 1);

	armed = 1;
	if (!sig)
		*p = (unsigned char)v;
	armed = 0;
	return sig;
}

static int overlaps(const struct mapping *m, int file, int off, int pages)
{
	return m->addr && m->file == file && m->off < off + pages && off < m->off + m->pages;
}

/*
 * MAP_FIXED into a reservation: only of bytes that are mapped nowhere else. Bytes that are there
 * may be mapped again, but not together with others.
 */
static void do_map(struct mapping *m)
{
	int file = (int)draw(2), off = (int)draw(8), pages = 1 + (int)draw(8), fixed = draw(3) == 0,
	    guest = 0;

	if (m->addr)
		return;
	for (int i = 0; i < MAPS; i++) {
		struct mapping *o = &maps[i];

		if (!overlaps(o, file, off, pages))
			continue;
		if (fixed || o->protected)
			return;
		if (o->guest && (off < o->off || off + pages > o->off + o->pages))
			return;
		guest |= o->guest;
	}
	*m = (struct mapping){.pages = pages, .file = file, .off = off, .guest = guest || fixed};
	if (fixed) {
		m->reserved = pages + 4;
		m->reservation = mmap(NULL, (size_t)m->reserved * PAGE, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	m->addr = mmap(fixed ? m->reservation + 2 * PAGE : NULL, (size_t)pages * PAGE,
		       PROT_READ | PROT_WRITE, MAP_SHARED | (fixed ? MAP_FIXED : 0), fds[file],
		       (off_t)off * PAGE);
	printf("map %d+%d of %d %s: %d\n", off, pages, file, fixed ? "fixed" : "",
	       m->addr != MAP_FAILED);
}

static void do_unmap(struct mapping *m)
{
	if (!m->addr)
		return;
	printf("unmap %d+%d of %d: ", m->off, m->pages, m->file);
	if (m->reserved)
		printf("%d\n", munmap(m->reservation, (size_t)m->reserved * PAGE));
	else
		printf("%d\n", munmap(m->addr, (size_t)m->pages * PAGE));
	m->addr = NULL;
}

/* Gives back the end of a mapping. */
static void do_trim(struct mapping *m)
{
	int k;

	if (!m->addr || m->pages < 2 || m->guest)
		return; /* in a hole of a reservation the kernel may put another mapping */
	for (int i = 0; i < MAPS; i++)
		if (&maps[i] != m && overlaps(&maps[i], m->file, m->off, m->pages))
			return; /* which of two equal addresses is meant cannot be known */
	k = 1 + (int)draw((unsigned)m->pages - 1);
	printf("trim %d: %d\n", k, munmap(m->addr + (m->pages - k) * PAGE, (size_t)k * PAGE));
	m->pages -= k;
}

static int alone(const struct mapping *m, int pages)
{
	for (int i = 0; i < MAPS; i++)
		if (&maps[i] != m && overlaps(&maps[i], m->file, m->off, pages))
			return 0;
	return 1;
}

static void do_protect(struct mapping *m)
{
	static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	int from, n, prot = prots[draw(3)];

	if (!m->addr || !alone(m, m->pages))
		return;
	from = (int)draw((unsigned)m->pages);
	n = 1 + (int)draw((unsigned)(m->pages - from));
	m->protected = 1;
	printf("protect %d+%d as %d: %d\n", from, n, prot,
	       mprotect(m->addr + from * PAGE, (size_t)n * PAGE, prot));
}

/* mremap takes one kind of pages at a time, so never after mprotect. */
static void do_remap(struct mapping *m)
{
	int pages = 1 + (int)draw(10);
	char *p;

	if (!m->addr || m->reserved || m->protected ||
	    !alone(m, pages > m->pages ? pages : m->pages))
		return;
	p = mremap(m->addr, (size_t)m->pages * PAGE, (size_t)pages * PAGE, MREMAP_MAYMOVE);
	printf("remap %d to %d: %d\n", m->pages, pages, p != MAP_FAILED);
	m->addr = p;
	m->pages = pages;
}

static void do_size(void)
{
	int file = (int)draw(2), size = (int)draw(MAX_PAGES * PAGE);

	sizes[file] = size;
	printf("size %d of %d: %d\n", size, file, ftruncate(fds[file], size));
}

static void do_write(void)
{
	char buf[3 * PAGE];
	int file = (int)draw(2), n = 1 + (int)draw(sizeof(buf)), at = (int)draw(10 * PAGE);

	memset(buf, (int)draw(256), sizeof(buf));
	printf("write %d at %d of %d: %d\n", n, at, file,
	       (int)pwrite(fds[file], buf, (size_t)n, at));
	sizes[file] = sizes[file] > at + n ? sizes[file] : at + n;
}

/* Inside the file only: bytes beyond its end, in its last page, are nobody's. */
static void do_store(struct mapping *m)
{
	int at;

	if (!m->addr)
		return;
	at = (int)draw((unsigned)(m->pages * PAGE));
	if (m->off * PAGE + at >= sizes[m->file] &&
	    m->off * PAGE + at < (sizes[m->file] + PAGE - 1) / PAGE * PAGE)
		return;
	printf("store at %d of map: %d\n", at, set((unsigned char *)m->addr + at, (int)draw(256)));
}

static unsigned sum_file(int file)
{
	static char buf[MAX_PAGES * PAGE * 2];
	ssize_t n = pread(fds[file], buf, sizeof(buf), 0);
	unsigned h = (unsigned)n;

	for (ssize_t i = 0; i < n; i++)
		h = h * 31 + (unsigned char)buf[i];
	return h;
}

static void show(void)
{
	printf("  files %u %u;", sum_file(0), sum_file(1));
	for (int i = 0; i < MAPS; i++) {
		struct mapping *m = &maps[i];

		for (int p = 0; m->addr && p < m->pages; p++)
			printf(" %d", look((unsigned char *)m->addr + p * PAGE + p));
		if (m->addr && m->reserved)
			printf(" (%d)", look((unsigned char *)m->reservation));
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_fault};
	const char *names[] = {"a.pm", "b.pm"};
	int steps = argc > 2 ? atoi(argv[2]) : 100;

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	for (int i = 0; i < 2; i++) {
		fds[i] = open(names[i], O_RDWR | O_CREAT, 0600);
		sizes[i] = (int)lseek(fds[i], 0, SEEK_END);
	}
	while (steps--) {
		struct mapping *m = &maps[draw(MAPS)];

		switch (draw(10)) {
		case 0:
		case 1:
			do_map(m);
			break;
		case 2:
			do_unmap(m);
			break;
		case 3:
			do_trim(m);
			break;
		case 4:
			do_size();
			break;
		case 5:
			do_write();
			break;
		case 6:
			do_protect(m);
			break;
		case 7:
			do_remap(m);
			break;
		default:
			do_store(m);
		}
		show();
	}
	return 0;
}
