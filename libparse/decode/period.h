/* Traces of Go have no place for the period of their CPU samples. tprof-record writes it as a string that no event
 * names, which readers keep in the dictionary of the trace; the reader of perf script's text adds it there. */
#ifndef TP_DECODE_PERIOD_H
#define TP_DECODE_PERIOD_H

#include <stdint.h>

#include "decode/dict.h"

#define TP_CPU_PERIOD	   "tprof-record: ns between CPU samples: "
#define TP_CPU_PERIOD_SIZE (sizeof(TP_CPU_PERIOD) - 1)

/* Returns the period that the first such string at or after *string (an id) says, and sets *string to that id. Returns 0
 * and sets *string to the number of strings if no further string says a period. */
int64_t tp_cpu_period(const struct tp_dict *d, uint32_t *string);

#endif
