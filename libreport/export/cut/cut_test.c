/* Reads each cut as strictly as Go does (order/, which conformance compares with Go's reader) and
 * compares it line by line with the original's events in that range. The beginning, which the
 * original records at another time, is checked in traces written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/buf.h"
#include "decode/v2/encode.h"
#include "export/cut/cut.h"
#include "import.h"
#include "order/listing.h"
#include "order/read.h"

static char dir[64], path[80], story_path[96], late_path[96];
static struct tp_store *store;
static struct rep_runs runs;

static int put(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

/* ---- traces written by hand ---- */

#define EV(m, ts, type, ...)                                                                       \
	assert_int_equal(                                                                          \
	    tp_v2_encode_event(e, m, ts, TP_V2_##type, (uint64_t[]){__VA_ARGS__}, NULL), 0)

static void begin_generation(struct tp_v2_encoder *e, uint64_t ts)
{
	const struct tp_v2_clock clock = {.ts = ts, .mono_ns = ts, .wall_sec = 5};

	assert_int_equal(tp_v2_encode_generation(e, &clock, NULL), 0);
}

static void write_story(const char *name, void (*tell)(struct tp_v2_encoder *e, struct tp_dict *d))
{
	struct tp_dict *d = tp_dict_new();
	struct tp_v2_encoder *e;
	struct tp_buf b = {0};
	struct tp_out out = {.write = put, .ctx = &b};
	FILE *f = fopen(name, "wb");

	assert_non_null(d);
	assert_non_null(f);
	assert_int_equal(tp_v2_encoder_new(&e, d, &out, NULL), 0);
	tell(e, d);
	assert_int_equal(tp_v2_encode_finish(e, NULL), 0);
	assert_int_equal(fwrite(b.data, 1, b.size, f), b.size);
	fclose(f);
	tp_v2_encoder_free(e);
	tp_dict_free(d);
	tp_buf_release(&b);
}

/* M 1 runs goroutine 1 on P 0. It creates goroutine 2, sleeps in a system call from 300 on, and
 * loses its P at 400 to M 2. There goroutine 2 runs, logs a message, wakes goroutine 3 (which has
 * waited from the beginning) and stops. Goroutine 1 returns at 700. */
static void tell_story(struct tp_v2_encoder *e, struct tp_dict *d)
{
	uint32_t reason, task, log;

	tp_dict_string(d, "chan receive", 12, &reason);
	tp_dict_string(d, "request", 7, &task);
	tp_dict_string(d, "step", 4, &log);
	begin_generation(e, 100);
	EV(1, 101, ProcStatus, 0, 1);
	EV(1, 102, GoStatus, 1, 1, 2);
	EV(1, 103, GoStatus, 3, UINT64_MAX, 4);
	EV(1, 110, UserTaskBegin, 7, 0, task, 0);
	EV(1, 120, GCBegin, 1, 0);
	EV(1, 200, GoCreate, 2, 0, 0);
	EV(1, 300, GoSyscallBegin, 1, 0);
	EV(2, 400, ProcSteal, 0, 2, 1);
	EV(2, 410, ProcStart, 0, 3);
	EV(2, 420, GoStart, 2, 1);
	EV(2, 500, UserLog, 7, log, log, 0);
	EV(2, 510, GoUnblock, 3, 1, 0);
	EV(2, 520, UserTaskEnd, 7, 0);
	EV(2, 530, GCEnd, 2);
	EV(2, 540, GoBlock, reason, 0);
	EV(2, 550, GoStart, 3, 2);
	EV(2, 560, HeapAlloc, 4096);
	EV(2, 600, GoDestroy);
	EV(1, 700, GoSyscallEndBlocked);
}

/* Goroutine 1 runs and is recorded. Goroutine 2 has also run from the beginning on P 1, which it
 * sweeps, in a mark assist of a GC under way; its first event, at 400, records this. Goroutine 3
 * waits, 4 is in a system call, 5 is blocked in a mark assist, and P 2 is idle; they have no
 * events, so the end of the generation records them. */
static void tell_late(struct tp_v2_encoder *e, struct tp_dict *d)
{
	uint32_t reason;

	tp_dict_string(d, "chan receive", 12, &reason);
	begin_generation(e, 100);
	EV(1, 101, ProcStatus, 0, 1);
	EV(1, 102, GoStatus, 1, 1, 2);
	EV(1, 200, HeapAlloc, 4096);
	EV(2, 400, ProcStatus, 1, 1);
	EV(2, 401, GCSweepActive, 1);
	EV(2, 402, GoStatus, 2, 2, 2);
	EV(2, 403, GCMarkAssistActive, 2);
	EV(2, 404, GCActive, 1);
	EV(2, 410, GCSweepEnd, 0, 0);
	EV(2, 420, GCMarkAssistEnd);
	EV(2, 430, GoBlock, reason, 0);
	EV(1, 500, ProcStatus, 2, 2);
	EV(1, 501, GoStatus, 3, UINT64_MAX, 4);
	EV(1, 502, GoStatus, 4, 4, 3);
	EV(1, 503, GoStatus, 5, UINT64_MAX, 4);
	EV(1, 504, GCMarkAssistActive, 5);
	begin_generation(e, 600);
	EV(1, 601, ProcStatus, 0, 1);
	EV(1, 602, GoStatus, 1, 1, 2);
	EV(1, 603, GCActive, 2);
	EV(1, 700, GCEnd, 3);
}
#undef EV

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	const char *dumps[] = {"testdata/checkout.trace", "testdata/checkout-1.19.trace",
			       "testdata/checkout-cut.trace", story_path, late_path};
	const struct tp_import_options opt = {.store.wait_ms = 1000};

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	snprintf(story_path, sizeof(story_path), "%s/story.trace", dir);
	snprintf(late_path, sizeof(late_path), "%s/late.trace", dir);
	write_story(story_path, tell_story);
	write_story(late_path, tell_late);
	for (size_t i = 0; i < 5; i++) {
		struct tp_import_result result;
		struct tp_err err;

		if (tp_import(dumps[i], path, &opt, &result, &err))
			fail_msg("%s: %s", dumps[i], err.msg);
	}
	assert_int_equal(tp_store_open(&store, path, NULL), 0);
	assert_int_equal(rep_runs_load(store, &runs, NULL), 0);
	assert_int_equal(runs.n, 5);
	return 0;
}

static int teardown(void **state)
{
	char lock[96];

	(void)state;
	rep_runs_release(&runs);
	tp_store_close(store);
	snprintf(lock, sizeof(lock), "%s-lock", path);
	unlink(lock);
	unlink(story_path);
	unlink(late_path);
	unlink(path);
	rmdir(dir);
	return 0;
}

/* ---- lines of events ---- */

struct lines {
	struct tp_listing listing;
	struct tp_trace *trace; /* being read; NULL if ids are known */
	int64_t from, to, later;
	bool statuses; /* also statuses that only repeat a state */
	uint64_t late; /* events that were recorded late */
	bool bare;     /* without M, P, G, which old traces record at other moments */
	struct tp_buf text;
	size_t n;
};

static bool is_status(const struct tp_event *ev)
{
	return ev->type == TP_EV_SYNC || ev->type == TP_EV_PROC_STATUS ||
	       ev->type == TP_EV_GO_STATUS || ev->type == TP_EV_GO_STATUS_STACK ||
	       ev->type == TP_EV_GC_ACTIVE || ev->type == TP_EV_GC_SWEEP_ACTIVE ||
	       ev->type == TP_EV_MARK_ASSIST_ACTIVE;
}

static int take(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct lines *l = ctx;

	(void)err;
	if (l->trace)
		l->listing = (struct tp_listing){
		    .dict = l->trace->dict,
		    .g_id = l->trace->g_id,
		    .m_id = l->trace->m_id,
		    .p_id = l->trace->p_id,
		    .ng = l->trace->ng,
		    .nm = l->trace->nm,
		    .np = l->trace->np,
		};
	for (size_t i = 0; i < n; i++) {
		struct tp_event e = ev[i];
		size_t at = l->text.size;

		if (e.ts < l->from || e.ts >= l->to || (is_status(&e) && !l->statuses))
			continue;
		if (l->late && (e.type == TP_EV_TASK_BEGIN || e.type == TP_EV_PROCS_CHANGE)) {
			l->late--;
			continue;
		}
		e.ts -= l->later;
		/* Up to go 1.21 Go's reader gives 0 for no parent at the end of a task. */
		if (l->bare && e.type == TP_EV_TASK_END && !e.arg[1])
			e.arg[1] = UINT64_MAX;
		assert_int_equal(tp_listing_line(&l->listing, &e, &l->text), 0);
		l->n++;
		if (l->bare) {
			char *line = (char *)l->text.data + at, *p = line;
			size_t size = l->text.size - at;

			for (int tabs = 0; tabs < 4; p++)
				tabs += *p == '\t';
			/* Keep the time. */
			size -= (size_t)(p - line);
			memmove(strchr(line, '\t') + 1, p, size);
			l->text.size =
			    (size_t)(strchr(line, '\t') + 1 - (char *)l->text.data) + size;
		}
	}
	return 0;
}

static void list_run(const struct rep_run *run, struct lines *l)
{
	static const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_rows g, m, p;
	struct tp_event_reader *r;
	const struct tp_event *ev;
	struct tp_dict *dict;
	size_t n;
	int more;

	assert_int_equal(tp_rows_load(store, run->row.id, TP_TABLE_GOROUTINE,
				      1u << TP_COL(GOROUTINE, goid), &g, NULL),
			 0);
	assert_int_equal(tp_rows_load(store, run->row.id, TP_TABLE_THREAD, 0, &m, NULL), 0);
	assert_int_equal(tp_rows_load(store, run->row.id, TP_TABLE_PROC, 0, &p, NULL), 0);
	assert_int_equal(tp_dict_load(store, run->row.id, &dict, NULL), 0);
	assert_int_equal(tp_events_open(&r, store, run->row.id, &all, NULL), 0);
	l->listing = (struct tp_listing){
	    .dict = dict,
	    .g_id = (const uint64_t *)g.col[TP_COL(GOROUTINE, goid)],
	    .m_id = (const uint64_t *)m.col[TP_COL(THREAD, id)],
	    .p_id = p.col[TP_COL(PROC, id)],
	    .ng = (uint32_t)g.nrows,
	    .nm = (uint32_t)m.nrows,
	    .np = (uint32_t)p.nrows,
	    .start_ns = run->row.start_ns,
	};
	while ((more = tp_events_next(r, &ev, &n, NULL)) > 0)
		take(l, ev, n, NULL);
	assert_int_equal(more, 0);
	tp_events_close(r);
	tp_dict_free(dict);
	tp_rows_release(&g);
	tp_rows_release(&m);
	tp_rows_release(&p);
}

static void list_trace(const struct tp_buf *b, struct lines *l)
{
	struct tp_trace_options opt = {.strict = true};
	struct tp_sink sink = {.events = take, .ctx = l};
	struct tp_trace trace;
	struct tp_input *in;
	struct tp_err err;

	assert_int_equal(tp_input_from_memory(&in, b->data, b->size, NULL), 0);
	l->trace = &trace;
	if (tp_trace_read(in, &opt, &trace, &sink, &err))
		fail_msg("the cut is refused: %s", err.msg);
	assert_int_equal(trace.nlosses, 0);
	assert_int_equal(trace.version, 26);
	tp_trace_release(&trace);
	tp_input_close(in);
}

static void make_cut(const struct rep_run *run, const struct rep_cut_options *opt, struct tp_buf *b,
		     struct rep_cut_result *result)
{
	struct tp_out out = {.write = put, .ctx = b};
	struct tp_err err;

	b->size = 0;
	if (rep_cut(store, run, opt, &out, result, &err))
		fail_msg("%s: %s", run->row.name, err.msg);
}

static void assert_same_text(const struct lines *a, const struct lines *b, const char *what)
{
	size_t at = 0;

	while (at < a->text.size && at < b->text.size && a->text.data[at] == b->text.data[at])
		at++;
	if (at < a->text.size || at < b->text.size) {
		while (at && a->text.data[at - 1] != '\n')
			at--;
		fail_msg("%s: %zu and %zu events, which differ at '%.*s' and '%.*s'", what, a->n,
			 b->n, (int)strcspn((char *)a->text.data + at, "\n"),
			 (char *)a->text.data + at,
			 at < b->text.size ? (int)strcspn((char *)b->text.data + at, "\n") : 0,
			 (char *)b->text.data + at);
	}
}

static void test_cut_says_what_the_run_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct rep_run *run = &runs.run[i];

		for (int k = 0; k < 12; k++) {
			int64_t from = run->row.duration_ns / 13 * k,
				to = k % 3 ? from + run->row.duration_ns / (k + 2) : INT64_MAX;
			struct rep_cut_options opt = {.from_ns = from, .to_ns = to};
			struct lines was = {.from = from, .to = to, .bare = i == 1},
				     is = {.to = INT64_MAX, .bare = i == 1};
			struct rep_cut_result result;
			struct tp_buf b = {0};

			if (i == 2 && k)
				continue; /* damaged: reading it is enough */
			make_cut(run, &opt, &b, &result);
			is.from = run->row.start_ns + (from > 0 ? from : -1) + result.shift_ns;
			is.later = result.shift_ns;
			is.late = result.late;
			list_trace(&b, &is);
			list_run(run, &was);
			assert_int_not_equal(is.n, 0);
			if (i < 2) {
				assert_int_equal(result.left_out, 0);
				assert_same_text(&was, &is, run->row.name);
			}
			tp_buf_release(&b);
			tp_buf_release(&was.text);
			tp_buf_release(&is.text);
		}
	}
}

static void check_cut(const struct rep_run *run, const struct rep_cut_options *opt,
		      const char *expected)
{
	struct lines is = {.to = INT64_MAX, .statuses = true};
	struct rep_cut_result result;
	struct tp_buf b = {0};

	make_cut(run, opt, &b, &result);
	list_trace(&b, &is);
	assert_int_equal(tp_buf_put(&is.text, "", 1), 0);
	assert_string_equal((char *)is.text.data, expected);
	assert_int_equal(result.mended, 0);
	assert_int_equal(result.left_out, 0);
	tp_buf_release(&is.text);
	tp_buf_release(&b);
}

static void check_story(int64_t from, int64_t to, const uint8_t *wanted, bool wakers,
			const char *expected)
{
	struct rep_cut_options opt = {
	    .from_ns = from, .to_ns = to, .wanted = wanted, .ngoroutines = 3, .wakers = wakers};

	check_cut(&runs.run[3], &opt, expected);
}

static void check_late(int64_t from, int64_t to, const uint8_t *wanted, const char *expected)
{
	struct rep_cut_options opt = {
	    .from_ns = from, .to_ns = to, .wanted = wanted, .ngoroutines = 5};

	check_cut(&runs.run[4], &opt, expected);
}

/* A range from within the system call, after the P was taken away, to after goroutine 2 has
 * stopped. The run begins at 100. */
static void test_cut_in_a_system_call(void **state)
{
	(void)state;
	check_story(350 - 100, 445, NULL, false,
		    "344\t-1\t-1\t-1\tSync\t\t\n"
		    "345\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		    "346\t1\t0\t-1\tStateTransition\tG 1 Undetermined->Syscall \"\"\t\n"
		    "347\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		    "348\t-1\t-1\t-1\tStateTransition\tG 2 Undetermined->Runnable \"\"\t\n"
		    "349\t-1\t-1\t-1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		    "400\t2\t-1\t-1\tStateTransition\tP 0 Running->Idle \"\"\t\n"
		    "410\t2\t-1\t-1\tStateTransition\tP 0 Idle->Running \"\"\t\n"
		    "420\t2\t0\t-1\tStateTransition\tG 2 Runnable->Running \"\"\t\n"
		    "421\t2\t0\t2\tTaskBegin\t7 18446744073709551615 \"request\"\t\n"
		    "500\t2\t0\t2\tLog\t7 \"step\" \"step\"\t\n"
		    "510\t2\t0\t2\tStateTransition\tG 3 Waiting->Runnable \"\"\t\n"
		    "520\t2\t0\t2\tTaskEnd\t7 18446744073709551615 \"request\"\t\n"
		    "530\t2\t0\t2\tRangeEnd\t\"GC concurrent mark phase\" None\t\n"
		    "540\t2\t0\t2\tStateTransition\tG 2 Running->Waiting \"chan receive\"\t\n"
		    "545\t1\t-1\t1\tStateTransition\tG 1 Syscall->Syscall \"\"\t\n"
		    "546\t-1\t-1\t-1\tSync\t\t\n");
}

/* Goroutine 3 alone: Ps remain, other goroutines do not. Its waker is no goroutine or, with wakers,
 * goroutine 2. */
static void test_cut_of_a_goroutine(void **state)
{
	static const uint8_t third[3] = {0, 1, 0}; /* by first appearance: 1, 3, 2 */

	(void)state;
	check_story(INT64_MIN, INT64_MAX, third, false,
		    "100\t-1\t-1\t-1\tSync\t\t\n"
		    "101\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		    "103\t1\t0\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		    "400\t1\t0\t-1\tStateTransition\tP 0 Running->Idle \"\"\t\n"
		    "410\t2\t-1\t-1\tStateTransition\tP 0 Idle->Running \"\"\t\n"
		    "510\t2\t0\t-1\tStateTransition\tG 3 Waiting->Runnable \"\"\t\n"
		    "550\t2\t0\t-1\tStateTransition\tG 3 Runnable->Running \"\"\t\n"
		    "560\t2\t0\t3\tMetric\t\"/memory/classes/heap/objects:bytes\" 4096\t\n"
		    "600\t2\t0\t3\tStateTransition\tG 3 Running->NotExist \"\"\t\n"
		    "601\t-1\t-1\t-1\tSync\t\t\n");
	check_story(505 - 100, 515 - 100, third, true,
		    "501\t-1\t-1\t-1\tSync\t\t\n"
		    "502\t2\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		    "503\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		    "504\t2\t0\t-1\tStateTransition\tG 2 Undetermined->Running \"\"\t\n"
		    "510\t2\t0\t2\tStateTransition\tG 3 Waiting->Runnable \"\"\t\n"
		    "515\t-1\t-1\t-1\tStateTransition\tG 3 Runnable->Runnable \"\"\t\n"
		    "516\t-1\t-1\t-1\tSync\t\t\n");
}

/* A range without events still records all states and its length. */
static void test_cut_of_nothing(void **state)
{
	(void)state;
	check_story(445, 450, NULL, false,
		    "540\t-1\t-1\t-1\tSync\t\t\n"
		    "541\t2\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		    "542\t1\t-1\t-1\tStateTransition\tG 1 Undetermined->Syscall \"\"\t\n"
		    "543\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Runnable \"\"\t\n"
		    "544\t-1\t-1\t-1\tStateTransition\tG 2 Undetermined->Waiting \"\"\t\n"
		    "550\t1\t-1\t1\tStateTransition\tG 1 Syscall->Syscall \"\"\t\n"
		    "551\t-1\t-1\t-1\tSync\t\t\n");
}

/* Ranges that end before the run records states that have held all the time. */
static void test_cut_before_it_is_told(void **state)
{
	static const uint8_t third[5] = {0, 0, 1}; /* by first appearance: 1, 2, 3 … */

	(void)state;
	check_late(INT64_MIN, 300 - 100, NULL,
		   "89\t-1\t-1\t-1\tSync\t\t\n"
		   "90\t2\t-1\t-1\tStateTransition\tP 1 Undetermined->Running \"\"\t\n"
		   "91\t-1\t-1\t-1\tStateTransition\tP 2 Undetermined->Idle \"\"\t\n"
		   "92\t2\t1\t-1\tStateTransition\tG 2 Undetermined->Running \"\"\t\n"
		   "93\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		   "94\t4\t-1\t-1\tStateTransition\tG 4 Undetermined->Syscall \"\"\t\n"
		   "95\t-1\t-1\t-1\tStateTransition\tG 5 Undetermined->Waiting \"\"\t\n"
		   "96\t2\t1\t2\tRangeActive\t\"GC incremental sweep\" Proc(1)\t\n"
		   "97\t2\t1\t2\tRangeActive\t\"GC mark assist\" Goroutine(2)\t\n"
		   "98\t-1\t-1\t-1\tRangeActive\t\"GC mark assist\" Goroutine(5)\t\n"
		   "99\t-1\t-1\t-1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		   "101\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		   "102\t1\t0\t-1\tStateTransition\tG 1 Undetermined->Running \"\"\t\n"
		   "200\t1\t0\t1\tMetric\t\"/memory/classes/heap/objects:bytes\" 4096\t\n"
		   "300\t1\t0\t1\tStateTransition\tG 1 Running->Running \"\"\t\n"
		   "301\t-1\t-1\t-1\tSync\t\t\n");
	check_late(INT64_MIN, 300 - 100, third,
		   "95\t-1\t-1\t-1\tSync\t\t\n"
		   "96\t2\t-1\t-1\tStateTransition\tP 1 Undetermined->Running \"\"\t\n"
		   "97\t-1\t-1\t-1\tStateTransition\tP 2 Undetermined->Idle \"\"\t\n"
		   "98\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		   "99\t2\t1\t-1\tRangeActive\t\"GC incremental sweep\" Proc(1)\t\n"
		   "101\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		   "200\t1\t0\t-1\tMetric\t\"/memory/classes/heap/objects:bytes\" 4096\t\n"
		   "300\t-1\t-1\t-1\tStateTransition\tG 3 Waiting->Waiting \"\"\t\n"
		   "301\t-1\t-1\t-1\tSync\t\t\n");
	check_late(150 - 100, 300 - 100, NULL,
		   "137\t-1\t-1\t-1\tSync\t\t\n"
		   "138\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		   "139\t2\t-1\t-1\tStateTransition\tP 1 Undetermined->Running \"\"\t\n"
		   "140\t-1\t-1\t-1\tStateTransition\tP 2 Undetermined->Idle \"\"\t\n"
		   "141\t1\t0\t-1\tStateTransition\tG 1 Undetermined->Running \"\"\t\n"
		   "142\t2\t1\t-1\tStateTransition\tG 2 Undetermined->Running \"\"\t\n"
		   "143\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		   "144\t4\t-1\t-1\tStateTransition\tG 4 Undetermined->Syscall \"\"\t\n"
		   "145\t-1\t-1\t-1\tStateTransition\tG 5 Undetermined->Waiting \"\"\t\n"
		   "146\t2\t1\t2\tRangeActive\t\"GC incremental sweep\" Proc(1)\t\n"
		   "147\t2\t1\t2\tRangeActive\t\"GC mark assist\" Goroutine(2)\t\n"
		   "148\t-1\t-1\t-1\tRangeActive\t\"GC mark assist\" Goroutine(5)\t\n"
		   "149\t-1\t-1\t-1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		   "200\t1\t0\t1\tMetric\t\"/memory/classes/heap/objects:bytes\" 4096\t\n"
		   "300\t1\t0\t1\tStateTransition\tG 1 Running->Running \"\"\t\n"
		   "301\t-1\t-1\t-1\tSync\t\t\n");
	/* The P of goroutine 2 is recorded in time, goroutine 2 is not. */
	check_late(INT64_MIN, 402 - 100, NULL,
		   "90\t-1\t-1\t-1\tSync\t\t\n"
		   "91\t2\t-1\t-1\tStateTransition\tP 1 Undetermined->Running \"\"\t\n"
		   "92\t-1\t-1\t-1\tStateTransition\tP 2 Undetermined->Idle \"\"\t\n"
		   "93\t2\t1\t-1\tStateTransition\tG 2 Undetermined->Running \"\"\t\n"
		   "94\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		   "95\t4\t-1\t-1\tStateTransition\tG 4 Undetermined->Syscall \"\"\t\n"
		   "96\t-1\t-1\t-1\tStateTransition\tG 5 Undetermined->Waiting \"\"\t\n"
		   "97\t2\t1\t2\tRangeActive\t\"GC mark assist\" Goroutine(2)\t\n"
		   "98\t-1\t-1\t-1\tRangeActive\t\"GC mark assist\" Goroutine(5)\t\n"
		   "99\t-1\t-1\t-1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		   "101\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		   "102\t1\t0\t-1\tStateTransition\tG 1 Undetermined->Running \"\"\t\n"
		   "200\t1\t0\t1\tMetric\t\"/memory/classes/heap/objects:bytes\" 4096\t\n"
		   "400\t2\t1\t2\tStateTransition\tP 1 Running->Running \"\"\t\n"
		   "401\t2\t1\t2\tRangeActive\t\"GC incremental sweep\" Proc(1)\t\n"
		   "402\t1\t0\t1\tStateTransition\tG 1 Running->Running \"\"\t\n"
		   "403\t-1\t-1\t-1\tSync\t\t\n");
}

/* Ranges that end later record the state at its place. If they begin in between, they record the
 * state first; ranges, which Go's reader takes once, only then. */
static void test_cut_after_it_is_told(void **state)
{
	const struct rep_cut_options whole = REP_CUT_OPTIONS_INIT;
	/* M, P and G are left out, because a goroutine in a system call is recorded elsewhere: on
	 * its thread. */
	struct lines was = {.from = INT64_MIN, .to = INT64_MAX, .statuses = true, .bare = true},
		     is = {.to = INT64_MAX, .statuses = true, .bare = true};
	struct rep_cut_result result;
	struct tp_buf b = {0};

	(void)state;
	make_cut(&runs.run[4], &whole, &b, &result);
	list_trace(&b, &is);
	list_run(&runs.run[4], &was);
	assert_same_text(&was, &is, "late");
	tp_buf_release(&b);
	tp_buf_release(&was.text);
	tp_buf_release(&is.text);
	check_late(300 - 100, INT64_MAX, NULL,
		   "287\t-1\t-1\t-1\tSync\t\t\n"
		   "288\t1\t-1\t-1\tStateTransition\tP 0 Undetermined->Running \"\"\t\n"
		   "289\t2\t-1\t-1\tStateTransition\tP 1 Undetermined->Running \"\"\t\n"
		   "290\t-1\t-1\t-1\tStateTransition\tP 2 Undetermined->Idle \"\"\t\n"
		   "291\t1\t0\t-1\tStateTransition\tG 1 Undetermined->Running \"\"\t\n"
		   "292\t2\t1\t-1\tStateTransition\tG 2 Undetermined->Running \"\"\t\n"
		   "293\t-1\t-1\t-1\tStateTransition\tG 3 Undetermined->Waiting \"\"\t\n"
		   "294\t4\t-1\t-1\tStateTransition\tG 4 Undetermined->Syscall \"\"\t\n"
		   "295\t-1\t-1\t-1\tStateTransition\tG 5 Undetermined->Waiting \"\"\t\n"
		   "296\t2\t1\t2\tRangeActive\t\"GC incremental sweep\" Proc(1)\t\n"
		   "297\t2\t1\t2\tRangeActive\t\"GC mark assist\" Goroutine(2)\t\n"
		   "298\t-1\t-1\t-1\tRangeActive\t\"GC mark assist\" Goroutine(5)\t\n"
		   "299\t-1\t-1\t-1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		   "400\t2\t1\t2\tStateTransition\tP 1 Running->Running \"\"\t\n"
		   "402\t2\t1\t2\tStateTransition\tG 2 Running->Running \"\"\t\n"
		   "410\t2\t1\t2\tRangeEnd\t\"GC incremental sweep\" Proc(1) \"bytes swept\"=0 "
		   "\"bytes reclaimed\"=0\t\n"
		   "420\t2\t1\t2\tRangeEnd\t\"GC mark assist\" Goroutine(2)\t\n"
		   "430\t2\t1\t2\tStateTransition\tG 2 Running->Waiting \"chan receive\"\t\n"
		   "500\t1\t0\t1\tStateTransition\tP 2 Idle->Idle \"\"\t\n"
		   "501\t1\t0\t1\tStateTransition\tG 3 Waiting->Waiting \"\"\t\n"
		   "502\t4\t-1\t4\tStateTransition\tG 4 Syscall->Syscall \"\"\t\n"
		   "503\t1\t0\t1\tStateTransition\tG 5 Waiting->Waiting \"\"\t\n"
		   "600\t-1\t-1\t-1\tSync\t\t\n"
		   "601\t1\t0\t1\tStateTransition\tP 0 Running->Running \"\"\t\n"
		   "602\t1\t0\t1\tStateTransition\tG 1 Running->Running \"\"\t\n"
		   "603\t1\t0\t1\tRangeActive\t\"GC concurrent mark phase\" None\t\n"
		   "700\t1\t0\t1\tRangeEnd\t\"GC concurrent mark phase\" None\t\n"
		   "701\t-1\t-1\t-1\tSync\t\t\n");
}

static void test_cut_outside(void **state)
{
	struct rep_cut_options opt = {.from_ns = 2000, .to_ns = 3000};
	struct tp_buf b = {0};
	struct tp_out out = {.write = put, .ctx = &b};
	struct rep_cut_result result;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_cut(store, &runs.run[3], &opt, &out, &result, &err), TP_ENOENT);
	assert_int_equal(b.size, 0);
}

/* Writes a store with events of goroutines that it lacks; one is in a mark assist. */
static void write_assist(const char *name)
{
	struct tp_dict *d = tp_dict_new();
	struct tp_v2_encoder *e;
	struct tp_buf b = {0};
	struct tp_out out = {.write = put, .ctx = &b};
	FILE *f = fopen(name, "wb");

	assert_non_null(d);
	assert_non_null(f);
	assert_int_equal(tp_v2_encoder_new(&e, d, &out, NULL), 0);
	assert_int_equal(tp_v2_encode_generation(e, &(struct tp_v2_clock){.ts = 100}, NULL), 0);
	assert_int_equal(tp_v2_encode_event(e, 1, 101, TP_V2_ProcStatus, (uint64_t[]){0, 1}, NULL),
			 0);
	assert_int_equal(tp_v2_encode_event(e, 1, 102, TP_V2_GoStatus, (uint64_t[]){1, 1, 2}, NULL),
			 0);
	assert_int_equal(
	    tp_v2_encode_event(e, 1, 103, TP_V2_GCMarkAssistActive, (uint64_t[]){1}, NULL), 0);
	assert_int_equal(tp_v2_encode_finish(e, NULL), 0);
	assert_int_equal(fwrite(b.data, 1, b.size, f), b.size);
	fclose(f);
	tp_v2_encoder_free(e);
	tp_dict_free(d);
	tp_buf_release(&b);
}

static void test_cut_without_goroutines(void **state)
{
	const struct tp_import_options import = {.store.wait_ms = 1000};
	const struct rep_cut_options opt = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	char dump[96], bare[96], lock[112];
	struct rep_runs one = {0};
	struct tp_store *s = NULL;
	struct tp_buf b = {0};
	struct tp_out out = {.write = put, .ctx = &b};
	struct tp_import_result imported;
	struct rep_cut_result result;
	struct tp_err err;
	sqlite3 *db;

	(void)state;
	snprintf(dump, sizeof(dump), "%s/assist.trace", dir);
	snprintf(bare, sizeof(bare), "%s/bare.tprof", dir);
	snprintf(lock, sizeof(lock), "%s-lock", bare);
	write_assist(dump);
	if (tp_import(dump, bare, &import, &imported, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sqlite3_open(bare, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db, "DELETE FROM block WHERE stream = 'goroutine'", NULL, NULL, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_changes(db), 1);
	sqlite3_close(db);
	assert_int_equal(tp_store_open(&s, bare, NULL), 0);
	assert_int_equal(rep_runs_load(s, &one, NULL), 0);
	assert_int_equal(rep_cut(s, &one.run[0], &opt, &out, &result, &err), 0);
	assert_int_equal(result.goroutines, 0);
	assert_true(result.left_out > 0);
	rep_runs_release(&one);
	tp_store_close(s);
	tp_buf_release(&b);
	unlink(dump);
	unlink(bare);
	unlink(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut_without_goroutines),
	    cmocka_unit_test(test_cut_says_what_the_run_says),
	    cmocka_unit_test(test_cut_in_a_system_call),
	    cmocka_unit_test(test_cut_of_a_goroutine),
	    cmocka_unit_test(test_cut_of_nothing),
	    cmocka_unit_test(test_cut_before_it_is_told),
	    cmocka_unit_test(test_cut_after_it_is_told),
	    cmocka_unit_test(test_cut_outside),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
