/* Folded stacks: recognises them, and takes a line apart. Used by recognition and by the decoder
 * (decode/profile/folded.c). */
#ifndef TP_OPEN_FOLDED_H
#define TP_OPEN_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "open/lines.h"

#define TP_FOLDED_PLACES 9

/* A number as it is written, but rounded to TP_FOLDED_PLACES: 12.50 has the digits 1250 and 2
 * places. */
struct tp_folded_count {
	int64_t digits;
	unsigned places;
	bool rounded;
	bool huge; /* it has more digits than fit; digits is 0 */
};

struct tp_folded_line {
	struct tp_scan stack; /* the frames, without blanks around them; not empty */
	struct tp_folded_count count;
	/* What the line is if its last two words are counts: the difference of two runs. */
	bool has_before;
	struct tp_scan stack_before; /* the frames without the first of the two counts */
	struct tp_folded_count before;
};

/* Takes a line apart. Returns false if it is not a stack and a count. */
bool tp_folded_line(struct tp_scan line, struct tp_folded_line *out);
/* Returns whether a line has nothing to be read: it is blank, or begins with '#', but not
 * with "#NAME;" of a stack. */
bool tp_folded_is_comment(struct tp_scan line);
/* Returns whether the first lines of a text are folded stacks: at most one in five is not (lines of a
 * program that wrote to the same file), and at least half of the others have a ';' that no blank follows.
 * The last line is not asked about if it is cut off, unless it is the only one. */
bool tp_folded_is(struct tp_scan text);

#endif
