/* Lists hops with the stacks of both sides: what the goroutine of a hop did and where, which goroutine it
 * woke and from where, and where that one had waited. */
#include "path/say.h"

#define FRAMES 24 /* most frames of a stack */

static int put(struct rep_words *w, bool strong, struct tp_err *err)
{
	w->size = 0;
	return rep_output_note(w->out, strong, w->text, err);
}

static int put_stack(struct rep_words *w, uint32_t stack, struct tp_err *err)
{
	const struct tp_dict *dict = w->page->v->dict;
	unsigned n = 0;
	int code = 0;

	for (uint32_t at = stack; at && !code;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
		struct tp_function f = tp_dict_function_at(dict, frame.function);
		struct tp_text name = tp_dict_text(dict, f.name), file = tp_dict_text(dict, f.file);

		if (n++ == FRAMES) {
			rep_say(w, "    …");
			return put(w, false, err);
		}
		rep_say(w, "    %.*s", name.size < 300 ? (int)name.size : 300, name.text);
		if (file.size)
			rep_say(w, "  %.*s:%lld", file.size < 200 ? (int)file.size : 200, file.text,
				(long long)frame.line);
		code = put(w, false, err);
		at = node.parent < at ? node.parent : 0;
	}
	return code;
}

static void say_goroutine(struct rep_words *w, uint32_t goroutine)
{
	rep_say_who(w, goroutine, rep_view_entry(w->page->v, goroutine), false);
}

static void say_place(struct rep_words *w, const struct rep_place *place)
{
	const struct rep_view *v = w->page->v;

	if (place && place->task != TP_NONE) {
		rep_say(w, "  task ");
		rep_say_name(w, tp_dict_text(v->dict, rep_place_task(v, place)));
		rep_say(w, " #%lld", (long long)REP_AT(v, TASK, id, place->task));
	}
	if (place && place->region != TP_NONE) {
		rep_say(w, "  region ");
		rep_say_name(w, tp_dict_text(v->dict, rep_place_region(v, place)));
	}
}

int rep_path_list_hop(struct rep_output *out, const struct rep_path_page *page, size_t i,
		      struct tp_err *err)
{
	const struct rep_path_hop hop = rep_path_hop(page->path, i), *h = &hop;
	struct rep_words w = {.out = out, .page = page};
	struct tp_text reason = tp_dict_text(page->v->dict, h->reason);
	struct rep_place place;
	int code;

	rep_say_time(&w, h->from - rep_view_clip_start(page->v, page->list->request->from));
	rep_say(&w, "  +");
	rep_say_time(&w, h->to - h->from);
	rep_say(&w, "  %s", rep_path_kinds[h->kind].name);
	if (reason.size)
		rep_say(&w, " (%.*s)", reason.size < 100 ? (int)reason.size : 100, reason.text);
	rep_say(&w, "  ");
	say_goroutine(&w, h->goroutine);
	say_place(&w, rep_path_hop_place(page, i, &place));
	code = put(&w, true, err);
	if (!code)
		code = put_stack(&w, h->stack, err);
	if (!code && h->holder != TP_NONE) {
		rep_say(&w, "  the P had been with ");
		say_goroutine(&w, h->holder);
		code = put(&w, false, err);
	}
	if (code || h->wakes == TP_NONE)
		return code;
	rep_say(&w, h->creates ? "  creates " : "  wakes ");
	say_goroutine(&w, h->wakes);
	reason = tp_dict_text(page->v->dict, h->wakes_reason);
	if (!h->creates)
		rep_say(&w, ", which waits for %.*s%s", reason.size < 100 ? (int)reason.size : 100,
			reason.text, h->wakes_stack ? " in" : "");
	code = put(&w, false, err);
	return code ? code : put_stack(&w, h->wakes_stack, err);
}
