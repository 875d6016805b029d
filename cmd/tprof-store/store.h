/* The arguments of tprof-store, and what it can do, one line of `store_tasks` each. */
#ifndef TPROF_STORE_STORE_H
#define TPROF_STORE_STORE_H

#include "common/common.h"

/* How long a change waits for another writer. */
#define STORE_WAIT_MS 60000

struct store_args {
	struct cmd cmd;
	const struct store_task *task;
	const char *path;  /* the store; NULL for `cache` */
	const char **word; /* what follows it, nwords of them */
	size_t nwords;
	int64_t keep_last;     /* -1: not given */
	int64_t older_than_ns; /* -1: not given */
	bool dry_run, empty;
};

struct store_task {
	const char *name, *args, *doc;
	size_t least, most; /* words behind the store; most SIZE_MAX: any number */
	bool no_store;
	int (*run)(struct store_args *args); /* the exit status */
};

/* Ends with a NULL name. */
extern const struct store_task store_tasks[];

/* Checks that args->path is a store. Refuses entries of the cache. Returns 0 or an exit status. */
int store_is_one(struct store_args *args);

/* Picks the runs that a word names (id, name, label, latest, all): at least one, or none for `all` of
 * an empty store. Returns 0 or an exit status. */
int store_pick(struct store_args *args, const char *spec, struct rep_runs *runs);

int store_list(struct store_args *args);
int store_show(struct store_args *args);
int store_clocks(struct store_args *args);
int store_rename(struct store_args *args);
int store_label(struct store_args *args);
int store_delete(struct store_args *args);
int store_prune(struct store_args *args);
int store_compact(struct store_args *args);
int store_verify(struct store_args *args);
int store_upgrade(struct store_args *args);
int store_cache(struct store_args *args);
int store_values(struct store_args *args);

#endif
