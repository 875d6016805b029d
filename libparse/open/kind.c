#include "open/kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/wire.h"
#include "open/dumpline.h"
#include "open/folded.h"
#include "open/log.h"
#include "open/otlp.h"
#include "open/perf.h"
#include "open/speedscope.h"

#define BEGIN ((size_t)64 << 10) /* bytes in which a header is searched for */

static bool is_heap(struct tp_scan line, bool within);
static bool is_growth(struct tp_scan line, bool within);
static bool is_jemalloc(struct tp_scan line, bool within);
static bool is_count(struct tp_scan line, bool within);
static bool is_threads(struct tp_scan line, bool within);

/* The kinds, and how the header of a text is recognised: by what it begins with, or by a function.
 * `within` asks about a line below others, of a log or another profile, and is stricter: the header
 * must begin the line, and be whole. Such lines cannot begin with a blank, '#' or a digit, as
 * tp_kind_header skips those. */
static const struct kind {
	const char *format, *name;
	const char *begin[2];
	bool (*is_header)(struct tp_scan line, bool within);
	bool after_comments; /* blank lines and comments may come before the header */
	const char *word;    /* occurs in headers that tp_kind_hint searches whole texts for */
} kinds[TP_NKINDS] = {
    [TP_KIND_NONE] = {.format = "", .name = "no profile"},
    [TP_KIND_PROTO] = {.format = "pprof", .name = "pprof profile"},
    [TP_KIND_HEAP] = {"heap text", "heap profile (text)", .is_header = is_heap,
		      .word = "heap profile: "},
    [TP_KIND_JEMALLOC] = {"jemalloc heap text", "jemalloc heap profile (text)",
			  .is_header = is_jemalloc, .word = "heap_v2/"},
    [TP_KIND_GROWTH] = {"heap growth text", "profile of heap growth (text)",
			.is_header = is_growth},
    [TP_KIND_COUNT] = {"count text", "profile of counts (text)", .is_header = is_count,
		       .after_comments = true, .word = " profile: total "},
    [TP_KIND_CONTENTION] = {"contention text", "contention profile (text)",
			    .begin = {"--- contention:", "--- contentionz "},
			    .word = "--- contention:"},
    [TP_KIND_MUTEX] = {"mutex text", "mutex profile (text)", .begin = {"--- mutex:"},
		       .word = "--- mutex:"},
    [TP_KIND_THREADS] = {"thread text", "thread profile (text)", .is_header = is_threads,
			 .after_comments = true},
    [TP_KIND_CPU] = {.format = "cpu binary", .name = "CPU profile (binary)"},
    [TP_KIND_JAVA_HEAP] = {"java heap text", "Java heap profile (text)",
			   .begin = {"--- heapz 1 ---"}},
    /* Its header is that of TP_KIND_CONTENTION; is_java tells them apart. */
    [TP_KIND_JAVA_CONTENTION] = {.format = "java contention text",
				 .name = "Java contention profile (text)"},
    [TP_KIND_JAVA_CPU] = {.format = "java cpu binary", .name = "Java CPU profile (binary)"},
    [TP_KIND_ALLOCS] = {"allocation trace", "trace of allocations (text)",
			.begin = {"tracealloc(0x", "tracefree(0x"}},
    [TP_KIND_PERF] = {.format = "perf script", .name = "samples of perf script (text)"},
    [TP_KIND_FOLDED] = {.format = "folded stacks", .name = "profile of folded stacks (text)"},
    [TP_KIND_SPEEDSCOPE] = {.format = "speedscope", .name = "speedscope file (JSON)"},
    [TP_KIND_OTLP] = {.format = "otlp", .name = "OpenTelemetry profile"},
    [TP_KIND_GOROUTINES] = {.format = "goroutine dump", .name = "goroutine dump (text)"},
};

const char *tp_kind_format(enum tp_kind kind)
{
	return kinds[kind].format;
}

/* ---- texts ---- */

static struct tp_scan scan(const void *data, size_t size)
{
	const char *p = data ? data : "";

	return (struct tp_scan){p, p + size};
}

static bool skip_digits(struct tp_scan *s)
{
	struct tp_scan digits = tp_scan_run(s, TP_DIGITS);

	return digits.at < digits.end;
}

/* "heap_v2/RATE" */
static bool is_jemalloc(struct tp_scan line, bool within)
{
	(void)within;
	return tp_scan_text(&line, "heap_v2/") && skip_digits(&line) && line.at == line.end;
}

/* Returns the first line or, with `comments`, the first line that is neither blank nor a comment. */
static struct tp_scan line_of(struct tp_scan *rest, bool comments)
{
	struct tp_scan line;

	do {
		const char *end = memchr(rest->at, '\n', tp_scan_left(rest));

		line = (struct tp_scan){rest->at, end ? end : rest->end};
		rest->at = end ? end + 1 : rest->end;
		while (line.end > line.at && (line.end[-1] == '\r' || line.end[-1] == ' '))
			line.end--;
		if (!comments)
			break;
		while (line.at < line.end && (*line.at == ' ' || *line.at == '\t'))
			line.at++;
	} while (rest->at < rest->end && (line.at == line.end || *line.at == '#'));
	return line;
}

/* "heap profile: 1: 2 [3: 4] @ heap/512" */
static bool is_heap(struct tp_scan line, bool within)
{
	if (!within)
		return tp_scan_find(line, "heap profile:") && !is_growth(line, within);
	if (!tp_scan_text(&line, "heap profile:"))
		return false;
	while (tp_scan_text(&line, " "))
		;
	return skip_digits(&line) && tp_scan_text(&line, ":") && tp_scan_find(line, "] @ ");
}

static bool is_growth(struct tp_scan line, bool within)
{
	if (within)
		return false; /* is_heap accepts these, too */
	line.at = tp_scan_find(line, "heap profile:");
	return line.at &&
	       (tp_scan_find(line, "] @ growth") || tp_scan_find(line, "] @ fragmentation"));
}

/* "--- threadz 1 ---", or the first thread: "--- Thread 7f79 (name: main/14748) stack: ---" */
static bool is_threads(struct tp_scan line, bool within)
{
	struct tp_scan at = line;

	if (!within)
		at.at = tp_scan_find(line, "--- threadz ");
	if (at.at && tp_scan_text(&at, "--- threadz ") && skip_digits(&at) &&
	    tp_scan_text(&at, " ---"))
		return true;
	at = line;
	at.at = within ? NULL : tp_scan_find(line, "--- Thread ");
	return at.at && tp_scan_find(at, " (name: ") && tp_scan_find(at, ") stack: ---");
}

/* "NAME profile: total N" */
static bool is_count(struct tp_scan line, bool within)
{
	(void)within;
	const char *at = tp_scan_find(line, " profile: total ");
	struct tp_scan name = {line.at, at}, total;

	if (!at || at == line.at)
		return false;
	for (; name.at < name.end; name.at++)
		if ((unsigned char)*name.at <= ' ')
			return false;
	total = (struct tp_scan){at + strlen(" profile: total "), line.end};
	return skip_digits(&total) && total.at == total.end;
}

/* Returns whether the attributes after the header are those of a Java profile. */
static bool is_java(struct tp_scan rest)
{
	for (int i = 0; i < 16 && rest.at < rest.end; i++) {
		struct tp_scan line = line_of(&rest, true);

		if (!tp_scan_find(line, "="))
			return false;
		if (tp_scan_text(&line, "format") || tp_scan_text(&line, "resolution"))
			return true;
	}
	return false;
}

/* Returns whether a word is printable. */
static bool is_plain(struct tp_scan name)
{
	for (; name.at < name.end; name.at++)
		if (*name.at <= ' ' || *name.at > '~')
			return false;
	return true;
}

int tp_kind_count_name(const void *data, size_t size, const char **name)
{
	struct tp_scan rest = scan(data, size < BEGIN ? size : BEGIN);
	struct tp_scan line = line_of(&rest, true);

	if (!is_count(line, false)) {
		rest.at = (const char *)data +
			  tp_kind_header(data, (size_t)(rest.end - (const char *)data), 0);
		line = line_of(&rest, true);
	}
	const char *end = tp_scan_find(line, " profile: total ");

	*name = "count";
	if (!end || end - line.at > 24 || !is_plain((struct tp_scan){line.at, end}))
		return (int)strlen(*name);
	*name = line.at;
	return (int)(end - line.at);
}

void tp_kind_name(enum tp_kind kind, const void *data, size_t size, char *name, size_t room)
{
	const char *word;
	int n;

	if (kind == TP_KIND_COUNT) {
		n = tp_kind_count_name(data, size, &word);
		snprintf(name, room, "%.*s profile (text)", n, word);
	} else {
		snprintf(name, room, "%s", kinds[kind].name);
	}
}

static bool has_header(const struct kind *kind, struct tp_scan line, bool within)
{
	for (size_t i = 0; i < 2 && kind->begin[i]; i++)
		if (tp_scan_begins(line, kind->begin[i]))
			return true;
	return kind->is_header && kind->is_header(line, within);
}

static enum tp_kind kind_of_text(struct tp_scan all)
{
	struct tp_scan below = all, rest = all, first = line_of(&below, false);
	struct tp_scan line = line_of(&rest, true);

	for (enum tp_kind kind = 0; kind < TP_NKINDS; kind++) {
		if (!has_header(&kinds[kind], kinds[kind].after_comments ? line : first, false))
			continue;
		if (tp_scan_begins(first, "--- contentionz ") && is_java(below))
			return TP_KIND_JAVA_CONTENTION;
		return kind;
	}
	return TP_KIND_NONE;
}

/* Returns whether a line below others begins a text profile or a goroutine's stack. */
static bool is_header(struct tp_scan line)
{
	for (size_t i = 0; i < TP_NKINDS; i++)
		if (has_header(&kinds[i], line, true))
			return true;
	return tp_is_goroutine_line(line.at, tp_scan_left(&line));
}

size_t tp_kind_header(const void *data, size_t size, size_t from)
{
	struct tp_scan rest = {(const char *)data + from, (const char *)data + size};

	while (rest.at < rest.end) {
		const char *at = rest.at;

		/* Most lines are samples or names of addresses. */
		if (*at == '#' || *at == '\t' || *at == ' ' || (*at >= '0' && *at <= '9')) {
			at = memchr(at, '\n', tp_scan_left(&rest));
			rest.at = at ? at + 1 : rest.end;
		} else if (is_header(line_of(&rest, false))) {
			return (size_t)(at - (const char *)data);
		}
	}
	return size;
}

/* ---- hints about profiles that cannot be read in place ---- */

static unsigned long long line_number(struct tp_scan all, const char *at)
{
	unsigned long long n = 1;

	while ((all.at = memchr(all.at, '\n', (size_t)(at - all.at))) != NULL) {
		all.at++;
		n++;
	}
	return n;
}

/* Sets *header to the header that contains `at`, one of its words. Returns false if the text there
 * is not a header. */
static bool find_header(struct tp_scan all, const char *at, struct tp_scan *header)
{
	struct tp_scan total = {at, all.end};
	const char *end = memchr(at, '\n', (size_t)(all.end - at));

	*header = (struct tp_scan){at, end ? end : all.end};
	if (tp_scan_text(&total, " profile: total ")) {
		while (header->at > all.at && is_plain((struct tp_scan){header->at - 1, at}) &&
		       !strchr("\"'\\", header->at[-1]))
			header->at--;
		skip_digits(&total);
		header->end = total.at;
	}
	return is_header(*header);
}

bool tp_kind_hint(const void *data, size_t size, char *hint, size_t room)
{
	struct tp_scan all = scan(data, size), header;
	const char *at, *begin;
	char name[48];

	if (tp_log_is_binary(data, size < BEGIN ? size : BEGIN))
		return false;
	for (size_t i = 0; i < TP_NKINDS; i++) {
		at = kinds[i].word ? tp_scan_find(all, kinds[i].word) : NULL;
		if (!at || !find_header(all, at, &header))
			continue;
		begin = memrchr(all.at, '\n', (size_t)(header.at - all.at));
		begin = begin ? begin + 1 : all.at;
		tp_kind_name(kind_of_text(header), header.at, tp_scan_left(&header), name,
			     sizeof(name));
		if (header.at > begin && header.at[-1] == '"')
			snprintf(hint, room,
				 "line %llu holds a %s in a string, where it is not read; take it "
				 "out, e.g. of JSON with jq -rj .KEY",
				 line_number(all, begin), name);
		else
			snprintf(
			    hint, room,
			    "line %llu begins a %s behind a prefix, where it is not read; take "
			    "the prefix off each line, e.g. with cut -c%zu-",
			    line_number(all, begin), name, (size_t)(header.at - begin) + 1);
		return header.at > begin;
	}
	for (struct tp_scan s = all; (at = tp_scan_find(s, "goroutine ")) != NULL;) {
		struct tp_scan id;

		s.at = at + strlen("goroutine ");
		id = tp_scan_run(&s, TP_DIGITS);
		if (!tp_scan_left(&id) || (!tp_scan_begins(s, " [") && !tp_scan_begins(s, " |[")))
			continue;
		snprintf(hint, room,
			 "line %llu names goroutine %.*s, but no stack that can be read follows; "
			 "write the dump's own lines to a file, e.g. from JSON with jq -r",
			 line_number(all, at),
			 (int)(tp_scan_left(&id) < 20 ? tp_scan_left(&id) : 20), id.at);
		return true;
	}
	return false;
}

/* Returns whether a character occurs in binary data but not in text. */
static bool is_control(char c)
{
	unsigned char u = (unsigned char)c;

	return u < ' ' && u != '\t' && u != '\n' && u != '\r' && u != '\f' && u != '\v' &&
	       u != 0x1b && u != '\b';
}

/* Returns the text before the first such character. */
static struct tp_scan before_controls(struct tp_scan t)
{
	struct tp_scan before = {t.at, t.at};

	while (before.end < t.end && !is_control(*before.end))
		before.end++;
	return before;
}

/* ---- binary ---- */

uint64_t tp_word(const uint8_t *data, const struct tp_words *words)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < words->bytes; i++)
		v |= (uint64_t)data[i] << 8 * (words->big_endian ? words->bytes - 1 - i : i);
	return v;
}

enum tp_kind tp_kind_of_words(const uint8_t *data, size_t size, struct tp_words *words,
			      uint64_t *period_us)
{
	static const struct tp_words ways[] = {{4, 0}, {4, 1}, {8, 0}, {8, 1}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		uint64_t w[5];

		if (size < (size_t)5 * ways[i].bytes)
			continue;
		for (size_t k = 0; k < 5; k++)
			w[k] = tp_word(data + k * ways[i].bytes, &ways[i]);
		if (w[0] || w[1] != 3 || w[2] > 1 || !w[3] || w[4])
			continue;
		*words = ways[i];
		*period_us = w[3];
		return w[2] ? TP_KIND_JAVA_CPU : TP_KIND_CPU;
	}
	return TP_KIND_NONE;
}

/* ---- profile.proto ---- */

#define ENOUGH 256 /* fields checked, once one of them has identified the format */
#define FEW    4   /* whole fields that a profile that is cut off must have */

/* Returns whether a field has the wire type that profile.proto gives its number, or no number of
 * profile.proto. */
static bool fits(const struct tp_field *f)
{
	/* By number; 15 (doc_url) is the last. */
	static const uint8_t wire[16] = {
	    [1] = TP_WIRE_BYTES, TP_WIRE_BYTES,	 TP_WIRE_BYTES,	 TP_WIRE_BYTES,	 TP_WIRE_BYTES,
	    TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_VARINT, TP_WIRE_VARINT, TP_WIRE_VARINT,
	    TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_BYTES,	 TP_WIRE_VARINT, TP_WIRE_VARINT,
	};

	if (f->number >= sizeof(wire) || f->wire == wire[f->number])
		return true;
	/* Comments are repeated numbers, packed or not. */
	return f->number == 13 && f->wire == TP_WIRE_VARINT;
}

/* Returns whether the data is profile.proto, which has no magic number: every field of the
 * outermost message that profile.proto defines has the right wire type, unknown fields are whole,
 * and there is a sample type or a string table. A profile that is cut off counts if it begins like
 * one. */
static bool is_proto(const uint8_t *data, size_t size)
{
	struct tp_cursor c = tp_cursor(data, size);
	struct tp_field f = {0};
	bool telling = false;
	size_t n = 0;

	for (; (!telling || n < ENOUGH) && tp_field_next(&c, &f); n++) {
		uint64_t numbers[3];

		if (!fits(&f))
			return false;
		if (f.number == 1 && !tp_wire_numbers(f.bytes, numbers, 3))
			return false;
		telling |= f.number == 1 || f.number == 6;
	}
	return telling && (c.failed == TP_CURSOR_OK || (c.failed == TP_CURSOR_END && n >= FEW));
}

/* Returns the kind of data that is recognised only by its fields. */
static enum tp_kind kind_of_fields(const void *bytes, size_t size)
{
	if (is_proto(bytes, size))
		return TP_KIND_PROTO;
	return tp_otlp_is(bytes, size) ? TP_KIND_OTLP : TP_KIND_NONE;
}

/* ---- all kinds ---- */

size_t tp_kind_body(const void *data, size_t size)
{
	static const char *const markers[] = {"heap", "growth", "contention", "profile"};
	struct tp_scan rest = scan(data, size), line = line_of(&rest, false);

	if (!tp_scan_is(line, "--- symbol"))
		return 0;
	while (rest.at < rest.end && !tp_scan_is(line, "---"))
		line = line_of(&rest, false);
	line = line_of(&rest, false);
	if (tp_scan_text(&line, "--- "))
		for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++)
			if (tp_scan_is(line, markers[i]))
				return (size_t)(rest.at - (const char *)data);
	return 0;
}

/* Returns whether there is a line "tracealloc(0x1, 0x2". */
static bool has_alloc(struct tp_scan text)
{
	static const char begin[] = "\ntracealloc(0x";
	const char *at;

	while ((at = tp_scan_find(text, begin)) != NULL) {
		text.at = at + strlen(begin);
		tp_scan_run(&text, TP_HEXITS);
		if (tp_scan_begins(text, ", 0x"))
			return true;
	}
	return false;
}

/* Text formats are recognised by their words, profile.proto only by its fields; so it comes last.
 * (A log that begins with the year 2026 also begins like one of its fields.) But the strings of a
 * profile.proto, such as names of functions, may contain those words. */
static enum tp_kind kind_of(const void *bytes, size_t size)
{
	struct tp_scan all = scan(bytes, size);
	struct tp_scan begin = scan(bytes, size < BEGIN ? size : BEGIN), rest = begin;
	struct tp_scan first = line_of(&rest, false);
	struct tp_words words;
	enum tp_kind kind, by_fields;
	uint64_t period;

	if (tp_otlp_is_json(begin.at, tp_scan_left(&begin)))
		return TP_KIND_OTLP;
	if (tp_is_goroutine_line(first.at, tp_scan_left(&first)))
		return TP_KIND_GOROUTINES;
	/* Its strings may have any of the words below. */
	if (tp_speedscope_is(all))
		return TP_KIND_SPEEDSCOPE;
	kind = kind_of_text(begin);
	if (kind && tp_log_is_binary(begin.at, tp_scan_left(&begin)) &&
	    (by_fields = kind_of_fields(bytes, size)) != TP_KIND_NONE)
		return by_fields;
	if (kind)
		return kind;
	kind = tp_kind_of_words(bytes, size, &words, &period);
	if (kind)
		return kind;
	/* Its strings may hold lines of a dump. */
	if (tp_log_is_binary(begin.at, tp_scan_left(&begin)) && is_proto(bytes, size))
		return TP_KIND_PROTO;
	/* Its stacks look like those of a goroutine dump. */
	if (!tp_log_is_binary(begin.at, tp_scan_left(&begin)) && has_alloc(begin))
		return TP_KIND_ALLOCS;
	if (tp_log_has_dump(all.at, size))
		return TP_KIND_GOROUTINES;
	rest = before_controls(begin);
	rest.at += tp_kind_header(rest.at, tp_scan_left(&rest), 0);
	if (rest.at < rest.end)
		return kind_of_text(rest);
	if (!tp_log_is_binary(begin.at, tp_scan_left(&begin))) {
		if (tp_perf_is(all))
			return TP_KIND_PERF;
		if (tp_folded_is(all))
			return TP_KIND_FOLDED;
	}
	return kind_of_fields(bytes, size);
}

enum tp_kind tp_kind_of(const void *data, size_t size)
{
	size_t body = tp_kind_body(data, size);

	return kind_of(body ? (const char *)data + body : data, size - body);
}
