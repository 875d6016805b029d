/* The largest costs, in sentences, each with a command that shows more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sum.h"
#include "page/inside.h"
#include "top/worst.h"

#define TEXT 96 /* bytes of a value in a sentence, marked up */

/* ---- sentences ---- */

/* Writes a cell by the name of its column: names in bold, numbers with their unit. */
static void put_cell(struct page *p, struct tp_buf *h, const struct rep_sheet *t, size_t row,
		     const char *name)
{
	struct rep_value v = page_cell(t, row, name);
	int column = t ? rep_sheet_column(t, name) : -1;
	enum rep_kind kind = column < 0 ? REP_ANY : t->columns[column].kind;

	if (kind == REP_NS && v.type == REP_TYPE_INT) {
		page_time_value(p, h, v.i);
	} else if (kind != REP_TEXT) {
		html_value(h, kind, &v);
	} else {
		tp_buf_text(h, "<b>");
		if (v.type == REP_TYPE_TEXT)
			html_text(h, v.text.data, v.text.size);
		else
			tp_buf_text(h, "(unknown)");
		tp_buf_text(h, "</b>");
	}
}

/* Writes a finding and the command that shows more. In the sentence {column} stands for that cell
 * of the row, {column noun} for so many of these things, and {} for `extra`. */
static void say(struct page *p, struct tp_buf *h, const struct rep_sheet *t, size_t row,
		const char *sentence, const char *extra, const char *command)
{
	const char *open;

	tp_buf_text(h, "<li><p>");
	for (; (open = strchr(sentence, '{')); sentence = strchr(open, '}') + 1) {
		char name[40], *noun;

		html_text(h, sentence, (size_t)(open - sentence));
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(open + 1, "}"), open + 1);
		noun = strchr(name, ' ');
		if (noun)
			*noun++ = '\0';
		if (!*name)
			html_str(h, extra);
		else if (noun)
			html_counted(h, page_cell_int(t, row, name), noun);
		else
			put_cell(p, h, t, row, name);
	}
	html_str(h, sentence);
	tp_buf_text(h, "</p><p class=\"more\">");
	page_command(p, h, "tprof-top", command);
	tp_buf_text(h, "</p></li>\n");
}

static char *share_text(double share, char text[TEXT])
{
	struct rep_value v = rep_float(share);

	return rep_value_shown(&v, REP_SHARE, text, TEXT);
}

static char *time_text(const struct page *p, double ns, char text[TEXT])
{
	bool ticks = p->run->row.ticks;
	struct rep_value v = ticks ? rep_int((int64_t)ns) : rep_float(ns);
	char number[TEXT / 2];

	rep_value_shown(&v, ticks ? REP_COUNT : REP_NS, number, sizeof(number));
	snprintf(text, TEXT, "%s%s", number, ticks ? " ticks" : "");
	return text;
}

/* ---- rows ---- */

/* Returns whether the cell has a name. Names that a damaged trace has lost are "(unknown)" or "(no
 * stack)". */
static bool is_named(const struct rep_sheet *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	return v.type == REP_TYPE_TEXT && v.text.size && v.text.data[0] != '(';
}

static bool begins(const struct rep_sheet *t, size_t row, const char *column, const char *text)
{
	struct rep_value v = page_cell(t, row, column);
	size_t n = strlen(text);

	return v.type == REP_TYPE_TEXT && v.text.size >= n && !memcmp(v.text.data, text, n);
}

static bool has_function(const struct rep_sheet *t, size_t row)
{
	return is_named(t, row, "function");
}

/* Returns whether the row is a wait that matters: its reason does not mean that the goroutine
 * rests. */
static bool is_wait(const struct rep_sheet *t, size_t row)
{
	struct rep_value v = page_cell(t, row, "reason");

	return is_named(t, row, "where") && is_named(t, row, "reason") &&
	       !rep_reason_rests((struct tp_text){v.text.data, (uint32_t)v.text.size});
}

/* Returns whether the call was made more than once. A program may wait for its end in a single call
 * that never returns. */
static bool is_repeated(const struct rep_sheet *t, size_t row)
{
	return page_cell_int(t, row, "count") > 1 && is_named(t, row, "where");
}

static bool is_stop(const struct rep_sheet *t, size_t row)
{
	return begins(t, row, "name", "stop-the-world");
}

static bool is_typed(const struct rep_sheet *t, size_t row)
{
	return is_named(t, row, "name");
}

/* Finds the row with the largest number in a column, among rows that `keep` accepts. Returns false
 * if it accepts none. */
static bool find_largest(const struct rep_sheet *t, const char *column,
			 bool (*keep)(const struct rep_sheet *t, size_t row), size_t *best)
{
	size_t rows = t ? t->nrows : 0;

	*best = rows;
	for (size_t i = 0; i < rows; i++)
		if (keep(t, i) && (*best == rows ||
				   page_cell_int(t, i, column) > page_cell_int(t, *best, column)))
			*best = i;
	return *best < rows;
}

/* ---- findings ---- */

static void say_procs(struct page *p, struct tp_buf *h)
{
	double busy = 0, whole = (double)p->run->row.duration_ns * (double)p->time.nprocs;
	bool one = p->time.nprocs == 1;
	char text[2 * TEXT], share[TEXT];

	for (size_t i = 0; i < p->time.nprocs; i++)
		for (size_t b = 0; b < p->time.fine.n; b++)
			busy += p->time.proc[i].ns[b];
	if (!(whole > 0))
		return;
	snprintf(text, sizeof(text), "%zu %s busy for %s of the time", p->time.nprocs,
		 one ? "P was" : "Ps were", share_text(busy / whole, share));
	say(p, h, NULL, 0,
	    busy / whole > 0.9	 ? "{}: the program could use more processors."
	    : busy / whole < 0.3 ? "{}: the program waits more than it computes."
				 : "{}.",
	    text, "procs");
}

static void say_running(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "groups");
	char share[TEXT];
	int64_t all = 0;
	size_t row;

	for (size_t i = 0; t && i < t->nrows; i++)
		all += page_cell_int(t, i, "running_ns") / 2; /* halved to avoid an overflow */
	if (!find_largest(t, "running_ns", has_function, &row) || all <= 0)
		return;
	share_text((double)page_cell_int(t, row, "running_ns") / 2 / (double)all, share);
	say(p, h, t, row,
	    "Goroutines of {function} ran longest: {running_ns} in {count goroutine}, {} of what "
	    "all "
	    "groups on this page ran.",
	    share, "groups --sort=running");
}

static void say_runnable(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "groups");
	char times[TEXT] = "";
	int64_t ready, run;
	size_t row;

	if (!find_largest(t, "runnable_ns", has_function, &row))
		return;
	ready = page_cell_int(t, row, "runnable_ns");
	run = page_cell_int(t, row, "running_ns");
	if (ready <= 0)
		return;
	if (run > 0 && ready > run)
		snprintf(times, sizeof(times), ", %.1f times as long as they ran",
			 (double)ready / (double)run);
	say(p, h, t, row,
	    "Goroutines of {function} waited longest for a P: {runnable_ns} in all{}.", times,
	    "groups --sort=runnable");
}

static void say_blocked(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "block");
	size_t row;

	if (find_largest(t, "total_ns", is_wait, &row))
		say(p, h, t, row,
		    "Goroutines were blocked longest in {where} ({reason}): {count time}, "
		    "{total_ns} "
		    "in all. Half of the waits took more than {p50_ns}, 1 % more than {p99_ns}, "
		    "the "
		    "longest {max_ns}.",
		    "", "block");
}

/* Writes a finding about the most contended lock. A wait is for a lock if its reason begins with
 * "sync": Go gives the reason "sync" to waits for a sync.Mutex, RWMutex and WaitGroup, and
 * "sync.(*Cond).Wait" to those for a condition. Channels, select and the network have reasons of
 * their own. */
static void say_lock(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "block");
	size_t row = 0, longest;

	while (t && row < t->nrows &&
	       !(begins(t, row, "reason", "sync") && page_cell_int(t, row, "count") > 1))
		row++;
	if (!t || row == t->nrows ||
	    (find_largest(t, "total_ns", is_wait, &longest) && row == longest))
		return;
	say(p, h, t, row,
	    "The most contended lock is the one in {where}: {count wait}, {total_ns} in all, at "
	    "most "
	    "{max_ns}.",
	    "", "block --reason='^sync'");
}

static void say_syscalls(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "syscalls");
	size_t row;

	if (find_largest(t, "total_ns", is_repeated, &row))
		say(p, h, t, row,
		    "Of system calls that are made more than once, those in {where} took the most "
		    "time: {count call}, {total_ns} in all, at most {max_ns}.",
		    "", "syscalls");
}

static void say_collector(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "gc");
	double whole = (double)p->run->row.duration_ns, stopped = 0, marking = 0;
	char text[6 * TEXT], times[TEXT], total[TEXT], share[TEXT], longest[TEXT], mark[TEXT];
	struct rep_value stops = rep_int(0);
	size_t worst;

	for (size_t b = 0; b < p->time.fine.n; b++) {
		stopped += p->time.stw.ns[b];
		marking += p->time.mark.ns[b];
	}
	for (size_t i = 0; t && i < t->nrows; i++)
		tp_sum(&stops.i, is_stop(t, i) ? page_cell_int(t, i, "count") : 0);
	if (!find_largest(t, "max_ns", is_stop, &worst) || !(whole > 0))
		return;
	snprintf(text, sizeof(text),
		 "%s time%s, for %s in all (%s of the run) and at most %s; the garbage collector "
		 "was marking for %s of the run.",
		 rep_value_shown(&stops, REP_COUNT, times, TEXT), stops.i == 1 ? "" : "s",
		 time_text(p, stopped, total), share_text(stopped / whole, share),
		 time_text(p, (double)page_cell_int(t, worst, "max_ns"), longest),
		 share_text(marking / whole, mark));
	say(p, h, t, worst, "The world was stopped {}", text, "gc");
}

static void say_tasks(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "tasks");
	size_t row;

	if (!find_largest(t, "p99_ns", is_typed, &row) ||
	    page_cell(t, row, "p99_ns").type == REP_TYPE_NULL)
		return;
	say(p, h, t, row,
	    page_cell_int(t, row, "count") == 1
		? "The slowest kind of task is {name}: the only one took {max_ns} and began at "
		  "{worst_at_ns}."
		: "The slowest kind of task is {name}: half of {count task} took more than "
		  "{p50_ns}, "
		  "1 % more than {p99_ns}. The slowest took {max_ns} and began at {worst_at_ns}.",
	    "", "tasks");
}

/* Writes a finding about the place that explains most of the extra time of the slowest tasks. */
static void say_outliers(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "outliers");
	char share[TEXT];
	size_t row = 0;

	while (t && row < t->nrows && !rep_value_is(rep_sheet_cell(t, (long)row, "kind"), "place"))
		row++;
	if (!t || row == t->nrows || page_cell_float(t, row, "explains") < 0.1)
		return;
	share_text(fmin(page_cell_float(t, row, "explains"), 1), share);
	say(p, h, t, row,
	    "{} of the extra time of the slowest 1 % of tasks went into {what}: {slow_ns}, where "
	    "tasks of typical length spent {middle_ns}.",
	    share, "outliers");
}

static void say_cpu(struct page *p, struct tp_buf *h)
{
	const struct rep_sheet *t = page_report(p, "cpu");

	if (t && t->nrows && has_function(t, 0))
		say(p, h, t, 0,
		    "Most CPU samples are in {function}: {flat sample}, {flat_share} of all.", "",
		    "cpu");
}

int page_findings(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	(void)err;
	tp_buf_text(h, "<ul class=\"findings\">\n");
	say_procs(p, h);
	say_running(p, h);
	say_runnable(p, h);
	say_blocked(p, h);
	say_lock(p, h);
	say_syscalls(p, h);
	say_collector(p, h);
	say_tasks(p, h);
	say_outliers(p, h);
	say_cpu(p, h);
	tp_buf_text(h, "</ul>\n");
	return 0;
}
