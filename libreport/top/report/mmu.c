/* mmu: minimum mutator utilisation by length of window, or the lowest windows of one length. Of
 * several runs it is the lowest of all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "mmu/curve.h"
#include "top/report.h"

#define CAUSES	     4
#define CHART_POINTS 80
#define WORST_ROWS   10
#define QUANTILES    2

static const double shares[QUANTILES] = {0.001, 0.01};

struct row {
	struct rep_mmu_window window;
	int64_t length; /* as asked for */
	double quantile[QUANTILES];
	double lost[CAUSES]; /* NaN: not counted */
};

struct mmu {
	unsigned include;
	int64_t asked[REP_MMU_WINDOWS];
	size_t nasked;
	/* What is counted, one more in each: the differences say what is lost to which. The last
	 * one of those included is the answer. */
	struct rep_utils utils[CAUSES];
	struct rep_mmu *curve[CAUSES];
	size_t n;
	struct row *row;
	char name[CAUSES][64]; /* of the curves */
};

enum {
	COLUMN_WINDOW,
	COLUMN_MMU,
	COLUMN_P01,
	COLUMN_P1,
	COLUMN_AT,
	COLUMN_LOST,
	COLUMN_P = COLUMN_LOST + CAUSES,
	COLUMN_RUN,
	NCOLUMNS
};

#define COLUMN_CAUSE(name_text, title_text, drop_rank, doc_text)                                   \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_SHARE,                                                      \
			   .drop = (drop_rank)},                                                   \
		.doc = (doc_text)                                                                  \
	}

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_WINDOW] = {.column = {.name = "window_ns", .title = "WINDOW", .kind = REP_NS},
		       .key = "window",
		       .ascending = true,
		       .doc = "length of the windows"},
    [COLUMN_MMU] = {.column = {.name = "mmu", .title = "MMU", .kind = REP_SHARE},
		    .key = "mmu",
		    .ascending = true,
		    .doc = "mean utilisation of the lowest of them"},
    [COLUMN_P01] = {.column = {.name = "p0_1", .title = "P0.1", .kind = REP_SHARE, .drop = 6},
		    .doc = "99.9 % of the windows have more"},
    [COLUMN_P1] = {.column = {.name = "p1", .title = "P1", .kind = REP_SHARE, .drop = 5},
		   .doc = "99 % of the windows have more"},
    [COLUMN_AT] = {.column = {.name = "worst_at_ns", .title = "WORST AT", .kind = REP_NS},
		   .key = "worst",
		   .ascending = true,
		   .doc = "when the lowest window begins, since the run did"},
    [COLUMN_LOST] = COLUMN_CAUSE("stw", "STW", 1, "lost in it to stops of the world"),
    COLUMN_CAUSE("background", "BACKGROUND", 2, "lost in it to background workers"),
    COLUMN_CAUSE("assist", "ASSIST", 1, "lost in it to mark assists"),
    COLUMN_CAUSE("sweep", "SWEEP", 3, "lost in it to sweeps"),
    [COLUMN_P] = {.column = {.name = "p", .title = "P", .kind = REP_ID, .drop = 4},
		  .doc = "with --per-p, the P it is of"},
    [COLUMN_RUN] = {.column = {.name = "run", .kind = REP_TEXT, .raw_only = true},
		    .doc = "name of the run it is in"},
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	struct mmu *m = job->state;

	m->include = job->opt->mmu.include ? job->opt->mmu.include : REP_UTIL_USUAL;
	if (job->opt->mmu.windows &&
	    rep_mmu_windows_parse(job->opt->mmu.windows, m->asked, &m->nasked, err))
		return err->code;
	if (m->nasked == 1 && !job->opt->sort)
		job->sort = &columns[COLUMN_MMU];
	return 0;
}

/* The cause whose curve has all that is included. */
static int last_cause(const struct mmu *m)
{
	int last = 0;

	for (int i = 0; i < CAUSES; i++)
		last = m->include >> i & 1 ? i : last;
	return last;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct rep_mmu_options *opt = &job->opt->mmu;
	struct mmu *m = job->state;
	struct rep_gc_facts facts = {0};
	struct rep_util_options util = {
	    .per_p = opt->per_p, .as_go = opt->as_go, .from = v->from, .to = v->to};
	int code = rep_gc_facts_load(&facts, v->store, &v->run->row, v->dict, m->include, err);

	if (!code && opt->as_go)
		code = rep_gc_facts_as_go(&facts, v->store, &v->run->row, v->dict, err);
	for (int i = 0; !code && i < CAUSES; i++) {
		if (!(m->include >> i & 1))
			continue;
		util.include = m->include & ((2u << i) - 1);
		code = rep_utils_add(&m->utils[i], &facts, &util, v->index, err);
	}
	if (facts.no_collector)
		snprintf(job->note, sizeof(job->note),
			 "traces of the kernel's scheduler have no garbage collector");
	rep_gc_facts_release(&facts);
	return code;
}

/* What each cause takes of a window: what is left without it, less what is left with it. */
static void blame(const struct mmu *m, struct row *row)
{
	int64_t from = row->window.at, to = from + row->window.length;
	double before = 1;

	for (int i = 0; i < CAUSES; i++) {
		double left;

		row->lost[i] = NAN;
		if (!(m->include >> i & 1) || row->window.at == TP_NULL)
			continue;
		left = rep_mmu_mean(m->curve[i], row->window.series, from, to);
		row->lost[i] = before - left > 0 ? before - left : 0;
		before = left;
	}
}

static int fill_worst(struct mmu *m, struct rep_mmu *all, int64_t rows, struct tp_err *err)
{
	size_t most = rows > 0 && rows < 1000 ? (size_t)rows : WORST_ROWS;
	struct rep_mmu_window *worst = calloc(most, sizeof(*worst));

	m->row = calloc(most, sizeof(*m->row));
	if (!worst || !m->row) {
		free(worst);
		return rep_job_fail(err, TP_ENOMEM);
	}
	m->n = rep_mmu_worst(all, m->asked[0], worst, most);
	for (size_t i = 0; i < m->n; i++) {
		m->row[i].window = worst[i];
		m->row[i].length = worst[i].length;
		for (int q = 0; q < QUANTILES; q++)
			m->row[i].quantile[q] = NAN;
	}
	free(worst);
	return 0;
}

static int fill_curve(struct mmu *m, struct rep_mmu *all, struct tp_err *err)
{
	int code = 0;

	if (!m->nasked)
		m->nasked = rep_mmu_windows(rep_mmu_length(all), m->asked);
	m->row = calloc(m->nasked + 1, sizeof(*m->row));
	if (!m->row)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; !code && i < m->nasked; i++) {
		struct row *row = &m->row[i];

		row->length = m->asked[i];
		row->window = rep_mmu_minimum(all, m->asked[i]);
		code = rep_mmu_quantiles(all, m->asked[i], shares, row->quantile, QUANTILES, err);
	}
	m->n = m->nasked;
	return code;
}

/* "stw+background" */
static void name_of(unsigned include, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < CAUSES; i++) {
		if (include >> i & 1)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "+" : "",
					      rep_util_names[i]);
	}
}

/* "what stw leaves the program, of all Ps"; a window that is longer than what there is says so. */
static void put_note(struct rep_job *job, const struct mmu *m, int last)
{
	int64_t length = rep_mmu_length(m->curve[last]), most = 0;
	char asked[TP_UNITS_SIZE], there[TP_UNITS_SIZE];
	size_t n;

	snprintf(job->note, sizeof(job->note), "what %s leave%s the program%s%s", m->name[last],
		 m->include & (m->include - 1) ? "" : "s",
		 job->opt->mmu.per_p ? ", each P for itself" : ", of all Ps",
		 job->opt->mmu.as_go ? ", as go tool trace counts it" : "");
	for (size_t i = 0; i < m->nasked; i++)
		most = m->asked[i] > most ? m->asked[i] : most;
	n = strlen(job->note);
	if (most > length && !job->runs[0].row.ticks)
		snprintf(job->note + n, sizeof(job->note) - n,
			 "; for a window of %s all there is, %s, is taken", tp_fmt_ns(asked, most),
			 tp_fmt_ns(there, length));
	else if (most > length)
		snprintf(job->note + n, sizeof(job->note) - n,
			 "; for a window of %lld all there is, %lld, is taken", (long long)most,
			 (long long)length);
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	struct mmu *m = job->state;
	int last = last_cause(m), code = 0;

	for (int i = 0; !code && i < CAUSES; i++) {
		if (m->include >> i & 1)
			code = rep_mmu_new(&m->curve[i], &m->utils[i], err);
		else
			job->hidden |= 1u << (COLUMN_LOST + i);
	}
	if (!job->opt->mmu.per_p)
		job->hidden |= 1u << COLUMN_P;
	if (code || !m->utils[last].n)
		return code;
	if (m->nasked == 1) {
		code = fill_worst(m, m->curve[last], job->opt->rows, err);
		job->hidden |= 1u << COLUMN_P01 | 1u << COLUMN_P1;
	} else {
		code = fill_curve(m, m->curve[last], err);
	}
	for (size_t i = 0; i < m->n; i++)
		blame(m, &m->row[i]);
	job->nrows = m->n;
	name_of(m->include, m->name[last], sizeof(m->name[last]));
	put_note(job, m, last);
	return code;
}

static struct rep_value share(double x)
{
	return isnan(x) ? rep_null() : rep_float(x);
}

static struct rep_value value(struct rep_job *job, size_t i, size_t column)
{
	const struct mmu *m = job->state;
	const struct row *row = &m->row[i];
	const struct rep_util *series =
	    row->window.at == TP_NULL ? NULL : &m->utils[last_cause(m)].series[row->window.series];

	switch (column) {
	case COLUMN_WINDOW:
		return rep_int(row->length);
	case COLUMN_MMU:
		return rep_float(row->window.util < 0 ? 0 : row->window.util);
	case COLUMN_P01:
	case COLUMN_P1:
		return share(row->quantile[column - COLUMN_P01]);
	case COLUMN_AT:
		return rep_opt(row->window.at);
	case COLUMN_P:
		return series && series->p >= 0 ? rep_int(series->p) : rep_null();
	case COLUMN_RUN:
		return series ? rep_str(job->runs[series->run].row.name) : rep_null();
	default:
		return share(row->lost[column - COLUMN_LOST]);
	}
}

/* One line for each cause that is added, over windows at equal distances on a logarithmic axis. */
static int chart(struct rep_job *job, struct rep_chart *out, struct tp_err *err)
{
	struct mmu *m = job->state;
	int last = last_cause(m);
	double length = m->curve[last] ? (double)rep_mmu_length(m->curve[last]) : 0;
	struct rep_chart_line *lines = tp_arena_alloc(&job->texts.arena, CAUSES * sizeof(*lines));
	double *x = tp_arena_alloc(&job->texts.arena, CHART_POINTS * sizeof(*x)), *y;
	const double first = 1000;

	if (!lines || !x)
		return rep_job_fail(err, TP_ENOMEM);
	*out = (struct rep_chart){
	    .title = "minimum mutator utilisation by length of window",
	    .x = {.title = "window",
		  .kind = job->runs[0].row.ticks ? REP_COUNT : REP_NS,
		  .logarithmic = true},
	    .y = {.title = "MMU", .kind = REP_SHARE, .from = 0, .to = 1},
	    .lines = lines,
	};
	if (length < 2 * first)
		return 0;
	for (int k = 0; k < CHART_POINTS; k++)
		x[k] = floor(first * pow(length / first, (double)k / (CHART_POINTS - 1)));
	for (int i = 0; i < CAUSES; i++) {
		if (!(m->include >> i & 1))
			continue;
		y = tp_arena_alloc(&job->texts.arena, CHART_POINTS * sizeof(*y));
		if (!y)
			return rep_job_fail(err, TP_ENOMEM);
		for (int k = 0; k < CHART_POINTS; k++)
			y[k] = rep_mmu_minimum(m->curve[i], (int64_t)x[k]).util;
		name_of(m->include & ((2u << i) - 1), m->name[i], sizeof(m->name[i]));
		lines[out->nlines++] =
		    (struct rep_chart_line){.name = m->name[i], .x = x, .y = y, .n = CHART_POINTS};
	}
	return 0;
}

static void release(struct rep_job *job)
{
	struct mmu *m = job->state;

	for (int i = 0; i < CAUSES; i++) {
		rep_mmu_free(m->curve[i]);
		rep_utils_release(&m->utils[i]);
	}
	free(m->row);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct mmu),
    .begin = begin,
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
    .chart = chart,
};

const struct rep_report rep_report_mmu = {
    .name = "mmu",
    .doc = "minimum mutator utilisation: the least that the collector leaves",
    .rows = "windows",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "window",
    .filters = REP_BY_TIME,
    .ops = &ops,
};
