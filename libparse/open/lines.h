/* Lines of a text dump, and what is read from within one; private to libparse. Nothing is
 * allocated or copied: all of it points into the dump. */
#ifndef TP_OPEN_LINES_H
#define TP_OPEN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a line, and a place in it: reading moves `at` towards `end`. */
struct tp_scan {
	const char *at, *end;
};

struct tp_lines {
	const char *start, *next, *end;
	struct tp_scan line; /* without its end (LF or CRLF) */
	uint64_t number;     /* of the line, 1 the first; 0 before it */
};

struct tp_lines tp_lines(const void *data, size_t size);
/* The next line becomes `line`; false at the end, where `line` is empty. */
bool tp_lines_next(struct tp_lines *l);
/* Where the line begins, and its bytes with its end. */
uint64_t tp_lines_offset(const struct tp_lines *l);
uint64_t tp_lines_bytes(const struct tp_lines *l);

size_t tp_scan_left(const struct tp_scan *s);
/* Without blanks at both ends. */
struct tp_scan tp_scan_trim(struct tp_scan s);
/* Skips blanks (space, tab, CR, FF, VT); how many. */
size_t tp_scan_blanks(struct tp_scan *s);
/* Skips spaces alone. */
size_t tp_scan_spaces(struct tp_scan *s);
/* Skips `text` if it comes next. */
bool tp_scan_text(struct tp_scan *s, const char *text);
bool tp_scan_begins(struct tp_scan s, const char *text);
bool tp_scan_is(struct tp_scan s, const char *text);
/* Where `text` begins in the rest, NULL nowhere. */
const char *tp_scan_find(struct tp_scan s, const char *text);
/* The longest run of characters from `set`. */
struct tp_scan tp_scan_run(struct tp_scan *s, const char *set);

enum tp_number {
	TP_NUMBER_NONE, /* nothing was read */
	TP_NUMBER_OK,
	TP_NUMBER_HUGE, /* digits, but more than fit (all are skipped) */
};

/* Digits, with '-' before them where `sign`. */
enum tp_number tp_scan_int(struct tp_scan *s, bool sign, int64_t *v);
/* Hexadecimal digits of either case, without a prefix. */
enum tp_number tp_scan_hex(struct tp_scan *s, uint64_t *v);
/* A whole text as Go's strconv.ParseInt reads it with base 0 (sign, 0x, 0o, 0b, 0), without
 * underscores. */
bool tp_scan_whole_int(struct tp_scan s, int64_t *v);

#define TP_DIGITS "0123456789"
#define TP_HEXITS "0123456789abcdefABCDEF"

#endif
