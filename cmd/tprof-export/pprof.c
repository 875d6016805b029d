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

int export_profiles(struct export_args *args, struct cmd_profiles *list)
{
	struct cmd_profiles_options opt = {.trace = args->view.given ? &args->view.trace : NULL,
					   .binary = args->profile.binary,
					   .symbol_path = args->profile.symbol_path,
					   .demangle = args->profile.demangle,
					   .sample_index = args->profile.sample_index};

	return cmd_profiles_difference(&args->cmd, &args->base, &opt, list);
}

int export_pprof(struct export_args *args)
{
	const struct cmd_proto_hooks hooks = {.begin = begin, .change = change, .ctx = args};
	struct cmd_profiles list = {0};
	int status = export_profiles(args, &list);

	if (!status && args->view.given)
		cmd_profiles_note_empty(&args->cmd, &list, &args->view.trace);
	if (!status)
		status = cmd_write_proto(&args->cmd, &list.item[0], &args->profile, &hooks);
	cmd_profiles_release(&list);
	return status;
}
