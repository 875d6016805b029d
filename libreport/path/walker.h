/* A walker on its way back along a path; the rule is at the head of path.h. Private to
 * libreport/path.
 *
 * A walker stands on a span of a goroutine, at a moment of the segment that is being read. Waits
 * that are being explained are frames on a stack of its own: the wait that began last is on top, so
 * it is the one the walker comes to the beginning of first. A span that began in an earlier segment
 * takes the walker there: it is parked until that segment is read. */
#ifndef REP_PATH_WALKER_H
#define REP_PATH_WALKER_H

#include "path/path.h"
#include "spans/index.h"

struct rep_walk_frame {
	uint32_t goroutine; /* who waited */
	uint32_t chain;	    /* what its other time belongs to */
	int64_t from;	    /* when the wait began … */
	size_t segment;	    /* … in which segment, and there: */
	uint32_t place, moment;
};

enum rep_standing {
	REP_ON_SPAN,  /* at `moment` of the span at `place` */
	REP_AT_START, /* at its beginning: what was before? */
	REP_TO_START, /* parked: at the beginning of the goroutine's last span here */
	REP_TO_FRAME, /* parked: at the beginning of the wait of the top frame */
	REP_TO_BEGIN, /* parked: at the end of the request, which is to be found */
};

struct rep_walker {
	struct rep_path_request *request;
	enum rep_standing standing;
	uint32_t goroutine, place, moment, chain;
	int64_t t, low; /* reached; where the path begins, or what is looked at */
	struct rep_walk_frame *frame;
	size_t nframes, room;
	/* What the next hop ended with. */
	bool linked, creates;
	uint32_t wakes, wakes_reason, wakes_stack, wake_stack;
	/* A hop of being runnable that began in an earlier segment: its stack is found there. */
	bool pending;
	struct rep_path_hop hop;
	/* The hop before, where this one could be the rest of it. */
	struct rep_path_hop last;
	uint32_t next; /* parked for the same segment; TP_NONE */
	bool done;
};

struct rep_walk {
	struct rep_view *v;
	struct rep_path *path;
	struct rep_index index;
	struct rep_walker *walker;
	size_t n;
	uint32_t *parked; /* by segment: the first walker */
	struct rep_keys tasks;
	uint32_t *task_walker; /* by key */
	size_t task_room;
	int64_t left;  /* hops */
	int64_t steps; /* moves; a hop may take several, such as jumps */
	bool keep;     /* every hop */
};

/* Parked until a segment is read, to stand there as `standing` says. */
void rep_walker_park(struct rep_walk *k, struct rep_walker *w, size_t segment,
		     enum rep_standing standing);
/* Stands where it was on its way to (REP_TO_START, REP_TO_FRAME) when it was parked for the segment
 * that has been read. 0, TP_ENOMEM, TP_ELIMIT; so of the others. */
int rep_walker_resume(struct rep_walk *k, struct rep_walker *w);
/* As far back as this segment goes: then it is parked for another one, or done. */
int rep_walker_go(struct rep_walk *k, struct rep_walker *w);
/* Done: nothing of its request was in the trace. */
int rep_walker_unseen(struct rep_walk *k, struct rep_walker *w);

#endif
