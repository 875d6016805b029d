/* Regular expressions that users type, for traces, profiles and SQL alike: RE2's syntax, as Go's
 * tools have it, on top of POSIX regcomp.
 *
 * Only "does it match somewhere" is asked, so that greedy or not makes no difference. Understood:
 * (?:…) (?i) (?P<name>…) \d \D \w \W \s \S \b \B \A \z \Q…\E \t \n \x41 \x{41} \. […] [[:alpha:]]
 * x*? x{2,3}?. Not: \p{Greek}, (?i) in the middle, \C, and case folding beyond ASCII; they are an
 * error that says so. Text is bytes. Patterns without special characters are searched for.
 *
 * Expressions and texts may come from a dump: both are bounded, so that memory stays below 1 GB
 * whatever they are, and time below 2 s and 2 us for each byte. Not for several threads at once. */
#ifndef TP_BASE_REGEX_H
#define TP_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Of longer texts only so many bytes are looked at, unless the pattern is just text: the least, for
 * patterns of thousands of parts, and the most, for others. */
#define TP_REGEX_TEXT	   8192
#define TP_REGEX_TEXT_MOST 65536

struct tp_regex {
	char *literal; /* the pattern is just this text; else */
	size_t size;
	struct tp_regex_machine *machine;
};

/* Compiles a pattern. Returns 0, TP_EFORMAT (the pattern is invalid; the message names `option`, such
 * as "--focus") or TP_ENOMEM. Release it in every case. A zeroed struct is valid and matches
 * nothing. */
int tp_regex_init(struct tp_regex *r, const char *pattern, const char *option, struct tp_err *err);
void tp_regex_release(struct tp_regex *r);
/* Does it match somewhere in `size` bytes of text? 1, 0; TP_ENOMEM, TP_ELIMIT (it has taken too
 * long, on these texts together): nobody knows. */
int tp_regex_find(const struct tp_regex *r, const char *text, size_t size);
/* The same for who asks tp_regex_settle in the end: where nobody knows, it does not match. */
bool tp_regex_match(const struct tp_regex *r, const char *text, size_t size);
/* Was all that was asked of it answered? 0, or what tp_regex_find had in place of an answer. */
int tp_regex_settle(const struct tp_regex *r, struct tp_err *err);
/* The sentence about that, for a code that was kept. 0 stays 0. */
int tp_regex_unknown(int code, struct tp_err *err);
/* How long an expression may take: 2 s, and 2 us for each byte of the texts. Variables for tests:
 * with a limit below all times every answer is missing. */
extern int64_t tp_regex_most_ns, tp_regex_ns_per_byte;

/* The POSIX extended pattern for one of RE2: *posix is the caller's (free), *fold whether case is
 * to be ignored. TP_EFORMAT, TP_ENOMEM. */
int tp_regex_translate(const char *pattern, char **posix, bool *fold, struct tp_err *err);

#endif
