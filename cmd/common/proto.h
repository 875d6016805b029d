/* Writes a profile as a gzipped profile.proto, which pprof and the Go toolchain read: the output of
 * --format=pprof. */
#ifndef CMD_PROTO_H
#define CMD_PROTO_H

#include "common/profiles.h"
#include "profile/options.h"

/* Functions that cmd_write_proto calls; each may be NULL. */
struct cmd_proto_hooks {
	/* Changes the profile after filters are applied and before it is encoded. Returns 0 or an
	 * error code. */
	int (*change)(void *ctx, struct tp_profile *p, struct tp_err *err);
	/* Called before the first byte is written. Returns 0 or an exit status. */
	int (*begin)(void *ctx);
	void *ctx;
};
/* Applies the options to the profile of `item`, which changes it, and writes it to stdout. Equal
 * profiles become equal bytes. `hooks` may be NULL. Returns 0 or an exit status. */
int cmd_write_proto(struct cmd *cmd, const struct cmd_profile *item,
		    const struct rep_profile_options *opt, const struct cmd_proto_hooks *hooks);

/* Writes a profile unchanged to stdout. Returns 0, TP_ENOMEM, TP_ELIMIT, or an error of cmd_write. */
int cmd_write_profile(const struct tp_profile *p, struct tp_err *err);

struct rep_profile_view;
/* Prints a note if values in `unit` cannot be shown in the unit `wanted`. */
void cmd_tell_unit(const struct cmd *cmd, const char *unit, const char *wanted);
/* Prints the notes of the view's filters ("focus matched no samples"), and that of its unit. */
void cmd_tell_filters(const struct cmd *cmd, const struct rep_profile_view *v);

#endif
