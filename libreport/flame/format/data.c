/* Data for the script of a page, as JSON; --format=frames is it with the title and the notes. It contains no '<', '>' or '&', so it is the same text in
 * XML and in HTML.
 *
 *   names    names of frames; 0 is the root, 1 stands for folded frames
 *   cut, pkg per name: start of its brief form, end of the package (in UTF-16 units, as in
 *            JavaScript)
 *   color    per name: the number of its class
 *   step     factor of the numbers in `frames` and `rows`, as samples of a CPU profile are all
 *            of one length
 *   frames   depth first, numbers with commas: name, levels to climb from the frame before it, own
 *            weight (the width without the frames below), then self if values may be negative;
 *            of a difference self, self before, step (change.h). 0 is left out.
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
	uint32_t *index; /* per name of the tree: its place in `names`; 0: none yet */
	uint32_t *name;	 /* the reverse, from 2 on */
	uint32_t n;
	struct rep_flame_sum *sums;
	uint32_t *row; /* names in the table */
	uint32_t nrows;
	int64_t step;
};

/* Writes a JSON string without characters that HTML or XML would take for markup. The text must be
 * valid UTF-8 without control characters. */
static void put_string(struct tp_buf *b, const char *text, size_t size)
{
	size_t from = 0;

	tp_buf_text(b, "\"");
	for (size_t i = 0; i < size; i++) {
		if (!memchr("\"\\<>&", text[i], 5))
			continue;
		tp_buf_put(b, text + from, i - from);
		tp_buf_printf(b, "\\u%04x", (unsigned)text[i]);
		from = i + 1;
	}
	tp_buf_put(b, text + from, size - from);
	tp_buf_text(b, "\"");
}

/* Writes a number; 0 is empty. */
static void put_number(struct tp_buf *b, int64_t v)
{
	if (v)
		rep_put_int(b, v);
}

static void use_name(struct writing *w, uint32_t name)
{
	if (!w->index[name]) {
		w->index[name] = w->n;
		w->name[w->n++] = name;
	}
}

/* ---- frames ---- */

/* Returns the greatest common divisor of all values; 1 if sums have saturated at 64 bits. */
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

static void put_frames(struct writing *w, const struct rep_flame_layout *all, bool negative)
{
	const struct rep_flame_tree *t = w->job->tree;
	struct tp_buf *b = &w->job->out;
	uint32_t depth = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct rep_flame_frame *f = &all->frame[i];

		if (i)
			tp_buf_text(b, ",");
		put_number(b, !i ? 0 : f->fold ? 1 : w->index[t->node[f->node].name]);
		tp_buf_text(b, ",");
		put_number(b, i ? (int64_t)depth + 1 - f->depth : 0);
		tp_buf_text(b, ",");
		put_number(b, f->own / w->step);
		depth = f->depth;
		if (t->opt.compared || negative) {
			tp_buf_text(b, ",");
			put_number(b, f->rest[REP_FLAME_NEW] / w->step);
		}
		if (t->opt.compared) {
			tp_buf_text(b, ",");
			put_number(b, f->rest[REP_FLAME_OLD] / w->step);
			tp_buf_text(b, ",");
			put_number(b, w->job->opt->negate ? -f->step : f->step);
		}
	}
}

/* ---- the table ---- */

static int64_t importance(const struct rep_flame_sum *s)
{
	int64_t now = rep_flame_magnitude(s->total[REP_FLAME_NEW]),
		old = rep_flame_magnitude(s->total[REP_FLAME_OLD]);

	return now > old ? now : old;
}

/* Picks the functions with the largest totals. */
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

static void put_rows(struct writing *w)
{
	struct tp_buf *b = &w->job->out;

	for (uint32_t i = 0; i < w->nrows; i++) {
		const struct rep_flame_sum *s = &w->sums[w->row[i]];

		if (i)
			tp_buf_text(b, ",");
		put_number(b, w->index[w->row[i]]);
		for (int side = 0; side < (w->job->tree->opt.compared ? 2 : 1); side++) {
			tp_buf_text(b, ",");
			put_number(b, s->self[side] / w->step);
			tp_buf_text(b, ",");
			put_number(b, s->total[side] / w->step);
		}
	}
}

/* ---- names ---- */

/* Counts the UTF-16 units in the first `size` bytes of valid UTF-8. */
static int64_t units(const char *text, size_t size)
{
	int64_t n = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		n += ((c & 0xc0) != 0x80) + (c >= 0xf0);
	}
	return n;
}

static void put_names(struct writing *w)
{
	static const char *const fields[] = {"cut", "pkg", "color"};
	struct tp_buf *b = &w->job->out;

	tp_buf_text(b, ",\n\"names\":[\"total\",\"(narrower frames)\"");
	for (uint32_t i = 2; i < w->n; i++) {
		struct tp_text text = rep_flame_shown(w->job, w->name[i]);

		tp_buf_text(b, ",\n");
		put_string(b, text.text, text.size);
	}
	for (int what = 0; what < 3; what++) {
		tp_buf_printf(b, "],\n\"%s\":[0,0", fields[what]);
		for (uint32_t i = 2; i < w->n; i++) {
			struct tp_text text = rep_flame_shown(w->job, w->name[i]);
			struct rep_flame_name name = rep_flame_name(text.text, text.size);

			tp_buf_text(b, ",");
			rep_put_int(b, what == 2
					   ? (int64_t)rep_flame_colour(name)
					   : units(text.text, what ? name.package : name.brief));
		}
	}
	tp_buf_text(b, "]");
}

static void put_shown(struct tp_buf *b, const char *text)
{
	struct tp_buf shown = {0};

	if (rep_escape(&shown, text, strlen(text), REP_ESCAPE_SHOWN))
		tp_buf_fail(b);
	put_string(b, shown.size ? (char *)shown.data : "", shown.size);
	tp_buf_release(&shown);
}

static const char *word(bool is)
{
	return is ? "true" : "false";
}

static void put_facts(struct writing *w, const struct rep_flame_layout *all, bool negative)
{
	static const char *const kinds[] = {"count", "time", "size"};
	const struct rep_flame_job *job = w->job;
	struct tp_buf *b = &w->job->out;
	char limit[REP_FLAME_WORDS];

	tp_buf_printf(b, "{\"kind\":\"%s\",\n\"scale\":%" PRId64 ",\n\"noun\":\"%s\",\n\"unit\":",
		      kinds[job->measure.kind], job->measure.scale, job->measure.noun);
	put_shown(b, job->opt->unit);
	tp_buf_printf(b,
		      ",\n\"limit\":\"%s\",\n\"step\":%" PRId64 ",\n\"up\":%s,\n\"reverse\":%s,\n"
		      "\"diff\":%s,\n\"negate\":%s,\n\"signed\":%s",
		      rep_flame_percent(limit, all->limit), w->step, word(job->opt->upwards),
		      word(job->tree->opt.reverse), word(job->tree->opt.compared),
		      word(job->opt->negate), word(negative));
}

static int put_all(struct writing *w, const struct rep_flame_layout *all, bool table)
{
	bool negative = rep_flame_has_negative(w->job->tree);
	struct tp_buf *b = &w->job->out;

	if (table && pick_rows(w))
		return TP_ENOMEM;
	for (size_t i = 1; i < all->n; i++)
		if (!all->frame[i].fold)
			use_name(w, w->job->tree->node[all->frame[i].node].name);
	put_facts(w, all, negative);
	put_names(w);
	tp_buf_text(b, ",\n\"frames\":\"");
	put_frames(w, all, negative);
	if (table) {
		tp_buf_text(b, "\",\n\"rows\":\"");
		put_rows(w);
	}
	return tp_buf_text(b, "\"}");
}

static int put_data(struct rep_flame_job *job, const struct rep_flame_layout *all, bool table)
{
	uint32_t names = tp_dict_strings(job->tree->names);
	struct writing w = {.job = job, .n = 2, .step = common_step(job->tree)};
	int code = TP_ENOMEM;

	w.index = calloc(names, sizeof(*w.index));
	w.name = calloc((size_t)names + 2, sizeof(*w.name));
	if (w.index && w.name)
		code = put_all(&w, all, table);
	free(w.index);
	free(w.name);
	free(w.sums);
	free(w.row);
	return code ? tp_nomem(job->err) : 0;
}

int rep_flame_put_data(struct rep_flame_job *job, const struct rep_flame_layout *all, bool table)
{
	int code;

	tp_buf_text(&job->out, "<script type=\"application/json\" id=\"tprof-data\">");
	code = put_data(job, all, table);
	tp_buf_text(&job->out, "</script>");
	return code;
}

int rep_flame_write_frames(struct rep_flame_job *job)
{
	char folds[REP_FLAME_NOTE], cut[REP_FLAME_NOTE];
	struct rep_flame_layout all = {0};
	struct tp_buf *b = &job->out;
	int code = rep_flame_layout_all(job, &all);

	if (!code) {
		tp_buf_text(b, "{\"title\":");
		put_shown(b, job->opt->title);
		tp_buf_text(b, ",\n\"subtitle\":");
		put_shown(b, job->opt->subtitle);
		tp_buf_text(b, ",\n\"notes\":[");
		put_shown(b, all.folded ? rep_flame_fold_note(folds, job, &all) : "");
		tp_buf_text(b, ",");
		put_shown(b, job->tree->cut ? rep_flame_cut_note(cut, job) : "");
		tp_buf_text(b, "],\n\"data\":");
		code = put_data(job, &all, true);
		tp_buf_text(b, "}\n");
	}
	rep_flame_layout_release(&all);
	return code;
}
