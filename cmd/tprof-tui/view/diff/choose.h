/* What a run can be compared with: other runs of its kind, and sets of runs with the same label. */
#ifndef TUI_VIEW_DIFF_CHOOSE_H
#define TUI_VIEW_DIFF_CHOOSE_H

#include "tprof-tui/tui.h"

/* Finds the two sides. `arg` is OLD or OLD NEW, each as for --run: an id, a name, or KEY=VALUE
 * for all runs with that label. Without NEW, the new side is the selected run, or if OLD is a
 * label all runs with the selected run's value of it. NULL: the marked run and the selected one.
 * Runs of another kind than the selected run are left out. TP_ENOENT. The caller releases both
 * in every case. */
int diff_sides(const struct rep_runs *all, const struct tui_select *s, const char *arg,
	       struct rep_runs *old, struct rep_runs *new, struct tp_err *err);

/* Writes the list as a table; ctx is a struct diff_choices. The hidden column `sides` is an
 * argument for diff_sides, `id` that of the run (NULL for sets). */
struct diff_choices {
	const struct rep_runs *all;
	const struct rep_run *run;
};
int diff_choices_fill(void *ctx, struct rep_output *out, struct tp_err *err);

/* Draws the heading of the list. Returns the lines taken. */
int diff_choices_draw(const struct tui_select *s, size_t n, struct tui_area area);

#endif
