#include "path/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"

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

static int add_sum(struct rep_path *p, const struct rep_path_hop *hop, uint32_t entry, bool again)
{
	int64_t ns = hop->to - hop->from;
	uint32_t what, at;
	struct rep_path_sum *s;
	size_t known;
	int code = rep_keys_add(&p->whats, hop->kind, hop->reason, 0, 0, &what);

	known = p->sums.n;
	if (!code)
		code = rep_keys_add(&p->sums, hop->chain, entry, hop->stack, what, &at);
	if (!code)
		code = tp_grow(&p->sum, &p->sum_room, at, sizeof(*p->sum));
	if (code)
		return code;
	p->nsums = p->sums.n;
	s = &p->sum[at];
	if (at == known) {
		*s = (struct rep_path_sum){
		    .chain = hop->chain,
		    .entry = entry,
		    .goroutine = hop->goroutine,
		    .stack = hop->stack,
		    .reason = hop->reason,
		    .kind = hop->kind,
		};
	}
	merge_goroutine(&s->goroutine, hop->goroutine);
	s->count += !again || !s->count;
	tp_sum(&s->total_ns, ns);
	if (ns > s->max_ns)
		s->max_ns = ns;
	tp_sum(&p->kind_ns[hop->kind], ns);
	tp_sum(&p->total_ns, ns);
	return 0;
}

int rep_path_put(struct rep_path *p, const struct rep_path_hop *hop, uint32_t entry, bool keep,
		 bool again)
{
	int code = add_sum(p, hop, entry, again);

	p->nhops += !again;
	if (code || !keep)
		return code;
	if (again && p->nhop) {
		p->hop[p->nhop - 1].from = hop->from;
		return 0;
	}
	code = tp_grow(&p->hop, &p->hop_room, p->nhop, sizeof(*p->hop));
	if (!code)
		p->hop[p->nhop++] = *hop;
	return code;
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
			code = tp_grow(&p->chain, &p->chain_room, p->nchains, sizeof(*p->chain));
		if (code)
			return code;
		c = &p->chain[p->nchains++];
		*c = *wait;
		c->parent = chain;
		c->depth = p->chain[chain].depth + 1;
		c->count = c->total_ns = 0;
	}
	/* Key n is chain n + 1: the root has none. */
	*out = at + 1;
	c = &p->chain[*out];
	merge_goroutine(&c->waiter, wait->waiter);
	merge_goroutine(&c->waker, wait->waker);
	c->count++;
	return 0;
}

void rep_path_finish(struct rep_path *p)
{
	for (size_t i = 0; i < p->nchains; i++)
		p->chain[i].total_ns = 0;
	for (size_t i = 0; i < p->nsums; i++)
		tp_sum(&p->chain[p->sum[i].chain].total_ns, p->sum[i].total_ns);
	for (size_t i = p->nchains; i-- > 1;)
		tp_sum(&p->chain[p->chain[i].parent].total_ns, p->chain[i].total_ns);
	for (size_t i = 0; i < p->nhop / 2; i++) {
		struct rep_path_hop swap = p->hop[i];

		p->hop[i] = p->hop[p->nhop - 1 - i];
		p->hop[p->nhop - 1 - i] = swap;
	}
}

void rep_path_release(struct rep_path *p)
{
	rep_keys_release(&p->chains);
	rep_keys_release(&p->whats);
	rep_keys_release(&p->sums);
	free(p->chain);
	free(p->sum);
	free(p->hop);
	memset(p, 0, sizeof(*p));
}
