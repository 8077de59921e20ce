/* explore-second - only the second command of a session that names the same key forgets the flush. */
#include "../pm.h"

struct slot {
	LINE uint8_t key;
	uint8_t used;
	LINE uint8_t value;
};

struct store {
	struct slot slot[4];
};

static void put(struct store *s, uint8_t key, uint8_t value)
{
	struct slot *at = &s->slot[key & 3];

	if (at->used && at->key == key) {
		at->value = value; //@ store
#if FIXED
		pm_persist(&at->value, sizeof(at->value));
#endif
		return;
	}
	if (at->used)
		return;
	at->value = value;
	pm_persist(&at->value, sizeof(at->value));
	at->key = key;
	at->used = 1;
	pm_persist(at, 2);
}

int main(int argc, char **argv)
{
	struct store *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	uint8_t command[3];

	while (read(0, command, sizeof(command)) == sizeof(command)) {
		if (command[0] == 'q')
			break;
		if (command[0] == 'p' && command[2])
			put(s, command[1] & 7, command[2]);
	}
	return 0;
}
