/* Profiles as records in memory, as runtime/mprof.go has them (MemProfile …). */
#include "tprof-record/api/lib.h"

/* Held while a snapshot is taken, because that moves counts. */
static pthread_mutex_t snapshot_lock = PTHREAD_MUTEX_INITIALIZER;

void api_forget_records(void)
{
	snapshot_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void put_stack(struct tprof_stack_record *r, const uint64_t *pcs, size_t n)
{
	for (size_t i = 0; i < TPROF_MAX_STACK; i++)
		r->stack[i] = i < n ? (uintptr_t)pcs[i] : 0;
}

static void put_node(struct tprof_stack_record *r, const struct rec_process *p, uint32_t stack)
{
	uint64_t pcs[TPROF_MAX_STACK];

	put_stack(r, pcs, rec_process_stack(p, stack, pcs, TPROF_MAX_STACK));
}

/* ---- heap, block and mutex ---- */

/* The present rows of this process. */
struct records {
	struct rec_process here;
	struct rec_rows rows; /* empty if they exceed the caller's room */
};

/* Gathers the rows. Returns how many there are. With `inuse_zero`, includes those whose memory is
 * all free again. */
static size_t gather(struct records *r, enum rec_profile_kind kind, bool inuse_zero, size_t room,
		     bool *ok)
{
	const struct rec_host *h = api_enter();
	struct rec_rows *rows = &r->rows;
	struct api_inside was;
	size_t n = 0;
	int code;

	*r = (struct records){0};
	if (ok)
		*ok = true;
	if (!h)
		return 0;
	r->here.arena = *api_arena(h);
	was = api_inside(h);
	pthread_mutex_lock(&snapshot_lock);
	code = rec_rows_gather(rows, &r->here, kind, NULL, NULL, NULL);
	pthread_mutex_unlock(&snapshot_lock);
	for (size_t i = 0; i < rows->n; i++)
		if (inuse_zero || rows->row[i].value[2])
			rows->row[n++] = rows->row[i];
	rows->n = n;
	if (n > room)
		rec_rows_release(rows);
	api_outside(h, was);
	if (ok)
		*ok = !code && n <= room;
	return n;
}

size_t tprof_mem_profile(struct tprof_mem_record *p, size_t room, bool inuse_zero, bool *ok)
{
	struct records r;
	size_t n = gather(&r, REC_PROFILE_HEAP, inuse_zero, room, ok);

	for (size_t i = 0; i < r.rows.n; i++, p++) {
		const int64_t *value = r.rows.row[i].value;

		p->alloc_objects = value[0];
		p->alloc_bytes = value[1];
		p->free_objects = value[0] - value[2];
		p->free_bytes = value[1] - value[3];
		put_node(&p->stack, &r.here, r.rows.row[i].stack);
	}
	rec_rows_release(&r.rows);
	return n;
}

static size_t waits(enum rec_profile_kind kind, struct tprof_block_record *p, size_t room, bool *ok)
{
	struct records r;
	size_t n = gather(&r, kind, true, room, ok);

	for (size_t i = 0; i < r.rows.n; i++, p++) {
		p->count = r.rows.row[i].value[0];
		p->cycles = r.rows.row[i].value[1];
		put_node(&p->stack, &r.here, r.rows.row[i].stack);
	}
	rec_rows_release(&r.rows);
	return n;
}

size_t tprof_block_profile(struct tprof_block_record *p, size_t room, bool *ok)
{
	return waits(REC_PROFILE_BLOCK, p, room, ok);
}

size_t tprof_mutex_profile(struct tprof_block_record *p, size_t room, bool *ok)
{
	return waits(REC_PROFILE_MUTEX, p, room, ok);
}

void tprof_heap_snapshot(void)
{
	const struct rec_host *h = api_enter();
	uint64_t pcs[API_MAX_DEPTH];

	if (!h)
		return;
	pthread_mutex_lock(&snapshot_lock);
	h->heap_publish(api_arena(h));
	pthread_mutex_unlock(&snapshot_lock);
	if (atomic_load(&api.text))
		api_text_gc(h, pcs, h->backtrace(pcs, API_MAX_DEPTH, 1));
	API_STAY();
}

/* ---- threads and goroutines ---- */

size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	struct records r;
	size_t n = 0, at = 0;

	gather(&r, REC_PROFILE_THREADCREATE, true, SIZE_MAX, ok);
	for (size_t i = 0; i < r.rows.n; i++)
		n += (size_t)r.rows.row[i].value[0];
	if (ok && n > room)
		*ok = false;
	for (size_t i = 0; i < r.rows.n && n <= room; i++)
		for (int64_t k = 0; k < r.rows.row[i].value[0]; k++)
			put_node(&p[at++], &r.here, r.rows.row[i].stack);
	rec_rows_release(&r.rows);
	return n;
}

static void put_labels(struct tprof_labels *l, const struct rec_host *h, uint32_t set)
{
	const struct rec_process here = {.arena = *api_arena(h)};
	const uint32_t *pairs = rec_process_labels(&here, set, &l->n);

	/* The program may have overwritten it. */
	l->n = l->n < TPROF_MAX_LABELS ? l->n : TPROF_MAX_LABELS;
	for (size_t i = 0; i < 2 * l->n; i++)
		l->pair[i / 2][i % 2] = rec_process_string(&here, pairs[i]);
}

/* Writes the records of all goroutines, and their labels. */
static size_t goroutines(const struct rec_host *h, const uint64_t *own, size_t nown,
			 struct tprof_stack_record *p, struct tprof_labels *labels, size_t room,
			 bool *ok)
{
	struct api_inside was = api_inside(h);
	const struct rec_g *self = h->self()->slot;
	struct api_stacks stacks;
	uint64_t pcs[REC_MAX_DEPTH];
	size_t n = 0;

	if (!api_stacks_take(h, own, nown, room ? room - 1 : 0, &stacks))
		n = stacks.others.n + 1;
	if (ok)
		*ok = n <= room;
	for (size_t i = 0; i < n && n <= room; i++) {
		const struct rec_row *row = i ? &stacks.others.row[i - 1] : NULL;
		const struct rec_g *g = row ? row->g : self;

		if (row)
			put_stack(&p[i], pcs, rec_row_pcs(&stacks.process, row, pcs));
		else
			put_stack(&p[i], own, nown);
		if (labels)
			put_labels(&labels[i], h, g ? atomic_load(&g->labels) : 0);
	}
	api_stacks_release(&stacks);
	api_outside(h, was);
	return n;
}

size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	const struct rec_host *h;
	uint64_t own[API_MAX_DEPTH];

	if (ok)
		*ok = true;
	if (api_begin(&h))
		return 0;
	return goroutines(h, own, h->backtrace(own, API_MAX_DEPTH, 1), p, NULL, room, ok);
}

size_t tprof_goroutine_profile_with_labels(struct tprof_stack_record *p,
					   struct tprof_labels *labels, size_t room, bool *ok)
{
	const struct rec_host *h;
	uint64_t own[API_MAX_DEPTH];

	if (ok)
		*ok = true;
	if (api_begin(&h))
		return 0;
	return goroutines(h, own, h->backtrace(own, API_MAX_DEPTH, 1), p, labels, room, ok);
}
