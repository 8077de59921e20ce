/*
 * fixes.c FILE: needless flushes and fences that are not simply to be left out; see fixes.t. to_pm() is a
 * wrapper that its name does not tell, persist() one that has a fence too many.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 16, LINE = 64 };

static char *pm;

__attribute__((noinline)) static void to_pm(const void *p)
{
	_mm_clflush(p); //@ to-pm
}

__attribute__((noinline)) static void fence(void)
{
	_mm_sfence();
}

__attribute__((noinline)) static void persist(const void *p)
{
	__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)p));
	fence();
	fence();
}

__attribute__((noinline)) static void needs_it(int i)
{
	pm[i * LINE] = 1;
	to_pm(&pm[i * LINE]);
}

__attribute__((noinline)) static void needs_it_not(int i)
{
	to_pm(&pm[i * LINE]); //@ needs-not
}

/* The fence of persist() is where a flush belongs; its second one is needless whatever is flushed. */
__attribute__((noinline)) static void forgets(int i)
{
	pm[(100 + i) * LINE] = 1;
	pm[(200 + i) * LINE] = 1;
	persist(&pm[(200 + i) * LINE]); //@ persists
}

__attribute__((noinline)) static void only_fences(int i)
{
	pm[(300 + i) * LINE] = 1; //@ unflushed
	fence(); //@ alone
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, SIZE))
		return 2;
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 2;
	for (int i = 0; i < 4; i++) {
		needs_it(i);
		needs_it_not(i);
		forgets(i);
		only_fences(i);
	}
	return 0;
}
