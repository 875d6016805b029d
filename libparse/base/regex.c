#include "base/regex.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/re2.h"

/* regexec tries each position of a text where a match may begin, each time up to the text's end,
 * and caches every state for good. So the expression is anchored after a prefix that matches
 * anything, which takes one pass, and it is compiled again from time to time, which frees the states. */
#define ANYTHING "^([^x]|x)*("

#define STATES_MEMORY ((size_t)256 << 20)
#define STATE_SIZE    2560 /* with its table of next states; STATE_PART more for each part in it */
#define STATE_PART    8
#define LEAST_BUDGET  ((size_t)2048) /* compiling again takes time, too */
#define TURNS	      4		     /* attempts before TP_ENOMEM is returned */

/* Limit on the total time of an expression. A state takes 20 to 50 us, and hostile texts may need
 * one per byte: a minute per megabyte. Ordinary ones take some ns per byte, and 100 ns per text. */
int64_t tp_regex_most_ns = INT64_C(2000000000);
int64_t tp_regex_ns_per_byte = 2000;

struct tp_regex_machine {
	regex_t re;
	char *posix;
	int flags;
	size_t left, budget; /* bytes that may be examined before all states are freed */
	int64_t took_ns;     /* spent in regexec, by the clock */
	int64_t looked_at;   /* bytes searched, plus one for each text */
	int64_t began_ns;    /* processor time when the machine was made */
	int unknown;	     /* 0, or the first error of a match */
};

/* Takes a pattern without special characters, except escaped dots, as plain text. */
static bool take_literal(struct tp_regex *r, const char *pattern)
{
	char *out = malloc(strlen(pattern) + 1);

	r->size = 0;
	for (const char *p = pattern; out && *p; p++) {
		if (*p == '\\' && p[1] && ispunct((unsigned char)p[1])) {
			out[r->size++] = *++p;
		} else if (strchr("\\^$.|?*+()[]{}", *p)) {
			free(out);
			return false;
		} else {
			out[r->size++] = *p;
		}
	}
	r->literal = out;
	return out != NULL;
}

static char *anchored(const char *posix)
{
	size_t n = strlen(posix), head = strlen(ANYTHING);
	char *out = malloc(head + n + 2);

	if (out) {
		memcpy(out, ANYTHING, head);
		memcpy(out + head, posix, n);
		memcpy(out + head + n, ")", 2);
	}
	return out;
}

static int compile(struct tp_regex *r, const char *pattern, const char *option, struct tp_err *err)
{
	struct tp_regex_machine *m = r->machine;
	char why[160];
	int code = regcomp(&m->re, m->posix, m->flags);

	if (!code)
		return 0;
	free(m->posix);
	free(m);
	r->machine = NULL;
	if (code == REG_ESPACE)
		return tp_nomem(err);
	regerror(code, NULL, why, sizeof(why));
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s: '%s' is not a regular expression: %s", option, pattern, why);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int tp_regex_init(struct tp_regex *r, const char *pattern, const char *option, struct tp_err *err)
{
	struct tp_re2_cost cost;
	size_t budget;
	char *posix;
	bool fold;
	int code;

	memset(r, 0, sizeof(*r));
	if (take_literal(r, pattern))
		return 0;
	code = tp_re2_translate(pattern, &posix, &fold, &cost, err);
	if (code == TP_EFORMAT)
		tp_err_prefix(err, "%s: '%s' is not a regular expression", option, pattern);
	if (code)
		return code;
	r->machine = calloc(1, sizeof(*r->machine));
	if (r->machine)
		r->machine->posix = anchored(posix);
	free(posix);
	if (!r->machine || !r->machine->posix) {
		free(r->machine);
		r->machine = NULL;
		return tp_nomem(err);
	}
	r->machine->began_ns = now(CLOCK_PROCESS_CPUTIME_ID);
	r->machine->flags = REG_EXTENDED | REG_NOSUB | (fold ? REG_ICASE : 0);
	budget = STATES_MEMORY / (STATE_SIZE + STATE_PART * cost.parts);
	budget = budget > LEAST_BUDGET ? budget : LEAST_BUDGET;
	r->machine->budget = budget < TP_REGEX_TEXT_MOST ? budget : TP_REGEX_TEXT_MOST;
	r->machine->left = r->machine->budget;
	return compile(r, pattern, option, err);
}

void tp_regex_release(struct tp_regex *r)
{
	free(r->literal);
	if (r->machine) {
		regfree(&r->machine->re);
		free(r->machine->posix);
		free(r->machine);
	}
	memset(r, 0, sizeof(*r));
}

/* Frees the states. Returns false when memory is out; they are then kept. */
static bool forget_states(struct tp_regex_machine *m)
{
	regex_t fresh;

	if (regcomp(&fresh, m->posix, m->flags))
		return false;
	regfree(&m->re);
	m->re = fresh;
	m->left = m->budget;
	return true;
}

/* Returns whether the time limit is reached. The limit is on processor time, but reading that takes
 * as long as a short text, so it is read only when the clock has passed the limit. */
static bool takes_too_long(const struct tp_regex_machine *m)
{
	int64_t most = tp_regex_most_ns + m->looked_at * tp_regex_ns_per_byte;

	return m->took_ns > most && now(CLOCK_PROCESS_CPUTIME_ID) - m->began_ns > most;
}

static int unknown(struct tp_regex_machine *m, int code)
{
	if (!m->unknown)
		m->unknown = code;
	return code;
}

int tp_regex_find(const struct tp_regex *r, const char *text, size_t size)
{
	struct tp_regex_machine *m = r->machine;
	regmatch_t range = {0};
	int64_t began;
	size_t most;
	int was = errno, rc = REG_NOMATCH;

	if (r->literal)
		return !r->size || memmem(text, size, r->literal, r->size);
	if (!m)
		return 0;
	if (takes_too_long(m))
		return unknown(m, TP_ELIMIT);
	began = now(CLOCK_MONOTONIC);
	most = m->budget > TP_REGEX_TEXT ? m->budget : TP_REGEX_TEXT;
	if (size > most)
		size = most;
	if (size > m->left)
		forget_states(m);
	m->left -= size < m->left ? size : m->left;
	range.rm_eo = (regoff_t)size;
	/* glibc's regexec reports lack of memory as "no match". errno does not settle it, because
	 * malloc may set ENOMEM when it only switches heaps. So the match is tried again. */
	for (int turn = 0; turn < TURNS; turn++) {
		errno = 0;
		rc = regexec(&m->re, text, 1, &range, REG_STARTEND);
		if (rc != REG_NOMATCH || errno != ENOMEM)
			break;
	}
	if (rc)
		rc = rc == REG_ESPACE || errno == ENOMEM ? unknown(m, TP_ENOMEM) : 0;
	else
		rc = 1;
	m->took_ns += now(CLOCK_MONOTONIC) - began;
	m->looked_at += (int64_t)size + 1;
	errno = was;
	return rc;
}

bool tp_regex_match(const struct tp_regex *r, const char *text, size_t size)
{
	return tp_regex_find(r, text, size) == 1;
}

int tp_regex_unknown(int code, struct tp_err *err)
{
	if (code == TP_ELIMIT)
		return tp_err_set(
		    err, code, TP_OFFSET_NONE,
		    "a regular expression takes too long on these names; use fewer parts that "
		    "match anything, such as '.' and '{16}'");
	return code ? tp_nomem(err) : 0;
}

int tp_regex_settle(const struct tp_regex *r, struct tp_err *err)
{
	return tp_regex_unknown(r->machine ? r->machine->unknown : 0, err);
}

int tp_regex_translate(const char *pattern, char **posix, bool *fold, struct tp_err *err)
{
	struct tp_re2_cost cost;

	return tp_re2_translate(pattern, posix, fold, &cost, err);
}
