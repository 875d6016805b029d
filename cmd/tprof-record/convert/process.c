/* Copies of arenas, and their repair. After that, whatever the program wrote there, counts are within bounds,
 * entries refer only to older ones (they are appended), and texts end. */
#include "tprof-record/convert/process.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* Repairs so far. */
struct check {
	const struct rec_arena *a;
	size_t wrong;
#define REC_X(name, type, n) uint32_t name; /* in use */
	REC_GROWING(REC_X)
#undef REC_X
};

/* Counts something that is not valid. Returns whether it is not. */
static bool is_bad(struct check *c, bool bad)
{
	c->wrong += bad;
	return bad;
}

/* Limits a count of the process to the places that there are. */
static uint32_t within(struct check *c, struct rec_growth *g, uint32_t most)
{
	if (is_bad(c, g->used > most))
		g->used = most;
	return g->used;
}

/* Returns a reference to one of n entries, or 0 if it is not valid. */
static uint32_t below(struct check *c, uint32_t i, uint32_t n)
{
	return is_bad(c, i >= n && i) ? 0 : i;
}

static void check_strings(struct check *c)
{
	char *s = c->a->strings;

	/* What is shared begins as zeros, so that the text a dying process was writing ends where
	 * the writing did. */
	if (is_bad(c, c->strings && (s[0] || s[c->strings - 1])))
		s[0] = s[c->strings - 1] = 0;
}

static void check_nodes(struct check *c)
{
	struct rec_node *nodes = c->a->nodes;

	if (c->nodes)
		nodes[0] = (struct rec_node){0};
	for (uint32_t i = 1; i < c->nodes; i++) {
		uint32_t parent = nodes[i].parent, depth;

		/* Not in use: two threads added the same node, and one was faster. */
		if (!nodes[i].depth) {
			nodes[i] = (struct rec_node){0};
			continue;
		}
		if (is_bad(c, parent >= i || nodes[parent].depth >= REC_MAX_DEPTH ||
				  (parent && !nodes[parent].depth)))
			nodes[i].parent = parent = 0;
		depth = nodes[parent].depth + 1;
		if (is_bad(c, nodes[i].depth != depth))
			nodes[i].depth = depth;
	}
}

static void check_modules(struct check *c)
{
	for (uint32_t i = 0; i < c->modules; i++) {
		struct rec_module *m = &c->a->modules[i];

		m->file = below(c, m->file, c->strings);
		m->build_id = below(c, m->build_id, c->strings);
		if (is_bad(c, m->start > m->limit))
			m->limit = m->start;
	}
}

/* Sets lie one behind the other. */
static void check_sets(struct check *c)
{
	uint32_t *sets = c->a->sets;

	for (uint32_t at = 1; at < c->sets;) {
		uint32_t n = sets[at];

		if (is_bad(c, n > (c->sets - at - 1) / 2)) {
			c->a->header->sets.used = c->sets = at;
			return;
		}
		for (uint32_t i = 1; i <= 2 * n; i++)
			sets[at + i] = below(c, sets[at + i], c->strings);
		at += 1 + 2 * n;
	}
}

static bool is_set(const struct rec_arena *a, uint32_t set)
{
	uint32_t used = a->header->sets.used;

	return set && set < used && a->sets[set] <= (used - set - 1) / 2;
}

static void check_wait(struct check *c, struct rec_g *g)
{
	struct rec_event *w = &g->wait;
	uint16_t kind = w->kind;

	/* Torn: the process died, or was copied, while it wrote this. */
	if (g->seq & 1)
		kind = REC_NOTHING;
	if (is_bad(c, kind != REC_NOTHING && kind != REC_BLOCK && kind != REC_SYSCALL &&
			  kind != REC_G_STOP))
		kind = REC_NOTHING;
	if (kind == REC_NOTHING)
		memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->stack = below(c, w->stack, c->nodes);
	w->g = g->id;
}

static void check_gs(struct check *c)
{
	for (uint32_t i = 0; i < c->gs; i++) {
		struct rec_g *g = &c->a->gs[i];

		g->name[sizeof(g->name) - 1] = 0;
		g->create_stack = below(c, g->create_stack, c->nodes);
		if (is_bad(c, g->labels && !is_set(c->a, g->labels)))
			g->labels = 0;
		check_wait(c, g);
	}
}

/* A bucket's count must be a finite number, and neither of its numbers below 0. */
static void check_counts(struct check *c, struct rec_bucket *b)
{
	uint64_t bits = b->u.block.count;
	double count;

	if (b->kind == REC_HEAP_BUCKET || b->kind == REC_MMAP_BUCKET ||
	    b->kind == REC_CREATE_BUCKET)
		return;
	memcpy(&count, &bits, sizeof(count));
	if (is_bad(c, !isfinite(count) || count < 0))
		b->u.block.count = 0;
	if (is_bad(c, b->u.block.cycles < 0))
		b->u.block.cycles = 0;
}

static void check_buckets(struct check *c)
{
	const struct rec_arena *a = c->a;

	for (uint32_t i = 0; i < c->buckets; i++) {
		struct rec_bucket *b = &a->buckets[i];

		/* Kind 0: it was not complete when the process ended, and is in no list. */
		if (is_bad(c, b->kind >= REC_NBUCKET_KINDS))
			b->kind = 0;
		b->stack = below(c, b->stack, c->nodes);
		check_counts(c, b);
	}
	/* Builds the lists by kind anew, newest first. */
	for (uint32_t kind = 0; kind < REC_NBUCKET_KINDS; kind++)
		a->header->newest[kind] = 0;
	for (uint32_t i = 0; i < c->buckets; i++) {
		struct rec_bucket *b = &a->buckets[i];

		b->allnext = a->header->newest[b->kind];
		a->header->newest[b->kind] = i + 1;
	}
	a->header->newest[0] = 0;
}

int rec_process_check(struct rec_process *p, size_t *wrong, struct tp_err *err)
{
	struct rec_header *h = p->arena.header;
	struct check c = {.a = &p->arena};
	const unsigned scale = p->arena.scale;

	*wrong = 0;
	if (h->magic != REC_MAGIC || h->version != REC_VERSION ||
	    h->size_of_event != sizeof(struct rec_event))
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the shared memory of process %u is not in the format of this recorder",
		    p->pid);
#define REC_X(name, type, n) c.name = within(&c, &h->name, n);
	REC_GROWING(REC_X)
#undef REC_X
	if (is_bad(&c, h->options.depth > REC_MAX_DEPTH))
		h->options.depth = REC_MAX_DEPTH;
	if (is_bad(&c, h->options.cpu_hz > REC_MAX_HZ))
		h->options.cpu_hz = REC_MAX_HZ;
	if (is_bad(&c, h->start_nsec >= 1000000000))
		h->start_nsec = 0;
	check_strings(&c);
	h->exe = below(&c, h->exe, c.strings);
	h->args = below(&c, h->args, c.strings);
	check_nodes(&c);
	check_modules(&c);
	check_sets(&c);
	check_gs(&c);
	check_buckets(&c);
	/* A clock cannot have come that far. */
	if (is_bad(&c, h->start_ns > INT64_MAX))
		h->start_ns = p->end_ns;
	/* A process may have a clock of its own (time namespaces). */
	if (p->end_ns < h->start_ns)
		p->end_ns = h->start_ns;
	*wrong = c.wrong;
	return 0;
}

/* ---- copies ---- */

/* Copies a place again if its wait was being written. If that takes too long (its thread sleeps in the
 * middle), the copy is marked as torn, and rec_process_check removes its wait. */
void rec_process_copy_gs(struct rec_g *to, const struct rec_g *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (int tries = 0; tries < 1000; tries++) {
			uint32_t seq = atomic_load_explicit(&from[i].seq, memory_order_acquire);

			memcpy((void *)&to[i], (const void *)&from[i], sizeof(to[i]));
			atomic_thread_fence(memory_order_acquire);
			if (!(seq & 1) &&
			    atomic_load_explicit(&from[i].seq, memory_order_relaxed) == seq)
				break;
			to[i].seq = 1;
		}
}

/* The count stays what the process wrote; rec_process_check judges it. */
static uint32_t copy_count(struct rec_growth *count, const struct rec_growth *now, uint32_t most)
{
	uint32_t used = atomic_load_explicit(&now->used, memory_order_acquire);

	count->used = used;
	return used < most ? used : most;
}

/* The count of what is referred to is read after all that refers to it was copied. Conversions do not
 * need the records, and the other parts (waits, edges, keys) are for those who add something. */
static void copy_parts(struct rec_arena *to, const struct rec_arena *from)
{
	struct rec_header *count = to->header;
	const struct rec_header *now = from->header;
	const unsigned scale = from->scale;
	uint32_t used;

	memcpy((void *)count, (const void *)now, sizeof(*count));
#define REC_X(name, type, n)                                                                       \
	used = copy_count(&count->name, &now->name, n);                                            \
	if ((void *)to->name == (void *)to->gs)                                                    \
		rec_process_copy_gs(to->gs, from->gs, used);                                       \
	else if ((void *)to->name != (void *)to->chunks)                                           \
		memcpy((void *)to->name, (const void *)from->name, used * sizeof(type));
	REC_GROWING(REC_X)
#undef REC_X
}

int rec_process_copy(struct rec_process *p, const struct rec_arena *from, struct tp_err *err)
{
	void *base = mmap(NULL, rec_arena_size(from->scale), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*p = (struct rec_process){0};
	if (base == MAP_FAILED)
		return tp_nomem(err);
	p->arena = rec_arena_at(base, from->scale);
	copy_parts(&p->arena, from);
	return 0;
}

void rec_process_free(struct rec_process *p)
{
	if (p->arena.header)
		munmap(p->arena.header, rec_arena_size(p->arena.scale));
	*p = (struct rec_process){0};
}

/* ---- reading ---- */

const char *rec_process_string(const struct rec_process *p, uint32_t string)
{
	return string < p->arena.header->strings.used ? p->arena.strings + string : "";
}

const uint32_t *rec_process_labels(const struct rec_process *p, uint32_t set, size_t *n)
{
	*n = is_set(&p->arena, set) ? p->arena.sets[set] : 0;
	return *n ? p->arena.sets + set + 1 : NULL;
}

size_t rec_process_stack(const struct rec_process *p, uint32_t stack, uint64_t *pcs, size_t room)
{
	const struct rec_node *nodes = p->arena.nodes;
	size_t n = 0;

	if (stack >= p->arena.header->nodes.used)
		return 0;
	for (; stack && nodes[stack].depth && n < room; stack = nodes[stack].parent)
		pcs[n++] = nodes[stack].pc;
	return n;
}
