/* Diffs of profiles as tables. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff/profiles.h"

enum column {
	/* for people */
	OLD,
	OLD_RANGE,
	NEW,
	NEW_RANGE,
	DELTA,
	PERCENT,
	SHARE,
	OTHER, /* change of cum where flat is shown, and the other way round */
	Q,
	VERDICT,
	/* for programs */
	STATUS,
	NAMES,
	FLAT_OLD,
	FLAT_NEW,
	FLAT_DELTA,
	FLAT_CHANGE,
	FLAT_SHARE,
	CUM_OLD,
	CUM_NEW,
	CUM_DELTA,
	CUM_CHANGE,
	CUM_SHARE,
	N_OLD,
	N_NEW,
	OLD_LOW,
	OLD_HIGH,
	NEW_LOW,
	NEW_HIGH,
	DELTA_LOW,
	DELTA_HIGH,
	U,
	P,
	RAW_Q,
	RAW_VERDICT,
	SHOWN_NAME, /* for people: says how many names it stands for */
	NAME,
	NCOLUMNS
};

/* Which tables a column is in. */
enum { PAIRS = 1, SETS = 2 };

static const struct {
	struct rep_column column;
	unsigned of;
} columns[NCOLUMNS] = {
#define PEOPLE(id, text, d, sets)                                                                  \
	[id] = {{.name = text,                                                                     \
		 .title = text,                                                                    \
		 .kind = REP_TEXT,                                                                 \
		 .right = true,                                                                    \
		 .table_only = true,                                                               \
		 .drop = d},                                                                       \
		sets}
#define RAW(id, text, type, sets) [id] = {{.name = text, .kind = type, .raw_only = true}, sets}
    PEOPLE(OLD, "OLD", 4, PAIRS | SETS),
    PEOPLE(OLD_RANGE, "\xc2\xb1", 5, SETS),
    PEOPLE(NEW, "NEW", 4, PAIRS | SETS),
    PEOPLE(NEW_RANGE, "\xc2\xb1", 5, SETS),
    PEOPLE(DELTA, "DELTA", 0, PAIRS | SETS),
    PEOPLE(PERCENT, "CHANGE", 0, PAIRS | SETS),
    PEOPLE(SHARE, "SHARE", 2, PAIRS),
    PEOPLE(OTHER, "CUM DELTA", 3, PAIRS),
    PEOPLE(Q, "Q", 3, SETS),
    [VERDICT] = {{.name = "VERDICT", .kind = REP_TEXT, .table_only = true, .least = 9}, SETS},
    RAW(STATUS, "status", REP_TEXT, PAIRS | SETS),
    RAW(NAMES, "names", REP_COUNT, PAIRS | SETS),
    RAW(FLAT_OLD, "flat_old", REP_COUNT, PAIRS | SETS),
    RAW(FLAT_NEW, "flat_new", REP_COUNT, PAIRS | SETS),
    RAW(FLAT_DELTA, "flat_delta", REP_COUNT, PAIRS | SETS),
    RAW(FLAT_CHANGE, "flat_change", REP_SHARE, PAIRS | SETS),
    RAW(FLAT_SHARE, "flat_share", REP_SHARE, PAIRS | SETS),
    RAW(CUM_OLD, "cum_old", REP_COUNT, PAIRS | SETS),
    RAW(CUM_NEW, "cum_new", REP_COUNT, PAIRS | SETS),
    RAW(CUM_DELTA, "cum_delta", REP_COUNT, PAIRS | SETS),
    RAW(CUM_CHANGE, "cum_change", REP_SHARE, PAIRS | SETS),
    RAW(CUM_SHARE, "cum_share", REP_SHARE, PAIRS | SETS),
    RAW(N_OLD, "n_old", REP_COUNT, SETS),
    RAW(N_NEW, "n_new", REP_COUNT, SETS),
    RAW(OLD_LOW, "old_low", REP_COUNT, SETS),
    RAW(OLD_HIGH, "old_high", REP_COUNT, SETS),
    RAW(NEW_LOW, "new_low", REP_COUNT, SETS),
    RAW(NEW_HIGH, "new_high", REP_COUNT, SETS),
    RAW(DELTA_LOW, "delta_low", REP_COUNT, SETS),
    RAW(DELTA_HIGH, "delta_high", REP_COUNT, SETS),
    RAW(U, "u", REP_FLOAT, SETS),
    RAW(P, "p", REP_FLOAT, SETS),
    RAW(RAW_Q, "q", REP_FLOAT, SETS),
    RAW(RAW_VERDICT, "verdict", REP_TEXT, SETS),
    [SHOWN_NAME] =
	{{.kind = REP_TEXT, .shorten = REP_SHORTEN_FUNCTION, .least = 20, .table_only = true},
	 PAIRS | SETS},
    [NAME] = {{.kind = REP_TEXT, .raw_only = true}, PAIRS | SETS},
#undef PEOPLE
#undef RAW
};

/* The number that a text shows, as it is of flat, and of cum; NULL: it is a text. */
static const char *number_of(enum column c, bool cum)
{
	static const struct {
		enum column column;
		const char *flat, *cum;
	} numbers[] = {
	    {OLD, "flat_old", "cum_old"},
	    {NEW, "flat_new", "cum_new"},
	    {DELTA, "flat_delta", "cum_delta"},
	    {PERCENT, "flat_change", "cum_change"},
	    {SHARE, "flat_share", "cum_share"},
	    {OTHER, "cum_delta", "flat_delta"},
	    {OLD_RANGE, "old_low", "old_low"},
	    {NEW_RANGE, "new_low", "new_low"},
	    {Q, "q", "q"},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].column == c)
			return cum ? numbers[i].cum : numbers[i].flat;
	return NULL;
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

struct texts {
	char old[REP_AMOUNT_SIZE], new[REP_AMOUNT_SIZE], delta[REP_AMOUNT_SIZE];
	char percent[REP_AMOUNT_SIZE], share[REP_AMOUNT_SIZE], other[REP_AMOUNT_SIZE];
	char old_range[REP_AMOUNT_SIZE], new_range[REP_AMOUNT_SIZE], q[REP_AMOUNT_SIZE];
};

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

/* Where all runs have the same value there was nothing to test. */
static double no_less(double p)
{
	return isnan(p) ? 1 : p;
}

static double share(const struct rep_diff *d, int64_t delta)
{
	return d->base ? (double)delta / (double)d->base : 0;
}

static void put_texts(const struct rep_diff *d, const struct rep_diff_show *show,
		      const struct rep_diff_row *row, struct texts *t)
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
		snprintf(t->percent, sizeof(t->percent), "gone");
	else if (delta && row->status == REP_STATUS_ADDED)
		snprintf(t->percent, sizeof(t->percent), "new");
	else if (delta && !v.old)
		snprintf(t->percent, sizeof(t->percent), "%s\xe2\x88\x9e", delta > 0 ? "+" : "-");
	else
		rep_amount_percent(t->percent, delta ? percent : 0);
	rep_amount_percent(t->share, share(d, delta) * 100);
	put_range(t->old_range, &row->of_old, row->old);
	put_range(t->new_range, &row->of_new, row->new);
	rep_diff_put_q(t->q, no_less(row->q));
}

static struct rep_value change(struct rep_diff_pair p)
{
	return p.old ? rep_float(rep_diff_percent(p) / 100) : rep_null();
}

static struct rep_value end(const struct rep_diff_range *r, double v)
{
	return r->known ? rep_int((int64_t)v) : rep_null();
}

static void put_values(const struct rep_diff *d, const struct rep_diff_row *row,
		       const struct texts *t, size_t names, struct rep_value *v)
{
	v[OLD] = rep_str(t->old);
	v[OLD_RANGE] = rep_str(t->old_range);
	v[NEW] = rep_str(t->new);
	v[NEW_RANGE] = rep_str(t->new_range);
	v[DELTA] = rep_str(t->delta);
	v[PERCENT] = rep_str(t->percent);
	v[SHARE] = rep_str(t->share);
	v[OTHER] = rep_str(t->other);
	v[Q] = rep_str(t->q);
	v[VERDICT] = rep_str(rep_diff_verdict(d, row->verdict));
	v[STATUS] = rep_str(row->key ? rep_statuses[row->status] : "total");
	v[NAMES] = row->key ? rep_int((int64_t)names) : rep_null();
	v[FLAT_OLD] = rep_int(row->flat.old);
	v[FLAT_NEW] = rep_int(row->flat.new);
	v[FLAT_DELTA] = rep_int(rep_diff_delta(row->flat));
	v[FLAT_CHANGE] = change(row->flat);
	v[FLAT_SHARE] = rep_float(share(d, rep_diff_delta(row->flat)));
	v[CUM_OLD] = rep_int(row->cum.old);
	v[CUM_NEW] = rep_int(row->cum.new);
	v[CUM_DELTA] = rep_int(rep_diff_delta(row->cum));
	v[CUM_CHANGE] = change(row->cum);
	v[CUM_SHARE] = rep_float(share(d, rep_diff_delta(row->cum)));
	v[N_OLD] = rep_int((int64_t)d->nold);
	v[N_NEW] = rep_int((int64_t)d->nnew);
	v[OLD_LOW] = end(&row->of_old, row->of_old.low);
	v[OLD_HIGH] = end(&row->of_old, row->of_old.high);
	v[NEW_LOW] = end(&row->of_new, row->of_new.low);
	v[NEW_HIGH] = end(&row->of_new, row->of_new.high);
	v[DELTA_LOW] = end(&row->of_delta, row->of_delta.low);
	v[DELTA_HIGH] = end(&row->of_delta, row->of_delta.high);
	v[U] = rep_float(row->u);
	v[P] = rep_float(no_less(row->p));
	v[RAW_Q] = rep_float(no_less(row->q));
	v[RAW_VERDICT] = rep_str(rep_diff_verdict(d, row->verdict));
}

/* The name, and in `shown` what people read: one that stands for several says so. */
static int put_name(const struct rep_diff *d, const struct rep_diff_row *row, struct tp_buf *name,
		    struct tp_buf *shown, size_t *names)
{
	char text[40];
	int code;

	name->size = shown->size = 0;
	code = rep_diff_name(d, row, name, names);
	if (!code && name->size)
		code = tp_buf_put(shown, name->data, name->size);
	if (code || *names < 2)
		return code;
	snprintf(text, sizeof(text), " (%zu names)", *names);
	return tp_buf_put(shown, text, strlen(text));
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
	bool people = rep_output_for_people(out), unchanged;
	bool stacks = d->opt.keys.by == REP_BY_STACK;
	struct rep_column picked[NCOLUMNS];
	struct tp_buf name = {0}, shown = {0};
	size_t place[NCOLUMNS], n = 0, rows = d->n;
	char more[80];
	int code;

	for (size_t i = 0; i < NCOLUMNS; i++) {
		/* A whole stack's flat value is its cum value, too. */
		if (!(columns[i].of & (d->sets ? SETS : PAIRS)) || (i == OTHER && stacks))
			continue;
		picked[n] = columns[i].column;
		picked[n].by = number_of((enum column)i, d->opt.cum);
		if (i == OTHER && d->opt.cum)
			picked[n].title = "FLAT DELTA";
		if (i == NAME || i == SHOWN_NAME) {
			picked[n].name =
			    i == NAME ? rep_diff_by[d->opt.keys.by].name : "name_shown";
			picked[n].title = rep_diff_by[d->opt.keys.by].title;
			if (d->opt.keys.by == REP_BY_FILE || d->opt.keys.by == REP_BY_LABEL)
				picked[n].shorten = REP_SHORTEN_LEFT;
			/* The ends of many are alike. */
			if (i == SHOWN_NAME && stacks)
				picked[n].least = 32;
		}
		place[n++] = i;
	}
	if (show->rows && rows > show->rows)
		rows = show->rows;
	/* Zeros are no news, unless all rows were asked for. */
	unchanged = people && show->rows && nothing_changed(d);
	if (unchanged)
		rows = 0;
	code = rep_output_note(out, false, "", err);
	if (!code)
		code = rep_output_begin(out, "diff", picked, n, err);
	for (size_t i = 0; !code && i <= rows; i++) {
		const struct rep_diff_row *row = i ? &d->row[i - 1] : &d->total;
		struct rep_value all[NCOLUMNS], values[NCOLUMNS];
		struct texts texts;
		size_t names = 0;

		if (put_name(d, row, &name, &shown, &names)) {
			code = tp_nomem(err);
			break;
		}
		if (people)
			put_texts(d, show, row, &texts);
		else
			memset(&texts, 0, sizeof(texts));
		put_values(d, row, &texts, names, all);
		all[NAME] = rep_text((char *)name.data, name.size);
		all[SHOWN_NAME] = rep_text((char *)shown.data, shown.size);
		for (size_t c = 0; c < n; c++)
			values[c] = all[place[c]];
		code = rep_output_row(out, values, err);
	}
	tp_buf_release(&name);
	tp_buf_release(&shown);
	if (!code)
		code = rep_output_end(out, err);
	if (!code && rows < d->n) {
		snprintf(more, sizeof(more),
			 unchanged ? "nothing changed; -n 0 shows the %zu rows that are the same"
				   : "%zu more; -n 0 shows all",
			 d->n - rows);
		code = rep_output_note(out, false, more, err);
	}
	return code || !people ? code : explain(d, rows, out, err);
}
