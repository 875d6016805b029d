/* Writes the report what-if: how long a request would take with some stretches shortened, by a replay of its
 * wake-up graph (graph.h), and what it would gain if each of the longest causes of its path took no time. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "path/graph.h"
#include "path/say.h"
#include "path/table.h"
#include "spans/pattern.h"

#define BOUNDS 10 /* causes whose gain is computed */

/* ---- what is shortened ---- */

struct cut {
	struct rep_pattern pattern;
	char *text; /* the expression */
	double factor;
	bool met; /* it names a stretch */
};

/* Splits "REGEX -50%" into the expression and the factor. */
static int cut_init(struct cut *c, const char *text, struct tp_err *err)
{
	const char *blank = strrchr(text, ' ');
	char *end = NULL;
	double percent = -1;

	if (blank && blank[1] == '-' && strspn(blank + 2, "0123456789.") + 3 == strlen(blank))
		percent = strtod(blank + 2, &end);
	if (!end || !(percent > 0 && percent <= 100) || strcmp(end, "%") || blank == text)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--what-if: '%.100s' is not a function or reason and by how much "
				  "it gets shorter, like 'main.load -50%%'",
				  text);
	c->factor = 1 - percent / 100;
	c->text = strndup(text, (size_t)(blank - text));
	if (!c->text)
		return tp_nomem(err);
	return rep_pattern_init(&c->pattern, c->text, "--what-if", false, err);
}

static void cut_release(struct cut *c)
{
	rep_pattern_release(&c->pattern);
	free(c->text);
}

int rep_what_if_check(const char *text, struct tp_err *err)
{
	struct cut c = {0};
	int code = cut_init(&c, text, err);

	cut_release(&c);
	return code;
}

/* Returns whether a cut names a stretch: by its kind, its reason, or a function of its stack. Waits for a P are
 * named by their kind only, as they belong to no function. */
static bool matches(struct cut *c, const struct tp_dict *dict, const struct rep_path_sum *s)
{
	if (!strcmp(c->text, rep_path_kinds[s->kind].name))
		return true;
	if (s->kind == REP_PATH_RUNNABLE)
		return false;
	if (s->reason && rep_pattern_matches(&c->pattern, s->reason))
		return true;
	for (uint32_t at = s->stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);

		if (rep_pattern_matches(&c->pattern, tp_dict_frame_name(dict, node.frame)))
			return true;
		at = node.parent < at ? node.parent : 0;
	}
	return false;
}

/* Shortens the stretches of a graph; the first cut that names one counts. */
static int apply(struct cut *c, struct rep_graph *g, const struct rep_path_table *p,
		 struct tp_err *err)
{
	int code = rep_pattern_run(&c->pattern, p->v->dict, err);

	for (size_t i = 0; i < g->nwhats && !code; i++) {
		if (!matches(c, p->v->dict, &g->what[i]))
			continue;
		c->met = true;
		if (g->factor[i] >= 1)
			g->factor[i] = c->factor;
	}
	if (!code)
		code = rep_pattern_settle(&c->pattern, err);
	if (!code && !c->met)
		code = tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "--what-if: nothing that the request depends on runs, sleeps or is in a system "
		    "call in a function that matches '%.100s'; waits that another goroutine ended "
		    "follow from what that one does",
		    c->text);
	return code;
}

/* ---- the longest causes ---- */

struct cause {
	struct rep_path_sum sum;
	int64_t before, now; /* on the path */
	int64_t gain, most;  /* if it took no time; TP_NULL: not computed */
	uint32_t group;
};

struct what_if {
	struct rep_graph g;
	struct cause *cause;
	size_t n;
	uint32_t *of; /* by what: the number of its cause before they are sorted */
	int64_t before, now, rest;
};

/* The path as it is now comes first; then what was on it before. */
static int by_time(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	if (x->now != y->now)
		return x->now > y->now ? -1 : 1;
	if (x->before != y->before)
		return x->before > y->before ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Adds up the path of the last replay by cause. */
static int add_path(struct what_if *w, bool now, struct tp_err *err)
{
	int64_t *ns = calloc(w->g.nwhats + 1, sizeof(*ns));

	if (!ns)
		return tp_nomem(err);
	w->rest = rep_graph_path(&w->g, true, ns);
	for (size_t i = 0; i < w->g.nwhats; i++) {
		struct cause *c = &w->cause[w->of[i]];

		tp_sum(now ? &c->now : &c->before, ns[i]);
	}
	free(ns);
	return 0;
}

static int group(struct what_if *w, struct rep_view *v, struct tp_err *err)
{
	const struct rep_path all = {.sum = w->g.what, .nsums = w->g.nwhats};
	struct rep_path_sum *total = NULL;
	int code;

	w->of = tp_many(w->g.nwhats + 1, sizeof(*w->of));
	if (!w->of)
		return tp_nomem(err);
	code = rep_path_group(v, &all, &total, &w->n, w->of, err);
	w->cause = calloc(w->n + 1, sizeof(*w->cause));
	if (!code && !w->cause)
		code = tp_nomem(err);
	for (size_t i = 0; i < w->n && !code; i++)
		w->cause[i] = (struct cause){
		    .sum = total[i], .gain = TP_NULL, .most = TP_NULL, .group = (uint32_t)i};
	free(total);
	return code;
}

/* Replays the graph without a cause. */
static int64_t without(struct what_if *w, const double *factor, uint32_t group, bool inferred)
{
	for (size_t i = 0; i < w->g.nwhats; i++)
		w->g.factor[i] = w->of[i] == group ? 0 : factor[i];
	return rep_graph_replay(&w->g, inferred);
}

static int find_gains(struct what_if *w, struct tp_err *err)
{
	double *factor = calloc(w->g.nwhats + 1, sizeof(*factor));
	int64_t loose;

	if (!factor)
		return tp_nomem(err);
	for (size_t i = 0; i < w->g.nwhats; i++)
		factor[i] = w->g.factor[i];
	loose = rep_graph_replay(&w->g, false);
	for (size_t i = 0; i < w->n && i < BOUNDS && w->cause[i].now; i++) {
		struct cause *c = &w->cause[i];

		c->gain = tp_minus(w->now, without(w, factor, c->group, true));
		c->most = tp_minus(loose, without(w, factor, c->group, false));
		c->most = c->most > c->gain ? c->most : c->gain;
	}
	free(factor);
	return 0;
}

static int compute(struct what_if *w, const struct rep_path_table *p, struct cut *cut, size_t n,
		   struct tp_err *err)
{
	int code = rep_graph_read(&w->g, p->v, p->ask->list->request, err);

	if (!code)
		code = group(w, p->v, err);
	if (code)
		return code;
	w->before = rep_graph_replay(&w->g, true);
	code = add_path(w, false, err);
	for (size_t i = 0; i < n && !code; i++)
		code = apply(&cut[i], &w->g, p, err);
	if (code)
		return code;
	w->now = rep_graph_replay(&w->g, true);
	code = add_path(w, true, err);
	if (w->n)
		qsort(w->cause, w->n, sizeof(*w->cause), by_time);
	return code ? code : find_gains(w, err);
}

/* ---- output ---- */

static const struct rep_column columns[] = {
    {.name = "before_ns",
     .doc = "time on the path as it was; null without --what-if",
     .title = "BEFORE",
     .kind = REP_NS,
     .drop_blank = true},
    {.name = "total_ns", .doc = "time on the path", .title = "TIME", .kind = REP_NS},
    {.name = "share", .doc = "of the path's length", .title = "SHARE", .kind = REP_SHARE},
    {.name = "gain_ns",
     .doc =
	 "what the request would be shorter by if this took no time; null beyond the ten longest",
     .title = "GAIN",
     .kind = REP_NS},
    {.name = "most_ns",
     .doc = "upper bound of that, without what is inferred at channels",
     .title = "AT MOST",
     .kind = REP_NS,
     .drop = 1},
    {.name = "entry", .doc = "entry function of the goroutines", .raw_only = true},
    {.name = "kind", .doc = "what they do", .raw_only = true},
    {.name = "reason", .doc = "what a wait is for, as Go names it", .raw_only = true},
    {.name = "doing",
     .doc = "kind and reason, with --json-head",
     .title = "DOING",
     .table_only = true,
     .least = 10},
    {.name = "where",
     .doc = "the function, and behind << the first of the user's own code",
     .title = "WHERE",
     .shorten = REP_SHORTEN_WHERE,
     .least = 24},
    {.name = "function", .doc = "innermost function outside the runtime", .raw_only = true},
    {.name = "location", .doc = "its file and line", .raw_only = true},
    {.name = "stack", .doc = "where they end, leaf first", .raw_only = true},
};
#define COLUMNS TP_COUNT_OF(columns)

static int write_row(struct rep_path_table *p, const struct what_if *w, const struct cause *c,
		     struct tp_err *err)
{
	const struct rep_path_sum *s = &c->sum;
	struct rep_value row[COLUMNS] = {
	    p->ask->nwhat_if ? rep_int(c->before) : rep_null(),
	    rep_int(c->now),
	    rep_share(c->now, w->now),
	    rep_opt(c->gain),
	    rep_opt(c->most),
	    rep_table_string(p, s->entry),
	    rep_str(rep_path_kinds[s->kind].name),
	    rep_table_string(p, s->reason),
	    rep_table_doing(p, s->kind, s->reason),
	    rep_table_where(p, s->entry, s->stack),
	    rep_stack_function(&p->texts, s->stack),
	    rep_stack_location(&p->texts, s->stack),
	    rep_stack_names(&p->texts, s->stack),
	};

	return rep_table_row(p, row, err);
}

/* Writes "task relay #1: 15.2ms; with main.third -50%: 13.7ms, 9.9% less". */
static int write_result(struct rep_path_table *p, const struct what_if *w, struct tp_err *err)
{
	const struct rep_path_page *page = p->ask;
	struct rep_words words = {.out = p->out, .page = page};
	char subject[200];
	int code;

	rep_say(&words, "%s: ", rep_path_subject_text(page, subject, sizeof(subject)));
	rep_say_time(&words, w->before);
	for (size_t i = 0; i < page->nwhat_if; i++) {
		rep_say(&words, i ? " and " : "; with ");
		rep_say_name(&words, rep_text_of(page->what_if[i]));
	}
	if (page->nwhat_if) {
		rep_say(&words, ": ");
		rep_say_time(&words, w->now);
		rep_say(&words, ", %.1f%% less",
			w->before > 0 ? 100 * (1 - (double)w->now / (double)w->before) : 0.0);
	}
	code = rep_say_lines(&words, true, 2, err);
	if (!code && w->g.since > 0 && page->list->subject != REP_PATH_RANGE) {
		rep_say(&words, "What happened before ");
		rep_say_time(&words, w->g.since);
		rep_say(&words, " stays as it was.");
		code = rep_say_lines(&words, false, 2, err);
	}
	if (!code && w->rest > 0) {
		rep_say(&words, "The first ");
		rep_say_time(&words, w->rest);
		rep_say(&words, " of it are unknown.");
		code = rep_say_lines(&words, false, 2, err);
	}
	return code;
}

static int write(struct rep_path_table *p, const struct what_if *w, struct tp_err *err)
{
	struct rep_column own[COLUMNS];
	size_t n = 0, shown;
	int code = write_result(p, w, err);

	while (n < w->n && (w->cause[n].now || w->cause[n].before))
		n++;
	shown = rep_table_limit(p, n, BOUNDS);
	if (!code)
		code = rep_output_note(p->out, false, "", err);
	if (!code)
		code = rep_table_begin(p, "what-if", columns, COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++)
		code = write_row(p, w, &w->cause[i], err);
	return code ? code : rep_table_end(p, shown, n, "causes, the longest", err);
}

int rep_path_write_what_if(struct rep_path_table *p, struct tp_err *err)
{
	const struct rep_path_page *page = p->ask;
	struct what_if w = {0};
	struct cut *cut = calloc(page->nwhat_if + 1, sizeof(*cut));
	int code = cut ? 0 : tp_nomem(err);

	for (size_t i = 0; i < page->nwhat_if && !code; i++)
		code = cut_init(&cut[i], page->what_if[i], err);
	if (!code)
		code = compute(&w, p, cut, page->nwhat_if, err);
	if (!code)
		code = write(p, &w, err);
	for (size_t i = 0; cut && i < page->nwhat_if; i++)
		cut_release(&cut[i]);
	free(cut);
	free(w.cause);
	free(w.of);
	rep_graph_release(&w.g);
	return code;
}
