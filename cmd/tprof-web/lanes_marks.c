/* Marks with their texts, and the counters above the rows. */
#include <inttypes.h>

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
 * that concern all. Samples are left to /lanes/stacks. */
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
	code = rep_lanes_marks(ask->run->lanes, REP_MARKS_ALL & ~(1u << REP_MARK_SAMPLE), from, to,
			       put_mark, &m, err);
	tp_buf_printf(ask->out, "],\"more\":%s}", m.more ? "true" : "false");
	return code;
}

/* ---- counters ---- */

static int put_curve(struct tp_buf *out, const char *name, const char *unit,
		     const struct rep_time_curve *c)
{
	tp_buf_printf(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"x\":[",
		      out->data[out->size - 1] == '[' ? "" : ",", name, unit);
	for (size_t i = 0; i < c->n; i++)
		tp_buf_printf(out, "%s%.0f", i ? "," : "", c->x[i]);
	tp_buf_text(out, "],\"y\":[");
	for (size_t i = 0; i < c->n; i++)
		tp_buf_printf(out, "%s%.6g", i ? "," : "", c->y[i]);
	return tp_buf_text(out, "]}");
}

static int put_metric(struct rep_time *t, struct web_run *r, struct tp_buf *out, const char *name,
		      const char *metric, struct tp_err *err)
{
	struct rep_time_curve c = {0};
	int code = rep_time_metric(t, &r->view, metric, &c, err);

	if (!code && put_curve(out, name, "bytes", &c))
		code = tp_nomem(err);
	rep_time_curve_release(&c);
	return code;
}

static int put_steps(struct tp_buf *out, const char *name, const struct rep_bins *b,
		     const struct rep_binned *s, size_t n, struct tp_err *err)
{
	struct rep_time_curve c = {0};
	int code = rep_time_steps(&c, b, s, n, b->n);

	if (!code)
		code = put_curve(out, name, "count", &c);
	rep_time_curve_release(&c);
	return code ? tp_nomem(err) : 0;
}

static int put_tracks(struct rep_time *t, struct web_run *r, struct tp_buf *out, struct tp_err *err)
{
	int code = put_metric(t, r, out, "heap", REP_METRIC_HEAP_NAME, err);

	if (!code)
		code = put_metric(t, r, out, "goal", REP_METRIC_GOAL_NAME, err);
	if (!code)
		code = rep_time_alive(t, &r->view, err);
	if (!code)
		code = put_steps(out, "goroutines", &t->fine, &t->alive, 1, err);
	if (!code)
		code = rep_time_procs(t, &r->view, err);
	if (!code)
		code = put_steps(out, "busy Ps", &t->fine, t->proc, t->nprocs, err);
	return code;
}

/* [{"name":…,"unit":"bytes" or "count","x":[…],"y":[…]}, …]: each value holds from its x on. Counts are
 * means, of at most `cols` steps. */
int web_answer_tracks(const struct web_ask *ask, struct tp_err *err)
{
	struct web_run *r = ask->run;
	struct web_window w;
	struct rep_time t = {0};
	int code = web_window_read(ask, &w, err);

	if (!code && !r->has_view) {
		r->has_view = true;
		code = rep_view_init(&r->view, ask->store, r->run, &r->filter, NULL, err);
	}
	if (code)
		return code;
	r->view.from = w.from;
	r->view.to = w.from + w.step * w.cols;
	r->view.whole = false;
	code = rep_time_begin(&t, &r->view, (size_t)w.cols, err);
	tp_buf_text(ask->out, "{\"tracks\":[");
	if (!code)
		code = put_tracks(&t, r, ask->out, err);
	tp_buf_printf(ask->out, "],\"procs\":%zu}", t.nprocs);
	rep_time_release(&t);
	return code;
}
