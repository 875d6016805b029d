/* A profile with its table of functions, from which rows are unfolded into callers and callees. One
 * thread at a time uses it: the worker while it works for the view, else the screen's thread. */
#ifndef TUI_VIEW_TOP_MODEL_H
#define TUI_VIEW_TOP_MODEL_H

#include "profile/chain.h"
#include "profile/top.h"
#include "tprof-tui/tui.h"

struct top_model {
	_Atomic int users;
	struct tp_profile *profile; /* NULL: not loaded yet */
	struct rep_profile_top top; /* has the rows of the table, unless: */
	bool by_name;		    /* rows of the table are found in it by their function */
	struct rep_chains *chains;  /* NULL until a row is unfolded */
	/* Texts that the options of `top` point to. */
	char *focus, *type;
};

/* Returns a model with one user; NULL if memory is out. */
struct top_model *top_model_new(void);
struct top_model *top_model_keep(struct top_model *m);
void top_model_drop(struct top_model *m); /* NULL: nothing */

/* A row to be unfolded, and what it unfolds into. */
struct top_unfold {
	uint32_t row; /* of the sheet */
	bool callers; /* into callers, else into callees */
	size_t root;  /* the row of model->top that the chain belongs to */
	/* The chain before the root (callers, outermost first), and after it. */
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
