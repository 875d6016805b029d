/* Checks filters that name a goroutine, a task or a region. The view is opened with the filter at
 * once; if the worker finds that the run has nothing of that name, the view is closed again and the
 * message of the commands is shown. */
#ifndef TUI_CHECK_H
#define TUI_CHECK_H

#include "tprof-tui/tui.h"

/* Opens the current view again on t->select, whose filter `of` is new and was `before` (NULL: not
 * set). If memory is out, nothing is checked. */
void tui_check_filter(struct tui *t, enum tui_text of, const char *before);

#endif
