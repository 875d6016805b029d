/* tags: labels by key, each value with the sum of its samples (pprof: printTags).
 *
 *	 tier: Total 20ms of 20ms (  100%)
 *	       10ms (50.00%): gold
 *	       10ms (50.00%): silver
 *
 * Numeric labels are shown with their unit; those that look equal count as one. Rows keep texts and
 * numbers apart, and have the range of the numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

struct entry {
	struct tp_text key, value;
	int64_t sum;
	const char *unit; /* of a number; NULL: a text */
	int64_t least, most;
};

struct tags {
	const struct rep_profile_view *v;
	struct rep_writer out;
	struct tp_arena texts;
	struct entry *entry;
	size_t n;
	struct tp_buf cells;
};

static int by_text(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = rep_text_compare(x->key, y->key);

	return c ? c : rep_text_compare(x->value, y->value);
}

static int by_value(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = by_text(x, y);

	return c ? c : !x->unit - !y->unit;
}

static int by_sum(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int64_t p = rep_abs(x->sum), q = rep_abs(y->sum);

	return p != q ? (p < q ? 1 : -1) : by_value(a, b);
}

static int add_set(struct tags *t, size_t set, int64_t sum)
{
	const struct tp_profile *p = t->v->profile;
	const struct tp_label_set *labels = &p->sets[set];
	const struct tp_label *l = labels->n ? p->labels + labels->first : NULL;

	for (size_t i = 0; l && i < labels->n; i++) {
		struct entry *e = &t->entry[t->n++];
		char text[REP_MEASURE_SIZE], *copy;

		*e = (struct entry){.key = tp_dict_text(p->dict, l[i].key),
				    .value = tp_dict_text(p->dict, l[i].text),
				    .sum = sum};
		if (!l[i].numeric)
			continue;
		e->unit = rep_label_unit(&t->v->units, p, l[i].key);
		e->least = e->most = l[i].number;
		rep_view_scaled(t->v, l[i].number, e->unit, t->v->output_unit, text);
		copy = tp_arena_strndup(&t->texts, text, strlen(text));
		if (!copy)
			return TP_ENOMEM;
		e->value = (struct tp_text){copy, (uint32_t)strlen(copy)};
	}
	return 0;
}

/* Makes an entry for each label of each set that a sample has. Sets are far fewer than samples. */
static int gather(struct tags *t)
{
	const struct tp_profile *p = t->v->profile;
	struct {
		int64_t sum;
		bool used;
	} *set = calloc(p->nsets, sizeof(*set));
	size_t n = 0;
	int code = 0;

	if (!set)
		return TP_ENOMEM;
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t s = p->label_set[i];

		n += set[s].used ? 0 : p->sets[s].n;
		set[s].used = true;
		rep_add(&set[s].sum, rep_view_value(t->v, i));
	}
	t->entry = calloc(n + 1, sizeof(*t->entry));
	if (!t->entry)
		code = TP_ENOMEM;
	for (size_t s = 0; s < p->nsets && !code; s++)
		if (set[s].used)
			code = add_set(t, s, set[s].sum);
	free(set);
	return code;
}

/* Makes one entry of those that are equal by `order`. */
static void add_up(struct tags *t, int (*order)(const void *, const void *))
{
	size_t n = 0;

	if (t->n > 1)
		qsort(t->entry, t->n, sizeof(*t->entry), order);
	for (size_t i = 0; i < t->n; i++) {
		struct entry *last = n ? &t->entry[n - 1] : NULL, *e = &t->entry[i];

		if (last && !order(last, e)) {
			rep_add(&last->sum, e->sum);
			last->least = e->least < last->least ? e->least : last->least;
			last->most = e->most > last->most ? e->most : last->most;
		} else {
			t->entry[n++] = *e;
		}
	}
	t->n = n;
}

/* Writes the cell before a value: "10ms (50.00%):". Returns its width in code points. */
static size_t cell(const struct tags *t, int64_t sum, char *text, size_t room)
{
	char label[REP_MEASURE_SIZE], share[REP_PERCENTAGE_SIZE];

	rep_view_label(t->v, sum, label);
	if (t->v->total > 0)
		snprintf(text, room, "%s (%s):", label, rep_percentage(share, sum, t->v->total));
	else
		snprintf(text, room, "%s:", label);
	return rep_writer_runes(text, strlen(text));
}

#define CELL_SIZE (REP_MEASURE_SIZE + REP_PERCENTAGE_SIZE + 8)

static void put_key(struct tags *t, struct entry *e, size_t n)
{
	char label[REP_MEASURE_SIZE], whole[REP_MEASURE_SIZE], share[REP_PERCENTAGE_SIZE];
	struct rep_writer *out = &t->out;
	char text[CELL_SIZE];
	size_t width = 0, indent;
	int64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		size_t w = cell(t, e[i].sum, text, sizeof(text));

		width = w > width ? w : width;
		rep_add(&total, e[i].sum);
	}
	rep_view_label(t->v, total, label);
	rep_view_label(t->v, t->v->total, whole);
	rep_writer_put(out, " ");
	t->cells.size = 0;
	rep_writer_fail(out, rep_escape(&t->cells, e->key.text, e->key.size, REP_ESCAPE_SHOWN));
	indent = rep_writer_runes((char *)t->cells.data, t->cells.size) + 2;
	rep_writer_string(out, e->key);
	rep_writer_put(out, ": Total ");
	rep_writer_text(out, label, strlen(label));
	rep_writer_put(out, " of ");
	rep_writer_text(out, whole, strlen(whole));
	if (t->v->total > 0)
		rep_writer_printf(out, " (%s)", rep_percentage(share, total, t->v->total));
	rep_writer_put(out, "\n");
	if (n > 1)
		qsort(e, n, sizeof(*e), by_sum);
	for (size_t i = 0; i < n && !rep_writer_failed(out); i++) {
		size_t w = cell(t, e[i].sum, text, sizeof(text));

		rep_writer_space(out, indent + 1 + width - w);
		rep_writer_text(out, text, strlen(text));
		rep_writer_put(out, " ");
		rep_writer_string(out, e[i].value);
		rep_writer_put(out, "\n");
	}
	rep_writer_put(out, "\n");
}

/* Returns the number of entries of one key, from i on. */
static size_t of_key(const struct tags *t, size_t i)
{
	size_t n = 1;

	while (i + n < t->n && !rep_text_compare(t->entry[i].key, t->entry[i + n].key))
		n++;
	return n;
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct tags t = {.v = v};

	(void)arg;
	rep_writer_init(&t.out, sink);
	rep_writer_fail(&t.out, gather(&t));
	if (!rep_writer_failed(&t.out))
		add_up(&t, by_text);
	for (size_t i = 0, n; i < t.n && !rep_writer_failed(&t.out); i += n) {
		n = of_key(&t, i);
		put_key(&t, t.entry + i, n);
	}
	free(t.entry);
	tp_arena_clear(&t.texts);
	tp_buf_release(&t.cells);
	return rep_writer_finish(&t.out, err);
}

/* ---- as rows ---- */

static const struct rep_column columns[] = {
    {.name = "key", .doc = "the label's key", .title = "LABEL", .kind = REP_TEXT, .least = 10},
    {.name = "flat_shown",
     .doc = "flat with its unit, with --json-head",
     .title = "VALUES",
     .kind = REP_TEXT,
     .right = true,
     .table_only = true,
     .by = "flat"},
    {.name = "flat_share", .doc = "of all values", .title = "SHARE", .kind = REP_SHARE},
    {.name = "label", .doc = "the label's value", .title = "IS", .kind = REP_TEXT, .least = 20},
    {.name = "flat", .doc = "sum of the samples with it", .kind = REP_ANY, .raw_only = true},
    {.name = "sample_type", .doc = "the sample type", .kind = REP_TEXT, .raw_only = true},
    {.name = "unit", .doc = "unit of flat", .kind = REP_TEXT, .raw_only = true},
    {.name = "least",
     .doc = "the smallest number that label stands for; null for a text",
     .kind = REP_ID,
     .raw_only = true},
    {.name = "most", .doc = "the largest; null for a text", .kind = REP_ID, .raw_only = true},
    {.name = "number_unit",
     .doc = "unit of least and most; null for a text",
     .kind = REP_TEXT,
     .raw_only = true},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static int put_row(const struct tags *t, const struct entry *e, struct rep_output *out,
		   struct tp_err *err)
{
	const struct rep_profile_view *v = t->v;
	char label[REP_MEASURE_SIZE];

	return rep_output_row(out,
			      (struct rep_value[NCOLUMNS]){
				  rep_text(e->key.text, e->key.size),
				  rep_str(rep_view_label(v, e->sum, label)),
				  rep_view_share(e->sum, v->total),
				  rep_text(e->value.text, e->value.size),
				  rep_view_raw(v, e->sum),
				  rep_str(v->type),
				  rep_str(v->unit),
				  e->unit ? rep_int(e->least) : rep_null(),
				  e->unit ? rep_int(e->most) : rep_null(),
				  e->unit ? rep_str(e->unit) : rep_null(),
			      },
			      err);
}

static int table(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		 struct tp_err *err)
{
	struct tags t = {.v = v};
	int code = gather(&t);

	(void)arg;
	if (code)
		tp_nomem(err);
	else
		code = rep_output_begin(out, "labels", columns, NCOLUMNS, err);
	if (!code)
		add_up(&t, by_value);
	for (size_t i = 0, n; i < t.n && !code; i += n) {
		n = of_key(&t, i);
		qsort(t.entry + i, n, sizeof(*t.entry), by_sum);
		for (size_t k = 0; k < n && !code; k++)
			code = put_row(&t, &t.entry[i + k], out, err);
	}
	if (!code)
		code = rep_output_end(out, err);
	free(t.entry);
	tp_arena_clear(&t.texts);
	return code;
}

const struct rep_profile_report rep_profile_report_tags = {
    .name = "tags",
    .doc = "Labels and what the samples that have them add up to",
    .print = print,
    .table = table,
};
