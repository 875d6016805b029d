/* The selection. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"
#include "task/request.h"
#include "top/top.h"
#include "tprof-tui/select.h"

const struct tui_text_desc tui_texts[TUI_NTEXTS] = {
    [TUI_TEXT_GOROUTINE] = {"goroutine", REP_BY_GOROUTINE},
    [TUI_TEXT_FOCUS] = {"focus", REP_BY_FRAMES},
    [TUI_TEXT_REASON] = {"reason", REP_BY_REASON},
    [TUI_TEXT_STATE] = {"state", REP_BY_STATE},
    [TUI_TEXT_TASK] = {"task", REP_BY_TASK},
    [TUI_TEXT_REGION] = {"region", REP_BY_TASK},
};

/* Returns what a text is called; a request stands where tasks do. */
static const char *text_name(const struct tui_select *s, size_t i)
{
	return i == TUI_TEXT_TASK && rep_is_request(s->task) ? "request" : tui_texts[i].name;
}

bool tui_select_copy(struct tui_select *to, const struct tui_select *from)
{
	struct tui_select copy = *from;
	bool failed = false;

	for (size_t i = 0; i < TUI_NTEXTS; i++) {
		if (!copy.text[i])
			continue;
		copy.text[i] = strdup(copy.text[i]);
		failed |= !copy.text[i];
	}
	if (failed)
		tui_select_release(&copy);
	*to = copy;
	return !failed;
}

void tui_select_release(struct tui_select *s)
{
	for (size_t i = 0; i < TUI_NTEXTS; i++)
		free(s->text[i]);
	tui_select_init(s);
}

void tui_select_init(struct tui_select *s)
{
	*s = (struct tui_select){
	    .from_ns = INT64_MIN, .to_ns = INT64_MAX, .at_ns = INT64_MIN, .at_goroutine = {-1, 0}};
}

void tui_select_clear(struct tui_select *s)
{
	const struct rep_run *run = s->run, *other = s->other;
	const char *own = s->own;

	tui_select_release(s);
	s->own = own;
	s->run = run;
	s->other = other;
}

bool tui_select_set(char **text, const char *value)
{
	char *copy = value && *value ? strdup(value) : NULL;

	if (value && *value && !copy)
		return false;
	free(*text);
	*text = copy;
	return true;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool tui_select_same(const struct tui_select *a, const struct tui_select *b)
{
	bool all = a->run == b->run && a->other == b->other && a->from_ns == b->from_ns &&
		   a->to_ns == b->to_ns;

	for (size_t i = 0; i < TUI_NTEXTS; i++)
		all = all && same(a->text[i], b->text[i]);
	return all;
}

struct rep_filter_text tui_select_filter(const struct tui_select *s, unsigned by, char times[60])
{
	struct rep_filter_text f = {.own = s->own};
	const char **const texts[TUI_NTEXTS] = {&f.goroutine, &f.focus, &f.reason,
						&f.state,     &f.task,	&f.region};

	for (size_t i = 0; i < TUI_NTEXTS; i++)
		*texts[i] = by & tui_texts[i].by ? s->text[i] : NULL;
	if (by & REP_BY_TIME && s->from_ns != INT64_MIN) {
		snprintf(times, 30, "%" PRId64 "ns", s->from_ns);
		f.from = times;
	}
	if (by & REP_BY_TIME && s->to_ns != INT64_MAX) {
		snprintf(times + 30, 30, "%" PRId64 "ns", s->to_ns);
		f.to = times + 30;
	}
	return f;
}

struct rep_trace_profile_options tui_select_trace(const struct tui_select *s, unsigned by,
						  char times[60])
{
	struct rep_trace_profile_options opt = {.filter = tui_select_filter(s, by, times)};

	opt.task = opt.filter.task;
	opt.region = opt.filter.region;
	opt.filter.task = opt.filter.region = NULL;
	return opt;
}

char *tui_select_key(const struct tui_select *s, unsigned by, const char *more)
{
	char numbers[100];
	struct tp_buf key = {0};
	bool times = by & REP_BY_TIME;

	/* The key includes the hash, since the id of a deleted run may be used again. */
	snprintf(numbers, sizeof(numbers), "%" PRId64 " %" PRId64 " %" PRId64 " ", s->run->row.id,
		 times ? s->from_ns : 0, times ? s->to_ns : 0);
	tp_buf_text(&key, numbers);
	tp_buf_text(&key, s->run->row.hash);
	for (size_t i = 0; i < TUI_NTEXTS; i++) {
		tp_buf_text(&key, "\n");
		tp_buf_text(&key, by & tui_texts[i].by && s->text[i] ? s->text[i] : "");
	}
	tp_buf_text(&key, "\n");
	if (tp_buf_put(&key, more, strlen(more) + 1))
		tp_buf_release(&key);
	return (char *)key.data;
}

const struct rep_run *tui_run_find(const struct rep_runs *runs, int64_t id)
{
	for (size_t i = 0; i < runs->n; i++)
		if (runs->run[i].row.id == id)
			return &runs->run[i];
	return NULL;
}

int tui_filtered_init(struct tui_filtered *f, const struct tui_select *s, unsigned by,
		      struct tp_store *store, struct tp_err *err)
{
	const struct rep_filter_text text = tui_select_filter(s, by, f->times);
	int code = rep_filter_init(&f->filter, &text, err);

	return code ? code : rep_view_init(&f->view, store, s->run, &f->filter, NULL, err);
}

void tui_filtered_release(struct tui_filtered *f)
{
	rep_view_release(&f->view);
	rep_filter_release(&f->filter);
}

void tui_add(char *text, size_t size, const char *between, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list ap;

	if (n && n < size)
		n += (size_t)snprintf(text + n, size - n, "%s", between);
	if (n >= size)
		return;
	va_start(ap, fmt);
	vsnprintf(text + n, size - n, fmt, ap);
	va_end(ap);
}

char *tui_labels_text(const struct rep_run *run, char text[TUI_LABELS_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < run->nlabels; i++)
		tui_add(text, TUI_LABELS_SIZE, " ", "%s", run->labels[i]);
	return text;
}

char *tui_moment_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE])
{
	return run && run->row.ticks ? tp_fmt_count(text, ns) : tp_fmt_ns(text, ns);
}

char *tui_length_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE])
{
	size_t n = strlen(tui_moment_text(run, ns, text));

	if (run && run->row.ticks)
		snprintf(text + n, TUI_TIME_SIZE - n, " ticks");
	return text;
}

char *tui_exact_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE])
{
	static const struct {
		int64_t size;
		const char *name;
		int digits;
	} units[] = {{1000000000, "s", 9}, {1000000, "ms", 6}, {1000, "us", 3}, {1, "ns", 0}};
	size_t i = 0, n;

	if (run && run->row.ticks)
		return tp_fmt_count(text, ns);
	while (i < 3 && ns < units[i].size && ns > -units[i].size)
		i++;
	if (!units[i].digits) {
		snprintf(text, TUI_TIME_SIZE, "%" PRId64 "%s", ns, ns ? "ns" : "s");
		return text;
	}
	n = (size_t)snprintf(text, TUI_TIME_SIZE, "%" PRId64 ".%0*" PRId64, ns / units[i].size,
			     units[i].digits,
			     ns % units[i].size < 0 ? -(ns % units[i].size) : ns % units[i].size);
	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	snprintf(text + n, TUI_TIME_SIZE - n, "%s", units[i].name);
	return text;
}

char *tui_select_words(const struct tui_select *s, char *text, size_t size)
{
	char from[TUI_TIME_SIZE], to[TUI_TIME_SIZE];

	text[0] = '\0';
	snprintf(from, sizeof(from), "start");
	snprintf(to, sizeof(to), "end");
	if (s->from_ns != INT64_MIN)
		tui_moment_text(s->run, s->from_ns, from);
	if (s->to_ns != INT64_MAX)
		tui_moment_text(s->run, s->to_ns, to);
	/* A short range late in the run is distinguishable only with all digits. */
	if (!strcmp(from, to)) {
		tui_exact_text(s->run, s->from_ns, from);
		tui_exact_text(s->run, s->to_ns, to);
	}
	if (s->from_ns != INT64_MIN || s->to_ns != INT64_MAX)
		tui_add(text, size, "", "%s to %s", from, to);
	for (size_t i = 0; i < TUI_NTEXTS; i++)
		if (s->text[i])
			tui_add(text, size, ", ", "%s %s", text_name(s, i),
				rep_is_request(s->text[i]) ? rep_request_shown(s->text[i])
							   : s->text[i]);
	return text;
}

void tui_select_ignored(const struct tui_select *s, unsigned by, char *text, size_t size)
{
	bool times = s->from_ns != INT64_MIN || s->to_ns != INT64_MAX;
	bool profile = s->run && strcmp(s->run->row.kind, "trace") != 0;

	snprintf(text, size, "%s", times && !(by & REP_BY_TIME) ? "time range" : "");
	for (size_t i = 0; i < TUI_NTEXTS; i++)
		if (s->text[i] && (!(by & tui_texts[i].by) ||
				   (i == TUI_TEXT_TASK && profile && !rep_is_request(s->task))))
			tui_add(text, size, ", ", "%s", text_name(s, i));
}
