/* Where one was in a store, kept from one time to the next: view, what it was opened with, what was
 * selected, and the line of the cursor. In $XDG_STATE_HOME/tprof/views, a line per store. */
#ifndef TUI_REMEMBER_H
#define TUI_REMEMBER_H

#include "tprof-tui/tui.h"

struct tui_place {
	char *view, *arg;   /* arg "": none */
	int64_t run, other; /* ids, TP_NULL: none */
	int64_t from_ns, to_ns;
	char *text[TUI_NTEXTS]; /* of the selection; "": all */
	int64_t row;		/* of the cursor, -1: not told */
};

void tui_place_release(struct tui_place *p);
/* A line of the file without its path, and back. False: no memory, or (of parse) it is none of
 * ours; nothing is to be released then. */
bool tui_place_put(const struct tui_place *p, struct tp_buf *line);
bool tui_place_parse(const char *line, struct tui_place *p);

/* Keeps the current view of the store at `path`. */
void tui_remember(struct tui *t, const char *path);
/* Opens what was there last time, behind the view runs. What the file says is tried, not trusted:
 * false where there is nothing, or nothing that makes sense any more. */
bool tui_recall_place(struct tui *t, const char *path);

#endif
