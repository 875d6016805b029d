/* What a decoder tells about a dump beside its content: what could not be kept, and what a reader
 * should know. Both become rows of the store (tables loss and notice). */
#ifndef TP_DECODE_LEDGER_H
#define TP_DECODE_LEDGER_H

#include <stdint.h>

/* What could not be kept. Times are INT64_MIN where unknown. */
struct tp_loss {
	uint64_t offset, bytes; /* range of the decompressed input; bytes 0 for a lost order only */
	int64_t from_ns, to_ns; /* trace clock */
	uint64_t events;	/* events (of a profile: samples) lost, as far as they could be counted */
	char reason[192];	/* a sentence; may hold bytes of the input */
};

enum tp_severity { TP_INFO, TP_WARNING, TP_DAMAGE };

struct tp_notice {
	enum tp_severity severity;
	uint64_t offset; /* TP_OFFSET_NONE when there is none */
	char text[192];
};

#endif
