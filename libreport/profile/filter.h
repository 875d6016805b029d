/* Filters on the samples and frames of a profile, with pprof's rules (profile/filter.go, prune.go,
 * internal/driver/{driver_focus,tagroot}.go).
 *
 * All of them change the profile they are given: samples go away or get another stack; new stacks
 * are added to its dictionary, old ones stay there unused. A stack is decided once, however many
 * samples and stacks share it. */
#ifndef REP_PROFILE_FILTER_H
#define REP_PROFILE_FILTER_H

#include "base/buf.h"
#include "base/err.h"
#include "decode/profile.h"
#include "profile/options.h"
#include "base/regex.h"

/* Sentences about filters that found nothing, and types without values, each ended by a NUL: for
 * stderr. */
struct rep_filter_notes {
	struct tp_buf texts;
};
void rep_filter_notes_release(struct rep_filter_notes *n);
/* Does a note say that there is nothing to see? Of several profiles that is to be told where it is
 * so of all of them. */
bool rep_filter_note_nothing(const char *text);
/* Is this note among them? Behind a ';' is what there is instead, which may differ. */
bool rep_filter_notes_have(const struct rep_filter_notes *n, const char *text);

/* Everything that `opt` asks for, in pprof's order: focus, ignore, hide and show; show_from;
 * tag_focus and tag_ignore; tag_show and tag_hide; prune_from. `notes` may be NULL. TP_EFORMAT for
 * expressions that cannot be understood, TP_ENOMEM, TP_ELIMIT. */
int rep_profile_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		       struct rep_filter_notes *notes, struct tp_err *err);

/* The steps before it, which pprof does when it loads a profile (frames that the profile itself
 * wants dropped; profile.RemoveUninteresting) … */
int rep_profile_drop_frames(struct tp_profile *p, struct tp_err *err);
/* … and before any filter: tag_root and tag_leaf. */
int rep_profile_tag_frames(struct tp_profile *p, const struct rep_profile_options *opt,
			   struct rep_filter_notes *notes, struct tp_err *err);

/* What the three have in common, for other filters: samples for which `keep` says so (by their
 * index) stay. */
void rep_profile_keep_samples(struct tp_profile *p, bool (*keep)(void *ctx, size_t sample),
			      void *ctx);

/* The units of numeric labels, by key: the first that any sample states, else guessed from the key
 * (pprof: Profile.NumLabelUnits). */
struct rep_label_units {
	struct rep_label_unit {
		uint32_t key;
		uint32_t unit; /* string */
		bool mixed;    /* others were stated, too */
	} * item;
	size_t n;
	uint32_t *place; /* by key: its item, counted from 1; 0 none */
	uint32_t nplaces;
};
int rep_label_units_init(struct rep_label_units *u, struct tp_profile *p,
			 struct rep_filter_notes *notes, struct tp_err *err);
void rep_label_units_release(struct rep_label_units *u);
/* "" for a key that is none. */
const char *rep_label_unit(const struct rep_label_units *u, const struct tp_profile *p,
			   uint32_t key);

#endif
