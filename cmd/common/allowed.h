/* The commands that tprof-web and tprof-mcp run for others: which they are, which options and words they
 * take, and their command lines. Whatever is not listed is refused: what writes or reads other files, starts
 * programs or pages.
 *
 * Words come from whoever asks. "@" stands for the store, "@N" for its run N: --run=N STORE. Two of these are
 * the sides of a comparison: --base-label=N --label=M STORE. */
#ifndef CMD_ALLOWED_H
#define CMD_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CMD_WORDS 64

struct cmd_words {
	const char *word[CMD_WORDS];
	size_t n;
};

struct cmd_allowed {
	const char *name; /* without "tprof-" */
	/* Allowed options, between blanks; "rows=" takes a value, "slowest[=]" may. */
	const char *options;
	const char *words; /* allowed words besides "@", between blanks; NULL: any */
	const char *first; /* words one of which comes before "@", between blanks, or NULL */
	size_t least_words, most_words; /* besides these and "@" */
	bool compares;			/* takes two sides */
};

/* Returns a command by its name, NULL if it may not be run. */
const struct cmd_allowed *cmd_allowed(const char *name);

/* Returns whether an option, "from=1s", is allowed. */
bool cmd_allowed_option(const struct cmd_allowed *c, const char *option);

/* Checks words. Returns 0, or TP_EFORMAT with a message that names the first wrong word. */
int cmd_allowed_check(const struct cmd_allowed *c, const struct cmd_words *words,
		      struct tp_err *err);

/* A command line, which borrows the words, the store and the source. */
struct cmd_line {
	const char *word[2 * CMD_WORDS + 3]; /* the program's name first; NULL after the last */
	char own[3][40];
};
/* Makes the command line of checked words. `source`: the option that says in which folders --list looks for source;
 * NULL: in the current one. */
void cmd_allowed_line(const struct cmd_allowed *c, const struct cmd_words *words, const char *store,
		      const char *source, struct cmd_line *line);

/* Returns the media type of what the command will write. */
const char *cmd_allowed_type(const struct cmd_allowed *c, const struct cmd_words *words);

#endif
