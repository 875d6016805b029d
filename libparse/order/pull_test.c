#include "order/pull.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/many.h"

static const char *const dumps[] = {
    "testdata/checkout.trace",	    "testdata/checkout-cut.trace",
    "testdata/checkout-1.19.trace", "testdata/checkout-1.19-cut.trace",
    "testdata/counter-1.5.trace",
};

/* All events of a read, as a sum over their bytes. */
struct sum {
	uint64_t events, bytes;
};

static int add(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct sum *sum = ctx;
	const uint8_t *byte = (const uint8_t *)ev;

	(void)err;
	sum->events += n;
	for (size_t i = 0; i < n * sizeof(*ev); i++)
		sum->bytes = sum->bytes * 31 + byte[i];
	return 0;
}

static struct tp_input *open_dump(const char *path)
{
	static const struct tp_input_options how;
	struct tp_input *in;

	assert_int_equal(tp_input_open(&in, path, &how, NULL, NULL), 0);
	return in;
}

/* Pushing and pulling give the same events, losses and error, in strict mode and otherwise. */
static void compare(const char *path, bool strict)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_input *in = open_dump(path);
	struct sum pushed = {0}, pulled = {0};
	struct tp_sink sink = {.events = add, .ctx = &pushed};
	struct tp_trace a, b;
	struct tp_err a_err = {0}, b_err = {0};
	const struct tp_event *ev;
	struct tp_pull *pull;
	size_t n;
	int a_code = tp_trace_read(in, &opt, &a, &sink, &a_err), code;

	assert_int_equal(tp_pull_new(&pull, in, &opt, &b, &b_err), 0);
	while ((code = tp_pull_next(pull, &ev, &n, &b_err)) == 1) {
		assert_true(ev[n - 1].stack < tp_dict_stacks(b.dict));
		add(&pulled, ev, n, NULL);
	}
	assert_int_equal(code, a_code);
	assert_int_equal(tp_pull_next(pull, &ev, &n, &b_err), a_code);
	assert_int_equal(n, 0);
	assert_string_equal(a_err.msg, b_err.msg);
	assert_int_equal(pushed.events, pulled.events);
	assert_int_equal(pushed.bytes, pulled.bytes);
	assert_int_equal(a.nlosses, b.nlosses);
	tp_pull_free(pull);
	tp_trace_release(&a);
	tp_trace_release(&b);
	tp_input_close(in);
}

static void test_pull_as_push(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(dumps); i++) {
		compare(dumps[i], false);
		compare(dumps[i], true);
	}
}

static void test_pull_freed_early(void **state)
{
	struct tp_trace_options opt = {0};
	struct tp_input *in = open_dump(dumps[0]);

	(void)state;
	for (int batches = 0; batches < 3; batches++) {
		struct tp_trace trace = {0};
		const struct tp_event *ev;
		struct tp_pull *pull;
		size_t n;

		assert_int_equal(tp_pull_new(&pull, in, &opt, &trace, NULL), 0);
		for (int i = 0; i < batches; i++)
			assert_int_equal(tp_pull_next(pull, &ev, &n, NULL), 1);
		tp_pull_free(pull);
		tp_trace_release(&trace);
	}
	tp_pull_free(NULL);
	tp_input_close(in);
}

static int stop_at_once(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx, (void)done, (void)total;
	return 1;
}

static void test_pull_cancelled(void **state)
{
	struct tp_trace_options opt = {.progress = stop_at_once};
	struct tp_input *in = open_dump(dumps[0]);
	struct tp_trace trace = {0};
	const struct tp_event *ev;
	struct tp_pull *pull;
	size_t n;
	int code;

	(void)state;
	assert_int_equal(tp_pull_new(&pull, in, &opt, &trace, NULL), 0);
	while ((code = tp_pull_next(pull, &ev, &n, NULL)) == 1)
		continue;
	assert_int_equal(code, TP_ECANCEL);
	tp_pull_free(pull);
	tp_trace_release(&trace);
	tp_input_close(in);
}

static void *read_and_be_cancelled(void *arg)
{
	const struct tp_event *ev;
	struct tp_err err;
	size_t n;

	pthread_cancel(pthread_self());
	tp_pull_next(arg, &ev, &n, &err);
	return NULL;
}

/* A cancelled caller does not leave the lock held: freeing would then wait for ever. */
static void test_pull_caller_cancelled(void **state)
{
	struct tp_trace_options opt = {.strict = false};
	struct tp_input *in = open_dump(dumps[0]);
	struct tp_trace trace;
	struct tp_pull *pull;
	struct tp_err err;
	pthread_t thread;

	(void)state;
	assert_int_equal(tp_pull_new(&pull, in, &opt, &trace, &err), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_and_be_cancelled, pull), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	tp_pull_free(pull);
	tp_trace_release(&trace);
	tp_input_close(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pull_as_push),
	    cmocka_unit_test(test_pull_freed_early),
	    cmocka_unit_test(test_pull_cancelled),
	    cmocka_unit_test(test_pull_caller_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
