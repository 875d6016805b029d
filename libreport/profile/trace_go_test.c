/* Tests profiles of waits by Go's rule, on a trace in which every wait is known to the nanosecond.
 * testdata/check/gotrace.sh compares profiles of real traces with those of Go's own tool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "decode/v2/encode.h"
#include "import.h"
#include "profile/trace.h"

static char dir[64], dump[80], path[80];
static struct tp_store *store;
static struct rep_runs runs;

/* ---- the trace ---- */

enum { RUNNABLE_STATUS = 1, RUNNING_STATUS, SYSCALL_STATUS, WAITING_STATUS };

struct story {
	struct tp_dict *dict;
	struct tp_v2_encoder *e;
	struct tp_buf bytes;
};

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static uint64_t text(struct story *s, const char *what)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(s->dict, what, strlen(what), &id), 0);
	return id;
}

/* Makes a stack of one frame. */
static uint64_t at(struct story *s, const char *name, uint64_t pc)
{
	struct tp_function function = {.name = (uint32_t)text(s, name)};
	struct tp_frame frame = {.line = 1};
	uint32_t id;

	assert_int_equal(tp_dict_function(s->dict, &function, &frame.function), 0);
	assert_int_equal(
	    tp_dict_location(s->dict, &(struct tp_location){.address = pc}, &frame.location), 0);
	assert_int_equal(tp_dict_frame(s->dict, &frame, &id), 0);
	assert_int_equal(tp_dict_stack(s->dict, 0, id, &id), 0);
	return id;
}

static void put(struct story *s, uint64_t ts, enum tp_v2_wire type, uint64_t a, uint64_t b,
		uint64_t c)
{
	struct tp_err err;

	if (tp_v2_encode_event(s->e, 7, 1000 + ts, type, (uint64_t[]){a, b, c}, &err))
		fail_msg("%s", err.msg);
}

/* Writes the events. Times count from the first event. Goroutine 1 exists from the beginning, 2 is
 * created, 3 waits throughout, 4 is runnable from the beginning, with a stack without an address.
 */
static void tell(struct story *s)
{
	uint64_t net = at(s, "net", 0x10), chan = at(s, "chan", 0x20), lock = at(s, "lock", 0x30);
	uint64_t wake = at(s, "wake", 0x40), call = at(s, "call", 0x50), go = at(s, "go", 0x60);
	uint64_t bare = at(s, "bare", 0);

	put(s, 0, TP_V2_ProcStatus, 0, 1, 0);
	put(s, 1, TP_V2_GoStatus, 1, 7, RUNNING_STATUS);
	put(s, 2, TP_V2_GoStatus, 3, UINT64_MAX, WAITING_STATUS);
	put(s, 3, TP_V2_GoStatus, 4, UINT64_MAX, RUNNABLE_STATUS);
	put(s, 100, TP_V2_GoCreate, 2, go, wake);
	put(s, 110, TP_V2_GoBlock, text(s, "network"), net, 0);
	put(s, 120, TP_V2_GoStart, 2, 1, 0); /* its first run: the 20 ns before are not counted */
	put(s, 200, TP_V2_GoUnblock, 1, 1, wake);
	put(s, 205, TP_V2_UserRegionBegin, 0, text(s, "work"), 0);
	put(s, 210, TP_V2_GoBlock, text(s, "chan receive"), chan, 0);
	put(s, 215, TP_V2_GoStart, 1, 2, 0);
	put(s, 300, TP_V2_GoUnblock, 2, 2, wake);
	put(s, 310, TP_V2_GoSyscallBegin, 1, call, 0);
	put(s, 340, TP_V2_GoSyscallEnd, 0, 0, 0);
	put(s, 350, TP_V2_GoBlock, text(s, "sleep"), net, 0);
	put(s, 360, TP_V2_GoStart, 2, 3, 0);
	put(s, 365, TP_V2_UserRegionEnd, 0, text(s, "work"), 0);
	put(s, 370, TP_V2_GoUnblock, 1, 3, bare);
	put(s, 380, TP_V2_GoStop, text(s, "preempted"), lock, 0);
	put(s, 390, TP_V2_GoStart, 1, 4, 0);
	put(s, 400, TP_V2_GoBlock, text(s, "sync"), lock, 0); /* has no end */
	put(s, 410, TP_V2_GoStart, 2, 4, 0);
	put(s, 420, TP_V2_GoUnblock, 3, 1, 0); /* from a wait without a known beginning */
	put(s, 430, TP_V2_GoDestroy, 0, 0, 0);
	put(s, 440, TP_V2_GoStart, 3, 2, 0); /* 20 ns runnable before it first ran */
	put(s, 450, TP_V2_GoBlock, text(s, "select"), chan, 0);
}

static int setup(void **state)
{
	struct story s = {.dict = tp_dict_new()};
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	const struct tp_v2_clock clock = {.ts = 1000, .mono_ns = 5, .wall_sec = 1700000000};
	const struct tp_out out = {.write = collect, .ctx = &s.bytes};
	const char *tmp = getenv("TMPDIR");
	struct tp_import_result result;
	struct tp_err err;
	FILE *f;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(dump, sizeof(dump), "%s/dump", dir);
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	assert_int_equal(tp_v2_encoder_new(&s.e, s.dict, &out, &err), 0);
	assert_int_equal(tp_v2_encode_generation(s.e, &clock, &err), 0);
	tell(&s);
	assert_int_equal(tp_v2_encode_finish(s.e, &err), 0);
	f = fopen(dump, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(s.bytes.data, 1, s.bytes.size, f), s.bytes.size);
	fclose(f);
	if (tp_import(dump, path, &opt, &result, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(result.losses, 0);
	tp_v2_encoder_free(s.e);
	tp_buf_release(&s.bytes);
	tp_dict_free(s.dict);
	assert_int_equal(tp_store_open(&store, path, NULL), 0);
	assert_int_equal(rep_runs_load(store, &runs, NULL), 0);
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
	unlink(dump);
	unlink(path);
	rmdir(dir);
	return 0;
}

/* ---- the profiles ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Writes leaf, contentions and delay of each sample, sorted: "chan 1 90, lock 2 30". */
static void say(const struct tp_profile *p, char *out, size_t size)
{
	char *line[16];
	size_t n = 0, used = 0;

	assert_true(p->nsamples <= 16);
	for (; n < p->nsamples; n++) {
		uint32_t frame = tp_dict_stack_at(p->dict, p->stack[n]).frame;

		line[n] = malloc(64);
		snprintf(line[n], 64, "%s %lld %lld",
			 p->stack[n]
			     ? tp_dict_text(p->dict, tp_dict_frame_name(p->dict, frame)).text
			     : "-",
			 (long long)p->value[2 * n], (long long)p->value[2 * n + 1]);
	}
	qsort(line, n, sizeof(*line), by_text);
	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", line[i]);
		free(line[i]);
	}
}

static void test_trace_go_counts(void **state)
{
	static const struct {
		const char *name;
		struct rep_trace_profile_options opt;
		const char *want;
	} cases[] = {
	    {"network", {.go = REP_GO_NET}, "net 1 90"},
	    {"locks and channels, but for what has no end", {.go = REP_GO_SYNC}, "chan 1 90"},
	    {"system calls", {.go = REP_GO_SYSCALL}, "call 1 30"},
	    /* 1: 200 to 215, 370 to 390; 2: 300 to 360, 380 to 410. The stack without an address
	     * equals the empty stack, which no waker has here. */
	    {"latency, but not the first", {.go = REP_GO_SCHED}, "bare 1 20, lock 1 30, wake 2 75"},
	    {"a part of a wait",
	     {.go = REP_GO_SYNC, .filter = {.from = "250ns", .to = "280ns"}},
	     "chan 1 30"},
	    {"nothing of a wait",
	     {.go = REP_GO_SYNC, .filter = {.from = "305ns", .to = "380ns"}},
	     ""},
	    {"one goroutine",
	     {.go = REP_GO_SCHED, .filter = {.goroutine = "1"}},
	     "bare 1 20, wake 1 15"},
	    {"a group",
	     {.go = REP_GO_SCHED, .filter = {.goroutine = "^go$"}},
	     "lock 1 30, wake 1 60"},
	    {"one reason", {.go = REP_GO_SYNC, .filter = {.reason = "^sync"}}, ""},
	    {"inside a region", {.go = REP_GO_SCHED, .region = "work"}, "wake 1 60"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_profile *p;
		struct tp_err err;
		char got[256];

		if (rep_trace_profile(store, &runs.run[0], &cases[i].opt, &p, &err))
			fail_msg("%s: %s", cases[i].name, err.msg);
		say(p, got, sizeof(got));
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("%s: got '%s', want '%s'", cases[i].name, got, cases[i].want);
		assert_int_equal(p->ntypes, 2);
		assert_string_equal(tp_dict_text(p->dict, p->types[0].type).text, "contentions");
		assert_string_equal(tp_dict_text(p->dict, p->types[1].type).text, "delay");
		tp_profile_free(p);
	}
}

static void test_trace_go_no_such_region(void **state)
{
	struct rep_trace_profile_options opt = {.go = REP_GO_SCHED, .region = "play"};
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_trace_profile(store, &runs.run[0], &opt, &p, &err), TP_ENOENT);
	assert_non_null(strstr(err.msg, "nothing matches --region=play"));
}

static void test_trace_go_refuses(void **state)
{
	struct rep_trace_profile_options opt = {.go = REP_GO_NET, .filter = {.state = "blocked"}};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_trace_profile_check(&opt, &err), TP_EFORMAT);
	assert_string_equal(err.msg,
			    "--state does not apply to --pprof, whose profiles are of one state");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trace_go_counts),
	    cmocka_unit_test(test_trace_go_no_such_region),
	    cmocka_unit_test(test_trace_go_refuses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
