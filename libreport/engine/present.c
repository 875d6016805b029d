/* What the engine has of runs already, and whether it is what the store has: loads are not changed,
 * so a run of which something is other, or missing, is loaded anew (load.c). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "engine/binary.h"
#include "engine/inside.h"

#define ASK_AT_ONCE 4000

struct asking {
	const struct rep_runs *runs; /* some of them */
	struct rep_present *at;	     /* by run */
	struct rep_present **by_load;
	size_t n; /* of by_load: those that are there */
};

static bool is_text(const char *text, struct tp_slice s)
{
	size_t n = strlen(text);

	return n == s.size && !memcmp(text, s.data, n);
}

/* ---- runs ---- */

/* Of several loads of a run the least counts. */
static void take(struct rep_present *p, const struct rep_run *run, uint64_t load,
		 struct tp_slice name)
{
	if (p->there && load > p->load)
		return;
	p->there = true;
	p->load = load;
	p->other = !is_text(run->row.name, name);
}

static int on_run(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct asking *a = ctx;
	uint64_t load = rep_row_get(c, 8);
	struct tp_slice hash = rep_row_get_text(c), name = rep_row_get_text(c);

	(void)err;
	for (size_t i = 0; !c->failed && i < a->runs->n; i++) {
		const struct rep_run *run = &a->runs->run[i];

		if (is_text(run->row.hash, hash))
			take(&a->at[i], run, load, name);
	}
	return 0;
}

static int ask_runs(const struct rep_engine_link *link, const struct rep_engine_place *at,
		    struct asking *a, struct tp_err *err)
{
	struct rep_sql s = {0};

	rep_sql_put(&s, "SELECT load, run, name FROM ");
	rep_engine_put_table(&s, at, REP_ENGINE_RUN, false);
	rep_sql_put(&s, " WHERE run IN (");
	for (size_t i = 0; i < a->runs->n; i++) {
		const struct rep_run *run = &a->runs->run[i];

		rep_sql_put(&s, "%s", i ? "," : "");
		rep_sql_string(&s, run->row.hash, strlen(run->row.hash));
	}
	rep_sql_put(&s, ") FORMAT RowBinary");
	return rep_engine_ask(link, &s, on_run, a, err);
}

/* ---- what belongs to loads ---- */

static int by_load(const void *a, const void *b)
{
	const struct rep_present *x = *(struct rep_present *const *)a;
	const struct rep_present *y = *(struct rep_present *const *)b;

	return x->load < y->load ? -1 : x->load > y->load;
}

static struct rep_present *find(const struct asking *a, uint64_t load)
{
	struct rep_present key = {.load = load}, *at = &key, **found;

	found = a->n ? bsearch(&at, a->by_load, a->n, sizeof(struct rep_present *), by_load) : NULL;
	return found ? *found : NULL;
}

static bool has_label(const struct rep_run *run, struct tp_slice key, struct tp_slice value)
{
	for (size_t i = 0; i < run->nlabels; i++) {
		const char *label = run->labels[i];

		if (strlen(label) == key.size + 1 + value.size &&
		    !memcmp(label, key.data, key.size) && label[key.size] == '=' &&
		    !memcmp(label + key.size + 1, value.data, value.size))
			return true;
	}
	return false;
}

static int on_label(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct asking *a = ctx;
	struct rep_present *p = find(a, rep_row_get(c, 8));
	struct tp_slice key = rep_row_get_text(c), value = rep_row_get_text(c);

	(void)err;
	if (c->failed || !p)
		return 0;
	p->nlabels++;
	p->other |= !has_label(&a->runs->run[p - a->at], key, value);
	return 0;
}

static int on_span(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_present *p = find(ctx, rep_row_get(c, 8));

	(void)err;
	if (!c->failed && p)
		p->spans = true;
	return 0;
}

/* Of the runs for which `of` says so; nothing is asked where there are none. */
static int ask_loads(const struct rep_engine_link *link, const struct rep_engine_place *at,
		     struct asking *a, enum rep_engine_table_id table,
		     bool (*of)(const struct rep_run *run), struct tp_err *err)
{
	struct rep_sql s = {0};
	size_t n = 0;

	rep_sql_put(&s, "SELECT load%s FROM ", table == REP_ENGINE_LABEL ? ", key, value" : "");
	rep_engine_put_table(&s, at, table, false);
	rep_sql_put(&s, " WHERE load IN (");
	for (size_t i = 0; i < a->n; i++)
		if (of(&a->runs->run[a->by_load[i] - a->at]))
			rep_sql_put(&s, "%s%llu", n++ ? "," : "",
				    (unsigned long long)a->by_load[i]->load);
	/* Of its own rows one is enough. */
	rep_sql_put(&s, ")%s FORMAT RowBinary", table == REP_ENGINE_LABEL ? "" : " AND row = 0");
	if (n)
		return rep_engine_ask(link, &s, table == REP_ENGINE_LABEL ? on_label : on_span, a,
				      err);
	rep_sql_release(&s);
	return 0;
}

static bool any(const struct rep_run *run)
{
	(void)run;
	return true;
}

static bool is_trace(const struct rep_run *run)
{
	return run->row.kind[0] == 't';
}

/* ---- all of it ---- */

static int look(const struct rep_engine_link *link, const struct rep_engine_place *at,
		struct asking *a, struct tp_err *err)
{
	int code = ask_runs(link, at, a, err);

	for (size_t i = 0; i < a->runs->n && !code; i++)
		if (a->at[i].there)
			a->by_load[a->n++] = &a->at[i];
	if (a->n)
		qsort(a->by_load, a->n, sizeof(struct rep_present *), by_load);
	if (!code)
		code = ask_loads(link, at, a, REP_ENGINE_LABEL, any, err);
	if (!code)
		code = ask_loads(link, at, a, REP_ENGINE_SPAN, is_trace, err);
	for (size_t i = 0; i < a->n && !code; i++) {
		struct rep_present *p = a->by_load[i];
		const struct rep_run *run = &a->runs->run[p - a->at];

		p->other |= p->nlabels != run->nlabels;
	}
	return code;
}

int rep_engine_find_present(const struct rep_engine_link *link, const struct rep_engine_place *at,
			    const struct rep_runs *runs, struct rep_present *present,
			    struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < runs->n && !code; i += ASK_AT_ONCE) {
		const struct rep_runs some = {.run = runs->run + i,
					      .n = runs->n - i < ASK_AT_ONCE ? runs->n - i
									     : ASK_AT_ONCE};
		struct asking a = {.runs = &some,
				   .at = present + i,
				   .by_load = tp_many(some.n, sizeof(struct rep_present *))};

		code = a.by_load ? look(link, at, &a, err) : rep_engine_no_memory(err);
		free(a.by_load);
	}
	return code;
}
