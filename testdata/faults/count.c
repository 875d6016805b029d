#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "fault.h"

#define DEPTH 64

struct fault_shared *fault_shared;

/* What is called from here is none of the command's. */
static __thread bool inside __attribute__((tls_model("initial-exec")));

/* Where a call comes from, as a number: enough of the stack to tell two callers of a helper apart.
 */
static uint64_t site(void)
{
	void *frames[12];
	int n = backtrace(frames, 12);
	uint64_t hash = 0xcbf29ce484222325u;

	for (int i = 2; i < n; i++)
		hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 0x100000001b3u;
	return hash;
}

static void explain(void)
{
	void *frames[DEPTH];
	int n = backtrace(frames, DEPTH);
	int fd = (int)fault_syscall(SYS_open, (long)"where", O_WRONLY | O_CREAT | O_TRUNC, 0600, 0,
				    0, 0);

	if (fd < 0)
		return;
	backtrace_symbols_fd(frames, n, fd);
	fault_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

bool fault_now(enum fault_kind kind, int *error)
{
	struct fault_shared *s = fault_shared;
	uint64_t n;
	bool now;

	if (!s || inside || !atomic_load_explicit(&s->armed, memory_order_relaxed))
		return false;
	atomic_fetch_add(&s->kinds[kind], 1);
	if (!(s->mask >> kind & 1))
		return false;
	n = atomic_fetch_add(&s->counted, 1) + 1;
	if (s->flags & FAULT_SITES && n <= FAULT_MAX_SITES) {
		inside = true;
		s->sites[n - 1] = site() << 4 | (uint64_t)kind;
		atomic_store(&s->nsites, (unsigned)n);
		inside = false;
	}
	now = s->first && n >= s->first && n <= s->last;
	if (!now)
		return false;
	if (s->flags & FAULT_KILL)
		fault_syscall(SYS_kill, 0, SIGKILL, 0, 0, 0, 0);
	if (!atomic_fetch_add(&s->hits, 1) && s->flags & FAULT_EXPLAIN) {
		inside = true;
		explain();
		inside = false;
	}
	*error = s->flags & FAULT_SHORT ? 0 : s->error;
	return true;
}

void fault_objection(const char *fmt, ...)
{
	bool was = inside;
	va_list ap;

	if (*fault_shared->note)
		return; /* the first one tells */
	inside = true;
	va_start(ap, fmt);
	vsnprintf(fault_shared->note, FAULT_NOTE_SIZE, fmt, ap);
	va_end(ap);
	inside = was;
}
