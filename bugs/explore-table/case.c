/* explore-table - a table says which class an opcode is of; one class is stored without a flush. */
#include "../pm.h"

enum class { NONE, READ, WRITE, ADMIN };

static const uint8_t classes[64] = {
	[3] = READ, [4] = READ, [17] = WRITE, [18] = WRITE, [23] = WRITE, [41] = ADMIN, [60] = READ,
};

struct state {
	LINE uint64_t written;
	LINE uint64_t admin;
};

int main(int argc, char **argv)
{
	struct state *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	uint8_t in[2];

	if (read(0, in, 2) != 2 || in[0] >= 64)
		return 0;
	switch ((enum class)classes[in[0]]) {
	case WRITE:
		s->written = in[1];
		pm_persist(&s->written, sizeof(s->written));
		break;
	case ADMIN:
		if (in[1] != (in[0] ^ 0x5a))
			break;
		s->admin++; //@ store
#if FIXED
		pm_persist(&s->admin, sizeof(s->admin));
#endif
		break;
	case READ:
		printf("%d\n", (int)s->written);
		break;
	case NONE:
		break;
	}
	return 0;
}
