/* Which profiles of two sets are runs of their own. One process writes profiles of many kinds, some with
 * the same sample types (heap and allocs, block and mutex), and may write several of a kind; a rank
 * test takes each for an independent run. */
#ifndef CMD_SETS_H
#define CMD_SETS_H

#include "common/profiles.h"

/* Keeps the profiles of one kind if a side has several kinds: traces if there is a view, else the kind
 * whose default sample type --sample-index names; notes what is left out. If these rules leave
 * several, refuses with a sentence that says how to choose. Notes a side whose profiles come from
 * fewer processes. Returns 0 or a status. */
int cmd_sets_settle(struct cmd *cmd, struct cmd_profiles list[2]);

#endif
