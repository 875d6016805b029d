/* What a diff of profiles shows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff/table.h"
#include "profile/noise.h"

static int put_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err)
{
	char text[1024], amount[REP_AMOUNT_SIZE];
	bool in = d->unit[0] && strcmp(d->unit, "count") != 0;
	int code;

	snprintf(text, sizeof(text), "%s, then %s: %s%s%s%s", show->old, show->new,
		 d->opt.mean ? "mean " : "", d->type, in ? " in " : "", in ? d->unit : "");
	rep_output_note(out, true, text, err);
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
	code = rep_output_note(out, false, text, err);
	if (d->load != 1) {
		snprintf(text, sizeof(text),
			 "the load differs: %.3g times the total, and most rows changed with it; "
			 "--normalize scales new values to the old total",
			 d->load);
		code = rep_output_note(out, true, text, err);
	}
	return *d->zero ? rep_output_note(out, true, d->zero, err) : code;
}

/* ---- rows ---- */

#define MOST 9e18 /* of a number that is shown */

static int64_t divided(const struct rep_diff_show *show, int64_t v)
{
	double d;

	if (show->divide_by == 0 || show->divide_by == 1)
		return v;
	d = (double)v / show->divide_by;
	return fabs(d) < MOST ? (int64_t)d : v;
}

/* How far the interval goes from the median, in percent: the farther end. */
static void put_range(char text[REP_AMOUNT_SIZE], const struct rep_range *r, double median)
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

enum { OLD_RANGE, NEW_RANGE, SHARE, OTHER };

static bool is_noise(const struct rep_diff *d, const struct rep_diff_row *row)
{
	return d->noise && row->verdict == REP_VERDICT_SAME && row->old != row->new;
}

static void put_mark(char *text, size_t size)
{
	size_t n = strnlen(text, size - 2);

	memmove(text + 1, text, n);
	text[0] = '~';
	text[n + 1] = '\0';
}

/* Values are exact, in the unit that was asked for. */
static void put_texts(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	const struct rep_diff *d = t->d;
	struct rep_diff_pair v = rep_diff_main(d, row);
	struct rep_diff_pair other = d->opt.cum ? row->flat : row->cum;
	const char *unit = t->show->unit;

	rep_amount(t->old, divided(t->show, v.old), d->unit, unit);
	rep_amount(t->new, divided(t->show, v.new), d->unit, unit);
	rep_amount_signed(t->delta, divided(t->show, rep_diff_delta(v)), d->unit, unit);
	rep_amount_signed(t->more[OTHER], divided(t->show, rep_diff_delta(other)), d->unit, unit);
	rep_amount_percent(t->more[SHARE], share(d, rep_diff_delta(v)) * 100);
	put_range(t->more[OLD_RANGE], &row->of_old, row->old);
	put_range(t->more[NEW_RANGE], &row->of_new, row->new);
	if (is_noise(d, row)) {
		put_mark(t->delta, sizeof(t->delta));
		put_mark(t->change, sizeof(t->change));
	}
}

static void put_pair(struct rep_diff_table *t, const char *const names[5], struct rep_diff_pair p)
{
	int64_t delta = rep_diff_delta(p);

	rep_diff_raw_cell(t, names[0], REP_COUNT, rep_int(p.old));
	rep_diff_raw_cell(t, names[1], REP_COUNT, rep_int(p.new));
	rep_diff_raw_cell(t, names[2], REP_COUNT, rep_int(delta));
	rep_diff_raw_cell(t, names[3], REP_SHARE, rep_diff_number(rep_diff_percent(p) / 100));
	rep_diff_raw_cell(t, names[4], REP_SHARE, rep_float(share(t->d, delta)));
}

/* File and line of a function. */
static void put_position(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	const struct rep_position position =
	    row->key ? rep_position_of(&t->positions, rep_key_original(t->d->keys, row->key))
		     : (struct rep_position){.line = 0};

	rep_diff_raw_cell(t, "file", REP_TEXT, rep_position_file(&position));
	rep_diff_raw_cell(t, "line", REP_ID, rep_position_line(&position));
}

static void put_names(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	enum rep_diff_by by = t->d->opt.keys.by;
	struct rep_column c = {.title = rep_diff_by[by].title, .kind = REP_TEXT};
	bool left = by == REP_BY_FILE || by == REP_BY_LABEL;

	c.name = "name_shown";
	c.shorten = left ? REP_SHORTEN_LEFT : REP_SHORTEN_FUNCTION;
	/* The ends of many stacks are alike. */
	c.least = by == REP_BY_STACK ? 32 : 20;
	c.table_only = true;
	rep_diff_cell(t, c, rep_text((char *)t->shown.data, t->shown.size));
	if (by == REP_BY_FUNCTION)
		put_position(t, row);
	rep_diff_raw_cell(t, rep_diff_by[by].name, REP_TEXT,
			  rep_text((char *)t->name.data, t->name.size));
}

static void put_row(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	static const char *const flat[] = {"flat_old", "flat_new", "flat_delta", "flat_change",
					   "flat_share"};
	static const char *const cum[] = {"cum_old", "cum_new", "cum_delta", "cum_change",
					  "cum_share"};
	const struct rep_diff *d = t->d;
	const char *const *by = d->opt.cum ? cum : flat;

	if (t->texts)
		put_texts(t, row);
	rep_diff_text_cell(t, "OLD", by[0], 4, t->old);
	/* Few runs have no interval. */
	if (d->total.of_old.known)
		rep_diff_text_cell(t, "\xc2\xb1", "old_low", 5, t->more[OLD_RANGE]);
	rep_diff_text_cell(t, "NEW", by[1], 4, t->new);
	if (d->total.of_new.known)
		rep_diff_text_cell(t, "\xc2\xb1", "new_low", 5, t->more[NEW_RANGE]);
	rep_diff_delta_cells(t, row, by[2], by[3], 0);
	if (!d->sets)
		rep_diff_text_cell(t, "SHARE", by[4], 2, t->more[SHARE]);
	/* A whole stack's flat value is its cum value, too. */
	if (!d->sets && d->opt.keys.by != REP_BY_STACK)
		rep_diff_text_cell(t, d->opt.cum ? "FLAT DELTA" : "CUM DELTA",
				   d->opt.cum ? flat[2] : cum[2], 3, t->more[OTHER]);
	if (d->sets) {
		rep_diff_text_cell(t, "Q", "q", 3, t->q);
		rep_diff_verdict_cell(t, row, 9);
	}
	rep_diff_raw_cell(t, "status", REP_TEXT,
			  rep_str(row->is_total ? "total" : rep_statuses[row->status]));
	rep_diff_raw_cell(t, "names", REP_COUNT,
			  row->is_total ? rep_null() : rep_int((int64_t)t->names));
	rep_diff_raw_cell(t, "unit", REP_TEXT, rep_str(d->unit));
	put_pair(t, flat, row->flat);
	put_pair(t, cum, row->cum);
	if (d->sets) {
		rep_diff_run_cells(t);
		rep_diff_range_cells(t, row);
		rep_diff_raw_cell(t, "u", REP_FLOAT, rep_float(row->u));
		rep_diff_test_cells(t, row);
	}
	if (d->noise) {
		rep_diff_raw_cell(t, "noise", REP_COUNT, rep_int((int64_t)fmin(row->noise, MOST)));
		rep_diff_raw_cell(t, "verdict", REP_TEXT,
				  rep_str(rep_diff_verdict(d, row->verdict)));
	}
	put_names(t, row);
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
	bool absent = false, empty = false, noise = is_noise(d, &d->total);
	char text[120];

	for (size_t i = 0; i < rows; i++) {
		struct rep_diff_pair v = rep_diff_main(d, &d->row[i]);
		bool one =
		    d->row[i].status == REP_STATUS_GONE || d->row[i].status == REP_STATUS_ADDED;

		noise |= is_noise(d, &d->row[i]);
		absent |= one && !same(v);
		empty |= !one && !same(v) && (!v.old || !v.new);
	}
	snprintf(text, sizeof(text), "~: %s, %g standard errors%s",
		 d->events ? REP_NOISE_EVENTS : REP_NOISE_SAMPLES, REP_NOISE,
		 d->events ? "; values are exact" : "");
	if (noise)
		rep_output_note(out, false, text, err);
	return absent && empty
		   ? rep_output_note(
			 out, false,
			 "new, gone: only one side has it; +\xe2\x88\x9e, -100.0%: both "
			 "do, one with a value of 0",
			 err)
		   : 0;
}

/* Looks up where functions are, for programs. */
static int find_positions(struct rep_diff_table *t, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	size_t n = !rep_output_has_raw(t->out) || d->opt.keys.by != REP_BY_FUNCTION
		       ? 0
		       : d->nold + d->nnew;
	int code = 0;

	for (size_t i = 0; !code && i < n; i++)
		code = rep_positions_add(&t->positions, d->profile[i], NULL);
	return code ? tp_err_full(err, code, "the profiles have too many names") : 0;
}

static int put_tables(struct rep_diff_table *t, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	size_t most = t->show->rows, rows = most && d->n > most ? most : d->n;
	/* Zeros are no news, unless all rows were asked for. */
	bool unchanged = t->people && most && nothing_changed(d);
	size_t written = 0, seen = 0;
	char more[120];
	int code;

	rep_output_note(t->out, false, "", err);
	if (unchanged)
		rows = 0;
	code = find_positions(t, err);
	if (code)
		return code;
	code = rep_diff_table_begin(t, "diff", err);
	if (!code)
		code = rep_diff_table_row(t, &d->total, err);
	for (size_t i = 0; !code && i < d->n && written < rows; i++) {
		if (rep_diff_is_empty(t, &d->row[i]))
			continue;
		code = rep_diff_table_row(t, &d->row[i], err);
		written++;
		seen = i + 1;
	}
	if (!code)
		code = rep_output_end(t->out, err);
	if (!code && written < d->n) {
		snprintf(
		    more, sizeof(more),
		    unchanged
			? "nothing changed; tprof-diff -n 0 shows the %zu rows that are the same"
			: "%zu more; -n 0 shows all",
		    d->n - written);
		code = rep_output_note(t->out, false, more, err);
	}
	if (!code && d->opt.changed && !d->n) {
		snprintf(more, sizeof(more), "no row changed; without %s all rows are shown",
			 t->show->changed ? t->show->changed : "--changed");
		code = rep_output_note(t->out, false, more, err);
	}
	return code || !t->people ? code : explain(d, seen, t->out, err);
}

const struct rep_diff_show_kind rep_profiles_show = {put_heading, put_row, put_tables};
