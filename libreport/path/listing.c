/* Hops with the stacks of both sides, for reading: what the hop did where, whom it woke from where,
 * and where that one had waited. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "path/show.h"

#define FRAMES 24 /* of a stack */

struct listing {
	struct rep_output *out;
	const struct rep_path_page *page;
	char line[600];
};

static int put(struct listing *l, bool strong, struct tp_err *err)
{
	return rep_output_note(l->out, strong, l->line, err);
}

static int put_stack(struct listing *l, uint32_t stack, const char *before, struct tp_err *err)
{
	const struct tp_dict *dict = l->page->v->dict;
	unsigned n = 0;
	int code = 0;

	for (uint32_t at = stack; at && !code;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
		struct tp_function f = tp_dict_function_at(dict, frame.function);
		struct tp_text name = tp_dict_text(dict, f.name), file = tp_dict_text(dict, f.file);

		if (n++ == FRAMES) {
			snprintf(l->line, sizeof(l->line), "%s…", before);
			return put(l, false, err);
		}
		snprintf(l->line, sizeof(l->line), "%s%.*s  %.*s:%lld", before,
			 name.size < 300 ? (int)name.size : 300, name.text,
			 file.size < 200 ? (int)file.size : 200, file.text, (long long)frame.line);
		if (!file.size)
			l->line[strlen(before) + (name.size < 300 ? name.size : 300)] = '\0';
		code = put(l, false, err);
		at = node.parent < at ? node.parent : 0;
	}
	return code;
}

static char *put_time(const struct listing *l, char text[40], int64_t ns)
{
	if (l->page->v->run->row.ticks)
		snprintf(text, 40, "%lld", (long long)ns);
	else
		tp_fmt_ns(text, ns);
	return text;
}

/* "goroutine 12 (main.worker)" */
static void put_who(const struct listing *l, char text[160], uint32_t goroutine)
{
	const struct rep_view *v = l->page->v;
	struct tp_text name = rep_path_short(v->dict, rep_view_entry(v, goroutine));
	char id[REP_GOID_SIZE];

	if (goroutine >= v->nrows[TP_TABLE_GOROUTINE]) {
		snprintf(text, 160, "unknown goroutine");
		return;
	}
	snprintf(text, 160, "goroutine %s (%.*s)",
		 rep_goids_text(&v->goids, rep_view_goid(v, goroutine), id),
		 name.size < 100 ? (int)name.size : 100, name.text);
}

int rep_path_list_hop(struct rep_output *out, const struct rep_path_page *page,
		      const struct rep_path_hop *h, struct tp_err *err)
{
	struct listing l = {.out = out, .page = page};
	int64_t from = rep_view_clip_start(page->v, page->list->request->from);
	struct tp_text reason = tp_dict_text(page->v->dict, h->reason);
	char at[40], time[40], who[160];
	int code;

	put_who(&l, who, h->goroutine);
	snprintf(l.line, sizeof(l.line), "%s  +%s  %s%s%.*s%s  %s",
		 put_time(&l, at, h->from - from), put_time(&l, time, h->to - h->from),
		 rep_path_kinds[h->kind].name, reason.size ? " (" : "",
		 reason.size < 100 ? (int)reason.size : 100, reason.text, reason.size ? ")" : "",
		 who);
	code = put(&l, true, err);
	if (!code)
		code = put_stack(&l, h->stack, "    ", err);
	if (!code && h->holder != TP_NONE) {
		put_who(&l, who, h->holder);
		snprintf(l.line, sizeof(l.line), "  the P had been with %s", who);
		code = put(&l, false, err);
	}
	if (code || h->wakes == TP_NONE)
		return code;
	put_who(&l, who, h->wakes);
	reason = tp_dict_text(page->v->dict, h->wakes_reason);
	snprintf(l.line, sizeof(l.line),
		 h->creates	  ? "  creates %s"
		 : h->wakes_stack ? "  wakes %s, which waits for %.*s in"
				  : "  wakes %s, which waits for %.*s",
		 who, reason.size < 100 ? (int)reason.size : 100, reason.text);
	code = put(&l, false, err);
	return code ? code : put_stack(&l, h->wakes_stack, "    ", err);
}
