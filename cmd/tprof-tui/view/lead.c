#include "tprof-tui/view/lead.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "tprof-tui/view/views.h"

/* The filters that a view can be narrowed by. */
enum {
	BY_GOROUTINE = 1,
	BY_ENTRY = 2,
	BY_FUNCTION = 4,
	BY_REASON = 8,
	BY_STATE = 16,
	BY_TASK = 32, /* a task's id */
	BY_TYPE = 64, /* a type of tasks */
	BY_REGION = 128,
	OF_TASKS = 256, /* rows are tasks, which the timeline shows as a whole */
};

struct rule {
	const char *table; /* its name in reports */
	const char *view;  /* opened by Enter; NULL: depends on the row (enter_plain) */
	const char *arg;
	unsigned by; /* filters that narrow the view */
	/* Names of columns. NULL: the usual name; "": the table has no such column. */
	const char *function, *entry, *task, *type, *region;
	const char *state; /* the state of all rows */
};

/* clang-format off */
static const struct rule rules[] = {
    {"groups",     "top",       "goroutines", BY_ENTRY, "", "function", NULL, NULL, NULL, NULL},
    {"goroutines", "goroutine", NULL,         BY_GOROUTINE, "", "function", NULL, NULL, NULL, NULL},
    {"breakdown",  "top",       "",           BY_ENTRY | BY_GOROUTINE | BY_REASON, "", NULL, NULL, NULL, NULL, NULL},
    {"block",      "top",       "longest waits", BY_FUNCTION | BY_REASON | BY_STATE, NULL, NULL, NULL, NULL, NULL, "blocked"},
    {"locks",      "top",       "longest waits", BY_FUNCTION | BY_STATE, NULL, NULL, NULL, NULL, NULL, "blocked"},
    {"sched",      "top",       "longest runnable", BY_FUNCTION | BY_STATE, NULL, NULL, NULL, NULL, NULL, "runnable"},
    {"syscalls",   "top",       "longest syscalls", BY_FUNCTION | BY_STATE, NULL, NULL, NULL, NULL, NULL, "syscall"},
    {"cpu",        "flame",     "cpu",        BY_FUNCTION, NULL, NULL, NULL, NULL, NULL, NULL},
    {"top",        "flame",     NULL,         BY_FUNCTION, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gc",         "timeline",  NULL,         0, NULL, NULL, NULL, NULL, "", NULL},
    {"tasks",      "top",       "task",       BY_TYPE, "", NULL, NULL, "name", NULL, NULL},
    {"task",       "top",       "task",       BY_TASK | OF_TASKS, "", "function", "id", "name", NULL, NULL},
    {"regions",    "top",       "region",     BY_REGION, "", NULL, NULL, NULL, "name", NULL},
    {"region",     "goroutine", NULL,         BY_REGION | BY_GOROUTINE, "", "function", NULL, NULL, "name", NULL},
    {"logs",       "goroutine", NULL,         BY_TASK, "", "function", NULL, "type", NULL, NULL},
    {"story",      "goroutine", NULL,         BY_TASK, "", "function", NULL, NULL, "", NULL},
    {"procs",      "timeline",  "Ps",      0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"mmu",        "timeline",  NULL,         0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"heap",       "timeline",  NULL,         0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"stops",      "timeline",  NULL,         BY_GOROUTINE, NULL, "entry", NULL, NULL, NULL, NULL},
    {"incident",   "timeline",  NULL,         0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"latencies",  "timeline",  NULL,         BY_FUNCTION | BY_GOROUTINE, NULL, NULL, NULL, NULL, NULL, NULL},
    {"waits",      "timeline",  NULL,         BY_FUNCTION | BY_GOROUTINE, NULL, NULL, NULL, NULL, NULL, NULL},
    {"spans", "timeline", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"longest", "timeline", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"children", "goroutine", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"its regions", "timeline", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"its tasks", "timeline", NULL, BY_TASK | OF_TASKS, NULL, NULL, NULL, NULL, NULL, NULL},
    {"its logs", "timeline", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"its ranges", "timeline", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"origin", "goroutine", NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL},
    {"help",       NULL,        NULL,         0, NULL, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

/* Columns of a moment and its length. The first pair that a row has is used. */
static const struct {
	const char *at, *dur; /* dur NULL: no length */
} moments[] = {
    {"worst_at_ns", "max_ns"},
    {"worst_at_ns", "window_ns"},
    {"from_ns", "total_ns"},
    {"at_ns", "dur_ns"},
    {"at_ns", "duration_ns"},
    {"at_ns", "mark_ns"},
    {"start_ns", "latency_ns"},
    {"start_ns", "dur_ns"},
    {"ts_ns", "took_ns"},
    {"created_ns", "total_ns"},
    {"since_ns", NULL},
    {"worst_at_ns", NULL},
    {"from_ns", NULL},
    {"at_ns", NULL},
    {"start_ns", NULL},
    {"ts_ns", NULL},
    {"created_ns", NULL},
    {"ts", NULL},
    {"start", NULL},
};
static const char *const goroutines[] = {"goroutine", "worst_goroutine", "ids"};

static const struct rule *rule_of(const struct rep_sheet *s)
{
	static const struct rule plain = {.by = BY_FUNCTION | BY_ENTRY | BY_GOROUTINE | BY_TASK |
						BY_REGION};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].table, s->name))
			return &rules[i];
	return &plain;
}

/* ---- reading a row ---- */

static struct rep_value text(const struct rep_sheet *s, long row, const char *given,
			     const char *usual)
{
	const struct rep_value *v = rep_sheet_cell(s, row, given ? given : usual);

	return rep_value_is_text(v) ? *v : rep_null();
}

/* Writes a number, or the first word of a text, to `word` and returns it. */
static const char *first_word(const struct rep_value *v, char word[REP_GOID_SIZE])
{
	size_t n = 0;

	if (v && v->type == REP_TYPE_INT)
		return rep_goid_text(&(struct rep_goid){v->i, 0}, word);
	while (rep_value_is_text(v) && n < v->text.size && n < REP_GOID_SIZE - 1 &&
	       v->text.data[n] != ' ') {
		word[n] = v->text.data[n];
		n++;
	}
	word[n] = '\0';
	return word;
}

struct rep_goid tui_lead_goid(const struct rep_value *v)
{
	char word[REP_GOID_SIZE];
	struct rep_goid g;

	return rep_goid_parse(first_word(v, word), &g) == 1 ? g : REP_GOID_NONE;
}

/* Returns the leaf of a stack. */
static struct rep_value leaf_of(struct rep_value stack)
{
	const char *end;

	if (stack.type != REP_TYPE_TEXT)
		return rep_null();
	end = memchr(stack.text.data, ';', stack.text.size);
	return rep_text(stack.text.data, end ? (size_t)(end - stack.text.data) : stack.text.size);
}

/* Removes the sign of callers and callees of an unfolded function: "< main.f", "> main.f". */
static struct rep_value without_way(struct rep_value v)
{
	if (v.type == REP_TYPE_TEXT && v.text.size > 2 && v.text.data[1] == ' ' &&
	    (v.text.data[0] == '<' || v.text.data[0] == '>'))
		return rep_text(v.text.data + 2, v.text.size - 2);
	return v;
}

static void read_moment(const struct rep_sheet *s, long row, struct tui_lead *lead)
{
	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
		const struct rep_value *at = rep_sheet_cell(s, row, moments[i].at);
		const struct rep_value *dur =
		    moments[i].dur ? rep_sheet_cell(s, row, moments[i].dur) : NULL;

		if (!at || at->type != REP_TYPE_INT ||
		    (moments[i].dur && (!dur || dur->type != REP_TYPE_INT || dur->i <= 0)))
			continue;
		lead->at_ns = at->i;
		lead->dur_ns = dur ? dur->i : 0;
		return;
	}
}

bool tui_lead_read(const struct rep_sheet *s, long row, struct tui_lead *lead)
{
	const struct rule *r;

	*lead = (struct tui_lead){.goroutine = REP_GOID_NONE, .at_ns = INT64_MIN, .task = -1};
	if (!s || row < 0 || (size_t)row >= s->nrows)
		return false;
	r = rule_of(s);
	for (size_t i = 0;
	     i < sizeof(goroutines) / sizeof(goroutines[0]) && !rep_goid_is(&lead->goroutine); i++)
		lead->goroutine = tui_lead_goid(rep_sheet_cell(s, row, goroutines[i]));
	read_moment(s, row, lead);
	lead->task = tui_lead_goid(rep_sheet_cell(s, row, r->task ? r->task : "task")).goid;
	if (!lead->task)
		lead->task = -1;
	lead->function = text(s, row, r->function, "function");
	if (lead->function.type == REP_TYPE_NULL && !r->function)
		lead->function = leaf_of(text(s, row, NULL, "stack"));
	lead->function = without_way(lead->function);
	lead->entry = text(s, row, r->entry, "entry");
	lead->reason = text(s, row, NULL, "reason");
	lead->state = r->state ? rep_str(r->state) : text(s, row, NULL, "state");
	lead->task_type = text(s, row, r->type, "task_type");
	lead->region = text(s, row, r->region, "region");
	return true;
}

/* ---- narrowing ---- */

/* Returns a regular expression that matches only this text, "^main\.\(\*T\)\.f$". Returns NULL if
 * memory is out. The caller frees it. */
static char *only(const char *from, size_t size)
{
	char *pattern = size < SIZE_MAX / 2 - 3 ? malloc(2 * size + 3) : NULL, *to = pattern;

	if (!pattern)
		return NULL;
	*to++ = '^';
	for (size_t i = 0; i < size && from[i]; i++) {
		if (ispunct((unsigned char)from[i]) && !strchr("_/-,:;'\"<>=!@#%&~`", from[i]))
			*to++ = '\\';
		*to++ = from[i];
	}
	*to++ = '$';
	*to = '\0';
	return pattern;
}

bool tui_lead_set_only(char **to, struct rep_value v)
{
	char *pattern;
	bool done;

	if (v.type != REP_TYPE_TEXT)
		return true;
	pattern = only(v.text.data, v.text.size);
	done = pattern && tui_select_set(to, pattern);
	free(pattern);
	return done;
}

static bool set_id(char **to, int64_t n)
{
	char digits[24];

	if (n < 0)
		return true;
	snprintf(digits, sizeof(digits), "%" PRId64, n);
	return tui_select_set(to, digits);
}

static bool set_goid(char **to, const struct rep_goid *g)
{
	char text[REP_GOID_SIZE];

	return !rep_goid_is(g) || tui_select_set(to, rep_goid_text(g, text));
}

/* Returns whether a function's name is a reason, "[chan receive]", a leaf in profiles of traces. */
static bool is_reason(struct rep_value v)
{
	return v.type == REP_TYPE_TEXT && v.text.size > 2 && v.text.data[0] == '[' &&
	       v.text.data[v.text.size - 1] == ']';
}

/* Sets the filter if --state accepts this state. Rows of ranges ("overlap") have no such state. */
static bool set_state(char **to, struct rep_value v)
{
	for (const struct rep_state_desc *d = rep_states; d->name; d++)
		if (rep_value_is(&v, d->name))
			return tui_select_set(to, d->name);
	return true;
}

static bool narrow(struct tui_select *select, const struct tui_lead *l, unsigned by)
{
	bool reason = is_reason(l->function), done = true;
	const struct {
		unsigned by;
		enum tui_text to;
		struct rep_value only;
	} filters[] = {
	    {BY_ENTRY, TUI_TEXT_GOROUTINE, l->entry},
	    {BY_FUNCTION, reason ? TUI_TEXT_REASON : TUI_TEXT_FOCUS,
	     reason ? rep_text(l->function.text.data + 1, l->function.text.size - 2) : l->function},
	    {BY_REASON, TUI_TEXT_REASON, l->reason},
	    {BY_TYPE, TUI_TEXT_TASK, l->task_type},
	    {BY_REGION, TUI_TEXT_REGION, l->region},
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (by & filters[i].by)
			done = done &&
			       tui_lead_set_only(&select->text[filters[i].to], filters[i].only);
	if (by & BY_GOROUTINE)
		done = done && set_goid(&select->goroutine, &l->goroutine);
	if (by & BY_STATE)
		done = done && set_state(&select->state, l->state);
	if (by & BY_TASK)
		done = done && set_id(&select->task, l->task);
	if (l->at_ns != INT64_MIN)
		select->at_ns = l->at_ns;
	if (rep_goid_is(&l->goroutine))
		select->at_goroutine = l->goroutine;
	return done;
}

bool tui_lead_narrow(struct tui_select *select, const struct rep_sheet *s, long row)
{
	struct tui_lead lead;

	return !tui_lead_read(s, row, &lead) || narrow(select, &lead, rule_of(s)->by);
}

/* ---- opening ---- */

/* Tells the user what has been selected, which must not be missed. */
static void tell(struct tui *t)
{
	char words[200];

	if (!t->error)
		tui_message(t, "selected: %s; press c to clear this, Esc to go back",
			    tui_select_words(&t->select, words, sizeof(words)));
}

/* Opens the same view restricted to the time of the row. */
static void select_range(struct tui_view *v, const struct tui_lead *lead)
{
	struct tui *t = v->tui;
	char arg[200] = "";

	if (lead->at_ns == INT64_MIN || lead->dur_ns <= 0 ||
	    lead->at_ns > INT64_MAX - lead->dur_ns) {
		tui_message(t, "this line has no time range to select");
		return;
	}
	t->select.from_ns = lead->at_ns;
	t->select.to_ns = lead->at_ns + lead->dur_ns;
	if (v->ops->keep)
		v->ops->keep(v, arg, sizeof(arg));
	if (tui_open(t, v->ops, *arg ? arg : NULL))
		tell(t);
}

/* Narrows the selection, and opens a view on it. */
static void lead_to(const struct tui_view *v, const struct tui_lead *lead, unsigned by,
		    const char *view, const char *arg)
{
	struct tui *t = v->tui;
	bool fine = narrow(&t->select, lead, by), same = tui_select_same(&t->select, &v->select);

	if (tui_open_narrowed(t, fine, view, arg) && !same)
		tell(t);
}

/* Opens the timeline at the row's place, or for a row of a task on the whole task. */
static void lead_to_time(const struct tui_view *v, const struct tui_lead *lead, unsigned by,
			 const char *arg)
{
	struct tui_select *select = &v->tui->select;
	struct tui_lead whole = *lead;

	if (!(by & OF_TASKS) || lead->task < 0) {
		lead_to(v, lead, 0, "timeline", arg);
		return;
	}
	select->from_ns = lead->at_ns;
	select->to_ns = lead->dur_ns > 0 ? tp_plus(lead->at_ns, lead->dur_ns) : INT64_MAX;
	select->at_ns = whole.at_ns = INT64_MIN;
	lead_to(v, &whole, BY_TASK, "timeline", arg);
}

/* Returns the report that covers this state. */
static const char *report_on(struct rep_value state)
{
	static const struct {
		const char *state, *report;
	} reports[] = {{"blocked", "block"},
		       {"runnable", "sched"},
		       {"syscall", "syscalls"},
		       {"syscall-blocked", "syscalls"},
		       {"running", "running functions"}};

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		if (rep_value_is(&state, reports[i].state))
			return reports[i].report;
	return "block";
}

/* For tables without a rule, opens the most specific subject of the row. */
static bool enter_plain(struct tui_view *v, const struct tui_lead *l)
{
	bool profile = tui_is_profile(&v->select);

	if (rep_goid_is(&l->goroutine) && !profile)
		lead_to(v, l, 0, "goroutine", NULL);
	else if (l->task >= 0 && !profile)
		lead_to(v, l, BY_TASK, "top", "task");
	else if (l->at_ns != INT64_MIN && !profile)
		lead_to(v, l, 0, "timeline", NULL);
	else if (l->function.type == REP_TYPE_TEXT)
		lead_to(v, l, BY_FUNCTION, "flame", NULL);
	else if (l->entry.type == REP_TYPE_TEXT && !profile)
		lead_to(v, l, BY_ENTRY, "top", "goroutines");
	else
		return false;
	return true;
}

static void enter(struct tui_view *v, const struct rep_sheet *s, const struct tui_lead *l)
{
	const struct rule *r = rule_of(s);
	const char *arg = r->arg;
	bool nowhere =
	    r->view && ((!strcmp(r->view, "goroutine") && !rep_goid_is(&l->goroutine)) ||
			(!strcmp(r->view, "timeline") && !r->arg && l->at_ns == INT64_MIN));

	if (!r->view || nowhere) {
		if (!enter_plain(v, l))
			tui_message(v->tui, "this line has no details");
		return;
	}
	if (!strcmp(r->view, "timeline"))
		lead_to_time(v, l, r->by, arg);
	else if (!strcmp(r->view, "goroutine"))
		lead_to(v, l, 0, r->view, arg);
	else if (arg && !*arg)
		lead_to(v, l, r->by, r->view, report_on(l->state));
	else /* The table covers one state, so no filter is needed. */
		lead_to(v, l, r->by & ~(unsigned)BY_STATE, r->view, arg);
}

bool tui_lead_act(struct tui_view *v, const struct rep_sheet *s, long row, enum tui_action action)
{
	const struct rule *r;
	struct tui_lead l;

	if (!tui_lead_read(s, row, &l))
		return false;
	if (action == TUI_DO_GOROUTINE && rep_goid_is(&l.goroutine)) {
		lead_to(v, &l, 0, "goroutine", NULL);
		return true;
	}
	switch (action) {
	case TUI_DO_ENTER:
		enter(v, s, &l);
		return true;
	case TUI_DO_RANGE:
		select_range(v, &l);
		return true;
	case TUI_DO_TIMELINE:
		if (l.at_ns == INT64_MIN && !rep_goid_is(&l.goroutine))
			return false;
		lead_to_time(v, &l, rule_of(s)->by, NULL);
		return true;
	case TUI_DO_TOP:
		lead_to(v, &l, rule_of(s)->by, "top", NULL);
		return true;
	case TUI_DO_FLAME:
		/* The table's rule names the view of the trace, if any. */
		r = rule_of(s);
		lead_to(v, &l, r->by, "flame",
			r->view && !strcmp(r->view, "flame") ? r->arg : NULL);
		return true;
	default:
		return false;
	}
}
