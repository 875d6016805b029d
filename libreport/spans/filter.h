/* What a report looks at: which goroutines, states, reasons, functions, and which time.
 *
 * A filter is compiled once from what the user typed; a matcher holds its answers for one run, one
 * per string and one per stack, so that rows are decided by look-ups.
 *
 * The frames of a span are those of its stack and, at the root, the entry function of its
 * goroutine. `focus` keeps what has a frame whose function matches, `ignore` drops what has one. */
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

/* As typed; NULL where not given. Regular expressions are those of base/regex.h. */
struct rep_filter_text {
	const char *focus, *ignore; /* regular expressions on names of functions */
	const char *goroutine;	    /* an id (goid.h), or a regular expression on entry functions */
	const char *state;	    /* names of rep_states, separated by commas */
	const char *reason;	    /* regular expression on reasons */
	const char *from, *to;	    /* "1.5s" since the run began, "25%" of it, or a moment
				       (clock/when.h) */
	/* Only inside tasks or regions of these types (task/inside.h); a task may be an id. Reports
	 * look at them, not the matcher below. */
	const char *task, *region;
};

/* The states a span may be in, as --state and the reports spell them. */
struct rep_state_desc {
	const char *name, *doc;
	uint32_t states; /* bit per enum tp_state */
};
extern const struct rep_state_desc rep_states[]; /* ends with a NULL name */
/* The name of one state, "" where it has none. */
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
};

/* TP_EFORMAT with a sentence about what was typed. *f is to be released in every case; the texts
 * must outlive it. */
int rep_filter_init(struct rep_filter *f, const struct rep_filter_text *text, struct tp_err *err);
void rep_filter_release(struct rep_filter *f);
/* Nothing but, at most, a time range. */
bool rep_filter_empty(const struct rep_filter *f);
/* Only time inside some tasks or regions. */
bool rep_filter_inside(const struct rep_filter *f);

/* "1.5s", "250ms" or "25%" of a run of this length, into ns since it began; TP_EFORMAT. `option`
 * is named in the message. */
int rep_filter_time(const char *text, const char *option, int64_t duration_ns, int64_t *ns,
		    struct tp_err *err);

/* TP_EFORMAT with a sentence where it is a time, or a moment, and those of the run are ticks
 * (rep_run_check_time); parts of it can be said of every run. */
int rep_filter_check_unit(const char *text, const char *option, const struct rep_run *run,
			  struct tp_err *err);

/* Does the range depend on what time it was (rep_filter_range_at)? */
bool rep_filter_needs_clock(const struct rep_filter_text *text);
/* The same, moments being those of the run's clock; a run that has none is TP_EFORMAT, one that
 * lies outside has nothing in its range. Without a clock (NULL), moments are open ends. */
int rep_filter_range_at(const struct rep_filter_text *text, int64_t duration_ns,
			const struct rep_clock *clock, int64_t *from, int64_t *to,
			struct tp_err *err);
/* The range [*from, *to) of a run, in ns since it began; INT64_MIN and INT64_MAX where it is open
 * or reaches to the end. TP_EFORMAT where it is empty. */
int rep_filter_range(const struct rep_filter_text *text, int64_t duration_ns, int64_t *from,
		     int64_t *to, struct tp_err *err);

/* Is what was typed a range, as far as can be said without a run? TP_EFORMAT. */
int rep_filter_check_range(const struct rep_filter_text *text, struct tp_err *err);
/* Is it one of this run? TP_EFORMAT, for times of a run that has ticks, too; TP_ENOENT with a
 * sentence where the run is over before it begins. Moments are right or wrong with a clock only,
 * and pass. */
int rep_filter_check_run(const struct rep_filter_text *text, const struct rep_run *run,
			 struct tp_err *err);

struct rep_matcher {
	const struct rep_filter *filter;
	const struct tp_dict *dict;
	uint8_t *string; /* what is known of each string */
	uint8_t *stack;	 /* patterns that a frame of the stack matches */
	uint32_t nstacks, nstrings;
	int unknown; /* 0, or why something could not be matched: what tp_regex_find said */
};

/* TP_ENOMEM. The dictionary must outlive it. To be released in every case. */
int rep_matcher_init(struct rep_matcher *m, const struct rep_filter *f, const struct tp_dict *dict,
		     struct tp_err *err);
void rep_matcher_release(struct rep_matcher *m);
/* After all was matched: 0, or TP_ENOMEM where some of it could not be. */
int rep_matcher_settle(const struct rep_matcher *m, struct tp_err *err);
/* The entry function of a goroutine, by its name alone; a goroutine of no name is "". */
bool rep_match_goroutine(struct rep_matcher *m, uint32_t entry);
/* Frames only: focus and ignore. */
bool rep_match_frames(struct rep_matcher *m, uint32_t entry, uint32_t stack);
/* All but id and time. */
bool rep_match_span(struct rep_matcher *m, uint32_t entry, unsigned state, uint32_t reason,
		    uint32_t stack);

#endif
