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

/* The first pass only checks the room. Places may come into use before the second, which decides. */
size_t tprof_threadcreate_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	const struct rec_host *h = api_enter();
	struct rec_process here = {0};
	const struct rec_g *gs;
	uint32_t used;
	size_t n = 0, i = 0;

	if (ok)
		*ok = true;
	if (!h)
		return 0;
	here.arena = *api_arena(h);
	gs = here.arena.gs;
	used = atomic_load_explicit(&here.arena.header->gs.used, memory_order_acquire);
	for (uint32_t k = 0; k < used && k < REC_NGS; k++)
		n += atomic_load(&gs[k].id) && gs[k].tid;
	if (n > room) {
		if (ok)
			*ok = false;
		return n;
	}
	for (uint32_t k = 0; k < used && k < REC_NGS && i < n; k++)
		if (atomic_load(&gs[k].id) && gs[k].tid)
			put_node(&p[i++], &here, atomic_load(&gs[k].create_stack));
	return i;
}

size_t tprof_goroutine_profile(struct tprof_stack_record *p, size_t room, bool *ok)
{
	struct api_inside was;
	const struct rec_host *h;
	struct api_stacks stacks;
	uint64_t own[API_MAX_DEPTH], pcs[REC_MAX_DEPTH];
	size_t n = 0, nown;

	if (ok)
		*ok = true;
	if (api_begin(&h))
		return 0;
	nown = h->backtrace(own, API_MAX_DEPTH, 1);
	was = api_inside(h);
	if (!api_stacks_take(h, own, nown, room ? room - 1 : 0, &stacks))
		n = stacks.others.n + 1;
	if (n > room) {
		if (ok)
			*ok = false;
	} else if (n) {
		put_stack(&p[0], own, nown);
		for (size_t i = 1; i < n; i++)
			put_stack(&p[i], pcs,
				  rec_row_pcs(&stacks.process, &stacks.others.row[i - 1], pcs));
	}
	api_stacks_release(&stacks);
	api_outside(h, was);
	return n;
}
