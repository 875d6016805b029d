/* What is selected. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
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
	    .from_ns = INT64_MIN, .to_ns = INT64_MAX, .at_ns = INT64_MIN, .at_goroutine = -1};
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

char *tui_select_words(const struct tui_select *s, char *text, size_t size)
{
	const struct {
		const char *name, *value;
	} texts[NTEXTS] = {{"goroutine", s->goroutine}, {"focus", s->focus}, {"reason", s->reason},
			   {"state", s->state},		{"task", s->task},   {"region", s->region}};
	char from[TP_UNITS_SIZE], to[TP_UNITS_SIZE];
	size_t n = 0;

	text[0] = '\0';
	if (s->from_ns != INT64_MIN || s->to_ns != INT64_MAX)
		n += (size_t)snprintf(text, size, "%s to %s",
				      s->from_ns == INT64_MIN ? "start"
							      : tp_fmt_ns(from, s->from_ns),
				      s->to_ns == INT64_MAX ? "end" : tp_fmt_ns(to, s->to_ns));
	for (size_t i = 0; i < NTEXTS && n < size; i++)
		if (texts[i].value)
			n += (size_t)snprintf(text + n, size - n, "%s%s %s", n ? ", " : "",
					      texts[i].name, texts[i].value);
	return text;
}
