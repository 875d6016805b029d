/* All about the place under the cursor, in words of its own: the span, its stack, who woke it and
 * whom it woke. */
#ifndef TUI_TIMELINE_DETAIL_H
#define TUI_TIMELINE_DETAIL_H

#include "base/arena.h"
#include "base/buf.h"
#include "lanes/lanes.h"

#define TL_MOST_FRAMES 200
#define TL_MOST_WOKEN  200

struct tl_frame {
	const char *function, *file; /* "" unknown */
	int64_t line;
	bool telling; /* the first that is not plumbing of the runtime */
};

struct tl_stack {
	struct tl_frame *frame; /* leaf first */
	size_t n;
	bool more; /* frames than these */
};

struct tl_detail {
	enum rep_lane_kind kind; /* of what this is: the row, … */
	uint32_t index;
	int64_t ns;	  /* … and the time */
	int64_t from, to; /* of a column: it is the moment in it that shows most; else 0 */
	bool there;	  /* a goroutine was there then; else only the fields above are set */
	uint32_t goroutine;
	struct tp_span span;
	const char *reason;
	const char *outside; /* what ended a wait that no goroutine ended; "" unknown */
	struct tl_stack stack, waker_stack;
	struct rep_wakeup *woken;
	struct rep_goid *woken_id;
	size_t nwoken;
	bool more_woken;
	struct rep_wakeup cause; /* see struct rep_moment */
	struct rep_goid cause_id;
	struct tp_arena texts;
};

/* What details are wanted of: a row (a group or task has nothing to say) at a time, or, of a
 * goroutine where `to` is not 0, in [from, to): there it is the longest span of the state that a
 * cell of that shows. */
struct tl_detail_of {
	struct rep_lane row;
	int64_t ns, from, to;
	const atomic_bool *stop;
};
/* On the worker's thread. To be released in every case. */
int tl_detail_make(struct tl_detail *d, struct rep_lanes *lanes, const struct tl_detail_of *of,
		   struct tp_err *err);
void tl_detail_release(struct tl_detail *d);
/* Does it hold for this place, too? */
bool tl_detail_holds(const struct tl_detail *d, const struct rep_lane *row, int64_t ns);

/* "main.lock (main.go:12)" */
void tl_frame_text(const struct tl_frame *f, char *text, size_t size);
/* The frame that tells most, NULL for none. */
const struct tl_frame *tl_stack_site(const struct tl_stack *s);

#endif
