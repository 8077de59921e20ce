// crowd.cc - eight threads that hand a token around by a mutex and a condition variable, and leave what
// they saw in PM: the order is the schedule.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <emmintrin.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct pool {
	std::atomic<uint64_t> next;
	uint64_t pad[7];
	uint64_t slot[1000];
};

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "crowd.pm", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(pool)) != 0)
		return 1;
	void *p = mmap(nullptr, sizeof(pool), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	auto *pm = static_cast<pool *>(p);
	std::mutex m;
	std::condition_variable turn;
	int waiting = 0;
	std::vector<std::thread> threads;

	for (uint64_t id = 1; id <= 8; id++)
		threads.emplace_back([&, id] {
			for (int i = 0; i < 10; i++) {
				uint64_t at = pm->next.fetch_add(1);

				pm->slot[at] = id;
				_mm_clflush(&pm->slot[at]);
				_mm_sfence();
				std::unique_lock<std::mutex> lock(m);
				if (++waiting < 4) {
					turn.wait_for(lock, std::chrono::milliseconds(5));
				} else {
					waiting = 0;
					turn.notify_all();
				}
			}
		});
	for (auto &t : threads)
		t.join();
	uint64_t sum = 0;
	for (int i = 0; i < 80; i++)
		sum = sum * 31 + pm->slot[i];
	std::printf("%d %lx\n", static_cast<int>(pm->next.load()), static_cast<unsigned long>(sum));
	return 0;
}
