/* The last position in each store, saved between sessions: the view and its arguments, the selection, and
 * the line of the cursor. $XDG_STATE_HOME/tprof/views has a line for each store. */
#ifndef TUI_POSITION_H
#define TUI_POSITION_H

#include "tprof-tui/tui.h"

/* Parsed texts are never NULL. In a position to be written, NULL is the same as "". */
struct tui_position {
	union {
		struct {
			char *view, *arg; /* arg "": no arguments */
			char *filter[TUI_NTEXTS];
		};
		char *text[2 + TUI_NTEXTS];
	};
	union {
		struct {
			int64_t run, other; /* ids, TP_NULL: none */
			int64_t from_ns, to_ns;
			int64_t row; /* the cursor's row; -1: not saved */
		};
		int64_t number[5];
	};
};

void tui_position_release(struct tui_position *p);
/* Write and parse a line of the file without its path. Return false if memory is out or the line is not
 * valid; the position then needs no release. */
bool tui_position_put(const struct tui_position *p, struct tp_buf *line);
bool tui_position_parse(const char *line, struct tui_position *p);

/* Saves the current position in the store at `path`. */
void tui_position_save(struct tui *t, const char *path);
/* Opens the last position on top of the view runs. The file is untrusted input. Returns false if it has no
 * position for this store, or the position no longer fits the store. */
bool tui_position_restore(struct tui *t, const char *path);

#endif
