/* Reads the lines of a text dump and the parts of a line. Nothing is allocated or copied: all pointers
 * point into the dump. Private to libparse. */
#ifndef TP_OPEN_LINES_H
#define TP_OPEN_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a line. Reading moves `at` towards `end`. */
struct tp_scan {
	const char *at, *end;
};

struct tp_lines {
	const char *start, *next, *end;
	struct tp_scan line; /* without its end (LF or CRLF) */
	uint64_t number;     /* of the line; the first is 1 */
};

struct tp_lines tp_lines(const void *data, size_t size);
/* Reads the next line into `line`. Returns false at the end, with an empty `line`. */
bool tp_lines_next(struct tp_lines *l);
/* Return where the line begins, and its size with its line end. */
uint64_t tp_lines_offset(const struct tp_lines *l);
uint64_t tp_lines_bytes(const struct tp_lines *l);

size_t tp_scan_left(const struct tp_scan *s);
/* Returns the text without blanks at both ends. */
struct tp_scan tp_scan_trim(struct tp_scan s);
/* Skips blanks (space, tab, CR, LF, FF, VT). Returns their number. */
size_t tp_scan_blanks(struct tp_scan *s);
/* Skips spaces only. Returns their number. */
size_t tp_scan_spaces(struct tp_scan *s);
/* Skips `text` if it comes next. Returns whether it did. */
bool tp_scan_text(struct tp_scan *s, const char *text);
bool tp_scan_begins(struct tp_scan s, const char *text);
bool tp_scan_is(struct tp_scan s, const char *text);
/* Returns where `text` begins in s, or NULL. */
const char *tp_scan_find(struct tp_scan s, const char *text);
/* Skips the longest run of characters from `set` and returns it. */
struct tp_scan tp_scan_run(struct tp_scan *s, const char *set);

enum tp_number {
	TP_NUMBER_NONE, /* nothing was read */
	TP_NUMBER_OK,
	TP_NUMBER_HUGE, /* digits, but more than fit (all are skipped) */
};

/* Reads digits, with an optional '-' before them if `sign`. */
enum tp_number tp_scan_int(struct tp_scan *s, bool sign, int64_t *v);
/* Reads hexadecimal digits of either case, without a prefix. */
enum tp_number tp_scan_hex(struct tp_scan *s, uint64_t *v);
/* Reads a whole text as Go's strconv.ParseInt with base 0 does (sign, 0x, 0o, 0b, 0), but without
 * underscores. Returns false if it is not a number. */
bool tp_scan_whole_int(struct tp_scan s, int64_t *v);

#define TP_DIGITS "0123456789"
#define TP_HEXITS "0123456789abcdefABCDEF"

#endif
