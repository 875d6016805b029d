#include "base/sum.h"
#include "dist.h"
#include "incident/incident.h"

/* Reorders n cells and returns the median, of two in the middle the lower one. */
static int64_t median_of(int64_t *cell, size_t n)
{
	if (!n)
		return 0;
	rep_select_rank(cell, 0, n, (n - 1) / 2);
	return cell[(n - 1) / 2];
}

static double largest(double a, double b)
{
	return a > b ? a : b;
}

static double smallest(double a, double b)
{
	return a < b ? a : b;
}

/* Of a row with more than its usual time. */
static double score_more(const struct rep_incident_verdict *v, int64_t length_ns)
{
	double bar = largest(3 * ((double)v->highest_ns - (double)v->median_ns),
			     largest((double)length_ns / 20, (double)v->median_ns / 4));

	return ((double)v->then_ns - (double)v->median_ns) / (bar > 0 ? bar : 1);
}

/* Of a row with less. Times end at 0, so ratios take the place of differences. */
static double score_less(const struct rep_incident_verdict *v, int64_t length_ns)
{
	double usual = (double)v->median_ns, low = (double)v->lowest_ns / usual;
	double bar = usual * smallest(low * low * low, 0.5);

	return smallest(bar / largest((double)v->then_ns, usual / 100),
			(usual - (double)v->then_ns) / largest((double)length_ns / 100, 1));
}

void rep_incident_judge_cells(const int64_t *cell, size_t n, size_t at, int64_t then_ns,
			      int64_t length_ns, int64_t *scratch,
			      struct rep_incident_verdict *verdict, size_t *first)
{
	struct rep_incident_verdict v = {.then_ns = then_ns, .lowest_ns = INT64_MAX};
	size_t from = at, to = at, most = n / 2;
	double half;
	int64_t median;
	bool low;

	for (size_t i = 0; i < n; i++)
		scratch[i] = cell[i];
	median = median_of(scratch, n);
	low = then_ns < median;
	half = ((double)median + (double)then_ns) / 2;
#define ALIKE(i) (low ? (double)cell[i] < half : (double)cell[i] > half)
	while (from > 0 && to - from < most && ALIKE(from - 1))
		from--;
	while (to < n && to - from < most && ALIKE(to))
		to++;
	/* It may have begun or ended in the middle of one. */
	for (size_t i = 0; i < n; i++)
		if (i + 1 < from || i > to)
			scratch[v.others++] = cell[i];
	*first = from;
	v.median_ns = median_of(scratch, v.others);
	v.less = then_ns < v.median_ns;
	for (size_t i = 0; i < v.others; i++) {
		v.as_far += v.less ? scratch[i] <= then_ns : scratch[i] >= then_ns;
		v.lowest_ns = scratch[i] < v.lowest_ns ? scratch[i] : v.lowest_ns;
		v.highest_ns = scratch[i] > v.highest_ns ? scratch[i] : v.highest_ns;
	}
	if (!v.others)
		v.lowest_ns = 0;
	v.score = v.less ? score_less(&v, length_ns) : score_more(&v, length_ns);
	v.unusual = v.score >= 1 && v.others >= REP_INCIDENT_LEAST;
	*verdict = v;
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
	if (!verdict->less && began < x->from && began > tp_minus(verdict->since_ns, length))
		verdict->since_ns = began;
}
