/* Shared by the files of store/merge: the stores that are merged (source.c), the choice of content (pick.c, content.c,
 * check.c), and the result (copy.c, merge.c). */
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

/* Adds a store, unless it was added before, under whatever name. With `stays` nobody can change it until
 * sources_release. */
int sources_add(struct sources *s, const char *path, bool stays, int wait_ms, struct tp_err *err);
/* Returns the store, open. Only a few are open at a time, so it may be closed again after a few more calls. */
int sources_open(struct sources *s, size_t i, struct tp_store **store, struct tp_err *err);
void sources_release(struct sources *s);

/* Between source_begin and source_end, the store is read in one transaction, in which its run `run` has this hash.
 * TP_EBUSY: the run was renumbered or deleted since it was listed. If it fails, nothing has begun; *begun is for
 * source_end. */
int source_begin(struct tp_store *store, const char *hash, int64_t run, bool *begun,
		 struct tp_err *err);
void source_end(struct tp_store *store, bool begun);

/* ---- a merge ---- */

struct merge {
	struct tp_temp_store out; /* the store that is made */
	const struct tp_merge_options *opt;
	struct tp_merge_result *result;
	struct sources sources;
	struct tp_kept kept; /* of out.db */
	struct tp_pool_writer *pools;
	int64_t *written_out; /* numbers of runs */
	size_t nwritten, room;
};

/* A dump of the result, and the run whose content is taken. */
struct pick {
	char hash[33];
	int64_t input, run;
	bool written_out; /* its rows are to be written out */
};

/* Reports the error of the connection to the result. */
int merge_cannot_write(struct merge *m, struct tp_err *err);

/* Lists every run of every store in temporary tables, which the next functions read (pick.c). */
int merge_list(struct merge *m, struct tp_err *err);
/* Chooses the content of dumps that several stores have. */
int merge_choose(struct merge *m, struct tp_err *err);
/* Calls `visit` for each dump of the result in order; `id` is its number there. */
int merge_each(struct merge *m,
	       int (*visit)(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err),
	       struct tp_err *err);

/* Facts about a dump, whoever imported it. If it is salvaged, the numbers may differ between versions of tprof. */
struct facts {
	uint64_t kind; /* a hash of its kind and format */
	int64_t events, duration_ns, goroutines;
	bool salvaged; /* something was lost, or inferred */
	bool lives;    /* goroutines are counted by their lives */
};

/* What ranks the content that a store has of a dump; the least is taken. */
struct content {
	struct facts facts;
	bool damaged;
	int64_t kinds, rows, codec; /* of blocks; more ranks before less */
	uint64_t hash[2];	    /* 0 before content_hash */
	bool no_dict;		    /* its dictionary is damaged */
	bool lives;		    /* each life of a goroutine's id has its own row (version 4) */
};
int content_rank(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err);
int content_hash(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err);

/* Streams that are a dictionary. */
#define DICTIONARY "('string', 'function', 'location', 'frame', 'stack', '" TP_POOL_STREAM "')"

/* Unpacks the blocks of a run, except those of its dictionary (check.c). If one does not unpack, sets *damaged and
 * `why`. */
int blocks_check(struct tp_store *store, int64_t run, bool *damaged, struct tp_err *why,
		 struct tp_err *err);

/* The tables of a run's rows but label and block: reads the rows of run ?1 in the order in which they were put, and
 * inserts one under the run's number in the result (copy.c). */
struct merge_table {
	const char *get, *put;
};
enum { MERGE_TABLES = 5 };
extern const struct merge_table merge_tables[MERGE_TABLES];

/* Puts a dump into the result: its row, labels and content (copy.c). */
int merge_copy(struct merge *m, const struct pick *p, int64_t id, struct tp_err *err);

/* Sets *exact if the run's own dictionary is, byte for byte, what `dict` would be written as. */
int dict_is_exact(struct tp_store *store, int64_t run, const struct tp_dict *dict, bool *exact,
		  struct tp_err *err);

#endif
