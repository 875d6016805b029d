/* A progress bar on stderr if that is a terminal. It appears only if the work takes some time, and
 * is erased at the end. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cmd_progress {
	char what[256]; /* beginning of the file's name, escaped */
	bool on, shown;
	char stage[16];	  /* the current stage, which rate and time left refer to */
	int64_t stage_ns; /* when it began */
	int64_t next_ns;  /* do not draw before */
};

/* Prepares a bar; `what`, the file's name, may have any bytes and is copied. */
void cmd_progress_init(struct cmd_progress *p, const char *what);
/* Draws the bar if it is due. Returns nonzero once the user has pressed ^C (see cmd_interruptible).
 * For tp_import_options.progress, with ctx = struct cmd_progress. */
int cmd_progress_step(void *ctx, const char *stage, uint64_t done, uint64_t total);
/* The progress of many files, shown without their names. */
struct cmd_tally {
	uint64_t dumps, ndumps; /* done, of all */
	uint64_t bytes, nbytes;
	uint64_t failed;
};
void cmd_progress_tally(struct cmd_progress *p, const struct cmd_tally *t);
void cmd_progress_tally_line(char *line, int size, const struct cmd_tally *t, int64_t elapsed_ns,
			     int width);
/* Erases the bar. */
void cmd_progress_end(struct cmd_progress *p);
/* Erases the bar, if one is shown, for a message. It may be drawn again below the message. */
void cmd_progress_hide(void);

/* Writes the bar's line, cut to `width` cells. `elapsed_ns` is since the stage began, `what` is
 * escaped, `unit` is what is counted ("runs"), NULL for bytes. Public for tests. */
void cmd_progress_line(char *line, int size, const char *what, const char *unit, uint64_t done,
		       uint64_t total, int64_t elapsed_ns, int width);

/* From now on ^C and SIGTERM make cmd_progress_step() ask for an orderly stop, so that temporary
 * files are removed; a second one ends the process at once. Ignored signals stay ignored. */
void cmd_interruptible(void);
/* Returns whether such a signal has come. */
bool cmd_stopped(void);
/* Ends the process by the signal that asked for it, if one did. */
void cmd_interrupted(void);
/* From now on ^C, SIGTERM and SIGHUP end the process at once, unless they were ignored; for work
 * that does not check cmd_stopped(). */
void cmd_interrupt_ends(void);
/* Sets a function to call before a handled signal ends the process; it must be safe in a signal
 * handler. */
void cmd_interrupt_removes(void (*fn)(void));
/* Calls that function, for other signal handlers. */
void cmd_interrupt_remove(void);

#endif
