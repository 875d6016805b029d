/* Profiles as one profile.proto. */
#include "common/profiles.h"
#include "common/proto.h"
#include "tprof-export/export.h"

static int begin(void *ctx)
{
	return export_begin(ctx);
}

static int change(void *ctx, struct tp_profile *p, struct tp_err *err)
{
	const struct export_args *args = ctx;

	return args->anonymise ? rep_anonymise_profile(&args->made_up, p, err) : 0;
}

int export_pprof(struct export_args *args)
{
	const struct cmd_proto_hooks hooks = {.begin = begin, .change = change, .ctx = args};
	struct cmd_profiles list = {0};
	int status = cmd_profiles_difference(&args->cmd, &list);

	if (!status)
		cmd_profiles_note_empty(&args->cmd, &list);
	if (!status)
		status = cmd_write_proto(&args->cmd, &list.item[0], &args->profile, &hooks);
	cmd_profiles_release(&list);
	return status;
}
