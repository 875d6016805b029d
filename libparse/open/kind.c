#include "open/kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "open/dumpline.h"
#include "open/log.h"
#include "open/proto.h"

#define BEGIN ((size_t)64 << 10) /* within which a header is looked for */

static const struct {
	const char *format, *name;
} kinds[TP_NKINDS] = {
    [TP_KIND_NONE] = {"", "no profile"},
    [TP_KIND_PROTO] = {"pprof", "pprof profile"},
    [TP_KIND_HEAP] = {"heap text", "heap profile (text)"},
    [TP_KIND_GROWTH] = {"heap growth text", "profile of heap growth (text)"},
    [TP_KIND_COUNT] = {"count text", "profile of counts (text)"},
    [TP_KIND_CONTENTION] = {"contention text", "contention profile (text)"},
    [TP_KIND_MUTEX] = {"mutex text", "mutex profile (text)"},
    [TP_KIND_THREADS] = {"thread text", "thread profile (text)"},
    [TP_KIND_CPU] = {"cpu binary", "CPU profile (binary)"},
    [TP_KIND_JAVA_HEAP] = {"java heap text", "Java heap profile (text)"},
    [TP_KIND_JAVA_CONTENTION] = {"java contention text", "Java contention profile (text)"},
    [TP_KIND_JAVA_CPU] = {"java cpu binary", "Java CPU profile (binary)"},
    [TP_KIND_GOROUTINES] = {"goroutine dump", "goroutine dump (text)"},
};

const char *tp_kind_format(enum tp_kind kind)
{
	return kinds[kind].format;
}

/* ---- texts ---- */

struct text {
	const char *at, *end;
};

static bool skip(struct text *t, const char *what)
{
	size_t n = strlen(what);

	if ((size_t)(t->end - t->at) < n || memcmp(t->at, what, n) != 0)
		return false;
	t->at += n;
	return true;
}

static bool skip_digits(struct text *t)
{
	const char *from = t->at;

	while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
		t->at++;
	return t->at > from;
}

static const char *find(struct text t, const char *what)
{
	return memmem(t.at, (size_t)(t.end - t.at), what, strlen(what));
}

/* The first line, or the first that is neither blank nor a comment. */
static struct text line_of(struct text *rest, bool comments)
{
	struct text line;

	do {
		const char *end = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));

		line = (struct text){rest->at, end ? end : rest->end};
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

/* "NAME profile: total N" */
static bool is_count(struct text line)
{
	const char *at = find(line, " profile: total ");
	struct text name = {line.at, at}, total;

	if (!at || at == line.at)
		return false;
	for (; name.at < name.end; name.at++)
		if ((unsigned char)*name.at <= ' ')
			return false;
	total = (struct text){at + strlen(" profile: total "), line.end};
	return skip_digits(&total) && total.at == total.end;
}

/* What its attributes say, of which there are few. */
static bool is_java(struct text rest)
{
	for (int i = 0; i < 16 && rest.at < rest.end; i++) {
		struct text line = line_of(&rest, true);

		if (!find(line, "="))
			return false;
		if (skip(&line, "format") || skip(&line, "resolution"))
			return true;
	}
	return false;
}

/* A word that may be shown. */
static bool is_plain(struct text name)
{
	for (; name.at < name.end; name.at++)
		if (*name.at <= ' ' || *name.at > '~')
			return false;
	return true;
}

int tp_kind_count_name(const void *data, size_t size, const char **name)
{
	struct text rest = {data, (const char *)data + (size < BEGIN ? size : BEGIN)};
	struct text line = line_of(&rest, true);

	if (!is_count(line)) {
		rest.at = (const char *)data +
			  tp_kind_header(data, (size_t)(rest.end - (const char *)data), 0);
		line = line_of(&rest, true);
	}
	const char *end = find(line, " profile: total ");

	*name = "count";
	if (!end || end - line.at > 24 || !is_plain((struct text){line.at, end}))
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

static enum tp_kind kind_of_text(struct text all)
{
	struct text rest = all, line = line_of(&rest, false), at = line;

	if ((at.at = find(line, "heap profile:")) != NULL) {
		if (find(at, "] @ growth") || find(at, "] @ fragmentation"))
			return TP_KIND_GROWTH;
		return TP_KIND_HEAP;
	}
	at = line;
	if (skip(&at, "--- mutex:"))
		return TP_KIND_MUTEX;
	if (skip(&at, "--- contention:"))
		return TP_KIND_CONTENTION;
	if (skip(&at, "--- contentionz "))
		return is_java(rest) ? TP_KIND_JAVA_CONTENTION : TP_KIND_CONTENTION;
	if (skip(&at, "--- heapz 1 ---"))
		return TP_KIND_JAVA_HEAP;
	rest = all;
	line = line_of(&rest, true);
	if (is_count(line))
		return TP_KIND_COUNT;
	at = line;
	if ((at.at = find(line, "--- threadz ")) != NULL && skip(&at, "--- threadz ") &&
	    skip_digits(&at) && skip(&at, " ---"))
		return TP_KIND_THREADS;
	at = line;
	if ((at.at = find(line, "--- Thread ")) != NULL && find(at, " (name: ") &&
	    find(at, ") stack: ---"))
		return TP_KIND_THREADS;
	return TP_KIND_NONE;
}

/* Stricter than kind_of_text: the line stands by itself. */
static bool is_header(struct text line)
{
	if (skip(&line, "heap profile:")) {
		while (skip(&line, " "))
			;
		return skip_digits(&line) && skip(&line, ":") && find(line, "] @ ");
	}
	if (skip(&line, "--- threadz "))
		return skip_digits(&line) && skip(&line, " ---");
	return skip(&line, "--- mutex:") || skip(&line, "--- contention:") ||
	       skip(&line, "--- contentionz ") || skip(&line, "--- heapz 1 ---") ||
	       is_count(line) || tp_is_goroutine_line(line.at, (size_t)(line.end - line.at));
}

size_t tp_kind_header(const void *data, size_t size, size_t from)
{
	struct text rest = {(const char *)data + from, (const char *)data + size};

	while (rest.at < rest.end) {
		const char *at = rest.at;

		/* Most lines are samples, and names of them. */
		if (*at == '#' || *at == '\t' || *at == ' ' || (*at >= '0' && *at <= '9')) {
			at = memchr(at, '\n', (size_t)(rest.end - at));
			rest.at = at ? at + 1 : rest.end;
		} else if (is_header(line_of(&rest, false))) {
			return (size_t)(at - (const char *)data);
		}
	}
	return size;
}

/* ---- what is not read as it lies there ---- */

static unsigned long long line_number(struct text all, const char *at)
{
	unsigned long long n = 1;

	while ((all.at = memchr(all.at, '\n', (size_t)(at - all.at))) != NULL) {
		all.at++;
		n++;
	}
	return n;
}

/* Sets *header to the header that `at`, a word of it, is in; false if it is none. */
static bool find_header(struct text all, const char *at, struct text *header)
{
	struct text total = {at, all.end};
	const char *end = memchr(at, '\n', (size_t)(all.end - at));

	*header = (struct text){at, end ? end : all.end};
	if (skip(&total, " profile: total ")) {
		while (header->at > all.at && is_plain((struct text){header->at - 1, at}) &&
		       !strchr("\"'\\", header->at[-1]))
			header->at--;
		skip_digits(&total);
		header->end = total.at;
	}
	return is_header(*header);
}

bool tp_kind_hint(const void *data, size_t size, char *hint, size_t room)
{
	static const char *const words[] = {"heap profile: ", " profile: total ",
					    "--- mutex:", "--- contention:"};
	struct text all = {data, (const char *)data + size}, header;
	struct tp_scan whole = {all.at, all.end};
	const char *at, *begin;
	char name[48];

	if (tp_log_is_binary(data, size < BEGIN ? size : BEGIN))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		at = find(all, words[i]);
		if (!at || !find_header(all, at, &header))
			continue;
		begin = memrchr(all.at, '\n', (size_t)(header.at - all.at));
		begin = begin ? begin + 1 : all.at;
		tp_kind_name(kind_of_text(header), header.at, (size_t)(header.end - header.at),
			     name, sizeof(name));
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
	for (struct tp_scan s = whole; (at = tp_scan_find(s, "goroutine ")) != NULL;) {
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

/* No program writes it, but binary data is full of it. */
static bool is_control(char c)
{
	unsigned char u = (unsigned char)c;

	return u < ' ' && u != '\t' && u != '\n' && u != '\r' && u != '\f' && u != '\v' &&
	       u != 0x1b && u != '\b';
}

/* The text before the first of them. */
static struct text before_controls(struct text t)
{
	struct text before = {t.at, t.at};

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

/* Texts have words to know them by, the protocol buffer only its fields: it comes last. (A log that
 * begins with the year 2026 begins like a field of it, too.) But its strings, and so the names of
 * functions, may be those words. */
enum tp_kind tp_kind_of(const void *bytes, size_t size)
{
	const uint8_t *data = bytes ? bytes : (const uint8_t *)"";
	struct text all = {(const char *)data, (const char *)data + size};
	struct text begin = {all.at, size < BEGIN ? all.end : all.at + BEGIN}, rest = begin;
	struct text first = line_of(&rest, false);
	struct tp_words words;
	enum tp_kind kind;
	uint64_t period;

	if (tp_is_goroutine_line(first.at, (size_t)(first.end - first.at)))
		return TP_KIND_GOROUTINES;
	kind = kind_of_text(begin);
	if (kind && tp_log_is_binary(begin.at, (size_t)(begin.end - begin.at)) &&
	    tp_input_is_proto(data, size))
		return TP_KIND_PROTO;
	if (kind)
		return kind;
	kind = tp_kind_of_words(data, size, &words, &period);
	if (kind)
		return kind;
	if (tp_log_has_dump(all.at, size))
		return TP_KIND_GOROUTINES;
	rest = before_controls(begin);
	rest.at += tp_kind_header(rest.at, (size_t)(rest.end - rest.at), 0);
	if (rest.at < rest.end)
		return kind_of_text(rest);
	return tp_input_is_proto(data, size) ? TP_KIND_PROTO : TP_KIND_NONE;
}
