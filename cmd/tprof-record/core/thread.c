#include "tprof-record/core/inside.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "tprof-record/core/list.h"

__thread struct rec_self rec_self __attribute__((tls_model("initial-exec")));

struct rec_g *rec_g_take(uint32_t id)
{
	struct rec_arena *a = &rec_core->arena;
	uint32_t at = rec_list_take(&rec_state()->free_gs, &a->gs[0].next_free, sizeof(a->gs[0]));

	if (!at) {
		uint32_t used = atomic_load_explicit(&a->header->gs.used, memory_order_relaxed);

		do {
			if (used >= REC_NGS || !rec_reserve(REC_PART_gs, used + 1)) {
				rec_lose(REC_LOST_WAITS, 1);
				return NULL;
			}
		} while (!atomic_compare_exchange_weak_explicit(&a->header->gs.used, &used,
								used + 1, memory_order_release,
								memory_order_relaxed));
		at = used + 1;
	}
	/* The previous owner left the place cleared except for seq, which only grows. */
	atomic_store_explicit(&a->gs[at - 1].id, id, memory_order_release);
	return &a->gs[at - 1];
}

void rec_g_leave(struct rec_g *g)
{
	struct rec_arena *a = &rec_core->arena;

	if (!g)
		return;
	atomic_store_explicit(&g->id, 0, memory_order_release);
	rec_wait_clear(g);
	g->tid = 0;
	atomic_store_explicit(&g->m, 0, memory_order_relaxed);
	atomic_store_explicit(&g->labels, 0, memory_order_relaxed);
	atomic_store_explicit(&g->create_stack, 0, memory_order_relaxed);
	g->creator = 0;
	g->entry = g->start = 0;
	memset(g->name, 0, sizeof(g->name));
	rec_list_give(&rec_state()->free_gs, &a->gs[0].next_free, sizeof(a->gs[0]),
		      (uint32_t)(g - a->gs) + 1);
}

void rec_wait_store(struct rec_g *g, const struct rec_event *wait)
{
	uint32_t seq = atomic_load_explicit(&g->seq, memory_order_relaxed);

	atomic_store_explicit(&g->seq, seq + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	/* A reader may be copying it at the same time; seq tells the reader to try again. */
#define COPY(field) __atomic_store_n(&g->wait.field, wait->field, __ATOMIC_RELAXED)
	COPY(flags);
	COPY(stack);
	COPY(start);
	COPY(end);
	COPY(object);
	COPY(g);
	COPY(m);
	COPY(arg);
	COPY(cpu);
#undef COPY
	atomic_store_explicit(&g->wait.kind,
			      atomic_load_explicit(&wait->kind, memory_order_relaxed),
			      memory_order_relaxed);
	atomic_store_explicit(&g->seq, seq + 2, memory_order_release);
}

/* A single store clears the wait, so a reader sees the old kind or none. */
void rec_wait_clear(struct rec_g *g)
{
	atomic_store_explicit(&g->wait.kind, REC_NOTHING, memory_order_relaxed);
}

void rec_random_seed(void)
{
	uint64_t seed = rec_core->arena.header->options.seed;

	rec_self.random = seed ? seed : rec_now() ^ (uint64_t)(uintptr_t)&rec_self;
	rec_self.random += (uint64_t)rec_self.g << 32;
	rec_self.random = rec_random() | 1;
}

static void set_name(const char *name)
{
	char text[sizeof(rec_self.slot->name)] = {0};

	memcpy(text, name, strnlen(name, sizeof(text) - 1));
	if (rec_self.slot)
		memcpy(rec_self.slot->name, text, sizeof(text));
}

void rec_thread_begin_inside(uint32_t g, uint64_t entry)
{
	struct rec_header *h = rec_core->arena.header;
	struct rec_event event = {.kind = REC_THREAD_START};
	bool met = !g;

	if (rec_self.g)
		return;
	if (!g)
		g = atomic_fetch_add_explicit(&h->next_g, 1, memory_order_relaxed);
	rec_self.g = rec_self.m = g;
	rec_self.stripe = g % REC_NSTRIPES;
	if (!rec_self.random)
		rec_random_seed();
	event.start = event.end = rec_now();
	event.object = (uint64_t)rec_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
	rec_self.slot = rec_g_take(g);
	if (rec_self.slot) {
		struct rec_g *slot = rec_self.slot;
		struct rec_pending *p = &rec_state()->pending[g % REC_NPENDING];

		slot->entry = entry;
		slot->start = event.start;
		if (!met && atomic_load_explicit(&p->g, memory_order_acquire) == g) {
			atomic_store_explicit(&slot->create_stack, p->stack, memory_order_relaxed);
			slot->creator = p->creator;
		}
		/* A thread created through a hook has only inherited its creator's name. */
		if (met && rec_may(REC_NEED_NAMES))
			rec_call(SYS_prctl, PR_GET_NAME, (long)slot->name, 0, 0, 0, 0);
		/* Readers that find the place (api/state.c) may use it from now on. */
		atomic_store_explicit(&slot->tid, (uint32_t)event.object, memory_order_release);
		atomic_store_explicit(&slot->m, g, memory_order_relaxed);
	}
	event.cpu = rec_cpu_stamp(0);
	rec_write_inside(&event);
	rec_cpu_begin((uint32_t)event.object);
}

void rec_forget_self(void)
{
	memset(&rec_self, 0, sizeof(rec_self));
	rec_self.depth = 1;
	rec_self.generation = rec_core->generation;
}

void rec_thread_begin(uint32_t g, uint64_t entry)
{
	if (rec_self.g || !rec_enter())
		return;
	rec_thread_begin_inside(g, entry);
	rec_leave();
}

/* ---- what a thread has used ---- */

enum {
	LONG_NS = 10000000,
	MOST_READ = 256, /* of the threads that are there when the process ends */
};

static size_t put_number(char *to, uint32_t n)
{
	char digits[10];
	size_t size = 0, i = 0;

	do
		digits[size++] = (char)('0' + n % 10);
	while (n /= 10);
	while (size)
		to[i++] = digits[--size];
	return i;
}

/* Reads how long a thread waited for a processor: the second number of its schedstat. */
static uint64_t run_delay(uint32_t tid)
{
	char text[96] = "/proc/self/task/";
	size_t size = strlen(text);
	uint64_t ns = 0;
	unsigned spaces = 0;
	long fd, n;

	if (!rec_may(REC_NEED_FILES))
		return REC_DELAY_UNKNOWN;
	size += put_number(text + size, tid);
	memcpy(text + size, "/schedstat", sizeof("/schedstat"));
	fd = rec_call(SYS_openat, AT_FDCWD, (long)text, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return REC_DELAY_UNKNOWN;
	n = rec_call(SYS_read, fd, (long)text, sizeof(text), 0, 0, 0);
	rec_call(SYS_close, fd, 0, 0, 0, 0, 0);
	for (long i = 0; i < n && spaces < 2; i++) {
		if (text[i] == ' ')
			spaces++;
		else if (spaces)
			ns = ns * 10 + (uint64_t)(text[i] - '0');
	}
	return spaces < 2 ? REC_DELAY_UNKNOWN : ns;
}

/* A file of /proc makes the end of a thread take 0.1 ms longer, so that it is read only of threads that were
 * there for long. */
static void write_usage(const struct rec_g *g, uint64_t least_ns)
{
	struct rec_event event = {.kind = REC_THREAD_USAGE, .object = REC_DELAY_UNKNOWN};
	uint32_t id = g ? g->id : 0,
		 tid = g ? atomic_load_explicit(&g->tid, memory_order_acquire) : 0;

	if (!id || !tid || !rec_tracing())
		return;
	event.g = event.m = id;
	event.cpu = rec_cpu_stamp(tid);
	event.start = event.end = rec_now();
	if (event.end - g->start >= least_ns)
		event.object = run_delay(tid);
	/* Another thread may have ended meanwhile, and its number may be a third one's. */
	if (event.cpu && *(const volatile uint32_t *)&g->id == id)
		rec_write_inside(&event);
}

void rec_threads_usage(void)
{
	uint32_t used, n = 0;

	if (!rec_enter())
		return;
	used = atomic_load_explicit(&rec_core->arena.header->gs.used, memory_order_acquire);
	for (uint32_t i = 0; i < used; i++) {
		const struct rec_g *g = &rec_core->arena.gs[i];

		if (g->id && atomic_load_explicit(&g->tid, memory_order_acquire))
			write_usage(g, n++ < MOST_READ ? 0 : UINT64_MAX);
	}
	rec_leave();
}

__attribute__((noinline)) void rec_thread_end(void)
{
	struct rec_frame caller = REC_CALLER();
	struct rec_event event = {.kind = REC_THREAD_END};

	if (!rec_self.g || !rec_enter())
		return;
	rec_wait_abandon(NULL);
	rec_settle_inside();
	rec_settle_contention();
	write_usage(rec_self.slot, LONG_NS);
	rec_cpu_end_inside(caller);
	event.start = event.end = rec_now();
	rec_write_inside(&event);
	rec_cache_give(rec_self.cache);
	rec_self.cache = NULL;
	rec_g_leave(rec_self.slot);
	rec_self.slot = NULL;
	rec_self.g = rec_self.m = 0;
}

__attribute__((noinline)) uint32_t rec_thread_new(uint64_t entry)
{
	struct rec_frame caller = REC_CALLER();
	struct rec_header *h;
	struct rec_event event = {.kind = REC_THREAD_NEW, .object = entry};
	struct rec_pending *p;
	uint32_t g;

	if (!rec_enter())
		return 0;
	rec_known();
	h = rec_core->arena.header;
	g = atomic_fetch_add_explicit(&h->next_g, 1, memory_order_relaxed);
	event.arg = g;
	event.stack = rec_stack_from(caller, 1);
	event.start = event.end = rec_now();
	p = &rec_state()->pending[g % REC_NPENDING];
	atomic_store_explicit(&p->g, 0, memory_order_relaxed);
	p->stack = event.stack;
	p->creator = rec_self.g;
	atomic_store_explicit(&p->g, g, memory_order_release);
	if (h->options.threadcreate)
		rec_create_event_inside(event.stack);
	rec_write_inside(&event);
	rec_leave();
	return g;
}

void rec_thread_name(const char *name)
{
	struct rec_event event = {.kind = REC_THREAD_NAME};

	if (!rec_enter())
		return;
	rec_known();
	set_name(name);
	if (rec_tracing()) {
		event.arg = rec_string_inside(name, strlen(name));
		event.start = event.end = rec_now();
		rec_write_inside(&event);
	}
	rec_leave();
}
