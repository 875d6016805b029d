#include "tprof-tui/widget/order.h"

#include <stdlib.h>
#include <string.h>

/* What a row is sorted by: classes first, then the number, which for texts are the first bytes that
 * not all of them have in common. */
struct key {
	uint64_t number;
	uint32_t row;
	bool text, none;
};

struct sorting {
	const struct rep_sheet *s;
	int column;
	bool up;
};

/* ---- keys ---- */

static bool is_text(const struct rep_value *v)
{
	return v->type >= REP_TYPE_TEXT;
}

static bool is_none(const struct rep_value *v)
{
	return v->type == REP_TYPE_NULL || (v->type == REP_TYPE_FLOAT && v->f != v->f);
}

/* Unsigned numbers in the order of the doubles. */
static uint64_t of_double(double f)
{
	uint64_t bits;

	f += 0.0; /* there is one zero */
	memcpy(&bits, &f, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t of_text(const struct rep_value *v, size_t from)
{
	uint64_t n = 0;

	for (size_t i = 0; i < 8; i++)
		n = n << 8 | (from + i < v->text.size ? (unsigned char)v->text.data[from + i] : 0);
	return n;
}

/* Bytes that all texts begin with. */
static size_t common(const struct rep_sheet *s, int column, const uint32_t *rows, size_t n)
{
	const struct rep_value *first = NULL;
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rep_value *v = rep_sheet_at(s, rows[i], (size_t)column);
		size_t k = 0;

		if (!is_text(v))
			continue;
		if (!first) {
			first = v;
			same = v->text.size;
		}
		same = v->text.size < same ? v->text.size : same;
		if (v->text.data == first->text.data)
			continue;
		while (k < same && v->text.data[k] == first->text.data[k])
			k++;
		same = k;
	}
	return same;
}

static void make_keys(const struct sorting *o, const uint32_t *rows, size_t n, struct key *key)
{
	size_t same = common(o->s, o->column, rows, n);
	bool floats = false;

	for (size_t i = 0; i < n && !floats; i++)
		floats = rep_sheet_at(o->s, rows[i], (size_t)o->column)->type == REP_TYPE_FLOAT;
	for (size_t i = 0; i < n; i++) {
		const struct rep_value *v = rep_sheet_at(o->s, rows[i], (size_t)o->column);

		key[i] = (struct key){.row = rows[i], .none = is_none(v), .text = is_text(v)};
		if (key[i].none)
			continue;
		if (key[i].text)
			key[i].number = of_text(v, same);
		else if (floats)
			key[i].number = of_double(v->type == REP_TYPE_INT ? (double)v->i : v->f);
		else
			key[i].number = (uint64_t)v->i ^ (uint64_t)1 << 63;
	}
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct sorting *o = ctx;
	const struct key *a = pa, *b = pb;
	int c = 0;

	/* Nothing comes last, either way. */
	if (a->none != b->none)
		return a->none ? 1 : -1;
	if (a->text != b->text)
		c = a->text ? 1 : -1;
	else if (a->number != b->number)
		c = a->number < b->number ? -1 : 1;
	else if (a->text)
		c = rep_value_compare(rep_sheet_at(o->s, a->row, (size_t)o->column),
				      rep_sheet_at(o->s, b->row, (size_t)o->column));
	if (c)
		return o->up ? c : -c;
	/* As the report has it. */
	return a->row < b->row ? -1 : a->row > b->row;
}

static bool sort(const struct sorting *o, uint32_t *rows, size_t n)
{
	struct key *key;

	if (n < 2)
		return true;
	if (o->column < 0) {
		for (size_t i = 0; o->up && i < n / 2; i++) {
			uint32_t row = rows[i];

			rows[i] = rows[n - 1 - i];
			rows[n - 1 - i] = row;
		}
		return true;
	}
	key = malloc(n * sizeof(*key));
	if (!key)
		return false;
	make_keys(o, rows, n, key);
	qsort_r(key, n, sizeof(*key), compare, (void *)(uintptr_t)o);
	for (size_t i = 0; i < n; i++)
		rows[i] = key[i].row;
	free(key);
	return true;
}

/* ---- filter ---- */

/* Is the row shown, where what it is below of is? */
static bool is_open(const struct rep_sheet *s, uint32_t row)
{
	while (s->branch && s->branch[row].above) {
		const struct rep_branch *b = &s->branch[s->branch[row].above - 1];

		if (!b->open || row < b->first || row - b->first >= b->n)
			return false;
		row = s->branch[row].above - 1;
	}
	return true;
}

/* All that are above it hold what it does. */
static void mark_above(const struct rep_sheet *s, uint32_t row, unsigned char *held)
{
	if (!is_open(s, row))
		return;
	while (!held[row]) {
		held[row] = 1;
		if (!s->branch || !s->branch[row].above)
			return;
		row = s->branch[row].above - 1;
	}
}

/* One search over the texts of all rows: a match lies within one, as they end with a byte that is
 * in no text. */
static void mark(const struct rep_sheet *s, const char *part, unsigned char *held)
{
	const char *at = s->texts, *end = s->texts + s->text_end[s->indexed - 1], *found;
	size_t row = 0, n = strlen(part);

	while (at < end && (found = memmem(at, (size_t)(end - at), part, n)) != NULL) {
		while (s->text_end[row] <= (size_t)(found - s->texts))
			row++;
		mark_above(s, (uint32_t)row, held);
		at = s->texts + s->text_end[row];
	}
}

/* ---- rows below rows ---- */

struct place {
	uint32_t *rows;
	size_t n, at;
};

/* The rows of `from`, each with what is below it, to `to`. */
static size_t unfold(const struct sorting *o, const uint32_t *from, size_t nfrom, uint32_t *to)
{
	struct place *way = NULL;
	size_t depth = 0, room = 0, n = 0;
	bool failed = false;

	for (size_t i = 0; i < nfrom && !failed; i++) {
		uint32_t row = from[i];

		for (;;) {
			const struct rep_branch *b = &o->s->branch[row];

			to[n++] = row;
			if (b->open && b->n) {
				struct place *more = way;

				if (depth == room)
					more = realloc(way, (room = 2 * room + 8) * sizeof(*way));
				if (!more) {
					failed = true;
					break;
				}
				way = more;
				way[depth] =
				    (struct place){malloc(b->n * sizeof(uint32_t)), b->n, 0};
				if (!way[depth].rows) {
					failed = true;
					break;
				}
				for (uint32_t k = 0; k < b->n; k++)
					way[depth].rows[k] = b->first + k;
				failed = !sort(o, way[depth++].rows, b->n);
			}
			while (depth && way[depth - 1].at == way[depth - 1].n)
				free(way[--depth].rows);
			if (!depth || failed)
				break;
			row = way[depth - 1].rows[way[depth - 1].at++];
		}
	}
	while (depth)
		free(way[--depth].rows);
	free(way);
	return failed ? SIZE_MAX : n;
}

size_t tui_order_make(const struct rep_sheet *s, const struct tui_order *o, uint32_t *rows)
{
	struct sorting sorting = {.s = s, .column = o->column, .up = o->up};
	unsigned char *held = NULL;
	uint32_t *roots = rows;
	size_t n = 0;

	if (o->filter && *o->filter && s->indexed) {
		held = calloc(s->nrows, 1);
		if (!held)
			return SIZE_MAX;
		mark(s, o->filter, held);
	}
	if (s->branch) {
		roots = malloc((s->nrows + 1) * sizeof(*roots));
		if (!roots) {
			free(held);
			return SIZE_MAX;
		}
	}
	for (size_t i = 0; i < s->nrows; i++)
		if ((!s->branch || !s->branch[i].above) && (!held || held[i]))
			roots[n++] = (uint32_t)i;
	free(held);
	if (!sort(&sorting, roots, n))
		n = SIZE_MAX;
	if (roots == rows)
		return n;
	if (n != SIZE_MAX)
		n = unfold(&sorting, roots, n, rows);
	free(roots);
	return n;
}
