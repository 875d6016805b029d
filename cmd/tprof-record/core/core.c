#include "tprof-record/core/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct rec_core *rec_core;
uint64_t rec_page;
_Atomic uint32_t rec_lacks;

/* The arena of the parent, after a fork has cleared the state. */
static struct rec_arena last_arena;
static uint32_t generations;

uint64_t rec_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t rec_cpu_stamp(uint32_t tid)
{
	/* As pthread_getcpuclockid makes it. */
	long clock = tid ? (long)(~tid << 3 | 6) : CLOCK_THREAD_CPUTIME_ID;
	struct timespec t;
	uint64_t ns;

	if (!rec_tracing() || !rec_may(REC_NEED_TIMERS) ||
	    rec_call(SYS_clock_gettime, clock, (long)&t, 0, 0, 0, 0))
		return 0;
	ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return (uint32_t)(ns >> REC_CPU_SHIFT) | 1;
}

/* The header is not visible to other threads yet. */
static void set_options(struct rec_options *to, const struct rec_options *from)
{
	memcpy((void *)to, (const void *)from, sizeof(*to));
	to->profiler = from->profiler ? from->profiler : 126;
	/* Go: maxStack, later profstackdepth. */
	to->depth = from->depth ? from->depth : to->profiler < 126 ? 32 : 128;
	if (to->depth > REC_MAX_DEPTH)
		to->depth = REC_MAX_DEPTH;
}

static void begin_header(struct rec_header *h, const struct rec_options *options)
{
	struct timespec wall;

	h->version = REC_VERSION;
	h->size_of_event = sizeof(struct rec_event);
	h->pid = (uint32_t)rec_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	h->start_ns = rec_now();
	clock_gettime(CLOCK_REALTIME, &wall);
	h->start_sec = (uint64_t)wall.tv_sec;
	h->start_nsec = (uint64_t)wall.tv_nsec;
	set_options(&h->options, options);
	h->next_g = 1;
	/* Entry 0 means "none". */
	h->nodes.used = h->strings.used = h->sets.used = 1;
	h->magic = REC_MAGIC;
}

/* Parts whose entry 0 means "none" need memory for that entry. */
static bool reserve_first(void)
{
	return rec_reserve(REC_PART_nodes, 1) && rec_reserve(REC_PART_strings, 1) &&
	       rec_reserve(REC_PART_sets, 1);
}

/* Copies the parent's modules, as a child has the same code. libc cannot be asked: dl_iterate_phdr takes a
 * lock that another thread of the parent may have held, and in the child that lock is never released. */
static void inherit_modules(struct rec_arena from)
{
	uint32_t n = atomic_load_explicit(&from.header->modules.used, memory_order_acquire);
	uint32_t limit = atomic_load_explicit(&from.header->strings.used, memory_order_acquire);

	for (uint32_t i = 0; i < n && i < REC_NMODULES; i++) {
		struct rec_module m = from.modules[i];

		if (m.gone || m.file >= limit || m.build_id >= limit)
			continue;
		m.file = rec_string(from.strings + m.file, limit - m.file);
		m.build_id = rec_string(from.strings + m.build_id, limit - m.build_id);
		rec_module_add(&m);
	}
}

/* Clears the counts of another arena's samples. A counter of 255 stays, as it may mark the boot memory
 * (real_boot_mark). */
static void forget_samples(void)
{
	for (size_t i = 0; i < sizeof(rec_sampled); i++)
		if (rec_sampled[i] && rec_sampled[i] != 255)
			rec_sampled[i] = 0;
}

/* Large tables take addresses that a process with a limit (ulimit -v) needs itself. */
static unsigned scale_for(const struct rec_options *options)
{
	struct rlimit limit;

	return options->heap_rate && options->heap_rate < REC_LARGE_BELOW &&
	       !rec_call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) &&
	       limit.rlim_cur == RLIM_INFINITY;
}

int rec_core_begin(const struct rec_options *options, bool shared)
{
	struct rec_self *self = &rec_self;
	struct rec_state *s = rec_state();
	struct stat st;
	struct rec_arena arena, parents = {0};
	int fd = -1, error;

	if (rec_alive())
		return EBUSY;
	if (!rec_page)
		rec_page = getauxval(AT_PAGESZ);
	/* A fork clears the state. The state of an arena that was taken away may still be in use. */
	if ((!s || s->core.generation) && !(s = rec_map(sizeof(*s))))
		return ENOMEM;
	error = rec_arena_make(shared, scale_for(options), &arena, &fd);
	/* A limit on the size of files, or no memory for large tables. */
	if (error && scale_for(options))
		error = rec_arena_make(shared, 0, &arena, &fd);
	if (error)
		return error;
	/* After a fork: the parent's arena is still mapped, and its modules are copied from it. */
	if (rec_core && !rec_core->generation)
		parents = last_arena;
	last_arena = arena;
	s->core.generation = ++generations;
	memset(self, 0, sizeof(*self));
	self->generation = generations;
	s->core.fd = fd;
	s->shared = shared;
	if (shared && rec_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	s->core.arena = arena;
	rec_core = &s->core;
	begin_header(s->core.arena.header, options);
	if (!reserve_first()) {
		rec_unmap(parents.header, rec_arena_size(parents.scale));
		return ENOMEM;
	}
	/* Looking at the counters touches their memory. */
	if (generations > 1)
		forget_samples();
	atomic_store_explicit(&s->core.live, 1, memory_order_release);
	rec_thread_begin(0, 0);
	if (parents.header) {
		inherit_modules(parents);
		rec_unmap(parents.header, rec_arena_size(parents.scale));
	}
	return 0;
}

void rec_core_end(void)
{
	if (rec_core)
		atomic_store_explicit(&rec_core->live, 0, memory_order_relaxed);
}

void rec_core_resume(void)
{
	if (rec_core && rec_core->generation)
		atomic_store_explicit(&rec_core->live, 1, memory_order_release);
	if (!rec_enter())
		return;
	rec_cpu_begin((uint32_t)rec_call(SYS_gettid, 0, 0, 0, 0, 0, 0));
	rec_leave();
}
