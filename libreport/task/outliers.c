#include "task/outliers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"

#define LEAST_MIDDLE 50

struct candidate {
	int64_t from, ns;
	uint32_t row, type;
};

struct looking {
	struct rep_outliers *o;
	struct rep_tasks *t;
	bool regions;
	struct candidate *c;
	size_t n, room;
	struct rep_item *item; /* the slowest, then the middle group */
	uint32_t *row;
	uint32_t nitems;
};

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(err, code,
			   "these tasks and regions do too much for one report; pick fewer with "
			   "--task, --region, --min or --from and --to");
}

int rep_slowest_parse(const char *text, struct rep_slowest *s, struct tp_err *err)
{
	char *end;

	memset(s, 0, sizeof(*s));
	s->share = strtod(text, &end) / 100;
	s->percent = *end == '%' && !end[1];
	if (s->percent && end != text && s->share > 0 && s->share <= 0.5)
		return 0;
	s->count = strtoll(text, &end, 10);
	if (!s->percent && end != text && !*end && s->count > 0 && s->count < INT32_MAX)
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "--slowest '%s' is neither a share of at most 50%%, like 1%%, nor a "
			  "number of tasks, like 10",
			  text);
}

/* ---- the groups that are compared ---- */

static int put_candidate(struct looking *l, uint32_t row, int64_t from, int64_t to, int64_t type)
{
	if (tp_grow_raw(&l->c, &l->room, l->n, sizeof(*l->c)))
		return TP_ENOMEM;
	l->c[l->n++] = (struct candidate){from, tp_minus(to, from), row, (uint32_t)type};
	return 0;
}

static int collect_tasks(struct looking *l, struct rep_pick *choice)
{
	struct rep_view *v = l->t->v;
	int code = 0;

	for (uint32_t i = 0; !code && i < l->t->n; i++) {
		int64_t start = rep_task_start(l->t, i), end = rep_task_end(l->t, i);

		if (rep_task_complete(l->t, i) && rep_view_overlaps(v, start, end) &&
		    rep_choose_task(choice, i) &&
		    rep_view_matches(v, REP_AT(v, TASK, goroutine, i), REP_AT(v, TASK, stack, i)))
			code = put_candidate(l, i, start, end, REP_AT(v, TASK, name, i));
	}
	return code;
}

static int collect_regions(struct looking *l, struct rep_pick *choice)
{
	struct rep_view *v = l->t->v;
	int code = 0;

	for (uint32_t i = 0; !code && i < v->nrows[TP_TABLE_REGION]; i++) {
		int64_t start = REP_AT(v, REGION, start_ns, i), end = REP_AT(v, REGION, end_ns, i);

		if (start != TP_NULL && end != TP_NULL && rep_view_overlaps(v, start, end) &&
		    rep_choose_region(choice, i) &&
		    rep_view_matches(v, REP_AT(v, REGION, goroutine, i),
				     REP_AT(v, REGION, stack, i)))
			code = put_candidate(l, i, start, end, REP_AT(v, REGION, name, i));
	}
	return code;
}

/* Keeps only the type that took most time. */
static int keep_type(struct looking *l)
{
	struct rep_keys types = {0};
	int64_t *ns = NULL;
	size_t room = 0, kept = 0;
	uint32_t best = 0;
	int code = 0;

	for (size_t i = 0; !code && i < l->n; i++) {
		uint32_t at;

		code = rep_keys_add(&types, l->c[i].type, 0, 0, 0, &at);
		if (!code)
			code = tp_grow(&ns, &room, at, sizeof(*ns));
		if (!code)
			tp_sum(&ns[at], l->c[i].ns);
	}
	for (uint32_t i = 1; !code && i < types.n; i++)
		best = ns[i] > ns[best] ? i : best;
	if (!code && types.n) {
		l->o->types = (uint32_t)types.n;
		l->o->type = types.key[best].part[0];
		for (size_t i = 0; i < l->n; i++) {
			if (l->c[i].type == l->o->type)
				l->c[kept++] = l->c[i];
		}
		l->n = kept;
	}
	free(ns);
	rep_keys_release(&types);
	return code;
}

/* Puts the slowest first. */
static int by_latency(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void put_group(struct looking *l, int group, const struct candidate *c, size_t n)
{
	struct rep_outliers *o = l->o;

	o->n[group] = (int64_t)n;
	o->max_ns[group] = c[0].ns;
	o->min_ns[group] = c[n - 1].ns;
	for (size_t i = 0; i < n; i++) {
		tp_sum(&o->ns[group], c[i].ns);
		l->item[l->nitems] = (struct rep_item){c[i].from, tp_plus(c[i].from, c[i].ns)};
		l->row[l->nitems++] = c[i].row;
	}
}

static int choose_groups(struct looking *l, const struct rep_slowest *slowest)
{
	size_t slow, middle, at;

	l->o->total = (int64_t)l->n;
	if (l->n < REP_OUTLIERS_LEAST)
		return 0;
	slow = slowest->percent ? (size_t)ceil((double)l->n * slowest->share - 1e-9)
				: (size_t)slowest->count;
	slow = slow < 1 ? 1 : slow > l->n / 2 ? l->n / 2 : slow;
	middle = slow > LEAST_MIDDLE ? slow : LEAST_MIDDLE;
	middle = middle < l->n - slow ? middle : l->n - slow;
	/* The middle group lies around the median of all, without the slowest. */
	at = l->n / 2 - (middle < l->n ? middle / 2 : 0);
	at = l->n / 2 < middle / 2 ? 0 : at;
	at = at < slow ? slow : at;
	at = at + middle > l->n ? l->n - middle : at;
	qsort(l->c, l->n, sizeof(*l->c), by_latency);
	l->item = calloc(slow + middle, sizeof(*l->item));
	l->row = calloc(slow + middle, sizeof(*l->row));
	if (!l->item || !l->row)
		return TP_ENOMEM;
	put_group(l, REP_SLOW, l->c, slow);
	put_group(l, REP_MIDDLE, l->c + at, middle);
	return 0;
}

/* ---- their facts ---- */

static int put_fact(struct looking *l, uint32_t item, enum rep_fact_kind kind,
		    const struct rep_key *what, int64_t ns)
{
	struct rep_outliers *o = l->o;
	int group = item < o->n[REP_SLOW] ? REP_SLOW : REP_MIDDLE;
	size_t known = o->keys[kind].n;
	struct rep_fact *f;
	uint32_t at;
	int code = rep_keys_add(&o->keys[kind], what->part[0], what->part[1], what->part[2],
				what->part[3], &at);

	if (!code)
		code = tp_grow(&o->of_key[kind], &o->key_room[kind], at, sizeof(uint32_t));
	if (!code && at == known) {
		code = tp_grow(&o->fact, &o->room, o->nfacts, sizeof(*o->fact));
		if (!code) {
			o->fact[o->nfacts].kind = kind;
			o->fact[o->nfacts].what = *what;
			o->of_key[kind][at] = (uint32_t)o->nfacts++;
		}
	}
	if (code)
		return code;
	f = &o->fact[o->of_key[kind][at]];
	tp_sum(&f->ns[group], ns);
	f->count[group]++;
	if (f->last != item + 1)
		f->with[group]++;
	f->last = item + 1;
	return 0;
}

static int put_times(struct looking *l, const struct rep_spent *spent)
{
	int code = 0;

	for (size_t i = 0; !code && i < spent->at.n; i++) {
		const struct rep_key *what = &spent->what.key[spent->cell[i].what];
		const struct rep_key state = {{0, what->part[1], what->part[2], 0}};

		code = put_fact(l, spent->cell[i].item, REP_FACT_TIME, what, spent->cell[i].ns);
		if (!code)
			code = put_fact(l, spent->cell[i].item, REP_FACT_STATE, &state,
					spent->cell[i].ns);
	}
	return code;
}

static int put_regions(struct looking *l)
{
	const struct rep_workers *w = &l->o->workers;
	int code = 0;

	for (uint32_t i = 0; !code && i < w->n; i++) {
		const struct rep_key *label = &w->labels.key[w->worker[i].label];
		const struct rep_key what = {{label->part[0], label->part[1], 0, 0}};

		if (label->part[1])
			code = put_fact(l, w->worker[i].item, REP_FACT_REGION, &what,
					tp_minus(w->worker[i].to, w->worker[i].from));
	}
	return code;
}

/* Finds a message without its numbers: "retry 3 of 5" and "retry 4 of 5" count as one message. */
static int message_of(struct tp_dict *dict, uint32_t id, uint32_t *message)
{
	struct tp_text t = tp_dict_text(dict, id);
	char text[200];
	uint32_t n = 0;

	for (uint32_t i = 0; i < t.size && n < sizeof(text); i++) {
		bool digit = t.text[i] >= '0' && t.text[i] <= '9';

		if (digit && n && text[n - 1] == '#')
			continue;
		text[n++] = digit ? '#' : t.text[i];
	}
	return tp_dict_string(dict, text, n, message);
}

static int put_logs(struct looking *l, uint32_t item, uint32_t task)
{
	struct rep_view *v = l->t->v;
	int code = 0;

	for (uint32_t i = l->t->first_log[task]; !code && i < l->t->first_log[task + 1]; i++) {
		uint32_t row = l->t->log[i];
		struct rep_key what = {{(uint32_t)REP_AT(v, LOG, category, row), 0, 0, 0}};

		code = message_of(v->dict, (uint32_t)REP_AT(v, LOG, message, row), &what.part[1]);
		if (!code)
			code = put_fact(l, item, REP_FACT_LOG, &what, 0);
	}
	return code;
}

static int put_below(struct looking *l)
{
	struct rep_view *v = l->t->v;
	uint32_t *below = calloc(l->t->n + (size_t)1, sizeof(*below));
	int code = below ? 0 : TP_ENOMEM;

	for (uint32_t item = 0; !code && item < l->nitems; item++) {
		uint32_t n = rep_tasks_below(l->t, l->row[item], below);

		code = rep_tasks_walked(l->t);
		for (uint32_t i = 0; !code && i < n; i++) {
			uint32_t task = below[i];
			const struct rep_key what = {
			    {(uint32_t)REP_AT(v, TASK, name, task), 0, 0, 0}};

			code = put_logs(l, item, task);
			if (!code && i)
				code = put_fact(
				    l, item, REP_FACT_SUBTASK, &what,
				    tp_minus(rep_task_end(l->t, task), rep_task_start(l->t, task)));
		}
	}
	free(below);
	return code;
}

/* ---- ranges of the whole program ---- */

struct range {
	int64_t from, to, before; /* before: length of all earlier ones */
};

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorts the ranges and joins overlapping ones. Returns how many remain. */
static size_t join(struct range *r, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(r, n, sizeof(*r), by_start);
	for (size_t i = 0; i < n; i++) {
		if (kept && r[i].from <= r[kept - 1].to) {
			if (r[i].to > r[kept - 1].to)
				r[kept - 1].to = r[i].to;
			continue;
		}
		r[kept++] = r[i];
	}
	for (size_t i = 0; i < kept; i++)
		r[i].before =
		    i ? tp_plus(r[i - 1].before, tp_minus(r[i - 1].to, r[i - 1].from)) : 0;
	return kept;
}

/* Returns the length of the ranges before a moment. */
static int64_t until(const struct range *r, size_t n, int64_t at)
{
	size_t next = 0; /* the first that begins at `at` or later */

	TP_SEARCH(next, n, i, r[i].from < at);
	if (!next)
		return 0;
	r += next - 1;
	return tp_plus(r->before, tp_minus(r->to < at ? r->to : at, r->from));
}

/* The ranges of the whole program. */
struct program {
	struct program_range {
		struct range range;
		uint32_t name; /* index in names */
	} * item;
	size_t n, room;
	struct rep_keys names;
};

static bool of_program(const struct rep_view *v, size_t i)
{
	struct tp_text name = tp_dict_text(v->dict, (uint32_t)REP_COL(v, RANGE, name)[i]);

	return REP_COL(v, RANGE, start_ns)[i] < REP_COL(v, RANGE, end_ns)[i] &&
	       ((REP_COL(v, RANGE, goroutine)[i] == TP_NULL &&
		 REP_COL(v, RANGE, p)[i] == TP_NULL) ||
		tp_text_begins(name, "stop-the-world"));
}

#define MOST_RANGES 32 /* different names of ranges */

static int take_ranges(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct program *p = ctx;
	int code = 0;

	(void)first;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_RANGE]; i++) {
		uint32_t name = (uint32_t)REP_COL(v, RANGE, name)[i], at;

		if (!of_program(v, i) ||
		    (p->names.n >= MOST_RANGES && !rep_keys_find(&p->names, name, 0, 0, 0, &at)))
			continue;
		code = rep_keys_add(&p->names, name, 0, 0, 0, &at);
		if (!code)
			code = tp_grow_raw(&p->item, &p->room, p->n, sizeof(*p->item));
		if (!code)
			p->item[p->n++] =
			    (struct program_range){{.from = REP_COL(v, RANGE, start_ns)[i],
						    .to = REP_COL(v, RANGE, end_ns)[i]},
						   at};
	}
	return code ? fail(err, code) : 0;
}

static int put_range(struct looking *l, const struct program *p, uint32_t name, struct range *r)
{
	const struct rep_key what = p->names.key[name];
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->item[i].name == name)
			r[n++] = p->item[i].range;
	n = join(r, n);
	for (uint32_t i = 0; !code && i < l->nitems; i++) {
		int64_t ns = tp_minus(until(r, n, l->item[i].to), until(r, n, l->item[i].from));

		if (ns > 0)
			code = put_fact(l, i, REP_FACT_RANGE, &what, ns);
	}
	return code;
}

static int put_ranges(struct looking *l, struct tp_err *err)
{
	struct program p = {0};
	int code =
	    rep_view_visit(l->t->v, TP_TABLE_RANGE,
			   REP_BIT(RANGE, name) | REP_BIT(RANGE, goroutine) | REP_BIT(RANGE, p) |
			       REP_BIT(RANGE, start_ns) | REP_BIT(RANGE, end_ns),
			   take_ranges, &p, err);
	struct range *r = code ? NULL : tp_many(p.n + 1, sizeof(*r));

	if (!code && !r)
		code = fail(err, TP_ENOMEM);
	for (uint32_t i = 0; !code && i < p.names.n; i++) {
		code = put_range(l, &p, i, r);
		if (code)
			fail(err, code);
	}
	free(r);
	free(p.item);
	rep_keys_release(&p.names);
	return code;
}

static int gather(struct looking *l, struct tp_err *err)
{
	struct rep_outliers *o = l->o;
	struct rep_spent spent = {.workers = &o->workers};
	int code = 0;

	for (uint32_t i = 0; !code && i < l->nitems; i++) {
		if (l->regions)
			code = rep_workers_of_region(&o->workers, l->t, l->row[i], i, &l->item[i]);
		else
			code = rep_workers_of_task(&o->workers, l->t, l->row[i], i, &l->item[i]);
	}
	if (code)
		return fail(err, code);
	code = rep_explain(l->t->v, l->item, l->nitems, o->workers.worker, o->workers.n,
			   rep_spent_put, &spent, err);
	if (!code && (code = put_times(l, &spent)))
		fail(err, code);
	rep_spent_release(&spent);
	if (!code && !l->regions) {
		code = put_regions(l);
		if (!code)
			code = put_below(l);
		if (code)
			fail(err, code);
	}
	return code ? code : put_ranges(l, err);
}

int rep_outliers_init(struct rep_outliers *o, struct rep_tasks *t, struct rep_pick *choice,
		      bool regions, const struct rep_slowest *slowest, struct tp_err *err)
{
	struct looking l = {.o = o, .t = t, .regions = regions};
	int code;

	memset(o, 0, sizeof(*o));
	code = regions ? collect_regions(&l, choice) : collect_tasks(&l, choice);
	if (!code)
		code = keep_type(&l);
	if (!code)
		code = choose_groups(&l, slowest);
	/* There may be millions, of which the groups have few. */
	free(l.c);
	if (code)
		fail(err, code);
	else if (l.nitems)
		code = gather(&l, err);
	free(l.item);
	free(l.row);
	return code;
}

void rep_outliers_release(struct rep_outliers *o)
{
	for (int i = 0; i < REP_NFACT_KINDS; i++) {
		rep_keys_release(&o->keys[i]);
		free(o->of_key[i]);
	}
	rep_workers_release(&o->workers);
	free(o->fact);
	memset(o, 0, sizeof(*o));
}

const struct rep_key *rep_fact_label(const struct rep_outliers *o, const struct rep_fact *f)
{
	static const struct rep_key nobody;

	return f->what.part[0] < o->workers.labels.n ? &o->workers.labels.key[f->what.part[0]]
						     : &nobody;
}
