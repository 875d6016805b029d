/* Traces of go 1.5 from the encoder: a short one compared byte by byte with the format, and a
 * longer one read back strictly. */
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
#include "decode/v1/encode.h"
#include "order/read.h"

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static void begin(struct tp_v1_encoder **e, struct tp_buf *bytes)
{
	struct tp_out out = {.write = collect, .ctx = bytes};
	struct tp_err err;

	memset(bytes, 0, sizeof(*bytes));
	assert_int_equal(tp_v1_encoder_new(e, &out, &err), 0);
}

static void put(struct tp_v1_encoder *e, int32_t p, struct tp_v1_event ev)
{
	struct tp_err err;

	assert_int_equal(tp_v1_encode_event(e, p, &ev, &err), 0);
}

static void test_encode_frames(void **state)
{
	static const uint8_t expected[] = {
	    'g', 'o', ' ', '1', '.', '5', ' ', 't', 'r', 'a', 'c', 'e', 0, 0, 0, 0,
	    /* P 0: Batch with P, seq, ticks; the first event's differences are 0 */
	    1 | 1 << 6, 0, 8, 200, 1, 5 | 1 << 6, 0, 0, 3,
	    /* three arguments with the stack: a length follows */
	    13 | 3 << 6, 6, 1, 10, 5, 0x80, 0x20, 1,
	    /* without a P: 2^64 - 1 */
	    1 | 1 << 6, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 7, 190, 1, 31 | 1 << 6, 0,
	    0, 9,
	    /* Stack: a length, id, number, PCs */
	    3 | 3 << 6, 5, 1, 2, 0x80, 0x20, 7,
	    /* Frequency, TimerGoroutine */
	    2, 0xe8, 0x07, 0, 35, 4, 0};
	struct tp_v1_encoder *e;
	struct tp_buf bytes;
	struct tp_err err;
	uint32_t stack, again;

	(void)state;
	begin(&e, &bytes);
	put(e, TP_V1_NO_P,
	    (struct tp_v1_event){
		.type = TP_V1_GO_WAITING, .seq = 7, .ticks = 190, .args = {9}, .nargs = 1});
	put(e, 0,
	    (struct tp_v1_event){
		.type = TP_V1_PROC_START, .seq = 8, .ticks = 200, .args = {3}, .nargs = 1});
	assert_int_equal(tp_v1_encode_stack(e, (uint64_t[]){0x1000, 7}, 2, &stack, &err), 0);
	assert_int_equal(tp_v1_encode_stack(e, (uint64_t[]){0x1000, 7}, 2, &again, &err), 0);
	assert_int_equal(stack, again);
	put(e, 0,
	    (struct tp_v1_event){.type = TP_V1_GO_CREATE,
				 .seq = 9,
				 .ticks = 210,
				 .args = {5, 0x1000},
				 .nargs = 2,
				 .has_stack = true,
				 .stack = stack});
	assert_int_equal(tp_v1_encode_finish(e, 1000, 4, &err), 0);
	assert_int_equal(bytes.size, sizeof(expected));
	assert_memory_equal(bytes.data, expected, sizeof(expected));
	tp_v1_encoder_free(e);
	tp_buf_release(&bytes);
}

/* Two Ps whose goroutines wake each other, long enough for many buffers. */
#define ROUNDS 20000

static void story(struct tp_buf *bytes)
{
	struct tp_v1_encoder *e;
	struct tp_err err;
	uint64_t seq = 1, ticks = 1000;
	uint32_t blocked;

	begin(&e, bytes);
	assert_int_equal(tp_v1_encode_stack(e, (uint64_t[]){0x1010, 0x1000}, 2, &blocked, &err), 0);
	for (uint64_t g = 1; g <= 2; g++)
		put(e, TP_V1_NO_P,
		    (struct tp_v1_event){.type = TP_V1_GO_CREATE,
					 .seq = seq++,
					 .ticks = ticks++,
					 .args = {g, 0x1000},
					 .nargs = 2,
					 .has_stack = true});
	for (int32_t p = 0; p < 2; p++) {
		put(e, p,
		    (struct tp_v1_event){.type = TP_V1_PROC_START,
					 .seq = seq++,
					 .ticks = ticks++,
					 .args = {(uint64_t)p + 100},
					 .nargs = 1});
		put(e, p,
		    (struct tp_v1_event){.type = TP_V1_GO_START,
					 .seq = seq++,
					 .ticks = ticks++,
					 .args = {(uint64_t)p + 1},
					 .nargs = 1});
	}
	for (int r = 0; r < ROUNDS; r++) {
		int32_t p = r % 2;

		put(e, p,
		    (struct tp_v1_event){.type = TP_V1_GO_BLOCK_SYNC,
					 .seq = seq++,
					 .ticks = ticks,
					 .has_stack = true,
					 .stack = blocked});
		put(e, 1 - p,
		    (struct tp_v1_event){.type = TP_V1_GO_UNBLOCK,
					 .seq = seq++,
					 .ticks = ticks += 7,
					 .args = {(uint64_t)p + 1},
					 .nargs = 1,
					 .has_stack = true,
					 .stack = blocked});
		put(e, p,
		    (struct tp_v1_event){.type = TP_V1_GO_START,
					 .seq = seq++,
					 .ticks = ticks += 3,
					 .args = {(uint64_t)p + 1},
					 .nargs = 1});
	}
	assert_int_equal(tp_v1_encode_finish(e, 1000000000, 0, &err), 0);
	tp_v1_encoder_free(e);
	if (getenv("TPROF_KEEP_STORY")) {
		FILE *f = fopen(getenv("TPROF_KEEP_STORY"), "wb");

		assert_non_null(f);
		fwrite(bytes->data, 1, bytes->size, f);
		fclose(f);
	}
}

struct found {
	struct tp_trace trace;
	uint64_t blocks;
	bool stacks_right;
};

static int look(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct found *f = ctx;
	const struct tp_dict *d = f->trace.dict;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct tp_stack_node s;
		struct tp_frame frame;

		if (ev[i].type != TP_EV_GO_BLOCK)
			continue;
		s = tp_dict_stack_at(d, ev[i].stack);
		frame = tp_dict_frame_at(d, s.frame);
		f->blocks++;
		f->stacks_right &=
		    s.depth == 2 && tp_dict_location_at(d, frame.location).address == 0x1010;
	}
	return 0;
}

static void test_encode_read_back(void **state)
{
	struct tp_trace_options strict = {.strict = true};
	struct found f = {.stacks_right = true};
	struct tp_sink sink = {.events = look, .ctx = &f};
	struct tp_buf bytes;
	struct tp_input *in;
	struct tp_err err;

	(void)state;
	story(&bytes);
	assert_int_equal(tp_input_from_memory(&in, bytes.data, bytes.size, &err), 0);
	if (tp_trace_read(in, &strict, &f.trace, &sink, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(f.trace.version, 5);
	assert_int_equal(f.trace.ng, 2);
	assert_int_equal(f.blocks, ROUNDS);
	assert_true(f.stacks_right);
	assert_int_equal(f.trace.nlosses, 0);
	tp_trace_release(&f.trace);
	tp_input_close(in);
	tp_buf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encode_frames),
	    cmocka_unit_test(test_encode_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
