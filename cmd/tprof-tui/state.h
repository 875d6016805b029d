/* Files saved between sessions in $XDG_STATE_HOME/tprof (or ~/.local/state/tprof). */
#ifndef TUI_STATE_H
#define TUI_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "tprof-tui/widget/line.h"

/* Writes a file as a whole or not at all. Sets `path` to its path, also after a failure, for messages.
 * Returns false with errno. */
bool tui_state_write(const char *name, const void *data, size_t size, char *path, size_t room);
/* Reads up to room - 1 bytes of a file and adds a NUL. Returns false if the file cannot be read. */
bool tui_state_read(const char *name, char *text, size_t room);

/* Writes a text as a field of a line: tab, newline and backslash are written as "\t", "\n" and
 * "\\". Returns 0 or TP_ENOMEM. */
int tui_state_put_text(struct tp_buf *b, const char *text);
/* Undoes tui_state_put_text, into size + 1 bytes; `to` may be `from`. Returns false if the text
 * has control characters, which cannot be typed, or an invalid escape. */
bool tui_state_take_text(char *to, const char *from, size_t size);

/* ---- history.c: the history of an input field, one file for each kind ---- */

/* Reads the file of this name into the line's history. */
void tui_history_load(struct tui_line *line, const char *name);
/* Adds the line to its history and to the file, to which other sessions may have added. */
void tui_history_add(struct tui_line *line, const char *name);

#endif
