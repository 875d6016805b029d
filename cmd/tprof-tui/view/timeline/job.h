/* A job for a timeline, with the arguments and results of all kinds. */
#ifndef TUI_TIMELINE_JOB_H
#define TUI_TIMELINE_JOB_H

#include "base/units.h"
#include "tprof-tui/view/timeline/timeline.h"

struct tl_job {
	struct tui_job job;
	enum tl_ask ask;

	/* arguments */
	struct tl_window window;
	struct rep_lane *row; /* of a picture, of a search; names must not be used */
	size_t nrows;
	struct rep_lane lane; /* of a moment; the result of a search */
	int64_t ns;	      /* likewise */
	int64_t from, to;     /* of a moment: see tl_detail_of */
	int step, col;
	char *text;    /* lower case */
	uint32_t only; /* see rep_lanes_step */
	bool *member;  /* selected goroutines, by index; NULL: all */
	size_t nmembers;
	int delay_ms;

	/* results */
	int code;
	struct tl_roster roster;
	int64_t duration;
	struct tl_picture picture;
	struct tl_detail detail;
	struct rep_event_at event; /* also an argument: where to start */
	struct tl_wait *wait;
	size_t nwaits;
	bool found;
};

/* On the worker's thread. */
int tl_job_work(struct tui_job *job, struct tp_store *store, struct tp_err *err);

#endif
