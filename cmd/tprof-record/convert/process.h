/* The input of conversions: a checked copy of the arena of one process, and the records of its trace.
 * A process that calls exec continues as another struct rec_process.
 *
 * The program may have written anything into its arena. After rec_process_check, every index, count and
 * text of the copy is valid and can be used without further checks. Conversions read nothing else, so
 * they work alike at the end of a recording, for a snapshot, in tests, and inside the library (api/). */
#ifndef RECORD_CONVERT_PROCESS_H
#define RECORD_CONVERT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tprof-record/core/arena.h"

/* The stack of a thread that was on no processor from `start` to `end`, by the recorder's own clock: if it was on none
 * in between by its switches, that is where it waited. */
struct rec_look {
	uint64_t start, end;
	uint32_t tid, stack; /* 0: there was no room for it */
};

struct rec_process {
	struct rec_arena arena; /* the copy */
	uint32_t pid;
	bool alive;	 /* it continues to run after the copy was made */
	uint64_t end_ns; /* CLOCK_MONOTONIC when the copy was made, or the process ended */
	uint64_t end_sec, end_nsec; /* CLOCK_REALTIME then */
	/* Records in the order in which they were drained; those of one thread are in their order.
	 * May be a mapped file. */
	const struct rec_event *events;
	size_t nevents;
	uint64_t events_end_ns; /* there may be none of what ended later; 0: there are all */
	/* Switches of the threads of this and maybe other processes (trace/switch.h); NULL: they are not
	 * known. */
	const struct rec_event *switches;
	size_t nswitches;
	uint64_t switches_end_ns;     /* they are not known from then on; 0: they are */
	const struct rec_look *looks; /* in the order of time; only with switches */
	size_t nlooks;
	/* Start of the trace, in CLOCK_MONOTONIC; 0: it starts with the process. Earlier records are left
	 * out, and waits that began earlier are cut to begin here. */
	uint64_t begin_ns;
	/* Where the arena lies in the process, if it is private memory, which has no name on some kernels. */
	uint64_t at;
	/* Keeps the files open from which names are read (images.h); NULL: they are opened each time. */
	struct rec_images *images;
};

/* Copies an arena without its records; the process may go on writing to it. The other fields of *p
 * become zero. Returns 0, or TP_ENOMEM with *p empty. */
int rec_process_copy(struct rec_process *p, const struct rec_arena *from, struct tp_err *err);
/* Frees the copy; leaves *p empty. */
void rec_process_free(struct rec_process *p);

/* Replaces invalid values by valid ones, and sets *wrong to their number. Returns 0, or TP_EFORMAT if this
 * is not an arena of this recorder. */
int rec_process_check(struct rec_process *p, size_t *wrong, struct tp_err *err);

/* Copies n goroutines while the program may be writing to them. */
void rec_process_copy_gs(struct rec_g *to, const struct rec_g *from, uint32_t n);

/* Returns the text at a string's offset, or "" if no text is there. */
const char *rec_process_string(const struct rec_process *p, uint32_t string);
/* Returns the pairs of a label set, key before value (strings), and their number *n; NULL and 0 for
 * a set without labels. */
const uint32_t *rec_process_labels(const struct rec_process *p, uint32_t set, size_t *n);
/* Fills in the PCs of a stack, innermost first; returns their number. */
size_t rec_process_stack(const struct rec_process *p, uint32_t stack, uint64_t *pcs, size_t room);

#endif
