/* The reports of a decoder about a dump: losses, and notices for users. Both become rows of the
 * store (tables loss and notice). */
#ifndef TP_DECODE_LEDGER_H
#define TP_DECODE_LEDGER_H

#include <stdint.h>

/* Data that could not be kept. Times are INT64_MIN if they are unknown. */
struct tp_loss {
	uint64_t offset;	/* of the first lost byte in the decompressed input; 0: unknown */
	uint64_t bytes;		/* lost; 0: none (events out of order), or an unknown number */
	int64_t from_ns, to_ns; /* trace clock */
	uint64_t events;  /* events (of a profile: samples) lost, as far as they could be counted */
	char reason[192]; /* a sentence; may hold bytes of the input */
};

enum tp_severity { TP_INFO, TP_WARNING, TP_DAMAGE };

struct tp_notice {
	enum tp_severity severity;
	uint64_t offset; /* or TP_OFFSET_NONE */
	char text[192];
};

#endif
