/* The selection: a run, a time range, and filters with the syntax of the commands' options. Every view
 * shows it. */
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

/* The filters, in the order in which they are shown and saved. */
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
	const char *name; /* the name of the option and of the palette's command */
	unsigned by;	  /* the bit REP_BY_… of reports that obey it */
} tui_texts[TUI_NTEXTS];

/* A selection owns its texts. */
struct tui_select {
	const struct rep_run *run;   /* NULL: the store has none */
	const struct rep_run *other; /* the marked run; NULL: no run is marked */
	int64_t from_ns, to_ns; /* [from, to) since the run began; INT64_MIN, INT64_MAX: open */
	union {			/* NULL: not set */
		struct {
			char *goroutine, *focus, *reason, *state, *task, *region;
		};
		char *text[TUI_NTEXTS];
	};
	const char *own; /* --own, which is not a filter; NULL: not given. Not owned. */
	/* Where a newly opened view places its cursor: a moment (INT64_MIN: not set), a goroutine
	 * (REP_GOID_NONE: not set). These are not filters. */
	int64_t at_ns;
	struct rep_goid at_goroutine;
};

/* Makes a copy. Returns false and leaves *to empty if memory is out. */
bool tui_select_copy(struct tui_select *to, const struct tui_select *from);
void tui_select_release(struct tui_select *s);
/* Replaces a text; NULL and "" clear it. Returns false if memory is out. */
bool tui_select_set(char **text, const char *value);
void tui_select_init(struct tui_select *s); /* no run, no filters */
/* Clears everything except the run, the marked run and --own. */
void tui_select_clear(struct tui_select *s);
bool tui_select_same(const struct tui_select *a, const struct tui_select *b);
/* Writes the time range and the filters, "1.2ms to 3ms, goroutine 12"; "" if nothing is set. Returns
 * text. */
char *tui_select_words(const struct tui_select *s, char *text, size_t size);

/* Returns the filters that `by` (REP_BY_…) names as options of tprof-top. Writes the times to `times`, to
 * which the result points. */
#define TUI_BY_ALL ~0u
struct rep_filter_text tui_select_filter(const struct tui_select *s, unsigned by, char times[60]);
/* Returns them as options for a trace as a profile. */
struct rep_trace_profile_options tui_select_trace(const struct tui_select *s, unsigned by,
						  char times[60]);
/* Returns the run, the time range and the filters of `by`, followed by `more`, as a key for the cache
 * (worker.h), which takes ownership. NULL: memory is out. */
char *tui_select_key(const struct tui_select *s, unsigned by, const char *more);
/* Writes the names of the filters that are set but not named by `by`: "focus, state". */
void tui_select_ignored(const struct tui_select *s, unsigned by, char *text, size_t size);

static inline bool tui_is_trace(const struct tui_select *s)
{
	return s->run && !strcmp(s->run->row.kind, "trace");
}

static inline bool tui_is_profile(const struct tui_select *s)
{
	return s->run && !strcmp(s->run->row.kind, "profile");
}

/* Returns the run with this id, or NULL. */
const struct rep_run *tui_run_find(const struct rep_runs *runs, int64_t id);

/* A view of the run with the filters of a selection, for the worker's thread. */
struct tui_filtered {
	struct rep_filter filter;
	struct rep_view view;
	char times[60];
};
/* Sets up a view; `f` must be zeroed. `by` is as for tui_select_filter. Returns errors of rep_filter_init
 * and rep_view_init. The caller releases `f` in every case, before the selection and the store. */
int tui_filtered_init(struct tui_filtered *f, const struct tui_select *s, unsigned by,
		      struct tp_store *store, struct tp_err *err);
void tui_filtered_release(struct tui_filtered *f);

/* Appends as much as fits to a text, after `between` unless the text is empty. */
void tui_add(char *text, size_t size, const char *between, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Writes as many labels as fit: "rev=a os=linux". Returns text. */
#define TUI_LABELS_SIZE 4000
char *tui_labels_text(const struct rep_run *run, char text[TUI_LABELS_SIZE]);
/* Write a length ("1.25ms"; in a run without a clock "1,250 ticks") and a moment ("1.25ms"; "1,250").
 * Return text. */
#define TUI_TIME_SIZE (TP_COUNT_SIZE + 6)
char *tui_length_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);
char *tui_moment_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);
/* Writes a moment with all its digits, "13.302114ms", as options accept it. Returns text. */
char *tui_exact_text(const struct rep_run *run, int64_t ns, char text[TUI_TIME_SIZE]);

#endif
