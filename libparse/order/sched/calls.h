/* Names of system calls by number. */
#ifndef TP_ORDER_SCHED_CALLS_H
#define TP_ORDER_SCHED_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define TP_SCHED_MACHINES 2

/* Returns the machine that a text was recorded on, as far as its beginning shows it, or -1. */
int tp_sched_machine(const void *data, size_t size);
/* Returns the name of a system call, NULL if it is not known. */
const char *tp_sched_call_name(int machine, int64_t number);

#endif
