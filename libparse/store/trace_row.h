/* The row `run` of a trace that has been read. */
#ifndef TP_STORE_TRACE_ROW_H
#define TP_STORE_TRACE_ROW_H

#include "store/store.h"

/* A trace that says no time of day was written when its file was (Unix time, 0 unknown), last event
 * and all. 0 or TP_ENOMEM. */
int tp_trace_file_time(struct tp_trace *t, int64_t file_time_ns);

/* Counts of a dump may be any: what is beyond 64 bits stays at their end. */
void tp_add_count(int64_t *sum, uint64_t n);

/* Fills in what follows from the trace; the rest of *row stays. */
void tp_trace_row(struct tp_run *row, const struct tp_trace *t);

#endif
