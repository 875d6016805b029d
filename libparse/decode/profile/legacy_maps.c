/* Mappings as text: /proc/PID/maps, or shorter (pprof: ParseProcMaps):
 *
 *   START-LIMIT PERMISSIONS OFFSET DEVICE INODE FILE
 *   START-LIMIT: [PERMISSIONS] [FILE] [(@OFFSET)] [BUILD ID]
 *   NAME=VALUE     then $NAME stands for VALUE in the lines that follow
 * Numbers are hexadecimal, with or without 0x. Mappings that are not executable, other lines, and
 * the prefix of the glog package ("file.cc:17] ") are ignored. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "decode/profile/legacy.h"

#define MAX_NAMES 32
#define MAX_LINE  4096 /* longest line after replacing names */
#define MAX_STEPS ((uint64_t)1 << 30)

struct name {
	struct tp_scan text, value;
};

struct names {
	struct name at[MAX_NAMES];
	size_t n;
	struct tp_arena kept; /* copies of names and values, as replaced lines are temporary */
	/* Work over all lines: texts compared, bytes inserted. A compressed dump may have far more
	 * lines than any program has mappings. */
	uint64_t *steps; /* of all parts of the dump */
};

bool tp_legacy_is_maps(struct tp_scan line)
{
	return tp_scan_find(line, "--- Memory map: ---") || tp_scan_find(line, "MAPPED_LIBRARIES:");
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static size_t spaces(struct tp_scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && is_space(*s->at))
		s->at++;
	return (size_t)(s->at - from);
}

/* Skips spaces and reads a word of the characters of a set (NULL: up to a space). Moves *s only if
 * it finds one. */
static struct tp_scan word(struct tp_scan *s, const char *set)
{
	struct tp_scan at = *s, found = {0};

	if (!spaces(&at))
		return found;
	found.at = at.at;
	if (set)
		tp_scan_run(&at, set);
	else
		while (at.at < at.end && !is_space(*at.at))
			at.at++;
	found.end = at.at;
	if (found.at == found.end)
		return (struct tp_scan){0};
	*s = at;
	return found;
}

static struct tp_scan hex(struct tp_scan *s)
{
	struct tp_scan at = *s, digits;

	if (tp_scan_text(&at, "0x")) {
		digits = tp_scan_run(&at, TP_HEXITS);
		if (tp_scan_left(&digits)) {
			*s = at;
			return digits;
		}
	}
	return tp_scan_run(s, TP_HEXITS);
}

/* Reads START-LIMIT. If nothing separates them, or if `tight`, the last digit of the start is the
 * limit, as with pprof's regular expression. */
static bool range(struct tp_scan *s, bool tight, struct tp_scan *start, struct tp_scan *limit)
{
	struct tp_scan at;

	spaces(s);
	*start = hex(s);
	if (!tp_scan_left(start))
		return false;
	at = *s;
	if (at.at < at.end && (*at.at == '-' || is_space(*at.at)))
		at.at++;
	spaces(&at);
	*limit = hex(&at);
	if (tight || !tp_scan_left(limit)) {
		if (start->end - start->at < 2)
			return false;
		at = (struct tp_scan){--start->end, s->end};
		*limit = hex(&at);
	}
	*s = at;
	tp_scan_text(s, ":");
	return true;
}

struct entry {
	struct tp_scan start, limit, perm, offset, file, build_id;
};

/* Reads device and inode. Returns false if they do not follow. */
static bool device(struct tp_scan *s)
{
	struct tp_scan at = *s, digits = word(&at, TP_HEXITS);

	if (!tp_scan_left(&digits) || !tp_scan_text(&at, ":"))
		return false;
	digits = tp_scan_run(&at, TP_HEXITS);
	if (!tp_scan_left(&digits))
		return false;
	digits = word(&at, TP_DIGITS);
	*s = at;
	return tp_scan_left(&digits) > 0;
}

static bool long_entry(struct tp_scan s, bool tight, struct entry *e)
{
	struct tp_scan at;

	memset(e, 0, sizeof(*e));
	if (!range(&s, tight, &e->start, &e->limit))
		return false;
	e->perm = word(&s, "-rwxp");
	at = s;
	e->offset = word(&at, TP_HEXITS);
	if (!device(&at)) {
		e->offset = (struct tp_scan){0};
		at = s;
		if (!device(&at))
			return false;
	}
	e->file = word(&at, NULL);
	return true;
}

static bool short_entry(struct tp_scan s, struct entry *e)
{
	struct tp_scan at, digits;

	memset(e, 0, sizeof(*e));
	if (!range(&s, false, &e->start, &e->limit))
		return false;
	e->perm = word(&s, "-rwxp");
	e->file = word(&s, NULL);
	at = s;
	if (spaces(&at) && tp_scan_text(&at, "(@")) {
		digits = tp_scan_run(&at, TP_HEXITS);
		if (tp_scan_left(&digits) && tp_scan_text(&at, ")")) {
			e->offset = digits;
			s = at;
		}
	}
	e->build_id = word(&s, TP_HEXITS);
	return true;
}

static bool number(struct tp_scan digits, uint64_t *v)
{
	*v = 0;
	return tp_scan_left(&digits) == 0 || tp_scan_hex(&digits, v) == TP_NUMBER_OK;
}

static int put_entry(struct tp_legacy *l, const struct entry *e)
{
	struct tp_mapping m = {0};
	int code;

	if (e->perm.at && tp_scan_left(&e->perm) &&
	    !memchr(e->perm.at, 'x', tp_scan_left(&e->perm)))
		return 0;
	if (!number(e->start, &m.start) || !number(e->limit, &m.limit) ||
	    !number(e->offset, &m.offset))
		return 0;
	code = tp_legacy_string(l, e->file.at ? e->file.at : "", tp_scan_left(&e->file), &m.file);
	if (!code)
		code = tp_legacy_string(l, e->build_id.at ? e->build_id.at : "",
					tp_scan_left(&e->build_id), &m.build_id);
	return code ? code : tp_legacy_fail(l, tp_buf_put(&l->maps, &m, sizeof(m)));
}

static struct tp_scan without_log(struct tp_scan line)
{
	struct tp_scan s = line;

	while (s.at < s.end && *s.at != '[' && *s.at != ']')
		s.at++;
	if (s.end - s.at < 2 || *s.at != ']' || !is_space(s.at[1]))
		return line;
	s.end = s.at;
	while (s.end > line.at && s.end[-1] >= '0' && s.end[-1] <= '9')
		s.end--;
	if (s.end == s.at || s.end - line.at < 2 || s.end[-1] != ':')
		return line;
	return (struct tp_scan){s.at + 2, line.end};
}

static const struct name *name_at(struct names *names, struct tp_scan s)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct name *n = &names->at[i];
		size_t size = tp_scan_left(&n->text);

		*names->steps += 1 + size / 64;
		if (tp_scan_left(&s) >= size && !memcmp(s.at, n->text.at, size))
			return n;
	}
	return NULL;
}

/* Replaces names in the line, with a limit on its length. */
static int replace(struct names *names, struct tp_scan *line, struct tp_buf *out)
{
	struct tp_scan s = *line;
	int code = 0;

	if (!names->n || !memchr(s.at, '$', tp_scan_left(&s)) || tp_scan_left(&s) > MAX_LINE)
		return 0;
	out->size = 0;
	while (s.at < s.end && !code && out->size < MAX_LINE) {
		struct tp_scan rest = {s.at + 1, s.end};
		const struct name *n = *s.at == '$' ? name_at(names, rest) : NULL;

		if (n) {
			code = tp_buf_put(out, n->value.at, tp_scan_left(&n->value));
			s.at = rest.at + tp_scan_left(&n->text);
		} else {
			code = tp_buf_put(out, s.at++, 1);
		}
	}
	if (!code)
		code = tp_buf_reserve(out, 1);
	*names->steps += 16 * out->size;
	line->at = (const char *)out->data;
	line->end = line->at + out->size;
	return code;
}

static int add_name(struct names *names, struct tp_scan line, const char *equals)
{
	struct tp_scan text = tp_scan_trim((struct tp_scan){line.at, equals});
	struct tp_scan value = tp_scan_trim((struct tp_scan){equals + 1, line.end});
	struct name *n = &names->at[names->n];

	if (names->n == MAX_NAMES || tp_scan_left(&line) > MAX_LINE)
		return 0;
	n->text.at = tp_arena_strndup(&names->kept, text.at, tp_scan_left(&text));
	n->value.at = tp_arena_strndup(&names->kept, value.at, tp_scan_left(&value));
	if (!n->text.at || !n->value.at)
		return TP_ENOMEM;
	n->text.end = n->text.at + tp_scan_left(&text);
	n->value.end = n->value.at + tp_scan_left(&value);
	names->n++;
	return 0;
}

int tp_legacy_read_maps(struct tp_legacy *l)
{
	struct names *names = calloc(1, sizeof(*names));
	int code = 0;

	if (!names)
		return tp_legacy_fail(l, TP_ENOMEM);
	names->steps = &l->spent.map_steps;
	while (!code && tp_lines_next(&l->lines)) {
		struct tp_scan line = without_log(l->lines.line);
		struct entry e;
		const char *equals;

		code = tp_legacy_fail(l, replace(names, &line, &l->scratch));
		if (!code && *names->steps > MAX_STEPS)
			code = tp_err_set(l->err, TP_ELIMIT, TP_OFFSET_NONE,
					  "names in the list of mappings expand to too much text");
		if (code)
			break;
		if (long_entry(line, false, &e) || long_entry(line, true, &e) ||
		    short_entry(line, &e))
			code = put_entry(l, &e);
		else if ((equals = tp_scan_find(line, "=")) != NULL)
			code = tp_legacy_fail(l, add_name(names, line, equals));
	}
	tp_arena_clear(&names->kept);
	free(names);
	return code;
}

int tp_legacy_find_maps(struct tp_legacy *l)
{
	while (!tp_legacy_is_maps(l->lines.line))
		if (!tp_lines_next(&l->lines))
			return 0;
	return tp_legacy_read_maps(l);
}
