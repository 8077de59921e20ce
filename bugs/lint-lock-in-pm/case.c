/* lint-lock-in-pm - a spin lock lives in PM beside the data, and is never flushed. */
#include "../pm.h"

struct file {
	LINE uint64_t value;
	LINE uint32_t lock;
};

#if FIXED
static uint32_t dram_lock;
#endif

static void add(struct file *f)
{
#if FIXED
	uint32_t *lock = &dram_lock;
#else
	uint32_t *lock = &f->lock;
#endif

	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		;
	f->value++;
	pm_persist(&f->value, sizeof(f->value));
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE); //@ store
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	add(f);
	add(f);
	return 0;
}
