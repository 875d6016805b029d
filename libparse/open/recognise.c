/* What a dump is, by its content; kinds of profiles are known in kind.c. Trace headers: 16 bytes,
 * "go 1.N trace" padded with NULs (Go: internal/trace/tracev2/spec.go,
 * internal/trace/internal/tracev1/parser.go parseHeader). */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "open/input.h"
#include "open/kind.h"

#define HEADER_BYTES 16
#define READ_TRACES  "1.5, 1.7 to 1.11, 1.19, 1.21, 1.22, 1.23, 1.25 and 1.26"

/* Versions of the header, in the order of their release, not every release changed it. */
static const int versions[] = {5, 7, 8, 9, 10, 11, 19, 21, 22, 23, 25, 26};

static bool starts(const void *data, size_t size, const char *text)
{
	size_t n = strlen(text);

	return size >= n && !memcmp(data, text, n);
}

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
		return 0;
	}
	return tp_err_set(
	    err, TP_EVERSION, 0,
	    "is an execution trace in the format of go 1.%d, which is not known here; "
	    "known are those of go %s%s",
	    minor, READ_TRACES, minor == 27 ? "" : " (go 1.27 writes that of 1.26)");
}

/* ---- what a refused file says of itself ---- */

#define QUOTED	    80		      /* bytes of the line */
#define LINE_WITHIN ((size_t)4 << 10) /* and where it is looked for */

struct span {
	const uint8_t *at, *end;
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct span trim(struct span s)
{
	while (s.at < s.end && is_blank(*s.at))
		s.at++;
	while (s.at < s.end && is_blank(s.end[-1]))
		s.end--;
	return s;
}

/* Where `text`, which is lower case, begins in any case; NULL nowhere. */
static const uint8_t *find_word(struct span s, const char *text)
{
	size_t n = strlen(text);

	for (; (size_t)(s.end - s.at) >= n; s.at++) {
		size_t i = 0;

		while (i < n && (s.at[i] >= 'A' && s.at[i] <= 'Z' ? s.at[i] + 32 : s.at[i]) ==
				    (uint8_t)text[i])
			i++;
		if (i == n)
			return s.at;
	}
	return NULL;
}

static bool is_continuation(uint8_t c)
{
	return (c & 0xc0) == 0x80;
}

/* UTF-8, roughly, without what only binary data has. */
static bool is_text(struct span s)
{
	unsigned more = 0;

	for (; s.at < s.end; s.at++) {
		uint8_t c = *s.at;

		if (is_continuation(c) != (more > 0) || (c < ' ' && c != '\t' && c != 0x1b))
			return false;
		more = more ? more - 1 : c < 0xc0 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	}
	/* The last character may be cut off. */
	return true;
}

/* The title of a page in HTML, as far as that is here. */
static bool find_title(struct span all, struct span *title)
{
	const uint8_t *at = find_word(all, "<title");
	const uint8_t *from = at ? memchr(at, '>', (size_t)(all.end - at)) : NULL;
	const uint8_t *to = from ? find_word((struct span){from, all.end}, "</title") : NULL;

	if (!to)
		return false;
	*title = trim((struct span){from + 1, to});
	return title->at < title->end && is_text(*title);
}

/* The first line that is not blank, of a text. */
static bool find_line(struct span all, struct span *line)
{
	const uint8_t *end;

	if (all.end - all.at >= 3 && !memcmp(all.at, "\xef\xbb\xbf", 3))
		all.at += 3;
	all = trim(all);
	end = memchr(all.at, '\n', (size_t)(all.end - all.at));
	*line = trim((struct span){all.at, end ? end : all.end});
	return line->at < line->end && is_text(*line);
}

/* Servers answer in what should have become a dump: " (first line: "…")", or "" of what is no
 * text. What cannot be printed is escaped with the rest of the message (tp_err_printable). */
static const char *quote(const uint8_t *data, size_t size, char text[QUOTED + 40])
{
	struct span all = {data, data + (size < LINE_WITHIN ? size : LINE_WITHIN)}, s;
	bool title = find_title(all, &s);
	size_t n;

	text[0] = '\0';
	if (!title && !find_line(all, &s))
		return text;
	n = (size_t)(s.end - s.at) < QUOTED ? (size_t)(s.end - s.at) : QUOTED;
	/* Not within a character. */
	while (n && s.at + n < s.end && is_continuation(s.at[n]))
		n--;
	snprintf(text, QUOTED + 40, " (%s: \"%.*s%s\")", title ? "title" : "first line", (int)n,
		 (const char *)s.at, n < (size_t)(s.end - s.at) ? "…" : "");
	return text;
}

#define TAR_AT 257 /* of the word in the header of its first file */

static int say_unknown(const uint8_t *data, size_t size, struct tp_err *err)
{
	static const struct {
		const char *magic, *what;
	} known[] = {
	    {"\x7f"
	     "ELF",
	     "an ELF program"},
	    {"PK\x03\x04", "a zip archive (unpack it first)"},
	    {"\xfd"
	     "7zXZ",
	     "an xz file (unpack it first)"},
	    {"BZh", "a bzip2 file (unpack it first)"},
	    {"\x04\x22\x4d\x18", "an lz4 file (unpack it first)"},
	    {"\x1f\x8b", "a gzip file inside another one (unpack it first)"},
	    {"\x28\xb5\x2f\xfd", "a zstd file inside another one (unpack it first)"},
	    {"<!DOCTYPE", "an HTML page"},
	    {"<html", "an HTML page"},
	    {"{", "JSON text"},
	    {"PERFILE2", "a Linux perf recording"},
	};
	const char *what = "not a trace or profile";
	char first[QUOTED + 40], hint[200];
	struct span all = trim((struct span){data, data + size});

	if (all.at == all.end)
		return tp_err_set(err, TP_EUNKNOWN, 0, "is empty");
	if (tp_kind_hint(data, size, hint, sizeof(hint)))
		return tp_err_set(err, TP_EUNKNOWN, 0, "%s", hint);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (starts(data, size, known[i].magic)) {
			what = known[i].what;
			break;
		}
	}
	if (size > TAR_AT && starts(data + TAR_AT, size - TAR_AT, "ustar"))
		what = "a tar archive (unpack it first)";
	return tp_err_set(
	    err, TP_EUNKNOWN, 0,
	    "is %s%s; tprof reads Go execution traces (go 1.5 to 1.27), profiles of pprof's "
	    "formats and stacks of goroutines, also as .gz or .zst",
	    what, quote(data, size, first));
}

int tp_recognise(const void *bytes, size_t size, struct tp_recognition *out, struct tp_err *err)
{
	const uint8_t *data = bytes;
	enum tp_kind kind;

	memset(out, 0, sizeof(*out));
	if (starts(data, size, "go 1.") || (size && size < 5 && !memcmp(data, "go 1.", size)))
		return recognise_trace(data, size, out, err);
	if (size >= 16 && !memcmp(data, "SQLite format 3", 16)) {
		out->format = TP_FORMAT_STORE;
		snprintf(out->name, sizeof(out->name), "SQLite database");
		return 0;
	}
	kind = tp_kind_of(data, size);
	if (kind) {
		out->format = TP_FORMAT_PROFILE;
		tp_kind_name(kind, data, size, out->name, sizeof(out->name));
		return 0;
	}
	return say_unknown(data, size, err);
}
