/* A store that changes while it is open. */
#ifndef TUI_RELOAD_H
#define TUI_RELOAD_H

#include "tprof-tui/tui.h"

/* Reads the list of runs again. If it has changed, the selections of all views refer to the new
 * list, the current view is resumed, and a message says what is new. Pointers into the old list
 * stay valid until tui_reload_release. */
void tui_reload(struct tui *t);
void tui_reload_release(struct tui *t);

#endif
