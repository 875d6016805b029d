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

#define MAX_EVENTS 64

enum key { KEY_COMM, KEY_PID, KEY_TID, KEY_CPU, KEY_TIME, NKEYS };

static const char *const keys[NKEYS] = {
    [KEY_COMM] = "comm", [KEY_PID] = "pid",   [KEY_TID] = "tid",
    [KEY_CPU] = "cpu",	 [KEY_TIME] = "time",
};

/* Events whose periods are times. */
static const char *const clocks[] = {"cpu-clock", "task-clock"};

struct perf {
	struct tp_profile *p;
	struct tp_err *err;
	bool strict;
	struct tp_lines lines;
	struct tp_scan events[MAX_EVENTS]; /* without modifiers */
	size_t nevents;
	uint32_t key[NKEYS], nanoseconds;

	bool open; /* a sample is being read */
	struct tp_perf_sample s;
	struct tp_buf frames;	/* struct frame, leaf first */
	struct tp_buf chain;	/* struct tp_frame: one location */
	struct tp_ids mappings; /* number of the mapping, by the string of its file */
	int64_t first_ns, last_ns;
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
	if (code == TP_ELIMIT)
		return tp_err_set(f->err, code, tp_lines_offset(&f->lines),
				  "the profile has more than 2^30 entries");
	return code ? tp_nomem(f->err) : 0;
}

static int lose(struct perf *f, uint64_t samples, const char *why)
{
	struct tp_loss loss = {.offset = tp_lines_offset(&f->lines),
			       .bytes = tp_lines_bytes(&f->lines),
			       .events = samples};

	return tp_profile_lose(f->p, f->err, f->strict ? TP_EFORMAT : 0, loss, "line %llu %s",
			       (unsigned long long)f->lines.number, why);
}

/* ---- events ---- */

/* Takes the modifiers off "cycles:uppp" and "cpu-clock:uhH"; those of one event are one event. The name
 * of a tracepoint, "sched:sched_switch", has a word behind its colon. */
static struct tp_scan event_of(struct tp_scan s)
{
	const char *colon = memrchr(s.at, ':', tp_scan_left(&s));
	struct tp_scan modifiers = {colon ? colon + 1 : s.end, s.end};

	if (!colon || colon == s.at)
		return s;
	tp_scan_run(&modifiers, "ukhHGpPIDSWe");
	return modifiers.at == modifiers.end ? (struct tp_scan){s.at, colon} : s;
}

static bool is_record(const struct tp_perf_sample *s)
{
	return tp_scan_begins(s->event, "PERF_RECORD_");
}

/* Returns the number of an event, MAX_EVENTS if it is not among them. */
static size_t find_event(const struct perf *f, struct tp_scan event)
{
	size_t n = tp_scan_left(&event);

	for (size_t i = 0; i < f->nevents; i++)
		if (tp_scan_left(&f->events[i]) == n && !memcmp(f->events[i].at, event.at, n))
			return i;
	return MAX_EVENTS;
}

/* Looks at all lines for the events. */
static int find_events(struct perf *f)
{
	struct tp_lines lines = f->lines;
	struct tp_perf_sample s;
	struct tp_perf_frame frame;
	bool open = false;

	while (tp_lines_next(&lines)) {
		if (open && tp_perf_frame(lines.line, &frame))
			continue;
		open = tp_perf_sample(lines.line, &s);
		if (!open || is_record(&s) || find_event(f, event_of(s.event)) < MAX_EVENTS)
			continue;
		if (f->nevents == MAX_EVENTS)
			return tp_err_set(f->err, TP_ELIMIT, tp_lines_offset(&lines),
					  "line %llu has the %dth event; give perf script fewer "
					  "with --itrace or in several files",
					  (unsigned long long)lines.number, MAX_EVENTS + 1);
		f->events[f->nevents++] = event_of(s.event);
	}
	return 0;
}

static bool is_clock(struct tp_scan event)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (tp_scan_is(event, clocks[i]))
			return true;
	return false;
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
		code = add_type(f, f->events[i], is_clock(f->events[i]) ? f->nanoseconds : count);
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
	int64_t values[MAX_EVENTS + 1] = {0}, value = f->s.period >= 0 ? f->s.period : 1;
	struct tp_label labels[NKEYS] = {{.key = f->key[KEY_COMM]}};
	size_t n = 1;
	uint32_t stack = 0, set = 0;
	int code;

	if (!f->open)
		return 0;
	f->open = false;
	values[0] = 1;
	if (f->nevents == 1)
		values[1] = value;
	else
		values[0] = 0;
	if (f->nevents > 1)
		values[find_event(f, event_of(f->s.event))] = value;
	code = push_frames(f, &stack);
	f->frames.size = 0;
	if (!code)
		code = tp_dict_string(f->p->dict, f->s.comm.at, tp_scan_left(&f->s.comm),
				      &labels[0].text);
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

/* Reads "PERF_RECORD_LOST lost 12"; all other records say nothing about samples. */
static int read_record(struct perf *f, const struct tp_perf_sample *s)
{
	struct tp_scan rest = s->rest;
	int64_t lost;

	if (!tp_scan_begins(s->event, "PERF_RECORD_LOST"))
		return 0;
	rest.at = tp_scan_find(rest, "lost ");
	if (!rest.at)
		rest = (struct tp_scan){s->rest.end, s->rest.end};
	tp_scan_text(&rest, "lost ");
	return tp_scan_int(&rest, false, &lost) == TP_NUMBER_OK && lost > 0
		   ? lose(f, (uint64_t)lost, "says that perf lost samples")
		   : 0;
}

static int begin_sample(struct perf *f, const struct tp_perf_sample *s)
{
	struct tp_perf_frame frame;

	f->s = *s;
	f->open = true;
	if (s->time_ns >= 0) {
		f->first_ns =
		    f->first_ns < 0 || s->time_ns < f->first_ns ? s->time_ns : f->first_ns;
		f->last_ns = s->time_ns > f->last_ns ? s->time_ns : f->last_ns;
	}
	return tp_perf_frame(s->rest, &frame) ? add_frame(f, &frame) : 0;
}

static int read_line(struct perf *f)
{
	struct tp_scan line = tp_scan_trim(f->lines.line);
	struct tp_perf_sample s;
	struct tp_perf_frame frame;
	int code;

	if (line.at == line.end)
		/* Some versions print an empty line before the stack. */
		return f->frames.size ? end_sample(f) : 0;
	if (*line.at == '#')
		return 0;
	if (f->open && tp_perf_frame(f->lines.line, &frame))
		return add_frame(f, &frame);
	if (!tp_perf_sample(f->lines.line, &s)) {
		if (f->open && f->frames.size)
			return lose(f, 0, "is not a frame of a stack (ADDRESS FUNCTION (FILE))");
		f->others++;
		return 0;
	}
	code = end_sample(f);
	if (!code)
		code = find_event(f, event_of(s.event)) == MAX_EVENTS ? read_record(f, &s)
								      : begin_sample(f, &s);
	return code;
}

int tp_perf_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		 struct tp_profile *p, struct tp_err *err)
{
	struct perf f = {.p = p, .err = err, .strict = opt->strict, .lines = tp_lines(data, size)};
	int code;

	f.first_ns = f.last_ns = -1;
	snprintf(p->format, sizeof(p->format), "%s", tp_kind_format(TP_KIND_PERF));
	code = find_events(&f);
	if (!code)
		code = add_types(&f);
	while (!code && tp_lines_next(&f.lines))
		code = read_line(&f);
	if (!code && f.open && data[size - 1] != '\n') {
		f.open = false;
		code = lose(&f, 1, "is cut off, and the stack with it");
	}
	if (!code)
		code = end_sample(&f);
	if (!code && f.others)
		code = failed(&f, tp_profile_add_notice(p, TP_INFO, TP_OFFSET_NONE,
							"lines that belong to no sample: %llu",
							(unsigned long long)f.others));
	p->duration_ns = f.last_ns - f.first_ns;
	tp_buf_release(&f.frames);
	tp_buf_release(&f.chain);
	tp_ids_release(&f.mappings);
	return code;
}
