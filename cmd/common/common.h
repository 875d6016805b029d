/* What every command shares: options, opening a store or a dump, picking runs, output, errors.
 *
 * A command embeds `struct cmd` in its arguments, names cmd_argp as an argp child (its input is the
 * struct cmd) and wires the rest:
 *
 *	struct args { struct cmd cmd; const char *path; … };
 *
 *	static error_t on_option(int key, char *arg, struct argp_state *state)
 *	{
 *		struct args *args = state->input;
 *
 *		switch (key) {
 *		case ARGP_KEY_INIT:
 *			state->child_inputs[0] = &args->cmd;
 *			return 0;
 *		…
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct args args = {.cmd = CMD_INIT("tprof-top")};
 *
 *		cmd_parse(&args.cmd, &argp, argc, argv, &args);
 *		return cmd_finish(&args.cmd, run(&args));
 *	}
 *
 *	static int run(struct args *args)
 *	{
 *		int status = cmd_open(&args->cmd, args->path);
 *
 *		if (status)
 *			return status; // already explained on stderr
 *		cmd_pager(&args->cmd);
 *		status = cmd_output(&args->cmd, false, &out);
 *		if (status)
 *			return status;
 *		… args->cmd.store, args->cmd.runs …
 *		if (rep_output_begin(out, "name", columns, ncolumns, &err) ||
 *		    rep_output_row(out, row, &err) || rep_output_end(out, &err) ||
 *		    rep_output_finish(out, &err)) // writes what is left
 *			status = cmd_fail(&args->cmd, args->path, &err);
 *		rep_output_free(out);
 *		return status;
 *	}
 *
 * Everything that is wrong has been said on stderr when a function returns nonzero; what it
 * returns is the exit status. */
#ifndef CMD_COMMON_H
#define CMD_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/units.h"
#include "common/scratch.h"
#include "output/output.h"
#include "run.h"
#include "store/store.h"

/* Exit statuses, documented in tprof(1). */
enum cmd_exit {
	CMD_OK = 0,
	CMD_FOUND = 1, /* a gate found what it was told to look for */
	CMD_USAGE = 2,
	CMD_INPUT = 3,	/* bad input */
	CMD_SYSTEM = 4, /* disk full, permission, out of memory */
};

enum cmd_when { CMD_AUTO, CMD_ALWAYS, CMD_NEVER };

struct cmd {
	const char *name; /* "tprof-top": what messages begin with */
	/* Formats beyond those of rep_formats that the command writes; NULL: none. */
	bool (*more_formats)(const char *name);
	const char *more_format_names; /* as a message lists them */

	/* options, set by cmd_argp */
	const char *run_spec; /* --run, NULL when not given */
	enum rep_format format;
	bool format_given;	 /* by --format */
	const char *more_format; /* one of more_formats was given: its name; else NULL */
	enum cmd_when color_when;
	bool no_pager;
	const char *own_format; /* one more name that --format takes, set before cmd_parse … */
	bool own_chosen;	/* … and that it was given */
	/* Arguments are taken in order, and the parser may have all that follow the first one
	 * (state->next = state->argc), as for a command that runs others. Set before cmd_parse. */
	bool in_order;
	bool no_run_is_fine; /* cmd_open takes a store without runs; set before it */
	bool adds_up;	     /* the profiles that are picked are added up: an engine can do that */
	bool profiles_only;  /* of traces that are picked nothing is needed */
	bool names_code;     /* it has --binary */
	bool pages;	     /* notes wait for cmd_pager, which is called before the output */
	bool
	    lets_connect; /* what it starts (an editor) may need connections; set before cmd_open */
	/* The files of the command line, of both sides where it has two: dumps that are called
	 * alike are told apart by their folders (apart.h). Set before they are opened. */
	struct cmd_files {
		const char *const *path;
		size_t n;
	} files[2];
	/* What --help says where all options (--help=all) would not fit a screen: at most 24 lines
	 * of 79 columns. NULL: all options. Set before cmd_parse. */
	const char *help;

	/* the terminal, set by cmd_parse */
	bool tty;   /* stdout is a terminal (stays true when a pager is put in between) */
	bool color; /* write colours */
	int width;  /* columns a table may use; 0: any number (not a terminal, no $COLUMNS) */

	/* set by cmd_open */
	struct tp_store *store;
	struct rep_runs all;  /* every run of the store */
	struct rep_runs runs; /* those --run picks, at least one; entries are shared with `all` */

	/* private */
	struct cmd_scratch scratch; /* a store for which there is no cache */
	pid_t pager;
	int output, terminal; /* stdout and stderr as they were before the pager, or -1 */
};

#define CMD_INIT(command_name)                                                                     \
	{                                                                                          \
		.name = (command_name)                                                             \
	}
/* Of a command with more options than fit a screen. */
#define CMD_INIT_HELP(command_name, help_text)                                                     \
	{                                                                                          \
		.name = (command_name), .help = (help_text)                                        \
	}

/* The shared options as an argp child, heading and all: {&cmd_argp, 0, NULL, 0}. */
extern const struct argp cmd_argp;
/* Those of them that make sense where a command has the whole screen. */
extern const struct argp cmd_screen_argp;

/* argp_parse with our conventions (exit status 2, --version, SIGPIPE ignored), then the terminal
 * fields of cmd. Does not return when the arguments are wrong, or for --help. */
void cmd_parse(struct cmd *cmd, const struct argp *argp, int argc, char **argv, void *input);

/* For commands that take and give back large arrays again and again: their pages are kept, which
 * saves the system up to a third of its part and costs some memory. Before anything else. */
void cmd_keep_memory(void);

/* Opens a store, or a dump by way of the cache ("-": a dump on standard input), and picks the runs
 * that --run names (default: the latest; a note says so when there are others). Prints one line
 * for each picked run that lost something. 0 or an exit status. */
int cmd_open(struct cmd *cmd, const char *path);
/* Its second half, without a word on what is picked: loads the runs of the store that is open. */
int cmd_pick(struct cmd *cmd, const char *path);
/* The first half, without picking runs (tprof-query): cmd->runs stays empty. */
int cmd_open_store(struct cmd *cmd, const char *path, bool writable);

/* 1: an SQLite file, 0: something else, or an error code; on standard input, one is an error. */
int cmd_is_store(const char *path, struct tp_err *err);

/* Puts a pager behind stdout when it is a terminal, and behind stderr, too, if that is one; what
 * waited for it to be told (cmd->pages) is shown in it. Call before the first output. */
void cmd_pager(struct cmd *cmd);
/* Waits until it is left; cmd_finish does it. */
void cmd_pager_end(struct cmd *cmd);
/* Has cmd_pager yet to put one there? */
bool cmd_pager_may_come(const struct cmd *cmd);

/* The output that --format, the terminal's width and colours ask for, to stdout. `several`: more
 * than one table will come. 0, or an exit status. The caller frees it with rep_output_free before
 * cmd_finish. */
int cmd_output(struct cmd *cmd, bool several, struct rep_output **out);

/* Standard output is this file now, says whoever made it so; messages call it by that name. */
void cmd_stdout_is(const char *path);

/* Writes to stdout: 0, or TP_EIO, about which cmd_fail keeps quiet when the reader has gone. */
int cmd_write(const void *data, size_t size, struct tp_err *err);

/* Flushes stdout; returns `status`, or CMD_SYSTEM with a message when output could not be written.
 */
int cmd_written(const struct cmd *cmd, int status);

/* Flushes stdout, waits for the pager, closes the store; returns the exit status: `status`, or
 * CMD_SYSTEM with a message when output could not be written (a closed pipe is no error). */
int cmd_finish(struct cmd *cmd, int status);
/* The store, the runs and what was temporary; cmd_finish does it too. */
void cmd_close(struct cmd *cmd);

/* ---- messages on stderr; all texts are made printable ---- */

/* "tprof-top: go.trace: …" and what to do next; returns the exit status that belongs to err. path
 * may be NULL. */
int cmd_fail(const struct cmd *cmd, const char *path, const struct tp_err *err);
/* What that would say, without the command's name, is added to `line`: 0 or TP_ENOMEM. */
struct tp_buf;
int cmd_fail_line(const struct cmd *cmd, struct tp_buf *line, const char *path,
		  const struct tp_err *err);
/* A line on stdout for people, made printable; the format ends with a newline. */
void cmd_print(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cmd_error(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reports that memory has run out. Returns CMD_SYSTEM. */
int cmd_nomem(const struct cmd *cmd);
void cmd_note(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Notes that wait for a pager are told now. Errors and cmd_finish do it, too; what is said while
 * there is a pager waits for its end. */
void cmd_notes_release(FILE *to);
/* They are written to the pager, as the first that it reads, and kept: cmd_notes_passed says them
 * on stderr unless they were `taken` and could be written at all. */
void cmd_notes_pass(void);
void cmd_notes_passed(bool taken);
/* Whether the last of them is in what can be read from fd (which does not wait), the pager's pipe.
 */
bool cmd_notes_are_in(int fd);
/* Flushes stdout: 0, or the errno of the first time, ever, that it could not be written. */
int cmd_flush(void);
/* What tells more about losses: "tprof-query go.trace 'SELECT offset, reason FROM loss'" into text,
 * which is returned. `path`: the dump, or its store. */
#define CMD_LOSS_QUERY_SIZE 400
char *cmd_loss_query(char text[CMD_LOSS_QUERY_SIZE], const char *path, const char *columns);
/* The line about what a run of that file lost; nothing when it lost nothing. */
void cmd_note_losses(const struct cmd *cmd, const char *path, const struct rep_run *run);

/* "1.2MiB, about 5,120 events" into text, which is returned; where there is `more` than could be
 * counted, "at least …", and that the rest is not known where there are only bytes: what follows
 * the place of damage may have been most of the file. */
#define CMD_LOST_SIZE 80
char *cmd_lost(char text[CMD_LOST_SIZE], int64_t bytes, int64_t n_of, const char *what, bool more);

#endif
