#include "store/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t n)
{
	return rnd() % n;
}

/* Returns small numbers often, any number sometimes. */
static uint64_t odd_number(void)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return below(300);
	case 2:
		return UINT64_MAX - below(3);
	default:
		return rnd() >> below(64);
	}
}

/* ---- sequences of events ---- */

typedef void (*make_fn)(struct tp_event *ev, size_t n);

/* Events as of a scheduler: goroutines wake each other, Ps run runnable ones. */
static void make_scheduler(struct tp_event *ev, size_t n)
{
	uint32_t on_m[8], p_of_m[8];
	int64_t ts = 1000000;

	memset(on_m, 0xff, sizeof(on_m));
	for (uint32_t m = 0; m < 8; m++)
		p_of_m[m] = m % 4;
	for (size_t i = 0; i < n; i++) {
		uint32_t m = (uint32_t)(below(9) ? i / 5 % 8 : below(8));
		struct tp_event *e = &ev[i];

		ts = below(5) ? (ts / 64 + 1 + (int64_t)below(400)) * 64 : ts + 1;
		*e = (struct tp_event){.ts = ts, .m = m, .p = p_of_m[m], .g = on_m[m]};
		if (on_m[m] == TP_NONE) {
			e->type = TP_EV_GO_START;
			e->subject = on_m[m] = (uint32_t)below(100);
			e->from = TP_ST_RUNNABLE;
			e->to = TP_ST_RUNNING;
		} else if (below(3)) {
			e->type = TP_EV_GO_UNBLOCK;
			e->subject = (uint32_t)below(100);
			e->stack = 7 + e->g;
			e->from = TP_ST_WAITING;
			e->to = TP_ST_RUNNABLE;
		} else {
			e->type = TP_EV_GO_BLOCK;
			e->subject = e->g;
			e->stack = 300 + e->g;
			e->str = e->g % 5;
			e->from = TP_ST_RUNNING;
			e->to = TP_ST_WAITING;
			on_m[m] = TP_NONE;
		}
	}
}

/* Every type, with all fields that its description names, and states of all kinds. */
static void make_every_type(struct tp_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t type = (uint8_t)(i % TP_NEVENT_TYPES);
		const struct tp_event_desc *d = &tp_event_descs[type];

		ev[i] = (struct tp_event){.ts = (int64_t)i * 17,
					  .type = type,
					  .m = (uint32_t)(i / 31 % 300),
					  .p = (uint32_t)(i / 31 % 200),
					  .g = (uint32_t)(i % 1000),
					  .subject = d->subject ? (uint32_t)(i % 77) : TP_NONE,
					  .stack = (uint32_t)(i * 7 % 50),
					  .str = d->str ? (uint32_t)(i % 9) : 0,
					  .str2 = d->str2 ? (uint32_t)(i % 33) : 0,
					  .from = (uint8_t)(i % TP_NSTATES),
					  .to = (uint8_t)(i / 3 % TP_NSTATES),
					  .flags = (uint8_t)(i % 4)};
		for (int a = 0; a < 3; a++)
			ev[i].arg[a] = d->arg[a] ? i * i << 20 * a : 0;
	}
}

/* Random events that no trace would have. */
static void make_anything(struct tp_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ev[i] = (struct tp_event){
		    .ts = (int64_t)odd_number(),
		    .g = (uint32_t)odd_number(),
		    .m = (uint32_t)odd_number(),
		    .p = (uint32_t)odd_number(),
		    .subject = (uint32_t)odd_number(),
		    .stack = (uint32_t)odd_number(),
		    .str = (uint32_t)odd_number(),
		    .str2 = (uint32_t)odd_number(),
		    .type = (uint8_t)(odd_number() % TP_NEVENT_TYPES),
		    .from = (uint8_t)(odd_number() % TP_NSTATES),
		    .to = (uint8_t)(odd_number() % TP_NSTATES),
		    .flags = (uint8_t)odd_number(),
		    .arg = {odd_number(), odd_number(), odd_number()},
		};
}

static void make_zeros(struct tp_event *ev, size_t n)
{
	memset(ev, 0, n * sizeof(*ev));
}

static void make_ones(struct tp_event *ev, size_t n)
{
	memset(ev, 0xff, n * sizeof(*ev));
	for (size_t i = 0; i < n; i++) { /* these are indices of tables */
		ev[i].type = TP_NEVENT_TYPES - 1;
		ev[i].from = ev[i].to = TP_NSTATES - 1;
	}
}

/* Distances of times around every limit of the code. */
static void make_times(struct tp_event *ev, size_t n)
{
	static const int64_t steps[] = {0,
					1,
					2,
					223,
					224,
					225,
					479,
					480,
					8158,
					8159,
					8160,
					INT32_MAX,
					INT64_C(1) << 32,
					INT64_MAX,
					INT64_MIN,
					-1,
					-64,
					64 * 223,
					64 * 8159};
	uint64_t ts = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t step = i < 400 ? 64 : steps[below(sizeof(steps) / sizeof(*steps))];

		ts += (uint64_t)step * (below(3) ? 1 : 64);
		ev[i] = (struct tp_event){.ts = (int64_t)ts};
	}
}

/* Times made of ticks as in go 1.21, and some that are not. */
#define TICK 24.652382303918465

static void make_ticks(struct tp_event *ev, size_t n)
{
	int64_t ticks = 2293729, ts = 0;

	for (size_t i = 0; i < n; i++) {
		ticks += (int64_t)(below(50) ? below(200) : below(3000000));
		ts = below(7) ? (int64_t)((double)ticks * TICK) : ts + (int64_t)below(3);
		if (!below(500))
			ts = (int64_t)odd_number();
		ev[i] = (struct tp_event){.ts = ts,
					  .type = TP_EV_GO_START,
					  .g = (uint32_t)i % 3,
					  .subject = (uint32_t)i % 3};
	}
}

static const struct {
	const char *name;
	make_fn make;
} makes[] = {
    {"scheduler", make_scheduler}, {"every type", make_every_type},
    {"anything", make_anything},   {"zeros", make_zeros},
    {"ones", make_ones},	   {"times", make_times},
    {"ticks", make_ticks},
};

/* ---- tests ---- */

static void encode(struct tp_block_encoder *e, struct tp_buf *out, const struct tp_event *ev,
		   size_t n, int64_t start)
{
	size_t raw;

	/* Adds them in batches of any size, which must not matter. */
	for (size_t i = 0; i < n;) {
		size_t k = 1 + (size_t)below(2000);

		k = k < n - i ? k : n - i;
		tp_block_add(e, ev + i, k, start);
		i += k;
	}
	assert_int_equal(tp_block_finish(e, out, &raw), 0);
}

/* Checks that every column decoded alone equals that of all columns together. */
static void check_columns(struct tp_block_decoder *d, const struct tp_buf *b,
			  const struct tp_event *all, size_t n)
{
	for (unsigned c = 0; c < 15; c++) {
		struct tp_err err;

		assert_int_equal(tp_block_decode(d, b->data, b->size, (int64_t)n, 1u << c, &err),
				 0);
		assert_int_equal(d->n, n);
		assert_true(d->columns & 1u << c);
		for (size_t i = 0; i < n; i++) {
			const uint64_t want[] = {(uint64_t)all[i].ts,
						 all[i].type,
						 all[i].m,
						 all[i].p,
						 all[i].g,
						 all[i].subject,
						 all[i].stack,
						 all[i].str,
						 all[i].str2,
						 all[i].from,
						 all[i].to,
						 all[i].flags,
						 all[i].arg[0],
						 all[i].arg[1],
						 all[i].arg[2]};
			uint64_t got = c == 0	 ? (uint64_t)d->ts[i]
				       : c == 1	 ? d->type[i]
				       : c == 2	 ? d->m[i]
				       : c == 3	 ? d->p[i]
				       : c == 4	 ? d->g[i]
				       : c == 5	 ? d->subject[i]
				       : c == 6	 ? d->stack[i]
				       : c == 7	 ? d->str[i]
				       : c == 8	 ? d->str2[i]
				       : c == 9	 ? d->from[i]
				       : c == 10 ? d->to[i]
				       : c == 11 ? d->flags[i]
						 : d->arg[c - 12][i];

			if (got != want[c])
				fail_msg("column %u of event %zu", c, i);
		}
	}
}

/* Changes of states, of everything and of goroutines with an even number below 128, are picked from all events. */
static void check_changes(const struct tp_block_decoder *d, const struct tp_event *ev, size_t n,
			  struct tp_event *back)
{
	const uint64_t even[2] = {0x5555555555555555, 0x5555555555555555};

	for (int some = 0; some < 2; some++) {
		uint32_t kept = tp_block_changes(d, some ? even : NULL, 128, back), k = 0;

		for (size_t i = 0; i < n; i++) {
			bool of_g = ev[i].subject < 128 && ev[i].subject % 2 == 0 &&
				    tp_event_descs[ev[i].type].subject == 'G';
			struct tp_event one = ev[i];

			if (i && i + 1 < n && one.type != TP_EV_SYNC &&
			    (one.from == one.to || (some && !of_g)))
				continue;
			one.str2 = 0;
			memset(one.arg, 0, sizeof(one.arg));
			assert_true(k < kept);
			assert_memory_equal(&one, &back[k++], sizeof(one));
		}
		assert_int_equal(k, kept);
	}
}

static void round_trip(make_fn make, size_t n, enum tp_codec codec, double tick)
{
	struct tp_event *ev = malloc(n * sizeof(*ev)), *back = malloc(n * sizeof(*ev));
	struct tp_block_encoder *e = tp_block_encoder_new(codec);
	struct tp_block_decoder *d = tp_block_decoder_new();
	struct tp_buf b = {0};
	struct tp_err err;

	assert_true(ev && back && e && d);
	tp_block_set_tick(e, tick);
	/* Two blocks with one encoder and decoder: the first must not affect the second. */
	for (int block = 0; block < 2; block++) {
		int64_t start = block ? -5 : 1377237268096;

		make(ev, n);
		b.size = 0;
		encode(e, &b, ev, n, start);
		assert_int_equal(tp_block_decode(d, b.data, b.size, (int64_t)n, TP_BC_ALL, &err),
				 0);
		assert_int_equal(d->n, n);
		tp_block_events(d, back);
		for (size_t i = 0; i < n; i++) {
			ev[i].ts = (int64_t)((uint64_t)ev[i].ts - (uint64_t)start);
			if (memcmp(&ev[i], &back[i], sizeof(*ev)))
				fail_msg("event %zu of %zu", i, n);
		}
		check_changes(d, ev, n, back);
		check_columns(d, &b, ev, n);
	}
	tp_buf_release(&b);
	tp_block_encoder_free(e);
	tp_block_decoder_free(d);
	free(ev);
	free(back);
}

static void test_block_round_trip(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 1000, TP_BLOCK_EVENTS};

	(void)state;
	seed = 42;
	for (size_t m = 0; m < sizeof(makes) / sizeof(*makes); m++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (enum tp_codec codec = TP_CODEC_NONE; codec <= TP_CODEC_ZSTD; codec++)
				for (int tick = 0; tick < 2; tick++)
					round_trip(makes[m].make, sizes[s], codec, tick * TICK);
}

/* A scheduler's events take few bytes, which is the purpose of the codec. */
static void test_block_size_scheduler(void **state)
{
	struct tp_event *ev = malloc(TP_BLOCK_EVENTS * sizeof(*ev));
	struct tp_block_encoder *e = tp_block_encoder_new(TP_CODEC_LZ4);
	struct tp_buf b = {0};

	(void)state;
	seed = 7;
	assert_true(ev && e);
	make_scheduler(ev, TP_BLOCK_EVENTS);
	encode(e, &b, ev, TP_BLOCK_EVENTS, 0);
	/* The goroutine that is woken is random here: that costs nearly a byte, and its time
	 * another. */
	assert_true(b.size < TP_BLOCK_EVENTS * 4);
	tp_buf_release(&b);
	tp_block_encoder_free(e);
	free(ev);
}

/* Decodes bytes in memory of exactly their size, so that a sanitizer sees reads beyond. */
static void decode_bytes(struct tp_block_decoder *d, const uint8_t *data, size_t size, int64_t rows)
{
	uint8_t *copy = malloc(size ? size : 1);
	static struct tp_event out[TP_BLOCK_EVENTS];
	struct tp_err err;

	assert_non_null(copy);
	memcpy(copy, data, size);
	err.code = 0;
	if (tp_block_decode(d, copy, size, rows, TP_BC_ALL, &err)) {
		assert_true(err.code == TP_ESTORE || err.code == TP_EVERSION);
		assert_int_equal(d->n, 0);
	} else {
		assert_int_equal(d->n, rows);
		tp_block_events(d, out);
	}
	free(copy);
}

static void test_block_damaged_bytes(void **state)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};
	struct tp_event ev[120];
	struct tp_block_decoder *d = tp_block_decoder_new();

	(void)state;
	seed = 99;
	assert_non_null(d);
	for (size_t m = 0; m < sizeof(makes) / sizeof(*makes); m++)
		for (enum tp_codec codec = TP_CODEC_NONE; codec <= TP_CODEC_ZSTD; codec++) {
			struct tp_block_encoder *e = tp_block_encoder_new(codec);
			struct tp_buf b = {0};

			tp_block_set_tick(e, m % 2 ? TICK : 0);
			makes[m].make(ev, 120);
			encode(e, &b, ev, 120, 0);
			for (size_t i = 0; i < b.size; i++)
				for (size_t f = 0; f < sizeof(flips); f++) {
					b.data[i] ^= flips[f];
					decode_bytes(d, b.data, b.size, 120);
					b.data[i] ^= flips[f];
				}
			for (size_t i = 0; i < b.size; i++)
				decode_bytes(d, b.data, i, 120);
			decode_bytes(d, b.data, b.size, 119);
			decode_bytes(d, b.data, b.size, INT64_MIN);
			decode_bytes(d, b.data, b.size, INT64_MAX);
			tp_buf_release(&b);
			tp_block_encoder_free(e);
		}
	tp_block_decoder_free(d);
}

static void test_block_random_bytes(void **state)
{
	struct tp_block_decoder *d = tp_block_decoder_new();
	uint8_t bytes[400];

	(void)state;
	seed = 3;
	assert_non_null(d);
	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)below(sizeof(bytes));

		for (size_t j = 0; j < n; j++)
			bytes[j] = (uint8_t)(below(3) ? below(20) : rnd());
		if (n > 6) {
			bytes[0] = 0;
			bytes[1] = 1;
			bytes[2] = (uint8_t)(1 + below(30));
			bytes[5] = 12;
		}
		decode_bytes(d, bytes, n, n > 6 ? bytes[2] : 1);
	}
	tp_block_decoder_free(d);
}

/* Times that are encoded as ticks take a byte or two, not three or more. */
static void test_block_size_ticks(void **state)
{
	static const double ticks[] = {TICK, 0, -1, 1e300};
	struct tp_event *ev = malloc(TP_BLOCK_EVENTS * sizeof(*ev));
	size_t sizes[4];

	(void)state;
	assert_non_null(ev);
	for (int i = 0; i < 4; i++) {
		struct tp_block_encoder *e = tp_block_encoder_new(TP_CODEC_NONE);
		struct tp_buf b = {0};

		seed = 8;
		make_ticks(ev, TP_BLOCK_EVENTS);
		tp_block_set_tick(e, ticks[i]);
		encode(e, &b, ev, TP_BLOCK_EVENTS, 17);
		sizes[i] = b.size;
		tp_buf_release(&b);
		tp_block_encoder_free(e);
	}
	assert_true(sizes[0] + TP_BLOCK_EVENTS / 2 < sizes[1]);
	assert_int_equal(sizes[1], sizes[2]);
	assert_int_equal(sizes[1], sizes[3]);
	free(ev);
}

static void test_block_newer_version(void **state)
{
	struct tp_block_decoder *d = tp_block_decoder_new();
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_block_decode(d, "\1\2\1\0\1\14", 6, 1, TP_BC_ALL, &err), TP_EVERSION);
	tp_block_decoder_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_block_round_trip),	cmocka_unit_test(test_block_size_scheduler),
	    cmocka_unit_test(test_block_damaged_bytes), cmocka_unit_test(test_block_random_bytes),
	    cmocka_unit_test(test_block_size_ticks),	cmocka_unit_test(test_block_newer_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
