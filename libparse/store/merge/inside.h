/* Inside store/merge: what goes in (source.c), which of it is taken (pick.c, content.c, check.c),
 * and what comes out (copy.c, merge.c). */
#ifndef TP_STORE_MERGE_INSIDE_H
#define TP_STORE_MERGE_INSIDE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "store/kept.h"
#include "store/merge/merge.h"
#include "store/pool.h"
#include "store/pool_write.h"
#include "store/store.h"
#include "store/writer.h"

/* ---- the stores that are merged (source.c) ---- */

struct source {
	char *path;
	dev_t dev;
	ino_t ino;
	struct tp_store *store; /* NULL while it is closed */
	uint64_t used;
	bool stays; /* open until the end: the one that is replaced */
};

struct sources {
	struct source *at;
	size_t n, room, open;
	uint64_t uses;
	int64_t size; /* bytes, all of them */
};

/* Adds a store, unless it is there (under whatever name). `stays`: nobody may change it until
 * sources_release. */
int sources_add(struct sources *s, const char *path, bool stays, int wait_ms, struct tp_err *err);
/* The store, open; few are at a time, so it is to be used before the next but few calls. */
int sources_open(struct sources *s, size_t i, struct tp_store **store, struct tp_err *err);
void sources_release(struct sources *s);

/* From source_begin to source_end, all that is read of the store is of one moment, in which its run
 * `run` is that with this hash: TP_EBUSY where it was given another number, or deleted, since it
 * was listed. Nothing is begun where it fails; *begun is for source_end. */
int source_begin(struct tp_store *store, const char *hash, int64_t run, bool *begun,
		 struct tp_err *err);
void source_end(struct tp_store *store, bool begun);

/* ---- a merge ---- */

struct merge {
	struct tp_store_run out; /* path, temp, temp_fd, db: the store that is made */
	const struct tp_merge_options *opt;
	struct tp_merge_result *result;
	struct sources sources;
	struct tp_kept kept; /* of out.file.db */
	struct tp_pool_writer *pools;
	sqlite3_stmt *put_block;
	int64_t *written_out; /* numbers of runs */
	size_t nwritten, room;
};

/* A dump of the result: where its content comes from, and what is known from elsewhere. */
struct pick {
	char hash[33];
	int64_t input, run;
	bool written_out; /* rows are to be written out, too */
};

/* "out of memory"; and err of the connection to what is made. */
int merge_no_memory(struct tp_err *err);
int merge_cannot_write(struct merge *m, struct tp_err *err);

/* Fills the temporary tables that the next ones read: every run of every store (pick.c). */
int merge_list(struct merge *m, struct tp_err *err);
/* Decides what to take of dumps that several stores have. */
int merge_choose(struct merge *m, struct tp_err *err);
/* Calls with each dump of the result in order; `id` its number. */
int merge_each(struct merge *m,
	       int (*visit)(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err),
	       struct tp_err *err);

/* What is true of a dump, whoever imported it; of one that is salvaged, the numbers may change from
 * one version of tprof to the next. */
struct facts {
	uint64_t kind; /* a hash of its kind and format */
	int64_t events, duration_ns, goroutines;
	bool salvaged; /* something was lost, or inferred */
	bool lives;    /* goroutines are counted by their lives */
};

/* The rank of what a store has of a dump: the least is taken. */
struct content {
	struct facts facts;
	bool damaged;
	int64_t kinds, rows, codec; /* of blocks; more is less */
	uint64_t hash[2];	    /* 0 until content_hash */
	bool no_dict;		    /* damaged: its dictionary is */
	bool lives; /* each life of a goroutine's id has a row of its own (version 4) */
};
int content_rank(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err);
int content_hash(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err);

/* Streams that are a dictionary. */
#define DICTIONARY "('string', 'function', 'location', 'frame', 'stack', '" TP_POOL_STREAM "')"

/* Do its blocks unpack, but for those of the dictionary (check.c)? Else `why` says which does not.
 */
int blocks_check(struct tp_store *store, int64_t run, bool *damaged, struct tp_err *why,
		 struct tp_err *err);

/* Puts a dump into the result: its row, labels and content (copy.c). */
int merge_copy(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err);

/* Is the run's dictionary, which is its own, exactly what `dict` would be written as? */
int dict_is_exact(struct tp_store *store, int64_t run, const struct tp_dict *dict, bool *exact,
		  struct tp_err *err);

#endif
