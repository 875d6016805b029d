/* Where the incident lies. */
#include "incident/incident.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "clock/clock.h"
#include "clock/when.h"
#include "task/request.h"
#include "task/tasks.h"

const char *const rep_incident_kinds[REP_NINCIDENT_KINDS] = {
    [REP_INCIDENT_RUNNING] = "running", [REP_INCIDENT_RUNNABLE] = "runnable",
    [REP_INCIDENT_BLOCK] = "block",	[REP_INCIDENT_LOCK] = "lock",
    [REP_INCIDENT_SYSCALL] = "syscall", [REP_INCIDENT_GC] = "gc",
    [REP_INCIDENT_TASK] = "task",
};

/* Of the range, unless a length is given; at most LAST_MOST of a run with a clock. */
#define LAST_SHARE  20
#define EVENTS_MOST 4000000
#define LAST_MOST   ((int64_t)200 * 1000 * 1000)

static int parse_length(const char *text, int64_t whole, int64_t *ns, struct tp_err *err)
{
	int code = *text == '-' ? 0 : rep_filter_time(text, "--last", whole, ns, err);

	if (!code && (*text == '-' || *ns <= 0 || rep_is_when(text)))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--last '%s' is not a length: give it like 200ms or 5%%", text);
	return code;
}

static bool is_id(const char *text)
{
	return *text && !text[strspn(text, "0123456789")] && strlen(text) < 19;
}

int rep_incident_check(const struct rep_incident_options *opt, struct tp_err *err)
{
	int64_t ns;
	int code = 0;

	if (opt->task && rep_is_request(opt->task))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--request does not apply to the report 'incident'; the report "
				  "task lists the request's tasks: give --task the id of one");
	if (opt->task && !is_id(opt->task))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the report 'incident' is about the time of one task: give "
				  "--task the id of one, as the report task lists them");
	if (opt->task && (opt->last || opt->around))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--task=ID says when the incident was, and so does --%s; give "
				  "one of them",
				  opt->last ? "last" : "around");
	if (opt->last)
		code = parse_length(opt->last, INT64_MAX / 2, &ns, err);
	if (!code && opt->around)
		code = rep_filter_time(opt->around, "--around", INT64_MAX / 2, &ns, err);
	return code;
}

/* ---- the incident ---- */

static int find_task(struct rep_incident *x, struct rep_view *v, const char *id, struct tp_err *err)
{
	struct rep_tasks tasks;
	uint32_t row;
	int code = rep_tasks_init_ids(&tasks, v, err);

	row = code ? TP_NONE : rep_tasks_find(&tasks, strtoll(id, NULL, 10));
	if (!code && row == TP_NONE)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "there is no task %s; the report task lists tasks", id);
	if (!code) {
		x->from = rep_task_start(&tasks, row);
		x->to = rep_task_end(&tasks, row);
	}
	rep_tasks_release(&tasks);
	return code;
}

/* A moment of the clock needs that of the run; times since the run began do not. */
static int find_moment(struct rep_view *v, const char *text, int64_t *at, struct tp_err *err)
{
	const struct rep_filter_text moment = {.from = text};
	struct rep_clock clock = {0};
	bool needs = rep_filter_needs_clock(&moment);
	int64_t to, duration = v->run->row.duration_ns;
	int code = needs ? rep_clock_load(v->store, v->run, &clock, err) : 0;

	if (!code && needs)
		code = rep_filter_range_at(&moment, duration, &clock, at, &to, err);
	else if (!code)
		code = rep_filter_time(text, "--around", duration, at, err);
	rep_clock_release(&clock);
	/* A range begins with the run if its moment is before that. */
	if (!code && *at == INT64_MIN)
		*at = -1;
	return code;
}

static int find_stretch(struct rep_incident *x, struct rep_view *v,
			const struct rep_incident_options *opt, struct tp_err *err)
{
	int64_t whole = tp_minus(x->end, x->begin), at = 0, length = whole / LAST_SHARE;
	int code = 0;

	if (!v->run->row.ticks && length > LAST_MOST)
		length = LAST_MOST;
	if (opt->last)
		code = rep_filter_check_unit(opt->last, "--last", v->run, err);
	if (!code && opt->last)
		code = parse_length(opt->last, whole, &length, err);
	if (!code && opt->around)
		code = rep_filter_check_unit(opt->around, "--around", v->run, err);
	if (!code && opt->around)
		code = find_moment(v, opt->around, &at, err);
	if (code)
		return code;
	if (opt->around && (at < x->begin || at > x->end))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "--around %s lies outside of the run or of the time range",
				  opt->around);
	if (length < 1)
		length = 1;
	if (length > whole)
		length = whole;
	x->from = tp_minus(x->end, length);
	/* Near an end of the range, the moment is not in the middle. */
	if (opt->around && tp_minus(at, length / 2) < x->from)
		x->from = tp_minus(at, length / 2);
	if (x->from < x->begin)
		x->from = x->begin;
	x->to = tp_plus(x->from, length);
	return 0;
}

/* Returns whether no other window fits into the range. */
static bool is_alone(const struct rep_incident *x)
{
	int64_t length = tp_minus(x->to, x->from);

	return tp_minus(x->from, x->begin) < length && tp_minus(x->end, x->to) < length;
}

static int nothing_else(const struct rep_incident *x, const struct rep_incident_options *opt,
			struct tp_err *err)
{
	if (opt->task)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "task %s is too long to be compared: no other window of its "
				  "length fits into the run or the time range; tprof-path TRACE "
				  "--task=%s shows where its time went",
				  opt->task, opt->task);
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the incident is too long to be compared: no other window of its length "
			  "fits into the run or the time range; give a shorter %s",
			  x->selected ? "time range" : "--last");
}

int rep_incident_find(struct rep_incident *x, struct rep_view *v,
		      const struct rep_incident_options *opt, struct tp_err *err)
{
	int code = 0;

	*x = (struct rep_incident){.most = EVENTS_MOST,
				   .damaged = v->run->losses > 0,
				   .begin = rep_view_clip_start(v, 0),
				   .end = rep_view_clip_end(v, v->run->row.duration_ns),
				   .selected =
				       !v->whole && !opt->task && !opt->last && !opt->around};
	if (x->end <= x->begin)
		x->end = x->begin + 1;
	if (x->selected) {
		x->from = x->begin;
		x->to = x->end;
		x->begin = 0;
		x->end = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 1;
	} else if (opt->task) {
		code = find_task(x, v, opt->task, err);
	} else {
		code = find_stretch(x, v, opt, err);
	}
	if (code)
		return code;
	x->from = x->from > x->begin ? x->from : x->begin;
	x->to = x->to < x->end ? x->to : x->end;
	if (x->from >= x->to)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the incident lies outside of the time range");
	return is_alone(x) && (opt->task || opt->last || x->selected) ? nothing_else(x, opt, err)
								      : 0;
}

struct rep_incident_range rep_incident_enter(const struct rep_incident *x, struct rep_view *v)
{
	struct rep_incident_range before = {v->from, v->to, v->whole};

	v->from = x->from;
	v->to = x->to < v->run->row.duration_ns ? x->to : INT64_MAX;
	v->whole = false;
	return before;
}

void rep_incident_leave(struct rep_view *v, const struct rep_incident_range *before)
{
	v->from = before->from;
	v->to = before->to;
	v->whole = before->whole;
}

void rep_incident_release(struct rep_incident *x)
{
	free(x->window);
	free(x->row);
	free(x->cell);
	free(x->scratch);
	rep_keys_release(&x->keys);
	*x = (struct rep_incident){0};
}
