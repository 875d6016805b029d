/* Saves as much as possible of a damaged trace.
 *
 * Go's rules order almost nothing after damage, because all Ms wait for the one that lost events.
 * The rule here: when no event can come next, or the earliest one waits for an event that is not in
 * the file, the earliest event is taken. The transitions that must have come before it are inferred,
 * marked (TP_EVF_INFERRED) and counted. Time about which nothing is known is marked (TP_EVF_LOST).
 * The stream of an M is trusted about that M: its events are never moved to another goroutine or P.
 * Those whose goroutine is unknown are dropped and counted as lost.
 *
 * Stages, one file each:
 *   scan.c     collects the batches of a generation, and finds the next batch after damaged bytes
 *   audit.c    cuts batches after the last event that makes sense
 *   await.c    tells whether the event that another one waits for is still to come
 *   repair.c   makes the state fit an event, by inferred transitions
 *   salvage.c  orders a damaged generation */
#ifndef TP_ORDER_V2_SALVAGE_H
#define TP_ORDER_V2_SALVAGE_H

#include "order/v2/order.h"

/* If the earliest event waits, and the next one to be taken is later by more than this, the event that it
 * waits for is searched for. In sound traces this happens only if clocks differ. */
#define TP_V2_PATIENCE_NS 20000

/* Collects the batches of the generation at *offset, skipping anything between them, and moves *offset to the
 * next generation. Sets *whole to false if a part may be missing. Records losses. Returns 0, TP_ENOMEM or
 * TP_ELIMIT. */
int tp_v2_salvage_scan(struct tp_v2_order *o, uint64_t *offset, bool *whole);

/* Returns the offset of the first plausible batch at or after `offset`, or the size of the input. */
uint64_t tp_v2_salvage_find(const struct tp_v2_generation *g, uint64_t offset);

/* Cuts every batch of o->g after the last event that makes sense; if `running`, looks only at events
 * from the cursors on. Records losses, and sets *cut to the number of batches cut. Returns 0 or
 * TP_ENOMEM. */
int tp_v2_salvage_audit(struct tp_v2_order *o, bool running, size_t *cut);

/* Returns whether the event that c waits for is in the rest of the generation. Spends o->work; once
 * that is spent, returns false to salvage and true otherwise. */
bool tp_v2_awaited(struct tp_v2_order *o, const struct tp_v2_cursor *c);

/* Makes the state fit the event of c and appends the inferred events to o->out. Returns false if the event
 * must be dropped. */
bool tp_v2_repair(struct tp_v2_order *o, const struct tp_v2_cursor *c);
/* Infer one transition: g gets a status; m's goroutine leaves it. */
void tp_v2_infer_g(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_g *g,
		   uint8_t status);
void tp_v2_infer_g_gone(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_m *m);

/* Gives the M of c the P that it must have, if there is only one candidate. */
void tp_v2_infer_p(struct tp_v2_order *o, const struct tp_v2_cursor *c);

/* Reads on after a fault at *offset (within the generation o->g if o->ran) until a generation is
 * sound. Returns 1 with *offset after it, 0 at the end of the input, or an error code. */
int tp_v2_salvage(struct tp_v2_order *o, uint64_t *offset, struct tp_v2_cursor *at);

/* From read.c: record the clock and counts of a loaded generation; end a generation. */
int tp_v2_note_generation(struct tp_v2_order *o);
void tp_v2_end_generation(struct tp_v2_order *o);

#endif
