#include "tprof-tui/view/timeline/detail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path/wake.h"
#include "tprof-tui/view/timeline/look.h"

void tl_detail_release(struct tl_detail *d)
{
	free(d->stack.frame);
	free(d->waker_stack.frame);
	free(d->woken_id);
	rep_moment_release(&d->moment);
	tp_arena_clear(&d->texts);
	*d = (struct tl_detail){0};
}

static const char *keep(struct tl_detail *d, const struct tp_dict *dict, uint32_t string)
{
	struct tp_text text = tp_dict_text(dict, string);

	return tp_arena_strndup(&d->texts, text.text, text.size);
}

static size_t depth_of(const struct tp_dict *dict, uint32_t stack)
{
	size_t depth = tp_dict_stack_at(dict, stack).depth;

	return depth < TL_MOST_FRAMES ? depth : TL_MOST_FRAMES;
}

static int take_stack(struct tl_detail *d, const struct tp_dict *dict, uint32_t stack,
		      struct tl_stack *s)
{
	size_t most = depth_of(dict, stack);
	uint32_t site = stack ? rep_path_site(dict, stack) : 0;
	bool told = false;

	if (!stack || !most)
		return 0;
	s->frame = calloc(most, sizeof(*s->frame));
	if (!s->frame)
		return TP_ENOMEM;
	for (uint32_t at = stack; at && s->n < most;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
		struct tp_function function = tp_dict_function_at(dict, frame.function);
		struct tl_frame *to = &s->frame[s->n++];

		to->function = keep(d, dict, function.name);
		to->file = keep(d, dict, function.file);
		to->line = frame.line;
		if (!to->function || !to->file)
			return TP_ENOMEM;
		to->is_site = !told && site && function.name == site;
		told |= to->is_site;
		/* A parent has a smaller index than its child, so this ends in damaged trees, too. */
		at = node.parent < at ? node.parent : 0;
		s->more = at != 0;
	}
	return 0;
}

static const char *ended_by(enum rep_path_kind ender)
{
	switch (ender) {
	case REP_PATH_NETWORK:
		return "the network poller";
	case REP_PATH_TIMER:
		return "a timer";
	case REP_PATH_COLLECTOR:
		return "the garbage collector";
	default:
		return "";
	}
}

/* Copies the texts and names that d->moment refers to. */
static int take_moment(struct tl_detail *d, struct rep_lanes *lanes, struct tp_err *err)
{
	const struct tp_dict *dict = rep_lanes_dict(lanes);
	const struct rep_moment *m = &d->moment;

	d->there = true;
	d->cause_id = rep_lanes_goid(lanes, m->cause.goroutine);
	d->outside = ended_by(m->ender);
	d->reason = keep(d, dict, m->span.reason);
	d->woken_id = calloc(m->nwakeups + 1, sizeof(*d->woken_id));
	/* Only a wait that was ended by a goroutine has a waker's stack. */
	if (!d->reason || !d->woken_id || take_stack(d, dict, m->span.stack, &d->stack) ||
	    (m->ender == REP_PATH_RUNNING &&
	     take_stack(d, dict, m->span.waker_stack, &d->waker_stack)))
		return tp_nomem(err);
	for (size_t i = 0; i < m->nwakeups; i++)
		d->woken_id[i] = rep_lanes_goid(lanes, m->wakeup[i].goroutine);
	return 0;
}

/* Finds what ended the wait that preceded a span without a known waker. A running span follows a
 * runnable one, and that follows the wait. */
static int look_back(struct tl_detail *d, struct rep_lanes *lanes, struct tp_err *err)
{
	int64_t at = d->moment.span.start;

	for (int i = 0; i < 3 && at > 0; i++) {
		struct rep_moment m = {0};
		int code = rep_lanes_moment(lanes, d->goroutine, at - 1, &m, err);

		if (!code && m.span.state == TP_ST_WAITING)
			d->outside = ended_by(m.ender);
		at = !code && m.span.state == TP_ST_RUNNABLE ? m.span.start : 0;
		rep_moment_release(&m);
		if (code)
			return code == TP_ENOENT ? 0 : code;
	}
	return 0;
}

/* Chooses a column's moment: in the longest span of the state that its cell shows. */
static int pick(struct rep_lanes *lanes, const struct tl_detail_of *of, int64_t *ns,
		struct tp_err *err)
{
	struct rep_picture p = {
	    .from = of->from, .to = of->to, .cols = 1, .row = &of->row, .nrows = 1};
	enum tl_show shown = TL_SHOW_NOTHING;
	int code = rep_lanes_draw(lanes, &p, of->stop, err);

	if (!code && p.cell)
		shown = tl_show_of(p.cell);
	free(p.cell);
	if (code || shown == TL_SHOW_NOTHING)
		return code;
	code = rep_lanes_longest(lanes, of->row.index, tl_shown_states(shown), of->from, of->to,
				 of->stop, ns, err);
	return code == TP_ENOENT ? 0 : code;
}

int tl_detail_make(struct tl_detail *d, struct rep_lanes *lanes, const struct tl_detail_of *of,
		   struct tp_err *err)
{
	const struct rep_lane *row = &of->row;
	int64_t ns = of->ns;
	int code = 0;

	*d = (struct tl_detail){.kind = row->kind, .index = row->index, .goroutine = TP_NONE};
	d->from = of->from;
	d->to = of->to;
	if (row->kind == REP_LANE_GOROUTINE && of->to)
		code = pick(lanes, of, &ns, err);
	d->ns = ns;
	if (code)
		return code;
	if (row->kind == REP_LANE_GOROUTINE)
		d->goroutine = row->index;
	else if (row->kind == REP_LANE_PROC || row->kind == REP_LANE_THREAD)
		code = rep_lanes_on(lanes, row, ns, &d->goroutine, err);
	if (code == TP_ENOENT || (!code && d->goroutine == TP_NONE))
		return 0;
	if (code)
		return code;
	code = rep_lanes_moment(lanes, d->goroutine, ns, &d->moment, err);
	if (!code)
		code = take_moment(d, lanes, err);
	else if (code == TP_ENOENT)
		code = 0;
	if (!code && d->there && d->moment.cause.goroutine == TP_NONE &&
	    (d->moment.span.state == TP_ST_RUNNING || d->moment.span.state == TP_ST_RUNNABLE))
		code = look_back(d, lanes, err);
	return code;
}

bool tl_detail_holds(const struct tl_detail *d, const struct rep_lane *row, int64_t ns)
{
	if (d->kind != row->kind || d->index != row->index)
		return false;
	if (d->ns == ns)
		return true;
	/* The details hold for a whole span of a goroutine. On a P or M the goroutine may change within it. */
	return d->there && d->kind == REP_LANE_GOROUTINE && ns >= d->moment.span.start &&
	       ns < d->moment.span.end;
}

void tl_frame_text(const struct tl_frame *f, char *text, size_t size)
{
	const char *name = *f->function ? f->function : "unknown function";
	const char *file = strrchr(f->file, '/');

	file = file ? file + 1 : f->file;
	if (*file && f->line)
		snprintf(text, size, "%.300s (%.200s:%" PRId64 ")", name, file, f->line);
	else
		snprintf(text, size, "%.300s", name);
}

const struct tl_frame *tl_stack_site(const struct tl_stack *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->frame[i].is_site)
			return &s->frame[i];
	return s->n ? &s->frame[0] : NULL;
}
