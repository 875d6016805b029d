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
	/* A trace (harness/story.h) and another variant of it. */
	SOUND_STORY,
	SOUND_OTHER,
	SOUNDS
};

/* The bytes of a store, which stay the callee's. */
const struct tp_buf *sound_store(enum sound which);

#endif
