/* The options of reports on profiles: one struct for tprof-top, -diff, -flame and -export, and one
 * table of its options, with pprof's names. Texts are as typed, and borrowed.
 *
 *	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
 *
 *	opt.focus = "net/http";
 */
#ifndef REP_PROFILE_OPTIONS_H
#define REP_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "profile/code/gosource.h"

/* How frames are grouped into nodes. Functions of the same name in two files are one node, except
 * with filefunctions. */
enum rep_granularity {
	REP_FUNCTIONS,
	REP_FILEFUNCTIONS,
	REP_FILES,
	REP_LINES,
	REP_ADDRESSES,
	REP_NGRANULARITIES
};

extern const struct rep_granularity_desc {
	const char *name, *doc;
} rep_granularities[REP_NGRANULARITIES];

struct rep_profile_options {
	/* values */
	const char *sample_index; /* name, alias or number of a sample type; NULL: the default */
	bool mean;		  /* divide by the first sample type */
	double divide_by;
	const char *unit; /* "minimum" (one for all), "auto" (each its own), or a unit */
	bool pprof_units; /* sizes are called kB and MB, not KiB and MiB */

	/* filters on samples and frames; regular expressions in RE2's syntax (regex.h) */
	const char *focus, *ignore;	    /* keep / drop samples with a frame that matches */
	const char *hide, *show;	    /* drop / keep frames that match */
	const char *show_from;		    /* drops the callers above the outermost match */
	const char *prune_from;		    /* drops the callees of a match */
	const char *tag_focus, *tag_ignore; /* samples by label: KEY=REGEX, REGEX, 32kb:64kb */
	const char *tag_show, *tag_hide;    /* labels by key */
	const char *tag_root, *tag_leaf;    /* keys, separated by commas, that become frames */
	const char *by;			    /* key of a label that separates groups of goroutines */
	bool all_frames;		    /* keep frames that the profile itself wants dropped */

	/* nodes */
	enum rep_granularity granularity;
	bool no_inlines, show_columns;
	const char *trim_path, *source_path; /* folders, separated by colons */
	bool source_within;		     /* read no source outside of source_path */
	struct rep_go_places go;	     /* other places of sources */
	/* sources of names for code without names: a program, and folders (symbol/symbol.h) */
	const char *binary, *symbol_path;
	const char *demangle; /* how names of C++ are shown (demangle.h) */

	/* limits */
	bool no_trim;	      /* shows all nodes: the next three count as 0 */
	int64_t node_count;   /* -1: the report's default */
	double node_fraction; /* nodes below this share of the total are left out … */
	double edge_fraction; /* … and edges */
	/* Nodes below this share are ignored for the common unit, and have their own. So a report
	 * that shows all nodes has the same units as one that leaves these out. */
	double unit_fraction;
	bool drop_negative;
	bool cum; /* sort by cum, not flat */
	bool call_tree;
	bool relative_percentages; /* of the total after the filters */
	bool compact_labels;	   /* fewer lines of heading */
	bool intel_syntax;	   /* of disassembly */
};

#define REP_PROFILE_OPTIONS_INIT                                                                   \
	{                                                                                          \
		.divide_by = 1, .unit = "minimum", .node_count = -1, .node_fraction = 0.005,       \
		.edge_fraction = 0.001                                                             \
	}

enum rep_option_kind {
	REP_TAKES_TEXT,
	REP_TAKES_FLAG,	       /* no argument: sets a bool */
	REP_TAKES_COUNT,       /* int64_t */
	REP_TAKES_NUMBER,      /* double */
	REP_TAKES_GRANULARITY, /* by name */
};

enum rep_option_group { REP_GROUP_VALUES, REP_GROUP_FILTER, REP_GROUP_NODES, REP_GROUP_LIMITS };

/* name (of --name), identifier, kind, member, argument, group, doc. pprof's spellings (-tagfocus,
 * -tag_focus, one dash or two) are understood as well: cmd/common/profile_options.h. */
#define REP_PROFILE_OPTIONS(X)                                                                     \
	X("sample-index", SAMPLE_INDEX, TEXT, sample_index, "TYPE", VALUES,                        \
	  "Use this sample type (inuse_space, alloc_objects, delay, cpu, …), by name or number")   \
	X("mean", MEAN, FLAG, mean, NULL, VALUES,                                                  \
	  "Show averages: divide by the first sample type")                                        \
	X("unit", UNIT, TEXT, unit, "UNIT", VALUES,                                                \
	  "Show values in UNIT: ms, seconds, MB …; auto: in the unit that suits each")             \
	X("divide-by", DIVIDE_BY, NUMBER, divide_by, "N", VALUES, "Divide all values by N")        \
	X("relative-percentages", RELATIVE_PERCENTAGES, FLAG, relative_percentages, NULL, VALUES,  \
	  "Show shares of what the filters leave, not of everything")                              \
	X("focus", FOCUS, TEXT, focus, "REGEX", FILTER,                                            \
	  "Keep only samples with a frame (function, file, object file) matching REGEX")           \
	X("ignore", IGNORE, TEXT, ignore, "REGEX", FILTER,                                         \
	  "Leave out samples with a frame matching REGEX")                                         \
	X("hide", HIDE, TEXT, hide, "REGEX", FILTER, "Leave out frames matching REGEX")            \
	X("show", SHOW, TEXT, show, "REGEX", FILTER, "Keep only frames matching REGEX")            \
	X("show-from", SHOW_FROM, TEXT, show_from, "REGEX", FILTER,                                \
	  "Leave out the callers above the outermost frame matching REGEX")                        \
	X("prune-from", PRUNE_FROM, TEXT, prune_from, "REGEX", FILTER,                             \
	  "Leave out the callees of frames matching REGEX")                                        \
	X("tag-focus", TAG_FOCUS, TEXT, tag_focus, "FILTER", FILTER,                               \
	  "Keep only samples with a label: KEY=REGEX, REGEX, or a range such as 32kb:64kb")        \
	X("tag-ignore", TAG_IGNORE, TEXT, tag_ignore, "FILTER", FILTER,                            \
	  "Leave out samples with such a label")                                                   \
	X("tag-show", TAG_SHOW, TEXT, tag_show, "REGEX", FILTER,                                   \
	  "Keep only labels with a key matching REGEX")                                            \
	X("tag-hide", TAG_HIDE, TEXT, tag_hide, "REGEX", FILTER,                                   \
	  "Leave out labels with a key matching REGEX")                                            \
	X("tag-root", TAG_ROOT, TEXT, tag_root, "KEYS", FILTER,                                    \
	  "Add the values of these labels as frames at the root")                                  \
	X("tag-leaf", TAG_LEAF, TEXT, tag_leaf, "KEYS", FILTER,                                    \
	  "Add the values of these labels as frames at the leaf")                                  \
	X("all-frames", ALL_FRAMES, FLAG, all_frames, NULL, FILTER,                                \
	  "Keep the frames that the profile asks to drop")                                         \
	X("granularity", GRANULARITY, GRANULARITY, granularity, "WHAT", NODES,                     \
	  "Add up by functions, filefunctions, files, lines or addresses")                         \
	X("no-inlines", NO_INLINES, FLAG, no_inlines, NULL, NODES,                                 \
	  "Count inlined functions as the function they were inlined into")                        \
	X("show-columns", SHOW_COLUMNS, FLAG, show_columns, NULL, NODES,                           \
	  "Distinguish columns within a line")                                                     \
	X("trim-path", TRIM_PATH, TEXT, trim_path, "DIRS", NODES,                                  \
	  "Remove these folders from the names of source files")                                   \
	X("source-path", SOURCE_PATH, TEXT, source_path, "DIRS", NODES,                            \
	  "Look for source files in these folders")                                                \
	X("source-within", SOURCE_WITHIN, FLAG, source_within, NULL, NODES,                        \
	  "Read no source file outside of the folders of --source-path")                           \
	X("binary", BINARY, TEXT, binary, "FILE", NODES,                                           \
	  "Take names for code without names from this program")                                   \
	X("symbol-path", SYMBOL_PATH, TEXT, symbol_path, "DIRS", NODES,                            \
	  "Take names for code without names from files in these folders with its build id")       \
	X("demangle", DEMANGLE, TEXT, demangle, "HOW", NODES,                                      \
	  "Show names of C++ and Rust as: default, templates, full or none")                       \
	X("nodecount", NODECOUNT, COUNT, node_count, "N", LIMITS, "Show at most N nodes")          \
	X("nodefraction", NODEFRACTION, NUMBER, node_fraction, "F", LIMITS,                        \
	  "Leave out nodes below F of the total (default: 0.005)")                                 \
	X("edgefraction", EDGEFRACTION, NUMBER, edge_fraction, "F", LIMITS,                        \
	  "Leave out edges below F of the total (default: 0.001)")                                 \
	X("no-trim", NO_TRIM, FLAG, no_trim, NULL, LIMITS, "Leave out nothing")                    \
	X("drop-negative", DROP_NEGATIVE, FLAG, drop_negative, NULL, LIMITS,                       \
	  "Leave out nodes with negative values")                                                  \
	X("cum", CUM, FLAG, cum, NULL, LIMITS, "Sort by cum")                                      \
	X("call-tree", CALL_TREE, FLAG, call_tree, NULL, LIMITS,                                   \
	  "Draw a function once per path that leads to it")                                        \
	X("compact-labels", COMPACT_LABELS, FLAG, compact_labels, NULL, LIMITS,                    \
	  "Write a short heading")                                                                 \
	X("intel-syntax", INTEL_SYNTAX, FLAG, intel_syntax, NULL, LIMITS,                          \
	  "Disassemble in Intel's syntax")

enum rep_profile_option {
#define REP_X(name, id, kind, member, arg, group, doc) REP_OPTION_##id,
	REP_PROFILE_OPTIONS(REP_X)
#undef REP_X
	    REP_NPROFILE_OPTIONS
};

struct rep_profile_option_desc {
	const char *name;
	enum rep_option_kind kind;
	size_t offset; /* of the member */
	const char *arg;
	enum rep_option_group group;
	const char *doc;
};
extern const struct rep_profile_option_desc rep_profile_options[REP_NPROFILE_OPTIONS];

/* Sets one option from the text typed by the user (NULL for a flag). Returns 0, or TP_EFORMAT with
 * a sentence. */
int rep_profile_option_set(struct rep_profile_options *opt, enum rep_profile_option which,
			   const char *value, struct tp_err *err);

/* Returns whether the two differ in this option. */
bool rep_profile_option_differs(const struct rep_profile_options *a,
				const struct rep_profile_options *b, enum rep_profile_option which);

/* Returns whether `text` is an option in pprof's spelling, without leading dashes and with or
 * without "=value": "tagfocus", "show_from", "noinlines", "lines", "inuse_space", "trim=false". If
 * so, *name is our option, and *value its argument, or NULL if it has none or if that follows as
 * the next argument. *ignored says that the option only sets the default ("mean=false"). */
bool rep_profile_option_pprof(const char *text, const char **name, const char **value,
			      bool *ignored);

#endif
