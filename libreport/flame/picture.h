/* The flame graph of a run of a store, or of the difference between two runs, ready for drawing and
 * moving. Its numbers are those of tprof-flame with the same options.
 *
 * 	struct rep_flame_load load;     the profiles, filtered: made once
 * 	struct rep_flame_picture pic;   the tree of them, from the root or from the leaf
 *
 * 	code = rep_flame_load(&load, store, &pick, &err);
 * 	code = rep_flame_picture(&pic, &load, reverse, &err);
 * 	… pic.tree, pic.order, pic.heading.subtitle …
 * 	rep_flame_picture_release(&pic);
 * 	rep_flame_load_release(&load);
 *
 * The picture does not need the load any longer. */
#ifndef REP_FLAME_PICTURE_H
#define REP_FLAME_PICTURE_H

#include "flame/order.h"
#include "flame/part.h"
#include "flame/tree.h"
#include "flame/words.h"
#include "profile/trace.h"
#include "run.h"
#include "store/store.h"

struct rep_flame_pick {
	const struct rep_run *run, *base; /* base NULL: no comparison */
	/* A profile can only have a request, and the focus, which has the meaning of rep_profile_options.focus for
	 * traces as well. */
	struct rep_trace_profile_options trace;
	const char *sample_index; /* NULL: the default */
	const char *words;	  /* the selection in words, for the heading; "": everything */
};

struct rep_flame_load {
	struct rep_flame_part part[REP_FLAME_SIDES]; /* with profiles and names that it owns */
	size_t n;				     /* sides */
	char *words;
	struct rep_members members[REP_FLAME_SIDES];
};

/* Returns TP_EFORMAT with a sentence if a trace is compared with a profile, or if a profile cannot
 * have a filter; else the result of reading a run. *l must be released in every case. */
int rep_flame_load(struct rep_flame_load *l, struct tp_store *store,
		   const struct rep_flame_pick *pick, struct tp_err *err);
void rep_flame_load_release(struct rep_flame_load *l);

/* The source line of a frame: that of its largest part, if it has several. */
struct rep_flame_place {
	uint32_t file; /* string of picture.files, 0 unknown */
	uint32_t line; /* 0 unknown */
};

struct rep_flame_picture {
	struct rep_flame_tree tree;
	struct rep_flame_order order;
	struct tp_dict *files;
	struct rep_flame_place *place; /* by node */
	char *title, *subtitle;	       /* as above a picture (part.h) */
	char *type, *unit;	       /* of the sample type */
	char zero[REP_ZERO_SIZE];      /* rep_profile_all_zero of the new side */
	char **types;		       /* names of all sample types, ntypes of them */
	size_t ntypes, index;	       /* index: the shown one */
	struct rep_flame_measure measure;
	struct rep_members members; /* totals of --task, on both sides */
};

/* Returns 0, TP_ENOMEM or TP_ELIMIT. *pic must be released in every case. */
int rep_flame_picture(struct rep_flame_picture *pic, const struct rep_flame_load *l, bool reverse,
		      struct tp_err *err);
void rep_flame_picture_release(struct rep_flame_picture *pic);

#endif
