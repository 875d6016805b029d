/* Reads what perf script prints of the scheduler's events (decode/sched/tracepoint.h), of other events between
 * them, and of their stacks. A line of an event holds until the next one; what is in between is its stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "base/table.h"
#include "decode/period.h"
#include "order/sched/calls.h"
#include "order/sched/threads.h"

#define MAX_EVENTS     1024 /* kinds that are counted by name; the last is for all others */
#define PROGRESS_LINES 65536

/* How often an event of one name occurs. */
struct count {
	struct tp_scan event;
	uint64_t n, with_stack;
};

struct reader {
	struct tp_sched s;
	struct tp_input *in;
	struct tp_lines lines;
	struct tp_sched_context c; /* the event that is read */
	struct tp_tracepoint tp;
	bool pending;	   /* it is not delivered yet */
	bool open, wanted; /* its stack may go on; is kept */
	bool sampled;	   /* it is a sample */
	bool counted;	   /* it is among those with a stack */
	struct tp_buf frames;
	struct tp_frame last; /* the latest frame, for the line with its place */

	struct count counts[MAX_EVENTS], *count; /* of the event that is read */
	uint32_t ncounts;
	struct tp_table by_name;
	uint64_t seed;
	size_t released;       /* bytes whose pages are not needed soon */
	struct tp_scan sample; /* the event whose samples are kept */
	int64_t period;	       /* ns of each; 0: there are none; -1: it varies, or is no time */
	uint64_t other_samples, others;
};

static int failed(struct reader *r, int code)
{
	if (code && !r->s.code)
		r->s.code = tp_err_full(r->s.err, code, "the trace has too many names or stacks");
	return r->s.code;
}

static int lose(struct reader *r, uint64_t events, const char *why)
{
	struct tp_loss loss = {.offset = tp_lines_offset(&r->lines),
			       .bytes = tp_lines_bytes(&r->lines),
			       .from_ns = INT64_MIN,
			       .to_ns = INT64_MIN,
			       .events = events};

	snprintf(loss.reason, sizeof(loss.reason), "line %llu %s",
		 (unsigned long long)r->lines.number, why);
	if (r->s.opt->strict)
		return r->s.code = tp_err_set(r->s.err, TP_EFORMAT, loss.offset, "%s", loss.reason);
	return failed(r, tp_trace_add_loss(r->s.trace, &loss));
}

/* ---- stacks ---- */

/* Returns whether a function at the leaf is the scheduler itself, or what reports its event. */
static bool is_scheduler(struct tp_scan name)
{
	static const char *const whole[] = {"__schedule", "schedule", "preempt_schedule",
					    "preempt_schedule_common", "preempt_schedule_irq"};
	static const char *const begin[] = {"__traceiter_", "perf_trace_",
					    "trace_event_raw_event_"};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (tp_scan_begins(name, begin[i]))
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (tp_scan_is(name, whole[i]))
			return true;
	return false;
}

static int put_frame(struct reader *r, const struct tp_frame *frame)
{
	uint32_t id;
	int code = tp_dict_frame(r->s.trace->dict, frame, &id);

	r->last = *frame;
	return failed(r, code ? code : tp_buf_put(&r->frames, &id, sizeof(id)));
}

/* A function with a name has no address: its lines do not differ then. */
static int add_frame(struct reader *r, const struct tp_perf_frame *from)
{
	struct tp_dict *d = r->s.trace->dict;
	struct tp_location where = {.address = from->address};
	struct tp_function function = {0};
	struct tp_frame frame = {.inlined = from->inlined};
	bool named = from->name.at < from->name.end;
	int code = 0;

	if (!r->wanted || (!r->frames.size && !r->sampled && is_scheduler(from->name)))
		return 0;
	if (from->dso.at < from->dso.end)
		code = tp_dict_string(d, from->dso.at, tp_scan_left(&from->dso), &function.file);
	if (!code && named)
		code = tp_dict_string(d, from->name.at, tp_scan_left(&from->name), &function.name);
	if (!code && (named || function.file))
		code = tp_dict_function(d, &function, &frame.function);
	if (!code && !named)
		code = tp_dict_location(d, &where, &frame.location);
	return failed(r, code) ? r->s.code : put_frame(r, &frame);
}

/* Gives the latest frame its file and line. */
static int add_place(struct reader *r, const struct tp_perf_place *place)
{
	struct tp_dict *d = r->s.trace->dict;
	struct tp_frame frame = r->last;
	struct tp_function function = tp_dict_function_at(d, frame.function);
	int code = tp_dict_string(d, place->file.at, tp_scan_left(&place->file), &function.file);

	if (!code)
		code = tp_dict_function(d, &function, &frame.function);
	frame.line = place->line;
	frame.inlined |= place->inlined;
	r->frames.size -= sizeof(uint32_t);
	return failed(r, code) ? r->s.code : put_frame(r, &frame);
}

/* ---- events ---- */

static struct count *count_of(struct reader *r, struct tp_scan event)
{
	static const char others[] = "(others)";
	size_t n = tp_scan_left(&event);
	uint64_t hash = tp_hash_bytes(r->seed, event.at, n);

	for (struct tp_probe p = {0}; tp_table_next(&r->by_name, hash, &p);)
		if (tp_scan_left(&r->counts[p.row].event) == n &&
		    !memcmp(r->counts[p.row].event.at, event.at, n))
			return &r->counts[p.row];
	if (r->ncounts < MAX_EVENTS - 1) {
		r->s.code = tp_table_add(&r->by_name, hash, r->ncounts) ? tp_nomem(r->s.err) : 0;
		r->counts[r->ncounts].event = event;
		return &r->counts[r->ncounts++];
	}
	r->ncounts = MAX_EVENTS;
	r->counts[MAX_EVENTS - 1].event = (struct tp_scan){others, others + sizeof(others) - 1};
	return &r->counts[MAX_EVENTS - 1];
}

static void note_period(struct reader *r)
{
	int64_t period = tp_perf_is_clock(r->sample) ? r->c.line.period : -1;

	r->period = !r->period || r->period == period ? period : -1;
}

/* Says what CPU samples stand for, if they come at a fixed rate. */
static int add_period(struct reader *r)
{
	char text[TP_CPU_PERIOD_SIZE + 24];
	uint32_t id;

	if (r->period <= 0)
		return 0;
	snprintf(text, sizeof(text), TP_CPU_PERIOD "%lld", (long long)r->period);
	return tp_dict_string(r->s.trace->dict, text, strlen(text), &id);
}

static int end_event(struct reader *r)
{
	r->open = false;
	if (!r->pending)
		return 0;
	r->pending = false;
	r->c.frames = (const void *)r->frames.data;
	r->c.nframes = r->frames.size / sizeof(uint32_t);
	if (r->sampled) {
		note_period(r);
		return tp_sched_sample(&r->s, &r->c);
	}
	return tp_sched_tracepoint(&r->s, &r->c, &r->tp);
}

static bool is_sample(struct reader *r, const struct tp_perf_sample *line)
{
	struct tp_scan event = tp_perf_event(line->event);

	if (tp_perf_is_tracepoint(line))
		return false;
	if (!r->sample.at)
		r->sample = event;
	if (tp_scan_left(&event) == tp_scan_left(&r->sample) &&
	    !memcmp(event.at, r->sample.at, tp_scan_left(&event)))
		return true;
	r->other_samples++;
	return false;
}

static int begin_event(struct reader *r, const struct tp_perf_sample *line)
{
	struct tp_scan event = tp_perf_event(line->event);
	struct tp_perf_frame frame;

	r->c.line = *line;
	r->frames.size = 0;
	r->open = r->pending = true;
	r->counted = false;
	r->count = count_of(r, event);
	r->count->n++;
	r->sampled = is_sample(r, line);
	if ((line->cpu < 0 && !r->sampled) || line->time_ns < 0) {
		r->open = r->pending = r->wanted = false;
		return lose(r, 1, "has no processor or no time (perf script -F +cpu,+time)");
	}
	if (!tp_tracepoint_read(event, line->rest, &r->tp)) {
		r->open = r->pending = r->wanted = false;
		return lose(r, 1, "does not have the fields of its event");
	}
	r->wanted =
	    r->sampled || (r->tp.type >= TP_TRACEPOINT_SWITCH && r->tp.type <= TP_TRACEPOINT_FORK);
	if (r->sampled && tp_perf_frame(line->rest, true, &frame))
		return add_frame(r, &frame);
	return 0;
}

static int read_line(struct reader *r)
{
	struct tp_perf_line line;
	uint64_t lost;
	int code;

	tp_perf_line(r->lines.line, &line);
	switch (line.kind) {
	case TP_PERF_BLANK:
		r->open &= !r->frames.size;
		return 0;
	case TP_PERF_COMMENT:
		return 0;
	case TP_PERF_SAMPLE:
		r->s.next_ts = line.sample.time_ns < 0 ? INT64_MAX : line.sample.time_ns;
		code = end_event(r);
		return code ? code : begin_event(r, &line.sample);
	case TP_PERF_RECORD:
		r->s.next_ts = INT64_MAX;
		code = end_event(r);
		lost = tp_perf_lost(&line.sample);
		return code || !lost ? code : lose(r, lost, "says that perf lost events");
	case TP_PERF_FRAME:
		if (r->count && !r->counted)
			r->count->with_stack++;
		r->counted = true;
		return r->open ? add_frame(r, &line.frame) : 0;
	case TP_PERF_PLACE:
		if (!r->open || r->counted)
			return r->open && r->frames.size ? add_place(r, &line.place) : 0;
		break;
	case TP_PERF_OTHER:
		break;
	}
	r->others++;
	return 0;
}

static int report_progress(struct reader *r)
{
	const struct tp_trace_options *opt = r->s.opt;
	size_t done = tp_lines_offset(&r->lines);

	tp_input_done_with(r->in, r->released, done);
	r->released = done;
	if (!opt->progress || !opt->progress(opt->progress_ctx, done, r->in->size))
		return 0;
	return r->s.code = tp_err_set(r->s.err, TP_ECANCEL, TP_OFFSET_NONE, "cancelled");
}

static int read_text(struct reader *r)
{
	while (!r->s.code && tp_lines_next(&r->lines)) {
		read_line(r);
		if (r->lines.number % PROGRESS_LINES == 0)
			report_progress(r);
	}
	if (!r->s.code && r->open && r->in->data[r->in->size - 1] != '\n') {
		r->pending = false;
		lose(r, 1, "is cut off, and its event with it");
	}
	r->s.next_ts = INT64_MAX;
	if (!r->s.code)
		end_event(r);
	return r->s.code;
}

/* ---- the end ---- */

static int add_loss(struct reader *r, const char *what, uint64_t n, const char *why)
{
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};

	if (!n)
		return 0;
	snprintf(loss.reason, sizeof(loss.reason), "%s: %llu; %s", what, (unsigned long long)n,
		 why);
	if (r->s.opt->strict)
		return r->s.code =
			   tp_err_set(r->s.err, TP_EFORMAT, TP_OFFSET_NONE, "%s", loss.reason);
	return tp_trace_add_loss(r->s.trace, &loss);
}

static int add_remarks(struct reader *r)
{
	struct tp_trace *t = r->s.trace;
	char name[sizeof(t->wires->name)];
	int code = add_loss(r, "events that contradict those before them", r->s.contradictions,
			    "others are missing between: lost, or of processes that were not "
			    "recorded (perf record -a -m 4M)");

	if (!code)
		code = add_loss(r, "time stamps out of order", r->s.late,
				"these events are not between those before and after them, and are "
				"given the time of one of these");
	if (!code && r->s.wakeups && r->s.unwoken)
		code = tp_trace_add_notice(
		    t, TP_INFO, TP_OFFSET_NONE,
		    "waits that end without a wake-up event: %llu; their wakers are unknown",
		    (unsigned long long)r->s.unwoken);
	if (!code && !r->s.wakeups)
		code = tp_trace_add_notice(
		    t, TP_WARNING, TP_OFFSET_NONE,
		    "there are no wake-ups (sched_waking): wakers are unknown, and waits "
		    "last until their threads run again");
	if (!code && r->s.unborn)
		code = tp_trace_add_notice(
		    t, TP_INFO, TP_OFFSET_NONE,
		    "threads whose beginning is not recorded: %llu; they are shown from when "
		    "they first run (perf record -e sched:sched_wakeup_new)",
		    (unsigned long long)r->s.unborn);
	if (!code && r->other_samples)
		code = tp_trace_add_notice(
		    t, TP_WARNING, TP_OFFSET_NONE,
		    "samples of other events than %.*s are not kept: %llu",
		    tp_scan_left(&r->sample) < 60 ? (int)tp_scan_left(&r->sample) : 60,
		    r->sample.at, (unsigned long long)r->other_samples);
	if (!code && r->others)
		code = tp_trace_add_notice(t, TP_INFO, TP_OFFSET_NONE,
					   "lines that belong to no event: %llu",
					   (unsigned long long)r->others);
	if (!code)
		code = add_period(r);
	for (size_t i = 0; i < r->ncounts && !code; i++) {
		snprintf(name, sizeof(name), "%.*s",
			 tp_scan_left(&r->counts[i].event) < sizeof(name)
			     ? (int)tp_scan_left(&r->counts[i].event)
			     : (int)sizeof(name) - 1,
			 r->counts[i].event.at);
		code = tp_trace_count_wire(t, name, r->counts[i].n, r->counts[i].with_stack, 0);
	}
	return failed(r, code);
}

int tp_sched_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
		  const struct tp_sink *sink, struct tp_err *err)
{
	struct reader r = {
	    .s = {.opt = opt, .trace = trace, .sink = sink, .err = err},
	    .in = in,
	    .lines = tp_lines(in->data, in->size),
	    .seed = tp_seed(),
	};
	size_t head = in->size < TP_PERF_HEAD ? in->size : TP_PERF_HEAD;
	struct tp_scan begin = {(const char *)in->data, (const char *)in->data + head};

	trace->ns_per_tick = 1;
	r.s.wakeups = tp_scan_find(begin, "sched:sched_waking:") ||
		      tp_scan_find(begin, "sched:sched_wakeup:");
	r.s.births = tp_scan_find(begin, "sched:sched_wakeup_new:") ||
		     tp_scan_find(begin, "sched:sched_process_fork:");
	r.s.machine = tp_sched_machine(in->data, head);
	if (!tp_sched_init(&r.s) && !read_text(&r) && !tp_sched_finish(&r.s))
		add_remarks(&r);
	if (!r.s.code && !trace->events)
		r.s.code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				      "the trace holds no events%s%s", trace->nlosses ? ": " : "",
				      trace->nlosses ? trace->losses[0].reason : "");
	tp_sched_release(&r.s);
	tp_buf_release(&r.frames);
	tp_table_release(&r.by_name);
	return r.s.code;
}
