/* The origin of a goroutine. */
#include <stdio.h>

#include "base/many.h"
#include "life/inside.h"

static const struct rep_column columns[] = {
    {.name = "what", .doc = "what the row is about", .title = "WHAT", .kind = REP_TEXT},
    {.name = "value", .doc = "text", .title = "VALUE", .kind = REP_TEXT, .least = 30},
    {.name = "goroutine", .doc = "the goroutine", .title = "GOROUTINE", .kind = REP_ID},
    {.name = "at_ns", .doc = "when, since the run began", .title = "AT", .kind = REP_NS},
    {.name = "location",
     .doc = "file and line",
     .title = "LOCATION",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_LEFT},
};

#define MOST_FRAMES 500

struct writing {
	struct rep_output *out;
	struct tp_err *err;
	int code;
};

static void put(struct writing *w, const char *what, struct rep_value value,
		struct rep_value goroutine, struct rep_value at, struct rep_value location)
{
	const struct rep_value row[] = {rep_str(what), value, goroutine, at, location};

	if (!w->code)
		w->code = rep_output_row(w->out, row, w->err);
}

static void put_frames(struct writing *w, struct tp_dict *d, uint32_t stack)
{
	for (int i = 0; stack && i < MOST_FRAMES && !w->code; i++) {
		struct tp_stack_node node = tp_dict_stack_at(d, stack);
		struct tp_frame frame = tp_dict_frame_at(d, node.frame);
		struct tp_text name = tp_dict_text(d, tp_dict_frame_name(d, node.frame));
		struct tp_text file = tp_dict_text(d, tp_dict_function_at(d, frame.function).file);
		char place[1024];

		snprintf(place, sizeof(place), "%.*s:%lld",
			 (int)(file.size < 900 ? file.size : 900), file.text,
			 (long long)frame.line);
		put(w, i ? "called by" : "go statement in",
		    name.size ? rep_text(name.text, name.size) : rep_str("(unknown)"), rep_null(),
		    rep_null(), file.size ? rep_str(place) : rep_null());
		stack = node.parent < stack ? node.parent : 0;
	}
}

int rep_life_origin(struct rep_life *life, struct rep_output *out, struct tp_err *err)
{
	struct rep_view *v = &life->view;
	struct writing w = {.out = out, .err = err};
	const size_t g = life->goroutine;
	struct tp_text name;
	int64_t parent;
	bool known;

	w.code = rep_view_load(v, TP_TABLE_GOROUTINE,
			       REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name) |
				   REP_BIT(GOROUTINE, parent) | REP_BIT(GOROUTINE, create_stack) |
				   REP_BIT(GOROUTINE, created_ns) | REP_BIT(GOROUTINE, started_ns) |
				   REP_BIT(GOROUTINE, ended_ns),
			       err);
	if (!w.code)
		w.code = rep_output_begin(out, "origin", columns, TP_COUNT_OF(columns), err);
	if (w.code)
		return w.code;
	name = tp_dict_text(v->dict, rep_view_entry(v, (int64_t)g));
	put(&w, "entry function", name.size ? rep_text(name.text, name.size) : rep_str("(unknown)"),
	    rep_view_goid_value(v, (int64_t)g), rep_null(), rep_null());
	parent = REP_COL(v, GOROUTINE, parent)[g];
	known = parent >= 0 && (uint64_t)parent < v->nrows[TP_TABLE_GOROUTINE];
	name = tp_dict_text(v->dict, known ? rep_view_entry(v, parent) : 0);
	put(&w, "created by",
	    known ? name.size ? rep_text(name.text, name.size) : rep_str("(unknown)")
		  : rep_str("nobody in this trace"),
	    rep_view_goid_value(v, parent),
	    known ? rep_opt(REP_COL(v, GOROUTINE, created_ns)[g]) : rep_null(), rep_null());
	put(&w, known ? "created" : "first seen", rep_null(), rep_null(),
	    rep_opt(REP_COL(v, GOROUTINE, created_ns)[g]), rep_null());
	put(&w, "first ran", rep_null(), rep_null(), rep_opt(REP_COL(v, GOROUTINE, started_ns)[g]),
	    rep_null());
	put(&w, "ended",
	    REP_COL(v, GOROUTINE, ended_ns)[g] == TP_NULL ? rep_str("not by the end of the run")
							  : rep_null(),
	    rep_null(), rep_opt(REP_COL(v, GOROUTINE, ended_ns)[g]), rep_null());
	put_frames(&w, v->dict, (uint32_t)REP_COL(v, GOROUTINE, create_stack)[g]);
	return w.code ? w.code : rep_output_end(out, err);
}
