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
#include "base/idmap.h"
#include "decode/v1/encode.h"
#include "decode/v2/encode.h"
#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/trace/trace.h"

#define REC_NO_RECORD UINT32_MAX

/* Links of each record. Numbers of records are + 1, 0 ends a list. */
struct rec_link {
	uint32_t next; /* of the same M */
	uint32_t
	    other; /* POST: the post before with the same hash of its object; BLOCK: the post that
			   woke it */
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
	char *kept_name;   /* of the parts before */
	uint32_t stack;	   /* the first that is known */
	uint64_t entry;	   /* of its start routine */
	uint32_t creation; /* v2: stack of its name, once it is known; UINT32_MAX not yet */
	uint32_t wait_stack;
	uint64_t seq;	/* v2: in this generation */
	uint32_t alive; /* place in the list of those that are, + 1 */
	uint32_t next_free;
	uint8_t parts_dead; /* parts of the trace, at most 2 */
	struct rec_region *regions;
	uint32_t nregions, region_room;
	struct tp_buf text; /* of the next log */
};

/* When a thread is on no processor, and where the merge is in that (tracer_off.c). Numbers of switches are
 * + 1. */
struct rec_off {
	bool exact;	      /* the kernel's switches are known */
	bool told;	      /* of this thread, at any time */
	bool ended;	      /* the last switch is its exit */
	uint32_t first, last; /* its switches, … */
	uint32_t lead;	      /* how long a switch to it takes, ns */
	uint64_t begun, exit; /* … the time of the first, and of its exit */

	/* The next time off: from `out` (UINT64_MAX: none) to `in`. */
	uint32_t at; /* the switch after it */
	uint64_t out, in;
	bool over; /* it does not come back */
	uint8_t reason;
	uint32_t wake; /* its wake (of a switch to it: since the last from it), + 1; 0: not known */
	bool woken;    /* what is left of it is after the wake */

	/* The step that the merge is at. */
	const struct rec_event *step;
	uint32_t record;
	uint64_t time;
	enum { REC_OFF_RECORD, REC_OFF_PIECE } what;
	struct rec_event piece[2]; /* a step that is not a record; the one before is still in use */
	uint8_t turn;
	bool slept;	/* in the record; without switches: its CPU time was noted */
	bool done;	/* with the wait at the end */
	uint32_t stack; /* the last that is known, by a record that ended at: */
	uint64_t stack_ns;
	uint64_t from;		  /* when this time off began, of which `out` may be a later part */
	uint32_t looks, look;	  /* from outside: the first, and the next; + 1 */
	uint32_t samples, sample; /* of CPU time, records: the first, and the last before `from` */
	uint32_t g;		  /* which went off: index + 1 */
	bool
	    nests; /* a record takes the time of others, of signal handlers that ran during a wait */

	/* Without switches: the share of time for which it is off, and the records so far; and before the step
	 * that the merge is at. */
	double share;
	struct rec_clock {
		uint64_t free; /* the end of the last record, … */
		uint64_t at;   /* … and of the last one with a CPU time */
		uint32_t cpu;  /* that */
	} clock, clock_before;
};

/* Flags of pieces of a time off, beside those of the record (enum rec_event_flag). */
enum {
	REC_WOKEN = 1 << 8,   /* it ends when the thread is made runnable, by M `cpu` - 1 */
	REC_RUNNABLE = 1 << 9 /* it follows on that */
};

/* Switches that are not known, on a processor (UINT32_MAX: any). */
struct rec_lost {
	uint64_t start, end;
	uint64_t first; /* the earliest start of this and all later ones */
	uint32_t cpu;
};

/* A thread that had a number of the kernel's from some time on. */
struct rec_thread_of {
	uint32_t tid, m;
	uint64_t start;
};

struct rec_machine {
	uint32_t id;   /* the records' m */
	uint64_t wire; /* what it is called in the trace: the kernel's tid, if no other has it */
	int32_t p;     /* -1 none */
	uint32_t g;    /* that runs, or is in a system call: index + 1 */
	uint32_t own;  /* the goroutine that is this thread: index + 1 */
	uint32_t tid;
	uint32_t next_free;
	bool in_call; /* a system call that keeps its P */
	/* Its records, and where the merge is in them. */
	uint32_t first, last, at;
	bool ending; /* the merge is at the end of the record */
	uint64_t time, before;
	/* … and where it was at the end of the last part (rec_trace_add). */
	bool kept_ending;
	uint64_t kept;
	const struct rec_event *usage;	 /* THREAD_USAGE; NULL: not known */
	const struct rec_event *present; /* the wait it is in when the trace ends; NULL: none */
	struct rec_off off;
	uint64_t running; /* since when; only while something runs on it */
};

struct rec_p {
	uint32_t m;	/* that has it: index + 1 */
	uint64_t seq;	/* v2 */
	bool mentioned; /* v2: in this generation */
};

struct rec_tracer {
	const struct rec_process *p;
	struct rec_names *names;
	struct tp_profile *symbols; /* whose dictionary has the names */
	const struct rec_writer *w;
	struct tp_err *err;
	int code; /* of the first failure: nothing is written after it, and the passes end */

	struct rec_link *links;
	uint32_t nlinks;
	struct rec_machine *ms, no_m;
	uint32_t nms;
	struct rec_goroutine *gs, no_g;
	uint32_t ngs;
	uint32_t free_m, free_g; /* places: index + 1 */
	size_t room_ms, room_gs;
	uint64_t *entries; /* start routines of goroutines that are forgotten */
	size_t nentries, room_entries;
	struct tp_ids entry_ids;
	struct tp_ids m_by_id, g_by_id; /* by what records call them */
	uint64_t seed;
	uint64_t earliest, latest; /* bounds of valid times */
	uint64_t from;		   /* the end of the part before; 0: this is the first */
	uint32_t again;		   /* records of that part that come again, first */
	bool in_middle;		   /* the trace begins while the program runs … */
	uint64_t on, off;	   /* … then; and ends */
	uint64_t last_on, first_off;

	/* the merge */
	uint32_t *heap;
	uint32_t nheap;
	bool split;	       /* steps are made of records and of times off */
	uint32_t *switch_next; /* of each switch: the next of the same thread */
	uint32_t *switch_wake; /* of each switch to a thread: its wake, + 1 */
	uint32_t *look_next;   /* of each look from outside: the next of the same thread */
	/* Of each switch to a thread: how long it may have taken, ns; of a wake: by whom, M + 1. */
	uint32_t *switch_lead;
	uint32_t *outer; /* of each record of threads that nest them: the one around it, + 1 */
	struct rec_lost *lost; /* in the order of their ends */
	size_t nlost, room_lost;

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
	uint64_t periods;    /* of CPU time, in samples so far */
	uint32_t extra;	     /* of those, in samples of several */
	struct tp_ids tasks; /* that have begun: whether they are open */
	struct rec_trace_result result;

	/* v1_writer.c */
	struct tp_v1_encoder *v1;
	uint64_t seq;
	uint32_t *stacks;	       /* by stack of the process: the trace's id, 0 not yet */
	uint64_t left_seq, left_ticks; /* of the end of a system call that is to be written */
	/* v2_writer.c */
	struct tp_v2_encoder *v2;
	struct tp_dict *dict;
	uint32_t reasons[REC_NREASONS + 1];
	struct rec_machine outside;
	uint64_t begun;	     /* the generation's first moment */
	size_t begun_events; /* of the result, when it began */
};

/* Keeps the first failure. Returns whether there has been one. */
static inline bool rec_tracer_failed(struct rec_tracer *s, int code)
{
	if (!s->code)
		s->code = code;
	return s->code != 0;
}

static inline void rec_tracer_contradict(struct rec_tracer *s)
{
	s->result.contradictions++;
}

/* ---- streams (tracer_stream.c) ---- */

/* One moment of a record, with the M and the goroutine that it concerns. */
struct rec_step {
	const struct rec_event *event;
	uint32_t record; /* REC_NO_RECORD: the wait that a thread is in when the trace ends */
	bool began;	 /* the start of a BLOCK or SYSCALL, else the end */
	uint64_t time;
	struct rec_machine *m;
	struct rec_goroutine *g; /* NULL: none, or not looked up yet (rec_streams_next) */
};

/* Lists the records by M; leaves out and counts records whose kind or time is not valid. */
void rec_streams_new(struct rec_tracer *s);
/* Goes (back) to the beginning. `split`: steps are made of records and of times off a processor. */
void rec_streams_rewind(struct rec_tracer *s, bool split);
/* Returns steps before a time in their order, those of one M in the order of its records. False at the end. */
bool rec_streams_next(struct rec_tracer *s, uint64_t until, struct rec_step *step);
/* Notes where the merge is, for the next part. */
void rec_streams_keep(struct rec_tracer *s);
/* Returns the next record of M, or NULL at its end. */
const struct rec_event *rec_streams_peek(const struct rec_tracer *s, const struct rec_machine *m);

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

/* ---- times off a processor (tracer_off.c) ---- */

/* Returns whether a record, which comes next on its M, takes the time of those before it. */
bool rec_off_nests(const struct rec_tracer *s, const struct rec_machine *m,
		   const struct rec_event *e);
/* Lists the switches by thread. */
void rec_off_find(struct rec_tracer *s);
/* Set step and time of an M to its first or next step. Return whether it has one. */
bool rec_off_rewind(const struct rec_tracer *s, struct rec_machine *m);
bool rec_off_advance(const struct rec_tracer *s, struct rec_machine *m);

/* ---- tables (tracer_tables.c) ---- */

/* Return the goroutine or M that records call `id`; the first call adds it. If memory is out, they
 * return one that is in no list, so that callers need not look. */
struct rec_goroutine *rec_tracer_g(struct rec_tracer *s, uint32_t id);
struct rec_machine *rec_tracer_m(struct rec_tracer *s, uint32_t id);
/* Returns the index of an M, or TP_NO_ID if the M is unknown or forgotten. */
uint32_t rec_tracer_known_m(const struct rec_tracer *s, uint32_t id);
/* Forgets threads and goroutines that ended before the last part, which later records hardly name. If one does, the
 * goroutine is a dead one again. */
void rec_tracer_forget(struct rec_tracer *s);
/* Gives m the lowest free P, or takes its P back. */
void rec_tracer_take_p(struct rec_tracer *s, struct rec_machine *m);
void rec_tracer_give_p(struct rec_tracer *s, struct rec_machine *m);
/* Adds to and removes from the list of goroutines that are alive. */
void rec_tracer_alive(struct rec_tracer *s, struct rec_goroutine *g);
void rec_tracer_dead(struct rec_tracer *s, struct rec_goroutine *g);
/* Opens or closes a task (not 0). Returns whether it was open. */
bool rec_tracer_set_task(struct rec_tracer *s, uint64_t task, bool open);
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
/* Returns the M that has a P; NULL: none of the records. */
static inline struct rec_machine *rec_m_of_p(const struct rec_tracer *s, uint32_t p)
{
	uint32_t m = s->ps[p].m;

	return m && m <= s->nms ? &s->ms[m - 1] : NULL;
}

/* ---- the two passes ---- */

void rec_pairs_find(struct rec_tracer *s); /* tracer_pairs.c */
/* Writes what happened before `until`; with UINT64_MAX, to the end. (tracer.c) */
void rec_tracer_run(struct rec_tracer *s, uint64_t until);

/* ---- moves (tracer_moves.c): change states and write events ---- */

/* Begins the trace with the goroutines that exist then. */
void rec_tracer_begin(struct rec_tracer *s);
/* Makes g run on m, by the transitions that must have happened for that. Returns false if g has ended. */
bool rec_tracer_bring(struct rec_tracer *s, struct rec_machine *m, struct rec_goroutine *g,
		      uint32_t stack);
/* The same for the record's goroutine; false if it has none. */
static inline bool rec_tracer_bring_own(struct rec_tracer *s, const struct rec_step *t)
{
	return t->g && rec_tracer_bring(s, t->m, t->g, t->event->stack);
}
/* `by` may be NULL: not known. */
void rec_tracer_create(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
		       uint32_t stack);
void rec_tracer_unblock(struct rec_tracer *s, struct rec_machine *by, struct rec_goroutine *g,
			uint32_t stack);
/* Takes what runs off m, which keeps its P. reason: enum rec_reason or REC_NREASONS. */
void rec_tracer_block(struct rec_tracer *s, struct rec_machine *m, uint32_t reason, uint32_t stack);
void rec_tracer_end(struct rec_tracer *s, struct rec_machine *m);
/* Ends the system call on m; its goroutine runs again. */
void rec_tracer_end_call(struct rec_tracer *s, struct rec_machine *m);
void rec_tracer_drop_p(struct rec_tracer *s, struct rec_machine *m);
/* Called after one of the program's own goroutines has ended or stopped: the thread starts another,
 * or runs as itself again. Until it starts another its P is idle, as in Go. */
void rec_tracer_go_on(struct rec_tracer *s, struct rec_machine *m);

/* ---- tasks, regions, logs, labels (tracer_notes.c) ---- */

/* Ignores other records. */
void rec_tracer_note(struct rec_tracer *s, const struct rec_step *t);

/* ---- the symbols of a trace of go 1.5 (trace_symbols.c) ---- */

/* Fills the profile, to whose dictionary `names` writes, and packs it. */
int rec_trace_symbols(struct rec_tracer *s, struct tp_buf *out);

/* ---- writers ---- */

/* Transitions: one event each, or what the format has instead. */
enum rec_move {
	REC_MOVE_P_START, /* m has just taken a P */
	REC_MOVE_P_STOP,
	REC_MOVE_PROCS, /* there are more Ps than before */
	/* m creates g. m may be g's own M, with a P on which nothing runs. */
	REC_MOVE_CREATE,
	REC_MOVE_START,
	/* Some reasons leave it runnable (rec_is_runnable); with REC_NREASONS one of the program's own runs instead. */
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

/* A format. */
struct rec_writer {
	/* Makes the encoder. */
	void (*open)(struct rec_tracer *s, const struct tp_out *out);
	/* Called before each part; NULL: nothing to do. */
	void (*part)(struct rec_tracer *s);
	/* Writes the state of everything when the trace begins. */
	void (*begin)(struct rec_tracer *s);
	/* Called before each record; NULL: nothing to do. */
	void (*pause)(struct rec_tracer *s);
	/* Moves g to another state. m is where it happens; for CREATE and UNBLOCK it is NULL if the
	 * creator or waker is not known. `reason` is for BLOCK. */
	void (*move)(struct rec_tracer *s, enum rec_move what, struct rec_machine *m,
		     struct rec_goroutine *g, uint32_t reason, uint32_t stack);
	/* Writes a task, region, log or label of what runs on m, or the heap, if the format has such events. */
	void (*note)(struct rec_tracer *s, struct rec_machine *m, const struct rec_event *event);
	/* Writes a CPU sample; NULL if the format has none. */
	void (*sample)(struct rec_tracer *s, const struct rec_event *event);
	/* Writes what is held back, so that the trace can be read up to here. */
	void (*flush)(struct rec_tracer *s);
	void (*finish)(struct rec_tracer *s);
	void (*close)(struct rec_tracer *s);
};
extern const struct rec_writer rec_v1_writer, rec_v2_writer;

/* Returns the time of the next event: not before `now`, and later than the event before. */
static inline uint64_t rec_tracer_tick(struct rec_tracer *s)
{
	s->result.events++;
	return s->now++;
}

/* Writes a transition, unless the trace is off. */
static inline void rec_move(struct rec_tracer *s, enum rec_move what, struct rec_machine *m,
			    struct rec_goroutine *g, uint32_t reason, uint32_t stack)
{
	if (s->writing && !s->code)
		s->w->move(s, what, m, g, reason, stack);
}

#endif
