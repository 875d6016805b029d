/* What every view is about: a run, a time range, and filters, which are texts as the options of the
 * commands have them. */
#ifndef TUI_SELECT_H
#define TUI_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "goid.h"
#include "profile/trace.h"
#include "run.h"
#include "spans/view.h"

/* The filters, in the order in which they are shown and kept. */
enum tui_text {
	TUI_TEXT_GOROUTINE, /* id or regular expression */
	TUI_TEXT_FOCUS,
	TUI_TEXT_REASON,
	TUI_TEXT_STATE,
	TUI_TEXT_TASK,
	TUI_TEXT_REGION,
	TUI_NTEXTS
};
extern const struct tui_text_desc {
	const char *name; /* of the option, and of the command of the palette */
	unsigned by;	  /* REP_BY_… of reports that heed it */
} tui_texts[TUI_NTEXTS];

/* Texts are owned by it. */
struct tui_select {
	const struct rep_run *run;   /* NULL: the store has none */
	const struct rep_run *other; /* marked, to be compared with */
	int64_t from_ns, to_ns; /* [from, to) since the run began; INT64_MIN, INT64_MAX: open */
	union {			/* NULL: all */
		struct {
			char *goroutine, *focus, *reason, *state, *task, *region;
		};
		char *text[TUI_NTEXTS];
	};
	/* No filter, but what a view begins at that is opened on it: a moment (INT64_MIN: none), a
	 * goroutine (REP_GOID_NONE: none). */
	int64_t at_ns;
	struct rep_goid at_goroutine;
};

/* A copy that owns its texts; false: no memory (it is empty then). */
bool tui_select_copy(struct tui_select *to, const struct tui_select *from);
void tui_select_release(struct tui_select *s);
/* Replaces one of its texts; NULL and "" take it away. */
bool tui_select_set(char **text, const char *value);
void tui_select_init(struct tui_select *s); /* all of no run */
bool tui_select_same(const struct tui_select *a, const struct tui_select *b);
/* In words: "from 1.2ms to 3ms, goroutine 12"; "" for everything. Returns text. */
char *tui_select_words(const struct tui_select *s, char *text, size_t size);

/* As tprof-top's options would have it, of the filters that `by` (REP_BY_…) heeds; `times` (60
 * bytes) is where the times are written. */
#define TUI_BY_ALL ~0u
struct rep_filter_text tui_select_filter(const struct tui_select *s, unsigned by, char times[60]);
/* The same for a trace as a profile. */
struct rep_trace_profile_options tui_select_trace(const struct tui_select *s, unsigned by,
						  char times[60]);
/* All of it that `by` heeds and what of a run it is, as one text: for what is kept of it (worker.h).
 * `more` stands behind it. TP_ENOMEM. */
int tui_select_key(const struct tui_select *s, unsigned by, const char *more, struct tp_buf *key);
/* Which of it narrows nothing where only filters of these kinds do: "focus, state". */
void tui_select_unheeded(const struct tui_select *s, unsigned by, char *text, size_t size);

static inline bool tui_is_trace(const struct tui_select *s)
{
	return s->run && !strcmp(s->run->row.kind, "trace");
}

static inline bool tui_is_profile(const struct tui_select *s)
{
	return s->run && !strcmp(s->run->row.kind, "profile");
}

/* The run seen through a selection: for the worker. */
struct tui_filtered {
	struct rep_filter filter;
	struct rep_view view;
	char times[60];
};
/* `by` as in tui_select_filter. Errors as of rep_filter_init and rep_view_init. Begins with zeros;
 * to be released in every case, and to outlive neither the selection nor the store. */
int tui_filtered_init(struct tui_filtered *f, const struct tui_select *s, unsigned by,
		      struct tp_store *store, struct tp_err *err);
void tui_filtered_release(struct tui_filtered *f);

/* "rev=a os=linux", as much as there is room for. Returns text. */
#define TUI_LABELS_SIZE 4000
char *tui_labels_text(const struct rep_run *run, char text[TUI_LABELS_SIZE]);
/* Times of a run, "1.25ms"; of one without a clock they are ticks. A length, "1,250 ticks" then,
 * and a moment, "1,250". Both return text. */
#define TUI_TIME_SIZE (TP_COUNT_SIZE + 6)
char *tui_length_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);
char *tui_moment_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);
/* A moment with all its digits, "13.302114ms", as options take it. Returns text. */
char *tui_exact_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);

#endif
