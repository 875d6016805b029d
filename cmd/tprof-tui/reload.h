/* A store that grows while it is looked at. */
#ifndef TUI_RELOAD_H
#define TUI_RELOAD_H

#include "tprof-tui/tui.h"

/* Reads the list of runs again. Where it is another one than before, selections of all views are of
 * the new one then, the current view is resumed, and a message says what is new. Pointers into the
 * old list stay valid until tui_reload_release. */
void tui_reload(struct tui *t);
void tui_reload_release(struct tui *t);

#endif
