/* Private to the decoder of goroutine stacks. */
#ifndef TP_DECODE_PROFILE_GOROUTINES_H
#define TP_DECODE_PROFILE_GOROUTINES_H

#include "decode/profile/legacy.h"
#include "open/dumpline.h"

/* What the line that begins a goroutine's stack says. Texts point into the dump. */
struct tp_goroutine {
	int64_t id;
	struct tp_scan state;  /* "chan receive" */
	struct tp_scan labels; /* "key: value, …" between braces */
	int64_t minutes;       /* that it waits, 0 less than one or not */
	int64_t bubble;	       /* of testing/synctest, 0 none */
	bool locked;	       /* to its thread */
	bool leaked;
	bool cut; /* the line is: what is not whole is left out */
};

/* False when the line, which is of that kind, is none. */
bool tp_goroutine_header(struct tp_scan line, enum tp_dump_line kind, struct tp_goroutine *g);

/* "key: value", quoted where they need it: appended to `labels` (struct tp_label). 0, a negative
 * code, or 1 when they cannot be read. */
int tp_goroutine_labels(struct tp_legacy *l, struct tp_scan text, struct tp_buf *labels);

#endif
