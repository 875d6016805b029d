/* Searches and highlights by goroutine id, entry function, state, reason, region or log. */
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/view/timeline/timeline.h"
#include "output/cells.h"

/* ---- search ---- */

/* Parses "17" or "g17". Returns REP_GOID_NONE for anything else. */
static struct rep_goid id_of(const char *text)
{
	struct rep_goid g;

	return rep_goid_parse(*text == 'g' ? text + 1 : text, &g) == 1 ? g : REP_GOID_NONE;
}

/* Returns the number of rows with distinct names: groups, and rows without a group. */
static size_t nlanes(const struct timeline *s)
{
	return s->list.kind == TL_GOROUTINES ? s->roster.ngroups : s->roster.nother[s->list.kind];
}

static const struct rep_lane *lane_at(const struct timeline *s, size_t i)
{
	const struct tl_roster *r = &s->roster;

	if (s->list.kind != TL_GOROUTINES)
		return &r->other[s->list.kind][i];
	return r->first[i + 1] - r->first[i] == 1 ? &r->member[r->first[i]] : &r->group[i];
}

/* Returns the index of the cursor's row among them. */
static size_t cursor_lane(const struct timeline *s)
{
	const struct rep_lane *row = tl_row(s);

	if (!row)
		return 0;
	if (row->kind == REP_LANE_GROUP)
		return (size_t)(row - s->roster.group);
	if (row->kind == REP_LANE_GOROUTINE)
		return tl_roster_group_of(&s->roster, row->index);
	return (size_t)(row - s->roster.other[s->list.kind]);
}

static void go_to_lane(struct timeline *s, const struct rep_lane *lane)
{
	s->at_kind = lane->kind;
	s->at_index = lane->index;
	if (s->ns < lane->from || s->ns > lane->to)
		tl_move_to(s, lane->from);
	tl_relist(s);
}

/* Goes to the next row whose name contains the text, even if it is not listed now. Returns false if no
 * name matches. */
static bool find_name(struct timeline *s, const char *text, int step)
{
	size_t n = nlanes(s), at = cursor_lane(s);
	char name[700];

	for (size_t i = step ? 1 : 0; i < n + (step != 0); i++) {
		size_t k = step < 0 ? (at + 2 * n - i) % n : (at + i) % n;
		const struct rep_lane *lane = lane_at(s, k);

		tl_lane_text(lane, name, sizeof(name));
		if (!rep_text_holds(name, strlen(name), text))
			continue;
		go_to_lane(s, lane);
		return true;
	}
	return false;
}

bool tl_search(struct tui_view *v, const char *text, int step)
{
	struct timeline *s = v->state;
	char *wanted = rep_text_lower(text);
	const struct rep_lane *lane;
	struct rep_goid id;
	bool found;

	if (!wanted || !tl_usable(s)) {
		free(wanted);
		return false;
	}
	id = id_of(wanted);
	lane = rep_goid_is(&id) && s->list.kind == TL_GOROUTINES
		   ? tl_roster_by_goid(&s->roster, &id)
		   : NULL;
	if (lane) {
		free(wanted);
		return tl_jump(s, lane->index,
			       s->ns < lane->from || s->ns > lane->to ? lane->from : s->ns);
	}
	found = find_name(s, wanted, step);
	free(s->wanted);
	s->wanted = wanted;
	/* No name matches: the worker searches reasons, and reports if none matches either. */
	if (!found) {
		s->find_step = step;
		tl_want(s, TL_ASK_FIND);
	}
	return true;
}

/* ---- highlight ---- */

void tl_highlight_release(struct timeline *s)
{
	free(s->highlight.text);
	free(s->highlight.row);
	free(s->highlight.label);
	s->highlight = (struct tl_highlight){.state = TL_NSHOWN};
}

/* Returns the scope that a prefix selects ("state:blocked", "reason:sync", "function:main",
 * "label:checkout") and removes the prefix; TL_BY_ALL without a prefix. */
static unsigned scope_of(char *text)
{
	static const struct {
		const char *name;
		unsigned what;
	} scopes[] = {{"state:", TL_BY_STATE},
		      {"reason:", TL_BY_REASON},
		      {"function:", TL_BY_FUNCTION},
		      {"label:", TL_BY_LABEL}};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		size_t n = strlen(scopes[i].name);

		if (strncmp(text, scopes[i].name, n) != 0)
			continue;
		memmove(text, text + n, strlen(text + n) + 1);
		return scopes[i].what;
	}
	return TL_BY_ALL;
}

static enum tl_show state_of(const char *text)
{
	for (enum tl_show i = 0; i < TL_SHOW_IDLE; i++)
		if (!strcmp(tl_shown[i], text))
			return i;
	return TL_NSHOWN;
}

static void light_labels(struct timeline *s)
{
	struct tl_highlight *h = &s->highlight;
	const struct tl_picture *p = &s->picture;

	for (size_t i = 0; i < p->nmarks; i++) {
		const struct rep_mark *m = &p->mark[i];
		int first = tl_window_col(&p->window, m->from);
		int last = tl_window_col(&p->window, m->to > m->from ? m->to - 1 : m->from);

		if (!rep_text_holds(m->text, m->size, h->text))
			continue;
		for (size_t row = 0; row < p->nrows; row++) {
			if (m->goroutine != TP_NONE && (p->row[row].kind != REP_LANE_GOROUTINE ||
							p->row[row].index != m->goroutine))
				continue;
			for (int col = first < 0 ? 0 : first; col <= last && col < p->window.cols;
			     col++)
				h->label[row * (size_t)p->window.cols + (size_t)col] = true;
		}
	}
}

/* Returns the listed row that equals a row of the picture, which has no name; NULL if it is not listed. */
static const struct rep_lane *named(const struct timeline *s, const struct rep_lane *row)
{
	for (size_t i = s->top; i < s->list.n && i < s->top + s->picture.nrows; i++)
		if (s->list.row[i]->kind == row->kind && s->list.row[i]->index == row->index)
			return s->list.row[i];
	return NULL;
}

void tl_highlight_picture(struct timeline *s)
{
	struct tl_highlight *h = &s->highlight;
	struct tl_picture *p = &s->picture;
	char name[700];

	free(h->row);
	free(h->label);
	h->row = h->label = NULL;
	if (!h->text || !p->window.cols)
		return;
	for (size_t i = 0; i < p->nreasons; i++)
		p->reason[i].lit = rep_text_holds(p->reason[i].text, p->reason[i].size, h->text);
	h->row = calloc(p->nrows + 1, sizeof(*h->row));
	h->label = calloc(p->nrows * (size_t)p->window.cols + 1, sizeof(*h->label));
	if (!h->row || !h->label)
		return;
	for (size_t i = 0; i < p->nrows; i++) {
		const struct rep_lane *lane = named(s, &p->row[i]);

		if (!lane)
			continue;
		tl_lane_text(lane, name, sizeof(name));
		h->row[i] = rep_text_holds(name, strlen(name), h->text);
	}
	light_labels(s);
}

bool tl_lit(const struct timeline *s, size_t row, int col)
{
	const struct tl_highlight *h = &s->highlight;
	const struct tl_picture *p = &s->picture;
	const struct rep_cell *cell = &p->cell[row * (size_t)p->window.cols + (size_t)col];
	const struct tl_reason *reason = tl_picture_reason(p, cell->reason);

	if (h->what & TL_BY_STATE && h->state != TL_NSHOWN)
		return tl_shown_ns(cell, h->state) > 0;
	return (h->what & TL_BY_REASON && reason && reason->lit) ||
	       (h->what & TL_BY_FUNCTION && h->row && h->row[row]) ||
	       (h->what & TL_BY_LABEL && h->label &&
		h->label[row * (size_t)p->window.cols + (size_t)col]);
}

void tl_highlight(struct tui *t, struct timeline *s, const char *text)
{
	tl_highlight_release(s);
	if (!*text)
		return;
	s->highlight.text = rep_text_lower(text);
	if (!s->highlight.text) {
		tui_nomem(t);
		return;
	}
	s->highlight.what = scope_of(s->highlight.text);
	s->highlight.state = state_of(s->highlight.text);
	tl_highlight_picture(s);
	tui_message(t, "highlighted: '%.200s'; * or :highlight ends this", s->highlight.text);
}

/* Highlights the reason under the cursor, or without a reason its state. The second call ends it. */
void tl_highlight_like(struct tui *t, struct timeline *s)
{
	const struct rep_cell *cell = tl_cell(s);
	const struct tl_reason *reason;

	if (s->highlight.text) {
		tl_highlight(t, s, "");
		return;
	}
	if (!cell || tl_show_of(cell) >= TL_SHOW_IDLE) {
		tui_message(t, "there is nothing under the cursor");
		return;
	}
	reason = tl_picture_reason(&s->picture, cell->reason);
	if (tl_show_of(cell) == TL_SHOW_BLOCKED && reason && *reason->text)
		tl_highlight(t, s, reason->text);
	else
		tl_highlight(t, s, tl_shown[tl_show_of(cell)]);
}
