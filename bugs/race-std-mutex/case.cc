/*
 * race-std-mutex - C++: the guard ends before the flush.
 */
#include "../pm.h"
#include <mutex>
#include <thread>

struct file {
	LINE uint64_t cause;
	LINE uint64_t effect;
};

static file *f;
static std::mutex lock;

static void writer()
{
	for (int i = 0; i < 2; i++) {
		{
			std::lock_guard<std::mutex> guard(lock);

			pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
			pm_persist(&f->cause, sizeof(f->cause));
#endif
		}
#if !FIXED
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
}

static void reader()
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		{
			std::lock_guard<std::mutex> guard(lock);

			seen = f->cause; //@ load
		}
		if (seen > f->effect) {
			pm_set(&f->effect, seen);
			pm_persist(&f->effect, sizeof(f->effect));
		}
	}
}

int main(int argc, char **argv)
{
	f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f)));
	if (f->effect > f->cause) {
		fprintf(stderr, "%d was acted on and is gone\n", static_cast<int>(f->effect));
		return 1;
	}
	std::thread a(writer), b(reader);
	a.join();
	b.join();
	return 0;
}
