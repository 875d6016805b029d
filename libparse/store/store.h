/* The store: an SQLite file of runs. Stores are created, opened, filled and read through this header.
 *
 * Writing: tp_store_begin() begins a run. Its rows are collected in a temporary file beside the store.
 * tp_store_commit() publishes them: it renames that file if there is no store yet, and otherwise copies the rows in one
 * transaction. Readers see nothing before that; tp_store_abort(), a crash or a kill leave the store as it was. Writers
 * queue on a lock file beside the store; readers never wait. */
#ifndef TP_STORE_STORE_H
#define TP_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/dict.h"
#include "decode/event.h"
#include "decode/profile.h"
#include "decode/trace.h"
#include "store/tables.h"

#define TP_STORE_APPLICATION_ID 0x7470726f /* "tpro" */
#define TP_STORE_VERSION	4
#define TP_BLOCK_EVENTS		16384

struct sqlite3;
struct tp_store;
struct tp_store_run; /* a run being written */

/* ---- the run row and what belongs to it ---- */

struct tp_run {
	int64_t id;
	const char *kind;   /* "trace" or "profile" */
	const char *name;   /* that the user gave it */
	const char *source; /* file name it came from, without folders */
	const char *hash;   /* 32 hex digits: XXH3-128 of the uncompressed dump */
	const char *format; /* "go 1.22" */
	int64_t start_ns;   /* trace clock at the first event; times in tables count from it */
	int64_t duration_ns;
	bool ticks;	 /* no clock frequency was found: every "ns" is a tick */
	int64_t wall_ns; /* Unix time of the first event, TP_NULL unknown */
	int64_t events, inferred, generations, goroutines;
	int64_t size_in; /* bytes of the dump as given */
	int64_t lost_bytes, lost_events;
	int64_t imported_ns; /* Unix time */
	bool known; /* set by tp_store_commit: the store has the dump already, as run `id` */
};

struct tp_segment {
	int64_t id; /* 0, 1, … */
	int64_t first_block, blocks;
	int64_t from_ns,
	    to_ns; /* times since start_ns: of its first event, and of the next segment's, or
				   the end of the run */
	int64_t events;
};

/* ---- writing ---- */

struct tp_store_options {
	int compress;	  /* 0: lz4 (fast), 1: zstd ("--compress=high") */
	bool materialize; /* also write the rows of virtual tables as ordinary rows */
	int wait_ms;	  /* how long to wait for another writer; <0: for ever */
	uint64_t
	    dump_size;	 /* bytes, 0 if unknown; a new store for a large dump gets larger pages */
	bool background; /* pack the rows of a large dump on another thread */
	struct tp_temp_store
	    *temp; /* collect the run there, to be published later; NULL: at once */
};

/* A temporary store: the file in which runs are collected, beside the store that they become part of. One
 * process can create and publish it, and another, which may do little else, fill it:
 *
 *	tp_temp_store_create                   the file
 *	tp_store_begin … tp_store_commit       one run after the other, with the file as option `temp`
 *	tp_temp_store_close                    the file is complete
 *	tp_temp_store_publish
 *	tp_temp_store_release                  in any case
 *
 * A run that fails or is aborted leaves nothing in the file, unless t->err says otherwise. */
struct tp_temp_store {
	char *path; /* of the store; symbolic links resolved */
	char *file; /* its own; NULL once it is the store */
	int fd;	    /* of the file, open for reading and writing */
	/* If its code is not 0, the file cannot be used, and tp_store_begin fails with this. */
	struct tp_err err;
	struct sqlite3 *db; /* while runs are collected */
	struct sqlite3_stmt *put_block;
	/* What the process that publishes has to know from the one that fills the file. */
	int64_t runs; /* complete ones; their numbers in the file are 1, 2, … */
	bool materialized;
};
/* Creates the file. Returns t->err.code. */
int tp_temp_store_create(struct tp_temp_store *t, const char *path);
/* Opens the file for dumps of so many bytes in all. Without it, the first tp_store_begin does that for its dump
 * alone. */
int tp_temp_store_open(struct tp_temp_store *t, uint64_t dump_size, struct tp_err *err);
/* Completes the file; with `materialize`, which is for a file that becomes a new store, also with the rows of
 * the option of that name. Fails if t->err is set. */
int tp_temp_store_close(struct tp_temp_store *t, bool materialize, struct tp_err *err);
/* Adds the runs that the store does not hold, in their order, under its next numbers and in one transaction.
 * Sets *added to how many they are, and *first to the store's number of the first run of the file, whether it
 * was added or not. opt gives wait_ms and materialize. Errors are those of tp_store_commit. */
int tp_temp_store_publish(struct tp_temp_store *t, const struct tp_store_options *opt,
			  int64_t *first, size_t *added, struct tp_err *err);
/* Removes the file unless it has become the store. */
void tp_temp_store_release(struct tp_temp_store *t);

/* The hashes of all dumps of a store, in memory, to look up many. */
struct tp_known {
	uint8_t (*hash)[16]; /* sorted */
	size_t n;
};
/* Loads them; a store that does not exist has none. Release them, also after an error. */
int tp_known_load(struct tp_known *known, const char *path, struct tp_err *err);
/* Adds those of another store, which must exist. */
int tp_known_add(struct tp_known *known, const char *path, struct tp_err *err);
bool tp_known_has(const struct tp_known *known, const uint8_t hash[16]);
void tp_known_release(struct tp_known *known);

/* Begins a run of the store at path, which is created at commit if it does not exist. TP_EVERSION: a newer tprof wrote
 * the store; TP_ESTORE: it is not a store. */
int tp_store_begin(struct tp_store_run **run, const char *path, const struct tp_store_options *opt,
		   struct tp_err *err);
/* Sets *run to the number that the dump with this hash (32 hex digits) has in the store at path; 0 if the store
 * does not hold it or does not exist. */
int tp_store_find(const char *path, const char *hash, int64_t *run, struct tp_err *err);

/* Optional, before the first event: says that times of events are trunc(n * ns_per_tick) on the trace's clock, n an
 * integer (traces up to go 1.21). This makes blocks smaller; all times are stored exactly in any case. */
void tp_store_set_tick(struct tp_store_run *run, double ns_per_tick);
/* Encodes ordered events into blocks of TP_BLOCK_EVENTS. Their ts are on the trace clock; start_ns is that of the first.
 * One thread may put events while another puts rows and segments; all other functions are for one thread at a time. */
int tp_store_put_events(struct tp_store_run *run, const struct tp_event *ev, size_t n,
			struct tp_err *err);
/* Appends a row to a packed table: a value for each column. Times count from start_ns; ids and indices are those of the
 * run. Rows keep their order. */
int tp_store_put_row(struct tp_store_run *run, enum tp_table_id table, const int64_t *values,
		     struct tp_err *err);
int tp_store_put_segment(struct tp_store_run *run, const struct tp_segment *s, struct tp_err *err);
/* Puts the dictionary, ids of Ps and Ms, clocks, losses, notices and counts of events of a trace. */
int tp_store_put_trace(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err);
/* Puts all of a profile. */
int tp_store_put_profile(struct tp_store_run *run, const struct tp_profile *p, struct tp_err *err);
int tp_store_put_label(struct tp_store_run *run, const char *key, const char *value,
		       struct tp_err *err);
/* Completes the run with the row *r and publishes it, or leaves it to the temporary store. Sets r->id and
 * r->known. If the store has a dump of this hash (r->hash) already, nothing is added; a temporary store that has
 * one is an error. Frees the run, also on failure, which leaves the store as it was. */
int tp_store_commit(struct tp_store_run *run, struct tp_run *r, struct tp_err *err);
void tp_store_abort(struct tp_store_run *run);

/* ---- reading ---- */

/* Opens a store for reading, also from read-only media, and registers the virtual tables and SQL functions. */
int tp_store_open(struct tp_store **s, const char *path, struct tp_err *err);
/* The same for reading and writing with SQL (tprof-query --write). */
int tp_store_open_rw(struct tp_store **s, const char *path, struct tp_err *err);
void tp_store_close(struct tp_store *s);
struct sqlite3 *tp_store_db(struct tp_store *s);
/* Returns the path of its file; valid as long as the store is open. */
const char *tp_store_path(struct tp_store *s);
/* Stops the running statement, from any thread; it fails with TP_ESTORE. */
void tp_store_interrupt(struct tp_store *s);
/* Returns a store for reading on a connection of the caller, as the loadable extension has one; NULL if there is no
 * memory. Nothing is checked or registered, and tp_store_close frees only the handle. */
struct tp_store *tp_store_borrow(struct sqlite3 *db);

/* Registers virtual tables and functions on a connection; the loadable extension calls it. Returns an SQLite code. */
int tp_store_register(struct sqlite3 *db);

/* A packed table of a run, decoded: col[c][row]. Only the columns whose bit is set in `columns` are loaded (0: all); the
 * others are NULL. Values are as they were put (indices and ids, not texts). The caller releases it. */
struct tp_rows {
	enum tp_table_id table;
	size_t nrows;
	int64_t *col[TP_MAX_COLUMNS];
};
int tp_rows_load(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		 struct tp_rows *rows, struct tp_err *err);
void tp_rows_release(struct tp_rows *rows);

/* Returns 1 if the table of this run has this column; 0 if it was added after the program that wrote the run, or if the
 * table has no rows; or TP_ESTORE or TP_ENOMEM. For a missing column tp_rows_load gives TP_NULL, or what that stands for
 * (store/rows.h). */
int tp_rows_have(struct tp_store *s, int64_t run, enum tp_table_id table, unsigned column,
		 struct tp_err *err);

/* Loads a table chunk by chunk, which saves memory if it is long: `rows` is called with the next rows->nrows rows, the
 * first of which is row `first`. */
struct tp_rows_visitor {
	int (*begin)(void *ctx, size_t total, struct tp_err *err); /* may be NULL */
	int (*rows)(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err);
	void *ctx;
};
int tp_rows_visit(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		  const struct tp_rows_visitor *visitor, struct tp_err *err);

/* Loads the chunk `part` of a table (0, 1, … in the order of tp_rows_visit); the chunks of a dictionary's tables are
 * not numbered so. A chunk has at most 32768 rows. Returns TP_ESTORE if it is missing. */
int tp_rows_part(struct tp_store *s, int64_t run, enum tp_table_id table, int64_t part,
		 uint32_t columns, struct tp_rows *rows, struct tp_err *err);
/* Counts the chunks of a table. */
int tp_rows_parts(struct tp_store *s, int64_t run, enum tp_table_id table, size_t *parts,
		  struct tp_err *err);

/* Loads the run's dictionary; free it with tp_dict_free. */
int tp_dict_load(struct tp_store *s, int64_t run, struct tp_dict **dict, struct tp_err *err);

/* Loads a run of kind "profile" as it was put, without its losses and notices, which are rows of tables of these names.
 * Free it with tp_profile_free. */
int tp_profile_load(struct tp_store *s, int64_t run, struct tp_profile **p, struct tp_err *err);

/* Reads events of a run in order, block by block: the blocks of the range that overlap [from_ns, to_ns), as a whole. All
 * times count from start_ns. tp_events_next returns 1 with *ev and *n, which are valid until the next call; 0 at the end;
 * or an error code. */
struct tp_event_reader;
struct tp_event_range {
	int64_t from_ns, to_ns;	      /* INT64_MIN, INT64_MAX: all */
	int64_t first_block, nblocks; /* 0, INT64_MAX: all */
};
int tp_events_open(struct tp_event_reader **r, struct tp_store *s, int64_t run,
		   const struct tp_event_range *range, struct tp_err *err);
int tp_events_next(struct tp_event_reader *r, const struct tp_event **ev, size_t *n,
		   struct tp_err *err);
/* Like tp_events_next, but decodes into the caller's array of TP_BLOCK_EVENTS. */
int tp_events_read(struct tp_event_reader *r, struct tp_event *ev, size_t *n, struct tp_err *err);

/* What of the events is read. */
struct tp_event_choice {
	bool spans; /* str2 and arg, which spans do not use, are left zero; `changes` requires it */
	/* Only changes of a state, Sync events, and the first and last event of each block. If nothing is lost and the
	 * trace's clock starts above 0, spans depend on no others. */
	bool changes;
	const uint64_t *
	    goroutine; /* with `changes`: only those of the goroutines whose bit is set; NULL: all */
	uint32_t ngoroutines; /* bits */
};
/* Sets the choice for blocks read from now on; its bits must outlive the reader. */
void tp_events_choose(struct tp_event_reader *r, const struct tp_event_choice *choice);
/* A block as it is stored, with what decodes it, so that several threads can decode blocks of a reader. */
struct tp_event_block;
struct tp_event_block *tp_event_block_new(void); /* NULL when memory is out */
void tp_event_block_free(struct tp_event_block *b);
/* Fetches the next block; not by several threads at once. Returns 1, 0 at the end, or an error code. */
int tp_events_fetch(struct tp_event_reader *r, struct tp_event_block *b, struct tp_err *err);
/* Decodes a block into the caller's array of TP_BLOCK_EVENTS, also while others are fetched. Returns 1 or an error
 * code. */
int tp_events_decode(const struct tp_event_reader *r, struct tp_event_block *b, struct tp_event *ev,
		     size_t *n, struct tp_err *err);
void tp_events_close(struct tp_event_reader *r);

#endif
