/* Walks a corpus and checks dump by dump, printing the table. */
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct check_options {
	int differences;  /* shown per dump */
	const char *only; /* part of the names to check, NULL: all */
	bool selftest;	  /* alter expectations and listings instead of comparing them */
};

struct check_total {
	int64_t files, compared, differences; /* selftest: alterations, those not noticed */
};

/* 0, or the exit status when the corpus cannot be read (then said on stderr). */
int check_corpus(const char *dir, const struct check_options *opt, struct check_total *total);

#endif
