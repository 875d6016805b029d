/* Copies and saves the flame graph, and opens other views from it. */
#include <stdlib.h>
#include <string.h>

#include "flame/flame.h"
#include "tprof-tui/view/flame/flame.h"
#include "tprof-tui/view/lead.h"

struct tp_text flame_name(const struct flame *f, uint32_t node)
{
	const struct rep_flame_tree *t = &f->pic->tree;
	struct tp_text name = tp_dict_text(t->names, t->node[node].name);

	if (!node)
		return (struct tp_text){"total", 5};
	return name.size ? name : (struct tp_text){"(unknown)", 9};
}

/* ---- copying ---- */

static int put_line(struct tp_buf *out, struct tp_text name)
{
	return rep_escape(out, name.text, name.size, REP_ESCAPE_SHOWN) | tp_buf_put(out, "\n", 1);
}

/* Writes a stack from its root, also for a tree that begins at the leaves (reverse). */
static int put_stack(const struct flame *f, uint32_t node, struct tp_buf *out)
{
	const struct rep_flame_tree *t = &f->pic->tree;
	uint32_t path[REP_FLAME_MAX_DEPTH], n = 0;
	int code = 0;

	for (; node && n < REP_FLAME_MAX_DEPTH; node = t->node[node].parent)
		path[n++] = node;
	for (uint32_t i = 0; i < n && !code; i++)
		code = put_line(out, flame_name(f, path[t->opt.reverse ? i : n - 1 - i]));
	return code;
}

static int write_as(const struct flame *f, enum rep_flame_format format,
		    const struct rep_sink *sink, struct tp_err *err)
{
	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;

	opt.title = f->pic->title;
	opt.subtitle = f->pic->subtitle;
	opt.type = f->pic->type;
	opt.unit = f->pic->unit;
	opt.upwards = f->upwards;
	opt.width = f->cells.width;
	return rep_flame_write(&f->pic->tree, format, &opt, sink, err);
}

int flame_yank(struct tui_view *v, bool all, struct tp_buf *out)
{
	const struct flame *f = v->state;
	const struct rep_flame_bar *b = flame_bar(f);
	const struct rep_sink sink = rep_sink_buf(out);
	struct tp_err err;

	if (!f->pic)
		return 0;
	if (all)
		return write_as(f, REP_FLAME_FOLDED, &sink, &err);
	return b ? put_stack(f, b->what.node, out) : 0;
}

int flame_save(struct tui_view *v, const char *path, const struct rep_sink *sink,
	       struct tp_err *err)
{
	const struct flame *f = v->state;
	enum rep_flame_format format;

	if (!f->pic)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "there is nothing to save yet");
	if (!rep_flame_format_of(path, &format))
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the ending must be .svg, .html, .folded, .json (speedscope) or .txt");
	return write_as(f, format, sink, err);
}

bool flame_source(struct tui_view *v, char *file, size_t size, int64_t *line)
{
	const struct flame *f = v->state;
	const struct rep_flame_bar *b = flame_bar(f);
	struct tp_text text;

	if (!b || b->count || !f->pic->place[b->what.node].file)
		return false;
	text = tp_dict_text(f->pic->files, f->pic->place[b->what.node].file);
	*line = f->pic->place[b->what.node].line;
	return (size_t)snprintf(file, size, "%s", text.text) < size;
}

/* ---- opening a table ---- */

/* Narrows by a leaf such as "[chan receive]", which is a state or a reason, not a function. */
static bool narrow_by_leaf(struct tui_select *s, struct rep_value inner)
{
	static const char *const states[] = {"running", "runnable", "blocked", "syscall", "lost"};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (rep_value_is(&inner, states[i]))
			return tui_select_set(&s->state, states[i]);
	return tui_lead_set_only(&s->reason, inner);
}

/* Narrows by the function of the frame; for a state or reason also by its caller. */
static bool narrow(const struct flame *f, const struct tui_view *v, uint32_t node,
		   struct tui_select *s)
{
	struct tp_text name = flame_name(f, node);

	if (node && tui_is_trace(&v->select) && name.size > 2 && name.text[0] == '[' &&
	    name.text[name.size - 1] == ']') {
		if (!narrow_by_leaf(s, rep_text(name.text + 1, name.size - 2)))
			return false;
		/* Also narrow by the function that the state or reason belongs to. */
		node = f->kind.reverse ? 0 : f->pic->tree.node[node].parent;
		name = flame_name(f, node);
	}
	return !node || tui_lead_set_only(&s->focus, rep_text(name.text, name.size));
}

void flame_top(struct tui_view *v)
{
	const struct flame *f = v->state;
	const struct rep_flame_bar *b = flame_bar(f);
	struct tui *t = v->tui;
	char report[40];
	bool fine = !b || narrow(f, v, b->what.node, &t->select);

	/* The table of functions of the same view. */
	snprintf(report, sizeof(report), "%s functions", rep_trace_views[f->kind.view].name);
	tui_open_narrowed(t, fine, "top", tui_is_profile(&v->select) ? NULL : report);
}
