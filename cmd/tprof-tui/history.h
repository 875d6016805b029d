/* The history of an input line, saved between sessions as a file of lines in
 * $XDG_STATE_HOME/tprof. */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include "tprof-tui/widget/line.h"

/* Reads the file of this name into the line's history. */
void tui_history_load(struct tui_line *line, const char *name);
/* Adds the line to its history and to the file, to which other sessions may have added. */
void tui_history_add(struct tui_line *line, const char *name);

#endif
