/* libtprof: reads execution traces and profiles of Go programs, and the stores that tprof-import(1) makes.
 *
 * A handle is one run: a dump (a trace or a profile as the program wrote it, compressed or not), or a run
 * of a store. Ask it for the next event, span, goroutine or sample until there are no more:
 *
 *	struct tprof *t;
 *	struct tprof_err err;
 *	const struct tprof_event *ev;
 *	int more;
 *
 *	if (tprof_open(&t, "go.trace", NULL, &err))
 *		return report(&err);
 *	while ((more = tprof_next(t, &ev, &err)) == 1)
 *		use(ev);
 *	if (more < 0)
 *		report(&err);
 *	tprof_close(t);
 *
 * Results   Functions return 0, or a negative code and fill in *err (err may be NULL). Those that return
 *           items return 1 with an item and 0 after the last; the end, or the error that came before it,
 *           is returned again until tprof_rewind. Damage to a dump is not an error: what can be read is
 *           read, and tprof_notice says what was lost.
 * Memory    What is returned belongs to the handle. An item is valid until the next call of the function
 *           that returned it; texts and numbers of stacks are valid until tprof_rewind or tprof_close.
 *           Pointers are not NULL unless the comment says so. Texts end with a NUL, and unknown ones are
 *           "". They are bytes of the input: escape them before they go to a terminal or a page.
 * Threads   Use a handle from one thread at a time, and not after fork. Different handles are independent,
 *           also on one file. A trace that is not in a store is decoded by a thread of the library, which
 *           works only while a function waits for it, and takes no signals but those of its own faults.
 * Times     Times are in ns since the trace began, or in ticks if tprof_info says so; durations likewise.
 * Versions  Structs may grow at their end; programs that were compiled with an older header still work.
 *
 * The library prints nothing, does not exit, and reads no environment variables. Link with -ltprof. */
#ifndef TPROF_H
#define TPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tprof_code {
	TPROF_ENOMEM = -1,    /* an allocation failed */
	TPROF_EIO = -2,	      /* a system call failed: no permission, disk full, a read error */
	TPROF_EFORMAT = -3,   /* the input breaks the rules of its format */
	TPROF_ETRUNC = -4,    /* the input ends in the middle of something */
	TPROF_EVERSION = -5,  /* the library cannot read this version of the format or store */
	TPROF_ELIMIT = -6,    /* a limit that protects memory or time was reached */
	TPROF_ENOENT = -7,    /* the file or run does not exist */
	TPROF_ESTORE = -8,    /* SQLite reported an error, or the store is damaged */
	TPROF_EBUSY = -9,     /* another program keeps the store locked */
	TPROF_ECANCEL = -10,  /* the progress function asked to stop */
	TPROF_EUNKNOWN = -11, /* the input has no known format, or is not of the kind asked for */
	TPROF_EMISUSE = -12, /* the call is not allowed at this point, or the options are invalid */
};

#define TPROF_NONE    (-1)	 /* no goroutine, M or P */
#define TPROF_UNKNOWN INT64_MIN	 /* an unknown time */
#define TPROF_NOWHERE UINT64_MAX /* no offset */

struct tprof_err {
	int code;	 /* enum tprof_code */
	uint64_t offset; /* byte of the uncompressed input, or TPROF_NOWHERE */
	char text[320];	 /* a sentence that begins with the file's name, without control characters;
				 "..." stands for the middle of a name that is too long */
	uint64_t reserved[8]; /* room for later versions; 0 */
};

/* Begin with TPROF_OPTIONS_INIT. Pointers must be valid until the call returns, progress and ctx until
 * tprof_close. */
struct tprof_options {
	size_t size; /* of this struct; a later, larger one is accepted if the rest of it is 0 */
	int64_t run; /* tprof_open: run.id of a store; 0 for the newest */
	bool strict; /* stop with an error where a dump is damaged */
	const char *tmp_dir; /* folder for uncompressed input; NULL for /var/tmp or /tmp */
	/* Is given the bytes done and the bytes in all (0 if unknown); a result other than 0 stops the call
	 * with TPROF_ECANCEL. The thread of the library may call it, but only while a call waits for that
	 * thread. It must not use the handle, and must return: no longjmp, no exception. */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/* Programs, and folders "DIR:DIR" of programs by build id, in which to look up the addresses that
	 * have no names in the dump. */
	const char *const *binaries;
	size_t nbinaries;
	const char *symbol_path;
	/* tprof_import: the run's name (NULL for the file's) and its labels, each "key=value". */
	const char *name;
	const char *const *labels;
	size_t nlabels;
};
/* clang-format off */
#define TPROF_OPTIONS_INIT \
	{sizeof(struct tprof_options), 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0}
/* clang-format on */

struct tprof;

/* Opens a dump ("-" for standard input) or a store for reading. opt may be NULL. After an error *t is NULL.
 * An uncompressed dump is mapped: if its file gets shorter while it is read, SIGBUS ends the program. */
int tprof_open(struct tprof **t, const char *path, const struct tprof_options *opt,
	       struct tprof_err *err);
/* Closes it, at any time. NULL is allowed. */
void tprof_close(struct tprof *t);
/* Makes the handle what it was after tprof_open. Items of any kind can be read next. What becomes known of a
 * dump of a trace as it is read (tprof_info, tprof_notice) is unknown again. */
void tprof_rewind(struct tprof *t);

/* Imports a dump into a store, which is created if it does not exist. Readers of the store see the whole run
 * or nothing of it. Returns 0, or 1 if the store has the dump already (then that run gets the labels); sets
 * *run to its run.id. */
int tprof_import(const char *dump, const char *store, const struct tprof_options *opt, int64_t *run,
		 struct tprof_err *err);

/* Returns the SQLite connection to the store, or NULL for a dump. It has the tables of tprof-store(5) and the
 * functions of tprof-query(1), and is opened for reading only. It belongs to the handle: do not close it, use
 * it from the handle's thread, also between two items, and finalize your statements before tprof_close. */
struct sqlite3 *tprof_db(struct tprof *t);

enum tprof_kind { TPROF_TRACE, TPROF_PROFILE };

/* For a trace that is not in a store, wall_ns and what follows are known once it was read to its end. */
struct tprof_info {
	enum tprof_kind kind;
	int64_t run;	    /* run.id; 0 for a dump */
	const char *format; /* "go 1.22", "pprof", "heap text" */
	int64_t wall_ns;    /* Unix time of the trace's start or of the profile, or TPROF_UNKNOWN */
	int64_t duration_ns;
	int64_t events; /* samples if it is a profile */
	bool ticks;	/* the clock's frequency is unknown: times are ticks of unknown length */
};
const struct tprof_info *tprof_info(struct tprof *t);

/* What was lost, and what else a reader should know. Nothing was lost if no notice has the severity
 * TPROF_LOSS; of a trace that is not in a store, all are known once it was read to its end. */
enum tprof_severity { TPROF_INFO, TPROF_WARNING, TPROF_DAMAGE, TPROF_LOSS };
struct tprof_notice {
	enum tprof_severity severity;
	uint64_t offset;	/* byte of the uncompressed dump, or TPROF_NOWHERE */
	uint64_t bytes, events; /* how much was lost, as far as known; for a profile, samples */
	int64_t from_ns, to_ns; /* when that was, or TPROF_UNKNOWN */
	const char *text;	/* a sentence; valid until the next call of tprof_notice */
};
/* Returns notice i = 0, 1, …, losses first; NULL after the last. */
const struct tprof_notice *tprof_notice(struct tprof *t, size_t i);

/* ---- traces ---- */

/* States of goroutines and Ps, named as in Go's reader. NONE: the event is not a transition. Only spans have
 * SYSCALL_BLOCKED (in a system call, after its P was taken) and LOST (unknown, as the trace is damaged). */
/* clang-format off */
enum tprof_state {
	TPROF_ST_NONE, TPROF_ST_UNDETERMINED, TPROF_ST_NOT_EXIST, TPROF_ST_RUNNABLE, TPROF_ST_RUNNING,
	TPROF_ST_WAITING, TPROF_ST_SYSCALL, TPROF_ST_IDLE, TPROF_ST_SYSCALL_BLOCKED, TPROF_ST_LOST
};
/* clang-format on */
const char *tprof_state_name(int state);

/* Types of events, those of go 1.22 and later; older traces are converted. */
/* clang-format off */
enum tprof_event_type {
	TPROF_EV_PROCS_CHANGE = 9, TPROF_EV_PROC_START, TPROF_EV_PROC_STOP, TPROF_EV_PROC_STEAL,
	TPROF_EV_PROC_STATUS, TPROF_EV_GO_CREATE, TPROF_EV_GO_CREATE_SYSCALL, TPROF_EV_GO_START,
	TPROF_EV_GO_DESTROY, TPROF_EV_GO_DESTROY_SYSCALL, TPROF_EV_GO_STOP, TPROF_EV_GO_BLOCK,
	TPROF_EV_GO_UNBLOCK, TPROF_EV_GO_SYSCALL_BEGIN, TPROF_EV_GO_SYSCALL_END,
	TPROF_EV_GO_SYSCALL_BLOCKED, TPROF_EV_GO_STATUS, TPROF_EV_STW_BEGIN, TPROF_EV_STW_END,
	TPROF_EV_GC_ACTIVE, TPROF_EV_GC_BEGIN, TPROF_EV_GC_END, TPROF_EV_GC_SWEEP_ACTIVE,
	TPROF_EV_GC_SWEEP_BEGIN, TPROF_EV_GC_SWEEP_END, TPROF_EV_MARK_ASSIST_ACTIVE,
	TPROF_EV_MARK_ASSIST_BEGIN, TPROF_EV_MARK_ASSIST_END, TPROF_EV_HEAP_ALLOC,
	TPROF_EV_HEAP_GOAL, TPROF_EV_GO_LABEL, TPROF_EV_TASK_BEGIN, TPROF_EV_TASK_END,
	TPROF_EV_REGION_BEGIN, TPROF_EV_REGION_END, TPROF_EV_LOG, TPROF_EV_GO_SWITCH,
	TPROF_EV_GO_SWITCH_DESTROY, TPROF_EV_GO_CREATE_BLOCKED, TPROF_EV_GO_STATUS_STACK,
	TPROF_EV_SYNC = 60, TPROF_EV_CPU_SAMPLE, TPROF_EV_SPAN = 128, TPROF_EV_SPAN_ALLOC,
	TPROF_EV_SPAN_FREE, TPROF_EV_HEAP_OBJECT, TPROF_EV_HEAP_OBJECT_ALLOC,
	TPROF_EV_HEAP_OBJECT_FREE, TPROF_EV_GO_STACK, TPROF_EV_GO_STACK_ALLOC,
	TPROF_EV_GO_STACK_FREE
};
/* clang-format on */

/* Order and content of events are those of Go's reader (golang.org/x/exp/trace). */
struct tprof_event {
	int64_t ts_ns;
	int64_t goroutine, m, p; /* where it happened: Go's ids, or TPROF_NONE */
	int type;		 /* enum tprof_event_type */
	const char *name;	 /* of the type: "GoBlock" */
	int64_t subject;	 /* the goroutine or P that it is about, or TPROF_NONE */
	int from, to;		 /* enum tprof_state, of the subject */
	uint32_t stack;		 /* for tprof_next_frame; 0 for none */
	uint32_t subject_stack;	 /* of the goroutine that changes its state; 0 for none */
	const char *text;	 /* reason, label, category, type of a task or region, … */
	size_t text_size;	 /* bytes; a text may contain NULs */
	const char *message;	 /* of a log */
	size_t message_size;
	/* Metric: its value. Task: its id and its parent's. Region and log: the task's id, or 0. End of a
	 * sweep: bytes swept and reclaimed. Sync: the generation. */
	uint64_t arg[3];
	bool inferred; /* not in the file: added to make sense of a damaged trace */
	bool lost;     /* earlier events of its M, or of its subject, are lost */
};
int tprof_next(struct tprof *t, const struct tprof_event **ev, struct tprof_err *err);

/* The time that a goroutine spent in one state without a break. Spans come in the order of their ends; those
 * of one goroutine follow each other without gaps. */
struct tprof_span {
	int64_t start_ns, end_ns;
	int64_t goroutine;
	int state;	    /* enum tprof_state */
	const char *reason; /* why it waits, or, if it is runnable, why it had stopped */
	uint32_t stack;	    /* where it waits, or the waker's */
	int64_t m, p;	    /* where it runs, or ran when it entered the system call */
	int64_t waker; /* the goroutine that ended the wait or made it runnable, or TPROF_NONE */
	uint32_t waker_stack;
	bool open;     /* it had not ended when the trace did */
	bool inferred; /* its start or end is not in the file */
};
int tprof_next_span(struct tprof *t, const struct tprof_span **span, struct tprof_err *err);

/* A goroutine and its times, added up as in Go's summary. The first call reads a dump to its end. */
struct tprof_goroutine {
	int64_t id;
	int life;	       /* 1, 2, …: an id may be used again, as where C calls Go */
	const char *name;      /* its entry function */
	int64_t parent;	       /* the goroutine that created it, or TPROF_NONE */
	uint32_t create_stack; /* of the go statement */
	int64_t created_ns, started_ns, ended_ns; /* or TPROF_UNKNOWN if it did not */
	int64_t total_ns, running_ns, runnable_ns, blocked_ns, syscall_ns, syscall_blocked_ns,
	    lost_ns;
	int last_state; /* enum tprof_state */
};
int tprof_next_goroutine(struct tprof *t, const struct tprof_goroutine **g, struct tprof_err *err);

/* ---- profiles ---- */

/* Samples come in the order of the profile. Equal ones are not merged. Values are scaled as in pprof. */
struct tprof_sample {
	const int64_t *value; /* one for each sample type */
	uint32_t stack;
};
int tprof_next_sample(struct tprof *t, const struct tprof_sample **sample, struct tprof_err *err);

struct tprof_label {
	const char *key;
	const char *text; /* NULL if it is a number */
	int64_t number;
	const char *unit; /* of the number */
};
/* Returns label i = 0, 1, … of the last sample that tprof_next_sample returned; NULL after the last. */
const struct tprof_label *tprof_label(struct tprof *t, size_t i);

struct tprof_sample_type {
	const char *type, *unit; /* "inuse_space", "bytes" */
};
/* Returns sample type i = 0, 1, …; NULL after the last, and for a trace. */
const struct tprof_sample_type *tprof_sample_type(struct tprof *t, size_t i);

/* ---- stacks ---- */

struct tprof_frame {
	const char *function; /* "" if only the address is known */
	const char *file;
	int64_t line;	    /* 0 if unknown */
	uint64_t address;   /* 0 if unknown */
	const char *module; /* the file that the address belongs to */
	bool inlined;	    /* into the next frame */
};
/* Returns the innermost frame of a stack and sets *stack to its callers; NULL at the end of the stack:
 *
 *	for (uint32_t stack = ev->stack; (f = tprof_next_frame(t, &stack));) */
const struct tprof_frame *tprof_next_frame(struct tprof *t, uint32_t *stack);

/* Returns the library's version, such as "0.1.0". */
const char *tprof_version(void);

#ifdef __cplusplus
}
#endif

#endif
