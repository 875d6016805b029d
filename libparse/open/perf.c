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
	if (tp_scan_left(&digits) < 1 || tp_scan_left(&digits) > 9 || !tp_scan_is(s, ":"))
		return false;
	*ns = 0;
	for (int i = 0; i < 9; i++)
		*ns = *ns * 10 + (digits.at < digits.end ? *digits.at++ - '0' : 0);
	return !__builtin_mul_overflow(seconds, 1000000000, &seconds) &&
	       !__builtin_add_overflow(seconds, *ns, ns);
}

/* Reads what stands behind the name of the command. */
static bool read_fields(struct tp_scan s, struct tp_perf_sample *out)
{
	struct tp_scan word;

	out->cpu = out->time_ns = out->period = -1;
	if (!take_word(&s, &word) || !read_ids(word, &out->pid, &out->tid) || !take_word(&s, &word))
		return false;
	if (read_cpu(word, &out->cpu) && !take_word(&s, &word))
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
	out->rest = tp_scan_trim(s);
	if (tp_scan_begins(out->event, "PERF_RECORD_"))
		return true;
	/* An event has a letter: a time that is damaged is none. */
	if (out->event.end[-1] != ':' || tp_scan_left(&out->event) < 2 ||
	    strchr("0123456789[", *out->event.at))
		return false;
	out->event.end--;
	return true;
}

/* The name of the command may have blanks and numbers in it; the first way to read the rest counts. */
bool tp_perf_sample(struct tp_scan line, struct tp_perf_sample *out)
{
	struct tp_scan s = line, word;

	while (take_word(&s, &word)) {
		struct tp_scan rest = s, next;

		/* Most lines are frames; only a number can be the ids. */
		if (!take_word(&rest, &next) || !strchr("-0123456789", *next.at))
			continue;
		if (!read_fields(s, out))
			continue;
		out->comm = tp_scan_trim((struct tp_scan){line.at, word.end});
		return true;
	}
	return false;
}

static bool is_unknown(struct tp_scan s)
{
	return tp_scan_is(s, "[unknown]");
}

/* Takes "(DSO)" off the end; a DSO may end in " (deleted)". */
static bool take_dso(struct tp_scan *s, struct tp_scan *dso)
{
	static const char deleted[] = " (deleted))";
	size_t n = strlen(deleted);
	struct tp_scan before = *s;
	const char *open;

	if (is_whole(*s) || s->end[-1] != ')')
		return false;
	if (tp_scan_left(s) > n && !memcmp(s->end - n, deleted, n))
		before.end -= n;
	do {
		open = memrchr(before.at, '(', tp_scan_left(&before));
		before.end = open;
	} while (open && open > s->at && open[-1] != ' ');
	if (!open)
		return false;
	*dso = (struct tp_scan){open + 1, s->end - 1};
	*s = tp_scan_trim((struct tp_scan){s->at, open});
	return true;
}

bool tp_perf_frame(struct tp_scan line, struct tp_perf_frame *out)
{
	bool tab = line.at < line.end && (*line.at == '\t' || *line.at == ' '), has_dso;
	struct tp_scan s = tp_scan_trim(line), at;
	const char *plus;

	memset(out, 0, sizeof(*out));
	if (tp_scan_hex(&s, &out->address) != TP_NUMBER_OK || (s.at < s.end && *s.at != ' '))
		return false;
	s = tp_scan_trim(s);
	has_dso = take_dso(&s, &out->dso);
	if (!has_dso && !tab)
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

bool tp_perf_is(struct tp_scan text)
{
	struct tp_lines lines = tp_lines(text.at, tp_scan_left(&text));
	uint64_t right = 0, wrong = 0;
	bool sample = false, framed = false;

	while ((!right || lines.next - text.at < BEGIN) && wrong < 1000 && tp_lines_next(&lines)) {
		struct tp_scan line = tp_scan_trim(lines.line);
		struct tp_perf_sample s;
		struct tp_perf_frame f;

		if (is_whole(line) || *line.at == '#' || (lines.next == lines.end && right))
			continue;
		if (sample && tp_perf_frame(lines.line, &f)) {
			framed = true;
			right++;
		} else if (tp_perf_sample(lines.line, &s)) {
			framed |=
			    tp_perf_frame(s.rest, &f) || (s.time_ns >= 0 && !is_whole(s.rest));
			sample = true;
			right++;
		} else {
			wrong++;
		}
	}
	return sample && framed && wrong * 4 <= right;
}
