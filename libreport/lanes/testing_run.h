/* Runs for tests of lanes: an imported dump, or a made-up run of several segments. */
#ifndef REP_LANES_TESTING_RUN_H
#define REP_LANES_TESTING_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "lanes/testing_moment.h"
#include "timeline/timeline.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;
static struct lanes_check c;
static struct tp_err err;

/* Folder for temporary files; set by main. */
static const char *tmp_folder;

static inline void make_folder(void)
{
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp_folder ? tmp_folder : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
}

static inline void open_check(void)
{
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	if (!lanes_check_open(&c, store, &runs.run[0]))
		fail_msg("%s", c.problem);
}

static inline int close_check(void **state)
{
	char lock[96];

	(void)state;
	lanes_check_close(&c);
	memset(&c, 0, sizeof(c));
	rep_runs_release(&runs);
	tp_store_close(store);
	store = NULL;
	snprintf(lock, sizeof(lock), "%s-lock", path);
	unlink(lock);
	unlink(path);
	rmdir(dir);
	return 0;
}

static inline void import(const char *dump)
{
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	struct tp_import_result result;

	make_folder();
	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s: %s", dump, err.msg);
	open_check();
}

static inline void good(const char *what, bool is)
{
	if (!is)
		fail_msg("%s: %s", what, c.problem);
}

/* ---- a made-up run of several segments ---- */

#define SEGMENT_BLOCKS 4 /* in place of TP_SEGMENT_BLOCKS */
#define SEGMENT_EVENTS ((size_t)SEGMENT_BLOCKS * TP_BLOCK_EVENTS)
#define EVENTS	       (2 * SEGMENT_EVENTS + SEGMENT_EVENTS / 3)
#define GOROUTINES     40
#define PROCS	       4
#define BATCH	       1024

struct world {
	struct tp_trace trace;
	struct tp_store_run *run;
	struct tp_timeline *timeline;
	uint64_t seed;
	int64_t ts;
	size_t n, events;
	struct tp_event batch[BATCH];
	uint8_t g[GOROUTINES];
	uint32_t on[PROCS]; /* goroutine, TP_NONE */
	uint32_t reasons[3], stacks[3];
};

static inline uint32_t any(struct world *w, uint32_t n)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->seed >> 33) % n);
}

static inline void flush(struct world *w)
{
	if (!w->trace.events && w->n)
		w->trace.first_ts = w->batch[0].ts;
	if (w->n)
		w->trace.last_ts = w->batch[w->n - 1].ts;
	w->trace.events += w->n;
	assert_int_equal(tp_store_put_events(w->run, w->batch, w->n, NULL), 0);
	assert_int_equal(tp_timeline_feed(w->timeline, w->batch, w->n, NULL), 0);
	w->n = 0;
}

static inline void go(struct world *w, uint8_t type, uint32_t by, uint32_t p, uint32_t g,
		      uint8_t to)
{
	/* Sometimes several events have the same time. */
	w->ts += any(w, 300);
	w->batch[w->n++] = (struct tp_event){
	    .ts = w->ts,
	    .g = by,
	    .m = p,
	    .p = p,
	    .subject = g,
	    .type = type,
	    .from = w->g[g] ? w->g[g] : TP_ST_NOT_EXIST,
	    .to = to,
	    .stack = w->stacks[g % 3],
	    .str = type == TP_EV_GO_BLOCK ? w->reasons[any(w, 3)] : 0,
	    .str2 = type == TP_EV_GO_CREATE ? w->stacks[g % 3] : 0,
	};
	w->g[g] = to == TP_ST_NOT_EXIST ? TP_ST_NONE : to;
	w->events++;
	if (w->n == BATCH)
		flush(w);
}

/* Makes an event on P p. The first goroutines have few, so that their spans are long. */
static inline void act(struct world *w, uint32_t p)
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

static inline uint32_t str(struct world *w, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(w->trace.dict, text, strlen(text), &id), 0);
	return id;
}

static inline uint32_t stack(struct world *w, const char *name)
{
	struct tp_function fn = {.name = str(w, name)};
	struct tp_frame frame = {0};
	uint32_t f, id;

	assert_int_equal(tp_dict_function(w->trace.dict, &fn, &frame.function), 0);
	assert_int_equal(tp_dict_frame(w->trace.dict, &frame, &f), 0);
	assert_int_equal(tp_dict_stack(w->trace.dict, 0, f, &id), 0);
	return id;
}

static inline void make_world(void)
{
	static const char *const reasons[] = {"sync", "sleep", "network"};
	static const char *const names[] = {"main.a", "main.b", "main.c"};
	const struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_run r = {.kind = "trace",
			   .name = "made up",
			   .source = "made-up",
			   .hash = "00000000000000000000000000000001",
			   .format = "go 1.26",
			   .wall_ns = TP_NULL};
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	make_folder();
	w->trace.dict = tp_dict_new();
	assert_non_null(w->trace.dict);
	for (uint64_t i = 0; i < GOROUTINES; i++)
		tp_trace_new_g(&w->trace, i + 1);
	for (int64_t i = 0; i < PROCS; i++) {
		tp_trace_new_p(&w->trace, i);
		tp_trace_new_m(&w->trace, (uint64_t)i);
		w->on[i] = TP_NONE;
	}
	for (int i = 0; i < 3; i++) {
		w->reasons[i] = str(w, reasons[i]);
		w->stacks[i] = stack(w, names[i]);
	}
	assert_int_equal(tp_store_begin(&w->run, path, &opt, NULL), 0);
	tp_segment_blocks = SEGMENT_BLOCKS;
	w->timeline = tp_timeline_new(w->run);
	assert_non_null(w->timeline);
	w->seed = 7;
	w->ts = 1000;
	while (w->events < EVENTS)
		act(w, any(w, PROCS));
	flush(w);
	w->trace.started = true;
	r.start_ns = w->trace.first_ts;
	r.duration_ns = w->trace.last_ts - w->trace.first_ts;
	r.events = (int64_t)w->trace.events;
	r.goroutines = (int64_t)w->trace.ng;
	assert_int_equal(tp_timeline_finish(w->timeline, &w->trace, &err), 0);
	tp_timeline_free(w->timeline);
	assert_int_equal(tp_store_put_trace(w->run, &w->trace, &err), 0);
	assert_int_equal(tp_store_commit(w->run, &r, &err), 0);
	tp_trace_release(&w->trace);
	free(w);
	open_check();
}

#endif
