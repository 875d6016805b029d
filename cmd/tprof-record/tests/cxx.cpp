// C++: exceptions across frames, threads and C functions; the waits of C++20, which are futexes by
// system call; new and delete of every kind. Prints what has to be true without a recorder, too.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace
{

struct Guard {
	int &n;
	explicit Guard(int &count) : n(count)
	{
		n++;
	}
	~Guard()
	{
		n--;
	}
};

[[gnu::noinline]] int deep(int n, int &alive)
{
	Guard guard(alive);
	std::string text(static_cast<size_t>(n) * 10 + 20, 'x');

	if (n == 0)
		throw std::runtime_error(text);
	return deep(n - 1, alive) + static_cast<int>(text.size());
}

int compare_and_throw(const void *, const void *)
{
	throw 42;
}

int exceptions()
{
	int alive = 0, caught = 0;

	for (int i = 0; i < 200; i++)
		try {
			deep(i % 60, alive);
		} catch (const std::exception &e) {
			caught++;
		}
	try {
		int values[] = {3, 1, 2};
		std::qsort(values, 3, sizeof(int), compare_and_throw);
	} catch (int n) {
		caught += n == 42;
	}
	try {
		std::vector<char> none(static_cast<size_t>(-1) / 2);
	} catch (const std::exception &) {
		caught++;
	}
	auto f = std::async(std::launch::async, []() -> int { throw std::logic_error("async"); });
	try {
		f.get();
	} catch (const std::logic_error &) {
		caught++;
	}
	try {
		std::once_flag once;
		std::call_once(once, [] { throw 1; });
	} catch (int) {
		caught++;
	}
	return alive == 0 && caught == 204;
}

// While one thread throws, others wait with locks that unwinding lets go.
int throwing_threads()
{
	std::mutex mutex;
	std::atomic<int> caught = 0;
	std::vector<std::jthread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			for (int j = 0; j < 50; j++)
				try {
					std::lock_guard lock(mutex);
					std::this_thread::sleep_for(50us);
					throw std::string(
					    "thrown with the lock held, long enough for the heap");
				} catch (const std::string &s) {
					caught += !s.empty();
				}
		});
	threads.clear();
	return caught == 200;
}

int waits()
{
	std::atomic<int> turn = 0;
	std::counting_semaphore<8> semaphore(0);
	std::binary_semaphore binary(0);
	std::latch latch(4);
	std::barrier barrier(2);
	int got = 0;

	std::jthread other([&] {
		for (int i = 0; i < 50; i++) {
			turn.wait(2 * i);
			std::this_thread::sleep_for(200us);
			turn = 2 * i + 2;
			turn.notify_all();
			semaphore.release();
		}
		latch.count_down(3);
		binary.release();
		for (int i = 0; i < 20; i++)
			barrier.arrive_and_wait();
	});
	for (int i = 0; i < 50; i++) {
		turn = 2 * i + 1;
		turn.notify_all();
		turn.wait(2 * i + 1);
		semaphore.acquire();
		got++;
	}
	latch.arrive_and_wait();
	got += binary.try_acquire_for(5s);
	for (int i = 0; i < 20; i++) {
		barrier.arrive_and_wait();
		got++;
	}
	got += !binary.try_acquire_for(2ms);
	return got == 72;
}

int stops()
{
	std::shared_mutex shared;
	std::mutex mutex;
	std::condition_variable_any any;
	std::condition_variable cond;
	bool flag = false, stopped = false;
	{
		std::jthread t([&](std::stop_token stop) {
			std::shared_lock lock(shared);
			any.wait(lock, stop, [] { return false; });
			stopped = stop.stop_requested();
		});
		std::this_thread::sleep_for(2ms);
	}
	std::jthread setter([&] {
		std::this_thread::sleep_for(2ms);
		{
			std::lock_guard lock(mutex);
			flag = true;
		}
		cond.notify_one();
	});
	std::unique_lock lock(mutex);
	bool in_time = cond.wait_for(lock, 5s, [&] { return flag; });
	bool late = cond.wait_for(lock, 2ms, [] { return false; });
	return stopped && in_time && !late;
}

struct alignas(128) Wide {
	char bytes[256];
};

int news()
{
	std::map<int, std::unique_ptr<std::string>> map;
	std::vector<std::unique_ptr<Wide[]>> wide;
	int wrong = 0;

	for (int i = 0; i < 5000; i++) {
		map[i % 700] =
		    std::make_unique<std::string>(static_cast<size_t>(i) % 100 + 16, 'a');
		if (i % 10 == 0)
			wide.push_back(std::make_unique<Wide[]>(3));
		if (i % 10 == 0)
			wrong += reinterpret_cast<uintptr_t>(wide.back().get()) % 128 != 0;
	}
	void *none = ::operator new(static_cast<size_t>(-1) / 4, std::nothrow);
	wrong += none != nullptr;
	return wrong == 0;
}

} // namespace

int main()
{
	std::printf("exceptions %s\n", exceptions() ? "as thrown" : "lost");
	std::printf("throwing threads %s\n", throwing_threads() ? "as thrown" : "lost");
	std::printf("waits %s\n", waits() ? "over" : "wrong");
	std::printf("stops %s\n", stops() ? "heard" : "not heard");
	std::printf("news %s\n", news() ? "aligned" : "wrong");
	return 0;
}
