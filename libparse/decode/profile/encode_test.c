#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decode/profile/encode.h"
#include "decode/profile/kinds.h"

static uint32_t str(struct tp_profile *p, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, strlen(text), &id), 0);
	return id;
}

static uint32_t function(struct tp_profile *p, const char *name)
{
	struct tp_function f = {str(p, name), str(p, name), str(p, "f.go"), 3};
	uint32_t id;

	assert_int_equal(tp_dict_function(p->dict, &f, &id), 0);
	return id;
}

static void push(struct tp_profile *p, uint32_t *stack, const struct tp_location *l,
		 const struct tp_frame *lines, size_t n)
{
	assert_int_equal(tp_profile_push_location(p, stack, l, lines, n), 0);
}

/* Returns a profile with everything that a profile can contain, and with a function, a string and a
 * location that no sample uses. */
static struct tp_profile *sample_profile(void)
{
	struct tp_profile *p = tp_profile_new();
	struct tp_mapping m = {0x1000, 0x5000, 0x80, 0, 0, TP_MAPPING_LINES};
	uint32_t number, stack = 0, set, unused = 0;

	assert_non_null(p);
	assert_int_equal(tp_profile_add_type(p, str(p, "space"), str(p, "bytes")), 0);
	assert_int_equal(tp_profile_add_type(p, str(p, "objects"), str(p, "count")), 0);
	p->default_type = str(p, "objects");
	p->period_type = (struct tp_value_type){str(p, "space"), str(p, "bytes")};
	p->period = 524288;
	p->time_ns = INT64_MAX;
	p->duration_ns = -1;
	p->drop_frames = str(p, "^runtime");
	p->keep_frames = str(p, "^main");
	p->doc_url = str(p, "http://x");
	m.file = str(p, "/bin/x");
	m.build_id = str(p, "deadbeef");
	assert_int_equal(tp_profile_add_mapping(p, &m, &number), 0);
	assert_int_equal(number, 1);
	assert_int_equal(tp_profile_add_comment(p, str(p, "first")), 0);
	assert_int_equal(tp_profile_add_comment(p, 0), 0);
	push(p, &unused, &(struct tp_location){.address = 0x9999},
	     &(struct tp_frame){.function = function(p, "never.called")}, 1);

	/* Inlined calls, a location without lines, one with a line of a nameless function, an
	 * unknown one, and an inlined call of a nameless function. */
	push(p, &stack, &(struct tp_location){0x1100, 1, 0},
	     (struct tp_frame[]){{.function = function(p, "main.c"), .line = 1, .column = 2},
				 {.function = function(p, "main.b"), .line = 2},
				 {.function = function(p, "main.a"), .line = 3}},
	     3);
	push(p, &stack, &(struct tp_location){0x1200, 1, TP_LOCATION_FOLDED}, NULL, 0);
	push(p, &stack, &(struct tp_location){0x1300, 1, 0}, &(struct tp_frame){0}, 1);
	push(p, &stack, &(struct tp_location){0}, NULL, 0);
	push(p, &stack, &(struct tp_location){0x1400, 0, 0},
	     (struct tp_frame[]){{.line = 7}, {.function = function(p, "main.a"), .line = 4}}, 2);
	assert_int_equal(
	    tp_profile_label_set(
		p,
		(struct tp_label[]){
		    {.key = str(p, "size"), .numeric = true, .number = -5, .unit = str(p, "bytes")},
		    {.key = str(p, "user"), .text = str(p, "al")},
		    {.key = str(p, "size"), .numeric = true, .number = 6}},
		3, &set),
	    0);
	assert_int_equal(tp_profile_add_sample(p, stack, set, (int64_t[]){INT64_MIN, 1}), 0);
	assert_int_equal(tp_profile_add_sample(p, 0, 0, (int64_t[]){0, 0}), 0);
	/* The caller alone: the first three frames are one location. */
	assert_int_equal(tp_profile_add_sample(p, tp_dict_stack_at(p->dict, stack).parent, 0,
					       (int64_t[]){-7, INT64_MAX}),
			 0);
	return p;
}

static struct tp_profile *decode(const struct tp_buf *b)
{
	struct tp_profile_options strict = {.strict = true};
	struct tp_profile *p;
	struct tp_err err;

	assert_int_equal(tp_profile_read(b->data, b->size, &strict, &p, &err), 0);
	return p;
}

static void same_string(const struct tp_profile *a, uint32_t x, const struct tp_profile *b,
			uint32_t y)
{
	assert_string_equal(tp_dict_text(a->dict, x).text, tp_dict_text(b->dict, y).text);
}

static void same_frame(const struct tp_profile *a, uint32_t x, const struct tp_profile *b,
		       uint32_t y)
{
	struct tp_frame f = tp_dict_frame_at(a->dict, x), g = tp_dict_frame_at(b->dict, y);
	struct tp_function m = tp_dict_function_at(a->dict, f.function);
	struct tp_function n = tp_dict_function_at(b->dict, g.function);
	struct tp_location l = tp_dict_location_at(a->dict, f.location);
	struct tp_location k = tp_dict_location_at(b->dict, g.location);

	assert_true(f.line == g.line && f.column == g.column && f.inlined == g.inlined);
	assert_true(l.address == k.address && l.mapping == k.mapping);
	assert_int_equal(l.flags & TP_LOCATION_FOLDED, k.flags & TP_LOCATION_FOLDED);
	assert_int_equal(tp_profile_lined(a, x), tp_profile_lined(b, y));
	same_string(a, m.name, b, n.name);
	same_string(a, m.system_name, b, n.system_name);
	same_string(a, m.file, b, n.file);
	assert_int_equal(m.start_line, n.start_line);
}

static void same_header(const struct tp_profile *a, const struct tp_profile *b)
{
	assert_int_equal(a->ntypes, b->ntypes);
	for (size_t i = 0; i < a->ntypes; i++) {
		same_string(a, a->types[i].type, b, b->types[i].type);
		same_string(a, a->types[i].unit, b, b->types[i].unit);
	}
	same_string(a, a->default_type, b, b->default_type);
	same_string(a, a->period_type.type, b, b->period_type.type);
	same_string(a, a->period_type.unit, b, b->period_type.unit);
	same_string(a, a->drop_frames, b, b->drop_frames);
	same_string(a, a->keep_frames, b, b->keep_frames);
	same_string(a, a->doc_url, b, b->doc_url);
	assert_true(a->period == b->period && a->time_ns == b->time_ns);
	assert_true(a->duration_ns == b->duration_ns);
	assert_int_equal(a->nmappings, b->nmappings);
	for (size_t i = 0; i < a->nmappings; i++) {
		const struct tp_mapping *m = &a->mappings[i], *n = &b->mappings[i];

		assert_true(m->start == n->start && m->limit == n->limit);
		assert_true(m->offset == n->offset && m->flags == n->flags);
		same_string(a, m->file, b, n->file);
		same_string(a, m->build_id, b, n->build_id);
	}
	assert_int_equal(a->ncomments, b->ncomments);
	for (size_t i = 0; i < a->ncomments; i++)
		same_string(a, a->comments[i], b, b->comments[i]);
}

static void same_sample(const struct tp_profile *a, const struct tp_profile *b, size_t i)
{
	uint32_t x = a->stack[i], y = b->stack[i];
	const struct tp_label_set *s = &a->sets[a->label_set[i]], *t = &b->sets[b->label_set[i]];

	for (; x && y;
	     x = tp_dict_stack_at(a->dict, x).parent, y = tp_dict_stack_at(b->dict, y).parent)
		same_frame(a, tp_dict_stack_at(a->dict, x).frame, b,
			   tp_dict_stack_at(b->dict, y).frame);
	assert_int_equal(x, y);
	for (size_t v = 0; v < a->ntypes; v++)
		assert_true(a->value[i * a->ntypes + v] == b->value[i * b->ntypes + v]);
	assert_int_equal(s->n, t->n);
	for (uint32_t k = 0; k < s->n; k++) {
		const struct tp_label *l = &a->labels[s->first + k], *m = &b->labels[t->first + k];

		assert_true(l->numeric == m->numeric && l->number == m->number);
		same_string(a, l->key, b, m->key);
		same_string(a, l->text, b, m->text);
		same_string(a, l->unit, b, m->unit);
	}
}

static void test_profile_encode_round_trip(void **state)
{
	struct tp_profile *p = sample_profile(), *q;
	struct tp_buf once = {0}, twice = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_encode(p, NULL, &once, &err), 0);
	q = decode(&once);
	same_header(p, q);
	assert_int_equal(p->nsamples, q->nsamples);
	for (size_t i = 0; i < p->nsamples; i++)
		same_sample(p, q, i);
	/* The encoder leaves out entries that no sample uses. */
	for (uint32_t i = 0; i < tp_dict_functions(q->dict); i++)
		assert_string_not_equal(
		    tp_dict_text(q->dict, tp_dict_function_at(q->dict, i).name).text,
		    "never.called");
	/* Encoding the result again gives the same bytes. */
	assert_int_equal(tp_profile_encode(q, NULL, &twice, &err), 0);
	assert_int_equal(once.size, twice.size);
	tp_profile_free(p);
	tp_profile_free(q);
	tp_buf_release(&once);
	tp_buf_release(&twice);
}

static void test_profile_encode_empty(void **state)
{
	struct tp_profile *p = tp_profile_new(), *q;
	struct tp_buf b = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_encode(p, NULL, &b, &err), 0);
	q = decode(&b);
	assert_int_equal(q->nsamples + q->ntypes + q->nmappings, 0);
	tp_profile_free(p);
	tp_profile_free(q);
	tp_buf_release(&b);
}

/* A very deep stack, and locations of many inlined calls that share beginnings. */
static void test_profile_encode_deep(void **state)
{
	enum { DEPTH = 100000, CHAIN = 300 };
	struct tp_profile *p = tp_profile_new(), *q;
	struct tp_frame lines[CHAIN];
	struct tp_buf b = {0};
	struct tp_err err;
	uint32_t stack = 0;

	(void)state;
	assert_int_equal(tp_profile_add_type(p, str(p, "a"), str(p, "b")), 0);
	for (uint32_t i = 0; i < DEPTH; i++)
		push(p, &stack, &(struct tp_location){.address = 1 + i % 1000}, NULL, 0);
	assert_int_equal(tp_profile_add_sample(p, stack, 0, (int64_t[]){1}), 0);
	for (size_t i = 0; i < CHAIN; i++)
		lines[i] = (struct tp_frame){.function = function(p, "main.x"), .line = 1};
	for (size_t n = 1; n <= CHAIN; n++) {
		stack = 0;
		push(p, &stack, &(struct tp_location){.address = 7777}, lines, n);
		assert_int_equal(tp_profile_add_sample(p, stack, 0, (int64_t[]){1}), 0);
	}
	assert_int_equal(tp_profile_encode(p, NULL, &b, &err), 0);
	q = decode(&b);
	assert_int_equal(tp_dict_stack_at(q->dict, q->stack[0]).depth, DEPTH);
	assert_int_equal(p->nsamples, q->nsamples);
	for (size_t i = 0; i < p->nsamples; i++)
		same_sample(p, q, i);
	tp_profile_free(p);
	tp_profile_free(q);
	tp_buf_release(&b);
}

static void test_profile_encode_no_inlines(void **state)
{
	static const struct tp_encode_options no_inlines = {.no_inlines = true, .no_columns = true};
	struct tp_profile *p = sample_profile(), *q;
	struct tp_buf b = {0};
	struct tp_err err;
	uint32_t node;

	(void)state;
	assert_int_equal(tp_profile_encode(p, &no_inlines, &b, &err), 0);
	q = decode(&b);
	/* Of 3 + 1 + 1 + 1 + 2 frames five are locations. */
	node = q->stack[0];
	assert_int_equal(tp_dict_stack_at(q->dict, node).depth, 5);
	for (; node; node = tp_dict_stack_at(q->dict, node).parent) {
		struct tp_frame f =
		    tp_dict_frame_at(q->dict, tp_dict_stack_at(q->dict, node).frame);

		assert_true(!f.inlined && !f.column);
	}
	assert_int_equal(
	    tp_dict_frame_at(q->dict, tp_dict_stack_at(q->dict, q->stack[0]).frame).line, 4);
	tp_profile_free(p);
	tp_profile_free(q);
	tp_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile_encode_round_trip),
	    cmocka_unit_test(test_profile_encode_no_inlines),
	    cmocka_unit_test(test_profile_encode_empty),
	    cmocka_unit_test(test_profile_encode_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
