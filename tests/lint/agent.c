/* agent.c - a library that looks like libpmemobj, and its user; see pmdk.t. */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void obj_norep_persist(void *p);
void store_all(uint64_t *p);

#ifdef LIBRARY
void obj_norep_persist(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

void store_all(uint64_t *p)
{
	p[0] = 1;
	obj_norep_persist(p);
	obj_norep_persist(p); //@ library
}
#else
int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	uint64_t *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[8] = 1;
	obj_norep_persist(p + 8);
	obj_norep_persist(p + 8); //@ user
	store_all(p);
	return 0;
}
#endif
