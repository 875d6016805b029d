#include "path/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"
#include "stack.h"

struct tp_text rep_path_short(const struct tp_dict *dict, uint32_t name)
{
	struct tp_text t = rep_stack_short(tp_dict_text(dict, name));

	return t.size ? t : (struct tp_text){"(unknown)", 9};
}

struct tp_text rep_path_function(const struct tp_dict *dict, uint32_t entry, uint32_t stack)
{
	return rep_path_short(dict, stack ? rep_path_site(dict, stack) : entry);
}

#define LINE	   78 /* cells; a byte counts as one */
#define LINE_LEAST 40

void rep_say(struct rep_words *w, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(w->text + w->size, sizeof(w->text) - w->size, fmt, args);
	va_end(args);
	if (n > 0)
		w->size = w->size + (size_t)n < sizeof(w->text) ? w->size + (size_t)n
								: sizeof(w->text) - 1;
}

void rep_say_name(struct rep_words *w, struct tp_text t)
{
	if (t.size > REP_SAY_NAME)
		rep_say(w, "…%.*s", REP_SAY_NAME - 1, t.text + t.size - (REP_SAY_NAME - 1));
	else
		rep_say(w, "%.*s", (int)t.size, t.text);
}

/* Returns the length of a line, which fits narrow terminals: the output would break longer lines again. */
static size_t line_size(const struct rep_words *w)
{
	unsigned width = rep_output_width(w->out);

	if (!width || width > LINE)
		return LINE;
	return width < LINE_LEAST ? LINE_LEAST : width;
}

int rep_say_lines(struct rep_words *w, bool strong, size_t indent, struct tp_err *err)
{
	size_t at = 0;
	int code = 0;

	while (w->size && w->text[w->size - 1] == ' ')
		w->size--;
	while (!code && at < w->size) {
		char line[sizeof(w->text) + 40];
		size_t blanks = at ? indent : 0, end = w->size;
		size_t room = w->page->unwrapped ? sizeof(w->text) : line_size(w) - blanks;

		if (end - at > room) {
			end = at + room;
			while (end > at && w->text[end] != ' ')
				end--;
			if (end == at) /* a long word stays whole */
				for (end = at + room; end < w->size && w->text[end] != ' ';)
					end++;
		}
		snprintf(line, sizeof(line), "%*s%.*s", (int)blanks, "", (int)(end - at),
			 w->text + at);
		code = strong ? rep_output_note(w->out, true, line, err)
			      : rep_output_say(w->out, line, err);
		for (at = end; at < w->size && w->text[at] == ' ';)
			at++;
	}
	w->size = 0;
	return code;
}

void rep_say_time(struct rep_words *w, int64_t ns)
{
	char text[TP_UNITS_SIZE];

	if (w->page->v->run->row.ticks)
		rep_say(w, "%lld ticks", (long long)ns);
	else
		rep_say(w, "%s", tp_fmt_ns(text, ns));
}

static double share(const struct rep_words *w, int64_t ns)
{
	int64_t total = w->page->path->total_ns;

	return total > 0 ? 100.0 * (double)ns / (double)total : 0;
}

void rep_say_share(struct rep_words *w, int64_t ns)
{
	double percent = share(w, ns);

	if (percent > 0 && percent < 0.05)
		rep_say(w, "<0.1%%");
	else
		rep_say(w, percent >= 99.95 || percent <= 0 ? "%.0f%%" : "%.1f%%", percent);
}

bool rep_path_known(const struct rep_view *v, uint32_t name)
{
	return tp_dict_text(v->dict, name).size > 0;
}

void rep_say_who(struct rep_words *w, uint32_t goroutine, uint32_t entry, bool plain)
{
	const struct rep_view *v = w->page->v;
	struct tp_text name = rep_path_short(v->dict, entry);
	int64_t id = rep_view_goid(v, goroutine);
	char text[REP_GOID_SIZE];
	const char *number = rep_goids_text(&v->goids, id, text);

	if (id == TP_NULL && !rep_path_known(v, entry)) {
		rep_say(w, "some goroutine without a name");
	} else if (id == TP_NULL) {
		rep_say_name(w, name);
	} else if (plain || !rep_path_known(v, entry)) {
		rep_say(w, "goroutine %s", number);
	} else {
		rep_say(w, "goroutine %s (", number);
		rep_say_name(w, name);
		rep_say(w, ")");
	}
}

void rep_say_task(struct rep_words *w, uint32_t chain)
{
	const struct rep_path_task *task = &w->page->task[chain];
	const struct rep_view *v = w->page->v;

	if (task->row == TP_NONE)
		return;
	rep_say(w, task->several ? ", in tasks of type " : ", in task ");
	rep_say_name(w, tp_dict_text(v->dict, (uint32_t)REP_AT(v, TASK, name, task->row)));
	if (!task->several)
		rep_say(w, " #%lld", (long long)REP_AT(v, TASK, id, task->row));
}
