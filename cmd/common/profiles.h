/* Loads the profiles that a command line names, for tprof-top, tprof-diff, tprof-flame,
 * tprof-export, tprof-leaks and tprof-report.
 *
 * A path is a dump of a profile, a store (of which --run picks runs), or a trace or a store of
 * traces, of which a view is taken (profile/trace.h). */
#ifndef CMD_PROFILES_H
#define CMD_PROFILES_H

#include "common/common.h"
#include "decode/profile.h"
#include "profile/options.h"
#include "profile/trace.h"

struct rep_merger;

struct cmd_profile {
	struct tp_profile *profile; /* owned by the list */
	char *name;		    /* of the run or file, for headings */
	char **labels;		    /* "key=value" of the run, nlabels; none for a dump */
	size_t nlabels;
	bool damaged;		/* it, or a part of it, lost something */
	bool trace;		/* a view of a trace */
	size_t ntraces;		/* views of traces that it is the sum of … */
	size_t nprofiles;	/* … and profiles */
	size_t times;		/* runs of a group (cmd_profiles_options.by) added up; else 0 */
	struct rep_merger *sum; /* of a group that is being loaded (group.h); else NULL */
};

struct cmd_profiles {
	struct cmd_profile *item;
	size_t n;
	/* Runs left out because damage has taken their sample types: how many, and the name of the
	 * first. They may have had the sample type that was asked for. */
	size_t nuntyped;
	char *untyped;
	/* Traces whose CPU view has no samples: how many, and the name of the first. */
	size_t nsilent;
	char silent[100];
	struct rep_members members; /* what --task counts in views of traces */
};

/* Profiles are loaded as cmd->view and cmd->profile say:
 *
 *	view		the view of traces; without one a trace is an error, which names --view
 *	binary, symbol_path, demangle
 *			names for code; a trace of go 1.5 gets its names when it is imported
 *	sample_index	if some picked runs of a store have this type, the others are left out, so
 *			one label can stand for a heap, a CPU and a goroutine profile; "" or a
 *			number leaves out nothing */
struct cmd_profiles_options {
	/* The key of a label: runs with the same value are added up to one item; runs without it,
	 * and dumps, are errors. NULL: each run is an item. */
	const char *by;
	/* Makes an item of each dump of goroutines in a file that has several, not only of the last. */
	bool each_dump;
	/* The caller adds up all items: one kind is kept of those that one process wrote (sets.h). */
	bool adds_up;
	/* cmd_sides_open loads one file of each side at once, in two threads. */
	bool at_once;
};

/* Loads all paths, in several threads if that pays. Reports losses and warnings as cmd_open does.
 * `opt` may be NULL. Returns a status; *out is to be released in every case. */
int cmd_profiles_open(struct cmd *cmd, const char *const *paths, size_t n,
		      const struct cmd_profiles_options *opt, struct cmd_profiles *out);
void cmd_profiles_release(struct cmd_profiles *p);
void cmd_profile_release(struct cmd_profile *item);

/* Prints a note if a filter of the view, if there is one, left nothing of the first profile. */
void cmd_profiles_note_empty(const struct cmd *cmd, const struct cmd_profiles *list);

/* Loads all paths and adds each up at once (profile/merge.h), so that hundreds need little memory:
 * *out holds one item, named after the first ("a.pb.gz and 299 more"). Returns a status. */
int cmd_profiles_sum(struct cmd *cmd, const char *const *paths, size_t n, struct cmd_profiles *out);

/* Returns whether a damaged profile has lost its sample types. */
bool cmd_profile_untyped(const struct tp_profile *p, bool damaged);
/* Counts a run that is left out as it has lost its types. Returns 0 or TP_ENOMEM. */
int cmd_profiles_leave_out(struct cmd_profiles *p, const char *name);
/* Adds an item and takes over the profile, also after an error. Returns 0 or TP_ENOMEM. */
int cmd_profiles_append(struct cmd_profiles *list, struct tp_profile *p, const char *name,
			bool trace, struct tp_err *err);
/* Turns an error of adding up profiles that do not fit together into TP_EUNKNOWN, as neither of them
 * is damaged. Returns the code. */
int cmd_profiles_unlike(struct tp_err *err);

/* If the command shows traces as profiles, refuses options about traces that these lists, by enum
 * cmd_side, cannot have: a view of nothing but profiles, or a filter that profiles do not know. Else
 * notes what --task counts. Returns 0 or CMD_USAGE. */
int cmd_profiles_check_trace(const struct cmd *cmd, const struct cmd_profiles list[2]);

/* Finds what a path holds, by its first bytes, or for a store by the runs that `run` picks (NULL:
 * the latest): decides which reports apply. Returns 0 or an exit status. */
enum cmd_kind { CMD_KIND_TRACE, CMD_KIND_PROFILE, CMD_KIND_STORE_MIXED };
int cmd_kind_of(struct cmd *cmd, const char *path, const char *run, enum cmd_kind *kind);

#endif
