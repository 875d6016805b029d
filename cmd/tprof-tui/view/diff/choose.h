/* What a run can be compared with: other runs of its kind, and sets of runs that have a label in
 * common. */
#ifndef TUI_VIEW_DIFF_CHOOSE_H
#define TUI_VIEW_DIFF_CHOOSE_H

#include "tprof-tui/tui.h"

/* The sides that are meant: `arg` is OLD or OLD NEW, each as --run has it (an id, a name, a label
 * KEY=VALUE for all runs that have it); without NEW the run that is selected, or of a label all
 * runs that have its value; NULL: the marked run and the one that is selected. Runs of another kind
 * than the selected one's are left out of sets. TP_ENOENT with a sentence. Released by the caller
 * in every case. */
int diff_sides(const struct rep_runs *all, const struct tui_select *s, const char *arg,
	       struct rep_runs *old, struct rep_runs *new, struct tp_err *err);

/* The list, as a table: ctx is a struct diff_choices. The raw column `sides` is what diff_sides
 * takes; `id` is the run's, NULL of sets. */
struct diff_choices {
	const struct rep_runs *all;
	const struct rep_run *run;
};
int diff_choices_fill(void *ctx, struct rep_output *out, struct tp_err *err);

/* Says above the list what it is for. Returns the lines taken. */
int diff_choices_draw(const struct tui_select *s, size_t n, struct tui_area area);

#endif
