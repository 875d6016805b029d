/* Reads the stacks of threads that wait where no hook sees it, without stopping them: /proc/PID/task/TID/syscall
 * has the stack pointer and the PC of a thread that is on no processor, and process_vm_readv its stack. Other registers
 * are not known; see outside.c.
 *
 * One thread of the recorder does that for all images, for waits of at least REC_OUTSIDE_NS. After the first
 * 50 ms it takes at most 2 % of one processor: if there are too many waits, it leaves some out. */
#ifndef RECORD_PARENT_OUTSIDE_H
#define RECORD_PARENT_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof-record/convert/process.h"
#include "tprof-record/parent/image.h"
#include "tprof-record/parent/switches.h"

enum { REC_OUTSIDE_NS = 10000000, REC_OUTSIDE_BEGIN_MS = 5 };

struct rec_outside;

/* What was read of a process. */
struct rec_outside_looks;

/* Returns NULL if there are no switches, or no memory; all functions take NULL. */
struct rec_outside *rec_outside_begin(struct rec_switches *switches);
/* Starts the thread, if there is memory: some ms after the program, as no wait is long enough before. */
void rec_outside_start(struct rec_outside *o);
void rec_outside_end(struct rec_outside *o);

/* Begins and ends with an image, which lives in between. rec_outside_remove returns what was read, or NULL. */
void rec_outside_add(struct rec_outside *o, struct rec_image *image);
struct rec_outside_looks *rec_outside_remove(struct rec_outside *o, struct rec_image *image);

void rec_outside_free(struct rec_outside_looks *looks);
/* Adds the stacks to the copy of the process's arena, as far as there is room, and sets its looks, which last as long
 * as `looks`. Sets *denied if a thread could not be looked at (ptrace, seccomp). */
void rec_outside_put(struct rec_outside_looks *looks, struct rec_process *p, bool *denied);

#endif
