/* Makes the row of table `run` of a trace that has been read. */
#ifndef TP_STORE_TRACE_ROW_H
#define TP_STORE_TRACE_ROW_H

#include "store/store.h"

/* Gives a trace without a time of day that of its file (Unix time, 0 if unknown) as the time of its last event.
 * Returns 0 or TP_ENOMEM. */
int tp_trace_file_time(struct tp_trace *t, int64_t file_time_ns);

/* Adds a count of a dump, which may be any number. The sum stays at INT64_MAX once it reaches that. */
void tp_add_count(int64_t *sum, uint64_t n);

/* Fills in the columns that follow from the trace, and no others. */
void tp_trace_row(struct tp_run *row, const struct tp_trace *t);

#endif
