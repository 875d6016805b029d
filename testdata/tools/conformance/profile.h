/* A profile and what pprof says of it, side by side as facts.
 *
 * Beside DIR/profiles/NAME lie NAME.raw.txt (`pprof -raw`), NAME.raw.sha256 (the hash of its lines
 * from "Samples:" to "Locations") and NAME.top.txt (`pprof -top` of every sample type, each headed
 * by "== sample_index=TYPE"). Our side is the same report made from a store. Facts of the first are
 * its samples and locations by content (raw.h), of the other its lines.
 *
 * pprof drops the names and labels that a text dump has in its comments, we keep them. Where an
 * expectation has no names, they are left out of the comparison, and names compared instead with
 * those that the protocol buffer of the same program has for the same addresses. */
#ifndef CONFORMANCE_PROFILE_H
#define CONFORMANCE_PROFILE_H

#include "base/buf.h"
#include "conformance/facts.h"
#include "decode/profile.h"

/* The texts of an expectation, as they were read; size 0: there is none. */
struct profile_expected {
	struct tp_buf raw, hash, top;
};

/* A profile in a store. */
struct profile_run {
	struct tp_store *store;
	int64_t run;
	bool text; /* it was a dump that is text */
};

/* Fills both sides for an expectation. What is altered in `e` by one digit makes a difference. */
int profile_facts(struct facts *f, const struct profile_run *run, const struct profile_expected *e,
		  struct tp_err *err);

/* Names that a text dump has for its addresses are among those that the protocol buffer beside it
 * has for them. Adds checks to f; *compared is their number. */
int profile_names(struct facts *f, const struct profile_run *text, const struct profile_run *proto,
		  int64_t *compared, struct tp_err *err);

/* Stacks of goroutines, which pprof cannot read, are as many as another dump counts. */
int profile_count(struct facts *f, const struct profile_run *stacks,
		  const struct profile_run *other, struct tp_err *err);

#endif
