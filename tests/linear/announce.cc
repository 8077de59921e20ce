// announce.cc - a queue in PM with a main and threads of its own, in C++. With -DBUG a dequeue is not flushed: a crash brings
// back what was taken out.
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <emmintrin.h>
#include <mutex>
#include <perdure.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#ifndef BUG
#define BUG 0
#endif

namespace
{

const uint64_t Room = 16;

struct Ring {
	alignas(64) std::atomic<uint64_t> head;
	alignas(64) std::atomic<uint64_t> tail;
	alignas(64) std::atomic<uint64_t> value[Room];
};

Ring *ring;
std::mutex lock;

void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

void enqueue(uint64_t value)
{
	pd_op_begin("enqueue", value);
	std::unique_lock<std::mutex> guard(lock);
	uint64_t tail = ring->tail;
	bool full = tail - ring->head == Room;

	if (!full) {
		ring->value[tail % Room] = value;
		persist(&ring->value[tail % Room]);
		ring->tail = tail + 1;
		persist(&ring->tail);
	}
	guard.unlock();
	if (full)
		pd_op_end_failed();
	else
		pd_op_end(1);
}

void dequeue()
{
	pd_op_begin("dequeue");
	std::unique_lock<std::mutex> guard(lock);
	uint64_t head = ring->head, value = PD_NONE;

	if (head != ring->tail) {
		value = ring->value[head % Room];
		ring->head = head + 1;
		if (!BUG)
			persist(&ring->head);
	}
	guard.unlock();
	pd_op_end(value);
}

}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "announce.pm", O_RDWR | O_CREAT, 0644);

	if (fd < 0 || ftruncate(fd, sizeof(Ring)) != 0)
		return 9;
	ring = static_cast<Ring *>(
		mmap(nullptr, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	dequeue();
	std::thread one([] {
		enqueue(1);
		enqueue(2);
	});
	std::thread two([] { dequeue(); });
	one.join();
	two.join();
	dequeue();
}
