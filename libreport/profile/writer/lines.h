/* A list of texts, sorted by their bytes: pprof orders labels by the text that it writes for them.
 * A zeroed list is valid and empty. */
#ifndef REP_PROFILE_WRITER_LINES_H
#define REP_PROFILE_WRITER_LINES_H

#include <stddef.h>

#include "base/buf.h"
#include "decode/dict.h"
#include "decode/profile.h"

struct rep_lines_span {
	size_t at;
	size_t size; /* these are set by rep_lines_sort */
	const uint8_t *data;
};

struct rep_lines {
	struct tp_buf bytes; /* the texts, one after another */
	struct tp_buf spans; /* struct rep_lines_span, one for each */
};

void rep_lines_clear(struct rep_lines *l);
void rep_lines_release(struct rep_lines *l);
/* Begins a new text, which is the data appended to `bytes` from now on. */
void rep_lines_begin(struct rep_lines *l);
/* Sorts the texts. Returns 0; or TP_ENOMEM, with an empty list, if adding to `bytes` failed. */
int rep_lines_sort(struct rep_lines *l);
size_t rep_lines_n(const struct rep_lines *l);
struct tp_text rep_lines_at(const struct rep_lines *l, size_t i);

/* Returns how many labels of a set, from index i on, share a key and are all numeric or all not.
 * Labels of a set are sorted by key (decode/profile.h). */
size_t rep_labels_of_key(const struct tp_profile *p, const struct tp_label_set *set, size_t i);

#endif
