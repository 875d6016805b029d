/* The last position in each store, saved between sessions: the view and its arguments, the
 * selection, and the line of the cursor. A line per store in $XDG_STATE_HOME/tprof/views. */
#ifndef TUI_POSITION_H
#define TUI_POSITION_H

#include "tprof-tui/tui.h"

/* Texts are never NULL when read; when written, NULL is as "". */
struct tui_position {
	union {
		struct {
			char *view, *arg; /* arg "": none */
			char *filter[TUI_NTEXTS];
		};
		char *text[2 + TUI_NTEXTS];
	};
	union {
		struct {
			int64_t run, other; /* ids, TP_NULL: none */
			int64_t from_ns, to_ns;
			int64_t row; /* of the cursor, -1: not saved */
		};
		int64_t number[5];
	};
};

void tui_position_release(struct tui_position *p);
/* Write and parse a line of the file without its path. Return false if memory is out or the line is
 * not valid; nothing is to be released then. */
bool tui_position_put(const struct tui_position *p, struct tp_buf *line);
bool tui_position_parse(const char *line, struct tui_position *p);

/* Saves the current position in the store at `path`. */
void tui_position_save(struct tui *t, const char *path);
/* Opens the last position after the view runs. The file is untrusted input. Returns false if
 * there is no position, or none that still makes sense. */
bool tui_position_restore(struct tui *t, const char *path);

#endif
