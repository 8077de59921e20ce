/*
 * string-copy - names are copied with strcpy, a struct with memcpy; what is flushed is the field
 * behind them.
 */
#include "../pm.h"

struct user {
	LINE char name[56];
	uint64_t id;
	LINE char mail[56];
	uint64_t active; /* the commit */
};

struct file {
	struct user user[2];
};

static void add(struct user *u, const char *name, const char *mail, uint64_t id)
{
	strcpy(u->name, name); //@ store
	memcpy(u->mail, mail, strlen(mail) + 1);
	u->id = id;
#if FIXED
	pm_flush(u->name, sizeof(u->name));
#endif
	pm_persist(u->mail, sizeof(u->mail)); //@ flush
	pm_set(&u->active, 1);
	pm_persist(&u->active, sizeof(u->active));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (int i = 0; i < 2; i++) {
		struct user *u = &f->user[i];

		if (!u->active) {
			add(u, i ? "grace" : "ada", "someone@example.org", 3);
		} else if (u->name[0] != (i ? 'g' : 'a')) { //@ load
			fprintf(stderr, "user %d has no name\n", i);
			return 1;
		}
	}
	return 0;
}
