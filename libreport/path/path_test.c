/* Tests paths with small traces whose answer is known, with programs whose answer is known
 * (testdata/programs), and with a random run of several segments. The last is compared with a brute-force
 * implementation of the rule in path.h: recursion over all spans of the run, by time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/many.h"
#include "base/regex.h"
#include "import.h"
#include "order/read.h"
#include "path/ender.h"
#include "path/graph.h"
#include "path/path.h"
#include "path/wake.h"
#include "spans/segment.h"
#include "timeline/timeline.h"

/* EV below gives defaults that some events replace. */
#pragma GCC diagnostic ignored "-Woverride-init"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;
static struct rep_filter filter;
static struct rep_view view;

static void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
}

static void close_view(void)
{
	rep_view_release(&view);
	rep_filter_release(&filter);
}

static void open_view(const struct rep_filter_text *text)
{
	struct tp_err err;

	close_view();
	if (rep_filter_init(&filter, text, &err) ||
	    rep_view_init(&view, store, &runs.run[0], &filter, NULL, &err))
		fail_msg("%s", err.msg);
}

static void open_store(void)
{
	const struct rep_filter_text all = {0};
	struct tp_err err;

	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	open_view(&all);
}

static int close_store(void **state)
{
	char lock[96];

	(void)state;
	close_view();
	rep_runs_release(&runs);
	tp_store_close(store);
	store = NULL;
	snprintf(lock, sizeof(lock), "%s-lock", path);
	unlink(lock);
	unlink(path);
	rmdir(dir);
	return 0;
}

/* ---- runs of given events ---- */

static struct tp_trace trace;
static struct tp_store_run *run;
static struct tp_timeline *timeline;

static void begin_run(uint32_t goroutines)
{
	const struct tp_store_options opt = {.wait_ms = 1000};

	make_folder();
	memset(&trace, 0, sizeof(trace));
	trace.dict = tp_dict_new();
	assert_non_null(trace.dict);
	for (uint64_t i = 0; i < goroutines; i++)
		tp_trace_new_g(&trace, i + 1);
	for (int64_t i = 0; i < 8; i++) {
		tp_trace_new_p(&trace, i);
		tp_trace_new_m(&trace, (uint64_t)i);
	}
	assert_int_equal(tp_store_begin(&run, path, &opt, NULL), 0);
	timeline = tp_timeline_new(run);
	assert_non_null(timeline);
}

static void feed(const struct tp_event *ev, size_t n)
{
	if (!trace.events && n)
		trace.first_ts = ev[0].ts;
	if (n)
		trace.last_ts = ev[n - 1].ts;
	trace.events += n;
	assert_int_equal(tp_store_put_events(run, ev, n, NULL), 0);
	assert_int_equal(tp_timeline_feed(timeline, ev, n, NULL), 0);
}

static void end_run(void)
{
	struct tp_run r = {.kind = "trace",
			   .name = "made up",
			   .source = "made-up",
			   .hash = "00000000000000000000000000000001",
			   .format = "go 1.26",
			   .wall_ns = TP_NULL};
	struct tp_err err;

	trace.started = true;
	r.start_ns = trace.first_ts;
	r.duration_ns = trace.last_ts - trace.first_ts;
	r.events = (int64_t)trace.events;
	r.goroutines = (int64_t)trace.ng;
	assert_int_equal(tp_timeline_finish(timeline, &trace, &err), 0);
	tp_timeline_free(timeline);
	assert_int_equal(tp_store_put_trace(run, &trace, &err), 0);
	assert_int_equal(tp_store_commit(run, &r, &err), 0);
	tp_trace_release(&trace);
	open_store();
}

static uint32_t str(const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(trace.dict, text, strlen(text), &id), 0);
	return id;
}

static uint32_t stack_on(uint32_t parent, const char *name)
{
	struct tp_function fn = {.name = str(name)};
	struct tp_frame frame = {0};
	uint32_t f, id;

	assert_int_equal(tp_dict_function(trace.dict, &fn, &frame.function), 0);
	assert_int_equal(tp_dict_frame(trace.dict, &frame, &f), 0);
	assert_int_equal(tp_dict_stack(trace.dict, parent, f, &id), 0);
	return id;
}

static uint32_t stack(const char *name)
{
	return stack_on(0, name);
}

#define NO     TP_NONE
#define NONEX  TP_ST_NOT_EXIST
#define UNDET  TP_ST_UNDETERMINED
#define RUNBLE TP_ST_RUNNABLE
#define RUN    TP_ST_RUNNING
#define WAIT   TP_ST_WAITING
#define SYSC   TP_ST_SYSCALL
#define EV(t, ty, gg, subj, f, o, ...)                                                             \
	{                                                                                          \
		.ts = t, .type = TP_EV_##ty, .g = gg, .subject = subj, .from = f, .to = o, .m = 0, \
		.p = 0, __VA_ARGS__                                                                \
	}
#define SYNC(t)                                                                                    \
	{                                                                                          \
		.ts = t, .type = TP_EV_SYNC, .g = NO, .subject = NO, .m = NO, .p = NO              \
	}
/* Goroutine g, which existed before the trace, is in state st. */
#define THERE(t, g, st, ...) EV(t, GO_STATUS, NO, g, UNDET, st, __VA_ARGS__)
#define BLOCK(t, g, why, where)                                                                    \
	EV(t, GO_BLOCK, g, g, RUN, WAIT, .str = str(why), .stack = stack(where))
#define WAKE(t, by, g, where) EV(t, GO_UNBLOCK, by, g, WAIT, RUNBLE, .stack = stack(where))
#define START(t, g, pp)	      EV(t, GO_START, NO, g, RUNBLE, RUN, .p = pp)
#define NEW(t, by, g)	      EV(t, GO_CREATE, by, g, NONEX, RUNBLE, .stack = stack("main.go"))
#define GONE(t, g)	      EV(t, GO_DESTROY, g, g, RUN, NONEX)

#define PLAY(ng, ...)                                                                              \
	do {                                                                                       \
		begin_run(ng);                                                                     \
		const struct tp_event played[] = {__VA_ARGS__};                                    \
		feed(played, sizeof(played) / sizeof(played[0]));                                  \
		end_run();                                                                         \
	} while (0)

/* ---- walking ---- */

static struct rep_path walked;
static struct rep_path_requests list;

static void forget(void)
{
	rep_path_release(&walked);
	rep_path_requests_release(&list);
}

static void walk_some(const struct rep_path_options *opt, const struct rep_filter_text *text,
		      int64_t limit)
{
	struct tp_err err;
	int code;

	forget();
	open_view(text);
	code = rep_path_pick(&view, opt, &list, &err);
	if (code == TP_ENOENT && list.incomplete) /* all of them are incomplete */
		return;
	if (code || rep_path_walk(&view, list.request, list.n, limit, &walked, &err))
		fail_msg("%s", err.msg);
}

static void walk_goroutine(const char *id)
{
	const struct rep_path_options opt = {.at_most = INT64_MAX};
	const struct rep_filter_text text = {.goroutine = id};

	walk_some(&opt, &text, REP_PATH_HOPS);
}

static void walk_task(const char *task, int64_t slowest)
{
	const struct rep_path_options opt = {
	    .task = task, .at_most = INT64_MAX, .slowest = slowest};
	const struct rep_filter_text all = {0};

	walk_some(&opt, &all, REP_PATH_HOPS);
}

/* Hops follow each other without a gap, and everything adds up to the request. */
static void check_whole(int64_t from, int64_t to)
{
	int64_t at = from, total = 0, kinds = 0;

	for (size_t i = 0; i < walked.hops.n; i++) {
		assert_int_equal(rep_path_hop(&walked, i).from, at);
		assert_true(rep_path_hop(&walked, i).to >= at);
		at = rep_path_hop(&walked, i).to;
	}
	assert_int_equal(at, to);
	for (size_t i = 0; i < walked.nsums; i++)
		total += walked.sum[i].total_ns;
	for (int i = 0; i < REP_NPATH_KINDS; i++)
		kinds += walked.kind_ns[i];
	assert_int_equal(total, to - from);
	assert_int_equal(kinds, to - from);
	assert_int_equal(walked.total_ns, to - from);
	assert_int_equal(walked.chain[0].total_ns, to - from);
}

struct want {
	int64_t from, to;
	int64_t goroutine; /* id */
	enum rep_path_kind kind;
	int64_t depth;
	int64_t wakes; /* id; 0: it wakes no goroutine */
};

static void check_hops(const struct want *want, size_t n)
{
	for (size_t i = 0; i < n && i < walked.hops.n; i++) {
		const struct rep_path_hop hop = rep_path_hop(&walked, i), *h = &hop;
		int64_t wakes = h->wakes == TP_NONE ? 0 : REP_COL(&view, GOROUTINE, id)[h->wakes];

		if (h->from != want[i].from || h->to != want[i].to || h->kind != want[i].kind ||
		    REP_COL(&view, GOROUTINE, id)[h->goroutine] != want[i].goroutine ||
		    walked.chain[h->chain].depth != want[i].depth || wakes != want[i].wakes)
			fail_msg("hop %zu is %lld-%lld %s of %lld, depth %u, wakes %lld", i,
				 (long long)h->from, (long long)h->to, rep_path_kinds[h->kind].name,
				 (long long)REP_COL(&view, GOROUTINE, id)[h->goroutine],
				 walked.chain[h->chain].depth, (long long)wakes);
	}
	assert_int_equal(walked.hops.n, n);
	check_whole(want[0].from, want[n - 1].to);
}
#define CHECK_HOPS(...)                                                                            \
	do {                                                                                       \
		const struct want want[] = {__VA_ARGS__};                                          \
		check_hops(want, sizeof(want) / sizeof(want[0]));                                  \
	} while (0)

#define K(kind) REP_PATH_##kind

/* ---- small traces ---- */

/* 1 waits for 2, which had begun to wait for 3 earlier. The time before 1's wait belongs to 1; what 2 and 3
 * did then is ignored. */
static void test_walk_wait_in_a_wait(void **state)
{
	(void)state;
	PLAY(3, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN), THERE(1002, 2, RUN),
	     BLOCK(1100, 1, "chan receive", "main.two"), BLOCK(1200, 0, "sync", "main.one"),
	     WAKE(1500, 2, 1, "main.three"), START(1510, 1, 1), WAKE(1600, 1, 0, "main.two"),
	     START(1620, 0, 2), GONE(1700, 0));
	walk_goroutine("1");
	CHECK_HOPS({0, 200, 1, K(RUNNING), 0, 0}, {200, 500, 3, K(RUNNING), 2, 2},
		   {500, 510, 2, K(RUNNABLE), 1, 0}, {510, 600, 2, K(RUNNING), 1, 1},
		   {600, 620, 1, K(RUNNABLE), 0, 0}, {620, 700, 1, K(RUNNING), 0, 0});
	/* The stacks of both sides of the first wake-up. */
	assert_string_equal(tp_dict_text(view.dict, rep_path_hop(&walked, 1).wakes_reason).text,
			    "chan receive");
	assert_int_equal(rep_path_site(view.dict, rep_path_hop(&walked, 1).wake_stack),
			 rep_path_site(view.dict, rep_path_hop(&walked, 1).stack));
	assert_string_equal(
	    tp_dict_text(view.dict, rep_path_site(view.dict, rep_path_hop(&walked, 1).wakes_stack))
		.text,
	    "main.two");
	assert_string_equal(
	    tp_dict_text(view.dict, rep_path_site(view.dict, rep_path_hop(&walked, 1).wake_stack))
		.text,
	    "main.three");
}

/* A wait within a wait that has ended: the path comes back to the first waker before that. */
static void test_walk_comes_back(void **state)
{
	(void)state;
	PLAY(3, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN), THERE(1002, 2, RUN),
	     BLOCK(1100, 0, "sync", "main.one"), BLOCK(1300, 1, "sync", "main.two"),
	     WAKE(1400, 2, 1, "main.three"), START(1400, 1, 1), WAKE(1600, 1, 0, "main.two"),
	     START(1600, 0, 2), GONE(1700, 0));
	walk_goroutine("1");
	CHECK_HOPS({0, 100, 1, K(RUNNING), 0, 0}, {100, 300, 2, K(RUNNING), 1, 0},
		   {300, 400, 3, K(RUNNING), 2, 2}, {400, 600, 2, K(RUNNING), 1, 1},
		   {600, 700, 1, K(RUNNING), 0, 0});
	assert_int_equal(walked.nchains, 3);
	assert_int_equal(walked.chain[1].total_ns, 500);
	assert_int_equal(walked.chain[2].total_ns, 100);
}

/* Before its creation, the path of a goroutine is on its creator. */
static void test_walk_creation(void **state)
{
	(void)state;
	PLAY(3, SYNC(1000), THERE(1000, 0, RUN), NEW(1100, 0, 1), START(1150, 1, 1),
	     EV(1200, TASK_BEGIN, 0, NO, 0, 0, .arg = {7, UINT64_MAX}), NEW(1300, 0, 2),
	     START(1330, 2, 2), EV(1400, TASK_END, 2, NO, 0, 0, .arg = {7, UINT64_MAX}),
	     GONE(1500, 1));
	walk_task("7", 0);
	CHECK_HOPS({200, 300, 1, K(RUNNING), 0, 3}, {300, 330, 3, K(RUNNABLE), 0, 0},
		   {330, 400, 3, K(RUNNING), 0, 0});
	assert_true(rep_path_hop(&walked, 0).creates);
}

/* Waits that were not ended by a goroutine are leaves with a name. */
static void test_walk_outside(void **state)
{
	(void)state;
	PLAY(1, SYNC(1000), THERE(1000, 0, RUN), BLOCK(1100, 0, "network", "net.Read"),
	     WAKE(1200, NO, 0, "x"), START(1210, 0, 0), BLOCK(1300, 0, "sleep", "main.nap"),
	     WAKE(1400, NO, 0, "x"), START(1410, 0, 0),
	     BLOCK(1500, 0, "GC mark assist wait for work", "main.f"), WAKE(1600, NO, 0, "x"),
	     START(1610, 0, 0), BLOCK(1700, 0, "select", "main.f"), WAKE(1800, NO, 0, "x"),
	     START(1810, 0, 0), EV(1900, GO_SYSCALL_BEGIN, 0, 0, RUN, SYSC, .stack = stack("s")),
	     EV(2000, GO_SYSCALL_END, 0, 0, SYSC, RUN), GONE(2100, 0));
	walk_goroutine("1");
	CHECK_HOPS({0, 100, 1, K(RUNNING), 0, 0}, {100, 200, 1, K(NETWORK), 0, 0},
		   {200, 210, 1, K(RUNNABLE), 0, 0}, {210, 300, 1, K(RUNNING), 0, 0},
		   {300, 400, 1, K(TIMER), 0, 0}, {400, 410, 1, K(RUNNABLE), 0, 0},
		   {410, 500, 1, K(RUNNING), 0, 0}, {500, 600, 1, K(COLLECTOR), 0, 0},
		   {600, 610, 1, K(RUNNABLE), 0, 0}, {610, 700, 1, K(RUNNING), 0, 0},
		   {700, 800, 1, K(OUTSIDE), 0, 0}, {800, 810, 1, K(RUNNABLE), 0, 0},
		   {810, 900, 1, K(RUNNING), 0, 0}, {900, 1000, 1, K(SYSCALL), 0, 0},
		   {1000, 1100, 1, K(RUNNING), 0, 0});
	/* The stack of a runnable hop is where the goroutine had been blocked, not the waker's. */
	assert_string_equal(
	    tp_dict_text(view.dict, rep_path_site(view.dict, rep_path_hop(&walked, 2).stack)).text,
	    "net.Read");
}

/* Only a close, deadline, reset or stop at the leaf ends a wait for the network or a sleep. Other wakers just
 * happened to be running, such as the goroutine that starts the world again. Waits ended by Go's timerproc
 * were ended by a timer. */
static void test_walk_bystander(void **state)
{
	static const struct {
		const char *reason, *leaf, *caller;
		enum rep_path_kind want; /* RUNNING: the path goes to the waker */
	} cases[] = {
	    {"network", "runtime.systemstack_switch", "runtime.gcMarkTermination", K(NETWORK)},
	    {"network", "runtime.systemstack_switch", "runtime.gcBgMarkWorker", K(NETWORK)},
	    {"network", "", "", K(NETWORK)}, /* go 1.19 has no stack there */
	    {"network", "main.f", "internal/poll.(*FD).Close", K(NETWORK)},
	    {"network", "runtime.gcStart", "internal/poll.(*FD).Close", K(NETWORK)},
	    {"network", "main.(*conn).Close", "main.main", K(NETWORK)},
	    {"network", "net.(*conn).Read", "main.main", K(NETWORK)},
	    {"network", "internal/poll.(*pollDesc).evict", "main.main", K(RUNNING)},
	    {"network", "internal/poll.setDeadlineImpl", "main.main", K(RUNNING)},
	    {"network", "runtime.netpollunblock", "runtime.poll_runtime_pollUnblock", K(RUNNING)},
	    {"network", "internal/poll.(*FD).Close", "main.main", K(RUNNING)},
	    {"network", "net.(*netFD).Close", "main.main", K(RUNNING)}, /* go 1.8 */
	    {"sleep", "runtime.systemstack_switch", "runtime.gcStart", K(TIMER)},
	    {"sleep", "time.(*Timer).Stop", "main.main", K(RUNNING)},
	    {"sync", "runtime.systemstack_switch", "runtime.gcMarkTermination", K(RUNNING)},
	    {"GC mark assist wait for work", "runtime.gcBgMarkWorker", "", K(RUNNING)},
	    {"select", "runtime.goready", "runtime.timerproc", K(TIMER)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t on;
		struct rep_wakes wakes;
		struct tp_err err;

		begin_run(2);
		on = *cases[i].leaf ? stack_on(stack_on(0, cases[i].caller), cases[i].leaf) : 0;
		const struct tp_event played[] = {
		    SYNC(1000),
		    THERE(1000, 0, RUN),
		    THERE(1001, 1, RUN,
			  .stack = stack(strstr(cases[i].caller, "timerproc") ? cases[i].caller
									      : "main.other")),
		    BLOCK(1100, 0, cases[i].reason, "main.f"),
		    EV(1200, GO_UNBLOCK, 1, 0, WAIT, RUNBLE, .stack = on),
		    START(1210, 0, 1),
		    EV(1250, GO_STOP, 1, 1, RUN, RUNBLE, .stack = stack("main.other")),
		    GONE(1300, 0),
		};
		feed(played, sizeof(played) / sizeof(played[0]));
		end_run();
		walk_goroutine("1");
		if (cases[i].want == K(RUNNING))
			CHECK_HOPS({0, 100, 1, K(RUNNING), 0, 0}, {100, 200, 2, K(RUNNING), 1, 1},
				   {200, 210, 1, K(RUNNABLE), 0, 0},
				   {210, 300, 1, K(RUNNING), 0, 0});
		else
			CHECK_HOPS(
			    {0, 100, 1, K(RUNNING), 0, 0}, {100, 200, 1, cases[i].want, 0, 0},
			    {200, 210, 1, K(RUNNABLE), 0, 0}, {210, 300, 1, K(RUNNING), 0, 0});
		/* The report on wakers follows the same rule. */
		assert_int_equal(rep_wakes_add_up(&view, NULL, NULL, false, &wakes, &err), 0);
		assert_int_equal(wakes.n, 1);
		assert_int_equal(wakes.wake[0].outside, cases[i].want);
		rep_wakes_release(&wakes);
		forget();
		if (i + 1 < sizeof(cases) / sizeof(cases[0]))
			close_store(NULL);
	}
}

/* The path of a goroutine that does not end in the trace ends before the wait in which the trace leaves
 * it. */
static void test_walk_lives_on(void **state)
{
	(void)state;
	PLAY(2, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN),
	     BLOCK(1100, 0, "select", "main.f"), EV(1900, GO_STOP, 1, 1, RUN, RUNBLE));
	walk_goroutine("1");
	CHECK_HOPS({0, 100, 1, K(RUNNING), 0, 0});
	assert_int_equal(list.request[0].to, 100);
	assert_true(list.request[0].no_end);
	/* The other goroutine ran to the end of the run. */
	walk_goroutine("2");
	CHECK_HOPS({0, 900, 2, K(RUNNING), 0, 0});
}

/* Time that a damaged trace does not cover. */
static void test_walk_lost(void **state)
{
	(void)state;
	PLAY(2, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN, .m = 1),
	     EV(1500, GO_STATUS, NO, 0, RUN, RUNBLE, .flags = TP_EVF_LOST), START(1600, 0, 0),
	     GONE(1700, 0));
	walk_goroutine("1");
	check_whole(0, 700);
	assert_true(walked.kind_ns[REP_PATH_LOST] > 0);
}

/* In a damaged trace, a waker may itself be blocked. It is not taken for the waker. */
static void test_walk_waker_blocked(void **state)
{
	(void)state;
	PLAY(2, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN),
	     BLOCK(1100, 1, "sync", "main.two"), BLOCK(1200, 0, "sync", "main.one"),
	     WAKE(1500, 1, 0, "main.two"), START(1600, 0, 0), GONE(1700, 0));
	walk_goroutine("1");
	CHECK_HOPS({0, 200, 1, K(RUNNING), 0, 0}, {200, 500, 1, K(OUTSIDE), 0, 0},
		   {500, 600, 1, K(RUNNABLE), 0, 0}, {600, 700, 1, K(RUNNING), 0, 0});
}

/* Two goroutines wake each other again and again in one tick. The walk has no cycle, and these hops take no
 * time. */
static void test_walk_one_tick(void **state)
{
	enum { ROUNDS = 50 };

	(void)state;
	begin_run(2);
	{
		const struct tp_event first[] = {SYNC(1000), THERE(1000, 0, RUN),
						 THERE(1000, 1, RUN, .m = 1, .p = 1)};
		const struct tp_event round[] = {
		    BLOCK(1100, 0, "sync", "main.one"),
		    WAKE(1100, 1, 0, "main.two"),
		    START(1100, 0, 0),
		    BLOCK(1100, 1, "sync", "main.two"),
		    WAKE(1100, 0, 1, "main.one"),
		    START(1100, 1, 1),
		};
		const struct tp_event last[] = {GONE(1200, 1), GONE(1300, 0)};

		feed(first, 3);
		for (int i = 0; i < ROUNDS; i++)
			feed(round, 6);
		feed(last, 2);
	}
	end_run();
	walk_goroutine("1");
	check_whole(0, 300);
	assert_int_equal(walked.kind_ns[REP_PATH_RUNNING], 300);
	assert_int_equal(walked.limited, 0);
	assert_true(walked.nhops < 10 * ROUNDS);
	walk_goroutine("2");
	check_whole(0, 200);
}

/* Beyond the limit of hops, the rest of the path is one hop, and the times still add up. */
static void test_walk_limit(void **state)
{
	const struct rep_path_options opt = {.at_most = INT64_MAX};
	const struct rep_filter_text text = {.goroutine = "1"};

	(void)state;
	PLAY(2, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN),
	     BLOCK(1100, 0, "sync", "main.one"), WAKE(1200, 1, 0, "main.two"), START(1210, 0, 0),
	     BLOCK(1300, 0, "sync", "main.one"), WAKE(1400, 1, 0, "main.two"), START(1410, 0, 0),
	     GONE(1500, 0));
	walk_some(&opt, &text, 2);
	check_whole(0, 500);
	assert_int_equal(walked.limited, 1);
	assert_true(walked.kind_ns[REP_PATH_LIMIT] >= 300);
	walk_some(&opt, &text, REP_PATH_HOPS);
	check_whole(0, 500);
	assert_int_equal(walked.limited, 0);
	assert_int_equal(walked.kind_ns[REP_PATH_LIMIT], 0);
}

/* A time range ends with main's last activity, not with that of a goroutine of the runtime which ran
 * longer. */
static void test_walk_range(void **state)
{
	const struct rep_path_options opt = {.at_most = INT64_MAX};
	const struct rep_filter_text all = {0}, half = {.to = "450ns"};

	(void)state;
	begin_run(3);
	{
		const struct tp_event ev[] = {
		    SYNC(1000),
		    THERE(1000, 0, RUN, .stack = stack("main.main")),
		    THERE(1000, 1, RUN, .stack = stack("main.worker")),
		    THERE(1000, 2, RUN, .stack = stack("runtime.bgsweep")),
		    BLOCK(1100, 0, "sync", "main.main"),
		    WAKE(1400, 1, 0, "main.worker"),
		    START(1500, 0, 0),
		    BLOCK(1600, 1, "sync", "main.worker"),
		    EV(1900, GO_STOP, 0, 0, RUN, RUNBLE),
		    EV(1950, GO_STOP, 2, 2, RUN, RUNBLE),
		};

		feed(ev, sizeof(ev) / sizeof(ev[0]));
	}
	end_run();
	walk_some(&opt, &all, REP_PATH_HOPS);
	CHECK_HOPS({0, 100, 1, K(RUNNING), 0, 0}, {100, 400, 2, K(RUNNING), 1, 1},
		   {400, 500, 1, K(RUNNABLE), 0, 0}, {500, 900, 1, K(RUNNING), 0, 0});
	/* At the end of this range main was runnable, and the worker ran. */
	walk_some(&opt, &half, REP_PATH_HOPS);
	CHECK_HOPS({0, 450, 2, K(RUNNING), 0, 0});
}

/* Wake-ups are added up by pair, with the time until the woken goroutine ran. */
static void test_wakes(void **state)
{
	const struct rep_filter_text all = {0};
	struct rep_wakes wakes;
	struct tp_err err;

	(void)state;
	PLAY(2, SYNC(1000), THERE(1000, 0, RUN), THERE(1001, 1, RUN),
	     BLOCK(1100, 0, "sync", "main.one"), WAKE(1200, 1, 0, "main.two"), START(1210, 0, 0),
	     BLOCK(1300, 0, "sync", "main.one"), WAKE(1400, 1, 0, "main.two"), START(1430, 0, 0),
	     BLOCK(1500, 0, "sleep", "main.one"), WAKE(1600, NO, 0, "main.two"), START(1605, 0, 0),
	     GONE(1700, 0));
	open_view(&all);
	assert_int_equal(rep_wakes_add_up(&view, NULL, NULL, false, &wakes, &err), 0);
	assert_int_equal(wakes.n, 2);
	assert_int_equal(wakes.wake[0].count, 2);
	assert_int_equal(wakes.wake[0].waited_ns, 200);
	assert_int_equal(wakes.wake[0].latency_ns, 40);
	assert_int_equal(wakes.wake[0].max_ns, 30);
	assert_int_equal(wakes.wake[0].worst_ns, 400);
	assert_int_equal(wakes.wake[0].latency.ns[REP_P50], 10);
	assert_int_equal(wakes.wake[0].latency.ns[REP_P99], 30);
	assert_int_equal(wakes.wake[0].outside, 0);
	assert_int_equal(wakes.wake[1].outside, REP_PATH_TIMER);
	assert_int_equal(wakes.wake[1].latency_ns, 5);
	rep_wakes_release(&wakes);
}

/* ---- programs whose answer is known ---- */

static void import(const char *dump)
{
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	struct tp_import_result result;
	struct tp_err err;

	make_folder();
	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s: %s", dump, err.msg);
	open_store();
}

static const char *site(uint32_t at)
{
	return tp_dict_text(view.dict, rep_path_site(view.dict, at)).text;
}

/* If matching the filter takes too long, it is unknown which goroutines it selects. That is an error, as any
 * result might be wrong. */
static void test_unknown(void **state)
{
	const struct rep_filter_text text = {.goroutine = "m.in[.]"};
	const struct rep_path_options options = {.at_most = INT64_MAX};
	int64_t most = tp_regex_most_ns;
	struct rep_path_requests picked;
	struct rep_wakes wakes;
	struct tp_err err;

	(void)state;
	import("testdata/relay.trace");
	tp_regex_most_ns = INT64_MIN / 2;
	open_view(&text);
	assert_int_equal(rep_path_pick(&view, &options, &picked, &err), TP_ELIMIT);
	rep_path_requests_release(&picked);
	open_view(&text);
	assert_int_equal(rep_wakes_add_up(&view, NULL, NULL, false, &wakes, &err), TP_ELIMIT);
	assert_non_null(strstr(err.msg, "takes too long"));
	rep_wakes_release(&wakes);
	tp_regex_most_ns = most;
}

/* Five runners pass a baton on after running for 1, 2, 3, 4 and 5 ms; the last one passes it to main. */
static void test_walk_relay(void **state)
{
	static const char *const runners[] = {"main.first", "main.second", "main.third",
					      "main.fourth", "main.fifth"};
	int64_t running[6] = {0};
	size_t hops = 0;

	(void)state;
	import("testdata/relay.trace");
	walk_task("relay", 0);
	check_whole(list.request[0].from, list.request[0].to);
	for (size_t i = 0; i < walked.hops.n; i++) {
		const struct rep_path_hop hop = rep_path_hop(&walked, i), *h = &hop;

		if (h->kind == REP_PATH_RUNNING)
			running[hops] += h->to - h->from;
		if (h->wakes == TP_NONE)
			continue;
		/* Each waker is the runner that was woken before. */
		assert_true(hops < 5);
		assert_string_equal(site(h->wake_stack), runners[hops]);
		assert_string_equal(site(h->wakes_stack),
				    hops < 4 ? runners[hops + 1] : "main.main");
		assert_string_equal(tp_dict_text(view.dict, h->wakes_reason).text, "chan receive");
		assert_int_equal(walked.chain[h->chain].depth, 5 - hops);
		hops++;
	}
	assert_int_equal(hops, 5);
	/* The first runner is not checked: it started before main began to wait, so the path has only a
	 * part. */
	for (int i = 1; i < 5; i++)
		assert_in_range(running[i], (i + 1) * 999000, (i + 1) * 1000000 + 300000);
}

/* Eight clerks queue at a lock. The last one waits for the sleep of those before it. */
static void test_walk_convoy(void **state)
{
	struct rep_path folded;
	unsigned deepest = 0;
	int64_t naps = 0, hops = 0;

	(void)state;
	import("testdata/convoy.trace");
	walk_task("entry", 1);
	assert_int_equal(list.matching, 8);
	check_whole(list.request[0].from, list.request[0].to);
	for (size_t i = 1; i < walked.nchains; i++) {
		const struct rep_path_chain *c = &walked.chain[i];

		assert_string_equal(tp_dict_text(view.dict, c->reason).text, "sync");
		assert_string_equal(site(c->stack), "main.(*ledger).write");
		assert_string_equal(site(c->wake_stack), "main.(*ledger).write");
		assert_string_equal(tp_dict_text(view.dict, c->waker_entry).text, "main.clerk");
		deepest = c->depth > deepest ? c->depth : deepest;
	}
	/* The last clerk comes 7 ms after the first. The second clerk's wait for the first, which has the
	 * lock for 5 ms, was over by then. */
	assert_int_equal(deepest, 6);
	for (size_t i = 0; i < walked.hops.n; i++)
		naps += rep_path_hop(&walked, i).kind == REP_PATH_TIMER;
	assert_int_equal(naps, 7);
	assert_true(walked.kind_ns[REP_PATH_TIMER] * 100 > walked.total_ns * 99);
	/* Folded, it is one queue, and no time or hop is lost. */
	assert_int_equal(rep_path_fold(view.dict, &walked, &folded), 0);
	assert_int_equal(folded.nchains, 2);
	assert_int_equal(folded.chain[1].queue, 6);
	assert_int_equal(folded.chain[1].count, walked.chain[1].count);
	assert_int_equal(folded.chain[1].total_ns, walked.chain[1].total_ns);
	assert_int_equal(folded.chain[0].total_ns, walked.total_ns);
	for (size_t i = 0; i < folded.nsums; i++)
		hops += folded.sum[i].count;
	assert_int_equal(hops, walked.nhops);
	rep_path_release(&folded);
}

/* The slow checkout waits for the report, which waits for the disk, which is in a system call. */
static void test_walk_pool(void **state)
{
	const struct rep_path_chain *c;

	(void)state;
	import("testdata/pool.trace");
	walk_task("checkout", 1);
	assert_int_equal(list.matching, 20);
	assert_int_equal(list.request[0].id, 12);
	check_whole(list.request[0].from, list.request[0].to);
	assert_int_equal(walked.nchains, 3);
	c = walked.chain;
	assert_string_equal(site(c[1].stack), "main.pool.get");
	assert_string_equal(site(c[1].wake_stack), "main.pool.put");
	assert_string_equal(tp_dict_text(view.dict, c[1].waker_entry).text, "main.report");
	assert_string_equal(site(c[2].stack), "main.disk.write");
	assert_string_equal(tp_dict_text(view.dict, c[2].waker_entry).text, "main.disk.flush");
	assert_int_equal(c[2].depth, 2);
	assert_true(walked.kind_ns[REP_PATH_SYSCALL] * 100 > walked.total_ns * 98);
	/* With all requests, single hops are not kept. */
	walk_task("checkout", 0);
	assert_int_equal(walked.requests, 20);
	assert_int_equal(walked.hops.n, 0);
}

/* The hops of every task, region, goroutine and time range of the bookshop add up, in old and new traces. */
static void test_walk_adds_up(void **state)
{
	static const char *const dumps[] = {"testdata/checkout.trace",
					    "testdata/checkout-1.19.trace",
					    "testdata/corpus/broken/middle-1.27.trace"};
	static const struct rep_filter_text texts[] = {
	    {0}, {.from = "10%", .to = "60%"}, {.from = "40%"}, {.goroutine = "."}};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		import(dumps[i]);
		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
			const struct rep_path_options opts[] = {
			    {.task = ".", .at_most = INT64_MAX},
			    {.region = ".", .at_most = INT64_MAX},
			    {.at_most = INT64_MAX},
			};

			for (size_t o = 0; o < 3; o++) {
				int64_t total = 0;

				walk_some(&opts[o], &texts[t], REP_PATH_HOPS);
				for (size_t r = 0; r < list.n; r++) {
					int64_t from = list.request[r].from,
						to = list.request[r].to;

					from = rep_view_clip_start(&view, from);
					to = rep_view_clip_end(&view, to);
					total += to > from ? to - from : 0;
				}
				assert_int_equal(walked.total_ns, total);
				assert_int_equal(walked.nchains ? walked.chain[0].total_ns : 0,
						 total);
				assert_int_equal(walked.limited, 0);
			}
		}
		forget();
		if (i + 1 < sizeof(dumps) / sizeof(dumps[0]))
			close_store(NULL);
	}
}

/* ---- a random run of several segments ---- */

#define SEGMENT_BLOCKS 4 /* in place of TP_SEGMENT_BLOCKS */
#define SEGMENT_EVENTS ((size_t)SEGMENT_BLOCKS * TP_BLOCK_EVENTS)
#define EVENTS	       (2 * SEGMENT_EVENTS + SEGMENT_EVENTS / 3)
#define GOROUTINES     60
#define PROCS	       5

struct world {
	uint64_t seed;
	int64_t ts;
	size_t n, events;
	struct tp_event batch[TP_BATCH_EVENTS];
	uint8_t g[GOROUTINES];
	uint32_t on[PROCS]; /* goroutine, TP_NONE */
	uint32_t reasons[6], stacks[3];
};

static uint32_t any(struct world *w, uint32_t n)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->seed >> 33) % n);
}

static void go(struct world *w, uint8_t type, uint32_t by, uint32_t p, uint32_t g, uint8_t to)
{
	w->ts += 1 + any(w, 300);
	w->batch[w->n++] = (struct tp_event){
	    .ts = w->ts,
	    .g = by,
	    .m = p,
	    .p = p,
	    .subject = g,
	    .type = type,
	    .from = w->g[g] ? w->g[g] : TP_ST_NOT_EXIST,
	    .to = to,
	    .stack = w->stacks[any(w, 3)],
	    .str = type == TP_EV_GO_BLOCK ? w->reasons[any(w, 6)] : 0,
	};
	w->g[g] = to == TP_ST_NOT_EXIST ? TP_ST_NONE : to;
	w->events++;
	if (w->n == TP_BATCH_EVENTS) {
		feed(w->batch, w->n);
		w->n = 0;
	}
}

/* Lets the goroutine on P p do something. The first goroutines seldom do, so that their spans are long. They
 * are woken by goroutines or, sometimes, by no goroutine. */
static void act(struct world *w, uint32_t p)
{
	uint32_t g = w->on[p], other = any(w, GOROUTINES);

	if (g == TP_NONE) {
		if (w->g[other] == TP_ST_RUNNABLE) {
			go(w, TP_EV_GO_START, TP_NONE, p, other, TP_ST_RUNNING);
			w->on[p] = other;
		} else if (w->g[other] == TP_ST_WAITING && !any(w, 40)) {
			go(w, TP_EV_GO_UNBLOCK, TP_NONE, p, other, TP_ST_RUNNABLE);
		} else if (w->g[other] == TP_ST_NONE) {
			go(w, TP_EV_GO_CREATE, TP_NONE, p, other, TP_ST_RUNNABLE);
		}
		return;
	}
	switch (any(w, 9)) {
	case 0:
	case 1:
		go(w, TP_EV_GO_BLOCK, g, p, g, TP_ST_WAITING);
		w->on[p] = TP_NONE;
		break;
	case 2:
		go(w, TP_EV_GO_STOP, g, p, g, TP_ST_RUNNABLE);
		w->on[p] = TP_NONE;
		break;
	case 3:
		go(w, TP_EV_GO_SYSCALL_BEGIN, g, p, g, TP_ST_SYSCALL);
		go(w, TP_EV_GO_SYSCALL_END, g, p, g, TP_ST_RUNNING);
		break;
	default:
		if (w->g[other] == TP_ST_NONE)
			go(w, TP_EV_GO_CREATE, g, p, other, TP_ST_RUNNABLE);
		else if (w->g[other] == TP_ST_WAITING && (other > 5 || !any(w, 2500)))
			go(w, TP_EV_GO_UNBLOCK, g, p, other, TP_ST_RUNNABLE);
	}
}

static void make_world(void)
{
	static const char *const reasons[] = {"sync",	"sync",	 "chan receive",
					      "select", "sleep", "network"};
	static const char *const names[] = {"main.a", "main.b", "internal/poll.setDeadlineImpl"};
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	tp_segment_blocks = SEGMENT_BLOCKS;
	begin_run(GOROUTINES);
	for (int i = 0; i < 6; i++)
		w->reasons[i] = str(reasons[i]);
	for (int i = 0; i < 3; i++)
		w->stacks[i] = stack(names[i]);
	for (uint32_t p = 0; p < PROCS; p++)
		w->on[p] = TP_NONE;
	w->seed = 7;
	w->ts = 1000;
	while (w->events < EVENTS)
		act(w, any(w, PROCS));
	feed(w->batch, w->n);
	free(w);
	end_run();
}

struct spans {
	struct tp_span *span;
	size_t n, room;
};

static struct spans of[GOROUTINES];

static int collect(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct spans *s = &of[span->goroutine];

	(void)ctx;
	(void)crosses;
	(void)end_stack;
	(void)err;
	assert_int_equal(tp_grow(&s->span, &s->room, s->n, sizeof(*s->span)), 0);
	s->span[s->n++] = *span;
	return 0;
}

static const struct tp_span *span_before(uint32_t g, int64_t t)
{
	size_t from = 0, to = of[g].n;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (of[g].span[middle].start < t)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? &of[g].span[from - 1] : NULL;
}

struct brute {
	int64_t from, to;
	uint32_t goroutine;
	unsigned kind;
	uint32_t depth;
};

static struct brute *brute; /* the last hop first */
static size_t nbrute, brute_room;

static void put_brute(int64_t from, int64_t to, uint32_t g, unsigned kind, uint32_t depth)
{
	struct brute *last = nbrute ? &brute[nbrute - 1] : NULL;

	if (from == to)
		return;
	if (last && last->goroutine == g && last->kind == kind && last->depth == depth &&
	    last->from == to) {
		last->from = from;
		return;
	}
	assert_int_equal(tp_grow(&brute, &brute_room, nbrute, sizeof(*brute)), 0);
	brute[nbrute++] = (struct brute){from, to, g, kind, depth};
}

/* Returns whether the waker of a wait ended it. */
static bool is_ended(const struct tp_span *s)
{
	const char *reason = tp_dict_text(view.dict, s->reason).text;

	return (strcmp(reason, "network") != 0 && strcmp(reason, "sleep") != 0) ||
	       !strcmp(tp_dict_text(view.dict, rep_path_site(view.dict, s->waker_stack)).text,
		       "internal/poll.setDeadlineImpl");
}

/* Adds the hops of g from t back to low, on g or on the goroutines that it waited for. */
static void explain(uint32_t g, int64_t low, int64_t t, uint32_t depth)
{
	uint32_t shown = depth > REP_PATH_DEPTH ? REP_PATH_DEPTH : depth;

	while (t > low) {
		const struct tp_span *s = span_before(g, t);
		int64_t from;

		if (!s) {
			int64_t parent = REP_COL(&view, GOROUTINE, parent)[g];

			if (parent < 0) {
				put_brute(low, t, g, REP_PATH_UNSEEN, shown);
				return;
			}
			g = (uint32_t)parent;
			continue;
		}
		if (s->end < t) { /* a gap: it had ended and came back */
			put_brute(s->end > low ? s->end : low, t, g, REP_PATH_UNSEEN, shown);
			t = s->end;
			continue;
		}
		from = s->start > low ? s->start : low;
		if (s->state == TP_ST_WAITING && s->waker != TP_NONE && s->waker != g &&
		    is_ended(s))
			explain(s->waker, from, t, depth + 1);
		else
			put_brute(from, t, g,
				  s->state == TP_ST_RUNNING    ? REP_PATH_RUNNING
				  : s->state == TP_ST_RUNNABLE ? REP_PATH_RUNNABLE
				  : s->state == TP_ST_SYSCALL
				      ? REP_PATH_SYSCALL
				      : (unsigned)rep_path_ender(view.dict, s, 0, 0),
				  shown);
		t = from;
	}
}

/* Compares the walk with brute force, which does not split hops by place. */
static void check_brute(void)
{
	size_t i = 0;

	for (size_t b = nbrute; b-- > 0;) {
		int64_t at = brute[b].from;

		while (at < brute[b].to) {
			const struct rep_path_hop hop = rep_path_hop(&walked, i++), *h = &hop;

			assert_true(i <= walked.hops.n);
			if (h->from == h->to)
				continue;
			if (h->from != at || h->to > brute[b].to || h->kind != brute[b].kind ||
			    h->goroutine != brute[b].goroutine ||
			    walked.chain[h->chain].depth != brute[b].depth)
				fail_msg("hop %zu: %lld-%lld %s of %u depth %u, but %lld-%lld %s "
					 "of %u depth %u",
					 i - 1, (long long)h->from, (long long)h->to,
					 rep_path_kinds[h->kind].name, h->goroutine,
					 walked.chain[h->chain].depth, (long long)brute[b].from,
					 (long long)brute[b].to, rep_path_kinds[brute[b].kind].name,
					 brute[b].goroutine, brute[b].depth);
			at = h->to;
		}
	}
	while (i < walked.hops.n && rep_path_hop(&walked, i).from == rep_path_hop(&walked, i).to)
		i++;
	assert_int_equal(i, walked.hops.n);
}

/* Without a change, a replay gives the old times, and without all that takes time, the request takes none. */
static void check_graph(void)
{
	struct rep_graph g;
	struct tp_err err;

	if (rep_graph_read(&g, &view, list.request, &err))
		fail_msg("%s", err.msg);
	for (int inferred = 0; inferred < 2; inferred++) {
		int64_t *ns = calloc(g.nwhats + 1, sizeof(*ns)), total = 0;

		assert_non_null(ns);
		assert_int_equal(rep_graph_replay(&g, inferred),
				 list.request->to - list.request->from);
		for (size_t i = 0; i < g.n; i++)
			assert_int_equal(g.node[i].now, g.node[i].old);
		total = rep_graph_path(&g, inferred, ns);
		for (size_t i = 0; i < g.nwhats; i++)
			total += ns[i];
		assert_int_equal(total, list.request->to - list.request->from);
		free(ns);
	}
	for (size_t i = 0; i < g.nwhats; i++)
		g.factor[i] = 0;
	rep_graph_replay(&g, true);
	for (size_t i = 0; i < g.n; i++) {
		const struct rep_graph_node *node = &g.node[i];

		assert_true(node->prev > i && node->cause > i);
		assert_true(node->now <= node->old);
	}
	rep_graph_release(&g);
}

static void test_walk_against_brute_force(void **state)
{
	bool wanted[8] = {true, true, true, true, true, true, true, true};
	size_t hops = 0, deep = 0;

	(void)state;
	make_world();
	assert_int_equal(view.nsegments, 3);
	assert_int_equal(rep_segments_each(&view, wanted, collect, NULL, NULL), 0);
	for (uint32_t g = 0; g < GOROUTINES; g++) {
		char id[16];

		if (!of[g].n || (g > 6 && g % 4))
			continue;
		snprintf(id, sizeof(id), "%u", g + 1);
		walk_goroutine(id);
		assert_int_equal(
		    rep_view_load(&view, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, parent), NULL), 0);
		nbrute = 0;
		explain(list.request[0].goroutine, list.request[0].from, list.request[0].to, 0);
		check_whole(list.request[0].from, list.request[0].to);
		check_brute();
		check_graph();
		hops += nbrute;
		for (size_t b = 0; b < nbrute; b++)
			deep += brute[b].depth > 2;
	}
	assert_true(hops > 12500);
	assert_true(deep > 125);
	for (uint32_t g = 0; g < GOROUTINES; g++)
		free(of[g].span);
	free(brute);
}

static int end(void **state)
{
	forget();
	return close_store(state);
}

#define T(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(test_walk_wait_in_a_wait),
	    T(test_walk_comes_back),
	    T(test_walk_creation),
	    T(test_walk_outside),
	    T(test_walk_bystander),
	    T(test_walk_lives_on),
	    T(test_walk_lost),
	    T(test_walk_waker_blocked),
	    T(test_walk_one_tick),
	    T(test_walk_limit),
	    T(test_walk_range),
	    T(test_wakes),
	    T(test_unknown),
	    T(test_walk_relay),
	    T(test_walk_convoy),
	    T(test_walk_pool),
	    T(test_walk_adds_up),
	    T(test_walk_against_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
