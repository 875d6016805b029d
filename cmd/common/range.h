/* Is there anything in the time that was asked for (--from, --to)? Of several traces some may be
 * over before it begins, but not all.
 *
 *	struct cmd_range range = {.text = &args->view.trace.filter};
 *
 *	for (size_t i = 0; i < n && !status; i++)
 *		status = cmd_range_add(&args->cmd, &range, &run[i]);
 *	if (!status)
 *		status = cmd_range_end(&args->cmd, &range);
 */
#ifndef CMD_RANGE_H
#define CMD_RANGE_H

#include "common/common.h"
#include "top/filter.h"

struct cmd_range {
	const struct rep_filter_text *text;
	size_t runs, over; /* all, and those that are over before */
	char first[400];   /* of those, what there is to say of the first */
};

/* One more run; profiles do not count. CMD_USAGE, explained on stderr, where what was typed is no
 * range of it. */
int cmd_range_add(const struct cmd *cmd, struct cmd_range *r, const struct rep_run *run);
/* After all of them: CMD_USAGE, explained, where all are over before; a note where some are. */
int cmd_range_end(const struct cmd *cmd, const struct cmd_range *r);

#endif
