/* Private to the decoder of goroutine stacks. */
#ifndef TP_DECODE_PROFILE_GOROUTINES_H
#define TP_DECODE_PROFILE_GOROUTINES_H

#include "decode/profile/legacy.h"
#include "open/dumpline.h"

/* The first line of a goroutine's stack, parsed. Texts point into the dump. */
struct tp_goroutine {
	int64_t id;
	struct tp_scan state;  /* "chan receive" */
	struct tp_scan labels; /* "key: value, …" between braces */
	int64_t minutes;       /* of waiting; 0: less than one, or not waiting */
	int64_t bubble;	       /* of testing/synctest; 0: not in a bubble */
	bool locked;	       /* to its thread */
	bool leaked;
	bool cut; /* the line is cut; incomplete parts are left out */
};

/* Parses the first line of a stack. Returns false if `kind`, that of the line, is another. */
bool tp_goroutine_header(struct tp_scan line, enum tp_dump_line kind, struct tp_goroutine *g);

/* Parses labels, "key: value", with quotes where necessary, and appends them to `labels` (struct
 * tp_label). Returns 0, a negative code, or 1 if they cannot be parsed. */
int tp_goroutine_labels(struct tp_legacy *l, struct tp_scan text, struct tp_buf *labels);

/* Appends to `out` the addresses among the arguments of a call, " FRAME.WORD=ADDRESS" for each. A
 * text of too many frames or bytes is not continued. Returns 0 or TP_ENOMEM. */
int tp_goroutine_addresses(struct tp_scan args, size_t frame, struct tp_buf *out);

#endif
