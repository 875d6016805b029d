/* Filters by labels; private to the filters. */
#ifndef REP_PROFILE_LABELS_H
#define REP_PROFILE_LABELS_H

#include "profile/filter.h"

/* Applies tag_focus, tag_ignore, tag_show and tag_hide. */
int rep_labels_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		      struct rep_filter_notes *notes, struct tp_err *err);

int rep_filter_note(struct rep_filter_notes *n, const char *text, struct tp_err *err);
#define REP_FILTER_FULL "the profile has too many stacks to be filtered" /* TP_ELIMIT */

/* A range of numbers with units: "32kb", ":64kb", "4mb:", "12kb:64mb". */
struct rep_label_range {
	double low, high;
	bool from, to; /* which of the ends there are */
	char unit[32];
};
/* Returns false for a text that is no range; it is a regular expression then. */
bool rep_label_range_parse(const char *text, struct rep_label_range *r);
bool rep_label_range_holds(const struct rep_label_range *r, int64_t value, const char *unit);

#endif
