/* Filters on the samples and frames of a profile, with pprof's rules (profile/filter.go, prune.go,
 * internal/driver/{driver_focus,tagroot}.go).
 *
 * All of them change the profile: they remove samples or give them other stacks. New stacks are
 * added to its dictionary, where the old ones stay unused. Each stack is decided once, however many
 * samples and stacks share it. */
#ifndef REP_PROFILE_FILTER_H
#define REP_PROFILE_FILTER_H

#include "base/buf.h"
#include "base/err.h"
#include "decode/profile.h"
#include "profile/options.h"
#include "base/regex.h"

/* Sentences for standard error, each ended by a NUL: filters that matched nothing, sample types
 * without values. */
struct rep_filter_notes {
	struct tp_buf texts;
};
void rep_filter_notes_release(struct rep_filter_notes *n);
/* Returns whether a note says that the report will be empty. With several profiles, such a note is
 * printed only if all of them have it. */
bool rep_filter_note_nothing(const char *text);
/* Returns whether the notes contain this one. The part after a ';', which suggests what to use
 * instead, may differ. */
bool rep_filter_notes_have(const struct rep_filter_notes *n, const char *text);

/* Applies the filters of `opt` in pprof's order: focus, ignore, hide and show; show_from; tag_focus
 * and tag_ignore; tag_show and tag_hide; prune_from. `notes` may be NULL. Errors: TP_EFORMAT for
 * invalid expressions, TP_ENOMEM, TP_ELIMIT. */
int rep_profile_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		       struct rep_filter_notes *notes, struct tp_err *err);

/* Removes the frames that the profile itself wants dropped, which pprof does when it loads a
 * profile (profile.RemoveUninteresting). */
int rep_profile_drop_frames(struct tp_profile *p, struct tp_err *err);
/* Adds the frames of tag_root and tag_leaf. Must be called before all filters. */
int rep_profile_tag_frames(struct tp_profile *p, const struct rep_profile_options *opt,
			   struct rep_filter_notes *notes, struct tp_err *err);

/* Removes the samples for which `keep` returns false. For other filters. */
void rep_profile_keep_samples(struct tp_profile *p, bool (*keep)(void *ctx, size_t sample),
			      void *ctx);

/* The units of numeric labels, by key: the first unit that a sample states, else guessed from the
 * key (pprof: Profile.NumLabelUnits). */
struct rep_label_units {
	struct rep_label_unit {
		uint32_t key;
		uint32_t unit; /* string */
		bool mixed;    /* samples state other units as well */
	} * item;
	size_t n;
	uint32_t *place; /* by key: index of its item + 1, or 0 */
	uint32_t nplaces;
};
int rep_label_units_init(struct rep_label_units *u, struct tp_profile *p,
			 struct rep_filter_notes *notes, struct tp_err *err);
void rep_label_units_release(struct rep_label_units *u);
/* Returns the unit of a key, "" for a key without numbers. */
const char *rep_label_unit(const struct rep_label_units *u, const struct tp_profile *p,
			   uint32_t key);

#endif
