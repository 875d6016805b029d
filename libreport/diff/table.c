#include "diff/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rep_diff_table_init(struct rep_diff_table *t, const struct rep_diff *d,
			 const struct rep_diff_show *show, struct rep_output *out,
			 const struct rep_diff_column *columns, size_t n)
{
	*t = (struct rep_diff_table){
	    .d = d, .show = show, .out = out, .people = rep_output_for_people(out)};
	for (size_t i = 0; i < n; i++) {
		if (!(columns[i].of & (d->sets ? REP_OF_SETS : REP_OF_PAIRS)))
			continue;
		t->column[t->ncolumns] = columns[i].column;
		t->cell[t->ncolumns++] = columns[i].cell;
	}
}

void rep_diff_table_release(struct rep_diff_table *t)
{
	tp_buf_release(&t->name);
	tp_buf_release(&t->shown);
}

int rep_diff_table_begin(struct rep_diff_table *t, const char *name, struct tp_err *err)
{
	return rep_output_begin(t->out, name, t->column, t->ncolumns, err);
}

/* The name, and what people read: one that stands for several says so. */
static int put_name(struct rep_diff_table *t, const struct rep_diff_row *row, size_t *names)
{
	char text[40];
	int code;

	t->name.size = t->shown.size = 0;
	code = rep_diff_name(t->d, row, &t->name, names);
	if (!code && t->name.size)
		code = tp_buf_put(&t->shown, t->name.data, t->name.size);
	if (code || *names < 2)
		return code;
	snprintf(text, sizeof(text), " (%zu names)", *names);
	return tp_buf_put(&t->shown, text, strlen(text));
}

/* p or q as it is shown. */
static double shown_p(const struct rep_diff *d, double p)
{
	return d->kind->whole && isnan(p) ? 1 : p;
}

static void put_texts(const struct rep_diff_table *t, const struct rep_diff_row *row,
		      struct rep_diff_texts *x)
{
	double q = shown_p(t->d, row->q);

	t->d->kind->texts(t->d, t->show, row, x);
	if (isnan(q))
		x->q[0] = '\0';
	else
		snprintf(x->q, sizeof(x->q), q < 0.0001 ? "<.0001" : "%.4f", q);
}

static struct rep_value end(const struct rep_diff *d, const struct rep_diff_range *r, double v)
{
	if (!r->known || isnan(v))
		return rep_null();
	return d->kind->whole ? rep_int((int64_t)v) : rep_float(v);
}

static struct rep_value number(double v)
{
	return isnan(v) ? rep_null() : rep_float(v);
}

static void put_values(const struct rep_diff *d, const struct rep_diff_row *row,
		       const struct rep_diff_texts *x, struct rep_value *v)
{
	v[REP_CELL_OLD_TEXT] = rep_str(x->old);
	v[REP_CELL_NEW_TEXT] = rep_str(x->new);
	v[REP_CELL_DELTA_TEXT] = rep_str(x->delta);
	v[REP_CELL_CHANGE_TEXT] = rep_str(x->change);
	v[REP_CELL_Q_TEXT] = rep_str(x->q);
	v[REP_CELL_OLD_RANGE] = rep_str(x->old_range);
	v[REP_CELL_NEW_RANGE] = rep_str(x->new_range);
	v[REP_CELL_SHARE_TEXT] = rep_str(x->share);
	v[REP_CELL_OTHER] = rep_str(x->other);
	v[REP_CELL_INTERVAL] = rep_str(x->interval);
	v[REP_CELL_VERDICT] = rep_str(rep_diff_verdict(d, row->verdict));
	v[REP_CELL_STATUS] = rep_str(row->is_total ? "total" : rep_statuses[row->status]);
	v[REP_CELL_N_OLD] = rep_int((int64_t)d->nold);
	v[REP_CELL_N_NEW] = rep_int((int64_t)d->nnew);
	v[REP_CELL_OLD_LOW] = end(d, &row->of_old, row->of_old.low);
	v[REP_CELL_OLD_HIGH] = end(d, &row->of_old, row->of_old.high);
	v[REP_CELL_NEW_LOW] = end(d, &row->of_new, row->of_new.low);
	v[REP_CELL_NEW_HIGH] = end(d, &row->of_new, row->of_new.high);
	v[REP_CELL_DELTA_LOW] = end(d, &row->of_delta, row->of_delta.low);
	v[REP_CELL_DELTA_HIGH] = end(d, &row->of_delta, row->of_delta.high);
	v[REP_CELL_P] = number(shown_p(d, row->p));
	v[REP_CELL_Q] = number(shown_p(d, row->q));
}

int rep_diff_table_row(struct rep_diff_table *t, const struct rep_diff_row *row, struct tp_err *err)
{
	struct rep_value all[REP_NDIFF_CELLS], values[REP_NDIFF_CELLS];
	struct rep_diff_texts texts;
	size_t names = 0;

	if (put_name(t, row, &names))
		return tp_nomem(err);
	if (t->people)
		put_texts(t, row, &texts);
	else
		memset(&texts, 0, sizeof(texts));
	put_values(t->d, row, &texts, all);
	all[REP_CELL_NAME] = rep_text((char *)t->name.data, t->name.size);
	all[REP_CELL_SHOWN_NAME] = rep_text((char *)t->shown.data, t->shown.size);
	all[REP_CELL_NAMES] = row->is_total ? rep_null() : rep_int((int64_t)names);
	t->d->kind->cells(t->d, row, all);
	for (size_t i = 0; i < t->ncolumns; i++)
		values[i] = all[t->cell[i]];
	return rep_output_row(t->out, values, err);
}
