/* The profiles that a command line names: what tprof-top, tprof-diff, tprof-flame and tprof-export
 * begin with.
 *
 * A path is a dump of a profile (read right here: reading one is faster than looking into a cache),
 * a store (its runs that --run picks), or a trace, dump or store, of which a view is taken
 * (profile/trace.h). */
#ifndef CMD_PROFILES_H
#define CMD_PROFILES_H

#include "common/common.h"
#include "decode/profile.h"
#include "profile/trace.h"

struct rep_merger;

struct cmd_profile {
	struct tp_profile *profile; /* owned by the list */
	char *name;		    /* of the run or file, for headings */
	char **labels;		    /* "key=value" of the run, nlabels; none for a dump */
	size_t nlabels;
	bool damaged;		/* it, or a part of it, lost something */
	bool trace;		/* a view of a trace */
	size_t ntraces;		/* of what it holds, views of traces … */
	size_t nprofiles;	/* … and profiles */
	size_t times;		/* runs that it is the sum of, by cmd_profiles_options.by; else 0 */
	struct rep_merger *sum; /* while it is loaded (group.h); else NULL */
};

struct cmd_profiles {
	struct cmd_profile *item;
	size_t n;
	/* Runs that were left out for their sample types though damage has taken those: how many,
	 * and the name of the first. They may be what was asked for. */
	size_t nuntyped;
	char *untyped;
	struct rep_members members; /* what --task counts in the views of traces */
};

struct cmd_profiles_options {
	/* Which view of traces; NULL: a trace is an error that says what to do. */
	const struct rep_trace_profile_options *trace;
	/* Name code that a profile leaves without names; NULL: nothing. A trace of go 1.5 has its
	 * names from its import. */
	const char *binary, *symbol_path;
	const char *demangle; /* names of C++ (profile/demangle.h); NULL: the default */
	/* A sample type: where a store has runs with it among those picked, the others are left
	 * out, so that one label may stand for a heap, a CPU and a goroutine profile. NULL, "" or
	 * a number: nothing is. */
	const char *sample_index;
	/* Runs of stores with the same value of this label are added up to one item; a run without
	 * it is an error, and so is a dump. NULL: each is an item. */
	const char *by;
	/* Of a single file with several dumps of goroutines, one after the other, each is an item, not
	 * only the last. */
	bool each_dump;
	/* Not a word where --run picks nothing here: what is compared with these has stores. */
	bool picked_elsewhere;
};

/* Are there stores among the paths, of whose runs --run picks? False where it is not given. */
bool cmd_profiles_pick(const struct cmd *cmd, const char *const *paths, size_t n);

/* Loads all; 0 or an exit status (explained on stderr). Losses and warnings are told like cmd_open
 * does. To be released in every case. Loading goes on in several threads where that pays. */
int cmd_profiles_open(struct cmd *cmd, const char *const *paths, size_t n,
		      const struct cmd_profiles_options *opt, struct cmd_profiles *out);
void cmd_profiles_release(struct cmd_profiles *p);

/* A note where a filter of the view left nothing of the first: an empty profile says nothing. */
void cmd_profiles_note_empty(const struct cmd *cmd, const struct cmd_profiles *list,
			     const struct rep_trace_profile_options *view);

/* Loads all and adds them up as it goes (profile/merge.h), so that hundreds need little memory:
 * *out holds one item, named after the first ("a.pb.gz and 299 more"). */
int cmd_profiles_sum(struct cmd *cmd, const char *const *paths, size_t n,
		     const struct cmd_profiles_options *opt, struct cmd_profiles *out);

/* Is what sample types a profile had lost with what it has lost? */
bool cmd_profile_untyped(const struct tp_profile *p, bool damaged);
/* Counts a run that is left out as it is untyped: 0 or TP_ENOMEM. */
int cmd_profiles_leave_out(struct cmd_profiles *p, const char *name);
/* Adds an item; takes the profile over in every case. 0 or TP_ENOMEM. */
int cmd_profiles_append(struct cmd_profiles *list, struct tp_profile *p, const char *name,
			bool trace, struct tp_err *err);
/* The code, which err has from then on, of an error of adding up: profiles that do not go together
 * are not damaged, so that nothing is advised about that. */
int cmd_profiles_unlike(struct tp_err *err);

/* What was asked about traces, of these lists (`b` may be NULL): a view of nothing but profiles
 * (`view`: one was named), or a filter that a profile does not know, is refused. 0 or CMD_USAGE.
 * What
 * --task counts is told where all is well. */
int cmd_profiles_check_trace(const struct cmd *cmd, const struct rep_trace_profile_options *opt,
			     bool view, const struct cmd_profiles *a, const struct cmd_profiles *b);

/* What a path holds, by its first bytes (and for a store by its runs): decides which reports apply.
 */
enum cmd_kind { CMD_KIND_TRACE, CMD_KIND_PROFILE, CMD_KIND_STORE_MIXED };
int cmd_kind_of(struct cmd *cmd, const char *path, enum cmd_kind *kind);

#endif
