/* The default fields of perf script (tools/perf/builtin-script.c: output[], print_sample_start), and those
 * that -F can add or take away: comm, pid, tid, cpu, time, period, event; then ip, sym, symoff, dso. */
#include "open/perf.h"

#include <string.h>

#define BEGIN (64 << 10) /* bytes whose lines are looked at */

/* Takes the next word. Returns false at the end of the line. */
static bool take_word(struct tp_scan *s, struct tp_scan *word)
{
	tp_scan_blanks(s);
	word->at = s->at;
	while (s->at < s->end && *s->at != ' ' && *s->at != '\t')
		s->at++;
	word->end = s->at;
	return word->at < word->end;
}

static bool is_whole(struct tp_scan s)
{
	return s.at == s.end;
}

/* Reads "19", "17/19" or "-1". */
static bool read_ids(struct tp_scan s, int64_t *pid, int64_t *tid)
{
	*pid = -1;
	if (tp_scan_int(&s, true, tid) != TP_NUMBER_OK)
		return false;
	if (is_whole(s))
		return true;
	*pid = *tid;
	return tp_scan_text(&s, "/") && tp_scan_int(&s, true, tid) == TP_NUMBER_OK && is_whole(s);
}

/* Reads "[003]". */
static bool read_cpu(struct tp_scan s, int64_t *cpu)
{
	return tp_scan_text(&s, "[") && tp_scan_int(&s, false, cpu) == TP_NUMBER_OK &&
	       tp_scan_text(&s, "]") && is_whole(s);
}

/* Reads "12.345678:" or, with --ns, "12.345678901:". */
static bool read_time(struct tp_scan s, int64_t *ns)
{
	struct tp_scan digits;
	int64_t seconds;

	if (tp_scan_int(&s, false, &seconds) != TP_NUMBER_OK || !tp_scan_text(&s, "."))
		return false;
	digits = tp_scan_run(&s, TP_DIGITS);
	if ((tp_scan_left(&digits) != 6 && tp_scan_left(&digits) != 9) || !tp_scan_is(s, ":"))
		return false;
	*ns = 0;
	for (int i = 0; i < 9; i++)
		*ns = *ns * 10 + (digits.at < digits.end ? *digits.at++ - '0' : 0);
	return !__builtin_mul_overflow(seconds, 1000000000, &seconds) &&
	       !__builtin_add_overflow(seconds, *ns, ns);
}

/* Reads "[003]", then what +misc prints ("K", "Ud"), "12.345678:", a period, and "cpu-clock:u:"; all but the
 * last may be missing. */
static bool read_fields(struct tp_scan s, struct tp_perf_sample *out)
{
	struct tp_scan word, misc;

	out->cpu = out->time_ns = out->period = -1;
	if (!take_word(&s, &word))
		return false;
	if (read_cpu(word, &out->cpu) && !take_word(&s, &word))
		return false;
	misc = word;
	tp_scan_run(&misc, "KUGHLdDeEpS");
	if (is_whole(misc) && tp_scan_left(&word) < 4 && !take_word(&s, &word))
		return false;
	if (read_time(word, &out->time_ns) && !take_word(&s, &word))
		return false;
	out->event = word;
	if (tp_scan_int(&word, false, &out->period) == TP_NUMBER_OK && is_whole(word)) {
		if (!take_word(&s, &out->event))
			return false;
	} else {
		out->period = -1;
	}
	if (!tp_scan_begins(out->event, "PERF_RECORD_")) {
		/* The name of an event begins with a letter, so a damaged time is not taken for one. */
		if (out->event.end[-1] != ':' || tp_scan_left(&out->event) < 2 ||
		    !((*out->event.at | 32) >= 'a' && (*out->event.at | 32) <= 'z'))
			return false;
		out->event.end--;
	}
	out->rest = s;
	tp_scan_blanks(&out->rest);
	return true;
}

/* Finds where the processor or the time stands, before any word that could be an event. */
static bool find_anchor(struct tp_scan line, struct tp_scan *before, struct tp_scan *from)
{
	struct tp_scan s = line, word;
	int64_t number;

	while (take_word(&s, &word)) {
		if (read_cpu(word, &number) || read_time(word, &number)) {
			*before = (struct tp_scan){line.at, word.at};
			*from = (struct tp_scan){word.at, line.end};
			return true;
		}
		if (word.end[-1] == ':')
			return false;
	}
	return false;
}

/* Takes "17/19" off the end of a text, if it ends so. */
static void take_ids(struct tp_scan *s, struct tp_perf_sample *out)
{
	struct tp_scan word = tp_scan_trim(*s);
	const char *at = word.end;

	while (at > word.at && at[-1] != ' ' && at[-1] != '\t')
		at--;
	word.at = at;
	if (at < word.end && read_ids(word, &out->pid, &out->tid))
		s->end = at;
	else
		out->pid = out->tid = -1;
}

/* The name of the command may have blanks and numbers in it. What follows it is found by the processor or the
 * time; without both, by the first number that an event, or a period and an event, follows. */
bool tp_perf_sample(struct tp_scan line, struct tp_perf_sample *out)
{
	struct tp_scan s, word, next;

	line = tp_scan_trim(line);
	if (find_anchor(line, &out->comm, &s)) {
		take_ids(&out->comm, out);
		out->comm = tp_scan_trim(out->comm);
		return read_fields(s, out);
	}
	for (s = line; take_word(&s, &word);) {
		struct tp_scan rest = s;

		if (word.end[-1] == ':')
			return false;
		if (!take_word(&rest, &next) || !read_ids(next, &out->pid, &out->tid) ||
		    !read_fields(rest, out))
			continue;
		out->comm = (struct tp_scan){line.at, word.end};
		return true;
	}
	return false;
}

bool tp_perf_is_tracepoint(const struct tp_perf_sample *s)
{
	struct tp_scan event = tp_perf_event(s->event);

	return memchr(event.at, ':', tp_scan_left(&event)) != NULL;
}

struct tp_scan tp_perf_event(struct tp_scan s)
{
	const char *colon = memrchr(s.at, ':', tp_scan_left(&s));
	struct tp_scan modifiers = {colon ? colon + 1 : s.end, s.end};

	if (!colon || colon == s.at)
		return s;
	tp_scan_run(&modifiers, "ukhHGpPIDSWe");
	return is_whole(modifiers) ? (struct tp_scan){s.at, colon} : s;
}

bool tp_perf_is_clock(struct tp_scan event)
{
	return tp_scan_is(event, "cpu-clock") || tp_scan_is(event, "task-clock");
}

static bool is_unknown(struct tp_scan s)
{
	return tp_scan_is(s, "[unknown]");
}

/* Takes "(DSO)" off the end; a DSO may have brackets in it, such as " (deleted)". */
static bool take_dso(struct tp_scan *s, struct tp_scan *dso)
{
	const char *open = s->end;
	int depth = 0;

	if (is_whole(*s) || s->end[-1] != ')')
		return false;
	do {
		open--;
		depth += *open == ')' ? 1 : *open == '(' ? -1 : 0;
	} while (depth && open > s->at);
	if (depth || (open > s->at && open[-1] != ' '))
		return false;
	*dso = (struct tp_scan){open + 1, s->end - 1};
	*s = tp_scan_trim((struct tp_scan){s->at, open});
	return true;
}

/* Returns whether there is a path in a name: the line has more fields than we know. */
static bool has_path(struct tp_scan name)
{
	return tp_scan_find(name, " (/") || tp_scan_find(name, " ([");
}

bool tp_perf_frame(struct tp_scan line, bool indented, struct tp_perf_frame *out)
{
	bool has_dso;
	struct tp_scan s = tp_scan_trim(line), at;
	const char *plus;

	memset(out, 0, sizeof(*out));
	if (tp_scan_hex(&s, &out->address) != TP_NUMBER_OK || (s.at < s.end && *s.at != ' '))
		return false;
	s = tp_scan_trim(s);
	has_dso = take_dso(&s, &out->dso);
	indented |= line.at < line.end && (*line.at == '\t' || *line.at == ' ');
	if ((!has_dso && !indented) || has_path(s))
		return false;
	if (has_dso && tp_scan_is(out->dso, "inlined")) {
		out->inlined = true;
		out->dso.end = out->dso.at;
	}
	plus = NULL;
	for (at = s; (at.at = tp_scan_find(at, "+0x")) != NULL; at.at++)
		plus = at.at;
	if (plus) {
		at = (struct tp_scan){plus + 3, s.end};
		tp_scan_run(&at, TP_HEXITS);
		if (is_whole(at))
			s.end = plus;
	}
	out->name = s;
	if (is_unknown(out->name))
		out->name.end = out->name.at;
	if (is_unknown(out->dso))
		out->dso.end = out->dso.at;
	return true;
}

bool tp_perf_place(struct tp_scan line, struct tp_perf_place *out)
{
	static const char inlined[] = " (inlined)";
	struct tp_scan s = tp_scan_trim(line), number;
	const char *colon;

	if (is_whole(line) || (*line.at != ' ' && *line.at != '\t'))
		return false;
	out->inlined = tp_scan_left(&s) > strlen(inlined) &&
		       !memcmp(s.end - strlen(inlined), inlined, strlen(inlined));
	s.end -= out->inlined ? strlen(inlined) : 0;
	colon = memrchr(s.at, ':', tp_scan_left(&s));
	if (!colon || colon == s.at)
		return false;
	number = (struct tp_scan){colon + 1, s.end};
	out->file = (struct tp_scan){s.at, colon};
	return tp_scan_int(&number, false, &out->line) == TP_NUMBER_OK && is_whole(number);
}

void tp_perf_line(struct tp_scan line, struct tp_perf_line *out)
{
	struct tp_scan s = tp_scan_trim(line);

	if (is_whole(s))
		out->kind = TP_PERF_BLANK;
	else if (*s.at == '#')
		out->kind = TP_PERF_COMMENT;
	else if (*line.at != '\t' && tp_perf_sample(line, &out->sample))
		out->kind = tp_scan_begins(out->sample.event, "PERF_RECORD_") ? TP_PERF_RECORD
									      : TP_PERF_SAMPLE;
	else if (tp_perf_frame(line, false, &out->frame))
		out->kind = TP_PERF_FRAME;
	else
		out->kind = tp_perf_place(line, &out->place) ? TP_PERF_PLACE : TP_PERF_OTHER;
}

#define MAX_LOST ((int64_t)1 << 40)

/* Reads "PERF_RECORD_LOST lost 12". */
uint64_t tp_perf_lost(const struct tp_perf_sample *record)
{
	struct tp_scan rest = record->rest;
	int64_t lost;

	rest.at = tp_scan_find(rest, "lost ");
	if (!tp_scan_begins(record->event, "PERF_RECORD_LOST") || !rest.at)
		return 0;
	tp_scan_text(&rest, "lost ");
	if (tp_scan_int(&rest, false, &lost) != TP_NUMBER_OK || lost <= 0)
		return 0;
	return (uint64_t)(lost < MAX_LOST ? lost : MAX_LOST);
}

bool tp_perf_is(struct tp_scan text)
{
	struct tp_lines lines = tp_lines(text.at, tp_scan_left(&text));
	bool cut = text.at < text.end && text.end[-1] != '\n', sample = false, framed = false;
	uint64_t right = 0, wrong = 0;

	while ((!right || lines.next - text.at < BEGIN) && wrong < 1000 && tp_lines_next(&lines)) {
		struct tp_scan line = tp_scan_trim(lines.line);
		struct tp_perf_sample s;
		struct tp_perf_frame f;
		struct tp_perf_place place;

		if (is_whole(line) || *line.at == '#' || (cut && lines.next == lines.end && right))
			continue;
		right++;
		if (tp_perf_sample(lines.line, &s)) {
			sample = true;
			framed |= tp_perf_is_tracepoint(&s) ? !is_whole(s.rest)
							    : tp_perf_frame(s.rest, true, &f);
		} else if (sample && tp_perf_frame(lines.line, false, &f)) {
			framed = true;
		} else if (!framed || !tp_perf_place(lines.line, &place)) {
			right--;
			wrong++;
		}
	}
	return sample && framed && wrong * 4 <= right;
}

static const char switch_event[] = "sched:sched_switch";

bool tp_perf_is_trace(const void *data, size_t size)
{
	struct tp_scan all = {data, data}, s;

	all.end += size < TP_PERF_HEAD ? size : TP_PERF_HEAD;
	for (s = all; (s.at = tp_scan_find(s, switch_event)) != NULL;) {
		const char *from = memrchr(all.at, '\n', (size_t)(s.at - all.at));
		const char *to = memchr(s.at, '\n', tp_scan_left(&s));
		struct tp_scan line = {from ? from + 1 : all.at, to ? to : all.end};
		struct tp_perf_sample sample;

		if (tp_perf_sample(line, &sample) &&
		    tp_scan_is(tp_perf_event(sample.event), switch_event))
			return tp_perf_is(all);
		s.at = line.end;
	}
	return false;
}
