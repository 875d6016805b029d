/* The inside of rec_trace_write: turns records into what Go's tracer would have written. Private to
 * convert/trace.
 *
 *	streams   the records of every kernel thread as a list; all lists merged by time, twice
 *	pairs     first pass: wakers, names of goroutines, the beginning of the trace
 *	tracer    second pass: each record as transitions of goroutines, Ms and Ps, legal whatever the
 *	          records say, which go to
 *	writer    one per format
 *
 * Both passes meet a record with a duration (BLOCK, SYSCALL) twice: at its start and at its end. */
#ifndef RECORD_CONVERT_TRACER_H
#define RECORD_CONVERT_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/table.h"
#include "tprof-record/convert/trace/trace.h"

#define REC_NO_RECORD UINT32_MAX

/* Links of each record. Numbers of records are + 1, 0 ends a list. */
struct rec_link {
	uint32_t next;	/* of the same M */
	uint32_t other; /* POST: the post before with the same hash of its object; BLOCK: not 0 if a
			   post woke it */
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
	/* Its records, and where the merge is in them. */
	uint32_t first, last, at;
	bool ending; /* the merge is at the end of the record */
	uint64_t time, before;
	const struct rec_event *present; /* the wait it is in when the trace ends; NULL: none */
};

struct rec_p {
	uint32_t m;	/* that has it: index + 1 */
	uint64_t seq;	/* v2 */
	bool mentioned; /* v2: in this generation */
};

struct rec_writer;

struct rec_tracer {
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
	uint64_t earliest, latest; /* bounds of valid times */
	bool in_middle;		   /* the trace begins while the program runs … */
	uint64_t on, off;	   /* … then; and ends */
	uint64_t last_on, first_off;

	/* the merge */
	uint32_t *heap;
	uint32_t nheap;

	/* pairs */
	uint32_t *posts; /* by hash of the object: the last post, record + 1 */
	uint32_t npost_slots;

	/* second pass */
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

/* ---- streams (tracer_stream.c) ---- */

/* One moment of a record. */
struct rec_step {
	const struct rec_event *event;
	uint32_t record; /* REC_NO_RECORD: the wait that a thread is in when the trace ends */
	uint32_t m;	 /* index */
	bool began;	 /* the start of a BLOCK or SYSCALL, else the end */
	uint64_t time;
};

/* Lists the records by M; leaves out and counts records whose kind or time is not valid. */
int rec_streams_new(struct rec_tracer *s);
/* Goes (back) to the beginning. */
void rec_streams_rewind(struct rec_tracer *s);
/* Returns steps in the order of time, those of one M in the order of its records. False at the end.
 */
bool rec_streams_next(struct rec_tracer *s, struct rec_step *step);
/* Returns the next record of M, or NULL at its end. */
const struct rec_event *rec_streams_peek(const struct rec_tracer *s, uint32_t m);

static inline bool rec_takes_time(const struct rec_event *e)
{
	return e->kind == REC_BLOCK || e->kind == REC_SYSCALL;
}

/* Returns whether a record belongs to the state that a trace begins with (api/state.c). One thread
 * writes it, between the records of others: threads start, goroutines of the program's own are
 * created, and run, or stop without having run. */
static inline bool rec_is_state(const struct rec_tracer *s, const struct rec_event *e)
{
	return s->in_middle && e->end == s->on && !rec_takes_time(e);
}

/* ---- tables (tracer_tables.c); NULL or TP_ENOMEM if memory is out ---- */

/* Return the goroutine or M that records call `id`; the first call adds it. */
struct rec_goroutine *rec_tracer_g(struct rec_tracer *s, uint32_t id);
struct rec_machine *rec_tracer_m(struct rec_tracer *s, uint32_t id);
/* Gives m the lowest free P, or takes its P back. */
int rec_tracer_take_p(struct rec_tracer *s, struct rec_machine *m);
void rec_tracer_give_p(struct rec_tracer *s, struct rec_machine *m);
/* Adds to and removes from the list of goroutines that are alive. */
int rec_tracer_alive(struct rec_tracer *s, struct rec_goroutine *g);
void rec_tracer_dead(struct rec_tracer *s, struct rec_goroutine *g);
/* Open and close tasks (not 0); *was: the task was open already. */
int rec_tracer_open_task(struct rec_tracer *s, uint64_t task, bool *was);
void rec_tracer_close_task(struct rec_tracer *s, uint64_t task);
void rec_tracer_release(struct rec_tracer *s);

static inline struct rec_machine *rec_m_of(const struct rec_tracer *s,
					   const struct rec_goroutine *g)
{
	return g->m ? &s->ms[g->m - 1] : NULL;
}
static inline uint32_t rec_index_of_g(const struct rec_tracer *s, const struct rec_goroutine *g)
{
	return (uint32_t)(g - s->gs);
}
static inline struct rec_goroutine *rec_g_of(const struct rec_tracer *s,
					     const struct rec_machine *m)
{
	return m->g ? &s->gs[m->g - 1] : NULL;
}

/* ---- the two passes ---- */

int rec_pairs_find(struct rec_tracer *s); /* tracer_pairs.c */
int rec_tracer_run(struct rec_tracer *s); /* tracer.c */

/* A step with the M and the goroutine that it concerns. */
struct rec_action {
	const struct rec_step *step;
	const struct rec_event *event;
	struct rec_machine *m;
	struct rec_goroutine *g; /* NULL: none */
};

/* ---- moves (tracer_moves.c): change states and write events; return what the writer returns ---- */

/* Begins the trace with the goroutines that exist then. */
int rec_tracer_begin(struct rec_tracer *s);
/* Makes g run on m, by whatever must have happened for that. *ok is false if g has ended. */
int rec_tracer_bring(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		     uint32_t stack, bool *ok);
/* The same for the record's goroutine, if it has one. */
static inline int rec_tracer_bring_own(struct rec_tracer *s, const struct rec_action *t, bool *ok)
{
	*ok = t->g != NULL;
	return t->g ? rec_tracer_bring(s, t->m, t->g, t->event->stack, ok) : 0;
}
/* `by` may be NULL: not known. */
int rec_tracer_create(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		      uint32_t stack);
int rec_tracer_unblock(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		       uint32_t stack);
/* Takes what runs off m, which keeps its P. reason: enum rec_reason or REC_NREASONS. */
int rec_tracer_block(struct rec_tracer *s, struct rec_machine *m, uint32_t reason, uint32_t stack);
int rec_tracer_end(struct rec_tracer *s, struct rec_machine *m);
/* Ends the system call on m; its goroutine runs again. */
int rec_tracer_end_call(struct rec_tracer *s, struct rec_machine *m);
int rec_tracer_drop_p(struct rec_tracer *s, struct rec_machine *m);
/* Called after one of the program's own goroutines has ended or stopped: the thread starts another,
 * or runs as itself again. Until it starts another its P is idle, as in Go. */
int rec_tracer_go_on(struct rec_tracer *s, struct rec_machine *m);

/* ---- tasks, regions, logs, labels (tracer_notes.c) ---- */

/* Ignores other records. */
int rec_tracer_note(struct rec_tracer *s, const struct rec_action *t);

static inline void rec_tracer_contradict(struct rec_tracer *s)
{
	s->result.contradictions++;
}

/* ---- writers ---- */

/* Transitions: one event each, or what the format has instead. */
enum rec_move {
	REC_MOVE_P_START, /* m has just taken a P */
	REC_MOVE_P_STOP,
	REC_MOVE_PROCS, /* there are more Ps than before */
	/* m creates g. m may be g's own M, with a P on which nothing runs. */
	REC_MOVE_CREATE,
	REC_MOVE_START,
	/* REC_ON_YIELD leaves it runnable; with REC_NREASONS one of the program's own runs instead. */
	REC_MOVE_BLOCK,
	REC_MOVE_UNBLOCK, /* m wakes g */
	REC_MOVE_END,
	/* A system call begins; loses its P; ends with its P; ends without one (before it takes a P,
	 * and after). */
	REC_MOVE_CALL,
	REC_MOVE_CALL_BLOCKS,
	REC_MOVE_CALL_ENDS,
	REC_MOVE_CALL_LEAVES,
	REC_MOVE_CALL_BACK
};

struct rec_writer {
	/* Writes the state of everything when the trace begins. */
	int (*begin)(struct rec_writer *w);
	/* Called before each record. */
	int (*pause)(struct rec_writer *w);
	/* Moves g to another state. m is where it happens; for CREATE and UNBLOCK it is NULL if the
	 * creator or waker is not known. `reason` is for BLOCK. */
	int (*move)(struct rec_writer *w, enum rec_move what, struct rec_machine *m,
		    struct rec_goroutine *g, uint32_t reason, uint32_t stack);
	/* Writes a task, region, log or label of what runs on m; NULL if the format has none. */
	int (*note)(struct rec_writer *w, struct rec_machine *m, const struct rec_event *event);
	int (*finish)(struct rec_writer *w);
	void (*free)(struct rec_writer *w);
	struct rec_tracer *tracer;
};

/* Returns the time of the next event: not before `now`, and later than the event before. */
static inline uint64_t rec_tracer_tick(struct rec_tracer *s)
{
	s->result.events++;
	return s->now++;
}

/* A transition, unless the trace is off. */
#define REC_MOVE(s, what, m, g, reason, stack)                                                     \
	((s)->writing ? (s)->w->move((s)->w, REC_MOVE_##what, m, g, reason, stack) : 0)

/* *w is NULL after an error. */
int rec_v1_writer_new(struct rec_writer **w, struct rec_tracer *s, const struct tp_out *out,
		      struct tp_err *err);
int rec_v2_writer_new(struct rec_writer **w, struct rec_tracer *s, const struct tp_out *out,
		      struct tp_err *err);

#endif
