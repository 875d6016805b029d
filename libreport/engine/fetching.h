/* Inside libreport/engine: what reading is made of. */
#ifndef REP_ENGINE_FETCHING_H
#define REP_ENGINE_FETCHING_H

#include "engine/binary.h"
#include "engine/fetch.h"
#include "engine/inside.h"
#include "engine/schema.h"

/* Bytes that are held: see fetch.h. */
struct rep_held {
	size_t now;
};
/* TP_ELIMIT: it would be too much. */
int rep_held_add(struct rep_held *held, size_t more, struct tp_err *err);

struct rep_fetching {
	const struct rep_engine_link *link;
	const struct rep_engine_place *at;
	const struct rep_engine_runs *runs;
	const struct rep_engine_fetch_options *opt;
	struct tp_temp_store *temp;
	const char *path;
	struct rep_held *held;
	size_t first, end; /* rep_fetch_is_profile says so of these only; end 0: of all */
};

/* TP_EFORMAT with a sentence: the answer cannot be what was asked for. */
int rep_fetch_odd(struct tp_err *err, const char *what);

/* " WHERE load IN (…)" of the runs for which `of` says so, and their places among these. */
typedef bool rep_fetch_choice(const struct rep_fetching *f, size_t run);
void rep_fetch_put_loads(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of);
/* transform(load, …): the number of a load's run, or number[] of it if that is given; UInt32. */
void rep_fetch_put_number(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			  const size_t *number);
/* Asks for the rows of a table: the number of the run, then the columns behind `row`. */
void rep_fetch_put_rows(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			enum rep_engine_table_id table);
rep_fetch_choice rep_fetch_is_profile, rep_fetch_is_trace, rep_fetch_is_picked;

/* Makes the profiles that are picked, one after the other in the order of their runs, and calls with
 * each, which stays the caller's of this (profiles.c). */
typedef int rep_fetch_profile(void *ctx, size_t run, struct tp_profile *profile,
			      struct tp_err *err);
int rep_fetch_profiles(const struct rep_fetching *f, rep_fetch_profile *each, void *ctx,
		       struct tp_err *err);

/* The ordinary tables of all runs that are picked, with the blocks of traces, into the store
 * (ordinary.c). */
int rep_fetch_ordinary(const struct rep_fetching *f, struct tp_err *err);

#endif
