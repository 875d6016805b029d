/* Charts over time. */
#include <math.h>
#include <stdlib.h>

#include "chart/chart.h"
#include "page/inside.h"

#define WIDTH  560
#define HEIGHT 210

struct values {
	double *x, *y;
	size_t n;
};

static void release(struct values *v)
{
	free(v->x);
	free(v->y);
}

#define MOST 160 /* steps of a line: more are a blur */

/* The means of bins, of several in a row where there are many, as steps: one point each, and one at
 * the end. */
static int take(struct values *v, const struct page_bins *b, const struct page_series *s)
{
	size_t step = (b->n + MOST - 1) / MOST;

	v->x = calloc(b->n + 1, sizeof(*v->x));
	v->y = calloc(b->n + 1, sizeof(*v->y));
	if (!v->x || !v->y)
		return TP_ENOMEM;
	for (size_t i = 0; i < b->n; i += step, v->n++) {
		size_t end = i + step < b->n ? i + step : b->n;
		double ns = 0, width = (double)(b->edge[end] - b->edge[i]);

		for (size_t k = i; k < end; k++)
			ns += s->ns[k];
		v->x[v->n] = (double)b->edge[i];
		v->y[v->n] = width > 0 ? ns / width : NAN;
	}
	v->x[v->n] = (double)b->edge[b->n];
	v->y[v->n] = v->y[v->n - 1];
	v->n++;
	return 0;
}

static void draw(struct page *p, struct html *h, const char *title, enum rep_kind kind,
		 const char *const *names, struct values *values, size_t n, double top)
{
	struct rep_chart_line lines[PAGE_NCLASSES];
	struct rep_chart chart = {
	    .title = title,
	    .x = {.kind = p->run->row.ticks ? REP_COUNT : REP_NS},
	    .y = {.kind = kind, .from = 0, .to = top},
	    .lines = lines,
	    .nlines = n,
	};

	for (size_t i = 0; i < n; i++)
		lines[i] = (struct rep_chart_line){.name = names[i],
						   .x = values[i].x,
						   .y = values[i].y,
						   .n = values[i].n,
						   .steps = true};
	html_put(h, "<figure>");
	if (!h->code)
		h->code = rep_chart_put_svg(&h->buf, &chart, WIDTH, HEIGHT, true);
	html_put(h, "</figure>\n");
}

static int draw_series(struct page *p, struct html *h, const char *title, const char *const *names,
		       const struct page_bins *b, const struct page_series *const *series, size_t n,
		       double top)
{
	struct values v[PAGE_NCLASSES] = {{0}};
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = take(&v[i], b, series[i]);
	if (!code)
		draw(p, h, title, REP_FLOAT, names, v, n, top);
	for (size_t i = 0; i < n; i++)
		release(&v[i]);
	return code;
}

/* Ps held by a thread, all of them together. */
static int draw_procs(struct page *p, struct html *h)
{
	static const char *const names[] = {"busy Ps"};
	const struct page_time *t = &p->time;
	struct page_series sum = {calloc(t->fine.n, sizeof(double)), NULL};
	const struct page_series *series[] = {&sum};
	int code = sum.ns ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < t->nprocs && !code; i++) {
		for (size_t k = 0; k < t->fine.n; k++)
			sum.ns[k] += t->proc[i].ns[k];
	}
	if (!code)
		code = draw_series(p, h, "Busy Ps", names, &t->fine, series, 1, (double)t->nprocs);
	free(sum.ns);
	return code;
}

int page_charts(struct page *p, struct html *h, struct tp_err *err)
{
	static const char *const names[] = {"running", "runnable", "in system calls"};
	static const char *const alive[] = {"goroutines"};
	const struct page_time *t = &p->time;
	const struct page_series *series[] = {&t->all[PAGE_RUNNING], &t->all[PAGE_RUNNABLE],
					      &t->all[PAGE_SYSCALL]};
	const struct page_series *all[] = {&t->alive};
	int code;

	html_put(h, "<div class=\"charts\">\n");
	code = draw_series(p, h, "Goroutines by state", names, &t->bins, series, 3, 0);
	if (!code && t->nprocs)
		code = draw_procs(p, h);
	if (!code)
		code = draw_series(p, h, "Goroutines alive", alive, &t->fine, all, 1, 0);
	html_put(h, "</div>\n<p class=\"note\">Means over ");
	html_count(h, (int64_t)t->bins.n);
	html_put(h,
		 t->exact
		     ? " equal parts of the run."
		     : " parts of the run where states are told: of one as large as this, sums of "
		       "segments are shown.");
	html_put(h, "</p>\n");
	return code ? page_no_memory(err) : 0;
}
