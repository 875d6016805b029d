/* The tables of an engine: their columns and the statements that make them.
 *
 * A run goes to the engine as a *load*: a number that all of its rows carry. The row of table `run`
 * comes last and makes the load count. An interrupted load has no such row; loading again makes
 * another load, and of several loads of a run the smallest counts. So a failure neither loses nor
 * doubles rows. Rows of loads that do not count are removed later (stale.h).
 *
 * Profiles are rows, which the engine adds up; traces are the blocks that a store has of them, and
 * on request rows for SQL as well.
 *
 * tprof-clickhouse(7) describes the tables; `make check-docs` compares it with this code. */
#ifndef REP_ENGINE_SCHEMA_H
#define REP_ENGINE_SCHEMA_H

#include <stdbool.h>

#include "engine/link.h"
#include "engine/quote.h"
#include "store/tables.h"

enum rep_engine_table_id {
	REP_ENGINE_LOAD,
	REP_ENGINE_RUN,
	REP_ENGINE_LOSS, /* LOSS … BLOCK: ordinary tables of a store, with the same columns */
	REP_ENGINE_NOTICE,
	REP_ENGINE_WIRE,
	REP_ENGINE_CLOCK,
	REP_ENGINE_SEGMENT,
	REP_ENGINE_BLOCK, /* traces only */
	REP_ENGINE_STACK,
	REP_ENGINE_BUCKET,
	REP_ENGINE_PROFILE, /* PROFILE … COUNTER: a profile without its samples */
	REP_ENGINE_SAMPLE_TYPE,
	REP_ENGINE_MAPPING,
	REP_ENGINE_COMMENT,
	REP_ENGINE_COUNTER,
	REP_ENGINE_SPAN, /* SPAN … LOG: rows of traces for SQL, never read back */
	REP_ENGINE_TASK,
	REP_ENGINE_REGION,
	REP_ENGINE_LOG,
	REP_ENGINE_NTABLES
};

#define REP_ENGINE_COLUMNS 32

struct rep_engine_column {
	const char *name, *type;
};

#define REP_ENGINE_INT	"Nullable(Int64)"
#define REP_ENGINE_TEXT "Nullable(String)"
#define REP_ENGINE_HASH "FixedString(16)" /* of a stack */

const char *rep_engine_name(enum rep_engine_table_id table);
/* Lists all columns in order and returns their number. */
unsigned rep_engine_columns(enum rep_engine_table_id table,
			    struct rep_engine_column column[REP_ENGINE_COLUMNS]);
/* Returns the column that sorts the rows of a run in a store's table of this name, or NULL. */
const char *rep_engine_order_in_store(enum rep_engine_table_id table);
/* Returns whether its rows belong to a load. Only those of `stack` do not. */
bool rep_engine_of_load(enum rep_engine_table_id table);

/* Appends a piece of a statement, at most 1000 bytes. @table in it becomes `database`.`table`. */
void rep_sql_put(struct tp_buf *s, const struct rep_engine_place *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends the column names from `first` on: a, b, c. */
void rep_engine_put_columns(struct tp_buf *s, enum rep_engine_table_id table, unsigned first);

/* Makes the database and its tables on one server, where they do not exist yet. */
int rep_engine_make_tables(const struct rep_engine_link *server, const struct rep_engine_place *at,
			   struct tp_err *err);

#endif
