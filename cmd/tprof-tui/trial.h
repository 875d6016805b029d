/* A filter that names something of a run is tried by the worker: a view is opened on it at once,
 * and where the run has nothing that it names, all is as before again, with the sentence that the
 * commands have for it. */
#ifndef TUI_TRIAL_H
#define TUI_TRIAL_H

#include "tprof-tui/tui.h"

enum tui_trial_of { TUI_TRIAL_NONE, TUI_TRIAL_GOROUTINE, TUI_TRIAL_TASK, TUI_TRIAL_REGION };

/* Opens the current view again on t->select, whose text of this kind is new and was `before` (NULL:
 * there was none). Without memory nothing is tried. */
void tui_trial(struct tui *t, enum tui_trial_of of, const char *before);

#endif
