/*
 * queue-cond - producer and consumer with std::mutex and std::condition_variable. The producer
 * announces an item while it is not durable; the consumer counts it as done, durably.
 */
#include "../pm.h"
#include <condition_variable>
#include <mutex>
#include <thread>

enum { ITEMS = 2 };

struct file {
	LINE uint64_t produced;
	LINE uint64_t consumed;
};

static file *f;
static std::mutex mutex;
static std::condition_variable ready;

static void produce()
{
	for (int i = 0; i < ITEMS; i++) {
		{
			std::lock_guard<std::mutex> hold(mutex);

			pm_set(&f->produced, f->produced + 1); //@ store
#if FIXED
			pm_persist(&f->produced, sizeof(f->produced));
#endif
		}
		ready.notify_one();
		pm_persist(&f->produced, sizeof(f->produced)); //@ flush
	}
}

static void consume()
{
	for (int i = 0; i < ITEMS; i++) {
		std::unique_lock<std::mutex> hold(mutex);

		ready.wait(hold, [] { return f->produced > f->consumed; });
		pm_set(&f->consumed, f->consumed + 1);
		pm_persist(&f->consumed, sizeof(f->consumed));
	}
}

int main(int argc, char **argv)
{
	f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : nullptr, sizeof(file)));
	if (f->consumed > f->produced) { //@ load
		fprintf(stderr, "consumed what was never produced\n");
		return 1;
	}
	std::thread consumer(consume), producer(produce);

	producer.join();
	consumer.join();
	return 0;
}
