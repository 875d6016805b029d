/* Regular expressions for traces, profiles and SQL: RE2's syntax, as in Go's tools, on top of POSIX
 * regcomp.
 *
 * The result of a match is only yes or no, so greediness makes no difference. Supported: (?:…) (?i)
 * (?P<name>…) \d \D \w \W \s \S \b \B \A \z \Q…\E \t \n \x41 \x{41} \. […] [[:alpha:]] x*? x{2,3}?.
 * Not supported, with an error that says so: \p{Greek}, (?i) in the middle, \C, and case folding
 * beyond ASCII. Text is bytes. Patterns without special characters are searched as plain text.
 *
 * Expressions and texts may be hostile: memory is limited to 1 GB, and time to 2 s plus 2 us for
 * each byte. An expression must not be used by several threads at once. */
#ifndef TP_BASE_REGEX_H
#define TP_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Limit on the bytes of a text that are examined, unless the pattern is plain text: from 8 KiB, for
 * patterns of thousands of parts, to 64 KiB. */
#define TP_REGEX_TEXT	   8192
#define TP_REGEX_TEXT_MOST 65536

struct tp_regex {
	char *literal; /* the pattern is this plain text; NULL: see `machine` */
	size_t size;
	struct tp_regex_machine *machine;
};

/* Compiles a pattern. Returns 0, TP_EFORMAT (the pattern is invalid; the message names `option`, such
 * as "--focus") or TP_ENOMEM. Release it in every case. A zeroed struct is valid and matches
 * nothing. */
int tp_regex_init(struct tp_regex *r, const char *pattern, const char *option, struct tp_err *err);
void tp_regex_release(struct tp_regex *r);
/* Returns 1 if the expression matches somewhere in `size` bytes of text, 0 if not, TP_ENOMEM, or
 * TP_ELIMIT if the expression has taken too long over all its texts. */
int tp_regex_find(const struct tp_regex *r, const char *text, size_t size);
/* Returns whether the expression matches; false after an error, which tp_regex_settle() returns
 * later. */
bool tp_regex_match(const struct tp_regex *r, const char *text, size_t size);
/* Returns 0 or the first error of tp_regex_find() and tp_regex_match() with this expression. */
int tp_regex_settle(const struct tp_regex *r, struct tp_err *err);
/* Fills in err with the message of tp_regex_settle() for a code that the caller kept. Returns the
 * code; 0 stays 0. */
int tp_regex_unknown(int code, struct tp_err *err);
/* Time limit of an expression: 2 s, and 2 us for each byte of its texts. They are variables for
 * tests: with a negative limit every match but that of plain text fails. */
extern int64_t tp_regex_most_ns, tp_regex_ns_per_byte;

/* Translates a pattern of RE2 to a POSIX extended one. Sets *posix, which the caller frees, and
 * *fold to whether case is ignored. Returns 0, TP_EFORMAT or TP_ENOMEM. */
int tp_regex_translate(const char *pattern, char **posix, bool *fold, struct tp_err *err);

#endif
