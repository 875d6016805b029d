/* tprof-top: where the time of a run went, ranked. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/common.h"
#include "common/number.h"
#include "top/top.h"

#define TABLE_ROWS 20 /* what a table shows unless told otherwise */

struct args {
	struct cmd cmd;
	const char *path;
	const char *report;
	struct rep_top_options top;
	int64_t rows; /* -1: not given */
};

enum {
	KEY_FOCUS = 0x2000,
	KEY_IGNORE,
	KEY_GOROUTINE,
	KEY_STATE,
	KEY_REASON,
	KEY_FROM,
	KEY_TO,
};

static const struct argp_option options[] = {
    {"rows", 'n', "N", 0, "Show at most N rows, 0 for all (default: 20 in tables, else all)", 0},
    {"sort", 's', "KEY", 0, "Sort by this column; the keys of each report are listed below", 0},
    {NULL, 0, NULL, 0, "What is counted:", 1},
    {"focus", KEY_FOCUS, "REGEX", 0, "Only what has a function matching REGEX on its stack", 1},
    {"ignore", KEY_IGNORE, "REGEX", 0, "Nothing that has a function matching REGEX on its stack",
     1},
    {"goroutine", KEY_GOROUTINE, "ID|REGEX", 0,
     "Only the goroutine with this id, or those whose entry function matches REGEX", 1},
    {"state", KEY_STATE, "STATE", 0,
     "Only time in these states: running, runnable, blocked, syscall, syscall-blocked, lost; "
     "several with commas",
     1},
    {"reason", KEY_REASON, "REGEX", 0, "Only time blocked (or stopped) for a reason matching REGEX",
     1},
    {"from", KEY_FROM, "TIME", 0,
     "Only from TIME on: 1.5s or 250ms since the run began, or 25% of the run", 1},
    {"to", KEY_TO, "TIME", 0, "Only before TIME", 1},
    {0},
};

static void check(struct args *args, struct argp_state *state)
{
	struct tp_err err;

	args->top.report = args->report ? rep_report_find(args->report) : rep_reports[0];
	if (!args->top.report && rep_report_find(args->path))
		argp_error(state, "the file comes before the report: tprof-top %s %s", args->report,
			   args->path);
	else if (!args->top.report)
		argp_error(state, "there is no report '%s'; --help lists them", args->report);
	else if (rep_top_check(&args->top, &err)) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	struct rep_filter_text *filter = &args->top.filter;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->cmd;
		return 0;
	case 'n':
		args->rows = cmd_arg_count(state, "-n", arg, UINT32_MAX);
		return 0;
	case 's':
		args->top.sort = arg;
		return 0;
	case KEY_FOCUS:
		filter->focus = arg;
		return 0;
	case KEY_IGNORE:
		filter->ignore = arg;
		return 0;
	case KEY_GOROUTINE:
		filter->goroutine = arg;
		return 0;
	case KEY_STATE:
		filter->state = arg;
		return 0;
	case KEY_REASON:
		filter->reason = arg;
		return 0;
	case KEY_FROM:
		filter->from = arg;
		return 0;
	case KEY_TO:
		filter->to = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			args->path = arg;
		else if (state->arg_num == 1)
			args->report = arg;
		else
			argp_error(state, "one file and one report at a time, '%s' is too much",
				   arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "of which file? Give the name of a store or a trace");
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

/* Appends a word, on a new line where it would not fit into argp's 78 columns. */
static int put_word(struct tp_buf *b, size_t *column, size_t indent, const char *word)
{
	size_t n = strlen(word);
	int failed = 0;

	if (*column + 1 + n > 78) {
		failed |= put(b, "\n");
		for (*column = 0; *column < indent; ++*column)
			failed |= put(b, " ");
	} else {
		failed |= put(b, " ");
		++*column;
	}
	*column += n;
	return failed | put(b, word);
}

/* The reports and the keys each is sorted by, from the reports' own tables. NULL when memory is
 * out; the caller frees it. */
static char *list_reports(void)
{
	struct tp_buf b = {0};
	int failed = put(&b, "Reports (the first is the default) and the keys to sort them by:\n");

	for (size_t i = 0; rep_reports[i]; i++) {
		const struct rep_report *r = rep_reports[i];
		size_t column = 16;
		char line[160];

		snprintf(line, sizeof(line), "  %-11s %s\n", r->name, r->doc);
		failed |= put(&b, line);
		if (!r->ncolumns)
			continue;
		failed |= put(&b, "              by");
		failed |= put_word(&b, &column, 17, r->sort);
		for (size_t c = 0; c < r->ncolumns; c++) {
			const char *key = r->columns[c].key;

			if (key && strcmp(key, r->sort) != 0)
				failed |= put_word(&b, &column, 17, key);
		}
		failed |= put(&b, "\n");
	}
	failed |= put(&b, "\nTimes, counts and shares are exact, also in a time range and under a "
			  "filter.");
	failed |= tp_buf_put(&b, "", 1);
	if (!failed)
		return (char *)b.data;
	tp_buf_release(&b);
	return NULL;
}

static char *help_filter(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_POST_DOC ? list_reports() : (char *)(uintptr_t)text;
}

static const struct argp_child children[] = {{&cmd_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "FILE [REPORT]",
    .doc = "Rank where the time of a Go program went: FILE is a store made by tprof-import, or an "
	   "execution trace (then it is imported into a cache first).\v",
    .children = children,
    .help_filter = help_filter,
};

/* "checkout.trace: go 1.26, 512ms, 63 goroutines, 32,058 events" */
static int put_heading(const struct args *args, struct rep_output *out, const struct rep_run *run,
		       struct tp_err *err)
{
	char goroutines[28], events[28], duration[40], text[512];

	(void)args;
	if (run->row.ticks)
		snprintf(duration, sizeof(duration), "%lld ticks (the trace has no clock)",
			 (long long)run->row.duration_ns);
	else
		tp_fmt_ns(duration, run->row.duration_ns);
	snprintf(text, sizeof(text), "%s: %s, %s, %s goroutine%s, %s event%s", run->row.name,
		 run->row.format, duration, cmd_thousands(goroutines, run->row.goroutines),
		 run->row.goroutines == 1 ? "" : "s", cmd_thousands(events, run->row.events),
		 run->row.events == 1 ? "" : "s");
	return rep_output_note(out, true, text, err);
}

/* "only: from 25%, focus net/http" — whoever reads the table must not miss it. */
static int put_filters(const struct rep_filter_text *f, struct rep_output *out, struct tp_err *err)
{
	const struct {
		const char *name, *text;
	} filters[] = {
	    {"from", f->from},		 {"to", f->to},
	    {"focus", f->focus},	 {"ignore", f->ignore},
	    {"goroutine", f->goroutine}, {"state", f->state},
	    {"reason", f->reason},
	};
	struct tp_buf b = {0};
	int code = 0, failed = 0;

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		if (!filters[i].text)
			continue;
		failed |= put(&b, b.size ? ", " : "only: ");
		failed |= put(&b, filters[i].name);
		failed |= put(&b, " ");
		failed |= put(&b, filters[i].text);
	}
	failed |= tp_buf_put(&b, "", 1);
	if (failed)
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	else if (b.size > 1)
		code = rep_output_note(out, false, (char *)b.data, err);
	tp_buf_release(&b);
	return code;
}

#define HEADINGS 8 /* runs named one by one */

static int put_head(const struct args *args, struct rep_output *out, struct tp_err *err)
{
	const struct rep_runs *runs = &args->cmd.runs;
	char text[80];
	int code = 0;

	for (size_t i = 0; !code && i < runs->n && i < HEADINGS; i++)
		code = put_heading(args, out, &runs->run[i], err);
	if (!code && runs->n > HEADINGS) {
		snprintf(text, sizeof(text), "and %zu more runs", runs->n - HEADINGS);
		code = rep_output_note(out, true, text, err);
	}
	/* Single goroutines and Ps are listed by run. */
	if (!code && runs->n > 1 &&
	    (!args->top.report->ncolumns ||
	     strcmp(args->top.report->columns[0].column.name, "run") != 0))
		code = rep_output_note(out, false, "added up by name over all of these runs", err);
	if (!code)
		code = put_filters(&args->top.filter, out, err);
	return code ? code : rep_output_note(out, false, "", err);
}

/* What to type next, on a terminal only. */
static int put_hint(const struct args *args, struct rep_output *out, struct tp_err *err)
{
	const char *hint =
	    "next: add block, sched, cpu, gc or overview; --focus and --from narrow it";
	int code;

	if (!args->cmd.tty)
		return 0;
	code = rep_output_note(out, false, "", err);
	return code ? code : rep_output_note(out, false, hint, err);
}

static int run(struct args *args)
{
	int status = cmd_open(&args->cmd, args->path);
	struct rep_output *out = NULL;
	struct tp_err err;
	int code;

	if (status)
		return status;
	for (size_t i = 0; i < args->cmd.runs.n; i++) {
		if (rep_top_check_run(&args->top, &args->cmd.runs.run[i], &err)) {
			cmd_error(&args->cmd, "%s", err.msg);
			return CMD_USAGE;
		}
	}
	args->top.tables = args->cmd.format == REP_FORMAT_TABLE;
	args->top.rows = args->rows >= 0 ? args->rows : args->top.tables ? TABLE_ROWS : 0;
	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, rep_top_several(args->top.report), &out);
	if (status)
		return status;
	code = put_head(args, out, &err);
	if (!code)
		code = rep_top(out, args->cmd.store, args->cmd.runs.run, args->cmd.runs.n,
			       &args->top, &err);
	if (!code)
		code = put_hint(args, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	if (code)
		status = cmd_fail(&args->cmd, args->path, &err);
	rep_output_free(out);
	return status;
}

int main(int argc, char **argv)
{
	struct args args = {.cmd = CMD_INIT("tprof-top"), .rows = -1};

	cmd_parse(&args.cmd, &argp, argc, argv, &args);
	return cmd_finish(&args.cmd, run(&args));
}
