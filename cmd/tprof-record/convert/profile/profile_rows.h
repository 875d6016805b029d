/* The rows of a profile, before it has a format: one for each bucket, or for each goroutine that is
 * alive. Both formats are written from these, so that they say the same.
 *
 * Values are as the program counted them; rec_row_scale scales them. */
#ifndef RECORD_CONVERT_PROFILE_ROWS_H
#define RECORD_CONVERT_PROFILE_ROWS_H

#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/profile/profile.h"

#define REC_PROFILE_VALUES 7

/* The function that time spent waiting for the recorder's own locks is charged to (Go:
 * runtime._LostContendedRuntimeLock). */
#define REC_LOST_LOCK "tprof._LostContendedRecorderLock"

/* The function of a sample whose stack is not known, as pprof ignores samples without one. */
#define REC_UNKNOWN_STACK "tprof._UnknownStack"

struct rec_row {
	uint32_t stack;	     /* node of the arena; 0: pcs or lone */
	const uint64_t *pcs; /* of a running thread, NULL: none */
	size_t npcs;
	uint64_t lone; /* its outermost function, if nothing else is known; 0: not even that */
	bool lost;     /* REC_LOST_LOCK */
	bool leaked;
	const struct rec_g *g;	 /* in goroutine profiles: the goroutine */
	const char *state;	 /* and what it is doing, */
	const char *printed;	 /* as stacks are printed */
	bool is_scheduler;	 /* a kernel thread that runs one of the program's own */
	uint32_t thread, labels; /* in CPU profiles: the thread's name (string), its label set */
	int64_t size;		 /* in heap profiles: bytes of each block */
	bool is_mapping;	 /* memory that the program has mapped, below [mmap] */
	int64_t value[REC_PROFILE_VALUES];
};

struct rec_rows {
	struct rec_row *row;
	size_t n;
};

/* Fills *rows, which points into p and live: goroutines by number, the others in the order of
 * runtime/mprof.go (newest bucket first). `names` may be NULL: then no row is `lost`. The caller calls
 * rec_rows_release, after an error too. Returns 0 or TP_ENOMEM. */
int rec_rows_gather(struct rec_rows *rows, const struct rec_process *p, enum rec_profile_kind kind,
		    const struct rec_live *live, struct rec_names *names, struct tp_err *err);
void rec_rows_release(struct rec_rows *rows);
/* Adds what the program has mapped to the rows of a heap profile. Returns 0 or TP_ENOMEM. */
int rec_rows_add_mappings(struct rec_rows *rows, const struct rec_process *p, struct tp_err *err);

/* Sorts waits, the longest first; leaves other rows as they are. */
void rec_rows_sort_waits(struct rec_rows *rows, enum rec_profile_kind kind);

/* Fills in the PCs of a row, innermost first, all as return addresses; returns their number. */
size_t rec_row_pcs(const struct rec_process *p, const struct rec_row *row,
		   uint64_t pcs[REC_MAX_DEPTH]);

/* Scales the values, as Go does when it writes profile.proto. */
void rec_row_scale(const struct rec_process *p, enum rec_profile_kind kind, struct rec_row *row);

/* Returns the CPU time between two samples, ns; 0: none were taken. */
int64_t rec_cpu_period(const struct rec_process *p);

/* What a kind of profile is called, and its sample types. */
extern const struct rec_profile_types {
	const char *name;
	const char *type[REC_PROFILE_VALUES][2]; /* name, unit */
	size_t n;
	const char *period[2];
} rec_profile_types[REC_NPROFILES];

#endif
