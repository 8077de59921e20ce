/*
 * store.c - a server that keeps values in PM: "<key><value>". Recovery checks that a slot that is marked as used has its
 * value. For one key the mark is durable before the value (-DFIXED=0).
 */
#include <assert.h>
#include <emmintrin.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct slot {
	_Alignas(64) char value;
	_Alignas(64) char used;
};

static struct slot *slots;

static void persist(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void set(int key, char value)
{
	struct slot *s = &slots[key];

	if (!FIXED && key == 2) {
		s->used = 1;
		persist(&s->used);
		s->value = value;
		persist(&s->value);
		return;
	}
	s->value = value;
	persist(&s->value);
	s->used = 1;
	persist(&s->used);
}

/* Zero: the client has left. */
static int serve(int fd)
{
	char request[2];

	if (recv(fd, request, 2, 0) != 2)
		return 0;
	if (request[0] >= 'a' && request[0] <= 'd' && request[1])
		set(request[0] - 'a', request[1]);
	return send(fd, "ok\n", 3, MSG_NOSIGNAL) == 3;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(7777)};
	int file = open(argv[argc - 1], O_RDWR | O_CREAT, 0600), n = 1;
	struct pollfd p[8] = {{socket(AF_INET, SOCK_STREAM, 0), POLLIN, 0}};

	if (ftruncate(file, 4096) || bind(p[0].fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(p[0].fd, 8))
		return 2;
	slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	for (int i = 0; i < 4; i++)
		assert(!slots[i].used || slots[i].value);
	while (poll(p, (nfds_t)n, -1) > 0) {
		for (int i = n - 1; i > 0; i--)
			if (p[i].revents && !serve(p[i].fd)) {
				close(p[i].fd);
				p[i] = p[--n];
			}
		if (p[0].revents && n < 8)
			p[n++] = (struct pollfd){accept(p[0].fd, NULL, NULL), POLLIN, 0};
	}
	return 0;
}
