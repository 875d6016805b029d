/* A filter that names something of a run is tried by the worker: a view is opened on it at once,
 * and where the run has nothing that it names, all is as before again, with the sentence that the
 * commands have for it. */
#ifndef TUI_TRIAL_H
#define TUI_TRIAL_H

#include "tprof-tui/tui.h"

/* Opens the current view again on t->select, whose goroutine, task or region is new and was `before`
 * (NULL: there was none). Without memory nothing is tried. */
void tui_trial(struct tui *t, enum tui_text of, const char *before);

#endif
