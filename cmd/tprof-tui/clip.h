/* Out of the program: to the clipboard, to an editor. */
#ifndef TUI_CLIP_H
#define TUI_CLIP_H

#include "tprof-tui/tui.h"

/* Copies what the cursor is on, or all of it, to the terminal's clipboard (OSC 52), and to the file
 * $XDG_STATE_HOME/tprof/yank, as not every terminal has one. */
void tui_clip(struct tui *t, struct tui_view *v, bool all);
/* Opens the source of what the cursor is on in $EDITOR. */
void tui_edit(struct tui *t, struct tui_view *v);

#endif
