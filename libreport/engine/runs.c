/* Lists the runs of an engine. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "engine/fetching.h"

int rep_fetch_odd(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the engine's answer cannot be: %s; are these tables of tprof?", what);
}

/* Copies a text up to its first NUL, as names of runs have none. Returns NULL if memory is out. */
static char *copy(struct tp_slice s)
{
	return strndup((const char *)s.data, s.size);
}

static void release_texts(char **list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		free(list[i]);
	free(list);
}

/* Memory of a text besides its bytes in the row. */
#define TEXT_HELD 32

/* Copies an array of texts; the caller also owns those copied before an error. */
static int copy_texts(struct tp_cursor *c, char ***list, size_t *n, struct rep_held *held,
		      struct tp_err *err)
{
	size_t count = rep_row_get_count(c, 1);

	if (rep_held_add(held, count * TEXT_HELD, err))
		return err->code;
	*list = tp_many(count + 1, sizeof(**list));
	for (*n = 0; *list && *n < count && !c->failed; ++*n) {
		(*list)[*n] = copy(rep_row_get_text(c));
		if (!(*list)[*n])
			return tp_nomem(err);
	}
	return *list ? 0 : tp_nomem(err);
}

static void release_run(struct rep_engine_run *r)
{
	free((char *)r->row.hash);
	free((char *)r->row.kind);
	free((char *)r->row.name);
	free((char *)r->row.source);
	free((char *)r->row.format);
	release_texts(r->type, r->ntypes);
	release_texts(r->unit, r->ntypes);
	release_texts(r->label, r->nlabels);
}

void rep_engine_runs_release(struct rep_engine_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		release_run(&runs->run[i]);
	free(runs->run);
	*runs = (struct rep_engine_runs){0};
}

static bool whole(const struct rep_engine_run *r)
{
	return r->row.hash && r->row.kind && r->row.name && r->row.source && r->row.format;
}

/* Returns whether all labels have the form KEY=VALUE. */
static bool are_labels(const struct rep_engine_run *r)
{
	for (size_t i = 0; i < r->nlabels; i++)
		if (*r->label[i] == '=' || !strchr(r->label[i], '='))
			return false;
	return true;
}

static bool is_plausible(const struct rep_engine_run *r)
{
	return strlen(r->row.hash) == 32 && strspn(r->row.hash, "0123456789abcdef") == 32 &&
	       (!strcmp(r->row.kind, "trace") || !strcmp(r->row.kind, "profile"));
}

static int on_run(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_engine_runs *runs = ctx;
	const uint8_t *from = c->at;
	struct rep_engine_run run = {.load = rep_row_get(c, 8)}, *more;
	const char **texts[] = {&run.row.hash, &run.row.kind, &run.row.name, &run.row.source,
				&run.row.format};
	int64_t *numbers[] = {
	    &run.row.id,	 &run.row.start_ns, &run.row.duration_ns, NULL,
	    &run.row.wall_ns,	 &run.row.events,   &run.row.inferred,	  &run.row.generations,
	    &run.row.goroutines, &run.row.size_in,  &run.row.lost_bytes,  &run.row.lost_events,
	    &run.row.imported_ns};
	struct rep_held held = {runs->held};
	size_t nunits = 0;
	int code;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = copy(rep_row_get_text(c));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int64_t v = rep_row_get_int(c);

		if (numbers[i])
			*numbers[i] = v;
		else
			run.row.ticks = v == 1;
	}
	code = copy_texts(c, &run.type, &run.ntypes, &held, err);
	if (!code)
		code = copy_texts(c, &run.unit, &nunits, &held, err);
	if (!code)
		code = copy_texts(c, &run.label, &run.nlabels, &held, err);
	rep_row_get(c, 1); /* has_spans */
	if (code || c->failed || nunits != run.ntypes) {
		release_texts(run.unit, nunits);
		run.unit = NULL;
		release_run(&run);
		return code || c->failed ? code
					 : rep_fetch_odd(err, "a run with types but no units");
	}
	more = tp_more(runs->run, runs->n + 1, sizeof(*more));
	if (more)
		runs->run = more;
	if (!more || !whole(&run))
		code = tp_nomem(err);
	else if (!are_labels(&run) || !is_plausible(&run))
		code = rep_fetch_odd(err, "a run without a hash or kind, or with an odd label");
	else if (runs->n == REP_ENGINE_MOST_RUNS)
		code = tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the engine has more than %d runs; pick fewer by labels (?label=KEY=VALUE&…)",
		    REP_ENGINE_MOST_RUNS);
	else
		code = rep_held_add(&held, sizeof(run) + (size_t)(c->at - from), err);
	runs->held = held.now;
	if (code)
		release_run(&run);
	else
		runs->run[runs->n++] = run;
	return code;
}

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Of several loads of a run the smallest counts. */
static int by_load(const void *a, const void *b)
{
	const struct rep_engine_run *x = a, *y = b;
	int order = strcmp(x->row.hash, y->row.hash);

	return order ? order : x->load < y->load ? -1 : x->load > y->load;
}

static int by_number(const void *a, const void *b)
{
	const struct rep_engine_run *x = a, *y = b;
	int order = compare(x->row.id, y->row.id);

	if (!order)
		order = compare(x->row.imported_ns, y->row.imported_ns);
	return order ? order : strcmp(x->row.hash, y->row.hash);
}

static void settle(struct rep_engine_runs *runs)
{
	size_t n = 0;

	if (!runs->n)
		return;
	qsort(runs->run, runs->n, sizeof(*runs->run), by_load);
	for (size_t i = 0; i < runs->n; i++) {
		if (n && !strcmp(runs->run[n - 1].row.hash, runs->run[i].row.hash))
			release_run(&runs->run[i]);
		else
			runs->run[n++] = runs->run[i];
	}
	runs->n = n;
	qsort(runs->run, runs->n, sizeof(*runs->run), by_number);
	for (size_t i = 0; i < runs->n; i++)
		runs->run[i].row.id = (int64_t)i + 1;
}

/* ---- statements ---- */

static void put_has_labels(struct tp_buf *s, char *const *labels, size_t nlabels)
{
	for (size_t i = 0; i < nlabels; i++) {
		tp_buf_printf(s, " %s has(labels, ", i ? "AND" : "WHERE");
		rep_sql_string(s, labels[i], strlen(labels[i]));
		tp_buf_text(s, ")");
	}
}

/* Requires the labels of the load that counts: loads of the same run may have different ones. */
static void put_labelled(struct tp_buf *s, const struct rep_engine_place *at, char *const *labels,
			 size_t nlabels)
{
	put_has_labels(s, labels, nlabels);
	rep_sql_put(s, at,
		    " AND load GLOBAL IN (SELECT min(load) FROM @run WHERE "
		    "run GLOBAL IN (SELECT run FROM @run");
	put_has_labels(s, labels, nlabels);
	tp_buf_text(s, ") GROUP BY run)");
}

int rep_engine_runs_load(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 char *const *labels, size_t nlabels, struct rep_engine_runs *runs,
			 struct tp_err *err)
{
	struct tp_buf s = {0};
	int code;

	*runs = (struct rep_engine_runs){0};
	tp_buf_text(&s, "SELECT ");
	rep_engine_put_columns(&s, REP_ENGINE_RUN, 1);
	rep_sql_put(&s, at, " FROM @run");
	if (nlabels)
		put_labelled(&s, at, labels, nlabels);
	else
		/* Loads that no longer count must not use up the limits. */
		rep_sql_put(&s, at,
			    " WHERE load GLOBAL IN (SELECT min(load) FROM @run GROUP BY run)");
	code = rep_engine_ask(link, &s, on_run, runs, err);
	if (!code)
		settle(runs);
	return code;
}

/* ---- statements about some of the runs ---- */

static bool is_picked(const struct rep_fetching *f, size_t run)
{
	return f->opt->picked && f->opt->picked[run];
}

bool rep_fetch_is_picked(const struct rep_fetching *f, size_t run)
{
	return is_picked(f, run);
}

bool rep_fetch_is_profile(const struct rep_fetching *f, size_t run)
{
	return is_picked(f, run) && run >= f->first && (!f->end || run < f->end) &&
	       !strcmp(f->runs->run[run].row.kind, "profile");
}

bool rep_fetch_is_trace(const struct rep_fetching *f, size_t run)
{
	return is_picked(f, run) && !f->opt->profiles_only &&
	       !strcmp(f->runs->run[run].row.kind, "trace");
}

void rep_fetch_put_loads(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of)
{
	const char *comma = "";

	tp_buf_text(s, " WHERE load IN (");
	for (size_t i = 0; i < f->runs->n; i++) {
		if (!of(f, i))
			continue;
		tp_buf_printf(s, "%s%llu", comma, (unsigned long long)f->runs->run[i].load);
		comma = ",";
	}
	tp_buf_text(s, ")");
}

void rep_fetch_put_number(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			  const size_t *number)
{
	for (int list = 0; list < 2; list++) {
		const char *comma = "";

		tp_buf_text(s, list ? "], [" : "transform(load, [");
		for (size_t i = 0; i < f->runs->n; i++) {
			if (!of(f, i))
				continue;
			if (list)
				tp_buf_printf(s, "%s%zu", comma, number ? number[i] : i);
			else
				tp_buf_printf(s, "%s%llu", comma,
					      (unsigned long long)f->runs->run[i].load);
			comma = ",";
		}
	}
	tp_buf_text(s, "], toUInt32(4294967295))");
}

void rep_fetch_put_rows(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			enum rep_engine_table_id table)
{
	tp_buf_text(s, "SELECT ");
	rep_fetch_put_number(s, f, of, NULL);
	tp_buf_text(s, " AS number, ");
	rep_engine_put_columns(s, table, 3);
	rep_sql_put(s, f->at, " FROM @%s", rep_engine_name(table));
	rep_fetch_put_loads(s, f, of);
	/* Blocks need no order, and the engine would sort their bytes in memory. */
	if (table != REP_ENGINE_BLOCK)
		tp_buf_text(s, " ORDER BY number, row");
}
