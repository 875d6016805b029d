#include "store/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/tables.h"

#define COLUMNS 5

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int64_t edge(void)
{
	static const int64_t edges[] = {0,  1,	 -1, TP_NULL, INT64_MAX, TP_NULL + 1, INT64_MAX - 1,
					63, -64, 64, 127,     128,	 1LL << 62,   -(1LL << 62),
					5};

	return edges[rnd() % (sizeof(edges) / sizeof(*edges))];
}

/* Contents of columns: one way per column and kind of chunk. */
enum fill { CONSTANT, NULLS, RISING, AFTER_BEFORE, SMALL, EDGES, ANY, FILLS };

static int64_t value(enum fill fill, int64_t row, int64_t before)
{
	switch (fill) {
	case CONSTANT:
		return 42;
	case NULLS:
		return rnd() % 3 ? TP_NULL : (int64_t)(rnd() % 100);
	case RISING:
		return row * 640 + (int64_t)(rnd() % 64);
	case AFTER_BEFORE: /* the case for FORM_CROSS, with NULLs in either column */
		return before == TP_NULL || rnd() % 50 == 0
			   ? TP_NULL
			   : (int64_t)((uint64_t)before + rnd() % 100);
	case SMALL:
		return (int64_t)(rnd() % 7);
	case EDGES:
		return edge();
	default:
		return (int64_t)rnd();
	}
}

static int64_t *make_rows(size_t n, unsigned first)
{
	int64_t *rows = malloc(n * COLUMNS * sizeof(*rows));

	assert_non_null(rows);
	for (size_t i = 0; i < n; i++)
		for (unsigned c = 0; c < COLUMNS; c++)
			rows[c * n + i] =
			    value((first + c) % FILLS, (int64_t)i, c ? rows[(c - 1) * n + i] : 0);
	return rows;
}

static void check_decode(const struct tp_buf *b, const int64_t *rows, size_t n, unsigned columns)
{
	struct tp_rows_decoder d = {0};
	int64_t *col[COLUMNS + 1] = {NULL};
	struct tp_err err;

	for (unsigned c = 0; c <= COLUMNS; c++)
		if (columns & 1u << c)
			col[c] = malloc(n * sizeof(int64_t));
	assert_int_equal(tp_rows_decode(&d, b->data, b->size, n, col, COLUMNS + 1, &err), 0);
	for (unsigned c = 0; c < COLUMNS; c++)
		for (size_t i = 0; col[c] && i < n; i++)
			if (col[c][i] != rows[c * n + i])
				fail_msg("row %zu, column %u", i, c);
	/* A column that did not exist yet when the chunk was written. */
	for (size_t i = 0; col[COLUMNS] && i < n; i++)
		assert_true(col[COLUMNS][i] == TP_NULL);
	for (unsigned c = 0; c <= COLUMNS; c++)
		free(col[c]);
	tp_rows_decoder_release(&d);
}

static void test_rows_round_trip(void **state)
{
	static const size_t sizes[] = {1, 2, 100, 129, 5000, TP_CHUNK_ROWS};

	(void)state;
	seed = 11;
	for (enum tp_codec codec = TP_CODEC_NONE; codec <= TP_CODEC_ZSTD; codec++)
		for (unsigned first = 0; first < FILLS; first++)
			for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
				struct tp_rows_encoder e = {.packer = {.codec = codec}};
				int64_t *rows = make_rows(sizes[s], first);
				struct tp_buf b = {0};

				assert_int_equal(
				    tp_rows_encode(&e, &b, rows, sizes[s], sizes[s], COLUMNS), 0);
				for (unsigned columns = 1;
				     columns<1u << (COLUMNS + 1); columns += sizes[s]> 200 ? 13 : 1)
					check_decode(&b, rows, sizes[s], columns);
				tp_buf_release(&b);
				tp_rows_encoder_release(&e);
				free(rows);
			}
}

/* The value that DELTA and CROSS cannot represent is outside all sampled stretches. */
static void test_rows_wrapping_difference(void **state)
{
	size_t n = 20000;
	int64_t *rows = calloc(n * COLUMNS, sizeof(*rows));
	struct tp_rows_encoder e = {.packer = {.codec = TP_CODEC_LZ4}};
	struct tp_buf b = {0};

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < n; i++) {
		rows[i] = INT64_MAX - 1;
		for (unsigned c = 1; c < COLUMNS; c++)
			rows[c * n + i] = (int64_t)i * 100000 + (int64_t)c;
	}
	rows[1 * n + 1001] = 0;
	rows[2 * n + 1001] = -1;
	rows[3 * n + 1000] = INT64_MAX;
	rows[3 * n + 1001] = -1; /* less INT64_MAX: INT64_MIN */
	rows[4 * n + 1001] = INT64_MAX;
	assert_int_equal(tp_rows_encode(&e, &b, rows, n, n, COLUMNS), 0);
	check_decode(&b, rows, n, (1u << COLUMNS) - 1);
	tp_buf_release(&b);
	tp_rows_encoder_release(&e);
	free(rows);
}

static void decode_bytes(const uint8_t *data, size_t size, size_t rows)
{
	static int64_t values[COLUMNS][TP_CHUNK_ROWS];
	struct tp_rows_decoder d = {0};
	int64_t *col[COLUMNS];
	uint8_t *copy = malloc(size ? size : 1);
	struct tp_err err = {0};

	assert_non_null(copy);
	memcpy(copy, data, size);
	for (int c = 0; c < COLUMNS; c++)
		col[c] = values[c];
	if (tp_rows_decode(&d, copy, size, rows, col, COLUMNS, &err))
		assert_true(err.code == TP_ESTORE || err.code == TP_EVERSION);
	col[0] = col[2] = NULL;
	tp_rows_decode(&d, copy, size, rows, col, COLUMNS, &err);
	tp_rows_decoder_release(&d);
	free(copy);
}

static void test_rows_damaged_bytes(void **state)
{
	static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};

	(void)state;
	seed = 5;
	for (enum tp_codec codec = TP_CODEC_NONE; codec <= TP_CODEC_ZSTD; codec++)
		for (unsigned first = 0; first < FILLS; first++) {
			struct tp_rows_encoder e = {.packer = {.codec = codec}};
			int64_t *rows = make_rows(90, first);
			struct tp_buf b = {0};

			assert_int_equal(tp_rows_encode(&e, &b, rows, 90, 90, COLUMNS), 0);
			for (size_t i = 0; i < b.size; i++)
				for (size_t f = 0; f < sizeof(flips); f++) {
					b.data[i] ^= flips[f];
					decode_bytes(b.data, b.size, 90);
					b.data[i] ^= flips[f];
				}
			for (size_t i = 0; i < b.size; i++)
				decode_bytes(b.data, i, 90);
			decode_bytes(b.data, b.size, 89);
			tp_buf_release(&b);
			tp_rows_encoder_release(&e);
			free(rows);
		}
}

/* As many bytes as rows, but fewer values: no row may keep its former value. */
static void test_rows_too_few_values(void **state)
{
	for (uint8_t form = 1; form <= 2; form++) {
		const uint8_t chunk[] = {0, 1, 2, 1, form, 2, 2, 0x80, 1};
		struct tp_rows_decoder d = {0};
		int64_t values[2], *col[1] = {values};
		struct tp_err err = {0};

		assert_int_equal(tp_rows_decode(&d, chunk, sizeof(chunk), 2, col, 1, &err),
				 TP_ESTORE);
		tp_rows_decoder_release(&d);
	}
	(void)state;
}

static void test_rows_newer_version(void **state)
{
	struct tp_rows_decoder d = {0};
	int64_t *col[1] = {NULL};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_rows_decode(&d, "\1\2\1\1\0\1\1\0", 8, 1, col, 1, &err), TP_EVERSION);
	assert_non_null(strstr(err.msg, "version 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_round_trip),
	    cmocka_unit_test(test_rows_wrapping_difference),
	    cmocka_unit_test(test_rows_damaged_bytes),
	    cmocka_unit_test(test_rows_too_few_values),
	    cmocka_unit_test(test_rows_newer_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
