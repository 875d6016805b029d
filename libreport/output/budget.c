#include "output/budget.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/many.h"
#include "base/units.h"

#define FIRST_ROWS 3 /* rows of each table that come before notes */

struct piece {
	enum rep_piece kind;
	bool lost, taken; /* not kept, as it was too large; to be written */
	size_t at, size;  /* in budget.text */
};

struct table {
	char *name;	 /* NULL: lines without marks */
	size_t head;	 /* its piece; SIZE_MAX: none */
	size_t first, n; /* the pieces of its kept rows */
	size_t taken;	 /* so many of them are to be written */
	size_t rows;	 /* all rows */
	size_t kept;	 /* bytes of the kept ones */
	bool full;	 /* a row was not kept, so none after it is */
};

struct rep_budget {
	size_t limit;
	size_t total;		     /* bytes of all pieces */
	size_t fixed;		     /* of those that are not rows */
	size_t kept;		     /* of those of them that are kept */
	size_t room;		     /* at the end: bytes left for further pieces */
	struct tp_buf text, pending; /* of kept pieces; not marked yet */
	struct piece *piece;
	struct table *table;
	size_t npieces, piece_room, ntables, table_room;
	bool marked; /* there are marks, so text without them is no list of lines */
};

int rep_budget_new(struct rep_budget **budget, int64_t bytes, struct tp_err *err)
{
	*budget = calloc(1, sizeof(**budget));
	if (!*budget)
		return tp_nomem(err);
	(*budget)->limit = (size_t)bytes;
	return 0;
}

static void clear(struct rep_budget *b)
{
	for (size_t i = 0; i < b->ntables; i++)
		free(b->table[i].name);
	free(b->table);
	free(b->piece);
	tp_buf_release(&b->text);
	tp_buf_release(&b->pending);
	*b = (struct rep_budget){.limit = b->limit};
}

void rep_budget_free(struct rep_budget *b)
{
	if (b)
		clear(b);
	free(b);
}

/* ---- keeping ---- */

static int add(struct rep_budget *b, enum rep_piece kind, const uint8_t *data, size_t size,
	       bool lost)
{
	if (tp_grow_raw(&b->piece, &b->piece_room, b->npieces, sizeof(*b->piece)) ||
	    tp_buf_put(&b->text, data, lost ? 0 : size))
		return TP_ENOMEM;
	b->piece[b->npieces++] = (struct piece){
	    .kind = kind, .lost = lost, .at = b->text.size - (lost ? 0 : size), .size = size};
	return 0;
}

static int begin_table(struct rep_budget *b, const char *name, size_t head)
{
	char *copy = name ? strdup(name) : NULL;

	if ((name && !copy) || tp_grow(&b->table, &b->table_room, b->ntables, sizeof(*b->table))) {
		free(copy);
		return TP_ENOMEM;
	}
	b->table[b->ntables++] = (struct table){.name = copy, .head = head, .first = b->npieces};
	return 0;
}

static int add_row(struct rep_budget *b, const uint8_t *data, size_t size)
{
	struct table *t = b->ntables ? &b->table[b->ntables - 1] : NULL;

	/* The rows of a table are one after the other. */
	if (!t || (!t->full && t->first + t->n != b->npieces)) {
		if (begin_table(b, "rows", SIZE_MAX))
			return TP_ENOMEM;
		t = &b->table[b->ntables - 1];
	}
	b->total += size;
	t->rows++;
	t->full |= size > b->limit - t->kept;
	if (t->full)
		return 0;
	t->kept += size;
	t->n++;
	return add(b, REP_PIECE_ROW, data, size, false);
}

static int add_fixed(struct rep_budget *b, enum rep_piece kind, const char *name,
		     const uint8_t *data, size_t size)
{
	bool lost = size > b->limit - b->kept;
	int code = add(b, kind, data, size, lost);

	b->total += size;
	b->fixed += size;
	b->kept += lost ? 0 : size;
	return code || kind != REP_PIECE_TABLE ? code : begin_table(b, name, b->npieces - 1);
}

/* Adds pending text, which has no marks, as lines. */
static int add_lines(struct rep_budget *b)
{
	const uint8_t *data = b->pending.data;
	size_t left = b->pending.size;
	int code = left && !b->ntables ? begin_table(b, NULL, SIZE_MAX) : 0;

	while (left && !code) {
		const uint8_t *end = memchr(data, '\n', left);
		size_t n = end ? (size_t)(end - data) + 1 : left;

		code = add_row(b, data, n);
		data += n;
		left -= n;
	}
	b->pending.size = 0;
	return code;
}

static int keep(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct rep_budget *b = ctx;
	const uint8_t *end;
	int code = tp_buf_put(&b->pending, data, size);

	/* Only whole lines are added before the end. */
	if (!code && !b->marked && b->pending.size > b->limit &&
	    (end = memrchr(b->pending.data, '\n', b->pending.size))) {
		struct tp_buf rest = {0};

		code = tp_buf_put(&rest, end + 1,
				  (size_t)(b->pending.data + b->pending.size - end) - 1);
		b->pending.size = (size_t)(end - b->pending.data) + 1;
		code = code ? code : add_lines(b);
		tp_buf_release(&b->pending);
		b->pending = rest;
	}
	return code ? tp_nomem(err) : 0;
}

static int mark(void *ctx, enum rep_piece kind, const char *name, struct tp_err *err)
{
	struct rep_budget *b = ctx;
	size_t size = b->pending.size;
	int code = 0;

	b->marked = true;
	if (kind == REP_PIECE_ROW)
		code = size ? add_row(b, b->pending.data, size) : 0;
	else if (size || kind == REP_PIECE_TABLE || kind == REP_PIECE_CUT)
		code = add_fixed(b, kind, name, b->pending.data, size);
	b->pending.size = 0;
	return code ? tp_nomem(err) : 0;
}

struct rep_sink rep_budget_sink(struct rep_budget *budget)
{
	return (struct rep_sink){.write = keep, .mark = mark, .ctx = budget};
}

/* ---- choosing ---- */

static bool take(struct rep_budget *b, size_t i)
{
	struct piece *p = &b->piece[i];

	if (p->lost || p->size > b->room)
		return false;
	b->room -= p->size;
	return p->taken = true;
}

/* Takes one row of each table after the other, until no more fit or each has `most`. `open` has
 * room for all tables. */
static void take_rows(struct rep_budget *b, size_t *open, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < b->ntables; i++)
		if (b->table[i].head == SIZE_MAX || b->piece[b->table[i].head].taken)
			open[n++] = i;
	while (n) {
		size_t still = 0;

		for (size_t i = 0; i < n; i++) {
			struct table *t = &b->table[open[i]];

			if (t->taken == t->n || t->taken >= most)
				continue;
			if (take(b, t->first + t->taken)) {
				t->taken++;
				open[still++] = open[i];
			} else {
				t->n = t->taken;
			}
		}
		n = still;
	}
}

/* Takes the heading of a table with the heading above it and the first row: one alone says little. */
static bool take_head(struct rep_budget *b, struct table *t)
{
	bool above = t->head && b->piece[t->head - 1].kind == REP_PIECE_HEAD;
	size_t from = t->head - above, to = t->head + (t->n > 0), size = 0;

	for (size_t i = from; i <= to; i++)
		size += b->piece[i].lost ? b->limit : b->piece[i].size;
	if (size > b->room)
		return false;
	for (size_t i = from; i <= to; i++)
		take(b, i);
	t->taken = t->n > 0;
	return true;
}

/* Takes headings in their order, until one does not fit. */
static void take_heads(struct rep_budget *b)
{
	struct table *t = b->table;
	bool fits = true;

	for (size_t i = 0; i < b->npieces && fits; i++) {
		bool above = i + 1 < b->npieces && b->piece[i + 1].kind == REP_PIECE_TABLE;

		if (b->piece[i].kind == REP_PIECE_TABLE)
			fits = take_head(b, t++);
		else if (b->piece[i].kind == REP_PIECE_HEAD && !above)
			fits = take(b, i);
	}
}

static int choose(struct rep_budget *b, enum rep_budget_way way, struct tp_err *err)
{
	size_t *open = tp_many(b->ntables + 1, sizeof(*open));

	if (!open)
		return tp_nomem(err);
	/* JSON needs all that is not a row; its size has been checked. */
	for (size_t i = 0; i < b->npieces && way == REP_BUDGET_JSON; i++)
		if (b->piece[i].kind != REP_PIECE_ROW)
			take(b, i);
	if (way != REP_BUDGET_JSON)
		take_heads(b);
	take_rows(b, open, FIRST_ROWS);
	for (size_t i = 0; i < b->npieces; i++)
		if (b->piece[i].kind == REP_PIECE_NOTE && !b->piece[i].taken)
			take(b, i);
	take_rows(b, open, SIZE_MAX);
	free(open);
	return 0;
}

/* ---- what was left out ---- */

static void put_left(char left[REP_BUDGET_LEFT], size_t n, size_t of, const char *what)
{
	char a[TP_COUNT_SIZE], c[TP_COUNT_SIZE];
	size_t used = strlen(left);

	if (n)
		snprintf(left + used, REP_BUDGET_LEFT - used, "%s%s of %s %s",
			 used ? " and " : "left out ", tp_fmt_count(a, (int64_t)n),
			 tp_fmt_count(c, (int64_t)of), what);
}

/* Says what is not taken; the largest such sentence is that about nothing taken. */
static void tell(const struct rep_budget *b, char left[REP_BUDGET_LEFT])
{
	size_t rows = 0, row = 0, lines = 0, line = 0, notes = 0, note = 0, used, all;

	for (size_t i = 0; i < b->ntables; i++) {
		const struct table *t = &b->table[i];

		*(t->name ? &rows : &lines) += t->rows;
		*(t->name ? &row : &line) += t->rows - t->taken;
	}
	for (size_t i = 0; i < b->npieces; i++) {
		bool counts = b->piece[i].kind != REP_PIECE_ROW && b->piece[i].size;

		notes += counts;
		note += counts && !b->piece[i].taken;
	}
	*left = '\0';
	put_left(left, row, rows, "rows");
	put_left(left, line, lines, "lines");
	put_left(left, note, notes, "other lines");
	/* The output may have the number itself in it: in the command on a page. */
	all = (b->total + 199) / 100 * 100;
	used = strlen(left);
	snprintf(left + used, REP_BUDGET_LEFT - used,
		 all <= (size_t)REP_BUDGET_MOST ? " to fit --budget=%zu; --budget=%zu shows all"
						: " to fit --budget=%zu",
		 b->limit, all);
}

/* Appends what was left out of a table to a list in JSON. */
static int put_cut(struct tp_buf *list, const struct table *t, size_t shown)
{
	rep_put_json(list, t->name, strlen(t->name));
	return tp_buf_printf(list, ", \"shown\": %zu, \"of\": %zu, \"option\": \"--budget\"}",
			     shown, t->rows);
}

/* Appends what was left out of all tables to the list that `before` ends within. */
static int put_cuts(const struct rep_budget *b, const struct piece *before, struct tp_buf *list)
{
	bool first = before->size && b->text.data[before->at + before->size - 1] == '[';
	int code = 0;

	for (size_t i = 0; i < b->ntables && !code; i++) {
		const struct table *t = &b->table[i];

		if (!t->name || t->taken == t->rows)
			continue;
		tp_buf_text(list, first ? "\n{\"rows\": " : ",\n{\"rows\": ");
		code = put_cut(list, t, t->taken);
		first = false;
	}
	return code;
}

/* Returns how many bytes what will be said about the cut may take at most. */
static size_t reserve(const struct rep_budget *b, enum rep_budget_way way, const char *left)
{
	struct tp_buf list = {0};
	size_t size = way == REP_BUDGET_TEXT ? strlen(left) + 1 : strlen(left) + 2;

	if (way == REP_BUDGET_SILENT)
		return 0;
	if (way != REP_BUDGET_JSON)
		return size;
	size = 0;
	for (size_t i = 0; i < b->npieces; i++) {
		if (b->piece[i].kind != REP_PIECE_CUT)
			continue;
		for (size_t k = 0; k < b->ntables; k++)
			if (b->table[k].name) {
				tp_buf_text(&list, ",\n{\"rows\": ");
				put_cut(&list, &b->table[k], b->table[k].rows);
			}
		size = list.size;
	}
	tp_buf_release(&list);
	return size;
}

static int refuse(size_t limit, size_t need, struct tp_err *err)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "--budget=%zu does not hold what JSON needs besides rows; give "
			  "--budget=%zu or more, or another format",
			  limit, (need + 99) / 100 * 100);
}

/* ---- writing ---- */

static int write_taken(const struct rep_budget *b, const struct rep_sink *to, struct tp_err *err)
{
	struct tp_buf list = {0};
	int code = 0;

	for (size_t i = 0; i < b->npieces && !code; i++) {
		const struct piece *p = &b->piece[i];

		if (p->taken && p->size)
			code = to->write(to->ctx, b->text.data + p->at, p->size, err);
		if (!code && p->taken && p->kind == REP_PIECE_CUT) {
			code = put_cuts(b, p, &list) ? tp_nomem(err) : 0;
			if (!code && list.size)
				code = to->write(to->ctx, list.data, list.size, err);
		}
	}
	tp_buf_release(&list);
	return code;
}

static int write_all(struct rep_budget *b, enum rep_budget_way way, const struct rep_sink *to,
		     char left[REP_BUDGET_LEFT], struct tp_err *err)
{
	size_t needed;
	int code;

	b->room = b->limit;
	*left = '\0';
	if (b->total > b->limit) {
		tell(b, left);
		needed = reserve(b, way, left);
		if (way == REP_BUDGET_JSON && b->fixed + needed > b->limit)
			return refuse(b->limit, b->fixed + needed, err);
		b->room -= needed < b->room ? needed : b->room;
	}
	code = choose(b, way, err);
	if (!code && *left)
		tell(b, left);
	if (!code)
		code = write_taken(b, to, err);
	if (!code && *left && way == REP_BUDGET_MARKDOWN)
		code = to->write(to->ctx, "\n", 1, err);
	if (!code && *left && way <= REP_BUDGET_MARKDOWN) {
		code = to->write(to->ctx, left, strlen(left), err);
		code = code ? code : to->write(to->ctx, "\n", 1, err);
	}
	return code;
}

int rep_budget_end(struct rep_budget *b, enum rep_budget_way way, const struct rep_sink *to,
		   char left[REP_BUDGET_LEFT], struct tp_err *err)
{
	int code = b->marked	  ? mark(b, REP_PIECE_NOTE, NULL, err)
		   : add_lines(b) ? tp_nomem(err)
				  : 0;

	if (!code)
		code = write_all(b, way, to, left, err);
	clear(b);
	return code;
}
