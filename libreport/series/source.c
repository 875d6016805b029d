/* The values of a profile, or of a trace, that a series shows for each run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff/trace/interval.h"
#include "profile/top.h"
#include "series/series.h"

/* Returns the kind of values in a unit and the factor to it: units of time become ns, units of size
 * bytes; others stay numbers. */
static enum rep_kind kind_of(const char *unit, double *factor)
{
	static const struct {
		const char *like, *base;
		enum rep_kind kind;
	} kinds[] = {{"nanoseconds", "nanoseconds", REP_NS}, {"bytes", "bytes", REP_BYTES}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!rep_units_compatible(unit, kinds[i].like))
			continue;
		*factor = rep_unit_ratio(unit, kinds[i].base);
		return kinds[i].kind;
	}
	*factor = 1;
	return REP_COUNT;
}

#define NO_CLOCK                                                                                   \
	"one of the runs has no clock: its ticks cannot be compared with the times of the others"

static bool is_clockless(const char *unit)
{
	return !strcmp(unit, "ticks");
}

/* Returns TP_EFORMAT unless the values have the same type as those of earlier runs and a compatible
 * unit, as the numbers of one row must be comparable. */
static int check_type(const struct rep_series *s, const char *type, const char *unit,
		      struct tp_err *err)
{
	const char *before = s->what, *measured = s->what_unit;
	char kept[REP_SERIES_WHAT], kept_unit[REP_SERIES_UNIT];

	if (!s->said)
		return 0;
	snprintf(kept, sizeof(kept), "%s", type);
	snprintf(kept_unit, sizeof(kept_unit), "%s", unit);
	if (!strcmp(before, kept)) {
		if (!strcmp(measured, kept_unit) || rep_units_compatible(measured, unit))
			return 0;
		if (is_clockless(measured) != is_clockless(unit))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, NO_CLOCK);
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "its values are in %.40s, but those of the runs before it are in %.40s",
		    *unit ? unit : "no unit", *measured ? measured : "no unit");
	}
	return tp_err_set(
	    err, TP_EFORMAT, TP_OFFSET_NONE,
	    "its values are %.80s, but those of the runs before it are %.80s; choose one "
	    "type with --sample-index, or runs of one type with --run",
	    *type ? type : "of no type", *before ? before : "of no type");
}

int rep_series_put_profile(struct rep_series *s, struct tp_profile *p,
			   const struct rep_profile_options *opt, struct tp_err *err)
{
	struct rep_profile_options all = *opt;
	struct rep_profile_top top;
	enum rep_kind kind = REP_COUNT;
	double factor = 1;
	int code;

	all.no_trim = true;
	code = rep_profile_top(&top, p, &all, err);
	if (!code)
		code = check_type(s, top.view.type, top.view.unit, err);
	if (!code) {
		kind = kind_of(top.view.unit, &factor);
		rep_series_say(s, top.view.type, top.view.unit, all.granularity != REP_FILES);
	}
	for (size_t i = 0; i < top.n && !code; i++) {
		const struct rep_top_row *row = &top.row[i];
		int64_t value = opt->cum ? row->cum : row->flat;

		const struct rep_series_number number = {
		    .name = row->name.text,
		    .size = row->name.size,
		    .kind = kind,
		    .absent = REP_SERIES_ZERO,
		    .value = (double)value * factor * top.view.ratio,
		};

		if (value)
			code = rep_series_put(s, &number, err);
	}
	rep_profile_top_release(&top);
	return code;
}

int rep_series_put_counters(struct rep_series *s, const struct tp_profile *p, struct tp_err *err)
{
	int code = 0;

	rep_series_say(s, "counters", "", false);
	for (size_t i = 0; i < p->ncounters && !code; i++) {
		const struct tp_counter *c = &p->counters[i];
		struct tp_text name = tp_dict_text(p->dict, c->name);

		const struct rep_series_number number = {
		    .name = name.text,
		    .size = name.size,
		    .kind = REP_COUNT,
		    .absent = REP_SERIES_GAP,
		    .value = (double)c->value,
		};

		if (c->item == TP_NULL)
			code = rep_series_put(s, &number, err);
	}
	return code;
}

/* Returns whether a series follows the measure: those of all events of a family, and those of tasks
 * and regions by type. */
static bool follows(const struct rep_measure *m)
{
	return m->by == REP_MEASURE_ALL || m->family == REP_FAMILY_TASK ||
	       m->family == REP_FAMILY_REGION || m->family == REP_FAMILY_GC;
}

static enum rep_kind kind_of_stat(enum rep_stat stat, bool ticks)
{
	const char *unit = rep_stats_of[stat].unit;

	return !strcmp(unit, "nanoseconds") ? (ticks ? REP_COUNT : REP_NS)
	       : !strcmp(unit, "share")	    ? REP_SHARE
	       : !strcmp(unit, "count")	    ? REP_COUNT
					    : REP_FLOAT;
}

/* Returns whether the statistic is 0 for events that did not happen; a median, say, is undefined then. */
static bool counts(int stat)
{
	return stat == REP_STAT_COUNT || stat == REP_STAT_TOTAL || stat == REP_STAT_RATE ||
	       stat == REP_STAT_SHARE;
}

int rep_series_put_metrics(struct rep_series *s, const struct rep_metrics *metrics,
			   struct tp_err *err)
{
	const struct rep_per_options per = {.per = REP_PER_SECOND};
	size_t n;
	const struct rep_measure *m = rep_metrics_measures(metrics, &n);
	/* Runs differ in length, so sums are taken per second, as tprof-diff does. */
	double length = rep_per_divisor(metrics, &per);
	const char *unit;
	struct rep_metrics_base base;
	char name[256];
	int code;

	rep_metrics_base(metrics, &base);
	unit = base.ticks ? "ticks" : "nanoseconds";
	code = check_type(s, "metrics", unit, err);
	rep_series_say(s, "metrics", unit, false);
	for (size_t i = 0; i < n; i++) {
		for (int stat = 0; stat < REP_NSTATS && !code && follows(&m[i]); stat++) {
			double value;

			if (!(rep_families[m[i].family].headline >> stat & 1))
				continue;
			value = rep_metric_value(metrics, &m[i], (enum rep_stat)stat);
			if (stat == REP_STAT_TOTAL)
				value = length > 0 ? value / length : (double)NAN;
			snprintf(name, sizeof(name), *m[i].name ? "%s[%.200s].%s%s" : "%s%s.%s%s",
				 rep_families[m[i].family].name, m[i].name, rep_stats_of[stat].name,
				 stat == REP_STAT_TOTAL ? "/s" : "");
			code = rep_series_put(
			    s,
			    &(struct rep_series_number){
				.name = name,
				.size = strlen(name),
				.kind = kind_of_stat((enum rep_stat)stat, base.ticks),
				.absent = counts(stat) ? REP_SERIES_ZERO : REP_SERIES_GAP,
				.value = value,
			    },
			    err);
		}
	}
	return code;
}
