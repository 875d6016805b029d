#include "order/cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "order/trace.h"

/* A trace with something in every list. */
static void fill(struct tp_trace *t)
{
	struct tp_cut *c = calloc(1, sizeof(*c));
	struct tp_loss loss = {.offset = 7, .from_ns = INT64_MIN, .to_ns = 9, .reason = "a reason"};
	struct tp_clock clock = {-5, 6, 7, 999999999};

	*t = (struct tp_trace){.version = 26,
			       .ns_per_tick = 0.25,
			       .started = true,
			       .first_ts = -3,
			       .last_ts = INT64_MAX,
			       .events = 12,
			       .generations = 2};
	assert_non_null(c);
	t->cut = c;
	c->first = 2;
	c->last = 3;
	c->of = 5;
	memset(c->dump, 0xab, sizeof(c->dump));
	c->file_time_ns = 1234567890;
	c->ns_per_tick = 0.5;
	c->gc_begun = c->gc_by_user = c->broken = true;
	c->gc_seq = UINT64_MAX;
	assert_int_equal(tp_cut_heard(c, 40), 0);
	c->before.last_ts = 77;
	c->before.g = calloc(2, sizeof(*c->before.g));
	c->before.m = calloc(1, sizeof(*c->before.m));
	c->before.p = calloc(1, sizeof(*c->before.p));
	c->before.stw = calloc(1, sizeof(*c->before.stw));
	assert_true(c->before.g && c->before.m && c->before.p && c->before.stw);
	c->before.g[0] = (struct tp_seam_g){1, 1, 2, TP_SEAM_ALIVE | TP_SEAM_BUSY};
	c->before.g[1] = (struct tp_seam_g){UINT64_MAX - 1, 0, 0, 0};
	c->before.ng = 2;
	c->before.m[0] = (struct tp_seam_m){9, UINT64_MAX, 3, 0, TP_SEAM_ALIVE};
	c->before.p[0] = (struct tp_seam_p){0, 0, 1, TP_SEAM_ALIVE};
	c->before.stw[0] = (struct tp_seam_stw){1, 17};
	c->before.nm = c->before.np = c->before.nstw = 1;
	c->after.gc = 2;
	assert_int_equal(tp_trace_new_g(t, UINT64_MAX - 1), 0);
	assert_int_equal(tp_trace_new_g(t, 1), 1);
	assert_int_equal(tp_trace_new_m(t, 9), 0);
	assert_int_equal(tp_trace_new_p(t, 0), 0);
	assert_int_equal(tp_trace_add_clock(t, &clock), 0);
	assert_int_equal(tp_trace_add_loss(t, &loss), 0);
	assert_int_equal(tp_trace_add_notice(t, TP_DAMAGE, TP_OFFSET_NONE, "a notice"), 0);
	assert_int_equal(tp_trace_count_wire(t, "GoStart", 1, 2, 3), 0);
}

static void test_cut_get_gives_back_what_was_put(void **state)
{
	struct tp_buf once = {0}, again = {0};
	struct tp_trace t, back = {0};
	struct tp_cut peek;
	struct tp_err err;

	(void)state;
	fill(&t);
	assert_int_equal(tp_cut_put(&t, &once), 0);
	assert_int_equal(tp_cut_get(once.data, once.size, &back, &err), 0);
	assert_int_equal(back.cut->of, 5);
	assert_int_equal(back.cut->before.g[1].id, UINT64_MAX - 1);
	assert_int_equal(back.cut->before.m[0].g, UINT64_MAX);
	assert_int_equal(back.g_id[1], 1);
	assert_int_equal(back.losses[0].from_ns, INT64_MIN);
	assert_string_equal(back.notices[0].text, "a notice");
	assert_int_equal(tp_cut_put(&back, &again), 0);
	assert_int_equal(once.size, again.size);
	assert_memory_equal(once.data, again.data, once.size);
	assert_int_equal(tp_cut_peek(once.data, once.size, &peek, &err), 0);
	assert_int_equal(peek.last, 3);
	assert_memory_equal(peek.dump, t.cut->dump, sizeof(peek.dump));
	tp_trace_release(&t);
	tp_trace_release(&back);
	tp_buf_release(&once);
	tp_buf_release(&again);
}

static void test_cut_get_refuses_what_is_cut_off(void **state)
{
	struct tp_buf bytes = {0};
	struct tp_trace t;
	struct tp_err err;

	(void)state;
	fill(&t);
	assert_int_equal(tp_cut_put(&t, &bytes), 0);
	tp_trace_release(&t);
	assert_int_equal(tp_buf_put(&bytes, "", 1), 0);
	for (size_t size = 0; size <= bytes.size; size++) {
		struct tp_trace back = {0};
		int code = tp_cut_get(bytes.data, size, &back, &err);

		assert_int_equal(code, size == bytes.size - 1 ? 0 : TP_ESTORE);
		tp_trace_release(&back);
	}
	tp_buf_release(&bytes);
}

/* Every byte any other: it may say something else, but lists are in order and fit what is there. */
static void test_cut_get_survives_damage(void **state)
{
	struct tp_buf bytes = {0};
	struct tp_trace t;
	struct tp_err err;

	(void)state;
	fill(&t);
	assert_int_equal(tp_cut_put(&t, &bytes), 0);
	tp_trace_release(&t);
	for (size_t i = 0; i < bytes.size; i++) {
		uint8_t was = bytes.data[i];

		for (unsigned v = 0; v < 256; v++) {
			struct tp_trace back = {0};

			bytes.data[i] = (uint8_t)v;
			if (!tp_cut_get(bytes.data, bytes.size, &back, &err)) {
				const struct tp_seam *s = &back.cut->before;

				for (size_t k = 1; k < s->ng; k++)
					assert_true(s->g[k].id > s->g[k - 1].id);
				assert_true(back.cut->first <= back.cut->last);
			}
			tp_trace_release(&back);
		}
		bytes.data[i] = was;
	}
	tp_buf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut_get_gives_back_what_was_put),
	    cmocka_unit_test(test_cut_get_refuses_what_is_cut_off),
	    cmocka_unit_test(test_cut_get_survives_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
