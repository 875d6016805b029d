/* procs: how busy the Ps were. */
#include "base/sum.h"
#include "top/report.h"

enum {
	COLUMN_RUN,
	COLUMN_P,
	COLUMN_UTILISATION,
	COLUMN_RUNNING,
	COLUMN_IDLE,
	COLUMN_UNKNOWN,
	COLUMN_STARTS,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_P] = {.column = {.name = "p", .title = "P", .kind = REP_ID},
		  .key = "p",
		  .doc = "number of the P"},
    [COLUMN_UTILISATION] = {.column = {.name = "utilisation",
				       .title = "UTILISATION",
				       .kind = REP_SHARE},
			    .key = "utilisation",
			    .doc = "running / time of the run (or of the time range)"},
    [COLUMN_RUNNING] = REP_COLUMN_NS("running_ns", "RUNNING", "running", 0,
				     "held by a thread: running Go code or in the runtime"),
    [COLUMN_IDLE] = REP_COLUMN_NS("idle_ns", "IDLE", "idle", 0, "held by no thread"),
    [COLUMN_UNKNOWN] =
	REP_COLUMN_NS("unknown_ns", "UNKNOWN", NULL, 1, "before the trace mentions it, or lost"),
    [COLUMN_STARTS] =
	{.column = {.name = "starts", .title = "STARTS", .kind = REP_COUNT, .drop = 2},
	 .key = "starts",
	 .doc = "how often it was started"},
};

/* Adds time of a P (an index) in a state. The number of the column UTILISATION is the length of the
 * time range, from which shares are worked out. */
static int add_time(struct rep_job *job, struct rep_view *v, int64_t p, int64_t state, int64_t ns,
		    int64_t starts)
{
	uint32_t index;
	int64_t *row;
	int code;

	if (p < 0 || (uint64_t)p >= v->nrows[TP_TABLE_PROC])
		return 0;
	code = rep_job_key(job, v, (uint32_t)v->index, (uint32_t)p, 0, &index);
	if (code)
		return code;
	row = rep_job_row_at(job, index);
	row[COLUMN_P] = REP_COL(v, PROC, id)[p];
	row[COLUMN_UTILISATION] = rep_view_length(v);
	if (state == TP_ST_RUNNING) {
		tp_sum(&row[COLUMN_RUNNING], ns);
		tp_sum(&row[COLUMN_STARTS], starts);
	} else if (state == TP_ST_IDLE) {
		tp_sum(&row[COLUMN_IDLE], ns);
	}
	return 0;
}

/* Adds up the whole run, from its sums. */
static int add_sums(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_PROC_TIME,
				 REP_BIT(PROC_TIME, p) | REP_BIT(PROC_TIME, state) |
				     REP_BIT(PROC_TIME, count) | REP_BIT(PROC_TIME, total_ns),
				 err);

	if (code)
		return code;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_PROC_TIME]; i++)
		code =
		    add_time(job, v, REP_COL(v, PROC_TIME, p)[i], REP_COL(v, PROC_TIME, state)[i],
			     REP_COL(v, PROC_TIME, total_ns)[i], REP_COL(v, PROC_TIME, count)[i]);
	return code ? rep_job_fail(err, code) : 0;
}

/* Adds up what the range holds of the times that Ps were in a state. */
static int add_spans(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_PROC_SPAN,
				 REP_BIT(PROC_SPAN, p) | REP_BIT(PROC_SPAN, state) |
				     REP_BIT(PROC_SPAN, start_ns) | REP_BIT(PROC_SPAN, end_ns),
				 err);

	if (code)
		return code;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_PROC_SPAN]; i++) {
		int64_t start = REP_COL(v, PROC_SPAN, start_ns)[i];
		int64_t end = REP_COL(v, PROC_SPAN, end_ns)[i];

		if (!rep_view_overlaps(v, start, end))
			continue;
		code =
		    add_time(job, v, REP_COL(v, PROC_SPAN, p)[i], REP_COL(v, PROC_SPAN, state)[i],
			     tp_minus(rep_view_clip_end(v, end), rep_view_clip_start(v, start)),
			     rep_view_overlaps(v, start, start));
	}
	return code ? rep_job_fail(err, code) : 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);

	if (code)
		return code;
	return v->whole ? add_sums(job, v, err) : add_spans(job, v, err);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *cells = rep_job_row_at(job, row);
	int64_t length = cells[COLUMN_UTILISATION];

	switch (column) {
	case COLUMN_UTILISATION:
		return rep_share(cells[COLUMN_RUNNING], length);
	case COLUMN_UNKNOWN:
		return rep_int(
		    tp_minus(tp_minus(length, cells[COLUMN_RUNNING]), cells[COLUMN_IDLE]));
	default:
		return rep_job_cell(job, row, column);
	}
}

static const struct rep_report_ops ops = {.add = add, .value = value};

const struct rep_report rep_report_procs = {
    .name = "procs",
    .doc = "how busy the Ps (processors of the Go scheduler) were",
    .rows = "Ps",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "running",
    .filters = REP_BY_TIME,
    .ops = &ops,
};
