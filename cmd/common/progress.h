/* A progress bar on stderr, where that is a terminal; silent otherwise. It appears only when the
 * work takes long enough to be waited for, and leaves nothing behind. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cmd_progress {
	char what[256]; /* the file's name, escaped; its beginning */
	bool on, shown;
	char stage[16];	  /* rate and time left count from its beginning */
	int64_t stage_ns; /* when it began */
	int64_t next_ns;  /* do not draw before */
};

/* what: of any bytes; it is copied. */
void cmd_progress_init(struct cmd_progress *p, const char *what);
/* Fits tp_import_options.progress with ctx = struct cmd_progress: draws, and returns nonzero once
 * the user has pressed ^C (see cmd_interruptible). */
int cmd_progress_step(void *ctx, const char *stage, uint64_t done, uint64_t total);
/* The same for many files at once; nothing is shown of what they are called. */
struct cmd_tally {
	uint64_t dumps, ndumps; /* done, of all */
	uint64_t bytes, nbytes;
	uint64_t failed;
};
void cmd_progress_tally(struct cmd_progress *p, const struct cmd_tally *t);
void cmd_progress_tally_line(char *line, int size, const struct cmd_tally *t, int64_t elapsed_ns,
			     int width);
/* Takes the bar off the screen. */
void cmd_progress_end(struct cmd_progress *p);

/* The line that is drawn, cut to `width` cells; elapsed since the stage began. what: escaped; unit:
 * what is counted ("runs"), NULL for bytes. Apart for tests. */
void cmd_progress_line(char *line, int size, const char *what, const char *unit, uint64_t done,
		       uint64_t total, int64_t elapsed_ns, int width);

/* From here on ^C and SIGTERM make cmd_progress_step ask for an orderly stop, so that temporary
 * files are removed; a second one ends the process at once. Ignored ones stay ignored. */
void cmd_interruptible(void);
/* Has one come? */
bool cmd_stopped(void);
/* Ends the process by the signal that asked for it, if one did. */
void cmd_interrupted(void);
/* Where nobody looks for being stopped any more: from here on ^C, SIGTERM and SIGHUP end the
 * process at once (but not where they were ignored). */
void cmd_interrupt_ends(void);
/* What is done before a signal that was taken ends the process; safe in a handler of signals. */
void cmd_interrupt_removes(void (*fn)(void));
/* Does it, for handlers of others. */
void cmd_interrupt_remove(void);

#endif
