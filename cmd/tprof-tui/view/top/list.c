/* The list of tables. For a trace: the reports and profiles of tprof-top, tprof-path and
 * tprof-leaks; for a profile: those of tprof-top and tprof-leaks. */
#include "tprof-tui/view/top/top.h"

#include <stdio.h>
#include <string.h>

#include "path/show.h"
#include "profile/trace.h"
#include "timeline/span.h"
#include "top/top.h"
#include "tprof-tui/view/views.h"

/* The filters that tables other than reports obey. */
#define OF_VIEWS                                                                                   \
	(REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON |           \
	 REP_BY_TASK)
#define OF_SPANS (REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_REASON | REP_BY_TASK)
#define OF_PATHS (REP_BY_TIME | REP_BY_GOROUTINE | REP_BY_TASK)

/* clang-format off */
const struct top_longest top_longest[] = {
    {"longest waits", "the longest individual waits, with their wakers", 1u << TP_ST_WAITING},
    {"longest runnable", "the longest individual waits for a P", 1u << TP_ST_RUNNABLE},
    {"longest syscalls", "the longest individual system calls", 1u << TP_ST_SYSCALL | 1u << TP_ST_SYSCALL_BLOCKED},
    {"longest running", "the longest times on a P without a break", 1u << TP_ST_RUNNING},
    {NULL, NULL, 0},
};
/* clang-format on */

static void add(struct top_entry *list, size_t *n, struct top_entry e)
{
	if (*n < TOP_MOST_ENTRIES)
		list[(*n)++] = e;
}

static void add_views(struct top_entry *list, size_t *n)
{
	struct top_entry e = {.kind = TOP_FUNCTIONS};

	for (e.which = 0; rep_trace_views[e.which].name; e.which++) {
		snprintf(e.name, sizeof(e.name), "%s functions", rep_trace_views[e.which].name);
		e.doc = rep_trace_views[e.which].doc;
		add(list, n, e);
	}
	e.kind = TOP_GO;
	for (e.which = REP_GO_NONE + 1; e.which < REP_NTRACE_GO; e.which++) {
		snprintf(e.name, sizeof(e.name), "go %s", rep_trace_go[e.which].name);
		e.doc = rep_trace_go[e.which].doc;
		add(list, n, e);
	}
}

static void add_waits(struct top_entry *list, size_t *n)
{
	static const char *const docs[REP_NPATH_REPORTS] = {
	    [REP_PATH_SUMMARY] = "critical path: why it took so long, in sentences and hops",
	    [REP_PATH_HOP_LIST] = "critical path of one request, hop by hop",
	    [REP_PATH_TREE] = "critical path: who waited for whom, as a tree",
	    [REP_PATH_TOTALS] = "critical path: where its time went, by function and reason",
	    [REP_PATH_REQUESTS] = "requests that have critical paths, the slowest first",
	    [REP_PATH_BLAME] = "what makes slow requests slow, always or by chance",
	    [REP_PATH_WHAT_IF] = "what one request would gain if something took no time",
	    [REP_PATH_WAKERS] =
		"wakers and whom they wake, how often, and how long until that runs",
	};
	static const enum rep_path_report order[REP_NPATH_REPORTS] = {
	    REP_PATH_WAKERS, REP_PATH_SUMMARY,	REP_PATH_BLAME,	   REP_PATH_TOTALS,
	    REP_PATH_TREE,   REP_PATH_HOP_LIST, REP_PATH_REQUESTS, REP_PATH_WHAT_IF};

	for (int i = 0; top_longest[i].name; i++) {
		struct top_entry e = {.kind = TOP_LONGEST, .which = i, .doc = top_longest[i].doc};

		snprintf(e.name, sizeof(e.name), "%s", top_longest[i].name);
		add(list, n, e);
	}
	for (size_t i = 0; i < REP_NPATH_REPORTS; i++) {
		struct top_entry e = {
		    .kind = TOP_PATH, .which = (int)order[i], .doc = docs[order[i]]};

		snprintf(e.name, sizeof(e.name), "path %s", rep_path_reports[order[i]].name);
		add(list, n, e);
	}
}

size_t top_list(bool profiles, struct top_entry list[TOP_MOST_ENTRIES])
{
	static const struct top_entry
	    leaks = {"leaks", "goroutines that wait and do not end, by their origin", TOP_LEAKS, 0},
	    of_profiles[] = {
		{"functions", "functions, with the totals of their samples", TOP_PROFILE, 0},
		{"labels", "labels, with the totals of their samples", TOP_LABELS, 0},
		{"goroutines", "goroutines, grouped by stack, state and creator", TOP_GOROUTINES,
		 0},
		{"deadlock", "goroutines that may be deadlocked, with the evidence", TOP_DEADLOCK,
		 0},
	    };
	size_t n = 0;

	if (profiles) {
		for (size_t i = 0; i < sizeof(of_profiles) / sizeof(of_profiles[0]); i++)
			add(list, &n, of_profiles[i]);
		add(list, &n, leaks);
		return n;
	}
	for (int i = 0; rep_reports[i]; i++) {
		struct top_entry e = {.kind = TOP_REPORT, .which = i, .doc = rep_reports[i]->doc};

		/* The report overview is a view of its own. */
		if (!strcmp(rep_reports[i]->name, "overview"))
			continue;
		snprintf(e.name, sizeof(e.name), "%s", rep_reports[i]->name);
		add(list, &n, e);
		/* List the tables of waits after the reports on waiting, of which syscalls is the last. */
		if (!strcmp(e.name, "syscalls"))
			add_waits(list, &n);
	}
	add_views(list, &n);
	add(list, &n, leaks);
	return n;
}

int top_list_find(const struct top_entry *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return (int)i;
	return -1;
}

bool tui_top_has(const char *name)
{
	struct top_entry list[TOP_MOST_ENTRIES];

	memset(list, 0, sizeof(list));
	return top_list_find(list, top_list(false, list), name) >= 0 ||
	       top_list_find(list, top_list(true, list), name) >= 0;
}

bool top_has_each(const struct top_entry *e)
{
	static const char *const names[] = {"breakdown", "tasks", "regions"};

	for (size_t i = 0; e->kind == TOP_REPORT && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], e->name))
			return true;
	return false;
}

/* ---- filters ---- */

unsigned top_filters(const struct top_entry *e)
{
	switch (e->kind) {
	case TOP_REPORT:
		return rep_reports[e->which]->filters;
	case TOP_FUNCTIONS:
	case TOP_GO:
		return OF_VIEWS;
	case TOP_LONGEST:
		return OF_SPANS;
	case TOP_PATH:
		return OF_PATHS;
	case TOP_PROFILE:
	case TOP_LABELS:
	case TOP_GOROUTINES:
		return REP_BY_FRAMES | REP_BY_TASK; /* a request */
	case TOP_DEADLOCK:
		return REP_BY_FRAMES;
	case TOP_LEAKS:
		break;
	}
	return 0;
}

/* ---- the list as a table ---- */

int top_list_fill(void *ctx, struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "report", .title = "TABLE", .kind = REP_TEXT, .least = 18},
	    {.name = "doc", .title = "WHAT IT SHOWS", .kind = REP_TEXT, .least = 40},
	    {.name = "ignored", .title = "IGNORES", .kind = REP_TEXT, .least = 12},
	};
	const struct top_listing *l = ctx;
	char text[100];
	bool any = false;
	int code;

	for (size_t i = 0; i < l->n; i++) {
		tui_select_ignored(l->select, top_filters(&l->list[i]), text, sizeof(text));
		any |= *text != '\0';
	}
	code = rep_output_begin(out, "reports", columns, any ? 3 : 2, err);
	for (size_t i = 0; i < l->n && !code; i++) {
		tui_select_ignored(l->select, top_filters(&l->list[i]), text, sizeof(text));
		code = rep_output_row(out,
				      (struct rep_value[]){rep_str(l->list[i].name),
							   rep_str(l->list[i].doc), rep_str(text)},
				      err);
	}
	return code ? code : rep_output_end(out, err);
}
