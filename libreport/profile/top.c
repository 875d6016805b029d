#include "profile/position.h"
#include "profile/top.h"

#include <stdlib.h>
#include <string.h>

#include "profile/labels.h"

const struct rep_profile_traits rep_top_traits = {.all_nodes = true};

/* Returns whether a node is inlined in all of its callers or in some, by the edges that are left.
 */
static const char *inlined_label(const struct rep_node *n)
{
	bool yes = false, no = false;

	for (size_t i = 0; i < n->nin; i++) {
		yes |= n->in[i]->inlined;
		no |= !n->in[i]->inlined;
	}
	return !yes ? "" : no ? "(partial-inline)" : "(inline)";
}

int rep_profile_top(struct rep_profile_top *top, struct tp_profile *p,
		    const struct rep_profile_options *opt, struct tp_err *err)
{
	int code;

	*top = (struct rep_profile_top){0};
	code = rep_profile_view_init(&top->view, p, opt, &rep_top_traits, err);
	if (!code)
		code = rep_graph_new(&top->graph, &top->view, err);
	if (code)
		return code;
	top->total = top->view.total;
	top->row = calloc(top->graph->n + 1, sizeof(*top->row));
	if (!top->row)
		return tp_nomem(err);
	for (; top->n < top->graph->n; top->n++) {
		const struct rep_node *n = top->graph->node[top->n];

		top->row[top->n] = (struct rep_top_row){
		    .name = n->name,
		    .info = &n->info,
		    .inlined = inlined_label(n),
		    .flat = rep_node_flat(n),
		    .cum = rep_node_cum(n),
		};
	}
	return 0;
}

void rep_profile_top_release(struct rep_profile_top *top)
{
	rep_graph_free(top->graph);
	rep_profile_view_release(&top->view);
	free(top->row);
	*top = (struct rep_profile_top){0};
}

/* ---- output ---- */

/* Columns: tables show pprof's texts, other formats have raw numbers. */
enum {
	FLAT,
	FLAT_SHARE,
	SUM_SHARE,
	CUM,
	CUM_SHARE,
	NAME,
	RAW_FLAT,
	RAW_FLAT_SHARE,
	RAW_SUM_SHARE,
	RAW_CUM,
	RAW_CUM_SHARE,
	RAW_TYPE,
	RAW_UNIT,
	RAW_NAME,
	RAW_FUNCTION,
	RAW_FILE,
	RAW_LINE,
	RAW_ADDRESS,
	RAW_INLINED,
	NCOLUMNS
};

#define SHOWN(name_text, raw, title_text, rank)                                                    \
	{                                                                                          \
		.name = (name_text), .title = (title_text), .kind = REP_TEXT, .right = true,       \
		.drop = (rank), .table_only = true, .by = (raw)                                    \
	}
#define RAW(name_text, kind_, doc_text)                                                            \
	{                                                                                          \
		.name = (name_text), .kind = (kind_), .doc = (doc_text), .raw_only = true          \
	}

static const struct rep_column columns[NCOLUMNS] = {
    [FLAT] = SHOWN("flat_shown", "flat", "FLAT", 0),
    [FLAT_SHARE] = SHOWN("flat_share_shown", "flat_share", "FLAT%", 2),
    [SUM_SHARE] = SHOWN("sum_share_shown", "sum_share", "SUM%", 3),
    [CUM] = SHOWN("cum_shown", "cum", "CUM", 0),
    [CUM_SHARE] = SHOWN("cum_share_shown", "cum_share", "CUM%", 1),
    [NAME] = {.name = "name_shown",
	      .title = "NAME",
	      .kind = REP_TEXT,
	      .shorten = REP_SHORTEN_FUNCTION,
	      .least = 30,
	      .table_only = true},
    [RAW_FLAT] = RAW("flat", REP_ANY, "values of samples that end in it"),
    [RAW_FLAT_SHARE] = RAW("flat_share", REP_SHARE, "of all values"),
    [RAW_SUM_SHARE] = RAW("sum_share", REP_SHARE, "flat_share of this row and those above"),
    [RAW_CUM] = RAW("cum", REP_ANY, "values of samples that pass through it"),
    [RAW_CUM_SHARE] = RAW("cum_share", REP_SHARE, "of all values"),
    [RAW_TYPE] = RAW("sample_type", REP_TEXT, "the sample type"),
    [RAW_UNIT] = RAW("unit", REP_TEXT, "unit of flat and cum"),
    [RAW_NAME] = RAW("name", REP_TEXT, "the function, line, file or address of the row"),
    [RAW_FUNCTION] = RAW("function", REP_TEXT, "the function's name"),
    [RAW_FILE] = RAW("file", REP_TEXT, "its file, or null"),
    [RAW_LINE] =
	RAW("line", REP_ID, "its line; of a function its first one, or the lowest known; or null"),
    [RAW_ADDRESS] = RAW("address", REP_ID, "its address, or null"),
    [RAW_INLINED] = RAW("inlined", REP_TEXT, "(inline) or (partial-inline), or null"),
};

static struct rep_value text_value(struct tp_text t)
{
	return t.size ? rep_text(t.text, t.size) : rep_null();
}

static int put_row(struct rep_profile_top *top, const struct rep_positions *positions,
		   struct rep_output *out, const struct rep_top_row *row, int64_t sum,
		   struct tp_buf *name, struct tp_err *err)
{
	struct rep_position position = rep_position_of_node(positions, row->info);
	const struct rep_profile_view *v = &top->view;
	char flat[REP_MEASURE_SIZE], cum[REP_MEASURE_SIZE];
	char shares[3][REP_PERCENTAGE_SIZE];
	struct rep_value value[NCOLUMNS];

	name->size = 0;
	tp_buf_put(name, row->name.text, row->name.size);
	if (*row->inlined)
		tp_buf_printf(name, " %s", row->inlined);
	if (tp_buf_text(name, ""))
		return tp_nomem(err);
	value[FLAT] = rep_str(rep_view_row_label(v, row->flat, row->cum, flat));
	value[FLAT_SHARE] = rep_str(rep_percentage_trimmed(shares[0], row->flat, top->total));
	value[SUM_SHARE] = rep_str(rep_percentage_trimmed(shares[1], sum, top->total));
	value[CUM] = rep_str(rep_view_row_label(v, row->cum, row->cum, cum));
	value[CUM_SHARE] = rep_str(rep_percentage_trimmed(shares[2], row->cum, top->total));
	value[NAME] = rep_text((char *)name->data, name->size);
	value[RAW_FLAT] = rep_view_raw(v, row->flat);
	value[RAW_FLAT_SHARE] = rep_view_share(row->flat, top->total);
	value[RAW_SUM_SHARE] = rep_view_share(sum, top->total);
	value[RAW_CUM] = rep_view_raw(v, row->cum);
	value[RAW_CUM_SHARE] = rep_view_share(row->cum, top->total);
	value[RAW_TYPE] = rep_str(v->type);
	value[RAW_UNIT] = rep_str(v->unit);
	value[RAW_NAME] = text_value(row->name);
	value[RAW_FUNCTION] = text_value(row->info->name);
	value[RAW_FILE] = rep_position_file(&position);
	value[RAW_LINE] = rep_position_line(&position);
	value[RAW_ADDRESS] = row->info->address ? rep_int((int64_t)row->info->address) : rep_null();
	value[RAW_INLINED] = *row->inlined ? rep_str(row->inlined) : rep_null();
	return rep_output_row(out, value, err);
}

static int put_note(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	(void)size;
	return rep_output_note(ctx, false, text, err);
}

int rep_profile_top_print(struct rep_profile_top *top, struct rep_output *out, struct tp_err *err)
{
	struct rep_column shown[NCOLUMNS];
	struct rep_positions positions = {0};
	struct tp_buf name = {0};
	int64_t sum = 0;
	int code = rep_graph_heading(top->graph, &top->view, false, put_note, out, err);

	if (!code)
		code = rep_output_note(out, false, "", err);
	memcpy(shown, columns, sizeof(columns));
	if (top->view.opt.granularity == REP_FILES)
		shown[NAME].shorten = REP_SHORTEN_LEFT;
	if (!code)
		code = rep_output_begin(out, "top", shown, NCOLUMNS, err);
	if (!code)
		code = rep_positions_of_view(&positions, &top->view, out, err);
	for (size_t i = 0; i < top->n && !code; i++) {
		rep_add(&sum, top->row[i].flat);
		code = put_row(top, &positions, out, &top->row[i], sum, &name, err);
	}
	rep_positions_release(&positions);
	tp_buf_release(&name);
	if (!code)
		code = rep_output_end(out, err);
	/* People have read that in the heading. */
	if (!code && !rep_output_for_people(out))
		code = rep_output_more(
		    out, top->n, top->graph->orig_count + top->graph->dropped_nodes, "rows", err);
	return code;
}
