/* Reads the encoder's output with our own strict reader. The trace has several Ms: each runs its
 * goroutine on its P, which repeatedly blocks and is woken by the next one. */
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
#include "decode/v2/encode.h"
#include "order/read.h"

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static uint32_t string(struct tp_dict *d, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(d, text, strlen(text), &id), 0);
	return id;
}

/* A frame at a PC on top of a stack. */
static uint32_t call(struct tp_dict *d, uint32_t stack, uint64_t pc, const char *name, int64_t line)
{
	struct tp_function function = {.name = string(d, name), .file = string(d, "story.c")};
	struct tp_frame frame = {.line = line};
	uint32_t id;

	assert_int_equal(tp_dict_function(d, &function, &frame.function), 0);
	assert_int_equal(tp_dict_location(d, &(struct tp_location){.address = pc}, &frame.location),
			 0);
	assert_int_equal(tp_dict_frame(d, &frame, &id), 0);
	assert_int_equal(tp_dict_stack(d, stack, id, &stack), 0);
	return stack;
}

struct story {
	struct tp_dict *dict;
	struct tp_v2_encoder *e;
	struct tp_buf bytes;
	struct tp_err err;
	uint64_t ts;
	uint32_t wait, blocked, woken; /* a string and two stacks */
	uint64_t events;
};

static void put(struct story *s, uint64_t m, enum tp_v2_wire type, uint64_t a, uint64_t b,
		uint64_t c)
{
	assert_int_equal(tp_v2_encode_event(s->e, m, s->ts++, type, (uint64_t[]){a, b, c}, &s->err),
			 0);
	s->events++;
}

/* A generation in which `ms` goroutines block and wake each other `rounds` times. */
static void generation(struct story *s, uint64_t ms, uint64_t rounds)
{
	struct tp_v2_clock clock = {.ts = s->ts++, .mono_ns = 5, .wall_sec = 1700000000};

	assert_int_equal(tp_v2_encode_generation(s->e, &clock, &s->err), 0);
	for (uint64_t m = 0; m < ms; m++) {
		put(s, 100 + m, TP_V2_ProcStatus, m, 1, 0);
		put(s, 100 + m, TP_V2_GoStatus, m + 1, 100 + m, 2);
	}
	put(s, 100, TP_V2_ProcsChange, ms, 0, 0);
	for (uint64_t r = 0; r < rounds; r++) {
		for (uint64_t m = 0; m < ms; m++) {
			put(s, 100 + m, TP_V2_GoBlock, s->wait, s->blocked, 0);
			put(s, 100 + (m + 1) % ms, TP_V2_GoUnblock, m + 1, 2 * r + 1, s->woken);
			put(s, 100 + m, TP_V2_GoStart, m + 1, 2 * r + 2, 0);
		}
	}
}

static void tell(struct story *s, uint64_t ms, uint64_t rounds, int generations)
{
	struct tp_out out = {.write = collect, .ctx = &s->bytes};

	memset(s, 0, sizeof(*s));
	s->ts = 1000;
	s->dict = tp_dict_new();
	assert_non_null(s->dict);
	s->wait = string(s->dict, "chan receive");
	s->blocked = call(s->dict, call(s->dict, 0, 0x1000, "outer", 10), 0x1010, "wait", 20);
	/* inlined: two frames, one PC */
	s->woken = call(s->dict, call(s->dict, 0, 0x1000, "outer", 10), 0x1020, "send", 30);
	s->woken = call(s->dict, s->woken, 0x1020, "inlined", 31);
	assert_int_equal(tp_v2_encoder_new(&s->e, s->dict, &out, &s->err), 0);
	for (int g = 0; g < generations; g++)
		generation(s, ms, rounds);
	assert_int_equal(tp_v2_encode_finish(s->e, &s->err), 0);
	tp_v2_encoder_free(s->e);
	if (getenv("TPROF_KEEP_STORY")) {
		FILE *f = fopen(getenv("TPROF_KEEP_STORY"), "wb");

		assert_non_null(f);
		fwrite(s->bytes.data, 1, s->bytes.size, f);
		fclose(f);
	}
}

static void forget(struct story *s)
{
	tp_dict_free(s->dict);
	tp_buf_release(&s->bytes);
}

/* The reader's results. */
struct found {
	struct tp_trace trace;
	uint64_t blocks, unblocks;
	bool stacks_right;
};

static bool frame_is(const struct tp_dict *d, uint32_t node, const char *name, int64_t line)
{
	struct tp_frame f = tp_dict_frame_at(d, tp_dict_stack_at(d, node).frame);

	return f.line == line &&
	       !strcmp(tp_dict_text(d, tp_dict_function_at(d, f.function).name).text, name);
}

static int look(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct found *f = ctx;
	const struct tp_dict *d = f->trace.dict;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		if ((ev[i].type != TP_EV_GO_BLOCK && ev[i].type != TP_EV_GO_UNBLOCK) ||
		    !ev[i].stack)
			continue;
		if (frame_is(d, ev[i].stack, "wait", 20)) {
			f->blocks++;
		} else {
			uint32_t up = tp_dict_stack_at(d, ev[i].stack).parent;

			f->unblocks++;
			f->stacks_right &=
			    frame_is(d, ev[i].stack, "inlined", 31) && frame_is(d, up, "send", 30);
		}
	}
	return 0;
}

static void read_back(struct story *s, struct found *f)
{
	struct tp_trace_options strict = {.strict = true};
	struct tp_sink sink = {.events = look, .ctx = f};
	struct tp_input *in;

	memset(f, 0, sizeof(*f));
	f->stacks_right = true;
	assert_int_equal(tp_input_from_memory(&in, s->bytes.data, s->bytes.size, &s->err), 0);
	if (tp_trace_read(in, &strict, &f->trace, &sink, &s->err))
		fail_msg("%s", s->err.msg);
	tp_input_close(in);
}

static void test_encode_read_back(void **state)
{
	static const struct {
		uint64_t ms, rounds;
		int generations;
	} cases[] = {{1, 0, 1}, {2, 1, 1}, {3, 5, 2}, {40, 200, 3}, {2, 9000, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t turns = cases[i].ms * cases[i].rounds * (uint64_t)cases[i].generations;
		struct story s;
		struct found f;

		tell(&s, cases[i].ms, cases[i].rounds, cases[i].generations);
		read_back(&s, &f);
		assert_int_equal(f.trace.generations, cases[i].generations);
		assert_int_equal(f.blocks, turns);
		assert_int_equal(f.unblocks, turns);
		assert_true(f.stacks_right);
		assert_int_equal(f.trace.ng, cases[i].ms);
		assert_int_equal(f.trace.nm, cases[i].ms);
		assert_int_equal(f.trace.nclocks, cases[i].generations);
		assert_int_equal(f.trace.nlosses, 0);
		tp_trace_release(&f.trace);
		forget(&s);
	}
}

static int swallow(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	(void)data;
	(void)size;
	(void)err;
	return 0;
}

/* Ids that are not in the dictionary, which a damaged store may contain, are written as empty. */
static void test_encode_unknown_ids(void **state)
{
	static const uint64_t ids[] = {1000, UINT32_MAX / 2 + 1, UINT32_MAX, UINT64_MAX};
	struct tp_dict *dict = tp_dict_new();
	struct tp_out out = {.write = swallow};
	struct tp_v2_clock clock = {.ts = 1};
	struct tp_v2_encoder *e;

	(void)state;
	assert_non_null(dict);
	assert_int_equal(tp_v2_encoder_new(&e, dict, &out, NULL), 0);
	assert_int_equal(tp_v2_encode_generation(e, &clock, NULL), 0);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(tp_v2_encode_event(e, 1, 2 + i, TP_V2_GoBlock,
						    (uint64_t[]){ids[i], ids[i]}, NULL),
				 0);
		assert_int_equal(tp_v2_encode_sample(e, 2 + i, 1, 1, 1, (uint32_t)ids[i], NULL), 0);
	}
	assert_int_equal(tp_v2_encode_finish(e, NULL), 0);
	tp_v2_encoder_free(e);
	tp_dict_free(dict);
}

/* On a full disk the writer's error is returned, whichever write fails. */
struct disk {
	size_t left;
};

static int fill(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct disk *d = ctx;

	(void)data;
	if (size > d->left)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full");
	d->left -= size;
	return 0;
}

static void test_encode_full_disk(void **state)
{
	struct tp_dict *dict = tp_dict_new();

	(void)state;
	assert_non_null(dict);
	for (size_t room = 0; room < 200; room++) {
		struct disk disk = {room};
		struct tp_out out = {.write = fill, .ctx = &disk};
		struct tp_v2_clock clock = {.ts = 1};
		struct tp_v2_encoder *e;
		struct tp_err err;
		int code = tp_v2_encoder_new(&e, dict, &out, &err);

		if (!code)
			code = tp_v2_encode_generation(e, &clock, &err);
		if (!code)
			code =
			    tp_v2_encode_event(e, 1, 2, TP_V2_ProcStatus, (uint64_t[]){0, 1}, &err);
		if (!code)
			code = tp_v2_encode_finish(e, &err);
		assert_true(code == 0 || code == TP_EIO);
		assert_true(code == 0 || room < 150);
		tp_v2_encoder_free(e);
	}
	tp_dict_free(dict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encode_read_back),
	    cmocka_unit_test(test_encode_full_disk),
	    cmocka_unit_test(test_encode_unknown_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
