#include "diff/show.h"

#include <stdio.h>
#include <string.h>

#include "diff/table.h"

char *rep_diff_advice(const struct rep_diff *d, char text[REP_DIFF_ADVICE_SIZE])
{
	text[0] = '\0';
	return d->few ? rep_stats_advice(d->nold, d->nnew, 1, d->opt.alpha, d->kind->rows, "", text)
		      : text;
}

int rep_diff_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		     struct rep_output *out, struct tp_err *err)
{
	char advice[REP_DIFF_ADVICE_SIZE], text[160];
	int code = d->kind->show->heading(d, show, out, err);

	if (*rep_diff_advice(d, advice))
		code = rep_output_note(out, true, advice, err);
	if (!code && d->differing) {
		snprintf(
		    text, sizeof(text),
		    "differs: in %zu %s all new runs lie beyond all old ones, and by more than the "
		    "windows of all runs do",
		    d->differing, d->kind->rows);
		code = rep_output_note(out, true, text, err);
	}
	if (!code && d->apart) {
		snprintf(text, sizeof(text),
			 "too few: in %zu %s all new runs lie beyond all old ones, which may be "
			 "chance",
			 d->apart, d->kind->rows);
		if (!d->opt.changed)
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "; %s shows them, too",
				 show->changed ? show->changed : "--changed");
		code = rep_output_note(out, true, text, err);
	}
	return code;
}

int rep_diff_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		  struct rep_output *out, struct tp_err *err)
{
	struct rep_diff_table t;
	int code;

	rep_diff_table_init(&t, d, show, out);
	code = d->kind->show->tables(&t, err);
	rep_diff_table_release(&t);
	return code;
}

/* ---- gates ---- */

#define LISTED 20

/* One line of the gate says which function is the worst; here are all of them. */
static int list_exceeded(const struct rep_gate *gate, const struct rep_gate_result *r,
			 struct rep_output *out, struct tp_err *err)
{
	const char *at = r->each.data ? (char *)r->each.data : "";
	char text[640];
	int code;

	rep_output_note(out, false, "", err);
	snprintf(text, sizeof(text), "exceeding %.400s:", gate->text);
	code = rep_output_note(out, true, text, err);
	for (size_t i = 0; i < r->exceeded && i < LISTED && *at; i++) {
		size_t n = strcspn(at, "\n");

		snprintf(text, sizeof(text), "%.*s", n < 600 ? (int)n : 600, at);
		at += n + (at[n] == '\n');
		code = rep_output_note(out, false, text, err);
	}
	if (r->exceeded > LISTED) {
		snprintf(text, sizeof(text), "and %zu more, which --format=json names",
			 r->exceeded - LISTED);
		code = rep_output_note(out, false, text, err);
	}
	return code;
}

int rep_gate_rows(const struct rep_gate *gate, const struct rep_gate_result *result, size_t n,
		  struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column of_gates[] = {
	    {.name = "outcome",
	     .doc = "passed, exceeded or undecided",
	     .title = "OUTCOME",
	     .kind = REP_TEXT},
	    {.name = "gate", .doc = "as it was given", .title = "GATE", .kind = REP_TEXT},
	    {.name = "fails", .doc = "the gate fails", .kind = REP_BOOL, .raw_only = true},
	    {.name = "tested",
	     .doc = "rows it was applied to",
	     .kind = REP_COUNT,
	     .raw_only = true},
	    {.name = "exceeded",
	     .doc = "rows beyond its limit",
	     .kind = REP_COUNT,
	     .raw_only = true},
	    {.name = "old",
	     .doc = "old value of the row that decided it",
	     .kind = REP_FLOAT,
	     .raw_only = true},
	    {.name = "new", .doc = "new value of that row", .kind = REP_FLOAT, .raw_only = true},
	    {.name = "change", .doc = "change of that row", .kind = REP_SHARE, .raw_only = true},
	    {.name = "p",
	     .doc = "p of that row",
	     .kind = REP_FLOAT,
	     .raw_only = true},
	    {.name = "why",
	     .doc = "what decided it, in a sentence",
	     .title = "WHY",
	     .kind = REP_TEXT},
	    {.name = "note", .doc = "a remark, or empty", .kind = REP_TEXT, .raw_only = true},
	    {.name = "exceeding",
	     .doc = "names of the rows beyond its limit, a line each",
	     .kind = REP_TEXT,
	     .raw_only = true},
	};
	int code;

	rep_output_begin(out, "gates", of_gates, 12, err);
	for (size_t i = 0; i < n; i++) {
		const struct rep_gate_result *r = &result[i];
		struct rep_value row[] = {
		    rep_str(rep_outcomes[r->outcome]),
		    rep_str(gate[i].text),
		    rep_int(r->fails),
		    rep_int((int64_t)r->tested),
		    rep_int((int64_t)r->exceeded),
		    r->old,
		    r->new,
		    rep_diff_number(r->change),
		    rep_diff_number(r->p),
		    rep_str((char *)r->why.data),
		    rep_str((char *)r->note.data),
		    rep_str(r->names.data ? (char *)r->names.data : ""),
		};

		rep_output_row(out, row, err);
	}
	code = rep_output_end(out, err);
	for (size_t i = 0; rep_output_for_people(out) && i < n; i++)
		if (result[i].exceeded > 1 && result[i].each.size > 1)
			code = list_exceeded(&gate[i], &result[i], out, err);
	return code;
}
