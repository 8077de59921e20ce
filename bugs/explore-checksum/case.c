/* explore-checksum - only a packet whose checksum is right gets to the store that is not flushed. */
#include "../pm.h"

enum { BODY = 6 };

struct packet {
	uint8_t kind;
	uint8_t body[BODY];
	uint8_t sum;
};

struct store {
	LINE uint8_t body[BODY];
	LINE uint64_t packets;
};

static uint8_t checksum(const struct packet *p)
{
	uint8_t sum = p->kind;
	int i;

	for (i = 0; i < BODY; i++)
		sum = (uint8_t)(sum * 31 + p->body[i]);
	return sum;
}

int main(int argc, char **argv)
{
	struct store *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	struct packet p;

	if (read(0, &p, sizeof(p)) != sizeof(p))
		return 0;
	if (checksum(&p) != p.sum)
		return 0;
	memcpy(s->body, p.body, BODY);
	pm_persist(s->body, BODY);
	if (p.kind == 7) {
		s->packets++; //@ store
#if FIXED
		pm_persist(&s->packets, sizeof(s->packets));
#endif
	}
	return 0;
}
