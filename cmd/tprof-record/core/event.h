/* The records that a recorded program writes: one of fixed size for each completed event, so that the
 * program only copies 48 bytes and the recorder does everything else.
 *
 * Times are CLOCK_MONOTONIC in ns. A "goroutine" is a kernel thread, or a thread of the program's own
 * (api/). Goroutines are numbered in order of creation, and no number is used twice; 1 is the main
 * thread. An "m" is a kernel thread: its number is that of the goroutine it began as, and 0 in records
 * that concern no thread. */
#ifndef RECORD_CORE_EVENT_H
#define RECORD_CORE_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The kinds, the meaning of their fields ("-": unused), and what happened to goroutine g on thread m. Records
 * without a duration have start == end. */
/* clang-format off */
#define REC_KINDS(X) \
	/*  kind            object               arg                 what happened at `end` */ \
	X(THREAD_NEW)     /* start routine (PC)   the new goroutine   g created a thread; stack */ \
	X(THREAD_START)   /* kernel's tid         -                   the new thread g began to run */ \
	X(THREAD_END)     /* -                    -                   thread g is over */ \
	X(THREAD_NAME)    /* -                    string              g is called that from now on */ \
	X(BLOCK)          /* what it waited for   enum rec_reason     g had waited since `start`; stack */ \
	X(SYSCALL)        /* file descriptor      enum rec_call       g had been in the kernel since `start`; stack */ \
	X(POST)           /* what was posted      how many may wake   g released or signalled it; stack */ \
	X(G_NEW)          /* start routine (PC)   the new goroutine   g (0: none) created it; stack */ \
	X(G_START)        /* -                    -                   g runs on m from now on */ \
	X(G_STOP)         /* what it waits for    enum rec_reason     g left m; stack */ \
	X(G_READY)        /* -                    whom                g (0: none) made goroutine `arg` runnable; stack */ \
	X(G_END)          /* -                    -                   g, which was on m, is over */ \
	X(TASK_NEW)       /* task                 string: its type    parent task in `start`; stack */ \
	X(TASK_END)       /* task                 -                   stack */ \
	X(REGION_BEGIN)   /* task                 string: its type    stack */ \
	X(REGION_END)     /* task                 string: its type    stack */ \
	X(LOG)            /* task                 string: category    after its message, as TEXT; stack */ \
	X(TEXT)           /* 8 bytes, and …      how many           … 8 in `start`, of the message that g logs next */ \
	X(LABELS)         /* -                    label set           labels of g from now on */ \
	X(CPU)            /* CPU periods          -                   g has used these since its last one; stack */ \
	X(TRACE_START)    /* -                    -                   the trace is on from now on */ \
	X(TRACE_STOP)     /* -                    -                   … and off */ \
	X(PROCESS_FORK)   /* pid of the child     - */ \
	X(PROCESS_EXEC)   /* -                    string: the program about to be executed */ \
	X(PROCESS_EXIT)   /* exit status          -                   by exit, _exit or return from main */ \
	X(THREAD_USAGE)   /* run delay, ns        -                   what thread g has used, at its end or that of the process */ \
	X(HEAP)           /* bytes                -                   so much memory was in use, by the samples of the heap */ \
	X(CLOCK)          /* -                    -                   what thread g had used; it was in no wait (api/state.c) */

/* Why a goroutine waited. Reasons that Go's runtime has too use its words, so Go's tools sort and name them
 * as usual: in traces and profiles (go 1.26, traceBlockReason), in printed stacks (runtime2.go,
 * waitReasonStrings), and as events of go 1.5. */
#define REC_REASONS(X) \
	/*  reason        go 1.26                 printed                 go 1.5 */ \
	X(NONE,         "",                     "waiting",              GoBlock) \
	X(MUTEX,        "sync",                 "sync.Mutex.Lock",      GoBlockSync) \
	X(RWLOCK_R,     "sync.RWMutex.RLock",   "sync.RWMutex.RLock",   GoBlockSync) \
	X(RWLOCK_W,     "sync.RWMutex.Lock",    "sync.RWMutex.Lock",    GoBlockSync) \
	X(COND,         "sync.(*Cond).Wait",    "sync.Cond.Wait",       GoBlockCond) \
	X(SEMAPHORE,    "semacquire",           "semacquire",           GoBlockSync) \
	X(BARRIER,      "sync.WaitGroup.Wait",  "sync.WaitGroup.Wait",  GoBlockSync) \
	X(FUTEX,        "futex",                "futex",                GoBlockSync) \
	X(JOIN,         "join",                 "join",                 GoBlock) \
	X(SLEEP,        "sleep",                "sleep",                GoSleep) \
	X(NETWORK,      "network",              "IO wait",              GoBlockNet) \
	X(PIPE,         "pipe",                 "IO wait",              GoBlockNet) \
	X(POLL,         "poll",                 "IO wait",              GoBlockNet) \
	X(SELECT,       "select",               "select",               GoBlockSelect) \
	X(CHAN_SEND,    "chan send",            "chan send",            GoBlockSend) \
	X(CHAN_RECEIVE, "chan receive",         "chan receive",         GoBlockRecv) \
	X(SIGNAL,       "signal",               "signal",               GoBlock) \
	X(CHILD,        "wait for child",       "wait for child",       GoBlock) \
	X(YIELD,        "yield",                "runnable",             GoSched) \
	/* What no hook sees (convert/trace/switch.h). */ \
	X(PREEMPTED,    "preempted",            "runnable",             GoPreempt) \
	X(KERNEL,       "kernel",               "waiting",              GoBlock) \
	X(NO_CPU,       "not on a processor",   "waiting",              GoBlock) \
	X(UNKNOWN,      "not known",            "waiting",              GoBlock)

/* System calls, and the state of goroutines in them. */
#define REC_CALLS(X) \
	X(OTHER, "syscall") X(READ, "syscall (read)") X(WRITE, "syscall (write)") \
	X(SEND, "syscall (send)") X(RECEIVE, "syscall (receive)") X(ACCEPT, "syscall (accept)") \
	X(CONNECT, "syscall (connect)") X(OPEN, "syscall (open)") X(CLOSE, "syscall (close)") \
	X(SYNC, "syscall (sync)") X(POLL, "syscall (poll)") X(FUTEX, "syscall (futex)") \
	X(SLEEP, "syscall (sleep)") X(WAIT, "syscall (wait)")
/* clang-format on */

enum rec_kind {
	REC_NOTHING, /* reserved, not written yet */
#define REC_X(name) REC_##name,
	REC_KINDS(REC_X)
#undef REC_X
	    REC_NKINDS
};

enum rec_reason {
#define REC_X(name, text, printed, v1) REC_ON_##name,
	REC_REASONS(REC_X)
#undef REC_X
	    REC_NREASONS
};

/* Returns whether such goroutines do not wait, but only left the processor. */
static inline bool rec_is_runnable(uint32_t reason)
{
	return reason == REC_ON_YIELD || reason == REC_ON_PREEMPTED;
}

/* Returns whether such waits are for a lock, whose unlocks the mutex profile counts. */
static inline bool rec_is_lock(uint32_t reason)
{
	return reason == REC_ON_MUTEX || reason == REC_ON_RWLOCK_R || reason == REC_ON_RWLOCK_W;
}

/* Returns whether Go's block profile includes such waits: those for other goroutines, but not for time, the
 * network or the kernel. */
static inline bool rec_is_profiled(uint32_t reason)
{
	switch (reason) {
	case REC_ON_COND:
	case REC_ON_SEMAPHORE:
	case REC_ON_BARRIER:
	case REC_ON_FUTEX:
	case REC_ON_JOIN:
	case REC_ON_CHAN_SEND:
	case REC_ON_CHAN_RECEIVE:
	case REC_ON_SELECT:
		return true;
	default:
		return rec_is_lock(reason);
	}
}

enum rec_call {
#define REC_X(name, text) REC_CALL_##name,
	REC_CALLS(REC_X)
#undef REC_X
	    REC_NCALLS
};

/* struct rec_event.flags */
enum rec_event_flag {
	REC_TIMED_OUT = 1,	 /* BLOCK: its time limit ended it; no goroutine woke g */
	REC_SYSCALL_BLOCKED = 2, /* SYSCALL: it took long enough to lose its P */
};

/* THREAD_USAGE: it is not known. */
#define REC_DELAY_UNKNOWN UINT64_MAX

/* Memory in use is told when it has changed by so many bytes. */
#define REC_HEAP_CHANGE 65536

/* CPU times have units of 1 << REC_CPU_SHIFT ns. */
enum { REC_CPU_SHIFT = 8 };

struct rec_event {
	/* enum rec_kind, stored last (release), when the record is complete. */
	_Atomic uint16_t kind;
	uint16_t flags;
	uint32_t stack; /* node of the arena's stacks, 0 none */
	uint64_t start, end;
	uint64_t object;
	uint32_t g, m;
	uint32_t arg;
	/* The thread's CPU time so far (rec_cpu_stamp): of THREAD_START, THREAD_USAGE and CLOCK, and if the
	 * kernel does not tell switches at the start of a BLOCK and the end of a SYSCALL. 0: not known. */
	uint32_t cpu;
};

_Static_assert(sizeof(struct rec_event) == 48, "the recorder reads what programs write");

#endif
