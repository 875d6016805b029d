/* Collects the stacks of a profile as lists of frames and adds them to the dictionary together,
 * sorted from the root. Each then shares a prefix with the one before and continues with new nodes,
 * so no node has to be searched, and all descendants of a node follow it. Private to the decoders.
 */
#ifndef TP_DECODE_PROFILE_PATHS_H
#define TP_DECODE_PROFILE_PATHS_H

#include "decode/dict.h"

/* Path i is frame[end[i - 1] … end[i]), root first. Frames must not be 0. */
struct tp_paths {
	uint32_t *frame;
	size_t nframes, frame_room;
	size_t *end;
	size_t n, room;
};

/* Makes room for n more frames, for the caller to store at frame[nframes …]. Returns 0 or
 * TP_ENOMEM. */
int tp_paths_room(struct tp_paths *p, size_t n);
/* Ends a path: the frames since the last one, up to nframes. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_paths_end(struct tp_paths *p);

/* Adds all paths to a dictionary without stacks and sets stack[i] to the node of path i. Returns 0,
 * TP_ENOMEM or TP_ELIMIT. */
int tp_paths_put(const struct tp_paths *p, struct tp_dict *d, uint32_t *stack);

void tp_paths_release(struct tp_paths *p);

#endif
