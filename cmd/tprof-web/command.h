/* The commands that the page may run: which they are, which options and words they take, and their
 * command lines. Whatever is not listed is refused: what writes or reads other files, starts programs or
 * pages.
 *
 * Words come from the page. "@" stands for the store, "@N" for its run N: --run=N STORE. Two of these are
 * the sides of a comparison: --base-label=N --label=M STORE. */
#ifndef WEB_COMMAND_H
#define WEB_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define WEB_WORDS 64

struct web_words {
	const char *word[WEB_WORDS];
	size_t n;
};

struct web_command {
	const char *name; /* without "tprof-" */
	/* Allowed options, between blanks; "rows=" takes a value, "slowest[=]" may. */
	const char *options;
	const char *words; /* allowed words besides "@", between blanks; NULL: any */
	const char *first; /* words one of which comes before "@", between blanks, or NULL */
	size_t least_words, most_words; /* besides these and "@" */
	bool compares;			/* takes two sides */
};

/* Returns a command by its name, NULL if the page may not run it. */
const struct web_command *web_command(const char *name);

/* Checks words. Returns 0, or TP_EFORMAT with a message that names the first wrong word. */
int web_command_check(const struct web_command *c, const struct web_words *words,
		      struct tp_err *err);

/* A command line, which borrows the words, the store and the source. */
struct web_line {
	const char *word[2 * WEB_WORDS + 2]; /* the program's name first; NULL after the last */
	char own[3][40];
};
/* Makes the command line of checked words. `source`: the option that says where --list looks for source, or
 * NULL. */
void web_command_line(const struct web_command *c, const struct web_words *words, const char *store,
		      const char *source, struct web_line *line);

/* Returns the media type of what the command will write. */
const char *web_command_type(const struct web_command *c, const struct web_words *words);

#endif
