/* Text from dumps made fit to be shown: escaped, measured in terminal cells, shortened.
 *
 * Names, messages and file names of a dump may hold any byte. Nothing of them reaches a terminal
 * or a file before rep_escape() has made it valid UTF-8 without control characters:
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
	REP_SHORTEN_LEFT,  /* "…/checkout.trace": files and other names, whose end tells most */
	/* "…(*conn).serve", "slices.SortFunc[…]": functions, and stacks of them. Type arguments go
	 * first: they are longer than what they are arguments of, and mostly the same in all rows.
	 * What is between the brackets of other names may be all that tells them apart. */
	REP_SHORTEN_FUNCTION,
	REP_SHORTEN_MIDDLE, /* "main.…bda.func1" */
};

/* Appends text, escaped. Returns 0 or TP_ENOMEM. */
int rep_escape(struct tp_buf *out, const char *text, size_t size, enum rep_escape how);

/* Cells that text takes on a terminal; the text is valid UTF-8 without controls (escaped). */
size_t rep_text_width(const char *text, size_t size);

/* Appends escaped text, cut to at most `width` cells with an ellipsis ("…", or "..." when ascii)
 * in the place of what is gone. Returns 0 or TP_ENOMEM. */
int rep_shorten(struct tp_buf *out, const char *text, size_t size, size_t width,
		enum rep_shorten how, bool ascii);

#endif
