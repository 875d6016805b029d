/* Private to libreport/engine: the parts of loading. */
#ifndef REP_ENGINE_INSIDE_H
#define REP_ENGINE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/table.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "engine/binary.h"
#include "engine/load.h"
#include "engine/schema.h"

/* ---- statements (form.c) ---- */

/* Runs a query and calls `row` for each row of the answer (binary.h). Releases `s`. */
int rep_engine_ask(const struct rep_engine_link *link, struct tp_buf *s, rep_engine_row *row,
		   void *ctx, struct tp_err *err);
/* Runs a statement without an answer; `data` is the input of an INSERT, or NULL. Releases `s`. */
int rep_engine_send(const struct rep_engine_link *link, struct tp_buf *s, const void *data,
		    size_t size, struct tp_err *err);

/* Returns TP_EFORMAT with a sentence if the existing tables are distributed in another way than
 * `at` says. Sets *all if every table exists. */
int rep_engine_check_form(const struct rep_engine_link *server, const struct rep_engine_place *at,
			  bool *all, struct tp_err *err);
/* Returns TP_ENOENT with a sentence if the server knows no such cluster; 0 also if it does not
 * say. */
int rep_engine_check_cluster(const struct rep_engine_link *server,
			     const struct rep_engine_place *at, struct tp_err *err);

/* ---- runs that the engine already has (present.c) ---- */

struct rep_present {
	uint64_t load; /* the one that counts, if `there` */
	bool there, spans;
	bool other; /* its name or labels differ from the store's */
};
/* Fills in present[i], zeroed before, for runs->run[i]. */
int rep_engine_find_present(const struct rep_engine_link *link, const struct rep_engine_place *at,
			    const struct rep_runs *runs, struct rep_present *present,
			    struct tp_err *err);

/* ---- stacks by content, independent of the run (stacks.c) ---- */

#define REP_STACK_HASH 16

/* The array columns of table `stack`, in order; each has a value for every frame. */
enum stack_column {
	FUNCTIONS,
	FILES,
	LINES,
	COLUMNS,
	MARKS,
	SYSTEM_NAMES,
	START_LINES,
	MAPPINGS,
	ADDRESSES,
	FLAGS,
	NCOLUMNS
};

/* Identifies a mapping by content: `nth` tells apart two of a run that look the same. */
struct rep_mapping_place {
	uint64_t key; /* 0: no mapping */
	uint64_t start;
};
/* Returns an array in which place[i + 1] belongs to mappings[i] and place[0] is empty; NULL if
 * memory is out. */
struct rep_mapping_place *rep_mapping_places(const struct tp_dict *dict,
					     const struct tp_mapping *mappings, size_t n);

struct rep_stack_hashes {
	const struct tp_dict *dict;
	const struct rep_mapping_place *place; /* place[0 … nplaces) of the run */
	size_t nplaces;
	uint8_t (*of)[REP_STACK_HASH]; /* by node */
};
/* Computes the hashes. *h must be released in every case. */
int rep_stack_hashes_make(struct rep_stack_hashes *h, struct tp_err *err);
void rep_stack_hashes_release(struct rep_stack_hashes *h);

/* The stacks that this process has sent. */
struct rep_stack_set {
	uint8_t (*hash)[REP_STACK_HASH];
	size_t n, room;
	struct tp_table table;
	uint64_t seed;
};
/* Returns 1 if the hash was added, 0 if it was there before, or TP_ENOMEM. */
int rep_stack_set_add(struct rep_stack_set *s, const uint8_t hash[REP_STACK_HASH]);
void rep_stack_set_release(struct rep_stack_set *s);

/* Appends the row of a stack. */
void rep_stack_put(struct tp_buf *rows, const struct rep_stack_hashes *h, uint32_t node);

/* ---- rows of one run (rows.c, run.c) ---- */

struct rep_loading {
	struct tp_store *store;
	const struct rep_run *run;
	uint16_t day;
	uint64_t load;
	struct tp_buf *table; /* by enum rep_engine_table_id: rows waiting to be sent */
	struct rep_stack_set *sent;
	/* Sends the waiting rows if there are many. */
	int (*spill)(void *ctx, struct tp_err *err);
	void *spill_ctx;

	/* of the current run */
	struct tp_dict *dict;
	struct rep_stack_hashes hashes;
	uint32_t rows[REP_ENGINE_NTABLES];
	size_t row_at; /* start of the row being written */
	bool refused;  /* the run has a row too long to be read back */
};

/* Starts a row with the columns that all have: day, load, row. */
void rep_load_begin_row(struct rep_loading *l, enum rep_engine_table_id table);
/* Ends the row that began at l->row_at. Returns TP_ELIMIT and removes it if it is too long to be
 * read back, TP_ENOMEM if writing it failed. */
int rep_load_end_row(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err);
/* Writes the run's rows of the store's table of the same name, except the entries of a shared
 * dictionary. l->dict and l->hashes must be set if a column names stacks. */
int rep_load_rows(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err);
/* Writes a stack with its names, unless it was sent already. */
int rep_load_stack(struct rep_loading *l, uint32_t node, struct tp_err *err);

/* Write the samples and headers of a profile; the blocks of a trace and, with `spans`, its rows for
 * SQL (run.c). */
int rep_load_profile(struct rep_loading *l, const struct tp_profile *p, struct tp_err *err);
int rep_load_trace(struct rep_loading *l, bool spans, struct tp_err *err);

#endif
