/* Diffs of profiles as tables. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff/profiles.h"
#include "diff/table.h"

static const struct rep_diff_column columns[] = {
    REP_DIFF_PEOPLE(OLD_TEXT, ALL, "OLD", "flat_old", 4),
    REP_DIFF_PEOPLE(OLD_RANGE, SETS, "\xc2\xb1", "old_low", 5),
    REP_DIFF_PEOPLE(NEW_TEXT, ALL, "NEW", "flat_new", 4),
    REP_DIFF_PEOPLE(NEW_RANGE, SETS, "\xc2\xb1", "new_low", 5),
    REP_DIFF_PEOPLE(DELTA_TEXT, ALL, "DELTA", "flat_delta", 0),
    REP_DIFF_PEOPLE(CHANGE_TEXT, ALL, "CHANGE", "flat_change", 0),
    REP_DIFF_PEOPLE(SHARE_TEXT, PAIRS, "SHARE", "flat_share", 2),
    REP_DIFF_PEOPLE(OTHER, PAIRS, "CUM DELTA", "cum_delta", 3),
    REP_DIFF_PEOPLE(Q_TEXT, SETS, "Q", "q", 3),
    {REP_CELL_VERDICT,
     REP_OF_SETS,
     {.name = "VERDICT", .kind = REP_TEXT, .table_only = true, .least = 9}},
    REP_DIFF_RAW(STATUS, ALL, "status", REP_TEXT),
    REP_DIFF_RAW(NAMES, ALL, "names", REP_COUNT),
    REP_DIFF_RAW(FLAT_OLD, ALL, "flat_old", REP_COUNT),
    REP_DIFF_RAW(FLAT_NEW, ALL, "flat_new", REP_COUNT),
    REP_DIFF_RAW(FLAT_DELTA, ALL, "flat_delta", REP_COUNT),
    REP_DIFF_RAW(FLAT_CHANGE, ALL, "flat_change", REP_SHARE),
    REP_DIFF_RAW(FLAT_SHARE, ALL, "flat_share", REP_SHARE),
    REP_DIFF_RAW(CUM_OLD, ALL, "cum_old", REP_COUNT),
    REP_DIFF_RAW(CUM_NEW, ALL, "cum_new", REP_COUNT),
    REP_DIFF_RAW(CUM_DELTA, ALL, "cum_delta", REP_COUNT),
    REP_DIFF_RAW(CUM_CHANGE, ALL, "cum_change", REP_SHARE),
    REP_DIFF_RAW(CUM_SHARE, ALL, "cum_share", REP_SHARE),
    REP_DIFF_RAW(N_OLD, SETS, "n_old", REP_COUNT),
    REP_DIFF_RAW(N_NEW, SETS, "n_new", REP_COUNT),
    REP_DIFF_RAW(OLD_LOW, SETS, "old_low", REP_COUNT),
    REP_DIFF_RAW(OLD_HIGH, SETS, "old_high", REP_COUNT),
    REP_DIFF_RAW(NEW_LOW, SETS, "new_low", REP_COUNT),
    REP_DIFF_RAW(NEW_HIGH, SETS, "new_high", REP_COUNT),
    REP_DIFF_RAW(DELTA_LOW, SETS, "delta_low", REP_COUNT),
    REP_DIFF_RAW(DELTA_HIGH, SETS, "delta_high", REP_COUNT),
    REP_DIFF_RAW(U, SETS, "u", REP_FLOAT),
    REP_DIFF_RAW(P, SETS, "p", REP_FLOAT),
    REP_DIFF_RAW(Q, SETS, "q", REP_FLOAT),
    REP_DIFF_RAW(VERDICT, SETS, "verdict", REP_TEXT),
    {REP_CELL_SHOWN_NAME,
     REP_OF_ALL,
     {.name = "name_shown",
      .kind = REP_TEXT,
      .shorten = REP_SHORTEN_FUNCTION,
      .least = 20,
      .table_only = true}},
    {REP_CELL_NAME, REP_OF_ALL, {.kind = REP_TEXT, .raw_only = true}},
};

/* The number that a text shows of cum, where it is not that of flat. */
static const char *cum_number(enum rep_diff_cell cell)
{
	switch (cell) {
	case REP_CELL_OLD_TEXT:
		return "cum_old";
	case REP_CELL_NEW_TEXT:
		return "cum_new";
	case REP_CELL_DELTA_TEXT:
		return "cum_delta";
	case REP_CELL_CHANGE_TEXT:
		return "cum_change";
	case REP_CELL_SHARE_TEXT:
		return "cum_share";
	case REP_CELL_OTHER:
		return "flat_delta";
	default:
		return NULL;
	}
}

/* Columns as the options want them. */
static void settle_columns(struct rep_diff_table *t)
{
	enum rep_diff_by by = t->d->opt.keys.by;
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++) {
		struct rep_column *c = &t->column[n];
		enum rep_diff_cell cell = t->cell[i];

		/* A whole stack's flat value is its cum value, too. */
		if (cell == REP_CELL_OTHER && by == REP_BY_STACK)
			continue;
		*c = t->column[i];
		t->cell[n++] = cell;
		if (t->d->opt.cum && cum_number(cell))
			c->by = cum_number(cell);
		if (cell == REP_CELL_OTHER && t->d->opt.cum)
			c->title = "FLAT DELTA";
		if (cell != REP_CELL_NAME && cell != REP_CELL_SHOWN_NAME)
			continue;
		if (cell == REP_CELL_NAME)
			c->name = rep_diff_by[by].name;
		c->title = rep_diff_by[by].title;
		if (by == REP_BY_FILE || by == REP_BY_LABEL)
			c->shorten = REP_SHORTEN_LEFT;
		/* The ends of many are alike. */
		if (cell == REP_CELL_SHOWN_NAME && by == REP_BY_STACK)
			c->least = 32;
	}
	t->ncolumns = n;
}

/* ---- heading ---- */

static void unit_text(const struct rep_diff *d, char text[80])
{
	if (!strcmp(d->unit, "count") || !d->unit[0])
		text[0] = '\0';
	else
		snprintf(text, 80, " in %s", d->unit);
}

int rep_profiles_heading(const struct rep_diff *d, const struct rep_diff_show *show,
			 struct rep_output *out, struct tp_err *err)
{
	char text[1024], amount[REP_AMOUNT_SIZE], unit[80];
	int code;

	unit_text(d, unit);
	snprintf(text, sizeof(text), "%s, then %s: %s%s%s", show->old, show->new,
		 d->opt.mean ? "mean " : "", d->type, unit);
	code = rep_output_note(out, true, text, err);
	if (d->sets)
		snprintf(
		    text, sizeof(text),
		    "%s; medians of %zu and %zu runs; changed: Q at most %g, tests of %zu rows",
		    d->opt.cum ? "cum" : "flat", d->nold, d->nnew, d->opt.alpha, d->tests);
	else
		snprintf(text, sizeof(text), "%s%s; shares are of %s%s",
			 d->opt.cum ? "cum" : "flat",
			 d->opt.normalize ? ", new values scaled to the old total" : "",
			 rep_amount(amount, d->base, d->unit, show->unit),
			 d->opt.base	? ", the sum of all changes"
			 : d->base_both ? ", both totals"
					: ", the old total");
	if (!code)
		code = rep_output_note(out, false, text, err);
	return code || !*d->zero ? code : rep_output_note(out, true, d->zero, err);
}

/* ---- rows ---- */

static int64_t divided(const struct rep_diff_show *show, int64_t v)
{
	double d;

	if (show->divide_by == 0 || show->divide_by == 1)
		return v;
	d = (double)v / show->divide_by;
	return fabs(d) < 9e18 ? (int64_t)d : v;
}

/* How far the interval goes from the median, in percent: the farther end. */
static void put_range(char text[REP_AMOUNT_SIZE], const struct rep_diff_range *r, double median)
{
	double far, percent;

	if (!r->known) {
		snprintf(text, REP_AMOUNT_SIZE, "\xe2\x88\x9e");
		return;
	}
	far = fmax(r->high - median, median - r->low);
	percent = far == 0 ? 0 : far / fabs(median) * 100;
	if (!isfinite(percent) || percent >= 999.5)
		snprintf(text, REP_AMOUNT_SIZE, ">999%%");
	else
		snprintf(text, REP_AMOUNT_SIZE, percent < 9.95 && percent > 0 ? "%.1f%%" : "%.0f%%",
			 percent);
}

static double share(const struct rep_diff *d, int64_t delta)
{
	return d->base ? (double)delta / (double)d->base : 0;
}

void rep_profiles_texts(const struct rep_diff *d, const struct rep_diff_show *show,
			const struct rep_diff_row *row, struct rep_diff_texts *t)
{
	struct rep_diff_pair v = rep_diff_main(d, row);
	int64_t delta = rep_diff_delta(v),
		other = rep_diff_delta(d->opt.cum ? row->flat : row->cum);
	double percent = rep_diff_percent(v);

	rep_amount(t->old, divided(show, v.old), d->unit, show->unit);
	rep_amount(t->new, divided(show, v.new), d->unit, show->unit);
	rep_amount_signed(t->delta, divided(show, delta), d->unit, show->unit);
	rep_amount_signed(t->other, divided(show, other), d->unit, show->unit);
	if (delta && row->status == REP_STATUS_GONE)
		snprintf(t->change, sizeof(t->change), "gone");
	else if (delta && row->status == REP_STATUS_ADDED)
		snprintf(t->change, sizeof(t->change), "new");
	else if (delta && !v.old)
		snprintf(t->change, sizeof(t->change), "%s\xe2\x88\x9e", delta > 0 ? "+" : "-");
	else
		rep_amount_percent(t->change, delta ? percent : 0);
	rep_amount_percent(t->share, share(d, delta) * 100);
	put_range(t->old_range, &row->of_old, row->old);
	put_range(t->new_range, &row->of_new, row->new);
}

static struct rep_value change(struct rep_diff_pair p)
{
	return p.old ? rep_float(rep_diff_percent(p) / 100) : rep_null();
}

void rep_profiles_cells(const struct rep_diff *d, const struct rep_diff_row *row,
			struct rep_value *v)
{
	v[REP_CELL_FLAT_OLD] = rep_int(row->flat.old);
	v[REP_CELL_FLAT_NEW] = rep_int(row->flat.new);
	v[REP_CELL_FLAT_DELTA] = rep_int(rep_diff_delta(row->flat));
	v[REP_CELL_FLAT_CHANGE] = change(row->flat);
	v[REP_CELL_FLAT_SHARE] = rep_float(share(d, rep_diff_delta(row->flat)));
	v[REP_CELL_CUM_OLD] = rep_int(row->cum.old);
	v[REP_CELL_CUM_NEW] = rep_int(row->cum.new);
	v[REP_CELL_CUM_DELTA] = rep_int(rep_diff_delta(row->cum));
	v[REP_CELL_CUM_CHANGE] = change(row->cum);
	v[REP_CELL_CUM_SHARE] = rep_float(share(d, rep_diff_delta(row->cum)));
	v[REP_CELL_U] = rep_float(row->u);
}

static bool same(struct rep_diff_pair p)
{
	return p.old == p.new;
}

/* Of two runs: is every row the same, and are there any? */
static bool nothing_changed(const struct rep_diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (!same(d->row[i].flat) || !same(d->row[i].cum))
			return false;
	return d->n && !d->sets && same(d->total.flat) && same(d->total.cum);
}

/* What looks alike under CHANGE, explained where both are seen. */
static int explain(const struct rep_diff *d, size_t rows, struct rep_output *out,
		   struct tp_err *err)
{
	bool absent = false, empty = false;

	for (size_t i = 0; i < rows; i++) {
		struct rep_diff_pair v = rep_diff_main(d, &d->row[i]);
		bool one =
		    d->row[i].status == REP_STATUS_GONE || d->row[i].status == REP_STATUS_ADDED;

		absent |= one && !same(v);
		empty |= !one && !same(v) && (!v.old || !v.new);
	}
	return absent && empty
		   ? rep_output_note(
			 out, false,
			 "new, gone: on one side only; +\xe2\x88\x9e, -100.0%: on both, "
			 "with none of its own on one",
			 err)
		   : 0;
}

int rep_profiles_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		      struct rep_output *out, struct tp_err *err)
{
	struct rep_diff_table t;
	size_t rows = show->rows && d->n > show->rows ? show->rows : d->n;
	bool unchanged;
	char more[80];
	int code = rep_output_note(out, false, "", err);

	rep_diff_table_init(&t, d, show, out, columns, sizeof(columns) / sizeof(columns[0]));
	settle_columns(&t);
	/* Zeros are no news, unless all rows were asked for. */
	unchanged = t.people && show->rows && nothing_changed(d);
	if (unchanged)
		rows = 0;
	if (!code)
		code = rep_diff_table_begin(&t, "diff", err);
	for (size_t i = 0; !code && i <= rows; i++)
		code = rep_diff_table_row(&t, i ? &d->row[i - 1] : &d->total, err);
	rep_diff_table_release(&t);
	if (!code)
		code = rep_output_end(out, err);
	if (!code && rows < d->n) {
		snprintf(more, sizeof(more),
			 unchanged ? "nothing changed; -n 0 shows the %zu rows that are the same"
				   : "%zu more; -n 0 shows all",
			 d->n - rows);
		code = rep_output_note(out, false, more, err);
	}
	return code || !t.people ? code : explain(d, rows, out, err);
}
