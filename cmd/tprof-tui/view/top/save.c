/* Copies and saves a table, and finds the source line for the editor. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flame/flame.h"
#include "top/top.h"
#include "tprof-tui/view/top/top.h"

/* ---- copying ---- */

static const struct rep_value *stack_of(struct top *top)
{
	const struct rep_value *v = tui_table_cell(&top->rows.table, REP_TOP_FRAMES);

	if (!v)
		v = tui_table_cell(&top->rows.table, "stack");
	return rep_value_is_text(v) ? v : NULL;
}

/* Writes a stack, one frame per line. With `lines`, the stack already has one frame per line, as name,
 * tab and place. Names are escaped, as copied text is pasted into terminals. */
static int put_stack(struct tp_buf *out, const struct rep_value *stack, bool lines)
{
	const char *text = stack->text.data;
	size_t size = stack->text.size, from = 0;
	int code = 0;

	for (size_t i = 0; i <= size && !code; i++) {
		bool end = i == size || text[i] == (lines ? '\n' : ';');

		if (!end && !(lines && text[i] == '\t'))
			continue;
		code = rep_escape(out, text + from, i - from, REP_ESCAPE_SHOWN);
		if (!code)
			code = tp_buf_put(out, end ? "\n" : "\t", 1);
		from = i + 1;
	}
	return code;
}

int top_yank(struct tui_view *v, bool all, struct tp_buf *out)
{
	struct top *top = v->state;
	const struct rep_value *stack = all ? NULL : stack_of(top);
	int code;

	code = tui_table_yank(tui_table_of(v), all, out);
	if (code || !stack || top->choosing)
		return code;
	code = tp_buf_put(out, "\n", 1);
	return code ? code
		    : put_stack(out, stack, tui_table_cell(&top->rows.table, REP_TOP_FRAMES));
}

/* ---- saving ---- */

/* Returns the column of the rows' weights: the time, else the count. */
static int weight_column(const struct rep_sheet *s)
{
	int c = rep_sheet_column(s, "total_ns");

	if (c < 0)
		c = rep_sheet_column(s, "duration_ns");
	return c < 0 ? rep_sheet_column(s, "count") : c;
}

/* Writes a folded stack, from the root: "main;main.f;main.g 12". */
static int put_folded(struct tp_buf *out, const struct rep_value *stack, int64_t weight)
{
	const char *text = stack->text.data;
	size_t end = stack->text.size;
	char number[24];
	int code = 0;

	while (end && !code) {
		size_t from = end;

		while (from && text[from - 1] != ';')
			from--;
		code = rep_escape(out, text + from, end - from, REP_ESCAPE_SHOWN);
		end = from ? from - 1 : 0;
		if (!code)
			code = tp_buf_put(out, end ? ";" : " ", 1);
	}
	snprintf(number, sizeof(number), "%lld\n", (long long)weight);
	return code ? code : tp_buf_put(out, number, strlen(number));
}

/* Writes the folded stacks of the rows that are shown. */
static int folded_rows(struct top *top, const struct rep_sink *sink, struct tp_err *err)
{
	const struct tui_table *table = &top->rows.table;
	const struct rep_sheet *s = table->sheet;
	int stack = rep_sheet_column(s, "stack"), weight = weight_column(s);
	struct tp_buf out = {0};
	int code = 0;

	if (stack < 0 || weight < 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "only tables with stacks can be saved as .folded; use .csv, "
				  ".json, .tsv or .md for this one");
	for (size_t i = 0; i < table->n && !code; i++) {
		const struct rep_value *v = rep_sheet_at(s, table->order[i], (size_t)stack);
		const struct rep_value *w = rep_sheet_at(s, table->order[i], (size_t)weight);

		if (v->type == REP_TYPE_TEXT && v->text.size && w->type == REP_TYPE_INT)
			code = put_folded(&out, v, w->i);
	}
	code = code ? tp_nomem(err) : sink->write(sink->ctx, out.data, out.size, err);
	tp_buf_release(&out);
	return code;
}

/* Writes all stacks of the functions, as tprof-flame does. */
static int flame_of(const struct tui_view *v, struct top *top, enum rep_flame_format format,
		    const struct rep_sink *sink, struct tp_err *err)
{
	const struct rep_profile_view *view = &top->result.model->top.view;
	const struct rep_flame_tree_options tree_options = {0};
	const struct rep_flame_source source = {
	    .profile = view->profile, .type = view->index, .ratio = 1};
	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
	struct rep_flame_tree tree;
	char title[300];
	int code = rep_flame_tree_init(&tree, &tree_options, err);

	if (!code)
		code = rep_flame_tree_add(&tree, &source, REP_FLAME_NEW, err);
	if (!code)
		code = rep_flame_tree_sum(&tree, err);
	snprintf(title, sizeof(title), "%.200s: %s", v->select.run->row.name,
		 top->list[top->at].name);
	opt.title = title;
	opt.type = view->type;
	opt.unit = view->unit;
	if (!code)
		code = rep_flame_write(&tree, format, &opt, sink, err);
	rep_flame_tree_release(&tree);
	return code;
}

/* Writes the chart as a picture. */
static int chart_of(struct tui_view *v, const struct rep_sink *sink, struct tp_err *err)
{
	struct top *top = v->state;
	char times[60];
	const struct rep_top_options opt = {
	    .report = rep_reports[top->list[top->at].which],
	    .filter = tui_select_filter(&v->select, top_filters(top_entry_of(top)), times),
	    .chart = REP_CHART_SVG,
	    .svg = *sink,
	};

	return rep_top(NULL, v->tui->cmd->store, v->select.run, 1, &opt, err);
}

static bool has_chart(const struct top *top)
{
	const struct top_entry *e = &top->list[top->at];

	return e->kind == TOP_REPORT && rep_top_has_chart(rep_reports[e->which]);
}

int top_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err)
{
	struct top *top = v->state;
	enum rep_flame_format format;

	if (v->busy || !top->rows.table.sheet)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s",
				  v->busy
				      ? "the table is still being made; save it when it is shown"
				      : "there is nothing to save");
	/* JSON ("n") is always saved as a table; text only if there is no flame graph. */
	if (!rep_flame_format_of(path, &format) || !strcmp(path + strlen(path) - 1, "n") ||
	    (format == REP_FLAME_TEXT && !top->result.model))
		return tui_table_save(&top->rows.table, path, sink, err);
	if (top->result.model)
		return flame_of(v, top, format, sink, err);
	if (format == REP_FLAME_SVG && has_chart(top))
		return chart_of(v, sink, err);
	if (format == REP_FLAME_FOLDED)
		return folded_rows(top, sink, err);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "only functions, mmu and heap can be saved as pictures; use .csv, .json, "
			  ".tsv, .md or .txt for this table");
}

/* ---- source lines ---- */

/* Finds the file and line of a function: its start line, else the first of its lines in the profile. */
static bool place_of(const struct tp_dict *d, const struct rep_value *name, char *file, size_t size,
		     int64_t *line)
{
	struct tp_text found = {0};

	for (uint32_t i = 0; i < tp_dict_frames(d); i++) {
		struct tp_frame frame = tp_dict_frame_at(d, i);
		struct tp_function f = tp_dict_function_at(d, frame.function);
		struct tp_text t = tp_dict_text(d, f.name);

		if (t.size != name->text.size || memcmp(t.text, name->text.data, t.size) != 0)
			continue;
		if (f.start_line > 0) {
			found = tp_dict_text(d, f.file);
			*line = f.start_line;
			break;
		}
		if (!found.size || (frame.line > 0 && frame.line < *line)) {
			found = tp_dict_text(d, f.file);
			*line = frame.line;
		}
	}
	if (!found.size || found.size >= size)
		return false;
	memcpy(file, found.text, found.size);
	file[found.size] = '\0';
	return true;
}

bool top_source(struct tui_view *v, char *file, size_t size, int64_t *line)
{
	struct top *top = v->state;
	const struct rep_value *name = tui_table_cell(&top->rows.table, "function");
	struct tp_dict *dict = NULL;
	struct tp_err err;
	bool found;

	if (top->choosing || v->busy || !v->select.run)
		return false;
	if (!name)
		name = tui_table_cell(&top->rows.table, "entry");
	if (!name || name->type != REP_TYPE_TEXT)
		return false;
	if (top->result.model)
		return place_of(top->result.model->profile->dict, name, file, size, line);
	if (tp_dict_load(v->tui->cmd->store, v->select.run->row.id, &dict, &err))
		return false;
	found = place_of(dict, name, file, size, line);
	tp_dict_free(dict);
	return found;
}
