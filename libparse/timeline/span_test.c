#include "timeline/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/dict.h"

/* EV and SPAN below give defaults that some entries replace. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define NO TP_NONE

enum { /* to the state machine, strings and stacks are only numbers */
       CHAN = 100,
       PREEMPTED,
};

#define MAX_SPANS 4096

struct spans {
	struct tp_span span[MAX_SPANS];
	size_t n;
};

static int keep(void *ctx, const struct tp_span *sp, struct tp_err *err)
{
	struct spans *s = ctx;

	(void)err;
	assert_true(s->n < MAX_SPANS);
	s->span[s->n++] = *sp;
	return 0;
}

/* Short names for the tables below. */
enum {
	UNDET = TP_ST_UNDETERMINED,
	NONEX = TP_ST_NOT_EXIST,
	RUNNABLE = TP_ST_RUNNABLE,
	RUNNING = TP_ST_RUNNING,
	WAITING = TP_ST_WAITING,
	SYSCALL = TP_ST_SYSCALL,
	BLOCKED = TP_ST_SYSCALL_BLOCKED,
	IDLE = TP_ST_IDLE,
	LOST = TP_ST_LOST,
	END = 0,
};

struct story {
	const char *name;
	struct tp_event event[12];
	int64_t end; /* of the run */
	struct tp_span span[12];
};

#define EV(t, ty, gg, subj, f, o, ...)                                                             \
	{                                                                                          \
		.ts = t, .type = TP_EV_##ty, .g = gg, .subject = subj, .from = f, .to = o, .m = 1, \
		.p = 2, __VA_ARGS__                                                                \
	}
#define SYNC(t)                                                                                    \
	{                                                                                          \
		.ts = t, .type = TP_EV_SYNC, .g = NO, .subject = NO, .m = NO, .p = NO              \
	}
#define SPAN(gg, st, a, b, ...)                                                                    \
	{                                                                                          \
		.goroutine = gg, .state = st, .start = a, .end = b, .m = NO, .p = NO, .waker = NO, \
		__VA_ARGS__                                                                        \
	}

/* clang-format off */
static const struct story stories[] = {
	{"a life",
	 {EV(10, GO_CREATE, 7, 0, NONEX, RUNNABLE, .stack = 41, .str2 = 42),
	  EV(20, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(30, GO_BLOCK, 0, 0, RUNNING, WAITING, .str = CHAN, .stack = 43),
	  EV(45, GO_UNBLOCK, 8, 0, WAITING, RUNNABLE, .stack = 44),
	  EV(50, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(60, GO_DESTROY, 0, 0, RUNNING, NONEX)}, 100,
	 {SPAN(0, RUNNABLE, 10, 20, .waker = 7, .stack = 41, .waker_stack = 41),
	  SPAN(0, RUNNING, 20, 30, .m = 1, .p = 2),
	  SPAN(0, WAITING, 30, 45, .reason = CHAN, .stack = 43, .waker = 8, .waker_stack = 44),
	  SPAN(0, RUNNABLE, 45, 50, .waker = 8, .stack = 44, .waker_stack = 44),
	  SPAN(0, RUNNING, 50, 60, .m = 1, .p = 2)}},

	{"preempted: nobody made it runnable, but it has a reason",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE),
	  EV(11, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(12, GO_STOP, 0, 0, RUNNING, RUNNABLE, .str = PREEMPTED, .stack = 5)}, 20,
	 {SPAN(0, RUNNABLE, 10, 11), SPAN(0, RUNNING, 11, 12, .m = 1, .p = 2),
	  SPAN(0, RUNNABLE, 12, 20, .reason = PREEMPTED, .stack = 5, .waker_stack = 5, .open = 1)}},

	{"there before the trace: since the sync, in one piece with what follows",
	 {SYNC(5), EV(9, GO_STATUS_STACK, NO, 0, UNDET, WAITING, .stack = 6),
	  EV(15, GO_UNBLOCK, 3, 0, WAITING, RUNNABLE)}, 20,
	 {SPAN(0, WAITING, 5, 15, .stack = 6, .waker = 3),
	  SPAN(0, RUNNABLE, 15, 20, .waker = 3, .open = 1)}},

	{"a status that tells nothing new",
	 {SYNC(5), EV(6, GO_STATUS, NO, 0, UNDET, WAITING), SYNC(8),
	  EV(9, GO_STATUS, NO, 0, WAITING, WAITING, .stack = 9)}, 20,
	 {SPAN(0, WAITING, 5, 20, .open = 1)}},

	{"without a P in a system call when the trace begins",
	 {SYNC(5), EV(9, GO_STATUS, 0, 0, UNDET, SYSCALL, .p = NO, .m = 4),
	  EV(15, GO_SYSCALL_BLOCKED, 0, 0, SYSCALL, RUNNABLE)}, 20,
	 {SPAN(0, BLOCKED, 5, 9), SPAN(0, SYSCALL, 9, 15, .m = 4), SPAN(0, RUNNABLE, 15, 20, .open = 1)}},

	{"with a P in a system call when the trace begins",
	 {SYNC(5), EV(9, GO_STATUS, 0, 0, UNDET, SYSCALL),
	  EV(15, GO_SYSCALL_END, 0, 0, SYSCALL, RUNNING)}, 20,
	 {SPAN(0, SYSCALL, 5, 15, .m = 1, .p = 2), SPAN(0, RUNNING, 15, 20, .m = 1, .p = 2, .open = 1)}},

	{"a system call loses its P",
	 {SYNC(1), EV(2, GO_STATUS, NO, 0, UNDET, RUNNING),
	  EV(5, GO_SYSCALL_BEGIN, 0, 0, RUNNING, SYSCALL, .stack = 8),
	  EV(9, PROC_STEAL, NO, 2, RUNNING, IDLE, .m = 3),
	  EV(15, GO_SYSCALL_BLOCKED, 0, 0, SYSCALL, RUNNABLE)}, 20,
	 {SPAN(0, RUNNING, 1, 5, .m = 1, .p = 2), SPAN(0, SYSCALL, 5, 9, .m = 1, .p = 2, .stack = 8),
	  SPAN(0, BLOCKED, 9, 15, .m = 1, .p = 2, .stack = 8), SPAN(0, RUNNABLE, 15, 20, .open = 1)}},

	{"a P goes idle that serves no call",
	 {SYNC(1), EV(2, GO_STATUS, NO, 0, UNDET, RUNNING),
	  EV(5, GO_SYSCALL_BEGIN, 0, 0, RUNNING, SYSCALL),
	  EV(7, GO_SYSCALL_END, 0, 0, SYSCALL, RUNNING), EV(9, PROC_STOP, NO, 2, RUNNING, IDLE)}, 20,
	 {SPAN(0, RUNNING, 1, 5, .m = 1, .p = 2), SPAN(0, SYSCALL, 5, 7, .m = 1, .p = 2),
	  SPAN(0, RUNNING, 7, 20, .m = 1, .p = 2, .open = 1)}},

	{"Go forgets whose call a P serves when one that lost it returns",
	 {SYNC(1), EV(2, GO_STATUS, NO, 0, UNDET, SYSCALL), EV(3, PROC_STEAL, NO, 2, RUNNING, IDLE),
	  EV(4, GO_STATUS, NO, 1, UNDET, RUNNING), EV(5, GO_SYSCALL_BEGIN, 1, 1, RUNNING, SYSCALL),
	  EV(6, GO_SYSCALL_BLOCKED, 0, 0, SYSCALL, RUNNABLE), EV(7, PROC_STEAL, NO, 2, RUNNING, IDLE)}, 9,
	 {SPAN(0, SYSCALL, 1, 3, .m = 1, .p = 2), SPAN(1, RUNNING, 1, 5, .m = 1, .p = 2),
	  SPAN(0, BLOCKED, 3, 6, .m = 1, .p = 2), SPAN(0, RUNNABLE, 6, 9, .open = 1),
	  SPAN(1, SYSCALL, 5, 9, .m = 1, .p = 2, .open = 1)}},

	{"blocking forever ends a goroutine",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(11, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(12, GO_BLOCK, 0, 0, RUNNING, WAITING, .str = TP_STR_FOREVER)}, 20,
	 {SPAN(0, RUNNABLE, 10, 11), SPAN(0, RUNNING, 11, 12, .m = 1, .p = 2)}},

	{"created blocked, created in a system call",
	 {EV(10, GO_CREATE_BLOCKED, 5, 0, NONEX, WAITING, .stack = 3),
	  EV(11, GO_CREATE_SYSCALL, NO, 1, NONEX, SYSCALL, .p = NO)}, 20,
	 {SPAN(0, WAITING, 10, 20, .stack = 3, .open = 1), SPAN(1, SYSCALL, 11, 20, .m = 1, .open = 1)}},

	{"lost: running is known up to the last event of its M",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(20, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(25, HEAP_ALLOC, 0, NO, 0, 0),
	  EV(40, GO_BLOCK, 0, 0, RUNNING, WAITING, .str = CHAN, .flags = TP_EVF_LOST)}, 50,
	 {SPAN(0, RUNNABLE, 10, 20), SPAN(0, RUNNING, 20, 25, .m = 1, .p = 2), SPAN(0, LOST, 25, 40),
	  SPAN(0, WAITING, 40, 50, .reason = CHAN, .open = 1)}},

	{"lost: a wait is known not to last",
	 {EV(10, GO_CREATE_BLOCKED, NO, 0, NONEX, WAITING),
	  EV(40, GO_UNBLOCK, 3, 0, WAITING, RUNNABLE, .flags = TP_EVF_LOST | TP_EVF_INFERRED)}, 50,
	 {SPAN(0, LOST, 10, 40), SPAN(0, RUNNABLE, 40, 50, .waker = 3, .inferred = 1, .open = 1)}},

	{"lost: before an event that is no transition",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(20, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(30, HEAP_ALLOC, 0, NO, 0, 0, .flags = TP_EVF_LOST)}, 50,
	 {SPAN(0, RUNNABLE, 10, 20), SPAN(0, LOST, 20, 30), SPAN(0, RUNNING, 30, 50, .m = 1, .p = 2, .open = 1)}},

	{"lost: a goroutine that salvage finds alive after its end",
	 {SYNC(5), EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(20, GO_START, NO, 0, RUNNABLE, RUNNING),
	  EV(30, GO_DESTROY, 0, 0, RUNNING, NONEX),
	  EV(40, GO_STATUS, NO, 0, UNDET, RUNNABLE, .flags = TP_EVF_LOST | TP_EVF_INFERRED)}, 50,
	 {SPAN(0, RUNNABLE, 10, 20), SPAN(0, RUNNING, 20, 30, .m = 1, .p = 2), SPAN(0, LOST, 30, 40),
	  SPAN(0, RUNNABLE, 40, 50, .inferred = 1, .open = 1)}},

	{"lost: since a sync before the beginning of time",
	 {SYNC(-5), EV(4, GO_STATUS, NO, 0, UNDET, RUNNABLE, .flags = TP_EVF_LOST | TP_EVF_INFERRED)}, 9,
	 {SPAN(0, LOST, -5, 4), SPAN(0, RUNNABLE, 4, 9, .inferred = 1, .open = 1)}},

	{"inferred ends mark both spans",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE),
	  EV(20, GO_START, NO, 0, RUNNABLE, RUNNING, .flags = TP_EVF_INFERRED),
	  EV(30, GO_DESTROY, 0, 0, RUNNING, NONEX)}, 50,
	 {SPAN(0, RUNNABLE, 10, 20, .inferred = 1), SPAN(0, RUNNING, 20, 30, .m = 1, .p = 2, .inferred = 1)}},

	{"a first transition that is no status: it was there since the sync",
	 {SYNC(5), EV(9, GO_STOP, 0, 0, RUNNING, RUNNABLE)}, 20,
	 {SPAN(0, RUNNING, 5, 9), SPAN(0, RUNNABLE, 9, 20, .open = 1)}},

	{"a transition out of another state leaves no gap",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(20, GO_UNBLOCK, NO, 0, WAITING, RUNNABLE)}, 30,
	 {SPAN(0, RUNNABLE, 10, 20), SPAN(0, RUNNABLE, 20, 30, .open = 1)}},

	{"an end twice",
	 {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE), EV(20, GO_DESTROY, NO, 0, RUNNABLE, NONEX),
	  EV(30, GO_DESTROY, NO, 0, RUNNING, NONEX), EV(40, GO_CREATE, NO, 0, NONEX, RUNNABLE)}, 50,
	 {SPAN(0, RUNNABLE, 10, 20), SPAN(0, RUNNING, 20, 30), SPAN(0, RUNNABLE, 40, 50, .open = 1)}},
};
/* clang-format on */

static void assert_span(const char *story, size_t i, const struct tp_span *got,
			const struct tp_span *want)
{
	if (got->goroutine != want->goroutine || got->state != want->state ||
	    got->start != want->start || got->end != want->end || got->reason != want->reason ||
	    got->stack != want->stack || got->m != want->m || got->p != want->p ||
	    got->waker != want->waker || got->waker_stack != want->waker_stack ||
	    got->inferred != want->inferred || got->open != want->open)
		fail_msg("%s: span %zu is g%u %s %ld-%ld reason %u stack %u m%d p%d waker %d/%u "
			 "inferred %u open %u",
			 story, i, got->goroutine, tp_state_names[got->state], (long)got->start,
			 (long)got->end, got->reason, got->stack, (int)got->m, (int)got->p,
			 (int)got->waker, got->waker_stack, got->inferred, got->open);
}

static void test_spans_feed_stories(void **state)
{
	static struct spans got;
	struct tp_err err = {0};

	(void)state;
	for (size_t k = 0; k < sizeof(stories) / sizeof(stories[0]); k++) {
		const struct story *t = &stories[k];
		struct tp_spans *s = tp_spans_new();
		size_t n = 0, want = 0;

		assert_non_null(s);
		got.n = 0;
		while (n < 12 && t->event[n].type)
			n++;
		while (want < 12 && t->span[want].state)
			want++;
		assert_int_equal(tp_spans_feed(s, t->event, n, keep, &got, &err), 0);
		assert_int_equal(tp_spans_finish(s, t->end, keep, &got, &err), 0);
		for (size_t i = 0; i < got.n && i < want; i++)
			assert_span(t->name, i, &got.span[i], &t->span[i]);
		if (got.n != want)
			fail_msg("%s: %zu spans", t->name, got.n);
		tp_spans_free(s);
	}
}

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

#define NG     600
#define NEVENT 3000

/* Random transitions of goroutines on a few Ps that come and go. */
static void make_events(struct tp_event *ev, size_t n)
{
	static uint8_t at[NG];
	static bool lived[NG];

	memset(at, TP_ST_NONE, sizeof(at));
	memset(lived, 0, sizeof(lived));
	ev[0] = (struct tp_event)SYNC(1000);
	for (size_t i = 1; i < n; i++) {
		uint32_t g = rnd(NG), p = rnd(3);
		struct tp_event e = EV(1000 + (int64_t)i * 7, GO_STATUS, rnd(NG), g, UNDET, 0,
				       .p = p, .stack = rnd(4), .str = CHAN + rnd(3));

		if (rnd(8) == 0) {
			e.type = TP_EV_PROC_STOP;
			e.subject = p;
			e.from = RUNNING;
			e.to = IDLE;
		} else {
			static const uint8_t next[] = {RUNNABLE, RUNNING, WAITING, SYSCALL, NONEX};

			e.from = at[g] != TP_ST_NONE ? at[g] : i < 300 && !lived[g] ? UNDET : NONEX;
			lived[g] = true;
			do
				e.to = next[rnd(5)];
			while (e.to == e.from || (at[g] == TP_ST_NONE && e.to == NONEX) ||
			       (e.from == UNDET && e.to == SYSCALL));
			at[g] = e.to == NONEX ? TP_ST_NONE : e.to;
			e.type = e.to == WAITING ? TP_EV_GO_BLOCK : TP_EV_GO_STATUS;
			if (e.to != WAITING)
				e.str = 0;
		}
		ev[i] = e;
	}
}

static bool same_span(const struct tp_span *a, const struct tp_span *b)
{
	return a->goroutine == b->goroutine && a->state == b->state && a->start == b->start &&
	       a->end == b->end && a->reason == b->reason && a->stack == b->stack &&
	       a->waker == b->waker && a->waker_stack == b->waker_stack && a->open == b->open &&
	       a->m == b->m && a->p == b->p;
}

static int by_start(const void *a, const void *b)
{
	const struct tp_span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Reads from the middle: the spans that cross it are restored, as from span_crossing. All later
 * ends are the same as when reading from the beginning. */
static void test_spans_restore_any_cut(void **state)
{
	static struct tp_event ev[NEVENT];
	static struct spans whole, part;
	static struct tp_span crossing[NG];
	struct tp_err err = {0};

	(void)state;
	for (uint64_t round = 0; round < 40; round++) {
		struct tp_spans *s = tp_spans_new();
		size_t cut, before, ncross = 0;
		int64_t end = 1000 + NEVENT * 7 + 5;

		seed = round;
		make_events(ev, NEVENT);
		cut = 1 + rnd(NEVENT - 1);
		whole.n = part.n = 0;
		assert_int_equal(tp_spans_feed(s, ev, cut, keep, &whole, &err), 0);
		before = whole.n;
		tp_spans_mark(s, 1);
		assert_int_equal(tp_spans_feed(s, ev + cut, NEVENT - cut, keep, &whole, &err), 0);
		assert_int_equal(tp_spans_finish(s, end, keep, &whole, &err), 0);
		tp_spans_free(s);

		for (size_t i = before; i < whole.n; i++)
			if (whole.span[i].mark == 0)
				crossing[ncross++] = whole.span[i];
		qsort(crossing, ncross, sizeof(crossing[0]), by_start);
		s = tp_spans_new();
		for (size_t i = 0; i < ncross; i++)
			assert_int_equal(tp_spans_restore(s, &crossing[i]), 0);
		assert_int_equal(tp_spans_feed(s, ev + cut, NEVENT - cut, keep, &part, &err), 0);
		assert_int_equal(tp_spans_finish(s, end, keep, &part, &err), 0);
		tp_spans_free(s);
		assert_int_equal(part.n, whole.n - before);
		for (size_t i = 0; i < part.n; i++)
			if (!same_span(&part.span[i], &whole.span[before + i]))
				assert_span("restored", i, &part.span[i], &whole.span[before + i]);
	}
}

/* Spans of a goroutine follow each other without gaps or overlaps. */
static void test_spans_feed_no_gap(void **state)
{
	static struct tp_event ev[NEVENT];
	static struct spans got;
	static int64_t at[NG];
	struct tp_spans *s = tp_spans_new();
	struct tp_err err = {0};

	(void)state;
	seed = 99;
	make_events(ev, NEVENT);
	got.n = 0;
	assert_int_equal(tp_spans_feed(s, ev, NEVENT, keep, &got, &err), 0);
	for (size_t i = 0; i < got.n; i++) {
		const struct tp_span *sp = &got.span[i];

		if (at[sp->goroutine] && sp->start != at[sp->goroutine])
			/* A gap is allowed only after the goroutine ended and began again. */
			assert_true(sp->start > at[sp->goroutine] || sp->start == 1000);
		at[sp->goroutine] = sp->end;
	}
	tp_spans_free(s);
}

static int refuse(void *ctx, const struct tp_span *sp, struct tp_err *err)
{
	(void)ctx;
	(void)sp;
	return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "enough");
}

static void test_spans_feed_errors(void **state)
{
	struct tp_event ev[] = {EV(10, GO_CREATE, NO, 0, NONEX, RUNNABLE),
				EV(20, GO_START, NO, 0, RUNNABLE, RUNNING)};
	struct tp_spans *s = tp_spans_new();
	struct tp_err err = {0};

	(void)state;
	assert_int_equal(tp_spans_feed(s, ev, 2, refuse, NULL, &err), TP_ECANCEL);
	assert_int_equal(tp_spans_finish(s, 30, refuse, NULL, &err), TP_ECANCEL);
	ev[0].subject = TP_SPANS_LIMIT;
	assert_int_equal(tp_spans_feed(s, ev, 1, keep, NULL, &err), TP_ELIMIT);
	ev[0].subject = 0;
	ev[0].m = TP_SPANS_LIMIT_MP;
	assert_int_equal(tp_spans_feed(s, ev, 1, keep, NULL, &err), TP_ELIMIT);
	tp_spans_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spans_feed_stories),
	    cmocka_unit_test(test_spans_restore_any_cut),
	    cmocka_unit_test(test_spans_feed_no_gap),
	    cmocka_unit_test(test_spans_feed_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
