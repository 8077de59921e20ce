/*
 * lint-pmemcheck - a library that knows nothing of perdure, and tells pmemcheck of its transactions, by
 * Valgrind's client requests, if that is there. One of the two accounts is not logged.
 */
#include "../pm.h"

enum { RUNNING_ON_VALGRIND = 0x1001 };
enum pmemcheck {
	REGISTER = 'P' << 24 | 'C' << 16,
	REMOVE = REGISTER + 2,
	IS_REGISTERED = REGISTER + 3,
	SET_CLEAN = REGISTER + 17,
	TX_BEGIN = REGISTER + 18,
	TX_END = REGISTER + 20,
	TX_ADD = REGISTER + 22,
	TX_IGNORE = REGISTER + 28,
};

struct file {
	LINE uint64_t balance[2];
	LINE uint64_t in_use; /* set anew whenever the file is opened */
	LINE uint64_t owner;  /* means nothing when it is opened */
	LINE struct {
		uint64_t valid, at, old;
	} log[2];
};

static int listens;

static uint64_t request(uint64_t what, const void *p, uint64_t n)
{
	volatile uint64_t words[6] = {what, (uint64_t)p, n, 0, 0, 0};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx,%%rbx"
			 : "=d"(answer)
			 : "a"(words), "0"(answer)
			 : "cc", "memory");
	return answer;
}

static void tell(enum pmemcheck what, const void *p, uint64_t n)
{
	if (listens)
		request(what, p, n);
}

static void find_out(void)
{
	if (!request(RUNNING_ON_VALGRIND, NULL, 0))
		return;
	request(REGISTER, &listens, sizeof(listens));
	listens = (int)request(IS_REGISTERED, &listens, sizeof(listens));
	request(REMOVE, &listens, sizeof(listens));
}

static void log_word(struct file *f, int i, uint64_t *p)
{
	f->log[i].at = pm_offset(f, p);
	f->log[i].old = *p;
	pm_persist(&f->log[i], sizeof(f->log[i]));
	f->log[i].valid = 1;
	pm_persist(&f->log[i].valid, 8);
	tell(TX_ADD, p, 8);
}

static void transfer(struct file *f, uint64_t n)
{
	tell(TX_BEGIN, NULL, 0); //@ transaction
	f->owner = 1;
	log_word(f, 0, &f->balance[0]);
#if FIXED
	log_word(f, 1, &f->balance[1]);
#endif
	f->balance[0] -= n;
	f->balance[1] += n; //@ store
	pm_persist(f->balance, sizeof(f->balance));
	f->log[0].valid = 0;
	pm_persist(&f->log[0].valid, 8);
#if FIXED
	f->log[1].valid = 0;
	pm_persist(&f->log[1].valid, 8);
#endif
	tell(TX_END, NULL, 0);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	find_out();
	f->in_use = 1;
	tell(SET_CLEAN, &f->in_use, sizeof(f->in_use));
	tell(REMOVE, &f->owner, 64);
	tell(TX_IGNORE, f->log, sizeof(f->log));
	transfer(f, 10);
	return 0;
}
