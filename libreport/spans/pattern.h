/* A pattern that a user typed for names of a run: types of tasks and regions, texts of logs.
 *
 * The answer for each string of the dictionary is kept, so that rows are decided by look-ups.
 *
 *	code = rep_pattern_init(&p, "order|refund", "--task", true, err);
 *	code = rep_pattern_run(&p, view->dict, err);
 *	… rep_pattern_matches(&p, string) …
 *	code = rep_pattern_settle(&p, err);
 *	rep_pattern_release(&p); */
#ifndef REP_SPANS_PATTERN_H
#define REP_SPANS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/regex.h"
#include "decode/dict.h"

/* Zero-initialised is valid and matches everything. */
struct rep_pattern {
	struct tp_regex regex;
	bool given;   /* a regular expression was typed */
	bool by_id;   /* a number was typed where numbers are ids: `id` */
	bool request; /* a request was typed where tasks are meant (task/request.h) */
	int64_t id;
	const struct tp_dict *dict; /* of the run */
	uint32_t nstrings;
	uint8_t *answer; /* by string */
	int unknown;	 /* 0, or the error that kept the expression from being matched against a
			    string */
};

/* Compiles what was typed; NULL matches everything. `option` is named in messages. With `ids`,
 * digits alone are the id of a task, and a leading '?' is a request,
 * which matches everything here. Returns 0, TP_EFORMAT with a sentence, or TP_ENOMEM. *p must
 * be released in every case. */
int rep_pattern_init(struct rep_pattern *p, const char *text, const char *option, bool ids,
		     struct tp_err *err);
/* Sets the run whose strings are matched from now on; its dictionary must outlive that. Returns 0
 * or TP_ENOMEM. */
int rep_pattern_run(struct rep_pattern *p, const struct tp_dict *dict, struct tp_err *err);
/* Returns whether a string of the run matches. A string that the dictionary lacks counts as "". */
bool rep_pattern_matches(struct rep_pattern *p, int64_t string);
/* Returns 0, or an error with a sentence if the expression could not be matched against some
 * string, which then counts as not matching. */
int rep_pattern_settle(const struct rep_pattern *p, struct tp_err *err);
void rep_pattern_release(struct rep_pattern *p);

#endif
