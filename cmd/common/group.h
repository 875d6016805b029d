/* Runs of a store that have the same value of a label, added up as they are loaded, so that many
 * need the memory of few. What profiles.c begins and ends with is here. */
#ifndef CMD_GROUP_H
#define CMD_GROUP_H

#include "common/profiles.h"
#include "run.h"

/* Has any of these runs a label of this key? TP_EUNKNOWN with a sentence that says which keys they
 * have. */
int cmd_group_check(const struct rep_runs *runs, const char *key, struct tp_err *err);

/* Adds p, which is run's and is taken over in every case, to the item of its group, which may be a
 * new one. Where opt->sample_index names a type, profiles without it are left out. TP_EUNKNOWN with
 * a sentence where the run has no such label, or cannot be added. */
int cmd_group_add(struct cmd_profiles *list, const struct rep_run *run, bool trace,
		  struct tp_profile *p, const struct cmd_profiles_options *opt, struct tp_err *err);

/* All groups become profiles, called "host=a1 (7 runs)". */
int cmd_group_end(struct cmd_profiles *list, const struct cmd_profiles_options *opt,
		  struct tp_err *err);

#endif
