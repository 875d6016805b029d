/* Writes the summary, a few sentences about what took most of the request's time, then most of the time of
 * the goroutine that it waited for, and so on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "path/say.h"

/* ---- the subject ---- */

static const char *const nouns[] = {
    [REP_PATH_RANGE] = "the time range",
    [REP_PATH_TASK] = "task",
    [REP_PATH_REGION] = "region",
    [REP_PATH_GOROUTINE] = "goroutine",
};

/* Finds the common name of all requests. Returns false if they have several. */
static bool common_name(const struct rep_path_page *page, uint32_t *name)
{
	const struct rep_path_requests *list = page->list;

	*name = list->request[0].name;
	for (size_t i = 1; i < list->n; i++)
		if (list->request[i].name != *name)
			return false;
	return true;
}

char *rep_path_subject_text(const struct rep_path_page *page, char *text, size_t size)
{
	const struct rep_path_requests *list = page->list;
	const struct rep_path_request *r = list->request;
	const char *noun = nouns[list->subject];
	struct tp_text t;
	char number[TP_COUNT_SIZE], id[REP_GOID_SIZE];
	uint32_t name;

	if (list->subject == REP_PATH_RANGE) {
		snprintf(text, size, "%s", page->v->whole ? "the run" : "the time range");
		return text;
	}
	t = rep_path_short(page->v->dict, r->name);
	if (t.size > REP_SAY_NAME) {
		t.text += t.size - REP_SAY_NAME;
		t.size = REP_SAY_NAME;
	}
	if (list->n > 1 && common_name(page, &name))
		snprintf(text, size, "%s %ss %.*s", tp_fmt_count(number, (int64_t)list->n), noun,
			 (int)t.size, t.text);
	else if (list->n > 1)
		snprintf(text, size, "%s %ss", tp_fmt_count(number, (int64_t)list->n), noun);
	else if (list->subject == REP_PATH_TASK)
		snprintf(text, size, "task %.*s #%lld", (int)t.size, t.text, (long long)r->id);
	else if (list->subject == REP_PATH_GOROUTINE && !rep_path_known(page->v, r->name))
		snprintf(text, size, "goroutine %s", rep_goids_text(&page->v->goids, r->id, id));
	else if (list->subject == REP_PATH_GOROUTINE)
		snprintf(text, size, "goroutine %s (%.*s)",
			 rep_goids_text(&page->v->goids, r->id, id), (int)t.size, t.text);
	else
		snprintf(text, size, "%s %.*s", noun, (int)t.size, t.text);
	return text;
}

/* Writes "task checkout #12: 38.3ms, from 24.7ms to 63ms, ends on goroutine 27 (main.checkout)". */
static int write_subject(struct rep_words *w, struct tp_err *err)
{
	const struct rep_path_page *page = w->page;
	const struct rep_path_requests *list = page->list;
	const struct rep_path_request *r = list->request;
	char subject[200], number[TP_COUNT_SIZE];

	rep_say(w, "%s: ", rep_path_subject_text(page, subject, sizeof(subject)));
	rep_say_time(w, page->path->total_ns);
	if (list->n > 1) {
		rep_say(w, " in all");
		if (list->n < list->matching)
			rep_say(w, ", the slowest of %s",
				tp_fmt_count(number, (int64_t)list->matching));
		return rep_say_lines(w, true, 2, err);
	}
	rep_say(w, ", from ");
	rep_say_time(w, rep_view_clip_start(page->v, r->from));
	rep_say(w, " to ");
	rep_say_time(w, rep_view_clip_end(page->v, r->to));
	if (r->goroutine != TP_NONE && list->subject != REP_PATH_GOROUTINE) {
		rep_say(w, ", ends on ");
		rep_say_who(w, r->goroutine, rep_view_entry(page->v, r->goroutine), false);
	}
	if (list->matching > 1)
		rep_say(w, ", the slowest of %s", tp_fmt_count(number, (int64_t)list->matching));
	return rep_say_lines(w, true, 2, err);
}

static int write_limits(struct rep_words *w, struct tp_err *err)
{
	const struct rep_path_page *page = w->page;
	const struct rep_path_request *r = page->list->request;
	char number[TP_COUNT_SIZE], other[TP_COUNT_SIZE];
	int code = 0;

	if (!page->v->whole && page->list->subject != REP_PATH_RANGE &&
	    (page->list->n > 1 || r->from < page->v->from || r->to > page->v->to)) {
		rep_say(w, "Only what lies in the time range counts");
		if (page->list->n == 1 && !r->no_begin && !r->no_end) {
			rep_say(w, ": it took ");
			rep_say_time(w, r->to - r->from);
			rep_say(w, " in all");
		}
		rep_say(w, ". ");
	}
	if (page->list->n == 1 && r->no_begin)
		rep_say(w, "It had begun before the trace did. ");
	if (page->list->n == 1 && r->no_end && page->list->subject == REP_PATH_GOROUTINE)
		rep_say(w, "It had not ended when the trace did: its last activity counts as its "
			   "end. ");
	else if (page->list->n == 1 && r->no_end)
		rep_say(w, "It had not ended when the trace did. ");
	if (page->list->incomplete)
		rep_say(w, "%zu are left out because the trace does not contain their end. ",
			page->list->incomplete);
	if (page->path->limited && page->path->requests == 1)
		rep_say(w, "The path is followed for the last %s hops only. ",
			tp_fmt_count(number, page->path->nhops - (int64_t)page->path->limited));
	else if (page->path->limited)
		rep_say(w,
			"After %s hops the paths of %s are not followed any further: give fewer of "
			"them or a time range, or more with --hops. ",
			tp_fmt_count(number, page->path->nhops - (int64_t)page->path->limited),
			tp_fmt_count(other, (int64_t)page->path->limited));
	if (w->size)
		code = rep_say_lines(w, false, 0, err);
	return code;
}

/* ---- causes ---- */

/* Writes the shares of the request's own goroutines: "0.3% running, 0.1% runnable, 99.6% waiting". */
static int write_own(struct rep_words *w, struct tp_err *err)
{
	static const struct {
		enum rep_path_kind first, last;
		const char *text;
	} states[] = {
	    {REP_PATH_RUNNING, REP_PATH_RUNNING, "running"},
	    {REP_PATH_RUNNABLE, REP_PATH_RUNNABLE, "runnable (waiting for a P)"},
	    {REP_PATH_SYSCALL, REP_PATH_SYSCALL, "in system calls"},
	    {REP_PATH_NETWORK, REP_PATH_UNFINISHED,
	     "waiting for the network, a timer or another external event"},
	    {REP_PATH_LOST, REP_PATH_LIMIT, "unknown"},
	};
	const struct rep_path *path = w->page->path;
	int64_t ns[REP_NPATH_KINDS] = {0}, others = 0;

	for (size_t i = 0; i < path->nsums; i++)
		if (!path->sum[i].chain)
			tp_sum(&ns[path->sum[i].kind], path->sum[i].total_ns);
	for (size_t i = 1; i < path->nchains; i++)
		if (!path->chain[i].parent)
			tp_sum(&others, path->chain[i].total_ns);
	rep_say(w, "By itself it was ");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		int64_t sum = 0;

		for (enum rep_path_kind k = states[i].first; k <= states[i].last; k++)
			tp_sum(&sum, ns[k]);
		if (i >= 2 && !sum)
			continue;
		rep_say_share(w, sum);
		rep_say(w, " %s, ", states[i].text);
	}
	rep_say(w, "and ");
	rep_say_share(w, others);
	rep_say(w, " waiting for other goroutines.");
	return rep_say_lines(w, false, 2, err);
}

/* The largest part of a chain: a wait (`wait` is its chain), or a sum of hops. */
struct part {
	uint32_t wait;
	const struct rep_path_sum *sum;
	int64_t ns;
};

static struct part heaviest(const struct rep_path *path, uint32_t chain)
{
	struct part best = {0};

	for (uint32_t i = chain + 1; i < path->nchains; i++)
		if (path->chain[i].parent == chain && path->chain[i].total_ns > best.ns)
			best = (struct part){i, NULL, path->chain[i].total_ns};
	for (size_t i = 0; i < path->nsums; i++)
		if (path->sum[i].chain == chain && path->sum[i].total_ns > best.ns)
			best = (struct part){0, &path->sum[i], path->sum[i].total_ns};
	return best;
}

/* Returns the function of the user's code that called the library function at the stack's site; 0 if the site
 * is user's code itself, or the stack has none. */
static uint32_t caller_of(struct rep_words *w, uint32_t stack)
{
	const struct tp_dict *dict = w->page->v->dict;
	uint32_t node = rep_own_node(&w->own, dict, stack);
	uint32_t name = tp_dict_frame_name(dict, tp_dict_stack_at(dict, node).frame);

	return name == rep_path_site(dict, stack) ? 0 : name;
}

/* Appends "net.(*netFD).Read under main.(*Shop).pay". */
static void say_function(struct rep_words *w, uint32_t entry, uint32_t stack)
{
	const struct tp_dict *dict = w->page->v->dict;
	uint32_t caller = stack ? caller_of(w, stack) : 0;

	rep_say_name(w, rep_path_function(dict, entry, stack));
	if (caller) {
		rep_say(w, " under ");
		rep_say_name(w, rep_path_short(dict, caller));
	}
}

static void say_where(struct rep_words *w, uint32_t entry, uint32_t stack)
{
	if (!rep_path_known(w->page->v, stack ? rep_path_site(w->page->v->dict, stack) : entry))
		return;
	rep_say(w, " in ");
	say_function(w, entry, stack);
}

/* Appends "waits for chan receive in main.pool.get, ended by goroutine 11 (main.report) in main.pool.put".
 * A queue is said here, too: its waits are one chain. */
static void say_wait(struct rep_words *w, const struct rep_path_chain *c)
{
	struct tp_text reason = tp_dict_text(w->page->v->dict, c->reason);

	if (reason.size)
		rep_say(w, " for %.*s",
			(int)(reason.size < REP_SAY_NAME ? reason.size : REP_SAY_NAME),
			reason.text);
	say_where(w, c->waiter_entry, c->stack);
	rep_say(w, ", ended by ");
	rep_say_who(w, c->waker, c->waker_entry, false);
	if (c->wake_stack)
		say_where(w, c->waker_entry, c->wake_stack);
	rep_say_task(w, (uint32_t)(c - w->page->path->chain));
	if (c->queue > 1)
		rep_say(w, ", which had waited there as well: a queue of up to %u", c->queue);
}

/* Appends the function of a system call: " (syscall.Fsync)". */
static void say_leaf(struct rep_words *w, uint32_t stack)
{
	const struct tp_dict *dict = w->page->v->dict;
	uint32_t name = tp_dict_frame_name(dict, tp_dict_stack_at(dict, stack).frame);

	if (!name || name == rep_path_site(dict, stack))
		return;
	rep_say(w, " (");
	rep_say_name(w, rep_path_short(dict, name));
	rep_say(w, ")");
}

static void say_doing(struct rep_words *w, const struct rep_path_sum *s)
{
	static const char *const doing[REP_NPATH_KINDS] = {
	    [REP_PATH_RUNNING] = "running",
	    [REP_PATH_RUNNABLE] = "waiting for a P, after",
	    [REP_PATH_SYSCALL] = "in a system call",
	    [REP_PATH_NETWORK] = "waiting for the network",
	    [REP_PATH_TIMER] = "waiting for a timer",
	    [REP_PATH_COLLECTOR] = "waiting for the garbage collector",
	    [REP_PATH_OUTSIDE] = "blocked until something other than a goroutine woke it",
	    [REP_PATH_UNFINISHED] = "still blocked at the end",
	    [REP_PATH_LOST] = "lost: the trace is damaged there",
	    [REP_PATH_UNSEEN] = "unseen: before the trace shows the goroutine",
	    [REP_PATH_LIMIT] = "not followed",
	};
	struct tp_text reason = tp_dict_text(w->page->v->dict, s->reason);

	if (s->kind == REP_PATH_RUNNABLE &&
	    (!s->stack || !rep_path_known(w->page->v, rep_path_site(w->page->v->dict, s->stack)))) {
		rep_say(w, "waiting for a P");
		return;
	}
	rep_say(w, "%s", doing[s->kind]);
	if (s->kind >= REP_PATH_LOST)
		return;
	if (s->kind == REP_PATH_SYSCALL)
		say_leaf(w, s->stack);
	if (reason.size && (s->kind == REP_PATH_OUTSIDE || s->kind == REP_PATH_UNFINISHED))
		rep_say(w, " (%.*s)",
			(int)(reason.size < REP_SAY_NAME ? reason.size : REP_SAY_NAME),
			reason.text);
	if (s->kind == REP_PATH_RUNNABLE) {
		rep_say(w, " ");
		say_function(w, s->entry, s->stack);
	} else if (s->kind == REP_PATH_RUNNING && s->stack &&
		   rep_path_known(w->page->v, rep_path_site(w->page->v->dict, s->stack))) {
		rep_say(w, ", until ");
		say_function(w, s->entry, s->stack);
	} else {
		say_where(w, s->entry, s->stack);
	}
}

/* Appends the goroutine that had the P during the longest time in which a single request waited for one. */
static void say_holder(struct rep_words *w, const struct rep_path_sum *s)
{
	const struct rep_path *path = w->page->path;
	struct rep_path_hop longest = {.to = -1, .holder = TP_NONE};

	for (size_t i = 0; i < path->hops.n; i++) {
		struct rep_path_hop h;

		if (rep_path_hop_ns(path, i) <= longest.to - longest.from)
			continue;
		h = rep_path_hop(path, i);
		if (h.kind == REP_PATH_RUNNABLE && path->fold[h.chain] == s->chain &&
		    h.stack == s->stack)
			longest = h;
	}
	if (longest.holder == TP_NONE)
		return;
	rep_say(w, "; ");
	rep_say_who(w, longest.holder, rep_view_entry(w->page->v, longest.holder), false);
	rep_say(w, " had the P before");
}

/* Returns how much of a range of time lies within the request. */
static int64_t overlap(const struct rep_view *v, size_t i, int64_t from, int64_t to)
{
	int64_t start = REP_COL(v, RANGE, start_ns)[i], end = REP_COL(v, RANGE, end_ns)[i];

	start = start > from ? start : from;
	end = end < to ? end : to;
	return end > start ? end - start : 0;
}

struct collector {
	int64_t from, to; /* of the request */
	int64_t marking, halted;
};

static int add_collector(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct collector *c = ctx;

	(void)first;
	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_RANGE]; i++) {
		int64_t name = REP_COL(v, RANGE, name)[i];

		if (name == TP_STR_GC_SWEEP || name == TP_STR_MARK_ASSIST || name < 0)
			continue;
		if (name == TP_STR_GC_MARK)
			tp_sum(&c->marking, overlap(v, i, c->from, c->to));
		else if (tp_text_begins(tp_dict_text(v->dict, (uint32_t)name), "stop-the-world"))
			tp_sum(&c->halted, overlap(v, i, c->from, c->to));
	}
	return 0;
}

/* Writes how long, during a single request, the collector was marking and the world was stopped. */
static int write_collector(struct rep_words *w, struct tp_err *err)
{
	struct rep_view *v = w->page->v;
	const struct rep_path_request *r = w->page->list->request;
	struct collector c = {.from = rep_view_clip_start(v, r->from),
			      .to = rep_view_clip_end(v, r->to)};
	int code;

	if (w->page->list->n != 1)
		return 0;
	code =
	    rep_view_visit(v, TP_TABLE_RANGE,
			   REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) | REP_BIT(RANGE, end_ns),
			   add_collector, &c, err);
	if (code)
		return code;
	/* Less than 1 % explains nothing. */
	if (c.marking < (c.to - c.from) / 100 && c.halted < (c.to - c.from) / 100)
		return 0;
	rep_say(w, "Meanwhile the garbage collector was marking for ");
	rep_say_share(w, c.marking);
	rep_say(w, " of the time, and the world was stopped for ");
	rep_say_share(w, c.halted);
	rep_say(w, ".");
	return rep_say_lines(w, false, 2, err);
}

/* Appends a part of a chain: a wait, or a sum of hops. */
static void say_part(struct rep_words *w, const struct part *part)
{
	if (part->wait) {
		rep_say(w, "waiting");
		say_wait(w, &w->page->path->chain[part->wait]);
	} else {
		say_doing(w, part->sum);
		if (part->sum->kind == REP_PATH_RUNNABLE)
			say_holder(w, part->sum);
	}
	rep_say(w, ".");
}

#define LEVELS 5 /* depth of waits within waits that get a sentence */

static int write_why(struct rep_words *w, struct tp_err *err)
{
	const struct rep_path *path = w->page->path;
	struct part part = heaviest(path, 0);
	char subject[200];
	unsigned level = 0;
	int code;

	if (!part.wait && !part.sum)
		return 0; /* no part took any time */
	rep_say_share(w, part.ns);
	rep_say(w, " of %s %s ", rep_path_subject_text(w->page, subject, sizeof(subject)),
		w->page->list->n > 1 ? "were" : "was");
	say_part(w, &part);
	code = rep_say_lines(w, false, 2, err);
	while (!code && part.wait && level++ < LEVELS) {
		const struct rep_path_chain *c = &path->chain[part.wait];

		part = heaviest(path, part.wait);
		if (!part.ns)
			break;
		rep_say(w, "  ");
		rep_say_share(w, part.ns);
		rep_say(w, "%*s", w->size < 8 ? (int)(8 - w->size) : 1, "");
		rep_say_who(w, part.wait ? path->chain[part.wait].waiter : part.sum->goroutine,
			    part.wait ? path->chain[part.wait].waiter_entry : part.sum->entry,
			    c->queue == 1);
		rep_say(w, " was ");
		say_part(w, &part);
		code = rep_say_lines(w, false, 8, err);
	}
	return code;
}

/* Writes what took most of the time in total, on any goroutine. */
static int write_sum(struct rep_words *w, struct tp_err *err)
{
	struct rep_path_sum *total;
	size_t n;
	int code = rep_path_totals(w->page->v, w->page->path, &total, &n, err);

	if (code)
		return code;
	for (size_t i = 0; i < n && i < 2; i++) {
		if (total[i].total_ns <= (i ? w->page->path->total_ns / 20 : 0))
			break;
		rep_say(w, i ? "; " : "In the end, ");
		rep_say_share(w, total[i].total_ns);
		rep_say(w, i ? " into " : " went into ");
		rep_say_who(w, total[i].goroutine, total[i].entry, false);
		rep_say(w, " ");
		say_doing(w, &total[i]);
	}
	if (w->size) {
		rep_say(w, ".");
		code = rep_say_lines(w, false, 2, err);
	}
	free(total);
	return code;
}

int rep_path_verdict(struct rep_output *out, const struct rep_path_page *page, struct tp_err *err)
{
	struct rep_words w = {
	    .out = out, .page = page, .own.names = rep_filter_own(page->v->filter)};
	int code = write_subject(&w, err);

	if (!code)
		code = write_limits(&w, err);
	if (!code && !page->path->nsums) {
		rep_say(&w, "Nothing happened in it that took any time.");
		return rep_say_lines(&w, false, 0, err);
	}
	if (!code)
		code = write_own(&w, err);
	if (!code)
		code = write_collector(&w, err);
	if (!code)
		code = write_why(&w, err);
	if (!code)
		code = write_sum(&w, err);
	if (!code)
		code = rep_own_settle(&w.own, err);
	rep_own_release(&w.own);
	return code;
}
