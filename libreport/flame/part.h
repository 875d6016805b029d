/* A flame graph of one or more profiles, filtered by the options of profiles: its tree, and the
 * title and subtitle above the picture.
 *
 *	struct rep_flame_part parts[2] = {
 *	    {.profile = new, .name = "b.pb.gz"},
 *	    {.profile = old, .name = "a.pb.gz", .side = REP_FLAME_OLD}};
 *
 *	code = rep_flame_parts_view(parts, 2, &options, &failed, &err);
 *	code = rep_flame_build(&tree, &heading, &tree_options, parts, 2, &how, &err);
 *	… heading.title, heading.subtitle …
 *	rep_flame_heading_release(&heading);
 *	rep_flame_tree_release(&tree);
 *	rep_flame_parts_release(parts, 2);
 */
#ifndef REP_FLAME_PART_H
#define REP_FLAME_PART_H

#include "flame/tree.h"
#include "profile/view.h"

struct rep_flame_part {
	struct tp_profile *profile; /* borrowed; the view's filters change it */
	const char *name;	    /* of the file or run */
	enum rep_flame_side side;
	bool trace;			   /* a view of a trace: its samples are sums */
	const struct rep_members *members; /* totals of --task in it; NULL: unknown */
	struct rep_profile_view view;	   /* filled in by rep_flame_parts_view */
};

/* Finds the sample type for drawing all parts, to be the sample index of their views: the first
 * part's (`wanted`, or its default if NULL), which the others must have as well. *type is `wanted`
 * if that type has no name; it lives as long as the first profile. Returns TP_ENOENT if the first
 * part has no such type, TP_EUNKNOWN if another part lacks it. */
int rep_flame_common_type(const struct rep_flame_part *parts, size_t n, const char *wanted,
			  const char **type, struct tp_err *err);

/* How views of flame graphs change the options: nothing is left out. */
extern const struct rep_profile_traits rep_flame_traits;

/* Makes the views of all parts. Returns the first error of rep_profile_view_init, and in *failed
 * the part that has it. */
int rep_flame_parts_view(struct rep_flame_part *parts, size_t n,
			 const struct rep_profile_options *opt, size_t *failed, struct tp_err *err);
/* Releases the views, including those that were not made. */
void rep_flame_parts_release(struct rep_flame_part *parts, size_t n);

struct rep_flame_heading {
	char *title;		 /* "shop.pb.gz: cpu", "b.pb.gz against a.pb.gz: inuse_space" */
	char *subtitle;		 /* total, samples, time and length of the recording, filters */
	const char *type, *unit; /* of the first part; live as long as its profile */
};
void rep_flame_heading_release(struct rep_flame_heading *h);

struct rep_flame_build_options {
	/* Scale the new side to the total that the old side has without filters, as pprof's
	 * -normalize does. */
	bool normalize;
	const char *filters; /* filters in effect, for the heading; NULL or "": no filters */
};

/* Makes the tree of all parts, summed up, and its heading. Returns TP_EFORMAT with a sentence if
 * the parts have different units; TP_ENOMEM, TP_ELIMIT. Both must be released in every case. */
int rep_flame_build(struct rep_flame_tree *t, struct rep_flame_heading *h,
		    const struct rep_flame_tree_options *tree_options,
		    const struct rep_flame_part *parts, size_t n,
		    const struct rep_flame_build_options *opt, struct tp_err *err);

#endif
