#include "top/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"

int(rep_job_fail)(struct tp_err *err, int code)
{
	return tp_err_full(err, code,
			   "too much for one report; pick fewer tasks, "
			   "goroutines or less time (--task, --goroutine, "
			   "--from, --to)");
}

int rep_top_pick(struct rep_pick *choice, const struct rep_top_options *opt, struct tp_err *err)
{
	const struct rep_pick_text text = {
	    .task = opt->filter.task,
	    .region = opt->filter.region,
	    .min = opt->min,
	    .max = opt->max,
	    .log = opt->log,
	};

	return rep_pick_init(choice, &text, err);
}

int rep_job_tasks(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	int code = job->picks ? 0 : rep_top_pick(&job->choice, job->opt, err);

	job->picks = true;
	if (!code) {
		rep_tasks_release(&job->tasks);
		code = rep_tasks_init(&job->tasks, v, err);
	}
	return code ? code : rep_pick_run(&job->choice, &job->tasks, err);
}

/* ---- texts ---- */

struct rep_value rep_job_goroutine(const struct rep_job *job, uint32_t run, int64_t id)
{
	return rep_goids_value(&job->goids[run], id);
}

static const char *name_of_state(unsigned state)
{
	return state ? rep_state_name(state) : "nobody";
}

struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region)
{
	struct tp_text why = tp_dict_text(job->texts.dict, reason);
	struct tp_text type = tp_dict_text(job->texts.dict, subtask);
	struct tp_text name = tp_dict_text(job->texts.dict, region);
	bool bare = state == TP_ST_WAITING && why.size; /* the reason says it all */
	const struct tp_text parts[] = {
	    rep_text_of(bare ? "" : name_of_state(state)),
	    rep_text_of(!bare && why.size ? " (" : ""),
	    why,
	    rep_text_of(!bare && why.size ? ")" : ""),
	    rep_text_of(type.size || name.size ? " in " : ""),
	    type,
	    rep_text_of(type.size && name.size ? "/" : ""),
	    name,
	};

	return rep_texts_join(&job->texts, parts, TP_COUNT_OF(parts));
}

/* ---- rows of numbers ---- */

int64_t *rep_job_rows(struct rep_job *job, const struct rep_view *v, size_t n)
{
	size_t size = job->width * sizeof(*job->row);
	int64_t *rows;

	if (n > 1 && job->nrows + n > job->row_room) {
		/* No more than that: there may be millions. */
		rows = tp_more(job->row, job->nrows + n, size);
		if (!rows)
			return NULL;
		job->row = rows;
		job->row_room = job->nrows + n;
	}
	if (tp_grow_raw(&job->row, &job->row_room, job->nrows + n - 1, size))
		return NULL;
	rows = rep_job_row_at(job, job->nrows);
	memset(rows, 0, n * size);
	for (size_t i = 0; i < n; i++)
		rep_job_row_at(job, job->nrows++)[job->width - 1] = (int64_t)v->index;
	return rows;
}

int rep_job_key(struct rep_job *job, const struct rep_view *v, uint32_t a, uint32_t b, uint32_t c,
		uint32_t *row)
{
	int code = rep_keys_add(&job->keys, a, b, c, 0, row);

	return !code && *row == job->nrows && !rep_job_row(job, v) ? TP_ENOMEM : code;
}

struct rep_value rep_job_cell(struct rep_job *job, size_t row, size_t column)
{
	const struct rep_report *r = job->report;
	const int64_t *numbers = rep_job_row_at(job, row);
	int64_t number = numbers[r->number ? r->number[column] : column];
	uint32_t id = (uint32_t)number, run = (uint32_t)numbers[job->width - 1];
	enum rep_cell_kind kind = r->columns[column].cell;

	if (kind == REP_CELL_RUN)
		return rep_str(job->runs[run].row.name);
	if (number == TP_NULL)
		return rep_null();
	switch (kind) {
	case REP_CELL_GOROUTINE:
		return rep_job_goroutine(job, run, number);
	case REP_CELL_STRING:
		return rep_texts_string(&job->texts, id, "");
	case REP_CELL_ENTRY:
		return rep_texts_string(&job->texts, id, "(unknown)");
	case REP_CELL_STATE:
		return rep_str(name_of_state(id));
	case REP_CELL_WHERE:
		return rep_stack_where(&job->texts, id);
	case REP_CELL_FUNCTION:
		return rep_stack_function(&job->texts, id);
	case REP_CELL_LOCATION:
		return rep_stack_location(&job->texts, id);
	case REP_CELL_STACK:
		return rep_stack_names(&job->texts, id);
	default:
		return rep_int(number);
	}
}

void rep_job_hide_zeros(struct rep_job *job, size_t column)
{
	size_t at = job->report->number ? job->report->number[column] : column;

	if (job->nonzero >> at & 1)
		return;
	for (size_t i = 0; i < job->nrows; i++)
		if (rep_job_row_at(job, i)[at])
			return;
	job->hidden |= UINT64_C(1) << column;
}

int rep_row_string(int64_t *cell, struct rep_view *v, int64_t string)
{
	uint32_t common;
	int code = rep_view_string(v, (uint32_t)string, &common);

	if (!code)
		*cell = common;
	return code;
}

int rep_row_stack(int64_t *cell, struct rep_view *v, int64_t stack)
{
	uint32_t common;
	int code = rep_view_stack(v, (uint32_t)stack, &common);

	if (!code)
		*cell = common;
	return code;
}
