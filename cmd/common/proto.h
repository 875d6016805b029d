/* Profiles as one profile.proto, gzipped as pprof and the Go toolchain want it: what --format=pprof
 * writes. */
#ifndef CMD_PROTO_H
#define CMD_PROTO_H

#include "common/profiles.h"
#include "profile/options.h"

/* Called by cmd_write_proto; each may be NULL. */
struct cmd_proto_hooks {
	/* After filters are applied, before the profile is encoded. */
	int (*change)(void *ctx, struct tp_profile *p, struct tp_err *err);
	/* Before the first byte is written. Returns 0 or an exit status. */
	int (*begin)(void *ctx);
	void *ctx;
};
/* Writes a profile, as the options leave it (which changes it), to stdout. Equal profiles become
 * equal bytes. `hooks` may be NULL. Returns 0 or an exit status. */
int cmd_write_proto(struct cmd *cmd, const struct cmd_profile *item,
		    const struct rep_profile_options *opt, const struct cmd_proto_hooks *hooks);

/* Writes a profile as it is. Returns 0, TP_ENOMEM, TP_ELIMIT, or an error of cmd_write. */
int cmd_write_profile(const struct tp_profile *p, struct tp_err *err);

/* Reports as notes what filters found, and a unit that values cannot be shown in. */
struct rep_profile_view;
void cmd_tell_unit(const struct cmd *cmd, const char *unit, const char *wanted);
void cmd_tell_filters(const struct cmd *cmd, const struct rep_profile_view *v);

#endif
