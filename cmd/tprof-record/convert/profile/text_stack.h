/* Stacks in Go's text forms: the addresses of a sample's line, and below it what they are called.
 *
 *	 0x401136 0x401190
 *	#	0x401135	leaf+0x15	/src/x.c:7
 *	#	0x40118f	main+0x1f	/src/x.c:12
 *
 * The address beside a name is that of the call, one before the return address. Inlined calls have the
 * address of the function that they are in. */
#ifndef RECORD_CONVERT_TEXT_STACK_H
#define RECORD_CONVERT_TEXT_STACK_H

#include "base/buf.h"
#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/profile/profile_rows.h"

struct rec_texts {
	const struct rec_process *p;
	struct rec_names *names;
	struct tp_buf *out, scratch;
	int code; /* sticky: nothing is written after a failure */
	/* A stack without frames of the recorder, innermost first. */
	uint64_t pcs[REC_MAX_DEPTH];
	size_t npcs;
};

void rec_text_put(struct rec_texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes the stack of a row the one that is shown. */
void rec_text_load(struct rec_texts *t, const struct rec_row *row);
/* " 0x401136 0x401190" */
void rec_text_addresses(struct rec_texts *t);
/* Writes the lines with names and an empty line, in columns as Go's text/tabwriter makes them. */
void rec_text_frames(struct rec_texts *t, const struct rec_row *row);

#endif
