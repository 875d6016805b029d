/* procs: how busy the Ps were. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/report.h"

struct proc {
	int64_t id;
	uint32_t run;
	int64_t starts;
	int64_t running_ns, idle_ns;
	int64_t length_ns; /* of the time range of its run */
};

struct procs {
	struct rep_keys keys; /* run, index of the P */
	struct proc *proc;
	size_t room;
};

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
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .doc = "name of the run"},
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
    [COLUMN_IDLE] = REP_COLUMN_NS("idle_ns", "IDLE", "idle", 0, "held by nobody"),
    [COLUMN_UNKNOWN] =
	REP_COLUMN_NS("unknown_ns", "UNKNOWN", NULL, 1, "before the trace speaks of it, or lost"),
    [COLUMN_STARTS] =
	{.column = {.name = "starts", .title = "STARTS", .kind = REP_COUNT, .drop = 2},
	 .key = "starts",
	 .doc = "how often it was started"},
};

static int begin(struct rep_job *job, struct tp_err *err)
{
	job->state = calloc(1, sizeof(struct procs));
	return job->state ? 0 : rep_job_fail(err, TP_ENOMEM);
}

static int proc_of(struct procs *all, struct rep_view *v, int64_t p, struct proc **proc,
		   struct tp_err *err)
{
	uint32_t index;
	int code = rep_keys_add(&all->keys, (uint32_t)v->index, (uint32_t)p, 0, 0, &index);

	if (!code)
		code = tp_grow(&all->proc, &all->room, index, sizeof(*all->proc));
	if (code)
		return rep_job_fail(err, code);
	*proc = &all->proc[index];
	(*proc)->run = (uint32_t)v->index;
	(*proc)->id = REP_COL(v, PROC, id)[p];
	(*proc)->length_ns = rep_view_length(v);
	return 0;
}

/* ns in a state, as far as the range holds it. */
static void add_time(struct proc *proc, const struct rep_view *v, unsigned state, int64_t start,
		     int64_t end)
{
	int64_t ns;

	if (!rep_view_overlaps(v, start, end))
		return;
	ns = tp_minus(rep_view_clip_end(v, end), rep_view_clip_start(v, start));
	if (state == TP_ST_RUNNING)
		tp_sum(&proc->running_ns, ns);
	else if (state == TP_ST_IDLE)
		tp_sum(&proc->idle_ns, ns);
}

/* Segments inside the range. */
static int add_sums(struct procs *all, struct rep_view *v, const bool *inside, struct tp_err *err)
{
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_TIME]; i++) {
		int64_t segment = REP_COL(v, PROC_TIME, segment)[i],
			p = REP_COL(v, PROC_TIME, p)[i];
		int64_t ns = REP_COL(v, PROC_TIME, total_ns)[i];
		struct proc *proc;
		int code;

		if (segment < 0 || (uint64_t)segment >= v->nsegments || !inside[segment] || p < 0 ||
		    (uint64_t)p >= v->nrows[TP_TABLE_PROC])
			continue;
		code = proc_of(all, v, p, &proc, err);
		if (code)
			return code;
		if (REP_COL(v, PROC_TIME, state)[i] == TP_ST_RUNNING) {
			tp_sum(&proc->running_ns, ns);
			tp_sum(&proc->starts, REP_COL(v, PROC_TIME, count)[i]);
		} else if (REP_COL(v, PROC_TIME, state)[i] == TP_ST_IDLE) {
			tp_sum(&proc->idle_ns, ns);
		}
	}
	return 0;
}

struct state_since {
	unsigned state;
	int64_t since;
	bool known;
	bool before; /* the P was there before the segment */
};

/* A P's first transition in a segment says in which state it was before: since the segment began,
 * or since the last Sync where the trace had not spoken of it yet (as timeline/proc.c has it). */
static struct state_since state_before(const struct tp_event *ev, bool before, int64_t from_ns,
				       int64_t sync_ns)
{
	struct state_since s = {.state = ev->from, .since = before ? from_ns : sync_ns};

	if (ev->from == TP_ST_UNDETERMINED)
		s.state = ev->to;
	else if (ev->from == TP_ST_NOT_EXIST)
		s.since = ev->ts;
	return s;
}

static int on_events(struct procs *all, struct rep_view *v, const struct tp_segment *s,
		     struct state_since *now, int64_t *sync_ns, const struct tp_event *ev, size_t n,
		     struct tp_err *err)
{
	size_t np = v->nrows[TP_TABLE_PROC];

	for (size_t i = 0; i < n; i++, ev++) {
		struct state_since was;
		struct proc *proc;
		uint32_t p = ev->subject;
		int code;

		if (ev->type == TP_EV_SYNC)
			*sync_ns = ev->ts;
		if (tp_event_descs[ev->type].subject != 'P' || ev->from == ev->to || p >= np)
			continue;
		code = proc_of(all, v, p, &proc, err);
		if (code)
			return code;
		was = now[p];
		if (!was.known)
			was = state_before(ev, was.before, s->from_ns, *sync_ns);
		add_time(proc, v, was.state, was.since, ev->ts);
		if (ev->to == TP_ST_RUNNING && rep_view_overlaps(v, ev->ts, ev->ts))
			tp_sum(&proc->starts, 1);
		now[p] = (struct state_since){ev->to, ev->ts, true, true};
	}
	return 0;
}

/* The time of Ps within a segment that the range cuts, from its events. */
static int add_events(struct procs *all, struct rep_view *v, size_t segment,
		      struct state_since *now, struct tp_err *err)
{
	const struct tp_segment *s = &v->segments[segment];
	const struct tp_event_range range = {INT64_MIN, INT64_MAX, s->first_block, s->blocks};
	size_t n, np = v->nrows[TP_TABLE_PROC];
	struct tp_event_reader *r = NULL;
	int64_t sync_ns = s->from_ns;
	const struct tp_event *ev;
	int code;

	memset(now, 0, np * sizeof(*now));
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_TIME]; i++) {
		int64_t p = REP_COL(v, PROC_TIME, p)[i];

		if (p >= 0 && (uint64_t)p < np &&
		    REP_COL(v, PROC_TIME, segment)[i] < (int64_t)segment)
			now[p].before = true;
	}
	code = tp_events_open(&r, v->store, v->run->row.id, &range, err);
	while (!code && (code = tp_events_next(r, &ev, &n, err)) > 0)
		code = on_events(all, v, s, now, &sync_ns, ev, n, err);
	if (r)
		tp_events_close(r);
	/* Ps whose state does not change in it have one row of all its time. */
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_PROC_TIME]; i++) {
		int64_t p = REP_COL(v, PROC_TIME, p)[i];

		if (REP_COL(v, PROC_TIME, segment)[i] != (int64_t)segment || p < 0 ||
		    (uint64_t)p >= np || now[p].known)
			continue;
		now[p] = (struct state_since){(unsigned)REP_COL(v, PROC_TIME, state)[i], s->from_ns,
					      true, true};
	}
	for (size_t p = 0; !code && p < np; p++) {
		struct proc *proc;

		if (!now[p].known)
			continue;
		code = proc_of(all, v, (int64_t)p, &proc, err);
		if (!code)
			add_time(proc, v, now[p].state, now[p].since, s->to_ns);
	}
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct procs *all = job->state;
	struct state_since *now;
	bool *inside;
	int code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_PROC_TIME,
				     (1u << tp_tables[TP_TABLE_PROC_TIME].ncolumns) - 1, err);
	if (code)
		return code;
	now = calloc(v->nrows[TP_TABLE_PROC] + 1, sizeof(*now));
	inside = calloc(v->nsegments + 1, sizeof(*inside));
	if (!now || !inside)
		code = rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; !code && i < v->nsegments; i++)
		inside[i] = rep_segment_inside(v, &v->segments[i]);
	if (!code)
		code = add_sums(all, v, inside, err);
	for (size_t i = 0; !code && i < v->nsegments; i++) {
		if (rep_segment_cut(v, &v->segments[i]))
			code = add_events(all, v, i, now, err);
	}
	free(now);
	free(inside);
	job->nrows = all->keys.n;
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	(void)err;
	if (job->nruns == 1)
		job->hidden |= 1u << COLUMN_RUN;
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	struct procs *all = job->state;
	const struct proc *p = &all->proc[row];

	switch (column) {
	case COLUMN_RUN:
		return rep_str(job->runs[p->run].row.name);
	case COLUMN_P:
		return rep_int(p->id);
	case COLUMN_UTILISATION:
		return rep_share(p->running_ns, p->length_ns);
	case COLUMN_RUNNING:
		return rep_int(p->running_ns);
	case COLUMN_IDLE:
		return rep_int(p->idle_ns);
	case COLUMN_UNKNOWN:
		return rep_int(tp_minus(tp_minus(p->length_ns, p->running_ns), p->idle_ns));
	default:
		return rep_int(p->starts);
	}
}

static void release(struct rep_job *job)
{
	struct procs *all = job->state;

	if (!all)
		return;
	rep_keys_release(&all->keys);
	free(all->proc);
	free(all);
}

static const struct rep_report_ops ops = {
    .begin = begin,
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

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
