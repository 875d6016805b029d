/* Profiles of Java's profiler (pprof: legacy_java_profile.go):
 *
 *   --- heapz 1 ---            or  --- contentionz 1 ---
 *   format = java
 *   resolution = bytes             the unit of the second value
 *   sampling period = N            (contention) both values stand for N times as much
 *   ms since reset = N
 *   SECOND FIRST @ 0xADDRESS …     bytes objects, or delay count
 *   0xADDRESS NAME (FILE:LINE)     or NAME (PATH of a library), or NAME
 * Addresses only stand for names and are not kept. Heap profiles have one sample per 512 KiB. */
#include <string.h>

#include "decode/profile/legacy.h"

#define HEAP_RATE 524288

static bool word_or_space(char c)
{
	return c == ' ' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Finds a key and a value of letters, digits and spaces around a '='. */
static bool find_attribute(struct tp_scan line, struct tp_scan *key, struct tp_scan *value)
{
	const char *at;

	for (struct tp_scan s = line; (at = tp_scan_find(s, "=")) != NULL; s.at = at + 1) {
		*key = (struct tp_scan){at, at};
		while (key->at > s.at && word_or_space(key->at[-1]))
			key->at--;
		*value = (struct tp_scan){at + 1, at + 1};
		while (value->end < line.end && word_or_space(*value->end))
			value->end++;
		if (key->at == key->end || value->at == value->end)
			continue;
		*key = tp_scan_trim(*key);
		*value = tp_scan_trim(*value);
		return true;
	}
	return false;
}

static int add_types(struct tp_legacy *l, struct tp_scan unit)
{
	bool heap = l->kind == TP_KIND_JAVA_HEAP;
	const char *second = heap ? "inuse_space" : "delay";
	uint32_t name, what;
	int code;

	if (l->p->ntypes)
		return 0;
	code = tp_legacy_add_type(l, heap ? "inuse_objects" : "contentions", "count");
	if (!code)
		code = tp_legacy_string(l, second, strlen(second), &name);
	if (!code)
		code = tp_legacy_string(l, unit.at, tp_scan_left(&unit), &what);
	return code ? code : tp_legacy_fail(l, tp_profile_add_type(l->p, name, what));
}

static int read_attribute(struct tp_legacy *l, struct tp_scan key, struct tp_scan value)
{
	bool contention = l->kind == TP_KIND_JAVA_CONTENTION;
	int64_t v = 0;
	int code;

	if (tp_scan_is(key, "format"))
		return tp_scan_is(value, "java")
			   ? 0
			   : tp_legacy_lose(l, 0, "names a format other than java");
	if (tp_scan_is(key, "resolution"))
		return add_types(l, value);
	if (!contention ||
	    (!tp_scan_is(key, "sampling period") && !tp_scan_is(key, "ms since reset")))
		return tp_legacy_lose(l, 0, "is not a known attribute");
	if (!tp_scan_whole_int(value, &v))
		return tp_legacy_lose(l, 0, "does not have a 64-bit number after '='");
	if (tp_scan_is(key, "ms since reset")) {
		l->p->duration_ns = (int64_t)((uint64_t)v * 1000000);
		return 0;
	}
	code = tp_legacy_period_type(l, "contentions", "count");
	l->p->period = v;
	return code;
}

/* Finds two numbers and " @ ", with any number of spaces, anywhere in the line. */
static bool find_sample(struct tp_scan *s, struct tp_scan number[2])
{
	const char *from = s->at;

	for (; s->at < s->end; s->at++) {
		struct tp_scan at = *s;

		/* A number must not follow a digit. */
		if (at.at > from && at.at[-1] >= '0' && at.at[-1] <= '9')
			continue;
		number[0] = tp_scan_run(&at, TP_DIGITS);
		if (!tp_scan_left(&number[0]) || !tp_scan_spaces(&at))
			continue;
		number[1] = tp_scan_run(&at, TP_DIGITS);
		if (!tp_scan_left(&number[1]) || !tp_scan_spaces(&at) || !tp_scan_text(&at, "@") ||
		    !tp_scan_spaces(&at))
			continue;
		at.at--;
		*s = at;
		return true;
	}
	return false;
}

static int end_sample(struct tp_legacy *l, struct tp_scan stack, int64_t value[TP_LEGACY_VALUES],
		      uint32_t key)
{
	struct tp_label bytes = {.key = key, .numeric = true};
	uint32_t labels = 0;
	int code = 0;

	if (l->kind == TP_KIND_JAVA_HEAP) {
		bytes.number = value[1] / value[0];
		tp_legacy_unsample(&value[0], &value[1], HEAP_RATE);
		code = tp_legacy_fail(l, tp_profile_label_set(l->p, &bytes, 1, &labels));
	} else if (l->p->period) {
		value[0] = (int64_t)((uint64_t)value[0] * (uint64_t)l->p->period);
		value[1] = (int64_t)((uint64_t)value[1] * (uint64_t)l->p->period);
	}
	return code ? code : tp_legacy_add_sample(l, stack, 0, value, labels);
}

/* Reads a sample; sets *is to false if the line is not one, so the names begin. */
static int read_sample(struct tp_legacy *l, struct tp_scan s, uint32_t key, bool *is)
{
	struct tp_scan number[2];
	int64_t value[TP_LEGACY_VALUES];

	*is = find_sample(&s, number);
	if (!*is)
		return 0;
	if (!tp_scan_whole_int(number[0], &value[1]) || !tp_scan_whole_int(number[1], &value[0]))
		return tp_legacy_lose(l, 1, "has a number that does not fit 64 bits");
	if (l->kind == TP_KIND_JAVA_HEAP && !value[0])
		return tp_legacy_lose(l, 1, "has bytes but zero objects");
	return end_sample(l, s, value, key);
}

int tp_legacy_java(struct tp_legacy *l)
{
	bool header = true, more = true;
	struct tp_scan line, key, value, none = {"", ""};
	uint32_t bytes;
	int code = tp_legacy_string(l, "bytes", 5, &bytes);

	tp_lines_next(&l->lines);
	while (!code && more) {
		struct tp_lines before = l->lines;

		if (!tp_lines_next(&l->lines))
			break;
		line = tp_scan_trim(l->lines.line);
		if (!tp_scan_left(&line))
			continue;
		header = header && find_attribute(line, &key, &value);
		if (header) {
			code = read_attribute(l, key, value);
			continue;
		}
		code = add_types(l, none);
		if (!code)
			code = read_sample(l, line, bytes, &more);
		if (!more)
			l->lines = before;
	}
	if (!code)
		code = add_types(l, none);
	return code ? code : tp_legacy_java_names(l);
}

/* ---- names ---- */

/* Returns the parenthesis in "NAME (FILE:LINE)" or "NAME (PATH)", NULL if there is none. */
static const char *find_file(struct tp_scan s, bool with_line, int64_t *line)
{
	const char *at;

	if (s.at == s.end || s.end[-1] != ')')
		return NULL;
	s.end--;
	if (with_line) {
		struct tp_scan digits = s;
		const char *from = s.end;

		while (from > s.at && from[-1] >= '0' && from[-1] <= '9')
			from--;
		digits.at = from;
		*line = 0;
		if (from == s.end)
			return NULL;
		if (tp_scan_int(&digits, false, line) != TP_NUMBER_OK)
			*line = 0;
		if (from > s.at && from[-1] == '-') {
			from--;
			*line = 0;
		}
		if (from == s.at || from[-1] != ':')
			return NULL;
		s.end = from - 1;
	}
	/* The last one after a blank; with a line, the parentheses must not be empty. */
	for (at = s.end; at > s.at + 1; at--)
		if (at[-1] == '(' && (at[-2] == ' ' || at[-2] == '\t') &&
		    (!with_line || at < s.end))
			return at - 1;
	return NULL;
}

/* Interns a function. Functions are identified by name; the first file of each counts. */
static int function_of(struct tp_legacy *l, struct tp_scan name, struct tp_scan file, uint32_t *id)
{
	struct tp_function f = {0};
	int code = tp_legacy_string(l, name.at, tp_scan_left(&name), &f.name);

	if (code)
		return code;
	*id = tp_ids_get(&l->functions, f.name);
	if (*id != TP_NO_ID)
		return 0;
	f.system_name = f.name;
	code = tp_dict_string(l->p->dict, file.at, tp_scan_left(&file), &f.file);
	if (!code)
		code = tp_dict_function(l->p->dict, &f, id);
	return tp_legacy_fail(l, code ? code : tp_ids_put(&l->functions, f.name, *id));
}

static int put_name(struct tp_legacy *l, struct tp_legacy_place *place, struct tp_scan name,
		    struct tp_scan file, int64_t line)
{
	struct tp_frame frame = {.line = line};
	int code = function_of(l, name, file, &frame.function);

	place->line = (uint32_t)(l->names.size / sizeof(frame));
	place->nlines = 1;
	return code ? code : tp_legacy_fail(l, tp_buf_put(&l->names, &frame, sizeof(frame)));
}

static struct tp_scan without_end_blanks(const char *from, const char *to)
{
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	return (struct tp_scan){from, to};
}

static int read_name(struct tp_legacy *l, struct tp_legacy_place *place, struct tp_scan s)
{
	static const char stub[] = "STUB";
	struct tp_scan file = {"", ""}, name = s;
	const char *at, *slash;
	int64_t line = 0;

	if ((at = find_file(s, true, &line)) != NULL) {
		name = without_end_blanks(s.at, at);
		file = (struct tp_scan){at + 1, s.end - 1};
		while (*--file.end != ':')
			;
	} else if ((at = find_file(s, false, NULL)) != NULL) {
		/* Only the last part of a library's path is kept. */
		line = 0;
		name = without_end_blanks(s.at, at);
		file = (struct tp_scan){at + 1, s.end - 1};
		while (file.end > file.at + 1 && file.end[-1] == '/')
			file.end--;
		slash = memrchr(file.at, '/', tp_scan_left(&file));
		if (slash && slash + 1 < file.end)
			file.at = slash + 1;
	} else if (tp_scan_find(s, "generated stub/JIT")) {
		line = 0;
		name = (struct tp_scan){stub, stub + strlen(stub)};
	} else {
		line = 0;
	}
	return put_name(l, place, name, file, line);
}

int tp_legacy_java_names(struct tp_legacy *l)
{
	int code = 0;

	while (!code && tp_lines_next(&l->lines)) {
		struct tp_scan s = tp_scan_trim(l->lines.line);
		uint64_t address;
		enum tp_number n;
		uint32_t place;

		if (!tp_scan_text(&s, "0x") || (n = tp_scan_hex(&s, &address)) == TP_NUMBER_NONE ||
		    !tp_scan_blanks(&s))
			continue;
		if (n == TP_NUMBER_HUGE) {
			code = tp_legacy_lose(l, 0, "has an address that does not fit 64 bits");
			continue;
		}
		place = tp_ids_get(&l->by_address, address);
		if (place != TP_NO_ID)
			code = read_name(l, tp_legacy_place_at(l, place), s);
	}
	return code;
}
