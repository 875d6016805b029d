#include "profile/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/deadlock_parts.h"

const char *const rep_deadlock_by[REP_DEADLOCK_NBY] = {
    [REP_DEADLOCK_NOBODY] = "nobody",	  [REP_DEADLOCK_CREATOR] = "creator",
    [REP_DEADLOCK_RECEIVER] = "receiver", [REP_DEADLOCK_FUNCTION] = "function",
    [REP_DEADLOCK_ADDRESS] = "address",	  [REP_DEADLOCK_WRITER] = "writer",
    [REP_DEADLOCK_RUNTIME] = "runtime",
};

struct search {
	struct rep_deadlocks *d;
	struct rep_deadlock_goroutine *g;
	uint32_t *back; /* edges by `to` */
	uint32_t *queue, *in, *out, *root;
	bool failed;
};

/* ---- who goes on ---- */

/* Sorts the edges by whom they lead to: those to g are back[in[g]] to back[in[g + 1]]. */
static void index_back(struct search *s)
{
	const struct rep_deadlocks *d = s->d;

	for (size_t i = 0; i < d->nedges; i++)
		s->in[d->edge[i].to + 2]++;
	for (size_t i = 2; i < d->n + 2; i++)
		s->in[i] += s->in[i - 1];
	for (size_t i = 0; i < d->nedges; i++)
		s->back[s->in[d->edge[i].to + 1]++] = (uint32_t)i;
}

static void let_go_on(struct search *s)
{
	const struct rep_deadlocks *d = s->d;
	size_t head = 0, tail = 0;
	bool any = false;

	for (size_t i = 0; i < d->n; i++)
		any |= s->g[i].level > REP_LEVEL_NONE;
	for (size_t i = 0; i < d->n; i++) {
		struct rep_deadlock_goroutine *g = &s->g[i];
		bool related = g->main;

		/* Whose creator is gone may be served by anybody. */
		for (size_t k = 0; k < g->nedges; k++) {
			const struct rep_deadlock_edge *e = &d->edge[g->edge + k];

			related |= g->creator < 0 ? e->node && e->by == REP_DEADLOCK_CREATOR
						  : s->g[e->to].id == g->creator;
		}
		if (any && !related && !g->level && !g->leaked && g->wait >= REP_WAIT_COND &&
		    g->wait != REP_WAIT_SEND)
			g->level = REP_LEVEL_OUTSIDE;
		if (g->level)
			s->queue[tail++] = (uint32_t)i;
	}
	while (head < tail) {
		uint32_t to = s->queue[head++];

		for (uint32_t k = s->in[to]; k < s->in[to + 1]; k++) {
			const struct rep_deadlock_edge *e = &d->edge[s->back[k]];

			if (s->g[e->from].level || s->g[e->from].leaked || s->g[to].level < e->need)
				continue;
			s->g[e->from].level = REP_LEVEL_OUTSIDE;
			s->queue[tail++] = e->from;
		}
	}
}

/* ---- who waits for each other ---- */

static bool is_stuck(const struct rep_deadlock_goroutine *g)
{
	return !g->level && g->wait >= REP_WAIT_FOREVER;
}

/* Returns whether an edge joins goroutines that are stuck by more than their relation; that of who
 * waits for its children is enough. */
static bool joins(const struct rep_deadlocks *d, const struct rep_deadlock_edge *e)
{
	const struct rep_deadlock_goroutine *from = &d->g[e->from], *to = &d->g[e->to];

	return e->from != e->to && is_stuck(from) && is_stuck(to) &&
	       (e->by > REP_DEADLOCK_CREATOR ||
		(from->wait == REP_WAIT_GROUP && from->id >= 0 && to->creator == from->id));
}

static void lose_one(struct search *s, uint32_t *count, uint32_t g, size_t *tail)
{
	if (s->g[g].circle && !--count[g]) {
		s->g[g].circle = false;
		s->queue[(*tail)++] = g;
	}
}

/* Marks goroutines in circles (or between two of them): what stays when those that nobody waits
 * for, and those that wait for nobody, are taken away one after the other. */
static void find_circles(struct search *s, uint32_t *into)
{
	const struct rep_deadlocks *d = s->d;
	size_t head = 0, tail = 0;

	for (size_t i = 0; i < d->nedges; i++)
		if (joins(d, &d->edge[i])) {
			s->out[d->edge[i].from]++;
			into[d->edge[i].to]++;
		}
	for (size_t i = 0; i < d->n; i++) {
		s->g[i].circle = s->out[i] && into[i];
		if (!s->g[i].circle)
			s->queue[tail++] = (uint32_t)i;
	}
	while (head < tail) {
		uint32_t at = s->queue[head++];
		const struct rep_deadlock_goroutine *g = &s->g[at];

		for (size_t k = 0; k < g->nedges; k++)
			if (joins(d, &d->edge[g->edge + k]))
				lose_one(s, into, d->edge[g->edge + k].to, &tail);
		for (uint32_t k = s->in[at]; k < s->in[at + 1]; k++)
			if (joins(d, &d->edge[s->back[k]]))
				lose_one(s, s->out, d->edge[s->back[k]].from, &tail);
	}
}

/* ---- who is suspected ---- */

static bool is_suspect(const struct rep_deadlocks *d, const struct rep_deadlock_goroutine *g)
{
	bool sure = false;

	if (!is_stuck(g) || (!g->own && !g->leaked))
		return false;
	/* main.main that blocks for ever leaves the work to others. */
	if (g->wait == REP_WAIT_FOREVER)
		return !g->main || d->asleep;
	for (size_t k = 0; k < g->nedges && g->circle; k++)
		sure |= d->edge[g->edge + k].by >= REP_DEADLOCK_FUNCTION;
	return d->asleep || g->leaked || g->wait_ns || sure;
}

static void judge(struct search *s)
{
	struct rep_deadlocks *d = s->d;

	for (size_t i = 0; i < d->n; i++) {
		struct rep_deadlock_goroutine *g = &s->g[i];

		g->group = is_suspect(d, g);
		if (g->group)
			d->row[d->nrows++] = (uint32_t)i;
		else if (is_stuck(g) && g->own && g->wait != REP_WAIT_FOREVER)
			d->early++;
	}
	for (size_t i = 0; i < d->n; i++) {
		struct rep_deadlock_goroutine *g = &s->g[i];

		for (size_t k = 0; g->group && k < g->nedges; k++) {
			struct rep_deadlock_edge *e = &d->edge[g->edge + k];

			g->itself |= e->to == i;
			if (joins(d, e) && s->g[e->to].group)
				s->g[e->to].wanted++;
			/* That relatives wait as well is evidence only if they are waited for. */
			if (e->by > g->by && (e->to == i || joins(d, e)))
				g->by = e->by;
		}
		if (g->leaked || g->wait == REP_WAIT_FOREVER || (d->asleep && !g->by))
			g->by = REP_DEADLOCK_RUNTIME;
	}
}

/* ---- groups ---- */

static uint32_t root_of(uint32_t *root, uint32_t g)
{
	while (root[g] != g)
		g = root[g] = root[root[g]];
	return g;
}

/* The lower number becomes the root. */
static void unite(uint32_t *root, uint32_t a, uint32_t b)
{
	a = root_of(root, a);
	b = root_of(root, b);
	if (a < b)
		root[b] = a;
	else
		root[a] = b;
}

struct pair {
	uint64_t key;
	uint32_t g;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->key != y->key ? ORDER(x->key, y->key) : ORDER(x->g, y->g);
}

/* Unites goroutines with the same object, or at the same site. */
static void unite_equal(struct search *s, struct pair *pair, bool object)
{
	const struct rep_deadlocks *d = s->d;
	size_t n = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		const struct rep_deadlock_goroutine *g = &s->g[d->row[i]];
		uint64_t key = object ? g->object : g->stack;

		if (key)
			pair[n++] = (struct pair){key, d->row[i]};
	}
	if (n)
		qsort(pair, n, sizeof(*pair), by_key);
	for (size_t i = 1; i < n; i++)
		if (pair[i].key == pair[i - 1].key)
			unite(s->root, pair[i - 1].g, pair[i].g);
}

/* A group, for sorting. */
struct group {
	uint32_t root, n;
	bool circle, itself;
	int64_t wait_ns;
};

static int by_root(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return ORDER(x->root, y->root);
}

static int by_worst(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int c = ORDER(y->circle, x->circle);

	if (!c)
		c = ORDER(y->itself, x->itself);
	if (!c)
		c = ORDER(y->wait_ns, x->wait_ns);
	if (!c)
		c = ORDER(y->n, x->n);
	return c ? c : ORDER(x->root, y->root);
}

/* Numbers the groups from 1 on, the worst first. */
static void number(struct search *s, struct group *group)
{
	struct rep_deadlocks *d = s->d;
	size_t n = 0;

	for (size_t i = 0; i < d->nrows; i++) {
		const struct rep_deadlock_goroutine *g = &s->g[d->row[i]];

		group[i] = (struct group){root_of(s->root, d->row[i]), 1, g->circle, g->itself,
					  g->wait_ns};
	}
	if (d->nrows)
		qsort(group, d->nrows, sizeof(*group), by_root);
	for (size_t i = 0; i < d->nrows; i++) {
		struct group *to = n ? &group[n - 1] : NULL;

		if (!to || to->root != group[i].root) {
			group[n++] = group[i];
			continue;
		}
		to->n++;
		to->circle |= group[i].circle;
		to->itself |= group[i].itself;
		if (group[i].wait_ns > to->wait_ns)
			to->wait_ns = group[i].wait_ns;
	}
	if (n)
		qsort(group, n, sizeof(*group), by_worst);
	d->ngroups = n;
	for (size_t i = 0; i < n; i++)
		s->out[group[i].root] = (uint32_t)i + 1;
	for (size_t i = 0; i < d->nrows; i++)
		s->g[d->row[i]].group = s->out[root_of(s->root, d->row[i])];
}

int rep_deadlock_compare(const struct rep_deadlock_goroutine *a,
			 const struct rep_deadlock_goroutine *b)
{
	int c = ORDER(a->group, b->group);

	if (!c)
		c = ORDER(b->circle, a->circle);
	if (!c)
		c = ORDER(a->stack, b->stack);
	if (!c)
		c = ORDER(a->state, b->state);
	if (!c)
		c = ORDER(a->created_by, b->created_by);
	return c ? c : ORDER(a->created_at, b->created_at);
}

/* A row as it is sorted: qsort has no argument for the goroutines. */
struct sorted {
	struct rep_deadlock_goroutine g;
	uint32_t at;
};

static int by_row(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int c = rep_deadlock_compare(&x->g, &y->g);

	return c ? c : ORDER(x->g.id, y->g.id);
}

static void form_groups(struct search *s)
{
	struct rep_deadlocks *d = s->d;
	struct group *group = tp_many(d->nrows + 1, sizeof(*group));
	struct pair *pair = tp_many(d->nrows + 1, sizeof(*pair));
	struct sorted *sorted = tp_many(d->nrows + 1, sizeof(*sorted));

	s->failed |= !group || !pair || !sorted;
	for (size_t i = 0; i < d->n; i++) {
		s->root[i] = (uint32_t)i;
		s->out[i] = 0;
	}
	if (!s->failed) {
		unite_equal(s, pair, true);
		unite_equal(s, pair, false);
		for (size_t i = 0; i < d->nedges; i++)
			if (joins(d, &d->edge[i]) && s->g[d->edge[i].from].group &&
			    s->g[d->edge[i].to].group)
				unite(s->root, d->edge[i].from, d->edge[i].to);
		number(s, group);
		for (size_t i = 0; i < d->nrows; i++)
			sorted[i] = (struct sorted){s->g[d->row[i]], d->row[i]};
		if (d->nrows)
			qsort(sorted, d->nrows, sizeof(*sorted), by_row);
		for (size_t i = 0; i < d->nrows; i++)
			d->row[i] = sorted[i].at;
	}
	free(group);
	free(pair);
	free(sorted);
}

/* ---- all of it ---- */

int rep_deadlocks_find(struct rep_deadlocks *d, struct tp_profile *p, struct tp_err *err)
{
	struct search s = {.d = d};
	uint32_t *into;
	int code;

	*d = (struct rep_deadlocks){.p = p};
	code = rep_deadlock_read(d, err);
	if (code)
		return code;
	s.g = d->g;
	s.failed = rep_deadlock_relate(d) != 0;
	s.back = calloc(d->nedges + 1, sizeof(*s.back));
	s.queue = calloc(d->n + 1, sizeof(*s.queue));
	s.in = calloc(d->n + 3, sizeof(*s.in));
	s.out = calloc(d->n + 1, sizeof(*s.out));
	s.root = calloc(d->n + 1, sizeof(*s.root));
	into = calloc(d->n + 1, sizeof(*into));
	d->row = calloc(d->n + 1, sizeof(*d->row));
	s.failed |= !s.back || !s.queue || !s.in || !s.out || !s.root || !into || !d->row;
	if (!s.failed) {
		index_back(&s);
		for (size_t i = 0; i < d->n && d->asleep; i++)
			s.g[i].level = REP_LEVEL_NONE;
		let_go_on(&s);
		find_circles(&s, into);
		judge(&s);
		form_groups(&s);
	}
	free(s.back);
	free(s.queue);
	free(s.in);
	free(s.out);
	free(s.root);
	free(into);
	return s.failed ? tp_nomem(err) : 0;
}

void rep_deadlocks_release(struct rep_deadlocks *d)
{
	free(d->g);
	free(d->edge);
	free(d->row);
	free(d->arg);
	*d = (struct rep_deadlocks){0};
}
