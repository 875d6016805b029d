/* Private to libreport/engine: the parts of reading. */
#ifndef REP_ENGINE_FETCHING_H
#define REP_ENGINE_FETCHING_H

#include "engine/binary.h"
#include "engine/fetch.h"
#include "engine/inside.h"
#include "engine/schema.h"

/* Counts the bytes in memory (fetch.h). */
struct rep_held {
	size_t now;
};
/* Returns TP_ELIMIT if the bytes would exceed the limit. */
int rep_held_add(struct rep_held *held, size_t more, struct tp_err *err);

struct rep_fetching {
	const struct rep_engine_link *link;
	const struct rep_engine_place *at;
	const struct rep_engine_runs *runs;
	const struct rep_engine_fetch_options *opt;
	struct tp_temp_store *temp;
	const char *path;
	struct rep_held *held;
	size_t first, end; /* limits rep_fetch_is_profile to runs first … end - 1; end 0: all
			      runs */
};

/* Returns TP_EFORMAT with a sentence: the answer does not fit the statement. */
int rep_fetch_odd(struct tp_err *err, const char *what);

/* Appends " WHERE load IN (…)" for the runs that `of` selects. */
typedef bool rep_fetch_choice(const struct rep_fetching *f, size_t run);
void rep_fetch_put_loads(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of);
/* Appends transform(load, …), a UInt32: the number of a load's run, or number[] of it if given. */
void rep_fetch_put_number(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			  const size_t *number);
/* Appends the SELECT of a table's rows: the number of the run, then the columns after `row`. */
void rep_fetch_put_rows(struct tp_buf *s, const struct rep_fetching *f, rep_fetch_choice *of,
			enum rep_engine_table_id table);
rep_fetch_choice rep_fetch_is_profile, rep_fetch_is_trace, rep_fetch_is_picked;

/* Makes the picked profiles one by one in the order of their runs and calls `each` with every one;
 * `each` then owns the profile (profiles.c). */
typedef int rep_fetch_profile(void *ctx, size_t run, struct tp_profile *profile,
			      struct tp_err *err);
int rep_fetch_profiles(const struct rep_fetching *f, rep_fetch_profile *each, void *ctx,
		       struct tp_err *err);

/* Copies the ordinary tables of all picked runs, with the blocks of traces, into the store
 * (ordinary.c). */
int rep_fetch_ordinary(const struct rep_fetching *f, struct tp_err *err);

#endif
