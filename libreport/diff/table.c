#include "diff/table.h"

#include <stdio.h>
#include <string.h>

#include "base/many.h"
#include "output/ops.h"

void rep_diff_table_init(struct rep_diff_table *t, const struct rep_diff *d,
			 const struct rep_diff_show *show, struct rep_output *out)
{
	memset(t, 0, sizeof(*t));
	t->d = d;
	t->show = show;
	t->out = out;
	t->people = rep_output_for_people(out);
	t->texts = t->people || out->opt.json_head;
}

void rep_diff_table_release(struct rep_diff_table *t)
{
	rep_positions_release(&t->positions);
	tp_buf_release(&t->name);
	tp_buf_release(&t->shown);
}

/* ---- cells ---- */

/* What columns hold. */
static const struct {
	const char *name, *doc;
} docs[] = {
    {"function", "the function, with names of two builds made equal"},
    {"line",
     "first line of the function, or the lowest known, or null; with --by=line the function "
     "and its line"},
    {"file", "file of the function, or null; with --by=file the source file"},
    {"stack", "the whole stack, root first"},
    {"label", "the label and its value"},
    {"status", "same, changed, added, gone, or total"},
    {"names", "names that the row stands for"},
    {"flat_old", "flat value of the old side; of sets the median"},
    {"flat_new", "flat value of the new side"},
    {"flat_delta", "new minus old"},
    {"flat_change", "flat_delta as a share of flat_old; null if that is 0"},
    {"flat_share", "flat_delta as a share of the old total"},
    {"cum_old", "cum value of the old side"},
    {"cum_new", "cum value of the new side"},
    {"cum_delta", "new minus old"},
    {"cum_change", "cum_delta as a share of cum_old; null if that is 0"},
    {"cum_share", "cum_delta as a share of the old total"},
    {"old_low", "lower end of the interval of the old median"},
    {"old_high", "upper end of it"},
    {"new_low", "lower end of the interval of the new median"},
    {"new_high", "upper end of it"},
    {"delta_low", "lower end of the interval of the difference"},
    {"delta_high", "upper end of it"},
    {"n_old", "runs of the old side"},
    {"n_new", "runs of the new side"},
    {"u", "the statistic of Mann and Whitney, of large sets"},
    {"p", "chance of a difference as large without a change"},
    {"q", "the same with regard to all rows"},
    {"verdict", "of sets: changed, no change, too few, differs; of one run a side: differs, "
		"alike, noise, too few; or empty"},
    {"noise", "what two recordings of one program differ by"},
    {"metric", "the metric's whole name"},
    {"section", "the part of the report it stands in"},
    {"family", "what is measured: task, block"},
    {"by", "what it is measured for: all, or a kind of name"},
    {"name", "that name"},
    {"stat", "count, total, mean, a percentile, max, rate or share"},
    {"unit", "of its values"},
    {"per", "what it is divided by; empty: nothing"},
    {"exact", "it does not come from histograms"},
    {"old", "value of the old side; of sets the median"},
    {"new", "value of the new side"},
    {"delta", "new minus old"},
    {"change", "delta as a share of old; null if that is 0"},
    /* Texts of tables, with --json-head. */
    {"OLD", "old value with its unit, with --json-head"},
    {"NEW", "new value with its unit, with --json-head"},
    {"DELTA", "new minus old with its unit, with --json-head"},
    {"CHANGE", "change in percent, new or gone, with --json-head"},
    {"SHARE", "share in percent, with --json-head"},
    {"CUM DELTA", "of cum: new minus old, with --json-head"},
    {"FLAT DELTA", "of flat: new minus old, with --json-head"},
    {"\xc2\xb1", "how far the interval goes from the median, with --json-head"},
    {"95%", "interval of the change in percent, with --json-head"},
    {"Q", "q with four digits, with --json-head"},
    {"VERDICT", "the verdict, with --json-head"},
    {"name_shown", "the name, and how many names it stands for, with --json-head"},
    {"old_events", "events it is made of, on the old side"},
    {"new_events", "events it is made of, on the new side"},
};

static const char *doc_of(const char *name)
{
	for (size_t i = 0; i < TP_COUNT_OF(docs); i++)
		if (!strcmp(docs[i].name, name))
			return docs[i].doc;
	return NULL;
}

void rep_diff_cell(struct rep_diff_table *t, struct rep_column column, struct rep_value value)
{
	/* The output has borrowed the columns, so each row leaves them their descriptions. */
	column.doc = t->column[t->n].doc;
	t->column[t->n] = column;
	t->value[t->n++] = value;
}

void rep_diff_text_cell(struct rep_diff_table *t, const char *title, const char *by, uint8_t drop,
			const char *text)
{
	rep_diff_cell(t,
		      (struct rep_column){.name = title,
					  .title = title,
					  .by = by,
					  .kind = REP_TEXT,
					  .right = true,
					  .table_only = true,
					  .drop = drop},
		      rep_str(text));
}

/* What is within the noise has no tone. Two profiles without an estimate of noise have no verdicts. */
static enum rep_tone tone(const struct rep_diff *d, const struct rep_diff_row *row)
{
	bool changed =
	    row->verdict == REP_VERDICT_CHANGED || row->verdict == REP_VERDICT_DIFFERS ||
	    (row->verdict == REP_VERDICT_NONE && d->kind->whole && !d->sets && !d->noise);

	return !changed		     ? REP_TONE_NORMAL
	       : row->new > row->old ? REP_TONE_MORE
	       : row->new < row->old ? REP_TONE_LESS
				     : REP_TONE_NORMAL;
}

void rep_diff_delta_cells(struct rep_diff_table *t, const struct rep_diff_row *row,
			  const char *delta, const char *change, uint8_t drop)
{
	rep_diff_text_cell(t, "DELTA", delta, drop, t->delta);
	rep_diff_text_cell(t, "CHANGE", change, 0, t->change);
	t->value[t->n - 2].tone = t->value[t->n - 1].tone = tone(t->d, row);
}

void rep_diff_raw_cell(struct rep_diff_table *t, const char *name, enum rep_kind kind,
		       struct rep_value value)
{
	rep_diff_cell(t, (struct rep_column){.name = name, .kind = kind, .raw_only = true}, value);
}

void rep_diff_verdict_cell(struct rep_diff_table *t, const struct rep_diff_row *row, uint8_t least)
{
	rep_diff_cell(t,
		      (struct rep_column){
			  .name = "VERDICT", .kind = REP_TEXT, .table_only = true, .least = least},
		      rep_str(rep_diff_verdict(t->d, row->verdict)));
}

static void put_ends(struct rep_diff_table *t, const char *low, const char *high,
		     const struct rep_range *r)
{
	const double ends[] = {r->low, r->high}; /* where values are whole, they fit 64 bits */

	for (int i = 0; i < 2; i++)
		rep_diff_raw_cell(t, i ? high : low, t->d->kind->whole ? REP_COUNT : REP_FLOAT,
				  !r->known	      ? rep_null()
				  : t->d->kind->whole ? rep_int((int64_t)ends[i])
						      : rep_diff_number(ends[i]));
}

void rep_diff_range_cells(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	put_ends(t, "old_low", "old_high", &row->of_old);
	put_ends(t, "new_low", "new_high", &row->of_new);
	put_ends(t, "delta_low", "delta_high", &row->of_delta);
}

void rep_diff_run_cells(struct rep_diff_table *t)
{
	rep_diff_raw_cell(t, "n_old", REP_COUNT, rep_int((int64_t)t->d->nold));
	rep_diff_raw_cell(t, "n_new", REP_COUNT, rep_int((int64_t)t->d->nnew));
}

/* p or q as it is shown. */
static double shown_p(const struct rep_diff *d, double p)
{
	return d->kind->whole && isnan(p) ? 1 : p;
}

void rep_diff_test_cells(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	rep_diff_raw_cell(t, "p", REP_FLOAT, rep_diff_number(shown_p(t->d, row->p)));
	rep_diff_raw_cell(t, "q", REP_FLOAT, rep_diff_number(shown_p(t->d, row->q)));
	rep_diff_raw_cell(t, "verdict", REP_TEXT, rep_str(rep_diff_verdict(t->d, row->verdict)));
}

/* ---- rows ---- */

/* The name, and what people read: one that stands for several says so. */
static int put_name(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	int code;

	t->name.size = t->shown.size = 0;
	code = rep_diff_name(t->d, row, &t->name, &t->names);
	tp_buf_put(&t->shown, t->name.data, t->name.size);
	if (t->names > 1)
		tp_buf_printf(&t->shown, " (%zu names)", t->names);
	return code ? code : tp_buf_text(&t->shown, "");
}

static void put_texts(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	double delta = row->new - row->old, q = shown_p(t->d, row->q);
	char plain[REP_DIFF_VALUE];

	rep_diff_value(t->d, row, row->old, t->old);
	rep_diff_value(t->d, row, row->new, t->new);
	rep_diff_value(t->d, row, delta, plain);
	snprintf(t->delta, sizeof(t->delta), "%s%s", delta > 0 ? "+" : "", plain);
	if (delta != 0 && (row->status == REP_STATUS_ADDED || row->status == REP_STATUS_GONE))
		snprintf(t->change, sizeof(t->change),
			 row->status == REP_STATUS_ADDED ? "new" : "gone");
	else if (isnan(row->change) && delta != 0)
		snprintf(t->change, sizeof(t->change), "%s",
			 delta > 0   ? "+\xe2\x88\x9e"
			 : delta < 0 ? "-\xe2\x88\x9e"
				     : "");
	else
		rep_amount_percent(t->change, delta == 0 ? 0 : row->change * 100);
	if (isnan(q))
		t->q[0] = '\0';
	else
		snprintf(t->q, sizeof(t->q), q < 0.0001 ? "<.0001" : "%.4f", q);
}

int rep_diff_table_begin(struct rep_diff_table *t, const char *name, struct tp_err *err)
{
	const struct rep_diff_row none = {.name = ""};

	t->n = 0;
	t->d->kind->show->row(t, &none);
	for (size_t i = 0; i < t->n; i++)
		t->column[i].doc = doc_of(t->column[i].name);
	return rep_output_begin(t->out, name, t->column, t->n, err);
}

int rep_diff_table_row(struct rep_diff_table *t, const struct rep_diff_row *row, struct tp_err *err)
{
	if (put_name(t, row))
		return tp_nomem(err);
	if (t->texts)
		put_texts(t, row);
	t->n = 0;
	t->d->kind->show->row(t, row);
	return rep_output_row(t->out, t->value, err);
}
