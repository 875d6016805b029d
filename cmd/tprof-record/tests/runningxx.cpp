/* What C++20 has to wait with: barrier, semaphore, atomic wait, latch, jthread. Prints a line of accounts.h. */
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

#include "accounts.h"

static constexpr unsigned threads = 4;

static void work(int n)
{
	volatile unsigned long x = 0;

	for (int i = 0; i < n; i++)
		x = x + static_cast<unsigned long>(i);
}

int main()
{
	begin_accounts();
	{
		std::barrier all(threads);
		std::latch begun(threads);
		std::counting_semaphore<2> two(2);
		std::atomic<unsigned> turn{0};
		std::vector<std::jthread> t;

		for (unsigned k = 0; k < threads; k++)
			t.emplace_back([&, k] {
				begun.arrive_and_wait();
				for (int i = 0; i < 30; i++) {
					work(100000 * static_cast<int>(k + 1));
					all.arrive_and_wait();
					two.acquire();
					work(50000);
					two.release();
					for (unsigned at; (at = turn.load()) % threads != k;)
						turn.wait(at);
					turn++;
					turn.notify_all();
				}
				add_own_delay();
			});
	}
	end_accounts();
}
