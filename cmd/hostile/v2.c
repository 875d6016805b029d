/* Traces of go 1.22 and later (decode/v2/wire.h has the format). */
#include <string.h>

#include "hostile/cases.h"

enum {
	BATCH = 1,
	STACKS,
	STACK,
	STRINGS,
	STRING,
	SAMPLES,
	SAMPLE,
	FREQUENCY,
	PROCS_CHANGE,
	PROC_START,
	PROC_STOP,
	PROC_STEAL,
	PROC_STATUS,
	GO_CREATE,
	GO_CREATE_SYSCALL,
	GO_START,
	GO_DESTROY,
	GO_DESTROY_SYSCALL,
	GO_STOP,
	GO_BLOCK,
	GO_UNBLOCK,
	SYSCALL_BEGIN,
	SYSCALL_END,
	SYSCALL_END_BLOCKED,
	GO_STATUS,
	STW_BEGIN,
	STW_END,
	GC_ACTIVE,
	GC_BEGIN,
	GC_END,
	SWEEP_ACTIVE,
	SWEEP_BEGIN,
	SWEEP_END,
	ASSIST_ACTIVE,
	ASSIST_BEGIN,
	ASSIST_END,
	HEAP_ALLOC,
	HEAP_GOAL,
	GO_LABEL,
	TASK_BEGIN,
	TASK_END,
	REGION_BEGIN,
	REGION_END,
	LOG,
	GO_SWITCH,
};

enum { RUNNABLE = 1, RUNNING, SYSCALL, WAITING }; /* of a goroutine */
#define P_RUNNING 1
#define P_IDLE	  2

#define MOST ((size_t)60000) /* bytes of a batch, whose most are 64 Ki */

struct trace {
	struct pen *p;
	struct pen batch;
	uint64_t generation, m, time;
	size_t events;
};

static void end_batch(struct trace *t)
{
	if (!t->batch.out.size)
		return;
	pen_byte(t->p, BATCH);
	PEN_NUMBERS(t->p, t->generation, t->m, t->time, t->batch.out.size);
	pen_append(t->p, &t->batch);
	t->time += t->events;
	t->events = 0;
}

/* Of another M, or a table (M -1). */
static void batch(struct trace *t, uint64_t m)
{
	end_batch(t);
	t->m = m;
}

static void frequency(struct trace *t, uint64_t per_second)
{
	batch(t, UINT64_MAX);
	pen_byte(&t->batch, FREQUENCY);
	pen_number(&t->batch, per_second);
	end_batch(t);
}

static void begin(struct trace *t, struct pen *p)
{
	*t = (struct trace){.p = p, .generation = 1, .time = 1000};
	pen_bytes(p, "go 1.22 trace\0\0", 16);
	frequency(t, 1000000000);
}

/* An event one tick later. */
#define EVENT(t, type, ...)                                                                        \
	do {                                                                                       \
		if ((t)->batch.out.size > MOST)                                                    \
			end_batch(t);                                                              \
		pen_byte(&(t)->batch, type);                                                       \
		PEN_NUMBERS(&(t)->batch, 1, __VA_ARGS__);                                          \
		(t)->events++;                                                                     \
	} while (0)
#define BARE_EVENT(t, type)                                                                        \
	do {                                                                                       \
		if ((t)->batch.out.size > MOST)                                                    \
			end_batch(t);                                                              \
		pen_byte(&(t)->batch, type);                                                       \
		pen_byte(&(t)->batch, 1);                                                          \
		(t)->events++;                                                                     \
	} while (0)

static bool full(const struct trace *t)
{
	return t->p->failed || t->batch.failed || t->p->out.size + t->batch.out.size >= t->p->size;
}

/* M 0 has P 0 and runs goroutine 1. */
static void run_one(struct trace *t)
{
	batch(t, 0);
	EVENT(t, PROC_STATUS, 0, P_RUNNING);
	EVENT(t, GO_STATUS, 1, 0, RUNNING);
}

static void goroutines(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++)
		EVENT(&t, GO_STATUS, g, 0, WAITING);
	end_batch(&t);
}

static void goroutines_created(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++)
		EVENT(&t, GO_CREATE, g, 0, 0);
	end_batch(&t);
}

static void goroutines_wild(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++)
		EVENT(&t, GO_STATUS, pen_mix(g), 0, WAITING);
	end_batch(&t);
}

static void ms(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++)
		EVENT(&t, GO_STATUS, g, g, SYSCALL);
	end_batch(&t);
}

static void ms_batches(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t m = 1; !full(&t); m++) {
		batch(&t, m);
		EVENT(&t, HEAP_ALLOC, m);
	}
	end_batch(&t);
}

static void ps(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	batch(&t, 0);
	for (uint64_t n = 0; !full(&t); n++)
		EVENT(&t, PROC_STATUS, n, P_IDLE);
	end_batch(&t);
}

static void ps_wild(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	batch(&t, 0);
	for (uint64_t n = 0; !full(&t); n++) {
		EVENT(&t, PROC_STATUS, pen_mix(n), P_IDLE);
		EVENT(&t, PROCS_CHANGE, UINT64_MAX >> n % 64, 0);
	}
	end_batch(&t);
}

/* Each P runs, on an M of its own, a goroutine of its own. */
static void processors(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		batch(&t, n);
		EVENT(&t, PROC_STATUS, n, P_RUNNING);
		EVENT(&t, GO_STATUS, n + 1, n, RUNNING);
		EVENT(&t, GO_BLOCK, 0, 0);
		EVENT(&t, GO_STATUS, n + 10000000, n, WAITING);
		EVENT(&t, GO_UNBLOCK, n + 1, 1, 0);
		EVENT(&t, GO_START, n + 1, 2);
	}
	end_batch(&t);
}

static void task_chain(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++)
		EVENT(&t, TASK_BEGIN, n, n - 1, 0, 0);
	end_batch(&t);
}

static void tasks_ended(struct pen *p)
{
	uint64_t n = 1;
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (; p->out.size < p->size * 6 / 10 && !full(&t); n++)
		EVENT(&t, TASK_BEGIN, n, n - 1, 0, 0);
	for (n--; n; n--)
		EVENT(&t, TASK_END, n, 0);
	end_batch(&t);
}

static void regions_nested(struct pen *p)
{
	uint64_t n = 0;
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (; p->out.size < p->size / 2 && !full(&t); n++)
		EVENT(&t, REGION_BEGIN, 0, 0, 0);
	for (; n; n--)
		EVENT(&t, REGION_END, 0, 0, 0);
	end_batch(&t);
}

static void regions_open(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	while (!full(&t))
		EVENT(&t, REGION_BEGIN, 0, 0, 0);
	end_batch(&t);
}

/* Many tasks, and all of them active on one goroutine by regions. */
static void regions_of_tasks(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++) {
		EVENT(&t, TASK_BEGIN, n, 0, 0, 0);
		EVENT(&t, REGION_BEGIN, n, 0, 0);
		EVENT(&t, LOG, n, 0, 0, 0);
	}
	end_batch(&t);
}

static void string(struct trace *t, uint64_t id, const void *text, size_t n)
{
	if (t->batch.out.size > MOST)
		end_batch(t);
	if (!t->batch.out.size)
		pen_byte(&t->batch, STRINGS);
	pen_byte(&t->batch, STRING);
	PEN_NUMBERS(&t->batch, id, n);
	pen_bytes(&t->batch, text, n);
}

static void short_strings(struct trace *t, uint64_t from, uint64_t to)
{
	batch(t, UINT64_MAX);
	for (uint64_t n = from; n < to && !full(t); n++) {
		const char text[] = {(char)('0' + n % 75), (char)('0' + n / 75 % 75),
				     (char)('0' + n / 5625 % 75), (char)('0' + n / 421875 % 75)};

		string(t, n, text, 4);
	}
	end_batch(t);
}

static void strings(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	short_strings(&t, 1, UINT64_MAX);
}

static void strings_sparse(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	batch(&t, UINT64_MAX);
	for (uint64_t n = 1; !full(&t); n++)
		string(&t, n * 6, &n, 3);
	end_batch(&t);
}

/* Stacks of as many frames as can be; frame k of stack s is of code address `pc`. */
static void stack(struct trace *t, uint64_t id, uint64_t pc, uint64_t stride)
{
	if (t->batch.out.size > MOST)
		end_batch(t);
	if (!t->batch.out.size)
		pen_byte(&t->batch, STACKS);
	pen_byte(&t->batch, STACK);
	PEN_NUMBERS(&t->batch, id, 128);
	for (uint64_t i = 0; i < 128; i++)
		PEN_NUMBERS(&t->batch, pc + i * stride, 0, 0, i);
}

static void stacks(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	batch(&t, UINT64_MAX);
	for (uint64_t n = 1; !full(&t); n++)
		stack(&t, n, n * 128, 1);
	end_batch(&t);
}

/* Few addresses in ever other orders: every frame is a node, no address is new. */
static void stacks_deep(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	batch(&t, UINT64_MAX);
	for (uint64_t n = 1; !full(&t); n++) {
		if (t.batch.out.size > MOST)
			end_batch(&t);
		if (!t.batch.out.size)
			pen_byte(&t.batch, STACKS);
		pen_byte(&t.batch, STACK);
		PEN_NUMBERS(&t.batch, n, 128);
		for (uint64_t i = 0; i < 128; i++)
			PEN_NUMBERS(&t.batch, pen_mix(n * 128 + i) % 128, 0, 0, 0);
	}
	end_batch(&t);
}

/* A million of nothing: of one M, and of as many Ms. */
static void empty_batches(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		pen_byte(p, BATCH);
		PEN_NUMBERS(p, 1, 0, 1000, 0);
	}
}

static void empty_batches_ms(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		pen_byte(p, BATCH);
		PEN_NUMBERS(p, 1, n, 1000, 0);
	}
}

static void generations(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	while (!full(&t)) {
		run_one(&t);
		end_batch(&t);
		t.generation++;
		frequency(&t, 1000000000);
	}
}

static void generations_bare(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (; !full(&t); t.generation++)
		frequency(&t, 1);
}

/* Every generation says what all of many goroutines do. */
static void generations_of_many(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	while (!full(&t)) {
		run_one(&t);
		for (uint64_t g = 2; g < 2000; g++)
			EVENT(&t, GO_STATUS, g + t.generation * 100, 0, WAITING);
		end_batch(&t);
		t.generation++;
		frequency(&t, 1000000000);
	}
}

/* Every M's first event waits for what the one M after it does: they go in the order opposite to
 * that of their times. */
static void waiting(struct pen *p)
{
	uint64_t n = p->size / 40;
	struct trace t;

	begin(&t, p);
	batch(&t, 0);
	for (uint64_t g = 0; g < n; g++)
		EVENT(&t, PROC_STATUS, g, P_IDLE);
	for (uint64_t m = 1; m < n && !full(&t); m++) {
		t.time = 2000000 + m;
		batch(&t, m);
		EVENT(&t, PROC_START, 0, n - m);
		BARE_EVENT(&t, PROC_STOP);
	}
	end_batch(&t);
}

/* Nothing can ever go. */
static void waiting_ever(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t m = 1; !full(&t); m++) {
		t.time = 2000000 + m;
		batch(&t, m);
		EVENT(&t, PROC_START, m, 7);
		EVENT(&t, GO_START, m, 9);
		EVENT(&t, GO_BLOCK, 0, 0);
	}
	end_batch(&t);
}

static void waiting_pairs(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t g = 0; g < 400; g++) {
		batch(&t, g);
		EVENT(&t, PROC_STATUS, g, P_RUNNING);
		EVENT(&t, GO_STATUS, g + 1, g, RUNNING);
		EVENT(&t, GO_BLOCK, 0, 0);
	}
	for (uint64_t n = 0; !full(&t); n++) {
		batch(&t, n % 400);
		EVENT(&t, GO_UNBLOCK, (n + 1) % 400 + 1, n / 400 * 2 + 1, 0);
		EVENT(&t, GO_START, n % 400 + 1, n / 400 * 2 + 2);
		EVENT(&t, GO_BLOCK, 0, 0);
	}
	end_batch(&t);
}

static void times(struct pen *p)
{
	struct trace t;

	*(&t) = (struct trace){.p = p, .generation = 1, .time = UINT64_MAX / 2};
	pen_bytes(p, "go 1.22 trace\0\0", 16);
	frequency(&t, 1);
	run_one(&t);
	for (uint64_t n = 0; !full(&t); n++) {
		if (t.batch.out.size > MOST)
			end_batch(&t);
		pen_byte(&t.batch, n % 2 ? GO_START : GO_STOP);
		pen_number(&t.batch, (uint64_t)1 << n % 64);
		if (n % 2)
			PEN_NUMBERS(&t.batch, 1, n / 2 + 1);
		else
			PEN_NUMBERS(&t.batch, 0, 0);
	}
	end_batch(&t);
}

static void times_huge_clock(struct pen *p)
{
	struct trace t;

	*(&t) = (struct trace){.p = p, .generation = 1, .time = 1};
	pen_bytes(p, "go 1.22 trace\0\0", 16);
	frequency(&t, UINT64_MAX);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++) {
		EVENT(&t, GO_STOP, 0, 0);
		EVENT(&t, GO_START, 1, n);
	}
	end_batch(&t);
}

static void spans_tiny(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++) {
		EVENT(&t, GO_STOP, 0, 0);
		EVENT(&t, GO_START, 1, n);
	}
	end_batch(&t);
}

/* A reason and a stack of its own for every time one goroutine blocks. */
static void reasons(struct pen *p)
{
	uint64_t n = p->size / 32;
	struct trace t;

	begin(&t, p);
	short_strings(&t, 1, n);
	batch(&t, UINT64_MAX);
	for (uint64_t i = 1; i < n; i++) {
		if (t.batch.out.size > MOST)
			end_batch(&t);
		if (!t.batch.out.size)
			pen_byte(&t.batch, STACKS);
		pen_byte(&t.batch, STACK);
		PEN_NUMBERS(&t.batch, i, 1, i, 0, 0, 0);
	}
	run_one(&t);
	for (uint64_t i = 1; i < n && !full(&t); i++) {
		EVENT(&t, GO_STOP, i, i);
		EVENT(&t, GO_START, 1, i);
	}
	end_batch(&t);
}

static void ranges(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++) {
		EVENT(&t, GC_BEGIN, 2 * n - 1, 0);
		EVENT(&t, STW_BEGIN, 0, 0);
		EVENT(&t, ASSIST_BEGIN, 0);
		EVENT(&t, SWEEP_BEGIN, 0);
		EVENT(&t, SWEEP_END, n << 40, UINT64_MAX);
		BARE_EVENT(&t, ASSIST_END);
		BARE_EVENT(&t, STW_END);
		EVENT(&t, GC_END, 2 * n);
		EVENT(&t, HEAP_GOAL, UINT64_MAX - n);
	}
	end_batch(&t);
}

/* As many assists as there are goroutines, all at once. */
static void ranges_open(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++) {
		EVENT(&t, GO_STATUS, g, 0, WAITING);
		EVENT(&t, ASSIST_ACTIVE, g);
		EVENT(&t, SWEEP_ACTIVE, g);
	}
	end_batch(&t);
}

static void samples(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	batch(&t, UINT64_MAX);
	for (uint64_t n = 1; !full(&t); n++) {
		if (t.batch.out.size > MOST)
			end_batch(&t);
		if (!t.batch.out.size)
			pen_byte(&t.batch, SAMPLES);
		pen_byte(&t.batch, SAMPLE);
		PEN_NUMBERS(&t.batch, 2000 - n % 1000, n, n, n, 0);
	}
	end_batch(&t);
}

static void metrics(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++)
		EVENT(&t, n % 2 ? HEAP_ALLOC : HEAP_GOAL, n % 100);
	end_batch(&t);
}

/* Who waits is woken by who has just been woken, and so on. */
static void wakes(struct pen *p)
{
	uint64_t n = p->size / 24;
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; g <= n; g++)
		EVENT(&t, GO_STATUS, g, 0, WAITING);
	for (uint64_t g = 2; g <= n && !full(&t); g++) {
		EVENT(&t, GO_UNBLOCK, g, 1, 0);
		EVENT(&t, GO_BLOCK, 0, 0);
		EVENT(&t, GO_START, g, 2);
	}
	end_batch(&t);
}

static void created_in_turn(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t g = 2; !full(&t); g++) {
		EVENT(&t, GO_CREATE, g, 0, 0);
		BARE_EVENT(&t, GO_DESTROY);
		EVENT(&t, GO_START, g, 1);
	}
	end_batch(&t);
}

static void syscalls(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++) {
		EVENT(&t, SYSCALL_BEGIN, n, 0);
		BARE_EVENT(&t, SYSCALL_END);
	}
	end_batch(&t);
}

static void labels(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	short_strings(&t, 1, p->size / 16);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++)
		EVENT(&t, GO_LABEL, n % (p->size / 16));
	end_batch(&t);
}

static void logs(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	short_strings(&t, 1, p->size / 24);
	run_one(&t);
	for (uint64_t n = 1; !full(&t); n++)
		EVENT(&t, LOG, n, n % (p->size / 24), (n + 1) % (p->size / 24), 0);
	end_batch(&t);
}

/* A batch, then a byte that is none, and so on. */
static void damage(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		batch(&t, n % 10);
		EVENT(&t, HEAP_ALLOC, n);
		end_batch(&t);
		pen_byte(p, 0xff);
	}
}

/* Events that make no sense where they stand. */
static void nonsense(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		batch(&t, n % 50);
		BARE_EVENT(&t, GO_DESTROY);
		EVENT(&t, GO_START, n, n % 3);
		BARE_EVENT(&t, PROC_STOP);
		EVENT(&t, PROC_STEAL, n % 60, n % 7, n % 50);
		EVENT(&t, GO_SWITCH, n % 100, n % 5);
		BARE_EVENT(&t, SYSCALL_END_BLOCKED);
	}
	end_batch(&t);
}

static void noise(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	for (uint64_t n = 0; !full(&t); n++) {
		uint64_t word = pen_mix(n) & 0x0f0f0f0f0f0f0f0f;

		pen_bytes(p, &word, sizeof(word));
	}
}

static void ones(struct pen *p)
{
	struct trace t;

	begin(&t, p);
	while (!full(&t))
		pen_byte(p, BATCH);
}

const struct hostile_case hostile_v2[] = {
    {"v2-goroutines", "as many goroutines as there is room for", goroutines},
    {"v2-goroutines-created", "created by one", goroutines_created},
    {"v2-goroutines-wild", "with ids all over 64 bits", goroutines_wild},
    {"v2-ms", "as many threads, each in a system call", ms},
    {"v2-ms-batches", "a batch of one event for each thread", ms_batches},
    {"v2-ps", "as many Ps", ps},
    {"v2-ps-wild", "Ps with ids all over 64 bits, GOMAXPROCS likewise", ps_wild},
    {"v2-processors", "thousands of processors, all at work", processors},
    {"v2-task-chain", "every task the parent of the next", task_chain},
    {"v2-tasks-ended", "the same, ended from the last to the first", tasks_ended},
    {"v2-regions-nested", "regions in regions", regions_nested},
    {"v2-regions-open", "regions that never end", regions_open},
    {"v2-regions-of-tasks", "one goroutine in all tasks at once", regions_of_tasks},
    {"v2-strings", "as many strings", strings},
    {"v2-strings-sparse", "with ids far apart", strings_sparse},
    {"v2-stacks", "stacks of 128 frames that share nothing", stacks},
    {"v2-stacks-deep", "stacks of the same frames in any order", stacks_deep},
    {"v2-empty-batches", "batches of nothing", empty_batches},
    {"v2-empty-batches-ms", "of as many threads", empty_batches_ms},
    {"v2-generations", "generations of two events", generations},
    {"v2-generations-bare", "generations of none", generations_bare},
    {"v2-generations-of-many", "generations that begin with all goroutines", generations_of_many},
    {"v2-waiting", "threads that wait for one another, the first for the last", waiting},
    {"v2-waiting-ever", "threads that wait for what never comes", waiting_ever},
    {"v2-waiting-pairs", "goroutines that wake one another in turn", waiting_pairs},
    {"v2-times", "times that leap", times},
    {"v2-times-huge-clock", "a clock too fast to tell times apart", times_huge_clock},
    {"v2-spans-tiny", "spans of one ns", spans_tiny},
    {"v2-reasons", "a reason and a stack for every time that one goroutine stops", reasons},
    {"v2-ranges", "ranges in ranges", ranges},
    {"v2-ranges-open", "ranges that never end, of as many goroutines and Ps", ranges_open},
    {"v2-samples", "CPU samples, latest first, each elsewhere", samples},
    {"v2-metrics", "values of the heap", metrics},
    {"v2-wakes", "a chain of goroutines that wake one another", wakes},
    {"v2-created-in-turn", "a chain of goroutines that create one another", created_in_turn},
    {"v2-syscalls", "short system calls", syscalls},
    {"v2-labels", "labels", labels},
    {"v2-logs", "log messages, each of a task and a category of its own", logs},
    {"v2-damage", "every other batch is none", damage},
    {"v2-nonsense", "events that cannot be", nonsense},
    {"v2-noise", "small numbers", noise},
    {"v2-ones", "what could always be the beginning of a batch", ones},
    {NULL, NULL, NULL},
};
