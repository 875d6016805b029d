/* The frame of every command: options, files, opening a store or a dump, picking runs, output,
 * errors.
 *
 * A command begins its arguments with a `struct cmd`, names cmd_argp as an argp child, and says in
 * its table which member an option sets. Its parser has cases for the other options only:
 *
 *	struct args {
 *		struct cmd cmd;
 *		const char *title;
 *		…
 *	};
 *
 *	static const struct argp_option options[] = {
 *		{"title", CMD_SETS(struct args, title), "TEXT", 0, "Use TEXT as the heading", 0},
 *		…
 *	};
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct args args = {.cmd = {.name = "tprof-top", .kinds = CMD_ANY_KIND}};
 *
 *		cmd_parse(&args.cmd, &argp, argc, argv);
 *		return cmd_finish(&args.cmd, run(&args));
 *	}
 *
 *	static int run(struct args *args)
 *	{
 *		const char *path = cmd_path(&args->cmd);
 *		int status = cmd_open(&args->cmd, path), code;
 *
 *		if (status)
 *			return status;
 *		cmd_pager(&args->cmd);
 *		status = cmd_output(&args->cmd, false, &out);
 *		if (status)
 *			return status;
 *		… args->cmd.store, args->cmd.runs …
 *		code = rep_output_begin(out, "name", columns, ncolumns, &err);
 *		if (!code)
 *			code = rep_output_row(out, row, &err);
 *		if (!code)
 *			code = rep_output_end(out, &err);
 *		return cmd_output_end(&args->cmd, out, path, code, &err);
 *	}
 *
 * Functions that return a status return 0 or an exit status; in the second case they have reported
 * the error on stderr. */
#ifndef CMD_COMMON_H
#define CMD_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/units.h"
#include "common/draft.h"
#include "common/scratch.h"
#include "output/output.h"
#include "run.h"
#include "store/store.h"

/* Exit statuses, documented in tprof(1). */
enum cmd_exit {
	CMD_OK = 0,
	CMD_FOUND = 1, /* a check found a match, such as a change or a leak */
	CMD_USAGE = 2,
	CMD_INPUT = 3,	/* bad input */
	CMD_SYSTEM = 4, /* disk full, permission, out of memory */
};

/* The sides of a command that compares. */
enum cmd_side { CMD_OLD, CMD_NEW };

enum cmd_when { CMD_AUTO, CMD_ALWAYS, CMD_NEVER };

struct cmd_base;
struct cmd_view_options;
struct rep_profile_options;

struct cmd {
	const char *name; /* "tprof-top": the prefix of messages */
	/* The kinds of files that the command reads, for messages. If it is set, arguments are files
	 * of the new side, and at least one is required. NULL: the command's own parser takes
	 * arguments. */
	const char *kinds;
	/* Filled in by cmd_view_argp, cmd_profile_argp and cmd_base_argp. Commands with these children
	 * set them before cmd_parse; else they are NULL. Commands with cmd_profile_argp also take
	 * options as pprof spells them, and addresses of engines in place of files. */
	struct cmd_view_options *view;
	struct rep_profile_options *profile;
	struct cmd_base *base;
	/* Called for each option of view and profile that leaves something out; may be NULL. */
	void (*narrows)(struct cmd *cmd, struct argp_state *state, const char *option,
			const char *value);
	void (*more_help)(void); /* prints the end of --help=all; may be NULL */
	/* Recognises formats that the command writes besides those of rep_formats; may be NULL. */
	bool (*more_formats)(const char *name);
	const char *more_format_names; /* as a message lists them */

	/* options */
	const char *run_spec; /* --run, NULL when not given */
	const char *output;   /* -o FILE, of a command with this option; NULL: standard output */
	int64_t rows;	      /* -n; -1: not given */
	enum rep_format format;
	bool format_given;	 /* by --format */
	int64_t budget;		 /* --budget: bytes of the output; 0: not given */
	bool json_head;		 /* JSON is one object, with what head.h puts before the tables */
	const char *more_format; /* the name of the format given if it is one of these, else NULL */
	enum cmd_when color_when;
	bool no_pager;
	/* Parse arguments in order; the parser may take all that follow the first one
	 * (state->next = state->argc), as a command that runs others does. Set before cmd_parse. */
	bool in_order;
	bool no_run_is_fine; /* cmd_open accepts a store without runs; set before it */
	bool adds_up;	     /* the picked profiles are added up, which an engine can do */
	bool profiles_only;  /* nothing of picked traces is needed */
	bool names_code;     /* the command has --binary */
	bool pages;	     /* notes wait for cmd_pager, which is called before the output */
	bool lets_connect;   /* a program it starts (an editor) may need connections; set before
			      * cmd_open */
	/* The files of the command line, by enum cmd_side (files.h). A command that compares
	 * nothing has new ones only. */
	struct cmd_files {
		const char **path; /* n of them */
		size_t n, room;
	} files[2];
	const char *side_run[2]; /* picks the runs of a side, in place of run_spec; or NULL */
	/* The text of --help if all options (--help=all) do not fit a screen: at most 24 lines of
	 * 79 columns. NULL: all options. Set before cmd_parse. */
	const char *help;

	/* the terminal, set by cmd_parse */
	bool tty;   /* stdout is a terminal (stays true after a pager has been started) */
	bool color; /* write colours */
	int width;  /* columns a table may use; 0: any number (not a terminal, no $COLUMNS) */

	/* set by cmd_open */
	struct tp_store *store;
	struct rep_runs all;  /* every run of the store */
	struct rep_runs runs; /* those that --run picks, at least one; entries belong to `all` */

	/* private */
	const struct argp *argp;
	char **words; /* the command line, nwords of them */
	int nwords;
	/* Takes a file of the command line, or NULL once it has been parsed; NULL: they are no files. */
	error_t (*on_file)(struct cmd *cmd, char *arg, struct argp_state *state);
	struct cmd_draft draft;	    /* of the file that `output` names (file.h) */
	bool run_told;		    /* a note has said that --run picks nothing of dumps */
	struct cmd_scratch scratch; /* holds the store of a dump if there is no cache */
	pid_t pager;
	int old_stdout, old_stderr; /* the descriptors from before the pager, or -1 */
};

#define CMD_INIT(command_name)                                                                     \
	{                                                                                          \
		.name = (command_name)                                                             \
	}

#define CMD_ANY_KIND "a trace, a profile or a store"

/* The shared options with their heading, as an argp child: {&cmd_argp, 0, NULL, 0}. The input of
 * every child is the struct cmd. */
extern const struct argp cmd_argp;
/* The same for commands that write no tables, for tprof-report, for commands that only pick runs, and for
 * those that use the whole screen. */
extern const struct argp cmd_picture_argp, cmd_page_argp, cmd_run_argp, cmd_screen_argp;

/* The key of an option that sets a member of the arguments, a struct that begins with a struct cmd:
 * a bool becomes true, a text is taken as it is. The member is within the first 64 KiB. */
#define CMD_SETS(type, member)                                                                     \
	(_Generic(((type *)0)->member, bool: CMD_FLAG, const char *: CMD_TEXT) |                   \
	 (int)offsetof(type, member))
/* The same for an int64_t: a count of at most UINT32_MAX, and a time in ns (number.h). */
#define CMD_SETS_COUNT(type, member)                                                               \
	(_Generic(((type *)0)->member, int64_t : CMD_COUNT) | (int)offsetof(type, member))
#define CMD_SETS_TIME(type, member)                                                                \
	(_Generic(((type *)0)->member, int64_t : CMD_TIME) | (int)offsetof(type, member))
enum { CMD_FLAG = 1 << 16, CMD_TEXT = 2 << 16, CMD_COUNT = 3 << 16, CMD_TIME = 4 << 16 };
/* The key of an option without effect, since the command always does this. */
#define CMD_SETS_NOTHING (5 << 16)
/* The parser of an argp child all of whose options set members. Returns ARGP_ERR_UNKNOWN for other
 * keys. */
error_t cmd_set_option(int key, char *arg, struct argp_state *state);

/* Parses arguments by argp_parse with our conventions (exit status 2, --version, SIGPIPE ignored),
 * and sets the terminal fields of cmd. The struct that cmd begins is the input of argp's parser. Keys
 * for which that returns ARGP_ERR_UNKNOWN are handled here: CMD_SETS, -o FILE, -n ROWS, and files as
 * `kinds` says. Does not return after wrong arguments or --help. */
void cmd_parse(struct cmd *cmd, const struct argp *argp, int argc, char **argv);

/* The two parts of cmd_parse for a command that reads no dumps, so that it links nothing that does; it ends
 * with cmd_written, and its terminal fields stay unset. */
void cmd_begin(const struct cmd *cmd);
void cmd_parse_options(struct cmd *cmd, const struct argp *argp, int argc, char **argv);

/* Keeps the pages of freed arrays, for commands that allocate large arrays again and again: saves
 * up to a third of the system's time and costs some memory. Call it first. */
void cmd_keep_memory(void);

/* Returns how many processors this process may run on, at most `most`. */
size_t cmd_processors(size_t most);
/* Calls work for each of n items of `size` bytes, each in its own thread; in the calling thread if no thread
 * can be started. */
#define CMD_THREADS 8
void cmd_in_threads(void *(*work)(void *item), void *items, size_t size, size_t n);

/* Opens a store, or a dump through the cache ("-": a dump on standard input), and picks the runs
 * that --run names (default: the latest; a note says so if there are others). Prints a note for
 * each picked run that lost something. Returns a status. */
int cmd_open(struct cmd *cmd, const char *path);
/* Refuses several runs: pick one. Returns 0 or CMD_USAGE. */
int cmd_need_one_run(const struct cmd *cmd);
/* Does what cmd_open does for a command that needs one trace. `instead` follows "is a profile, ".
 * Returns a status. */
int cmd_open_trace(struct cmd *cmd, const char *path, const char *instead);
/* The first half of cmd_open: opens a store and picks no runs. */
int cmd_open_store(struct cmd *cmd, const char *path, bool writable);
/* The second half of cmd_open, without notes: loads and picks runs of the open store. */
int cmd_pick(struct cmd *cmd, const char *path);

/* Returns 1 for an SQLite file, 0 for anything else, or an error code; a store on standard input is
 * an error. */
int cmd_is_store(const char *path, struct tp_err *err);

/* Starts a pager on stdout if that is a terminal, and on stderr if that is one as well; it shows
 * the notes that waited for it (cmd->pages) first. Call before the first output. */
void cmd_pager(struct cmd *cmd);
/* Waits until the user leaves the pager; cmd_finish does it. */
void cmd_pager_end(struct cmd *cmd);
/* Returns whether a later call of cmd_pager will start a pager. */
bool cmd_pager_may_come(const struct cmd *cmd);

/* Opens the output that --format, the terminal's width and colours ask for, on stdout. `several`:
 * more than one table will come. Returns 0 or an exit status. cmd_output_end frees it. */
int cmd_output(struct cmd *cmd, bool several, struct rep_output **out);
/* Writes the rest unless `code` says that writing has failed, and frees the output. Returns an
 * exit status; an error, which *err describes if code is set, is reported as one about `path` (may
 * be NULL). `out` may be NULL. */
int cmd_output_end(struct cmd *cmd, struct rep_output *out, const char *path, int code,
		   struct tp_err *err);
/* Returns how many rows to show, 0 for all: `given`, or if that is negative 20 in a table. */
int64_t cmd_rows(const struct cmd *cmd, int64_t given);

/* Sets the name that messages use for standard output, which has become this file. */
void cmd_stdout_is(const char *path);

/* Returns the sink of stdout, which keeps what it is given until cmd_finish if there is a --budget. */
struct rep_sink cmd_sink(void);
/* Has cmd_write use another sink. Returns the one before. */
struct rep_sink cmd_sink_is(struct rep_sink now);
/* Refuses --budget for a format that is of use only as a whole. Returns 0 or CMD_USAGE. */
int cmd_refuse_budget(const struct cmd *cmd, const char *format);
/* Writes to stdout. Returns 0 or TP_EIO, which cmd_fail does not report if the reader has closed the pipe. */
int cmd_write(const void *data, size_t size, struct tp_err *err);
/* Does the same as the function of a struct rep_sink or tp_out. */
int cmd_write_out(void *ctx, const void *data, size_t size, struct tp_err *err);
/* Writes a buffer to stdout and empties it if it holds at least `least` bytes, so that lines are written in
 * blocks. Returns 0 or TP_EIO. */
#define CMD_BLOCK ((size_t)256 << 10)
struct tp_buf;
int cmd_write_buf(struct tp_buf *b, size_t least, struct tp_err *err);

/* Has all that is written from now on fit into cmd->budget. Returns 0 or CMD_SYSTEM. */
int cmd_budget_begin(const struct cmd *cmd);
/* Writes of that what fits; does nothing without a budget. Returns `status`, or why it cannot be done. */
int cmd_budget_end(const struct cmd *cmd, int status);
/* Flushes stdout. Returns `status`, or CMD_SYSTEM with a message if output could not be written. */
int cmd_written(const struct cmd *cmd, int status);

/* Flushes stdout, waits for the pager, closes the store, frees the lists of files, and gives the file
 * that cmd_file_begin began its name, or removes it after an error. Returns the exit status: `status`,
 * or CMD_SYSTEM with a message if output could not be written (a closed pipe is no error). */
int cmd_finish(struct cmd *cmd, int status);
/* Closes the store and releases runs and temporary files; cmd_finish does it too. */
void cmd_close(struct cmd *cmd);

/* ---- messages on stderr; all texts are made printable ---- */

/* Reports an error, "tprof-top: go.trace: …", and what to do next. Returns the exit status that
 * belongs to err. path may be NULL. */
int cmd_fail(const struct cmd *cmd, const char *path, const struct tp_err *err);
/* Does the same for an error of a request that may not suit the file. TP_EFORMAT and TP_ENOENT then do not
 * mean that the file is bad, so no advice follows, and the exit status is `status`. */
int cmd_refuse(const struct cmd *cmd, const char *path, const struct tp_err *err, int status);
/* Adds the text of cmd_fail, without the command's name, to `line`. Returns 0 or TP_ENOMEM. */
int cmd_fail_line(const struct cmd *cmd, struct tp_buf *line, const char *path,
		  const struct tp_err *err);
/* Prints a line for people on stdout, made printable; the format ends with a newline. */
void cmd_print(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cmd_error(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Does the same and returns `status`, so that `return cmd_reject(…)` reads well. */
int cmd_reject(const struct cmd *cmd, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that memory has run out. Returns CMD_SYSTEM. */
int cmd_nomem(const struct cmd *cmd);
void cmd_note(const struct cmd *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Returns the texts of all notes so far of a command with --json-head, as elements of a JSON array. */
const struct tp_buf *cmd_notes_kept(void);
/* Prints the notes that wait for a pager now. Errors and cmd_finish do it as well. Notes made while a pager
 * runs wait for its end. */
void cmd_notes_release(FILE *to);
/* Writes the waiting notes to the pager before any output, and keeps a copy. */
void cmd_notes_pass(void);
/* Called after the pager has ended: prints these notes on stderr unless the pager has `taken` them. */
void cmd_notes_passed(bool taken);
/* Returns whether the pager left the last of these notes unread in fd, its pipe. Reading from fd must not
 * block. */
bool cmd_notes_are_in(int fd);
/* Flushes stdout. Returns 0 or the errno of the first write that ever failed. */
int cmd_flush(void);
/* Writes the command that shows losses to text and returns it: "tprof-query go.trace 'SELECT
 * offset, reason FROM loss'". `path`: the dump or its store. */
#define CMD_LOSS_QUERY_SIZE 400
char *cmd_loss_query(char text[CMD_LOSS_QUERY_SIZE], const char *path, const char *columns);
/* Prints a note about the losses of a run of that file, if it has any. */
void cmd_note_losses(const struct cmd *cmd, const char *path, const struct rep_run *run);

/* Appends a word for a shell, quoted if necessary. Returns 0 or TP_ENOMEM. */
int cmd_quote(struct tp_buf *b, const char *word);

/* Writes "5,120 events" or "1 event" to text and returns it. `what` has at most 19 letters. */
#define CMD_PLURAL_SIZE 50
char *cmd_plural(char text[CMD_PLURAL_SIZE], int64_t n, const char *what);

/* Writes "1.2MiB, about 5,120 events" to text and returns it. If there is `more` than could be
 * counted, the text says "at least …"; if there are only bytes it says that the rest is not known,
 * as most of the file may have followed the damage. */
#define CMD_LOST_SIZE 80
char *cmd_lost(char text[CMD_LOST_SIZE], int64_t bytes, int64_t n_of, const char *what, bool more);

#endif
