/* Makes the pieces of a profile: its types and totals, its header, and its largest functions. */
#include <stdio.h>
#include <string.h>

#include "profile/top.h"
#include "tprof-tui/fill.h"
#include "tprof-tui/view/overview/inside.h"

#define MOST_TYPES 16

static const struct rep_column columns[] = {
    {.name = "name", .title = "WHAT", .kind = REP_TEXT},
    {.name = "value", .title = "VALUE", .kind = REP_TEXT},
};

struct writing {
	struct rep_output *out;
	struct tp_err *err;
};

static int put(struct rep_output *out, struct rep_value name, struct rep_value value,
	       struct tp_err *err)
{
	const struct rep_value row[] = {name, value};

	return rep_output_row(out, row, err);
}

/* Writes a line of the header as a row: "Type: cpu" becomes a name and a value; a line without a colon
 * is a comment. */
static int on_heading(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct writing *w = ctx;
	const char *colon = memchr(text, ':', size < 16 ? size : 16);
	size_t n = colon ? (size_t)(colon - text) : 0, skip = n + 1;

	if (!colon)
		return put(w->out, rep_str("comment"), rep_text(text, size), err);
	while (skip < size && text[skip] == ' ')
		skip++;
	return put(w->out, rep_text(text, n), rep_text(text + skip, size - skip), err);
}

/* Writes the header for the default sample type. */
static int put_heading(struct rep_output *out, const struct rep_profile_top *top,
		       const struct tp_profile *p, struct tp_err *err)
{
	struct writing w = {out, err};
	char text[REP_MEASURE_SIZE];
	int code = rep_view_heading(&top->view, on_heading, &w, err);

	if (!code && p->period) {
		snprintf(text, sizeof(text), "%lld %.20s of %.20s", (long long)p->period,
			 tp_dict_text(p->dict, p->period_type.unit).text,
			 tp_dict_text(p->dict, p->period_type.type).text);
		code = put(out, rep_str("Period"), rep_str(text), err);
	}
	snprintf(text, sizeof(text), "%zu", p->nsamples);
	return code ? code : put(out, rep_str("Samples"), rep_str(text), err);
}

/* Writes the total that tprof-top's percentages refer to: "sum of inuse_space", "3.5MiB". */
static int put_total(struct rep_output *out, const struct rep_profile_top *top, struct tp_err *err)
{
	char text[REP_MEASURE_SIZE], name[120];

	snprintf(name, sizeof(name), "sum of %.96s", top->view.type);
	return put(out, rep_str(name), rep_str(rep_view_label(&top->view, top->total, text)), err);
}

/* Writes the total of a sample type; for type -1 the header. Each call loads the profile again, since
 * filters change it. */
static int put_of(struct rep_output *out, struct tp_store *store, const struct tui_select *select,
		  int type, size_t *ntypes, struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_profile_top top = {0};
	struct tp_profile *p = NULL;
	char index[24];
	int code = tui_fill_load(store, select->run, select->task, &p, err);

	snprintf(index, sizeof(index), "%d", type);
	opt.sample_index = type < 0 ? NULL : index;
	opt.focus = select->focus;
	if (code || !p->ntypes) {
		tp_profile_free(p);
		return code;
	}
	*ntypes = p->ntypes;
	code = rep_profile_top(&top, p, &opt, err);
	if (!code)
		code = type < 0 ? put_heading(out, &top, p, err) : put_total(out, &top, err);
	rep_profile_top_release(&top);
	tp_profile_free(p);
	return code;
}

int ov_profile_types(struct rep_output *out, struct tp_store *store,
		     const struct tui_select *select, struct tp_err *err)
{
	size_t n = 0;
	int code = rep_output_begin(out, "profile", columns, 2, err);

	if (!code)
		code = put_of(out, store, select, -1, &n, err);
	for (int i = 0; !code && (size_t)i < n && i < MOST_TYPES; i++)
		code = put_of(out, store, select, i, &n, err);
	return code ? code : rep_output_end(out, err);
}

int ov_profile_functions(struct rep_output *out, struct tp_store *store,
			 const struct tui_select *select, struct tp_err *err)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct rep_profile_top top = {0};
	struct tp_profile *p = NULL;
	int code = tui_fill_load(store, select->run, select->task, &p, err);

	opt.focus = select->focus;
	if (!code) {
		code = rep_profile_top(&top, p, &opt, err);
		if (!code)
			code = rep_profile_top_print(&top, out, err);
		rep_profile_top_release(&top);
	}
	tp_profile_free(p);
	return code;
}
