/* The inside of rec_trace_write: records become what Go's tracer would have seen. Private to
 * convert/legalise*.c, v1*.c, v2*.c and trace.c.
 *
 *	streams   the records of every kernel thread as a list; all lists merged by time, twice
 *	pairs     first time: who woke whom, how goroutines are called, where the trace begins
 *	story     second time: each record as transitions of goroutines, Ms and Ps that are legal
 *	          whatever the records say, handed to
 *	writer    one per format
 *
 * A record that took time (BLOCK, SYSCALL) is met twice: when it began and when it ended. */
#ifndef RECORD_CONVERT_LEGALISE_H
#define RECORD_CONVERT_LEGALISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/table.h"
#include "tprof-record/convert/trace/trace.h"

#define REC_NO_RECORD UINT32_MAX

/* What is kept of each record besides itself. Numbers of records are + 1, 0 ends. */
struct rec_link {
	uint32_t next;	/* of the same M */
	uint32_t other; /* POST: the one before whose object has the same hash; BLOCK: somebody woke
			   it */
	uint32_t woken; /* POST: whose wait it ended; BLOCK: who else was woken by the same post */
};

/* ---- goroutines, Ms ---- */

enum rec_g_state {
	REC_G_NONE, /* not created yet */
	REC_G_RUNNABLE,
	REC_G_RUNNING,
	REC_G_WAITING,
	REC_G_SYSCALL,
	REC_G_DEAD
};

struct rec_region {
	uint64_t task;
	uint32_t name; /* string of the process */
};

struct rec_task {
	uint64_t id;
	bool open;
};

struct rec_goroutine {
	uint32_t id;
	uint8_t state;	   /* enum rec_g_state */
	bool seen;	   /* it did something itself */
	bool created;	   /* a record says so */
	bool user;	   /* one of the program's own */
	bool ready;	   /* made runnable before it had stopped */
	bool hosting;	   /* waits while one of the program's own runs on its M */
	uint8_t at_start;  /* enum rec_g_state, where the trace begins in the middle */
	uint32_t m;	   /* where it runs or is in a system call: index + 1 */
	uint32_t home;	   /* M on which it was first met: index + 1 */
	const char *name;  /* of the thread; NULL unknown */
	uint32_t stack;	   /* the first that is known */
	uint64_t entry;	   /* of its start routine */
	uint32_t creation; /* v2: stack of its name, once it is known; UINT32_MAX not yet */
	uint32_t wait_stack;
	uint64_t seq;	/* v2: in this generation */
	uint32_t alive; /* place in the list of those that are, + 1 */
	struct rec_region *regions;
	uint32_t nregions, region_room;
	struct tp_buf text; /* of the next log */
};

struct rec_machine {
	uint32_t id;   /* the records' m */
	uint64_t wire; /* what it is called in the trace: the kernel's tid, if no other has it */
	int32_t p;     /* -1 none */
	uint32_t g;    /* that runs, or is in a system call: index + 1 */
	uint32_t own;  /* the goroutine that is this thread: index + 1 */
	uint32_t tid;
	bool in_call; /* a system call that keeps its P */
	/* Its records, where the merge is in them, and when that happened. */
	uint32_t first, last, at;
	bool ending; /* at the end of the record */
	uint64_t time, before;
	const struct rec_event *present; /* what it is in at the end, NULL nothing */
};

struct rec_p {
	uint32_t m;	/* that has it: index + 1 */
	uint64_t seq;	/* v2 */
	bool mentioned; /* v2: in this generation */
};

struct rec_writer;

struct rec_story {
	const struct rec_process *p;
	struct rec_names *names;
	struct rec_writer *w;
	struct tp_err *err;

	struct rec_link *links;
	uint32_t nlinks;
	struct rec_machine *ms;
	uint32_t nms;
	struct rec_goroutine *gs;
	uint32_t ngs;
	size_t room_ms, room_gs;
	struct tp_table m_by_id, g_by_id; /* by what records call them */
	uint32_t latest_g, latest_m;	  /* looked up last: index + 1 */
	uint64_t seed;
	uint64_t earliest, latest; /* times that can be */
	bool in_middle;		   /* the trace begins while the program runs … */
	uint64_t on, off;	   /* … then; and ends */
	uint64_t last_on, first_off;

	/* the merge */
	uint32_t *heap;
	uint32_t nheap;

	/* pairs */
	uint32_t *posts; /* by hash of the object: the last post, record + 1 */
	uint32_t npost_slots;

	/* story */
	uint64_t now; /* of the last event that was written */
	bool writing; /* the trace is on */
	struct rec_p *ps;
	uint32_t nps, announced;
	size_t room_ps;
	uint32_t free_p; /* no P below it is free */
	uint32_t *alive; /* goroutines: indexes */
	uint32_t nalive;
	size_t room_alive;
	struct rec_task *tasks; /* that have begun */
	uint32_t ntasks;
	size_t room_tasks;
	struct tp_table task_by_id;
	struct rec_trace_result result;
};

/* ---- streams (legalise_stream.c) ---- */

/* One moment of a record. */
struct rec_step {
	const struct rec_event *event;
	uint32_t record; /* REC_NO_RECORD: what a thread is in at the end */
	uint32_t m;	 /* index */
	bool began;	 /* of BLOCK and SYSCALL: it begins, else it is over */
	uint64_t time;
};

/* Lists the records by M; what cannot be (a kind or a time that is none) is left out and counted.
 */
int rec_streams_new(struct rec_story *s);
/* From the beginning (again). */
void rec_streams_rewind(struct rec_story *s);
/* In the order of time, those of one M in theirs. False at the end. */
bool rec_streams_next(struct rec_story *s, struct rec_step *step);
/* The record of M that comes next; NULL none. */
const struct rec_event *rec_streams_peek(const struct rec_story *s, uint32_t m);

static inline bool rec_takes_time(const struct rec_event *e)
{
	return e->kind == REC_BLOCK || e->kind == REC_SYSCALL;
}

/* A trace that is switched on says how everything is, at that very moment: threads are started,
 * goroutines of the program's own are made, and run, or stop without having run. All of it is
 * written by one thread, in between what others write. */
static inline bool rec_is_state(const struct rec_story *s, const struct rec_event *e)
{
	return s->in_middle && e->end == s->on && !rec_takes_time(e);
}

/* ---- tables (legalise_tables.c); NULL and TP_ENOMEM when memory is out ---- */

struct rec_goroutine *rec_story_g(struct rec_story *s, uint32_t id);
struct rec_machine *rec_story_m(struct rec_story *s, uint32_t id);
/* The lowest P that is free becomes m's. */
int rec_story_take_p(struct rec_story *s, struct rec_machine *m);
void rec_story_give_p(struct rec_story *s, struct rec_machine *m);
/* Adds to, takes from the list of those that are alive. */
int rec_story_alive(struct rec_story *s, struct rec_goroutine *g);
void rec_story_dead(struct rec_story *s, struct rec_goroutine *g);
/* Tasks (not 0) that have begun and not ended; *was: that one had begun already. */
int rec_story_open_task(struct rec_story *s, uint64_t task, bool *was);
void rec_story_close_task(struct rec_story *s, uint64_t task);
void rec_story_release(struct rec_story *s);

static inline struct rec_machine *rec_m_of(const struct rec_story *s, const struct rec_goroutine *g)
{
	return g->m ? &s->ms[g->m - 1] : NULL;
}
static inline uint32_t rec_index_of_g(const struct rec_story *s, const struct rec_goroutine *g)
{
	return (uint32_t)(g - s->gs);
}
static inline struct rec_goroutine *rec_g_of(const struct rec_story *s, const struct rec_machine *m)
{
	return m->g ? &s->gs[m->g - 1] : NULL;
}

/* ---- the two passes ---- */

int rec_pairs_find(struct rec_story *s); /* legalise_pairs.c */
int rec_story_tell(struct rec_story *s); /* legalise.c */

/* A record that is told. */
struct rec_telling {
	const struct rec_step *step;
	const struct rec_event *event;
	struct rec_machine *m;
	struct rec_goroutine *g; /* NULL: of nobody */
};

/* ---- moves (legalise_moves.c): states and events at once; what a writer returns ---- */

/* Who is there when the trace begins, and what it does then. */
int rec_story_begin(struct rec_story *s);
/* g runs on m, whatever must have happened for that. *ok is false where it cannot, being over. */
int rec_story_bring(struct rec_story *s, struct rec_machine *m, struct rec_goroutine *g,
		    uint32_t stack, bool *ok);
/* The same of the record's goroutine, if it is of one. */
static inline int rec_story_bring_own(struct rec_story *s, const struct rec_telling *t, bool *ok)
{
	*ok = t->g != NULL;
	return t->g ? rec_story_bring(s, t->m, t->g, t->event->stack, ok) : 0;
}
/* by: NULL nobody that is known. */
int rec_story_create(struct rec_story *s, struct rec_machine *by, struct rec_goroutine *g,
		     uint32_t stack);
int rec_story_unblock(struct rec_story *s, struct rec_machine *by, struct rec_goroutine *g,
		      uint32_t stack);
/* What runs on m does so no more; its P stays. reason: enum rec_reason or REC_NREASONS. */
int rec_story_block(struct rec_story *s, struct rec_machine *m, uint32_t reason, uint32_t stack);
int rec_story_end(struct rec_story *s, struct rec_machine *m);
/* What is in a system call on m runs again. */
int rec_story_end_call(struct rec_story *s, struct rec_machine *m);
int rec_story_drop_p(struct rec_story *s, struct rec_machine *m);
/* Behind the end or the stop of one of the program's own: the thread looks for another, or goes on
 * with what it did itself. Until it starts the next one its P has nothing to run, as with Go. */
int rec_story_go_on(struct rec_story *s, struct rec_machine *m);

/* ---- tasks, regions, logs, labels (legalise_notes.c) ---- */

/* Records that are none of these are passed over. */
int rec_story_note(struct rec_story *s, const struct rec_telling *t);

static inline void rec_story_contradict(struct rec_story *s)
{
	s->result.contradictions++;
}

/* ---- writers ---- */

/* What a writer is told: one transition, which is one event or what the format has for it. */
enum rec_move {
	REC_MOVE_P_START, /* m has just taken a P */
	REC_MOVE_P_STOP,
	REC_MOVE_PROCS, /* there are more Ps than before */
	/* m creates g. It may be the new goroutine's own M, with a P and nothing running. */
	REC_MOVE_CREATE,
	REC_MOVE_START,
	/* REC_ON_YIELD leaves it runnable; REC_NREASONS: one of the program's own runs instead. */
	REC_MOVE_BLOCK,
	REC_MOVE_UNBLOCK, /* m wakes g */
	REC_MOVE_END,
	/* A system call begins; loses its P; ends with the P it had; ends otherwise (before a P is
	 * taken, and behind that). */
	REC_MOVE_CALL,
	REC_MOVE_CALL_BLOCKS,
	REC_MOVE_CALL_ENDS,
	REC_MOVE_CALL_LEAVES,
	REC_MOVE_CALL_BACK
};

struct rec_writer {
	/* The state of everything, where the trace begins. */
	int (*begin)(struct rec_writer *w);
	/* Called before each record. */
	int (*pause)(struct rec_writer *w);
	/* Moves g to another state. m is where it happens; for CREATE and UNBLOCK it is NULL if the
	 * creator or waker is not known. `reason` is for BLOCK. */
	int (*move)(struct rec_writer *w, enum rec_move what, struct rec_machine *m,
		    struct rec_goroutine *g, uint32_t reason, uint32_t stack);
	/* Tasks, regions, logs, labels of what runs on m; NULL where the format has none. */
	int (*note)(struct rec_writer *w, struct rec_machine *m, const struct rec_event *event);
	int (*finish)(struct rec_writer *w);
	void (*free)(struct rec_writer *w);
	struct rec_story *story;
};

/* The time of the next event: not before `now`, and later than the one before. */
static inline uint64_t rec_story_tick(struct rec_story *s)
{
	s->result.events++;
	return s->now++;
}

/* A transition, unless the trace is off. */
#define REC_MOVE(s, what, m, g, reason, stack)                                                     \
	((s)->writing ? (s)->w->move((s)->w, REC_MOVE_##what, m, g, reason, stack) : 0)

/* *w is NULL after an error. */
int rec_v1_writer_new(struct rec_writer **w, struct rec_story *s, const struct tp_out *out,
		      struct tp_err *err);
int rec_v2_writer_new(struct rec_writer **w, struct rec_story *s, const struct tp_out *out,
		      struct tp_err *err);

#endif
