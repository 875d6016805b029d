/* Metrics over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "time/time.h"

int rep_time_metric(struct rep_time *t, struct rep_view *v, const char *name,
		    struct rep_time_curve *c, struct tp_err *err)
{
	int64_t last = -1, before = INT64_MIN, from = t->fine.edge[0], to = t->fine.edge[t->fine.n];
	bool same = false;
	size_t rows;
	int code = rep_view_load(
	    v, TP_TABLE_METRIC,
	    REP_BIT(METRIC, name) | REP_BIT(METRIC, ts_ns) | REP_BIT(METRIC, value), err);

	if (code)
		return code;
	rows = v->nrows[TP_TABLE_METRIC];
	c->x = calloc(rows + 1, sizeof(*c->x));
	c->y = calloc(rows + 1, sizeof(*c->y));
	if (!c->x || !c->y)
		return tp_nomem(err);
	for (size_t i = 0; i < rows; i++) {
		int64_t id = REP_COL(v, METRIC, name)[i], ts = REP_COL(v, METRIC, ts_ns)[i];

		if (id != last) {
			struct tp_text text = tp_dict_text(v->dict, (uint32_t)id);

			same = text.size == strlen(name) && !memcmp(text.text, name, text.size);
			last = id;
		}
		if (!same || ts == TP_NULL || ts >= v->to ||
		    REP_COL(v, METRIC, value)[i] == TP_NULL || ts < before)
			continue;
		before = ts;
		/* The last value before the range is its value at the beginning. */
		if (ts <= from && c->n)
			c->n = 0;
		c->x[c->n] = ts < from ? (double)from : (double)ts;
		c->y[c->n++] = (double)REP_COL(v, METRIC, value)[i];
	}
	if (c->n) {
		c->x[c->n] = fmax(c->x[c->n - 1], (double)to);
		c->y[c->n] = c->y[c->n - 1];
		c->n++;
	}
	return 0;
}

int rep_time_steps(struct rep_time_curve *c, const struct rep_bins *b, const struct rep_binned *s,
		   size_t n, size_t most)
{
	size_t step = (b->n + most - 1) / most;

	*c = (struct rep_time_curve){calloc(b->n + 1, sizeof(*c->x)),
				     calloc(b->n + 1, sizeof(*c->y)), 0};
	if (!c->x || !c->y)
		return TP_ENOMEM;
	for (size_t i = 0; i < b->n; i += step, c->n++) {
		c->x[c->n] = (double)b->edge[i];
		c->y[c->n] = rep_binned_means(b, s, n, i, i + step < b->n ? i + step : b->n);
	}
	c->x[c->n] = (double)b->edge[b->n];
	c->y[c->n] = c->y[c->n - 1];
	c->n++;
	return 0;
}

void rep_time_curve_release(struct rep_time_curve *c)
{
	free(c->x);
	free(c->y);
	*c = (struct rep_time_curve){0};
}
