/* Escapes text from dumps, measures it in terminal cells, and shortens it.
 *
 * Names, messages and file names of a dump may contain any bytes. Before they are written to a
 * terminal or a file, rep_escape() must turn them into valid UTF-8 without control characters:
 *
 *   invalid UTF-8 byte                                  \xff
 *   C0 controls, DEL                                    \n \t \r \x1b
 *   C1 controls, bidirectional and invisible marks      \u202e
 */
#ifndef REP_TEXT_H
#define REP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum rep_escape {
	REP_ESCAPE_SHOWN, /* for people: all of the above; the backslash itself stays single */
	REP_ESCAPE_JSON,  /* inside a JSON string (no quotes added): " and \ too; controls as \u001b
			   */
	REP_ESCAPE_TSV,	  /* all of the above, and \ as \\ so that it can be undone */
	REP_ESCAPE_CSV,	  /* inside a CSV field: tab and newline stay, quotes are doubled */
	REP_ESCAPE_XML,	  /* in XML and HTML, between tags or inside quotes: all of the first, and
			     & < > " ' as entities */
};

enum rep_shorten {
	REP_SHORTEN_RIGHT, /* "a long messa…" */
	REP_SHORTEN_LEFT, /* "…/checkout.trace": files and other names, whose end is most telling */
	/* "…(*conn).serve", "slices.SortFunc[…]": functions, and stacks of them. Type arguments are
	 * cut first: they are long and mostly the same in all rows. Brackets of other names are
	 * kept, as their content may be the only difference. */
	REP_SHORTEN_FUNCTION,
	REP_SHORTEN_MIDDLE, /* "main.…bda.func1" */
	/* "…FD).Read << main.(*conn).query < ma…": as RIGHT, but of a text with a gap it keeps
	 * what follows that, and cuts in front of it; so does FUNCTION. */
	REP_SHORTEN_WHERE,
};

/* The gap between a function and what is shown of its callers (rep_stack_where). */
#define REP_WHERE_GAP " << "

/* Appends text, escaped. Returns 0 or TP_ENOMEM. */
int rep_escape(struct tp_buf *out, const char *text, size_t size, enum rep_escape how);

/* Returns the terminal cells of an escaped text. */
size_t rep_text_width(const char *text, size_t size);

/* Appends escaped text, cut to at most `width` cells with an ellipsis ("…", or "..." if `ascii`) in
 * place of the cut part. Returns 0 or TP_ENOMEM. */
int rep_shorten(struct tp_buf *out, const char *text, size_t size, size_t width,
		enum rep_shorten how, bool ascii);

#endif
