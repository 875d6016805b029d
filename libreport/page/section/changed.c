/* Profiles against profiles: by sample type, by function, as flame graphs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "diff/prepare.h"
#include "flame/flame.h"
#include "page/inside.h"

#define BUDGET ((size_t)400 << 10) /* of a graph's frames */

struct changed {
	struct rep_diff_prepared old, new;
	struct rep_diff *diff;
};

static void release(struct changed *c)
{
	rep_diff_free(c->diff);
	rep_diff_prepared_release(&c->old);
	rep_diff_prepared_release(&c->new);
}

/* The diff of the sample type that the first new profile has at this index. */
static int make(struct page *p, size_t type, struct changed *c, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	const struct tp_profile *first = s->new[0];
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_filter_notes notes = {0};
	int code = rep_diff_prepare(s->old, s->nold, &plain, &c->old, &notes, err);

	if (!code)
		code = rep_diff_prepare(s->new, s->nnew, &plain, &c->new, &notes, err);
	opt.sample_index = tp_dict_text(first->dict, first->types[type].type).text;
	if (!code)
		code = rep_diff_new(&c->diff, &c->old.side, &c->new.side, &opt, err);
	rep_filter_notes_release(&notes);
	return code;
}

/* A type that only one side has is no matter for a page about both. */
static bool is_common(const struct page *p, size_t type)
{
	const struct tp_profile *first = p->sides->new[0], *old = p->sides->old[0];
	size_t index;
	struct tp_err err;

	return !rep_profile_sample_index(
	    old, tp_dict_text(first->dict, first->types[type].type).text, &index, &err);
}

static size_t common_types(const struct page *p, size_t index[PAGE_TYPES])
{
	size_t n = page_types(p, p->sides->new[0], index), kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_common(p, index[i]))
			index[kept++] = index[i];
	}
	return kept;
}

int page_changed_check(const struct page *p, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	size_t index[PAGE_TYPES];
	char old[REP_TYPE_NAMES], new[REP_TYPE_NAMES];
	const char *type;
	int code = rep_profile_sample_index(s->new[0], p->type, index, err);

	if (code)
		return code;
	type = tp_dict_text(s->new[0]->dict, s->new[0]->types[index[0]].type).text;
	if (common_types(p, index))
		return 0;
	rep_profile_type_names(s->old[0], old);
	rep_profile_type_names(s->new[0], new);
	if (p->type)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "%.80s has no sample type %.60s, but %.100s, so nothing can be "
				  "compared",
				  s->old_name, type, *old ? old : "some without names");
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "%.50s has %.70s and %.50s has %.70s: no sample type in common, so "
			  "nothing can be compared; give two profiles of one kind",
			  s->old_name, *old ? old : "types without names", s->new_name,
			  *new ? new : "types without names");
}

static void write_value(struct html *h, const struct rep_flame_measure *m, int64_t v)
{
	struct rep_value value = page_scaled(m, v);

	html_value(h, page_kind(m), &value);
}

/* "+3.4MiB", coloured by its sign. */
static void write_delta(struct html *h, const struct rep_flame_measure *m, int64_t delta)
{
	html_put(h, delta > 0 ? "<b class=\"up\">+" : delta < 0 ? "<b class=\"down\">" : "<b>");
	write_value(h, m, delta);
	html_put(h, "</b>");
}

static int write_sentences(struct page *p, struct html *h, size_t type, struct tp_err *err)
{
	const struct tp_profile *first = p->sides->new[0];
	struct rep_flame_measure m = page_measure(first, type);
	struct changed c = {0};
	int code = make(p, type, &c, err);
	size_t shown = 0;

	if (!code) {
		struct rep_diff_pair t = c.diff->total.flat;

		html_put(h, "<li><p><b>");
		html_str(h, c.diff->type);
		html_put(h, "</b>: ");
		write_value(h, &m, t.old);
		html_put(h, " → ");
		write_value(h, &m, t.new);
		html_put(h, ", ");
		write_delta(h, &m, rep_diff_delta(t));
		if (isfinite(rep_diff_percent(t)))
			html_f(h, " (%+.1f%%)", rep_diff_percent(t));
		if (c.diff->sets)
			html_f(h, "; medians of %zu and %zu runs: %s", c.diff->nold, c.diff->nnew,
			       rep_verdicts[c.diff->total.verdict]);
		html_put(h, "</p>");
		for (size_t i = 0; i < c.diff->n && shown < 3; i++) {
			const struct rep_diff_row *row = &c.diff->row[i];
			struct tp_buf name = {0};
			size_t names;

			if (!rep_diff_delta(row->flat))
				continue;
			if (rep_diff_name(c.diff, row, &name, &names)) {
				h->code = TP_ENOMEM;
			} else {
				html_put(h, "<p>");
				write_delta(h, &m, rep_diff_delta(row->flat));
				html_put(h, " in ");
				html_text(h, name.data ? (char *)name.data : "", name.size);
				html_put(h, "</p>");
				shown++;
			}
			tp_buf_release(&name);
		}
		html_put(h, "</li>\n");
	}
	release(&c);
	return code;
}

int page_changed_types(struct page *p, struct html *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = common_types(p, index);
	int code = 0;

	html_put(h, "<ul class=\"findings\">\n");
	for (size_t i = 0; i < n && !code; i++)
		code = write_sentences(p, h, index[i], err);
	html_put(h, "</ul>\n");
	return code;
}

/* ---- functions ---- */

static int put_rows(const struct rep_diff *d, const struct rep_flame_measure *m, size_t rows,
		    struct rep_output *out, struct tp_err *err)
{
	const struct rep_column columns[] = {
	    {.name = "old", .title = "OLD", .kind = page_kind(m)},
	    {.name = "new", .title = "NEW", .kind = page_kind(m)},
	    {.name = "delta", .title = "DELTA", .kind = page_kind(m)},
	    {.name = "change", .title = "CHANGE", .kind = REP_SHARE},
	    {.name = "cum_delta", .title = "CUM DELTA", .kind = page_kind(m)},
	    {.name = "q", .title = "Q", .kind = REP_FLOAT, .raw_only = !d->sets},
	    {.name = "verdict", .title = "VERDICT", .kind = REP_TEXT, .raw_only = !d->sets},
	    {.name = "name", .title = "FUNCTION", .kind = REP_TEXT},
	};
	int code = rep_output_begin(out, "changes", columns, 8, err);

	for (size_t i = 0; i < d->n && i < rows && !code; i++) {
		const struct rep_diff_row *row = &d->row[i];
		struct tp_buf name = {0};
		size_t names;
		double percent = rep_diff_percent(row->flat);
		struct rep_value v[8] = {
		    page_scaled(m, row->flat.old),
		    page_scaled(m, row->flat.new),
		    page_scaled(m, rep_diff_delta(row->flat)),
		    isfinite(percent) ? rep_float(percent / 100)
				      : rep_str(row->status == REP_STATUS_ADDED ? "new" : "∞"),
		    page_scaled(m, rep_diff_delta(row->cum)),
		    rep_float(row->q),
		    rep_str(rep_verdicts[row->verdict]),
		};

		if (!row->flat.old && !row->flat.new)
			v[3] = rep_null();
		if (rep_diff_name(d, row, &name, &names)) {
			code = tp_nomem(err);
		} else {
			v[7] = rep_text(name.data ? (char *)name.data : "", name.size);
			code = rep_output_row(out, v, err);
		}
		tp_buf_release(&name);
	}
	return code ? code : rep_output_end(out, err);
}

static int write_functions(struct page *p, struct html *h, size_t type, struct tp_err *err)
{
	const struct tp_profile *first = p->sides->new[0];
	struct rep_flame_measure m = page_measure(first, type);
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	struct changed c = {0};
	int code = make(p, type, &c, err);

	if (!code)
		code = rep_cells_output(&cells, &out, err);
	if (!code)
		code = put_rows(c.diff, &m, (size_t)p->rows, out, err);
	if (!code) {
		page_type_heading(h, first, type);
		page_table_write(h, &cells, &cells.sheet[0], "functions by how much they changed");
		if (c.diff->n > (size_t)p->rows) {
			html_put(h, "<p class=\"note\">… and ");
			html_counted(h, (int64_t)c.diff->n - p->rows, "more function");
			html_put(h, "</p>\n");
		}
		page_type_command(p, h, "tprof-diff", first, type);
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	release(&c);
	return code;
}

int page_changed_functions(struct page *p, struct html *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = common_types(p, index);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = write_functions(p, h, index[i], err);
	return code;
}

/* ---- flame graphs ---- */

static int write_flame(struct page *p, struct html *h, size_t type, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	const struct tp_profile *first = s->new[0];
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_flame_tree_options how = {.compared = true};
	struct rep_profile_view *views = calloc(s->nold + s->nnew, sizeof(*views));
	struct rep_flame_part *parts = calloc(s->nold + s->nnew, sizeof(*parts));
	struct rep_flame_heading words = {0};
	struct rep_flame_tree tree = {0};
	size_t n = 0;
	int code = views && parts ? 0 : tp_nomem(err);

	opt.sample_index = tp_dict_text(first->dict, first->types[type].type).text;
	for (; n < s->nold + s->nnew && !code; n++) {
		bool old = n < s->nold;

		parts[n] = (struct rep_flame_part){.view = &views[n],
						   .name = old ? s->old_name : s->new_name,
						   .side = old ? REP_FLAME_OLD : REP_FLAME_NEW};
		code = rep_profile_view_init(&views[n], old ? s->old[n] : s->new[n - s->nold], &opt,
					     &rep_flame_traits, err);
	}
	if (!code)
		code = rep_flame_tree_init(&tree, &how, err);
	/* Sets of different size are brought to the same total: a sum of more runs is no growth. */
	if (!code)
		code = rep_flame_parts_add(&tree, parts, n, s->nold != s->nnew, err);
	if (!code)
		code = rep_flame_tree_sum(&tree, err);
	if (!code)
		code = rep_flame_heading(&words, &tree, parts, n, "", err);
	if (!code && rep_flame_weight(&tree, 0)) {
		page_type_heading(h, first, type);
		code = page_flame_write(h, &tree, &words, BUDGET, "Flame graph of the difference",
					err);
		if (!code)
			page_type_command(p, h, "tprof-flame -o flame.html", first, type);
	}
	rep_flame_heading_release(&words);
	rep_flame_tree_release(&tree);
	for (size_t i = 0; i < n; i++)
		rep_profile_view_release(&views[i]);
	free(views);
	free(parts);
	return code;
}

int page_changed_flames(struct page *p, struct html *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = common_types(p, index);
	int code = 0;

	if (n)
		page_flame_script(h);
	for (size_t i = 0; i < n && !code; i++)
		code = write_flame(p, h, index[i], err);
	return code;
}
