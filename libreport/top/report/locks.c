/* locks: what goroutines waited for locks, who held those, and what for.
 *
 * A trace has no event for a lock that is free when it is taken, and no address of a lock. It has
 * the wait, and the goroutine and stack that ended it, which released the lock just then. So a hold
 * is seen from its release back to the latest of
 *
 *   - the beginning of the wait that it ended,
 *   - the end of the holder's own last wait for a lock in the function that waited or in the one that
 *     released,
 *   - the holder's last release in that function that ended a wait of the same row.
 *
 * One release may end waits of several rows, and counts in each. What the holder did meanwhile is read from its spans. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"
#include "path/ender.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "top/report.h"

enum {
	COLUMN_WHERE,
	COLUMN_FUNCTION,
	COLUMN_LOCATION,
	COLUMN_STACK,
	COLUMN_COUNT,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P90,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_EXACT,
	COLUMN_HOLDER,
	COLUMN_RELEASED,
	COLUMN_GOROUTINES,
	COLUMN_HELD,
	COLUMN_LONGEST,
	COLUMN_DOING,
	COLUMN_DOING_SHARE,
};

static const struct rep_report_column columns[] = {
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "WHERE",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_FUNCTION,
				 .table_only = true},
		      .doc = "function and line that waited, and the first of the user's own code "
			     "that called it"},
    [COLUMN_FUNCTION] =
	REP_COLUMN_RAW_TEXT("function", REP_CELL_FUNCTION, "function that waited for the lock"),
    [COLUMN_LOCATION] = REP_COLUMN_RAW_TEXT("location", REP_CELL_LOCATION, "its file and line"),
    [COLUMN_STACK] = REP_COLUMN_STACK("the first of its stacks, leaf first"),
    [COLUMN_COUNT] = REP_COLUMN_COUNT("waits"),
    [COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, "time waited"),
    [COLUMN_SHARE] = REP_COLUMN_SHARE(2, "of all waits for locks here"),
    REP_COLUMNS_DISTRIBUTION,
    REP_COLUMN_EXACT,
    [COLUMN_HOLDER] = {.column = {.name = "holder",
				  .title = "HELD BY",
				  .kind = REP_TEXT,
				  .shorten = REP_SHORTEN_FUNCTION},
		       .cell = REP_CELL_FUNCTION,
		       .key = "holder",
		       .doc = "function that released the lock and so ended the waits"},
    [COLUMN_RELEASED] =
	REP_COLUMN_RAW_TEXT("released", REP_CELL_LOCATION, "file and line of the first release"),
    [COLUMN_GOROUTINES] = {.column = {.name = "holder_entry", .kind = REP_TEXT, .raw_only = true},
			   .cell = REP_CELL_ENTRY,
			   .key = "holder_entry",
			   .doc = "entry function of the goroutines that released it"},
    [COLUMN_HELD] =
	REP_COLUMN_NS("held_ns", "HELD", "held", 0, "time they are seen to hold it meanwhile"),
    [COLUMN_LONGEST] = REP_COLUMN_NS("held_max_ns", "LONGEST", "longest", 3, "the longest hold"),
    [COLUMN_DOING] = {.column = {.name = "doing", .title = "MOSTLY", .kind = REP_TEXT},
		      .doc = "what the holders did most of that time"},
    [COLUMN_DOING_SHARE] = {.column = {.name = "doing_share", .kind = REP_SHARE, .raw_only = true},
			    .doc = "that, as a share of HELD"},
};

/* A hold whose release ended a wait. */
struct hold {
	int64_t from, to;
	uint32_t row, goroutine;
	uint32_t waited, released; /* functions (strings of the run) */
	uint32_t own;		   /* number of the holder's own waits that moved `from` */
};

/* The holds of a row by one goroutine that end in one function: they do not overlap. */
struct lane {
	size_t at, end;
	uint32_t goroutine;
};

struct locks {
	/* Of rows: function and entry function of the holder, the caller shown in WHERE, and whether
	 * there is a holder. */
	struct rep_keys others;
	struct rep_keys doing; /* row, state, reason */
	int64_t *doing_ns;
	size_t doing_room;
	int64_t unseen, unseen_ns; /* waits that no goroutine is known to have ended */
};

struct adding {
	struct rep_job *job;
	struct locks *all;
	struct rep_view *v;
	struct rep_own own;
	struct hold *hold;
	size_t n, room;
	struct lane *lane;
	size_t nlanes, lane_room;
	uint32_t *first;       /* by goroutine: its first lane + 1 */
	struct rep_keys spent; /* hold, its `own`, state, reason */
	int64_t *spent_ns;
	size_t spent_room;
};

static uint32_t function_at(const struct tp_dict *dict, uint32_t stack)
{
	return tp_dict_frame_name(dict, rep_stack_site(dict, stack));
}

static uint32_t frame_at(const struct tp_dict *dict, uint32_t node)
{
	return tp_dict_frame_name(dict, tp_dict_stack_at(dict, node).frame);
}

/* Finds the row of a wait: its line, the own code that called it, and who ended it. */
static int find_row(struct adding *a, const struct tp_span *wait, bool held, uint32_t *index)
{
	const struct tp_dict *dict = a->job->texts.dict;
	uint32_t stack, release = 0, entry = 0, caller = 0, site, others = 0;
	uint32_t below =
	    rep_stack_below(&a->own, a->v->dict, rep_stack_site_node(a->v->dict, wait->stack));
	size_t known = a->job->nrows;
	int64_t *row;
	int code = rep_view_stack(a->v, wait->stack, &stack);

	if (!code && held)
		code = rep_view_stack(a->v, wait->waker_stack, &release);
	if (!code && held)
		code = rep_view_string(a->v, rep_view_entry(a->v, wait->waker), &entry);
	if (!code && below)
		code = rep_view_string(a->v, frame_at(a->v->dict, below), &caller);
	if (!code)
		code = rep_keys_add(&a->all->others, held ? function_at(dict, release) : 0, entry,
				    caller, held, &others);
	site = rep_stack_site(dict, stack);
	if (!code)
		code = rep_job_key(a->job, a->v, tp_dict_frame_name(dict, site),
				   (uint32_t)tp_dict_frame_at(dict, site).line, others, index);
	if (code || *index < known)
		return code;
	row = rep_job_row_at(a->job, *index);
	row[COLUMN_WHERE] = row[COLUMN_FUNCTION] = row[COLUMN_LOCATION] = row[COLUMN_STACK] = stack;
	row[COLUMN_HOLDER] = row[COLUMN_RELEASED] = held ? release : TP_NULL;
	row[COLUMN_GOROUTINES] = held ? entry : TP_NULL;
	return 0;
}

static bool is_wait(const struct rep_view *v, const struct rep_part *part)
{
	return part->state == TP_ST_WAITING &&
	       rep_stack_waits_for_lock(v->dict, part->reason, part->stack);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct adding *a = ctx;
	const struct tp_span *wait = part->span;
	bool held;
	uint32_t row;
	int code;

	if (!is_wait(a->v, part))
		return 0;
	held = wait->waker < a->v->nrows[TP_TABLE_GOROUTINE] &&
	       rep_path_ender_in(a->v, wait) == REP_PATH_RUNNING;
	code = find_row(a, wait, held, &row);
	if (!code)
		code = rep_durations_put(a->job, row, part);
	if (!code && !held) {
		a->all->unseen++;
		tp_sum(&a->all->unseen_ns, part->total_ns);
	} else if (!code) {
		code = tp_grow_raw(&a->hold, &a->room, a->n, sizeof(*a->hold));
		if (!code)
			a->hold[a->n++] = (struct hold){
			    .from = tp_minus(rep_view_clip_end(a->v, wait->end), part->total_ns),
			    .to = rep_view_clip_end(a->v, wait->end),
			    .row = row,
			    .goroutine = wait->waker,
			    .waited = function_at(a->v->dict, wait->stack),
			    .released = function_at(a->v->dict, wait->waker_stack),
			};
	}
	return code ? rep_job_fail(err, code) : 0;
}

static int by_lane(const void *x, const void *y)
{
	const struct hold *a = x, *b = y;

	if (a->goroutine != b->goroutine)
		return a->goroutine < b->goroutine ? -1 : 1;
	if (a->released != b->released)
		return a->released < b->released ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	/* Of several that one moment ends, the longest counts. */
	return a->from < b->from ? -1 : a->from > b->from;
}

static int make_lanes(struct adding *a)
{
	if (a->n)
		qsort(a->hold, a->n, sizeof(*a->hold), by_lane);
	for (size_t i = 0; i < a->n; i++) {
		struct hold *h = &a->hold[i], *before = i ? h - 1 : h;

		if (i && h->goroutine == before->goroutine && h->released == before->released &&
		    h->row == before->row) {
			if (h->from < before->to)
				h->from = before->to;
			a->lane[a->nlanes - 1].end++;
			continue;
		}
		if (tp_grow(&a->lane, &a->lane_room, a->nlanes, sizeof(*a->lane)))
			return TP_ENOMEM;
		a->lane[a->nlanes++] =
		    (struct lane){.at = i, .end = i + 1, .goroutine = h->goroutine};
		if (!a->first[h->goroutine])
			a->first[h->goroutine] = (uint32_t)a->nlanes;
	}
	return 0;
}

static int spend(struct adding *a, size_t hold, const struct tp_span *span, int64_t ns)
{
	uint32_t at;
	int code = rep_keys_add(&a->spent, (uint32_t)hold, a->hold[hold].own, span->state,
				span->reason, &at);

	if (!code)
		code = tp_grow(&a->spent_ns, &a->spent_room, at, sizeof(*a->spent_ns));
	if (!code)
		tp_sum(&a->spent_ns[at], ns);
	return code;
}

/* A span of a holder, which come in order. */
static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct adding *a = ctx;
	const struct tp_dict *dict = a->v->dict;
	size_t i;
	int code = 0;

	(void)crosses;
	(void)end_stack;
	if (span->goroutine >= a->v->nrows[TP_TABLE_GOROUTINE] || !a->first[span->goroutine] ||
	    span->state == TP_ST_RUNNING)
		return 0;
	for (i = a->first[span->goroutine] - 1;
	     !code && i < a->nlanes && a->lane[i].goroutine == span->goroutine; i++) {
		struct lane *lane = &a->lane[i];

		while (lane->at < lane->end && a->hold[lane->at].to <= span->start)
			lane->at++;
		for (size_t j = lane->at; !code && j < lane->end && a->hold[j].from < span->end;
		     j++) {
			struct hold *h = &a->hold[j];
			int64_t from = span->start > h->from ? span->start : h->from;
			int64_t to = span->end < h->to ? span->end : h->to;
			uint32_t at = function_at(dict, span->stack);

			if (span->state == TP_ST_WAITING && span->end <= h->to &&
			    (at == h->waited || at == h->released) &&
			    rep_stack_waits_for_lock(dict, span->reason, span->stack)) {
				h->from = span->end;
				h->own++;
			} else if (from < to) {
				code = spend(a, j, span, tp_minus(to, from));
			}
		}
	}
	if (code)
		return rep_job_fail(err, code);
	return rep_view_spend(a->v, i - a->first[span->goroutine] + 1, err);
}

/* Marks the segments that holds touch. */
static int mark_held(const struct adding *a, bool *read)
{
	const struct tp_segment *segment = a->v->segments;
	size_t n = a->v->nsegments;
	int64_t *more = calloc(n + 1, sizeof(*more)),
		held = 0; /* holds that begin less those over */

	if (!more)
		return TP_ENOMEM;
	for (size_t i = 0; i < a->n; i++) {
		size_t first = 0, end = 0;

		TP_SEARCH(first, n, at, segment[at].to_ns < a->hold[i].from);
		TP_SEARCH(end, n, at, segment[at].from_ns <= a->hold[i].to);
		more[first]++;
		more[end > first ? end : first]--;
	}
	for (size_t i = 0; i < n; i++)
		read[i] = (held += more[i]) > 0;
	free(more);
	return 0;
}

/* Reads what the holders did. Spans that end beyond the time range come last. */
static int read_holders(struct adding *a, struct tp_err *err)
{
	struct rep_view *v = a->v;
	bool *read = calloc(v->nsegments + 1, sizeof(*read));
	struct rep_crossing c;
	int code = read && !mark_held(a, read) ? 0 : rep_job_fail(err, TP_ENOMEM);

	if (!code)
		code = rep_segments_each(v, read, on_span, a, err);
	for (size_t i = 0; !code && rep_crossing_next(v, &i, &c);)
		if (c.last < 0 || (uint64_t)c.last >= v->nsegments || !read[c.last])
			code = on_span(a, &c.span, true, 0, err);
	free(read);
	return code;
}

static int add_holds(struct adding *a)
{
	struct locks *all = a->all;
	int code = 0;

	for (size_t i = 0; i < a->n; i++) {
		int64_t *row = rep_job_row_at(a->job, a->hold[i].row);
		int64_t ns = tp_minus(a->hold[i].to, a->hold[i].from);

		tp_sum(&row[COLUMN_HELD], ns);
		if (ns > row[COLUMN_LONGEST])
			row[COLUMN_LONGEST] = ns;
	}
	for (size_t i = 0; i < a->spent.n && !code; i++) {
		const uint32_t *key = a->spent.key[i].part;
		const struct hold *h = &a->hold[key[0]];
		uint32_t reason, at;

		if (key[1] != h->own)
			continue;
		code = rep_view_string(a->v, key[3], &reason);
		if (!code)
			code = rep_keys_add(&all->doing, h->row, key[2], reason, 0, &at);
		if (!code)
			code =
			    tp_grow(&all->doing_ns, &all->doing_room, at, sizeof(*all->doing_ns));
		if (!code)
			tp_sum(&all->doing_ns[at], a->spent_ns[i]);
	}
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct adding a = {
	    .job = job, .all = job->state, .v = v, .own.names = rep_filter_own(v->filter)};
	int code = rep_durations_begin(job, v, err);

	if (!code)
		code = rep_parts_single(v, is_wait, on_part, &a, err);
	if (!code) {
		a.first = calloc(v->nrows[TP_TABLE_GOROUTINE] + 1, sizeof(*a.first));
		code = a.first ? make_lanes(&a) : TP_ENOMEM;
		if (code)
			rep_job_fail(err, code);
	}
	if (!code && a.n)
		code = read_holders(&a, err);
	if (!code) {
		code = add_holds(&a);
		if (code)
			rep_job_fail(err, code);
	}
	if (!code)
		code = rep_own_settle(&a.own, err);
	rep_own_release(&a.own);
	rep_keys_release(&a.spent);
	free(a.spent_ns);
	free(a.first);
	free(a.lane);
	free(a.hold);
	return code ? code : rep_durations_end(job, v, err);
}

#define NOTE_OVERLAP "a hold counts in each row whose waits it ended: HELD of rows may overlap"

/* A row's number in the column MOSTLY is what its holders did most: one of `doing` + 1, or 0 if they
 * ran; the next one is how long. */
static int finish(struct rep_job *job, struct tp_err *err)
{
	struct locks *all = job->state;
	int64_t *ran = calloc(job->nrows + 1, sizeof(*ran));
	char ns[TP_COUNT_SIZE];

	if (!ran)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < job->nrows; i++)
		ran[i] = rep_job_row_at(job, i)[COLUMN_HELD];
	for (size_t i = 0; i < all->doing.n; i++) {
		uint32_t at = all->doing.key[i].part[0];
		int64_t *row = rep_job_row_at(job, at);

		ran[at] = tp_minus(ran[at], all->doing_ns[i]);
		if (all->doing_ns[i] > row[COLUMN_DOING_SHARE]) {
			row[COLUMN_DOING] = (int64_t)i + 1;
			row[COLUMN_DOING_SHARE] = all->doing_ns[i];
		}
	}
	for (size_t i = 0; i < job->nrows; i++) {
		int64_t *row = rep_job_row_at(job, i);

		if (ran[i] > row[COLUMN_DOING_SHARE]) {
			row[COLUMN_DOING] = 0;
			row[COLUMN_DOING_SHARE] = ran[i];
		}
	}
	free(ran);
	if (all->unseen)
		snprintf(job->note, sizeof(job->note),
			 "no goroutine is known to have ended %" PRId64
			 " of the waits, %s: who held "
			 "these locks was not seen",
			 all->unseen, rep_job_ns(job, ns, all->unseen_ns));
	else if (job->nrows > 1)
		snprintf(job->note, sizeof(job->note), "%s", NOTE_OVERLAP);
	return 0;
}

/* "main.(*Inventory).Reserve:49", "sql.(*DB).conn:1300 << main.(*Shop).find" */
static struct rep_value where(struct rep_job *job, uint32_t stack)
{
	const struct tp_dict *dict = job->texts.dict;
	uint32_t node = rep_stack_site_node(dict, stack),
		 frame = tp_dict_stack_at(dict, node).frame;
	uint32_t below = rep_stack_below(&job->texts.own, dict, node);
	struct tp_text name = rep_stack_short(tp_dict_text(dict, tp_dict_frame_name(dict, frame)));
	char line[24] = "";

	if (!name.size)
		return rep_stack_where(&job->texts, stack);
	if (tp_dict_frame_at(dict, frame).line)
		snprintf(line, sizeof(line), ":%lld",
			 (long long)tp_dict_frame_at(dict, frame).line);
	return rep_texts_join(
	    &job->texts,
	    (struct tp_text[]){name, rep_text_of(line), rep_text_of(below ? REP_WHERE_GAP : ""),
			       rep_stack_short(tp_dict_text(dict, frame_at(dict, below)))},
	    4);
}

static struct rep_value value(struct rep_job *job, size_t at, size_t column)
{
	const struct locks *all = job->state;
	const int64_t *row = rep_job_row_at(job, at);
	bool held = row[COLUMN_HOLDER] != TP_NULL;
	const uint32_t *doing;

	if (column >= COLUMN_COUNT && column <= COLUMN_EXACT)
		return rep_durations_value(job, at, job->durations.total_ns,
					   (enum rep_sum_column)(column - COLUMN_COUNT));
	switch (column) {
	case COLUMN_WHERE:
		return where(job, (uint32_t)row[COLUMN_STACK]);
	case COLUMN_HELD:
	case COLUMN_LONGEST:
		return held ? rep_int(row[column]) : rep_null();
	case COLUMN_DOING:
		if (!held || !row[COLUMN_HELD])
			return rep_null();
		if (!row[column])
			return rep_str(rep_state_name(TP_ST_RUNNING));
		doing = all->doing.key[row[column] - 1].part;
		return rep_job_place(job, doing[1], doing[2], 0, 0);
	case COLUMN_DOING_SHARE:
		return rep_share(row[column], row[COLUMN_HELD]);
	default:
		return rep_job_cell(job, at, column);
	}
}

static uint32_t stack_of(struct rep_job *job, size_t row)
{
	return (uint32_t)rep_job_row_at(job, row)[COLUMN_STACK];
}

static uint64_t tie(struct rep_job *job, size_t row)
{
	return tp_dict_string_hash(job->texts.dict,
				   function_at(job->texts.dict, stack_of(job, row)));
}

static void release(struct rep_job *job)
{
	struct locks *all = job->state;

	rep_keys_release(&all->others);
	rep_keys_release(&all->doing);
	free(all->doing_ns);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct locks),
    .add = add,
    .finish = finish,
    .prepare = rep_durations_prepare,
    .value = value,
    .tie = tie,
    .release = release,
    .stack = stack_of,
};

const struct rep_report rep_report_locks = {
    .name = "locks",
    .doc = "which locks goroutines waited for, who held them, and doing what",
    .rows = "locks",
    .columns = columns,
    .ncolumns = TP_COUNT_OF(columns),
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON,
    .ops = &ops,
};
