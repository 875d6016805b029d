/* The two sides of a diff as a command line names them, and their profiles.
 *
 *	OLD NEW					two runs
 *	[--base] OLD… -- NEW…			two sets; "--" stands between them
 *	--base=OLD … NEW…  --diff-base=OLD …	as pprof's users type it
 *	--base-label=L --label=L STORE		runs of one store */
#ifndef TPROF_DIFF_SIDES_H
#define TPROF_DIFF_SIDES_H

#include <argp.h>

#include "common/labels.h"

struct sides {
	const char **path; /* as given: old ones first where there is a "--" */
	size_t n;
	const char **old; /* of --base=OLD */
	size_t nold;
	bool marked;	/* --base */
	bool separated; /* there is a "--" */
	size_t nbehind; /* arguments behind it */
	bool spelled;	/* "--base OLD" without a "--": sides_spell() has changed it */
	struct cmd_labels labels;
};

/* Where no "--" stands between the sides, "--base OLD NEW" is pprof's way to say --base=OLD NEW:
 * changes argv, and returns how many it has now, -1 when memory is out. */
int sides_spell(int argc, char **argv);
/* Looks for "--", of which argp does not tell where it was. */
void sides_init(struct sides *s, int argc, char **argv);
void sides_release(struct sides *s);
/* 0 or ENOMEM. */
error_t sides_add(struct sides *s, const char *path);
error_t sides_add_old(struct sides *s, const char *path);
/* What is wrong with them, NULL: nothing. Then it is decided which is which. `run`: --run, or NULL.
 */
const char *sides_check(struct sides *s, const char *run);
#define SIDES_NO_MEMORY "out of memory"

/* What cannot be opened counts for nothing: whoever loads it says so. 0 or an exit status. */
int sides_share(struct cmd *cmd, const struct sides *s, struct cmd_shared *out);

/* Writes the name of a side: that of `run`, its first of `n` runs, with its store or label if `other`,
 * the name of the other side's first run (or NULL), is the same. */
#define SIDES_NAME 400
void sides_name(const struct cmd *cmd, const struct sides *s, bool is_old, const char *run,
		const char *other, size_t n, char text[SIDES_NAME]);

#endif
