/* cpu: functions by the samples of the CPU profiler, where the trace holds them. */
#include <stdio.h>
#include <stdlib.h>

#include "profile/trace.h"
#include "task/inside.h"
#include "top/report.h"

struct cpu {
	int64_t samples;
	int64_t stacks; /* counted so far */
	bool any;	/* there are samples, whatever the filters leave */
};

enum {
	COLUMN_FUNCTION,
	COLUMN_FLAT,
	COLUMN_FLAT_SHARE,
	COLUMN_CUM,
	COLUMN_CUM_SHARE,
	NCOLUMNS,
	NUMBER_SEEN = NCOLUMNS, /* number of the stack that counted it last */
	NNUMBERS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_FUNCTION] = {.column = {.name = "function",
				    .title = "FUNCTION",
				    .kind = REP_TEXT,
				    .shorten = REP_SHORTEN_FUNCTION,
				    .least = 24},
			 .cell = REP_CELL_ENTRY,
			 .key = "function",
			 .doc = "function"},
    [COLUMN_FLAT] = {.column = {.name = "flat", .title = "FLAT", .kind = REP_COUNT},
		     .key = "flat",
		     .doc = "samples in the function itself"},
    [COLUMN_FLAT_SHARE] = {.column = {.name = "flat_share", .title = "FLAT%", .kind = REP_SHARE},
			   .doc = "of all samples here"},
    [COLUMN_CUM] = {.column = {.name = "cum", .title = "CUM", .kind = REP_COUNT},
		    .key = "cum",
		    .doc = "samples in it and what it called"},
    [COLUMN_CUM_SHARE] = {.column = {.name = "cum_share", .title = "CUM%", .kind = REP_SHARE},
			  .doc = "of all samples here"},
};

static int add_function(struct rep_job *job, struct rep_view *v, uint32_t frame, int64_t samples,
			bool leaf)
{
	const struct cpu *c = job->state;
	uint32_t name, index;
	int64_t *row;
	int code = rep_view_string(v, tp_dict_frame_name(v->dict, frame), &name);

	if (!code)
		code = rep_job_key(job, v, name, 0, 0, &index);
	if (code)
		return code;
	row = rep_job_row_at(job, index);
	row[COLUMN_FUNCTION] = name;
	if (leaf)
		row[COLUMN_FLAT] += samples;
	/* Recursion counts once. */
	if (row[NUMBER_SEEN] != c->stacks) {
		row[NUMBER_SEEN] = c->stacks;
		row[COLUMN_CUM] += samples;
	}
	return 0;
}

static int add_stack(struct rep_job *job, struct rep_view *v, uint32_t stack, int64_t samples)
{
	struct cpu *c = job->state;
	uint32_t at = stack;
	int code = 0;

	c->stacks++;
	c->samples += samples;
	if (!stack)
		return add_function(job, v, 0, samples, true);
	while (!code && at) {
		struct tp_stack_node node = tp_dict_stack_at(v->dict, at);

		code = add_function(job, v, node.frame, samples, at == stack);
		at = node.parent < at ? node.parent : 0;
	}
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct cpu *c = job->state;
	size_t nstacks = tp_dict_stacks(v->dict);
	const struct rep_filter_text *text = &v->filter->text;
	struct rep_inside inside = {0};
	int64_t *samples, none;
	int code = rep_view_load(v, TP_TABLE_CPU_SAMPLE,
				 REP_BIT(CPU_SAMPLE, ts_ns) | REP_BIT(CPU_SAMPLE, goroutine) |
				     REP_BIT(CPU_SAMPLE, stack),
				 err);

	c->any |= !code && v->nrows[TP_TABLE_CPU_SAMPLE];
	if (!code && v->nrows[TP_TABLE_CPU_SAMPLE])
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) |
					 (v->filter->by_id ? REP_BIT(GOROUTINE, id) : 0),
				     err);
	if (code)
		return code;
	samples = calloc(nstacks + 1, sizeof(*samples));
	if (!samples)
		return rep_job_fail(err, TP_ENOMEM);
	if (rep_filter_inside(v->filter))
		code = rep_inside_init(&inside, v, text->task, text->region, err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_CPU_SAMPLE]; i++) {
		int64_t ts = REP_COL(v, CPU_SAMPLE, ts_ns)[i];
		int64_t goroutine = REP_COL(v, CPU_SAMPLE, goroutine)[i];
		uint32_t stack = (uint32_t)REP_COL(v, CPU_SAMPLE, stack)[i];

		if (stack >= nstacks || !rep_view_overlaps(v, ts, ts) ||
		    !rep_view_matches(v, goroutine, stack) ||
		    (rep_filter_inside(v->filter) &&
		     !rep_inside_clip(&inside, goroutine, ts, ts, &none)))
			continue;
		samples[stack]++;
	}
	for (uint32_t i = 0; !code && i < nstacks; i++) {
		if (samples[i] && (code = add_stack(job, v, i, samples[i])))
			rep_job_fail(err, code);
	}
	free(samples);
	rep_inside_release(&inside);
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct cpu *c = job->state;

	(void)err;
	if (!c->any)
		snprintf(job->note, sizeof(job->note), "%s", REP_NOTE_NO_SAMPLES);
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct cpu *c = job->state;

	/* The number of a share is the column before it. */
	return column == COLUMN_FLAT_SHARE || column == COLUMN_CUM_SHARE
		   ? rep_share(rep_job_row_at(job, row)[column - 1], c->samples)
		   : rep_job_cell(job, row, column);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct cpu),
    .add = add,
    .finish = finish,
    .value = value,
};

const struct rep_report rep_report_cpu = {
    .name = "cpu",
    .doc = "functions by samples of the CPU profiler in the trace",
    .rows = "functions",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .numbers = NNUMBERS,
    .sort = "flat",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE,
    .ops = &ops,
};
