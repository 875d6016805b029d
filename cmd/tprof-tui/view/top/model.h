/* A profile with its table of functions, kept so that rows can be unfolded into callers and
 * callees. One thread at a time uses it: the worker while it makes or unfolds something for the
 * view, else the screen's. */
#ifndef TUI_VIEW_TOP_MODEL_H
#define TUI_VIEW_TOP_MODEL_H

#include "profile/chain.h"
#include "profile/top.h"
#include "tprof-tui/tui.h"

struct top_model {
	_Atomic int users;
	struct tp_profile *profile; /* NULL before it is there */
	struct rep_profile_top top; /* row by row that of the table, unless: */
	bool by_name;		    /* the table's rows are found in it by their function */
	struct rep_chains *chains;  /* NULL until something is unfolded */
	/* What the table's options point to. */
	char *focus, *type;
};

/* With one user. NULL: no memory. */
struct top_model *top_model_new(void);
struct top_model *top_model_keep(struct top_model *m);
void top_model_drop(struct top_model *m); /* NULL: nothing */

/* A row to be unfolded: what of the model it is. */
struct top_unfold {
	uint32_t row; /* of the sheet */
	bool callers; /* else whom it calls */
	size_t root;  /* row of model->top that it is about, or below of */
	/* What is before it on the chain (callers, outermost first), and behind it. */
	uint32_t *before, *behind;
	size_t nbefore, nbehind;
	/* found */
	struct rep_chain_next *next;
	size_t nnext;
};
void top_unfold_release(struct top_unfold *u);
/* On the worker's thread. */
int top_unfold_find(struct top_model *m, struct top_unfold *u, struct tp_err *err);

#endif
