#include "output/cells.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "output/ops.h"

static char *keep(struct rep_cells *c, const char *text)
{
	return tp_arena_strndup(&c->arena, text, strlen(text));
}

/* Returns a column's heading, escaped: columns of SQL have names from the store. */
static char *keep_title(struct rep_cells *c, const struct rep_column *column)
{
	struct tp_buf text = {0};
	char *title = NULL;

	if (!rep_put_title(&text, column))
		title = tp_arena_strndup(&c->arena, text.data ? (char *)text.data : "", text.size);
	tp_buf_release(&text);
	return title;
}

static int keep_columns(struct rep_cells *c, struct rep_sheet *s, const struct rep_column *columns)
{
	s->columns = tp_arena_alloc(&c->arena, (s->ncolumns + 1) * sizeof(*columns));
	if (!s->columns)
		return TP_ENOMEM;
	for (size_t i = 0; i < s->ncolumns; i++) {
		s->columns[i] = columns[i];
		s->columns[i].name = keep(c, columns[i].name);
		s->columns[i].title = keep_title(c, &columns[i]);
		if (columns[i].by)
			s->columns[i].by = keep(c, columns[i].by);
		if (!s->columns[i].name || !s->columns[i].title ||
		    (columns[i].by && !s->columns[i].by))
			return TP_ENOMEM;
	}
	return 0;
}

static enum rep_kind kind_here(const struct rep_cells *c, enum rep_kind kind)
{
	return c->ticks && kind == REP_NS ? REP_COUNT : kind;
}

static int begin(struct rep_output *out, const char *name)
{
	struct rep_cells *c = out->priv;
	struct rep_sheet *s;

	if (tp_grow(&c->sheet, &c->room, c->n, sizeof(*c->sheet)))
		return TP_ENOMEM;
	s = &c->sheet[c->n];
	*s = (struct rep_sheet){
	    .name = keep(c, name), .ncolumns = out->ncolumns, .notes = c->nnotes};
	if (!s->name || keep_columns(c, s, out->columns))
		return TP_ENOMEM;
	for (size_t i = 0; i < s->ncolumns; i++)
		s->columns[i].kind = kind_here(c, s->columns[i].kind);
	c->n++;
	return 0;
}

/* ---- texts ---- */

/* Stores the text of a value. */
static int intern(struct rep_cells *c, struct rep_value *v)
{
	uint64_t hash = tp_hash_bytes(0, v->text.data, v->text.size);

	for (struct tp_probe p = {0}; tp_table_next(&c->by_text, hash, &p);) {
		const struct rep_value *known = &c->text[p.row];

		if (known->text.size != v->text.size ||
		    (v->text.size && memcmp(known->text.data, v->text.data, v->text.size) != 0))
			continue;
		v->text.data = known->text.data;
		return 0;
	}
	v->text.data = tp_arena_strndup(&c->arena, v->text.data, v->text.size);
	if (!v->text.data || tp_grow_raw(&c->text, &c->text_room, c->ntexts, sizeof(*c->text)) ||
	    tp_table_add(&c->by_text, hash, c->ntexts))
		return TP_ENOMEM;
	c->text[c->ntexts++] = *v;
	return 0;
}

/* ---- rows ---- */

static int make_room(struct rep_sheet *s)
{
	size_t room = s->room ? 2 * s->room : 64;
	struct rep_value *more;
	struct rep_branch *branch;

	if (s->nrows < s->room)
		return 0;
	if (room > UINT32_MAX || room > SIZE_MAX / sizeof(*more) / (s->ncolumns + 1))
		return TP_ENOMEM;
	more = realloc(s->values, room * (s->ncolumns + 1) * sizeof(*more));
	if (!more)
		return TP_ENOMEM;
	s->values = more;
	if (s->branch) {
		branch = realloc(s->branch, room * sizeof(*branch));
		if (!branch)
			return TP_ENOMEM;
		s->branch = branch;
	}
	s->room = room;
	return 0;
}

int rep_sheet_put(struct rep_cells *c, struct rep_sheet *s, const struct rep_value *values)
{
	struct rep_value *to;
	int code = make_room(s);

	if (code)
		return code;
	to = s->values + s->nrows * s->ncolumns;
	for (size_t i = 0; i < s->ncolumns && !code; i++) {
		to[i] = values[i];
		if (values[i].type >= REP_TYPE_TEXT)
			code = intern(c, &to[i]);
	}
	if (code)
		return code;
	if (s->branch)
		s->branch[s->nrows] = (struct rep_branch){0};
	s->nrows++;
	return 0;
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	struct rep_cells *c = out->priv;
	size_t size = 0;

	for (size_t i = 0; i < out->ncolumns; i++)
		if (values[i].type >= REP_TYPE_TEXT)
			size += values[i].text.size;
	if ((c->most_rows && c->rows >= c->most_rows) ||
	    (c->most_bytes && size > c->most_bytes - c->bytes)) {
		c->cut = true;
		return tp_err_set(&out->err, TP_ECANCEL, TP_OFFSET_NONE, "too many rows");
	}
	c->bytes += size;
	c->rows++;
	return rep_sheet_put(c, &c->sheet[c->n - 1], values);
}

static int note(struct rep_output *out, bool strong, const char *text)
{
	struct rep_cells *c = out->priv;

	if (tp_grow(&c->note, &c->note_room, c->nnotes, sizeof(*c->note)) ||
	    tp_grow(&c->strong, &c->strong_room, c->nnotes, sizeof(*c->strong)))
		return TP_ENOMEM;
	c->strong[c->nnotes] = strong;
	c->note[c->nnotes] = keep(c, text);
	return c->note[c->nnotes++] ? 0 : TP_ENOMEM;
}

static const struct rep_output_ops kept = {.begin = begin, .row = row, .note = note};

int rep_cells_output(struct rep_cells *cells, struct rep_output **out, struct tp_err *err)
{
	struct rep_output_options opt = {.format = REP_FORMAT_TABLE,
					 .width = cells->chart_width,
					 .ascii = cells->chart_ascii,
					 .several = true,
					 .keeps_raw = true};
	int code;

	if (cells->chart_width)
		opt.sink = rep_sink_buf(&cells->chart);
	code = rep_output_new(out, &opt, err);

	if (code)
		return code;
	(*out)->ops = &kept;
	(*out)->priv = cells;
	return 0;
}

void rep_cells_release(struct rep_cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		rep_sheet_release(&c->sheet[i]);
	free(c->sheet);
	free(c->text);
	tp_table_release(&c->by_text);
	tp_buf_release(&c->chart);
	free(c->note);
	free(c->strong);
	tp_arena_clear(&c->arena);
	*c = (struct rep_cells){0};
}

int rep_sheet_column(const struct rep_sheet *s, const char *name)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (!strcmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

const struct rep_value *rep_sheet_cell(const struct rep_sheet *s, long row, const char *column)
{
	int c = s && row >= 0 && (size_t)row < s->nrows ? rep_sheet_column(s, column) : -1;

	return c < 0 ? NULL : rep_sheet_at(s, (size_t)row, (size_t)c);
}

bool rep_value_is_text(const struct rep_value *v)
{
	return v && v->type == REP_TYPE_TEXT && v->text.size;
}

bool rep_value_is(const struct rep_value *v, const char *text)
{
	return rep_value_is_text(v) && v->text.size == strlen(text) &&
	       !memcmp(v->text.data, text, v->text.size);
}

bool rep_sheet_unchanged(const struct rep_sheet *s, long row)
{
	const struct rep_value *verdict = rep_sheet_cell(s, row, "verdict");

	return verdict && !rep_value_is(verdict, "changed") && !rep_value_is(verdict, "differs");
}

double rep_value_number(const struct rep_value *v)
{
	return !v			   ? 0
	       : v->type == REP_TYPE_INT   ? (double)v->i
	       : v->type == REP_TYPE_FLOAT ? v->f
					   : 0;
}

bool rep_text_holds(const char *text, size_t size, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= size; i++) {
		size_t k = 0;

		while (k < n && tolower((unsigned char)text[i + k]) == (unsigned char)part[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

char *rep_text_lower(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

char *rep_value_shown(const struct rep_value *v, enum rep_kind kind, char *text, size_t size)
{
	struct tp_buf b = {0};
	size_t n = 0;

	if (v && !rep_put_shown(&b, kind, v)) {
		n = b.size < size ? b.size : size - 1;
		while (n && n < b.size && (b.data[n] & 0xc0) == 0x80)
			n--;
		if (n)
			memcpy(text, b.data, n);
	}
	text[n] = '\0';
	tp_buf_release(&b);
	return text;
}

/* ---- order ---- */

/* Returns the class for sorting: NULL, numbers, texts. */
static int class_of(const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		return 1;
	case REP_TYPE_FLOAT:
		return isnan(v->f) ? 0 : 1;
	case REP_TYPE_TEXT:
	case REP_TYPE_BLOB:
	case REP_TYPE_ABSENT:
		return 2;
	case REP_TYPE_NULL:
		break;
	}
	return 0;
}

static int compare_numbers(const struct rep_value *a, const struct rep_value *b)
{
	double x, y;

	if (a->type == REP_TYPE_INT && b->type == REP_TYPE_INT)
		return a->i < b->i ? -1 : a->i > b->i;
	x = a->type == REP_TYPE_INT ? (double)a->i : a->f;
	y = b->type == REP_TYPE_INT ? (double)b->i : b->f;
	return x < y ? -1 : x > y;
}

int rep_value_compare(const struct rep_value *a, const struct rep_value *b)
{
	int ca = class_of(a), cb = class_of(b), c;
	size_t n;

	if (ca != cb)
		return ca < cb ? -1 : 1;
	if (ca == 0)
		return 0;
	if (ca == 1)
		return compare_numbers(a, b);
	n = a->text.size < b->text.size ? a->text.size : b->text.size;
	c = n ? memcmp(a->text.data, b->text.data, n) : 0;
	return c ? c : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

/* ---- SQL results ---- */

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);

	return n >= m && !strcmp(text + n - m, with);
}

static enum rep_kind kind_of(const char *name)
{
	static const char *const counts[] = {"events", "count", "regions", "logs", "values"};
	static const char *const ids[] = {"goroutine", "task", "parent", "p", "m"};

	if (ends(name, "_ns"))
		return REP_NS;
	if (ends(name, "bytes"))
		return REP_BYTES;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!strcmp(name, counts[i]))
			return REP_COUNT;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (!strcmp(name, ids[i]))
			return REP_ID;
	return REP_TEXT;
}

/* Returns the heading of a column: LASTED for "dur_ns", CREATED for "created_ns". */
static char *title_of(struct rep_cells *c, const char *name)
{
	static const struct {
		const char *name, *title;
	} titles[] = {{"dur_ns", "LASTED"}, {"start_ns", "AT"}, {"at_ns", "AT"}, {"ts_ns", "AT"}};
	char *title;
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(name, titles[i].name))
			return keep(c, titles[i].title);
	if (ends(name, "_ns"))
		n -= 3;
	title = tp_arena_strndup(&c->arena, name, n);
	for (char *at = title; at && *at; at++)
		*at = *at == '_' ? ' ' : (char)toupper((unsigned char)*at);
	return title;
}

int rep_cells_dress(struct rep_cells *cells, const char *name, struct tp_err *err)
{
	struct rep_sheet *s = &cells->sheet[0];

	if (!cells->n)
		return 0;
	s->name = keep(cells, name);
	if (!s->name)
		return tp_nomem(err);
	for (size_t i = 0; i < s->ncolumns; i++) {
		struct rep_column *c = &s->columns[i];

		c->kind = kind_here(cells, kind_of(c->name));
		c->title = title_of(cells, c->name);
		/* The column is the same in all rows: the goroutine of the query. */
		c->raw_only = !strcmp(c->name, "goroutine") && strcmp(name, "children") != 0;
		if (!c->title)
			return tp_nomem(err);
	}
	return 0;
}
