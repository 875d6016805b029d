/* How a recorded process finds its recorder and gives it its arena.
 *
 * The recorder listens on an abstract Unix socket (SOCK_SEQPACKET) and puts into the environment of
 * the program it starts:
 *
 *	TPROF_RECORD=SOCKET-NAME key=number key=number …      (keys: REC_SETTINGS)
 *	LD_PRELOAD=…/tprof-preload.so[:what was there]
 *
 * A process that has them, by start, fork or exec, makes an arena and sends one struct rec_hello
 * with its descriptor (SCM_RIGHTS); it waits for no answer. Whoever wants a snapshot connects and
 * sends a struct rec_hello of kind REC_HELLO_SNAPSHOT; the recorder answers with text, the files it
 * has written, one per line, and closes. */
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

/* key, field of struct rec_options (or one of those below) */
#define REC_SETTINGS(X)                                                                            \
	X("heap", heap_rate)                                                                       \
	X("block", block_rate)                                                                     \
	X("mutex", mutex_fraction)                                                                 \
	X("trace", trace)                                                                          \
	X("depth", depth)                                                                          \
	X("profiler", profiler)                                                                    \
	X("threadcreate", threadcreate)                                                            \
	X("syscall", syscall_ns)
/* And "children=0|1": whether forked and executed children are recorded as well. */
#define REC_SETTING_CHILDREN "children"

enum rec_hello_kind { REC_HELLO_START = 1, REC_HELLO_FORK, REC_HELLO_EXEC, REC_HELLO_SNAPSHOT };

struct rec_hello {
	uint64_t magic;
	uint32_t kind; /* enum rec_hello_kind; with an arena, but for a snapshot */
	uint32_t pid;
};

/* Return where the preloaded library stands in a list like that of LD_PRELOAD, and the size of its path;
 * NULL: it is not in the list (which may be NULL). */
const char *rec_preload_find(const char *list, size_t *size);
/* Takes it out of the list. Returns whether anything is left. */
bool rec_preload_strip(char *list);

#endif
