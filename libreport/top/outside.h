/* Is there anything of a run in what was typed: in the time (--from, --to), of the goroutines
 * (--goroutine), and of the tasks and regions (--task, --region)? All say what there is. */
#ifndef REP_TOP_OUTSIDE_H
#define REP_TOP_OUTSIDE_H

#include "base/err.h"
#include "run.h"
#include "spans/filter.h"

/* TP_ENOENT with a sentence where the run lies outside, for moments with its own; TP_EFORMAT where
 * what was typed is no range of it; or what reading the store says. */
int rep_outside_range(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err);
/* TP_ENOENT with a sentence where it has no such goroutine; TP_EFORMAT, or what reading says. */
int rep_outside_goroutines(struct tp_store *s, const struct rep_run *run,
			   const struct rep_filter_text *text, struct tp_err *err);

/* TP_ENOENT with a sentence where it has no such task or region; TP_EFORMAT, or what reading says.
 */
int rep_outside_types(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err);

#endif
