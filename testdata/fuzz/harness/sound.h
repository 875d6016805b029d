/* Sound stores of small dumps, which the target `store` damages and merges. They are made by each
 * process, and are the same in all. */
#ifndef FUZZ_SOUND_H
#define FUZZ_SOUND_H

#include "base/buf.h"

enum sound {
	/* A run each; the last has two, packed for size. */
	SOUND_ERRANDS,
	SOUND_COUNTER,
	SOUND_CATALOG,
	SOUND_TWO,
	/* The same, merged: from here on dictionaries are in pools. */
	SOUND_MERGED,
	/* Two runs that share most of a pool: traces, profiles. */
	SOUND_TRACES = SOUND_MERGED + 4,
	SOUND_PROFILES,
	/* A trace (harness/story.h), and what cutting it may leave in one store. */
	SOUND_WHOLE,
	SOUND_PARTS,  /* all of them */
	SOUND_FIRST,  /* the first generation */
	SOUND_OTHERS, /* the others, as one part */
	SOUND_ENDS,   /* the first and the last, merged */
	SOUND_MIDDLE,
	SOUNDS
};

/* The bytes of a store, which stay the callee's. */
const struct tp_buf *sound_store(enum sound which);

#endif
