/*
 * explore-enospc - a log grows by a segment when it is full. The header says so before there is room for it;
 * where there is none, the capacity is taken back and nobody makes that durable.
 */
#include "../pm.h"

enum { SEGMENT = 256, SEGMENTS = 4 };

struct header {
	LINE uint64_t capacity; /* bytes that the file has room for */
	uint64_t used;
};

struct log {
	struct header head;
	uint8_t bytes[SEGMENT * SEGMENTS];
};

static int grow(struct log *l, int fd)
{
	uint64_t was = l->head.capacity;

	l->head.capacity = was + SEGMENT;
	pm_persist(&l->head, sizeof(l->head));
	if (posix_fallocate(fd, 0, (off_t)(sizeof(l->head) + l->head.capacity)) != 0) {
		l->head.capacity = was; //@ store
#if FIXED
		pm_persist(&l->head, sizeof(l->head));
#endif
		return -1;
	}
	return 0;
}

static int append(struct log *l, int fd, uint8_t byte, uint64_t n)
{
	if (l->head.used + n > SEGMENT * SEGMENTS)
		return -1;
	if (l->head.used + n > l->head.capacity && grow(l, fd) != 0)
		return -1;
	memset(l->bytes + l->head.used, byte, n);
	pm_persist(l->bytes + l->head.used, n);
	l->head.used += n;
	pm_persist(&l->head, sizeof(l->head));
	return 0;
}

/* Three records: small ones, or those that standard input asks for. */
int main(int argc, char **argv)
{
	struct log *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	int fd = open(argv[1], O_RDWR);
	uint8_t command = 0;

	if (fd < 0 || read(0, &command, 1) < 0)
		return 0;
	for (uint8_t i = 0; i < 3; i++)
		if (append(l, fd, i, command == 'w' ? 200 : 16) != 0)
			break;
	close(fd);
	return 0;
}
