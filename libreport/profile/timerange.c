#include "profile/timerange.h"

#include <string.h>

#include "base/units.h"
#include "base/wide.h"
#include "clock/clock.h"
#include "profile/filter.h"
#include "profile/measure.h"

struct range {
	const struct tp_profile *p;
	int64_t first, last; /* of all samples, ns */
	int64_t from, to;    /* since the first */
};

/* Returns whether a sample has a time, and sets *ns to it. */
static bool time_of(const struct tp_profile *p, size_t sample, int64_t *ns)
{
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];

	for (uint32_t i = set->first; i < set->first + set->n; i++) {
		const struct tp_label *l = &p->labels[i];
		struct tp_text key = tp_dict_text(p->dict, l->key);
		const char *unit = tp_dict_text(p->dict, l->unit).text;

		if (!l->numeric || key.size != 4 || memcmp(key.text, "time", 4) != 0 ||
		    !rep_units_compatible(unit, "nanoseconds"))
			continue;
		/* As whole numbers: a time since 1970 has more digits than a double. */
		return !__builtin_mul_overflow(l->number,
					       tp_whole(rep_unit_ratio(unit, "nanoseconds")), ns);
	}
	return false;
}

static bool is_inside(void *ctx, size_t sample)
{
	const struct range *r = ctx;
	int64_t ns;

	if (!time_of(r->p, sample, &ns))
		return false;
	ns -= r->first;
	return ns >= r->from && ns < r->to;
}

int rep_profile_keep_range(struct tp_profile *p, const struct rep_filter_text *text,
			   struct tp_err *err)
{
	static const struct rep_clock unknown = {.source = REP_CLOCK_NONE};
	struct range r = {.p = p, .first = INT64_MAX, .last = INT64_MIN};
	char end[TP_UNITS_SIZE];
	int64_t ns, duration;
	int code;

	for (size_t i = 0; i < p->nsamples; i++) {
		if (!time_of(p, i, &ns))
			continue;
		r.first = ns < r.first ? ns : r.first;
		r.last = ns > r.last ? ns : r.last;
	}
	if (r.first > r.last || __builtin_sub_overflow(r.last, r.first, &duration))
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "--%s is for traces, and for profiles whose samples have times (a "
		    "label 'time', as those of perf script); these have none",
		    text->from ? "from" : "to");
	code = rep_filter_range_at(text, duration, &unknown, &r.from, &r.to, err);
	if (code)
		return code;
	if (r.from > duration)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "--from %s is after the last sample, at %s", text->from,
				  tp_fmt_ns(end, duration));
	rep_profile_keep_samples(p, is_inside, &r);
	p->duration_ns = (r.to < duration ? r.to : duration) - (r.from > 0 ? r.from : 0);
	return 0;
}
