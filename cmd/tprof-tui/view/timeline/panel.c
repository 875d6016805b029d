/* Draws the details of the place under the cursor, below the rows. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "spans/filter.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/timeline/timeline.h"

/* The destination of lines: the screen, which takes as many as fit, or a text. */
struct paper {
	int row, rows, col, cols; /* the area that is left on the screen */
	struct tp_buf *out;	  /* NULL: draw on the screen */
	int failed;
};

static bool is_full(const struct paper *p)
{
	return !p->out && p->rows <= 0;
}

static void line(struct paper *p, enum tui_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void line(struct paper *p, enum tui_style style, const char *fmt, ...)
{
	char text[1200];
	va_list ap;
	int used;

	if (is_full(p))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->out) {
		p->failed |= rep_escape(p->out, text, strlen(text), REP_ESCAPE_SHOWN) |
			     tp_buf_put(p->out, "\n", 1);
		return;
	}
	used =
	    tui_draw_sentence((struct tui_area){p->row, p->col, p->rows, p->cols}, style, text, 4);
	p->row += used;
	p->rows -= used;
}

/* ---- the span ---- */

static const char *state_words(unsigned state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return "runs";
	case TP_ST_RUNNABLE:
		return "is runnable (waits for a P)";
	case TP_ST_WAITING:
		return "is blocked";
	case TP_ST_SYSCALL:
		return "is in a system call";
	case TP_ST_SYSCALL_BLOCKED:
		return "is in a system call without a P";
	case TP_ST_LOST:
		return "is in an unknown state, as the trace is damaged";
	default:
		return "is in an unknown state";
	}
}

/* Writes " on P 2, M 1234" if the goroutine has them. */
static void put_place(char *text, size_t size, const struct timeline *s)
{
	const struct tp_span *span = &s->detail.moment.span;
	const struct {
		enum tl_kind kind;
		uint32_t index;
		const char *name;
	} places[] = {{TL_PROCS, span->p, "P"}, {TL_THREADS, span->m, "M"}};

	*text = '\0';
	if (span->state != TP_ST_RUNNING && span->state != TP_ST_SYSCALL)
		return;
	for (size_t k = 0; k < 2; k++) {
		const struct rep_lane *row = s->roster.other[places[k].kind];

		for (size_t i = 0; i < s->roster.nother[places[k].kind]; i++)
			if (row[i].index == places[k].index)
				tui_add(text, size, "", "%s%s %" PRId64, *text ? ", " : " on ",
					places[k].name, row[i].id);
	}
}

static void put_span(struct paper *p, const struct timeline *s)
{
	const struct tl_detail *d = &s->detail;
	char who[400], took[TUI_TIME_SIZE], from[TUI_TIME_SIZE], to[TUI_TIME_SIZE], why[300] = "";
	char where[80];

	tl_goroutine_text(s, d->goroutine, REP_GOID_NONE, who, sizeof(who));
	if (*d->reason)
		snprintf(why, sizeof(why), "%s%.200s",
			 d->moment.span.state == TP_ST_WAITING ? " on " : ", after ", d->reason);
	put_place(where, sizeof(where), s);
	line(p, TUI_STYLE_STRONG, "%s %s%s%s for %s, from %s to %s%s", who,
	     state_words(d->moment.span.state), where, why,
	     tui_length_text(s->view->select.run,
			     tp_minus(d->moment.span.end, d->moment.span.start), took),
	     tl_time_text(s, from, d->moment.span.start), tl_time_text(s, to, d->moment.span.end),
	     d->moment.span.open ? ", when the run ends" : "");
}

static void put_waker(struct paper *p, const struct timeline *s)
{
	const struct tl_detail *d = &s->detail;
	const struct tl_frame *site = tl_stack_site(&d->waker_stack);
	char who[400], when[TUI_TIME_SIZE], where[600] = "", frame[520];

	if (site) {
		tl_frame_text(site, frame, sizeof(frame));
		snprintf(where, sizeof(where), " in %s", frame);
	}
	if (d->moment.cause.goroutine != TP_NONE) {
		tl_goroutine_text(s, d->moment.cause.goroutine, d->cause_id, who, sizeof(who));
		line(p, TUI_STYLE_NORMAL, "woken by %s at %s%s; press w to go there", who,
		     tl_time_text(s, when, d->moment.cause.ns), where);
	} else if (d->moment.span.state == TP_ST_WAITING && d->moment.span.open) {
		line(p, TUI_STYLE_NORMAL, "still waiting when the run ended");
	} else if (*d->outside) {
		line(p, TUI_STYLE_NORMAL, "woken by %s", d->outside);
	} else if (d->moment.span.state == TP_ST_WAITING) {
		line(p, TUI_STYLE_NORMAL, "its waker is not known");
	}
}

static void put_woken(struct paper *p, const struct timeline *s)
{
	const struct tl_detail *d = &s->detail;
	char text[1000] = "", who[400], when[TUI_TIME_SIZE];
	size_t i;

	if (!d->moment.nwakeups)
		return;
	for (i = 0; i < d->moment.nwakeups && strlen(text) < 300; i++) {
		tl_goroutine_text(s, d->moment.wakeup[i].goroutine, d->woken_id[i], who,
				  sizeof(who));
		tui_add(text, sizeof(text), ", ", "%s at %s", who,
			tl_time_text(s, when, d->moment.wakeup[i].ns));
	}
	if (i < d->moment.nwakeups || d->moment.more_wakeups)
		tui_add(text, sizeof(text), " ", "and %zu%s more", d->moment.nwakeups - i,
			d->moment.more_wakeups ? " or" : "");
	line(p, TUI_STYLE_NORMAL, "wakes %s", text);
}

/* ---- the column ---- */

/* Writes "this column, 1.2us: running 360ns, blocked 840ns (chan receive); 12 spans". */
static void put_cell(struct paper *p, const struct timeline *s)
{
	const struct rep_cell *cell = tl_cell(s);
	const struct tl_reason *reason;
	char text[400] = "", took[TUI_TIME_SIZE];
	int64_t all = 0, from, to;
	bool picked;

	if (!cell)
		return;
	tl_column(s, &from, &to);
	picked = to && s->detail.there && s->detail.from == from && s->detail.to == to &&
		 cell->spans > 1;
	for (enum tl_show i = 0; i < TL_SHOW_NOTHING; i++)
		tp_sum(&all, tl_shown_ns(cell, i));
	reason = tl_picture_reason(&s->picture, cell->reason);
	for (enum tl_show i = 0; i < TL_SHOW_NOTHING && all > 0; i++) {
		int64_t ns = tl_shown_ns(cell, i);

		if (!ns)
			continue;
		tui_add(text, sizeof(text), ", ", "%s %s", tl_shown[i],
			tui_moment_text(s->view->select.run, ns, took));
		if (i == TL_SHOW_BLOCKED && reason)
			tui_add(text, sizeof(text), " ", "(%.60s)", reason->text);
	}
	if (all)
		line(p, TUI_STYLE_DIM, "this column, %s%s: %s; %" PRIu32 " span%s%s",
		     tui_length_text(s->view->select.run, s->window.cell, (char[TUI_TIME_SIZE]){0}),
		     s->picture.exact ? "" : ", roughly", text, cell->spans,
		     cell->spans == 1 ? "" : "s", picked ? " (above: the longest)" : "");
	else
		line(p, TUI_STYLE_DIM, "this column: no goroutine");
}

/* Writes the ranges in the cursor's column, "GC mark phase 12ms, stop-the-world 1.2ms". Returns false if
 * it has none. */
static bool put_ranges(const struct timeline *s, char *text, size_t size,
		       const struct tl_band *band)
{
	static const char *const names[] = {[REP_MARK_STW] = "stop-the-world",
					    [REP_MARK_GC] = "GC mark phase",
					    [REP_MARK_SWEEP] = "sweeping",
					    [REP_MARK_ASSIST] = "mark assist"};
	char took[TUI_TIME_SIZE];

	*text = '\0';
	for (size_t i = 0; i <= REP_MARK_ASSIST; i++)
		if (band->ns[i])
			tui_add(text, size, ", ", "%s %s", names[i],
				tui_length_text(s->view->select.run, band->ns[i], took));
	return *text != '\0';
}

/* Returns whether a mark of goroutine g or of all is at the cursor; with `column`, whether one of the
 * goroutine's own (region, log) is elsewhere in the cursor's column. */
static bool is_here(const struct timeline *s, const struct rep_mark *m, uint32_t g, bool column)
{
	const struct tl_window *w = &s->window;
	int64_t from = tl_window_at(w, tl_window_col(w, s->ns)), to = from + w->cell;
	bool at = m->from <= s->ns && m->to > s->ns;

	if (m->kind == REP_MARK_SAMPLE ||
	    (m->goroutine != TP_NONE && m->goroutine != g && m->kind >= REP_MARK_SWEEP))
		return false;
	if (at || !column)
		return at && !column;
	return m->kind >= REP_MARK_REGION && m->from < to &&
	       (m->to > m->from ? m->to > from : m->from >= from);
}

static void put_mark(const struct timeline *s, char *text, size_t size, const struct rep_mark *m)
{
	char took[TUI_TIME_SIZE], from[TUI_TIME_SIZE];
	bool own = m->kind >= REP_MARK_REGION;

	tui_add(text, size, ", ", "%s%s%.100s", own ? rep_mark_kinds[m->kind] : "", own ? " " : "",
		m->text);
	if (m->to > m->from)
		tui_add(text, size, " ", "(%s from %s)",
			tui_length_text(s->view->select.run, tp_minus(m->to, m->from), took),
			tl_time_text(s, from, m->from));
}

/* Writes the regions, logs and ranges at the cursor, and regions and logs in its column; without any, the
 * ranges in its column. */
static void put_marks(struct paper *p, const struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);
	uint32_t g = row && row->kind == REP_LANE_GOROUTINE ? row->index : s->detail.goroutine;
	int col = tl_picture_col(&s->picture, s->ns), left = 6;
	char text[1200] = "";

	for (int column = 0; column < 2; column++) {
		for (size_t i = 0; i < s->picture.nmarks && left && strlen(text) < 800; i++) {
			const struct rep_mark *m = &s->picture.mark[i];

			if (!is_here(s, m, g, column))
				continue;
			put_mark(s, text, sizeof(text), m);
			left--;
		}
	}
	if (*text)
		line(p, TUI_STYLE_GC, "here: %s", text);
	else if (col >= 0 && put_ranges(s, text, sizeof(text), &s->picture.band[col]))
		line(p, TUI_STYLE_GC, "in this column: %s", text);
}

/* ---- stacks ---- */

/* Writes the last line that fits: frame i if it is the leaf or the site, else the site, and the number of
 * frames left out. */
static void put_last_frames(char *text, size_t size, const struct tl_stack *stack, size_t i)
{
	const char *dots = tui_screen_ascii() ? "..." : "…";
	size_t tells = (size_t)(tl_stack_site(stack) - stack->frame), left = stack->n - i;
	char frame[600];

	*text = '\0';
	if (!i || tells == i) {
		tl_frame_text(&stack->frame[i], frame, sizeof(frame));
		tui_add(text, size, "", "%s", frame);
		left--;
	}
	if (tells > i) {
		tl_frame_text(&stack->frame[tells], frame, sizeof(frame));
		tui_add(text, size, ", ", "%s %s", dots, frame);
		left--;
	}
	if (left)
		tui_add(text, size, ", ", "%s %zu%s more", dots, left, stack->more ? " or" : "");
}

/* Writes as many frames as fit, starting with the leaf. */
static void put_stack(struct paper *p, const struct tl_stack *stack, const char *title)
{
	char text[1300];
	size_t tells;

	if (!stack->n || is_full(p) || (title && !p->out && p->rows < 2))
		return;
	if (title)
		line(p, TUI_STYLE_HEADING, "%s", title);
	tells = (size_t)(tl_stack_site(stack) - stack->frame);
	for (size_t i = 0; i < stack->n && !is_full(p); i++) {
		bool more = i + 1 < stack->n || stack->more;
		bool last = !p->out && p->rows == 1 && more;
		bool before_last = !p->out && p->rows == 2 && more;

		if (last)
			put_last_frames(text, sizeof(text), stack, i);
		else
			tl_frame_text(&stack->frame[i], text, sizeof(text));
		/* A frame that needs two lines must leave the last line for the number of frames left out. */
		if (before_last)
			p->rows = 1;
		line(p, i == tells || (last && tells > i) ? TUI_STYLE_STRONG : TUI_STYLE_NORMAL,
		     "  %s%s",
		     title ? ""
		     : i   ? "   "
			   : "at ",
		     text);
		if (before_last)
			p->rows = 1;
	}
}

/* ---- the panel ---- */

static void put_nobody(struct paper *p, const struct timeline *s, const struct rep_lane *row)
{
	char who[400], from[TUI_TIME_SIZE], to[TUI_TIME_SIZE], now[TUI_TIME_SIZE];
	char took[TUI_TIME_SIZE];

	tl_lane_text(row, who, sizeof(who));
	if (row->kind == REP_LANE_GROUP)
		line(p, TUI_STYLE_STRONG, "%s: %" PRId64 " goroutines, from %s to %s", who, row->id,
		     tl_time_text(s, from, row->from), tl_time_text(s, to, row->to));
	else if (row->kind == REP_LANE_TASK)
		line(p, TUI_STYLE_STRONG, "task %s: %s, from %s to %s", who,
		     tui_length_text(s->view->select.run, tp_minus(row->to, row->from), took),
		     tl_time_text(s, from, row->from), tl_time_text(s, to, row->to));
	else if (row->kind == REP_LANE_GOROUTINE)
		line(p, TUI_STYLE_STRONG, "%s existed from %s to %s, not at %s", who,
		     tl_time_text(s, from, row->from), tl_time_text(s, to, row->to),
		     tl_time_text(s, now, s->ns));
	else
		line(p, TUI_STYLE_STRONG, "%s: no goroutine at %s", who,
		     tl_time_text(s, now, s->ns));
}

static bool is_known(const struct timeline *s, const struct rep_lane *row)
{
	return row->kind == REP_LANE_GROUP || row->kind == REP_LANE_TASK ||
	       tl_detail_holds(&s->detail, row, s->ns);
}

static void put_facts(struct paper *p, const struct timeline *s, const struct rep_lane *row)
{
	bool span = tl_detail_holds(&s->detail, row, s->ns) && s->detail.there;
	char now[TUI_TIME_SIZE];

	if (!is_known(s, row)) {
		line(p, TUI_STYLE_DIM, "%s ...", tl_time_text(s, now, s->ns));
		return;
	}
	if (span) {
		put_span(p, s);
		put_waker(p, s);
		put_woken(p, s);
	} else {
		put_nobody(p, s, row);
	}
	put_cell(p, s);
	put_marks(p, s);
}

void tl_draw_panel(struct timeline *s, int row, int rows)
{
	const struct tui_area *a = &s->layout.area;
	const struct rep_lane *lane = tl_row(s);
	struct paper p = {.row = row, .rows = rows, .col = a->col, .cols = a->cols};
	bool wide = a->cols >= 140, stacks, own;

	if (!lane)
		return;
	stacks = tl_detail_holds(&s->detail, lane, s->ns) && s->detail.there;
	if (wide && stacks)
		p.cols = a->cols / 2 - 1;
	put_facts(&p, s, lane);
	/* A runnable goroutine has no stack of its own; its stack is the waker's. */
	own = s->detail.moment.span.state != TP_ST_RUNNABLE;
	if (wide && stacks) {
		if (own)
			put_stack(&p, &s->detail.waker_stack, "woken from");
		p = (struct paper){.row = row,
				   .rows = rows,
				   .col = a->col + a->cols / 2,
				   .cols = a->cols - a->cols / 2};
		put_stack(&p, &s->detail.stack, own ? "stack" : "woken from");
	} else if (stacks) {
		put_stack(&p, &s->detail.stack, own ? NULL : "woken from");
		if (own && p.rows > 2)
			put_stack(&p, &s->detail.waker_stack, "woken from");
	}
}

int tl_panel_text(const struct timeline *s, struct tp_buf *out)
{
	const struct rep_lane *row = tl_row(s);
	struct paper p = {.out = out};

	if (!row || !is_known(s, row))
		return 0;
	put_facts(&p, s, row);
	if (tl_detail_holds(&s->detail, row, s->ns) && s->detail.there) {
		if (s->detail.moment.span.state != TP_ST_RUNNABLE)
			put_stack(&p, &s->detail.stack, "stack");
		put_stack(&p, &s->detail.waker_stack, "woken from");
	}
	return p.failed;
}
