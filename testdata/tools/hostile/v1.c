/* Traces up to go 1.21 (decode/v1/wire.h has the format). */
#include <string.h>

#include "hostile/cases.h"

enum {
	BATCH = 1,
	FREQUENCY,
	STACK,
	GOMAXPROCS,
	PROC_START,
	PROC_STOP,
	GC_START,
	GC_DONE,
	STW_START,
	STW_DONE,
	SWEEP_START,
	SWEEP_DONE,
	GO_CREATE,
	GO_START,
	GO_END,
	GO_STOP,
	GO_SCHED,
	GO_PREEMPT,
	GO_SLEEP,
	GO_BLOCK,
	GO_UNBLOCK,
	GO_BLOCK_SEND,
	GO_BLOCK_RECV,
	GO_BLOCK_SELECT,
	GO_BLOCK_SYNC,
	GO_BLOCK_COND,
	GO_BLOCK_NET,
	GO_SYSCALL,
	GO_SYSEXIT,
	GO_SYSBLOCK,
	GO_WAITING,
	GO_IN_SYSCALL,
	HEAP_ALLOC,
	HEAP_GOAL,
	TIMER,
	FUTILE,
	STRING,
	START_LOCAL,
	UNBLOCK_LOCAL,
	SYSEXIT_LOCAL,
	START_LABEL,
	BLOCK_GC,
	ASSIST_START,
	ASSIST_DONE,
	TASK_CREATE,
	TASK_END,
	REGION,
	LOG,
	CPU_SAMPLE,
};

static void head(struct pen *p, const char *header)
{
	pen_bytes(p, header, 16);
}

static void head_19(struct pen *p)
{
	head(p, "go 1.19 trace\0\0");
}

static void tail(struct pen *p)
{
	pen_byte(p, FREQUENCY);
	pen_number(p, 1000000000);
}

static void batch(struct pen *p, uint64_t proc, uint64_t ticks)
{
	pen_byte(p, BATCH | 1 << 6);
	PEN_NUMBERS(p, proc, ticks);
}

/* An event one tick later; `n` arguments, the stack among them. */
static void event(struct pen *p, unsigned type, size_t n, const uint64_t *args)
{
	struct pen own = {0};

	pen_byte(p, type | (unsigned)(n < 3 ? n : 3) << 6);
	pen_number(&own, 1);
	pen_numbers(&own, n, args);
	if (n >= 3)
		pen_number(p, own.out.size);
	pen_append(p, &own);
}
#define EVENT(p, type, ...)                                                                        \
	event(p, type, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                       \
	      (uint64_t[]){__VA_ARGS__})

/* P 0 runs goroutine 1. What is created before Gomaxprocs was there before the trace, and is told
 * only when it does something. */
static void run_one(struct pen *p)
{
	batch(p, 0, 1000);
	EVENT(p, PROC_START, 0);
	EVENT(p, GO_CREATE, 1, 0, 0);
	EVENT(p, GO_START, 1, 1);
	EVENT(p, GOMAXPROCS, 1, 0);
}

static void goroutines(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t g = 2; !pen_full(p); g++)
		EVENT(p, GO_CREATE, g, 0, 0);
	tail(p);
}

static void goroutines_wild(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t g = 2; !pen_full(p); g++)
		EVENT(p, GO_CREATE, pen_mix(g), 0, 0);
	tail(p);
}

/* What has more is refused at once (v1-heads): TP_V1_MAX_CHAINS of decode/v1/walk.h, BATCHES_FREE
 * of decode/v1/index.c. */
#define MOST_PS		65536
#define MOST_BATCHES(p) (100000 + (p)->out.size / 64)

static void ps(struct pen *p)
{
	head_19(p);
	for (uint64_t n = 0; n < MOST_PS && !pen_full(p); n++) {
		batch(p, n, 1000);
		EVENT(p, PROC_START, n);
	}
	for (uint64_t n = 0; !pen_full(p); n++)
		EVENT(p, HEAP_ALLOC, n);
	tail(p);
}

static void empty_batches(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 1; n < MOST_BATCHES(p) && !pen_full(p); n++)
		batch(p, n % 100, 1);
	tail(p);
}

static void empty_batches_ps(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 1; n < MOST_PS && !pen_full(p); n++)
		batch(p, n, 1);
	tail(p);
}

static void spans_tiny(struct pen *p)
{
	head_19(p);
	run_one(p);
	while (!pen_full(p)) {
		EVENT(p, GO_SCHED, 0);
		EVENT(p, START_LOCAL, 1);
	}
	tail(p);
}

static void task_chain(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 1; !pen_full(p); n++)
		EVENT(p, TASK_CREATE, n, n - 1, 0, 0);
	tail(p);
}

static void regions(struct pen *p)
{
	head_19(p);
	run_one(p);
	while (!pen_full(p))
		EVENT(p, REGION, 0, 0, 0, 0);
	tail(p);
}

static void strings(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		pen_byte(p, 37);
		PEN_NUMBERS(p, n, 3);
		pen_bytes(p, &n, 3);
	}
	tail(p);
}

static void put_stacks(struct pen *p, uint64_t frames, uint64_t mask)
{
	run_one(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		struct pen own = {0};

		PEN_NUMBERS(&own, n, frames);
		for (uint64_t i = 0; i < frames; i++)
			PEN_NUMBERS(&own, mask ? pen_mix(n * frames + i) & mask : n * frames + i, 0,
				    0, 0);
		pen_byte(p, STACK | 3u << 6);
		pen_number(p, own.out.size);
		pen_append(p, &own);
	}
	tail(p);
}

static void stacks(struct pen *p)
{
	head_19(p);
	put_stacks(p, 300, 0);
}

static void stacks_deep(struct pen *p)
{
	head(p, "go 1.10 trace\0\0");
	put_stacks(p, 1000, 127);
}

static void timers(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		pen_byte(p, TIMER);
		pen_number(p, n);
	}
	tail(p);
}

/* Returns from system calls that take effect long after where they stand. */
static void late_exits(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		EVENT(p, GO_SYSCALL, 0);
		EVENT(p, GO_SYSBLOCK);
		EVENT(p, SYSEXIT_LOCAL, 1, 1000000000 - n);
		EVENT(p, START_LOCAL, 1);
	}
	tail(p);
}

static void samples(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++)
		EVENT(p, CPU_SAMPLE, 1000000 - n, n, n, 0);
	tail(p);
}

/* Each waits for the one after it. */
static void waiting(struct pen *p)
{
	uint64_t n = p->size / 20;

	head_19(p);
	run_one(p);
	EVENT(p, GO_SCHED, 0);
	for (uint64_t i = 1; i < n && !pen_full(p); i++) {
		batch(p, i, 2000 + i);
		EVENT(p, GO_START, 1, n - i + 1);
		EVENT(p, GO_SCHED, 0);
	}
	tail(p);
}

static void waiting_ever(struct pen *p)
{
	head_19(p);
	for (uint64_t n = 1; !pen_full(p); n++) {
		batch(p, n, 1000 + n);
		EVENT(p, PROC_START, n);
		EVENT(p, GO_START, n, 77);
	}
	tail(p);
}

static void futile(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		EVENT(p, FUTILE);
		EVENT(p, GO_BLOCK_RECV, 0);
		EVENT(p, UNBLOCK_LOCAL, 1, 0);
		EVENT(p, START_LOCAL, 1);
	}
	tail(p);
}

static void damage(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		batch(p, n % 10, 1000 + n);
		EVENT(p, HEAP_ALLOC, n);
		pen_byte(p, 0xff);
	}
	tail(p);
}

static void nonsense(struct pen *p)
{
	head_19(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		if (n % 8 == 0)
			batch(p, n % 50, 1000 + n);
		EVENT(p, GO_END);
		EVENT(p, GO_START, n, n % 3);
		EVENT(p, GO_UNBLOCK, n, 1, 0);
		EVENT(p, PROC_STOP);
	}
	tail(p);
}

static void noise(struct pen *p)
{
	head_19(p);
	run_one(p);
	for (uint64_t n = 0; !pen_full(p); n++) {
		uint64_t word = pen_mix(n) & 0x4f0f4f0f4f0f4f0f;

		pen_bytes(p, &word, sizeof(word));
	}
}

static void heads(struct pen *p)
{
	head_19(p);
	while (!pen_full(p))
		pen_byte(p, BATCH | 1 << 6);
}

/* go 1.5: sequence numbers, and stacks that are bare addresses. */
static void event_5(struct pen *p, unsigned type, size_t n, const uint64_t *args)
{
	struct pen own = {0};

	pen_byte(p, type | (unsigned)(n < 3 ? n : 3) << 6);
	PEN_NUMBERS(&own, 1, 1);
	pen_numbers(&own, n, args);
	if (n >= 3)
		pen_number(p, own.out.size);
	pen_append(p, &own);
}

static void old(struct pen *p)
{
	head(p, "go 1.5 trace\0\0\0");
	pen_byte(p, BATCH | 1 << 6);
	PEN_NUMBERS(p, 0, 1, 1000);
	event_5(p, GO_CREATE, 3, (uint64_t[]){1, 1, 0});
	event_5(p, PROC_START, 1, (uint64_t[]){7});
	event_5(p, GO_START, 1, (uint64_t[]){1});
	event_5(p, GOMAXPROCS, 2, (uint64_t[]){1, 0});
	for (uint64_t g = 2; !pen_full(p) && p->out.size < p->size / 2; g++)
		event_5(p, GO_CREATE, 3, (uint64_t[]){g, g, g});
	for (uint64_t n = 1; !pen_full(p); n++) {
		struct pen own = {0};

		PEN_NUMBERS(&own, n, 128);
		for (uint64_t i = 0; i < 128; i++)
			pen_number(&own, n * 128 + i);
		pen_byte(p, STACK | 3u << 6);
		pen_number(p, own.out.size);
		pen_append(p, &own);
	}
	pen_byte(p, FREQUENCY);
	PEN_NUMBERS(p, 1000000000, 0);
}

const struct hostile_case hostile_v1[] = {
    {"v1-goroutines", "as many goroutines as there is room for", goroutines},
    {"v1-goroutines-wild", "with ids all over 64 bits", goroutines_wild},
    {"v1-ps", "as many Ps", ps},
    {"v1-empty-batches", "batches of nothing", empty_batches},
    {"v1-empty-batches-ps", "of as many Ps", empty_batches_ps},
    {"v1-spans-tiny", "spans of one ns", spans_tiny},
    {"v1-task-chain", "every task the parent of the next", task_chain},
    {"v1-regions", "regions that never end", regions},
    {"v1-strings", "as many strings", strings},
    {"v1-stacks", "stacks that share nothing", stacks},
    {"v1-stacks-deep", "stacks of a thousand frames in any order", stacks_deep},
    {"v1-timers", "goroutines that serve timers", timers},
    {"v1-late-exits", "returns from system calls that come much later", late_exits},
    {"v1-samples", "CPU samples, latest first, each elsewhere", samples},
    {"v1-waiting", "Ps that wait for one another, the first for the last", waiting},
    {"v1-waiting-ever", "Ps that wait for what never comes", waiting_ever},
    {"v1-futile", "goroutines that are woken for nothing", futile},
    {"v1-damage", "every other event is none", damage},
    {"v1-nonsense", "events that cannot be", nonsense},
    {"v1-noise", "small numbers", noise},
    {"v1-heads", "what could always be the beginning of a batch", heads},
    {"v1-old", "go 1.5: goroutines, and stacks of addresses", old},
    {NULL, NULL, NULL},
};
