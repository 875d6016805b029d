/* A trace against a trace: what was measured in both, charts of both, flame graphs of views. Runs
 * of different length are compared by what happens in a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/trace/metrics.h"
#include "flame/flame.h"
#include "page/inside.h"
#include "profile/trace.h"

#define FAMILY_ROWS 40			/* of a table */
#define BUDGET	    ((size_t)320 << 10) /* of a graph's frames */

struct pair {
	const struct rep_measure *old, *new; /* one may be NULL */
	double change;			     /* of the time in a second, without sign */
};

static int compare_keys(const struct rep_measure *a, const struct rep_measure *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	return strcmp(a->key, b->key);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(*(const struct rep_measure *const *)a,
			    *(const struct rep_measure *const *)b);
}

struct compared {
	struct rep_metrics *old, *new;
	struct rep_metrics_base old_base, new_base;
	struct pair *pair;
	size_t n;
};

static double per_second(const struct rep_metrics_base *base, int64_t amount)
{
	return base->length_ns > 0 ? (double)amount * 1e9 / (double)base->length_ns : NAN;
}

static double time_of(const struct compared *c, const struct pair *p, bool old)
{
	const struct rep_measure *m = old ? p->old : p->new;

	return m ? per_second(old ? &c->old_base : &c->new_base, m->total_ns) : 0;
}

static double count_of(const struct compared *c, const struct pair *p, bool old)
{
	const struct rep_measure *m = old ? p->old : p->new;

	return m ? per_second(old ? &c->old_base : &c->new_base, m->count) : 0;
}

static const struct rep_measure **sorted(const struct rep_metrics *m, size_t *n)
{
	const struct rep_measure *all = rep_metrics_measures(m, n);
	const struct rep_measure **list = calloc(*n + 1, sizeof(*list));

	for (size_t i = 0; list && i < *n; i++)
		list[i] = &all[i];
	if (list)
		qsort(list, *n, sizeof(*list), by_key);
	return list;
}

static int pair_up(struct compared *c, struct tp_err *err)
{
	size_t nold = 0, nnew = 0, i = 0, k = 0;
	const struct rep_measure **old = sorted(c->old, &nold), **new = sorted(c->new, &nnew);
	int code = 0;

	c->pair = calloc(nold + nnew + 1, sizeof(*c->pair));
	if (!old || !new || !c->pair)
		code = page_no_memory(err);
	while (!code && (i < nold || k < nnew)) {
		int order = i == nold ? 1 : k == nnew ? -1 : compare_keys(old[i], new[k]);
		struct pair *p = &c->pair[c->n++];
		bool samples;

		p->old = order <= 0 ? old[i++] : NULL;
		p->new = order >= 0 ? new[k++] : NULL;
		samples = (p->new ? p->new : p->old)->family == REP_FAMILY_CPU;
		p->change = samples ? fabs(count_of(c, p, false) - count_of(c, p, true))
				    : fabs(time_of(c, p, false) - time_of(c, p, true));
	}
	free(old);
	free(new);
	return code;
}

static const struct rep_measure *either(const struct pair *p)
{
	return p->new ? p->new : p->old;
}

/* By family, then what changed most. */
static int by_change(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (either(x)->family != either(y)->family)
		return either(x)->family < either(y)->family ? -1 : 1;
	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	return compare_keys(either(x), either(y));
}

static struct rep_value change_of(double old, double new)
{
	if (!(old > 0))
		return new > 0 ? rep_str("new") : rep_null();
	return rep_float((new - old) / old);
}

/* Three digits are enough, and as few as there are. */
static struct rep_value rate(double v)
{
	return v >= 100 && v < 1e18 ? rep_int(llround(v)) : rep_float(v);
}

static struct rep_value percentile(const struct rep_measure *m, int which)
{
	return m ? rep_opt(m->p[which]) : rep_null();
}

enum {
	NAME,
	BY,
	COUNT_OLD,
	COUNT_NEW,
	TIME_OLD,
	TIME_NEW,
	TIME_CHANGE,
	P50_OLD,
	P50_NEW,
	P99_OLD,
	P99_NEW,
	P99_CHANGE,
	NCOLUMNS
};

static int begin_table(struct rep_output *out, const char *name, bool samples, bool ticks,
		       struct tp_err *err)
{
	enum rep_kind time = ticks ? REP_COUNT : REP_NS;
	const struct rep_column columns[NCOLUMNS] = {
	    [NAME] = {.name = "name", .title = "WHAT", .kind = REP_TEXT},
	    [BY] = {.name = "by", .title = "IS A", .kind = REP_TEXT},
	    [COUNT_OLD] = {.name = "rate_old", .title = "PER S, OLD", .kind = REP_FLOAT},
	    [COUNT_NEW] = {.name = "rate_new", .title = "NEW", .kind = REP_FLOAT},
	    [TIME_OLD] = {.name = "time_old",
			  .title = "TIME PER S, OLD",
			  .kind = time,
			  .raw_only = samples},
	    [TIME_NEW] = {.name = "time_new", .title = "NEW", .kind = time, .raw_only = samples},
	    [TIME_CHANGE] = {.name = "change", .title = "CHANGE", .kind = REP_SHARE},
	    [P50_OLD] = {.name = "p50_old", .title = "P50, OLD", .kind = time, .raw_only = samples},
	    [P50_NEW] = {.name = "p50_new", .title = "NEW", .kind = time, .raw_only = samples},
	    [P99_OLD] = {.name = "p99_old", .title = "P99, OLD", .kind = time, .raw_only = samples},
	    [P99_NEW] = {.name = "p99_new", .title = "NEW", .kind = time, .raw_only = samples},
	    [P99_CHANGE] = {.name = "p99_change",
			    .title = "CHANGE",
			    .kind = REP_SHARE,
			    .raw_only = samples},
	};

	return rep_output_begin(out, name, columns, NCOLUMNS, err);
}

static int put_pair(const struct compared *c, const struct pair *p, struct rep_output *out,
		    struct tp_err *err)
{
	const struct rep_measure *m = either(p);
	bool samples = m->family == REP_FAMILY_CPU;
	double old = samples ? count_of(c, p, true) : time_of(c, p, true);
	double new = samples ? count_of(c, p, false) : time_of(c, p, false);
	struct rep_value p99[2] = {percentile(p->old, 3), percentile(p->new, 3)};
	bool both = p99[0].type == REP_TYPE_INT && p99[1].type == REP_TYPE_INT;
	struct rep_value v[NCOLUMNS] = {
	    [NAME] = rep_str(*m->name			? m->name
			     : m->by == REP_MEASURE_ALL ? "(all)"
							: "(unknown)"),
	    [BY] = rep_str(rep_measure_bys[m->by]),
	    [COUNT_OLD] = rate(count_of(c, p, true)),
	    [COUNT_NEW] = rate(count_of(c, p, false)),
	    [TIME_OLD] = rep_float(time_of(c, p, true)),
	    [TIME_NEW] = rep_float(time_of(c, p, false)),
	    [TIME_CHANGE] = change_of(old, new),
	    [P50_OLD] = percentile(p->old, 0),
	    [P50_NEW] = percentile(p->new, 0),
	    [P99_OLD] = p99[0],
	    [P99_NEW] = p99[1],
	    [P99_CHANGE] = both ? change_of((double)p99[0].i, (double)p99[1].i) : rep_null(),
	};

	return rep_output_row(out, v, err);
}

static int write_family(struct page *p, struct html *h, const struct compared *c, size_t first,
			size_t last, struct tp_err *err)
{
	enum rep_family family = either(&c->pair[first])->family;
	const struct rep_family_desc *desc = &rep_families[family];
	struct page_tables tables = {0};
	struct rep_output *out = NULL;
	size_t n = last - first < FAMILY_ROWS ? last - first : FAMILY_ROWS;
	int code = page_tables_output(&tables, &out, err);

	if (!code)
		code = begin_table(out, desc->name, family == REP_FAMILY_CPU,
				   p->run->row.ticks || p->old->run->row.ticks, err);
	for (size_t i = first; i < first + n && !code; i++)
		code = put_pair(c, &c->pair[i], out, err);
	if (!code)
		code = rep_output_end(out, err);
	if (!code) {
		html_f(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		page_table_write(h, &tables.table[0], desc->doc);
		if (n < last - first) {
			html_f(h, "<p class=\"note\">… and %zu more: ", last - first - n);
			page_command(p, h, "tprof-diff", "");
			html_put(h, "</p>\n");
		}
	}
	rep_output_free(out);
	page_tables_release(&tables);
	return code;
}

int page_changed_metrics(struct page *p, struct html *h, struct tp_err *err)
{
	const struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	struct compared c = {0};
	int code = rep_metrics_new(&c.old, p->old->store, p->old->run, &opt, err);

	if (!code)
		code = rep_metrics_new(&c.new, p->store, p->run, &opt, err);
	if (!code) {
		rep_metrics_base(c.old, &c.old_base);
		rep_metrics_base(c.new, &c.new_base);
		code = pair_up(&c, err);
	}
	if (!code) {
		qsort(c.pair, c.n, sizeof(*c.pair), by_change);
		html_put(h,
			 "<p class=\"note\">By the time that something takes in a second of the "
			 "run, what changed most first; two runs tell nothing about noise.</p>\n");
	}
	for (size_t i = 0, end; i < c.n && !code; i = end) {
		for (end = i;
		     end < c.n && either(&c.pair[end])->family == either(&c.pair[i])->family; end++)
			;
		code = write_family(p, h, &c, i, end, err);
	}
	free(c.pair);
	rep_metrics_free(c.old);
	rep_metrics_free(c.new);
	return code;
}

/* ---- charts: each of both, one above the other would hide what differs ---- */

int page_changed_charts(struct page *p, struct html *h, struct tp_err *err)
{
	int code;

	html_put(h, "<h3>Old</h3>\n");
	code = page_charts(p->old, h, err);
	html_put(h, "<h3>New</h3>\n");
	return code ? code : page_charts(p, h, err);
}

/* ---- flame graphs ---- */

struct side {
	struct tp_profile *profile;
	struct rep_profile_view view;
};

static int load_side(struct page *p, enum rep_trace_view which, struct side *s, struct tp_err *err)
{
	struct rep_trace_profile_options opt = {.view = which};
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	int code = rep_trace_profile(p->store, p->run, &opt, &s->profile, err);

	return code ? code
		    : rep_profile_view_init(&s->view, s->profile, &plain, &rep_flame_traits, err);
}

static int write_view(struct page *p, struct html *h, enum rep_trace_view which, struct tp_err *err)
{
	const struct rep_trace_view_desc *desc = &rep_trace_views[which];
	struct rep_flame_tree_options how = {.compared = true};
	struct side old = {0}, new = {0};
	struct rep_flame_part parts[2] = {
	    {.view = &new.view, .name = p->run->row.name, .trace = true},
	    {.view = &old.view,
	     .name = p->old->run->row.name,
	     .side = REP_FLAME_OLD,
	     .trace = true}};
	struct rep_flame_heading words = {0};
	struct rep_flame_tree tree = {0};
	char text[200];
	int code = load_side(p, which, &new, err);

	if (!code)
		code = load_side(p->old, which, &old, err);
	if (!code)
		code = rep_flame_tree_init(&tree, &how, err);
	if (!code)
		code = rep_flame_parts_add(&tree, parts, 2, false, err);
	if (!code)
		code = rep_flame_tree_sum(&tree, err);
	if (!code)
		code = rep_flame_heading(&words, &tree, parts, 2, "", err);
	if (!code && rep_flame_weight(&tree, 0)) {
		html_f(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		snprintf(text, sizeof(text), "Flame graph of the difference: %s", desc->name);
		code = page_flame_write(h, &tree, &words, BUDGET, text, err);
		html_put(h, "<p class=\"more\">");
		snprintf(text, sizeof(text), "tprof-flame -o %s.html --view=%s", desc->name,
			 desc->name);
		page_command(p, h, text, "");
		html_put(h, "</p>\n");
	}
	rep_flame_heading_release(&words);
	rep_flame_tree_release(&tree);
	rep_profile_view_release(&old.view);
	rep_profile_view_release(&new.view);
	tp_profile_free(old.profile);
	tp_profile_free(new.profile);
	return code;
}

int page_changed_views(struct page *p, struct html *h, struct tp_err *err)
{
	static const enum rep_trace_view views[] = {REP_TRACE_CPU, REP_TRACE_OFFCPU,
						    REP_TRACE_SCHED, REP_TRACE_SYSCALL};
	int code = 0;

	page_flame_script(h);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !code; i++)
		code = write_view(p, h, views[i], err);
	return code;
}
