/* Reads the memory of another process, region by region, to search much of it once. Private to
 * parent/. Pages that were never touched are not read, as reading would create them. */
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
	bool anonymous; /* not of a file, and without a name but "[heap]" */
	bool heap;	/* of brk */
	bool main_stack;
	bool guarded;	 /* inaccessible memory lies right below it */
	bool own;	 /* the recorder's */
	bool blocks;	 /* a heap of malloc, known block by block */
	uint32_t thread; /* the thread whose stack it is, as the caller numbers them; 0: none */
};

struct rec_memory {
	pid_t pid;
	struct rec_region *region; /* sorted, not overlapping */
	size_t n, room;
	int mem, pagemap;
	uint64_t left;		   /* bytes that may still be read … */
	uint64_t end_ns;	   /* … and until when; 0 both: no limit */
	bool over;		   /* a limit was reached: nothing more is read */
	struct rec_window *window; /* kept */
};

/* Opens the memory of a process. Returns 0, TP_ENOENT (the process does not exist), TP_EIO (it may
 * not be read) or TP_ENOMEM. */
int rec_memory_open(struct rec_memory *m, pid_t pid, struct tp_err *err);
void rec_memory_close(struct rec_memory *m);

/* Returns the region that contains an address, or NULL. */
struct rec_region *rec_memory_find(const struct rec_memory *m, uint64_t address);
/* Splits a region into [start, at) and [at, limit). Returns 0 or TP_ENOMEM; regions move. */
int rec_memory_split(struct rec_memory *m, uint64_t at);

/* Returns the content of a region from an address to the end of its window or of the region, *size bytes,
 * valid until the next call. Missing pages read as zeros; NULL: all pages are missing. */
const uint8_t *rec_memory_peek(struct rec_memory *m, const struct rec_region *r, uint64_t address,
			       size_t *size);
/* Reads bytes, which do not count for `left`; returns how many. */
size_t rec_memory_read(const struct rec_memory *m, uint64_t address, void *to, size_t size);

#endif
