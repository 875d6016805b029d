/* What fills the sections, on the worker's thread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "life/life.h"
#include "query/query.h"
#include "top/top.h"
#include "top/worst.h"
#include "tprof-tui/view/goroutine/inside.h"

#define LONGEST 100
#define MOST	100000 /* rows of a section that is no spans */
#define CHOICE	2000

struct job {
	struct tui_job job;
	struct tui_select select;
	struct rep_goid id;
	int piece;
	struct tui_cells cells;
	/* of spans */
	int64_t first, last, base, want, at_ns;
	int64_t asked; /* g->want as it was */
};

void gr_section_release(struct gr_section *s)
{
	tui_table_release(&s->table);
	tui_cells_release(&s->cells);
	free(s->error);
	*s = (struct gr_section){0};
}

const struct rep_value *gr_cell(const struct gr_life *g, int piece, size_t row, const char *column)
{
	const struct tui_sheet *s = gr_sheet(g, piece);
	int c = s && row < s->nrows ? tui_sheet_column(s, column) : -1;

	return c < 0 ? NULL : tui_cell(s, row, (size_t)c);
}

/* ---- spans ---- */

static void free_life(void *life)
{
	rep_life_free(life);
}

static int find_life(struct job *j, struct tp_store *store, struct rep_life **life,
		     struct tp_err *err)
{
	char key[160], id[REP_GOID_SIZE];
	int code;

	/* With the hash: a run that is taken away may leave its id to another. */
	snprintf(key, sizeof(key), "%" PRId64 "/%s/%.64s", j->select.run->row.id,
		 rep_goid_text(&j->id, id), j->select.run->row.hash);
	*life = tui_keep_find(&j->job, free_life, key);
	if (*life)
		return 0;
	code = rep_life_new(life, store, j->select.run, &j->id, err);
	return code ? code : tui_keep_put(&j->job, free_life, key, *life, err);
}

/* The spans of which the time range holds a part. */
static int find_range(struct job *j, struct rep_life *life, struct tp_err *err)
{
	struct tp_span span = {0};
	size_t got = 0;
	int code = 0;

	j->first = 0;
	j->last = rep_life_count(life);
	if (j->select.from_ns != INT64_MIN)
		code = rep_life_at(life, j->select.from_ns, &j->job.stop, &j->first, err);
	if (!code && j->select.from_ns != INT64_MIN)
		code = rep_life_spans(life, j->first, 1, &span, &got, &j->job.stop, err);
	if (got && span.end <= j->select.from_ns && span.start < j->select.from_ns)
		j->first++;
	if (!code && j->select.to_ns != INT64_MAX) {
		code = rep_life_at(life, j->select.to_ns - 1, &j->job.stop, &j->last, err);
		if (!code)
			code = rep_life_spans(life, j->last, 1, &span, &got, &j->job.stop, err);
		j->last += got && span.start < j->select.to_ns;
	}
	if (j->last < j->first)
		j->last = j->first;
	return code;
}

static int spans(struct job *j, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	struct rep_life *life = NULL;
	int64_t n;
	int code = find_life(j, store, &life, err);

	if (!code)
		code = find_range(j, life, err);
	if (!code && j->want < 0 && j->at_ns != INT64_MIN)
		code = rep_life_at(life, j->at_ns, &j->job.stop, &j->want, err);
	if (code)
		return code;
	if (j->want >= j->last)
		j->want = j->last - 1;
	if (j->want < j->first)
		j->want = j->first;
	j->base = j->want - GR_WINDOW / 2;
	if (j->base > j->last - GR_WINDOW)
		j->base = j->last - GR_WINDOW;
	if (j->base < j->first)
		j->base = j->first;
	n = j->last - j->base < GR_WINDOW ? j->last - j->base : GR_WINDOW;
	return rep_life_print(life, j->base, (size_t)n, &j->job.stop, out, err);
}

static int origin(struct job *j, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	struct rep_life *life = NULL;
	int code = find_life(j, store, &life, err);

	return code ? code : rep_life_origin(life, out, err);
}

/* ---- reports ---- */

static int report(struct job *j, const char *name, int64_t rows, struct tp_store *store,
		  struct rep_output *out, struct tp_err *err)
{
	char times[60], id[REP_GOID_SIZE];
	struct rep_top_options opt = {
	    .report = rep_report_find(name),
	    .rows = rows,
	    .tables = true,
	    .whole = true,
	};

	rep_goid_text(&j->id, id);
	opt.filter = tui_select_filter(&j->select, times);
	/* All about this one; what else is selected is about others. */
	opt.filter =
	    (struct rep_filter_text){.goroutine = rep_goid_is(&j->id) ? id : opt.filter.goroutine,
				     .from = opt.filter.from,
				     .to = opt.filter.to};
	return rep_top(out, store, j->select.run, 1, &opt, err);
}

static int longest(struct job *j, struct tp_store *store, struct rep_output *out,
		   struct tp_err *err)
{
	const struct rep_worst_options opt = {
	    .states = 1u << TP_ST_WAITING | 1u << TP_ST_RUNNABLE | 1u << TP_ST_SYSCALL |
		      1u << TP_ST_SYSCALL_BLOCKED,
	    .n = LONGEST,
	    .stop = &j->job.stop,
	};
	char times[60], id[REP_GOID_SIZE];
	struct rep_filter_text text = tui_select_filter(&j->select, times);
	struct rep_filter filter;
	struct rep_view view = {0};
	int code;

	rep_goid_text(&j->id, id);
	text = (struct rep_filter_text){.goroutine = id, .from = text.from, .to = text.to};
	code = rep_filter_init(&filter, &text, err);
	if (!code)
		code = rep_view_init(&view, store, j->select.run, &filter, NULL, err);
	if (!code)
		code = rep_worst_print(&view, &opt, "longest", out, err);
	rep_view_release(&view);
	rep_filter_release(&filter);
	return code;
}

/* ---- what SQL can say ---- */

struct question {
	const char *name; /* of the table, for lead.h */
	const char *sql;
};

/* Goroutine, as the store has it and as it is called, and time range; the end of what has none is
 * that of the run. */
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

static int query(struct job *j, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	const struct rep_query_options opt = {.run = j->select.run->row.id};
	struct rep_query *q = NULL;
	char text[1400], id[REP_GOID_SIZE], called[REP_GOID_SIZE + 2];
	int code;

	rep_goid_text(&j->id, id);
	snprintf(called, sizeof(called), j->id.life ? "'%s'" : "%s", id);
	snprintf(text, sizeof(text), ASKED, called,
		 j->select.from_ns == INT64_MIN ? -1 : j->select.from_ns, j->select.to_ns,
		 j->id.goid, j->id.life ? j->id.life : 1, questions[j->piece].sql, MOST);
	code = rep_query_new(&q, store, &opt, err);
	if (!code)
		code = rep_query_run(q, text, out, err);
	rep_query_free(q);
	return code;
}

/* ---- jobs ---- */

/* Of several lives that one, or the last. */
static int choose_life(struct job *j, struct tp_store *store, struct tp_err *err)
{
	struct rep_goids goids = {0};
	int code = 0;

	if (rep_goid_is(&j->id) && !j->id.life)
		code = rep_goids_load(&goids, store, j->select.run->row.id, err);
	if (!code && goids.n)
		j->id = rep_goids_name(&goids, j->id.goid);
	rep_goids_release(&goids);
	return code;
}

static int make(struct job *j, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	int code = choose_life(j, store, err);

	if (code)
		return code;
	switch (j->piece) {
	case GR_SPANS:
		return spans(j, store, out, err);
	case GR_TOTALS:
		return report(j, "breakdown", 0, store, out, err);
	case GR_LONGEST:
		return longest(j, store, out, err);
	case GR_ORIGIN:
		return origin(j, store, out, err);
	case GR_SUMS:
		return report(j, "goroutines", 1, store, out, err);
	case GR_CHOICE:
		return report(j, "goroutines", CHOICE, store, out, err);
	default:
		return query(j, store, out, err);
	}
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;
	struct rep_output *out = NULL;
	int code;

	j->cells.ticks = j->select.run->row.ticks;
	code = tui_cells_output(&j->cells, &out, err);
	if (!code)
		code = make(j, store, out, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	if (!code && questions[j->piece].name && j->cells.n)
		code =
		    tui_sheet_dress(&j->cells, &j->cells.sheet[0], questions[j->piece].name, err);
	return code;
}

static void ask_next(struct tui *t, struct tui_view *v);

static void take(struct gr_life *g, struct job *j)
{
	struct gr_section *s = &g->section[j->piece];
	struct tui_cells old = s->cells;

	s->cells = j->cells;
	j->cells = (struct tui_cells){0};
	tui_table_show(&s->table, s->cells.n ? &s->cells.sheet[0] : NULL);
	tui_cells_release(&old);
	if (j->piece != GR_SPANS)
		return;
	g->first = j->first;
	g->last = j->last;
	g->base = j->base;
	/* Keys may have gone on meanwhile; then the next one brings what they ask for. */
	if (g->want != j->asked || g->at_ns != j->at_ns)
		return;
	g->want = -1;
	g->at_ns = INT64_MIN;
	if (s->table.sort < 0 && !(s->table.filter && *s->table.filter) && j->want >= j->base &&
	    (uint64_t)(j->want - j->base) < s->table.n) {
		s->table.cursor = (size_t)(j->want - j->base);
		g->centre = true;
	}
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct job *j = (struct job *)job;
	struct gr_life *g = v->state;
	struct gr_section *s = &g->section[j->piece];

	g->doing = -1;
	v->busy = false;
	s->done = true;
	free(s->error);
	s->error = NULL;
	if (!job->code) {
		take(g, j);
	} else {
		s->error = strdup(job->err.msg);
		g->want = -1;
		if (job->code == TP_ECANCEL) {
			g->pending = 0;
			tui_message(v->tui, "interrupted; ^L goes on");
		}
	}
	ask_next(v->tui, v);
}

static void release(struct tui_job *job)
{
	struct job *j = (struct job *)job;

	tui_cells_release(&j->cells);
	tui_select_release(&j->select);
	free(j);
}

static void ask_next(struct tui *t, struct tui_view *v)
{
	struct gr_life *g = v->state;
	struct job *j;

	/* Of a view that is not shown nothing is made: it is asked for when it is drawn again. */
	if (g->doing >= 0 || !g->pending || tui_current(t) != v)
		return;
	j = calloc(1, sizeof(*j));
	if (!j || !tui_select_copy(&j->select, &v->select)) {
		free(j);
		g->pending = 0;
		tui_nomem(t);
		return;
	}
	/* What is on the screen comes first. */
	j->piece = (int)g->here;
	if (!(g->pending >> j->piece & 1))
		for (j->piece = 0; !(g->pending >> j->piece & 1);)
			j->piece++;
	g->pending &= ~(1u << j->piece);
	g->doing = j->piece;
	j->id = g->id;
	j->want = j->asked = g->want;
	j->at_ns = g->at_ns;
	/* Once more what is there. */
	if (j->want < 0 && j->at_ns == INT64_MIN && g->section[GR_SPANS].table.n)
		j->want = g->base + (int64_t)g->section[GR_SPANS].table.cursor;
	j->job = (struct tui_job){.work = work, .done = done, .release = release, .view = v};
	v->busy = true;
	tui_worker_ask(t->worker, &j->job);
}

void gr_ask(struct tui *t, struct tui_view *v, unsigned pieces)
{
	struct gr_life *g = v->state;

	g->pending |= pieces;
	ask_next(t, v);
}

void gr_go_to_span(struct tui *t, struct tui_view *v, int64_t number)
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
		/* Another stretch is on its way: then this one again. */
		if (g->doing != GR_SPANS && !(g->pending >> GR_SPANS & 1))
			return;
	}
	g->want = number;
	gr_ask(t, v, 1u << GR_SPANS);
}
