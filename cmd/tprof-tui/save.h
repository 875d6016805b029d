/* A view's contents, into a file. */
#ifndef TUI_SAVE_H
#define TUI_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "tprof-tui/tui.h"

/* Writes what a view saves: 0, or a TP_E… code with err. */
typedef int tui_save_write(void *ctx, FILE *file, struct tp_err *err);

/* Into a file that is not there yet, as a slip of the finger must cost nothing; whole, or not at
 * all. False with a message. */
bool tui_save(struct tui *t, const char *path, tui_save_write *write, void *ctx);

#endif
