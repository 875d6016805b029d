/* What the files of the table have in common; private to widget. */
#ifndef TUI_WIDGET_INSIDE_H
#define TUI_WIDGET_INSIDE_H

#include "tprof-tui/widget/table.h"

/* A column that is shown, by its place. */
const struct rep_column *tui_table_column(const struct tui_table *t, int c);
/* A cell as it is shown, in t->text. */
const char *tui_table_shown(struct tui_table *t, size_t row, int c, size_t *size);
/* Is it set to the left? */
bool tui_table_is_text(const struct tui_table *t, int c);
/* Does a row below others say nothing but its name? Then that may take the rest of the line. */
bool tui_table_only_named(const struct tui_table *t, uint32_t row);
/* -1: as the report has it. */
void tui_table_sort_by(struct tui_table *t, int column);

#endif
