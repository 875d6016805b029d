/* The wire events of go 1.22 and later as one table.
 *
 * Source: Go, internal/trace/tracev2/events.go (numbers, arguments) and internal/trace/version
 * (which version added what). A trace is a header "go 1.N trace" and three NULs, then batches:
 *
 *   EventBatch         1   gen m time size  then `size` bytes
 *   ExperimentalBatch 49   exp(1 byte) gen m time size  then `size` bytes      (1.23 and later)
 *   EndOfGeneration   52   no header, no data                                  (1.26 and later)
 * Numbers are base-128 varints; the size is often padded with continuation bytes. The first data
 * byte of a batch gives its kind:
 *
 *   Strings    { String id size bytes }            Stacks  { Stack id n { pc func file line } }
 *   CPUSamples { CPUSample time m p g stack }      Frequency freq              (before 1.25)
 *   Sync { Frequency freq | ClockSnapshot dt mono sec nsec }                  (1.25 and later)
 *   anything else: timed events of one M, each a type byte, dt and the arguments named below.
 *
 * An argument's name ends in the type of what it holds, after Go's own convention: "…stack" and
 * "…string" are ids of the generation's tables. */
#ifndef TP_DECODE_V2_WIRE_H
#define TP_DECODE_V2_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define TP_V2_HEADER_SIZE 16	      /* "go 1.22 trace\0\0\0" */
#define TP_V2_MAX_BATCH	  (64u << 10) /* bytes after a batch header */
#define TP_V2_MAX_FRAMES  128u	      /* of a stack */
#define TP_V2_MAX_STRING  (1u << 10)
#define TP_V2_MAX_EVENT	  51 /* bytes of a timed event: a type and five varints */
#define TP_V2_MAX_ARGS	  5  /* dt included */

/*	name                 number since timed args */
/* clang-format off */
#define TP_V2_WIRE_EVENTS(X)                                                                   \
	X(EventBatch,             1, 22, 0, "gen", "m", "time", "size")                        \
	X(Stacks,                 2, 22, 0, NULL)                                              \
	X(Stack,                  3, 22, 0, "id", "nframes")                                   \
	X(Strings,                4, 22, 0, NULL)                                              \
	X(String,                 5, 22, 0, "id")                                              \
	X(CPUSamples,             6, 22, 0, NULL)                                              \
	X(CPUSample,              7, 22, 0, "time", "m", "p", "g", "stack")                    \
	X(Frequency,              8, 22, 0, "freq")                                            \
	X(ProcsChange,            9, 22, 1, "dt", "procs_value", "stack")                      \
	X(ProcStart,             10, 22, 1, "dt", "p", "p_seq")                                \
	X(ProcStop,              11, 22, 1, "dt")                                              \
	X(ProcSteal,             12, 22, 1, "dt", "p", "p_seq", "m")                           \
	X(ProcStatus,            13, 22, 1, "dt", "p", "pstatus")                              \
	X(GoCreate,              14, 22, 1, "dt", "new_g", "new_stack", "stack")               \
	X(GoCreateSyscall,       15, 22, 1, "dt", "new_g")                                     \
	X(GoStart,               16, 22, 1, "dt", "g", "g_seq")                                \
	X(GoDestroy,             17, 22, 1, "dt")                                              \
	X(GoDestroySyscall,      18, 22, 1, "dt")                                              \
	X(GoStop,                19, 22, 1, "dt", "reason_string", "stack")                    \
	X(GoBlock,               20, 22, 1, "dt", "reason_string", "stack")                    \
	X(GoUnblock,             21, 22, 1, "dt", "g", "g_seq", "stack")                       \
	X(GoSyscallBegin,        22, 22, 1, "dt", "p_seq", "stack")                            \
	X(GoSyscallEnd,          23, 22, 1, "dt")                                              \
	X(GoSyscallEndBlocked,   24, 22, 1, "dt")                                              \
	X(GoStatus,              25, 22, 1, "dt", "g", "m", "gstatus")                         \
	X(STWBegin,              26, 22, 1, "dt", "kind_string", "stack")                      \
	X(STWEnd,                27, 22, 1, "dt")                                              \
	X(GCActive,              28, 22, 1, "dt", "gc_seq")                                    \
	X(GCBegin,               29, 22, 1, "dt", "gc_seq", "stack")                           \
	X(GCEnd,                 30, 22, 1, "dt", "gc_seq")                                    \
	X(GCSweepActive,         31, 22, 1, "dt", "p")                                         \
	X(GCSweepBegin,          32, 22, 1, "dt", "stack")                                     \
	X(GCSweepEnd,            33, 22, 1, "dt", "swept_value", "reclaimed_value")            \
	X(GCMarkAssistActive,    34, 22, 1, "dt", "g")                                         \
	X(GCMarkAssistBegin,     35, 22, 1, "dt", "stack")                                     \
	X(GCMarkAssistEnd,       36, 22, 1, "dt")                                              \
	X(HeapAlloc,             37, 22, 1, "dt", "heapalloc_value")                           \
	X(HeapGoal,              38, 22, 1, "dt", "heapgoal_value")                            \
	X(GoLabel,               39, 22, 1, "dt", "label_string")                              \
	X(UserTaskBegin,         40, 22, 1, "dt", "task", "parent_task", "name_string", "stack") \
	X(UserTaskEnd,           41, 22, 1, "dt", "task", "stack")                             \
	X(UserRegionBegin,       42, 22, 1, "dt", "task", "name_string", "stack")              \
	X(UserRegionEnd,         43, 22, 1, "dt", "task", "name_string", "stack")              \
	X(UserLog,               44, 22, 1, "dt", "task", "key_string", "value_string", "stack") \
	X(GoSwitch,              45, 23, 1, "dt", "g", "g_seq")                                \
	X(GoSwitchDestroy,       46, 23, 1, "dt", "g", "g_seq")                                \
	X(GoCreateBlocked,       47, 23, 1, "dt", "new_g", "new_stack", "stack")               \
	X(GoStatusStack,         48, 23, 1, "dt", "g", "m", "gstatus", "stack")                \
	X(ExperimentalBatch,     49, 23, 0, "exp", "gen", "m", "time")                         \
	X(Sync,                  50, 25, 0, NULL)                                              \
	X(ClockSnapshot,         51, 25, 1, "dt", "mono", "sec", "nsec")                       \
	X(EndOfGeneration,       52, 26, 0, NULL)                                              \
	X(Span,                 128, 23, 1, "dt", "id", "npages_value", "kindclass")           \
	X(SpanAlloc,            129, 23, 1, "dt", "id", "npages_value", "kindclass")           \
	X(SpanFree,             130, 23, 1, "dt", "id")                                        \
	X(HeapObject,           131, 23, 1, "dt", "id", "type")                                \
	X(HeapObjectAlloc,      132, 23, 1, "dt", "id", "type")                                \
	X(HeapObjectFree,       133, 23, 1, "dt", "id")                                        \
	X(GoroutineStack,       134, 23, 1, "dt", "id", "order")                               \
	X(GoroutineStackAlloc,  135, 23, 1, "dt", "id", "order")                               \
	X(GoroutineStackFree,   136, 23, 1, "dt", "id")
/* clang-format on */

enum tp_v2_wire {
#define TP_X(name, number, since, timed, ...) TP_V2_##name = number,
	TP_V2_WIRE_EVENTS(TP_X)
#undef TP_X
	    TP_V2_NWIRES = 137
};

/* Values of statuses (Go: internal/trace/tracev2/events.go, GoStatus and ProcStatus). */
enum tp_v2_gstatus {
	TP_V2_G_BAD,
	TP_V2_G_RUNNABLE,
	TP_V2_G_RUNNING,
	TP_V2_G_SYSCALL,
	TP_V2_G_WAITING,
	TP_V2_NGSTATUS
};
enum tp_v2_pstatus {
	TP_V2_P_BAD,
	TP_V2_P_RUNNING,
	TP_V2_P_IDLE,
	TP_V2_P_SYSCALL,
	TP_V2_P_ABANDONED,
	TP_V2_NPSTATUS
};

#define TP_V2_NO_M UINT64_MAX /* M of events that are not on an M */

struct tp_v2_wire_event {
	const char *name; /* NULL for unused numbers */
	uint8_t since;	  /* first minor version that may have it */
	uint8_t timed;	  /* has a time, in an M's stream */
	uint8_t nargs;	  /* dt included */
	const char *args[TP_V2_MAX_ARGS];
};

/* Indexed by type. */
extern const struct tp_v2_wire_event tp_v2_wires[TP_V2_NWIRES];

/* Varints after the type byte of a timed event, including dt; 0 for other bytes. */
extern const uint8_t tp_v2_arity[256];

#endif
