#include "page/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "output/ops.h"

/* ---- keeping ---- */

static int on_begin(void *ctx, const char *name, const struct rep_column *columns, size_t ncolumns,
		    struct tp_err *err)
{
	struct page_tables *all = ctx;
	struct page_table *t;

	if (tp_grow(&all->table, &all->room, all->n, sizeof(*all->table)))
		return tp_nomem(err);
	t = &all->table[all->n];
	*t = (struct page_table){.ncolumns = ncolumns};
	t->name = tp_arena_strndup(&all->arena, name, strlen(name));
	t->columns = tp_arena_alloc(&all->arena, (ncolumns + 1) * sizeof(*t->columns));
	if (!t->name || !t->columns)
		return tp_nomem(err);
	memcpy(t->columns, columns, ncolumns * sizeof(*columns));
	for (size_t i = 0; i < ncolumns; i++) {
		const char *title = columns[i].title ? columns[i].title : columns[i].name;

		t->columns[i].name =
		    tp_arena_strndup(&all->arena, columns[i].name, strlen(columns[i].name));
		t->columns[i].title = tp_arena_strndup(&all->arena, title, strlen(title));
		if (!t->columns[i].name || !t->columns[i].title)
			return tp_nomem(err);
	}
	all->n++;
	all->between = false;
	memcpy(t->lead, all->pending, all->npending * sizeof(t->lead[0]));
	t->nleads = all->npending;
	all->npending = 0;
	return 0;
}

static int on_row(void *ctx, const struct rep_value *values, struct tp_err *err)
{
	struct page_tables *all = ctx;
	struct page_table *t = &all->table[all->n - 1];
	struct rep_value *to;

	if (tp_grow_raw(&t->values, &t->room, t->nrows, (t->ncolumns + 1) * sizeof(*t->values)))
		return tp_nomem(err);
	to = t->values + t->nrows * t->ncolumns;
	for (size_t i = 0; i < t->ncolumns; i++) {
		to[i] = values[i];
		if (values[i].type != REP_TYPE_TEXT && values[i].type != REP_TYPE_BLOB)
			continue;
		to[i].text.data =
		    tp_arena_strndup(&all->arena, values[i].text.data, values[i].text.size);
		if (!to[i].text.data)
			return tp_nomem(err);
	}
	t->nrows++;
	return 0;
}

/* Headings and blank lines are not wanted. */
static int on_note(void *ctx, bool strong, const char *text, struct tp_err *err)
{
	struct page_tables *all = ctx;
	struct page_table *t = all->n && !all->between ? &all->table[all->n - 1] : NULL;
	size_t *n = t ? &t->nnotes : &all->npending;
	size_t most = t ? sizeof(t->note) / sizeof(t->note[0])
			: sizeof(all->pending) / sizeof(all->pending[0]);
	char *kept;

	if (strong || !*text || *n == most)
		return 0;
	kept = tp_arena_strndup(&all->arena, text, strlen(text));
	if (!kept)
		return tp_nomem(err);
	if (t)
		t->note[(*n)++] = kept;
	else
		all->pending[(*n)++] = kept;
	return 0;
}

void page_tables_next(struct page_tables *tables)
{
	tables->between = true;
	tables->npending = 0;
}

int page_tables_output(struct page_tables *tables, struct rep_output **out, struct tp_err *err)
{
	const struct rep_output_visitor visitor = {
	    .begin = on_begin, .row = on_row, .note = on_note, .ctx = tables};

	return rep_output_new_visitor(out, &visitor, err);
}

void page_tables_release(struct page_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++)
		free(tables->table[i].values);
	free(tables->table);
	tp_arena_clear(&tables->arena);
	*tables = (struct page_tables){0};
}

/* ---- looking ---- */

const struct page_table *page_table_find(const struct page_tables *tables, const char *name)
{
	for (size_t i = 0; i < tables->n; i++) {
		if (!strcmp(tables->table[i].name, name))
			return &tables->table[i];
	}
	return NULL;
}

struct rep_value page_cell(const struct page_table *t, size_t row, const char *column)
{
	for (size_t i = 0; t && row < t->nrows && i < t->ncolumns; i++) {
		if (!strcmp(t->columns[i].name, column))
			return t->values[row * t->ncolumns + i];
	}
	return rep_null();
}

int64_t page_cell_int(const struct page_table *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	return v.type == REP_TYPE_INT ? v.i : 0;
}

double page_cell_float(const struct page_table *t, size_t row, const char *column)
{
	struct rep_value v = page_cell(t, row, column);

	if (v.type == REP_TYPE_INT)
		return (double)v.i;
	return v.type == REP_TYPE_FLOAT && isfinite(v.f) ? v.f : 0;
}

/* ---- showing ---- */

/* How a column is set: numbers to the right, short texts in a narrow one, so that long ones have
 * the rest; differences with their sign. */
struct look {
	bool shown, right, narrow, signs, colours;
};

#define NARROW 26 /* bytes of a text that need not be broken */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static struct look look_of(const struct page_table *t, size_t column)
{
	const struct rep_column *c = &t->columns[column];
	struct look l = {
	    .shown = !c->raw_only,
	    .right = c->right || (c->kind != REP_TEXT && c->kind != REP_BOOL && c->kind != REP_ANY),
	    .signs = ends_with(c->name, "delta") || ends_with(c->name, "change"),
	    .colours = ends_with(c->name, "delta"),
	    .narrow = true,
	};

	for (size_t row = 0; row < t->nrows && l.narrow; row++) {
		const struct rep_value *v = &t->values[row * t->ncolumns + column];

		l.narrow = v->type != REP_TYPE_TEXT || v->text.size <= NARROW;
	}
	return l;
}

static void write_head(struct html *h, const struct page_table *t, const struct look *look)
{
	html_put(h, "<thead><tr>");
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (!look[i].shown)
			continue;
		html_put(h,
			 look[i].right ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		html_str(h, t->columns[i].title);
		html_put(h, "</th>");
	}
	html_put(h, "</tr></thead>\n<tbody>\n");
}

static void write_cell(struct html *h, const struct rep_column *c, const struct look *l,
		       const struct rep_value *v)
{
	bool number = (v->type == REP_TYPE_INT || (v->type == REP_TYPE_FLOAT && isfinite(v->f))) &&
		      c->kind != REP_BOOL;
	double value = !number ? 0 : v->type == REP_TYPE_INT ? (double)v->i : v->f;

	/* End tags of cells and rows may be left out, says HTML; there are many. */
	html_put(h, "<td");
	if (l->right && l->colours && value != 0)
		html_put(h, value > 0 ? " class=\"n up\"" : " class=\"n down\"");
	else if (l->right || l->narrow)
		html_put(h, l->right ? " class=\"n\"" : " class=\"t\"");
	if (number && v->type == REP_TYPE_INT)
		html_f(h, " data-v=\"%lld\"", (long long)v->i);
	else if (number)
		html_f(h, " data-v=\"%.6g\"", v->f);
	html_put(h, l->right && l->signs && value > 0 ? ">+" : ">");
	html_value(h, c->kind, v);
}

void page_table_write(struct html *h, const struct page_table *t, const char *caption)
{
	struct look *look = calloc(t->ncolumns + 1, sizeof(*look));

	if (!look) {
		h->code = TP_ENOMEM;
		return;
	}
	for (size_t i = 0; i < t->ncolumns; i++)
		look[i] = look_of(t, i);
	for (size_t i = 0; i < t->nleads; i++) {
		html_put(h, "<p>");
		html_str(h, t->lead[i]);
		html_put(h, "</p>\n");
	}
	html_put(h, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
	html_attribute(h, "aria-label", caption);
	html_put(h, "><table class=\"data\">\n<caption>");
	html_str(h, caption);
	html_put(h, "</caption>\n");
	write_head(h, t, look);
	for (size_t row = 0; row < t->nrows; row++) {
		html_put(h, "<tr>");
		for (size_t i = 0; i < t->ncolumns; i++) {
			if (look[i].shown)
				write_cell(h, &t->columns[i], &look[i],
					   &t->values[row * t->ncolumns + i]);
		}
		html_put(h, "\n");
	}
	html_put(h, "</tbody></table></div>\n");
	for (size_t i = 0; i < t->nnotes; i++) {
		html_put(h, "<p class=\"note\">");
		html_str(h, t->note[i]);
		html_put(h, "</p>\n");
	}
	free(look);
}
