/* The event model: ordering produces these events; timeline, store and reports consume them.
 *
 * Every trace, of any version, becomes a sequence of struct tp_event in the order Go's own reader
 * would deliver it: one tp_event per event of that reader (so a GoSwitch on the wire is three:
 * the unblock of the next goroutine, the block or end of the current one, the start). Types are the
 * wire types of go 1.22 and later (internal/trace/tracev2/events.go); traces up to go 1.21 are
 * converted to them as internal/trace/tracev1.go does.
 *
 * Goroutines, Ms and Ps are dense indices in order of first appearance in the run; struct tp_trace
 * (decode/trace.h) maps them to the ids of the trace. Strings and stacks are ids of the run's
 * dictionary (decode/dict.h). */
#ifndef TP_DECODE_EVENT_H
#define TP_DECODE_EVENT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define TP_NONE UINT32_MAX /* no goroutine, M, P, subject */

/* Kinds as Go's reader names them (trace.EventKind.String()). */
#define TP_EVENT_KINDS(X)                                                                          \
	X(BAD, "Bad")                                                                              \
	X(SYNC, "Sync")                                                                            \
	X(METRIC, "Metric")                                                                        \
	X(LABEL, "Label")                                                                          \
	X(STACK_SAMPLE, "StackSample")                                                             \
	X(RANGE_BEGIN, "RangeBegin")                                                               \
	X(RANGE_ACTIVE, "RangeActive")                                                             \
	X(RANGE_END, "RangeEnd")                                                                   \
	X(TASK_BEGIN, "TaskBegin")                                                                 \
	X(TASK_END, "TaskEnd")                                                                     \
	X(REGION_BEGIN, "RegionBegin")                                                             \
	X(REGION_END, "RegionEnd")                                                                 \
	X(LOG, "Log")                                                                              \
	X(TRANSITION, "StateTransition")                                                           \
	X(EXPERIMENTAL, "Experimental")

enum tp_event_kind {
#define TP_X(name, text) TP_KIND_##name,
	TP_EVENT_KINDS(TP_X)
#undef TP_X
	TP_NKINDS
};

/* Every type of an ordered event: C name, number, wire name, kind, and the use of subject, str,
 * str2 and arg[] ("-" where unused). Numbers up to 52 and 128–136 are those of the wire. For a
 * transition, subject is the goroutine or proc whose state changes, also where the wire leaves it
 * to the context (GoBlock: the goroutine itself). The name of an STW is the whole range name of Go's
 * reader: "stop-the-world (GC mark termination)". GoStatus carries the first stack of a goroutine and
 * when it was announced (ns) in traces up to go 1.21, whose tracer announces all that exist.
 *
 *      name                number wire name            kind          subject str        str2       arg[0]        arg[1]     arg[2] */
#define TP_EVENT_TYPES(X)                                                                                                                  \
	X(PROCS_CHANGE,        9, "ProcsChange",           METRIC,       "-",    "-",       "-",       "gomaxprocs", "-",       "-")       \
	X(PROC_START,         10, "ProcStart",             TRANSITION,   "P",    "-",       "-",       "-",          "-",       "-")       \
	X(PROC_STOP,          11, "ProcStop",              TRANSITION,   "P",    "-",       "-",       "-",          "-",       "-")       \
	X(PROC_STEAL,         12, "ProcSteal",             TRANSITION,   "P",    "-",       "-",       "-",          "-",       "-")       \
	X(PROC_STATUS,        13, "ProcStatus",            TRANSITION,   "P",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_CREATE,          14, "GoCreate",              TRANSITION,   "G",    "-",       "stack",   "-",          "-",       "-")       \
	X(GO_CREATE_SYSCALL,  15, "GoCreateSyscall",       TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_START,           16, "GoStart",               TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_DESTROY,         17, "GoDestroy",             TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_DESTROY_SYSCALL, 18, "GoDestroySyscall",      TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_STOP,            19, "GoStop",                TRANSITION,   "G",    "reason",  "-",       "-",          "-",       "-")       \
	X(GO_BLOCK,           20, "GoBlock",               TRANSITION,   "G",    "reason",  "-",       "-",          "-",       "-")       \
	X(GO_UNBLOCK,         21, "GoUnblock",             TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_SYSCALL_BEGIN,   22, "GoSyscallBegin",        TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_SYSCALL_END,     23, "GoSyscallEnd",          TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_SYSCALL_BLOCKED, 24, "GoSyscallEndBlocked",   TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_STATUS,          25, "GoStatus",              TRANSITION,   "G",    "-",       "stack",   "created",    "-",       "-")       \
	X(STW_BEGIN,          26, "STWBegin",              RANGE_BEGIN,  "G",    "name",    "-",       "-",          "-",       "-")       \
	X(STW_END,            27, "STWEnd",                RANGE_END,    "G",    "name",    "-",       "-",          "-",       "-")       \
	X(GC_ACTIVE,          28, "GCActive",              RANGE_ACTIVE, "-",    "-",       "-",       "-",          "-",       "-")       \
	X(GC_BEGIN,           29, "GCBegin",               RANGE_BEGIN,  "-",    "-",       "-",       "-",          "-",       "-")       \
	X(GC_END,             30, "GCEnd",                 RANGE_END,    "-",    "-",       "-",       "-",          "-",       "-")       \
	X(GC_SWEEP_ACTIVE,    31, "GCSweepActive",         RANGE_ACTIVE, "P",    "-",       "-",       "-",          "-",       "-")       \
	X(GC_SWEEP_BEGIN,     32, "GCSweepBegin",          RANGE_BEGIN,  "P",    "-",       "-",       "-",          "-",       "-")       \
	X(GC_SWEEP_END,       33, "GCSweepEnd",            RANGE_END,    "P",    "-",       "-",       "swept bytes","reclaimed bytes", "-") \
	X(MARK_ASSIST_ACTIVE, 34, "GCMarkAssistActive",    RANGE_ACTIVE, "G",    "-",       "-",       "-",          "-",       "-")       \
	X(MARK_ASSIST_BEGIN,  35, "GCMarkAssistBegin",     RANGE_BEGIN,  "G",    "-",       "-",       "-",          "-",       "-")       \
	X(MARK_ASSIST_END,    36, "GCMarkAssistEnd",       RANGE_END,    "G",    "-",       "-",       "-",          "-",       "-")       \
	X(HEAP_ALLOC,         37, "HeapAlloc",             METRIC,       "-",    "-",       "-",       "bytes",      "-",       "-")       \
	X(HEAP_GOAL,          38, "HeapGoal",              METRIC,       "-",    "-",       "-",       "bytes",      "-",       "-")       \
	X(GO_LABEL,           39, "GoLabel",               LABEL,        "G",    "label",   "-",       "-",          "-",       "-")       \
	X(TASK_BEGIN,         40, "UserTaskBegin",         TASK_BEGIN,   "-",    "type",    "-",       "task",       "parent",  "-")       \
	X(TASK_END,           41, "UserTaskEnd",           TASK_END,     "-",    "type",    "-",       "task",       "parent",  "-")       \
	X(REGION_BEGIN,       42, "UserRegionBegin",       REGION_BEGIN, "-",    "type",    "-",       "task",       "-",       "-")       \
	X(REGION_END,         43, "UserRegionEnd",         REGION_END,   "-",    "type",    "-",       "task",       "-",       "-")       \
	X(LOG,                44, "UserLog",               LOG,          "-",    "category","message", "task",       "-",       "-")       \
	X(GO_SWITCH,          45, "GoSwitch",              TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_SWITCH_DESTROY,  46, "GoSwitchDestroy",       TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(GO_CREATE_BLOCKED,  47, "GoCreateBlocked",       TRANSITION,   "G",    "-",       "stack",   "-",          "-",       "-")       \
	X(GO_STATUS_STACK,    48, "GoStatusStack",         TRANSITION,   "G",    "-",       "-",       "-",          "-",       "-")       \
	X(SYNC,               60, "Sync",                  SYNC,         "-",    "-",       "-",       "generation", "-",       "-")       \
	X(CPU_SAMPLE,         61, "CPUSample",             STACK_SAMPLE, "-",    "-",       "-",       "-",          "-",       "-")       \
	X(SPAN,              128, "Span",                  EXPERIMENTAL, "-",    "-",       "-",       "id",         "npages",  "kindclass")\
	X(SPAN_ALLOC,        129, "SpanAlloc",             EXPERIMENTAL, "-",    "-",       "-",       "id",         "npages",  "kindclass")\
	X(SPAN_FREE,         130, "SpanFree",              EXPERIMENTAL, "-",    "-",       "-",       "id",         "-",       "-")       \
	X(HEAP_OBJECT,       131, "HeapObject",            EXPERIMENTAL, "-",    "-",       "-",       "id",         "type",    "-")       \
	X(HEAP_OBJECT_ALLOC, 132, "HeapObjectAlloc",       EXPERIMENTAL, "-",    "-",       "-",       "id",         "type",    "-")       \
	X(HEAP_OBJECT_FREE,  133, "HeapObjectFree",        EXPERIMENTAL, "-",    "-",       "-",       "id",         "-",       "-")       \
	X(GO_STACK,          134, "GoroutineStack",        EXPERIMENTAL, "-",    "-",       "-",       "id",         "order",   "-")       \
	X(GO_STACK_ALLOC,    135, "GoroutineStackAlloc",   EXPERIMENTAL, "-",    "-",       "-",       "id",         "order",   "-")       \
	X(GO_STACK_FREE,     136, "GoroutineStackFree",    EXPERIMENTAL, "-",    "-",       "-",       "id",         "-",       "-")

enum tp_event_type {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) TP_EV_##name = number,
	TP_EVENT_TYPES(TP_X)
#undef TP_X
	TP_NEVENT_TYPES = 137
};

/* States of goroutines (G) and procs (P), named as Go's reader names them. LOST is ours: time that
 * is missing from a damaged trace. */
#define TP_STATES(X)                                                                               \
	X(NONE, "")                     /* not a transition */                                     \
	X(UNDETERMINED, "Undetermined") /* G and P: before the trace says */                       \
	X(NOT_EXIST, "NotExist")        /* G and P */                                              \
	X(RUNNABLE, "Runnable")         /* G */                                                    \
	X(RUNNING, "Running")           /* G and P */                                              \
	X(WAITING, "Waiting")           /* G */                                                    \
	X(SYSCALL, "Syscall")           /* G */                                                    \
	X(IDLE, "Idle")                 /* P */                                                    \
	X(SYSCALL_BLOCKED, "SyscallBlocked") /* G, spans only: in a syscall after its P was lost */\
	X(LOST, "Lost")                 /* G, spans only */

enum tp_state {
#define TP_X(name, text) TP_ST_##name,
	TP_STATES(TP_X)
#undef TP_X
	TP_NSTATES
};

enum tp_event_flag {
	TP_EVF_INFERRED = 1, /* not in the file: salvage inferred this transition */
	TP_EVF_LOST = 2,     /* events before it on its M (or of its subject) are lost */
	TP_EVF_UNNAMED = 4,  /* the root of tp_event_own_stack() has no name */
	TP_EVF_NAMED = 8,    /* the first of its goroutine, which tp_trace.g_name names */
};

struct tp_event {
	int64_t ts;       /* ns on the trace's own clock, as Go's reader gives it; never decreasing */
	uint32_t g, m, p; /* the context it happened in: indices or TP_NONE */
	uint32_t subject; /* see TP_EVENT_TYPES: index of a goroutine or proc, or TP_NONE */
	uint32_t stack;   /* dictionary id of the event's stack, 0 for none */
	uint32_t str;     /* dictionary id of a string, 0 for "" */
	uint32_t str2;    /* a second string, or the new goroutine's stack */
	uint8_t type;     /* enum tp_event_type */
	uint8_t from, to; /* enum tp_state, of the subject; TP_ST_NONE unless a transition */
	uint8_t flags;    /* enum tp_event_flag */
	uint64_t arg[3];
};

static_assert(sizeof(struct tp_event) == 64, "an event is one cache line");
static_assert(offsetof(struct tp_event, flags) == offsetof(struct tp_event, type) + 3,
	      "type, states and flags can be compared at once");

/* Returns the stack of the goroutine whose state changes (Go: StateTransition.Stack), 0 for none.
 */
static inline uint32_t tp_event_own_stack(const struct tp_event *ev)
{
	switch (ev->type) {
	case TP_EV_GO_CREATE:
	case TP_EV_GO_CREATE_BLOCKED:
		return ev->str2;
	case TP_EV_GO_STOP:
	case TP_EV_GO_BLOCK:
	case TP_EV_GO_SYSCALL_BEGIN:
	case TP_EV_GO_STATUS:
	case TP_EV_GO_STATUS_STACK:
		return ev->stack;
	default:
		return 0;
	}
}

struct tp_event_desc {
	const char *wire; /* name on the wire, "GoCreate"; NULL for unused numbers */
	uint8_t kind;     /* enum tp_event_kind */
	char subject;     /* 'G', 'P' or 0 */
	const char *str, *str2, *arg[3]; /* names of the fields' contents, NULL if unused */
};

/* Indexed by type, TP_NEVENT_TYPES entries. */
extern const struct tp_event_desc tp_event_descs[TP_NEVENT_TYPES];
extern const char *const tp_kind_names[TP_NKINDS];
extern const char *const tp_state_names[TP_NSTATES];

#endif
