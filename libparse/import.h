/* Import: a dump becomes a run of a store. The whole left half of the data path in one call. */
#ifndef TP_IMPORT_H
#define TP_IMPORT_H

#include "store/edit.h"
#include "store/store.h"
#include "symbol/symbol.h"

struct tp_import_options {
	const char *name;	   /* NULL: the file's name */
	const char *source;	   /* the file's name where path has another, or NULL */
	const char *const *labels; /* "key=value", nlabels of them */
	size_t nlabels;
	bool strict;
	int threads; /* 0: as many as there are processors (at most 3, and one that packs rows);
			   1: all on the calling thread */
	struct tp_store_options store;
	/* bytes done and in all; nonzero cancels. `stage` is "unpack" or "read". */
	int (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
	void *progress_ctx;
	const char *tmp_dir; /* for unpacked input, as in tp_input_options */
	int tmp_fd;
	/* Says whether the dump with this hash is known, in place of a look into the store, which
	 * then may be any. NULL: that look. */
	bool (*known)(void *ctx, const uint8_t hash[16]);
	void *known_ctx;
	/* Where to look for names that the dump leaves out (symbol/symbol.h); may be all 0. */
	struct tp_symbol_options symbols;
};

struct tp_import_result {
	int64_t run;	 /* id in the store */
	char hash[33];	 /* what the run is known by, 32 hex digits */
	bool known;	 /* the same dump was there already; nothing was stored but labels */
	char format[32]; /* "go 1.22", "pprof" */
	bool profile;	 /* not a trace: events are its samples */
	char what[48];	 /* "go 1.22 trace", "heap profile (text)" */
	int64_t events, goroutines, duration_ns, inferred;
	bool ticks;
	uint64_t size_in;    /* bytes as given */
	uint64_t size_store; /* bytes the store grew by */
	double seconds;
	size_t losses;
	int64_t lost_bytes, lost_events;
	bool uncounted;		     /* and some that cannot be counted */
	char first_loss[192];	     /* reason of the first one */
	struct tp_relabelled labels; /* known: what its labels were given */
	char unnamed[256];	     /* why code has no names or doubtful ones, "" */
	char bare[192];		     /* why a trace has no generation, "" */
	char seen[192];		     /* of a dump in a log: what was read of it, "" */
	char others[512];	     /* of a profile: what its notices warn of, "" */
};

/* Imports the dump at path ("-": standard input) into the store at store_path. */
int tp_import(const char *path, const char *store_path, const struct tp_import_options *opt,
	      struct tp_import_result *result, struct tp_err *err);

/* With opt->store.temp (store/store.h), tp_import leaves the store as it is and *result incomplete. Once that
 * temporary store is closed, this publishes it, from the process that created it, and completes *result. */
int tp_import_publish(const char *store_path, const struct tp_import_options *opt,
		      struct tp_import_result *result, struct tp_err *err);

#endif
