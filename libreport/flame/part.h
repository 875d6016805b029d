/* Profiles, filtered as somebody wants to see them, as parts of a flame graph: what is added to the
 * tree, and the words above the picture.
 *
 *	struct rep_flame_part parts[2] = {{.view = &new, .name = "b.pb.gz"},
 *					  {.view = &old, .name = "a.pb.gz", .side = REP_FLAME_OLD}};
 *
 *	code = rep_flame_parts_add(&tree, parts, 2, normalize, &err);
 *	code = rep_flame_tree_sum(&tree, &err);
 *	code = rep_flame_heading(&heading, &tree, parts, 2, "focus http", &err);
 *	… heading.title, heading.subtitle …
 *	rep_flame_heading_release(&heading);
 */
#ifndef REP_FLAME_PART_H
#define REP_FLAME_PART_H

#include "flame/tree.h"
#include "profile/view.h"

struct rep_flame_part {
	const struct rep_profile_view *view;
	const char *name; /* of the file or run */
	enum rep_flame_side side;
	bool trace;			   /* a view of a trace: its samples are sums */
	const struct rep_members *members; /* what --task counts in it; NULL: nothing is known */
};

struct rep_flame_input {
	const struct tp_profile *profile;
	const char *name; /* of the file or run */
	enum rep_flame_side side;
	bool trace; /* a view of a trace */
};

/* The sample type that all are drawn by, to be the sample index of their views: that of the first
 * (`wanted`, NULL its default), which the others must have, too; `wanted` where that has no name.
 * It lives as long as the first profile. TP_ENOENT where the first has no such type; TP_EUNKNOWN
 * with a sentence where another has not. */
int rep_flame_common_type(const struct rep_flame_input *in, size_t n, const char *wanted,
			  const char **type, struct tp_err *err);

/* How a view bends the options: nothing is left out. */
extern const struct rep_profile_traits rep_flame_traits;

/* Adds all. `normalize`: values of the new side are brought to the total that the old side has
 * without filters, as pprof's -normalize does. TP_EFORMAT with a sentence where the parts do not
 * count the same; TP_ENOMEM, TP_ELIMIT. */
int rep_flame_parts_add(struct rep_flame_tree *t, const struct rep_flame_part *parts, size_t n,
			bool normalize, struct tp_err *err);

struct rep_flame_heading {
	char *title;		 /* "shop.pb.gz: cpu", "b.pb.gz against a.pb.gz: inuse_space" */
	char *subtitle;		 /* total, samples, time and length of the recording, filters */
	const char *type, *unit; /* of the first part; live as long as its profile */
};

/* `filters`: what is left out, in words; "" for nothing. TP_ENOMEM. Released in every case. */
int rep_flame_heading(struct rep_flame_heading *h, const struct rep_flame_tree *t,
		      const struct rep_flame_part *parts, size_t n, const char *filters,
		      struct tp_err *err);
void rep_flame_heading_release(struct rep_flame_heading *h);

#endif
