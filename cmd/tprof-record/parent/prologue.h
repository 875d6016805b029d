/* How large the frame of a function is, as the instructions with which it begins say (x86-64). The frame pointer
 * follows from that and the stack pointer. */
#ifndef RECORD_PARENT_PROLOGUE_H
#define RECORD_PARENT_PROLOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_PROLOGUE_UNKNOWN UINT64_MAX

/* Returns by how many bytes the stack pointer is below the frame pointer when a function makes a call, by the code in
 * front of its return address; or REC_PROLOGUE_UNKNOWN, also if the function may move its stack pointer later (alloca,
 * arguments on the stack) or may have ended before the call. */
uint64_t rec_prologue_size(const uint8_t *code, size_t n);
/* Returns whether code ends with a call. */
bool rec_prologue_calls(const uint8_t *code, size_t n);

#endif
