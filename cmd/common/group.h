/* Adds up profiles to groups. Runs of a store that have the same value of a label are added up as they
 * are loaded, so many runs need little memory. Used by profiles.c. */
#ifndef CMD_GROUP_H
#define CMD_GROUP_H

#include "common/profiles.h"
#include "run.h"

/* Returns 0 if any of these runs has a label with this key; else TP_EUNKNOWN, and the message lists
 * the keys they have. */
int cmd_group_check(const struct rep_runs *runs, const char *key, struct tp_err *err);

/* Adds a profile to the item of this name, which it creates if necessary. Returns 0, TP_ENOMEM, or
 * TP_EUNKNOWN if it does not fit the others. */
int cmd_group_put(struct cmd_profiles *list, const char *label, const struct cmd_profile *more,
		  struct tp_err *err);

/* Adds a run's profile to the item of its label with this key. Takes over the profile, also after an
 * error. Leaves out profiles without the sample type `type` (NULL: none). TP_EUNKNOWN: the run has no
 * such label as well. */
int cmd_group_add(struct cmd_profiles *list, const struct rep_run *run, struct tp_profile *p,
		  const char *key, const char *type, struct tp_err *err);

/* Turns all groups into profiles, named "host=a1 (7 runs)" if they are `labelled`, else "a.pb.gz and 6
 * more". Returns 0 or the error of adding them up. */
int cmd_group_end(struct cmd_profiles *list, bool labelled, struct tp_err *err);

#endif
