/* Charts over time. */

#include "chart/chart.h"
#include "mmu/curve.h"
#include "page/inside.h"

#define WIDTH  560
#define HEIGHT 210

#define MOST 160 /* steps of a line; more would be too narrow to see */

static void put_chart(struct tp_buf *h, const struct rep_chart *chart)
{
	tp_buf_text(h, "<figure>");
	rep_chart_put_svg(h, chart, WIDTH, HEIGHT, true);
	tp_buf_text(h, "</figure>\n");
}

static void draw(struct page *p, struct tp_buf *h, const char *title, enum rep_kind kind,
		 const char *const *names, const struct rep_time_curve *values, size_t n,
		 double top)
{
	struct rep_chart_line lines[REP_TIME_NCLASSES];
	struct rep_chart chart = {
	    .title = title,
	    .x = {.kind = p->run->row.ticks ? REP_COUNT : REP_NS,
		  .to = (double)p->time.fine.edge[p->time.fine.n]},
	    .y = {.kind = kind, .from_zero = true, .from = 0, .to = top},
	    .lines = lines,
	    .nlines = n,
	};

	for (size_t i = 0; i < n; i++)
		lines[i] = (struct rep_chart_line){.name = names[i],
						   .x = values[i].x,
						   .y = values[i].y,
						   .n = values[i].n,
						   .steps = true};
	put_chart(h, &chart);
}

static int draw_series(struct page *p, struct tp_buf *h, const char *title,
		       const char *const *names, const struct rep_bins *b,
		       const struct rep_binned *const *series, size_t n, double top)
{
	struct rep_time_curve v[REP_TIME_NCLASSES] = {{0}};
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = rep_time_steps(&v[i], b, series[i], 1, MOST);
	if (!code)
		draw(p, h, title, REP_FLOAT, names, v, n, top);
	for (size_t i = 0; i < n; i++)
		rep_time_curve_release(&v[i]);
	return code;
}

/* Draws the number of busy Ps: those that a thread holds. */
static int draw_procs(struct page *p, struct tp_buf *h)
{
	static const char *const names[] = {"busy Ps"};
	const struct rep_time *t = &p->time;
	struct rep_time_curve busy;
	int code = rep_time_steps(&busy, &t->fine, t->proc, t->nprocs, MOST);

	if (!code)
		draw(p, h, "Busy Ps", REP_FLOAT, names, &busy, 1, (double)t->nprocs);
	rep_time_curve_release(&busy);
	return code;
}

/* ---- the heap ---- */

static int draw_heap(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	static const char *const names[] = {"heap", "goal"};
	static const char *const metrics[] = {REP_METRIC_HEAP_NAME, REP_METRIC_GOAL_NAME};
	struct rep_time_curve c[2] = {{0}};
	int code = 0;

	for (int i = 0; i < 2 && !code; i++)
		code = rep_time_metric(&p->time, &p->view, metrics[i], &c[i], err);
	if (!code && c[0].n + c[1].n)
		draw(p, h, "Heap and its goal", REP_BYTES, names, c, 2, 0);
	rep_time_curve_release(&c[0]);
	rep_time_curve_release(&c[1]);
	return code;
}

/* ---- mutator utilisation ---- */

static void draw_curve(struct page *p, struct tp_buf *h, struct rep_mmu *m)
{
	int64_t window[REP_MMU_WINDOWS];
	double x[REP_MMU_WINDOWS], y[REP_MMU_WINDOWS];
	struct rep_chart_line line = {.name = "of all windows", .x = x, .y = y};
	struct rep_chart chart = {
	    .title = "Minimum mutator utilisation, by length of a window",
	    .x = {.kind = p->run->row.ticks ? REP_COUNT : REP_NS, .logarithmic = true},
	    .y = {.kind = REP_SHARE, .from = 0, .to = 1},
	    .lines = &line,
	    .nlines = 1,
	};

	line.n = rep_mmu_windows(rep_mmu_length(m), window);
	for (size_t i = 0; i < line.n; i++) {
		x[i] = (double)window[i];
		y[i] = rep_mmu_minimum(m, window[i]).util;
	}
	if (line.n >= 2)
		put_chart(h, &chart);
}

/* Draws the curve; nothing for a run without a collection, or in a store of an old version, which
 * lacks the data. */
static int draw_utilisation(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	const struct rep_util_options opt = REP_UTIL_OPTIONS_INIT;
	struct rep_gc_facts facts = {0};
	struct rep_utils utils = {0};
	struct rep_mmu *m = NULL;
	int code =
	    rep_gc_facts_load(&facts, p->store, &p->run->row, p->view.dict, opt.include, err);

	if (!code)
		code = rep_utils_add(&utils, &facts, &opt, 0, err);
	if (!code && utils.n)
		code = rep_mmu_new(&m, &utils, err);
	if (m)
		draw_curve(p, h, m);
	rep_mmu_free(m);
	rep_utils_release(&utils);
	rep_gc_facts_release(&facts);
	return code == TP_EVERSION ? 0 : code;
}

int page_charts(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	static const char *const names[] = {"running", "runnable", "in system calls"};
	static const char *const alive[] = {"goroutines"};
	const struct rep_time *t = &p->time;
	const struct rep_binned *series[] = {&t->all[REP_TIME_RUNNING], &t->all[REP_TIME_RUNNABLE],
					     &t->all[REP_TIME_SYSCALL]};
	const struct rep_binned *all[] = {&t->alive};
	int code;

	tp_buf_text(h, "<div class=\"charts\">\n");
	code = draw_series(p, h, "Goroutines by state", names, &t->bins, series, 3, 0);
	if (!code)
		code = draw_series(p, h, "Goroutines alive", alive, &t->fine, all, 1, 0);
	if (!code && t->nprocs)
		code = draw_procs(p, h);
	if (code)
		return tp_nomem(err);
	code = draw_heap(p, h, err);
	if (!code)
		code = draw_utilisation(p, h, err);
	tp_buf_text(h, "</div>\n<p class=\"note\">Points are means over ");
	html_count(h, (int64_t)t->bins.n);
	tp_buf_text(h, t->exact
			   ? " equal parts of the run."
			   : " parts of the run where states are counted: this run is so large "
			     "that they come from the sums of its segments.");
	tp_buf_text(h,
		    " Mutator utilisation is the share of the Ps that the collector leaves to the "
		    "program, in the worst window of each length.</p>\n");
	return code;
}
