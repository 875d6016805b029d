/* A slow reference for pictures, for tests: lays every row of the SQL table span over every cell.
 *
 * 	lanes_check_open(&c, store, run);	the spans of a run
 * 	lanes_check_pictures(&c, 100);		pictures of random ranges, widths and rows
 * 	c.problem describes a difference; "" if there is none. */
#ifndef REP_LANES_TESTING_H
#define REP_LANES_TESTING_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "lanes/inside.h"
#include "sums/part.h"

struct lanes_span {
	int64_t start, end, p, m; /* ids; TP_NULL: none */
	uint32_t goroutine, waker;
	uint16_t reason;
	uint8_t state;
	bool open;
	bool bystander; /* a wait that its waker did not end */
};

#define LANES_REASONS 64

struct lanes_check {
	struct tp_store *store;
	const struct rep_run *run;
	struct rep_lanes *lanes;
	struct lanes_span *span; /* by goroutine, then time */
	size_t n, *first;	 /* by goroutine */
	uint32_t ng;
	struct lanes_span *proc_span;
	size_t nproc;
	char *reason[LANES_REASONS];
	unsigned nreasons;
	uint32_t *entry; /* by goroutine: string of its group */
	uint64_t seed;
	char problem[400];
};

__attribute__((format(printf, 2, 3))) static inline bool lanes_problem(struct lanes_check *c,
								       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!*c->problem)
		vsnprintf(c->problem, sizeof(c->problem), fmt, ap);
	va_end(ap);
	return false;
}

/* Returns the index of a goroutine by its id, or TP_NONE. */
static inline uint32_t lanes_goroutine(const struct rep_lanes *l, int64_t id)
{
	int64_t goid = rep_goids_name(&l->v.goids, id).goid;
	uint32_t i = 0;

	TP_SEARCH(i, l->ng, k, rep_lanes_goid(l, l->by_id[k]).goid < goid);
	for (; i < l->ng && rep_lanes_goid(l, l->by_id[i]).goid == goid; i++) {
		if (REP_COL(&l->v, GOROUTINE, id)[l->by_id[i]] == id)
			return l->by_id[i];
	}
	return TP_NONE;
}

static inline uint64_t lanes_random(struct lanes_check *c, uint64_t n)
{
	c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (c->seed >> 20) % n : 0;
}

static inline unsigned lanes_reason(struct lanes_check *c, const char *text)
{
	unsigned i = 0;

	while (i < c->nreasons && strcmp(c->reason[i], text) != 0)
		i++;
	if (i == c->nreasons && i < LANES_REASONS)
		c->reason[c->nreasons++] = strdup(text);
	return i < LANES_REASONS ? i : 0;
}

static inline unsigned lanes_state(const char *text)
{
	for (unsigned s = 0; s < TP_NSTATES; s++) {
		if (!strcmp(tp_state_names[s], text))
			return s;
	}
	return 0;
}

static inline int64_t lanes_int(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? TP_NULL
							      : sqlite3_column_int64(st, column);
}

static inline const char *lanes_text(sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return text ? text : "";
}

static inline bool lanes_query(struct lanes_check *c, const char *sql, struct lanes_span **out,
			       size_t *n)
{
	sqlite3_stmt *st = NULL;
	size_t room = 0;

	*n = 0;
	if (sqlite3_prepare_v2(tp_store_db(c->store), sql, -1, &st, NULL) ||
	    sqlite3_bind_int64(st, 1, c->run->row.id))
		return lanes_problem(c, "%s: %s", sql, sqlite3_errmsg(tp_store_db(c->store)));
	while (sqlite3_step(st) == SQLITE_ROW) {
		int64_t waker = lanes_int(st, 7);

		if (*n == room) {
			room = room ? 2 * room : 1024;
			*out = realloc(*out, room * sizeof(**out));
			if (!*out)
				return lanes_problem(c, "out of memory");
		}
		(*out)[(*n)++] = (struct lanes_span){
		    .goroutine = lanes_goroutine(c->lanes, lanes_int(st, 0)),
		    .state = (uint8_t)lanes_state(lanes_text(st, 1)),
		    .reason = (uint16_t)lanes_reason(c, lanes_text(st, 2)),
		    .start = lanes_int(st, 3),
		    .end = lanes_int(st, 4),
		    .m = lanes_int(st, 5),
		    .p = lanes_int(st, 6),
		    .waker = waker == TP_NULL ? TP_NONE : lanes_goroutine(c->lanes, waker),
		    .open = lanes_int(st, 8) == 1,
		    .bystander = lanes_int(st, 9) == 1,
		};
	}
	sqlite3_finalize(st);
	return true;
}

/* Sorts by goroutine, then by end. */
static inline bool lanes_sort(struct lanes_check *c)
{
	struct lanes_span *sorted = malloc((c->n + 1) * sizeof(*sorted));

	c->first = calloc(c->ng + 2, sizeof(*c->first));
	if (!sorted || !c->first) {
		free(sorted);
		return lanes_problem(c, "out of memory");
	}
	for (size_t i = 0; i < c->n; i++)
		c->first[c->span[i].goroutine + 1]++;
	for (uint32_t g = 0; g < c->ng; g++)
		c->first[g + 1] += c->first[g];
	for (size_t i = 0; i < c->n; i++)
		sorted[c->first[c->span[i].goroutine]++] = c->span[i];
	for (uint32_t g = c->ng; g > 0; g--)
		c->first[g] = c->first[g - 1];
	c->first[0] = 0;
	free(c->span);
	c->span = sorted;
	return true;
}

/* Finds the goroutines of each group: the rows below it. */
static inline bool lanes_find_groups(struct lanes_check *c)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_GROUP, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_lane_rows rows;
	struct tp_err err;
	uint32_t *unfolded, entry = 0;

	if (rep_lanes_rows(c->lanes, &options, &rows, &err))
		return lanes_problem(c, "rows: %s", err.msg);
	unfolded = malloc((rows.n + 1) * sizeof(*unfolded));
	if (!unfolded)
		return lanes_problem(c, "out of memory");
	for (size_t i = 0; i < rows.n; i++)
		unfolded[i] = rows.row[i].index;
	options.unfolded = unfolded;
	options.nunfolded = rows.n;
	rep_lane_rows_release(&rows);
	if (rep_lanes_rows(c->lanes, &options, &rows, &err))
		return lanes_problem(c, "rows: %s", err.msg);
	c->entry = calloc(c->ng + 1, sizeof(*c->entry));
	if (!c->entry)
		return lanes_problem(c, "out of memory");
	for (size_t i = 0; i < rows.n; i++) {
		if (rows.row[i].kind == REP_LANE_GROUP)
			entry = rows.row[i].index;
		else
			c->entry[rows.row[i].index] = entry;
	}
	free(unfolded);
	rep_lane_rows_release(&rows);
	return true;
}

static inline bool lanes_check_open(struct lanes_check *c, struct tp_store *store,
				    const struct rep_run *run)
{
	struct tp_err err;

	memset(c, 0, sizeof(*c));
	c->store = store;
	c->run = run;
	c->seed = 1;
	c->ng = (uint32_t)run->row.goroutines;
	if (rep_lanes_new(&c->lanes, store, run, NULL, &err))
		return lanes_problem(c, "new: %s", err.msg);
	if (!lanes_query(c,
			 "SELECT goroutine, state, reason, start_ns, end_ns, m, p, waker, open, "
			 "state = 'Waiting' AND (waker IN (SELECT g.id FROM goroutine g WHERE "
			 "g.name = 'runtime.timerproc') OR reason IN ('network', 'sleep') AND "
			 "func_of(run, waker_stack) NOT REGEXP '(Deadline|Close|evict|Impl)$') "
			 "FROM span WHERE run = ?",
			 &c->span, &c->n) ||
	    !lanes_query(c,
			 "SELECT -1, state, '', start_ns, end_ns, m, p, NULL, open, 0 "
			 "FROM proc_span WHERE run = ?",
			 &c->proc_span, &c->nproc))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		if (c->span[i].goroutine >= c->ng)
			return lanes_problem(c, "a span is of no goroutine");
	}
	return lanes_sort(c) && lanes_find_groups(c);
}

static inline void lanes_check_close(struct lanes_check *c)
{
	rep_lanes_free(c->lanes);
	for (unsigned i = 0; i < c->nreasons; i++)
		free(c->reason[i]);
	free(c->span);
	free(c->first);
	free(c->proc_span);
	free(c->entry);
}

/* ---- pictures ---- */

struct lanes_cell {
	int64_t ns[TP_NSTATES], reason[LANES_REASONS];
	int64_t spans;
	int64_t longest; /* of Ps and Ms */
};

static inline bool lanes_is_of(const struct lanes_check *c, const struct rep_lane *lane,
			       const struct lanes_span *s)
{
	bool runs = s->state == TP_ST_RUNNING || s->state == TP_ST_SYSCALL;

	switch (lane->kind) {
	case REP_LANE_GROUP:
		return c->entry[s->goroutine] == lane->index;
	case REP_LANE_GOROUTINE:
		return s->goroutine == lane->index;
	case REP_LANE_PROC:
		return runs && s->p == lane->id && s->p != TP_NULL;
	case REP_LANE_THREAD:
		return (runs || s->state == TP_ST_SYSCALL_BLOCKED) && s->m == lane->id &&
		       s->m != TP_NULL;
	default:
		return false;
	}
}

static inline int64_t lanes_bound(const struct rep_picture *p, int c)
{
	uint64_t width = (uint64_t)(p->to - p->from), n = (uint64_t)p->cols;

	return p->from + (int64_t)(width / n * (uint64_t)c + width % n * (uint64_t)c / n);
}

/* `bound` has the start of each column, and the end of the last. */
static inline void lanes_lay(int cols, const int64_t *bound, struct lanes_cell *cell,
			     const struct lanes_span *s, bool counts)
{
	for (int c = 0; c < cols; c++) {
		int64_t a = bound[c], b = bound[c + 1];
		int64_t from = s->start > a ? s->start : a, to = s->end < b ? s->end : b;

		if (a == b || s->start >= b || (s->end <= a && s->start < a))
			continue;
		cell[c].spans++;
		if (to <= from)
			continue;
		cell[c].ns[s->state] += to - from;
		if (s->state == TP_ST_WAITING)
			cell[c].reason[s->reason] += to - from;
		if (counts && to - from > cell[c].longest)
			cell[c].longest = to - from;
	}
}

/* Returns the longest time of the cell's goroutine in the cell. */
static inline int64_t lanes_time_of(const struct lanes_check *c, const struct rep_lane *lane,
				    uint32_t g, int64_t a, int64_t b)
{
	int64_t longest = 0;

	for (size_t i = g < c->ng ? c->first[g] : 0; g < c->ng && i < c->first[g + 1]; i++) {
		const struct lanes_span *s = &c->span[i];
		int64_t from = s->start > a ? s->start : a, to = s->end < b ? s->end : b;

		if (lanes_is_of(c, lane, s) && to - from > longest)
			longest = to - from;
	}
	return longest;
}

static inline bool lanes_compare(struct lanes_check *c, const struct rep_picture *p, size_t r,
				 int col, const struct lanes_cell *want)
{
	const struct rep_cell *got = &p->cell[r * (size_t)p->cols + (size_t)col];
	const struct rep_lane *lane = &p->row[r];
	char where[160];
	int64_t most = 0, told = 0;

	snprintf(where, sizeof(where), "%s %lld, [%lld, %lld) / %d, column %d",
		 rep_lane_kinds[lane->kind], (long long)lane->id, (long long)p->from,
		 (long long)p->to, p->cols, col);
	for (unsigned s = 0; s < TP_NSTATES; s++) {
		if (got->ns[s] != want->ns[s])
			return lanes_problem(c, "%s: %s %lld ns, SQL has %lld", where,
					     tp_state_names[s], (long long)got->ns[s],
					     (long long)want->ns[s]);
	}
	if (got->spans != want->spans)
		return lanes_problem(c, "%s: %u spans, SQL has %lld", where, got->spans,
				     (long long)want->spans);
	for (unsigned k = 0; k < c->nreasons; k++) {
		struct tp_text text = tp_dict_text(rep_lanes_dict(c->lanes), got->reason);

		most = want->reason[k] > most && *c->reason[k] ? want->reason[k] : most;
		if (!strcmp(text.text, c->reason[k]))
			told = want->reason[k];
	}
	if (got->reason && told != most)
		return lanes_problem(c, "%s: %lld ns of the reason told, %lld of the longest",
				     where, (long long)told, (long long)most);
	if (lane->kind != REP_LANE_PROC && lane->kind != REP_LANE_THREAD)
		return true;
	told = lanes_time_of(c, lane, got->g, lanes_bound(p, col), lanes_bound(p, col + 1));
	if (told != want->longest)
		return lanes_problem(c, "%s: goroutine %u for %lld ns, the longest is %lld", where,
				     got->g, (long long)told, (long long)want->longest);
	return true;
}

/* Lays all spans over the picture and compares. */
static inline bool lanes_check_picture(struct lanes_check *c, const struct rep_picture *p)
{
	struct lanes_cell *want = malloc((size_t)p->cols * sizeof(*want));
	int64_t *bound = malloc(((size_t)p->cols + 1) * sizeof(*bound));
	bool good = want && bound;

	if (!good)
		lanes_problem(c, "out of memory");
	for (int col = 0; col <= p->cols && good; col++)
		bound[col] = lanes_bound(p, col);
	for (size_t r = 0; r < p->nrows && good; r++) {
		const struct rep_lane *lane = &p->row[r];
		size_t from = 0, to = c->n;

		memset(want, 0, (size_t)p->cols * sizeof(*want));
		if (lane->kind == REP_LANE_GOROUTINE) {
			from = c->first[lane->index];
			to = c->first[lane->index + 1];
		}
		for (size_t i = from; i < to; i++) {
			if (c->span[i].start < p->to && c->span[i].end >= p->from &&
			    lanes_is_of(c, lane, &c->span[i]))
				lanes_lay(p->cols, bound, want, &c->span[i], true);
		}
		for (size_t i = 0; i < c->nproc && lane->kind == REP_LANE_PROC; i++) {
			if (c->proc_span[i].state == TP_ST_IDLE && c->proc_span[i].p == lane->id)
				lanes_lay(p->cols, bound, want, &c->proc_span[i], false);
		}
		for (int col = 0; col < p->cols && good; col++)
			good = lanes_compare(c, p, r, col, &want[col]);
	}
	free(want);
	free(bound);
	return good;
}

/* For a whole run, spread sums add up to the whole. */
static inline bool lanes_check_coarse(struct lanes_check *c, struct rep_picture *p)
{
	struct tp_err err;
	int64_t *sum = calloc(p->nrows * TP_NSTATES + 1, sizeof(*sum));
	bool good = true;

	if (!sum)
		return lanes_problem(c, "out of memory");
	p->from = 0;
	p->to = rep_lanes_duration(c->lanes) + 1;
	for (int coarse = 1; coarse >= 0 && good; coarse--) {
		p->coarse = coarse;
		if (rep_lanes_draw(c->lanes, p, NULL, &err)) {
			free(sum);
			return lanes_problem(c, "draw: %s", err.msg);
		}
		for (size_t i = 0; i < p->nrows * (size_t)p->cols; i++) {
			size_t r = i / (size_t)p->cols;

			if (p->row[r].kind != REP_LANE_GROUP &&
			    p->row[r].kind != REP_LANE_GOROUTINE)
				continue;
			for (unsigned s = 0; s < TP_NSTATES; s++)
				sum[r * TP_NSTATES + s] +=
				    coarse ? p->cell[i].ns[s] : -p->cell[i].ns[s];
		}
	}
	for (size_t i = 0; i < p->nrows * TP_NSTATES && good; i++) {
		if (sum[i])
			good = lanes_problem(c, "%s: coarse sum of %s is off by %lld ns",
					     rep_lane_kinds[p->row[i / TP_NSTATES].kind],
					     tp_state_names[i % TP_NSTATES], (long long)sum[i]);
	}
	free(sum);
	return good;
}

static inline int64_t lanes_between(struct lanes_check *c, int64_t low, int64_t high)
{
	/* Every magnitude is equally likely. */
	double bits = 0;
	int64_t n = high - low, r;

	while (n >> (int)bits > 1 && bits < 62)
		bits++;
	r = (int64_t)lanes_random(c, UINT64_C(1) << lanes_random(c, (uint64_t)bits + 2));
	return low + (r > n ? n : r);
}

static inline bool lanes_check_pictures(struct lanes_check *c, int n)
{
	int64_t duration = rep_lanes_duration(c->lanes);
	struct rep_picture p = {0};
	bool good = true;

	for (int i = 0; i < n && good; i++) {
		struct rep_lanes_options options = {
		    .kind = (enum rep_lane_kind)lanes_random(c, REP_LANE_TASK),
		    .from = INT64_MIN,
		    .to = INT64_MAX,
		};
		struct rep_lane_rows rows;
		struct tp_err err;
		size_t skip, scroll;

		p.cols = 1 + (int)lanes_random(c, 120);
		p.from = (int64_t)lanes_random(c, (uint64_t)duration + 1) - 2;
		p.to = p.from + lanes_between(c, 1, duration + 2);
		if (lanes_random(c, 4) == 0) {
			p.from = 0;
			p.to = duration + 1;
		}
		if (rep_lanes_rows(c->lanes, &options, &rows, &err))
			return lanes_problem(c, "rows: %s", err.msg);
		skip = rows.n > 12 ? (size_t)lanes_random(c, rows.n - 12) : 0;
		p.row = rows.row + skip;
		p.nrows = rows.n - skip < 12 ? rows.n - skip : 12;
		scroll = p.nrows > 1;
		p.nrows -= scroll;
		p.coarse = false;
		if (rep_lanes_draw(c->lanes, &p, NULL, &err))
			good = lanes_problem(c, "draw: %s", err.msg);
		else if (!p.exact)
			good = lanes_problem(c, "a picture is not exact");
		good = good && lanes_check_picture(c, &p);
		/* Keep most of the rows. */
		p.row += scroll;
		if (good && rep_lanes_draw(c->lanes, &p, NULL, &err))
			good = lanes_problem(c, "draw: %s", err.msg);
		good = good && lanes_check_picture(c, &p) && lanes_check_coarse(c, &p);
		rep_lane_rows_release(&rows);
	}
	free(p.cell);
	return good;
}

/* ---- the same sums as reports have ---- */

struct lanes_total {
	uint32_t owner;
	enum rep_lane_kind kind;
	int64_t ns[TP_NSTATES];
};

static inline int lanes_on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct lanes_total *t = ctx;

	(void)err;
	/* For a task all parts count, as the view has no others. */
	if (t->kind == REP_LANE_TASK ||
	    (t->kind == REP_LANE_GROUP ? part->entry : part->goroutine) == t->owner)
		t->ns[part->state] += part->total_ns;
	return 0;
}

/* Rows add up to the totals of tprof-top for the same goroutines or task, and the same time. */
static inline bool lanes_check_totals(struct lanes_check *c, enum rep_lane_kind kind, int n)
{
	struct rep_lanes_options options = {.kind = kind, .from = INT64_MIN, .to = INT64_MAX};
	int64_t duration = rep_lanes_duration(c->lanes);
	struct rep_picture p = {0};
	struct rep_lane_rows rows;
	struct tp_err err;
	bool good = true;

	if (rep_lanes_rows(c->lanes, &options, &rows, &err))
		return lanes_problem(c, "rows: %s", err.msg);
	for (int i = 0; i < n && good && rows.n && duration > 2; i++) {
		const struct rep_lane *lane = &rows.row[lanes_random(c, rows.n)];
		struct lanes_total total = {.owner = lane->index, .kind = kind};
		char task[32];
		struct rep_filter_text text = {0};
		struct rep_filter filter;
		struct rep_view view;

		p.cols = 1 + (int)lanes_random(c, 90);
		p.row = lane;
		p.nrows = 1;
		p.from = (int64_t)lanes_random(c, (uint64_t)duration);
		p.to = p.from + lanes_between(c, 1, duration);
		if (p.to > duration)
			p.to = duration;
		if (p.to <= p.from)
			continue;
		snprintf(task, sizeof(task), "%lld", (long long)lane->id);
		text.task = kind == REP_LANE_TASK ? task : NULL;
		if (rep_lanes_draw(c->lanes, &p, NULL, &err) ||
		    rep_filter_init(&filter, &text, &err) ||
		    rep_view_init(&view, c->store, c->run, &filter, NULL, &err))
			return lanes_problem(c, "draw: %s", err.msg);
		view.from = p.from;
		view.to = p.to;
		view.whole = false;
		if (rep_parts_each(&view, REP_PARTS_BY_GOROUTINE, lanes_on_part, &total, &err))
			good = lanes_problem(c, "parts: %s", err.msg);
		for (unsigned s = 0; s < TP_NSTATES && good; s++) {
			int64_t sum = 0;

			for (int col = 0; col < p.cols; col++)
				sum += p.cell[col].ns[s];
			if (sum != total.ns[s])
				good = lanes_problem(
				    c, "%s %s in [%lld, %lld): %s %lld ns, reports have %lld",
				    rep_lane_kinds[kind], task, (long long)p.from, (long long)p.to,
				    tp_state_names[s], (long long)sum, (long long)total.ns[s]);
		}
		rep_view_release(&view);
		rep_filter_release(&filter);
	}
	rep_lane_rows_release(&rows);
	free(p.cell);
	return good;
}

#endif
