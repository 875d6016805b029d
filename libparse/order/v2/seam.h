/* What ordering knows between two generations, as a seam (order/cut.h). */
#ifndef TP_ORDER_V2_SEAM_H
#define TP_ORDER_V2_SEAM_H

#include "order/cut.h"
#include "order/v2/state.h"

/* Fills *seam (all 0 before), which is to be released in every case; 0 or TP_ENOMEM. */
int tp_v2_seam(const struct tp_v2_state *s, int64_t last_ts, struct tp_seam *seam);

#endif
