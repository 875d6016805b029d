/* What costs most, in sentences, each with the command that shows more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sum.h"
#include "page/inside.h"
#include "top/worst.h"

static void begin(struct html *h)
{
	html_put(h, "<li><p>");
}

static void end(struct page *p, struct html *h, const char *command, const char *more)
{
	html_put(h, "</p><p class=\"more\">");
	page_command(p, h, command, more);
	html_put(h, "</p></li>\n");
}

static void text_cell(struct html *h, const struct rep_sheet *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	html_put(h, "<b>");
	if (v.type == REP_TYPE_TEXT)
		html_text(h, v.text.data, v.text.size);
	else
		html_put(h, "(unknown)");
	html_put(h, "</b>");
}

static void time_cell(struct page *p, struct html *h, const struct rep_sheet *t, size_t row,
		      const char *column)
{
	page_time_value(p, h, page_cell_int(t, row, column));
}

/* Is there a name to tell? Of what a damaged trace has lost, "(unknown)" and "(no stack)" are. */
static bool is_named(const struct rep_sheet *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	return v.type == REP_TYPE_TEXT && v.text.size && v.text.data[0] != '(';
}

static bool has_function(const struct rep_sheet *t, size_t row)
{
	return is_named(t, row, "function");
}

/* The row with the largest number in a column, among those that `keep` (NULL: all). */
static size_t largest(const struct rep_sheet *t, const char *column,
		      bool (*keep)(const struct rep_sheet *t, size_t row))
{
	size_t best = t ? t->nrows : 0;

	for (size_t i = 0; t && i < t->nrows; i++) {
		if ((!keep || keep(t, i)) &&
		    (best == t->nrows ||
		     page_cell_int(t, i, column) > page_cell_int(t, best, column)))
			best = i;
	}
	return best;
}

static void say_procs(struct page *p, struct html *h)
{
	double busy = 0, whole = (double)p->run->row.duration_ns * (double)p->time.nprocs;

	for (size_t i = 0; i < p->time.nprocs; i++) {
		for (size_t b = 0; b < p->time.fine.n; b++)
			busy += p->time.proc[i].ns[b];
	}
	if (!(whole > 0))
		return;
	begin(h);
	html_f(h, "%zu P%s %s busy for ", p->time.nprocs, p->time.nprocs == 1 ? "" : "s",
	       p->time.nprocs == 1 ? "was" : "were");
	html_put(h, "<b>");
	html_share(h, busy / whole);
	html_put(h, "</b> of the time");
	html_put(h, busy / whole > 0.9	 ? ": the program is short of processors."
		    : busy / whole < 0.3 ? ": what takes long is waiting, not computing."
					 : ".");
	end(p, h, "tprof-top", "procs");
}

static void say_running(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "groups");
	size_t row = largest(t, "running_ns", has_function);
	int64_t all = 0;

	for (size_t i = 0; t && i < t->nrows; i++)
		all += page_cell_int(t, i, "running_ns") / 2; /* half: no overflow */
	if (!t || row == t->nrows || all <= 0)
		return;
	begin(h);
	html_put(h, "Most of the running time is that of ");
	text_cell(h, t, row, "function");
	html_put(h, ": ");
	time_cell(p, h, t, row, "running_ns");
	html_put(h, ", ");
	html_share(h, (double)page_cell_int(t, row, "running_ns") / 2 / (double)all);
	html_put(h, " of what all groups shown here ran, in ");
	html_counted(h, page_cell_int(t, row, "count"), "goroutine");
	html_put(h, ".");
	end(p, h, "tprof-top", "groups --sort=running");
}

/* Somebody is kept waiting. */
static bool is_wait(const struct rep_sheet *t, size_t row)
{
	struct rep_value v = page_cell(t, row, "reason");

	return is_named(t, row, "where") && is_named(t, row, "reason") &&
	       !rep_reason_rests((struct tp_text){v.text.data, (uint32_t)v.text.size});
}

static void say_blocked(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "block");
	size_t row = largest(t, "total_ns", is_wait);

	if (!t || row == t->nrows)
		return;
	begin(h);
	html_put(h, "The longest waits for something to happen are in ");
	text_cell(h, t, row, "where");
	html_put(h, " (");
	text_cell(h, t, row, "reason");
	html_put(h, "): ");
	html_counted(h, page_cell_int(t, row, "count"), "time");
	html_put(h, ", ");
	time_cell(p, h, t, row, "total_ns");
	html_put(h, " in all, half of them above ");
	time_cell(p, h, t, row, "p50_ns");
	html_put(h, ", 1 % above ");
	time_cell(p, h, t, row, "p99_ns");
	html_put(h, ", the longest ");
	time_cell(p, h, t, row, "max_ns");
	html_put(h, ".");
	end(p, h, "tprof-top", "block");
}

static void say_lock(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "block");
	size_t row = 0;

	for (; t && row < t->nrows; row++) {
		struct rep_value v = page_cell(t, row, "reason");
		bool lock =
		    v.type == REP_TYPE_TEXT && v.text.size >= 4 && !memcmp(v.text.data, "sync", 4);

		if (lock && page_cell_int(t, row, "count") > 1)
			break;
	}
	if (!t || row == t->nrows || row == largest(t, "total_ns", is_wait))
		return;
	begin(h);
	html_put(h, "Of the locks, the one in ");
	text_cell(h, t, row, "where");
	html_put(h, " is waited for most: ");
	html_counted(h, page_cell_int(t, row, "count"), "time");
	html_put(h, ", ");
	time_cell(p, h, t, row, "total_ns");
	html_put(h, " in all, at most ");
	time_cell(p, h, t, row, "max_ns");
	html_put(h, ".");
	end(p, h, "tprof-top", "block --reason='^sync'");
}

static void say_runnable(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "groups");
	size_t row = largest(t, "runnable_ns", has_function);
	int64_t ready, run;

	if (!t || row == t->nrows)
		return;
	ready = page_cell_int(t, row, "runnable_ns");
	run = page_cell_int(t, row, "running_ns");
	if (ready <= 0)
		return;
	begin(h);
	html_put(h, "Goroutines ready to run waited longest for a P in ");
	text_cell(h, t, row, "function");
	html_put(h, ": ");
	page_time_value(p, h, ready);
	html_put(h, " in all");
	if (run > 0 && ready > run) {
		html_put(h, ", ");
		html_f(h, "%.1f times as long as they ran", (double)ready / (double)run);
	}
	html_put(h, ".");
	end(p, h, "tprof-top", "groups --sort=runnable");
}

/* A call that never returns is somebody's way to wait for the end. */
static bool is_repeated(const struct rep_sheet *t, size_t row)
{
	return page_cell_int(t, row, "count") > 1 && is_named(t, row, "where");
}

static void say_syscalls(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "syscalls");
	size_t row = largest(t, "total_ns", is_repeated);

	if (!t || row == t->nrows)
		return;
	begin(h);
	html_put(h, "Of system calls that are made again and again, most time goes into ");
	text_cell(h, t, row, "where");
	html_put(h, ": ");
	html_counted(h, page_cell_int(t, row, "count"), "time");
	html_put(h, ", ");
	time_cell(p, h, t, row, "total_ns");
	html_put(h, " in all, at most ");
	time_cell(p, h, t, row, "max_ns");
	html_put(h, ".");
	end(p, h, "tprof-top", "syscalls");
}

static bool is_stop(const struct rep_sheet *t, size_t row)
{
	struct rep_value v = page_cell(t, row, "name");

	return v.type == REP_TYPE_TEXT && v.text.size >= 14 &&
	       !memcmp(v.text.data, "stop-the-world", 14);
}

static void say_collector(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "gc");
	double whole = (double)p->run->row.duration_ns, stopped = 0, marking = 0;
	size_t worst = largest(t, "max_ns", is_stop);
	int64_t stops = 0;

	for (size_t b = 0; b < p->time.fine.n; b++) {
		stopped += p->time.stw.ns[b];
		marking += p->time.mark.ns[b];
	}
	for (size_t i = 0; t && i < t->nrows; i++)
		tp_sum(&stops, is_stop(t, i) ? page_cell_int(t, i, "count") : 0);
	if (!t || !(whole > 0) || worst == t->nrows)
		return;
	begin(h);
	html_put(h, "The world was stopped ");
	html_counted(h, stops, "time");
	html_put(h, ", for ");
	page_time_value(p, h, (int64_t)stopped);
	html_put(h, " in all (");
	html_share(h, stopped / whole);
	html_put(h, " of the run), the longest time for ");
	time_cell(p, h, t, worst, "max_ns");
	html_put(h, "; the collector was marking for ");
	html_share(h, marking / whole);
	html_put(h, " of the run.");
	end(p, h, "tprof-top", "gc");
}

static bool is_typed(const struct rep_sheet *t, size_t row)
{
	return is_named(t, row, "name");
}

static void say_tasks(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "tasks");
	size_t row = largest(t, "p99_ns", is_typed);
	int64_t n;

	if (!t || row == t->nrows || page_cell(t, row, "p99_ns").type == REP_TYPE_NULL)
		return;
	begin(h);
	html_put(h, "The slowest kind of task is ");
	text_cell(h, t, row, "name");
	n = page_cell_int(t, row, "count");
	if (n == 1) {
		html_put(h, ": the only one took ");
		time_cell(p, h, t, row, "max_ns");
		html_put(h, " and began at ");
		time_cell(p, h, t, row, "worst_at_ns");
		html_put(h, ".");
		end(p, h, "tprof-top", "tasks");
		return;
	}
	html_put(h, ": half of ");
	html_counted(h, n, "task");
	html_put(h, " took more than ");
	time_cell(p, h, t, row, "p50_ns");
	html_put(h, ", 1 % more than ");
	time_cell(p, h, t, row, "p99_ns");
	html_put(h, "; the slowest, ");
	time_cell(p, h, t, row, "max_ns");
	html_put(h, ", began at ");
	time_cell(p, h, t, row, "worst_at_ns");
	html_put(h, ".");
	end(p, h, "tprof-top", "tasks");
}

/* The place that explains most of what the slowest tasks took longer. */
static void say_outliers(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "outliers");
	size_t row = 0;

	for (; t && row < t->nrows; row++) {
		struct rep_value kind = page_cell(t, row, "kind");

		if (kind.type == REP_TYPE_TEXT && kind.text.size == 5 &&
		    !memcmp(kind.text.data, "place", 5))
			break;
	}
	if (!t || row == t->nrows || page_cell_float(t, row, "explains") < 0.1)
		return;
	begin(h);
	html_put(h, "What the slowest 1 % of tasks took longer than those in the middle is, for ");
	html_share(h, fmin(page_cell_float(t, row, "explains"), 1));
	html_put(h, ", ");
	text_cell(h, t, row, "what");
	html_put(h, ": ");
	time_cell(p, h, t, row, "slow_ns");
	html_put(h, " instead of ");
	time_cell(p, h, t, row, "middle_ns");
	html_put(h, ".");
	end(p, h, "tprof-top", "outliers");
}

static void say_cpu(struct page *p, struct html *h)
{
	const struct rep_sheet *t = page_report(p, "cpu");

	if (!t || !t->nrows || !has_function(t, 0))
		return;
	begin(h);
	html_put(h, "Most CPU samples are in ");
	text_cell(h, t, 0, "function");
	html_put(h, ": ");
	html_count(h, page_cell_int(t, 0, "flat"));
	html_put(h, " of them, ");
	html_share(h, page_cell_float(t, 0, "flat_share"));
	html_put(h, " of all.");
	end(p, h, "tprof-top", "cpu");
}

int page_findings(struct page *p, struct html *h, struct tp_err *err)
{
	(void)err;
	html_put(h, "<ul class=\"findings\">\n");
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
	html_put(h, "</ul>\n");
	return 0;
}
