/* tree: each node between its callers and its callees; peek: the same for nodes that match
 * (pprof: printTree).
 *
 *	                                            10ms   100% |   main.main
 *	     0     0%     0%       10ms   100%                | main.work
 *	                                            10ms   100% |   runtime.mallocgc (inline)
 *	----------------------------------------------------------+-------------
 */
#include <stdio.h>

#include "profile/position.h"
#include "profile/writer/heading.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

#define SEPARATOR "----------------------------------------------------------+-------------\n"
#define LEGEND	  "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n"

static void put_edge(struct rep_writer *out, const struct rep_profile_view *v,
		     const struct rep_edge *e, const struct rep_node *other, int64_t cum)
{
	rep_put_value(out, v, 50, e->weight);
	rep_writer_put(out, " ");
	rep_put_share(out, e->weight, cum);
	rep_writer_put(out, " |   ");
	rep_writer_string(out, other->name);
	rep_writer_put(out, e->inlined ? " (inline)\n" : "\n");
}

static void put_node(struct rep_writer *out, const struct rep_profile_view *v,
		     const struct rep_node *n, int64_t *sum)
{
	int64_t flat = rep_node_flat(n), cum = rep_node_cum(n);

	rep_writer_put(out, SEPARATOR);
	for (size_t i = 0; i < n->nin; i++)
		put_edge(out, v, n->in[i], n->in[i]->src, cum);
	rep_add(sum, flat);
	rep_put_value(out, v, 10, flat);
	rep_writer_put(out, " ");
	rep_put_share(out, flat, v->total);
	rep_writer_put(out, " ");
	rep_put_share(out, *sum, v->total);
	rep_writer_put(out, " ");
	rep_put_value(out, v, 10, cum);
	rep_writer_put(out, " ");
	rep_put_share(out, cum, v->total);
	rep_writer_put(out, "                | ");
	rep_writer_string(out, n->name);
	rep_writer_put(out, "\n");
	for (size_t i = 0; i < n->nout; i++)
		put_edge(out, v, n->out[i], n->out[i]->dest, cum);
}

static bool shown(const struct tp_regex *only, const struct rep_node *n)
{
	return !only || tp_regex_match(only, n->name.text, n->name.size);
}

/* ---- as rows ---- */

#define SHOWN(name_text, raw, title_text)                                                          \
	{                                                                                          \
		.name = (name_text), .title = (title_text), .kind = REP_TEXT, .right = true,       \
		.table_only = true, .by = (raw)                                                    \
	}

static const struct rep_column columns[] = {
    {.name = "function",
     .doc = "the function that the rows are about",
     .title = "FUNCTION",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "role",
     .doc = "caller, self (the function itself) or callee",
     .title = "ROLE",
     .kind = REP_TEXT},
    {.name = "name",
     .doc = "the caller, the function or the callee",
     .title = "NAME",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "file",
     .doc = "file of the caller, the function or the callee, or null",
     .kind = REP_TEXT,
     .raw_only = true},
    {.name = "line",
     .doc = "its line; of a function its first one, or the lowest known; or null",
     .kind = REP_ID,
     .raw_only = true},
    SHOWN("flat_shown", "flat", "FLAT"),
    {.name = "flat",
     .doc = "of the function: values of samples that end in it, else null",
     .kind = REP_ANY,
     .raw_only = true},
    SHOWN("cum_shown", "cum", "CUM"),
    {.name = "cum",
     .doc = "values of samples that pass through it, or through the call",
     .kind = REP_ANY,
     .raw_only = true},
    {.name = "cum_share",
     .doc = "of all values; of calls, of the function's",
     .title = "CUM%",
     .kind = REP_SHARE},
    {.name = "inlined", .doc = "the call is inlined", .title = "INLINED", .kind = REP_BOOL},
    {.name = "sample_type", .doc = "the sample type", .kind = REP_TEXT, .raw_only = true},
    {.name = "unit", .doc = "unit of flat and cum", .kind = REP_TEXT, .raw_only = true},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Writes the row of a call, or that of the node itself (call is NULL). */
static int put_row(const struct rep_profile_view *v, const struct rep_positions *positions,
		   const struct rep_node *n, const struct rep_edge *call, bool in,
		   struct rep_output *out, struct tp_err *err)
{
	const struct rep_node *other = !call ? n : in ? call->src : call->dest;
	const struct rep_position position = rep_position_of_node(positions, &other->info);
	int64_t cum = rep_node_cum(n), weight = call ? call->weight : cum;
	char flat_text[REP_MEASURE_SIZE], cum_text[REP_MEASURE_SIZE];

	return rep_output_row(
	    out,
	    (struct rep_value[NCOLUMNS]){
		rep_text(n->name.text, n->name.size),
		rep_str(!call ? "self"
			: in  ? "caller"
			      : "callee"),
		rep_text(other->name.text, other->name.size),
		rep_position_file(&position),
		rep_position_line(&position),
		call ? rep_null() : rep_str(rep_view_label(v, rep_node_flat(n), flat_text)),
		call ? rep_null() : rep_view_raw(v, rep_node_flat(n)),
		rep_str(rep_view_label(v, weight, cum_text)),
		rep_view_raw(v, weight),
		call ? rep_view_share(call->weight, cum) : rep_view_share(cum, v->total),
		call ? rep_int(call->inlined) : rep_null(),
		rep_str(v->type),
		rep_str(v->unit),
	    },
	    err);
}

static int put_rows(const struct rep_profile_view *v, const struct rep_positions *positions,
		    const struct rep_node *n, struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n->nin && !code; i++)
		code = put_row(v, positions, n, n->in[i], true, out, err);
	if (!code)
		code = put_row(v, positions, n, NULL, false, out, err);
	for (size_t i = 0; i < n->nout && !code; i++)
		code = put_row(v, positions, n, n->out[i], false, out, err);
	return code;
}

static int put_table(const struct rep_graph *g, const struct rep_profile_view *v,
		     const struct tp_regex *only, struct rep_output *out, struct tp_err *err)
{
	struct rep_positions positions = {0};
	int code = rep_output_begin(out, "tree", columns, NCOLUMNS, err);

	if (!code)
		code = rep_positions_of_view(&positions, v, out, err);
	for (size_t i = 0; i < g->n && !code; i++)
		if (shown(only, g->node[i]))
			code = put_rows(v, &positions, g->node[i], out, err);
	rep_positions_release(&positions);
	return code ? code : rep_output_end(out, err);
}

/* ---- as text ---- */

static int put_graph(const struct rep_graph *g, const struct rep_profile_view *v,
		     const struct tp_regex *only, const struct rep_sink *sink, struct tp_err *err)
{
	struct rep_writer out;
	int64_t sum = 0;

	rep_writer_init(&out, sink);
	rep_writer_fail(&out, rep_graph_heading(g, v, false, rep_heading_line, &out, NULL));
	rep_writer_put(&out, SEPARATOR LEGEND);
	for (size_t i = 0; i < g->n && !rep_writer_failed(&out); i++)
		if (shown(only, g->node[i]))
			put_node(&out, v, g->node[i], &sum);
	if (g->n)
		rep_writer_put(&out, SEPARATOR);
	return rep_writer_finish(&out, err);
}

/* Writes the nodes that match `arg`, or all if it is NULL, to the sink, or as rows if that is NULL. */
static int write_nodes(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		       struct rep_output *out, struct tp_err *err)
{
	struct rep_graph *g = NULL;
	struct tp_regex regex = {0}, *only = arg ? &regex : NULL;
	size_t matched = !arg;
	int code = only ? tp_regex_init(only, arg, "--peek", err) : 0;

	if (!code)
		code = rep_graph_new(&g, v, err);
	if (!code && only) {
		for (size_t i = 0; i < g->n; i++)
			matched += shown(only, g->node[i]);
		code = tp_regex_settle(only, err);
	}
	if (!code && !matched)
		code = rep_profile_no_function(v, arg, err);
	else if (!code)
		code = sink ? put_graph(g, v, only, sink, err) : put_table(g, v, only, out, err);
	if (!code && only)
		code = tp_regex_settle(only, err);
	rep_graph_free(g);
	if (only)
		tp_regex_release(only);
	return code;
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	return write_nodes(v, arg, sink, NULL, err);
}

static int table(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		 struct tp_err *err)
{
	return write_nodes(v, arg, NULL, out, err);
}

const struct rep_profile_report rep_profile_report_tree = {
    .name = "tree",
    .doc = "Each function between its callers and its callees",
    .traits = {.edges = true},
    .print = print,
    .table = table,
};

const struct rep_profile_report rep_profile_report_peek = {
    .name = "peek",
    .arg = "REGEX",
    .doc = "Callers and callees of the functions that match REGEX",
    .traits = {.no_trim = true, .edges = true},
    .print = print,
    .table = table,
};
