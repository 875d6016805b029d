/* The clipboard and the editor. */
#ifndef TUI_CLIP_H
#define TUI_CLIP_H

#include "tprof-tui/tui.h"

/* Copies what is under the cursor, or all of it, to the terminal's clipboard (OSC 52), and to
 * the file $XDG_STATE_HOME/tprof/yank, as not every terminal has a clipboard. */
void tui_clip(struct tui *t, struct tui_view *v, bool all);
/* Opens the source line of what is under the cursor in $EDITOR. */
void tui_edit(struct tui *t, struct tui_view *v);

#endif
