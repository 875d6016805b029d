/* What is kept from one time to the next, in $XDG_STATE_HOME/tprof (or ~/.local/state/tprof). */
#ifndef TUI_STATE_H
#define TUI_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Writes a file of this name whole; `path` is where it is, or should be. False: errno tells. */
bool tui_state_write(const char *name, const void *data, size_t size, char *path, size_t room);
/* Reads up to room - 1 bytes, and ends them with a NUL. False where there is none. */
bool tui_state_read(const char *name, char *text, size_t room);

/* A text within a line of such a file: "\t", "\n" and "\\" stand for what would end it. TP_ENOMEM.
 */
int tui_state_put_text(struct tp_buf *b, const char *text);
/* Undoes tui_state_put_text, into size + 1 bytes; `to` may be `from`. Returns false if the text has other
 * control characters, so that no user can have typed it. */
bool tui_state_take_text(char *to, const char *from, size_t size);

#endif
