/* Lanes against SQL, reports and paths: sample traces, a made-up run of several segments, and what
 * is no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "lanes/inside.h"
#include "lanes/testing.h"
#include "timeline/timeline.h"

static char dir[64], path[80];
static struct tp_store *store;
static struct rep_runs runs;
static struct lanes_check c;
static struct tp_err err;

static void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
}

static void open_check(void)
{
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	assert_int_equal(rep_runs_load(store, &runs, &err), 0);
	if (!lanes_check_open(&c, store, &runs.run[0]))
		fail_msg("%s", c.problem);
}

static int close_check(void **state)
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

static void import(const char *dump)
{
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	struct tp_import_result result;

	make_folder();
	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s: %s", dump, err.msg);
	open_check();
}

static void good(const char *what, bool is)
{
	if (!is)
		fail_msg("%s: %s", what, c.problem);
}

static void check_all(const char *what, int n)
{
	size_t hops;

	good(what, lanes_check_pictures(&c, n));
	good(what, lanes_check_totals(&c, REP_LANE_GROUP, n));
	good(what, lanes_check_totals(&c, REP_LANE_GOROUTINE, n));
	good(what, lanes_check_totals(&c, REP_LANE_TASK, n));
	good(what, lanes_check_moments(&c, 2 * n));
	good(what, lanes_check_path(&c, NULL, &hops));
	good(what, lanes_check_path(&c, ".", &hops));
}

/* Sample traces of several versions, damaged ones and one whose clock ticks. */
static void test_draw_samples(void **state)
{
	static const char *const dumps[] = {
	    "testdata/checkout.trace",
	    "testdata/checkout-1.19.trace",
	    "testdata/checkout-cut.trace",
	    "testdata/counter-1.5.trace",
	    "testdata/corpus/broken/middle-1.27.trace",
	    "testdata/corpus/traces/oddities-1.27.trace",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		if (i)
			close_check(NULL);
		import(dumps[i]);
		check_all(dumps[i], 40);
	}
}

/* ---- a made-up run of several segments ---- */

#define SEGMENT_EVENTS ((size_t)TP_SEGMENT_BLOCKS * TP_BLOCK_EVENTS)
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

static uint32_t any(struct world *w, uint32_t n)
{
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((w->seed >> 33) % n);
}

static void flush(struct world *w)
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

static void go(struct world *w, uint8_t type, uint32_t by, uint32_t p, uint32_t g, uint8_t to)
{
	/* Now and then things happen in the same moment. */
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

/* What is on P p does something. The first goroutines seldom do, so that their spans are long. */
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
		else if (w->g[other] == TP_ST_WAITING && (other > 5 || !any(w, 20000)))
			go(w, TP_EV_GO_UNBLOCK, g, p, other, TP_ST_RUNNABLE);
	}
}

static uint32_t str(struct world *w, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(w->trace.dict, text, strlen(text), &id), 0);
	return id;
}

static uint32_t stack(struct world *w, const char *name)
{
	struct tp_function fn = {.name = str(w, name)};
	struct tp_frame frame = {0};
	uint32_t f, id;

	assert_int_equal(tp_dict_function(w->trace.dict, &fn, &frame.function), 0);
	assert_int_equal(tp_dict_frame(w->trace.dict, &frame, &f), 0);
	assert_int_equal(tp_dict_stack(w->trace.dict, 0, f, &id), 0);
	return id;
}

static void make_world(void)
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

/* Columns that hold whole segments, are cut by them, and lie within them; spans that cross. */
static void test_draw_segments(void **state)
{
	(void)state;
	make_world();
	assert_int_equal(c.lanes->v.nsegments, 3);
	check_all("made up", 25);
}

/* Little memory: segments are forgotten and read again; the picture is the same. */
static void test_draw_little_memory(void **state)
{
	size_t there = 0;

	(void)state;
	make_world();
	c.lanes->slab_most = 1;
	good("made up", lanes_check_pictures(&c, 4));
	for (size_t i = 0; i < c.lanes->v.nsegments; i++)
		there += c.lanes->slab[i] != NULL;
	assert_int_equal(there, 1);
}

/* What is read ahead is there; as much as there is room for, what is near first. */
static void test_ahead(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_PROC, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_picture p = {.cols = 50, .coarse = true};
	struct rep_lane_rows rows;

	(void)state;
	make_world();
	p.to = rep_lanes_duration(c.lanes);
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	p.row = rows.row;
	p.nrows = rows.n;
	c.lanes->slab_most = 1;
	assert_int_equal(rep_lanes_ahead(c.lanes, p.to - 1, p.to, NULL, &err), 0);
	assert_null(c.lanes->slab[0]);
	assert_null(c.lanes->slab[1]);
	assert_non_null(c.lanes->slab[2]);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	assert_false(p.exact);
	c.lanes->slab_most = SIZE_MAX;
	assert_int_equal(rep_lanes_ahead(c.lanes, 0, p.to, NULL, &err), 0);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	assert_true(p.exact);
	good("ahead", lanes_check_picture(&c, &p));
	free(p.cell);
	rep_lane_rows_release(&rows);
}

/* Whoever stops a picture has none; and what makes none. */
static void test_draw_stop(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_GOROUTINE, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_picture p = {.from = 0, .to = 1000000, .cols = 7};
	struct rep_lane_rows rows;
	atomic_bool stop;

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	p.row = rows.row;
	p.nrows = 3;
	atomic_init(&stop, true);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ECANCEL);
	assert_false(p.exact);
	atomic_store(&stop, false);
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), 0);
	assert_true(p.exact);
	/* What makes no picture. */
	p.to = p.from;
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ELIMIT);
	p.to = 5;
	p.cols = 0;
	assert_int_equal(rep_lanes_draw(c.lanes, &p, &stop, &err), TP_ELIMIT);
	free(p.cell);
	rep_lane_rows_release(&rows);
}

/* Rows that do not exist are empty. */
static void test_draw_no_such_row(void **state)
{
	struct rep_lane row[] = {
	    {.kind = REP_LANE_GOROUTINE, .index = 12345678},
	    {.kind = REP_LANE_GROUP, .index = TP_NONE},
	    {.kind = REP_LANE_PROC, .index = TP_NONE},
	    {.kind = REP_LANE_THREAD, .index = 99999},
	    {.kind = REP_LANE_TASK, .index = TP_NONE},
	    {.kind = (enum rep_lane_kind)77, .index = 1},
	};
	struct rep_picture p = {.from = -5, .to = INT64_MAX, .cols = 3, .row = row, .nrows = 6};

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	for (size_t i = 0; i < p.nrows * 3; i++) {
		assert_int_equal(p.cell[i].spans, 0);
		for (unsigned s = 0; s < TP_NSTATES; s++)
			assert_int_equal(p.cell[i].ns[s], 0);
	}
	free(p.cell);
}

/* Only some goroutines have lanes: those of a function, of an id, of a task. */
static void test_rows_filter(void **state)
{
	static const struct rep_filter_text texts[] = {
	    {.goroutine = "main[.]"}, {.goroutine = "1"}, {.task = "order"}};
	struct rep_lanes_options options = {
	    .kind = REP_LANE_GOROUTINE, .from = INT64_MIN, .to = INT64_MAX};

	(void)state;
	import("testdata/checkout.trace");
	for (size_t i = 0; i < 3; i++) {
		struct rep_lane_rows rows, groups;
		struct rep_picture p = {.from = 0, .to = rep_lanes_duration(c.lanes), .cols = 9};
		struct rep_lanes *lanes;
		struct rep_filter filter;
		int64_t in_groups = 0, sum[2] = {0};

		assert_int_equal(rep_filter_init(&filter, &texts[i], &err), 0);
		assert_int_equal(rep_lanes_new(&lanes, store, &runs.run[0], &filter, &err), 0);
		options.kind = REP_LANE_GOROUTINE;
		assert_int_equal(rep_lanes_rows(lanes, &options, &rows, &err), 0);
		options.kind = REP_LANE_GROUP;
		assert_int_equal(rep_lanes_rows(lanes, &options, &groups, &err), 0);
		assert_in_range(rows.n, 1, c.ng - 1);
		for (size_t k = 0; k < groups.n; k++)
			in_groups += groups.row[k].id;
		assert_int_equal(in_groups, rows.n);
		if (i == 1)
			assert_int_equal(rows.row[0].id, 1);
		/* Groups are what their goroutines are, coarse or not. */
		for (int k = 0; k < 2; k++) {
			p.row = k ? groups.row : rows.row;
			p.nrows = k ? groups.n : rows.n;
			p.coarse = k && i == 2;
			assert_int_equal(rep_lanes_draw(lanes, &p, NULL, &err), 0);
			for (size_t n = 0; n < p.nrows * 9; n++)
				sum[k] += p.cell[n].ns[TP_ST_RUNNING];
		}
		assert_true(sum[0] > 0);
		assert_int_equal(sum[0], sum[1]);
		free(p.cell);
		rep_lane_rows_release(&rows);
		rep_lane_rows_release(&groups);
		rep_lanes_free(lanes);
		rep_filter_release(&filter);
	}
}

/* ---- moments ---- */

/* Back from where main is handed the baton: the fifth runner, the fourth … the first, main. */
static void test_moment_relay(void **state)
{
	static const int64_t chain[] = {26, 25, 24, 23, 22, 1}; /* by goroutine id */
	struct rep_wakeup at = {0, TP_NONE};
	struct rep_moment m;

	(void)state;
	import("testdata/relay.trace");
	at.goroutine = rep_lanes_goroutine(c.lanes, 1);
	/* The longest wait for a channel that main has. */
	for (size_t i = c.first[at.goroutine], best = 0; i < c.first[at.goroutine + 1]; i++) {
		const struct lanes_span *s = &c.span[i];

		if (s->state == TP_ST_WAITING && s->waker != TP_NONE &&
		    (!best || s->end - s->start > c.span[best].end - c.span[best].start)) {
			best = i;
			at.ns = s->start;
		}
	}
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(rep_lanes_moment(c.lanes, at.goroutine, at.ns, &m, &err), 0);
		at = m.cause;
		rep_moment_release(&m);
		assert_int_equal(rep_lanes_goroutine_id(c.lanes, at.goroutine), chain[i]);
	}
}

/* The wake-ups go the way of the critical path. */
static void test_moment_path(void **state)
{
	static const struct {
		const char *dump, *task;
		size_t hops;
	} cases[] = {
	    {"testdata/relay.trace", "relay", 5},
	    {"testdata/convoy.trace", "entry", 7},
	    {"testdata/pool.trace", "checkout", 2},
	};
	size_t hops;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		if (i)
			close_check(NULL);
		import(cases[i].dump);
		good(cases[i].dump, lanes_check_path(&c, cases[i].task, &hops));
		assert_in_range(hops, cases[i].hops - 1, 100);
	}
}

static void test_moment_not_there(void **state)
{
	struct rep_moment m;

	(void)state;
	import("testdata/relay.trace");
	assert_int_equal(rep_lanes_moment(c.lanes, TP_NONE, 0, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
	assert_int_equal(rep_lanes_moment(c.lanes, 0, -1, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
	assert_int_equal(rep_lanes_moment(c.lanes, 0, INT64_MAX, &m, &err), TP_ENOENT);
	rep_moment_release(&m);
}

/* Who is on a P: the one whose span has it. */
static void test_on(void **state)
{
	struct rep_lanes_options options = {
	    .kind = REP_LANE_PROC, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_lane_rows rows;
	size_t found = 0;

	(void)state;
	import("testdata/checkout.trace");
	assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
	for (size_t i = 0; i < c.n; i += 17) {
		const struct lanes_span *s = &c.span[i];

		for (size_t r = 0; r < rows.n; r++) {
			uint32_t g;

			if (s->state != TP_ST_RUNNING || rows.row[r].id != s->p ||
			    s->start == s->end)
				continue;
			assert_int_equal(rep_lanes_on(c.lanes, &rows.row[r],
						      s->start + (s->end - s->start) / 2, &g, &err),
					 0);
			assert_int_equal(g, s->goroutine);
			found++;
		}
	}
	assert_true(found > 100);
	rep_lane_rows_release(&rows);
}

/* ---- events ---- */

static int64_t count(const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(tp_store_db(store), sql, -1, &st, NULL), 0);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static size_t steps(int step, uint32_t only, int64_t from)
{
	struct rep_event_at at = {.number = UINT64_MAX, .ns = from};
	uint64_t last = UINT64_MAX;
	size_t n = 0;

	while (!rep_lanes_step(c.lanes, step, only, &at, &err)) {
		if (last != UINT64_MAX)
			assert_true(step > 0 ? at.number > last : at.number < last);
		last = at.number;
		assert_true(*at.text);
		n++;
	}
	assert_int_equal(err.code, TP_ENOENT);
	return n;
}

static void test_step(void **state)
{
	static const char *const of_one = "SELECT count(*) FROM event WHERE goroutine = 1 OR "
					  "(subject_kind = 'G' AND subject = 1)";
	struct rep_event_at at = {.number = UINT64_MAX, .ns = 0};
	uint32_t one;

	(void)state;
	import("testdata/checkout.trace");
	one = rep_lanes_goroutine(c.lanes, 1);
	assert_int_equal(steps(1, TP_NONE, 0), count("SELECT count(*) FROM event"));
	assert_int_equal(steps(-1, TP_NONE, INT64_MAX), count("SELECT count(*) FROM event"));
	assert_int_equal(steps(1, one, 0), count(of_one));
	assert_int_equal(steps(-1, one, INT64_MAX), count(of_one));
	assert_int_equal(steps(1, TP_NONE, 50000000),
			 count("SELECT count(*) FROM event WHERE ts_ns >= 50000000"));
	assert_int_equal(steps(-1, TP_NONE, 50000000),
			 count("SELECT count(*) FROM event WHERE ts_ns < 50000000"));
	/* There and back again. */
	at.number = 20000;
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), 0);
	assert_int_equal(at.number, 20001);
	assert_int_equal(rep_lanes_step(c.lanes, -1, TP_NONE, &at, &err), 0);
	assert_int_equal(at.number, 20000);
}

static void test_step_words(void **state)
{
	struct rep_event_at at = {.number = 0};

	(void)state;
	import("testdata/relay.trace");
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), 0);
	assert_string_equal(at.text, "ProcStatus P 1 Undetermined->Running \"\"");
	assert_int_equal(at.goroutine, rep_lanes_goroutine(c.lanes, 13002));
}

/* ---- marks ---- */

struct marks {
	size_t n[REP_NMARK_KINDS], all;
	int64_t last;
};

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	struct marks *m = ctx;

	assert_true(mark->from >= m->last);
	m->last = mark->from;
	m->n[mark->kind]++;
	m->all++;
	return 0;
}

static void test_marks(void **state)
{
	static const struct {
		enum rep_mark_kind kind;
		const char *from;
	} cases[] = {
	    {REP_MARK_STW, "range WHERE name LIKE 'stop-the-world%'"},
	    {REP_MARK_GC, "range WHERE name = 'GC concurrent mark phase'"},
	    {REP_MARK_SWEEP, "range WHERE name = 'GC incremental sweep'"},
	    {REP_MARK_ASSIST, "range WHERE name = 'GC mark assist'"},
	    {REP_MARK_REGION, "region WHERE 1"},
	    {REP_MARK_LOG, "(SELECT ts_ns AS start_ns, ts_ns AS end_ns FROM log) WHERE 1"},
	    {REP_MARK_TASK, "task WHERE 1"},
	    {REP_MARK_SAMPLE,
	     "(SELECT ts_ns AS start_ns, ts_ns AS end_ns FROM cpu_sample) WHERE 1"},
	};
	static const int64_t ranges[][2] = {{INT64_MIN, INT64_MAX},
					    {100000000, 200000000},
					    {123456789, 123456790},
					    {400000000, 900000000}};

	(void)state;
	import("testdata/checkout.trace");
	for (size_t r = 0; r < 4; r++) {
		struct marks all = {.last = INT64_MIN};
		size_t sum = 0;

		assert_int_equal(
		    rep_lanes_marks(c.lanes, ranges[r][0], ranges[r][1], on_mark, &all, &err), 0);
		for (size_t i = 0; i < REP_NMARK_KINDS; i++) {
			struct marks some = {.last = INT64_MIN};
			char sql[400];

			snprintf(sql, sizeof(sql),
				 "SELECT count(*) FROM %s AND coalesce(start_ns, 0) < %lld AND "
				 "(coalesce(end_ns, %lld) > %lld OR coalesce(start_ns, 0) >= %lld)",
				 cases[i].from, (long long)ranges[r][1],
				 (long long)rep_lanes_duration(c.lanes), (long long)ranges[r][0],
				 (long long)ranges[r][0]);
			assert_int_equal(all.n[cases[i].kind], count(sql));
			assert_int_equal(rep_lanes_marks_of(c.lanes, 1u << cases[i].kind,
							    ranges[r][0], ranges[r][1], on_mark,
							    &some, &err),
					 0);
			assert_int_equal(some.all, all.n[cases[i].kind]);
			sum += some.all;
		}
		assert_int_equal(sum, all.all);
		if (!r)
			assert_true(all.n[REP_MARK_REGION] > 50 && all.n[REP_MARK_STW] > 3);
	}
}

/* A profile has no rows, no marks and no events. */
static void test_no_trace(void **state)
{
	struct rep_lanes_options options = {.from = INT64_MIN, .to = INT64_MAX};
	struct rep_event_at at = {.number = UINT64_MAX};
	struct rep_picture p = {.from = 0, .to = 10, .cols = 2};
	struct marks marks = {.last = INT64_MIN};

	(void)state;
	import("testdata/catalog.heap");
	for (unsigned k = 0; k < REP_NLANE_KINDS; k++) {
		struct rep_lane_rows rows;

		options.kind = (enum rep_lane_kind)k;
		assert_int_equal(rep_lanes_rows(c.lanes, &options, &rows, &err), 0);
		assert_int_equal(rows.n, 0);
		rep_lane_rows_release(&rows);
	}
	assert_int_equal(rep_lanes_draw(c.lanes, &p, NULL, &err), 0);
	free(p.cell);
	assert_int_equal(rep_lanes_marks(c.lanes, 0, 10, on_mark, &marks, &err), 0);
	assert_int_equal(marks.all, 0);
	assert_int_equal(rep_lanes_step(c.lanes, 1, TP_NONE, &at, &err), TP_ENOENT);
	assert_int_equal(rep_lanes_step(c.lanes, -1, TP_NONE, &at, &err), TP_ENOENT);
	assert_int_equal(rep_lanes_goroutine(c.lanes, 1), TP_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_draw_samples, close_check),
	    cmocka_unit_test_teardown(test_draw_segments, close_check),
	    cmocka_unit_test_teardown(test_draw_little_memory, close_check),
	    cmocka_unit_test_teardown(test_ahead, close_check),
	    cmocka_unit_test_teardown(test_draw_stop, close_check),
	    cmocka_unit_test_teardown(test_draw_no_such_row, close_check),
	    cmocka_unit_test_teardown(test_rows_filter, close_check),
	    cmocka_unit_test_teardown(test_moment_relay, close_check),
	    cmocka_unit_test_teardown(test_moment_path, close_check),
	    cmocka_unit_test_teardown(test_moment_not_there, close_check),
	    cmocka_unit_test_teardown(test_on, close_check),
	    cmocka_unit_test_teardown(test_step, close_check),
	    cmocka_unit_test_teardown(test_step_words, close_check),
	    cmocka_unit_test_teardown(test_marks, close_check),
	    cmocka_unit_test_teardown(test_no_trace, close_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
