/* Which profiles belong together. One process writes profiles of many kinds, some with the same sample
 * types and the same samples (heap and allocs, block and mutex), and may write several of a kind: a
 * sum counts these samples twice, and a rank test takes each profile for an independent run. */
#ifndef CMD_SETS_H
#define CMD_SETS_H

#include "common/profiles.h"

/* Where the stacks of a contention profile end: block and mutex profiles differ in nothing else. */
enum cmd_place { CMD_ANYWHERE, CMD_LOCKING, CMD_UNLOCKING };

/* What tells kinds and processes of profiles apart. */
struct cmd_mark {
	const char *name;	   /* borrowed */
	bool trace, untyped, file; /* of a file: the name may be the whole path */
	enum cmd_place place;
	uint64_t process; /* 0: unknown */
	size_t kind;	  /* private */
	char format[32], shown[40], types[160];
};

struct cmd_mark cmd_mark_of(const struct cmd_profile *item);
/* Returns whether both are of one kind. */
bool cmd_marks_alike(const struct cmd_mark *a, const struct cmd_mark *b);
/* Returns whether one process wrote both and they are of different kinds with the same sample types,
 * so that a sum has one kind of them only. */
bool cmd_marks_clash(const struct cmd_mark *a, const struct cmd_mark *b);

/* Keeps the profiles of one kind if a side has several kinds: traces if there is a view, else the kind
 * whose default sample type --sample-index names; notes what is left out. If these rules leave
 * several, refuses with a sentence that says how to choose. Notes a side whose profiles come from
 * fewer processes. Returns 0 or a status. */
int cmd_sets_settle(struct cmd *cmd, struct cmd_profiles list[2]);

/* Settles profiles that are to be added up: if one process wrote several kinds that have the same
 * sample types, keeps one of them in the same way; if processes are unknown, notes it. Makes mark[i].name
 * NULL for each of the n profiles that is left out. Returns 0 or a status. */
int cmd_sum_settle(struct cmd *cmd, struct cmd_mark *mark, size_t n);

#endif
