/* Compares parts with brute force: many time ranges and filters of a made-up run of several
 * segments, once by parts (sums, crossing spans, cut segments), once by walking over every span of
 * the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "keys.h"
#include "order/read.h"
#include "sums/part.h"
#include "base/many.h"
#include "timeline/span.h"
#include "timeline/timeline.h"

#define SEGMENT_BLOCKS 4 /* in place of TP_SEGMENT_BLOCKS */
#define SEGMENT_EVENTS ((size_t)SEGMENT_BLOCKS * TP_BLOCK_EVENTS)
#define EVENTS	       (3 * SEGMENT_EVENTS + SEGMENT_EVENTS / 3)
#define GOROUTINES     400
#define PROCS	       6
#define STACKS	       24

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;

/* Every span of the run, collected once. */
static struct tp_span *every;
static size_t nevery, every_room;

/* ---- a made-up run ---- */

struct world {
	struct tp_trace trace;
	struct tp_store_run *run;
	struct tp_timeline *timeline;
	struct tp_event batch[TP_BATCH_EVENTS];
	size_t n;
	uint64_t seed;
	int64_t ts, first_ts;
	uint8_t g_state[GOROUTINES];
	uint32_t g_on[GOROUTINES]; /* P it runs on or is in a system call with */
	uint32_t p_runs[PROCS];	   /* goroutine, TP_NONE */
	bool p_idle[PROCS];
	uint32_t stacks[STACKS], reasons[4];
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->seed >> 33) % n);
}

static void flush(struct world *w)
{
	assert_int_equal(tp_store_put_events(w->run, w->batch, w->n, NULL), 0);
	assert_int_equal(tp_timeline_feed(w->timeline, w->batch, w->n, NULL), 0);
	w->n = 0;
}

static void emit(struct world *w, uint8_t type, uint32_t g, uint32_t p, uint32_t subject,
		 uint8_t from, uint8_t to, uint32_t stack, uint32_t reason)
{
	w->ts += 1 + pick(w, 400);
	w->batch[w->n++] = (struct tp_event){.ts = w->ts,
					     .g = g,
					     .m = p,
					     .p = p,
					     .subject = subject,
					     .stack = stack,
					     .str = reason,
					     .type = type,
					     .from = from,
					     .to = to};
	if (!w->trace.events++)
		w->first_ts = w->ts;
	if (w->n == TP_BATCH_EVENTS)
		flush(w);
}

static void go(struct world *w, uint8_t type, uint32_t g, uint32_t p, uint32_t subject, uint8_t to,
	       uint32_t reason)
{
	uint8_t from = w->g_state[subject] == TP_ST_NONE ? TP_ST_NOT_EXIST : w->g_state[subject];

	emit(w, type, g, p, subject, from, to, w->stacks[pick(w, STACKS)], reason);
	w->g_state[subject] = to == TP_ST_NOT_EXIST ? TP_ST_NONE : to;
}

/* Picks the next action of the goroutine that runs on a P. The first few goroutines hardly ever
 * act, which makes their spans cross many segments. */
static void act(struct world *w, uint32_t p)
{
	uint32_t g = w->p_runs[p], other = pick(w, GOROUTINES);

	switch (pick(w, 8)) {
	case 0:
		go(w, TP_EV_GO_BLOCK, g, p, g, TP_ST_WAITING, w->reasons[pick(w, 4)]);
		w->p_runs[p] = TP_NONE;
		break;
	case 1:
		go(w, TP_EV_GO_STOP, g, p, g, TP_ST_RUNNABLE, w->reasons[0]);
		w->p_runs[p] = TP_NONE;
		break;
	case 2:
	case 3:
		go(w, TP_EV_GO_SYSCALL_BEGIN, g, p, g, TP_ST_SYSCALL, 0);
		if (pick(w, 3)) {
			go(w, TP_EV_GO_SYSCALL_END, g, p, g, TP_ST_RUNNING, 0);
		} else {
			emit(w, TP_EV_PROC_STEAL, TP_NONE, TP_NONE, p, TP_ST_RUNNING, TP_ST_IDLE, 0,
			     0);
			w->p_idle[p] = true;
			w->p_runs[p] = TP_NONE;
		}
		break;
	default:
		if (w->g_state[other] == TP_ST_NONE)
			go(w, TP_EV_GO_CREATE, g, p, other, TP_ST_RUNNABLE, 0);
		else if (w->g_state[other] == TP_ST_WAITING && (other > 9 || !pick(w, 2500)))
			go(w, TP_EV_GO_UNBLOCK, g, p, other, TP_ST_RUNNABLE, 0);
		else if (w->g_state[other] == TP_ST_SYSCALL)
			go(w, TP_EV_GO_SYSCALL_BLOCKED, other, TP_NONE, other, TP_ST_RUNNABLE, 0);
	}
}

static void schedule(struct world *w, uint32_t p)
{
	for (int tries = 0; tries < 8; tries++) {
		uint32_t g = pick(w, GOROUTINES);

		if (w->g_state[g] == TP_ST_NONE) {
			go(w, TP_EV_GO_CREATE, TP_NONE, p, g, TP_ST_RUNNABLE, 0);
		} else if (w->g_state[g] == TP_ST_RUNNABLE) {
			go(w, TP_EV_GO_START, g, p, g, TP_ST_RUNNING, 0);
			w->p_runs[p] = g;
			return;
		}
	}
}

static void make_names(struct world *w)
{
	static const char *const reasons[] = {"preempted", "sync", "select", "chan receive"};
	struct tp_dict *d = w->trace.dict;

	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(tp_dict_string(d, reasons[i], strlen(reasons[i]), &w->reasons[i]),
				 0);
	/* Eight goroutine entries, each with stacks of one to three frames. */
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t parent = 0;

		for (uint32_t depth = 0; depth <= i / 8; depth++) {
			struct tp_function f = {0};
			struct tp_frame frame = {.line = 1 + i};
			char name[32];
			uint32_t id;

			snprintf(name, sizeof(name), depth ? "pkg%u.f%u" : "main.entry%u",
				 depth ? depth : i % 8, i % 5);
			assert_int_equal(tp_dict_string(d, name, strlen(name), &f.name), 0);
			assert_int_equal(tp_dict_function(d, &f, &frame.function), 0);
			assert_int_equal(tp_dict_frame(d, &frame, &id), 0);
			assert_int_equal(tp_dict_stack(d, parent, id, &parent), 0);
		}
		w->stacks[i] = parent;
	}
}

static void make_run(void)
{
	const struct tp_store_options opt = {.wait_ms = 1000};
	struct world *w = calloc(1, sizeof(*w));
	struct tp_run r = {.kind = "trace",
			   .name = "made up",
			   .source = "made-up",
			   .hash = "00000000000000000000000000000001",
			   .format = "go 1.26",
			   .wall_ns = TP_NULL};
	struct tp_err err;

	assert_non_null(w);
	w->seed = 42;
	w->trace.dict = tp_dict_new();
	assert_non_null(w->trace.dict);
	make_names(w);
	for (uint64_t i = 0; i < GOROUTINES; i++)
		tp_trace_new_g(&w->trace, i + 1);
	for (int64_t i = 0; i < PROCS; i++) {
		tp_trace_new_p(&w->trace, i);
		tp_trace_new_m(&w->trace, (uint64_t)i);
		w->p_runs[i] = TP_NONE;
		w->p_idle[i] = true;
	}
	assert_int_equal(tp_store_begin(&w->run, path, &opt, &err), 0);
	tp_segment_blocks = SEGMENT_BLOCKS;
	w->timeline = tp_timeline_new(w->run);
	assert_non_null(w->timeline);
	while (w->trace.events < EVENTS) {
		uint32_t p = pick(w, PROCS);

		if (w->p_idle[p]) {
			emit(w, TP_EV_PROC_START, TP_NONE, p, p, TP_ST_IDLE, TP_ST_RUNNING, 0, 0);
			w->p_idle[p] = false;
		} else if (w->p_runs[p] == TP_NONE) {
			schedule(w, p);
		} else {
			act(w, p);
		}
	}
	flush(w);
	w->trace.started = true;
	w->trace.first_ts = w->first_ts;
	w->trace.last_ts = w->ts;
	r.start_ns = w->first_ts;
	r.duration_ns = w->ts - w->first_ts;
	assert_int_equal(tp_timeline_finish(w->timeline, &w->trace, &err), 0);
	tp_timeline_free(w->timeline);
	assert_int_equal(tp_store_put_trace(w->run, &w->trace, &err), 0);
	r.events = (int64_t)w->trace.events;
	r.goroutines = GOROUTINES;
	assert_int_equal(tp_store_commit(w->run, &r, &err), 0);
	tp_trace_release(&w->trace);
	free(w);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct tp_err err;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	make_run();
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	return 0;
}

static int teardown(void **state)
{
	char lock[96];

	(void)state;
	rep_runs_release(&runs);
	tp_store_close(store);
	snprintf(lock, sizeof(lock), "%s-lock", path);
	free(every);
	unlink(lock);
	unlink(path);
	rmdir(dir);
	return 0;
}

/* ---- the two sums ---- */

struct sum {
	int64_t count, total, max;
};

struct sums {
	struct rep_view *v;
	bool by_goroutine;
	struct rep_keys keys; /* goroutine or entry, state, reason, stack */
	struct sum *sum;
	size_t room;
};

static void add_sum(struct sums *s, uint32_t who, unsigned state, uint32_t reason, uint32_t stack,
		    int64_t count, int64_t total, int64_t max)
{
	uint32_t i;

	assert_int_equal(rep_keys_add(&s->keys, who, state, reason, stack, &i), 0);
	assert_int_equal(tp_grow(&s->sum, &s->room, i, sizeof(*s->sum)), 0);
	s->sum[i].count += count;
	s->sum[i].total += total;
	s->sum[i].max = max > s->sum[i].max ? max : s->sum[i].max;
}

static int on_part(void *ctx, const struct rep_part *p, struct tp_err *err)
{
	struct sums *s = ctx;

	(void)err;
	add_sum(s, s->by_goroutine ? p->goroutine : p->entry, p->state, p->reason, p->stack,
		p->count, p->total_ns, p->max_ns);
	return 0;
}

static void add_span(struct sums *s, const struct tp_span *span)
{
	struct rep_view *v = s->v;
	uint32_t entry = rep_view_entry(v, span->goroutine);
	int64_t ns;

	if (!(span->start < v->to && (span->end > v->from || span->start >= v->from)) ||
	    !rep_view_match_goroutine(v, span->goroutine) ||
	    !rep_match_span(&v->match, entry, span->state, span->reason, span->stack))
		return;
	ns = (span->end < v->to ? span->end : v->to) -
	     (span->start > v->from ? span->start : v->from);
	add_sum(s, s->by_goroutine ? span->goroutine : entry, span->state, span->reason,
		span->stack, 1, ns, ns);
}

static int keep_span(void *ctx, const struct tp_span *span, struct tp_err *err)
{
	(void)ctx;
	(void)err;
	assert_int_equal(tp_grow(&every, &every_room, nevery, sizeof(*every)), 0);
	every[nevery] = *span;
	every[nevery].start -= runs.run[0].row.start_ns;
	every[nevery++].end -= runs.run[0].row.start_ns;
	return 0;
}

static void collect_spans(void)
{
	const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_spans *spans = tp_spans_new();
	struct tp_event_reader *r;
	const struct tp_event *ev;
	size_t n;
	int code;

	assert_int_equal(tp_events_open(&r, store, runs.run[0].row.id, &all, NULL), 0);
	while ((code = tp_events_next(r, &ev, &n, NULL)) > 0)
		for (size_t i = 0; i < n; i++) {
			struct tp_event moved = ev[i];

			moved.ts += runs.run[0].row.start_ns;
			assert_int_equal(tp_spans_feed(spans, &moved, 1, keep_span, NULL, NULL), 0);
		}
	assert_int_equal(code, 0);
	assert_int_equal(tp_spans_finish(spans,
					 runs.run[0].row.start_ns + runs.run[0].row.duration_ns,
					 keep_span, NULL, NULL),
			 0);
	tp_events_close(r);
	tp_spans_free(spans);
}

static void brute_force(struct sums *s)
{
	if (!every)
		collect_spans();
	for (size_t i = 0; i < nevery; i++)
		add_span(s, &every[i]);
}

static void compare(const struct rep_filter_text *text, bool by_goroutine)
{
	struct rep_filter f;
	struct rep_view v;
	struct sums got = {.v = &v, .by_goroutine = by_goroutine}, want = got;
	struct tp_err err;

	assert_int_equal(rep_filter_init(&f, text, &err), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &f, NULL, &err), 0);
	assert_int_equal(rep_parts_each(&v,
					by_goroutine ? REP_PARTS_BY_GOROUTINE : REP_PARTS_DURATIONS,
					on_part, &got, &err),
			 0);
	assert_int_equal(rep_view_load(&v, TP_TABLE_GOROUTINE,
				       REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name), &err),
			 0);
	brute_force(&want);
	assert_int_equal(got.keys.n, want.keys.n);
	for (size_t i = 0; i < want.keys.n; i++) {
		const uint32_t *k = want.keys.key[i].part;
		uint32_t at;

		assert_true(rep_keys_find(&got.keys, k[0], k[1], k[2], k[3], &at));
		assert_int_equal(got.sum[at].count, want.sum[i].count);
		assert_int_equal(got.sum[at].total, want.sum[i].total);
		assert_int_equal(got.sum[at].max, want.sum[i].max);
	}
	rep_keys_release(&got.keys);
	rep_keys_release(&want.keys);
	free(got.sum);
	free(want.sum);
	rep_view_release(&v);
	rep_filter_release(&f);
}

static void test_parts_each_made_up_run(void **state)
{
	struct rep_filter_text all = {0};
	struct rep_filter f;
	struct rep_view v;

	/* The other tests need several segments, and spans that cross many of them. */
	(void)state;
	assert_int_equal(rep_filter_init(&f, &all, NULL), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &f, NULL, NULL), 0);
	assert_int_equal(v.nsegments, 4);
	assert_int_equal(rep_view_load(&v, TP_TABLE_SPAN_CROSSING,
				       REP_BIT(SPAN_CROSSING, first_segment) |
					   REP_BIT(SPAN_CROSSING, last_segment),
				       NULL),
			 0);
	assert_true(v.nrows[TP_TABLE_SPAN_CROSSING] > 300);
	rep_view_release(&v);
	rep_filter_release(&f);
}

static void test_parts_each_time_ranges(void **state)
{
	static const char *const ranges[][2] = {
	    {NULL, NULL},   {"0%", "100%"}, {"10%", "90%"},   {"31%", "33%"},
	    {"5%", "6%"},   {"95%", NULL},  {NULL, "0.001%"}, {"29.9%", "60.1%"},
	    {"1ns", "2ns"}, {"30%", NULL},  {NULL, "61%"},    {"99.999%", "100%"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct rep_filter_text text = {.from = ranges[i][0], .to = ranges[i][1]};

		compare(&text, i % 2);
	}
}

/* Tests ranges that begin or end exactly where segments do. */
static void test_parts_each_at_segments(void **state)
{
	struct rep_filter_text all = {0};
	struct rep_filter f;
	struct rep_view v;
	int64_t edge[2];

	(void)state;
	assert_int_equal(rep_filter_init(&f, &all, NULL), 0);
	assert_int_equal(rep_view_init(&v, store, &runs.run[0], &f, NULL, NULL), 0);
	edge[0] = v.segments[1].from_ns;
	edge[1] = v.segments[3].from_ns;
	rep_view_release(&v);
	rep_filter_release(&f);
	for (int64_t d = -1; d <= 1; d++) {
		char from[32], to[32];
		const struct rep_filter_text text = {.from = from, .to = to};

		snprintf(from, sizeof(from), "%lldns", (long long)(edge[0] + d));
		snprintf(to, sizeof(to), "%lldns", (long long)(edge[1] - d));
		compare(&text, false);
	}
}

static void test_parts_each_filters(void **state)
{
	static const struct rep_filter_text texts[] = {
	    {.focus = "pkg1"},
	    {.ignore = "pkg2\\.f[0-2]"},
	    {.focus = "entry3", .from = "20%", .to = "70%"},
	    {.goroutine = "entry[12]"},
	    {.goroutine = "17", .from = "20%", .to = "70%"},
	    {.goroutine = "5"},
	    {.state = "blocked,syscall", .reason = "^s", .to = "50%"},
	    {.state = "syscall-blocked"},
	    {.focus = "nothing has this name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		compare(&texts[i], texts[i].goroutine != NULL);
	compare(&texts[4], false); /* an id, and durations */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts_each_made_up_run),
	    cmocka_unit_test(test_parts_each_time_ranges),
	    cmocka_unit_test(test_parts_each_at_segments),
	    cmocka_unit_test(test_parts_each_filters),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
