/* Checks that traces have something within the time range (--from, --to), and have the goroutines
 * (--goroutine), tasks and regions of the options. Of several traces, some may lie outside the range, or lack
 * these, but not all.
 *
 *	struct cmd_range range = {.text = &args->view.trace.filter};
 *
 *	for (size_t i = 0; i < n && !status; i++)
 *		status = cmd_range_add(&args->cmd, &range, store, &run[i]);
 *	if (!status)
 *		status = cmd_range_end(&args->cmd, &range);
 */
#ifndef CMD_RANGE_H
#define CMD_RANGE_H

#include "common/common.h"
#include "spans/filter.h"

struct cmd_range {
	const struct rep_filter_text *text;
	size_t runs, over;     /* number of traces, and of those outside the time range */
	size_t without;	       /* number of those without such a goroutine */
	size_t outside;	       /* number of those without such a task or region */
	bool elsewhere;	       /* a trace compared with these has such a goroutine */
	bool elsewhere_inside; /* a trace compared with these has such a task or region */
	char first[400];       /* the message about the first trace outside the range */
	char names[400];       /* the message about the first without such a goroutine */
	char types[400];       /* the message about the first without such a task or region */
};

/* Checks a run of the store; profiles are ignored. Checks tasks and regions if r->text has them; callers that
 * find them themselves call cmd_range_outside. Returns 0, or CMD_USAGE with a message on stderr if the range
 * or a filter is not valid for the run. */
int cmd_range_add(const struct cmd *cmd, struct cmd_range *r, struct tp_store *store,
		  const struct rep_run *run);
/* Records that an added run has no such task or region, as `err` (TP_ENOENT) says. */
void cmd_range_outside(struct cmd_range *r, const struct rep_run *run, const struct tp_err *err);
/* Call it after all runs. Returns CMD_INPUT with a message if all lie outside the range, or all lack the
 * goroutine, task or region; else 0, after a note if some lie outside the range. */
int cmd_range_end(const struct cmd *cmd, const struct cmd_range *r);

#endif
