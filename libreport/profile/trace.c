/* Views of a trace as profiles.
 *
 * A profile adds up the same parts as tprof-top (sums/part.h), with the same filters, so both agree
 * to the nanosecond; for cpu, the rows of the table cpu_sample. Inside tasks and regions, and for
 * the stacks at which running ended, it adds up single spans, read from the events. */
#include "profile/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "decode/period.h"
#include "profile/trace_go.h"
#include "profile/trace_stack.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "sums/part.h"
#include "task/inside.h"

const struct rep_trace_view_desc rep_trace_views[] = {
    [REP_TRACE_CPU] = {"cpu", "samples of the CPU profiler, where the trace holds them"},
    [REP_TRACE_RUNNING] = {"running", "time on a P, by the stack at which it ended"},
    [REP_TRACE_OFFCPU] = {"offcpu", "time blocked, by stack and reason"},
    [REP_TRACE_SCHED] = {"sched", "time runnable (scheduling latency), by what made it runnable"},
    [REP_TRACE_SYSCALL] = {"syscall", "time in system calls, by where they were entered"},
    [REP_TRACE_WALL] = {"wall", "all time of goroutines, by stack and state"},
    [REP_NTRACE_VIEWS] = {NULL, NULL},
};

#define BIT(state) (1u << TP_ST_##state)

/* States a view adds up. */
static const uint32_t view_states[REP_NTRACE_VIEWS] = {
    [REP_TRACE_RUNNING] = BIT(RUNNING), [REP_TRACE_OFFCPU] = BIT(WAITING),
    [REP_TRACE_SCHED] = BIT(RUNNABLE),	[REP_TRACE_SYSCALL] = BIT(SYSCALL) | BIT(SYSCALL_BLOCKED),
    [REP_TRACE_WALL] = UINT32_MAX,
};

/* runtime/pprof's rate is 100 Hz; a trace of a Go program does not say whether it set another. */
#define CPU_PERIOD_NS INT64_C(10000000)

/* Returns the time that a CPU sample stands for, or 0 if that is not known: what perf samples has any rate, so
 * its samples are only counted. */
static int64_t period_of(const struct tp_run *run, const struct tp_dict *d)
{
	uint32_t string = 0;
	int64_t ns = tp_cpu_period(d, &string);
	bool go = run->format && !strncmp(run->format, "go ", 3);

	return run->ticks ? 0 : ns ? ns : go ? CPU_PERIOD_NS : 0;
}

enum { COUNT, TIME, NTYPES };

struct sum {
	int64_t value[NTYPES];
};

struct building {
	const struct rep_trace_profile_options *opt;
	struct rep_view v;
	struct rep_inside inside;
	bool everywhere; /* not limited to tasks or regions */
	struct tp_profile *p;
	struct rep_trace_stacks stacks;
	struct rep_keys keys; /* entry, stack, state and reason (0 unless the leaf says them) */
	struct sum *sum;      /* by key */
	size_t room;
	uint32_t label_key;
};

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(
	    err, code,
	    "the run has more than 2^30 stacks; select a part of it with --from and --to");
}

static int add(struct building *b, uint32_t entry, uint32_t stack, unsigned state, uint32_t reason,
	       int64_t count, int64_t time)
{
	uint32_t at;
	int code = rep_keys_add(&b->keys, entry, stack, state, reason, &at);

	if (!code)
		code = tp_grow(&b->sum, &b->room, at, sizeof(*b->sum));
	if (code)
		return code;
	tp_sum(&b->sum[at].value[COUNT], count);
	tp_sum(&b->sum[at].value[TIME], time);
	return 0;
}

/* Adds goroutine time in one state, under the key that the view uses. */
static int add_time(struct building *b, uint32_t entry, uint32_t stack, unsigned state,
		    uint32_t reason, int64_t count, int64_t time)
{
	bool wall = b->opt->view == REP_TRACE_WALL;
	bool reasons = (wall || b->opt->view == REP_TRACE_OFFCPU) && state == TP_ST_WAITING;

	return add(b, entry, stack, wall || reasons ? state : 0, reasons ? reason : 0, count, time);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct building *b = ctx;
	int code;

	if (!(view_states[b->opt->view] >> part->state & 1))
		return 0;
	code = add_time(b, part->entry, part->stack, part->state, part->reason, part->count,
			part->total_ns);
	return code ? fail(err, code) : 0;
}

/* ---- single spans ---- */

/* Computes how much of a span is inside the time range, tasks and regions. Returns whether any of
 * it is. */
static bool clip(const struct building *b, int64_t goroutine, int64_t start, int64_t end,
		 int64_t *ns)
{
	const struct rep_view *v = &b->v;

	if (!b->everywhere)
		return rep_inside_clip(&b->inside, goroutine, start, end, ns);
	*ns = tp_minus(rep_view_clip_end(v, end), rep_view_clip_start(v, start));
	return rep_view_overlaps(v, start, end);
}

static int put_span(struct building *b, int64_t goroutine, unsigned state, uint32_t reason,
		    uint32_t stack, int64_t start, int64_t end, struct tp_err *err)
{
	struct rep_view *v = &b->v;
	uint32_t entry;
	int64_t ns;
	int code;

	if (b->opt->stop && atomic_load_explicit(b->opt->stop, memory_order_relaxed))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	if (state >= TP_NSTATES || !(view_states[b->opt->view] >> state & 1) ||
	    !clip(b, goroutine, start, end, &ns))
		return 0;
	entry = rep_view_entry(v, goroutine);
	if ((v->filter->by_id && !rep_view_match_goroutine(v, goroutine)) ||
	    !rep_match_span(&v->match, entry, state, reason, stack))
		return 0;
	code = add_time(b, entry, stack, state, reason, 1, ns);
	return code ? fail(err, code) : 0;
}

/* Of spans that cross into another segment, only those of running are read from the events: the
 * table lacks the stack at which they ended. */
static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct building *b = ctx;
	bool ran = span->state == TP_ST_RUNNING;

	if (crosses && !ran)
		return 0;
	return put_span(b, span->goroutine, span->state, span->reason,
			ran && b->opt->view == REP_TRACE_RUNNING ? end_stack : span->stack,
			span->start, span->end, err);
}

static int add_crossing(struct building *b, struct tp_err *err)
{
	struct rep_view *v = &b->v;
	int code = 0;

	for (size_t i = 0; !code && i < rep_crossings(v); i++) {
		struct rep_crossing c;

		if (rep_crossing_at(v, i, &c) && c.span.state != TP_ST_RUNNING)
			code = put_span(b, c.span.goroutine, c.span.state, c.span.reason,
					c.span.stack, c.span.start, c.span.end, err);
	}
	return code;
}

/* Marks the segments that overlap the time range, tasks and regions, and those in which running
 * spans from there end. */
static int want_segments(struct building *b, bool *wanted)
{
	const struct rep_view *v = &b->v;
	int code = 0;

	for (size_t i = 0; b->everywhere && i < v->nsegments; i++)
		wanted[i] =
		    rep_segment_inside(v, &v->segments[i]) || rep_segment_cut(v, &v->segments[i]);
	if (!b->everywhere)
		code = rep_inside_segments(&b->inside, v, wanted);
	for (size_t i = 0; !code && i < rep_crossings(v); i++) {
		struct rep_crossing c;
		int64_t ns;

		if (rep_crossing_at(v, i, &c) && c.span.state == TP_ST_RUNNING && c.last >= 0 &&
		    (uint64_t)c.last < v->nsegments &&
		    clip(b, c.span.goroutine, c.span.start, c.span.end, &ns))
			wanted[c.last] = true;
	}
	return code;
}

static int add_spans(struct building *b, struct tp_err *err)
{
	struct rep_view *v = &b->v;
	bool *wanted = calloc(v->nsegments + 1, sizeof(*wanted));
	int code = wanted ? rep_view_load(v, TP_TABLE_GOROUTINE,
					  REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err)
			  : fail(err, TP_ENOMEM);

	if (!code)
		code = rep_crossings_load(v, err);
	if (!code && (code = want_segments(b, wanted)))
		fail(err, code);
	if (!code)
		code = add_crossing(b, err);
	if (!code)
		code = rep_segments_each(v, wanted, on_span, b, err);
	free(wanted);
	return code;
}

/* ---- samples of the CPU profiler ---- */

static int add_cpu_samples(struct building *b, struct tp_err *err)
{
	struct rep_view *v = &b->v;
	int64_t period;
	int code = rep_view_load(v, TP_TABLE_CPU_SAMPLE,
				 REP_BIT(CPU_SAMPLE, ts_ns) | REP_BIT(CPU_SAMPLE, goroutine) |
				     REP_BIT(CPU_SAMPLE, stack),
				 err);

	if (!code && v->nrows[TP_TABLE_CPU_SAMPLE])
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) |
					 (v->filter->by_id ? REP_BIT(GOROUTINE, id) : 0),
				     err);
	if (code)
		return code;
	period = period_of(&v->run->row, v->dict);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_CPU_SAMPLE]; i++) {
		int64_t ts = REP_COL(v, CPU_SAMPLE, ts_ns)[i];
		int64_t goroutine = REP_COL(v, CPU_SAMPLE, goroutine)[i];
		uint32_t stack = (uint32_t)REP_COL(v, CPU_SAMPLE, stack)[i];
		uint32_t entry = rep_view_entry(v, goroutine);
		int64_t ns;

		if (stack >= tp_dict_stacks(v->dict) || !clip(b, goroutine, ts, ts, &ns) ||
		    !rep_view_match_goroutine(v, goroutine) ||
		    !rep_match_frames(&v->match, entry, stack))
			continue;
		code = add(b, entry, stack, 0, 0, 1, period);
	}
	return code ? fail(err, code) : 0;
}

/* ---- the profile ---- */

/* Returns whether the run's frames have addresses, but no functions (go 1.5). */
static bool nameless(const struct tp_dict *d)
{
	return tp_dict_functions(d) <= 1 && tp_dict_frames(d) > 1;
}

static int describe(struct building *b)
{
	const struct tp_run *run = &b->v.run->row;
	bool cpu = b->opt->view == REP_TRACE_CPU;
	const char *unit = run->ticks ? "ticks" : "nanoseconds";
	struct tp_mapping m = {0};
	int code;

	/* Go's CPU profiles have the types samples and cpu, which lets them be compared with this
	 * one. */
	code = rep_trace_add_type(b->p, cpu ? "samples" : "events", "count");
	if (!code && (!cpu || period_of(run, b->v.dict)))
		code = rep_trace_add_type(b->p, rep_trace_views[b->opt->view].name, unit);
	if (!code && cpu && period_of(run, b->v.dict)) {
		b->p->period_type = b->p->types[TIME];
		b->p->period = period_of(run, b->v.dict);
	}
	if (!nameless(b->v.dict))
		m.flags = TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES | TP_MAPPING_LINES |
			  TP_MAPPING_INLINES;
	if (!code)
		code = tp_profile_add_mapping(b->p, &m, &b->stacks.mapping);
	if (!code)
		code = tp_dict_string(b->p->dict, "goroutine", strlen("goroutine"), &b->label_key);
	snprintf(b->p->format, sizeof(b->p->format), "%s", "trace");
	if (run->wall_ns != TP_NULL)
		b->p->time_ns = run->wall_ns + rep_view_clip_start(&b->v, 0);
	b->p->duration_ns = run->ticks ? 0 : rep_view_length(&b->v);
	return code;
}

static struct rep_trace_leaf leaf_of(unsigned state, uint32_t reason)
{
	struct rep_trace_leaf leaf = {0};

	switch (state) {
	case TP_ST_RUNNING:
		leaf.text = "[running]";
		break;
	case TP_ST_RUNNABLE:
		leaf.text = "[runnable]";
		break;
	case TP_ST_WAITING:
		leaf.reason = reason;
		leaf.text = reason ? NULL : "[blocked]";
		break;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		leaf.text = "[syscall]";
		break;
	case TP_ST_LOST:
		leaf.text = "[lost]";
		break;
	default:
		break;
	}
	return leaf;
}

static int add_samples(struct building *b)
{
	int code = 0;

	for (size_t i = 0; !code && i < b->keys.n; i++) {
		const uint32_t *key = b->keys.key[i].part;
		struct rep_trace_leaf leaf = leaf_of(key[2], key[3]);
		struct tp_label label = {.key = b->label_key};
		uint32_t stack, set = 0;

		stack = rep_trace_stack(&b->stacks, key[0], key[1], &leaf);
		label.text = rep_trace_string(&b->stacks, key[0]);
		code = b->stacks.code;
		if (!code && label.text)
			code = tp_profile_label_set(b->p, &label, 1, &set);
		if (!code)
			code = tp_profile_add_sample(b->p, stack, set, b->sum[i].value);
	}
	return code;
}

int rep_trace_profile_check(const struct rep_trace_profile_options *opt, struct tp_err *err)
{
	const struct rep_filter_text *text = &opt->filter;
	const char *option = text->state ? "--state" : text->reason ? "--reason" : NULL;
	struct rep_filter filter;
	int code;

	if (opt->go && text->state)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "--state does not apply to --pprof, whose profiles are of one state");
	if (!opt->go && opt->view == REP_TRACE_CPU && option)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s does not apply to the view 'cpu'", option);
	code = rep_filter_init(&filter, text, err);
	rep_filter_release(&filter);
	if (!code)
		code = rep_filter_check_range(text, err);
	return code ? code : rep_inside_check(opt->task, opt->region, err);
}

static int build(struct building *b, struct tp_store *store, const struct rep_run *run,
		 const struct rep_filter *filter, struct tp_err *err)
{
	int code = rep_view_init(&b->v, store, run, filter, NULL, err);

	if (code)
		return code;
	b->p = tp_profile_new();
	if (!b->p)
		return fail(err, TP_ENOMEM);
	b->stacks.from = b->v.dict;
	b->stacks.to = b->p;
	b->everywhere = !b->opt->task && !b->opt->region;
	if (!b->everywhere)
		code =
		    b->opt->go
			? rep_inside_init_go(&b->inside, &b->v, b->opt->task, b->opt->region, err)
			: rep_inside_init(&b->inside, &b->v, b->opt->task, b->opt->region, err);
	if (!code && b->opt->go)
		return rep_trace_go_profile(&b->v, b->opt->go, b->everywhere ? NULL : &b->inside,
					    b->p, err);
	if (!code && b->opt->view == REP_TRACE_CPU)
		code = add_cpu_samples(b, err);
	else if (!code && b->everywhere && b->opt->view != REP_TRACE_RUNNING)
		code = rep_parts_each(&b->v, 0, on_part, b, err);
	else if (!code)
		code = add_spans(b, err);
	if (code)
		return code;
	code = describe(b);
	if (!code)
		code = add_samples(b);
	return code ? fail(err, code) : 0;
}

int rep_trace_profile(struct tp_store *store, const struct rep_run *run,
		      const struct rep_trace_profile_options *opt, struct tp_profile **p,
		      struct tp_err *err)
{
	struct building b = {.opt = opt};
	struct rep_filter filter = {0};
	int code = rep_trace_profile_check(opt, err);

	*p = NULL;
	if (!code)
		code = rep_filter_init(&filter, &opt->filter, err);
	if (!code)
		code = build(&b, store, run, &filter, err);
	if (!code)
		code = rep_matcher_settle(&b.v.match, err);
	if (!code && opt->members)
		rep_members_add(opt->members, &b.v.members);
	if (!code) {
		*p = b.p;
		b.p = NULL;
	}
	tp_profile_free(b.p);
	rep_trace_stacks_release(&b.stacks);
	rep_inside_release(&b.inside);
	rep_keys_release(&b.keys);
	free(b.sum);
	rep_view_release(&b.v);
	rep_filter_release(&filter);
	return code;
}
