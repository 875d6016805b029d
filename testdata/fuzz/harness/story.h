/* A trace of three generations, told in few events: what is alive, blocked, in a system call or
 * under way (a task, a region, a mark phase, a stop of the world, a sweep) where one ends is so
 * where the next begins. Recorded ones have a thousand times as many. */
#ifndef FUZZ_STORY_H
#define FUZZ_STORY_H

#include "base/buf.h"

/* Appends the trace. Those of other `variant`s have other times and one other stack, and the rest
 * of the dictionary in common. */
void story_tell(unsigned variant, struct tp_buf *out);

#endif
