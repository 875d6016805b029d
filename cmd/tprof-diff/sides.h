/* The two sides of a diff as a command line names them:
 *
 *	OLD NEW					two runs
 *	[--base] OLD… -- NEW…			two sets; "--" stands between them
 *	--base=OLD … NEW…  --diff-base=OLD …	as pprof's users type it
 *	--base-label=L --label=L STORE		runs of one store
 * With --self-check old runs are enough: [--base] OLD…, --base-label=L STORE. */
#ifndef TPROF_DIFF_SIDES_H
#define TPROF_DIFF_SIDES_H

#include <argp.h>

#include "common/sides.h"

struct sides {
	bool separated;	 /* there is a "--" */
	size_t nbehind;	 /* arguments behind it */
	bool spelled;	 /* "--base OLD" without a "--": sides_spell() has changed it */
	bool old_only;	 /* for --self-check: all runs are old, and the new side repeats one */
	char wrong[160]; /* a text of sides_check() */
};

/* Where no "--" stands between the sides, "--base OLD NEW" is pprof's way to say --base=OLD NEW:
 * changes argv, and returns how many it has now, -1 when memory is out. */
int sides_spell(int argc, char **argv);
/* Looks for "--", of which argp does not tell where it was. */
void sides_init(struct sides *s, int argc, char **argv);
/* For --self-check, before sides_check(): makes all files old ones if no new ones are named. A file is
 * a new one behind "--", and the second one of two without --base. Returns NULL or SIDES_NO_MEMORY. */
const char *sides_old_only(struct sides *s, struct cmd *cmd);
/* Sorts the files of the command line, which all are new ones as it is parsed, into both sides.
 * Returns what is wrong with them, which lives as long as s, or NULL. */
const char *sides_check(struct sides *s, struct cmd *cmd);
/* If both sides have folders, says which files of them could be compared, and returns CMD_USAGE; else
 * CMD_OK. */
int sides_refuse_folders(const struct cmd *cmd);
#define SIDES_NO_MEMORY "out of memory"

/* Writes the name of a side: that of `run`, its first of `n` runs, with its store or label if `other`,
 * the name of the other side's first run (or NULL), is the same. */
#define SIDES_NAME 400
void sides_name(const struct cmd *cmd, bool is_old, const char *run, const char *other, size_t n,
		char text[SIDES_NAME]);

#endif
