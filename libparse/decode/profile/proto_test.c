#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/wire.h"
#include "decode/profile/kinds.h"
#include "decode/profile/testing.h"

/* ---- writing profiles by hand ---- */

static void number(struct tp_buf *b, uint32_t field, uint64_t value)
{
	assert_int_equal(tp_buf_put_uvarint(b, (uint64_t)field << 3), 0);
	assert_int_equal(tp_buf_put_uvarint(b, value), 0);
}

static void bytes(struct tp_buf *b, uint32_t field, const void *data, size_t size)
{
	assert_int_equal(tp_wire_put_bytes(b, field, data, size), 0);
}

/* A message of numbers: pairs of field and value, ended by field 0. */
static void message(struct tp_buf *b, uint32_t field, const uint64_t *pairs)
{
	struct tp_buf m = {0};

	for (; pairs[0]; pairs += 2)
		number(&m, (uint32_t)pairs[0], pairs[1]);
	bytes(b, field, m.data, m.size);
	tp_buf_release(&m);
}

#define MESSAGE(b, field, ...) message(b, field, (const uint64_t[]){__VA_ARGS__, 0})

static void strings(struct tp_buf *b, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes(b, 6, text[i], strlen(text[i]));
}

static void packed(struct tp_buf *b, uint32_t field, const uint64_t *v, size_t n)
{
	struct tp_buf m = {0};

	for (size_t i = 0; i < n; i++)
		assert_int_equal(tp_buf_put_uvarint(&m, v[i]), 0);
	bytes(b, field, m.data, m.size);
	tp_buf_release(&m);
}

#define PACKED(b, field, ...)                                                                      \
	packed(b, field, (const uint64_t[]){__VA_ARGS__},                                          \
	       sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

enum {
	S_EMPTY,
	S_CPU,
	S_NS,
	S_SAMPLES,
	S_COUNT,
	S_MAIN,
	S_INNER,
	S_SYSTEM,
	S_FILE,
	S_BINARY,
	S_BUILD,
	S_KEY,
	S_VALUE,
	S_BYTES,
	S_DROP,
	S_KEEP,
	S_URL,
	S_COMMENT,
};

static const char *const table[] = {
    "",	      "cpu", "nanoseconds", "samples", "count", "main.main", "inner",  "_Zin",	 "main.go",
    "/bin/x", "b1d", "key",	    "value",   "bytes", "^drop$",    "^keep$", "http:x", "made"};

#define BIG_ID UINT64_MAX

/* Every existing field. Samples come first, the objects they refer to later, strings last. */
static void whole(struct tp_buf *b)
{
	struct tp_buf m = {0};

	PACKED(&m, 1, 7, BIG_ID);
	PACKED(&m, 2, (uint64_t)-3, 1);
	MESSAGE(&m, 3, 1, S_KEY, 3, 512, 4, S_BYTES);
	MESSAGE(&m, 3, 1, S_KEY, 2, S_VALUE);
	MESSAGE(&m, 3, 1, S_KEY, 3, 64);
	MESSAGE(&m, 3, 1, S_KEY); /* a label without a value */
	bytes(b, 2, m.data, m.size);
	m.size = 0;
	number(&m, 1, BIG_ID); /* not packed */
	number(&m, 2, 10);
	number(&m, 2, 20);
	bytes(b, 2, m.data, m.size);
	MESSAGE(b, 4, 1, BIG_ID, 2, 1u << 30, 3, 0x1010, 5, 1);
	m.size = 0;
	number(&m, 1, 7);
	number(&m, 2, 2);
	number(&m, 3, 0x2020);
	MESSAGE(&m, 4, 1, 900, 2, 12, 3, 4);
	MESSAGE(&m, 4, 1, 1, 2, 13);
	bytes(b, 4, m.data, m.size);
	tp_buf_release(&m);
	MESSAGE(b, 5, 1, 900, 2, S_INNER, 3, S_SYSTEM, 4, S_FILE, 5, 11);
	MESSAGE(b, 5, 1, 1, 2, S_MAIN, 3, S_MAIN, 4, S_FILE);
	MESSAGE(b, 3, 1, 1u << 30, 2, 0x1000, 3, 0x2000, 4, 0x40, 5, S_BINARY, 6, S_BUILD, 7, 1, 8,
		1, 9, 1, 10, 1);
	MESSAGE(b, 3, 1, 2, 2, 0x2000, 3, 0x3000);
	MESSAGE(b, 1, 1, S_CPU, 2, S_NS);
	MESSAGE(b, 1, 1, S_SAMPLES, 2, S_COUNT);
	number(b, 7, S_DROP);
	number(b, 8, S_KEEP);
	number(b, 9, 1234567);
	number(b, 10, 5000);
	MESSAGE(b, 11, 1, S_CPU, 2, S_NS);
	number(b, 12, 100);
	PACKED(b, 13, S_COMMENT, S_KEY);
	number(b, 13, S_VALUE);
	number(b, 14, S_CPU);
	number(b, 15, S_URL);
	strings(b, table, sizeof(table) / sizeof(table[0]));
}

static struct tp_profile *read_bytes(const struct tp_buf *b, bool strict, int *code)
{
	struct tp_profile_options opt = {.strict = strict};
	struct tp_profile *p = tp_profile_new();
	struct tp_err err = {0};

	assert_non_null(p);
	*code = tp_proto_read(b->data, b->size, &opt, p, &err);
	if (!*code)
		return p;
	assert_int_equal(err.code, *code);
	assert_true(err.msg[0]);
	tp_profile_free(p);
	return NULL;
}

static const char *text(const struct tp_profile *p, uint32_t id)
{
	return tp_dict_text(p->dict, id).text;
}

/* ---- sound profiles ---- */

static void check_header(const struct tp_profile *p)
{
	assert_string_equal(p->format, "pprof");
	assert_int_equal(p->ntypes, 2);
	assert_string_equal(text(p, p->types[0].type), "cpu");
	assert_string_equal(text(p, p->types[1].unit), "count");
	assert_string_equal(text(p, p->default_type), "cpu");
	assert_string_equal(text(p, p->period_type.unit), "nanoseconds");
	assert_int_equal(p->period, 100);
	assert_int_equal(p->time_ns, 1234567);
	assert_int_equal(p->duration_ns, 5000);
	assert_string_equal(text(p, p->drop_frames), "^drop$");
	assert_string_equal(text(p, p->keep_frames), "^keep$");
	assert_string_equal(text(p, p->doc_url), "http:x");
	assert_int_equal(p->ncomments, 3);
	assert_string_equal(text(p, p->comments[0]), "made");
	assert_string_equal(text(p, p->comments[1]), "key");
	assert_string_equal(text(p, p->comments[2]), "value");
	assert_int_equal(p->nmappings, 2);
	assert_int_equal(p->mappings[0].start, 0x1000);
	assert_int_equal(p->mappings[0].limit, 0x2000);
	assert_int_equal(p->mappings[0].offset, 0x40);
	assert_string_equal(text(p, p->mappings[0].file), "/bin/x");
	assert_string_equal(text(p, p->mappings[0].build_id), "b1d");
	assert_int_equal(p->mappings[0].flags, TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
						   TP_MAPPING_LINES | TP_MAPPING_INLINES);
	assert_int_equal(p->mappings[1].flags, 0);
}

static void check_samples(const struct tp_profile *p)
{
	const struct tp_label *l = p->labels + p->sets[p->label_set[0]].first;
	uint32_t node = p->stack[0], frame[4];
	struct tp_location where;
	struct tp_frame f;
	size_t n;

	assert_int_equal(p->nsamples, 2);
	assert_int_equal(p->value[0], -3);
	assert_int_equal(p->value[3], 20);
	assert_int_equal(p->sets[p->label_set[0]].n, 3);
	assert_int_equal(p->label_set[1], 0);
	assert_true(!l[0].numeric && !strcmp(text(p, l[0].text), "value"));
	assert_true(l[1].numeric && l[1].number == 512 && !strcmp(text(p, l[1].unit), "bytes"));
	assert_true(l[2].numeric && l[2].number == 64 && !l[2].unit);

	assert_true(tp_profile_next_location(p, &node, frame, 4, &n));
	assert_int_equal(n, 2);
	f = tp_dict_frame_at(p->dict, frame[0]);
	assert_string_equal(text(p, tp_dict_function_at(p->dict, f.function).name), "inner");
	assert_string_equal(text(p, tp_dict_function_at(p->dict, f.function).system_name), "_Zin");
	assert_int_equal(tp_dict_function_at(p->dict, f.function).start_line, 11);
	assert_true(f.line == 12 && f.column == 4 && f.inlined);
	where = tp_dict_location_at(p->dict, f.location);
	assert_true(where.address == 0x2020 && where.mapping == 2 && !where.flags);
	f = tp_dict_frame_at(p->dict, frame[1]);
	assert_true(f.line == 13 && !f.inlined);
	assert_true(tp_profile_next_location(p, &node, frame, 4, &n));
	assert_int_equal(n, 1);
	f = tp_dict_frame_at(p->dict, frame[0]);
	where = tp_dict_location_at(p->dict, f.location);
	assert_true(!f.function && where.address == 0x1010 && where.mapping == 1);
	assert_int_equal(where.flags, TP_LOCATION_FOLDED);
	assert_false(tp_profile_next_location(p, &node, frame, 4, &n));
	assert_int_equal(tp_dict_stack_at(p->dict, p->stack[0]).depth, 3);
	assert_int_equal(tp_dict_stack_at(p->dict, p->stack[1]).depth, 1);
}

static void test_proto_read_every_field(void **state)
{
	struct tp_buf b = {0};

	(void)state;
	whole(&b);
	assert_int_equal(tp_kind_of(b.data, b.size), TP_KIND_PROTO);
	for (int strict = 0; strict < 2; strict++) {
		int code;
		struct tp_profile *p = read_bytes(&b, strict, &code);

		assert_int_equal(code, 0);
		assert_int_equal(p->nlosses, 0);
		check_header(p);
		check_samples(p);
		tp_profile_free(p);
	}
	tp_buf_release(&b);
}

/* Unknown fields, of every wire type and at every level, change nothing. */
static void test_proto_read_unknown_fields(void **state)
{
	static const uint8_t unknown[] = {
	    0x80, 0x02, 5,				       /* 32: a number */
	    0x89, 0x02, 1,    2,   3,	 4,   5,   6,	 7, 8, /* 33: 8 bytes */
	    0x92, 0x02, 3,    'a', 'b',	 'c',		       /* 34: a string */
	    0x9b, 0x02, 0x08, 1,   0x12, 1,   'x', 0x9c, 2,    /* 35: a group */
	    0xa5, 0x02, 1,    2,   3,	 4,		       /* 36: 4 bytes */
	};
	struct tp_buf b = {0}, with = {0};
	struct tp_cursor c;
	struct tp_field f;
	struct tp_profile *p;
	int code;

	(void)state;
	whole(&b);
	c = tp_cursor(b.data, b.size);
	while (tp_field_next(&c, &f)) {
		struct tp_buf m = {0};

		assert_int_equal(tp_buf_put(&with, unknown, sizeof(unknown)), 0);
		if (f.wire == TP_WIRE_VARINT) {
			number(&with, f.number, f.value);
			continue;
		}
		assert_int_equal(tp_buf_put(&m, f.bytes.data, f.bytes.size), 0);
		if (f.number < 6 || f.number == 11)
			assert_int_equal(tp_buf_put(&m, unknown, sizeof(unknown)), 0);
		bytes(&with, f.number, m.data, m.size);
		tp_buf_release(&m);
	}
	assert_int_equal(tp_kind_of(with.data, with.size), TP_KIND_PROTO);
	p = read_bytes(&with, true, &code);
	assert_int_equal(code, 0);
	check_header(p);
	check_samples(p);
	tp_profile_free(p);
	tp_buf_release(&b);
	tp_buf_release(&with);
}

/* A sample's stack consists of its locations, whatever the order and lengths of samples. (The
 * reader reuses the path of the previous sample.) */
static void test_proto_read_stacks(void **state)
{
	static const struct {
		uint64_t id[6]; /* leaf first, 0 ends */
	} stacks[] = {{{3, 2, 1}},	 {{4, 2, 1}},	 {{1}}, {{0}},
		      {{5, 4, 3, 2, 1}}, {{4, 3, 2, 1}}, {{2}}, {{2, 2, 2, 2, 1}},
		      {{2, 2, 1}},	 {{3, 2, 1}}};
	size_t nstacks = sizeof(stacks) / sizeof(stacks[0]);
	struct tp_buf b = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	MESSAGE(&b, 1, 1, 1);
	for (size_t i = 0; i < nstacks; i++) {
		struct tp_buf m = {0};

		for (size_t k = 0; k < 6 && stacks[i].id[k]; k++)
			number(&m, 1, stacks[i].id[k]);
		number(&m, 2, i);
		bytes(&b, 2, m.data, m.size);
		tp_buf_release(&m);
	}
	for (uint64_t id = 1; id <= 5; id++)
		MESSAGE(&b, 4, 1, id, 3, 0x1000 * id);
	strings(&b, table, 2);
	p = read_bytes(&b, true, &code);
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, nstacks);
	for (size_t i = 0; i < nstacks; i++) {
		uint32_t node = p->stack[i], frame;
		size_t n, k = 0;

		assert_int_equal(p->value[i], i);
		for (; tp_profile_next_location(p, &node, &frame, 1, &n); k++) {
			struct tp_frame f = tp_dict_frame_at(p->dict, frame);

			assert_true(k < 6);
			assert_int_equal(tp_dict_location_at(p->dict, f.location).address,
					 0x1000 * stacks[i].id[k]);
		}
		assert_true(k == 6 || !stacks[i].id[k]);
	}
	assert_int_equal(p->stack[0], p->stack[nstacks - 1]);
	tp_profile_free(p);
	tp_buf_release(&b);
}

/* ---- damage ---- */

/* Violations of a rule: an error when strict, otherwise a loss beside the valid part. */
struct breach {
	void (*add)(struct tp_buf *b); /* appends the fault to a sound profile of one type */
	size_t samples;		       /* that are kept */
	int lenient;		       /* code when not strict */
};

static void missing_location(struct tp_buf *b)
{
	MESSAGE(b, 2, 1, 99, 2, 5);
}
static void too_many_values(struct tp_buf *b)
{
	MESSAGE(b, 2, 2, 5, 2, 6);
}
static void no_value(struct tp_buf *b)
{
	MESSAGE(b, 2, 1, 1);
}
static void broken_sample(struct tp_buf *b)
{
	bytes(b, 2, "\x0a\x05\x01", 3);
}
static void broken_values(struct tp_buf *b)
{
	bytes(b, 2, "\x12\x02\x01\xff", 4);
}
static void broken_label(struct tp_buf *b)
{
	bytes(b, 2, "\x10\x01\x1a\x02\x08\xff", 6);
}
static void sample_of_fixed(struct tp_buf *b)
{
	bytes(b, 2, "\x15\x01\x02\x03\x04", 5);
}
static void location_twice(struct tp_buf *b)
{
	MESSAGE(b, 4, 1, 1, 3, 0x77);
}
static void locations_zero(struct tp_buf *b)
{
	MESSAGE(b, 4, 3, 0x77);
	MESSAGE(b, 4, 3, 0x78);
}
static void location_without_function(struct tp_buf *b)
{
	bytes(b, 4, "\x08\x05\x22\x02\x08\x63", 6);
}
static void broken_location(struct tp_buf *b)
{
	bytes(b, 4, "\x08\x05\x22\x02\x08\xff", 6);
}
static void function_twice(struct tp_buf *b)
{
	MESSAGE(b, 5, 1, 1);
	MESSAGE(b, 5, 1, 1);
}
static void broken_function(struct tp_buf *b)
{
	bytes(b, 5, "\x08", 1);
}
static void mappings_zero(struct tp_buf *b)
{
	MESSAGE(b, 3, 2, 0x1000);
	MESSAGE(b, 3, 2, 0x2000);
}
static void functions_zero(struct tp_buf *b)
{
	MESSAGE(b, 5, 2, S_CPU);
	MESSAGE(b, 5, 2, S_NS);
}
static void missing_string(struct tp_buf *b)
{
	MESSAGE(b, 5, 1, 1, 2, 77);
}
static void negative_string(struct tp_buf *b)
{
	number(b, 7, (uint64_t)-1);
}
static void missing_comment(struct tp_buf *b)
{
	number(b, 13, INT64_MAX);
}
static void broken_comments(struct tp_buf *b)
{
	bytes(b, 13, "\xff", 1);
}
static void wrong_wire_type(struct tp_buf *b)
{
	bytes(b, 12, "x", 1);
}
static void two_times(struct tp_buf *b)
{
	number(b, 9, 1);
	number(b, 9, 2);
}
static void no_field(struct tp_buf *b)
{
	assert_int_equal(tp_buf_put(b, "\x07\x01\x02", 3), 0);
}

static void test_proto_read_breaches(void **state)
{
	static const struct breach cases[] = {
	    {missing_location, 2, 0}, {too_many_values, 1, 0},
	    {no_value, 1, 0},	      {broken_sample, 1, 0},
	    {broken_values, 1, 0},    {broken_label, 1, 0},
	    {sample_of_fixed, 1, 0},  {location_twice, 1, 0},
	    {locations_zero, 1, 0},   {location_without_function, 1, 0},
	    {broken_location, 1, 0},  {function_twice, 1, 0},
	    {broken_function, 1, 0},  {mappings_zero, 1, 0},
	    {functions_zero, 1, 0},   {missing_string, 1, 0},
	    {negative_string, 1, 0},  {missing_comment, 1, 0},
	    {broken_comments, 1, 0},  {wrong_wire_type, 1, 0},
	    {no_field, 1, 0},	      {two_times, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};
		struct tp_profile *p;
		int code;

		MESSAGE(&b, 1, 1, 1);
		MESSAGE(&b, 2, 1, 1, 2, 42);
		MESSAGE(&b, 4, 1, 1, 3, 0x1000);
		strings(&b, table, 3);
		cases[i].add(&b);
		p = read_bytes(&b, true, &code);
		assert_null(p);
		assert_int_equal(code, TP_EFORMAT);
		p = read_bytes(&b, false, &code);
		assert_int_equal(code, cases[i].lenient);
		if (p) {
			assert_int_equal(p->nsamples, cases[i].samples);
			assert_int_equal(p->value[0], 42);
			assert_int_equal(p->nlosses, 1);
			assert_true(p->losses[0].offset + p->losses[0].bytes <= b.size);
		}
		tp_profile_free(p);
		tp_buf_release(&b);
	}
}

/* ---- ids that are missing or 0 ---- */

static void expect_text(const struct tp_profile *p, const char *expected)
{
	char *got = show_profile(p);

	assert_string_equal(got, expected);
	free(got);
}

static void expect_notice(const struct tp_profile *p, const char *part)
{
	assert_int_equal(p->nnotices, 1);
	assert_non_null(strstr(p->notices[0].text, part));
}

/* A location at `line` with the function `id`. */
static void location(struct tp_buf *b, uint64_t id, uint64_t function, uint64_t line)
{
	struct tp_buf m = {0};

	number(&m, 1, id);
	MESSAGE(&m, 4, 1, function, 2, line);
	bytes(b, 4, m.data, m.size);
	tp_buf_release(&m);
}

/* Julia's PProf.jl counted from 0 (issue 93 there). */
static void test_proto_read_ids_from_zero(void **state)
{
	struct tp_buf b = {0}, m = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	MESSAGE(&b, 1, 1, S_CPU, 2, S_NS);
	PACKED(&m, 1, 0, 1);
	PACKED(&m, 2, 42);
	bytes(&b, 2, m.data, m.size);
	MESSAGE(&b, 3, 1, 0, 2, 0x1000, 3, 0x2000, 5, S_BINARY);
	location(&b, 0, 0, 3);
	m.size = 0;
	number(&m, 1, 1);
	number(&m, 3, 0x1800);
	MESSAGE(&m, 4, 1, 1, 2, 4);
	bytes(&b, 4, m.data, m.size);
	MESSAGE(&b, 5, 2, S_INNER, 4, S_FILE);
	MESSAGE(&b, 5, 1, 1, 2, S_MAIN, 4, S_FILE);
	strings(&b, table, sizeof(table) / sizeof(table[0]));
	p = read_bytes(&b, false, &code);
	assert_int_equal(code, 0);
	expect_text(p, "cpu/nanoseconds per / 0\n"
		       "42: inner@main.go:3 < 0x1800#1 main.main@main.go:4\n"
		       "map 1000-2000 0 /bin/x \n");
	assert_int_equal(p->nnotices, 3);
	tp_profile_free(p);
	assert_null(read_bytes(&b, true, &code));
	assert_int_equal(code, TP_EFORMAT);
	tp_buf_release(&b);
	tp_buf_release(&m);
}

/* .NET's functions without ids, one for each location, whatever ids the locations have
 * (grafana/pyroscope, pull request 2403); with one function too many, they cannot be assigned. */
static void test_proto_read_functions_without_ids(void **state)
{
	(void)state;
	for (int more = 0; more < 2; more++) {
		struct tp_buf b = {0}, m = {0};
		struct tp_profile *p;
		int code;

		MESSAGE(&b, 1, 1, S_CPU, 2, S_NS);
		PACKED(&m, 1, 7, 2);
		PACKED(&m, 2, 42);
		bytes(&b, 2, m.data, m.size);
		location(&b, 2, 2, 3);
		location(&b, 7, 7, 4);
		MESSAGE(&b, 5, 2, S_MAIN, 4, S_FILE);
		MESSAGE(&b, 5, 2, S_INNER, 4, S_FILE);
		if (more)
			MESSAGE(&b, 5, 2, S_KEY);
		strings(&b, table, sizeof(table) / sizeof(table[0]));
		p = read_bytes(&b, false, &code);
		assert_int_equal(code, 0);
		if (more) {
			expect_text(p, "cpu/nanoseconds per / 0\n42:  < \n"
				       "lost 3 functions have the id 0\n"
				       "lost 2 references are to a function that does not exist, "
				       "first 2\n");
		} else {
			expect_text(p, "cpu/nanoseconds per / 0\n"
				       "42: inner@main.go:4 < main.main@main.go:3\n");
			expect_notice(p, "the functions have no ids");
		}
		tp_profile_free(p);
		tp_buf_release(&b);
		tp_buf_release(&m);
	}
}

/* ---- profiles one after the other ---- */

/* As encoders order the fields: by number; Go's CPU and other profiles; strings first; samples
 * first. */
static const char *const orders[] = {"tsmlfSTDPp", "TtDPpsmlfS", "PptslTmfS", "StsmlfTDPp",
				     "smlfStTDPp"};

/* Writes a profile with a sample of `value` in `name`, without some of its fields. */
static void small(struct tp_buf *b, const char *order, const char *without, const char *name,
		  uint64_t value, const char *type)
{
	const char *const texts[] = {"", name, type, "ns", "x.go"};

	for (; *order; order++) {
		if (strchr(without, *order))
			continue;
		switch (*order) {
		case 't':
			MESSAGE(b, 1, 1, 2, 2, 3);
			break;
		case 's':
			MESSAGE(b, 2, 1, 1, 2, value);
			MESSAGE(b, 2, 1, 2, 2, 1);
			break;
		case 'm':
			MESSAGE(b, 3, 1, 1, 2, 0x1000, 3, 0x2000);
			break;
		case 'l':
			MESSAGE(b, 4, 1, 1, 2, 1, 3, 0x1100);
			location(b, 2, 1, 9);
			break;
		case 'f':
			MESSAGE(b, 5, 1, 1, 2, 1, 4, 4);
			break;
		case 'S':
			strings(b, texts, sizeof(texts) / sizeof(texts[0]));
			break;
		case 'T':
			number(b, 9, 1000 - value);
			break;
		case 'D':
			number(b, 10, value);
			break;
		case 'P':
			MESSAGE(b, 11, 1, 2, 2, 3);
			break;
		default:
			number(b, 12, value);
		}
	}
}

static void test_proto_read_several(void **state)
{
	static const char *const without[] = {"", "T", "TDPp"};
	size_t n = sizeof(orders) / sizeof(orders[0]);

	(void)state;
	for (size_t i = 0; i < n * n * 3; i++) {
		const char *one = orders[i % n], *other = orders[i / n % n];
		const char *less = without[i / n / n];
		struct tp_buf b = {0};
		struct tp_profile *p;
		char expected[256];
		int code;

		/* A profile that begins with samples is recognised only after one of the same encoder. */
		if (one != other && (strchr("s", *one) || strchr("s", *other)))
			continue;
		small(&b, one, less, "uno", 5, "cpu");
		small(&b, other, less, "due", 7, "cpu");
		small(&b, one, less, "tre", 2, "cpu");
		p = read_bytes(&b, true, &code);
		assert_null(p);
		p = read_bytes(&b, false, &code);
		assert_int_equal(code, 0);
		snprintf(expected, sizeof(expected),
			 "cpu/ns per %s %s\n"
			 "5: 0x1100#1\n1: uno@x.go:9\n7: 0x1100#1\n1: due@x.go:9\n"
			 "2: 0x1100#1\n1: tre@x.go:9\nmap 1000-2000 0  \n",
			 strchr(less, 'P') ? "/" : "cpu/ns", strchr(less, 'p') ? "0" : "7");
		expect_text(p, expected);
		expect_notice(p, "holds 3 profiles one after the other");
		assert_int_equal(p->time_ns, strchr(less, 'T') ? 0 : 993);
		tp_profile_free(p);
		tp_buf_release(&b);
	}
}

/* Profiles that cannot be added up, and a last one that is cut off. */
static void test_proto_read_several_unlike(void **state)
{
	struct tp_buf b = {0};
	struct tp_profile *p;
	size_t size;
	int code;

	(void)state;
	small(&b, orders[0], "", "uno", 5, "cpu");
	size = b.size;
	small(&b, orders[0], "", "due", 7, "locks");
	small(&b, orders[0], "", "tre", 2, "cpu");
	p = read_bytes(&b, false, &code);
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, 4);
	assert_int_equal(p->nlosses, 1);
	assert_int_equal(p->losses[0].offset, size);
	assert_int_equal(p->losses[0].events, 2);
	expect_notice(p, "holds 2 profiles");
	tp_profile_free(p);
	b.size = size;
	small(&b, "tsml", "", "due", 7, "cpu");
	b.size--;
	p = read_bytes(&b, false, &code);
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, 2);
	assert_true(p->nlosses > 0);
	tp_profile_free(p);
	tp_buf_release(&b);
}

/* One profile that looks like two: types in two places, a second empty string. */
static void test_proto_read_one_in_disorder(void **state)
{
	struct tp_buf b = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	MESSAGE(&b, 1, 1, 1, 2, 2);
	bytes(&b, 6, "", 0);
	bytes(&b, 6, "cpu", 3);
	MESSAGE(&b, 1, 1, 2, 2, 1);
	bytes(&b, 6, "ns", 2);
	MESSAGE(&b, 2, 2, 5, 2, 6);
	bytes(&b, 6, "", 0);
	p = read_bytes(&b, true, &code);
	assert_int_equal(code, 0);
	expect_text(p, "cpu/ns ns/cpu per / 0\n5 6\n");
	tp_profile_free(p);
	tp_buf_release(&b);
}

/* Samples that are numbers have no bytes: the loss has the offset of the field itself. */
static void test_proto_read_number_for_message(void **state)
{
	struct tp_buf b = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	number(&b, 2, 5);
	MESSAGE(&b, 1, 1, 1);
	MESSAGE(&b, 2, 1, 1, 2, 42);
	number(&b, 2, 6);
	MESSAGE(&b, 4, 1, 1, 3, 0x1000);
	strings(&b, table, 3);
	p = read_bytes(&b, false, &code);
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, 1);
	assert_int_equal(p->nlosses, 2);
	assert_int_equal(p->losses[0].offset, 0);
	assert_int_equal(p->losses[0].bytes, 2);
	assert_memory_equal(b.data + p->losses[1].offset, "\x10\x06", 2);
	assert_int_equal(p->losses[1].bytes, 2);
	tp_profile_free(p);
	tp_buf_release(&b);
}

static void test_proto_read_string_zero(void **state)
{
	struct tp_buf b = {0};
	int code;

	(void)state;
	bytes(&b, 6, "x", 1);
	assert_null(read_bytes(&b, true, &code));
	assert_int_equal(code, TP_EFORMAT);
	tp_buf_release(&b);
}

static void test_proto_read_no_types(void **state)
{
	struct tp_buf b = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	bytes(&b, 6, "", 0);
	p = read_bytes(&b, true, &code); /* an empty profile is valid */
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, 0);
	tp_profile_free(p);
	MESSAGE(&b, 2, 1, 1);
	assert_null(read_bytes(&b, false, &code)); /* values without types are not */
	assert_int_equal(code, TP_EFORMAT);
	tp_buf_release(&b);
	assert_null(read_bytes(&b, false, &code));
	assert_int_equal(code, TP_EFORMAT);
}

/* Cut at every length: whole samples before the cut are kept, with their values. Strict mode fails,
 * unless nothing is missing. */
static void test_proto_read_truncated(void **state)
{
	struct tp_buf b = {0};

	(void)state;
	MESSAGE(&b, 1, 1, S_CPU, 2, S_NS);
	MESSAGE(&b, 1, 1, S_SAMPLES, 2, S_COUNT);
	whole(&b); /* four types, so its samples are short of two values */
	for (size_t n = 0; n < b.size; n++) {
		uint8_t *copy = malloc(n + 1);
		struct tp_buf cut = {.data = copy, .size = n};
		struct tp_profile *p;
		int code;

		assert_non_null(copy);
		memcpy(copy, b.data, n);
		tp_kind_of(cut.data, cut.size);
		p = read_bytes(&cut, false, &code);
		assert_true(p || code == TP_EFORMAT);
		tp_profile_free(p);
		assert_null(read_bytes(&cut, true, &code));
		assert_true(code == TP_ETRUNC || code == TP_EFORMAT);
		free(copy);
	}
	tp_buf_release(&b);
}

static void test_proto_read_cut_before_strings(void **state)
{
	struct tp_buf b = {0};
	struct tp_profile *p;
	int code;

	(void)state;
	MESSAGE(&b, 1, 1, 1, 2, 2);
	MESSAGE(&b, 5, 1, 1, 2, 3);
	bytes(&b, 4, "\x08\x01\x18\x09\x22\x04\x08\x01\x10\x07", 10);
	MESSAGE(&b, 2, 1, 1, 2, 42);
	MESSAGE(&b, 2, 1, 1, 2, 43);
	b.size -= 2;
	assert_null(read_bytes(&b, true, &code));
	assert_int_equal(code, TP_ETRUNC);
	p = read_bytes(&b, false, &code);
	assert_int_equal(code, 0);
	assert_int_equal(p->nsamples, 1);
	assert_int_equal(p->value[0], 42);
	assert_int_equal(p->types[0].type, 0);
	assert_int_equal(p->nlosses, 2); /* the cut, and the strings */
	assert_int_equal(p->losses[0].offset + p->losses[0].bytes, b.size);
	assert_int_equal(tp_dict_frame_name(p->dict, tp_dict_stack_at(p->dict, p->stack[0]).frame),
			 0);
	tp_profile_free(p);
	tp_buf_release(&b);
}

/* Any byte may have any value: the resulting profile is consistent. */
static void test_proto_read_any_byte(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x07, 0x0a, 0x7f, 0x80, 0xff};
	struct tp_buf b = {0};

	(void)state;
	whole(&b);
	for (size_t i = 0; i < b.size; i++) {
		uint8_t old = b.data[i];

		for (size_t v = 0; v < sizeof(values); v++) {
			struct tp_profile *p;
			int code;

			b.data[i] = values[v];
			p = read_bytes(&b, false, &code);
			for (size_t s = 0; p && s < p->nsamples; s++) {
				assert_true(p->stack[s] < tp_dict_stacks(p->dict));
				assert_true(p->label_set[s] < p->nsets);
			}
			tp_profile_free(p);
			tp_profile_free(read_bytes(&b, true, &code));
		}
		b.data[i] = old;
	}
	tp_buf_release(&b);
}

/* Sizes beyond the input, and numbers beyond all limits, cost nothing. */
static void test_proto_read_hostile_counts(void **state)
{
	static const struct {
		uint8_t bytes[24];
		size_t size;
	} cases[] = {
	    {{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 10},
	    {{0x0a, 2, 0x08, 1, 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f}, 10},
	    {{0x0a, 0, 0x12, 8, 0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1}, 12},
	    {{0x0a, 0, 0x12, 8, 0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 12},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {.data = (uint8_t *)cases[i].bytes, .size = cases[i].size};
		struct tp_profile *p;
		int code;

		assert_null(read_bytes(&b, true, &code));
		p = read_bytes(&b, false, &code);
		assert_int_equal(code, 0);
		assert_int_equal(p->nsamples, 0);
		assert_true(p->nlosses);
		tp_profile_free(p);
	}
}

/* A location of many inlined calls, named many times: a small file that would be a huge tree. */
static void test_proto_read_inlining_bomb(void **state)
{
	struct tp_buf b = {0}, m = {0};
	int code;

	(void)state;
	MESSAGE(&b, 1, 1, 1);
	MESSAGE(&b, 5, 1, 1, 2, 2);
	number(&m, 1, 1);
	for (int i = 0; i < 3000; i++)
		MESSAGE(&m, 4, 1, 1);
	bytes(&b, 4, m.data, m.size);
	m.size = 0;
	for (int i = 0; i < 3000; i++)
		number(&m, 1, 1);
	number(&m, 2, 1);
	bytes(&b, 2, m.data, m.size);
	strings(&b, table, 3);
	assert_null(read_bytes(&b, false, &code));
	assert_int_equal(code, TP_ELIMIT);
	tp_buf_release(&m);
	tp_buf_release(&b);
}

static void test_proto_seen_other_things(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool seen;
	} cases[] = {
	    {"", 0, false},
	    {"\n", 1, false},
	    {"\nhello, this is a text that begins with an empty line", 53, false},
	    {"heap profile: 1: 2 [3: 4] @ heapprofile", 39, false},
	    {"go 1.22 trace\0\0\0", 16, false},
	    {"\x0a\x04\x08\x01\x10\x02", 6, true},
	    {"\x32\x00", 2, true},
	    {"\x12\x00", 2, false}, /* not enough to recognise it */
	    {"\x0a\x02\x09\x01", 4, false},
	    {"\x0a\x00\x48", 3, false}, /* cut early */
	    {"\x80\x02\x05\x0a\x04\x08\x01\x10\x02", 9, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tp_kind_of(cases[i].bytes, cases[i].size) == TP_KIND_PROTO,
				 cases[i].seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_proto_read_every_field),
	    cmocka_unit_test(test_proto_read_unknown_fields),
	    cmocka_unit_test(test_proto_read_stacks),
	    cmocka_unit_test(test_proto_read_breaches),
	    cmocka_unit_test(test_proto_read_ids_from_zero),
	    cmocka_unit_test(test_proto_read_functions_without_ids),
	    cmocka_unit_test(test_proto_read_several),
	    cmocka_unit_test(test_proto_read_several_unlike),
	    cmocka_unit_test(test_proto_read_one_in_disorder),
	    cmocka_unit_test(test_proto_read_number_for_message),
	    cmocka_unit_test(test_proto_read_string_zero),
	    cmocka_unit_test(test_proto_read_no_types),
	    cmocka_unit_test(test_proto_read_truncated),
	    cmocka_unit_test(test_proto_read_cut_before_strings),
	    cmocka_unit_test(test_proto_read_any_byte),
	    cmocka_unit_test(test_proto_read_hostile_counts),
	    cmocka_unit_test(test_proto_read_inlining_bomb),
	    cmocka_unit_test(test_proto_seen_other_things),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
