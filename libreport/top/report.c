#include "top/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "task/choose.h"

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

/* ---- texts ---- */

struct rep_value rep_job_goroutine(const struct rep_job *job, uint32_t run, int64_t id)
{
	return rep_goids_value(&job->goids[run], id);
}

struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region)
{
	struct tp_text why = tp_dict_text(job->texts.dict, reason);
	struct tp_text type = tp_dict_text(job->texts.dict, subtask);
	struct tp_text name = tp_dict_text(job->texts.dict, region);
	const char *what = state ? rep_state_name(state) : "nobody";
	size_t size = strlen(what) + why.size + type.size + name.size + 16, n = 0;
	char *text = tp_arena_alloc(&job->texts.arena, size);

	if (!text)
		return rep_lack();
	if (state == TP_ST_WAITING && why.size) {
		memcpy(text, why.text, why.size);
		n = why.size;
	} else {
		n = strlen(what);
		memcpy(text, what, n);
		if (why.size) {
			memcpy(text + n, " (", 2);
			memcpy(text + n + 2, why.text, why.size);
			n += 2 + why.size;
			text[n++] = ')';
		}
	}
	if (type.size || name.size) {
		memcpy(text + n, " in ", 4);
		n += 4;
	}
	memcpy(text + n, type.text, type.size);
	n += type.size;
	if (type.size && name.size)
		text[n++] = '/';
	memcpy(text + n, name.text, name.size);
	return rep_text(text, n + name.size);
}

/* ---- rows of numbers ---- */

/* Behind the columns of a row comes its run. */
static size_t row_size(const struct rep_job *job)
{
	return job->report->ncolumns + 1;
}

int64_t *rep_job_row_at(const struct rep_job *job, size_t row)
{
	return &job->row[row * row_size(job)];
}

int64_t *rep_job_row(struct rep_job *job, const struct rep_view *v)
{
	int64_t *row;

	if (tp_grow(&job->row, &job->row_room, job->nrows, row_size(job) * sizeof(*job->row)))
		return NULL;
	row = rep_job_row_at(job, job->nrows++);
	row[job->report->ncolumns] = (int64_t)v->index;
	return row;
}

struct rep_value rep_job_cell(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *cells = rep_job_row_at(job, row);
	int64_t cell = cells[column];
	uint32_t id = (uint32_t)cell, run = (uint32_t)cells[job->report->ncolumns];

	switch (job->report->columns[column].cell) {
	case REP_CELL_RUN:
		return rep_str(job->runs[run].row.name);
	case REP_CELL_GOROUTINE:
		return rep_job_goroutine(job, run, cell);
	case REP_CELL_STRING:
		return rep_texts_string(&job->texts, id, "");
	case REP_CELL_ENTRY:
		return rep_texts_string(&job->texts, id, "(unknown)");
	case REP_CELL_WHERE:
		return rep_stack_where(&job->texts, id);
	case REP_CELL_STACK:
		return rep_stack_names(&job->texts, id);
	default:
		return rep_opt(cell);
	}
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

/* ---- sums ---- */

void rep_sum_add(struct rep_sum *s, int64_t count, int64_t total_ns, int64_t min_ns, int64_t max_ns)
{
	if (min_ns == TP_NULL)
		min_ns = 0;
	if (!s->count || min_ns < s->min_ns)
		s->min_ns = min_ns;
	if (!s->count || max_ns > s->max_ns)
		s->max_ns = max_ns;
	tp_sum(&s->count, count);
	tp_sum(&s->total_ns, total_ns);
}

static struct rep_value mean(const struct rep_sum *s)
{
	int64_t n = s->count;

	/* Rounded half up, without a sum that might not fit. */
	return n > 0 ? rep_int(s->total_ns / n + (s->total_ns % n >= n - n / 2)) : rep_null();
}

/* A percentile, kept within what the sum knows of the values. */
static struct rep_value percentile(const struct rep_sum *s, const struct rep_percentiles *p,
				   int which)
{
	int64_t ns = p->ns[which];

	if (!p->known)
		return rep_null();
	if (!p->exact && ns < s->min_ns)
		ns = s->min_ns;
	if (!p->exact && ns > s->max_ns)
		ns = s->max_ns;
	return rep_int(ns);
}

struct rep_value rep_share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

int64_t rep_states_total(const int64_t *ns)
{
	int64_t sum = 0;

	for (int i = 0; i < TP_NSTATES; i++)
		tp_sum(&sum, ns[i]);
	return sum;
}

int64_t rep_states_syscall(const int64_t *ns)
{
	int64_t sum = ns[TP_ST_SYSCALL];

	tp_sum(&sum, ns[TP_ST_SYSCALL_BLOCKED]);
	return sum;
}

struct rep_value rep_sum_value(const struct rep_sum *s, const struct rep_percentiles *p,
			       int64_t whole, enum rep_sum_column column)
{
	switch (column) {
	case REP_SUM_COUNT:
		return rep_int(s->count);
	case REP_SUM_TOTAL:
		return rep_int(s->total_ns);
	case REP_SUM_SHARE:
		return rep_share(s->total_ns, whole);
	case REP_SUM_MEAN:
		return mean(s);
	case REP_SUM_P50:
	case REP_SUM_P90:
	case REP_SUM_P99:
		return percentile(s, p, (int)(column - REP_SUM_P50) + REP_P50);
	case REP_SUM_MAX:
		return rep_int(s->max_ns);
	default:
		return p->known ? rep_int(p->exact) : rep_null();
	}
}
