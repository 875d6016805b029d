#include "profile/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/deadlock_parts.h"

#define MOST_EDGES 16  /* kept of a goroutine */
#define LOOKED_AT  256 /* goroutines, for each thing that one can be recognised by */
#define MOST_WANTS 12
#define MOST_FOUND 32 /* in the frames of a goroutine, from the leaf: stores share frames */

const char *const rep_deadlock_by[REP_DEADLOCK_NBY] = {
    [REP_DEADLOCK_NOBODY] = "nobody",	  [REP_DEADLOCK_CREATOR] = "creator",
    [REP_DEADLOCK_RECEIVER] = "receiver", [REP_DEADLOCK_FUNCTION] = "function",
    [REP_DEADLOCK_ADDRESS] = "address",	  [REP_DEADLOCK_WRITER] = "writer",
    [REP_DEADLOCK_RUNTIME] = "runtime",
};

/* What goroutines can be recognised by. */
enum sign { SIGN_ADDRESS, SIGN_FUNCTION, SIGN_TYPE, SIGN_ID, SIGN_CHILD_OF };

struct want {
	uint64_t value;
	uint8_t sign, by, need; /* `need`: level of a goroutine that would serve */
};

/* A frame, or a goroutine, that has a sign which somebody wants. */
struct found {
	uint64_t value;
	uint32_t g, node;
	uint8_t frame, sign, level;
};

struct search {
	struct rep_deadlocks *d;
	struct rep_deadlock_goroutine *g;
	struct want *want; /* of all goroutines, sorted */
	size_t nwants, want_room;
	struct found *found; /* sorted by sign and value, those who go on first */
	size_t nfound, found_room, most_found;
	uint32_t *back; /* edges by `to` */
	uint32_t *queue, *in, *out, *root;
	bool failed;
};

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* ---- what each of them wants ---- */

static void add_want(struct want *list, size_t *n, struct want w)
{
	if (w.value && w.value != UINT64_MAX && *n < MOST_WANTS)
		list[(*n)++] = w;
}

static uint64_t id_of(int64_t id)
{
	return id < 0 ? 0 : (uint64_t)id;
}

static uint32_t function_at(const struct rep_deadlocks *d, uint32_t node)
{
	return node ? tp_dict_frame_name(d->p->dict, tp_dict_stack_at(d->p->dict, node).frame) : 0;
}

static void want_relatives(const struct rep_deadlock_goroutine *g, struct want *list, size_t *n,
			   uint8_t need)
{
	const uint8_t by = REP_DEADLOCK_CREATOR;

	add_want(list, n, (struct want){id_of(g->creator), SIGN_ID, by, need});
	/* Before go 1.21 dumps do not tell the creator, only its function. */
	if (g->creator < 0)
		add_want(list, n, (struct want){g->created_by, SIGN_FUNCTION, by, need});
	if (rep_deadlock_locks(g))
		return;
	add_want(list, n, (struct want){id_of(g->id), SIGN_CHILD_OF, by, need});
	add_want(list, n, (struct want){id_of(g->creator), SIGN_CHILD_OF, by, need});
}

/* Lists what may serve a goroutine, the best evidence first. Senders and lockers wait for somebody
 * who does something; who receives may be served by whatever its relatives wait for. */
static size_t wants_of(const struct rep_deadlocks *d, const struct rep_deadlock_goroutine *g,
		       struct want list[MOST_WANTS])
{
	bool channel = g->wait >= REP_WAIT_SEND, group = g->wait == REP_WAIT_GROUP;
	bool patient = g->wait == REP_WAIT_COND || g->wait > REP_WAIT_SEND;
	uint8_t need = group ? REP_LEVEL_OUTSIDE : REP_LEVEL_LIBRARY;
	const uint64_t things[] = {g->object, g->base, g->receiver};
	size_t n = 0;

	if (g->wait <= REP_WAIT_FOREVER)
		return 0;
	for (size_t i = 0; i < 3 && !channel; i++)
		add_want(list, &n,
			 (struct want){things[i], SIGN_ADDRESS, REP_DEADLOCK_ADDRESS, need});
	for (size_t i = g->arg; channel && i < g->arg + g->nargs && n < 6; i++)
		if (d->arg[i].frame == g->direct)
			add_want(list, &n,
				 (struct want){d->arg[i].address, SIGN_ADDRESS,
					       REP_DEADLOCK_ADDRESS, need});
	if (rep_deadlock_locks(g))
		add_want(list, &n,
			 (struct want){function_at(d, g->site), SIGN_FUNCTION,
				       REP_DEADLOCK_FUNCTION, need});
	if (!group)
		add_want(list, &n, (struct want){g->type, SIGN_TYPE, REP_DEADLOCK_RECEIVER, need});
	want_relatives(g, list, &n, patient ? need : group ? need : REP_LEVEL_RUNS);
	return n;
}

static int by_sign(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return x->sign != y->sign ? ORDER(x->sign, y->sign) : ORDER(x->value, y->value);
}

static void gather_wants(struct search *s)
{
	struct want list[MOST_WANTS];
	size_t kept = 0;

	for (size_t i = 0; i < s->d->n && !s->failed; i++) {
		size_t n = wants_of(s->d, &s->g[i], list);

		for (size_t k = 0; k < n && !s->failed; k++) {
			s->failed = tp_grow(&s->want, &s->want_room, s->nwants, sizeof(*list)) != 0;
			if (!s->failed)
				s->want[s->nwants++] = list[k];
		}
	}
	if (s->nwants)
		qsort(s->want, s->nwants, sizeof(*s->want), by_sign);
	for (size_t i = 0; i < s->nwants; i++)
		if (!kept || by_sign(&s->want[kept - 1], &s->want[i]) != 0)
			s->want[kept++] = s->want[i];
	s->nwants = kept;
}

/* ---- who has it ---- */

static void find(struct search *s, enum sign sign, uint64_t value, size_t g, unsigned frame,
		 uint32_t node)
{
	const struct want w = {.value = value, .sign = (uint8_t)sign};

	if (s->failed || !s->nwants || !value || s->nfound == s->most_found ||
	    !bsearch(&w, s->want, s->nwants, sizeof(w), by_sign))
		return;
	s->failed = tp_grow(&s->found, &s->found_room, s->nfound, sizeof(*s->found)) != 0;
	if (!s->failed)
		s->found[s->nfound++] = (struct found){
		    value, (uint32_t)g, node, (uint8_t)frame, (uint8_t)sign, s->g[g].level};
}

static int by_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int c = x->sign != y->sign ? ORDER(x->sign, y->sign) : ORDER(x->value, y->value);

	if (!c)
		c = ORDER(y->level, x->level);
	if (!c)
		c = ORDER(x->g, y->g);
	return c ? c : ORDER(x->frame, y->frame);
}

static void find_all(struct search *s)
{
	struct tp_dict *dict = s->d->p->dict;

	for (size_t i = 0; i < s->d->n && !s->failed; i++) {
		const struct rep_deadlock_goroutine *g = &s->g[i];
		uint32_t node = g->stack;
		size_t a = g->arg;

		/* The runtime's own goroutines, and the one that writes the dump. */
		if (g->wait == REP_WAIT_OTHER)
			continue;
		s->most_found = s->nfound + MOST_FOUND;
		find(s, SIGN_ID, id_of(g->id), i, 0, 0);
		find(s, SIGN_CHILD_OF, id_of(g->creator), i, 0, 0);
		for (unsigned f = 0; node && f < REP_DEADLOCK_FRAMES; f++) {
			uint32_t name = function_at(s->d, node);

			for (; a < g->arg + g->nargs && s->d->arg[a].frame <= f; a++)
				if (f >= g->direct)
					find(s, SIGN_ADDRESS, s->d->arg[a].address, i, f, node);
			if (f >= g->direct) {
				find(s, SIGN_FUNCTION, name, i, f, node);
				find(s, SIGN_TYPE, rep_deadlock_type(dict, name, &s->failed), i, f,
				     node);
			}
			node = rep_deadlock_parent(dict, node);
		}
	}
	if (s->nfound)
		qsort(s->found, s->nfound, sizeof(*s->found), by_found);
}

/* ---- edges ---- */

static int64_t line_at(const struct rep_deadlocks *d, uint32_t node)
{
	return tp_dict_frame_at(d->p->dict, tp_dict_stack_at(d->p->dict, node).frame).line;
}

static bool same_object(const struct rep_deadlock_goroutine *a,
			const struct rep_deadlock_goroutine *b)
{
	if (a->object && b->object)
		return a->object == b->object;
	if (a->receiver && b->receiver)
		return a->receiver == b->receiver;
	return a->type == b->type;
}

/* Returns whether both wait for the same thing in the same direction: neither serves the other. */
static bool are_alike(const struct rep_deadlock_goroutine *a,
		      const struct rep_deadlock_goroutine *b)
{
	if (a->wait == REP_WAIT_SEND || b->wait == REP_WAIT_SEND)
		return a->wait == b->wait;
	if (a->wait > REP_WAIT_SEND || b->wait > REP_WAIT_SEND)
		return a->wait > REP_WAIT_SEND && b->wait > REP_WAIT_SEND;
	return (a->wait == b->wait || (rep_deadlock_locks(a) && rep_deadlock_locks(b))) &&
	       same_object(a, b);
}

/* Returns whether a method's receiver shows that it is of another value than what g waits for. Sets
 * *address if it shows that it is of the same. */
static bool is_another(const struct rep_deadlocks *d, const struct rep_deadlock_goroutine *g,
		       const struct found *f, uint64_t *address)
{
	uint64_t a = rep_deadlock_word(d, &d->g[f->g], f->frame, 0);
	bool same =
	    g->receiver ? a == g->receiver : g->object >= a && g->object - a < REP_DEADLOCK_NEAR;

	if (!a || (!g->receiver && !g->object))
		return false;
	if (same)
		*address = a;
	return !same;
}

/* Makes the edge for what was found, if it says something. Returns false if it does not. */
static bool make_edge(const struct rep_deadlocks *d, uint32_t from, const struct want *w,
		      const struct found *f, struct rep_deadlock_edge *e)
{
	const struct rep_deadlock_goroutine *g = &d->g[from], *to = &d->g[f->g];
	bool wants = f->node && f->node == to->site && f->frame == to->direct && are_alike(g, to);

	*e = (struct rep_deadlock_edge){
	    .from = from, .to = f->g, .node = f->node, .by = w->by, .need = w->need};
	if (w->sign == SIGN_ADDRESS)
		e->address = w->value;
	if (from == f->g)
		return rep_deadlock_locks(g) && w->by != REP_DEADLOCK_CREATOR &&
		       f->frame != g->direct &&
		       (w->sign != SIGN_FUNCTION || g->once ||
			line_at(d, f->node) > line_at(d, g->site));
	if (w->by == REP_DEADLOCK_CREATOR)
		return true;
	if (wants && g->wait == REP_WAIT_RLOCK && to->wait == REP_WAIT_LOCK) {
		e->by = REP_DEADLOCK_WRITER;
		return true;
	}
	/* Readers wait behind a writer, not for each other. */
	if (wants || (g->wait == REP_WAIT_RLOCK && to->wait == REP_WAIT_RLOCK && are_alike(g, to)))
		return false;
	if (w->sign == SIGN_ADDRESS)
		return true;
	if (w->sign == SIGN_FUNCTION && !g->once && line_at(d, f->node) <= line_at(d, g->site))
		return false;
	if (g->type && is_another(d, g, f, &e->address))
		return false;
	if (e->address && e->by == REP_DEADLOCK_RECEIVER)
		e->by = REP_DEADLOCK_ADDRESS;
	return true;
}

static void put_edge(struct rep_deadlock_edge *list, size_t *n, const struct rep_deadlock_edge *e)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].to != e->to)
			continue;
		if (e->by > list[i].by)
			list[i] = *e;
		return;
	}
	if (*n < MOST_EDGES)
		list[(*n)++] = *e;
}

static int by_evidence(const void *a, const void *b)
{
	const struct rep_deadlock_edge *x = a, *y = b;

	return x->by != y->by ? ORDER(y->by, x->by) : ORDER(x->to, y->to);
}

/* Returns the first that is not before `sought`. */
static size_t first_from(const struct search *s, const struct found *sought)
{
	size_t lo = 0, hi = s->nfound;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_found(&s->found[mid], sought) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void look(const struct search *s, uint32_t from, const struct want *w,
		 struct rep_deadlock_edge *list, size_t *n)
{
	struct found sought = {.value = w->value, .sign = w->sign, .level = UINT8_MAX};
	struct rep_deadlock_edge e;
	const struct found *f;

	/* It is looked at itself, however many others there are. */
	for (int own = 1; own >= 0; own--) {
		sought.level = own ? s->g[from].level : UINT8_MAX;
		sought.g = own ? from : 0;
		f = s->found + first_from(s, &sought);
		for (size_t k = 0; f < s->found + s->nfound && f->sign == w->sign &&
				   f->value == w->value && k < LOOKED_AT && (!own || f->g == from);
		     k++, f++)
			if (make_edge(s->d, from, w, f, &e))
				put_edge(list, n, &e);
	}
}

static void add_edges(struct search *s, uint32_t from)
{
	struct rep_deadlocks *d = s->d;
	struct rep_deadlock_goroutine *g = &s->g[from];
	struct rep_deadlock_edge list[MOST_EDGES];
	struct want want[MOST_WANTS];
	size_t nwants = wants_of(d, g, want), n = 0, kept = 0;
	bool holder = false, child = false, itself = false;

	for (size_t k = 0; k < nwants; k++)
		look(s, from, &want[k], list, &n);
	for (size_t i = 0; i < n; i++)
		itself |= list[i].to == from;
	for (size_t i = 0; i < n; i++) {
		/* Of several that may have locked before they wait for the same lock, each may wait
		 * for itself. */
		if (itself && list[i].to != from && list[i].by < REP_DEADLOCK_WRITER &&
		    s->g[list[i].to].wait == REP_WAIT_LOCK && are_alike(g, &s->g[list[i].to])) {
			list[i].by = REP_DEADLOCK_NOBODY;
			continue;
		}
		holder |= list[i].to != from && list[i].by > REP_DEADLOCK_CREATOR;
		child |= s->g[list[i].to].creator == g->id && g->id >= 0;
	}
	/* Who holds a lock is not asked of relatives if there are others; a wait group is that of
	 * the children, if there are some. */
	for (size_t i = 0; i < n; i++) {
		bool relative = list[i].by == REP_DEADLOCK_CREATOR;

		if (list[i].by == REP_DEADLOCK_NOBODY)
			continue;
		if (holder && rep_deadlock_locks(g) && (relative || list[i].to == from))
			continue;
		if (g->wait == REP_WAIT_GROUP && child && relative &&
		    s->g[list[i].to].creator != g->id)
			continue;
		list[kept++] = list[i];
	}
	if (kept)
		qsort(list, kept, sizeof(*list), by_evidence);
	g->edge = d->nedges;
	for (size_t i = 0; i < kept && !s->failed; i++) {
		s->failed = tp_grow_raw(&d->edge, &d->edge_room, d->nedges, sizeof(*list)) != 0;
		if (!s->failed)
			d->edge[d->nedges++] = list[i];
	}
	g->nedges = d->nedges - g->edge;
}

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
	gather_wants(&s);
	find_all(&s);
	for (size_t i = 0; i < d->n && !s.failed; i++)
		add_edges(&s, (uint32_t)i);
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
	free(s.want);
	free(s.found);
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
