/* Filters of reports: goroutines, states, reasons, functions, and the time range.
 *
 * A filter is compiled once from what the user typed. A matcher caches its answers for the strings
 * and stacks of one run, so that rows are decided by look-ups.
 *
 * The frames of a span are those of its stack and, at the root, the entry function of its
 * goroutine. `focus` selects spans with a frame whose function matches, `ignore` drops them. */
#ifndef REP_SPANS_FILTER_H
#define REP_SPANS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/regex.h"
#include "clock/clock.h"
#include "decode/dict.h"
#include "decode/event.h"
#include "goid.h"
#include "run.h"

/* The options as typed; NULL if not given. Regular expressions are those of base/regex.h. */
struct rep_filter_text {
	const char *focus, *ignore; /* regular expressions on names of functions */
	const char *goroutine;	    /* an id (goid.h), or a regular expression on entry functions */
	const char *state;	    /* names of rep_states, separated by commas */
	const char *reason;	    /* regular expression on reasons */
	const char *from, *to;	    /* "1.5s" since the run began, "25%" of it, or a moment
				       (clock/when.h) */
	/* Only time inside tasks or regions of these types (task/inside.h); a task may be an id.
	 * Reports apply them; the matcher below does not. */
	const char *task, *region;
	/* Regular expression on functions of the user's own code (own.h): it selects nothing, but
	 * tells what is shown of a stack. */
	const char *own;
};

/* The states of spans, as --state and the reports name them. */
struct rep_state_desc {
	const char *name, *doc;
	uint32_t states; /* bit per enum tp_state */
};
extern const struct rep_state_desc rep_states[]; /* ends with a NULL name */
/* Returns the name of a state, "" if it has none. */
const char *rep_state_name(unsigned state);

enum {
	REP_FILTER_FOCUS,
	REP_FILTER_IGNORE,
	REP_FILTER_GOROUTINE,
	REP_FILTER_REASON,
	REP_NPATTERNS
};

struct rep_filter {
	struct rep_filter_text text;
	struct tp_regex pattern[REP_NPATTERNS];
	bool given[REP_NPATTERNS];
	bool by_id; /* --goroutine is an id: `id` */
	struct rep_goid id;
	uint32_t states; /* bit per enum tp_state; 0: all */
	struct tp_regex own;
};

/* Returns what struct rep_own takes. */
static inline const struct tp_regex *rep_filter_own(const struct rep_filter *f)
{
	return f->text.own ? &f->own : NULL;
}

/* Compiles a filter. Returns 0, TP_ENOMEM, or TP_EFORMAT with a sentence. *f must be released in
 * every case; the texts must outlive it. */
int rep_filter_init(struct rep_filter *f, const struct rep_filter_text *text, struct tp_err *err);
void rep_filter_release(struct rep_filter *f);
/* Returns whether a filter selects everything, or everything in a time range. */
bool rep_filter_empty(const struct rep_filter *f);
/* Returns whether a filter selects time inside tasks or regions. */
bool rep_filter_inside(const struct rep_filter *f);

/* Reads a time like "1.5s", "250ms" or "25%" of a run of this length as ns since it began. Returns
 * 0, or TP_EFORMAT with a sentence that names `option`. A moment is checked, but read as 0. */
int rep_filter_time(const char *text, const char *option, int64_t duration_ns, int64_t *ns,
		    struct tp_err *err);

/* Returns TP_EFORMAT with a sentence for a time or a moment if the run's times are ticks
 * (rep_run_check_time). A percentage of the run, like 25%, fits every run. */
int rep_filter_check_unit(const char *text, const char *option, const struct rep_run *run,
			  struct tp_err *err);

/* Returns whether the range has a moment, so that it needs a clock (rep_filter_range_at). */
bool rep_filter_needs_clock(const struct rep_filter_text *text);
/* Finds the range [*from, *to) of a run, in ns since it began; INT64_MIN and INT64_MAX for an end
 * that is open or beyond the run. Returns 0, or TP_EFORMAT if the range is empty. */
int rep_filter_range(const struct rep_filter_text *text, int64_t duration_ns, int64_t *from,
		     int64_t *to, struct tp_err *err);
/* Does the same for ranges with moments, by the run's clock. Returns TP_EFORMAT if the clock is
 * unknown. For a run outside the range, the result is empty. If `clock` is NULL, moments are open
 * ends. */
int rep_filter_range_at(const struct rep_filter_text *text, int64_t duration_ns,
			const struct rep_clock *clock, int64_t *from, int64_t *to,
			struct tp_err *err);

/* Checks a time range as far as possible without a run. Returns 0 or TP_EFORMAT. */
int rep_filter_check_range(const struct rep_filter_text *text, struct tp_err *err);
/* Checks a time range for a run. Returns 0; TP_EFORMAT, also for times if the run has ticks;
 * TP_ENOENT with a sentence if the run ends before the range begins. Moments pass, as they need a
 * clock. */
int rep_filter_check_run(const struct rep_filter_text *text, const struct rep_run *run,
			 struct tp_err *err);

struct rep_matcher {
	const struct rep_filter *filter;
	const struct tp_dict *dict;
	uint8_t *string; /* by string: patterns that match, once they were tried */
	uint8_t *stack;	 /* by stack: patterns that match one of its frames */
	uint32_t nstacks, nstrings;
	int unknown; /* 0, or the error of tp_regex_find for a string that could not be matched */
};

/* Prepares a matcher. Returns 0 or TP_ENOMEM. The dictionary must outlive it; it must be released
 * in every case. */
int rep_matcher_init(struct rep_matcher *m, const struct rep_filter *f, const struct tp_dict *dict,
		     struct tp_err *err);
void rep_matcher_release(struct rep_matcher *m);
/* Returns 0 if every string could be matched, else an error with a sentence. */
int rep_matcher_settle(const struct rep_matcher *m, struct tp_err *err);
/* Returns whether the name of an entry function matches; that of a nameless goroutine is "". */
bool rep_match_goroutine(struct rep_matcher *m, uint32_t entry);
bool rep_match_reason(struct rep_matcher *m, uint32_t reason);
/* Returns whether the frames match: --focus and --ignore. */
bool rep_match_frames(struct rep_matcher *m, uint32_t entry, uint32_t stack);
/* Returns whether a span matches in everything but the goroutine's id and the time. */
bool rep_match_span(struct rep_matcher *m, uint32_t entry, unsigned state, uint32_t reason,
		    uint32_t stack);

#endif
