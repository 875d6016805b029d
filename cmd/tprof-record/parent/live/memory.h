/* The memory of another process, region by region, for looking through much of it once. Private to
 * parent/. Pages that were never touched are not read, so that looking does not make them. */
#ifndef RECORD_PARENT_MEMORY_H
#define RECORD_PARENT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define REC_WINDOW ((size_t)64 << 10) /* what is read at a time; aligned to that */

struct rec_region {
	uint64_t start, limit;
	bool writable, executable, shared;
	bool anonymous; /* neither a file's nor named, but for "[heap]" */
	bool heap;	/* that of brk */
	bool main_stack;
	bool guarded;	 /* memory that nobody may touch lies right below it */
	bool own;	 /* the recorder's */
	bool blocks;	 /* its content is known block by block */
	uint32_t thread; /* whose stack it is, as the caller numbers them; 0 nobody's */
};

struct rec_memory {
	pid_t pid;
	struct rec_region *region; /* sorted, not overlapping */
	size_t n, room;
	int mem, pagemap;
	uint64_t left;		   /* bytes that may still be read … */
	uint64_t end_ns;	   /* … and until when; 0 both: no limit */
	bool over;		   /* that was reached: what is read from then on is nothing */
	struct rec_window *window; /* kept */
};

/* TP_ENOENT: there is no such process; TP_EIO: it may not be looked at; TP_ENOMEM. */
int rec_memory_open(struct rec_memory *m, pid_t pid, struct tp_err *err);
void rec_memory_close(struct rec_memory *m);

/* The region of an address, NULL none. */
struct rec_region *rec_memory_find(const struct rec_memory *m, uint64_t address);
/* Makes two of one: [start, at) and [at, limit). 0 or TP_ENOMEM; regions move. */
int rec_memory_split(struct rec_memory *m, uint64_t at);

/* Content of a region from an address on, up to the end of its window or of the region: *size
 * bytes, until the next call or some later one. What is not there is zeros; NULL: all of it is, and
 * *size says how much. */
const uint8_t *rec_memory_peek(struct rec_memory *m, const struct rec_region *r, uint64_t address,
			       size_t *size);
/* Any bytes; how many could be read. Not counted. */
size_t rec_memory_read(const struct rec_memory *m, uint64_t address, void *to, size_t size);

#endif
