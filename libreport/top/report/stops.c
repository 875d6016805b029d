/* stops: stops of the world one by one, with their causes. */
#include <string.h>

#include "base/sum.h"
#include "top/report.h"

enum {
	COLUMN_RUN,
	COLUMN_DURATION,
	COLUMN_AT,
	COLUMN_CAUSE,
	COLUMN_GOROUTINE,
	COLUMN_ENTRY,
	COLUMN_WHERE,
	COLUMN_COMPLETE,
	COLUMN_STACK,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_DURATION] = REP_COLUMN_NS("duration_ns", "STOPPED", "duration", 0,
				      "from the first P that stops to the last that goes on, "
				      "within the time range"),
    [COLUMN_AT] = {.column = {.name = "at_ns", .title = "AT", .kind = REP_NS},
		   .key = "at",
		   .ascending = true,
		   .doc = "when it began, since the run did; or the beginning of the time "
			  "range, if later"},
    [COLUMN_CAUSE] = {.column = {.name = "cause", .title = "CAUSE", .kind = REP_TEXT, .least = 20},
		      .cell = REP_CELL_STRING,
		      .key = "cause",
		      .doc = "as the runtime names it"},
    [COLUMN_GOROUTINE] =
	{.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 2},
	 .cell = REP_CELL_GOROUTINE,
	 .key = "goroutine",
	 .doc = "goroutine that stopped it"},
    [COLUMN_ENTRY] = {.column = {.name = "entry",
				 .title = "ENTRY",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_FUNCTION,
				 .drop = 3},
		      .cell = REP_CELL_ENTRY,
		      .doc = "entry function of that goroutine"},
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "WHERE",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_WHERE},
		      .cell = REP_CELL_WHERE,
		      .doc = "what it was doing: callers from right to left"},
    [COLUMN_COMPLETE] = {.column = {.name = "complete", .kind = REP_BOOL, .raw_only = true},
			 .doc = "both ends are in the trace (and the time range)"},
    [COLUMN_STACK] = REP_COLUMN_STACK("its frames, the innermost first"),
};

static const char stop_the_world[] = "stop-the-world";

static bool is_stop(struct tp_text t)
{
	return tp_text_begins(t, stop_the_world);
}

/* Sets a cell to the cause: of "stop-the-world (GC sweep termination)" what is in parentheses. */
static int put_cause(int64_t *cell, struct rep_job *job, struct tp_text name)
{
	const uint32_t before = sizeof(stop_the_world) + 1;
	uint32_t id;
	int code;

	if (name.size > before + 1 && !memcmp(name.text + before - 2, " (", 2) &&
	    name.text[name.size - 1] == ')')
		name = (struct tp_text){name.text + before, name.size - before - 1};
	code = tp_dict_string(job->texts.dict, name.text, name.size, &id);
	*cell = id;
	return code;
}

static int add_row(struct rep_job *job, struct rep_view *v, size_t i)
{
	int64_t start = REP_COL(v, RANGE, start_ns)[i], end = REP_COL(v, RANGE, end_ns)[i];
	int64_t g = REP_COL(v, RANGE, goroutine)[i];
	int64_t *row = rep_job_row(job, v);
	int code;

	if (!row)
		return TP_ENOMEM;
	row[COLUMN_AT] = rep_view_clip_start(v, start);
	row[COLUMN_DURATION] = tp_minus(rep_view_clip_end(v, end), row[COLUMN_AT]);
	row[COLUMN_GOROUTINE] = rep_view_goid(v, g);
	row[COLUMN_COMPLETE] =
	    REP_COL(v, RANGE, complete)[i] == 1 && start >= v->from && end <= v->to;
	code = put_cause(&row[COLUMN_CAUSE], job,
			 tp_dict_text(v->dict, (uint32_t)REP_COL(v, RANGE, name)[i]));
	if (!code)
		code = rep_row_string(&row[COLUMN_ENTRY], v, rep_view_entry(v, g));
	if (!code)
		code = rep_row_stack(&row[COLUMN_WHERE], v, REP_COL(v, RANGE, stack)[i]);
	row[COLUMN_STACK] = row[COLUMN_WHERE];
	return code;
}

static int add_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct rep_job *job = ctx;
	int64_t last = -1;
	bool stop = false;
	int code = rep_view_load(v, TP_TABLE_GOROUTINE,
				 REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);

	(void)first;
	if (code)
		return code;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_RANGE]; i++) {
		int64_t name = REP_COL(v, RANGE, name)[i], g = REP_COL(v, RANGE, goroutine)[i];

		if (name != last)
			stop = is_stop(tp_dict_text(v->dict, (uint32_t)name));
		last = name;
		if (!stop ||
		    !rep_view_overlaps(v, REP_COL(v, RANGE, start_ns)[i],
				       REP_COL(v, RANGE, end_ns)[i]) ||
		    !rep_view_matches(v, g, REP_COL(v, RANGE, stack)[i]))
			continue;
		code = add_row(job, v, i);
	}
	return code ? rep_job_fail(err, code) : 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	return rep_view_visit(v, TP_TABLE_RANGE,
			      REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) |
				  REP_BIT(RANGE, end_ns) | REP_BIT(RANGE, goroutine) |
				  REP_BIT(RANGE, stack) | REP_BIT(RANGE, complete),
			      add_rows, job, err);
}

static const struct rep_report_ops ops = {.add = add};

const struct rep_report rep_report_stops = {
    .name = "stops",
    .doc = "stops of the world one by one, the longest first",
    .rows = "stops",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "duration",
    .filters = REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE,
    .ops = &ops,
};
