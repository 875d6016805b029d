/* Traces of go 1.22 and later. */
#include "hostile/cases.h"
#include "hostile/v2_trace.h"

/* After what `begin` writes, `turn` for one number after the other until the file is full. */
static void repeat(struct pen *p, void (*begin)(struct v2 *t), uint64_t first,
		   void (*turn)(struct v2 *t, uint64_t n))
{
	struct v2 t;

	v2_begin(&t, p);
	begin(&t);
	for (uint64_t n = first; !v2_full(&t); n++)
		turn(&t, n);
	v2_end_batch(&t);
}

/* A case that is such a turn, of `n`. */
#define REPEATED(name, begin, first)                                                               \
	static void name##_turn(struct v2 *t, uint64_t n);                                         \
	static void name(struct pen *p)                                                            \
	{                                                                                          \
		repeat(p, begin, first, name##_turn);                                              \
	}                                                                                          \
	static void name##_turn(struct v2 *t, uint64_t n __attribute__((unused)))

static void nothing(struct v2 *t)
{
	(void)t;
}

static void on_m0(struct v2 *t)
{
	v2_batch(t, 0);
}

static void in_table(struct v2 *t)
{
	v2_batch(t, V2_TABLE);
}

static void one_and_table(struct v2 *t)
{
	v2_run_one(t);
	v2_batch(t, V2_TABLE);
}

REPEATED(goroutines, v2_run_one, 2)
{
	EVENT(t, GO_STATUS, n, 0, WAITING);
}

REPEATED(goroutines_created, v2_run_one, 2)
{
	EVENT(t, GO_CREATE, n, 0, 0);
}

REPEATED(goroutines_wild, v2_run_one, 2)
{
	EVENT(t, GO_STATUS, pen_mix(n), 0, WAITING);
}

REPEATED(ms, v2_run_one, 2)
{
	EVENT(t, GO_STATUS, n, n, SYSCALL);
}

REPEATED(ms_batches, nothing, 1)
{
	v2_batch(t, n);
	EVENT(t, HEAP_ALLOC, n);
}

REPEATED(ps, on_m0, 0)
{
	EVENT(t, PROC_STATUS, n, P_IDLE);
}

REPEATED(ps_wild, v2_run_one, 2)
{
	EVENT(t, PROC_STATUS, pen_mix(n), P_IDLE);
	EVENT(t, PROCS_CHANGE, UINT64_MAX >> n % 64, 0);
}

/* Each P runs, on an M of its own, a goroutine of its own. */
REPEATED(processors, nothing, 0)
{
	v2_batch(t, n);
	EVENT(t, PROC_STATUS, n, P_RUNNING);
	EVENT(t, GO_STATUS, n + 1, n, RUNNING);
	EVENT(t, GO_BLOCK, 0, 0);
	EVENT(t, GO_STATUS, n + 10000000, n, WAITING);
	EVENT(t, GO_UNBLOCK, n + 1, 1, 0);
	EVENT(t, GO_START, n + 1, 2);
}

REPEATED(task_chain, v2_run_one, 1)
{
	EVENT(t, TASK_BEGIN, n, n - 1, 0, 0);
}

static void tasks_ended(struct pen *p)
{
	uint64_t n = 1;
	struct v2 t;

	v2_begin(&t, p);
	v2_run_one(&t);
	for (; p->out.size < p->size * 6 / 10 && !v2_full(&t); n++)
		EVENT(&t, TASK_BEGIN, n, n - 1, 0, 0);
	for (n--; n; n--)
		EVENT(&t, TASK_END, n, 0);
	v2_end_batch(&t);
}

static void regions_nested(struct pen *p)
{
	uint64_t n = 0;
	struct v2 t;

	v2_begin(&t, p);
	v2_run_one(&t);
	for (; p->out.size < p->size / 2 && !v2_full(&t); n++)
		EVENT(&t, REGION_BEGIN, 0, 0, 0);
	for (; n; n--)
		EVENT(&t, REGION_END, 0, 0, 0);
	v2_end_batch(&t);
}

REPEATED(regions_open, v2_run_one, 0)
{
	EVENT(t, REGION_BEGIN, 0, 0, 0);
}

/* Many tasks, and all of them active on one goroutine by regions. */
REPEATED(regions_of_tasks, v2_run_one, 1)
{
	EVENT(t, TASK_BEGIN, n, 0, 0, 0);
	EVENT(t, REGION_BEGIN, n, 0, 0);
	EVENT(t, LOG, n, 0, 0, 0);
}

static void strings(struct pen *p)
{
	struct v2 t;

	v2_begin(&t, p);
	v2_run_one(&t);
	v2_short_strings(&t, UINT64_MAX);
}

REPEATED(strings_sparse, in_table, 1)
{
	v2_string(t, n * 6, &n, 3);
}

/* Of as many frames as can be, each of a code address of its own. */
REPEATED(stacks, one_and_table, 1)
{
	LINE(t, STACKS, STACK, n, 128);
	for (uint64_t i = 0; i < 128; i++)
		PEN_NUMBERS(&t->batch, n * 128 + i, 0, 0, i);
}

/* Few addresses in ever other orders: every frame is a node, no address is new. */
REPEATED(stacks_deep, one_and_table, 1)
{
	LINE(t, STACKS, STACK, n, 128);
	for (uint64_t i = 0; i < 128; i++)
		PEN_NUMBERS(&t->batch, pen_mix(n * 128 + i) % 128, 0, 0, 0);
}

/* A million of nothing: of one M, and of as many Ms. */
REPEATED(empty_batches, nothing, 0)
{
	pen_byte(t->p, BATCH);
	PEN_NUMBERS(t->p, 1, 0, 1000, 0);
}

REPEATED(empty_batches_ms, nothing, 0)
{
	pen_byte(t->p, BATCH);
	PEN_NUMBERS(t->p, 1, n, 1000, 0);
}

static void next_generation(struct v2 *t, uint64_t per_second)
{
	v2_end_batch(t);
	t->generation++;
	v2_frequency(t, per_second);
}

REPEATED(generations, nothing, 0)
{
	v2_run_one(t);
	next_generation(t, 1000000000);
}

static void generations_bare(struct pen *p)
{
	struct v2 t;

	v2_begin(&t, p);
	for (; !v2_full(&t); t.generation++)
		v2_frequency(&t, 1);
}

/* Every generation says what all of many goroutines do. */
REPEATED(generations_of_many, nothing, 0)
{
	v2_run_one(t);
	for (uint64_t g = 2; g < 2000; g++)
		EVENT(t, GO_STATUS, g + t->generation * 100, 0, WAITING);
	next_generation(t, 1000000000);
}

/* No generation says how long a tick is. */
static void generations_clockless(struct pen *p)
{
	struct v2 t = {.p = p, .generation = 1, .time = 1000};

	v2_head(p);
	for (; !v2_full(&t); t.generation++) {
		v2_batch(&t, 0);
		EVENT(&t, PROC_STATUS, 0, P_RUNNING);
		v2_end_batch(&t);
	}
}

/* The first generation, half of the file, has as many as there can be of what `turn` writes. */
static uint64_t many(struct v2 *t, struct pen *p, void (*turn)(struct v2 *t, uint64_t n))
{
	uint64_t n = 2;

	v2_begin(t, p);
	v2_run_one(t);
	for (; p->out.size + t->batch.out.size < p->size / 2 && !v2_full(t); n++)
		turn(t, n);
	return n;
}

/* Then generations follow that say nothing of them. */
static void generations_after(struct pen *p, void (*turn)(struct v2 *t, uint64_t n))
{
	struct v2 t;

	many(&t, p, turn);
	while (!v2_full(&t))
		next_generation(&t, 1000000000);
	v2_end_batch(&t);
}

static void generations_after_ms(struct pen *p)
{
	generations_after(p, ms_turn);
}

static void generations_after_goroutines(struct pen *p)
{
	generations_after(p, goroutines_turn);
}

/* Then generations follow that are damaged, after `n` events of `turn`. */
static void damaged_after(struct v2 *t, uint64_t n, void (*turn)(struct v2 *t, uint64_t n))
{
	while (!v2_full(t)) {
		next_generation(t, 1000000000);
		v2_batch(t, 0);
		for (uint64_t i = 0; i < n; i++)
			turn(t, i);
		BARE_EVENT(t, NO_EVENT);
	}
	v2_end_batch(t);
}

static void generations_damaged_ms(struct pen *p)
{
	struct v2 t;

	many(&t, p, ms_turn);
	damaged_after(&t, 0, NULL);
}

static void generations_damaged_goroutines(struct pen *p)
{
	struct v2 t;

	many(&t, p, goroutines_turn);
	damaged_after(&t, 0, NULL);
}

/* A goroutine that none of many Ms has, whose status salvage compares with what they have. */
static void alone_turn(struct v2 *t, uint64_t n)
{
	(void)n;
	EVENT(t, GO_STATUS, 10000000, 0, WAITING);
}

static void generations_damaged_repairs(struct pen *p)
{
	struct v2 t;

	many(&t, p, ms_turn);
	alone_turn(&t, 0);
	damaged_after(&t, 160, alone_turn);
}

/* The last of many Ms has a P that is about to be stolen, over and over. */
static void generations_of_steals(struct pen *p)
{
	struct v2 t;
	uint64_t last = many(&t, p, ms_turn);

	next_generation(&t, 1000000000);
	v2_batch(&t, last);
	EVENT(&t, PROC_STATUS, 7, P_SYSCALL);
	while (!v2_full(&t)) {
		next_generation(&t, 1000000000);
		v2_batch(&t, last);
		for (unsigned i = 0; i < 500; i++)
			EVENT(&t, PROC_STATUS, 7, P_ABANDONED);
	}
	v2_end_batch(&t);
}

/* Every M's first event waits for what the one M after it does: they go in the order opposite to
 * that of their times. */
static void waiting(struct pen *p)
{
	uint64_t n = p->size / 40;
	struct v2 t;

	v2_begin(&t, p);
	v2_batch(&t, 0);
	for (uint64_t g = 0; g < n; g++)
		EVENT(&t, PROC_STATUS, g, P_IDLE);
	for (uint64_t m = 1; m < n && !v2_full(&t); m++) {
		t.time = 2000000 + m;
		v2_batch(&t, m);
		EVENT(&t, PROC_START, 0, n - m);
		BARE_EVENT(&t, PROC_STOP);
	}
	v2_end_batch(&t);
}

/* Nothing can ever go. */
REPEATED(waiting_ever, nothing, 1)
{
	t->time = 2000000 + n;
	v2_batch(t, n);
	EVENT(t, PROC_START, n, 7);
	EVENT(t, GO_START, n, 9);
	EVENT(t, GO_BLOCK, 0, 0);
}

static void waiting_pairs(struct pen *p)
{
	struct v2 t;

	v2_begin(&t, p);
	for (uint64_t g = 0; g < 400; g++) {
		v2_batch(&t, g);
		EVENT(&t, PROC_STATUS, g, P_RUNNING);
		EVENT(&t, GO_STATUS, g + 1, g, RUNNING);
		EVENT(&t, GO_BLOCK, 0, 0);
	}
	for (uint64_t n = 0; !v2_full(&t); n++) {
		v2_batch(&t, n % 400);
		EVENT(&t, GO_UNBLOCK, (n + 1) % 400 + 1, n / 400 * 2 + 1, 0);
		EVENT(&t, GO_START, n % 400 + 1, n / 400 * 2 + 2);
		EVENT(&t, GO_BLOCK, 0, 0);
	}
	v2_end_batch(&t);
}

/* One goroutine starts and stops. */
static void start_and_stop(struct v2 *t, uint64_t n)
{
	EVENT(t, GO_STOP, 0, 0);
	EVENT(t, GO_START, 1, n);
}

static void times(struct pen *p)
{
	struct v2 t;

	v2_begin_clock(&t, p, 1, UINT64_MAX / 2);
	v2_run_one(&t);
	for (uint64_t n = 0; !v2_full(&t); n++) {
		v2_event(&t, n % 2 ? GO_START : GO_STOP, (uint64_t)1 << n % 64);
		if (n % 2)
			PEN_NUMBERS(&t.batch, 1, n / 2 + 1);
		else
			PEN_NUMBERS(&t.batch, 0, 0);
		t.events--; /* what batches begin later by is what run_one took */
	}
	v2_end_batch(&t);
}

static void times_huge_clock(struct pen *p)
{
	struct v2 t;

	v2_begin_clock(&t, p, UINT64_MAX, 1);
	v2_run_one(&t);
	for (uint64_t n = 1; !v2_full(&t); n++)
		start_and_stop(&t, n);
	v2_end_batch(&t);
}

REPEATED(spans_tiny, v2_run_one, 1)
{
	start_and_stop(t, n);
}

/* A reason and a stack of its own for every time one goroutine blocks. */
static void reasons(struct pen *p)
{
	uint64_t n = p->size / 32;
	struct v2 t;

	v2_begin(&t, p);
	v2_short_strings(&t, n);
	v2_batch(&t, V2_TABLE);
	for (uint64_t i = 1; i < n; i++)
		LINE(&t, STACKS, STACK, i, 1, i, 0, 0, 0);
	v2_run_one(&t);
	for (uint64_t i = 1; i < n && !v2_full(&t); i++) {
		EVENT(&t, GO_STOP, i, i);
		EVENT(&t, GO_START, 1, i);
	}
	v2_end_batch(&t);
}

REPEATED(ranges, v2_run_one, 1)
{
	EVENT(t, GC_BEGIN, 2 * n - 1, 0);
	EVENT(t, STW_BEGIN, 0, 0);
	EVENT(t, ASSIST_BEGIN, 0);
	EVENT(t, SWEEP_BEGIN, 0);
	EVENT(t, SWEEP_END, n << 40, UINT64_MAX);
	BARE_EVENT(t, ASSIST_END);
	BARE_EVENT(t, STW_END);
	EVENT(t, GC_END, 2 * n);
	EVENT(t, HEAP_GOAL, UINT64_MAX - n);
}

/* As many assists as there are goroutines, all at once. */
REPEATED(ranges_open, v2_run_one, 2)
{
	EVENT(t, GO_STATUS, n, 0, WAITING);
	EVENT(t, ASSIST_ACTIVE, n);
	EVENT(t, PROC_STATUS, n, P_IDLE);
	EVENT(t, SWEEP_ACTIVE, n);
}

REPEATED(samples, one_and_table, 1)
{
	LINE(t, SAMPLES, SAMPLE, 2000 - n % 1000, n, n, n, 0);
}

REPEATED(metrics, v2_run_one, 1)
{
	EVENT(t, n % 2 ? HEAP_ALLOC : HEAP_GOAL, n % 100);
}

/* Who waits is woken by who has just been woken, and so on. */
static void wakes(struct pen *p)
{
	uint64_t n = p->size / 24;
	struct v2 t;

	v2_begin(&t, p);
	v2_run_one(&t);
	for (uint64_t g = 2; g <= n; g++)
		EVENT(&t, GO_STATUS, g, 0, WAITING);
	for (uint64_t g = 2; g <= n && !v2_full(&t); g++) {
		EVENT(&t, GO_UNBLOCK, g, 1, 0);
		EVENT(&t, GO_BLOCK, 0, 0);
		EVENT(&t, GO_START, g, 2);
	}
	v2_end_batch(&t);
}

REPEATED(created_in_turn, v2_run_one, 2)
{
	EVENT(t, GO_CREATE, n, 0, 0);
	BARE_EVENT(t, GO_DESTROY);
	EVENT(t, GO_START, n, 1);
}

REPEATED(syscalls, v2_run_one, 1)
{
	EVENT(t, SYSCALL_BEGIN, n, 0);
	BARE_EVENT(t, SYSCALL_END);
}

/* How many labels there are, and texts of messages. */
static uint64_t nlabels(const struct v2 *t)
{
	return t->p->size / 16;
}

static uint64_t ntexts(const struct v2 *t)
{
	return t->p->size / 24;
}

static void labels_then_one(struct v2 *t)
{
	v2_short_strings(t, nlabels(t));
	v2_run_one(t);
}

static void texts_then_one(struct v2 *t)
{
	v2_short_strings(t, ntexts(t));
	v2_run_one(t);
}

REPEATED(labels, labels_then_one, 1)
{
	EVENT(t, GO_LABEL, n % nlabels(t));
}

REPEATED(logs, texts_then_one, 1)
{
	EVENT(t, LOG, n, n % ntexts(t), (n + 1) % ntexts(t), 0);
}

/* A batch, then a byte that is none, and so on. */
REPEATED(damage, nothing, 0)
{
	v2_batch(t, n % 10);
	EVENT(t, HEAP_ALLOC, n);
	v2_end_batch(t);
	pen_byte(t->p, 0xff);
}

/* Events that make no sense where they stand. */
REPEATED(nonsense, nothing, 0)
{
	v2_batch(t, n % 50);
	BARE_EVENT(t, GO_DESTROY);
	EVENT(t, GO_START, n, n % 3);
	BARE_EVENT(t, PROC_STOP);
	EVENT(t, PROC_STEAL, n % 60, n % 7, n % 50);
	EVENT(t, GO_SWITCH, n % 100, n % 5);
	BARE_EVENT(t, SYSCALL_END_BLOCKED);
}

REPEATED(noise, nothing, 0)
{
	uint64_t word = pen_mix(n) & 0x0f0f0f0f0f0f0f0f;

	pen_bytes(t->p, &word, sizeof(word));
}

REPEATED(ones, nothing, 0)
{
	pen_byte(t->p, BATCH);
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
    {"v2-generations-clockless", "generations without a frequency", generations_clockless},
    {"v2-generations-after-ms", "generations of none after many Ms", generations_after_ms},
    {"v2-generations-after-gs", "generations of none after many goroutines",
     generations_after_goroutines},
    {"v2-damaged-after-ms", "generations that are damaged after many Ms", generations_damaged_ms},
    {"v2-damaged-after-gs", "generations that are damaged after many goroutines",
     generations_damaged_goroutines},
    {"v2-damaged-statuses", "the same with statuses that none of many Ms fits",
     generations_damaged_repairs},
    {"v2-generations-of-steals", "generations of steals from the last of many Ms",
     generations_of_steals},
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
