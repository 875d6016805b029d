#include "profile/testing.h"

#include <time.h>

#include "decode/profile/encode.h"
#include "profile/merge/merge.h"

static struct tp_profile *one(const char *types, const char *object, const char *a, const char *b)
{
	const char *const samples[] = {a, b, NULL};

	return test_profile(types, object, samples);
}

/* Adds two profiles, the second multiplied by `ratio`, and frees both. */
static int sum(struct tp_profile *a, struct tp_profile *b, double ratio, struct tp_profile **out,
	       struct tp_err *err)
{
	struct rep_merge_part parts[] = {{.profile = a, .ratio = 1},
					 {.profile = b, .ratio = ratio}};
	int code = rep_profile_merge(parts, b ? 2 : 1, out, err);

	tp_profile_free(a);
	tp_profile_free(b);
	return code;
}

static void test_merge_samples(void **state)
{
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(sum(one("n/count", "BIN", "1 a;b", "2 a;c k=v"),
			     one("n/count", "BIN", "4 a;c k=v", "8 a;c"), 1, &p, &err),
			 0);
	assert_samples(p, "1 a;b | 6 a;c k=v | 8 a;c");
	assert_int_equal(p->nmappings, 1);
	tp_profile_free(p);
}

/* Samples that cancel out are dropped; a single profile keeps all samples. */
static void test_merge_zero(void **state)
{
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(sum(one("n/count", NULL, "3 a", "2 b"), one("n/count", NULL, "3 a", "1 b"),
			     -1, &p, &err),
			 0);
	assert_samples(p, "1 b");
	tp_profile_free(p);
	assert_int_equal(sum(one("n/count", NULL, "3 a", "0 a"), NULL, 0, &p, &err), 0);
	assert_samples(p, "3 a | 0 a");
	tp_profile_free(p);
}

/* The sum has only common types, and values in the finer unit, rounded half away from zero. */
static void test_merge_types(void **state)
{
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(sum(one("n/count time/milliseconds", NULL, "1,2 a", NULL),
			     one("time/microseconds x/count", NULL, "500,9 a", NULL), 1, &p, &err),
			 0);
	assert_samples(p, "2500 a");
	assert_string_equal(tp_dict_text(p->dict, p->types[0].unit).text, "microseconds");
	assert_int_equal(p->default_type, p->types[0].type);
	tp_profile_free(p);
	assert_int_equal(sum(one("n/count", NULL, "10 a", NULL), one("n/count", NULL, "3 a", "1 b"),
			     -0.5, &p, &err),
			 0);
	assert_samples(p, "8 a | -1 b");
	tp_profile_free(p);
}

static void test_merge_incompatible(void **state)
{
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    sum(one("n/count", NULL, "1 a", NULL), one("m/count", NULL, "1 a", NULL), 1, &p, &err),
	    TP_EFORMAT);
	assert_non_null(strstr(err.msg, "no sample type in common"));
	assert_null(p);
	assert_int_equal(
	    sum(one("n/count", NULL, "1 a", NULL), one("n/bytes", NULL, "1 a", NULL), 1, &p, &err),
	    TP_EFORMAT);
	assert_non_null(strstr(err.msg, "bytes"));
	assert_int_equal(rep_profile_merge(NULL, 0, &p, &err), TP_EFORMAT);
}

/* If an object file is loaded elsewhere, its addresses are moved. */
static void test_merge_mappings(void **state)
{
	struct tp_profile *a = one("n/count", NULL, "1 x", NULL), *p;
	struct tp_profile *b = one("n/count", NULL, "1 x", NULL);
	struct tp_profile *both[] = {a, b};
	struct tp_err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tp_mapping m = {.start = i ? 0x5000 : 0x1000, .limit = i ? 0x6fff : 0x3000};
		struct tp_location l = {.address = m.start + 0x10};
		uint32_t stack = 0;

		m.file = test_string(both[i], "BIN", 3);
		assert_int_equal(tp_profile_add_mapping(both[i], &m, &l.mapping), 0);
		assert_int_equal(tp_profile_push_location(both[i], &stack, &l, NULL, 0), 0);
		assert_int_equal(tp_profile_add_sample(both[i], stack, 0, (int64_t[]){5}), 0);
	}
	assert_int_equal(sum(a, b, 1, &p, &err), 0);
	assert_samples(p, "2 x | 10 ??");
	assert_int_equal(p->nmappings, 1);
	assert_int_equal(
	    tp_dict_location_at(
		p->dict,
		tp_dict_frame_at(p->dict, tp_dict_stack_at(p->dict, p->stack[1]).frame).location)
		.address,
	    0x1010);
	tp_profile_free(p);
}

static void test_merge_header(void **state)
{
	struct tp_profile *a = one("n/count m/count", NULL, "1,1 a", NULL), *p;
	struct tp_profile *b = one("n/count m/count", NULL, "1,1 a", NULL);
	struct tp_err err;

	(void)state;
	a->time_ns = 200;
	b->time_ns = 100;
	a->duration_ns = 7;
	b->duration_ns = 8;
	a->period = 10;
	b->period = 20;
	b->default_type = b->types[0].type;
	assert_int_equal(tp_profile_add_comment(a, test_string(a, "same", 4)), 0);
	assert_int_equal(tp_profile_add_comment(b, test_string(b, "same", 4)), 0);
	assert_int_equal(tp_profile_add_comment(b, test_string(b, "other", 5)), 0);
	assert_int_equal(sum(a, b, 1, &p, &err), 0);
	assert_int_equal(p->time_ns, 100);
	assert_int_equal(p->duration_ns, 15);
	assert_int_equal(p->period, 20);
	assert_int_equal(p->ncomments, 2);
	assert_int_equal(p->default_type, p->types[0].type);
	tp_profile_free(p);
}

/* Sums of sums equal one sum of all. */
static void test_merger_parts(void **state)
{
	static const char *const parts[] = {"1 a;b", "2 a", "4 a;b", "8 c k=v", "16 a"};
	struct rep_merger *all, *half;
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_merger_new(&all, true, &err), 0);
	for (int h = 0; h < 2; h++) {
		assert_int_equal(rep_merger_new(&half, true, &err), 0);
		for (int i = h ? 2 : 0; i < (h ? 5 : 2); i++) {
			p = one("n/count", NULL, parts[i], NULL);
			assert_int_equal(
			    rep_merger_add(half, &(struct rep_merge_part){.profile = p, .ratio = 1},
					   &err),
			    0);
			tp_profile_free(p);
		}
		assert_int_equal(rep_merger_finish(half, &p, &err), 0);
		rep_merger_free(half);
		assert_int_equal(
		    rep_merger_add(all, &(struct rep_merge_part){.profile = p, .ratio = 1}, &err),
		    0);
		tp_profile_free(p);
	}
	assert_int_equal(rep_merger_finish(all, &p, &err), 0);
	assert_samples(p, "5 a;b | 18 a | 8 c k=v");
	tp_profile_free(p);
	rep_merger_free(all);
}

static void test_merge_label(void **state)
{
	struct tp_profile *a = one("n/count", NULL, "3 a", NULL), *p;
	struct tp_profile *b = one("n/count", NULL, "2 a", "1 a x=y");
	struct rep_merge_part parts[] = {{.profile = a, .ratio = 1},
					 {.profile = b, .ratio = -1, .base = true}};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_profile_merge(parts, 2, &p, &err), 0);
	assert_samples(p, "3 a | -2 a pprof::base=true | -1 a pprof::base=true x=y");
	tp_profile_free(a);
	tp_profile_free(b);
	tp_profile_free(p);
}

/* If every stack has its own labels, the number of one determines the other; hashes must not
 * collide, which would make searches slow. */
static void test_merge_numbers_that_could_meet(void **state)
{
	clock_t took[2];

	(void)state;
	for (int paired = 0; paired < 2; paired++) {
		struct tp_profile *a = one("n/count", NULL, NULL, NULL), *p;
		struct tp_label label = {.key = 1, .numeric = true};
		struct tp_err err;
		clock_t from;

		for (uint32_t i = 1; i <= 30000; i++) {
			struct tp_location l = {.address = i};
			uint32_t stack = 0, set;

			label.number = paired ? i : 1;
			assert_int_equal(tp_profile_push_location(a, &stack, &l, NULL, 0), 0);
			assert_int_equal(tp_profile_label_set(a, &label, 1, &set), 0);
			assert_int_equal(tp_profile_add_sample(a, stack, set, (int64_t[]){1}), 0);
		}
		from = clock();
		assert_int_equal(
		    rep_profile_merge((struct rep_merge_part[]){{.profile = a, .ratio = 1},
								{.profile = a, .ratio = 1}},
				      2, &p, &err),
		    0);
		took[paired] = clock() - from;
		assert_int_equal(p->nsamples, 30000);
		tp_profile_free(p);
		tp_profile_free(a);
	}
	assert_true(took[1] < 10 * took[0] + CLOCKS_PER_SEC / 5);
}

/* Frees a profile and reads it back, encoded, into a dictionary. */
static struct tp_profile *read_into(struct tp_dict **dict, struct tp_profile *p)
{
	const struct tp_profile_options how = {.dict = dict};
	struct tp_buf b = {0};
	struct tp_profile *read;
	struct tp_err err;

	assert_int_equal(tp_profile_encode(p, NULL, &b, &err), 0);
	assert_int_equal(tp_profile_read(b.data, b.size, &how, &read, &err), 0);
	assert_null(*dict);
	tp_buf_release(&b);
	tp_profile_free(p);
	return read;
}

/* Parts with one dictionary: what is known of it holds for the next part, but for locations only if
 * the mappings are the same. */
static void test_merger_dict_stays(void **state)
{
	struct tp_dict *dict = NULL;
	struct tp_profile *p;
	struct rep_merger *m;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_merger_new(&m, false, &err), 0);
	for (int i = 0; i < 4; i++) {
		static const char *const samples[][2] = {
		    {"1 a;b", "2 a;c k=v"}, {"4 a;b", NULL}, {"8 a;b", "16 d"}, {"32 d", "64 a;c"}};
		struct tp_profile *part = read_into(
		    &dict, one("n/count", i == 1 ? "OTHER" : "BIN", samples[i][0], samples[i][1]));

		assert_true(tp_dict_lasts(part->dict));
		assert_int_equal(
		    rep_merger_add(
			m,
			&(struct rep_merge_part){.profile = part, .ratio = 1, .dict_stays = true},
			&err),
		    0);
		dict = part->dict;
		part->dict = NULL;
		tp_dict_drop_stacks(dict);
		tp_profile_free(part);
	}
	assert_int_equal(rep_merger_finish(m, &p, &err), 0);
	assert_samples(p, "9 a;b | 2 a;c k=v | 4 a;b | 48 d | 64 a;c");
	assert_int_equal(p->nmappings, 2);
	assert_int_equal(tp_dict_rename_function(dict, 1, tp_dict_function_at(dict, 1).name), 0);
	assert_true(tp_dict_lasts(dict));
	assert_int_equal(tp_dict_rename_function(dict, 1, 0), 0);
	assert_false(tp_dict_lasts(dict));
	tp_dict_free(dict);
	tp_profile_free(p);
	rep_merger_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_merge_samples),
	    cmocka_unit_test(test_merge_zero),
	    cmocka_unit_test(test_merge_types),
	    cmocka_unit_test(test_merge_incompatible),
	    cmocka_unit_test(test_merge_mappings),
	    cmocka_unit_test(test_merge_header),
	    cmocka_unit_test(test_merger_parts),
	    cmocka_unit_test(test_merger_dict_stays),
	    cmocka_unit_test(test_merge_label),
	    cmocka_unit_test(test_merge_numbers_that_could_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
