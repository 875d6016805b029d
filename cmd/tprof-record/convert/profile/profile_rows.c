/* Facts: runtime/mprof.go (memProfileInternal, blockProfileInternal, mutexProfileInternal) and
 * runtime/pprof/{pprof,protomem}.go. */
#include "tprof-record/convert/profile/profile_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

const struct rec_profile_types rec_profile_types[REC_NPROFILES] = {
    [REC_PROFILE_CPU] = {"cpu",
			 {{"samples", "count"}, {"cpu", "nanoseconds"}},
			 2,
			 {"cpu", "nanoseconds"}},
    [REC_PROFILE_HEAP] = {"heap",
			  {{"alloc_objects", "count"},
			   {"alloc_space", "bytes"},
			   {"inuse_objects", "count"},
			   {"inuse_space", "bytes"},
			   {"peak_objects", "count"},
			   {"peak_space", "bytes"},
			   {"temporary_objects", "count"}},
			  7,
			  {"space", "bytes"}},
    [REC_PROFILE_BLOCK] = {"block",
			   {{"contentions", "count"}, {"delay", "nanoseconds"}},
			   2,
			   {"contentions", "count"}},
    [REC_PROFILE_MUTEX] = {"mutex",
			   {{"contentions", "count"}, {"delay", "nanoseconds"}},
			   2,
			   {"contentions", "count"}},
    [REC_PROFILE_THREADCREATE] = {"threadcreate",
				  {{"threadcreate", "count"}},
				  1,
				  {"threadcreate", "count"}},
    [REC_PROFILE_GOROUTINE] = {"goroutine", {{"goroutine", "count"}}, 1, {"goroutine", "count"}},
    [REC_PROFILE_LEAK] = {"goroutineleak",
			  {{"goroutineleak", "count"}},
			  1,
			  {"goroutineleak", "count"}},
};

const char *rec_profile_name(enum rec_profile_kind kind)
{
	return rec_profile_types[kind].name;
}

/* What does not fit is as much as fits. */
static int64_t to_int(double v)
{
	if (!(v > -0x1p63))
		return INT64_MIN;
	return v < 0x1p63 ? (int64_t)v : INT64_MAX;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
	return product;
}

static int64_t at_most(uint64_t v)
{
	return v < INT64_MAX ? (int64_t)v : INT64_MAX;
}

/* ---- buckets ---- */

/* Returns whether nothing has been published of the heap yet. Then everything is shown, as otherwise a
 * program that takes no snapshot would have no profile. */
static bool is_unpublished(const struct rec_arena *a, uint32_t newest)
{
	for (uint32_t i = newest; i; i = a->buckets[i - 1].allnext) {
		const struct rec_heap_counts *counts = &a->buckets[i - 1].u.heap.published;

		if (counts->allocs || counts->frees)
			return false;
	}
	return true;
}

static double block_count(const struct rec_bucket *b)
{
	uint64_t bits = b->u.block.count;
	double count;

	memcpy(&count, &bits, sizeof(count));
	return count;
}

/* Fills in objects and bytes. A mapping that is partly in use is one object. */
static void fill_pair(int64_t v[2], uint64_t n, const struct rec_row *row)
{
	v[0] = at_most(n);
	v[1] = times(v[0], row->is_mapping ? REC_PAGE : row->size);
	if (row->is_mapping)
		v[0] = v[1] / row->size + (v[1] % row->size != 0);
}

/* Counts are those that were published, or all. */
static bool fill_heap(const struct rec_header *h, const struct rec_bucket *b, bool all,
		      struct rec_row *row)
{
	const struct rec_heap_counts *counts = all ? &b->u.heap.now : &b->u.heap.published;
	uint64_t allocs = counts->allocs;

	row->is_mapping = b->kind == REC_MMAP_BUCKET;
	row->size = at_most(b->size);
	if (row->is_mapping && !row->size)
		return false;
	fill_pair(row->value, allocs, row);
	fill_pair(row->value + 2, rec_heap_in_use(counts), row);
	fill_pair(row->value + 4, rec_heap_at_peak(h, b), row);
	row->value[6] = at_most(b->u.heap.temporary);
	/* Taken by a thread that has not counted yet, or not published. */
	return allocs != 0;
}

static bool fill_bucket(const struct rec_header *h, const struct rec_bucket *b, bool all,
			struct rec_row *row)
{
	row->stack = b->stack;
	switch (b->kind) {
	case REC_HEAP_BUCKET:
	case REC_MMAP_BUCKET:
		return fill_heap(h, b, all, row);
	case REC_BLOCK_BUCKET:
	case REC_MUTEX_BUCKET:
		row->value[0] = to_int(block_count(b));
		row->value[1] = b->u.block.cycles;
		/* As in Go: a count below one becomes one, so that readers never divide by 0. */
		if (!row->value[0] && row->value[1] && b->kind == REC_BLOCK_BUCKET)
			row->value[0] = 1;
		return row->value[0] || row->value[1];
	case REC_CPU_BUCKET:
		row->thread = (uint32_t)(b->size >> 32);
		row->labels = (uint32_t)b->size;
		row->value[0] = b->u.block.cycles;
		return row->value[0] > 0;
	default:
		row->value[0] = to_int(block_count(b));
		return row->value[0] > 0;
	}
}

/* Waiting for its own locks the recorder charges to a place in itself (core/profile/contention.c).
 */
static bool is_lost(const struct rec_process *p, struct rec_names *names, const struct rec_row *row)
{
	const struct rec_node *node = &p->arena.nodes[row->stack];

	return row->stack && node->depth == 1 && rec_names_place(names, node->pc)->own;
}

/* Adds the rows of a kind. The arena may be that of this process, which goes on: then buckets come before those
 * that are newest now. */
static int gather_buckets(struct rec_rows *rows, const struct rec_process *p,
			  enum rec_bucket_kind kind, struct rec_names *names, struct tp_err *err)
{
	const struct rec_arena *a = &p->arena;
	uint32_t newest = atomic_load_explicit(&a->header->newest[kind], memory_order_acquire);
	bool all =
	    kind == REC_MMAP_BUCKET || (kind == REC_HEAP_BUCKET && is_unpublished(a, newest));
	struct rec_row *more;
	size_t n = rows->n;

	for (uint32_t i = newest; i; i = a->buckets[i - 1].allnext)
		n++;
	more = realloc(rows->row, (n ? n : 1) * sizeof(*more));
	if (!more)
		return tp_nomem(err);
	rows->row = more;
	for (uint32_t i = newest; i; i = a->buckets[i - 1].allnext) {
		struct rec_row row = {0};

		if (!fill_bucket(a->header, &a->buckets[i - 1], all, &row))
			continue;
		row.lost = names && kind == REC_MUTEX_BUCKET && is_lost(p, names, &row);
		rows->row[rows->n++] = row;
	}
	return 0;
}

static int by_cycles(const void *a, const void *b)
{
	const struct rec_row *x = a, *y = b;

	return (x->value[1] < y->value[1]) - (x->value[1] > y->value[1]);
}

void rec_rows_sort_waits(struct rec_rows *rows, enum rec_profile_kind kind)
{
	if (rows->n && (kind == REC_PROFILE_BLOCK || kind == REC_PROFILE_MUTEX))
		qsort(rows->row, rows->n, sizeof(*rows->row), by_cycles);
}

/* ---- goroutines ---- */

int rec_live_add(struct rec_live *live, struct rec_live_stack stack)
{
	uint64_t *pcs = tp_arena_alloc(&live->pcs, stack.npcs * sizeof(*pcs));

	if (!pcs || tp_grow(&live->stack, &live->room, live->n, sizeof(*live->stack)))
		return TP_ENOMEM;
	if (stack.npcs)
		memcpy(pcs, stack.pcs, stack.npcs * sizeof(*pcs));
	stack.pcs = pcs;
	live->stack[live->n++] = stack;
	return 0;
}

void rec_live_release(struct rec_live *live)
{
	free(live->stack);
	tp_arena_clear(&live->pcs);
	*live = (struct rec_live){0};
}

static const struct rec_live_stack *find_live(const struct rec_live *live, uint32_t g)
{
	for (size_t i = 0; live && i < live->n; i++) {
		if (live->stack[i].g == g)
			return &live->stack[i];
	}
	return NULL;
}

/* What it is doing, in Go's words: in labels, and in printed stacks (runtime2.go, waitReasonStrings). */
static void set_state(struct rec_row *row)
{
	static const char *const reason[REC_NREASONS][2] = {
#define REC_X(name, text, printed, v1) {text, printed},
	    REC_REASONS(REC_X)
#undef REC_X
	};
	static const char *const call[REC_NCALLS] = {
#define REC_X(name, text) text,
	    REC_CALLS(REC_X)
#undef REC_X
	};
	const struct rec_g *g = row->g;
	uint32_t arg = g->wait.arg;

	row->state = row->printed = g->tid || g->m ? "running" : "runnable";
	if (g->wait.kind == REC_SYSCALL) {
		row->state = call[arg < REC_NCALLS ? arg : REC_CALL_OTHER];
		row->printed = "syscall";
	} else if (g->wait.kind != REC_NOTHING) {
		arg = arg < REC_NREASONS ? arg : REC_ON_NONE;
		row->printed = reason[arg][1];
		row->state =
		    arg == REC_ON_NONE || (arg == REC_ON_YIELD && g->wait.kind == REC_G_STOP)
			? row->printed
			: reason[arg][0];
	}
}

static int by_number(const void *a, const void *b)
{
	const struct rec_row *x = a, *y = b;

	return (x->g->id > y->g->id) - (x->g->id < y->g->id);
}

/* A kernel thread that runs one of the program's own goroutines is its scheduler meanwhile. */
static void mark_schedulers(struct rec_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct rec_g *own = rows->row[i].g;

		for (size_t k = 0; k < rows->n && !own->tid && own->m; k++) {
			struct rec_row *row = &rows->row[k];

			if (row->g->tid && row->g->m == own->m &&
			    row->g->wait.kind == REC_NOTHING) {
				row->state = "scheduling";
				row->is_scheduler = true;
			}
		}
	}
}

static void fill_g(struct rec_row *row, const struct rec_g *g, const struct rec_live_stack *live)
{
	*row = (struct rec_row){.g = g, .value = {1}, .stack = g->wait.stack};
	set_state(row);
	row->leaked = live && live->leaked;
	if (!row->stack && live && live->npcs) {
		row->pcs = live->pcs;
		row->npcs = live->npcs;
	} else if (!row->stack && g->entry) {
		row->lone = g->entry + 1;
	}
}

static int gather_gs(struct rec_rows *rows, const struct rec_process *p,
		     const struct rec_live *live, bool leaked, struct tp_err *err)
{
	uint32_t used = p->arena.header->gs.used;

	rows->row = calloc(used ? used : 1, sizeof(*rows->row));
	if (!rows->row)
		return tp_nomem(err);
	for (uint32_t i = 0; i < used; i++) {
		const struct rec_g *g = &p->arena.gs[i];

		if (g->id)
			fill_g(&rows->row[rows->n++], g, find_live(live, g->id));
	}
	if (rows->n)
		qsort(rows->row, rows->n, sizeof(*rows->row), by_number);
	mark_schedulers(rows);
	if (leaked) {
		size_t n = 0;

		for (size_t i = 0; i < rows->n; i++) {
			if (rows->row[i].leaked)
				rows->row[n++] = rows->row[i];
		}
		rows->n = n;
	}
	return 0;
}

int rec_rows_add_mappings(struct rec_rows *rows, const struct rec_process *p, struct tp_err *err)
{
	return gather_buckets(rows, p, REC_MMAP_BUCKET, NULL, err);
}

int rec_rows_gather(struct rec_rows *rows, const struct rec_process *p, enum rec_profile_kind kind,
		    const struct rec_live *live, struct rec_names *names, struct tp_err *err)
{
	*rows = (struct rec_rows){0};
	switch (kind) {
	case REC_PROFILE_CPU:
		return gather_buckets(rows, p, REC_CPU_BUCKET, names, err);
	case REC_PROFILE_HEAP:
		return gather_buckets(rows, p, REC_HEAP_BUCKET, names, err);
	case REC_PROFILE_BLOCK:
		return gather_buckets(rows, p, REC_BLOCK_BUCKET, names, err);
	case REC_PROFILE_MUTEX:
		return gather_buckets(rows, p, REC_MUTEX_BUCKET, names, err);
	case REC_PROFILE_THREADCREATE:
		return gather_buckets(rows, p, REC_CREATE_BUCKET, names, err);
	default:
		return gather_gs(rows, p, live, kind == REC_PROFILE_LEAK, err);
	}
}

void rec_rows_release(struct rec_rows *rows)
{
	free(rows->row);
	*rows = (struct rec_rows){0};
}

size_t rec_row_pcs(const struct rec_process *p, const struct rec_row *row,
		   uint64_t pcs[REC_MAX_DEPTH])
{
	size_t n = row->npcs < REC_MAX_DEPTH ? row->npcs : REC_MAX_DEPTH;

	if (row->is_mapping) {
		n = rec_process_stack(p, row->stack, pcs, REC_MAX_DEPTH - 1);
		pcs[n] = REC_MMAP_PC;
		return n + 1;
	}
	if (row->stack)
		return rec_process_stack(p, row->stack, pcs, REC_MAX_DEPTH);
	if (row->pcs) {
		memcpy(pcs, row->pcs, n * sizeof(*pcs));
		return n;
	}
	pcs[0] = row->lone;
	return row->lone ? 1 : 0;
}

/* ---- scales ---- */

/* A block of `size` bytes is sampled with a probability of 1-exp(-size/rate) (Go: protomem.go,
 * scaleHeapSample). */
static void scale_heap(struct rec_row *row, uint64_t rate)
{
	double scale;

	if (rate <= 1 || row->size <= 0 || row->is_mapping)
		return;
	scale = 1 / (1 - exp(-(double)row->size / (double)rate));
	for (size_t i = 0; i < rec_profile_types[REC_PROFILE_HEAP].n; i++)
		row->value[i] = to_int((double)row->value[i] * scale);
}

int64_t rec_cpu_period(const struct rec_process *p)
{
	uint32_t hz = p->arena.header->options.cpu_hz;

	return hz ? 1000000000 / hz : 0;
}

void rec_row_scale(const struct rec_process *p, enum rec_profile_kind kind, struct rec_row *row)
{
	const struct rec_options *o = &p->arena.header->options;

	if (kind == REC_PROFILE_CPU) {
		row->value[1] = times(row->value[0], rec_cpu_period(p));
	} else if (kind == REC_PROFILE_HEAP) {
		scale_heap(row, o->heap_rate);
	} else if (kind == REC_PROFILE_MUTEX && o->profiler < 126 && o->mutex_fraction > 1) {
		/* Go up to 1.21: runtime/pprof, scaleMutexProfile. */
		row->value[0] = times(row->value[0], at_most(o->mutex_fraction));
		row->value[1] = times(row->value[1], at_most(o->mutex_fraction));
	}
}
