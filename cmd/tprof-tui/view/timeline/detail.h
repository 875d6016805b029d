/* The details of the place under the cursor, with copied texts: the span, its stack, its waker,
 * and the goroutines that it woke. */
#ifndef TUI_TIMELINE_DETAIL_H
#define TUI_TIMELINE_DETAIL_H

#include "base/arena.h"
#include "base/buf.h"
#include "lanes/lanes.h"

#define TL_MOST_FRAMES 200

struct tl_frame {
	const char *function, *file; /* "": unknown */
	int64_t line;
	bool is_site; /* the first frame outside the runtime's plumbing */
};

struct tl_stack {
	struct tl_frame *frame; /* leaf first */
	size_t n;
	bool more; /* some frames were left out */
};

struct tl_detail {
	enum rep_lane_kind kind; /* the row */
	uint32_t index;
	int64_t ns;	  /* the time */
	int64_t from, to; /* the column in which ns was chosen; 0, 0: ns was given */
	bool there;	  /* a goroutine existed there; else only the fields above are set */
	uint32_t goroutine;
	struct rep_moment moment;
	const char *reason;
	const char *outside; /* the cause that ended the wait, if not a goroutine; "": unknown */
	struct tl_stack stack, waker_stack;
	struct rep_goid *woken_id; /* of moment.wakeup */
	struct rep_goid cause_id;  /* of moment.cause */
	struct tp_arena texts;
};

/* The place to describe: a row at a time (groups and tasks have no details). For a goroutine, if `to` is
 * not 0: the longest span in [from, to) of the state that a cell of that range shows. */
struct tl_detail_of {
	struct rep_lane row;
	int64_t ns, from, to;
	const atomic_bool *stop;
};
/* Finds the details, on the worker's thread. The caller releases them in every case. */
int tl_detail_make(struct tl_detail *d, struct rep_lanes *lanes, const struct tl_detail_of *of,
		   struct tp_err *err);
void tl_detail_release(struct tl_detail *d);
/* Returns whether the details hold for this place, too. */
bool tl_detail_holds(const struct tl_detail *d, const struct rep_lane *row, int64_t ns);

/* Writes "main.lock (main.go:12)". */
void tl_frame_text(const struct tl_frame *f, char *text, size_t size);
/* Returns the first frame outside the runtime's plumbing, else the leaf; NULL for an empty stack. */
const struct tl_frame *tl_stack_site(const struct tl_stack *s);

#endif
