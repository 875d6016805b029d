/* Profiles as one profile.proto, gzipped as pprof and the Go toolchain want it. */
#include <string.h>

#include "common/gzip.h"
#include "common/profiles.h"
#include "decode/profile/encode.h"
#include "profile/view.h"
#include "tprof-export/export.h"

/* As for pprof's -proto: nothing is trimmed, locations stay what they are. */
static const struct rep_profile_traits traits = {
    .no_trim = true, .granularity_fixed = true, .granularity = REP_ADDRESSES};

/* pprof divides all values here, whatever is shown. */
static void divide(struct tp_profile *p, double ratio)
{
	for (size_t i = 0; ratio != 1 && i < p->nsamples * p->ntypes; i++) {
		double v = (double)p->value[i] * ratio;

		p->value[i] = v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
	}
}

void export_tell(const struct export_args *args, const struct rep_profile_view *v)
{
	const char *text = (const char *)v->notes.texts.data;

	for (size_t at = 0; at < v->notes.texts.size; at += strlen(text + at) + 1)
		cmd_note(&args->cmd, "%s", text + at);
}

static int write_profile(struct export_args *args, const struct cmd_profile *item)
{
	struct rep_profile_view v;
	struct tp_buf b = {0};
	struct tp_err err;
	int code = rep_profile_view_init(&v, item->profile, &args->profile, &traits, &err);
	int status = CMD_OK;

	if (code && code != TP_ENOMEM && code != TP_ELIMIT) {
		cmd_error(&args->cmd, "%s", err.msg);
		status = CMD_USAGE;
		goto done;
	}
	if (!code) {
		struct tp_encode_options how = {
		    .no_inlines = v.opt.no_inlines,
		    .no_columns = v.opt.no_inlines && !v.opt.show_columns,
		};

		export_tell(args, &v);
		divide(item->profile, v.ratio);
		/* What readers show unless told otherwise. */
		if (args->profile.sample_index)
			item->profile->default_type = item->profile->types[v.index].type;
		code = tp_profile_encode(item->profile, &how, &b, &err);
	}
	if (!code)
		status = export_begin(args);
	if (!code && !status)
		code = cmd_write_gzipped(&b, &err);
	if (code)
		status = cmd_fail(&args->cmd, item->name, &err);
done:
	tp_buf_release(&b);
	rep_profile_view_release(&v);
	return status;
}

int export_profiles(struct export_args *args, struct cmd_profiles *list)
{
	struct cmd_profiles_options opt = {.trace = args->view.given ? &args->view.trace : NULL,
					   .binary = args->profile.binary,
					   .symbol_path = args->profile.symbol_path,
					   .demangle = args->profile.demangle,
					   .sample_index = args->profile.sample_index};
	int status =
	    cmd_profiles_difference(&args->cmd, args->paths, args->npaths, &args->base, &opt, list);

	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, list, NULL);
	return status;
}

int export_pprof(struct export_args *args)
{
	struct cmd_profiles list = {0};
	int status = export_profiles(args, &list);

	if (!status)
		status = write_profile(args, &list.item[0]);
	cmd_profiles_release(&list);
	return status;
}
