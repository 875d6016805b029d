#include "common/proto.h"

#include <libdeflate.h>
#include <string.h>

#include "base/buf.h"
#include "decode/profile/encode.h"
#include "profile/view.h"

/* As pprof's -proto: rows are not trimmed, and locations stay addresses. */
static const struct rep_profile_traits traits = {
    .no_trim = true, .granularity_fixed = true, .granularity = REP_ADDRESSES};

static int write_gzipped(const struct tp_buf *b, struct tp_err *err)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	struct tp_buf packed = {0};
	int code = 0;

	if (!c || tp_buf_reserve(&packed, libdeflate_gzip_compress_bound(c, b->size)))
		code = tp_nomem(err);
	/* The header holds no time, so equal profiles are equal files. */
	if (!code)
		code = cmd_write(
		    packed.data,
		    libdeflate_gzip_compress(c, b->data, b->size, packed.data, packed.room), err);
	libdeflate_free_compressor(c);
	tp_buf_release(&packed);
	return code;
}

/* Divides all values, of every sample type, as pprof does. */
static void divide(struct tp_profile *p, double ratio)
{
	for (size_t i = 0; ratio != 1 && i < p->nsamples * p->ntypes; i++) {
		double v = (double)p->value[i] * ratio;

		p->value[i] = v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
	}
}

void cmd_tell_unit(const struct cmd *cmd, const char *unit, const char *wanted)
{
	char names[REP_MEASURE_SIZE];

	if (rep_unit_unknown(unit, wanted, names))
		cmd_note(cmd, "values in %s cannot be shown in '%s'; their units are %s", unit,
			 wanted, names);
}

void cmd_tell_filters(const struct cmd *cmd, const struct rep_profile_view *v)
{
	const char *text = (const char *)v->notes.texts.data;

	for (size_t at = 0; at < v->notes.texts.size; at += strlen(text + at) + 1)
		cmd_note(cmd, "%s", text + at);
	if (v->profile->ntypes && v->opt.unit) {
		const struct tp_profile *p = v->profile;

		cmd_tell_unit(cmd, tp_dict_text(p->dict, p->types[v->index].unit).text,
			      v->opt.unit);
	}
}

int cmd_write_profile(const struct tp_profile *p, struct tp_err *err)
{
	struct tp_buf b = {0};
	int code = tp_profile_encode(p, NULL, &b, err);

	if (!code)
		code = write_gzipped(&b, err);
	tp_buf_release(&b);
	return code;
}

static int encode(struct cmd *cmd, const struct cmd_profile *item,
		  const struct rep_profile_options *opt, const struct rep_profile_view *v,
		  const struct cmd_proto_hooks *hooks, struct tp_buf *b, struct tp_err *err)
{
	int code;

	const struct tp_encode_options how = {
	    .no_inlines = v->opt.no_inlines,
	    .no_columns = v->opt.no_inlines && !v->opt.show_columns,
	};

	cmd_tell_filters(cmd, v);
	divide(item->profile, v->ratio);
	/* The sample type that readers show by default. */
	if (opt->sample_index)
		item->profile->default_type = item->profile->types[v->index].type;
	code = hooks && hooks->change ? hooks->change(hooks->ctx, item->profile, err) : 0;
	return code ? code : tp_profile_encode(item->profile, &how, b, err);
}

int cmd_write_proto(struct cmd *cmd, const struct cmd_profile *item,
		    const struct rep_profile_options *opt, const struct cmd_proto_hooks *hooks)
{
	struct rep_profile_view v;
	struct tp_buf b = {0};
	struct tp_err err;
	int code = rep_profile_view_init(&v, item->profile, opt, &traits, &err);
	int status = CMD_OK;

	if (code) {
		status = cmd_refuse(cmd, NULL, &err, CMD_USAGE);
	} else {
		code = encode(cmd, item, opt, &v, hooks, &b, &err);
		if (!code && hooks && hooks->begin)
			status = hooks->begin(hooks->ctx);
		if (!code && !status)
			code = write_gzipped(&b, &err);
		if (code)
			status = cmd_fail(cmd, item->name, &err);
	}
	tp_buf_release(&b);
	rep_profile_view_release(&v);
	return status;
}
