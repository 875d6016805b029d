/* Everything about a flame graph of a run of a store, or of what changed between two, ready to be
 * drawn and moved in: what tprof-flame makes of the same options, number by number.
 *
 *	struct rep_flame_load load;     the profiles, filtered: made once
 *	struct rep_flame_picture pic;   the tree of them, from the root or from the leaf
 *
 *	code = rep_flame_load(&load, store, &pick, &err);
 *	code = rep_flame_picture(&pic, &load, reverse, &err);
 *	… pic.tree, pic.order, pic.heading.subtitle …
 *	rep_flame_picture_release(&pic);
 *	rep_flame_load_release(&load);
 *
 * The picture needs the load no longer. */
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
	const struct rep_run *run, *base; /* base NULL: nothing is compared */
	/* Of a profile only the focus counts. The focus is that of profiles
	 * (rep_profile_options), here too. */
	struct rep_trace_profile_options trace;
	const char *sample_index; /* NULL: the default */
	const char *words;	  /* of what is selected, for the heading; "" for everything */
};

struct rep_flame_load {
	struct tp_profile *profile[REP_FLAME_SIDES];
	struct rep_profile_view view[REP_FLAME_SIDES];
	struct rep_flame_part part[REP_FLAME_SIDES];
	size_t n; /* sides */
	char *words;
	struct rep_members members[REP_FLAME_SIDES];
	char *name[REP_FLAME_SIDES];
};

/* TP_EFORMAT, with a sentence, where a trace is compared with a profile or a filter is none of
 * profiles; what reading a run returns. To be released in every case. */
int rep_flame_load(struct rep_flame_load *l, struct tp_store *store,
		   const struct rep_flame_pick *pick, struct tp_err *err);
void rep_flame_load_release(struct rep_flame_load *l);

/* Where a frame's source is: the place that most of its value came by. */
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
	char zero[REP_ZERO_SIZE];      /* what rep_profile_all_zero says of the new side */
	char **types;		       /* names of all sample types, ntypes of them */
	size_t ntypes, index;	       /* index: the one that is shown */
	struct rep_flame_measure measure;
	struct rep_members members; /* what --task counts, of both sides */
};

/* TP_ENOMEM, TP_ELIMIT. To be released in every case. */
int rep_flame_picture(struct rep_flame_picture *pic, const struct rep_flame_load *l, bool reverse,
		      struct tp_err *err);
void rep_flame_picture_release(struct rep_flame_picture *pic);

#endif
