/* Of a profile: what there is of each sample type, the functions by what they cost, and the
 * labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "flame/words.h"
#include "keys.h"
#include "page/inside.h"
#include "profile/top.h"

/* ---- sums ---- */

void page_profile_totals(struct page *p, struct html *h)
{
	const struct tp_profile *profile = p->profile->profile;
	size_t index[PAGE_TYPES], n = page_types(p, p->profile->profile, index);

	for (size_t k = 0; k < n; k++) {
		struct rep_flame_measure m = page_measure(profile, index[k]);
		struct rep_value v;
		int64_t sum = 0;

		for (size_t i = 0; i < profile->nsamples; i++)
			tp_sum(&sum, profile->value[i * profile->ntypes + index[k]]);
		v = page_scaled(&m, sum);
		html_put(h, "<div><dt>");
		html_str(h, tp_dict_text(profile->dict, profile->types[index[k]].type).text);
		html_put(h, "</dt><dd>");
		html_value(h, page_kind(&m), &v);
		html_put(h, "</dd></div>\n");
	}
}

static struct rep_profile_options options_of(char text[24], size_t type)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;

	snprintf(text, 24, "%zu", type);
	opt.sample_index = text;
	opt.no_trim = true;
	return opt;
}

/* ---- functions ---- */

static int put_functions(const struct rep_profile_top *top, const struct rep_flame_measure *m,
			 size_t rows, struct rep_output *out, struct tp_err *err)
{
	const struct rep_column columns[] = {
	    {.name = "flat", .title = "FLAT", .kind = page_kind(m)},
	    {.name = "flat_share", .title = "FLAT%", .kind = REP_SHARE},
	    {.name = "cum", .title = "CUM", .kind = page_kind(m)},
	    {.name = "cum_share", .title = "CUM%", .kind = REP_SHARE},
	    {.name = "function", .title = "FUNCTION", .kind = REP_TEXT},
	};
	double total = fabs((double)top->total);
	int code = rep_output_begin(out, "functions", columns, 5, err);

	for (size_t i = 0; i < top->n && i < rows && !code; i++) {
		const struct rep_top_row *row = &top->row[i];
		struct rep_value v[5] = {
		    page_scaled(m, row->flat),
		    rep_float(total > 0 ? (double)row->flat / total : NAN),
		    page_scaled(m, row->cum),
		    rep_float(total > 0 ? (double)row->cum / total : NAN),
		    rep_text(row->name.text, row->name.size),
		};

		code = rep_output_row(out, v, err);
	}
	return code ? code : rep_output_end(out, err);
}

static int write_type(struct page *p, struct html *h, size_t type, struct tp_err *err)
{
	struct tp_profile *profile = p->profile->profile;
	struct rep_flame_measure m = page_measure(profile, type);
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	struct rep_profile_top top;
	char number[24];
	struct rep_profile_options opt = options_of(number, type);
	int code = rep_profile_top(&top, profile, &opt, err);

	if (!code)
		code = rep_cells_output(&cells, &out, err);
	if (!code)
		code = put_functions(&top, &m, (size_t)p->rows, out, err);
	if (!code) {
		page_type_heading(h, profile, type);
		page_table_write(h, &cells, &cells.sheet[0], "functions by what they cost");
		if (top.n > (size_t)p->rows) {
			html_put(h, "<p class=\"note\">… and ");
			html_counted(h, (int64_t)top.n - p->rows, "more function");
			html_put(h, "</p>\n");
		}
		page_type_command(p, h, "tprof-top", profile, type);
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	rep_profile_top_release(&top);
	return code;
}

int page_functions(struct page *p, struct html *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = page_types(p, p->profile->profile, index);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = write_type(p, h, index[i], err);
	return code;
}

/* ---- labels ---- */

struct tags {
	struct rep_keys keys; /* key, numeric or not, value in two halves */
	struct tag {
		int64_t samples, value;
		uint32_t unit;
	} * tag;
	size_t room;
};

static int add_tag(struct tags *t, const struct tp_label *label, int64_t value)
{
	uint64_t number = (uint64_t)label->number;
	uint32_t index;
	int code = label->numeric ? rep_keys_add(&t->keys, label->key, 1, (uint32_t)number,
						 (uint32_t)(number >> 32), &index)
				  : rep_keys_add(&t->keys, label->key, 0, label->text, 0, &index);

	if (!code)
		code = tp_grow(&t->tag, &t->room, index, sizeof(*t->tag));
	if (code)
		return code;
	t->tag[index].samples++;
	t->tag[index].unit = label->unit;
	tp_sum(&t->tag[index].value, value);
	return 0;
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct tags *sorting = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (sorting->tag[x].value != sorting->tag[y].value)
		return sorting->tag[x].value > sorting->tag[y].value ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int put_tags(const struct tags *t, const uint32_t *order, size_t rows,
		    const struct tp_profile *profile, const struct rep_flame_measure *m,
		    struct rep_output *out, struct tp_err *err)
{
	const struct rep_column columns[] = {
	    {.name = "value", .title = "VALUE", .kind = page_kind(m)},
	    {.name = "samples", .title = "SAMPLES", .kind = REP_COUNT},
	    {.name = "key", .title = "LABEL", .kind = REP_TEXT},
	    {.name = "text", .title = "IS", .kind = REP_TEXT},
	};
	int code = rep_output_begin(out, "labels", columns, 4, err);

	for (size_t i = 0; i < t->keys.n && i < rows && !code; i++) {
		const struct rep_key *key = &t->keys.key[order[i]];
		const struct tag *tag = &t->tag[order[i]];
		struct tp_text name = tp_dict_text(profile->dict, key->part[0]);
		struct tp_text is = tp_dict_text(profile->dict, key->part[2]);
		char number[128];
		struct rep_value v[4] = {page_scaled(m, tag->value), rep_int(tag->samples),
					 rep_text(name.text, name.size),
					 rep_text(is.text, is.size)};

		if (key->part[1]) {
			struct tp_text unit = tp_dict_text(profile->dict, tag->unit);

			snprintf(number, sizeof(number), "%lld %.*s",
				 (long long)((uint64_t)key->part[3] << 32 | key->part[2]),
				 unit.size > 60 ? 60 : (int)unit.size, unit.text);
			v[3] = rep_str(number);
		}
		code = rep_output_row(out, v, err);
	}
	return code ? code : rep_output_end(out, err);
}

static int write_tags(struct page *p, struct html *h, const struct tags *t, uint32_t *order,
		      size_t type, struct tp_err *err)
{
	const struct tp_profile *profile = p->profile->profile;
	struct rep_flame_measure m = page_measure(profile, type);
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	int code = rep_cells_output(&cells, &out, err);

	for (uint32_t i = 0; i < t->keys.n; i++)
		order[i] = i;
	qsort_r(order, t->keys.n, sizeof(*order), by_value, (void *)(uintptr_t)t);
	if (!code)
		code = put_tags(t, order, (size_t)p->rows, profile, &m, out, err);
	if (!code) {
		page_type_heading(h, profile, type);
		page_table_write(h, &cells, &cells.sheet[0], "labels by their values");
		html_put(h, "<p class=\"more\">");
		page_command(p, h, "tprof-top --tags", "");
		html_put(h, "</p>\n");
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	return code;
}

int page_tags(struct page *p, struct html *h, struct tp_err *err)
{
	const struct tp_profile *profile = p->profile->profile;
	size_t index[PAGE_TYPES];
	struct tags tags = {0};
	uint32_t *order = NULL;
	int code = 0;

	if (!page_types(p, p->profile->profile, index))
		return 0;
	for (size_t i = 0; i < profile->nsamples && !code; i++) {
		const struct tp_label_set *set = &profile->sets[profile->label_set[i]];
		int64_t value = profile->value[i * profile->ntypes + index[0]];

		for (uint32_t k = 0; k < set->n && !code; k++)
			code = add_tag(&tags, &profile->labels[set->first + k], value);
	}
	if (!code && tags.keys.n) {
		order = calloc(tags.keys.n, sizeof(*order));
		code = order ? write_tags(p, h, &tags, order, index[0], err) : TP_ENOMEM;
	}
	if (code == TP_ENOMEM || code == TP_ELIMIT)
		code = tp_nomem(err);
	rep_keys_release(&tags.keys);
	free(tags.tag);
	free(order);
	return code;
}
