/* The arguments of tprof-import, read and checked. */
#ifndef IMPORT_ARGUMENTS_H
#define IMPORT_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/common.h"
#include "import.h"

#define MOST_JOBS 256

struct args {
	struct cmd cmd;
	const char *store; /* -o */
	const char *dump;  /* --dump */
	struct tp_import_options import;
	const char **labels, **binaries;
	char **files;
	int nfiles;
	const char *keys; /* --folder-labels */
	bool at_once;	  /* -j, or folders, patterns or lists among the files */
	int jobs;	  /* -j; 0: processors */
	const char *report, *known;
	bool skip_others;
	bool slurm, wait;	   /* --slurm, --wait */
	const char *slurm_options; /* its value */
	int tasks;		   /* --tasks */
	const char *lists;	   /* --lists */
	bool sum_reports;	   /* --sum-reports */
	char **task_argv;	   /* ntask_argv of them: our options that tasks get, too */
	size_t ntask_argv;
};

/* The input of this parser is the struct args. */
extern const struct argp_option arguments_options[];
error_t arguments_parse(int key, char *arg, struct argp_state *state);
void arguments_release(struct args *args);

/* ---- dumps one after the other (one.c, dump.c), and import by Slurm (slurm.c) ---- */

/* Returns the name of a dump's own store: "go.tprof" for "go.trace.gz", "run-1.19.tprof" for
 * "run-1.19". The caller frees it. Returns NULL when memory is out. */
char *one_store(const char *dump);
/* Imports a dump and prints a line with the result. Returns an exit status. */
int one_import(struct args *args, const char *file);

/* Writes the listing of the dump's ordered events (order/listing.h) to stdout. With --strict, ends at
 * the first fault as Go's reader does, after the same events. Returns an exit status. */
int dump_events(struct args *args, const char *path);

/* Executes the script share/tprof/slurm.sh, which imports by jobs of Slurm, in place of this
 * program. Returns an exit status if that fails. */
int slurm_import(const struct args *args);

#endif
