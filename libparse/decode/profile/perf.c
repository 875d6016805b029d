/* What `perf script` prints of samples (linux: tools/perf/builtin-script.c), with any of its default
 * fields (open/perf.h):
 *
 *   COMM PID/TID [CPU] SECONDS: PERIOD EVENT:
 *   	ADDRESS FUNCTION+0xOFFSET (DSO)      leaf first; an inlined function has (inlined) as its DSO
 *   	…
 *                                            an empty line ends a sample
 *   COMM TID [CPU] SECONDS: PERIOD EVENT: ADDRESS FUNCTION+0xOFFSET (DSO)     without stacks
 *   COMM TID [CPU] SECONDS: EVENT: FIELDS                                     a tracepoint
 *
 * Each event is a sample type, whose value is the period, or 1 without one. A file with one event has
 * its number of samples, too. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "decode/profile/kinds.h"
#include "open/perf.h"

#define MAX_EVENTS 64 /* the last stands for all others if there are more */

enum key { KEY_COMM, KEY_PID, KEY_TID, KEY_CPU, KEY_TIME, NKEYS };

static const char *const keys[NKEYS] = {
    [KEY_COMM] = "comm", [KEY_PID] = "pid",   [KEY_TID] = "tid",
    [KEY_CPU] = "cpu",	 [KEY_TIME] = "time",
};

struct perf {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	struct tp_lines lines;
	struct {
		struct tp_scan name; /* without modifiers */
		bool without;	     /* some of its samples have no period: each counts as 1 */
		bool with;
	} events[MAX_EVENTS];
	size_t nevents;
	bool more; /* events than have a type of their own */
	uint32_t key[NKEYS], nanoseconds;

	bool open; /* a sample is being read */
	struct tp_perf_sample s;
	struct tp_buf frames;	/* struct frame, leaf first */
	struct tp_buf chain;	/* struct tp_frame: one location */
	struct tp_ids mappings; /* number of the mapping, by the string of its file */
	int64_t first_ns, last_ns;
	bool stray;	 /* frames without a sample were told */
	bool ended;	 /* an empty line has ended a stack */
	uint64_t others; /* lines that belong to no sample */
};

struct frame {
	struct tp_frame frame;
	uint64_t address;
	uint32_t mapping;
	bool inlined;
};

static int failed(struct perf *f, int code)
{
	return tp_profile_failed(f->err, &f->lines, code);
}

static int lose(struct perf *f, uint64_t samples, const char *why)
{
	return tp_profile_lose_line(f->p, f->err, f->strict, &f->lines, samples, why);
}

/* ---- events ---- */

static bool is_record(const struct tp_perf_sample *s)
{
	return tp_scan_begins(s->event, "PERF_RECORD_");
}

/* Returns the number of an event, f->nevents if it is not among them. */
static size_t find_event(const struct perf *f, struct tp_scan event)
{
	size_t n = tp_scan_left(&event);

	for (size_t i = 0; i < f->nevents; i++)
		if (tp_scan_left(&f->events[i].name) == n &&
		    !memcmp(f->events[i].name.at, event.at, n))
			return i;
	return f->more ? MAX_EVENTS - 1 : f->nevents;
}

/* Looks at all lines for the events. */
static void find_events(struct perf *f)
{
	static const char others[] = "other events";
	struct tp_lines lines = f->lines;
	struct tp_perf_sample s;

	while (tp_lines_next(&lines)) {
		size_t i;

		/* Most lines are frames, which begin with a tab. */
		if (lines.line.at == lines.line.end || *lines.line.at == '\t' ||
		    *lines.line.at == '#' || !tp_perf_sample(lines.line, &s) || is_record(&s))
			continue;
		i = find_event(f, tp_perf_event(s.event));
		if (i == MAX_EVENTS - 1 && !f->more) {
			f->more = true;
			f->events[f->nevents++].name =
			    (struct tp_scan){others, others + strlen(others)};
		} else if (i == f->nevents) {
			f->events[f->nevents++].name = tp_perf_event(s.event);
		}
		f->events[i].with |= s.period >= 0;
		f->events[i].without |= s.period < 0;
	}
}

static int add_type(struct perf *f, struct tp_scan type, uint32_t unit)
{
	uint32_t id;
	int code = tp_dict_string(f->p->dict, type.at, tp_scan_left(&type), &id);

	if (!code)
		code = tp_profile_add_type(f->p, id, unit);
	if (!code && (!f->p->default_type || f->nevents == 1))
		f->p->default_type = id;
	return code;
}

static int add_types(struct perf *f)
{
	static const char samples[] = "samples";
	uint32_t count = 0;
	int code = tp_dict_string(f->p->dict, "count", 5, &count);

	if (!code)
		code = tp_dict_string(f->p->dict, "nanoseconds", 11, &f->nanoseconds);
	for (int i = 0; i < NKEYS && !code; i++)
		code = tp_dict_string(f->p->dict, keys[i], strlen(keys[i]), &f->key[i]);
	if (!code && f->nevents == 1)
		code = add_type(f, (struct tp_scan){samples, samples + strlen(samples)}, count);
	for (size_t i = 0; i < f->nevents && !code; i++)
		code = add_type(f, f->events[i].name,
				tp_perf_is_clock(f->events[i].name) && !f->events[i].without
				    ? f->nanoseconds
				    : count);
	return failed(f, code);
}

/* ---- samples ---- */

static int mapping_of(struct perf *f, struct tp_scan dso, uint32_t *mapping)
{
	struct tp_mapping m = {.flags = TP_MAPPING_FUNCTIONS};
	int code = 0;

	*mapping = 0;
	if (dso.at == dso.end)
		return 0;
	code = tp_dict_string(f->p->dict, dso.at, tp_scan_left(&dso), &m.file);
	if (code)
		return code;
	*mapping = tp_ids_get(&f->mappings, m.file);
	if (*mapping != TP_NO_ID)
		return 0;
	/* The first mapping is taken for the program, which the text does not name. */
	if (!f->p->nmappings)
		code = tp_profile_add_mapping(f->p, &(struct tp_mapping){0}, mapping);
	if (!code)
		code = tp_profile_add_mapping(f->p, &m, mapping);
	return code ? code : tp_ids_put(&f->mappings, m.file, *mapping);
}

static int add_frame(struct perf *f, const struct tp_perf_frame *from)
{
	struct frame frame = {.address = from->address, .inlined = from->inlined};
	struct tp_function function = {0};
	struct tp_dict *d = f->p->dict;
	int code = mapping_of(f, from->dso, &frame.mapping);

	if (!code)
		code = tp_dict_string(d, from->name.at, tp_scan_left(&from->name), &function.name);
	if (tp_profile_is_mangled(from->name))
		function.system_name = function.name;
	if (!code && function.name)
		code = tp_dict_function(d, &function, &frame.frame.function);
	return failed(f, code ? code : tp_buf_put(&f->frames, &frame, sizeof(frame)));
}

/* A location is a function and those inlined into it, which have its address and come before it. */
static int push_frames(struct perf *f, uint32_t *stack)
{
	const struct frame *frames = (const void *)f->frames.data;
	size_t from, to = f->frames.size / sizeof(*frames);
	int code = 0;

	for (; to && !code; to = from) {
		struct tp_location where = {.address = frames[to - 1].address,
					    .mapping = frames[to - 1].mapping};
		size_t n;

		for (from = to - 1;
		     from && frames[from - 1].inlined && frames[from - 1].address == where.address;
		     from--)
			;
		n = to - from > 1 || frames[from].frame.function ? to - from : 0;
		f->chain.size = 0;
		for (size_t i = 0; i < n && !code; i++)
			code =
			    tp_buf_put(&f->chain, &frames[from + i].frame, sizeof(struct tp_frame));
		if (!code)
			code = tp_profile_push_location(f->p, stack, &where,
							(const void *)f->chain.data, n);
	}
	return code;
}

static size_t add_number(const struct perf *f, struct tp_label *labels, size_t n, enum key key,
			 int64_t value)
{
	if (value >= 0)
		labels[n++] = (struct tp_label){.key = f->key[key],
						.numeric = true,
						.number = value,
						.unit = key == KEY_TIME ? f->nanoseconds : 0};
	return n;
}

static int end_sample(struct perf *f)
{
	size_t event, n = 0;
	int64_t values[MAX_EVENTS + 1] = {0};
	struct tp_label labels[NKEYS] = {{.key = f->key[KEY_COMM]}};
	uint32_t stack = 0, set = 0;
	int code;

	if (!f->open)
		return 0;
	f->open = false;
	event = find_event(f, tp_perf_event(f->s.event));
	values[0] = 1;
	values[f->nevents == 1 ? 1 : event] = f->events[event].without ? 1 : f->s.period;
	if (f->nevents > 1 && event)
		values[0] = 0;
	code = push_frames(f, &stack);
	f->frames.size = 0;
	if (!code && tp_scan_left(&f->s.comm))
		code = tp_dict_string(f->p->dict, f->s.comm.at, tp_scan_left(&f->s.comm),
				      &labels[n++].text);
	n = add_number(f, labels, n, KEY_PID, f->s.pid);
	n = add_number(f, labels, n, KEY_TID, f->s.tid);
	n = add_number(f, labels, n, KEY_CPU, f->s.cpu);
	n = add_number(f, labels, n, KEY_TIME, f->s.time_ns);
	if (!code)
		code = tp_profile_label_set(f->p, labels, n, &set);
	if (!code)
		code = tp_profile_add_sample(f->p, stack, set, values);
	return failed(f, code);
}

static int begin_sample(struct perf *f, const struct tp_perf_sample *s)
{
	struct tp_perf_frame frame;

	f->s = *s;
	f->open = true;
	f->stray = false;
	if (s->time_ns >= 0) {
		f->first_ns =
		    f->first_ns < 0 || s->time_ns < f->first_ns ? s->time_ns : f->first_ns;
		f->last_ns = s->time_ns > f->last_ns ? s->time_ns : f->last_ns;
	}
	if (tp_perf_is_tracepoint(s) || s->rest.at == s->rest.end)
		return 0;
	return tp_perf_frame(s->rest, true, &frame)
		   ? add_frame(f, &frame)
		   : lose(f, 0,
			  "has fields behind its event that are not a frame (ADDRESS FUNCTION "
			  "(FILE))");
}

/* Gives the frame before this line its file and line. */
static int add_place(struct perf *f, const struct tp_perf_place *place)
{
	struct frame *last = (struct frame *)(void *)(f->frames.data + f->frames.size) - 1;
	struct tp_function function = tp_dict_function_at(f->p->dict, last->frame.function);
	int code =
	    tp_dict_string(f->p->dict, place->file.at, tp_scan_left(&place->file), &function.file);

	last->inlined |= place->inlined;
	last->frame.line = place->line;
	if (!code && last->frame.function)
		code = tp_dict_function(f->p->dict, &function, &last->frame.function);
	return failed(f, code);
}

static int read_line(struct perf *f)
{
	struct tp_perf_line line;
	uint64_t lost;
	int code;

	tp_perf_line(f->lines.line, &line);
	switch (line.kind) {
	case TP_PERF_BLANK:
		/* Some versions print an empty line before the stack. */
		f->ended |= f->open && f->frames.size;
		f->stray = false;
		return f->frames.size ? end_sample(f) : 0;
	case TP_PERF_COMMENT:
		return 0;
	case TP_PERF_SAMPLE:
		code = end_sample(f);
		return code ? code : begin_sample(f, &line.sample);
	case TP_PERF_RECORD: /* all but one kind say nothing about samples */
		code = end_sample(f);
		lost = tp_perf_lost(&line.sample);
		return code || !lost ? code : lose(f, lost, "says that perf lost samples");
	case TP_PERF_FRAME:
		if (f->open)
			return add_frame(f, &line.frame);
		if (f->stray)
			return 0;
		f->stray = true;
		return lose(f, 1, "is a frame of a stack without the line of its sample");
	case TP_PERF_PLACE:
		if (f->open && f->frames.size)
			return add_place(f, &line.place);
		break;
	case TP_PERF_OTHER:
		break;
	}
	if (f->open)
		return lose(f, 0, "is not a frame of a stack (ADDRESS FUNCTION (FILE))");
	f->others++;
	return 0;
}

static int add_notices(struct perf *f)
{
	int code = 0;

	for (size_t i = 0; i < f->nevents && !code; i++)
		if (f->events[i].with && f->events[i].without)
			code = tp_profile_add_notice(
			    f->p, TP_WARNING, TP_OFFSET_NONE,
			    "some samples of %.*s have no period, so each counts as 1",
			    (int)(tp_scan_left(&f->events[i].name) < 60
				      ? tp_scan_left(&f->events[i].name)
				      : 60),
			    f->events[i].name.at);
	if (!code && f->more)
		code = tp_profile_add_notice(f->p, TP_WARNING, TP_OFFSET_NONE,
					     "more than %d events; the type \"other events\" has "
					     "those after the first %d",
					     MAX_EVENTS - 1, MAX_EVENTS - 1);
	if (!code && f->open && f->ended)
		code = tp_profile_add_notice(
		    f->p, TP_WARNING, TP_OFFSET_NONE,
		    "the last stack may be cut off: no empty line follows it");
	if (!code && f->others)
		code = tp_profile_add_notice(f->p, TP_INFO, TP_OFFSET_NONE,
					     "lines that belong to no sample: %llu",
					     (unsigned long long)f->others);
	return failed(f, code);
}

int tp_perf_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		 struct tp_profile *p, struct tp_err *err)
{
	struct perf f = {.p = p, .err = err, .strict = opt->strict, .lines = tp_lines(data, size)};
	int code;

	f.first_ns = f.last_ns = -1;
	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_PERF));
	find_events(&f);
	code = add_types(&f);
	while (!code && tp_lines_next(&f.lines))
		code = read_line(&f);
	/* A last frame that is whole counts without the line break, which editors and copies leave out. */
	if (!code && f.open && data[size - 1] != '\n' && data[size - 1] != ')') {
		f.open = false;
		code = lose(&f, 1, "is cut off, and the stack with it");
	}
	if (!code)
		code = add_notices(&f);
	if (!code)
		code = end_sample(&f);
	p->duration_ns = f.last_ns - f.first_ns;
	tp_buf_release(&f.frames);
	tp_buf_release(&f.chain);
	tp_ids_release(&f.mappings);
	return code;
}
