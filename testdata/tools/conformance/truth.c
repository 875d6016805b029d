#include "conformance/truth.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/many.h"
#include "timeline/span.h"

/* Times may differ by what ordering moves events apart (1 ns each, where several fall together),
 * and where ticks were converted by the rounding of every event of a batch. */
#define SLACK_NS       1000
#define SLACK_TICKS_NS 50000

struct mark {	       /* an event, as far as it must be right */
	uint64_t what; /* hash of M, P, G and kind */
	int64_t ts;
};

struct marks {
	const struct view *v;
	double scale; /* ns per unit of time */
	struct mark *mark;
	size_t n, room;
	struct tp_spans *spans;
	int64_t *unsure; /* by goroutine: running time that is marked inferred */
};

static int add_span(void *ctx, const struct tp_span *s, struct tp_err *err)
{
	struct marks *m = ctx;

	(void)err;
	if (s->state == TP_ST_RUNNING && s->inferred && s->goroutine < m->v->ids.ng)
		m->unsure[s->goroutine] += s->end - s->start;
	return 0;
}

static int add_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct marks *m = ctx;

	for (size_t i = 0; i < n; i++) {
		int64_t where[4] = {view_m(m->v, ev[i].m), view_p(m->v, ev[i].p),
				    view_g(m->v, ev[i].g), tp_event_descs[ev[i].type].kind};

		if (ev[i].flags & TP_EVF_INFERRED)
			continue;
		if (tp_grow(&m->mark, &m->room, m->n, sizeof(*m->mark)))
			return tp_nomem(err);
		m->mark[m->n++] =
		    (struct mark){XXH3_64bits(where, sizeof(where)),
				  (int64_t)((double)(ev[i].ts + m->v->start_ns) * m->scale)};
	}
	return tp_spans_feed(m->spans, ev, n, add_span, m, err);
}

static int by_what(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return (x->ts > y->ts) - (x->ts < y->ts);
}

static int collect(struct marks *m, struct view *v, double scale, struct tp_err *err)
{
	int code;

	*m = (struct marks){.v = v, .scale = scale, .spans = tp_spans_new()};
	m->unsure = calloc(v->ids.ng + 1, sizeof(*m->unsure));
	if (!m->spans || !m->unsure)
		return tp_nomem(err);
	code = view_events(v, add_events, m, err);
	if (!code && m->n)
		qsort(m->mark, m->n, sizeof(m->mark[0]), by_what);
	return code;
}

static void forget(struct marks *m)
{
	free(m->mark);
	free(m->unsure);
	tp_spans_free(m->spans);
}

/* Pairs of marks of the same kind and place whose times are next to each other; each counts once.
 */
static int64_t match(const struct marks *kept, const struct marks *whole, int64_t slack)
{
	int64_t matched = 0;
	size_t j = 0;

	for (size_t i = 0; i < kept->n; i++) {
		const struct mark *k = &kept->mark[i];

		while (j < whole->n &&
		       (whole->mark[j].what < k->what ||
			(whole->mark[j].what == k->what && whole->mark[j].ts < k->ts - slack)))
			j++;
		if (j < whole->n && whole->mark[j].what == k->what &&
		    whole->mark[j].ts <= k->ts + slack) {
			matched++;
			j++;
		}
	}
	return matched;
}

struct ran {
	int64_t id, running_ns;
};

static int by_id(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Running times of the whole run by goroutine id, all lives of one added up. */
static struct ran *running_times(const struct view *v, size_t *n)
{
	struct ran *r = calloc(v->goroutines.nrows + 1, sizeof(*r));
	size_t kept = 0;

	for (size_t i = 0; r && i < v->goroutines.nrows; i++)
		r[i] = (struct ran){v->goroutines.col[TP_COL(GOROUTINE, goid)][i],
				    v->goroutines.col[TP_COL(GOROUTINE, running_ns)][i]};
	if (r)
		qsort(r, v->goroutines.nrows, sizeof(*r), by_id);
	for (size_t i = 0; r && i < v->goroutines.nrows; i++) {
		if (kept && r[kept - 1].id == r[i].id)
			r[kept - 1].running_ns += r[i].running_ns;
		else
			r[kept++] = r[i];
	}
	*n = kept;
	return r;
}

static int compare_running(struct view *kept, struct view *whole, const struct marks *m,
			   double scale, struct facts *f, struct truth *out, struct tp_err *err)
{
	size_t n;
	struct ran *truth = running_times(whole, &n);
	int64_t *const *g = kept->goroutines.col;

	if (!truth)
		return tp_nomem(err);
	for (size_t i = 0; i < kept->goroutines.nrows; i++) {
		struct ran key = {.id = g[TP_COL(GOROUTINE, goid)][i]};
		const struct ran *t = bsearch(&key, truth, n, sizeof(key), by_id);
		int64_t lost = g[TP_COL(GOROUTINE, lost_ns)][i];
		int64_t sure = g[TP_COL(GOROUTINE, running_ns)][i] - m->unsure[i];
		double over = (double)(sure - (lost == TP_NULL ? 0 : lost)) * scale -
			      (double)(t ? t->running_ns : 0);

		out->checked++;
		facts_check(f, over <= SLACK_NS + (scale == 1 ? 0 : SLACK_TICKS_NS),
			    "goroutine %lld ran %.0f ns longer than in truth", (long long)key.id,
			    over);
	}
	free(truth);
	return 0;
}

int truth_compare(struct view *kept, struct view *whole, double ns_per_tick, struct facts *f,
		  struct truth *out, struct tp_err *err)
{
	double scale = kept->ticks && ns_per_tick > 0 ? ns_per_tick : 1;
	struct marks a = {0}, b = {0};
	int code;

	memset(out, 0, sizeof(*out));
	code = collect(&a, kept, scale, err);
	if (!code)
		code = collect(&b, whole, 1, err);
	if (!code) {
		out->kept = (int64_t)a.n;
		out->matched = match(&a, &b, scale == 1 ? SLACK_NS : SLACK_TICKS_NS);
		code = compare_running(kept, whole, &a, scale, f, out, err);
	}
	forget(&a);
	forget(&b);
	return code;
}
