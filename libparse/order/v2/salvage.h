/* Keeping what can be kept of a damaged trace.
 *
 * Go's rules order almost nothing behind a damage, because one M's lost buffer stalls all others.
 * The rule here: when nothing can come next, or the earliest event waits for something that is not
 * in the file, the earliest event is taken; the transitions that must have come before it are
 * inferred, marked (TP_EVF_INFERRED) and counted; time of which nothing is known is marked as such
 * (TP_EVF_LOST). An M's own stream is the truth about that M: events of it are never moved to
 * another goroutine or P, and those whose goroutine is unknown are dropped and counted as lost.
 *
 * Stages, one file each:
 *   scan.c     batches of a generation, finding the next batch behind bytes that are none
 *   audit.c    the part of every batch that makes sense by itself
 *   await.c    is what an event waits for still to come?
 *   repair.c   the state made to fit an event, by inferred transitions
 *   salvage.c  a damaged generation ordered, and what it leaves behind put right */
#ifndef TP_ORDER_V2_SALVAGE_H
#define TP_ORDER_V2_SALVAGE_H

#include "order/v2/order.h"

/* How much later than the earliest event another one may be taken before it is asked whether what
 * the earliest waits for exists at all. Sound traces reach that only where clocks differ. */
#define TP_V2_PATIENCE_NS 20000

/* Collects the batches of the generation at *offset whatever stands between them, and moves *offset
 * to the next one. *whole is false if something of it may be missing. Losses are recorded. 0, or
 * TP_ENOMEM or TP_ELIMIT. */
int tp_v2_salvage_scan(struct tp_v2_order *o, uint64_t *offset, bool *whole);

/* Offset of the first plausible batch at or behind `offset`, or the size of the input. */
uint64_t tp_v2_salvage_find(const struct tp_v2_generation *g, uint64_t offset);

/* Cuts every batch of o->g behind the last event that makes sense, from the current position of the
 * cursors where `running`. Losses are recorded; *cut counts the batches cut. 0 or TP_ENOMEM. */
int tp_v2_salvage_audit(struct tp_v2_order *o, bool running, size_t *cut);

/* Is the event that c waits for somewhere in what is left of the generation? Costs o->work; when
 * that is used up, the answer is yes, or no to salvage. */
bool tp_v2_awaited(struct tp_v2_order *o, const struct tp_v2_cursor *c);

/* Makes the state fit the event of c, appending inferred events to o->out; false when the event
 * cannot be placed and is to be dropped. */
bool tp_v2_repair(struct tp_v2_order *o, const struct tp_v2_cursor *c);
/* The same for one thing: g gets a status, m's goroutine is gone, p goes idle. */
void tp_v2_infer_g(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_g *g,
		   uint8_t status);
void tp_v2_infer_g_gone(struct tp_v2_order *o, const struct tp_v2_cursor *c, struct tp_v2_m *m);

/* The M of c gets the P that it must have, where there is no doubt which. */
void tp_v2_infer_p(struct tp_v2_order *o, const struct tp_v2_cursor *c);

/* Reads on after a fault at *offset (o->ran: within the generation o->g) until a generation is
 * sound again: 1 with *offset behind it, 0 at the end of the input, or an error code. */
int tp_v2_salvage(struct tp_v2_order *o, uint64_t *offset, struct tp_v2_cursor *at);

/* From read.c: the clock and counts of a loaded generation; what to do when it is over. */
int tp_v2_note_generation(struct tp_v2_order *o);
void tp_v2_end_generation(struct tp_v2_order *o);

#endif
