/* The rows of a sheet that a table shows, in order: filtered, sorted, and unfolded rows after
 * the row that they belong to. A hundred thousand rows take 30 ms, 70 ms by a column of texts. */
#include "tprof-tui/widget/inside.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
	const struct rep_sheet *s;
	const struct tui_order *order;
};

/* ---- sorting ---- */

static bool is_none(const struct rep_value *v)
{
	return v->type == REP_TYPE_NULL || (v->type == REP_TYPE_FLOAT && v->f != v->f);
}

/* Compares rows that are below the same row. */
static int compare_cells(const struct sorting *o, uint32_t a, uint32_t b)
{
	int in_order = a < b ? -1 : a > b, c = 0;
	const struct rep_value *x, *y;

	if (o->order->column < 0)
		return o->order->up ? -in_order : in_order;
	x = rep_sheet_at(o->s, a, (size_t)o->order->column);
	y = rep_sheet_at(o->s, b, (size_t)o->order->column);
	if (x->type == REP_TYPE_INT && y->type == REP_TYPE_INT)
		c = (x->i > y->i) - (x->i < y->i);
	else if (is_none(x) != is_none(y))
		return is_none(x) ? 1 : -1; /* nothing comes last, either way */
	else if (!is_none(x))
		c = rep_value_compare(x, y);
	return !c ? in_order : o->order->up ? c : -c;
}

/* A row is followed by what is below it. */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sorting *o = ctx;
	const struct rep_branch *branch = o->s->branch;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb, x = a, y = b;

	if (!branch)
		return compare_cells(o, a, b);
	while (branch[x].depth > branch[y].depth)
		x = branch[x].above - 1;
	while (branch[y].depth > branch[x].depth)
		y = branch[y].above - 1;
	if (x == y)
		return branch[a].depth < branch[b].depth ? -1 : a != b;
	while (branch[x].above != branch[y].above) {
		x = branch[x].above - 1;
		y = branch[y].above - 1;
	}
	return compare_cells(o, x, y);
}

/* ---- what is shown ---- */

#define FOLDED UINT32_MAX

/* Returns the row of the report that a row is below of; FOLDED if it is not shown there. */
static uint32_t root_of(const struct rep_sheet *s, uint32_t row)
{
	while (s->branch && s->branch[row].above) {
		const struct rep_branch *b = &s->branch[s->branch[row].above - 1];

		if (!b->open || row < b->first || row - b->first >= b->n)
			return FOLDED;
		row = s->branch[row].above - 1;
	}
	return row;
}

/* Marks the roots that hold the text, or have a row below that does. One search over the texts of
 * all rows: a match lies within one, as they end with a byte that is in no text. */
static void mark(const struct rep_sheet *s, const char *part, unsigned char *held)
{
	const char *at = s->texts, *end = s->texts + s->text_end[s->indexed - 1], *found;
	size_t row = 0, n = strlen(part);

	while (at < end && (found = memmem(at, (size_t)(end - at), part, n)) != NULL) {
		uint32_t root;

		while (s->text_end[row] <= (size_t)(found - s->texts))
			row++;
		root = root_of(s, (uint32_t)row);
		if (root != FOLDED)
			held[root] = 1;
		at = s->texts + s->text_end[row];
	}
}

size_t tui_order_make(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows)
{
	struct sorting sorting = {s, o};
	unsigned char *held = NULL;
	size_t n = 0;

	if (o->filter && *o->filter && s->indexed) {
		held = calloc(s->nrows, 1);
		if (!held)
			return SIZE_MAX;
		mark(s, o->filter, held);
	}
	for (uint32_t i = 0; i < s->nrows; i++) {
		uint32_t root = root_of(s, i);

		if (root != FOLDED && (!held || held[root]))
			rows[n++] = i;
	}
	free(held);
	if (o->column >= 0 || o->up || s->branch)
		qsort_r(rows, n, sizeof(*rows), compare, &sorting);
	return n;
}
