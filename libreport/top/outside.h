/* Checks whether a run has what was typed: the time range (--from, --to), the goroutines
 * (--goroutine), the tasks and regions (--task, --region). Messages name what the run has. */
#ifndef REP_TOP_OUTSIDE_H
#define REP_TOP_OUTSIDE_H

#include "base/err.h"
#include "run.h"
#include "spans/filter.h"

/* Returns TP_ENOENT with a sentence if the run lies outside the time range, TP_EFORMAT if what was
 * typed is not a range of the run, or an error of reading the store. */
int rep_outside_range(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err);
/* Returns TP_ENOENT with a sentence if the run does not have the goroutine, TP_EFORMAT, or an error
 * of reading the store. */
int rep_outside_goroutines(struct tp_store *s, const struct rep_run *run,
			   const struct rep_filter_text *text, struct tp_err *err);

/* Returns the same for tasks and regions. */
int rep_outside_types(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err);

#endif
