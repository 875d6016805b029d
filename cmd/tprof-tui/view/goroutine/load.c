/* Fills the sections, on the worker's thread. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "life/life.h"
#include "tprof-tui/fill.h"
#include "tprof-tui/view/goroutine/inside.h"

#define LONGEST 100
#define MOST	100000 /* rows of other sections than spans */
#define CHOICE	2000

/* A request for a piece, and its results besides the table. */
struct ask {
	struct tui_fill fill;
	struct rep_goid id;
	/* of spans */
	int64_t first, last, base, want, at_ns;
	int64_t asked; /* g->want at the time of the request */
};

/* ---- spans ---- */

static void free_life(void *life)
{
	rep_life_free(life);
}

static int make_life(struct tui_job *job, struct tp_store *store, void **out, struct tp_err *err)
{
	struct rep_life *life = NULL;
	int code = rep_life_new(&life, store, job->select.run, &((struct ask *)job)->id,
				job->select.own, err);

	*out = life;
	return code;
}

static int find_life(struct tui_fill *f, struct tp_store *store, struct rep_life **life,
		     struct tp_err *err)
{
	static const struct tui_cache_kind kind = {make_life, free_life};
	char id[REP_GOID_SIZE];
	void *object = NULL;
	int code = tui_cache_get(
	    &f->job, store, &kind,
	    tui_select_key(&f->job.select, 0, rep_goid_text(&((struct ask *)f)->id, id)), &object,
	    err);

	*life = object;
	return code;
}

/* Finds the spans that overlap the time range. */
static int find_range(struct tui_fill *f, struct rep_life *life, struct tp_err *err)
{
	struct ask *a = (struct ask *)f;
	struct tp_span span = {0};
	size_t got = 0;
	int code = 0;

	a->first = 0;
	a->last = rep_life_count(life);
	if (f->job.select.from_ns != INT64_MIN)
		code = rep_life_at(life, f->job.select.from_ns, &f->job.stop, &a->first, err);
	if (!code && f->job.select.from_ns != INT64_MIN)
		code = rep_life_spans(life, a->first, 1, &span, &got, &f->job.stop, err);
	if (got && span.end <= f->job.select.from_ns && span.start < f->job.select.from_ns)
		a->first++;
	if (!code && f->job.select.to_ns != INT64_MAX) {
		code = rep_life_at(life, f->job.select.to_ns - 1, &f->job.stop, &a->last, err);
		if (!code)
			code = rep_life_spans(life, a->last, 1, &span, &got, &f->job.stop, err);
		a->last += got && span.start < f->job.select.to_ns;
	}
	if (a->last < a->first)
		a->last = a->first;
	return code;
}

static int spans(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err)
{
	struct ask *a = (struct ask *)f;
	struct rep_life *life = NULL;
	int64_t n;
	int code = find_life(f, store, &life, err);

	if (!code)
		code = find_range(f, life, err);
	if (!code && a->want < 0 && a->at_ns != INT64_MIN)
		code = rep_life_at(life, a->at_ns, &f->job.stop, &a->want, err);
	if (code)
		return code;
	if (a->want >= a->last)
		a->want = a->last - 1;
	if (a->want < a->first)
		a->want = a->first;
	a->base = a->want - GR_WINDOW / 2;
	if (a->base > a->last - GR_WINDOW)
		a->base = a->last - GR_WINDOW;
	if (a->base < a->first)
		a->base = a->first;
	n = a->last - a->base < GR_WINDOW ? a->last - a->base : GR_WINDOW;
	return rep_life_print(life, a->base, (size_t)n, &f->job.stop, out, err);
}

static int origin(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		  struct tp_err *err)
{
	struct rep_life *life = NULL;
	int code = find_life(f, store, &life, err);

	return code ? code : rep_life_origin(life, out, err);
}

/* ---- reports ---- */

/* The filters that these reports obey. */
#define BY_THIS (REP_BY_TIME | REP_BY_GOROUTINE)

static int report(struct tui_fill *f, const char *name, int64_t rows, struct tp_store *store,
		  struct rep_output *out, struct tp_err *err)
{
	return tui_fill_report(f, rep_report_find(name), BY_THIS, rows, store, out, err);
}

static int longest(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		   struct tp_err *err)
{
	const struct rep_worst_options opt = {
	    .states = 1u << TP_ST_WAITING | 1u << TP_ST_RUNNABLE | 1u << TP_ST_SYSCALL |
		      1u << TP_ST_SYSCALL_BLOCKED,
	    .n = LONGEST,
	    .stop = &f->job.stop,
	};

	return tui_fill_worst(f, &opt, BY_THIS, "longest", store, out, err);
}

/* ---- queries ---- */

struct question {
	const char *name; /* of the table, for lead.h */
	const char *sql;
};

/* Defines the goroutine's row id, its name and the time range for a question. */
#define ASKED                                                                                      \
	"WITH asked(id, called, since, till) AS (SELECT id, %s, %" PRId64 ", %" PRId64             \
	" FROM goroutine WHERE run = :run AND goid = %" PRId64 " AND life = %" PRId64              \
	") %s LIMIT %d"
#define WHERE  " WHERE run = :run AND goroutine = (SELECT id FROM asked)"
#define CALLED ", (SELECT called FROM asked) AS goroutine"
#define RANGE(start, end)                                                                          \
	" AND " start " < (SELECT till FROM asked) AND coalesce(" end                              \
	", 9223372036854775807) >= (SELECT since FROM asked) ORDER BY 1"

static const struct question questions[GR_NPIECES] = {
    [GR_CHILDREN] = {"children",
		     "SELECT created_ns, CASE WHEN id = goid AND life = 1 THEN id ELSE goid || "
		     "'/' || life END AS goroutine, name AS entry, ended_ns, total_ns, "
		     "running_ns, runnable_ns, blocked_ns, syscall_ns + syscall_blocked_ns AS "
		     "syscall_ns FROM goroutine WHERE run = :run AND parent = (SELECT id FROM "
		     "asked)" RANGE("created_ns", "ended_ns")},
    [GR_REGIONS] =
	{"its regions",
	 "SELECT coalesce(start_ns, 0) AS start_ns, end_ns - coalesce(start_ns, 0) AS "
	 "dur_ns, name AS region, task, running_ns, runnable_ns, blocked_ns, syscall_ns + "
	 "syscall_blocked_ns AS syscall_ns" CALLED
	 " FROM region" WHERE RANGE("coalesce(start_ns, 0)", "end_ns")},
    [GR_TASKS] = {"its tasks",
		  "SELECT coalesce(start_ns, 0) AS start_ns, end_ns - coalesce(start_ns, 0) AS "
		  "dur_ns, id AS task, name AS task_type, parent, regions, logs" CALLED " FROM "
		  "task" WHERE RANGE("coalesce(start_ns, 0)", "end_ns")},
    [GR_LOGS] = {"its logs", "SELECT ts_ns, task, category, message" CALLED " FROM "
			     "log" WHERE RANGE("ts_ns", "ts_ns")},
    [GR_RANGES] = {"its ranges", "SELECT start_ns, end_ns - start_ns AS dur_ns, name, p" CALLED " "
				 "FROM range" WHERE RANGE("start_ns", "end_ns")},
};

static int query(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		 struct tp_err *err)
{
	const struct ask *a = (const struct ask *)f;
	char text[1400], id[REP_GOID_SIZE], called[REP_GOID_SIZE + 2];

	rep_goid_text(&a->id, id);
	snprintf(called, sizeof(called), a->id.life ? "'%s'" : "%s", id);
	snprintf(text, sizeof(text), ASKED, called,
		 f->job.select.from_ns == INT64_MIN ? -1 : f->job.select.from_ns,
		 f->job.select.to_ns, a->id.goid, a->id.life ? a->id.life : 1,
		 questions[f->which].sql, MOST);
	return tui_fill_query(f, text, questions[f->which].name, store, out, err);
}

/* ---- jobs ---- */

/* Sets the filter to the goroutine. If its id was reused and no life is named, the last one is chosen. */
static int choose_life(struct tui_fill *f, struct tp_store *store, struct tp_err *err)
{
	struct ask *a = (struct ask *)f;
	struct rep_goids goids = {0};
	char id[REP_GOID_SIZE];
	int code = 0;

	if (!rep_goid_is(&a->id))
		return 0;
	if (!a->id.life)
		code = rep_goids_load(&goids, store, f->job.select.run->row.id, err);
	if (!code && goids.n)
		a->id = rep_goids_name(&goids, a->id.goid);
	rep_goids_release(&goids);
	if (!code && !tui_select_set(&f->job.select.goroutine, rep_goid_text(&a->id, id)))
		code = tp_nomem(err);
	return code;
}

static int make(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		struct tp_err *err)
{
	int code = choose_life(f, store, err);

	if (code)
		return code;
	switch (f->which) {
	case GR_SPANS:
		return spans(f, store, out, err);
	case GR_TOTALS:
		return report(f, "breakdown", 0, store, out, err);
	case GR_LONGEST:
		return longest(f, store, out, err);
	case GR_ORIGIN:
		return origin(f, store, out, err);
	case GR_SUMS:
		return report(f, "goroutines", 1, store, out, err);
	case GR_CHOICE:
		return report(f, "goroutines", CHOICE, store, out, err);
	default:
		return query(f, store, out, err);
	}
}

static void shown(struct tui_view *v, struct tui_fill *f)
{
	const struct ask *a = (const struct ask *)f;
	struct gr_life *g = v->state;
	struct tui_table *table = &g->section[GR_SPANS].table;

	if (f->job.code)
		g->want = -1;
	if (f->job.code || f->which != GR_SPANS)
		return;
	g->first = a->first;
	g->last = a->last;
	g->base = a->base;
	/* If the user has moved meanwhile, the next job sets the cursor. */
	if (g->want != a->asked || g->at_ns != a->at_ns)
		return;
	g->want = -1;
	g->at_ns = INT64_MIN;
	if (table->sort < 0 && !(table->filter && *table->filter) && a->want >= a->base &&
	    (uint64_t)(a->want - a->base) < table->n) {
		table->cursor = (size_t)(a->want - a->base);
		g->centre = true;
	}
}

void gr_ask(struct tui_view *v, int piece)
{
	struct gr_life *g = v->state;
	const struct tui_fill how = {.rows = &g->section[piece],
				     .pieces = &g->pieces,
				     .which = piece,
				     .fill = make,
				     .shown = shown};
	struct ask *a = tui_fill_new(v, sizeof(*a), &how);

	if (!a)
		return;
	a->id = g->id;
	a->want = a->asked = g->want;
	a->at_ns = g->at_ns;
	/* Without a wish, fetch the same spans again. */
	if (a->want < 0 && a->at_ns == INT64_MIN && g->section[GR_SPANS].table.n)
		a->want = g->base + (int64_t)g->section[GR_SPANS].table.cursor;
	tui_job_ask(&a->fill.job);
}

void gr_go_to_span(struct tui_view *v, int64_t number)
{
	struct gr_life *g = v->state;
	struct tui_table *table = &g->section[GR_SPANS].table;

	if (number >= g->last)
		number = g->last - 1;
	if (number < g->first)
		number = g->first;
	if (number >= g->base && (uint64_t)(number - g->base) < table->n) {
		table->cursor = (size_t)(number - g->base);
		g->want = -1;
		/* If another window is being fetched, this one has to be requested again. */
		if (g->pieces.doing != GR_SPANS && !(g->pieces.pending >> GR_SPANS & 1))
			return;
	}
	g->want = number;
	tui_pieces_ask(v, &g->pieces, 1u << GR_SPANS);
}
