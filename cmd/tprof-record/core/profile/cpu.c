/* CPU samples. Each thread has a timer on its own CPU clock, which counts the time that it spends in the kernel
 * as well. It sends a signal to the thread after each period; periods that pass before the thread takes the
 * signal are counted by the kernel, so that samples add up to the CPU time.
 *
 * The kernel looks at the timer when its own clock ticks, and sends the signal when the thread returns from the
 * kernel. So a thread that was in a system call is found just behind it, and the call has its result: no call
 * fails with EINTR because of a sample (CONFIG_POSIX_CPU_TIMERS_TASK_WORK, Linux 5.9).
 *
 * The first period has a random length, so that a thread which uses less than a period has its share of the
 * samples. */
#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/stack/unwind.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

char rec_cpu_mark;

static uint64_t period(void)
{
	uint32_t hz =
	    atomic_load_explicit(&rec_core->arena.header->options.cpu_hz, memory_order_relaxed);

	return hz ? 1000000000u / hz : 0;
}

static uint64_t cpu_time(void)
{
	struct timespec t = {0};

	if (rec_may(REC_NEED_TIMERS))
		rec_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void stop_timer(void)
{
	if (rec_self.cpu.timer && rec_may(REC_NEED_TIMERS))
		rec_call(SYS_timer_delete, rec_self.cpu.timer - 1, 0, 0, 0, 0, 0);
	rec_self.cpu.timer = 0;
}

void rec_cpu_begin(uint32_t tid)
{
	int number = (int)rec_core->arena.header->options.cpu_signal, timer;
	uint64_t every = period(), first, bit;
	struct itimerspec when = {0};
	/* What the kernel reads of a struct sigevent; libc has no name for the thread. */
	struct {
		union sigval value;
		int number, notify;
		uint32_t tid, unused[11];
	} event = {
	    .value = {.sival_ptr = &rec_cpu_mark}, .number = number, .notify = 4, .tid = tid};

	_Static_assert(sizeof(event) == 64, "SIGEV_MAX_SIZE");
	if (!every || !number)
		return;
	if (!rec_may(REC_NEED_TIMERS) || rec_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID,
						  (long)&event, (long)&timer, 0, 0, 0) != 0) {
		rec_lose(REC_LOST_TIMERS, 1);
		return;
	}
	first = 1 + rec_random() % every;
	rec_self.cpu.timer = (uint32_t)timer + 1;
	rec_self.cpu.due = cpu_time() + first;
	rec_self.cpu.taken = 0;
	rec_self.cpu.stack = 0;
	when.it_value.tv_sec = (time_t)(first / 1000000000u);
	when.it_value.tv_nsec = (long)(first % 1000000000u);
	when.it_interval.tv_sec = (time_t)(every / 1000000000u);
	when.it_interval.tv_nsec = (long)(every % 1000000000u);
	rec_call(SYS_timer_settime, timer, 0, (long)&when, 0, 0, 0);
	/* Its creator may have blocked all signals. */
	bit = 1ull << (number - 1);
	rec_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&bit, 0, 8, 0, 0);
}

/* The thread's name and labels, as in struct rec_bucket. */
static uint64_t labels(void)
{
	const struct rec_g *slot = rec_self.slot;
	char name[16] = "";

	if (slot && *slot->name)
		memcpy(name, slot->name, sizeof(name) - 1);
	else if (rec_may(REC_NEED_NAMES))
		rec_call(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	return (uint64_t)rec_string_inside(name, strnlen(name, sizeof(name))) << 32 |
	       (slot ? atomic_load_explicit(&slot->labels, memory_order_relaxed) : 0);
}

static void count(uint32_t stack, uint32_t periods)
{
	struct rec_event event = {.kind = REC_CPU, .object = periods, .stack = stack};
	uint32_t at = rec_bucket_of(REC_CPU_BUCKET, stack, labels());

	if (at)
		atomic_fetch_add_explicit(&rec_core->arena.buckets[at - 1].u.block.cycles, periods,
					  memory_order_relaxed);
	event.start = event.end = rec_now();
	rec_write_inside(&event);
}

/* The signal may come in the middle. */
static uint32_t take_owed(void)
{
	return __atomic_exchange_n(&rec_self.cpu.owed, 0, __ATOMIC_RELAXED);
}

/* ---- the signal ---- */

/* Returns whether the code before `pc` is a system call. */
static bool is_behind_call(uint64_t pc)
{
	const volatile uint8_t *code = (const volatile uint8_t *)(uintptr_t)(pc - REC_CALL_SIZE);
	uint32_t call = 0;

	/* Code may be executable only. */
	if (pc < REC_PAGE || !rec_is_readable((pc - REC_CALL_SIZE) & ~7ull) ||
	    !rec_is_readable((pc - 1) & ~7ull))
		return false;
	for (int i = 0; i < REC_CALL_SIZE; i++)
		call |= (uint32_t)code[i] << 8 * i;
	return call == REC_CALL_CODE;
}

static uint32_t stack_of(const struct rec_frame *at)
{
	uint32_t stack = rec_stack_from(*at, 0), depth = rec_core->arena.nodes[stack].depth + 1;

	if (!stack || depth > REC_MAX_DEPTH || !is_behind_call(at->pc - 1))
		return stack;
	stack = rec_tree_child(stack, REC_KERNEL_PC, depth);
	if (!stack)
		rec_lose(REC_LOST_STACKS, 1);
	return stack;
}

void rec_cpu_sample(const void *context, uint32_t missed)
{
	uint32_t periods = 1 + missed;

	if (!rec_alive() || !rec_self.cpu.timer)
		return;
	rec_self.cpu.taken += periods;
	if (!rec_enter()) {
		rec_self.cpu.owed += periods;
		return;
	}
	/* Recording has ended. */
	if (!period()) {
		stop_timer();
	} else {
		struct rec_frame at = rec_interrupted(context);

		rec_self.cpu.stack = stack_of(&at);
		count(rec_self.cpu.stack, periods + take_owed());
	}
	rec_leave();
}

/* The thread was inside the recorder, whose frames are left out of stacks, and leaves it: the caller pays. */
__attribute__((noinline)) void rec_cpu_settle(void)
{
	struct rec_frame caller = REC_CALLER();

	while (rec_self.cpu.owed && rec_enter()) {
		rec_self.cpu.stack = rec_stack_from(caller, 0);
		count(rec_self.cpu.stack, take_owed());
		rec_go_out();
	}
}

/* ---- the end ---- */

void rec_cpu_end_inside(struct rec_frame caller)
{
	uint64_t every = period(), now, periods, entry;
	uint32_t stack = rec_self.cpu.stack;

	if (!rec_self.cpu.timer)
		return;
	stop_timer();
	now = cpu_time();
	periods = every && now >= rec_self.cpu.due ? 1 + (now - rec_self.cpu.due) / every : 0;
	periods = periods > rec_self.cpu.taken ? periods - rec_self.cpu.taken : 0;
	periods += take_owed();
	if (!periods || periods > UINT32_MAX)
		return;
	entry = rec_self.slot ? rec_self.slot->entry + 1 : 1;
	if (!stack)
		stack = entry > 1 ? rec_tree_add(&entry, 1) : rec_stack_from(caller, 0);
	count(stack, (uint32_t)periods);
}

__attribute__((noinline)) void rec_cpu_end(void)
{
	struct rec_frame caller = REC_CALLER();

	if (!rec_self.cpu.timer || !rec_enter())
		return;
	rec_cpu_end_inside(caller);
	rec_leave();
}

void rec_cpu_give_up(void)
{
	if (!rec_alive() || !rec_self.cpu.timer)
		return;
	rec_cpu_end();
	rec_lose(REC_LOST_TIMERS, 1);
}
