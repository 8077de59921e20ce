/*
 * announce_sync.c - a register of text in PM, which a crash may take back up to the last sync; its
 * writes return nothing. The first argument is the pool; with a second one, sync does nothing.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile uint64_t *text; /* up to 8 characters */

static void read_it(void)
{
	uint64_t now;

	pd_op_begin("read");
	now = *text;
	pd_op_end(now ? pd_op_bytes(&now, 3) : 0);
}

static void write_it(const char *s)
{
	uint64_t now = 0;

	memcpy(&now, s, 3);
	pd_op_begin("write", pd_op_bytes(s, 3));
	*text = now;
	pd_op_end_void();
}

static void sync_it(int lies)
{
	pd_op_begin("sync");
	if (!lies) {
		_mm_clflush((const void *)text);
		_mm_sfence();
	}
	pd_op_end_void();
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 9;
	text = p;
	read_it();
	write_it("one");
	write_it("two");
	sync_it(argc > 2);
	for (int i = 0; i < 1000; i++)
		puts("as tests do, it prints more than anybody reads");
	write_it("six");
	return 0;
}
