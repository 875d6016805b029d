/* stops: stops of the world one by one, with who caused them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/report.h"

struct stop {
	int64_t start, ns;
	int64_t goroutine; /* id, TP_NULL for none */
	uint32_t name, entry, stack, run;
	bool complete;
};

struct stops {
	struct stop *v;
	size_t n, room;
};

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
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .doc = "name of the run"},
    [COLUMN_DURATION] = REP_COLUMN_NS("duration_ns", "STOPPED", "duration", 0,
				      "from the first P that stops to the last that goes on"),
    [COLUMN_AT] = {.column = {.name = "at_ns", .title = "AT", .kind = REP_NS},
		   .key = "at",
		   .ascending = true,
		   .doc = "when it began, since the run did"},
    [COLUMN_CAUSE] = {.column = {.name = "cause", .title = "CAUSE", .kind = REP_TEXT, .least = 20},
		      .key = "cause",
		      .doc = "as the runtime names it"},
    [COLUMN_GOROUTINE] =
	{.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID, .drop = 2},
	 .key = "goroutine",
	 .doc = "who stopped it"},
    [COLUMN_ENTRY] = {.column = {.name = "entry",
				 .title = "ENTRY",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_FUNCTION,
				 .drop = 3},
		      .doc = "entry function of that goroutine"},
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "WHERE",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_RIGHT},
		      .doc = "what it was doing: callers from right to left"},
    [COLUMN_COMPLETE] = {.column = {.name = "complete", .kind = REP_BOOL, .raw_only = true},
			 .doc = "both ends are in the trace (and the time range)"},
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("stack", "its frames, the innermost first"),
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	job->state = calloc(1, sizeof(struct stops));
	return job->state ? 0 : rep_job_fail(err, TP_ENOMEM);
}

static bool is_stop(struct tp_text t)
{
	return t.size >= 14 && !memcmp(t.text, "stop-the-world", 14);
}

static int add_row(struct stops *s, struct rep_view *v, size_t i)
{
	int64_t start = REP_COL(v, RANGE, start_ns)[i], end = REP_COL(v, RANGE, end_ns)[i];
	int64_t g = REP_COL(v, RANGE, goroutine)[i];
	uint32_t index = (uint32_t)s->n;
	struct stop *x;
	int code = tp_grow(&s->v, &s->room, index, sizeof(*s->v));

	if (code)
		return code;
	x = &s->v[index];
	*x = (struct stop){.start = rep_view_clip_start(v, start),
			   .run = (uint32_t)v->index,
			   .goroutine = TP_NULL,
			   .complete = REP_COL(v, RANGE, complete)[i] == 1 && start >= v->from &&
				       end <= v->to};
	x->ns = tp_minus(rep_view_clip_end(v, end), x->start);
	if (g >= 0 && (uint64_t)g < v->nrows[TP_TABLE_GOROUTINE])
		x->goroutine = REP_COL(v, GOROUTINE, id)[g];
	code = rep_view_string(v, (uint32_t)REP_COL(v, RANGE, name)[i], &x->name);
	if (!code)
		code = rep_view_string(v, rep_view_entry(v, g), &x->entry);
	if (!code)
		code = rep_view_stack(v, (uint32_t)REP_COL(v, RANGE, stack)[i], &x->stack);
	s->n += !code;
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct stops *s = job->state;
	int64_t last = -1;
	bool stop = false;
	int code = rep_view_load(v, TP_TABLE_RANGE,
				 REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) |
				     REP_BIT(RANGE, end_ns) | REP_BIT(RANGE, goroutine) |
				     REP_BIT(RANGE, stack) | REP_BIT(RANGE, complete),
				 err);

	if (!code && v->nrows[TP_TABLE_RANGE])
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
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
		    !rep_view_match_goroutine(v, g) ||
		    !rep_match_frames(&v->match, rep_view_entry(v, g),
				      (uint32_t)REP_COL(v, RANGE, stack)[i]))
			continue;
		code = add_row(s, v, i);
	}
	job->nrows = s->n;
	return code ? rep_job_fail(err, code) : 0;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	(void)err;
	if (job->nruns == 1)
		job->hidden |= 1u << COLUMN_RUN;
	return 0;
}

/* "stop-the-world (GC sweep termination)" is "GC sweep termination". */
static struct rep_value cause(struct rep_job *job, uint32_t name)
{
	struct tp_text t = tp_dict_text(job->texts.dict, name);

	if (t.size > 17 && t.text[14] == ' ' && t.text[15] == '(' && t.text[t.size - 1] == ')')
		return rep_text(t.text + 16, t.size - 17);
	return rep_text(t.text, t.size);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct stop *x = &((struct stops *)job->state)->v[row];

	switch (column) {
	case COLUMN_RUN:
		return rep_str(job->runs[x->run].row.name);
	case COLUMN_DURATION:
		return rep_int(x->ns);
	case COLUMN_AT:
		return rep_int(x->start);
	case COLUMN_CAUSE:
		return cause(job, x->name);
	case COLUMN_GOROUTINE:
		return rep_job_goroutine(job, x->run, x->goroutine);
	case COLUMN_ENTRY:
		return rep_texts_string(&job->texts, x->entry, "(unknown)");
	case COLUMN_WHERE:
		return rep_stack_where(&job->texts, x->stack);
	case COLUMN_COMPLETE:
		return rep_int(x->complete);
	default:
		return rep_stack_names(&job->texts, x->stack);
	}
}

static void release(struct rep_job *job)
{
	struct stops *s = job->state;

	if (s)
		free(s->v);
	free(s);
}

static const struct rep_report_ops ops = {
    .begin = begin,
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

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
