#include "diff/trace/metrics.h"

#include <stdio.h>
#include <string.h>

#include "name.h"
#include "diff/trace/set.h"

const char *const rep_measure_bys[REP_NMEASURE_BY] = {
    [REP_MEASURE_ALL] = "all",	     [REP_MEASURE_ENTRY] = "group",
    [REP_MEASURE_REASON] = "reason", [REP_MEASURE_FUNCTION] = "function",
    [REP_MEASURE_TYPE] = "type",
};

#define BIT(stat) (1u << REP_STAT_##stat)
#define NUMBERS	  (BIT(COUNT) | BIT(RATE))
#define TIMES                                                                                      \
	(NUMBERS | BIT(TOTAL) | BIT(MEAN) | BIT(P50) | BIT(P90) | BIT(P95) | BIT(P99) | BIT(MAX) | \
	 BIT(SHARE))

const struct rep_family_desc rep_families[REP_NFAMILIES] = {
    [REP_FAMILY_SCHED] = {"sched", "waits of runnable goroutines for a P", TIMES,
			  BIT(TOTAL) | BIT(P50) | BIT(P99), REP_STAT_P99},
    [REP_FAMILY_RUN] = {"run", "times of goroutines on a P", TIMES, BIT(TOTAL) | BIT(P50),
			REP_STAT_TOTAL},
    [REP_FAMILY_BLOCK] = {"block", "blocked times of goroutines", TIMES,
			  BIT(TOTAL) | BIT(P50) | BIT(P99), REP_STAT_TOTAL},
    [REP_FAMILY_SYSCALL] = {"syscall", "times of goroutines in system calls", TIMES,
			    BIT(TOTAL) | BIT(P50) | BIT(P99), REP_STAT_TOTAL},
    [REP_FAMILY_GROUP] = {"group", "goroutines that were created", TIMES & ~BIT(MEAN),
			  BIT(RATE) | BIT(TOTAL) | BIT(P50), REP_STAT_RATE},
    [REP_FAMILY_TASK] = {"task", "complete user tasks", TIMES,
			 BIT(RATE) | BIT(P50) | BIT(P95) | BIT(P99), REP_STAT_P95},
    [REP_FAMILY_REGION] = {"region", "complete user regions", TIMES,
			   BIT(RATE) | BIT(P50) | BIT(P95) | BIT(P99), REP_STAT_P95},
    [REP_FAMILY_STW] = {"stw", "stops of the world", TIMES, BIT(RATE) | BIT(TOTAL) | BIT(P50),
			REP_STAT_MAX},
    [REP_FAMILY_GC] = {"gc", "mark phases, mark assists and sweeps of the garbage collector", TIMES,
		       BIT(RATE) | BIT(TOTAL) | BIT(P50), REP_STAT_RATE},
    [REP_FAMILY_CPU] = {"cpu", "samples of the CPU profiler", NUMBERS | BIT(SHARE),
			BIT(RATE) | BIT(SHARE), REP_STAT_SHARE},
};

const struct rep_stat_desc rep_stats_of[REP_NSTATS] = {
    [REP_STAT_COUNT] = {"count", "how many", "count", false},
    [REP_STAT_TOTAL] = {"total", "their time", "nanoseconds", false},
    [REP_STAT_MEAN] = {"mean", "time of whole events / count", "nanoseconds", false},
    [REP_STAT_P50] = {"p50", "median", "nanoseconds", true},
    [REP_STAT_P90] = {"p90", "90th percentile", "nanoseconds", true},
    [REP_STAT_P95] = {"p95", "95th percentile", "nanoseconds", true},
    [REP_STAT_P99] = {"p99", "99th percentile", "nanoseconds", true},
    [REP_STAT_MAX] = {"max", "the longest", "nanoseconds", false},
    [REP_STAT_RATE] = {"rate", "count per second of the run", "1/s", false},
    [REP_STAT_SHARE] = {"share", "of the family's total; of samples", "share", false},
};

const struct rep_measure *rep_metrics_measures(const struct rep_metrics *m, size_t *n)
{
	*n = m->n;
	return m->measure;
}

void rep_metrics_base(const struct rep_metrics *m, struct rep_metrics_base *base)
{
	*base = m->base;
}

static double ratio(double a, double b)
{
	return b != 0 ? a / b : (double)NAN;
}

static double share_of(const struct rep_metrics *m, const struct rep_measure *x)
{
	const struct rep_measure *all = m->all[x->family];

	if (!all)
		return (double)NAN;
	return x->family == REP_FAMILY_CPU ? ratio((double)x->count, (double)all->count)
					   : ratio((double)x->total_ns, (double)all->total_ns);
}

double rep_metric_value(const struct rep_metrics *m, const struct rep_measure *x,
			enum rep_stat stat)
{
	static const int place[REP_NSTATS] = {
	    [REP_STAT_P50] = 0, [REP_STAT_P90] = 1, [REP_STAT_P95] = 2, [REP_STAT_P99] = 3};

	if (!(rep_families[x->family].stats >> stat & 1))
		return (double)NAN;
	switch (stat) {
	case REP_STAT_COUNT:
		return (double)x->count;
	case REP_STAT_TOTAL:
		return (double)x->total_ns;
	case REP_STAT_MEAN:
		return ratio((double)x->whole_ns, (double)x->count);
	case REP_STAT_MAX:
		return x->p[0] == TP_NULL ? (double)NAN : (double)x->max_ns;
	case REP_STAT_RATE:
		return ratio((double)x->count, (double)m->base.length_ns / 1e9);
	case REP_STAT_SHARE:
		return share_of(m, x);
	default:
		return x->p[place[stat]] == TP_NULL ? (double)NAN : (double)x->p[place[stat]];
	}
}

/* ---- as they are typed ---- */

static void list_names(char *text, size_t room, bool stats, uint32_t which)
{
	size_t n = 0;

	text[0] = '\0';
	for (int i = 0; i < (stats ? REP_NSTATS : REP_NFAMILIES) && n < room; i++)
		if (!stats || which >> i & 1)
			n += (size_t)snprintf(text + n, room - n, "%s%s", n ? ", " : "",
					      stats ? rep_stats_of[i].name : rep_families[i].name);
}

static bool same(const char *text, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(text, name, n);
}

int rep_metric_parse(struct rep_metric_spec *spec, const char *text, struct tp_err *err)
{
	size_t n = strcspn(text, ".[");
	const char *rest = text + n;
	char list[200];
	int i;

	memset(spec, 0, sizeof(*spec));
	for (i = 0; i < REP_NFAMILIES && !same(text, n, rep_families[i].name); i++)
		;
	if (i == REP_NFAMILIES) {
		list_names(list, sizeof(list), false, 0);
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "'%.40s' is not a metric of traces; metrics begin with %s", text,
				  list);
	}
	spec->family = (enum rep_family)i;
	spec->stat = rep_families[i].by_default;
	if (*rest == '[') {
		/* Names may hold brackets (type arguments): the last one ends it. */
		const char *end = strrchr(rest, ']');

		if (!end)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "'%.80s' has [ without ]", text);
		n = (size_t)(end - rest - 1);
		if (n >= sizeof(spec->name))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "'%.40s…' has a name that is too long", text);
		memcpy(spec->name, rest + 1, n);
		spec->named = true;
		rest = end + 1;
	}
	if (!*rest)
		return 0;
	for (i = 0; i < REP_NSTATS; i++) {
		if (*rest != '.' || strcmp(rest + 1, rep_stats_of[i].name) != 0)
			continue;
		if (!(rep_families[spec->family].stats >> i & 1))
			break;
		spec->stat = (enum rep_stat)i;
		return 0;
	}
	list_names(list, sizeof(list), true, rep_families[spec->family].stats);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "'%.20s' is not a statistic of %s, which has %s", rest + (*rest == '.'),
			  rep_families[spec->family].name, list);
}

const struct rep_measure *rep_metrics_measure(const struct rep_metrics *m,
					      const struct rep_metric_spec *spec)
{
	const struct rep_measure *found = NULL;
	struct tp_buf key = {0};

	if (!spec->named || (spec->family == REP_FAMILY_GC && !strcmp(spec->name, "mark")))
		return m->all[spec->family];
	if (rep_name_canonical(&key, REP_NAME_FUNCTION, spec->name, strlen(spec->name)) ||
	    tp_buf_put(&key, "", 1))
		key.size = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct rep_measure *x = &m->measure[i];

		if (x->family != spec->family || x->by == REP_MEASURE_ALL)
			continue;
		if (strcmp(x->key, spec->name) != 0 && strcmp(x->name, spec->name) != 0 &&
		    (*x->key || strcmp(spec->name, REP_MEASURE_UNKNOWN) != 0) &&
		    (!key.size || x->by == REP_MEASURE_REASON || x->by == REP_MEASURE_TYPE ||
		     strcmp(x->key, (char *)key.data) != 0))
			continue;
		/* A reason before a group; the name itself before what only means the same. */
		if (!found || (x->by == REP_MEASURE_REASON && found->by != REP_MEASURE_REASON))
			found = x;
	}
	tp_buf_release(&key);
	return found;
}
