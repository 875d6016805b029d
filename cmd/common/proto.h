/* Profiles as one profile.proto, gzipped as pprof and the Go toolchain want it: what --format=pprof
 * writes. */
#ifndef CMD_PROTO_H
#define CMD_PROTO_H

#include "common/profiles.h"
#include "profile/options.h"

/* Writes a profile, as the options leave it (which changes it), to stdout. `begin`, unless NULL, is
 * called when there is something to write and nothing is written yet; it returns 0 or an exit
 * status. Equal profiles are equal bytes. 0 or an exit status, explained on stderr. */
int cmd_write_proto(struct cmd *cmd, const struct cmd_profile *item,
		    const struct rep_profile_options *opt, int (*begin)(void *ctx), void *ctx);

/* A profile as it is. 0, TP_ENOMEM, TP_ELIMIT, or what cmd_write returns. */
int cmd_write_profile(const struct tp_profile *p, struct tp_err *err);

/* The same; `change`, unless NULL, has the profile before it is encoded, filters applied. */
struct cmd_proto_hooks {
	int (*begin)(void *ctx);
	int (*change)(void *ctx, struct tp_profile *p, struct tp_err *err);
	void *ctx;
};
int cmd_write_changed_proto(struct cmd *cmd, const struct cmd_profile *item,
			    const struct rep_profile_options *opt,
			    const struct cmd_proto_hooks *hooks);

/* What there is to be said of filters, as notes. */
struct rep_profile_view;
/* A note where `wanted` is none of the units that values in `unit` can be shown in. */
void cmd_tell_unit(const struct cmd *cmd, const char *unit, const char *wanted);
void cmd_tell_filters(const struct cmd *cmd, const struct rep_profile_view *v);

#endif
