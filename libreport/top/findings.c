/* The largest costs, in sentences, each with a report that shows more: what the tables of the overview and that of
 * outliers say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "output/cells.h"
#include "output/text.h"
#include "task/outliers.h"
#include "top/job.h"
#include "top/worst.h"

#define TEXT 96 /* bytes of a number in a sentence */

static const struct rep_column columns[] = {
    {.name = "finding", .title = "FINDING", .kind = REP_TEXT, .doc = "a sentence"},
    {.name = "report", .title = "REPORT", .kind = REP_TEXT, .doc = "the table that it is about"},
    {.name = "row", .kind = REP_COUNT, .raw_only = true, .doc = "of that table, from 0"},
    {.name = "options",
     .kind = REP_TEXT,
     .raw_only = true,
     .doc = "with which the report shows more"},
    {.name = "name", .kind = REP_TEXT, .raw_only = true, .doc = "the first name in the sentence"},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

struct findings {
	struct rep_cells cells; /* the tables, with the columns of format table */
	struct rep_output *out;
	bool lines;			 /* in place of a table, whose cells would be shortened */
	bool ticks;			 /* the run has no clock */
	bool outliers;			 /* the report of that name may have an answer … */
	const struct rep_sheet *slowest; /* … and this is its table; NULL: not known */
	struct tp_buf text, name;
	struct tp_err *err;
	int code;
};

struct finding {
	const char *report; /* the table it is about */
	size_t row;	    /* of that table */
	const char *options;
};

/* ---- sentences ---- */

static const struct rep_sheet *sheet_of(const struct findings *f, const char *report)
{
	for (size_t i = 0; i < f->cells.n; i++)
		if (!strcmp(f->cells.sheet[i].name, report))
			return &f->cells.sheet[i];
	return strcmp(report, "outliers") ? NULL : f->slowest;
}

static double number(const struct rep_sheet *t, size_t row, const char *column)
{
	double d = rep_value_number(rep_sheet_cell(t, (long)row, column));

	return isfinite(d) ? d : 0;
}

static char *shown(enum rep_kind kind, const struct rep_value *v, char text[TEXT])
{
	return rep_value_shown(v, kind, text, TEXT);
}

static char *share_text(double share, char text[TEXT])
{
	struct rep_value v = rep_float(share);

	return shown(REP_SHARE, &v, text);
}

static char *time_text(const struct findings *f, double ns, char text[TEXT])
{
	struct rep_value v = f->ticks ? rep_int((int64_t)ns) : rep_float(ns);
	char size[TEXT / 2];

	rep_value_shown(&v, f->ticks ? REP_COUNT : REP_NS, size, sizeof(size));
	snprintf(text, TEXT, "%s%s", size, f->ticks ? " ticks" : "");
	return text;
}

static void put(struct findings *f, const char *text)
{
	tp_buf_text(&f->text, text);
}

static void put_counted(struct findings *f, double n, const char *noun)
{
	struct rep_value v = rep_int((int64_t)n);
	char text[TEXT];

	put(f, shown(REP_COUNT, &v, text));
	put(f, " ");
	put(f, noun);
	put(f, v.i == 1 ? "" : "s");
}

/* Lines are C strings, so names in them must not have NULs. */
static void put_name(struct findings *f, struct tp_text name)
{
	if (f->lines)
		rep_escape(&f->text, name.text, name.size, REP_ESCAPE_SHOWN);
	else
		tp_buf_put(&f->text, name.text, name.size);
	if (!f->name.size)
		tp_buf_put(&f->name, name.text, name.size);
}

/* Writes a cell by the name of its column: a name, or a number with its unit. */
static void put_cell(struct findings *f, const struct rep_sheet *t, size_t row, const char *name)
{
	const struct rep_value *v = rep_sheet_cell(t, (long)row, name);
	int column = t ? rep_sheet_column(t, name) : -1;
	enum rep_kind kind = column < 0 ? REP_ANY : t->columns[column].kind;
	size_t n = strlen(name);
	char text[TEXT];

	if (kind == REP_TEXT)
		put_name(f, rep_value_is_text(v)
				? (struct tp_text){v->text.data, (uint32_t)v->text.size}
				: rep_text_of("(unknown)"));
	else if (n > 3 && !strcmp(name + n - 3, "_ns"))
		put(f, time_text(f, rep_value_number(v), text));
	else
		put(f, shown(kind, v, text));
}

static void end(struct findings *f, const struct finding *finding)
{
	const struct rep_value row[NCOLUMNS] = {
	    rep_text((const char *)f->text.data, f->text.size),
	    rep_str(finding->report),
	    rep_int((int64_t)finding->row),
	    rep_str(finding->options),
	    rep_text((const char *)f->name.data, f->name.size),
	};

	if (f->lines) {
		tp_buf_printf(&f->text, " (%s%s%s)", finding->report, *finding->options ? " " : "",
			      finding->options);
		tp_buf_put(&f->text, "", 1);
	}
	if (f->text.failed || f->name.failed)
		f->code = rep_job_fail(f->err, TP_ENOMEM);
	else if (f->lines)
		f->code = rep_output_note(f->out, false, (const char *)f->text.data, f->err);
	else
		f->code = rep_output_row(f->out, row, f->err);
}

/* Tells a finding about a row. In the sentence {column} stands for that cell of the row, {column noun} for so
 * many of these things, and {} for `extra`. */
static void say(struct findings *f, const struct finding *finding, const struct rep_sheet *t,
		const char *sentence, const char *extra)
{
	const char *open;

	if (f->code)
		return;
	f->text.size = f->name.size = 0;
	put(f, f->lines ? "- " : "");
	for (; (open = strchr(sentence, '{')); sentence = strchr(open, '}') + 1) {
		char name[40], *noun;

		tp_buf_put(&f->text, sentence, (size_t)(open - sentence));
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(open + 1, "}"), open + 1);
		noun = strchr(name, ' ');
		if (noun)
			*noun++ = '\0';
		if (!*name)
			put(f, extra);
		else if (noun)
			put_counted(f, number(t, finding->row, name), noun);
		else
			put_cell(f, t, finding->row, name);
	}
	put(f, sentence);
	end(f, finding);
}

/* ---- rows ---- */

/* Returns whether the cell has a name. Names that a damaged trace has lost are "(unknown)" or "(no
 * stack)". */
static bool is_named(const struct rep_sheet *t, size_t row, const char *column)
{
	const struct rep_value *v = rep_sheet_cell(t, (long)row, column);

	return rep_value_is_text(v) && v->text.data[0] != '(';
}

static bool begins(const struct rep_sheet *t, size_t row, const char *column, const char *text)
{
	const struct rep_value *v = rep_sheet_cell(t, (long)row, column);
	size_t n = strlen(text);

	return rep_value_is_text(v) && v->text.size >= n && !memcmp(v->text.data, text, n);
}

static bool has_function(const struct rep_sheet *t, size_t row)
{
	return is_named(t, row, "function");
}

/* Returns whether the row is a wait that matters: its reason does not mean that the goroutine
 * rests. */
static bool is_wait(const struct rep_sheet *t, size_t row)
{
	const struct rep_value *v = rep_sheet_cell(t, (long)row, "reason");

	return is_named(t, row, "where") && is_named(t, row, "reason") &&
	       !rep_reason_rests((struct tp_text){v->text.data, (uint32_t)v->text.size});
}

/* Returns whether the call was made more than once. A program may wait for its end in a single call
 * that never returns. */
static bool is_repeated(const struct rep_sheet *t, size_t row)
{
	return number(t, row, "count") > 1 && is_named(t, row, "where");
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
		if (keep(t, i) &&
		    (*best == rows || number(t, i, column) > number(t, *best, column)))
			*best = i;
	return *best < rows;
}

/* ---- findings ---- */

static void say_procs(struct findings *f)
{
	static const char *const parts[] = {"running_ns", "idle_ns", "unknown_ns"};
	const struct rep_sheet *t = sheet_of(f, "procs");
	size_t n = t ? t->nrows : 0;
	double busy = 0, whole = 0;
	char text[2 * TEXT], share[TEXT];

	for (size_t row = 0; row < n; row++)
		for (size_t i = 0; i < 3; i++) {
			busy += i ? 0 : number(t, row, parts[i]);
			whole += number(t, row, parts[i]);
		}
	if (!(whole > 0))
		return;
	busy /= whole;
	snprintf(text, sizeof(text), "%zu %s busy for %s of the time", n,
		 n == 1 ? "P was" : "Ps were", share_text(busy, share));
	say(f, &(struct finding){"procs", 0, ""}, NULL,
	    busy > 0.9	 ? "{}: the program could use more processors."
	    : busy < 0.3 ? "{}: the program waits more than it computes."
			 : "{}.",
	    text);
}

static void say_running(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "groups");
	struct finding finding = {"groups", 0, "--sort=running"};
	char share[TEXT];
	double all = 0;

	for (size_t i = 0; t && i < t->nrows; i++)
		all += number(t, i, "running_ns");
	if (!find_largest(t, "running_ns", has_function, &finding.row) || !(all > 0))
		return;
	share_text(number(t, finding.row, "running_ns") / all, share);
	say(f, &finding, t,
	    "Goroutines of {function} ran longest: {running_ns} in {count goroutine}, {} of what "
	    "all "
	    "groups here ran.",
	    share);
}

static void say_runnable(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "groups");
	struct finding finding = {"groups", 0, "--sort=runnable"};
	char times[TEXT] = "";
	double ready, run;

	if (!find_largest(t, "runnable_ns", has_function, &finding.row))
		return;
	ready = number(t, finding.row, "runnable_ns");
	run = number(t, finding.row, "running_ns");
	if (ready <= 0)
		return;
	if (run > 0 && ready > run)
		snprintf(times, sizeof(times), ", %.1f times as long as they ran", ready / run);
	say(f, &finding, t,
	    "Goroutines of {function} waited longest for a P: {runnable_ns} in all{}.", times);
}

static void say_blocked(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "block");
	struct finding finding = {"block", 0, ""};

	if (find_largest(t, "total_ns", is_wait, &finding.row))
		say(f, &finding, t,
		    "Goroutines were blocked longest in {where} ({reason}): {count time}, "
		    "{total_ns} in "
		    "all. Half of the waits took more than {p50_ns}, 1 % more than {p99_ns}, the "
		    "longest "
		    "{max_ns}.",
		    "");
}

/* Writes a finding about the most contended lock. A wait is for a lock if its reason begins with
 * "sync": Go gives the reason "sync" to waits for a sync.Mutex, RWMutex and WaitGroup, and
 * "sync.(*Cond).Wait" to those for a condition. Channels, select and the network have reasons of
 * their own. */
static void say_lock(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "block");
	struct finding finding = {"block", 0, "--reason='^sync'"};
	size_t longest;

	while (t && finding.row < t->nrows &&
	       !(begins(t, finding.row, "reason", "sync") && number(t, finding.row, "count") > 1))
		finding.row++;
	if (!t || finding.row == t->nrows ||
	    (find_largest(t, "total_ns", is_wait, &longest) && finding.row == longest))
		return;
	say(f, &finding, t,
	    "The most contended lock is the one in {where}: {count wait}, {total_ns} in all, at "
	    "most "
	    "{max_ns}.",
	    "");
}

static void say_syscalls(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "syscalls");
	struct finding finding = {"syscalls", 0, ""};

	if (find_largest(t, "total_ns", is_repeated, &finding.row))
		say(f, &finding, t,
		    "Of system calls that are made more than once, those in {where} took the most "
		    "time: {count call}, {total_ns} in all, at most {max_ns}.",
		    "");
}

static void say_collector(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "gc");
	struct finding finding = {"gc", 0, ""};
	double count = 0, total = 0, stopped = 0, marking = 0;
	char text[6 * TEXT], ns[TEXT], share[TEXT], times[TEXT];
	struct rep_value n;

	if (!find_largest(t, "max_ns", is_stop, &finding.row))
		return;
	for (size_t i = 0; i < t->nrows; i++) {
		if (is_stop(t, i)) {
			count += number(t, i, "count");
			total += number(t, i, "total_ns");
			stopped += number(t, i, "share");
		} else if (rep_value_is(rep_sheet_cell(t, (long)i, "name"),
					"GC concurrent mark phase")) {
			marking = number(t, i, "share");
		}
	}
	n = rep_int((int64_t)count);
	snprintf(text, sizeof(text), "%s time%s, for %s in all (%s of the time)",
		 shown(REP_COUNT, &n, times), n.i == 1 ? "" : "s", time_text(f, total, ns),
		 share_text(stopped, share));
	snprintf(text + strlen(text), sizeof(text) - strlen(text), " and at most %s",
		 time_text(f, number(t, finding.row, "max_ns"), ns));
	if (marking > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; the garbage collector was marking for %s of it",
			 share_text(marking, share));
	say(f, &finding, t, "The world was stopped {}.", text);
}

static void say_tasks(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "tasks");
	struct finding finding = {"tasks", 0, ""};
	const struct rep_value *p99;

	if (!find_largest(t, "p99_ns", is_typed, &finding.row))
		return;
	p99 = rep_sheet_cell(t, (long)finding.row, "p99_ns");
	if (!p99 || p99->type == REP_TYPE_NULL)
		return;
	say(f, &finding, t,
	    number(t, finding.row, "count") == 1
		? "The slowest kind of task is {name}: the only one took {max_ns} and began at "
		  "{worst_at_ns}."
		: "The slowest kind of task is {name}: half of {count task} took more than "
		  "{p50_ns}, "
		  "1 % more than {p99_ns}. The slowest took {max_ns} and began at {worst_at_ns}.",
	    "");
}

static bool has_slowest(const struct rep_sheet *t, size_t row)
{
	return number(t, row, "count") - number(t, row, "incomplete") >= REP_OUTLIERS_LEAST;
}

/* Writes a finding about the place that explains most of the extra time of the slowest tasks, or where to look for
 * that. */
static void say_outliers(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "outliers");
	struct finding finding = {"outliers", 0, ""};
	char share[TEXT];
	size_t row;

	if (f->outliers && !t && find_largest(sheet_of(f, "tasks"), "count", has_slowest, &row))
		say(f, &finding, NULL,
		    "What the slowest 1 % of tasks spent their extra time on is in the report "
		    "outliers.",
		    "");
	while (t && finding.row < t->nrows &&
	       !rep_value_is(rep_sheet_cell(t, (long)finding.row, "kind"), "place"))
		finding.row++;
	if (!t || finding.row == t->nrows || number(t, finding.row, "explains") < 0.1)
		return;
	share_text(fmin(number(t, finding.row, "explains"), 1), share);
	say(f, &finding, t,
	    "{} of the extra time of the slowest 1 % of tasks went into {what}: {slow_ns}, where "
	    "tasks "
	    "of typical length spent {middle_ns}.",
	    share);
}

static void say_cpu(struct findings *f)
{
	const struct rep_sheet *t = sheet_of(f, "cpu");

	if (t && t->nrows && has_function(t, 0))
		say(f, &(struct finding){"cpu", 0, ""}, t,
		    "Most CPU samples are in {function}: {flat sample}, {flat_share} of all.", "");
}

/* Keeps the tables of the jobs. */
static int keep(struct findings *f, struct rep_job *job, size_t n, struct rep_view *v)
{
	struct rep_top_options opt = *job->opt;
	struct rep_output *out = NULL;
	int code = rep_cells_output(&f->cells, &out, f->err);

	opt.tables = true;
	opt.whole = false;
	for (size_t i = 0; i < n && !code; i++) {
		const struct rep_top_options *was = job[i].opt;
		bool people = job[i].texts.people, all = job[i].report == &rep_report_procs;

		job[i].opt = &opt;
		job[i].texts.people = true;
		code = rep_job_write_table(&job[i], v, out, all ? 0 : REP_FINDING_ROWS, f->err);
		job[i].opt = was;
		job[i].texts.people = people;
	}
	rep_output_free(out);
	return code;
}

int rep_job_write_findings(struct rep_job *job, size_t n, struct rep_view *v, bool outliers,
			   struct rep_output *out, struct tp_err *err)
{
	static void (*const findings[])(struct findings * f) = {
	    say_procs,	  say_running,	 say_runnable, say_blocked,  say_lock,
	    say_syscalls, say_collector, say_tasks,    say_outliers, say_cpu,
	};
	struct findings f = {.out = out,
			     .lines = job->opt->tables && !job->opt->whole,
			     .outliers = outliers,
			     .slowest = job->opt->outliers,
			     .ticks = job->nruns && job->runs[0].row.ticks,
			     .err = err};

	f.code = keep(&f, job, n, v);
	if (!f.code)
		f.code = rep_output_note(out, true, "findings: what costs most", err);
	if (!f.code && !f.lines)
		f.code = rep_output_begin(out, "findings", columns, NCOLUMNS, err);
	for (size_t i = 0; i < TP_COUNT_OF(findings); i++)
		findings[i](&f);
	if (!f.code && !f.lines)
		f.code = rep_output_end(out, err);
	if (!f.code)
		f.code = rep_output_note(out, false, "", err);
	rep_cells_release(&f.cells);
	tp_buf_release(&f.text);
	tp_buf_release(&f.name);
	return f.code;
}
