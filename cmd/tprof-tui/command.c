/* Commands of the palette besides the names of views and actions. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "common/near.h"
#include "task/request.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/tui.h"
#include "tprof-tui/view/views.h"

/* Returns whether the run is a trace; false with a message that a profile has no `what` ("times",
 * "goroutines"). */
static bool need_trace(struct tui *t, const char *what)
{
	const struct rep_run *run = t->select.run;

	if (!run)
		tui_error(t, TUI_NO_RUNS);
	else if (strcmp(run->row.kind, "trace") != 0)
		tui_error(t, "%.100s is a profile, which has no %s; focus filters it",
			  run->row.name, what);
	return run && !strcmp(run->row.kind, "trace");
}

bool tui_time(struct tui *t, const char *text, int64_t *ns)
{
	struct tp_err err;

	if (!t->select.run) {
		tui_error(t, TUI_NO_RUNS);
		return false;
	}
	if (!rep_filter_time(text, "time", t->select.run->row.duration_ns, ns, &err) &&
	    !rep_filter_check_unit(text, "time", t->select.run, &err))
		return true;
	tui_error(t, "%s", err.msg);
	return false;
}

/* Returns whether a moment is within the run; false with a message. */
static bool is_within(struct tui *t, int64_t ns)
{
	int64_t duration = t->select.run->row.duration_ns;
	char length[TUI_TIME_SIZE];

	if (ns > duration)
		tui_error(t, "the run ended before that: it took %s",
			  tui_length_text(t->select.run, duration, length));
	return ns <= duration;
}

enum { TIME_TO, TIME_FROM };

/* Sets one end of the time range, unless the range would be empty. */
static void set_time(struct tui *t, int from, const char *arg)
{
	int64_t *end = from ? &t->select.from_ns : &t->select.to_ns, ns;

	if (!need_trace(t, "times"))
		return;
	ns = from ? INT64_MIN : INT64_MAX;
	if (*arg && !tui_time(t, arg + (*arg == '+'), &ns))
		return;
	/* "+2ms" counts from the start of the range. */
	if (*arg == '+' && t->select.from_ns != INT64_MIN &&
	    __builtin_add_overflow(ns, t->select.from_ns, &ns))
		ns = INT64_MAX;
	if (from ? ns >= t->select.to_ns : ns <= t->select.from_ns) {
		char other[TUI_TIME_SIZE];

		tui_error(t, "the time range would be empty: it %s at %s", from ? "ends" : "begins",
			  tui_moment_text(t->select.run, from ? t->select.to_ns : t->select.from_ns,
					  other));
		return;
	}
	if (from && !is_within(t, ns))
		return;
	*end = ns;
	tui_again(t);
}

/* Sets a filter. An invalid one is rejected at once; one that matches nothing is undone after a check. */
static void set_filter(struct tui *t, int which, const char *arg)
{
	static const struct {
		const char *what; /* a property of traces only; NULL: profiles have it, too */
		bool tried;	  /* the worker checks whether the filter matches something */
	} of[TUI_NTEXTS] = {
	    [TUI_TEXT_GOROUTINE] = {"goroutines", true}, [TUI_TEXT_REASON] = {"reasons", false},
	    [TUI_TEXT_STATE] = {"states", false},	 [TUI_TEXT_TASK] = {"tasks", true},
	    [TUI_TEXT_REGION] = {"regions", true},
	};
	char **text = &t->select.text[which], *before = *text;
	struct rep_filter filter;
	struct tp_err err;
	char times[60];
	struct rep_filter_text f;

	if (of[which].what && !rep_is_request(*arg ? arg : before) &&
	    !need_trace(t, of[which].what))
		return;
	*text = NULL;
	if (!tui_select_set(text, arg)) {
		*text = before;
		tui_nomem(t);
		return;
	}
	f = tui_select_filter(&t->select, TUI_BY_ALL, times);
	if (rep_filter_init(&filter, &f, &err)) {
		tui_error(t, "%s", err.msg);
		free(*text);
		*text = before;
	} else {
		if (*text && of[which].tried)
			tui_check_filter(t, (enum tui_text)which, before);
		else
			tui_again(t);
		free(before);
	}
	rep_filter_release(&filter);
}

/* "KEY=ID" or "ID" as what stands in place of a task (task/request.h). */
static void set_request(struct tui *t, int which, const char *arg)
{
	struct tp_buf text = {0};

	if (!t->select.run) {
		tui_error(t, TUI_NO_RUNS);
		return;
	}
	if (*arg)
		tp_buf_printf(&text, "?%s%s", strchr(arg, '=') ? "" : "=", arg);
	if (tp_buf_put(&text, "", 1))
		tui_nomem(t);
	else
		set_filter(t, which, (const char *)text.data);
	tp_buf_release(&text);
}

static void do_highlight(struct tui *t, int which, const char *arg)
{
	struct tui_view *v = tui_current(t);

	(void)which;
	if (v->ops->highlight)
		v->ops->highlight(v, arg);
	else
		tui_error(t, "this view cannot highlight; the timeline (3) can");
}

const struct tui_palette_command tui_commands[] = {
    {"from", "TIME",
     "show only times from here on (1.5s, 25%, +2ms); without a time, from the start", set_time,
     TIME_FROM},
    {"to", "TIME", "show only times before this one (+2ms: that long); without a time, to the end",
     set_time, TIME_TO},
    {"goroutine", "ID|REGEX", "show only this goroutine, or those whose entry function matches",
     set_filter, TUI_TEXT_GOROUTINE},
    {"focus", "REGEX", "show only stacks with a matching function", set_filter, TUI_TEXT_FOCUS},
    {"reason", "REGEX", "show only time blocked for a matching reason", set_filter,
     TUI_TEXT_REASON},
    {"state", "STATE", "show only time in these states: running, runnable, blocked, syscall, …",
     set_filter, TUI_TEXT_STATE},
    {"task", "ID|REGEX", "show only time inside this user task, or tasks of a matching type",
     set_filter, TUI_TEXT_TASK},
    {"region", "REGEX", "show only time inside user regions of a matching type", set_filter,
     TUI_TEXT_REGION},
    {"request", "[KEY=]ID", "show only the request that logged this id or has such a label",
     set_request, TUI_TEXT_TASK},
    {"highlight", "TEXT", "highlight a state, reason, function, region or log in the timeline",
     do_highlight, 0},
};
const size_t tui_ncommands = sizeof(tui_commands) / sizeof(tui_commands[0]);

static void no_command(struct tui *t, const char *name)
{
	struct cmd_near near = {0};
	struct tui_word w;

	for (size_t i = 0; tui_word_at(i, &w); i++)
		cmd_near_try(&near, name, w.name);
	if (near.word)
		tui_error(t, "there is no command '%s'; did you mean %s?", name, near.word);
	else
		tui_error(t, "there is no command '%s'; Tab completes commands, ? lists them",
			  name);
}

/* Performs an action, and answers its prompt ("save as:") with the argument. */
static void act(struct tui *t, enum tui_action action, const char *arg)
{
	tui_act(t, action);
	if (*arg && action != TUI_DO_PALETTE && tui_prompt_open(t))
		tui_prompt_take(t, arg);
}

void tui_command(struct tui *t, const char *line)
{
	char name[64];
	const char *arg;
	const struct tui_view_ops *ops;
	size_t n;

	while (*line == ' ')
		line++;
	n = strcspn(line, " ");
	if (!n)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), line);
	arg = line + n + strspn(line + n, " ");
	for (size_t i = 0; i < tui_ncommands; i++) {
		if (!strcmp(tui_commands[i].name, name)) {
			tui_commands[i].run(t, tui_commands[i].which, arg);
			return;
		}
	}
	ops = tui_view_find(name);
	if (ops)
		tui_open(t, ops, *arg ? arg : NULL);
	else if (tui_action_find(name) != TUI_DO_NONE)
		act(t, tui_action_find(name), arg);
	else if (tui_top_has(line))
		tui_open(t, &tui_top, line);
	else
		no_command(t, name);
}

/* Returns whether a text is a time: it begins with a digit and has a unit or a percent sign. */
static bool is_time(const char *text)
{
	size_t n = strspn(text, "0123456789.");

	return n && text[n];
}

static void go_time(struct tui *t, const char *text)
{
	int64_t ns;

	if (!need_trace(t, "times") || !tui_time(t, text, &ns))
		return;
	if (!is_within(t, ns))
		return;
	t->select.at_ns = ns;
	tui_open(t, tui_view_find("timeline"), NULL);
}

/* "12" and "17/2" are goroutines, "1.5ms" and "25%" are times, "#3" is a task, and anything else is a
 * type of tasks. */
void tui_go(struct tui *t, const char *text)
{
	struct tui_view *v = tui_current(t);
	struct rep_goid goid;

	text += strspn(text, " ");
	if (!*text)
		return;
	if (*text == '#') {
		set_filter(t, TUI_TEXT_TASK, text + 1);
		return;
	}
	if (v && v->ops->go && v->ops->go(v, text))
		return;
	if (rep_goid_parse(text, &goid))
		set_filter(t, TUI_TEXT_GOROUTINE, text);
	else if (is_time(text))
		go_time(t, text);
	else
		set_filter(t, TUI_TEXT_TASK, text);
}
