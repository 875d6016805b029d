#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "decode/v1/wire.h"
#include "order/read.h"

/* An event as the tests write it: the type and all values; END closes a list. The clock has one
 * tick per nanosecond, so differences and times are the same numbers. */
struct wire {
	int type, n;
	uint64_t v[12];
};

#define COUNT(...) (sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define E(name, ...)                                                                               \
	{                                                                                          \
		TP_V1_##name, COUNT(__VA_ARGS__),                                                  \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define TEXT(id, letter)                                                                           \
	{                                                                                          \
		TP_V1_STRING, 2,                                                                   \
		{                                                                                  \
			id, letter                                                                 \
		}                                                                                  \
	} /* a string of one letter */
#define NO_P UINT64_MAX
#define END                                                                                        \
	{                                                                                          \
		0, 0,                                                                              \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
/* From go 1.7 on: all differences are 10, to keep the cases short. */
#define BATCH(p, ticks) E(BATCH, p, ticks)
#define FREQUENCY	E(FREQUENCY, 1000000000)

/* Writes an event as the tracer of the version does. */
static void put_wire(struct tp_buf *b, const struct tp_v1_wire *w, const struct wire *e)
{
	struct tp_buf args = {0};
	uint8_t head = 0;

	if (e->type == TP_V1_STRING) {
		uint8_t text[] = {TP_V1_STRING, (uint8_t)e->v[0], 1, (uint8_t)e->v[1]};

		assert_int_equal(tp_buf_put(b, text, sizeof(text)), 0);
		return;
	}
	for (unsigned count = 0; count < 4; count++)
		if (w->form[(unsigned)e->type | count << 6])
			head = (uint8_t)((unsigned)e->type | count << 6);
	assert_int_not_equal(head, 0);
	assert_int_equal(tp_buf_put(b, &head, 1), 0);
	for (int i = 0; i < e->n; i++)
		assert_int_equal(tp_buf_put_uvarint(&args, e->v[i]), 0);
	if (w->form[head] == TP_V1_SIZED || w->form[head] == TP_V1_SIZED_NOTED ||
	    w->form[head] == TP_V1_LOGGED)
		assert_int_equal(tp_buf_put_uvarint(b, args.size), 0);
	assert_int_equal(tp_buf_put(b, args.data, args.size), 0);
	if (w->form[head] == TP_V1_LOGGED)
		assert_int_equal(tp_buf_put(b, "\5hello", 6), 0);
	tp_buf_release(&args);
}

static void put_header(struct tp_buf *b, int version)
{
	char header[17] = {0};

	snprintf(header, sizeof(header), "go 1.%d trace", version);
	assert_int_equal(tp_buf_put(b, header, 16), 0);
}

static void build(struct tp_buf *b, int version, const struct wire *events)
{
	struct tp_v1_wire w;

	tp_v1_wire_init(&w, version);
	put_header(b, version);
	for (; events->type; events++)
		put_wire(b, &w, events);
}

/* All events of a read as text: time, P, G, type, subject, states, names, arguments. */
struct heard {
	struct tp_trace trace;
	struct tp_buf text;
	uint64_t events;
	int64_t last;
	int code;
	struct tp_err err;
	uint8_t *kinds; /* of every event: see test_damage_keeps_the_rest */
	struct tp_event *all;
	size_t room;
};

static void say(struct heard *h, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	assert_int_equal(tp_buf_put(&h->text, line, (size_t)n), 0);
}

static void say_event(struct heard *h, const struct tp_event *ev)
{
	const struct tp_event_desc *d = &tp_event_descs[ev->type];
	const struct tp_trace *t = &h->trace;

	say(h, "%" PRId64, ev->ts);
	if (ev->p != TP_NONE)
		say(h, " P%" PRId64, t->p_id[ev->p]);
	if (ev->m != TP_NONE)
		say(h, " M%" PRIu64, t->m_id[ev->m]);
	if (ev->g != TP_NONE)
		say(h, " G%" PRIu64, t->g_id[ev->g]);
	say(h, " %s", d->wire);
	if (ev->subject != TP_NONE && d->subject == 'G')
		say(h, " g%" PRIu64, t->g_id[ev->subject]);
	if (ev->subject != TP_NONE && d->subject == 'P')
		say(h, " p%" PRId64, t->p_id[ev->subject]);
	if (ev->from != TP_ST_NONE)
		say(h, " %s->%s", tp_state_names[ev->from], tp_state_names[ev->to]);
	if (ev->str)
		say(h, " '%s'", tp_dict_text(t->dict, ev->str).text);
	if (ev->stack) {
		struct tp_stack_node leaf = tp_dict_stack_at(t->dict, ev->stack);
		struct tp_frame f = tp_dict_frame_at(t->dict, leaf.frame);

		say(h, " at %s:%" PRIu64,
		    tp_dict_text(t->dict, tp_dict_frame_name(t->dict, leaf.frame)).text,
		    tp_dict_location_at(t->dict, f.location).address);
	}
	if (d->arg[0] && (ev->type != TP_EV_GO_STATUS))
		say(h, " %" PRIu64, ev->arg[0]);
	if (ev->flags)
		say(h, " !%d", ev->flags);
	say(h, "\n");
}

static int listen(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct heard *h = ctx;

	(void)err;
	assert_true(n > 0 && n <= TP_BATCH_EVENTS);
	for (size_t i = 0; i < n; i++) {
		assert_true(ev[i].ts >= h->last);
		h->last = ev[i].ts;
		assert_non_null(tp_event_descs[ev[i].type].wire);
		if (h->all) {
			assert_true(h->events < h->room);
			h->all[h->events] = ev[i];
		} else {
			say_event(h, &ev[i]);
		}
		h->events++;
	}
	return 0;
}

static void hear(struct heard *h, const void *data, size_t size, bool strict)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_sink sink = {.events = listen, .ctx = h};
	struct tp_input *in;

	h->last = INT64_MIN;
	h->events = 0;
	assert_int_equal(tp_input_from_memory(&in, data, size, &h->err), 0);
	h->code = tp_trace_read(in, &opt, &h->trace, &sink, &h->err);
	if (!h->code) {
		assert_int_equal(h->trace.events, h->events);
		assert_true(!h->events || h->trace.last_ts >= h->last);
	}
	tp_input_close(in);
}

static void forget(struct heard *h)
{
	tp_trace_release(&h->trace);
	tp_buf_release(&h->text);
	memset(h, 0, sizeof(*h));
}

static void expect(int version, const struct wire *events, const char *text)
{
	for (int strict = 0; strict < 2; strict++) {
		struct heard h = {0};
		struct tp_buf b = {0};

		build(&b, version, events);
		hear(&h, b.data, b.size, strict);
		if (h.code)
			print_error("%s\n", h.err.msg);
		assert_int_equal(h.code, 0);
		assert_int_equal(h.trace.nlosses, 0);
		assert_int_equal(tp_buf_put(&h.text, "", 1), 0);
		assert_string_equal((char *)h.text.data, text);
		forget(&h);
		tp_buf_release(&b);
	}
}

/* Goroutine 1 runs on P0 from the start; more events follow. */
#define BEGIN_7                                                                                    \
	BATCH(0, 1000), E(GO_CREATE, 0, 1, 1, 0), E(PROC_START, 10, 7), E(GO_START, 10, 1, 1),     \
	    E(GOMAXPROCS, 10, 4, 0)
#define BEGUN_7                                                                                    \
	"10 P0 M7 ProcStatus p0 Undetermined->Running\n"                                           \
	"20 P0 M7 G1 GoStatus g1 Undetermined->Running\n"
#define BEGUN_11 "-1 Sync 1\n" BEGUN_7

static void test_read_introduction(void **state)
{
	static const struct wire events[] = {BATCH(NO_P, 500),
					     E(GO_CREATE, 0, 2, 1, 0),
					     E(GO_WAITING, 10, 2),
					     E(GO_CREATE, 10, 3, 0, 0),
					     E(GO_IN_SYSCALL, 10, 3),
					     E(GO_CREATE, 10, 4, 0, 0),
					     BEGIN_7,
					     E(HEAP_ALLOC, 10, 77),
					     E(GO_SCHED, 10, 1),
					     E(PROC_STOP, 10),
					     FREQUENCY,
					     TEXT(1, 'f'),
					     TEXT(2, 'x'),
					     E(STACK, 1, 1, 4096, 1, 2, 9),
					     END};

	(void)state;
	/* Goroutine 4 has not appeared when the introduction ends, so it is runnable. */
	expect(11, events,
	       "-1 Sync 1\n"
	       "10 G2 GoStatus g2 Undetermined->Waiting\n"
	       "30 G3 GoStatus g3 Undetermined->Syscall\n"
	       "510 P0 M7 ProcStatus p0 Undetermined->Running\n"
	       "520 P0 M7 G1 GoStatus g1 Undetermined->Running\n"
	       "530 GoStatus g4 Undetermined->Runnable\n"
	       "540 P0 M7 G1 HeapAlloc 77\n"
	       "550 P0 M7 G1 GoStop g1 Running->Runnable 'runtime.Gosched' at f:4096\n"
	       "560 P0 M7 ProcStop p0 Running->Idle\n"
	       "561 Sync 2\n");
}

static void test_read_equal_times_are_spread(void **state)
{
	static const struct wire events[] = {
	    BEGIN_7, E(HEAP_ALLOC, 0, 1), E(HEAP_ALLOC, 0, 2), E(HEAP_GOAL, 1, 3), FREQUENCY, END};

	(void)state;
	expect(11, events,
	       BEGUN_11 "30 P0 M7 G1 HeapAlloc 1\n"
			"31 P0 M7 G1 HeapAlloc 2\n"
			"32 P0 M7 G1 HeapGoal 3\n"
			"33 Sync 2\n");
	/* This is different before go 1.11, whose reader has no Sync event either. */
	expect(9, events,
	       BEGUN_7 "30 P0 M7 G1 HeapAlloc 1\n"
		       "30 P0 M7 G1 HeapAlloc 2\n"
		       "31 P0 M7 G1 HeapGoal 3\n");
}

/* A call that does not block ends at once. One that blocks begins when it was made (go 1.11) or
 * when the block was noticed (before), and ends at the time that its return carries. */
static const struct wire syscalls[] = {BEGIN_7,
				       E(GO_SYSCALL, 10, 0),
				       E(HEAP_ALLOC, 10, 1),
				       E(GO_SYSCALL, 10, 0),
				       E(GO_SYSBLOCK, 10),
				       E(PROC_STOP, 10),
				       BATCH(1, 1100),
				       E(PROC_START, 0, 8),
				       E(HEAP_ALLOC, 100, 2),
				       E(GO_SYSEXIT, 100, 1, 2, 1150),
				       E(GO_START_LOCAL, 10, 1),
				       E(GO_END, 10),
				       FREQUENCY,
				       END};

static void test_read_syscalls(void **state)
{
	(void)state;
	expect(11, syscalls,
	       BEGUN_11 "40 P0 M7 G1 GoSyscallBegin g1 Running->Syscall\n"
			"41 P0 M7 G1 GoSyscallEnd g1 Syscall->Running\n"
			"50 P0 M7 G1 HeapAlloc 1\n"
			"60 P0 M7 G1 GoSyscallBegin g1 Running->Syscall\n"
			"80 P0 M7 ProcStop p0 Running->Idle\n"
			"100 P1 M8 ProcStatus p1 Undetermined->Running\n"
			"150 P1000003 G1 GoSyscallEndBlocked g1 Syscall->Runnable\n"
			"200 P1 M8 HeapAlloc 2\n"
			"310 P1 M8 G1 GoStart g1 Runnable->Running\n"
			"320 P1 M8 G1 GoDestroy g1 Running->NotExist\n"
			"321 Sync 2\n");
	expect(10, syscalls,
	       BEGUN_7 "40 P0 M7 G1 GoSyscallBegin g1 Running->Syscall\n"
		       "40 P0 M7 G1 GoSyscallEnd g1 Syscall->Running\n"
		       "50 P0 M7 G1 HeapAlloc 1\n"
		       "70 P0 M7 G1 GoSyscallBegin g1 Running->Syscall\n"
		       "80 P0 M7 ProcStop p0 Running->Idle\n"
		       "100 P1 M8 ProcStatus p1 Undetermined->Running\n"
		       "150 P1000003 G1 GoSyscallEndBlocked g1 Syscall->Runnable\n"
		       "200 P1 M8 HeapAlloc 2\n"
		       "310 P1 M8 G1 GoStart g1 Runnable->Running\n"
		       "320 P1 M8 G1 GoDestroy g1 Running->NotExist\n");
}

/* The P of a wake-up shows its source: a timer or the network poller. Two lanes are merged by time
 * and by the needs of each event. */
static void test_read_unblock(void **state)
{
	static const struct wire events[] = {
	    BEGIN_7,
	    E(GO_CREATE, 10, 2, 0, 0),
	    E(GO_CREATE, 10, 3, 0, 0),
	    E(GO_UNBLOCK, 50, 2, 2, 0), /* at 100: seq 2 follows creation and start */
	    E(GO_BLOCK_RECV, 10, 0),
	    BATCH(1, 1060),
	    E(PROC_START, 0, 8),
	    E(GO_START, 10, 2, 1),
	    E(GO_BLOCK_NET, 10, 0),
	    E(GO_START, 0, 3, 1), /* at the same time as the block */
	    E(GO_UNBLOCK, 40, 1, 2, 0),
	    FREQUENCY,
	    E(TIMER_GOROUTINE, 3),
	    END};

	(void)state;
	expect(19, events,
	       BEGUN_11 "40 P0 M7 G1 GoCreate g2 NotExist->Runnable\n"
			"50 P0 M7 G1 GoCreate g3 NotExist->Runnable\n"
			"60 P1 M8 ProcStatus p1 Undetermined->Running\n"
			"70 P1 M8 G2 GoStart g2 Runnable->Running\n"
			"80 P1 M8 G2 GoBlock g2 Running->Waiting 'network'\n"
			"81 P1 M8 G3 GoStart g3 Runnable->Running\n"
			"100 P1000002 G1 GoUnblock g2 Waiting->Runnable\n"
			"110 P0 M7 G1 GoBlock g1 Running->Waiting 'chan receive'\n"
			"120 P1000001 G3 GoUnblock g1 Waiting->Runnable\n"
			"121 Sync 2\n");
}

static void test_read_ranges(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(GC_START, 10, 0, 0),
					     E(STW_START, 10, 1),
					     E(STW_DONE, 10),
					     E(ASSIST_START, 10, 0),
					     E(SWEEP_START, 10, 0),
					     E(SWEEP_DONE, 10, 4096, 512),
					     E(ASSIST_DONE, 10),
					     E(GC_DONE, 10),
					     FREQUENCY,
					     END};

	(void)state;
	expect(11, events,
	       BEGUN_11 "40 P1000004 G1 GCBegin\n"
			"50 P0 M7 G1 STWBegin g1 'stop-the-world (GC sweep termination)'\n"
			"60 P0 M7 G1 STWEnd g1 'stop-the-world (GC sweep termination)'\n"
			"70 P0 M7 G1 GCMarkAssistBegin g1\n"
			"80 P0 M7 G1 GCSweepBegin p0\n"
			"90 P0 M7 G1 GCSweepEnd p0 4096\n"
			"100 P0 M7 G1 GCMarkAssistEnd g1\n"
			"110 P0 M7 G1 GCEnd\n"
			"111 Sync 2\n");
}

/* Before go 1.10, several Ps may stop the world at once, according to the trace. */
static void test_read_stw_per_p(void **state)
{
	static const struct wire events[] = {
	    BEGIN_7,	     E(STW_START, 10), E(STW_DONE, 30), BATCH(1, 1050),
	    E(STW_START, 0), E(STW_DONE, 10),  FREQUENCY,	END};

	(void)state;
	expect(9, events,
	       BEGUN_7 "40 P0 M7 STWBegin 'stop-the-world (GC mark termination)'\n"
		       "50 P1 STWBegin 'stop-the-world (GC mark termination)'\n"
		       "60 P1 STWEnd 'stop-the-world (GC mark termination)'\n"
		       "70 P0 M7 STWEnd 'stop-the-world (GC mark termination)'\n");
}

static void test_read_annotations(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(TASK_CREATE, 10, 5, 0, 1, 0),
					     E(REGION, 10, 5, 0, 2, 0),
					     E(LOG, 10, 5, 1, 0),
					     E(REGION, 10, 5, 1, 2, 0),
					     E(TASK_END, 10, 5, 0),
					     E(GO_BLOCK, 10, 0),
					     TEXT(1, 'a'),
					     TEXT(2, 'b'),
					     FREQUENCY,
					     END};

	(void)state;
	expect(11, events,
	       BEGUN_11 "40 P0 M7 G1 UserTaskBegin 'a' 5\n"
			"50 P0 M7 G1 UserRegionBegin 'b' 5\n"
			"60 P0 M7 G1 UserLog 'a' 5\n"
			"70 P0 M7 G1 UserRegionEnd 'b' 5\n"
			"80 P0 M7 G1 UserTaskEnd 'a' 5\n"
			"90 P0 M7 G1 GoBlock g1 Running->Waiting\n"
			"91 Sync 2\n");
}

/* Samples are written late and out of order, and appear at their own time. */
static void test_read_cpu_samples(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(HEAP_ALLOC, 10, 1),
					     E(HEAP_ALLOC, 100, 2),
					     BATCH(NO_P, 1200),
					     E(CPU_SAMPLE, 0, 1090, 0, 1, 0),
					     E(CPU_SAMPLE, 0, 1035, NO_P, 0, 0),
					     E(HEAP_ALLOC, 5, 3),
					     FREQUENCY,
					     END};

	(void)state;
	expect(19, events,
	       BEGUN_11 "35 CPUSample\n"
			"40 P0 M7 G1 HeapAlloc 1\n"
			"90 P0 G1 CPUSample\n"
			"140 P0 M7 G1 HeapAlloc 2\n"
			"205 HeapAlloc 3\n"
			"206 Sync 2\n");
}

/* Goroutine 1 is woken for nothing, preempted, and blocks again: Go's reader leaves all of that
 * out. */
static void test_read_futile_wakeup(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(GO_CREATE, 10, 2, 0, 0),
					     E(GO_BLOCK_SYNC, 10, 0),
					     E(GO_START_LOCAL, 10, 2),
					     E(GO_UNBLOCK_LOCAL, 10, 1, 0),
					     E(GO_SCHED, 10, 0),
					     E(GO_START_LOCAL, 10, 1),
					     E(GO_PREEMPT, 10, 0),
					     E(GO_START_LOCAL, 10, 1),
					     E(FUTILE_WAKEUP, 10),
					     E(GO_BLOCK_SYNC, 10, 0),
					     E(GO_START_LOCAL, 10, 2),
					     E(GO_UNBLOCK_LOCAL, 10, 1, 0),
					     FREQUENCY,
					     END};

	(void)state;
	expect(8, events,
	       BEGUN_7 "40 P0 M7 G1 GoCreate g2 NotExist->Runnable\n"
		       "50 P0 M7 G1 GoBlock g1 Running->Waiting 'sync'\n"
		       "60 P0 M7 G2 GoStart g2 Runnable->Running\n"
		       "80 P0 M7 G2 GoStop g2 Running->Runnable 'runtime.Gosched'\n"
		       "140 P0 M7 G2 GoStart g2 Runnable->Running\n"
		       "150 P0 M7 G2 GoUnblock g1 Waiting->Runnable\n");
}

static void test_read_labels(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(GO_CREATE, 10, 2, 0, 0),
					     E(GO_STOP, 10, 0),
					     E(GO_START_LABEL, 10, 2, 1, 1),
					     E(GO_BLOCK_GC, 10, 0),
					     TEXT(1, 'l'),
					     FREQUENCY,
					     END};

	(void)state;
	expect(11, events,
	       BEGUN_11 "40 P0 M7 G1 GoCreate g2 NotExist->Runnable\n"
			"50 P0 M7 G1 GoBlock g1 Running->Waiting 'forever'\n"
			"60 P0 M7 G2 GoStart g2 Runnable->Running\n"
			"61 P0 M7 G2 GoLabel g2 'l'\n"
			"70 P0 M7 G2 GoBlock g2 Running->Waiting 'GC mark assist wait for work'\n"
			"71 Sync 2\n");
}

/* go 1.5: a global sequence number orders all events, including returns from system calls; stacks
 * are bare PCs. Values before the arguments: sequence and time difference. */
static void test_read_go_1_5(void **state)
{
	static const struct wire events[] = {
	    E(BATCH, 0, 10, 1000),	 E(GO_CREATE, 0, 0, 1, 4096, 0),
	    E(PROC_START, 1, 10, 7),	 E(GO_START, 1, 10, 1),
	    E(GOMAXPROCS, 1, 10, 4, 0),	 E(GO_CREATE, 1, 10, 2, 8191, 1),
	    E(GO_SYSCALL, 1, 10, 0),	 E(GO_SYSBLOCK, 2, 20),
	    E(GO_START, 2, 20, 2),	 E(BATCH, 1, 16, 1055),
	    E(PROC_START, 0, 0, 8),	 E(GO_SYSEXIT, 20, 45, 1, 18, 1075),
	    E(GO_START, 1, 1, 1),	 E(STACK, 1, 2, 16, 32),
	    E(FREQUENCY, 1000000000, 0), END};

	(void)state;
	expect(5, events,
	       BEGUN_7 "40 P0 M7 G1 GoCreate g2 NotExist->Runnable at :16\n"
		       "55 P1 M8 ProcStatus p1 Undetermined->Running\n"
		       "70 P0 M7 G1 GoSyscallBegin g1 Running->Syscall\n"
		       "75 P1000003 G1 GoSyscallEndBlocked g1 Syscall->Runnable\n"
		       "90 P0 M7 G2 GoStart g2 Runnable->Running\n"
		       "101 P1 M8 G1 GoStart g1 Runnable->Running\n");
}

static void test_read_go_1_5_first_frame(void **state)
{
	static const struct wire events[] = {E(BATCH, 0, 1, 0), E(GO_CREATE, 0, 0, 1, 4096, 0),
					     E(GO_START, 1, 1, 1), E(FREQUENCY, 1000000000, 0),
					     END};
	struct heard h = {0};
	struct tp_buf b = {0};
	struct tp_event ev[4];
	uint32_t frame;

	(void)state;
	build(&b, 5, events);
	h.all = ev;
	h.room = 4;
	hear(&h, b.data, b.size, true);
	assert_int_equal(h.code, 0);
	assert_int_equal(h.events, 1);
	assert_int_equal(ev[0].type, TP_EV_GO_STATUS);
	assert_int_equal(ev[0].arg[0], 0);
	/* One more than the PC on the wire: symbolizers expect return addresses. */
	frame = tp_dict_stack_at(h.trace.dict, ev[0].str2).frame;
	assert_int_equal(
	    tp_dict_location_at(h.trace.dict, tp_dict_frame_at(h.trace.dict, frame).location)
		.address,
	    4097);
	h.all = NULL;
	forget(&h);
	tp_buf_release(&b);
}

static uint64_t wires_of(const struct tp_trace *t, const char *name, uint64_t *with_stack)
{
	for (size_t i = 0; i < t->nwires; i++)
		if (!strcmp(t->wires[i].name, name)) {
			*with_stack = t->wires[i].with_stack;
			return t->wires[i].events;
		}
	*with_stack = 0;
	return 0;
}

/* Counts as Go 1.19's reader does: local variants under the common name, the first start of a
 * goroutine with the stack of its creation, and no entries of tables. */
static void test_read_counts_wire_events(void **state)
{
	static const struct wire events[] = {BEGIN_7,
					     E(GO_CREATE, 10, 2, 1, 1),
					     E(GO_SCHED, 10, 1),
					     E(GO_START_LOCAL, 10, 2),
					     E(GO_SCHED, 10, 0),
					     E(GO_START_LOCAL, 10, 2),
					     TEXT(1, 'f'),
					     E(STACK, 1, 1, 4096, 1, 1, 9),
					     E(STACK, 2, 0),
					     FREQUENCY,
					     END};
	struct heard h = {0};
	struct tp_buf b = {0};
	uint64_t stacks;

	(void)state;
	build(&b, 7, events);
	hear(&h, b.data, b.size, true);
	assert_int_equal(h.code, 0);
	assert_int_equal(wires_of(&h.trace, "GoStart", &stacks), 3);
	assert_int_equal(stacks, 2);
	assert_int_equal(wires_of(&h.trace, "GoStartLocal", &stacks), 0);
	assert_int_equal(wires_of(&h.trace, "GoSched", &stacks), 2);
	assert_int_equal(stacks, 1);
	assert_int_equal(wires_of(&h.trace, "Stack", &stacks), 0);
	assert_int_equal(wires_of(&h.trace, "GoCreate", &stacks), 2);
	assert_int_equal(h.trace.stacks, 1); /* an empty one does not count */
	assert_int_equal(h.trace.first_ts, 10);
	assert_int_equal(h.trace.last_ts, 80);
	forget(&h);
	tp_buf_release(&b);
}

/* Go's readers check the whole trace first, so a fault means no events at all; without --strict,
 * everything that can be understood is kept. */
static void test_read_faults(void **state)
{
	static const struct {
		int version;
		struct wire events[10];
		const char *says;
		uint64_t kept;
	} cases[] = {
	    {11, {BEGIN_7, END}, "frequency", 5},
	    {11, {BEGIN_7, E(PROC_START, 10, 7), FREQUENCY, END}, "while it is running", 7},
	    {11, {BEGIN_7, E(GO_CREATE, 10, 1, 0, 0), FREQUENCY, END}, "order", 4},
	    {11, {BEGIN_7, E(GO_START, 10, 2, 9), FREQUENCY, END}, "order", 7},
	    {11, {BEGIN_7, E(GO_UNBLOCK, 10, 2, 9, 0), FREQUENCY, END}, "order", 6},
	    {11, {BEGIN_7, E(GC_DONE, 10), FREQUENCY, END}, "GC ends", 4},
	    {11, {BEGIN_7, E(STW_DONE, 10), FREQUENCY, END}, "world", 4},
	    {11, {BEGIN_7, E(SWEEP_DONE, 10, 1, 1), FREQUENCY, END}, "sweep", 4},
	    {11, {BEGIN_7, E(PROC_STOP, 10), FREQUENCY, END}, "running a goroutine", 6},
	    {11, {BEGIN_7, E(REGION, 10, 1, 2, 0, 0), FREQUENCY, END}, "region", 4},
	    {11, {BEGIN_7, BATCH(0, 900), E(HEAP_ALLOC, 0, 1), FREQUENCY, END}, "out of order", 5},
	    {11, {BEGIN_7, E(FREQUENCY, 0), FREQUENCY, END}, "frequency", 4},
	    {10, {BEGIN_7, E(STW_START, 10, 2), FREQUENCY, END}, "unknown reason", 3},
	    {7, {BEGIN_7, TEXT(1, 'a'), TEXT(1, 'b'), FREQUENCY, END}, "twice", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct heard h = {0};
		struct tp_buf b = {0};

		build(&b, cases[i].version, cases[i].events);
		hear(&h, b.data, b.size, true);
		assert_int_equal(h.code, TP_EFORMAT);
		assert_int_equal(h.events, 0);
		if (!strstr(h.err.msg, cases[i].says))
			print_error("case %zu: %s\n", i, h.err.msg);
		assert_non_null(strstr(h.err.msg, cases[i].says));
		forget(&h);
		hear(&h, b.data, b.size, false);
		assert_int_equal(h.code, 0);
		if (h.events != cases[i].kept)
			print_error("case %zu: %.*s\n", i, (int)h.text.size, (char *)h.text.data);
		assert_int_equal(h.events, cases[i].kept);
		forget(&h);
		tp_buf_release(&b);
	}
}

/* A start whose creation and wake-up are lost: both are inferred and counted. */
static void test_salvage_infers(void **state)
{
	static const struct wire events[] = {
	    BEGIN_7,
	    E(GO_CREATE, 10, 2, 0, 0),
	    E(GO_START, 10, 2, 5), /* goroutine 1 must have left the P */
	    E(HEAP_ALLOC, 10, 1),
	    FREQUENCY,
	    END};
	static const char text[] = BEGUN_11 "40 P0 M7 G1 GoCreate g2 NotExist->Runnable\n"
					    "50 GoStatus g1 Running->Lost !3\n"
					    "51 P0 M7 G2 GoStart g2 Runnable->Running !2\n"
					    "60 P0 M7 G2 HeapAlloc 1\n"
					    "61 Sync 2\n";
	struct heard h = {0};
	struct tp_buf b = {0};

	(void)state;
	build(&b, 11, events);
	hear(&h, b.data, b.size, false);
	assert_int_equal(h.code, 0);
	assert_int_equal(tp_buf_put(&h.text, "", 1), 0);
	assert_string_equal((char *)h.text.data, text);
	assert_int_equal(h.trace.inferred, 1);
	forget(&h);
	tp_buf_release(&b);
}

/* Two Ps that hand a goroutine back and forth, in enough batches to be damaged. */
static void build_long(struct tp_buf *b, int version)
{
	static const struct wire begin[] = {BEGIN_7, E(GO_CREATE, 10, 2, 0, 0),
					    E(GO_BLOCK_RECV, 10, 0), END};
	struct tp_v1_wire w;

	tp_v1_wire_init(&w, version);
	build(b, version, begin);
	for (unsigned i = 0; i < 60; i++) {
		struct wire head = BATCH(i & 1, 2000 + 2000 * i);
		struct wire start = E(PROC_START, 0, 9), stop = E(PROC_STOP, 1);

		if (i == 1)
			put_wire(b, &w, &(struct wire)BATCH(1, 1900)), put_wire(b, &w, &start);
		put_wire(b, &w, &head);
		for (unsigned k = 0; k < 20; k++) {
			uint64_t seq = 1 + 40 * (uint64_t)i + 2 * k;
			const struct wire round[] = {
			    E(GO_START, 10, 2, seq),
			    E(HEAP_ALLOC, 10, 1000 * i + k),
			    E(GO_SCHED, 10, 0),
			};

			/* A yield changes no sequence number, a start does. */
			struct wire first = round[0];

			first.v[2] = 1 + 20 * (uint64_t)i + k;
			put_wire(b, &w, &first);
			put_wire(b, &w, &round[1]);
			put_wire(b, &w, &round[2]);
		}
		if (i == 59)
			put_wire(b, &w, &stop);
	}
	put_wire(b, &w, &(struct wire)FREQUENCY);
}

static bool same(const struct heard *a, const struct tp_event *x, const struct heard *b,
		 const struct tp_event *y)
{
	return x->type == y->type && (x->g == TP_NONE) == (y->g == TP_NONE) &&
	       (x->p == TP_NONE) == (y->p == TP_NONE) &&
	       (x->g == TP_NONE || a->trace.g_id[x->g] == b->trace.g_id[y->g]) &&
	       (x->p == TP_NONE || a->trace.p_id[x->p] == b->trace.p_id[y->p]);
}

/* Returns whether the true trace has the event at about its time (events lost without notice shift
 * the rest of their batch). *from: where to start searching for this and later events. */
static bool is_there(const struct heard *h, const struct tp_event *ev, const struct heard *truth,
		     uint64_t *from)
{
	while (*from < truth->events && truth->all[*from].ts < ev->ts - 50)
		++*from;
	for (uint64_t i = *from; i < truth->events && truth->all[i].ts <= ev->ts + 50; i++)
		if (same(h, ev, truth, &truth->all[i]))
			return true;
	return false;
}

/* Bytes in the middle are overwritten or removed, or the rest is cut off. The result agrees with
 * the undamaged trace, and most of that is kept. */
static void test_damage_keeps_the_rest(void **state)
{
	enum { ZERO, NOISE, HOLE, CUT };
	static const struct {
		int how;
		double at;
		size_t size;
		unsigned keeps; /* per cent at least */
	} cases[] = {
	    {ZERO, 0.3, 1, 95},	 {ZERO, 0.5, 64, 94},  {ZERO, 0.7, 400, 85}, {NOISE, 0.4, 40, 92},
	    {NOISE, 0.6, 9, 95}, {HOLE, 0.35, 31, 90}, {HOLE, 0.8, 700, 80}, {CUT, 0.75, 0, 70},
	};
	struct tp_buf whole = {0};
	struct heard truth = {0};

	(void)state;
	build_long(&whole, 11);
	truth.room = 8000;
	truth.all = calloc(truth.room, sizeof(*truth.all));
	assert_non_null(truth.all);
	hear(&truth, whole.data, whole.size, true);
	assert_int_equal(truth.code, 0);
	assert_true(truth.events > 3600);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		size_t at = (size_t)((double)whole.size * cases[c].at), size = whole.size;
		uint8_t *copy = malloc(size);
		struct heard h = {.room = 8000, .all = calloc(8000, sizeof(struct tp_event))};
		uint64_t wrong = 0, kept = 0, marked = 0;

		assert_non_null(copy);
		assert_non_null(h.all);
		memcpy(copy, whole.data, size);
		switch (cases[c].how) {
		case ZERO:
			memset(copy + at, 0, cases[c].size);
			break;
		case NOISE:
			for (size_t i = 0; i < cases[c].size; i++)
				copy[at + i] = (uint8_t)(0xff - 37 * i);
			break;
		case HOLE:
			memmove(copy + at, copy + at + cases[c].size, size - at - cases[c].size);
			size -= cases[c].size;
			break;
		default:
			size = at;
			break;
		}
		hear(&h, copy, size, false);
		assert_int_equal(h.code, 0);
		for (uint64_t i = 0, j = 0; i < h.events; i++) {
			marked += h.all[i].flags != 0;
			if (h.all[i].flags & TP_EVF_INFERRED)
				continue;
			kept++;
			wrong += !is_there(&h, &h.all[i], &truth, &j);
		}
		if (wrong * 100 > kept || kept * 100 < truth.events * cases[c].keeps)
			print_error("case %zu: %d wrong of %d, %d in truth\n", c, (int)wrong,
				    (int)kept, (int)truth.events);
		/* Some damage leaves sound bytes, which only the order reveals; a single byte may
		 * not even change that. */
		assert_true(h.trace.nlosses > 0 || marked > 0 || cases[c].size == 1);
		assert_true(wrong * 100 <= kept);
		assert_true(kept * 100 >= truth.events * cases[c].keeps);
		free(h.all);
		h.all = NULL;
		forget(&h);
		free(copy);
	}
	free(truth.all);
	truth.all = NULL;
	forget(&truth);
	tp_buf_release(&whole);
}

/* A clock without a frequency: times are ticks, and a notice says so. */
static void test_salvage_without_frequency(void **state)
{
	static const struct wire events[] = {BEGIN_7, E(HEAP_ALLOC, 10, 1), END};
	struct heard h = {0};
	struct tp_buf b = {0};

	(void)state;
	build(&b, 11, events);
	hear(&h, b.data, b.size, false);
	assert_int_equal(h.code, 0);
	assert_true(h.trace.ns_per_tick == 0);
	assert_int_equal(h.trace.nnotices, 2); /* its tables are lost with it */
	/* Commands show the first notice. */
	assert_non_null(strstr(h.trace.notices[0].text, "times are ticks"));
	assert_string_equal(h.trace.notices[1].text,
			    "names or stacks, used 1 time, are lost with their tables");
	assert_int_equal(h.trace.last_ts, 42);
	forget(&h);
	tp_buf_release(&b);
}

/* Go's readers accept any clock, and use the last one in the trace. An undamaged trace is not
 * repaired. */
static void test_salvage_keeps_any_frequency(void **state)
{
	static const struct {
		struct wire events[12];
		double ns_per_tick;
	} cases[] = {
	    {{BEGIN_7, E(HEAP_ALLOC, 10, 1), E(FREQUENCY, 4735), END}, 1e9 / 4735},
	    {{BEGIN_7, E(FREQUENCY, 1000000), E(HEAP_ALLOC, 10, 1), E(FREQUENCY, 2000000), END},
	     500},
	    {{BEGIN_7, E(FREQUENCY, 1000000), E(HEAP_ALLOC, 10, 1), E(FREQUENCY, 1), END}, 1e9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct heard strict = {0}, lenient = {0};
		struct tp_buf b = {0};

		build(&b, 11, cases[i].events);
		hear(&strict, b.data, b.size, true);
		hear(&lenient, b.data, b.size, false);
		assert_int_equal(strict.code, 0);
		assert_int_equal(lenient.code, 0);
		assert_int_equal(lenient.trace.nlosses, 0);
		assert_true(strict.trace.ns_per_tick == cases[i].ns_per_tick);
		assert_true(lenient.trace.ns_per_tick == cases[i].ns_per_tick);
		assert_int_equal(strict.text.size, lenient.text.size);
		assert_memory_equal(strict.text.data, lenient.text.data, strict.text.size);
		forget(&strict);
		forget(&lenient);
		tp_buf_release(&b);
	}
}

/* Every prefix of small traces, and many mutations: the contract always holds. */
static void test_prefixes_and_mutations(void **state)
{
	static const int versions[] = {5, 7, 9, 10, 11, 19, 21};
	uint32_t random = 1;

	(void)state;
	for (size_t v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
		static const struct wire old[] = {E(BATCH, 0, 10, 1000),
						  E(GO_CREATE, 0, 0, 1, 4096, 0),
						  E(PROC_START, 1, 10, 7),
						  E(GO_START, 1, 10, 1),
						  E(GO_SYSCALL, 1, 10, 1),
						  E(GO_SYSBLOCK, 1, 10),
						  E(GO_SYSEXIT, 5, 50, 1, 17, 1045),
						  E(GO_START, 1, 10, 1),
						  E(FUTILE_WAKEUP, 1, 1),
						  E(GO_BLOCK_SYNC, 1, 1, 0),
						  E(STACK, 1, 2, 16, 32),
						  E(FREQUENCY, 1000000000, 0),
						  END};
		struct tp_buf b = {0};

		build(&b, versions[v], versions[v] < 7 ? old : syscalls);
		for (size_t size = 16; size < b.size; size++) {
			for (int strict = 0; strict < 2; strict++) {
				struct heard h = {0};

				hear(&h, b.data, size, strict);
				assert_true(!strict || h.code);
				assert_true(h.code || h.events);
				forget(&h);
			}
		}
		for (unsigned i = 0; i < 3000; i++) {
			struct heard h = {0};
			uint8_t *copy = malloc(b.size);

			assert_non_null(copy);
			memcpy(copy, b.data, b.size);
			for (unsigned k = 0; k <= i % 4; k++) {
				random = random * 1664525 + 1013904223;
				copy[16 + (random >> 8) % (b.size - 16)] = (uint8_t)(random >> 24);
			}
			hear(&h, copy, b.size, i & 1);
			assert_true(h.code || h.events);
			forget(&h);
			free(copy);
		}
		tp_buf_release(&b);
	}
}

static int refuse(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	(void)ctx;
	(void)ev;
	(void)n;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "the disk is full");
}

static void test_read_ends_with_the_sink(void **state)
{
	struct tp_trace_options opt = {0};
	struct tp_sink sink = {.events = refuse};
	struct tp_trace trace;
	struct tp_buf b = {0};
	struct tp_input *in;
	struct tp_err err;

	(void)state;
	build_long(&b, 11);
	assert_int_equal(tp_input_from_memory(&in, b.data, b.size, &err), 0);
	assert_int_equal(tp_trace_read(in, &opt, &trace, &sink, &err), TP_EIO);
	assert_string_equal(err.msg, "the disk is full");
	tp_trace_release(&trace);
	tp_input_close(in);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_introduction),
	    cmocka_unit_test(test_read_equal_times_are_spread),
	    cmocka_unit_test(test_read_syscalls),
	    cmocka_unit_test(test_read_unblock),
	    cmocka_unit_test(test_read_ranges),
	    cmocka_unit_test(test_read_stw_per_p),
	    cmocka_unit_test(test_read_annotations),
	    cmocka_unit_test(test_read_cpu_samples),
	    cmocka_unit_test(test_read_futile_wakeup),
	    cmocka_unit_test(test_read_labels),
	    cmocka_unit_test(test_read_go_1_5),
	    cmocka_unit_test(test_read_go_1_5_first_frame),
	    cmocka_unit_test(test_read_counts_wire_events),
	    cmocka_unit_test(test_read_faults),
	    cmocka_unit_test(test_salvage_infers),
	    cmocka_unit_test(test_damage_keeps_the_rest),
	    cmocka_unit_test(test_salvage_without_frequency),
	    cmocka_unit_test(test_salvage_keeps_any_frequency),
	    cmocka_unit_test(test_prefixes_and_mutations),
	    cmocka_unit_test(test_read_ends_with_the_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
