/* Marks with their texts, and the counters above the rows. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/many.h"
#include "output/output.h"
#include "time/time.h"
#include "tprof-web/lanes_inside.h"

#define MOST_TEXTS 2000 /* marks of one answer */

struct marks {
	const struct web_ask *ask;
	int64_t goroutine;
	size_t looked, n;
	bool more;
};

static int put_mark(void *ctx, const struct rep_mark *mark)
{
	struct marks *m = ctx;
	struct tp_buf *out = m->ask->out;

	if (m->looked++ == WEB_MOST_MARKS || m->n == MOST_TEXTS) {
		m->more = true;
		return 1;
	}
	if (m->goroutine >= 0 && mark->goroutine != TP_NONE && mark->goroutine != m->goroutine)
		return 0;
	tp_buf_printf(out, "%s[\"%s\",%" PRId64 ",%" PRId64 ",%" PRId64 ",", m->n++ ? "," : "",
		      rep_mark_kinds[mark->kind], mark->from, mark->to,
		      mark->goroutine == TP_NONE ? -1 : (int64_t)mark->goroutine);
	rep_put_json(out, mark->text, mark->size);
	tp_buf_text(out, "]");
	return 0;
}

/* [[kind, from, to, goroutine's index or -1, text], …], of all goroutines or, with `g`, of one and of those
 * that concern all. Samples are left to /lanes/stacks, and sweeps out, as there may be millions. */
int web_answer_marks(const struct web_ask *ask, struct tp_err *err)
{
	struct marks m = {.ask = ask};
	int64_t from, to;
	const struct web_number numbers[] = {{"g", -1, -1, TP_NONE, &m.goroutine},
					     {"from", INT64_MIN, INT64_MIN, INT64_MAX, &from},
					     {"to", INT64_MAX, INT64_MIN, INT64_MAX, &to}};
	int code = web_numbers(ask->query, numbers, 3, err);

	if (code)
		return code;
	tp_buf_text(ask->out, "{\"marks\":[");
	code = rep_lanes_marks(ask->run->lanes,
			       REP_MARKS_ALL & ~(1u << REP_MARK_SAMPLE | 1u << REP_MARK_SWEEP),
			       from, to, put_mark, &m, ask->stop, err);
	tp_buf_printf(ask->out, "],\"more\":%s}", m.more ? "true" : "false");
	return code;
}

/* ---- counters ---- */

/* The points of a curve that are seen in a window: of those in one column the first, the lowest, the highest and
 * the last, with the value at the beginning. Returns their number; `kept` has room for all. */
static size_t thin(const struct rep_time_curve *c, const struct web_window *w, size_t *kept)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n;) {
		double end =
		    (floor((c->x[i] - (double)w->from) / (double)w->step) + 1) * (double)w->step +
		    (double)w->from;
		size_t low = i, high = i, last = i;
		size_t point[4];

		while (last + 1 < c->n && c->x[last + 1] < end) {
			last++;
			low = c->y[last] < c->y[low] ? last : low;
			high = c->y[last] > c->y[high] ? last : high;
		}
		point[0] = i;
		point[1] = low < high ? low : high;
		point[2] = low < high ? high : low;
		point[3] = last;
		for (int k = 0; k < 4; k++) {
			if (!n || kept[n - 1] < point[k])
				kept[n++] = point[k];
		}
		i = last + 1;
	}
	return n;
}

static int put_curve(struct tp_buf *out, const char *name, const char *unit,
		     const struct web_window *w, const struct rep_time_curve *c)
{
	size_t *kept = tp_many(c->n + 1, sizeof(*kept));
	size_t n = kept ? thin(c, w, kept) : 0;

	if (!kept)
		return tp_buf_fail(out);
	tp_buf_printf(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"x\":[",
		      out->data[out->size - 1] == '[' ? "" : ",", name, unit);
	for (size_t i = 0; i < n; i++)
		tp_buf_printf(out, "%s%.0f", i ? "," : "", c->x[kept[i]]);
	tp_buf_text(out, "],\"y\":[");
	for (size_t i = 0; i < n; i++)
		tp_buf_printf(out, "%s%.6g", i ? "," : "", c->y[kept[i]]);
	free(kept);
	return tp_buf_text(out, "]}");
}

static int put_metric(struct rep_time *t, struct rep_view *v, struct tp_buf *out,
		      const struct web_window *w, const char *name, const char *metric,
		      struct tp_err *err)
{
	struct rep_time_curve c = {0};
	int code = rep_time_metric(t, v, metric, &c, err);

	if (!code && put_curve(out, name, "bytes", w, &c))
		code = tp_nomem(err);
	rep_time_curve_release(&c);
	return code;
}

static int put_steps(struct tp_buf *out, const struct web_window *w, const char *name,
		     const struct rep_bins *b, const struct rep_binned *s, size_t n,
		     struct tp_err *err)
{
	struct rep_time_curve c = {0};
	int code = rep_time_steps(&c, b, s, n, b->n);

	if (!code)
		code = put_curve(out, name, "count", w, &c);
	rep_time_curve_release(&c);
	return code ? tp_nomem(err) : 0;
}

static int put_tracks(struct rep_time *t, struct rep_view *v, struct tp_buf *out,
		      const struct web_window *w, struct tp_err *err)
{
	int code = put_metric(t, v, out, w, "heap", REP_METRIC_HEAP_NAME, err);

	if (!code)
		code = put_metric(t, v, out, w, "goal", REP_METRIC_GOAL_NAME, err);
	if (!code)
		code = rep_time_alive(t, v, err);
	if (!code)
		code = put_steps(out, w, "goroutines", &t->fine, &t->alive, 1, err);
	if (!code)
		code = rep_time_procs(t, v, err);
	if (!code)
		code = put_steps(out, w, "busy Ps", &t->fine, t->proc, t->nprocs, err);
	return code;
}

/* [{"name":…,"unit":"bytes" or "count","x":[…],"y":[…]}, …]: each value holds from its x on. Counts are
 * means, of at most `cols` steps. */
int web_answer_tracks(const struct web_ask *ask, struct tp_err *err)
{
	struct rep_view *v = rep_lanes_view(ask->run->lanes);
	struct web_window w;
	struct rep_time t = {0};
	int64_t from, to;
	bool whole;
	int code = web_window_read(ask, &w, err);

	if (code)
		return code;
	from = v->from;
	to = v->to;
	whole = v->whole;
	v->from = w.from;
	v->to = w.from + w.step * w.cols;
	v->whole = false;
	code = rep_time_begin(&t, v, (size_t)w.cols, err);
	tp_buf_text(ask->out, "{\"tracks\":[");
	if (!code)
		code = put_tracks(&t, v, ask->out, &w, err);
	tp_buf_printf(ask->out, "],\"procs\":%zu}", t.nprocs);
	rep_time_release(&t);
	v->from = from;
	v->to = to;
	v->whole = whole;
	return code;
}
