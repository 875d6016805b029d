/* The store: one SQLite file of runs. This is the only header through which files of runs are
 * made, opened, filled and read; SQLite itself shows only in tp_store_db().
 *
 * Writing: tp_store_begin() opens a new run — of a new file (built beside the target under a
 * temporary name, journal off, fsync and rename at the end) or of an existing one (all rows are
 * collected in the run's own temporary file or memory and published in one transaction). Nothing
 * is visible to readers before tp_store_commit(); tp_store_abort(), a crash or a kill leave the
 * target as it was. Writers queue on a lock file beside the store; readers never wait. */
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
	const char *name;   /* as the user calls it */
	const char *source; /* file name it came from, without folders */
	const char *hash;   /* 32 hex digits: XXH3-128 of the decompressed dump */
	const char *format; /* "go 1.22" */
	int64_t start_ns;   /* trace clock of the first event: what times in tables count from */
	int64_t duration_ns;
	bool ticks;	 /* no frequency was found: every "ns" is a tick */
	int64_t wall_ns; /* Unix time of the first event, TP_NULL unknown */
	int64_t events, inferred, generations, goroutines;
	int64_t size_in; /* bytes of the dump as given */
	int64_t lost_bytes, lost_events;
	int64_t imported_ns; /* Unix time */
	bool known;	     /* commit says: the dump was there already, as run `id` */
};

struct tp_segment {
	int64_t id; /* 0, 1, … */
	int64_t first_block, blocks;
	int64_t from_ns, to_ns; /* trace clock relative to start_ns: time of its first event; of the
				   next segment's first event (or the end) */
	int64_t events;
};

/* ---- writing ---- */

struct tp_store_options {
	int compress;	    /* 0: lz4 (fast), 1: zstd ("--compress=high") */
	bool materialize;   /* also write events, spans and packed tables as ordinary rows */
	int wait_ms;	    /* how long to wait for another writer; <0: for ever */
	uint64_t dump_size; /* bytes, 0 unknown: a new store for a large dump gets larger pages */
	bool background;    /* pack the rows of a large dump on a thread of their own */
	struct tp_draft *draft; /* see below; NULL: the run is collected and published at once */
};

/* Where one process makes the file that a run is collected in and makes it part of the store, and
 * another one, which may do little else, fills it: `draft` is made by the first, given to
 * tp_store_begin by the second, whose tp_store_commit then leaves a file that is complete, r->id 0
 * and the store as it was; tp_draft_publish comes from the first again. */
struct tp_draft {
	char *path; /* of the store; symbolic links resolved */
	char *temp; /* the file; NULL once it is gone */
	int fd;	    /* of it, open for reading and writing */
	/* Why there is no file: what tp_store_begin fails with, when it comes to that. */
	struct tp_err err;
	/* Filled in by tp_store_commit, and to be handed back from process to process. */
	char hash[33];
	bool materialized;
	/* Of several runs, see below. */
	struct tp_several *several;
	int64_t runs;
};
/* Always to be released, which removes the file unless it was published. */
int tp_draft_create(struct tp_draft *draft, const char *path);
/* Of the options wait_ms and materialize. *run is the run's id; *known as in struct tp_run. Errors
 * as of tp_store_commit. */
int tp_draft_publish(struct tp_draft *draft, const struct tp_store_options *opt, int64_t *run,
		     bool *known, struct tp_err *err);
void tp_draft_release(struct tp_draft *draft);

/* Several runs in one draft. From tp_draft_open to tp_draft_close every tp_store_begin with it
 * starts its next run, one at a time; one that fails or is aborted leaves nothing (where that
 * cannot be done, draft->err says why, and the file is of no use). tp_store_commit gives its number
 * in the draft (1, 2, …), and fails where the draft has a run of that hash. dump_size as in the
 * options; with `materialize`, their rows are written, too, for a draft that is known to become a
 * new store. After tp_draft_close, whatever it says, draft->runs and draft->materialized are to be
 * handed back to who publishes: all runs that the store does not hold (*added is how many), under
 * its next numbers and in their order, in one transaction. */
int tp_draft_open(struct tp_draft *draft, uint64_t dump_size, struct tp_err *err);
int tp_draft_close(struct tp_draft *draft, bool materialize, struct tp_err *err);
int tp_draft_publish_all(struct tp_draft *draft, const struct tp_store_options *opt, size_t *added,
			 struct tp_err *err);

/* The hashes of all dumps of a store, to look for many. */
struct tp_known {
	uint8_t (*hash)[16]; /* sorted */
	size_t n;
};
/* Of a store that need not be there. To be released, also when it fails. */
int tp_known_load(struct tp_known *known, const char *path, struct tp_err *err);
/* Those of one more store, which has to be there. */
int tp_known_add(struct tp_known *known, const char *path, struct tp_err *err);
bool tp_known_has(const struct tp_known *known, const uint8_t hash[16]);
void tp_known_release(struct tp_known *known);

/* Starts a run in the store at path, creating the file when it does not exist (then it appears at
 * commit). TP_EVERSION: newer store; TP_ESTORE: not a store. */
int tp_store_begin(struct tp_store_run **run, const char *path, const struct tp_store_options *opt,
		   struct tp_err *err);
/* Is a dump with this hash (32 hex digits) there already? 1 and its id, 0, or an error code. */
int tp_store_has(struct tp_store_run *run, const char *hash, int64_t *id, struct tp_err *err);

/* Optional, before the first event: times of events are trunc(n * ns_per_tick) on the trace's
 * clock, n whole (traces up to go 1.21). Blocks get smaller where that is so; every time is kept
 * anyway. */
void tp_store_set_tick(struct tp_store_run *run, double ns_per_tick);
/* The sink for ordered events: encodes them into blocks of TP_BLOCK_EVENTS. Events' ts are on the
 * trace clock; start_ns is taken from the first event. Events may come from one thread while rows
 * and segments come from another; all else about a run is for one thread at a time. */
int tp_store_put_events(struct tp_store_run *run, const struct tp_event *ev, size_t n,
			struct tp_err *err);
/* Appends one row to a packed table: `values` has as many as the table has columns; times already
 * relative to start_ns, dictionary ids and indices as in the run. Rows keep their order. */
int tp_store_put_row(struct tp_store_run *run, enum tp_table_id table, const int64_t *values,
		     struct tp_err *err);
int tp_store_put_segment(struct tp_store_run *run, const struct tp_segment *s, struct tp_err *err);
/* Dictionary, goroutine/P/M ids of proc and thread, clocks, losses, notices, wire counts. */
int tp_store_put_trace(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err);
/* Of a run that is a profile: all of it. */
int tp_store_put_profile(struct tp_store_run *run, const struct tp_profile *p, struct tp_err *err);
int tp_store_put_label(struct tp_store_run *run, const char *key, const char *value,
		       struct tp_err *err);
/* Publishes the run, *r giving the run row (id is filled in). The run is freed on success and on
 * failure (then the store is as it was). Where the same dump (r->hash) was stored by somebody else
 * meanwhile, nothing is added, r->id is the run that is there, and r->known says so. */
int tp_store_commit(struct tp_store_run *run, struct tp_run *r, struct tp_err *err);
void tp_store_abort(struct tp_store_run *run);

/* Labels ("key=value") of the run with this hash (32 hex digits), in one transaction: those with a
 * key it has replace its value. `run` is its number then, `now` lists what it did not have,
 * `before` what that replaced ("rev=a, os=b"; cut where it is long; bytes of labels). Errors as of
 * tp_store_commit, and TP_ENOENT where it is not there; the store is then as it was. */
struct tp_relabelled {
	int64_t run;
	char now[200], before[200];
};
int tp_store_relabel(const char *path, int wait_ms, const char *hash, const char *const *labels,
		     size_t n, struct tp_relabelled *r, struct tp_err *err);
/* The same for the runs of these dumps, each with its own (what is not there is passed over).
 * *changed is how many of them did not have their labels. */
struct tp_labelled {
	char hash[33]; /* 32 hex digits */
	const char *const *labels;
	size_t n;
};
int tp_store_relabel_all(const char *path, int wait_ms, const struct tp_labelled *runs,
			 size_t nruns, size_t *changed, struct tp_err *err);

/* ---- reading ---- */

/* Opens for reading (also from read-only media). Registers the virtual tables and SQL functions. */
int tp_store_open(struct tp_store **s, const char *path, struct tp_err *err);
/* The same with writing allowed to SQL (tprof-query --write). */
int tp_store_open_rw(struct tp_store **s, const char *path, struct tp_err *err);
void tp_store_close(struct tp_store *s);
struct sqlite3 *tp_store_db(struct tp_store *s);
/* The file it is in, for opening it once more; lives as long as the store. */
const char *tp_store_path(struct tp_store *s);
/* Ends the statement that runs on it, from any thread: it fails with TP_ESTORE. */
void tp_store_interrupt(struct tp_store *s);
/* A store for reading on a connection that stays the caller's (the loadable extension has no
 * other); tp_store_close frees only the handle. Nothing is checked or registered. NULL: no memory.
 */
struct tp_store *tp_store_borrow(struct sqlite3 *db);

/* Registers virtual tables and functions on any connection; what the loadable extension calls. */
int tp_store_register(struct sqlite3 *db);

/* A packed table of a run, decoded: col[c][row], all columns or those whose bit is set in `columns`
 * (0: all; others NULL). Values as written (indices and ids, not texts). Owned by the caller. */
struct tp_rows {
	enum tp_table_id table;
	size_t nrows;
	int64_t *col[TP_MAX_COLUMNS];
};
int tp_rows_load(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		 struct tp_rows *rows, struct tp_err *err);
void tp_rows_release(struct tp_rows *rows);

/* Has a table of the run this column? Those that were added later are missing where an older
 * program wrote it: tp_rows_load gives TP_NULL, or what it stands for (store/rows.h). 1, or 0, also
 * where it has no rows; TP_ESTORE, TP_ENOMEM. */
int tp_rows_have(struct tp_store *s, int64_t run, enum tp_table_id table, unsigned column,
		 struct tp_err *err);

/* The same chunk by chunk, for tables that are long and become something else: each time `rows`
 * holds the next rows->nrows rows, which begin with row `first`. */
struct tp_rows_visitor {
	int (*begin)(void *ctx, size_t total, struct tp_err *err); /* may be NULL */
	int (*rows)(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err);
	void *ctx;
};
int tp_rows_visit(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		  const struct tp_rows_visitor *visitor, struct tp_err *err);

/* The run's dictionary; free with tp_dict_free. */
int tp_dict_load(struct tp_store *s, int64_t run, struct tp_dict **dict, struct tp_err *err);

/* A run of kind "profile", as it was put; free with tp_profile_free. Its losses and notices are not
 * loaded: they are rows of loss and notice. */
int tp_profile_load(struct tp_store *s, int64_t run, struct tp_profile **p, struct tp_err *err);

/* Events of a run in order, block by block: those of blocks [first, first+count) that overlap
 * [from_ns, to_ns) (relative to start_ns; whole blocks are delivered). ev[].ts are relative to
 * start_ns. next: 1 with *ev and *n (valid until the next call), 0 at the end, or an error code. */
struct tp_event_reader;
struct tp_event_range {
	int64_t from_ns, to_ns;	      /* INT64_MIN, INT64_MAX: all */
	int64_t first_block, nblocks; /* 0, INT64_MAX: all */
};
int tp_events_open(struct tp_event_reader **r, struct tp_store *s, int64_t run,
		   const struct tp_event_range *range, struct tp_err *err);
int tp_events_next(struct tp_event_reader *r, const struct tp_event **ev, size_t *n,
		   struct tp_err *err);
/* From here on what spans do not come of (str2, arg) is left 0. */
void tp_events_for_spans(struct tp_event_reader *r);
/* The same into the caller's room for TP_BLOCK_EVENTS. */
int tp_events_read(struct tp_event_reader *r, struct tp_event *ev, size_t *n, struct tp_err *err);
void tp_events_close(struct tp_event_reader *r);

#endif
