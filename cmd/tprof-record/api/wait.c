/* Kernel threads: their creation, waits and system calls. */
#include <errno.h>
#include <stdlib.h>

#include "tprof-record/api/lib.h"

struct start {
	void *(*run)(void *);
	void *arg;
	uint32_t g, pid;
};

static void *begin(void *arg)
{
	struct start s = *(struct start *)arg;
	const struct rec_host *h = atomic_load(&api.host);

	free(arg);
	if (api_alive(h) && api_header(h)->pid == s.pid) {
		h->thread_begin(s.g, (uint64_t)(uintptr_t)s.run);
		api_enter();
	}
	return s.run(s.arg);
}

int tprof_thread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			void *arg)
{
	const struct rec_host *h = api_enter();
	struct start *s;
	int code;

	if (!h || api.guest)
		return pthread_create(thread, attr, run, arg);
	s = malloc(sizeof(*s));
	if (!s)
		return EAGAIN;
	*s = (struct start){run, arg, h->thread_new((uint64_t)(uintptr_t)run), api_header(h)->pid};
	code = pthread_create(thread, attr, begin, s);
	if (code)
		free(s);
	return code;
}

/* Brings profiles up to date at once: another thread may read them before this one records again. */
static void settle(const struct rec_host *h)
{
	if (h->self()->ndue)
		h->settle_now();
}

/* Begins a wait. Until it ends, nothing else of the thread is recorded, because the preloaded library, if
 * loaded, would see a wait inside a wait. */
static inline __attribute__((always_inline)) void wait_begin(const struct rec_event *wait)
{
	const struct rec_host *h = api_enter();

	if (!h || api_self.waiting)
		return;
	api_self.waiting = wait->kind;
	api_self.wait = *wait;
	h->wait_begin(&api_self.wait, 1);
	h->self()->depth++;
}

static void wait_end(enum rec_kind kind, unsigned flags)
{
	const struct rec_host *h = atomic_load_explicit(&api.host, memory_order_acquire);

	if (!h || api_self.waiting != kind)
		return;
	api_self.waiting = 0;
	h->self()->depth--;
	if (!api_enter())
		return;
	h->wait_end(&api_self.wait, flags);
	settle(h);
}

void tprof_wait_begin(enum tprof_reason reason, const void *object)
{
	wait_begin(&(struct rec_event){
	    .kind = REC_BLOCK, .object = (uint64_t)(uintptr_t)object, .arg = api_reason(reason)});
}

void tprof_wait_end(bool timed_out)
{
	wait_end(REC_BLOCK, timed_out ? REC_TIMED_OUT : 0);
}

void tprof_post(const void *object, bool all)
{
	const struct rec_host *h = api_enter();
	uint64_t hash = (uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15u;

	/* The same test as rec_waited_for. */
	if (!h ||
	    !atomic_load_explicit(&api_arena(h)->waits[hash >> 51].waiters, memory_order_relaxed))
		return;
	h->announce(object, all ? UINT32_MAX : 1, 1);
	settle(h);
}

void tprof_syscall_begin(int fd)
{
	wait_begin(&(struct rec_event){
	    .kind = REC_SYSCALL, .object = (uint64_t)(int64_t)fd, .arg = REC_CALL_OTHER});
}

void tprof_syscall_end(void)
{
	const struct rec_host *h = atomic_load_explicit(&api.host, memory_order_acquire);
	bool blocked = h && h->now() - api_self.wait.start >= REC_SYSCALL_NS;

	wait_end(REC_SYSCALL, blocked ? REC_SYSCALL_BLOCKED : 0);
}
