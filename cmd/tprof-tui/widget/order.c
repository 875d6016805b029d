/* Makes the list of a sheet's rows that a table shows: filtered and sorted, with unfolded rows after the
 * row that they belong to. */
#include "tprof-tui/widget/inside.h"

#include <stdlib.h>
#include <string.h>

/* The sort key of a cell: a number, or the eight bytes of a text that follow the common prefix of all texts
 * in the column. With it, most comparisons need not read cells. */
struct key {
	uint64_t number;
	uint32_t row;
	enum { NUMBER, TEXT, NONE } class;
};

struct sorting {
	const struct rep_sheet *s;
	const struct tui_order *order;
	struct key *key; /* by row */
};

/* ---- keys ---- */

static uint64_t of_double(double f)
{
	uint64_t bits;

	f += 0.0; /* -0.0 becomes 0.0 */
	memcpy(&bits, &f, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t of_text(const struct rep_value *v, size_t from)
{
	uint64_t n = 0;

	for (size_t i = from; i < from + 8; i++)
		n = n << 8 | (i < v->text.size ? (unsigned char)v->text.data[i] : 0);
	return n;
}

/* Returns the length of the common prefix of two texts, at most `most`. */
static size_t common(const struct rep_value *a, const struct rep_value *b, size_t most)
{
	size_t n = 0;

	while (n < most && n < a->text.size && n < b->text.size &&
	       a->text.data[n] == b->text.data[n])
		n++;
	return n;
}

static struct key make_key(const struct rep_value *v, uint32_t row, size_t same, bool floats)
{
	if (v->type >= REP_TYPE_TEXT)
		return (struct key){of_text(v, same), row, TEXT};
	if (v->type == REP_TYPE_NULL || (v->type == REP_TYPE_FLOAT && v->f != v->f))
		return (struct key){0, row, NONE};
	if (floats)
		return (struct key){of_double(v->type == REP_TYPE_INT ? (double)v->i : v->f), row,
				    NUMBER};
	return (struct key){(uint64_t)v->i ^ (uint64_t)1 << 63, row, NUMBER};
}

static void make_keys(struct sorting *o)
{
	const struct rep_value *first = NULL;
	size_t column = (size_t)o->order->column, same = SIZE_MAX;
	bool floats = false;

	if (o->order->column < 0) { /* the order of the report, or with `up` the reverse */
		for (uint32_t i = 0; i < o->s->nrows; i++)
			o->key[i] = (struct key){~(uint64_t)i, i, NUMBER};
		return;
	}
	for (size_t i = 0; i < o->s->nrows; i++) {
		const struct rep_value *v = rep_sheet_at(o->s, i, column);

		floats |= v->type == REP_TYPE_FLOAT;
		if (v->type < REP_TYPE_TEXT)
			continue;
		first = first ? first : v;
		same = common(first, v, same);
	}
	for (uint32_t i = 0; i < o->s->nrows; i++)
		o->key[i] = make_key(rep_sheet_at(o->s, i, column), i, same, floats);
}

/* ---- sorting ---- */

/* Compares rows of the report, or rows that are unfolded from the same row. */
static int compare_keys(const struct sorting *o, const struct key *x, const struct key *y)
{
	size_t column = (size_t)o->order->column;
	int c = 0;

	if (x->class != y->class && (x->class == NONE || y->class == NONE))
		return x->class == NONE ? 1 : -1; /* empty cells come last in both directions */
	if (x->class != y->class)
		c = x->class == TEXT ? 1 : -1;
	else if (x->number != y->number)
		c = x->number < y->number ? -1 : 1;
	else if (x->class == TEXT)
		c = rep_value_compare(rep_sheet_at(o->s, x->row, column),
				      rep_sheet_at(o->s, y->row, column));
	if (!c)
		return x->row < y->row ? -1 : x->row > y->row;
	return o->order->up ? c : -c;
}

/* Compares rows so that each is followed by the rows that it is unfolded into. */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sorting *o = ctx;
	const struct rep_branch *branch = o->s->branch;
	uint32_t a = ((const struct key *)pa)->row, b = ((const struct key *)pb)->row, x = a, y = b;

	if (!branch)
		return compare_keys(o, pa, pb);
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
	return compare_keys(o, &o->key[x], &o->key[y]);
}

static bool sort(const struct rep_sheet *s, const struct tui_order *order, uint32_t *rows, size_t n)
{
	struct sorting o = {s, order, malloc((s->nrows + n + 1) * sizeof(*o.key))};
	struct key *shown;

	if (!o.key)
		return false;
	make_keys(&o);
	shown = o.key + s->nrows;
	for (size_t i = 0; i < n; i++)
		shown[i] = o.key[rows[i]];
	qsort_r(shown, n, sizeof(*shown), compare, &o);
	for (size_t i = 0; i < n; i++)
		rows[i] = shown[i].row;
	free(o.key);
	return true;
}

/* ---- visible rows ---- */

#define FOLDED UINT32_MAX

/* Returns the row of the report that a row was unfolded from, directly or not, or the row itself; FOLDED
 * if the row is hidden. */
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

/* Marks the roots of rows that contain the text. The texts of all rows are searched at once: each ends with
 * a byte that no text contains, so a match never spans two rows. */
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
	if ((o->column >= 0 || o->up || s->branch) && !sort(s, o, rows, n))
		return SIZE_MAX;
	return n;
}
