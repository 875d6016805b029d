/* Losses and notices of a dump: parts that could not be kept, and remarks for the user. They become
 * rows of the store (tables loss and notice). */
#ifndef TP_DECODE_LEDGER_H
#define TP_DECODE_LEDGER_H

#include <stdint.h>

/* A part that could not be kept. Times are INT64_MIN if unknown. */
struct tp_loss {
	uint64_t offset, bytes; /* range of the decompressed input; 0 bytes if only order is lost */
	int64_t from_ns, to_ns; /* trace clock */
	uint64_t events;	/* lost events (of a profile: samples) that could be counted */
	char reason[192];	/* a sentence; may hold bytes of the input */
};

enum tp_severity { TP_INFO, TP_WARNING, TP_DAMAGE };

struct tp_notice {
	enum tp_severity severity;
	uint64_t offset; /* or TP_OFFSET_NONE */
	char text[192];
};

#endif
