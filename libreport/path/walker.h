/* A walker goes back along the path of a request by the rule in path.h. Private to libreport/path.
 *
 * It is on a span of a goroutine, at a moment of the segment that is being read. It has a stack of frames for
 * the waits that it is explaining; the wait that began last is on top, because the walker reaches its
 * beginning first. If a span began in an earlier segment, the walker is parked until that segment is
 * read. */
#ifndef REP_PATH_WALKER_H
#define REP_PATH_WALKER_H

#include "path/path.h"
#include "spans/index.h"

struct rep_walk_frame {
	uint32_t goroutine; /* the one that waited */
	uint32_t chain;	    /* the chain of the time before the wait */
	int64_t from;	    /* when the wait began */
	size_t segment;	    /* the segment in which it began, and the place there: */
	uint32_t place, moment;
};

enum rep_standing {
	REP_ON_SPAN,  /* at `moment` of the span at `place` */
	REP_AT_START, /* at its beginning; the span before it is to be found */
	REP_TO_START, /* parked: at the beginning of the goroutine's last span here */
	REP_TO_FRAME, /* parked: at the beginning of the wait of the top frame */
	REP_TO_BEGIN, /* parked: at the end of the request, whose span is to be found */
};

struct rep_walker {
	struct rep_path_request *request;
	enum rep_standing standing;
	uint32_t goroutine, place, moment, chain;
	int64_t t, low; /* the time reached; where the path, or the time range, begins */
	struct rep_walk_frame *frame;
	size_t nframes, room;
	/* The wake-up (or creation) with which the next hop ends. */
	bool linked, creates;
	uint32_t wakes, wakes_reason, wakes_stack, wake_stack;
	/* A runnable hop that began in an earlier segment, where its stack will be found. */
	bool pending;
	struct rep_path_hop hop;
	/* The hop before this one, which this one may continue. */
	struct rep_path_hop last;
	uint32_t next; /* the next walker parked for the same segment, or TP_NONE */
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
	int64_t left;  /* hops until the limit */
	int64_t steps; /* moves until the limit; a hop may take several */
	bool keep;     /* keep every hop */
	bool ends;     /* a path follows a task: the ends of tasks are read */
};

/* Parks a walker until a segment is read; `standing` says where it is then. */
void rep_walker_park(struct rep_walk *k, struct rep_walker *w, size_t segment,
		     enum rep_standing standing);
/* Places a walker that was parked (REP_TO_START, REP_TO_FRAME) in the segment that has been read.
 * This and the others return 0, TP_ENOMEM or TP_ELIMIT. */
int rep_walker_resume(struct rep_walk *k, struct rep_walker *w);
/* Walks back to the beginning of this segment; then the walker is parked for another one, or done. */
int rep_walker_go(struct rep_walk *k, struct rep_walker *w);
/* Ends a walker whose request is not in the trace. */
int rep_walker_unseen(struct rep_walk *k, struct rep_walker *w);

#endif
