// Eight std::threads with mutexes and condition variables. What they print depends on the schedule.
#include "check.h"
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main()
{
	std::mutex m;
	std::mutex side;
	std::condition_variable cv;
	std::string order;
	std::vector<int> box;
	std::vector<std::thread> ts;
	int got = 0;

	for (int i = 0; i < 8; i++)
		ts.emplace_back([&, i] {
			for (int k = 0; k < 10; k++) {
				if (i % 2) {
					std::lock_guard g(m);
					box.push_back(i);
					order += char('a' + i);
					cv.notify_one();
				} else {
					std::unique_lock l(m);
					cv.wait(l, [&] { return !box.empty(); });
					got += box.back();
					box.pop_back();
					order += char('a' + i);
				}
				std::lock_guard g(side);
				order += '.';
				std::this_thread::yield();
			}
		});
	for (auto &t : ts)
		t.join();
	CHECK_EQ(got, 10 * (1 + 3 + 5 + 7));
	std::string letters;
	for (char c : order)
		if (c != '.')
			letters += c;
	CHECK_EQ(letters.size(), 80);
	printf("%s\n", letters.c_str());
	return check_failures ? 1 : 0;
}
