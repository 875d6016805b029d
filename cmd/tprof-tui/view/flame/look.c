/* Layout, scrolling, cursor, zoom and search of a flame graph. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/noise.h"
#include "tprof-tui/view/flame/flame.h"

/* ---- bars ---- */

const struct rep_flame_bar *flame_bar(const struct flame *f)
{
	return f->pic && f->bar < f->cells.n ? &f->cells.bar[f->bar] : NULL;
}

/* Scrolls so that the cursor is visible, with a level above and below it. */
static void show_cursor(struct flame *f)
{
	const struct rep_flame_bar *b = flame_bar(f);
	uint32_t margin = f->levels > 4 ? 1 : 0, least, most;

	if (!b || !f->levels)
		return;
	least = b->level + 1 + margin > f->levels ? b->level + 1 + margin - f->levels : 0;
	most = b->level > margin ? b->level - margin : 0;
	if (f->top < least)
		f->top = least;
	if (f->top > most)
		f->top = most;
	if (f->cells.nlevels <= f->levels)
		f->top = 0;
	else if (f->top > f->cells.nlevels - f->levels)
		f->top = f->cells.nlevels - f->levels;
}

bool flame_lay(struct tui *t, struct flame *f, uint32_t width)
{
	const struct rep_flame_cells_options opt = {
	    .zoom = f->zoom, .width = width ? width : 1, .noise = REP_NOISE};
	const struct rep_flame_bar *b = flame_bar(f);
	struct rep_flame_zoom at = b ? b->what : f->zoom;
	struct tp_err err;

	if (!f->pic)
		return false;
	if (f->cells.width == opt.width)
		return true;
	f->width = opt.width;
	rep_flame_cells_release(&f->cells);
	if (rep_flame_cells(&f->pic->tree, &f->pic->order, &opt, &f->cells, &err)) {
		rep_flame_cells_release(&f->cells);
		tui_error(t, "%s", err.msg);
		return false;
	}
	flame_go(f, rep_flame_cells_find(&f->cells, &f->pic->tree, at));
	return true;
}

static void lay_again(struct tui *t, struct flame *f)
{
	uint32_t width = f->cells.width;

	f->cells.width = 0;
	if (width)
		flame_lay(t, f, width);
}

void flame_go(struct flame *f, uint32_t bar)
{
	f->bar = bar;
	f->cell = bar < f->cells.n ? f->cells.bar[bar].first : 0;
	show_cursor(f);
}

void flame_step(struct flame *f, enum rep_flame_step step)
{
	if (!flame_bar(f))
		return;
	f->bar = rep_flame_cells_step(&f->cells, f->bar, step, &f->cell);
	show_cursor(f);
}

/* Scrolls by levels; the cursor stays on the screen. */
void flame_scroll(struct flame *f, long levels)
{
	long most = f->cells.nlevels > f->levels ? (long)(f->cells.nlevels - f->levels) : 0;
	long top = (long)f->top + levels;
	const struct rep_flame_bar *b = flame_bar(f);

	if (!b)
		return;
	f->top = (uint32_t)(top < 0 ? 0 : top > most ? most : top);
	while (b->level >= f->top + f->levels) {
		f->bar = b->parent;
		b = flame_bar(f);
	}
	while (b->level < f->top && b->nchildren) {
		f->bar = rep_flame_cells_step(&f->cells, f->bar, REP_FLAME_CHILD, &f->cell);
		b = flame_bar(f);
	}
	/* The bar has no child on the screen; go to the first bar that is shown. */
	if (b->level < f->top)
		f->bar = f->cells.level[f->top];
}

/* ---- zoom ---- */

/* Repeats the search, since the shares of matches refer to the zoom. */
static void search_again(struct tui *t, struct flame *f)
{
	struct tp_err err;

	rep_flame_found_release(&f->found);
	if (!f->search || !f->pic)
		return;
	if (rep_flame_search(&f->pic->tree, &f->pic->order, f->zoom, f->search, &f->found, &err)) {
		tui_error(t, "%s", err.msg);
		rep_flame_found_release(&f->found);
		free(f->search);
		f->search = NULL;
	}
}

static void zoom_to(struct tui *t, struct flame *f, struct rep_flame_zoom zoom,
		    struct rep_flame_zoom cursor)
{
	f->zoom = zoom;
	f->top = 0;
	lay_again(t, f);
	if (f->cells.n)
		flame_go(f, rep_flame_cells_find(&f->cells, &f->pic->tree, cursor));
	search_again(t, f);
}

void flame_zoom_in(struct tui *t, struct flame *f)
{
	const struct rep_flame_bar *b = flame_bar(f);

	if (!b)
		return;
	if (!f->bar) {
		flame_zoom_out(t, f);
		return;
	}
	if (tp_grow(&f->before, &f->before_room, f->nbefore, sizeof(*f->before))) {
		tui_nomem(t);
		return;
	}
	f->before[f->nbefore++] = f->zoom;
	zoom_to(t, f, b->what, b->what);
}

void flame_zoom_out(struct tui *t, struct flame *f)
{
	struct rep_flame_zoom was = f->zoom, to = {0};

	if (!f->pic)
		return;
	if (!was.node && !was.from) {
		tui_message(t, "the whole graph is shown");
		return;
	}
	if (f->nbefore)
		to = f->before[--f->nbefore];
	zoom_to(t, f, to, was);
}

/* ---- replacing the picture ---- */

/* Returns the node of the new tree with the same path of names, or its last ancestor that
 * exists. */
static uint32_t same_path(const struct rep_flame_tree *old, uint32_t node,
			  const struct rep_flame_tree *new)
{
	uint32_t path[REP_FLAME_MAX_DEPTH], n = 0, at = 0;

	for (; node && n < REP_FLAME_MAX_DEPTH; node = old->node[node].parent)
		path[n++] = node;
	while (n-- > 0 && !node) {
		struct tp_text name = tp_dict_text(old->names, old->node[path[n]].name);
		uint32_t c = new->node[at].child;

		for (; c; c = new->node[c].next) {
			struct tp_text other = tp_dict_text(new->names, new->node[c].name);

			if (other.size == name.size && !memcmp(other.text, name.text, name.size))
				break;
		}
		if (!c)
			break;
		at = c;
	}
	return at;
}

void flame_drop(struct flame *f)
{
	const struct rep_flame_bar *b = flame_bar(f);

	/* The numbers of nodes can be kept: a new picture of the same kind of the same run has the same
	 * nodes. */
	f->cursor = b ? b->what : f->zoom;
	rep_flame_cells_release(&f->cells);
	rep_flame_found_release(&f->found);
	flame_free_picture(f->pic);
	f->pic = NULL;
	f->dropped = true;
}

static bool is_there(const struct rep_flame_picture *pic, struct rep_flame_zoom z)
{
	return z.node < pic->tree.n &&
	       (!z.from || z.from < rep_flame_nchildren(&pic->order, z.node));
}

static bool same_kind(const struct flame_kind *a, const struct flame_kind *b)
{
	return a->view == b->view && a->count == b->count && !strcmp(a->type, b->type) &&
	       a->reverse == b->reverse && a->differ == b->differ;
}

/* Restores the zoom and the cursor from before the picture was dropped. */
static void look_again(struct flame *f, struct rep_flame_zoom *zoom, struct rep_flame_zoom *cursor)
{
	*zoom = f->zoom;
	*cursor = f->cursor;
	for (size_t i = 0; i < f->nbefore; i++)
		if (!is_there(f->pic, f->before[i]))
			f->nbefore = i;
	if (is_there(f->pic, *zoom) && is_there(f->pic, *cursor))
		return;
	*zoom = *cursor = (struct rep_flame_zoom){0};
	f->nbefore = 0;
}

void flame_take(struct tui *t, struct flame *f, struct rep_flame_picture *pic,
		const struct flame_kind *kind)
{
	struct rep_flame_picture *old = f->pic;
	const struct rep_flame_bar *b = flame_bar(f);
	struct rep_flame_zoom zoom = {0}, cursor = {0};
	uint32_t width = f->width;

	if (old && pic && f->kind.reverse == kind->reverse) {
		zoom.node = same_path(&old->tree, f->zoom.node, &pic->tree);
		cursor.node = b ? same_path(&old->tree, b->what.node, &pic->tree) : zoom.node;
	}
	rep_flame_cells_release(&f->cells);
	rep_flame_found_release(&f->found);
	flame_free_picture(old);
	f->pic = pic;
	if (pic && f->dropped && same_kind(&f->kind, kind))
		look_again(f, &zoom, &cursor);
	else
		f->nbefore = 0;
	f->dropped = false;
	f->kind = *kind;
	f->bar = f->top = 0;
	f->zoom = zoom;
	if (pic && width && flame_lay(t, f, width))
		flame_go(f, rep_flame_cells_find(&f->cells, &pic->tree, cursor));
	search_again(t, f);
}

/* ---- search ---- */

unsigned flame_mark(const struct flame *f, const struct rep_flame_bar *bar)
{
	return f->search && f->found.mark ? rep_flame_found_mark(&f->found, &f->pic->order, bar)
					  : 0;
}

/* Returns whether a bar matches, or contains a frame that does. */
static bool is_match(const struct flame *f, uint32_t bar)
{
	const struct rep_flame_bar *b = &f->cells.bar[bar];

	return flame_mark(f, b) & (b->count ? REP_FLAME_HOLDS : REP_FLAME_MATCHES);
}

bool flame_find(struct tui *t, struct flame *f, const char *text)
{
	free(f->search);
	f->search = text && *text ? strdup(text) : NULL;
	search_again(t, f);
	if (!f->search || !f->found.frames)
		return false;
	if (f->bar < f->cells.n && !is_match(f, f->bar))
		flame_find_next(f, 1);
	return true;
}

bool flame_find_next(struct flame *f, int step)
{
	uint32_t n = f->cells.n, at = f->bar;

	for (uint32_t i = 0; i < n; i++) {
		at = step < 0 ? (at ? at - 1 : n - 1) : (at + 1 < n ? at + 1 : 0);
		if (!is_match(f, at))
			continue;
		flame_go(f, at);
		return true;
	}
	return false;
}
