/* Walks a corpus and checks dump by dump, printing the table. */
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct facts;

struct check_options {
	int differences;  /* shown per dump */
	const char *only; /* part of the names to check, NULL: all */
	bool selftest;	  /* alter expectations and listings instead of comparing them */
};

struct check_total {
	int64_t files, compared, differences; /* selftest: alterations, those not noticed */
};

/* What the walk over a corpus hands to the checks of its folders (profiles.c). */
struct check {
	const struct check_options *opt;
	const char *dir;
	char scratch[64]; /* folder of the stores */
	struct facts *facts;
	int width; /* of the longest name */
	struct check_total *total;
};

/* "A/BC" into out; TP_ELIMIT. */
int check_path(char *out, size_t room, const char *a, const char *b, const char *c,
	       struct tp_err *err);
/* For facts_compare: a line for each difference. */
void check_show(void *ctx, const char *name, const char *expected, const char *found);
/* Whether an import failed for what is in the dump: that is a difference, not the end of the run.
 */
bool check_refused(struct check *c, int code, const struct tp_err *err);

/* The folder "profiles": 0 or an exit status, as check_corpus. `width` becomes that of its longest
 * name if it is longer. */
int check_profiles(struct check *c);
/* Two texts of pprof -raw, by content; the exit status. */
int check_texts(const char *expected, const char *found, const struct check_options *opt);
void check_profiles_width(const char *dir, int *width);

/* 0, or the exit status when the corpus cannot be read (then said on stderr). */
int check_corpus(const char *dir, const struct check_options *opt, struct check_total *total);

#endif
