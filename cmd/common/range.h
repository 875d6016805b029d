/* Is there anything in the time that was asked for (--from, --to), and of the goroutines
 * (--goroutine), and of tasks and regions? Of several traces some may lie outside, or lack them,
 * but not all.
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
	size_t runs, over;     /* all, and those that lie outside */
	size_t without;	       /* those that have no such goroutine */
	size_t outside;	       /* those that have no such task or region */
	bool elsewhere;	       /* others, that are compared with these, have some … */
	bool elsewhere_inside; /* … of such a task or region */
	char first[400];       /* what there is to say of the first that lies outside … */
	char names[400];       /* … and of the first that has no such goroutine */
	char types[400];       /* … or task or region */
};

/* One more run of the store; profiles do not count. Tasks and regions are looked for where the text
 * has them; whoever looks at them itself says cmd_range_outside. CMD_USAGE, explained on stderr,
 * where what was typed is no range of it. */
int cmd_range_add(const struct cmd *cmd, struct cmd_range *r, struct tp_store *store,
		  const struct rep_run *run);
/* The run, which was added, has no such task or region: `err` (TP_ENOENT) says so. */
void cmd_range_outside(struct cmd_range *r, const struct rep_run *run, const struct tp_err *err);
/* After all of them: CMD_INPUT, explained, where all lie outside, or have no such goroutine, task
 * or region; a note where some lie outside the time. */
int cmd_range_end(const struct cmd *cmd, const struct cmd_range *r);

#endif
