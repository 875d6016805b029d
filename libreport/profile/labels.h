/* The part of the filters that looks at labels; private to them. */
#ifndef REP_PROFILE_LABELS_H
#define REP_PROFILE_LABELS_H

#include "profile/filter.h"

/* tag_focus, tag_ignore, tag_show, tag_hide. */
int rep_labels_filter(struct tp_profile *p, const struct rep_profile_options *opt,
		      struct rep_filter_notes *notes, struct tp_err *err);

int rep_filter_note(struct rep_filter_notes *n, const char *text, struct tp_err *err);
int rep_filter_fail(struct tp_err *err, int code);
#ifdef TP_ANALYZER
#define rep_filter_fail(err, code) (rep_filter_fail(err, code), (code))
#endif

/* A range of numbers with units: "32kb", ":64kb", "4mb:", "12kb:64mb". */
struct rep_label_range {
	double low, high;
	bool from, to; /* which ends count */
	char unit[32];
};
/* False where the text is none (then it is a regular expression). */
bool rep_label_range_parse(const char *text, struct rep_label_range *r);
bool rep_label_range_holds(const struct rep_label_range *r, int64_t value, const char *unit);

#endif
