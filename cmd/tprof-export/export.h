/* The arguments of tprof-export, and the forms it writes.
 *
 * A form is a line of export_forms[] (forms.c) and a file that writes it. Its line says what it
 * needs; what all have in common (which arguments go with it, terminals, the file that -o names,
 * help and messages) follows from that. Analysis lives in libreport. */
#ifndef TPROF_EXPORT_H
#define TPROF_EXPORT_H

#include "common/file.h"
#include "common/files.h"
#include "common/sides.h"
#include "common/view_options.h"
#include "export/anonymise.h"
#include "profile/options.h"

enum export_need {
	EXPORT_BINARY = 1 << 0,	   /* writes what is not for terminals */
	EXPORT_SEVERAL = 1 << 1,   /* adds up several files */
	EXPORT_SAMPLES = 1 << 2,   /* profiles: takes --view, and what picks samples and frames */
	EXPORT_RANGE = 1 << 4,	   /* --from, --to and --goroutine pick a part without a --view */
	EXPORT_BASE = 1 << 5,	   /* takes others off (--base) */
	EXPORT_TABLES = 1 << 6,	   /* --table picks tables */
	EXPORT_RUNS = 1 << 7,	   /* shows several files and runs side by side */
	EXPORT_NAMES_OFF = 1 << 8, /* --anonymise */
};

struct export_args;

struct export_form {
	const char *name, *doc;
	unsigned needs; /* of enum export_need */
	/* Writes to stdout, after export_begin; the exit status. */
	int (*write)(struct export_args *args);
};

/* Ends with a NULL name. */
extern const struct export_form export_forms[];

/* "events, proto and raw" into text, which is returned: the names of all forms, or of those that
 * have all of `needs`. */
#define EXPORT_NAMES 160
char *export_form_names(char text[EXPORT_NAMES], unsigned needs);

struct export_args {
	struct cmd cmd;
	const struct export_form *form;
	struct rep_profile_options profile;
	struct cmd_base base; /* how old files are subtracted */
	struct cmd_view_options view;
	bool wakers; /* --wakers */
	bool anonymise;
	struct rep_anonymise made_up; /* names; the key is made before the form is written */
	const char *key_file;	      /* NULL: a random key, which is not kept */
	const char **tables;	      /* ntables of them */
	size_t ntables;
	const char **servers; /* --clickhouse; nservers of them */
	size_t nservers;
	const char *cluster;
	bool spans;
};

/* Opens the only path and has it that --run picks one run, which is a trace: its place is then
 * args->cmd.runs.run[0]. 0 or an exit status. */
int export_open_trace(struct export_args *args);

/* Where the run has ticks, that a form which has ns has them as such. */
void export_note_ticks(const struct export_args *args, const struct rep_run *run);

/* Before the first output, when what is to be written is known to be there: standard output becomes
 * the file. 0 or an exit status. */
int export_begin(struct export_args *args);

int export_events(struct export_args *args);
int export_parsed(struct export_args *args);
int export_raw(struct export_args *args);
int export_footprint(struct export_args *args);
int export_csv(struct export_args *args);
int export_folded(struct export_args *args);
int export_speedscope(struct export_args *args);
int export_pprof(struct export_args *args);
int export_cut(struct export_args *args);
/* No form: rows into an engine. */
int export_clickhouse(struct export_args *args);
int export_perfetto(struct export_args *args);

#endif
