#include <stdlib.h>

#include "base/sum.h"
#include "incident/incident.h"

static int by_size(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* Sorts n cells and returns the median, of two in the middle the lower one. */
static int64_t median_of(int64_t *cell, size_t n)
{
	if (!n)
		return 0;
	qsort(cell, n, sizeof(*cell), by_size);
	return cell[(n - 1) / 2];
}

static double largest(double a, double b)
{
	return a > b ? a : b;
}

void rep_incident_judge_cells(const int64_t *cell, size_t n, size_t at, int64_t then_ns,
			      int64_t length_ns, int64_t *scratch,
			      struct rep_incident_verdict *verdict, size_t *first)
{
	size_t from = at, to = at, most = n / 2, others = 0;
	double half, bar;

	for (size_t i = 0; i < n; i++)
		scratch[i] = cell[i];
	half = ((double)median_of(scratch, n) + (double)then_ns) / 2;
	while (from > 0 && to - from < most && (double)cell[from - 1] > half)
		from--;
	while (to < n && to - from < most && (double)cell[to] > half)
		to++;
	/* It may have begun or ended in the middle of one. */
	for (size_t i = 0; i < n; i++)
		if (i + 1 < from || i > to)
			scratch[others++] = cell[i];
	*first = from;
	*verdict = (struct rep_incident_verdict){
	    .then_ns = then_ns, .median_ns = median_of(scratch, others), .others = others};
	for (size_t i = 0; i < others; i++)
		verdict->as_much += scratch[i] >= then_ns;
	verdict->highest_ns = others ? scratch[others - 1] : 0;
	bar = largest(3 * ((double)verdict->highest_ns - (double)verdict->median_ns),
		      largest((double)length_ns / 20, (double)verdict->median_ns / 4));
	verdict->score = ((double)then_ns - (double)verdict->median_ns) / (bar > 0 ? bar : 1);
	verdict->unusual = verdict->score >= 1 && others >= REP_INCIDENT_LEAST;
}

void rep_incident_judge(const struct rep_incident *x, size_t row,
			struct rep_incident_verdict *verdict)
{
	const int64_t *cell = x->cell + row * (x->n + 1), began = x->row[row].max_at;
	int64_t length = tp_minus(x->to, x->from);
	size_t at = 0, first;

	while (at < x->n && x->window[at].from < x->from)
		at++;
	rep_incident_judge_cells(cell, x->n, at, cell[x->n], length, x->scratch, verdict, &first);
	verdict->since_ns = first < at ? x->window[first].from : x->from;
	if (began < x->from && began > tp_minus(verdict->since_ns, length))
		verdict->since_ns = began;
}
