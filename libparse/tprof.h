/* libtprof: reads execution traces and profiles of Go, and the stores that tprof-import(1) makes.
 *
 * A handle is one run: a dump (a trace or a profile as the program wrote it, also packed), or a run of
 * a store. It is read by asking for the next event, span, goroutine or sample until there is no more:
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
 * Results   Functions return 0, or 1 with an item and 0 without; or a negative code with *err filled in
 *           (err may be NULL). What ended a reading, its end or an error, is returned again until
 *           tprof_rewind. A damaged dump is no error: what can be read is read, and tprof_notice says
 *           what was lost.
 * Memory    All that is returned belongs to the handle. An item is valid until the next call for such
 *           an item; texts and numbers of stacks until tprof_rewind or tprof_close. Pointers are never
 *           NULL unless the comment says so, texts end with a NUL and are "" where unknown. They are bytes of
 *           the input: escape them before they go to a terminal or a page.
 * Threads   A handle is for one thread at a time. Different handles, also of one file, are independent.
 *           A trace that is not in a store is decoded by a thread of the library, which works only
 *           while tprof_next and the like wait for it, and takes no signals but those of its own
 *           faults. Handles do not survive fork.
 * Times     ns since the trace began, unless info says that they are ticks. Durations are in ns.
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
	TPROF_EVERSION = -5,  /* a version of the format, or of the store, that is not read */
	TPROF_ELIMIT = -6,    /* a limit that protects memory or time was reached */
	TPROF_ENOENT = -7,    /* the file or run does not exist */
	TPROF_ESTORE = -8,    /* SQLite reported an error, or the store is damaged */
	TPROF_EBUSY = -9,     /* the store is being written for longer than one waits */
	TPROF_ECANCEL = -10,  /* the progress function asked to stop */
	TPROF_EUNKNOWN = -11, /* the input is of no known format, or not of the kind asked for */
	TPROF_EMISUSE = -12,  /* the call does not fit those before it, or the options are none */
};

#define TPROF_NONE    (-1)	 /* no goroutine, M or P */
#define TPROF_UNKNOWN INT64_MIN	 /* no such time */
#define TPROF_NOWHERE UINT64_MAX /* no offset */

struct tprof_err {
	int code;	 /* enum tprof_code */
	uint64_t offset; /* byte of the unpacked input, TPROF_NOWHERE where it is of none */
	char text[320];	 /* one sentence that begins with the file's name, fit for a terminal */
};

/* Begin with TPROF_OPTIONS_INIT. Pointers are needed until the call returns, progress and ctx until
 * tprof_close. */
struct tprof_options {
	size_t size;	     /* of this struct, which may grow in later versions */
	int64_t run;	     /* tprof_open: run.id of a store; 0: the newest */
	bool strict;	     /* end with an error where a dump is damaged */
	const char *tmp_dir; /* for unpacked input; NULL: /var/tmp or /tmp */
	/* Bytes done and in all (0 unknown). Nonzero cancels: TPROF_ECANCEL. May be called by the thread
	 * of the library while a call waits for it. */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
	/* Programs, and folders "DIR:DIR" with programs by build id, that name addresses which the dump
	 * leaves bare. */
	const char *const *binaries;
	size_t nbinaries;
	const char *symbol_path;
	/* tprof_import: what the run is called (NULL: as the file) and labels "key=value". */
	const char *name;
	const char *const *labels;
	size_t nlabels;
};
/* clang-format off */
#define TPROF_OPTIONS_INIT \
	{sizeof(struct tprof_options), 0, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0}
/* clang-format on */

struct tprof;

/* Opens a dump ("-": standard input) or a store for reading. opt may be NULL. *t is NULL after an
 * error. A plain dump is mapped: whoever shortens the file while it is read ends the program by
 * SIGBUS. */
int tprof_open(struct tprof **t, const char *path, const struct tprof_options *opt,
	       struct tprof_err *err);
/* At any time, also in the middle of a reading. NULL is allowed. */
void tprof_close(struct tprof *t);
/* Starts anew: what is read next may be of another sort (events, spans, goroutines, samples). */
void tprof_rewind(struct tprof *t);

/* Imports a dump into a store, which is made if it does not exist; readers of the store see all of the
 * run or nothing. Returns 0, or 1 where the store had the dump already (it got the labels then); *run
 * is its run.id. */
int tprof_import(const char *dump, const char *store, const struct tprof_options *opt, int64_t *run,
		 struct tprof_err *err);

/* The connection of SQLite on a store, for reading, with the tables of tprof-store(5) and the functions
 * of tprof-query(1); NULL for a dump. Finalize your statements before tprof_close, which closes it. */
struct sqlite3 *tprof_db(struct tprof *t);

enum tprof_kind { TPROF_TRACE, TPROF_PROFILE };

/* Of a trace that is not in a store wall_ns and the fields behind it are known once it has been read to
 * its end. */
struct tprof_info {
	enum tprof_kind kind;
	int64_t run;	    /* run.id; 0 for a dump */
	const char *format; /* "go 1.22", "pprof", "heap text" */
	/* Unix time at which the trace began or the profile was taken, or TPROF_UNKNOWN. */
	int64_t wall_ns;
	int64_t duration_ns;
	int64_t events; /* of a profile: samples */
	bool ticks;	/* no frequency is known: times are ticks of unknown length */
};
const struct tprof_info *tprof_info(struct tprof *t);

/* What was lost, and what else a reader should know. Nothing was lost where no entry has the severity
 * TPROF_LOSS; a trace that is not in a store has to have been read to its end to say so. */
enum tprof_severity { TPROF_INFO, TPROF_WARNING, TPROF_DAMAGE, TPROF_LOSS };
struct tprof_notice {
	enum tprof_severity severity;
	uint64_t offset;	/* byte of the unpacked dump, or TPROF_NOWHERE */
	uint64_t bytes, events; /* lost, as far as they could be counted; samples of a profile */
	int64_t from_ns, to_ns; /* when that was, or TPROF_UNKNOWN */
	const char *text;	/* a sentence */
};
/* Returns entry i = 0, 1, …, losses first; NULL after the last. Its text is valid until the next call. */
const struct tprof_notice *tprof_notice(struct tprof *t, size_t i);

/* ---- traces ---- */

/* States of goroutines and Ps, as Go's reader names them; NONE: not a transition. Only spans are
 * SYSCALL_BLOCKED (in a system call, after the P was taken) or LOST (a damaged trace does not say). */
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

/* An event. Order and content are those of Go's reader (golang.org/x/exp/trace). */
struct tprof_event {
	int64_t ts_ns;
	int64_t goroutine, m, p; /* where it happened: ids as Go numbers them, or TPROF_NONE */
	int type;		 /* enum tprof_event_type */
	const char *name;	 /* of the type: "GoBlock" */
	int64_t subject;	 /* goroutine or P that it is about, or TPROF_NONE */
	int from, to;		 /* enum tprof_state, of the subject */
	uint32_t stack;		 /* for tprof_next_frame; 0 none */
	uint32_t subject_stack;	 /* of the goroutine that changes its state; 0 none */
	const char *text;	 /* reason, label, type of a task or region, category, … */
	size_t text_size;	 /* bytes; a text may hold NULs */
	const char *message;	 /* of a log */
	size_t message_size;
	/* A metric: its value. A task: its id and its parent's. A region or log: the task's id, 0 none.
	 * The end of a sweep: bytes swept and reclaimed. Sync: the generation. */
	uint64_t arg[3];
	bool inferred; /* not in the file: put in to make sense of a damaged trace */
	bool lost;     /* what came before it on its M, or of its subject, is lost */
};
int tprof_next(struct tprof *t, const struct tprof_event **ev, struct tprof_err *err);

/* A time in which a goroutine was in one state. Spans come in the order in which they end; those of a
 * goroutine follow each other without gaps from its creation to its end. */
struct tprof_span {
	int64_t start_ns, end_ns;
	int64_t goroutine;
	int state;	    /* enum tprof_state */
	const char *reason; /* why it waits, or had stopped when it became runnable */
	uint32_t stack;	    /* where it waits, or the waker's */
	int64_t m, p;	    /* where it runs, or was when it entered the system call */
	int64_t waker;	    /* goroutine that ended the wait, or made it runnable; or TPROF_NONE */
	uint32_t waker_stack;
	bool open;     /* it had not ended when the trace did */
	bool inferred; /* one of its ends is not in the file */
};
int tprof_next_span(struct tprof *t, const struct tprof_span **span, struct tprof_err *err);

/* A goroutine with its times, as Go's summary adds them up. The first call reads a dump to its end. */
struct tprof_goroutine {
	int64_t id;
	int life;	       /* 1, 2, …: an id may come again, as where C calls Go */
	const char *name;      /* its entry function */
	int64_t parent;	       /* the goroutine that created it, or TPROF_NONE */
	uint32_t create_stack; /* of the go statement */
	int64_t created_ns, started_ns, ended_ns; /* or TPROF_UNKNOWN: it did not */
	int64_t total_ns, running_ns, runnable_ns, blocked_ns, syscall_ns, syscall_blocked_ns,
	    lost_ns;
	int last_state; /* enum tprof_state */
};
int tprof_next_goroutine(struct tprof *t, const struct tprof_goroutine **g, struct tprof_err *err);

/* ---- profiles ---- */

struct tprof_label {
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t number;
	const char *unit; /* of the number */
};
struct tprof_sample {
	const int64_t *value; /* one for each sample type */
	uint32_t stack;
	const struct tprof_label *label;
	size_t nlabels;
};
/* Samples come in the order of the profile. Equal ones are not merged; values are scaled as pprof
 * scales them. */
int tprof_next_sample(struct tprof *t, const struct tprof_sample **sample, struct tprof_err *err);

struct tprof_sample_type {
	const char *type, *unit; /* "inuse_space", "bytes" */
};
/* Returns sample type i = 0, 1, …; NULL after the last, and for a trace. */
const struct tprof_sample_type *tprof_sample_type(struct tprof *t, size_t i);

/* ---- stacks ---- */

struct tprof_frame {
	const char *function; /* "" where only the address is known */
	const char *file;
	int64_t line;	    /* 0 unknown */
	uint64_t address;   /* 0 unknown */
	const char *module; /* file that the address belongs to */
	bool inlined;	    /* into the frame that comes next */
};
/* Returns the innermost frame of a stack and leaves its callers in *stack; NULL at its end:
 *
 *	for (uint32_t stack = ev->stack; (f = tprof_next_frame(t, &stack));) */
const struct tprof_frame *tprof_next_frame(struct tprof *t, uint32_t *stack);

/* Returns the library's version, such as "0.1.0". */
const char *tprof_version(void);

#ifdef __cplusplus
}
#endif

#endif
