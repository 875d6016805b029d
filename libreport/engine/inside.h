/* Inside libreport/engine: what loading is made of. */
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

/* ---- asking (form.c) ---- */

/* Asks, and calls `row` for each row of the answer (binary.h). Releases `s`. */
int rep_engine_ask(const struct rep_engine_link *link, struct tp_buf *s, rep_engine_row *row,
		   void *ctx, struct tp_err *err);
/* Sends a statement that has no answer; `data` is what it inserts, or NULL. Releases `s`. */
int rep_engine_send(const struct rep_engine_link *link, struct tp_buf *s, const void *data,
		    size_t size, struct tp_err *err);

/* TP_EFORMAT with a sentence where the tables that are there are spread in another way than `at`
 * says. *all: there is nothing to be made. */
int rep_engine_check_form(const struct rep_engine_link *server, const struct rep_engine_place *at,
			  bool *all, struct tp_err *err);
/* TP_ENOENT with a sentence where the server knows no such cluster; 0 where it does not tell. */
int rep_engine_check_cluster(const struct rep_engine_link *server,
			     const struct rep_engine_place *at, struct tp_err *err);

/* ---- what is there already (present.c) ---- */

struct rep_present {
	uint64_t load; /* that counts, where the run is there */
	bool there, spans;
	bool other; /* its name or labels are not what the store says */
};
/* present[i], all 0 before, is of runs->run[i]. */
int rep_engine_find_present(const struct rep_engine_link *link, const struct rep_engine_place *at,
			    const struct rep_runs *runs, struct rep_present *present,
			    struct tp_err *err);

/* ---- what a stack is, whatever run it is of (stacks.c) ---- */

#define REP_STACK_HASH 16

/* The lists of a row of table `stack`, in order; each has a value for every frame. */
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

/* Two mappings of a run may look the same: `nth` tells them apart. */
struct rep_mapping_place {
	uint64_t key; /* 0: none */
	uint64_t start;
};
/* Of mappings[0 … n): place[i + 1] is that of mapping i; place[0] none. NULL: no memory. */
struct rep_mapping_place *rep_mapping_places(const struct tp_dict *dict,
					     const struct tp_mapping *mappings, size_t n);

struct rep_stack_hashes {
	const struct tp_dict *dict;
	const struct rep_mapping_place *place; /* of the run; place[0 … nplaces) */
	size_t nplaces;
	uint8_t (*of)[REP_STACK_HASH]; /* by node */
};
/* To be released in any case. */
int rep_stack_hashes_make(struct rep_stack_hashes *h, struct tp_err *err);
void rep_stack_hashes_release(struct rep_stack_hashes *h);

/* Those that were sent by this process. */
struct rep_stack_set {
	uint8_t (*hash)[REP_STACK_HASH];
	size_t n, room;
	struct tp_table table;
	uint64_t seed;
};
/* 1: it was not in there, and is now; 0; or TP_ENOMEM. */
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
	struct tp_buf *table; /* by enum rep_engine_table_id: what is to be sent */
	struct rep_stack_set *sent;
	/* Sends what has come together when it is much. */
	int (*spill)(void *ctx, struct tp_err *err);
	void *spill_ctx;

	/* of the run */
	struct tp_dict *dict;
	struct rep_stack_hashes hashes;
	uint32_t rows[REP_ENGINE_NTABLES];
	size_t row_at; /* where the row that is put began */
	bool refused;  /* it has a row that could not be read back */
};

/* day, load, row: what each row begins with. */
void rep_load_begin_row(struct rep_loading *l, enum rep_engine_table_id table);
/* Takes the last row away again, which began at l->row_at, where it is longer than any that is read
 * back: TP_ELIMIT then. TP_ENOMEM: putting it failed. */
int rep_load_end_row(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err);
/* Puts the rows that the run has in the store's table of this name, except the list of entries of
 * a shared dictionary. l->dict and l->hashes have to be set if a column names stacks. */
int rep_load_rows(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err);
/* The stack with its names, unless it was sent. */
int rep_load_stack(struct rep_loading *l, uint32_t node, struct tp_err *err);

/* Puts the samples of a profile and what else it says; the blocks of a trace and, with `spans`,
 * its rows for SQL (run.c). */
int rep_load_profile(struct rep_loading *l, const struct tp_profile *p, struct tp_err *err);
int rep_load_trace(struct rep_loading *l, bool spans, struct tp_err *err);

#endif
