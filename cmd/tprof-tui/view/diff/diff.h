/* The view diff; private to it. */
#ifndef TUI_VIEW_DIFF_DIFF_H
#define TUI_VIEW_DIFF_DIFF_H

#include "tprof-tui/view/diff/compare.h"

struct diff {
	struct tui_rows rows;
	bool choosing; /* the table is a list of what to compare with */
	char *arg;     /* "rev=a rev=b", or an id; NULL: the marked run */
	int at;	       /* of diff_rows_at */
	enum rep_per per;
	bool normalize, cum, every_stat, changed;
	char type[96];	     /* picked; "": the default */
	char found[96];	     /* compared */
	struct tp_buf types; /* there are */
	struct diff_measured *measured;
	char against[400]; /* what the old side is called */
	int64_t first[2];  /* as of struct diff_ask */
	/* Rows of all lines, once a function was unfolded into its own. */
	struct rep_cells lines;
	size_t unfolding; /* the row that waits for them */
};

/* What the worker is to do; NULL with a message. */
struct diff_ask *diff_ask_new(struct tui_view *v);

/* More and less, where that is more than noise: signs and verdicts say the same without colours. */
enum tui_style diff_tint(const struct rep_sheet *s, size_t row, size_t column);

/* The function under the cursor unfolds into its lines, or folds. */
void diff_unfold(struct tui_view *v);

/* As tui_view_ops.source: of rows that are lines. */
bool diff_source(struct tui_view *v, char *file, size_t size, int64_t *line);

/* "--by=sched --per=task rev=a": takes the options that come first; what is left names the sides,
 * NULL where there is nothing. False with a message. */
bool diff_take_options(struct tui_view *v, const char **arg);
void diff_offer(struct tui *t, struct tui_menu *menu, const char *typed);
/* All of it, as tui_view_ops.keep. */
void diff_keep(struct tui_view *v, char *text, size_t size);

#endif
