/* list: the source of matching functions, each line with its flat and cum values (pprof:
 * printSource).
 *
 *	Total: 30ms
 *	ROUTINE ======================== main.work in main.go
 *	      10ms       20ms (flat, cum) 66.67% of Total
 *	         .          .     11:func work() {
 *	      10ms       20ms     12:	total += fill()
 *
 * As rows, the line with ROUTINE has no number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/writer/heading.h"
#include "profile/report/reports.h"
#include "profile/code/source.h"

#define MARGIN 5 /* lines before the first and after the last one with a sample */

struct list {
	const struct rep_profile_view *v;
	struct rep_writer out;	 /* of the text */
	struct rep_output *rows; /* or NULL: the list is written as text */
	struct rep_source source;
	struct tp_err *err;
};

static const struct rep_column columns[] = {
    {.name = "function",
     .doc = "the function's name",
     .title = "FUNCTION",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "file", .doc = "its file, or null if unknown", .title = "FILE", .kind = REP_TEXT},
    {.name = "line",
     .doc = "the line, or null in the first row of a function in a file, which has the sums",
     .title = "LINE",
     .kind = REP_ID},
    {.name = "flat", .doc = "values of samples that end in it", .title = "FLAT", .kind = REP_ANY},
    {.name = "cum",
     .doc = "values of samples that pass through it",
     .title = "CUM",
     .kind = REP_ANY},
    {.name = "cum_share", .doc = "of all values", .title = "CUM%", .kind = REP_SHARE},
    {.name = "sample_type", .doc = "the sample type", .kind = REP_TEXT, .raw_only = true},
    {.name = "unit", .doc = "unit of flat and cum", .kind = REP_TEXT, .raw_only = true},
    {.name = "source",
     .doc = "text of the line; in a function's first row why there is none, or null",
     .title = "SOURCE",
     .kind = REP_TEXT},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Writes the row of a line, or the first one of a function (line 0). */
static int put_row(const struct list *l, const struct rep_node *n, int64_t line, int64_t flat,
		   int64_t cum, struct rep_value source)
{
	const struct rep_node_info *info = &n->info;

	return rep_output_row(
	    l->rows,
	    (struct rep_value[NCOLUMNS]){
		rep_text(info->name.text, info->name.size),
		info->file.size ? rep_text(info->file.text, info->file.size) : rep_null(),
		line ? rep_int(line) : rep_null(),
		rep_view_raw(l->v, flat),
		rep_view_raw(l->v, cum),
		rep_view_share(cum, l->v->total),
		rep_str(l->v->type),
		rep_str(l->v->unit),
		source,
	    },
	    l->err);
}

static int64_t clamped(int64_t line, int64_t by)
{
	int64_t sum;

	if (__builtin_add_overflow(line, by, &sum))
		return by < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int by_place(const void *a, const void *b)
{
	const struct rep_node *x = *(struct rep_node *const *)a, *y = *(struct rep_node *const *)b;
	int c = rep_text_compare(x->info.name, y->info.name);

	if (!c)
		c = rep_text_compare(x->info.file, y->info.file);
	return c ? c : (x->info.line > y->info.line) - (x->info.line < y->info.line);
}

static void put_or_dot(struct list *l, int64_t value)
{
	if (value)
		rep_put_value(&l->out, l->v, 10, value);
	else
		rep_writer_put(&l->out, "         .");
	rep_writer_put(&l->out, " ");
}

/* Writes the lines from the function's beginning, or MARGIN lines before its first sample, to
 * MARGIN lines after its last. Nodes are sorted by line. */
static int put_lines(struct list *l, struct rep_node *const *node, size_t n)
{
	int64_t first = INT64_MAX, last = clamped(node[n - 1]->info.line, MARGIN);
	struct tp_text line;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t start = node[i]->info.start_line;

		if (!start)
			start = clamped(node[i]->info.line, -MARGIN);
		first = start < first ? start : first;
	}
	for (int64_t k = first < 1 ? 1 : first; k <= last; k++) {
		int64_t flat = 0, cum = 0;

		if (rep_writer_failed(&l->out) || !rep_source_line(&l->source, k, &line))
			break;
		for (; at < n && node[at]->info.line <= k; at++) {
			if (node[at]->info.line < k)
				continue;
			rep_add(&flat, node[at]->flat);
			rep_add(&cum, node[at]->cum);
		}
		if (l->rows) {
			int code =
			    put_row(l, node[0], k, flat, cum, rep_text(line.text, line.size));

			if (code)
				return code;
			continue;
		}
		put_or_dot(l, flat);
		put_or_dot(l, cum);
		rep_writer_printf(&l->out, "%6lld:", (long long)k);
		rep_writer_prose(&l->out, line);
		rep_writer_put(&l->out, "\n");
	}
	return 0;
}

/* Writes the lines "ROUTINE …" and those with the sums. */
static void put_heading(struct list *l, const struct rep_node *n, int64_t flat, int64_t cum)
{
	struct rep_writer *out = &l->out;

	rep_writer_put(out, "ROUTINE ======================== ");
	rep_writer_string(out, n->info.name);
	rep_writer_put(out, " in ");
	rep_writer_string(out, n->info.file);
	rep_writer_put(out, "\n");
	rep_put_value(out, l->v, 10, flat);
	rep_writer_put(out, " ");
	rep_put_value(out, l->v, 10, cum);
	rep_writer_put(out, " (flat, cum) ");
	rep_put_share(out, cum, l->v->total);
	rep_writer_put(out, " of Total\n");
	if (l->source.why[0]) {
		rep_writer_put(out, " Error: ");
		rep_writer_text(out, l->source.why, strlen(l->source.why));
		rep_writer_put(out, "\n");
	}
}

static void add_up(struct rep_node *const *node, size_t n, int64_t *flat, int64_t *cum)
{
	*flat = *cum = 0;
	for (size_t i = 0; i < n; i++) {
		rep_add(flat, node[i]->flat);
		rep_add(cum, node[i]->cum);
	}
}

/* Writes the part of a function that is in one file. */
static int put_file(struct list *l, struct rep_node *const *node, size_t n)
{
	const char *why = l->source.why;
	int64_t flat, cum;
	int code;

	add_up(node, n, &flat, &cum);
	code = rep_source_open(&l->source, node[0]->info.file, l->err);
	if (!code && l->rows)
		code = put_row(l, node[0], 0, flat, cum, *why ? rep_str(why) : rep_null());
	else if (!code)
		put_heading(l, node[0], flat, cum);
	return code || *why ? code : put_lines(l, node, n);
}

/* Writes one function; its nodes are sorted by file. */
static int put_function(struct list *l, struct rep_node *const *node, size_t n)
{
	int64_t flat, cum;
	size_t from = 0;
	int code = 0;

	add_up(node, n, &flat, &cum);
	while (from < n && !node[from]->info.file.size)
		from++;
	if (from == n && l->rows)
		return put_row(l, node[0], 0, flat, cum,
			       rep_str("the profile does not name its file"));
	if (from == n) {
		rep_writer_put(&l->out, "No source information for ");
		rep_writer_string(&l->out, node[0]->info.name);
		rep_writer_put(&l->out, "\n");
	}
	for (size_t i = from, more; i < n && !code && !rep_writer_failed(&l->out); i += more) {
		for (more = 1; i + more < n &&
			       !rep_text_compare(node[i]->info.file, node[i + more]->info.file);
		     more++)
			;
		code = put_file(l, node + i, more);
	}
	return code;
}

static int put_all(struct list *l, struct rep_node *const *node, size_t n)
{
	int code = 0;

	for (size_t i = 0, more; i < n && !code && !rep_writer_failed(&l->out); i += more) {
		for (more = 1; i + more < n &&
			       !rep_text_compare(node[i]->info.name, node[i + more]->info.name);
		     more++)
			;
		code = put_function(l, node + i, more);
	}
	return code;
}

static int put_text(struct list *l, struct rep_node *const *node, size_t n,
		    const struct rep_sink *sink)
{
	rep_writer_init(&l->out, sink);
	rep_writer_put(&l->out, "Total: ");
	rep_put_value(&l->out, l->v, 0, l->v->total);
	rep_writer_put(&l->out, "\n");
	rep_writer_fail(&l->out, put_all(l, node, n));
	return rep_writer_finish(&l->out, l->err);
}

static int put_rows(struct list *l, struct rep_node *const *node, size_t n)
{
	int code = rep_output_begin(l->rows, "list", columns, NCOLUMNS, l->err);

	if (!code)
		code = put_all(l, node, n);
	return code ? code : rep_output_end(l->rows, l->err);
}

/* Finds the matching nodes, sorted by function, file and line. */
static int pick(const struct rep_profile_view *v, const struct rep_graph *g, const char *arg,
		struct rep_node ***node, size_t *n, struct tp_err *err)
{
	struct tp_regex only = {0};
	int code = tp_regex_init(&only, arg, "--list", err);

	*n = 0;
	*node = calloc(g->n + 1, sizeof(**node));
	if (!*node && !code)
		code = tp_nomem(err);
	for (size_t i = 0; i < g->n && !code; i++)
		if (tp_regex_match(&only, g->node[i]->info.name.text, g->node[i]->info.name.size))
			(*node)[(*n)++] = g->node[i];
	if (!code)
		code = tp_regex_settle(&only, err);
	tp_regex_release(&only);
	if (!code && !*n)
		code = rep_profile_no_function(v, arg, err);
	if (!code && *n > 1)
		qsort(*node, *n, sizeof(**node), by_place);
	return code;
}

/* Writes the list to `sink`, or as rows if that is NULL. */
static int write_list(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		      struct rep_output *rows, struct tp_err *err)
{
	const char *search = v->opt.source_path;
	struct list l = {.v = v, .rows = rows, .err = err};
	struct rep_node **node = NULL;
	struct rep_graph *g = NULL;
	char here[4096];
	size_t n = 0;
	int code = rep_graph_new(&g, v, err);

	if (!search || !*search)
		search = getcwd(here, sizeof(here)) ? here : ".";
	rep_source_init(&l.source, search, v->opt.trim_path);
	l.source.go = v->opt.go;
	l.source.within = v->opt.source_within;
	/* The first mapping is the program. */
	if (v->profile->nmappings)
		l.source.program =
		    tp_dict_text(v->profile->dict, v->profile->mappings[0].file).text;
	if (!code)
		code = pick(v, g, arg, &node, &n, err);
	if (!code)
		code = rows ? put_rows(&l, node, n) : put_text(&l, node, n, sink);
	rep_source_release(&l.source);
	free(node);
	rep_graph_free(g);
	return code;
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	return write_list(v, arg, sink, NULL, err);
}

static int table(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		 struct tp_err *err)
{
	return write_list(v, arg, NULL, out, err);
}

const struct rep_profile_report rep_profile_report_list = {
    .name = "list",
    .arg = "REGEX",
    .doc = "The source of functions that match REGEX, with values for each line",
    .traits = {.no_trim = true,
	       .whole = true,
	       .granularity_fixed = true,
	       .granularity = REP_LINES,
	       .object_names = true},
    .print = print,
    .table = table,
};
