/* What was typed, kept from one time to the next: a file of lines in $XDG_STATE_HOME/tprof. */
#ifndef TUI_RECALL_H
#define TUI_RECALL_H

#include "tprof-tui/widget/line.h"

/* Puts what the file of this name holds into the line's history. */
void tui_recall_load(struct tui_line *line, const char *name);
/* Remembers the line, here and in the file, to which other sessions may have added. */
void tui_recall_keep(struct tui_line *line, const char *name);

#endif
