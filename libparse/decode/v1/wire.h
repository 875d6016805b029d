/* The wire format of execution traces up to go 1.21.
 *
 *   OFFSET  SIZE  MEANING
 *        0    16  "go 1.N trace" padded with NULs
 *       16     …  events, in batches
 *
 * An event is
 *   1 byte   type in the low six bits, number of arguments n in the top two
 *   n < 3:   n + 1 varints (n + 2 in go 1.5): [sequence difference,] time difference, arguments
 *   n = 3:   a varint with the length of the rest in bytes, then as many varints as fit
 * except
 *   Batch    header byte 0x41, varints P, [sequence,] ticks: all events up to the next Batch
 *            happened on that P; differences start from here
 *   String   varints id and length, then the bytes
 *   UserLog  followed by a varint and as many bytes: the message
 *   Frequency, TimerGoroutine, Stack: neither sequence nor time, though go 1.5 pads the first two
 *            with an unused value
 * The stack id, if a type has one, is the last argument. Batches have no length, and tables
 * (strings, stacks, Frequency, TimerGoroutine) come last.
 *
 * Read: go 1.5, 1.7, 1.8, 1.9, 1.10, 1.11, 1.19, 1.21. Sources: Go 1.5's runtime/trace.go;
 * internal/trace/parser.go of Go 1.19; internal/trace/internal/tracev1/parser.go of Go 1.27. */
#ifndef TP_DECODE_V1_WIRE_H
#define TP_DECODE_V1_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TP_V1_HEADER_SIZE 16

/* Every type: C name, number, wire name, first version, whether a stack id is the last argument,
 * and the other arguments as of go 1.21 (args_of() in wire.c has those of older versions).
 *
 *      name              number wire name        since stack args */
/* clang-format off */
#define TP_V1_TYPES(X)                                                                \
	X(BATCH,                1, "Batch",              5, 0, 2, "p,ticks")              \
	X(FREQUENCY,            2, "Frequency",          5, 0, 1, "freq")                 \
	X(STACK,                3, "Stack",              5, 0, 2, "id,siz")               \
	X(GOMAXPROCS,           4, "Gomaxprocs",         5, 1, 1, "procs")                \
	X(PROC_START,           5, "ProcStart",          5, 0, 1, "thread")               \
	X(PROC_STOP,            6, "ProcStop",           5, 0, 0, "")                     \
	X(GC_START,             7, "GCStart",            5, 1, 1, "seq")                  \
	X(GC_DONE,              8, "GCDone",             5, 0, 0, "")                     \
	X(STW_START,            9, "GCSTWStart",         5, 0, 1, "kindid")               \
	X(STW_DONE,            10, "GCSTWDone",          5, 0, 0, "")                     \
	X(SWEEP_START,         11, "GCSweepStart",       5, 1, 0, "")                     \
	X(SWEEP_DONE,          12, "GCSweepDone",        5, 0, 2, "swept,reclaimed")      \
	X(GO_CREATE,           13, "GoCreate",           5, 1, 2, "g,stack")              \
	X(GO_START,            14, "GoStart",            5, 0, 2, "g,seq")                \
	X(GO_END,              15, "GoEnd",              5, 0, 0, "")                     \
	X(GO_STOP,             16, "GoStop",             5, 1, 0, "")                     \
	X(GO_SCHED,            17, "GoSched",            5, 1, 0, "")                     \
	X(GO_PREEMPT,          18, "GoPreempt",          5, 1, 0, "")                     \
	X(GO_SLEEP,            19, "GoSleep",            5, 1, 0, "")                     \
	X(GO_BLOCK,            20, "GoBlock",            5, 1, 0, "")                     \
	X(GO_UNBLOCK,          21, "GoUnblock",          5, 1, 2, "g,seq")                \
	X(GO_BLOCK_SEND,       22, "GoBlockSend",        5, 1, 0, "")                     \
	X(GO_BLOCK_RECV,       23, "GoBlockRecv",        5, 1, 0, "")                     \
	X(GO_BLOCK_SELECT,     24, "GoBlockSelect",      5, 1, 0, "")                     \
	X(GO_BLOCK_SYNC,       25, "GoBlockSync",        5, 1, 0, "")                     \
	X(GO_BLOCK_COND,       26, "GoBlockCond",        5, 1, 0, "")                     \
	X(GO_BLOCK_NET,        27, "GoBlockNet",         5, 1, 0, "")                     \
	X(GO_SYSCALL,          28, "GoSysCall",          5, 1, 0, "")                     \
	X(GO_SYSEXIT,          29, "GoSysExit",          5, 0, 3, "g,seq,ts")             \
	X(GO_SYSBLOCK,         30, "GoSysBlock",         5, 0, 0, "")                     \
	X(GO_WAITING,          31, "GoWaiting",          5, 0, 1, "g")                    \
	X(GO_IN_SYSCALL,       32, "GoInSyscall",        5, 0, 1, "g")                    \
	X(HEAP_ALLOC,          33, "HeapAlloc",          5, 0, 1, "mem")                  \
	X(HEAP_GOAL,           34, "HeapGoal",           5, 0, 1, "mem")                  \
	X(TIMER_GOROUTINE,     35, "TimerGoroutine",     5, 0, 1, "g")                    \
	X(FUTILE_WAKEUP,       36, "FutileWakeup",       5, 0, 0, "")                     \
	X(STRING,              37, "String",             7, 0, 2, "id,length")            \
	X(GO_START_LOCAL,      38, "GoStartLocal",       7, 0, 1, "g")                    \
	X(GO_UNBLOCK_LOCAL,    39, "GoUnblockLocal",     7, 1, 1, "g")                    \
	X(GO_SYSEXIT_LOCAL,    40, "GoSysExitLocal",     7, 0, 2, "g,ts")                 \
	X(GO_START_LABEL,      41, "GoStartLabel",       8, 0, 3, "g,seq,labelid")        \
	X(GO_BLOCK_GC,         42, "GoBlockGC",          8, 1, 0, "")                     \
	X(ASSIST_START,        43, "GCMarkAssistStart",  9, 1, 0, "")                     \
	X(ASSIST_DONE,         44, "GCMarkAssistDone",   9, 0, 0, "")                     \
	X(TASK_CREATE,         45, "UserTaskCreate",    11, 1, 3, "taskid,pid,typeid")    \
	X(TASK_END,            46, "UserTaskEnd",       11, 1, 1, "taskid")               \
	X(REGION,              47, "UserRegion",        11, 1, 3, "taskid,mode,typeid")   \
	X(LOG,                 48, "UserLog",           11, 1, 2, "id,keyid")             \
	X(CPU_SAMPLE,          49, "CPUSample",         19, 1, 3, "ts,p,g")
/* clang-format on */

enum tp_v1_type {
#define TP_X(name, number, wire, since, stack, nargs, args) TP_V1_##name = number,
	TP_V1_TYPES(TP_X)
#undef TP_X
	    TP_V1_NTYPES = 64 /* six bits; types above CPU_SAMPLE do not exist */
};

/* Indexed by type; NULL for unused numbers. */
extern const char *const tp_v1_names[TP_V1_NTYPES];

/* Layout of the bytes after a type byte. */
enum tp_v1_form {
	TP_V1_BAD = 0, /* not a type of this version, or a wrong number of arguments */
	TP_V1_INLINE,  /* a fixed number of varints */
	TP_V1_SIZED,   /* a length, then varints */
	TP_V1_LOGGED,  /* the same, then a message: UserLog */
	TP_V1_TEXT,    /* id, length, bytes: String */
	TP_V1_HEAD,    /* Batch */
	/* The first two again, for types whose arguments are needed before the events are ordered:
	 * table entries, CPU samples, and returns from system calls. */
	TP_V1_INLINE_NOTED,
	TP_V1_SIZED_NOTED,
};

struct tp_v1_shape {
	uint8_t
	    values; /* varints after the type byte (and the length); 0 for Stack and String: any */
	uint8_t args;  /* arguments among them, without the stack id */
	uint8_t stack; /* 1: the last value is a stack id */
	uint8_t timed; /* 1: an event with a time, not an entry of a table */
};

/* The wire format of one version. */
struct tp_v1_wire {
	int version;
	unsigned lead;	   /* values before the arguments of a timed event: 2 in go 1.5, else 1 */
	uint8_t form[256]; /* enum tp_v1_form by whole type byte */
	struct tp_v1_shape shape[TP_V1_NTYPES];
};

void tp_v1_wire_init(struct tp_v1_wire *w, int version);

/* Reads a varint at *p, where ten bytes must be readable, and moves *p past it. Returns false if it
 * does not fit 64 bits. */
static inline bool tp_v1_uvarint(const uint8_t **p, uint64_t *value)
{
	const uint8_t *at = *p;
	uint64_t v = *at++;

	if (v >= 0x80) {
		unsigned shift = 7;

		v &= 0x7f;
		for (;; shift += 7) {
			uint64_t b = *at++;

			if (shift == 63 && b > 1)
				return false;
			v |= (b & 0x7f) << shift;
			if (b < 0x80)
				break;
		}
	}
	*p = at;
	*value = v;
	return true;
}

/* At least the longest event of an inline type: type and four varints of ten bytes. */
#define TP_V1_FAST_ROOM 48

/* Returns the end of an event of form TP_V1_INLINE, the most common; NULL for other events and for
 * varints of ten bytes. TP_V1_FAST_ROOM bytes must be readable. */
static inline const uint8_t *tp_v1_skip_inline(const struct tp_v1_wire *wire, const uint8_t *p)
{
	unsigned n = wire->shape[*p & 63].values;

	if (wire->form[*p] != TP_V1_INLINE)
		return NULL;
	p++;
	do {
		const uint8_t *last = p + 9;

		while (*p >= 0x80)
			if (++p == last)
				return NULL;
		p++;
	} while (--n);
	return p;
}

/* Reads the varints in [p, end), the first `room` of them into v. Returns their number, -1 if one
 * is damaged. */
int tp_v1_read_values(const uint8_t *p, const uint8_t *end, uint64_t *v, int room);
/* Reads a batch header at p, after the type byte: P, sequence number (0 unless go 1.5), ticks.
 * Returns its end, or NULL if it is invalid. */
const uint8_t *tp_v1_read_head(const struct tp_v1_wire *wire, const uint8_t *p, const uint8_t *end,
			       uint64_t v[3]);

#endif
