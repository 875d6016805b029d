/* The stacks of a profile as its samples name them: lists of frames that are put into the
 * dictionary together. Sorted from the root, each begins like the one before it and goes on with
 * nodes that are not there yet, so that nothing is looked for, and what lies below a node lies
 * behind it. Private to the decoders. */
#ifndef TP_DECODE_PROFILE_PATHS_H
#define TP_DECODE_PROFILE_PATHS_H

#include "decode/dict.h"

/* Path i is frame[end[i - 1] … end[i]), root first. No frame is 0. */
struct tp_paths {
	uint32_t *frame;
	size_t nframes, frame_room;
	size_t *end;
	size_t n, room;
};

/* Makes room for n more frames, which the caller puts at frame[nframes …]. Returns 0 or TP_ENOMEM. */
int tp_paths_room(struct tp_paths *p, size_t n);
/* The frames from the end of the last path up to nframes are the next path: TP_ENOMEM, TP_ELIMIT.
 */
int tp_paths_end(struct tp_paths *p);

/* Puts all paths into a dictionary that has no stacks yet: stack[i] becomes the node of path i.
 * TP_ENOMEM, TP_ELIMIT. */
int tp_paths_put(const struct tp_paths *p, struct tp_dict *d, uint32_t *stack);

void tp_paths_release(struct tp_paths *p);

#endif
