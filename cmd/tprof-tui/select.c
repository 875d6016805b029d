/* What is selected. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "top/top.h"
#include "tprof-tui/tui.h"

static char **text_of(struct tui_select *s, size_t i)
{
	char **const texts[] = {&s->goroutine, &s->focus, &s->reason,
				&s->state,     &s->task,  &s->region};

	return texts[i];
}

#define NTEXTS 6

bool tui_select_copy(struct tui_select *to, const struct tui_select *from)
{
	struct tui_select copy = *from;
	bool failed = false;

	for (size_t i = 0; i < NTEXTS; i++) {
		char **text = text_of(&copy, i);

		if (!*text)
			continue;
		*text = strdup(*text);
		failed |= !*text;
	}
	if (failed)
		tui_select_release(&copy);
	*to = copy;
	return !failed;
}

void tui_select_release(struct tui_select *s)
{
	for (size_t i = 0; i < NTEXTS; i++)
		free(*text_of(s, i));
	tui_select_init(s);
}

void tui_select_init(struct tui_select *s)
{
	*s = (struct tui_select){
	    .from_ns = INT64_MIN, .to_ns = INT64_MAX, .at_ns = INT64_MIN, .at_goroutine = {-1, 0}};
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
	return a->run == b->run && a->other == b->other && a->from_ns == b->from_ns &&
	       a->to_ns == b->to_ns && same(a->goroutine, b->goroutine) &&
	       same(a->focus, b->focus) && same(a->reason, b->reason) && same(a->state, b->state) &&
	       same(a->task, b->task) && same(a->region, b->region);
}

struct rep_filter_text tui_select_filter(const struct tui_select *s, char times[60])
{
	struct rep_filter_text f = {
	    .goroutine = s->goroutine,
	    .focus = s->focus,
	    .reason = s->reason,
	    .state = s->state,
	    .task = s->task,
	    .region = s->region,
	};

	if (s->from_ns != INT64_MIN) {
		snprintf(times, 30, "%" PRId64 "ns", s->from_ns);
		f.from = times;
	}
	if (s->to_ns != INT64_MAX) {
		snprintf(times + 30, 30, "%" PRId64 "ns", s->to_ns);
		f.to = times + 30;
	}
	return f;
}

#define EXACT_SIZE 40

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

/* "135.610688ms" */
static void put_exact(char text[EXACT_SIZE], int64_t ns)
{
	snprintf(text, EXACT_SIZE, "%" PRId64 ".%06" PRId64 "ms", ns / 1000000,
		 ns < 0 ? -(ns % 1000000) : ns % 1000000);
}

char *tui_select_words(const struct tui_select *s, char *text, size_t size)
{
	const struct {
		const char *name, *value;
	} texts[NTEXTS] = {{"goroutine", s->goroutine}, {"focus", s->focus}, {"reason", s->reason},
			   {"state", s->state},		{"task", s->task},   {"region", s->region}};
	char from[EXACT_SIZE], to[EXACT_SIZE];
	size_t n = 0;

	text[0] = '\0';
	snprintf(from, sizeof(from), "start");
	snprintf(to, sizeof(to), "end");
	if (s->from_ns != INT64_MIN)
		tui_moment_text(s->run, s->from_ns, from);
	if (s->to_ns != INT64_MAX)
		tui_moment_text(s->run, s->to_ns, to);
	/* A short range far from the start needs all digits. */
	if (!strcmp(from, to)) {
		put_exact(from, s->from_ns);
		put_exact(to, s->to_ns);
	}
	if (s->from_ns != INT64_MIN || s->to_ns != INT64_MAX)
		n += (size_t)snprintf(text, size, "%s to %s", from, to);
	for (size_t i = 0; i < NTEXTS && n < size; i++)
		if (texts[i].value)
			n += (size_t)snprintf(text + n, size - n, "%s%s %s", n ? ", " : "",
					      texts[i].name, texts[i].value);
	return text;
}

void tui_select_unheeded(const struct tui_select *s, unsigned by, char *text, size_t size)
{
	const struct {
		bool given;
		unsigned by;
		const char *name;
	} filters[] = {
	    {s->from_ns != INT64_MIN || s->to_ns != INT64_MAX, REP_BY_TIME, "time range"},
	    {s->goroutine != NULL, REP_BY_GOROUTINE, "goroutine"},
	    {s->focus != NULL, REP_BY_FRAMES, "focus"},
	    {s->reason != NULL, REP_BY_REASON, "reason"},
	    {s->state != NULL, REP_BY_STATE, "state"},
	    {s->task != NULL, REP_BY_TASK, "task"},
	    {s->region != NULL, REP_BY_TASK, "region"},
	};
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]) && n < size; i++)
		if (filters[i].given && !(by & filters[i].by))
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "",
					      filters[i].name);
}
