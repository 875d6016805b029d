/* Private to attach*.c: attach.c begins and ends the recording, attach_threads.c follows its threads and writes
 * their records, attach_stack.c takes stacks from copies of registers and stack. */
#ifndef RECORD_PARENT_ATTACH_INSIDE_H
#define RECORD_PARENT_ATTACH_INSIDE_H

#include <linux/perf_event.h>

#include "base/idmap.h"
#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/core/inside.h"
#include "tprof-record/parent/attach.h"
#include "tprof-record/parent/copied.h"
#include "tprof-record/parent/switches.h"

enum {
	/* Bytes of the stack that are copied for a sample, and for a wait. */
	REC_ATTACH_STACK = 32 << 10,
	REC_ATTACH_WAIT_STACK = 8 << 10,
	REC_ATTACH_CPUS = 8192,
};

/* Events beside switches (convert/trace/switch.h). */
enum rec_attach_kind {
	REC_ATTACH_SAMPLE = 16, /* stack */
	REC_ATTACH_FORK,	/* start: the new thread; end: when; g: who created it */
	REC_ATTACH_CHILD,	/* the process created another */
	REC_ATTACH_NAME,	/* g is called as the string `start` says */
	REC_ATTACH_EXEC,
};

struct rec_attach_thread {
	uint32_t tid, g;
	uint32_t number; /* of the thread whose events, or copies of them, write its records */
	uint32_t name;	 /* string */
	uint32_t stack;	 /* of its present wait; 0: not known */
	bool begun;	 /* THREAD_START is written */
	bool dead;
	bool settled;	/* it is known whether it was on a processor when the recording began */
	bool runnable;	/* it was preempted */
	uint64_t out;	/* since when it is on no processor; 0: it is on one */
	uint64_t delay; /* run delay when the recording began */
	struct rec_g *slot;
};

/* The last switch-out of a processor, for the record that says whether it was a wait. */
struct rec_attach_wait {
	uint32_t tid; /* 0: none */
	char *record;
};

struct rec_attach {
	const struct rec_request *request;
	struct rec_result result;
	pid_t pid;
	struct rec_image *image;
	int bell; /* eventfd: it has executed another program */
	struct rec_switches *switches;
	struct rec_switches_reader reader;
	bool kernel;	   /* is sampled, too */
	uint64_t flood_ns; /* when stacks of waits were given up; 0: they were not */
	uint64_t start_ns; /* of the recording */
	uint64_t end_ns;   /* when it executed another program; 0: it did not */

	struct rec_attach_thread *threads;
	size_t nthreads, room;
	struct rec_event *first; /* what each of the first `nfirst` did when the recording began */
	size_t nfirst;
	struct tp_ids by_tid;
	uint32_t next_g;
	unsigned children;

	struct rec_copied copied;
	struct rec_attach_wait wait[REC_ATTACH_CPUS];
	struct tp_ids calls; /* by PC: whether it is just behind a system call */
	uint64_t stacks, cut;
};

/* ---- attach_stack.c ---- */

/* Sets what a sample has beside what rec_switches_follow wants. Returns false if the processor is not known. */
bool rec_attach_sampling(struct perf_event_attr *attr, size_t stack);
/* Return the stack of a switch-out; and of a CPU sample, which ends in the kernel's frame if the thread was in a
 * system call. 0: it could not be taken. */
uint32_t rec_attach_sample(struct rec_attach *a, const struct perf_event_header *sample);
uint32_t rec_attach_stack(struct rec_attach *a, const struct perf_event_header *switched);
/* Notes a mapping of code, with its file as /proc/PID/maps names it, and the files that it replaces. */
void rec_attach_map(struct rec_attach *a, uint64_t start, uint64_t limit, uint64_t offset,
		    const char *file);
/* Adds a stack to the arena (struct rec_copied). */
uint32_t rec_attach_add(void *attach, const uint64_t *pcs, size_t n, bool cut);

/* ---- attach_threads.c ---- */

/* As in struct rec_switches_reader. */
bool rec_attach_make(void *attach, uint32_t cpu, const struct perf_event_header *record,
		     struct rec_event *e);
bool rec_attach_see(void *attach, struct rec_event *e);
/* Adds a thread of the process. Returns NULL if memory is out. */
struct rec_attach_thread *rec_attach_thread(struct rec_attach *a, uint32_t tid, uint32_t number);
/* Begins the recording of the threads that were added, at start_ns: writes their records, and sets `first`.
 * TP_ENOMEM. */
int rec_attach_begin(struct rec_attach *a, struct tp_err *err);
/* Ends it at `now`: corrects `first`, and writes what threads wait for. */
void rec_attach_end(struct rec_attach *a, uint64_t now);

#endif
