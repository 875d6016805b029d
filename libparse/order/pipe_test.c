#include "order/pipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#define BATCHES 400

struct count {
	uint64_t events, sum;
	uint64_t fail_at; /* event number at which to fail, 0 never */
	useconds_t pause;
};

static int count_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct count *c = ctx;

	if (c->pause)
		usleep(c->pause);
	for (size_t i = 0; i < n; i++) {
		/* In order, without repetitions or gaps. */
		if (ev[i].ts != (int64_t)c->events)
			return tp_err_set(err, TP_EFORMAT, 0, "event %lld at %llu",
					  (long long)ev[i].ts, (unsigned long long)c->events);
		c->sum += ev[i].arg[0];
		if (++c->events == c->fail_at)
			return tp_err_set(err, TP_EIO, 7, "planned");
	}
	return 0;
}

/* Produces BATCHES batches of differing sizes; returns the result of the last publish. */
static int produce(struct tp_sink sink, bool in_place, uint64_t *events, struct tp_err *err)
{
	static struct tp_event own[TP_BATCH_EVENTS];
	int code = 0;

	*events = 0;
	for (size_t b = 0; b < BATCHES && !code; b++) {
		struct tp_event *ev = in_place ? sink.room(sink.ctx) : own;
		size_t n = 1 + b * 37 % TP_BATCH_EVENTS;

		for (size_t i = 0; i < n; i++)
			ev[i] = (struct tp_event){.ts = (int64_t)(*events)++, .arg = {i}};
		code = sink.events(sink.ctx, ev, n, err);
	}
	return code;
}

static void run_pipe(bool in_place, useconds_t pause, size_t threads)
{
	struct count a = {.pause = pause}, b = {0};
	struct tp_sink to[] = {{.events = count_events, .ctx = &a},
			       {.events = count_events, .ctx = &b}};
	struct tp_pipe *pipe;
	struct tp_err err;
	uint64_t events;

	assert_int_equal(tp_pipe_new(&pipe, to, 2, threads, &err), 0);
	assert_int_equal(produce(tp_pipe_sink(pipe), in_place, &events, &err), 0);
	assert_int_equal(tp_pipe_finish(pipe, &err), 0);
	tp_pipe_free(pipe);
	assert_int_equal(a.events, events);
	assert_int_equal(b.events, events);
	assert_int_equal(a.sum, b.sum);
}

static void test_pipe_in_place(void **state)
{
	(void)state;
	for (size_t threads = 0; threads <= 2; threads++)
		run_pipe(true, 0, threads);
}

static void test_pipe_copied_slow_consumer(void **state)
{
	(void)state;
	for (size_t threads = 0; threads <= 2; threads++)
		run_pipe(false, 200, threads);
}

static void test_pipe_consumer_fails(void **state)
{
	struct count a = {.fail_at = 5000}, b = {0};
	struct tp_sink to[] = {{.events = count_events, .ctx = &a},
			       {.events = count_events, .ctx = &b}};
	struct tp_pipe *pipe;
	struct tp_err err = {0};
	uint64_t events;

	(void)state;
	assert_int_equal(tp_pipe_new(&pipe, to, 2, 2, &err), 0);
	produce(tp_pipe_sink(pipe), true, &events, &err);
	assert_int_equal(tp_pipe_finish(pipe, &err), TP_EIO);
	assert_string_equal(err.msg, "planned");
	assert_int_equal(a.events, 5000);
	tp_pipe_free(pipe);
}

static void test_pipe_nothing_published(void **state)
{
	struct count a = {0};
	struct tp_sink to[] = {{.events = count_events, .ctx = &a}};
	struct tp_pipe *pipe;

	(void)state;
	assert_int_equal(tp_pipe_new(&pipe, to, 1, 1, NULL), 0);
	tp_pipe_free(pipe);
	assert_int_equal(a.events, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pipe_in_place),
	    cmocka_unit_test(test_pipe_copied_slow_consumer),
	    cmocka_unit_test(test_pipe_consumer_fails),
	    cmocka_unit_test(test_pipe_nothing_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
