/* What the script of a page draws from, as JSON. There is no '<', '>' or '&' in it, so that it is
 * the same text in XML and in HTML.
 *
 *   names    what frames are called; 0 is the root, 1 stands for folded frames
 *   cut, pkg per name: where its brief form begins, where the package ends (UTF-16 units, as
 *            JavaScript counts)
 *   color    per name: the number of its class
 *   step     what all numbers of `frames` and `rows` are multiplied by: samples of a CPU profile
 * are all of the same length frames   depth first, numbers with commas: name, levels to climb from
 * the frame before it, own weight (what a width is made of beside the frames below), then where
 * values may be negative self; of a difference self, self before, step (change.h). 0 is left out.
 *   rows     of pages with a table, per name in it: name, self, total, and of a difference self and
 *            total before */
#include "flame/format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame/order.h"
#include "output/ops.h"

#define TABLE_ROWS 3000 /* functions in the table of a page */

struct writing {
	struct rep_flame_job *job;
	struct tp_buf json;
	uint32_t *index; /* per name of the tree: its place in `names`, 0 none yet */
	uint32_t *name;	 /* the other way round, from 2 on */
	uint32_t n;
	struct rep_flame_sum *sums;
	uint32_t *row; /* names of the table */
	uint32_t nrows;
	int64_t step;
};

/* JSON without what HTML or XML would take for markup. The text is valid UTF-8 without controls. */
static int put_string(struct tp_buf *b, struct tp_text text)
{
	int code = tp_buf_put(b, "\"", 1);

	for (size_t i = 0, from = 0; i <= text.size && !code; i++) {
		char c = i < text.size ? text.text[i] : '\0', escape[8];

		if (i < text.size && !memchr("\"\\<>&", c, 5))
			continue;
		code = tp_buf_put(b, text.text + from, i - from);
		from = i + 1;
		if (i == text.size)
			break;
		snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
		code |= rep_put(b, escape);
	}
	return code | tp_buf_put(b, "\"", 1);
}

static int put_text(struct tp_buf *b, const char *text)
{
	struct tp_buf shown = {0};
	int code = rep_escape(&shown, text, strlen(text), REP_ESCAPE_SHOWN);

	if (!code)
		code = put_string(b, (struct tp_text){shown.size ? (char *)shown.data : "",
						      (uint32_t)shown.size});
	tp_buf_release(&shown);
	return code;
}

static int put_field(struct tp_buf *b, const char *name)
{
	return rep_put(b, ",\n\"") | rep_put(b, name) | rep_put(b, "\":");
}

static int put_number(struct tp_buf *b, int64_t v)
{
	char text[24], *at = text + sizeof(text);
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (!v)
		return 0;
	for (; u; u /= 10)
		*--at = (char)('0' + u % 10);
	if (v < 0)
		*--at = '-';
	return tp_buf_put(b, at, (size_t)(text + sizeof(text) - at));
}

static int put_zero_too(struct tp_buf *b, int64_t v)
{
	return v ? put_number(b, v) : tp_buf_put(b, "0", 1);
}

static void use_name(struct writing *w, uint32_t name)
{
	if (!w->index[name]) {
		w->index[name] = w->n;
		w->name[w->n++] = name;
	}
}

/* ---- frames ---- */

/* The greatest common divisor of all values; 1 where sums have reached the end of 64 bits. */
static int64_t common_step(const struct rep_flame_tree *t)
{
	int64_t step = 0;

	for (uint32_t i = 0; i < t->n && step != 1; i++) {
		for (int side = 0; side < REP_FLAME_SIDES; side++) {
			int64_t a = rep_flame_magnitude(rep_flame_self(t, i, side)), b = step;

			while (b) {
				int64_t rest = a % b;

				a = b;
				b = rest;
			}
			step = a;
		}
	}
	return step && rep_flame_weight(t, 0) < INT64_MAX ? step : 1;
}

static int put_frames(struct writing *w, const struct rep_flame_layout *all, bool negative)
{
	const struct rep_flame_tree *t = w->job->tree;
	struct tp_buf *b = &w->json;
	uint32_t depth = 0;
	int code = 0;

	for (size_t i = 0; i < all->n && !code; i++) {
		const struct rep_flame_frame *f = &all->frame[i];
		uint32_t name = !i ? 0 : f->fold ? 1 : w->index[t->node[f->node].name];

		code |= i ? tp_buf_put(b, ",", 1) : 0;
		code |= put_number(b, name);
		code |= tp_buf_put(b, ",", 1);
		code |= put_number(b, i ? (int64_t)depth + 1 - f->depth : 0);
		code |= tp_buf_put(b, ",", 1);
		code |= put_number(b, f->own / w->step);
		depth = f->depth;
		if (t->opt.compared || negative) {
			code |= tp_buf_put(b, ",", 1);
			code |= put_number(b, f->rest[REP_FLAME_NEW] / w->step);
		}
		if (t->opt.compared) {
			code |= tp_buf_put(b, ",", 1);
			code |= put_number(b, f->rest[REP_FLAME_OLD] / w->step);
			code |= tp_buf_put(b, ",", 1);
			code |= put_number(b, w->job->opt->negate ? -f->step : f->step);
		}
	}
	return code;
}

/* ---- the table ---- */

static int64_t importance(const struct rep_flame_sum *s)
{
	int64_t now = rep_flame_magnitude(s->total[REP_FLAME_NEW]),
		old = rep_flame_magnitude(s->total[REP_FLAME_OLD]);

	return now > old ? now : old;
}

/* The functions with the largest totals. */
static int pick_rows(struct writing *w)
{
	const struct rep_flame_tree *t = w->job->tree;
	uint32_t names = tp_dict_strings(t->names), n = 0;
	struct rep_flame_ranked *row = calloc(names, sizeof(*row));

	w->sums = calloc(names, sizeof(*w->sums));
	w->row = calloc(names, sizeof(*w->row));
	if (!row || !w->sums || !w->row || rep_flame_tree_by_name(t, w->sums, w->job->err)) {
		free(row);
		return TP_ENOMEM;
	}
	for (uint32_t i = 0; i < names; i++)
		if (importance(&w->sums[i]))
			row[n++] = (struct rep_flame_ranked){importance(&w->sums[i]),
							     tp_dict_text(t->names, i), i};
	if (n)
		qsort(row, n, sizeof(*row), rep_flame_by_weight);
	w->nrows = n < TABLE_ROWS ? n : TABLE_ROWS;
	for (uint32_t i = 0; i < w->nrows; i++)
		use_name(w, w->row[i] = row[i].id);
	free(row);
	return 0;
}

static int put_rows(struct writing *w)
{
	struct tp_buf *b = &w->json;
	int code = 0;

	for (uint32_t i = 0; i < w->nrows; i++) {
		const struct rep_flame_sum *s = &w->sums[w->row[i]];

		code |= i ? tp_buf_put(b, ",", 1) : 0;
		code |= put_number(b, w->index[w->row[i]]);
		for (int side = 0; side < (w->job->tree->opt.compared ? 2 : 1); side++) {
			code |= tp_buf_put(b, ",", 1) | put_number(b, s->self[side] / w->step);
			code |= tp_buf_put(b, ",", 1) | put_number(b, s->total[side] / w->step);
		}
	}
	return code;
}

/* ---- names ---- */

/* Units of UTF-16 in the first `size` bytes of valid UTF-8. */
static int64_t units(const char *text, size_t size)
{
	int64_t n = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		n += ((c & 0xc0) != 0x80) + (c >= 0xf0);
	}
	return n;
}

static int put_names(struct writing *w)
{
	struct tp_buf *b = &w->json;
	int code = put_field(b, "names") | rep_put(b, "[\"total\",\"(narrower frames)\"");

	for (uint32_t i = 2; i < w->n && !code; i++)
		code = rep_put(b, ",\n") | put_string(b, rep_flame_shown(w->job, w->name[i]));
	code |= rep_put(b, "]");
	for (int what = 0; what < 3; what++) {
		static const char *const fields[] = {"cut", "pkg", "color"};

		code |= put_field(b, fields[what]) | rep_put(b, "[0,0");
		for (uint32_t i = 2; i < w->n && !code; i++) {
			struct tp_text text = rep_flame_shown(w->job, w->name[i]);
			struct rep_flame_name name = rep_flame_name(text.text, text.size);

			code = tp_buf_put(b, ",", 1);
			code |= put_zero_too(
			    b, what == 2 ? (int64_t)rep_flame_colour(name)
					 : units(text.text, what ? name.package : name.brief));
		}
		code |= rep_put(b, "]");
	}
	return code;
}

static int put_facts(struct writing *w, const struct rep_flame_layout *all, bool negative)
{
	static const char *const kinds[] = {"count", "time", "size"};
	const struct rep_flame_job *job = w->job;
	struct tp_buf *b = &w->json;
	char limit[REP_FLAME_WORDS];
	int code =
	    rep_put(b, "{\"kind\":\"") | rep_put(b, kinds[job->measure.kind]) | rep_put(b, "\"");

	code |= put_field(b, "scale") | put_number(b, job->measure.scale);
	code |= put_field(b, "noun") | put_text(b, job->measure.noun);
	code |= put_field(b, "unit") | put_text(b, job->opt->unit);
	code |= put_field(b, "limit") | put_text(b, rep_flame_percent(limit, all->limit));
	code |= put_field(b, "step") | put_number(b, w->step);
	code |= put_field(b, "up") | rep_put(b, job->opt->upwards ? "true" : "false");
	code |= put_field(b, "reverse") | rep_put(b, job->tree->opt.reverse ? "true" : "false");
	code |= put_field(b, "diff") | rep_put(b, job->tree->opt.compared ? "true" : "false");
	code |= put_field(b, "negate") | rep_put(b, job->opt->negate ? "true" : "false");
	return code | put_field(b, "signed") | rep_put(b, negative ? "true" : "false");
}

static int put_all(struct writing *w, const struct rep_flame_layout *all, bool table)
{
	bool negative = rep_flame_has_negative(w->job->tree);
	int code = table ? pick_rows(w) : 0;

	for (size_t i = 1; i < all->n; i++)
		if (!all->frame[i].fold)
			use_name(w, w->job->tree->node[all->frame[i].node].name);
	if (!code)
		code = put_facts(w, all, negative) | put_names(w);
	if (!code)
		code = put_field(&w->json, "frames") | rep_put(&w->json, "\"") |
		       put_frames(w, all, negative) | rep_put(&w->json, "\"");
	if (!code && table)
		code = put_field(&w->json, "rows") | rep_put(&w->json, "\"") | put_rows(w) |
		       rep_put(&w->json, "\"");
	return code | rep_put(&w->json, "}") | tp_buf_put(&w->json, "", 1);
}

int rep_flame_put_data(struct rep_flame_job *job, xmlTextWriterPtr x,
		       const struct rep_flame_layout *all, bool table)
{
	uint32_t names = tp_dict_strings(job->tree->names);
	struct writing w = {.job = job, .n = 2, .step = common_step(job->tree)};
	int code = TP_ENOMEM;

	w.index = calloc(names, sizeof(*w.index));
	w.name = calloc((size_t)names + 2, sizeof(*w.name));
	if (w.index && w.name)
		code = put_all(&w, all, table);
	if (!code) {
		xmlTextWriterStartElement(x, BAD_CAST "script");
		xmlTextWriterWriteAttribute(x, BAD_CAST "type", BAD_CAST "application/json");
		xmlTextWriterWriteAttribute(x, BAD_CAST "id", BAD_CAST "tprof-data");
		xmlTextWriterWriteRaw(x, w.json.data);
		xmlTextWriterFullEndElement(x);
	}
	free(w.index);
	free(w.name);
	free(w.sums);
	free(w.row);
	tp_buf_release(&w.json);
	return code ? tp_nomem(job->err) : 0;
}
