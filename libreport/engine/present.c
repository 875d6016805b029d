/* Finds the runs that the engine already has and compares them with the store. Loads never change,
 * so a run that differs or lacks spans is loaded anew (load.c). */
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"

#define ASK_AT_ONCE 4000

struct asking {
	const struct rep_runs *runs; /* some of them */
	struct rep_present *at;	     /* by run */
};

/* Reads an array of labels from the cursor. Returns whether they are those of the run. */
static bool same_labels(struct tp_cursor *c, const struct rep_run *run)
{
	size_t n = rep_row_get_count(c, 1);
	bool same = n == run->nlabels;

	for (size_t i = 0; i < n && !c->failed; i++) {
		struct tp_slice label = rep_row_get_text(c);

		same = same && rep_row_text_is(label, run->labels[i]);
	}
	return same;
}

static int on_run(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	static const struct rep_run none;
	struct asking *a = ctx;
	struct rep_present p = {.there = true, .load = rep_row_get(c, 8)}, *had;
	struct tp_slice hash = rep_row_get_text(c), name = rep_row_get_text(c);
	const struct rep_run *run = NULL;

	(void)err;
	for (size_t i = 0; !run && i < a->runs->n; i++)
		if (rep_row_text_is(hash, a->runs->run[i].row.hash))
			run = &a->runs->run[i];
	p.other =
	    !same_labels(c, run ? run : &none) || (run && !rep_row_text_is(name, run->row.name));
	p.spans = rep_row_get(c, 1) != 0;
	if (c->failed || !run)
		return 0;
	had = &a->at[run - a->runs->run];
	/* Of several loads of a run the smallest counts. */
	if (!had->there || p.load < had->load)
		*had = p;
	return 0;
}

static int ask(const struct rep_engine_link *link, const struct rep_engine_place *at,
	       struct asking *a, struct tp_err *err)
{
	struct tp_buf s = {0};

	rep_sql_put(&s, at, "SELECT load, run, name, labels, has_spans FROM @run WHERE run IN (");
	for (size_t i = 0; i < a->runs->n; i++) {
		const struct rep_run *run = &a->runs->run[i];

		tp_buf_text(&s, i ? "," : "");
		rep_sql_string(&s, run->row.hash, strlen(run->row.hash));
	}
	tp_buf_text(&s, ")");
	return rep_engine_ask(link, &s, on_run, a, err);
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
		struct asking a = {.runs = &some, .at = present + i};

		code = ask(link, at, &a, err);
	}
	return code;
}
