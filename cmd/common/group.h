/* Adds up runs of a store that have the same value of a label, as they are loaded, so many runs need
 * little memory. Used by profiles.c. */
#ifndef CMD_GROUP_H
#define CMD_GROUP_H

#include "common/profiles.h"
#include "run.h"

/* Returns 0 if any of these runs has a label with this key; else TP_EUNKNOWN, and the message lists
 * the keys they have. */
int cmd_group_check(const struct rep_runs *runs, const char *key, struct tp_err *err);

/* Adds a run's profile to the item of its group, which it creates if necessary. Takes over the
 * profile, also after an error. Leaves out profiles without the type that sample_index names.
 * TP_EUNKNOWN: the run has no such label, or does not fit the others. */
int cmd_group_add(struct cmd_profiles *list, const struct rep_run *run, bool trace,
		  struct tp_profile *p, const char *key, const char *sample_index,
		  struct tp_err *err);

/* Turns all groups into profiles, named "host=a1 (7 runs)". */
int cmd_group_end(struct cmd_profiles *list, const char *sample_index, struct tp_err *err);

#endif
