/* How a recorded process finds its recorder and sends it the arena.
 *
 * The recorder listens on an abstract Unix socket (SOCK_SEQPACKET), and starts the program with:
 *
 *	TPROF_RECORD=SOCKET-NAME key=number key=number …      (keys: REC_SETTINGS)
 *	LD_PRELOAD=…/tprof-preload.so[:what was there]
 *
 * A process with these variables, after its start, a fork or an exec, makes an arena and sends one
 * struct rec_hello with the arena's descriptor (SCM_RIGHTS). It does not wait for an answer.
 *
 * A client that wants a snapshot sends a struct rec_hello of kind REC_HELLO_SNAPSHOT. The recorder
 * answers with the names of the files that it has written, one per line, and closes the connection. */
#ifndef RECORD_CORE_HELLO_H
#define RECORD_CORE_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_ENVIRONMENT "TPROF_RECORD"
#define REC_PRELOAD	"LD_PRELOAD"
#define REC_SEPARATORS	": " /* of its list */
#define REC_LIBRARY	"tprof-preload.so"
#define REC_HELLO_MAGIC 0x6f6c6c65684650u

/* The keys, and the fields of struct rec_options that they set. */
#define REC_SETTINGS(X)                                                                            \
	X("heap", heap_rate)                                                                       \
	X("block", block_rate)                                                                     \
	X("mutex", mutex_fraction)                                                                 \
	X("trace", trace)                                                                          \
	X("depth", depth)                                                                          \
	X("profiler", profiler)                                                                    \
	X("threadcreate", threadcreate)                                                            \
	X("syscall", syscall_ns)                                                                   \
	X("cpu", cpu_hz)                                                                           \
	X("mmap", mmap)
/* "children=0|1": whether forked and executed children are recorded as well. */
#define REC_SETTING_CHILDREN "children"

enum rec_hello_kind { REC_HELLO_START = 1, REC_HELLO_FORK, REC_HELLO_EXEC, REC_HELLO_SNAPSHOT };

struct rec_hello {
	uint64_t magic;
	uint32_t kind; /* enum rec_hello_kind; all but a snapshot come with an arena */
	uint32_t pid;
};

/* Return where the preloaded library is in a list like that of LD_PRELOAD, and the size of its path; NULL if
 * it is not in the list (which may be NULL). */
const char *rec_preload_find(const char *list, size_t *size);
/* Removes the preloaded library from the list. Returns whether anything is left. */
bool rec_preload_strip(char *list);

#endif
