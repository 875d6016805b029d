/* The tables of an engine: what they hold, their statements, and which of them a run has.
 *
 * A run goes to the engine as a *load*: a number that all of its rows carry. The row of table `run`
 * comes last and makes the load count. What was cut off has no such row; loading again makes
 * another load, and of several loads of a run the least counts. So nothing is lost or there twice,
 * whatever fails; rows of loads that do not count are removed when the moment is past until which
 * their loader may be at it, which it has written down itself (`load.until`).
 *
 * tprof-clickhouse(7) describes the tables; make check-docs holds page and tables together. */
#ifndef REP_ENGINE_SCHEMA_H
#define REP_ENGINE_SCHEMA_H

#include <stdbool.h>

#include "engine/link.h"
#include "engine/quote.h"
#include "store/tables.h"

enum rep_engine_table_id {
	REP_ENGINE_LOAD,
	REP_ENGINE_RUN,
	REP_ENGINE_LABEL,
	REP_ENGINE_LOSS, /* from here to `segment` the ordinary tables of a store, as they are */
	REP_ENGINE_NOTICE,
	REP_ENGINE_WIRE,
	REP_ENGINE_CLOCK,
	REP_ENGINE_SEGMENT,
	REP_ENGINE_STACK,
	REP_ENGINE_BUCKET,
	REP_ENGINE_STRING,
	REP_ENGINE_EVENT,
	REP_ENGINE_SPAN,
	REP_ENGINE_PACKED, /* + enum tp_table_id, those that rep_engine_has says */
	REP_ENGINE_NTABLES = REP_ENGINE_PACKED + TP_NTABLES
};

#define REP_ENGINE_COLUMNS 32

struct rep_engine_column {
	const char *name, *type;
};

/* False: it is a packed table that an engine does not have. */
bool rep_engine_has(enum rep_engine_table_id table);
const char *rep_engine_name(enum rep_engine_table_id table);
/* What its rows are, for people. */
const char *rep_engine_doc(enum rep_engine_table_id table);
/* All columns in order; how many there are. */
unsigned rep_engine_columns(enum rep_engine_table_id table,
			    struct rep_engine_column column[REP_ENGINE_COLUMNS]);
/* Rows of it belong to a load (all but those of `stack`). */
bool rep_engine_of_load(enum rep_engine_table_id table);
/* A packed table that profiles have. */
bool rep_engine_of_profile(enum tp_table_id table);

/* `database`.`table`, and `database`.`table_local` on a cluster. */
void rep_engine_put_table(struct rep_sql *s, const struct rep_engine_place *at,
			  enum rep_engine_table_id table, bool local);
/* a, b, c */
void rep_engine_put_columns(struct rep_sql *s, enum rep_engine_table_id table, unsigned first);

/* Calls with each statement that makes the database and its tables on one server; what is there
 * stays. 0, or what `each` returned, or TP_ENOMEM. */
int rep_engine_ddl(const struct rep_engine_place *at,
		   int (*each)(void *ctx, const char *sql, struct tp_err *err), void *ctx,
		   struct tp_err *err);

#endif
