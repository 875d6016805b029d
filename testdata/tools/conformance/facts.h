/* Facts: what an expectation says of a dump, and what we found, as named values side by side.
 *
 * An expectation (.expect.json) is taken apart into one fact per number or text in it: "events",
 * "kind Log", "goroutine 17 Block sync", "task 3 Dur". What is not known here becomes a fact as
 * well, so that nothing in an expectation can be left out of the comparison in silence. The other
 * side is filled by facts_put_… . Comparing goes over the names of both sides: a fact that only one
 * side has is a difference too, except that a sum of zero by reason or by range equals none. */
#ifndef CONFORMANCE_FACTS_H
#define CONFORMANCE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

struct facts;

enum facts_side { FACTS_EXPECTED, FACTS_FOUND };

/* TP_ENOMEM or TP_ESTORE; *f is NULL after an error. */
int facts_new(struct facts **f, struct tp_err *err);
void facts_free(struct facts *f);
void facts_clear(struct facts *f, enum facts_side side);

/* Takes the text of an expectation apart (expected side; what was there is forgotten). */
int facts_take_json(struct facts *f, const char *json, size_t size, struct tp_err *err);

/* Adds a fact; the name is printf-like. A name that is there twice on one side makes a difference
 * of its own. The first failure is kept and reported by facts_compare. */
void facts_put(struct facts *f, enum facts_side side, int64_t value, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
void facts_put_text(struct facts *f, enum facts_side side, const char *text, size_t size,
		    const char *name, ...) __attribute__((format(printf, 5, 6)));

void facts_put_real(struct facts *f, enum facts_side side, double value, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

/* The wire counts of a run as facts "kind NAME" (found side), and their sums. */
int facts_take_wire(struct facts *f, struct tp_store *s, int64_t run, int64_t *events,
		    int64_t *with_stack, struct tp_err *err);

/* A check that is no pair of values: counted as compared, and a difference under the name given
 * (with the value FACTS_BROKEN) unless it holds. */
#define FACTS_BROKEN "does not hold"
void facts_check(struct facts *f, bool holds, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

/* Looks into the expectation: false where it has no such fact (or top-level text). The text lives
 * until the next call. */
bool facts_expects(struct facts *f, const char *name, int64_t *value);
const char *facts_expects_text(struct facts *f, const char *name);

struct facts_result {
	int64_t compared, differences;
};

/* One difference: NULL stands for a side that has no such fact. */
typedef void (*facts_show_fn)(void *ctx, const char *name, const char *expected, const char *found);

/* Compares both sides, hands the first `most` differences to show (which may be NULL). Times of
 * goroutines and tasks may differ by the expectation's tolerance_ns where it has one, utilisations
 * by 1e-9. */
int facts_compare(struct facts *f, struct facts_result *result, int most, facts_show_fn show,
		  void *ctx, struct tp_err *err);

/* For the check of the check: the expectation that was taken last with its n-th number (from 0)
 * made larger by `by`, taken again. 1, 0 when there is no n-th number, or an error code. `path`
 * names the number. The tolerance is left out. */
int facts_alter(struct facts *f, int64_t n, int64_t by, char path[200], struct tp_err *err);

/* The same with up to `most` numbers at once, from the n-th on; *altered says how many, `path`
 * names the first. Each of them is in one fact, so there are to be as many differences; but an id
 * is in the names of others, so it is altered alone. 0, with *altered 0 when there is no n-th
 * number, or an error code. */
int facts_alter_some(struct facts *f, int64_t n, int64_t most, int64_t by, int64_t *altered,
		     char path[200], struct tp_err *err);

#endif
