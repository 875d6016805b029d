/* Relates goroutines that wait to those that may have what they wait for. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/deadlock_parts.h"

#define MOST_EDGES 16  /* kept of a goroutine */
#define LOOKED_AT  256 /* goroutines, for each thing that one can be recognised by */
#define MOST_WANTS 12
#define MOST_FOUND 32 /* in the frames of a goroutine, from the leaf: stores share frames */

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
	bool failed;
};

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

int rep_deadlock_relate(struct rep_deadlocks *d)
{
	struct search s = {.d = d, .g = d->g};

	gather_wants(&s);
	find_all(&s);
	for (size_t i = 0; i < d->n && !s.failed; i++)
		add_edges(&s, (uint32_t)i);
	free(s.want);
	free(s.found);
	return s.failed ? TP_ENOMEM : 0;
}
