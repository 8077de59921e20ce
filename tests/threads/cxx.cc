// libstdc++'s threads: what it makes of pthreads, of futexes, and of both.
#include "check.h"
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::mutex print;
static std::atomic<int> alive;

struct tracked {
	int n = 0;
	tracked()
	{
		alive++;
	}
	~tracked()
	{
		std::lock_guard g(print); // a destructor may block
		alive--;
	}
};

static thread_local tracked per_thread;
static thread_local std::unique_ptr<std::string> text;

struct local {
	int v;
	local()
	{
		std::this_thread::yield();
		v = ++made;
	}
	static int made;
};
int local::made;

static int local_static()
{
	static local l;
	return l.v;
}

static void plain()
{
	std::vector<std::thread> ts;
	std::shared_mutex rw;
	std::recursive_timed_mutex rec;
	int count = 0;

	for (int i = 0; i < 6; i++)
		ts.emplace_back([&, i] {
			per_thread.n = i;
			text = std::make_unique<std::string>(std::to_string(i));
			for (int k = 0; k < 20; k++) {
				{
					std::unique_lock l(rw);
					count++;
				}
				std::shared_lock l(rw);
				std::scoped_lock both(rec, print);
				std::lock_guard deeper(rec);
				CHECK_EQ(per_thread.n, i);
				CHECK(*text == std::to_string(i));
				CHECK_EQ(local_static(), 1);
			}
		});
	for (auto &t : ts)
		t.join();
	CHECK_EQ(count, 120);
	CHECK_EQ(alive, 0);
}

static void once()
{
	std::once_flag flag;
	std::atomic<int> tries = 0;
	int done = 0;
	std::vector<std::jthread> ts;

	// The first two throw: the next one tries again.
	for (int i = 0; i < 5; i++)
		ts.emplace_back([&] {
			try {
				std::call_once(flag, [&] {
					std::this_thread::yield();
					if (++tries < 3)
						throw std::runtime_error("again");
					done++;
				});
			} catch (const std::runtime_error &) {
			}
		});
	ts.clear();
	CHECK_EQ(tries, 3);
	CHECK_EQ(done, 1);
}

static void waiting()
{
	std::mutex m;
	std::condition_variable cv;
	std::condition_variable_any any;
	bool ready = false;
	std::promise<int> p;
	auto f = p.get_future();

	std::thread t([&] {
		std::unique_lock l(m);
		cv.wait(l, [&] { return ready; });
		p.set_value(42);
	});
	CHECK(f.wait_for(1ms) == std::future_status::timeout);
	{
		std::lock_guard g(m);
		ready = true;
	}
	cv.notify_one();
	CHECK_EQ(f.get(), 42);
	t.join();
	std::unique_lock l(m);
	CHECK(!cv.wait_for(l, 2ms, [] { return false; }));
	CHECK(any.wait_for(l, 2ms) == std::cv_status::timeout);
	l.unlock();
	auto a = std::async(std::launch::async, [] { return 7; });
	CHECK_EQ(a.get(), 7);
	auto before = std::chrono::steady_clock::now();
	std::this_thread::sleep_for(3ms);
	CHECK(std::chrono::steady_clock::now() - before >= 3ms);
}

static void stopping()
{
	std::mutex m;
	std::condition_variable_any cv;
	std::atomic<int> stopped = 0;
	{
		std::jthread t([&](std::stop_token s) {
			std::unique_lock l(m);
			cv.wait(l, s, [] { return false; });
			stopped++;
		});
	}
	CHECK_EQ(stopped, 1);
}

static void futexes()
{
	std::counting_semaphore<8> s(2);
	std::binary_semaphore b(0);
	std::latch l(4);
	std::barrier bar(4);
	std::atomic<int> word = 0;
	std::atomic<int> inside = 0;
	std::atomic<int> phase = 0;
	std::vector<std::jthread> ts;

	for (int i = 0; i < 4; i++)
		ts.emplace_back([&] {
			s.acquire();
			CHECK(++inside <= 2);
			std::this_thread::yield();
			inside--;
			s.release();
			l.arrive_and_wait();
			phase++;
			bar.arrive_and_wait();
			CHECK_EQ(phase, 4);
			word.wait(0);
		});
	l.wait();
	CHECK(!b.try_acquire_for(1ms));
	b.release();
	b.acquire();
	word = 1;
	word.notify_all();
	ts.clear();
	CHECK_EQ(phase, 4);
}

static void exceptions()
{
	std::exception_ptr e;
	std::thread t([&] {
		try {
			tracked on_stack;
			std::this_thread::yield();
			throw std::logic_error("across a switch");
		} catch (...) {
			std::this_thread::yield();
			e = std::current_exception();
		}
	});
	t.join();
	try {
		std::rethrow_exception(e);
	} catch (const std::logic_error &x) {
		CHECK(std::string(x.what()) == "across a switch");
	}
}

int main()
{
	plain();
	once();
	waiting();
	stopping();
	futexes();
	exceptions();
	return check_done("cxx");
}
