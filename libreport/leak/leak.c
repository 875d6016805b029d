#include "leak/leak.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/sum.h"
#include "base/table.h"
#include "leak/parts.h"

const struct rep_leak_sort_desc rep_leak_sorts[REP_LEAK_NSORTS] = {
    [REP_LEAK_BY_COUNT] = {"count", "most goroutines"},
    [REP_LEAK_BY_GROWTH] = {"growth", "most more than in the first file"},
    [REP_LEAK_BY_WAIT] = {"wait", "the longest wait"},
};

#define MAX_COUNTS ((size_t)1 << 26) /* sites by sources */

int(rep_leak_fail)(struct tp_err *err, int code)
{
	return tp_err_full(err, code, "the sources have too many different stacks");
}

int rep_leaks_new(struct rep_leaks **leaks, const struct rep_leak_options *opt, struct tp_err *err)
{
	struct rep_leaks *l = calloc(1, sizeof(*l));

	*leaks = NULL;
	if (!l || !(l->dict = tp_dict_new())) {
		rep_leaks_free(l);
		return rep_leak_fail(err, TP_ENOMEM);
	}
	l->opt = *opt;
	l->own.names = opt->own;
	*leaks = l;
	return 0;
}

void rep_leaks_free(struct rep_leaks *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nsources; i++)
		free(l->source[i].name);
	for (size_t i = 0; i < l->nsites; i++)
		free(l->site[i].count);
	free(l->source);
	free(l->site);
	tp_table_release(&l->by_stack);
	free(l->whose);
	free(l->met);
	rep_own_release(&l->own);
	tp_dict_free(l->dict);
	free(l);
}

void rep_leaks_leave_out(struct rep_leaks *l, enum rep_leak_left kind, int64_t count)
{
	tp_sum(&l->source[l->nsources - 1].left_out[kind], count);
}

int rep_leaks_begin(struct rep_leaks *l, const char *name, bool ticks, struct tp_err *err)
{
	struct rep_leak_source *more = tp_more(l->source, l->nsources + 1, sizeof(*more));

	if (!more)
		return rep_leak_fail(err, TP_ENOMEM);
	l->source = more;
	more[l->nsources] = (struct rep_leak_source){.name = strdup(name), .ticks = ticks};
	if (!more[l->nsources].name)
		return rep_leak_fail(err, TP_ENOMEM);
	l->nsources++;
	return 0;
}

/* ---- sites ---- */

static int find_site(struct rep_leaks *l, const struct rep_leak_item *item,
		     struct rep_leak_site **site)
{
	const struct rep_leak_site wanted = {.stack = item->stack,
					     .creator = item->creator,
					     .label = item->label,
					     .reason = item->no_stack ? item->waits : 0};
	uint64_t hash = tp_mix64(tp_mix64(0, (uint64_t)wanted.stack << 32 | wanted.creator),
				 (uint64_t)wanted.label << 32 | wanted.reason);
	int code;

	for (struct tp_probe p = {0}; tp_table_next(&l->by_stack, hash, &p);) {
		struct rep_leak_site *s = *site = &l->site[p.row];

		if (s->stack == wanted.stack && s->creator == wanted.creator &&
		    s->reason == wanted.reason && s->label == wanted.label)
			return 0;
	}
	code = tp_grow_raw(&l->site, &l->site_room, l->nsites, sizeof(*l->site));
	if (!code)
		code = tp_table_add(&l->by_stack, hash, l->nsites);
	if (code)
		return code;
	*site = &l->site[l->nsites++];
	**site = wanted;
	return 0;
}

/* Makes room for the counts of a site in the sources so far. */
static int grow_counts(struct rep_leaks *l, struct rep_leak_site *s)
{
	size_t room = l->nsources > 2 * s->room ? l->nsources : 2 * s->room;
	struct rep_leak_count *more;

	if (s->room >= l->nsources)
		return 0;
	if (room - s->room > MAX_COUNTS - l->ncounts)
		return TP_ELIMIT;
	more = tp_more(s->count, room, sizeof(*more));
	if (!more)
		return TP_ENOMEM;
	for (size_t i = s->room; i < room; i++)
		more[i] = (struct rep_leak_count){.created = -1, .least_ns = -1, .most_ns = -1};
	l->ncounts += room - s->room;
	s->count = more;
	s->room = room;
	return 0;
}

/* Whose goroutine it is; nodes of the dictionary come after their parents. */
static int whose_of(struct rep_leaks *l, uint32_t stack, unsigned *whose)
{
	size_t n = tp_dict_stacks(l->dict);

	if (n > l->nwhose) {
		uint8_t *more = realloc(l->whose, n);

		if (!more)
			return TP_ENOMEM;
		l->whose = more;
		for (size_t i = l->nwhose; i < n; i++) {
			struct tp_stack_node node = tp_dict_stack_at(l->dict, (uint32_t)i);
			bool root = !node.parent || node.parent >= i;

			more[i] = (uint8_t)rep_leak_whose(
			    root ? 0 : more[node.parent], root && i,
			    tp_dict_text(l->dict, tp_dict_frame_name(l->dict, node.frame)));
		}
		l->nwhose = n;
	}
	*whose = l->whose[stack];
	return 0;
}

static void add_wait(struct rep_leak_count *c, const struct rep_leak_item *item)
{
	if (item->wait_ns < 0) {
		tp_sum(&c->unknown, item->count);
		return;
	}
	if (c->least_ns < 0 || item->wait_ns < c->least_ns)
		c->least_ns = item->wait_ns;
	if (item->wait_ns > c->most_ns)
		c->most_ns = item->wait_ns;
}

int rep_leaks_put(struct rep_leaks *l, const struct rep_leak_item *item, struct tp_err *err)
{
	struct rep_leak_source *source = &l->source[l->nsources - 1];
	bool timed = item->wait_ns >= 0 && !source->ticks;
	struct rep_leak_site *s;
	struct rep_leak_count *c;
	unsigned whose = 0;
	int code = whose_of(l, item->stack, &whose);

	/* Fewer than none is what a damaged profile says. */
	if (!code && item->count <= 0)
		return 0;
	if (!code && whose && !l->opt.all) {
		rep_leaks_leave_out(
		    l, whose & REP_LEAK_MAIN ? REP_LEAK_LEFT_MAIN : REP_LEAK_LEFT_RUNTIME,
		    item->count);
		return 0;
	}
	if (!code && l->opt.created && item->in_trace && !item->fresh)
		return 0;
	if (!code && l->opt.min_wait_ns && (!timed || item->wait_ns < l->opt.min_wait_ns)) {
		if (!timed)
			tp_sum(&source->unknown, item->count);
		return 0;
	}
	if (!code)
		code = find_site(l, item, &s);
	if (!code)
		code = grow_counts(l, s);
	if (code)
		return rep_leak_fail(err, code);
	c = &s->count[l->nsources - 1];
	if (!c->goroutines)
		s->nids = 0;
	tp_sum(&c->goroutines, item->count);
	if (item->in_trace) {
		if (c->created < 0)
			c->created = 0;
		if (item->fresh)
			tp_sum(&c->created, item->count);
	}
	add_wait(c, item);
	if (rep_goid_is(&item->id) && s->nids < REP_LEAK_IDS)
		s->id[s->nids++] = item->id;
	if (item->waits)
		s->waits = item->waits;
	if (item->created)
		s->created = item->created;
	s->certain = s->certain || item->certain;
	return 0;
}

/* ---- joining ---- */

static void add_count(struct rep_leak_count *to, const struct rep_leak_count *more)
{
	tp_sum(&to->goroutines, more->goroutines);
	tp_sum(&to->unknown, more->unknown);
	if (more->created >= 0)
		tp_sum(&to->created, to->created < 0 ? more->created + 1 : more->created);
	if (more->least_ns >= 0 && (to->least_ns < 0 || more->least_ns < to->least_ns))
		to->least_ns = more->least_ns;
	if (more->most_ns > to->most_ns)
		to->most_ns = more->most_ns;
}

static int by_stack(const void *a, const void *b, void *ctx)
{
	const struct rep_leak_site *site = ctx;
	const struct rep_leak_site *x = &site[*(const uint32_t *)a],
				   *y = &site[*(const uint32_t *)b];

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	return x->creator < y->creator ? -1 : x->creator > y->creator;
}

static bool are_together(const struct rep_leak_site *a, const struct rep_leak_site *b)
{
	return a->stack == b->stack && a->reason == b->reason && a->label == b->label;
}

/* into[i]: the site that i's goroutines are counted at. Sites of one stack stand together, the one
 * without a creator first; it goes to the other where there is exactly one. That neither has a
 * stack does not make them one. */
static int join(const struct rep_leaks *l, uint32_t *into)
{
	uint32_t *order = tp_many(l->nsites + 1, sizeof(*order));
	size_t n = l->nsites;

	if (!order)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = into[i] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_stack, l->site);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct rep_leak_site *here = &l->site[order[i]];
		bool first = !i || !are_together(&l->site[order[i - 1]], here);
		bool two = are_together(&l->site[order[i + 1]], here);
		bool three = i + 2 < n && are_together(&l->site[order[i + 2]], here);

		if (here->stack && first && !here->creator && two && !three)
			into[order[i]] = order[i + 1];
	}
	free(order);
	return 0;
}

void rep_leaks_merge(const struct rep_leaks *l, struct rep_leak_site *to,
		     struct rep_leak_site *from)
{
	for (size_t i = 0; i < l->nsources; i++)
		add_count(&to->count[i], &from->count[i]);
	free(from->count);
	to->certain = to->certain || from->certain;
	if (!to->waits)
		to->waits = from->waits;
	for (size_t i = 0; i < from->nids && to->nids < REP_LEAK_IDS; i++)
		to->id[to->nids++] = from->id[i];
}

static int compare_ids(const void *a, const void *b)
{
	const struct rep_goid *x = a, *y = b;

	if (x->goid != y->goid)
		return x->goid < y->goid ? -1 : 1;
	return (x->life > y->life) - (x->life < y->life);
}

/* Gives each site its counts in all sources, and takes away sites that join another. */
static int join_sites(struct rep_leaks *l)
{
	uint32_t *into = tp_many(l->nsites + 1, sizeof(*into));
	size_t kept = 0;
	int code = into ? join(l, into) : TP_ENOMEM;

	for (size_t i = 0; !code && i < l->nsites; i++) {
		struct rep_leak_site *s = &l->site[i];

		code = grow_counts(l, s);
		/* Ids of an older source say nothing about the last. */
		if (!code && !s->count[l->nsources - 1].goroutines)
			s->nids = 0;
	}
	for (size_t i = 0; !code && i < l->nsites; i++) {
		if (into[i] != i)
			rep_leaks_merge(l, &l->site[into[i]], &l->site[i]);
	}
	for (size_t i = 0; !code && i < l->nsites; i++) {
		if (into[i] != i)
			continue;
		qsort(l->site[i].id, l->site[i].nids, sizeof(struct rep_goid), compare_ids);
		l->site[kept++] = l->site[i];
	}
	l->nsites = code ? l->nsites : kept;
	free(into);
	return code;
}

/* ---- judging ---- */

static bool matches(const struct rep_leaks *l, const struct rep_leak_site *s,
		    const struct rep_allow_rule *rule)
{
	struct tp_text t = tp_dict_text(l->dict, tp_dict_frame_name(l->dict, s->creator));

	if (t.size && rep_allow_match(rule, t.text, t.size))
		return true;
	for (uint32_t at = s->stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(l->dict, at);

		t = tp_dict_text(l->dict, tp_dict_frame_name(l->dict, node.frame));
		if (t.size && rep_allow_match(rule, t.text, t.size))
			return true;
		at = node.parent < at ? node.parent : 0;
	}
	return false;
}

/* A rule that says how many is used up by the sites it is about, in order. */
static int judge(struct rep_leaks *l)
{
	const struct rep_allow *allow = l->opt.allow;
	size_t nrules = allow ? allow->n : 0;
	int64_t *left = tp_many(nrules + 1, sizeof(*left));

	l->met = calloc(nrules + 1, sizeof(*l->met));
	if (!left || !l->met) {
		free(left);
		return TP_ENOMEM;
	}
	for (size_t r = 0; r < nrules; r++)
		left[r] = allow->rule[r].most;
	l->excess = 0;
	for (size_t i = 0; i < l->nsites; i++) {
		struct rep_leak_site *s = &l->site[i];
		int64_t n = l->nsources ? s->count[l->nsources - 1].goroutines : 0, growth = n;

		s->excess = n;
		s->allowed = false;
		for (size_t r = 0; r < nrules; r++) {
			if (!matches(l, s, &allow->rule[r]))
				continue;
			l->met[r] = true;
			if (allow->rule[r].most == INT64_MAX) {
				s->excess = 0;
			} else {
				int64_t taken = s->excess < left[r] ? s->excess : left[r];

				s->excess -= taken;
				left[r] -= taken;
			}
			s->allowed = !s->excess;
		}
		if (l->nsources > 1)
			growth = n - s->count[0].goroutines;
		s->grows = l->nsources > 2;
		for (size_t k = 1; k < l->nsources; k++)
			s->grows = s->grows && s->count[k].goroutines > s->count[k - 1].goroutines;
		growth = growth < s->excess ? growth : s->excess;
		if (growth > 0)
			tp_sum(&l->excess, growth);
	}
	free(left);
	return 0;
}

/* ---- order ---- */

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

static int64_t growth_of(const struct rep_leaks *l, const struct rep_leak_site *s)
{
	return s->count[l->nsources - 1].goroutines - s->count[0].goroutines;
}

static int by_order(const void *a, const void *b, void *ctx)
{
	const struct rep_leaks *l = ctx;
	const struct rep_leak_site *x = a, *y = b;
	const struct rep_leak_count *cx = &x->count[l->nsources - 1],
				    *cy = &y->count[l->nsources - 1];
	int c = ORDER(x->allowed, y->allowed);

	if (!c && l->opt.sort == REP_LEAK_BY_GROWTH)
		c = ORDER(growth_of(l, y), growth_of(l, x));
	if (!c && l->opt.sort == REP_LEAK_BY_WAIT)
		c = ORDER(cy->most_ns, cx->most_ns);
	if (!c)
		c = ORDER(cy->goroutines, cx->goroutines);
	if (!c)
		c = ORDER(cy->created, cx->created);
	if (!c)
		c = ORDER(cy->most_ns, cx->most_ns);
	if (!c)
		c = ORDER(x->stack, y->stack);
	if (!c)
		c = ORDER(x->creator, y->creator);
	if (!c)
		c = ORDER(x->label, y->label);
	return c ? c : ORDER(x->reason, y->reason);
}

int rep_leaks_finish(struct rep_leaks *l, struct tp_err *err)
{
	int code = join_sites(l);

	if (!code)
		code = rep_leaks_join_moved(l);
	/* Rules with a number are used up by the largest sites first. */
	if (!code && l->nsites)
		qsort_r(l->site, l->nsites, sizeof(*l->site), by_order, l);
	if (!code)
		code = judge(l);
	if (code)
		return rep_leak_fail(err, code);
	if (l->nsites)
		qsort_r(l->site, l->nsites, sizeof(*l->site), by_order, l);
	return 0;
}
