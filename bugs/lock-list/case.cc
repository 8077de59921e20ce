/*
 * lock-list - the locks that an operation holds are in PM; which ones they are is noted in a
 * std::vector, so that recovery can give them back. But the vector is not in PM.
 */
#include "../pm.h"
#include <atomic>
#include <vector>

enum { LOCKS = 3, MAGIC = 0x10c5 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t held_count;
	uint64_t held_index[LOCKS];
	LINE std::atomic<uint64_t> lock[LOCKS];
	LINE uint64_t value;
};

static std::vector<int> held;

static void note(file *f, int i)
{
#if FIXED
	f->held_index[f->held_count] = (uint64_t)i;
	pm_set(&f->held_count, f->held_count + 1);
	pm_persist(&f->held_count, sizeof(f->held_count));
#else
	(void)f;
	held.push_back(i);
#endif
}

static void forget(file *f)
{
#if FIXED
	pm_set(&f->held_count, (uint64_t)0);
	pm_persist(&f->held_count, sizeof(f->held_count));
#else
	(void)f;
	held.clear();
#endif
}

static void recover(file *f)
{
#if FIXED
	for (uint64_t i = 0; i < f->held_count; i++)
		held.push_back((int)f->held_index[i]);
#endif
	for (int i : held) {
		f->lock[i].store(0);
		pm_persist(&f->lock[i], sizeof(f->lock[i])); //@ crash
	}
	held.clear();
	forget(f);
}

static void update(file *f)
{
	for (int i = 0; i < 2; i++) {
		uint64_t free = 0;

		note(f, i);
		if (!f->lock[i].compare_exchange_strong(free, 1)) { //@ store //@ load
			fprintf(stderr, "lock %d is never given back\n", i);
			exit(1);
		}
		pm_persist(&f->lock[i], sizeof(f->lock[i])); //@ crash
	}
	pm_set(&f->value, f->value + 1);
	pm_persist(&f->value, sizeof(f->value)); //@ crash
	for (int i = 1; i >= 0; i--) {
		f->lock[i].store(0);
		pm_persist(&f->lock[i], sizeof(f->lock[i])); //@ crash
	}
	forget(f);
}

int main(int argc, char **argv)
{
	file *f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : NULL, sizeof(file)));

	if (f->magic == MAGIC) {
		recover(f);
	} else {
		pm_set(&f->magic, (uint64_t)MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	update(f);
	return 0;
}
