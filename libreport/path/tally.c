#include "path/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "path/wake.h"

const struct rep_path_kind_desc rep_path_kinds[REP_NPATH_KINDS] = {
    [REP_PATH_RUNNING] = {"running", "on a P"},
    [REP_PATH_RUNNABLE] = {"runnable", "waiting for a P (scheduling latency)"},
    [REP_PATH_SYSCALL] = {"syscall", "in a system call, with a P or without"},
    [REP_PATH_NETWORK] = {"network", "blocked until the network poller found something"},
    [REP_PATH_TIMER] = {"timer", "blocked until a timer ran out"},
    [REP_PATH_COLLECTOR] = {"collector", "blocked until the garbage collector went on"},
    [REP_PATH_OUTSIDE] = {"outside", "blocked until something other than a goroutine woke it"},
    [REP_PATH_UNFINISHED] = {"unfinished", "still blocked where the path ends"},
    [REP_PATH_LOST] = {"lost", "not known, as the trace is damaged"},
    [REP_PATH_UNSEEN] = {"unseen", "before the trace knows the goroutine, or who created it"},
    [REP_PATH_LIMIT] = {"not-followed", "beyond the limit of hops"},
};

int rep_path_begin(struct rep_path *p)
{
	memset(p, 0, sizeof(*p));
	p->chain = calloc(16, sizeof(*p->chain));
	if (!p->chain)
		return TP_ENOMEM;
	p->chain_room = 16;
	p->nchains = 1;
	p->chain[0].waiter = p->chain[0].waker = TP_NONE;
	return 0;
}

static void merge_goroutine(uint32_t *known, uint32_t goroutine)
{
	if (*known != goroutine)
		*known = TP_NONE;
}

/* Adds s to the sum with the same group, place, entry function, kind and reason, and sets *index to it. */
static int add_sum(struct rep_path *p, uint32_t group, uint32_t place, const struct rep_path_sum *s,
		   uint32_t *index)
{
	uint32_t what, at;
	struct rep_path_sum *t;
	int code = rep_keys_add(&p->whats, s->kind, s->reason, 0, 0, &what);

	if (!code)
		code = rep_keys_add(&p->sums, group, s->entry, place, what, &at);
	if (!code)
		code = tp_grow_raw(&p->sum, &p->sum_room, at, sizeof(*p->sum));
	if (code)
		return code;
	*index = at;
	t = &p->sum[at];
	if (at == p->nsums) {
		*t = *s;
		t->count = t->total_ns = t->max_ns = 0;
		p->nsums++;
	}
	merge_goroutine(&t->goroutine, s->goroutine);
	tp_sum(&t->count, s->count);
	tp_sum(&t->total_ns, s->total_ns);
	if (s->max_ns > t->max_ns)
		t->max_ns = s->max_ns;
	return 0;
}

static int add_part(struct rep_path *p, uint32_t part, uint32_t sum, int64_t ns)
{
	uint32_t at;
	int code = rep_keys_add(&p->parts, part, sum, 0, 0, &at);

	if (!code)
		code = tp_grow(&p->part, &p->part_room, at, sizeof(*p->part));
	if (code)
		return code;
	p->nparts = p->parts.n;
	p->part[at].part = part;
	p->part[at].sum = sum;
	tp_sum(&p->part[at].ns, ns);
	return 0;
}

int rep_path_put(struct rep_path *p, const struct rep_path_hop *hop, uint32_t entry, uint32_t part,
		 bool keep, bool again)
{
	int64_t ns = hop->to - hop->from;
	const struct rep_path_sum sum = {
	    .chain = hop->chain,
	    .entry = entry,
	    .goroutine = hop->goroutine,
	    .stack = hop->stack,
	    .reason = hop->reason,
	    .kind = hop->kind,
	    .count = !again,
	    .total_ns = ns,
	    .max_ns = ns,
	};
	uint32_t at;
	int code = add_sum(p, hop->chain, hop->stack, &sum, &at);

	if (!code && part != TP_NONE)
		code = add_part(p, part, at, ns);

	p->nhops += !again;
	tp_sum(&p->kind_ns[hop->kind], ns);
	tp_sum(&p->total_ns, ns);
	if (code || !keep)
		return code;
	if (!again || !p->hops.n)
		return rep_path_hops_put(&p->hops, hop);
	rep_path_hops_extend(&p->hops, hop->from);
	return 0;
}

int rep_path_deepen(struct rep_path *p, uint32_t chain, const struct rep_path_chain *wait,
		    uint32_t *out)
{
	struct rep_path_chain *c;
	uint32_t at;
	int code;

	*out = chain;
	if (p->chain[chain].depth >= REP_PATH_DEPTH)
		return 0;
	if (!rep_keys_find(&p->chains, chain, wait->stack, wait->reason, wait->waker_entry, &at)) {
		if (p->nchains >= REP_PATH_MAX_CHAINS)
			return 0;
		code = rep_keys_add(&p->chains, chain, wait->stack, wait->reason, wait->waker_entry,
				    &at);
		if (!code)
			code =
			    tp_grow_raw(&p->chain, &p->chain_room, p->nchains, sizeof(*p->chain));
		if (code)
			return code;
		c = &p->chain[p->nchains++];
		*c = *wait;
		c->parent = chain;
		c->depth = p->chain[chain].depth + 1;
		c->queue = 1;
		c->count = c->total_ns = 0;
	}
	/* Key n belongs to chain n + 1, as the root has no key. */
	*out = at + 1;
	c = &p->chain[*out];
	merge_goroutine(&c->waiter, wait->waiter);
	merge_goroutine(&c->waker, wait->waker);
	c->count++;
	return 0;
}

static void add_up(struct rep_path *p)
{
	for (size_t i = 0; i < p->nchains; i++)
		p->chain[i].total_ns = 0;
	for (size_t i = 0; i < p->nsums; i++)
		tp_sum(&p->chain[p->sum[i].chain].total_ns, p->sum[i].total_ns);
	for (size_t i = p->nchains; i-- > 1;)
		tp_sum(&p->chain[p->chain[i].parent].total_ns, p->chain[i].total_ns);
}

void rep_path_finish(struct rep_path *p)
{
	add_up(p);
}

struct rep_path_hop rep_path_hop(const struct rep_path *p, size_t i)
{
	return rep_path_hops_at(&p->hops, p->hops.n - 1 - i);
}

int64_t rep_path_hop_ns(const struct rep_path *p, size_t i)
{
	return rep_path_hops_ns(&p->hops, p->hops.n - 1 - i);
}

/* Returns whether a wait is for the same reason in the same function as the one it is in. */
static bool repeats(const struct tp_dict *dict, const struct rep_path_chain *c,
		    const struct rep_path_chain *outer)
{
	uint32_t site = rep_path_site(dict, c->stack);

	return c->reason == outer->reason &&
	       (c->stack == outer->stack || (site && site == rep_path_site(dict, outer->stack)));
}

int rep_path_fold(const struct tp_dict *dict, const struct rep_path *path, struct rep_path *folded)
{
	uint32_t *queue;
	int code = rep_path_begin(folded);

	folded->total_ns = path->total_ns;
	folded->requests = path->requests;
	folded->limited = path->limited;
	folded->nhops = path->nhops;
	memcpy(folded->kind_ns, path->kind_ns, sizeof(folded->kind_ns));
	folded->fold = tp_many(path->nchains, 2 * sizeof(*folded->fold));
	if (code || !folded->fold)
		return TP_ENOMEM;
	folded->hops = path->hops;
	folded->fold[0] = 0;
	queue = folded->fold + path->nchains; /* by chain of `path` */
	for (size_t i = 1; i < path->nchains && !code; i++) {
		const struct rep_path_chain *c = &path->chain[i];
		uint32_t within = folded->fold[c->parent];

		queue[i] = 1;
		if (c->parent && repeats(dict, c, &path->chain[c->parent])) {
			queue[i] += queue[c->parent];
			if (queue[i] > folded->chain[within].queue)
				folded->chain[within].queue = queue[i];
			folded->fold[i] = within;
			continue;
		}
		code = rep_path_deepen(folded, within, c, &folded->fold[i]);
		if (!code) /* which counts one */
			tp_sum(&folded->chain[folded->fold[i]].count, c->count - 1);
	}
	for (size_t i = 0; i < path->nsums && !code; i++) {
		struct rep_path_sum s = path->sum[i];
		uint32_t at;

		s.chain = folded->fold[s.chain];
		code = add_sum(folded, s.chain, s.stack, &s, &at);
	}
	add_up(folded);
	return code;
}

void rep_path_release(struct rep_path *p)
{
	rep_keys_release(&p->chains);
	rep_keys_release(&p->whats);
	rep_keys_release(&p->sums);
	rep_keys_release(&p->parts);
	free(p->part);
	free(p->chain);
	free(p->sum);
	if (!p->fold)
		rep_path_hops_release(&p->hops);
	free(p->fold);
	memset(p, 0, sizeof(*p));
}

/* ---- totals ---- */

static int by_time(const void *a, const void *b)
{
	const struct rep_path_sum *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

int rep_path_group(const struct rep_view *v, const struct rep_path *path,
		   struct rep_path_sum **total, size_t *n, uint32_t *of, struct tp_err *err)
{
	struct rep_path all = {0};
	int code = 0;

	for (size_t i = 0; i < path->nsums && !code; i++) {
		struct rep_path_sum s = path->sum[i];
		uint32_t at = 0;

		s.chain = 0;
		code = add_sum(&all, s.stack != 0, rep_path_site(v->dict, s.stack), &s, &at);
		if (of)
			of[i] = at;
	}
	*n = code ? 0 : all.nsums;
	*total = NULL;
	if (*n) {
		*total = all.sum;
		all.sum = NULL;
	}
	rep_path_release(&all);
	return code ? tp_err_full(err, code, "the run has too many different stacks") : 0;
}

int rep_path_totals(const struct rep_view *v, const struct rep_path *path,
		    struct rep_path_sum **total, size_t *n, struct tp_err *err)
{
	int code = rep_path_group(v, path, total, n, NULL, err);

	if (*n)
		qsort(*total, *n, sizeof(**total), by_time);
	return code;
}
