/* Reads a profile with the decoder of its kind. */
#include <stdarg.h>
#include <stdio.h>

#include "decode/profile/kinds.h"
#include "open/folded.h"
#include "open/kind.h"

int tp_profile_lose(struct tp_profile *p, struct tp_err *err, int strict, struct tp_loss loss,
		    const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(loss.reason, sizeof(loss.reason), fmt, args);
	va_end(args);
	if (strict)
		return tp_err_set(err, strict, loss.offset, "%s", loss.reason);
	loss.from_ns = loss.to_ns = INT64_MIN;
	return tp_profile_add_loss(p, &loss) ? tp_nomem(err) : 0;
}

int tp_profile_lose_line(struct tp_profile *p, struct tp_err *err, bool strict,
			 const struct tp_lines *at, uint64_t samples, const char *why)
{
	struct tp_loss loss = {
	    .offset = tp_lines_offset(at), .bytes = tp_lines_bytes(at), .events = samples};

	return tp_profile_lose(p, err, strict ? TP_EFORMAT : 0, loss, "line %llu %s",
			       (unsigned long long)at->number, why);
}

int tp_profile_failed(struct tp_err *err, const struct tp_lines *at, int code)
{
	if (code == TP_ELIMIT)
		return tp_err_set(err, code, tp_lines_offset(at),
				  "the profile has more than 2^30 entries");
	return code ? tp_nomem(err) : 0;
}

const struct tp_fraction tp_fractions[TP_FRACTIONS] = {
    {0, "count"}, {3, "thousandths"}, {6, "millionths"}, {TP_FOLDED_PLACES, "billionths"}};

int tp_profile_several(struct tp_err *err, uint64_t offset)
{
	return tp_err_set(
	    err, TP_EFORMAT, offset,
	    "holds several profiles one after the other; give each in a separate file");
}

int tp_profile_added_up(struct tp_profile *p, size_t n, struct tp_err *err)
{
	bool goroutines =
	    p->ntypes && tp_text_begins(tp_dict_text(p->dict, p->types[0].type), "goroutine");
	int code = n < 2 ? 0
			 : tp_profile_add_notice(p, TP_WARNING, TP_OFFSET_NONE,
						 "holds %zu profiles one after the other; their "
						 "samples are added up%s",
						 n,
						 goroutines ? "; to compare them, give each in a "
							      "separate file"
							    : "");

	return code ? tp_nomem(err) : 0;
}

/* Returns an error if nothing is left of a damaged profile. An intact profile may be empty. */
static int check_left(const struct tp_profile *p, const void *data, size_t size, struct tp_err *err)
{
	char hint[200];

	if (p->nsamples || p->ncounters || !p->nlosses)
		return 0;
	if (tp_kind_hint(data, size, hint, sizeof(hint)))
		return tp_err_set(err, TP_EFORMAT, p->losses[0].offset, "%s", hint);
	return tp_err_set(err, TP_EFORMAT, p->losses[0].offset,
			  "nothing of the profile can be read: %s", p->losses[0].reason);
}

int tp_profile_read(const void *data, size_t size, const struct tp_profile_options *opt,
		    struct tp_profile **p, struct tp_err *err)
{
	static const struct tp_profile_options defaults = {0};
	enum tp_kind kind = opt && opt->kind ? (enum tp_kind)opt->kind : tp_kind_of(data, size);
	int code;

	*p = NULL;
	if (kind == TP_KIND_NONE)
		return tp_err_set(err, TP_EUNKNOWN, 0, "is not a profile of a known kind");
	opt = opt ? opt : &defaults;
	if (kind == TP_KIND_PROTO && opt->dict && *opt->dict) {
		*p = tp_profile_new_in(*opt->dict);
		*opt->dict = NULL;
	} else {
		*p = tp_profile_new();
	}
	if (!*p)
		return tp_nomem(err);
	if (kind == TP_KIND_GOROUTINES)
		code = tp_goroutines_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_ALLOCS)
		code = tp_allocs_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_PERF)
		code = tp_perf_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_FOLDED)
		code = tp_folded_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_SPEEDSCOPE)
		code = tp_speedscope_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_OTLP)
		code = tp_otlp_read(data, size, opt, *p, err);
	else if (kind == TP_KIND_PROTO)
		code = tp_proto_read(data, size, opt, *p, err);
	else
		code = tp_legacy_read(kind, data, size, opt, *p, err);
	if (!code)
		code = check_left(*p, data, size, err);
	if (code) {
		tp_profile_free(*p);
		*p = NULL;
	}
	return code;
}
