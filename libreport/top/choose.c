#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "top/job.h"

struct order {
	struct rep_job *job;
	const double *number; /* sort key by row; NULL: by text */
	bool ascending;
	bool lack; /* memory ran out for a text, so the order is not right */
	size_t column;
};

static int compare_text(struct rep_value a, struct rep_value b)
{
	size_t n = a.text.size < b.text.size ? a.text.size : b.text.size;
	int order;

	if (a.type != REP_TYPE_TEXT || b.type != REP_TYPE_TEXT)
		return (int)(b.type == REP_TYPE_TEXT) - (int)(a.type == REP_TYPE_TEXT);
	order = memcmp(a.text.data, b.text.data, n);
	if (order)
		return order;
	return a.text.size < b.text.size ? -1 : a.text.size > b.text.size;
}

/* Compares rows with equal keys by their other cells, so that the order does not depend on how the
 * run was imported. */
static int compare_tie(struct order *o, uint32_t a, uint32_t b)
{
	const struct rep_report *r = o->job->report;

	if (r->ops->tie) {
		uint64_t x = r->ops->tie(o->job, a), y = r->ops->tie(o->job, b);

		if (x != y)
			return x < y ? -1 : 1;
	}
	for (size_t i = 0; i < r->ncolumns; i++) {
		struct rep_value x, y;
		int order = 0;

		if (!r->columns[i].key || r->columns[i].percentile)
			continue;
		x = rep_job_value(o->job, a, i);
		y = rep_job_value(o->job, b, i);
		o->lack |= rep_is_lack(x) || rep_is_lack(y);
		if (x.type == REP_TYPE_TEXT || y.type == REP_TYPE_TEXT)
			order = compare_text(x, y);
		else if (x.type == REP_TYPE_INT && y.type == REP_TYPE_INT)
			order = x.i < y.i ? -1 : x.i > y.i;
		if (order)
			return order;
	}
	return a < b ? -1 : a > b;
}

/* The order of the output: large numbers first, texts from a to z. */
static int compare(const void *pa, const void *pb, void *ctx)
{
	struct order *o = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	if (o->number && o->number[a] != o->number[b])
		return (o->number[a] > o->number[b]) != o->ascending ? -1 : 1;
	if (!o->number) {
		struct rep_value x = rep_job_value(o->job, a, o->column);
		struct rep_value y = rep_job_value(o->job, b, o->column);
		int order = compare_text(x, y);

		o->lack |= rep_is_lack(x) || rep_is_lack(y);
		if (order)
			return order;
	}
	return compare_tie(o, a, b);
}

/* Restores the heap whose root is the last of the n rows in the order of the output. */
static void sift(uint32_t *heap, size_t n, size_t at, struct order *o)
{
	for (;;) {
		size_t child = 2 * at + 1;
		uint32_t row;

		if (child >= n)
			return;
		if (child + 1 < n && compare(&heap[child + 1], &heap[child], o) > 0)
			child++;
		if (compare(&heap[child], &heap[at], o) <= 0)
			return;
		row = heap[at];
		heap[at] = heap[child];
		heap[child] = row;
		at = child;
	}
}

/* Puts the first n of the job's rows in order to the front of rows[]. */
static void choose(uint32_t *rows, size_t total, size_t n, struct order *o)
{
	if (n < total / 8) {
		for (size_t i = n / 2; i-- > 0;)
			sift(rows, n, i, o);
		for (size_t i = n; n && i < total; i++) {
			if (compare(&rows[i], &rows[0], o) < 0) {
				rows[0] = rows[i];
				sift(rows, n, 0, o);
			}
		}
		total = n;
	}
	qsort_r(rows, total, sizeof(*rows), compare, o);
}

static double as_number(struct rep_value v)
{
	return v.type == REP_TYPE_INT ? (double)v.i : v.type == REP_TYPE_FLOAT ? v.f : -1e300;
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Puts the first of `total` rows in order, `n`, to the front of rows[]. `total` is not 0. */
static int sort_rows(struct order *o, uint32_t *rows, size_t total, size_t n)
{
	struct rep_job *job = o->job;
	double *number = NULL;

	if (job->sort->column.kind != REP_TEXT) {
		number = tp_many(total, sizeof(*number));
		if (!number)
			return TP_ENOMEM;
		for (size_t i = 0; i < total; i++)
			number[i] = (job->sort->ascending ? -1 : 1) *
				    as_number(rep_job_value(job, i, o->column));
	}
	o->number = number;
	choose(rows, total, n, o);
	o->number = NULL;
	free(number);
	return o->lack || job->lack ? TP_ENOMEM : 0;
}

static struct order order_of(struct rep_job *job)
{
	return (struct order){
	    .job = job,
	    .column = (size_t)(job->sort - job->report->columns),
	    .ascending = job->report->ascending && !strcmp(job->sort->key, job->report->sort),
	};
}

#define TRIM_ROWS ((size_t)8192) /* rows beyond those shown that are kept for a while */

int rep_job_trim(struct rep_job *job, const struct rep_view *v, struct tp_err *err)
{
	size_t total = job->nrows, size = job->width * sizeof(*job->row);
	struct order o = order_of(job);
	struct rep_goids *goids = &job->goids[v->index];
	uint32_t *rows;
	int code = 0;

	if (!job->limit || job->every || job->sort->percentile || total < job->limit + TRIM_ROWS)
		return 0;
	rows = tp_many(total, sizeof(*rows));
	if (!rows)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < total; i++)
		rows[i] = (uint32_t)i;
	/* Rows may be sorted by goroutine. */
	if (v->goids.n && !goids->n &&
	    (code = rep_goids_load(goids, v->store, v->run->row.id, err))) {
		free(rows);
		return code;
	}
	code = sort_rows(&o, rows, total, job->limit);
	qsort(rows, job->limit, sizeof(*rows), by_place);
	for (size_t i = 0, kept = 0; !code && i < total; i++) {
		const int64_t *row = rep_job_row_at(job, i);

		if (kept < job->limit && rows[kept] == i) {
			memmove(rep_job_row_at(job, kept++), row, size);
			continue;
		}
		for (size_t k = 0; k < job->width && k < 64; k++)
			job->nonzero |= (uint64_t)(row[k] != 0) << k;
	}
	if (!code) {
		job->nrows = job->limit;
		job->dropped += total - job->limit;
	}
	free(rows);
	return code ? rep_job_fail(err, code) : 0;
}

int rep_job_pick(struct rep_job *job, struct rep_view *v, size_t limit, uint32_t **rows, size_t *n,
		 struct tp_err *err)
{
	const struct rep_report_ops *ops = job->report->ops;
	struct order o = order_of(job);
	int code = 0;

	*n = limit && limit < job->nrows ? limit : job->nrows;
	*rows = tp_many(job->nrows + 1, sizeof(**rows));
	if (!*rows)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < job->nrows; i++)
		(*rows)[i] = (uint32_t)i;
	if (job->sort->percentile && ops->prepare)
		code = ops->prepare(job, v, *rows, job->nrows, err);
	if (!code && job->nrows && (code = sort_rows(&o, *rows, job->nrows, *n)))
		rep_job_fail(err, code);
	if (!code && ops->prepare)
		code = ops->prepare(job, v, *rows, *n, err);
	return code;
}
