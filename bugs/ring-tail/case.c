/*
 * ring-tail - a ring buffer of messages. The producer's index is a commit: it must not be durable
 * before the message is. Here it is raised first. Flushes are clflush, which keeps the stores'
 * order and needs no fence between them.
 */
#include "../pm.h"

enum { SLOTS = 4 };

struct file {
	LINE uint64_t in;
	LINE uint64_t out;
	struct message {
		LINE uint64_t number;
		char text[40];
	} slot[SLOTS];
};

static void send(struct file *f, const char *text)
{
	struct message *m = &f->slot[f->in % SLOTS];

#if FIXED
	strcpy(m->text, text);
	m->number = f->in + 1;
	_mm_clflush(m);
	pm_set(&f->in, f->in + 1);
	_mm_clflush(&f->in);
#else
	pm_set(&f->in, f->in + 1);
	_mm_clflush(&f->in); //@ flush //@ crash
	strcpy(m->text, text);
	m->number = f->in; //@ store
	_mm_clflush(m);
#endif
}

static void receive(struct file *f)
{
	struct message *m = &f->slot[f->out % SLOTS];

	if (m->number != f->out + 1) { //@ load
		fprintf(stderr, "message %d was never sent\n", (int)f->out);
		exit(1);
	}
	pm_set(&f->out, f->out + 1);
	_mm_clflush(&f->out);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	while (f->out < f->in)
		receive(f);
	for (int i = 0; i < 3; i++)
		send(f, "a message");
	receive(f);
	return 0;
}
