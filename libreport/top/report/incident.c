/* incident: what took more or less time than usual in a stretch of the run, the longest spans there, and the
 * critical path through it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "incident/incident.h"
#include "path/ender.h"
#include "path/path.h"
#include "top/report.h"
#include "top/worst.h"

static int about_one_run(struct rep_job *job, struct tp_err *err)
{
	return job->nruns == 1
		   ? 0
		   : tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				"the report 'incident' is about one run; pick it with --run");
}

/* ---- rows beside their usual time ---- */

enum {
	COLUMN_UNUSUAL,
	COLUMN_SCORE,
	COLUMN_TIME,
	COLUMN_USUAL,
	COLUMN_LOWEST,
	COLUMN_HIGHEST,
	COLUMN_KIND,
	COLUMN_WHAT,
	COLUMN_WHERE,
	COLUMN_COUNT,
	COLUMN_LONGEST,
	COLUMN_SINCE,
	COLUMN_AS_FAR,
	COLUMN_OTHERS,
	COLUMN_FROM,
	COLUMN_TO,
	COLUMN_FUNCTION,
	COLUMN_LOCATION,
	COLUMN_STACK,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_UNUSUAL] =
	{.column = {.name = "unusual", .title = "UNUSUAL", .kind = REP_TEXT},
	 .doc = "'more' or 'less' if the score is at least 1, otherwise 'no'; null with fewer than "
		"8 windows to compare with"},
    [COLUMN_SCORE] = {.column = {.name = "score", .title = "SCORE", .kind = REP_FLOAT},
		      .key = "score",
		      .doc =
			  "how far its time is from the usual one; 1 is the least called unusual"},
    [COLUMN_TIME] = REP_COLUMN_NS("total_ns", "TIME", "time", 0, "its time in the incident"),
    [COLUMN_USUAL] =
	REP_COLUMN_NS("usual_ns", "USUAL", "usual", 0, "median of its times in the other windows"),
    [COLUMN_LOWEST] = REP_COLUMN_NS("lowest_ns", "LOWEST", "lowest", 4, "the lowest of these"),
    [COLUMN_HIGHEST] = REP_COLUMN_NS("highest_ns", "HIGHEST", "highest", 0, "the highest of these"),
    [COLUMN_KIND] = {.column = {.name = "kind", .title = "KIND", .kind = REP_TEXT, .least = 8},
		     .doc = "running, runnable, block, lock, syscall, gc or task"},
    [COLUMN_WHAT] = {.column = {.name = "what",
				.title = "WHAT",
				.kind = REP_TEXT,
				.shorten = REP_SHORTEN_FUNCTION,
				.least = 12},
		     .cell = REP_CELL_ENTRY,
		     .key = "what",
		     .doc = "entry function, reason, range of the collector, or type of tasks"},
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "WHERE",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_WHERE,
				 .table_only = true},
		      .cell = REP_CELL_WHERE,
		      .doc = "function and callers of the longest one"},
    [COLUMN_COUNT] = {.column = {.name = "count", .title = "COUNT", .kind = REP_COUNT, .drop = 3},
		      .key = "count",
		      .doc = "spans, ranges or tasks in the incident"},
    [COLUMN_LONGEST] =
	REP_COLUMN_NS("max_ns", "LONGEST", "longest", 1,
		      "the whole length of the longest of them, also outside of the incident"),
    [COLUMN_SINCE] = REP_COLUMN_NS(
	"since_ns", "SINCE", "since", 2,
	"since when it takes so much more, or less: the start of the incident, or before it"),
    [COLUMN_AS_FAR] = {.column = {.name = "as_far", .kind = REP_COUNT, .raw_only = true},
		       .doc = "other windows with at least as much time, or at most as much if it "
			      "took less"},
    [COLUMN_OTHERS] = {.column = {.name = "others", .kind = REP_COUNT, .raw_only = true},
		       .doc = "windows it is compared with"},
    [COLUMN_FROM] =
	{.column = {.name = "from_ns", .title = "FROM", .kind = REP_NS, .raw_only = true},
	 .doc = "begin of the incident"},
    [COLUMN_TO] = {.column = {.name = "to_ns", .title = "TO", .kind = REP_NS, .raw_only = true},
		   .doc = "end of the incident"},
    [COLUMN_FUNCTION] = REP_COLUMN_RAW_TEXT("function", REP_CELL_FUNCTION,
					    "innermost function outside the runtime, there"),
    [COLUMN_LOCATION] = REP_COLUMN_RAW_TEXT("location", REP_CELL_LOCATION, "its file and line"),
    [COLUMN_STACK] = REP_COLUMN_STACK("where the longest one was, leaf first"),
};

struct scores {
	double *score; /* by row */
	size_t room;
	int64_t silent; /* rows for which is_silent() */
};

enum { UNUSUAL_NO, UNUSUAL_MORE, UNUSUAL_LESS }; /* of COLUMN_UNUSUAL */

/* Returns the goroutines' time in the incident of which a damaged trace does not say what it was. */
static int64_t gone(const struct rep_incident *x)
{
	return tp_plus(x->lost_ns, x->nameless_ns);
}

static bool works(enum rep_incident_kind kind)
{
	return kind == REP_INCIDENT_RUNNING || kind == REP_INCIDENT_GC || kind == REP_INCIDENT_TASK;
}

/* Reports a decrease only for work, and only if lost time cannot explain it: a damaged trace may also
 * have lost tasks or their names. */
static bool is_shown(const struct rep_incident *x, enum rep_incident_kind kind,
		     const struct rep_incident_verdict *v)
{
	if (!v->less)
		return v->then_ns > v->median_ns;
	return v->score >= 1 && works(kind) && !x->damaged;
}

/* Returns whether a row has no time, but would be called unusual only if all windows had more. */
static bool is_silent(const struct rep_incident *x, enum rep_incident_kind kind,
		      const struct rep_incident_verdict *v)
{
	return v->less && !v->then_ns && v->score < 1 && works(kind) && !x->damaged &&
	       v->others >= REP_INCIDENT_LEAST && v->median_ns >= tp_minus(x->to, x->from) / 100;
}

static int put(struct rep_job *job, const struct rep_view *v, const struct rep_incident *x,
	       size_t at)
{
	struct scores *s = job->state;
	const struct rep_incident_row *r = &x->row[at];
	struct rep_incident_verdict verdict;
	int64_t *row;

	rep_incident_judge(x, at, &verdict);
	if (!is_shown(x, r->kind, &verdict)) {
		s->silent += is_silent(x, r->kind, &verdict);
		return 0;
	}
	row = rep_job_row(job, v);
	if (!row || tp_grow(&s->score, &s->room, job->nrows - 1, sizeof(*s->score)))
		return TP_ENOMEM;
	s->score[job->nrows - 1] = verdict.score;
	row[COLUMN_UNUSUAL] = verdict.others < REP_INCIDENT_LEAST ? TP_NULL
			      : !verdict.unusual		  ? UNUSUAL_NO
			      : verdict.less			  ? UNUSUAL_LESS
								  : UNUSUAL_MORE;
	row[COLUMN_TIME] = verdict.then_ns;
	row[COLUMN_USUAL] = verdict.median_ns;
	row[COLUMN_LOWEST] = verdict.lowest_ns;
	row[COLUMN_HIGHEST] = verdict.highest_ns;
	row[COLUMN_KIND] = r->kind;
	row[COLUMN_WHAT] = r->kind == REP_INCIDENT_SYSCALL ? TP_NULL : r->name;
	row[COLUMN_COUNT] = r->count;
	row[COLUMN_LONGEST] = r->count ? r->max_ns : TP_NULL;
	row[COLUMN_SINCE] = verdict.since_ns;
	row[COLUMN_AS_FAR] = (int64_t)verdict.as_far;
	row[COLUMN_OTHERS] = (int64_t)verdict.others;
	row[COLUMN_FROM] = x->from;
	row[COLUMN_TO] = x->to;
	row[COLUMN_WHERE] = row[COLUMN_FUNCTION] = row[COLUMN_LOCATION] = row[COLUMN_STACK] =
	    r->stack ? r->stack : TP_NULL;
	return 0;
}

/* Names the incident: "The last 200ms (1.8s to 2s)". */
static void say_which(struct rep_job *job, const struct rep_incident *x, char text[200])
{
	const struct rep_incident_options *o = &job->opt->incident;
	char t[3][TP_COUNT_SIZE], what[100];

	rep_job_ns(job, t[2], tp_minus(x->to, x->from));
	if (o->task)
		snprintf(what, sizeof(what), "Task %.20s, %s", o->task, t[2]);
	else if (o->around)
		snprintf(what, sizeof(what), "%s around %.40s", t[2], o->around);
	else
		snprintf(what, sizeof(what), "The %s %s%s", x->selected ? "selected" : "last", t[2],
			 !x->selected && job->opt->filter.to ? " of the selected time" : "");
	snprintf(text, 200, "%s (%s to %s)", what, rep_job_ns(job, t[0], x->from),
		 rep_job_ns(job, t[1], x->to));
}

/* "3 rows took unusually much time, and 1 unusually little." */
static void say_how_many(int64_t more, int64_t less, char text[200])
{
	char t[2][TP_COUNT_SIZE];

	tp_fmt_count(t[0], more);
	tp_fmt_count(t[1], less);
	if (!more)
		snprintf(text, 200, "%s %s took unusually little time.", t[1],
			 less == 1 ? "row" : "rows");
	else
		snprintf(text, 200, "%s %s took unusually much time%s%s%s.", t[0],
			 more == 1 ? "row" : "rows", less ? ", and " : "", less ? t[1] : "",
			 less ? " unusually little" : "");
}

/* "The last 200ms (1.8s to 2s), against 19 other windows of that length:
 * 3 rows took unusually much time." */
static void say(struct rep_job *job, const struct rep_incident *x)
{
	char t[2][TP_COUNT_SIZE], which[200], windows[60], verdict[200], lost[200] = "";
	const struct scores *s = job->state;
	int64_t unusual = 0, less = 0, unknown = 0, low = 0, silent = s->silent;
	bool dense = x->n < REP_INCIDENT_LEAST && x->all >= REP_INCIDENT_LEAST;

	for (size_t i = 0; i < job->nrows; i++) {
		const int64_t *row = rep_job_row_at(job, i);

		unusual += row[COLUMN_UNUSUAL] > UNUSUAL_NO;
		less += row[COLUMN_UNUSUAL] == UNUSUAL_LESS;
		unknown += row[COLUMN_UNUSUAL] == TP_NULL;
		low += row[COLUMN_UNUSUAL] == TP_NULL && row[COLUMN_TIME] < row[COLUMN_USUAL];
	}
	snprintf(windows, sizeof(windows), x->n < x->all ? "%zu of %zu" : "%zu", x->n, x->all);
	if (x->apart < REP_INCIDENT_LEAST)
		snprintf(verdict, sizeof(verdict),
			 "too few to call anything unusual: %zu are not next to it, and %d "
			 "are needed; %sa shorter %s%s.",
			 x->apart, REP_INCIDENT_LEAST,
			 dense ? "more have too many events: try " : "",
			 job->opt->incident.task ? "task"
			 : x->selected		 ? "time range"
						 : "--last",
			 dense ? "" : " gives more");
	else if (!unusual && gone(x) > x->total_ns / 2)
		snprintf(verdict, sizeof(verdict), "whether anything was unusual cannot be told.");
	else if (!unusual && unknown)
		snprintf(verdict, sizeof(verdict),
			 "nothing can be called unusual; what took %s time also did so before or "
			 "after.",
			 !low		 ? "much"
			 : low < unknown ? "much or little"
					 : "little");
	else if (!unusual)
		snprintf(verdict, sizeof(verdict), "nothing took unusually much%s time.",
			 x->damaged ? "" : " or little");
	else
		say_how_many(unusual - less, less, verdict);
	say_which(job, x, which);
	if (silent)
		snprintf(lost, sizeof(lost),
			 "\n%s row%s without time in the incident %s not shown, as another window "
			 "had little too.",
			 tp_fmt_count(t[0], silent), silent == 1 ? "" : "s",
			 silent == 1 ? "is" : "are");
	else if (x->damaged)
		snprintf(lost, sizeof(lost),
			 "\nThe trace is damaged, so nothing is called less than usual.");
	if (gone(x) > 0)
		snprintf(lost + strlen(lost), sizeof(lost) - strlen(lost),
			 "\nOf its goroutines' time there, %s is lost, and %s has lost its names.",
			 rep_job_ns(job, t[0], x->lost_ns), rep_job_ns(job, t[1], x->nameless_ns));
	snprintf(job->lead, sizeof(job->lead), "%s, against %s other window%s of %s length:\n%s%s",
		 which, windows, x->all == 1 ? "" : "s", x->segments ? "about that" : "that",
		 verdict, lost);
	if (!unusual && job->opt->incident.task)
		snprintf(job->note, sizeof(job->note),
			 "tprof-path TRACE --task=%.20s shows what kept this task waiting",
			 job->opt->incident.task);
	else if (x->left_out)
		snprintf(job->note, sizeof(job->note),
			 "only the first %d rows of the run were looked at", REP_INCIDENT_ROWS);
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct rep_incident x = {0};
	int code = about_one_run(job, err);

	if (!code)
		code = rep_incident_find(&x, v, &job->opt->incident, err);
	if (!code)
		code = rep_incident_read(&x, v, err);
	for (size_t i = 0; i < x.nrows && !code; i++)
		if (put(job, v, &x, i))
			code = tp_nomem(err);
	if (!code)
		say(job, &x);
	rep_incident_release(&x);
	return code;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	static const char *const unusual[] = {
	    [UNUSUAL_NO] = "no", [UNUSUAL_MORE] = "more", [UNUSUAL_LESS] = "less"};
	const struct scores *s = job->state;
	int64_t cell = rep_job_row_at(job, row)[column];

	if (column == COLUMN_UNUSUAL)
		return cell == TP_NULL ? rep_null() : rep_str(unusual[cell]);
	if (column == COLUMN_SCORE)
		return rep_float(s->score[row]);
	if (column == COLUMN_KIND)
		return rep_str(rep_incident_kinds[cell]);
	return rep_job_cell(job, row, column);
}

static uint32_t stack_of(struct rep_job *job, size_t row)
{
	int64_t stack = rep_job_row_at(job, row)[COLUMN_STACK];

	return stack == TP_NULL ? 0 : (uint32_t)stack;
}

static uint64_t tie(struct rep_job *job, size_t row)
{
	const int64_t *r = rep_job_row_at(job, row);
	const struct tp_dict *dict = job->texts.dict;

	return (r[COLUMN_WHAT] == TP_NULL
		    ? tp_dict_string_hash(
			  dict, tp_dict_frame_name(dict, rep_stack_site(dict, stack_of(job, row))))
		    : tp_dict_string_hash(dict, (uint32_t)r[COLUMN_WHAT])) +
	       (uint64_t)r[COLUMN_KIND];
}

static void release(struct rep_job *job)
{
	free(((struct scores *)job->state)->score);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct scores),
    .add = add,
    .value = value,
    .tie = tie,
    .release = release,
    .stack = stack_of,
};

#define FILTERS                                                                                    \
	(REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON |           \
	 REP_BY_MOMENT)

const struct rep_report rep_report_incident = {
    .name = "incident",
    .doc = "what took more or less time than usual in a short stretch of the run",
    .rows = "rows",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "score",
    .filters = FILTERS,
    .ops = &ops,
};

/* ---- the longest spans there ---- */

enum {
	LONGEST_TIME,
	LONGEST_DURATION,
	LONGEST_AT,
	LONGEST_GOROUTINE,
	LONGEST_ENTRY,
	LONGEST_STATE,
	LONGEST_REASON,
	LONGEST_WHERE,
	LONGEST_WAKER,
	LONGEST_WAKER_ENTRY,
	LONGEST_LOCATION,
	LONGEST_STACK,
	NLONGEST
};

static const struct rep_report_column longest_columns[NLONGEST] = {
    [LONGEST_TIME] = REP_COLUMN_NS("total_ns", "TIME", "time", 0, "its time in the incident"),
    [LONGEST_DURATION] =
	REP_COLUMN_NS("dur_ns", "LASTED", "duration", 0, "how long, also outside of the incident"),
    [LONGEST_AT] =
	REP_COLUMN_NS("at_ns", "AT", "at", 0, "when it began, perhaps before the incident"),
    [LONGEST_GOROUTINE] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
			   .cell = REP_CELL_GOROUTINE,
			   .doc = "the goroutine"},
    [LONGEST_ENTRY] = {.column = {.name = "entry",
				  .title = "ENTRY FUNCTION",
				  .kind = REP_TEXT,
				  .shorten = REP_SHORTEN_FUNCTION,
				  .least = 12,
				  .drop = 2},
		       .cell = REP_CELL_ENTRY,
		       .doc = "its entry function"},
    [LONGEST_STATE] = {.column = {.name = "state", .title = "STATE", .kind = REP_TEXT},
		       .cell = REP_CELL_STATE,
		       .doc = "the goroutine's state"},
    [LONGEST_REASON] = {.column = {.name = "reason", .title = "REASON", .kind = REP_TEXT},
			.cell = REP_CELL_STRING,
			.doc = "why it is in that state, as Go names it"},
    [LONGEST_WHERE] = {.column = {.name = "where",
				  .title = "WHERE",
				  .kind = REP_TEXT,
				  .shorten = REP_SHORTEN_WHERE,
				  .least = 12,
				  .table_only = true},
		       .cell = REP_CELL_WHERE,
		       .doc = "function and callers"},
    [LONGEST_WAKER] = {.column = {.name = "waker", .title = "WOKEN BY", .kind = REP_ID, .drop = 1},
		       .cell = REP_CELL_GOROUTINE,
		       .doc = "goroutine that woke it"},
    [LONGEST_WAKER_ENTRY] =
	REP_COLUMN_RAW_TEXT("waker_entry", REP_CELL_ENTRY, "that goroutine's entry function"),
    [LONGEST_LOCATION] = REP_COLUMN_RAW_TEXT("location", REP_CELL_LOCATION,
					     "file and line of its innermost function"),
    [LONGEST_STACK] = REP_COLUMN_STACK("where it is, leaf first"),
};

#define LONGEST_MOST 200 /* spans, where all are asked for */

static int put_longest(struct rep_job *job, struct rep_view *v, const struct rep_worst *w,
		       const struct tp_span *before)
{
	uint32_t waker = rep_path_waker(v, &w->span, before);
	bool woken = waker < v->nrows[TP_TABLE_GOROUTINE];
	int64_t *row = rep_job_row(job, v);

	if (!row)
		return TP_ENOMEM;
	row[LONGEST_TIME] = w->dur_ns;
	row[LONGEST_DURATION] = tp_minus(w->span.end, w->span.start);
	row[LONGEST_AT] = w->span.start;
	row[LONGEST_GOROUTINE] = rep_view_goid(v, w->span.goroutine);
	row[LONGEST_ENTRY] = rep_view_entry(v, w->span.goroutine);
	row[LONGEST_STATE] = w->span.state;
	row[LONGEST_REASON] = w->span.reason;
	row[LONGEST_WAKER] = woken ? rep_view_goid(v, waker) : TP_NULL;
	row[LONGEST_WAKER_ENTRY] = woken ? rep_view_entry(v, waker) : TP_NULL;
	row[LONGEST_WHERE] = row[LONGEST_LOCATION] = row[LONGEST_STACK] =
	    w->span.stack ? w->span.stack : TP_NULL;
	return 0;
}

static int add_longest(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const uint32_t states = 1u << TP_ST_RUNNING | 1u << TP_ST_RUNNABLE | 1u << TP_ST_WAITING |
				1u << TP_ST_SYSCALL | 1u << TP_ST_SYSCALL_BLOCKED;
	const struct rep_worst_options opt = {
	    .states = v->filter->states ? states & v->filter->states : states,
	    .n = job->limit && job->limit < LONGEST_MOST ? job->limit : LONGEST_MOST,
	    .no_rest = true};
	struct rep_worst *worst = calloc(opt.n, sizeof(*worst));
	struct tp_span *before = calloc(opt.n, sizeof(*before));
	struct rep_incident x = {0};
	struct rep_incident_range range;
	size_t n = 0;
	int code = worst && before ? about_one_run(job, err) : tp_nomem(err);

	if (!code)
		code = rep_incident_find(&x, v, &job->opt->incident, err);
	if (!code) {
		range = rep_incident_enter(&x, v);
		code = rep_worst(v, &opt, worst, &n, err);
		if (!code)
			code = rep_worst_before(v, worst, n, before, NULL, err);
		rep_incident_leave(v, &range);
	}
	for (size_t i = 0; i < n && !code; i++)
		if (put_longest(job, v, &worst[i], &before[i]))
			code = tp_nomem(err);
	free(worst);
	free(before);
	rep_incident_release(&x);
	return code;
}

static const struct rep_report_ops longest_ops = {.add = add_longest};

const struct rep_report rep_report_incident_longest = {
    .name = "longest",
    .doc = "the longest spans in the incident, without those in which nothing waits",
    .rows = "spans",
    .columns = longest_columns,
    .ncolumns = NLONGEST,
    .sort = "time",
    .filters = FILTERS,
    .ops = &longest_ops,
};

/* ---- its path ---- */

enum {
	PATH_TIME,
	PATH_SHARE,
	PATH_COUNT,
	PATH_LONGEST,
	PATH_ENTRY,
	PATH_KIND,
	PATH_REASON,
	PATH_WHERE,
	PATH_FUNCTION,
	PATH_LOCATION,
	PATH_STACK,
	NPATH
};

static const struct rep_report_column path_columns[NPATH] = {
    [PATH_TIME] = REP_COLUMN_NS("total_ns", "TIME", "total", 0, "its time on the path"),
    [PATH_SHARE] = REP_COLUMN_SHARE(0, "of the incident's length"),
    [PATH_COUNT] = REP_COLUMN_COUNT("how many times"),
    [PATH_LONGEST] = REP_COLUMN_NS("max_ns", "LONGEST", "longest", 1, "the longest of these"),
    [PATH_ENTRY] = {.column = {.name = "entry",
			       .title = "GOROUTINES OF",
			       .kind = REP_TEXT,
			       .shorten = REP_SHORTEN_FUNCTION,
			       .least = 12},
		    .cell = REP_CELL_ENTRY,
		    .doc = "their entry function"},
    [PATH_KIND] =
	{.column = {.name = "kind", .title = "DOING", .kind = REP_TEXT},
	 .doc = "what they did: running, runnable, a wait, a cause from outside; or not covered"},
    [PATH_REASON] = {.column = {.name = "reason", .title = "REASON", .kind = REP_TEXT, .drop = 2},
		     .cell = REP_CELL_STRING,
		     .doc = "what a wait is for, as Go names it"},
    [PATH_WHERE] = {.column = {.name = "where",
			       .title = "WHERE",
			       .kind = REP_TEXT,
			       .shorten = REP_SHORTEN_WHERE,
			       .least = 12,
			       .table_only = true},
		    .cell = REP_CELL_WHERE,
		    .doc = "function and callers"},
    [PATH_FUNCTION] = REP_COLUMN_RAW_TEXT("function", REP_CELL_FUNCTION,
					  "innermost function outside the runtime"),
    [PATH_LOCATION] = REP_COLUMN_RAW_TEXT("location", REP_CELL_LOCATION, "its file and line"),
    [PATH_STACK] = REP_COLUMN_STACK("where, leaf first"),
};

#define NOT_COVERED REP_NPATH_KINDS /* of PATH_KIND: time that the path does not cover */

static int put_path(struct rep_job *job, const struct rep_view *v, const struct rep_path_sum *s)
{
	int64_t *row = rep_job_row(job, v);

	if (!row)
		return TP_ENOMEM;
	row[PATH_TIME] = s->total_ns;
	row[PATH_COUNT] = s->count;
	row[PATH_LONGEST] = s->max_ns;
	row[PATH_ENTRY] = s->kind == NOT_COVERED ? TP_NULL : s->entry;
	row[PATH_KIND] = s->kind;
	row[PATH_REASON] = s->reason;
	row[PATH_WHERE] = row[PATH_FUNCTION] = row[PATH_LOCATION] = row[PATH_STACK] =
	    s->stack ? s->stack : TP_NULL;
	return 0;
}

static int walk(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct rep_path_options opt = {.at_most = INT64_MAX, .task = job->opt->incident.task};
	struct rep_path_sum rest = {.kind = NOT_COVERED, .count = 1};
	struct rep_path_requests list = {0};
	struct rep_path path = {0};
	struct rep_path_sum *total = NULL;
	size_t n = 0;
	int code = rep_path_pick(v, &opt, &list, err);

	/* Nothing was active there. */
	if (code == TP_ENOENT)
		code = 0;
	else if (!code)
		code = rep_path_walk(v, list.request, list.n, REP_PATH_HOPS, &path, err);
	if (!code && list.n)
		code = rep_path_totals(v, &path, &total, &n, err);
	rest.total_ns = rest.max_ns = *(int64_t *)job->state;
	for (size_t i = 0; i < n && !code; i++) {
		rest.max_ns = rest.total_ns = tp_minus(rest.total_ns, total[i].total_ns);
		if (put_path(job, v, &total[i]))
			code = tp_nomem(err);
	}
	if (!code && rest.total_ns > 0 && put_path(job, v, &rest))
		code = tp_nomem(err);
	free(total);
	rep_path_release(&path);
	rep_path_requests_release(&list);
	return code;
}

static int add_path(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct rep_incident x = {0};
	struct rep_incident_range range;
	int code = about_one_run(job, err);

	if (!code)
		code = rep_incident_find(&x, v, &job->opt->incident, err);
	if (!code) {
		*(int64_t *)job->state = tp_minus(x.to, x.from);
		range = rep_incident_enter(&x, v);
		code = walk(job, v, err);
		rep_incident_leave(v, &range);
	}
	rep_incident_release(&x);
	return code;
}

static struct rep_value path_value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *r = rep_job_row_at(job, row), *whole = job->state;

	if (column == PATH_SHARE)
		return rep_share(r[PATH_TIME], *whole);
	if (column == PATH_KIND)
		return rep_str(r[column] == NOT_COVERED ? "not covered"
							: rep_path_kinds[r[column]].name);
	return rep_job_cell(job, row, column);
}

static uint32_t path_stack_of(struct rep_job *job, size_t row)
{
	int64_t stack = rep_job_row_at(job, row)[PATH_STACK];

	return stack == TP_NULL ? 0 : (uint32_t)stack;
}

static const struct rep_report_ops path_ops = {
    .state = sizeof(int64_t),
    .add = add_path,
    .value = path_value,
    .stack = path_stack_of,
};

const struct rep_report rep_report_incident_path = {
    .name = "path",
    .doc = "the critical path through the incident",
    .rows = "places",
    .columns = path_columns,
    .ncolumns = NPATH,
    .sort = "total",
    .filters = REP_BY_TIME | REP_BY_GOROUTINE | REP_BY_MOMENT,
    .ops = &path_ops,
};
