/* Recognises a dump by its content; kind.c recognises the kinds of profiles. Trace headers: 16
 * bytes, "go 1.N trace" padded with NULs (Go: internal/trace/tracev2/spec.go,
 * internal/trace/internal/tracev1/parser.go parseHeader). */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "open/foreign.h"
#include "open/input.h"
#include "open/kind.h"
#include "open/lines.h"
#include "open/perf.h"

#define HEADER_BYTES 16
#define READ_TRACES  "1.5, 1.7 to 1.11, 1.19, 1.21, 1.22, 1.23, 1.25 and 1.26"

/* Versions of the header, in order of release; not every release changed it. */
static const int versions[] = {5, 7, 8, 9, 10, 11, 19, 21, 22, 23, 25, 26};

static int recognise_trace(const uint8_t *data, size_t size, struct tp_recognition *out,
			   struct tp_err *err)
{
	size_t at = strlen("go 1.");
	char expect[HEADER_BYTES + 8];
	int minor = 0;

	if (size < HEADER_BYTES)
		return tp_err_set(err, TP_ETRUNC, size,
				  "ends within the %d bytes of the header of a Go execution trace",
				  HEADER_BYTES);
	while (at < 8 && data[at] >= '0' && data[at] <= '9')
		minor = minor * 10 + (data[at++] - '0');
	memset(expect, 0, sizeof(expect));
	snprintf(expect, sizeof(expect), "go 1.%d trace", minor);
	if (memcmp(data, expect, HEADER_BYTES))
		return tp_err_set(err, TP_EUNKNOWN, at,
				  "begins like a Go execution trace, but its header is damaged");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (versions[i] != minor)
			continue;
		out->format = minor >= 22 ? TP_FORMAT_TRACE_V2 : TP_FORMAT_TRACE_V1;
		out->version = minor;
		snprintf(out->name, sizeof(out->name), "go 1.%d trace", minor);
		snprintf(out->column, sizeof(out->column), "go 1.%d", minor);
		return 0;
	}
	return tp_err_set(
	    err, TP_EVERSION, 0,
	    "is an execution trace in the format of go 1.%d, which this version of tprof does not "
	    "read; it reads those of go %s%s",
	    minor, READ_TRACES, minor == 27 ? "" : " (go 1.27 writes that of 1.26)");
}

/* ---- quotes from a refused file ---- */

#define QUOTED	    80		      /* most bytes quoted */
#define LINE_WITHIN ((size_t)4 << 10) /* bytes searched for a line or title */

static bool is_continuation(char c)
{
	return ((uint8_t)c & 0xc0) == 0x80;
}

/* Returns whether the text is roughly UTF-8 and has no control characters of binary data. */
static bool is_text(struct tp_scan s)
{
	unsigned more = 0;

	for (; s.at < s.end; s.at++) {
		uint8_t c = (uint8_t)*s.at;

		if (is_continuation(*s.at) != (more > 0) || (c < ' ' && c != '\t' && c != 0x1b))
			return false;
		more = more ? more - 1 : c < 0xc0 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	}
	/* The last character may be cut off. */
	return true;
}

/* Finds the title of an HTML page, if it is within the text. */
static bool find_title(struct tp_scan all, struct tp_scan *title)
{
	const char *at = tp_foreign_word(all, "<title");
	const char *from = at ? memchr(at, '>', (size_t)(all.end - at)) : NULL;
	const char *to = from ? tp_foreign_word((struct tp_scan){from, all.end}, "</title") : NULL;

	if (!to)
		return false;
	*title = tp_scan_trim((struct tp_scan){from + 1, to});
	return title->at < title->end && is_text(*title);
}

/* Finds the first line that is not blank. Returns false if it is not text. */
static bool find_line(struct tp_scan all, struct tp_scan *line)
{
	const char *end;

	tp_scan_text(&all, "\xef\xbb\xbf");
	all = tp_scan_trim(all);
	end = memchr(all.at, '\n', tp_scan_left(&all));
	*line = tp_scan_trim((struct tp_scan){all.at, end ? end : all.end});
	return line->at < line->end && is_text(*line);
}

/* Writes " (first line: "…")", because a file that should be a dump often has a server's answer;
 * writes "" if the file is not text. tp_err_printable escapes unprintable bytes with the rest of
 * the message. */
static void quote(struct tp_scan all, char text[QUOTED + 40])
{
	struct tp_scan begin = {all.at,
				tp_scan_left(&all) < LINE_WITHIN ? all.end : all.at + LINE_WITHIN},
		       s;
	bool title = find_title(begin, &s);
	size_t n;

	text[0] = '\0';
	if (!title && !find_line(begin, &s))
		return;
	n = tp_scan_left(&s) < QUOTED ? tp_scan_left(&s) : QUOTED;
	/* Do not cut within a character. */
	while (n && s.at + n < s.end && is_continuation(s.at[n]))
		n--;
	snprintf(text, QUOTED + 40, " (%s: \"%.*s%s\")", title ? "title" : "first line", (int)n,
		 s.at, n < tp_scan_left(&s) ? "…" : "");
}

static int say_unknown(struct tp_scan all, struct tp_err *err)
{
	static const struct tp_foreign unknown = {"not a trace or profile",
						  "tprof reads Go execution traces (go 1.5 to "
						  "1.27), stacks of goroutines and the profiles "
						  "that tprof(1) lists, also as .gz or .zst",
						  true};
	const struct tp_foreign *is;
	char first[QUOTED + 40] = "", hint[200];
	struct tp_scan text = tp_scan_trim(all);

	if (text.at == text.end)
		return tp_err_set(err, TP_EUNKNOWN, 0, "is empty");
	is = tp_foreign_of(all);
	if ((!is || is->quoted) && tp_kind_hint(all.at, tp_scan_left(&all), hint, sizeof(hint)))
		return tp_err_set(err, TP_EUNKNOWN, 0, "%s", hint);
	is = is ? is : &unknown;
	if (is->quoted)
		quote(all, first);
	return tp_err_set(err, TP_EUNKNOWN, 0, "is %s%s; %s", is->what, first,
			  is->advice ? is->advice : unknown.advice);
}

int tp_recognise(const void *bytes, size_t size, struct tp_recognition *out, struct tp_err *err)
{
	const char *data = bytes ? bytes : "";
	struct tp_scan all = {data, data + size};
	enum tp_kind kind;

	memset(out, 0, sizeof(*out));
	if (tp_scan_begins(all, "go 1.") || (size && size < 5 && !memcmp(data, "go 1.", size)))
		return recognise_trace((const uint8_t *)data, size, out, err);
	if (size >= 16 && !memcmp(data, "SQLite format 3", 16)) {
		out->format = TP_FORMAT_STORE;
		snprintf(out->name, sizeof(out->name), "SQLite database");
		return 0;
	}
	kind = tp_kind_of(data, size);
	if (kind == TP_KIND_PERF && tp_perf_is_trace(data, size)) {
		out->format = TP_FORMAT_TRACE_SCHED;
		snprintf(out->name, sizeof(out->name), "trace of perf script (text)");
		snprintf(out->column, sizeof(out->column), "perf sched");
		return 0;
	}
	if (kind) {
		out->format = TP_FORMAT_PROFILE;
		out->kind = (int)kind;
		tp_kind_name(kind, data, size, out->name, sizeof(out->name));
		return 0;
	}
	return say_unknown(all, err);
}
