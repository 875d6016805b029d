#include "profile/timerange.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "base/wide.h"
#include "clock/clock.h"
#include "profile/filter.h"
#include "profile/measure.h"

#define TIMED                                                                                      \
	"profiles whose samples have times (a label 'time', as those of perf script); these have " \
	"none"

struct range {
	const struct tp_profile *p;
	int64_t first, last; /* of all samples, ns */
	int64_t from, to;    /* since the first */
	size_t timeless;     /* samples without a time */
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

/* Finds the first and last time of all samples. Returns false if there is none. */
static bool find_ends(struct range *r)
{
	int64_t ns, duration;

	r->first = INT64_MAX;
	r->last = INT64_MIN;
	for (size_t i = 0; i < r->p->nsamples; i++) {
		if (!time_of(r->p, i, &ns)) {
			r->timeless++;
			continue;
		}
		r->first = ns < r->first ? ns : r->first;
		r->last = ns > r->last ? ns : r->last;
	}
	return r->first <= r->last && !__builtin_sub_overflow(r->last, r->first, &duration);
}

int rep_profile_keep_range(struct tp_profile *p, const struct rep_filter_text *text,
			   size_t *timeless, struct tp_err *err)
{
	static const struct rep_clock unknown = {.source = REP_CLOCK_NONE};
	struct range r = {.p = p};
	char end[TP_UNITS_SIZE];
	int64_t duration;
	int code;

	if (!find_ends(&r))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--%s is for traces, and for " TIMED, text->from ? "from" : "to");
	duration = r.last - r.first;
	code = rep_filter_range_at(text, duration, &unknown, &r.from, &r.to, err);
	if (code)
		return code;
	if (r.from > duration)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "--from %s is after the last sample, at %s", text->from,
				  tp_fmt_ns(end, duration));
	*timeless = r.timeless;
	rep_profile_keep_samples(p, is_inside, &r);
	p->duration_ns = (r.to < duration ? r.to : duration) - (r.from > 0 ? r.from : 0);
	return 0;
}

/* ---- parts ---- */

static bool is_timed(void *ctx, size_t sample)
{
	const struct range *r = ctx;
	int64_t ns;

	return time_of(r->p, sample, &ns);
}

/* Returns which of n parts a sample is in. */
static size_t part_of(const struct range *r, size_t sample, size_t n)
{
	int64_t ns = r->first;
	size_t part;

	time_of(r->p, sample, &ns);
	part = (size_t)((double)(ns - r->first) / ((double)(r->last - r->first) + 1) * (double)n);
	return part < n ? part : n - 1;
}

/* Copies the samples to *to, part by part; part i begins at first[i]. */
static void sort_parts(const struct range *r, size_t *first, size_t n, struct tp_profile *to)
{
	const struct tp_profile *p = r->p;

	for (size_t i = 0; i < p->nsamples; i++)
		first[part_of(r, i, n) + 2]++;
	for (size_t i = 2; i <= n + 1; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < p->nsamples; i++) {
		size_t at = first[part_of(r, i, n) + 1]++;

		to->stack[at] = p->stack[i];
		to->label_set[at] = p->label_set[i];
		memcpy(to->value + at * p->ntypes, p->value + i * p->ntypes,
		       p->ntypes * sizeof(*p->value));
	}
}

int rep_profile_each_part(struct tp_profile *p, size_t n,
			  int (*put)(void *ctx, int64_t from_ns, struct tp_err *err), void *ctx,
			  size_t *timeless, struct tp_err *err)
{
	struct range r = {.p = p};
	struct tp_profile sorted = {0};
	size_t *first = tp_many(n + 2, sizeof(*first));
	int code = 0;

	if (!find_ends(&r)) {
		free(first);
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "--over=time is for " TIMED);
	}
	*timeless = r.timeless;
	rep_profile_keep_samples(p, is_timed, &r);
	sorted.stack = tp_many(p->nsamples, sizeof(*sorted.stack));
	sorted.label_set = tp_many(p->nsamples, sizeof(*sorted.label_set));
	sorted.value = tp_many(p->nsamples, p->ntypes * sizeof(*sorted.value));
	if (!first || !sorted.stack || !sorted.label_set || !sorted.value) {
		code = tp_nomem(err);
	} else {
		memset(first, 0, (n + 2) * sizeof(*first));
		sort_parts(&r, first, n, &sorted);
	}
	for (size_t i = 0; i < n && !code; i++) {
		p->nsamples = first[i + 1] - first[i];
		memcpy(p->stack, sorted.stack + first[i], p->nsamples * sizeof(*p->stack));
		memcpy(p->label_set, sorted.label_set + first[i],
		       p->nsamples * sizeof(*p->label_set));
		memcpy(p->value, sorted.value + first[i] * p->ntypes,
		       p->nsamples * p->ntypes * sizeof(*p->value));
		code = put(ctx, (int64_t)((double)(r.last - r.first) / (double)n * (double)i), err);
	}
	p->nsamples = 0;
	free(first);
	free(sorted.stack);
	free(sorted.label_set);
	free(sorted.value);
	return code;
}
