/* A profile with the options of a report applied: filtered, with one sample type, its total, and
 * the unit that values are shown in. Every report on profiles begins with one.
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
#include "output/output.h"
#include "profile/filter.h"
#include "profile/measure.h"
#include "profile/options.h"

/* How a report changes the options, and what it needs (pprof: applyCommandOverrides,
 * newTrimmedGraph, newGraph). */
struct rep_profile_traits {
	bool no_trim; /* shows everything, whatever the options say */
	bool granularity_fixed;
	enum rep_granularity granularity; /* if granularity_fixed */
	int no_inlines;			  /* 1: always, -1: never, 0: as the options say */
	bool all_nodes;			  /* node_count is unlimited unless given; else 80 */
	bool whole;	/* leaves out only nodes that are 0; unsorted (list, disasm) */
	bool visual;	/* nodes have tags, and are picked by entropy; no redundant edges (dot) */
	bool integers;	/* its values cannot be fractions (callgrind) */
	bool call_tree; /* applies the option call_tree */
	bool object_names; /* nodes know their object file (raw, list, disasm, callgrind) */
	bool edges;	   /* nodes have edges */
	bool whole_stacks; /* writes stacks with all their frames: see whole.h */
};

struct rep_profile_view {
	struct tp_profile *profile;	/* borrowed; changed by the filters */
	struct rep_profile_options opt; /* as the traits have changed them */
	struct rep_profile_traits traits;
	size_t index;	      /* of the sample type */
	const char *unit;     /* of the values, as the profile has it */
	char type[96];	      /* "inuse_space", "mean_delay" */
	char output_unit[64]; /* "minimum" until rep_profile_view_pick_unit */
	double ratio;	      /* 1 / divide_by */
	int64_t total;	      /* the value of 100 % */
	struct rep_label_units units;
	struct rep_filter_notes notes; /* for standard error */
};

/* Filters the profile (its own drop_frames, tag_root and tag_leaf, then rep_profile_filter) and
 * adds it up. The total is that before the filters, or after them with relative_percentages.
 * Returns 0, TP_EFORMAT with a sentence for invalid options, or TP_ENOMEM. Release it in every case. */
int rep_profile_view_init(struct rep_profile_view *v, struct tp_profile *p,
			  const struct rep_profile_options *opt,
			  const struct rep_profile_traits *traits, struct tp_err *err);
void rep_profile_view_release(struct rep_profile_view *v);

/* Writes the names of the sample types, "alloc_objects, alloc_space", as far as they fit; "" if
 * none has a name. Returns text. */
#define REP_TYPE_NAMES 160
const char *rep_profile_type_names(const struct tp_profile *p, char text[REP_TYPE_NAMES]);

/* Returns the index of the sample type of this name, or SIZE_MAX. */
size_t rep_profile_type_find(const struct tp_profile *p, const char *name);
/* Writes the names of the first profile's types that all n profiles have, in the same form. Returns
 * text. */
const char *rep_profile_types_common(const struct tp_profile *const *profiles, size_t n,
				     char text[REP_TYPE_NAMES]);

/* Reports that no function matches `pattern`, and names the sample types if there are several: it
 * may have values of another one. Returns TP_ENOENT. */
int rep_profile_no_function(const struct rep_profile_view *v, const char *pattern,
			    struct tp_err *err);

/* Finds the sample type that `text` names: a type of the profile, an alias of Go's older options
 * (total_delay …), or a number from 0 on. NULL is the default type that the profile names, else the
 * last one. Returns 0, or TP_ENOENT with a sentence that lists the types. */
int rep_profile_sample_index(const struct tp_profile *p, const char *text, size_t *index,
			     struct tp_err *err);

/* Returns the sample type that shows what was in use if nothing is in use any more (inuse_space, _objects): that of
 * the peak or, in profiles without one, what was allocated. Returns SIZE_MAX if something is in use, the type is
 * another one, or nothing was in use. */
size_t rep_profile_type_instead(const struct tp_profile *p, size_t index);

/* Writes a sentence that names a sample type with values, if samples have values but none of this
 * type; else "". Returns text. */
#define REP_ZERO_SIZE 240
const char *rep_profile_all_zero(const struct tp_profile *p, size_t index,
				 char text[REP_ZERO_SIZE]);

/* Return the value of a sample, and its divisor for means (0: none). */
static inline int64_t rep_view_value(const struct rep_profile_view *v, size_t sample)
{
	return v->profile->value[sample * v->profile->ntypes + v->index];
}
static inline int64_t rep_view_divisor(const struct rep_profile_view *v, size_t sample)
{
	return v->opt.mean ? v->profile->value[sample * v->profile->ntypes] : 0;
}

/* Writes a number in a unit: sizes in kB, MB … if the options have pprof_units, else in KiB, MiB ….
 * Returns text. */
char *rep_view_scaled(const struct rep_profile_view *v, int64_t value, const char *from,
		      const char *to, char text[REP_MEASURE_SIZE]);
/* Writes a value of the view so, divided by divide_by. Returns text. */
char *rep_view_label(const struct rep_profile_view *v, int64_t value, char text[REP_MEASURE_SIZE]);
/* Does the same for a row whose cum is given: a row that is too small for the common unit
 * (unit_fraction) has its own. */
char *rep_view_row_label(const struct rep_profile_view *v, int64_t value, int64_t cum,
			 char text[REP_MEASURE_SIZE]);
/* Returns a value in the output unit. */
double rep_view_scale(const struct rep_profile_view *v, int64_t value);
/* Returns a value for columns of raw numbers, divided by divide_by. */
static inline struct rep_value rep_view_raw(const struct rep_profile_view *v, int64_t value)
{
	return v->ratio == 1 ? rep_int(value) : rep_float((double)value * v->ratio);
}
/* Returns part / whole, also if the whole is negative; NULL if it is 0. */
static inline struct rep_value rep_view_share(int64_t part, int64_t whole)
{
	return whole ? rep_float((double)part / (double)whole) : rep_null();
}

/* Calls `line` for each line of the heading (pprof: ProfileLabels): File, Build ID, comments, Type,
 * Doc, Time (in UTC), Duration. The texts come from the profile, so escape them; a NUL follows
 * them. Stops at the first error. */
typedef int (*rep_line_fn)(void *ctx, const char *text, size_t size, struct tp_err *err);
int rep_view_heading(const struct rep_profile_view *v, rep_line_fn line, void *ctx,
		     struct tp_err *err);

/* ---- names ---- */

/* Orders texts by their bytes; 0 for equal ones. */
static inline int rep_text_compare(struct tp_text a, struct tp_text b)
{
	uint32_t n = a.size < b.size ? a.size : b.size;
	int c = n ? memcmp(a.text, b.text, n) : 0;

	return c ? c : (a.size > b.size) - (a.size < b.size);
}

/* Returns whether t equals this text, which contains no NUL. */
static inline bool rep_text_is(struct tp_text t, const char *text)
{
	return t.size == strlen(text) && !memcmp(t.text, text, t.size);
}

struct rep_node_info {
	struct tp_text name;
	struct tp_text file;   /* cleaned: no "..", no double slashes */
	struct tp_text object; /* the mapping's file */
	uint64_t address;
	int64_t start_line, line, column;
};

/* Names a frame of the profile under the view's granularity (pprof: Aggregate, nodeInfo). Texts
 * live as long as the profile; its dictionary may grow. A frame that --no-inlines leaves out
 * (`inlined` is set) keeps its own name. Returns 0 or TP_ENOMEM. */
int rep_view_frame(const struct rep_profile_view *v, uint32_t frame, struct rep_node_info *info);
/* Appends the name that is shown for a node, "0000000000401000 main.main main.go:12": bytes of the
 * dump, not escaped. */
int rep_node_info_name(const struct rep_node_info *info, struct tp_buf *name);

#endif
