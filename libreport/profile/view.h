/* A profile as somebody wants to see it: filtered, with one sample type picked, its total, and the
 * unit that values are shown in. Every report on profiles begins with one.
 *
 *	struct rep_profile_view v;
 *
 *	if (!rep_profile_view_init(&v, profile, &options, &report->traits, &err))
 *		… rep_graph_new(&graph, &v, &err) …
 *	rep_profile_view_release(&v);
 */
#ifndef REP_PROFILE_VIEW_H
#define REP_PROFILE_VIEW_H

#include "base/buf.h"
#include "base/err.h"
#include "decode/profile.h"
#include "profile/filter.h"
#include "profile/measure.h"
#include "profile/options.h"

/* What kind of report it is for: how it bends the options (pprof: applyCommandOverrides,
 * newTrimmedGraph, newGraph). */
struct rep_profile_traits {
	bool no_trim; /* shows everything, whatever the options say */
	bool granularity_fixed;
	enum rep_granularity granularity; /* where it is fixed */
	int no_inlines;			  /* 1: always, -1: never, 0: as the options say */
	bool all_nodes;			  /* node_count is unlimited unless given; else 80 */
	bool visual;	   /* picks nodes by entropy, removes redundant edges (dot) */
	bool integers;	   /* its values cannot be fractions (callgrind) */
	bool call_tree;	   /* heeds call_tree */
	bool object_names; /* nodes know their object file (raw, list, disasm, callgrind) */
	bool edges, tags;  /* what it needs of the graph */
	bool whole_stacks; /* writes them with all their frames: see whole.h */
};

struct rep_profile_view {
	struct tp_profile *profile;	/* borrowed; changed by the filters */
	struct rep_profile_options opt; /* as the traits have bent them */
	struct rep_profile_traits traits;
	size_t index;	      /* of the sample type */
	const char *unit;     /* of the values, as the profile has it */
	char type[96];	      /* "inuse_space", "mean_delay" */
	char output_unit[64]; /* "minimum" until rep_profile_view_pick_unit */
	double ratio;	      /* 1 / divide_by */
	int64_t total;	      /* what 100 % is */
	struct rep_label_units units;
	struct rep_filter_notes notes; /* to be told on stderr */
};

/* Filters the profile (drop_frames of its own, tag_root and tag_leaf, then rep_profile_filter) and
 * adds it up; percentages are of what was there before the filters, or after them where the options
 * want it relative. TP_EFORMAT with a sentence for options that cannot be; TP_ENOMEM. Released in
 * every case. */
int rep_profile_view_init(struct rep_profile_view *v, struct tp_profile *p,
			  const struct rep_profile_options *opt,
			  const struct rep_profile_traits *traits, struct tp_err *err);
void rep_profile_view_release(struct rep_profile_view *v);

/* "alloc_objects, alloc_space": the sample types that have names, as far as there is room; "" for
 * none. */
#define REP_TYPE_NAMES 160
const char *rep_profile_type_names(const struct tp_profile *p, char text[REP_TYPE_NAMES]);

/* TP_ENOENT: no function that is looked at matches `pattern`; where there are several sample types,
 * one may have values of another. */
int rep_profile_no_function(const struct rep_profile_view *v, const char *pattern,
			    struct tp_err *err);

/* Which sample type `text` names: one of the profile's types, an alias of Go's older options
 * (total_delay …), a number from 0 on, NULL the default: the one the profile says, else the last.
 * TP_ENOENT with a sentence that lists them. */
int rep_profile_sample_index(const struct tp_profile *p, const char *text, size_t *index,
			     struct tp_err *err);

/* Where the samples have values, but none of this sample type: a sentence that says so and names a
 * type that has some; else "". Returns text. */
#define REP_ZERO_SIZE 240
const char *rep_profile_all_zero(const struct tp_profile *p, size_t index,
				 char text[REP_ZERO_SIZE]);

/* The value of a sample, and what it is divided by for means (0: nothing). */
static inline int64_t rep_view_value(const struct rep_profile_view *v, size_t sample)
{
	return v->profile->value[sample * v->profile->ntypes + v->index];
}
static inline int64_t rep_view_divisor(const struct rep_profile_view *v, size_t sample)
{
	return v->opt.mean ? v->profile->value[sample * v->profile->ntypes] : 0;
}

/* A value with its unit, divided by divide_by, as pprof prints it. Returns text. */
char *rep_view_label(const struct rep_profile_view *v, int64_t value, char text[REP_MEASURE_SIZE]);
/* The same in a row that adds up to `cum`: one that did not count for the unit (unit_fraction) has
 * its own. */
char *rep_view_row_label(const struct rep_profile_view *v, int64_t value, int64_t cum,
			 char text[REP_MEASURE_SIZE]);
/* As a number in the output unit. */
double rep_view_scale(const struct rep_profile_view *v, int64_t value);

/* The heading, one call of `line` per line (pprof: ProfileLabels): File, Build ID, comments, Type,
 * Doc, Time (in UTC), Duration. Texts come from the profile: escape them; a NUL follows. Stops at
 * an error. */
typedef int (*rep_line_fn)(void *ctx, const char *text, size_t size, struct tp_err *err);
int rep_view_heading(const struct rep_profile_view *v, rep_line_fn line, void *ctx,
		     struct tp_err *err);

/* ---- names ---- */

struct rep_node_info {
	struct tp_text name;
	struct tp_text file;   /* cleaned: no "..", no double slashes */
	struct tp_text object; /* the mapping's file */
	uint64_t address;
	int64_t start_line, line, column;
};

/* What a frame of the profile is called under the view's granularity (pprof: Aggregate, nodeInfo).
 * Texts live as long as the profile; its dictionary may grow. TP_ENOMEM. A frame that --no-inlines
 * leaves out (`inlined` is set) is told as it is. */
int rep_view_frame(const struct rep_profile_view *v, uint32_t frame, struct rep_node_info *info);
/* Appends what is shown for it: "0000000000401000 main.main main.go:12"; bytes of the dump. */
int rep_node_info_name(const struct rep_node_info *info, struct tp_buf *name);

#endif
