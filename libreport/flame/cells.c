#include "flame/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "flame/change.h"

struct laying {
	const struct rep_flame_tree *t;
	const struct rep_flame_order *o;
	const struct rep_flame_cells_options *opt;
	struct rep_flame_cells *c;
	double whole; /* weight of the whole width */
	size_t room, level_room;
};

/* Returns whether all children of the zoomed frame are narrower than a cell. Then each of the first
 * ones gets a cell, as zooming further would otherwise be impossible. */
static bool is_fine(const struct laying *l)
{
	const struct rep_flame_zoom *z = &l->opt->zoom;
	uint32_t at = l->o->first[z->node] + z->from;

	return at < l->o->first[z->node + 1] &&
	       (double)rep_flame_weight(l->t, l->o->child[at]) * l->opt->width < l->whole;
}

/* Returns the cell at which a weight begins. */
static uint32_t cell_of(const struct laying *l, int64_t weight)
{
	double cell = floor((double)weight / l->whole * l->opt->width + 0.5);

	return cell >= l->opt->width ? l->opt->width : cell > 0 ? (uint32_t)cell : 0;
}

static int put(struct laying *l, const struct rep_flame_bar *bar)
{
	struct rep_flame_cells *c = l->c;

	if (tp_grow_raw(&c->bar, &l->room, c->n, sizeof(*c->bar)))
		return TP_ENOMEM;
	if (bar->level >= c->nlevels) {
		if (tp_grow(&c->level, &l->level_room, c->nlevels + 1, sizeof(*c->level)))
			return TP_ENOMEM;
		c->level[c->nlevels++] = c->n;
	}
	c->bar[c->n++] = *bar;
	c->level[c->nlevels] = c->n;
	return 0;
}

/* Sums up n children of a node, from `kid` on. */
static void measure(const struct laying *l, const uint32_t *kid, uint32_t n,
		    struct rep_flame_bar *bar)
{
	const struct rep_flame_tree *t = l->t;
	double variance = 0;

	bar->weight = 0;
	for (int side = 0; side < REP_FLAME_SIDES; side++)
		bar->value[side] = 0;
	for (uint32_t i = 0; i < n; i++) {
		tp_sum(&bar->weight, rep_flame_weight(t, kid[i]));
		for (int side = 0; side < REP_FLAME_SIDES; side++)
			tp_sum(&bar->value[side], rep_flame_total(t, kid[i], side));
		variance += rep_flame_variance(t, kid[i]);
	}
	if (t->opt.compared)
		bar->step = rep_flame_change_step(bar->value, variance, l->opt->noise);
}

/* Lays out the children of a bar in its cells. */
static int lay_children(struct laying *l, uint32_t parent)
{
	struct rep_flame_bar up = l->c->bar[parent];
	uint32_t node = up.what.node, from = up.what.from, n = rep_flame_nchildren(l->o, node);
	const uint32_t *kid = l->o->child + l->o->first[node];
	uint32_t at = up.first, end = up.first + up.cells, begin = l->c->n, i = from;
	int64_t start = up.start;
	bool fine = !parent && is_fine(l);
	int code = 0;

	for (; i < n && !code; i++) {
		struct rep_flame_bar bar = {.what = {.node = kid[i]},
					    .level = up.level + 1,
					    .parent = parent,
					    .start = start};
		uint32_t first, last;
		bool narrow;

		measure(l, &kid[i], 1, &bar);
		tp_sum(&start, bar.weight);
		narrow = (double)bar.weight * l->opt->width < l->whole;
		first = cell_of(l, bar.start);
		last = cell_of(l, start);
		if (first < at)
			first = at;
		if (last > end)
			last = end;
		if (fine) {
			/* Keep the last cell for the merged bar. */
			narrow = at + 1 >= end && i + 1 < n;
			first = at;
			last = at + 1;
		} else if (i + 1 == n && last <= first && at < end) {
			/* A single one gets any remaining cell. */
			first = first < end ? first : end - 1;
			last = first + 1;
			narrow = false;
		} else if (i + 1 == n && last > first) {
			narrow = false;
		}
		if (narrow || last <= first)
			break;
		bar.first = first;
		bar.cells = last - first;
		at = last;
		code = put(l, &bar);
	}
	if (!code && i < n) {
		struct rep_flame_bar bar = {.what = {.node = node, .from = i},
					    .count = n - i,
					    .level = up.level + 1,
					    .parent = parent};
		uint32_t last;

		measure(l, &kid[i], n - i, &bar);
		bar.start = up.start;
		for (uint32_t k = begin; k < l->c->n; k++)
			tp_sum(&bar.start, l->c->bar[k].weight);
		start = bar.start;
		tp_sum(&start, bar.weight);
		last = cell_of(l, start);
		last = fine || last > end ? end : last;
		bar.first = at;
		bar.cells = last > at ? last - at : at < end ? 1 : 0;
		code = put(l, &bar);
	}
	l->c->bar[parent].child = begin;
	l->c->bar[parent].nchildren = l->c->n - begin;
	return code;
}

static struct rep_flame_bar first_bar(const struct laying *l)
{
	const struct rep_flame_zoom *z = &l->opt->zoom;
	struct rep_flame_bar bar = {.what = *z, .cells = l->opt->width};

	if (z->from) {
		bar.count = rep_flame_nchildren(l->o, z->node) - z->from;
		measure(l, l->o->child + l->o->first[z->node] + z->from, bar.count, &bar);
	} else {
		measure(l, &z->node, 1, &bar);
	}
	return bar;
}

int rep_flame_cells(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		    const struct rep_flame_cells_options *opt, struct rep_flame_cells *c,
		    struct tp_err *err)
{
	struct laying l = {.t = t, .o = o, .opt = opt, .c = c};
	struct rep_flame_bar first = first_bar(&l);
	int code;

	memset(c, 0, sizeof(*c));
	c->width = opt->width;
	l.whole = first.weight > 0 ? (double)first.weight : 1;
	code = put(&l, &first);
	/* Merged bars have no bars below them until they are zoomed into. */
	for (uint32_t i = 0; i < c->n && !code; i++)
		if (!i || !c->bar[i].count)
			code = lay_children(&l, i);
	return code ? tp_nomem(err) : 0;
}

void rep_flame_cells_release(struct rep_flame_cells *c)
{
	free(c->bar);
	free(c->level);
	memset(c, 0, sizeof(*c));
}

/* ---- moving ---- */

/* Returns the distance in cells between a bar and a cell; 0 inside the bar. */
static uint32_t distance(const struct rep_flame_bar *bar, uint32_t cell)
{
	if (cell < bar->first)
		return bar->first - cell;
	if (!bar->cells)
		return cell - bar->first + 1;
	return cell < bar->first + bar->cells ? 0 : cell - (bar->first + bar->cells - 1);
}

uint32_t rep_flame_cells_step(const struct rep_flame_cells *c, uint32_t bar,
			      enum rep_flame_step step, uint32_t *cell)
{
	const struct rep_flame_bar *b = &c->bar[bar];
	uint32_t to = bar;

	switch (step) {
	case REP_FLAME_PARENT:
		return b->parent;
	case REP_FLAME_CHILD:
		if (!b->nchildren)
			return bar;
		to = b->child;
		for (uint32_t i = to + 1; i < b->child + b->nchildren; i++)
			if (distance(&c->bar[i], *cell) < distance(&c->bar[to], *cell))
				to = i;
		return to;
	case REP_FLAME_BEFORE:
		if (bar > c->level[b->level])
			to = bar - 1;
		break;
	case REP_FLAME_BEHIND:
		if (bar + 1 < c->level[b->level + 1])
			to = bar + 1;
		break;
	}
	*cell = c->bar[to].first;
	return to;
}

uint32_t rep_flame_cells_at(const struct rep_flame_cells *c, uint32_t level, uint32_t cell)
{
	if (level >= c->nlevels)
		return UINT32_MAX;
	for (uint32_t i = c->level[level]; i < c->level[level + 1]; i++)
		if (c->bar[i].cells && !distance(&c->bar[i], cell))
			return i;
	return UINT32_MAX;
}

/* Returns the child bar of a node, else the merged bar, else the bar itself. */
static uint32_t find_child(const struct rep_flame_cells *c, uint32_t bar, uint32_t node)
{
	const struct rep_flame_bar *b = &c->bar[bar];
	uint32_t found = bar;

	for (uint32_t i = b->child; i < b->child + b->nchildren; i++) {
		if (c->bar[i].count)
			found = i;
		else if (c->bar[i].what.node == node)
			return i;
	}
	return found;
}

uint32_t rep_flame_cells_find(const struct rep_flame_cells *c, const struct rep_flame_tree *t,
			      struct rep_flame_zoom what)
{
	uint32_t bar = 0, node, below = what.node;

	/* Check that it is inside the zoomed part. */
	while (below && below != c->bar[0].what.node)
		below = t->node[below].parent;
	if (below != c->bar[0].what.node)
		return 0;
	/* Descend level by level to the node's ancestor there. */
	while (c->bar[bar].what.node != what.node) {
		uint32_t next;

		for (node = what.node; t->node[node].parent != c->bar[bar].what.node;)
			node = t->node[node].parent;
		next = find_child(c, bar, node);
		if (next == bar || c->bar[next].count)
			return next;
		bar = next;
	}
	for (uint32_t i = c->bar[bar].child;
	     what.from && i < c->bar[bar].child + c->bar[bar].nchildren; i++)
		if (c->bar[i].count)
			return i;
	return bar;
}
