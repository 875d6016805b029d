/* Names for the test's own code, as if a recorded process had run it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tprof-record/convert/names/names.h"
#include "tprof-record/convert/testing.h"

static volatile uint64_t here;

/* Where the caller goes on. */
static __attribute__((noinline)) uint64_t mark(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) void inner(void)
{
	here = mark();
}

static __attribute__((noinline)) uint64_t outer(void)
{
	inner();
	return here;
}

struct fixture {
	struct rec_testing t;
	struct tp_dict *dict;
	struct rec_names *names;
};

static void begin(struct fixture *f)
{
	struct tp_err err;
	size_t wrong;

	f->dict = tp_dict_new();
	assert_non_null(f->dict);
	assert_int_equal(rec_process_check(&f->t.process, &wrong, &err), 0);
	assert_int_equal(rec_names_new(&f->names, &f->t.process, f->dict, false, &err), 0);
}

static void end(struct fixture *f)
{
	rec_names_free(f->names);
	tp_dict_free(f->dict);
	rec_testing_end(&f->t);
}

static const char *name_of(const struct fixture *f, uint32_t frame)
{
	return tp_dict_text(f->dict, tp_dict_frame_name(f->dict, frame)).text;
}

static void test_names_frames_inlined(void **state)
{
	uint64_t pc = outer();
	const struct rec_place *at;
	const uint32_t *frames;
	struct fixture f;
	struct tp_frame leaf;
	char remark[200];

	(void)state;
	rec_testing_begin(&f.t);
	rec_testing_own_module(&f.t, (void *)(uintptr_t)pc);
	begin(&f);
	assert_int_equal(rec_names_place(f.names, 16)->module, 0);
	at = rec_names_place(f.names, pc);
	assert_int_equal(at->module, 1);
	assert_int_equal(at->n, 2);
	frames = at->frames;
	assert_string_equal(name_of(&f, frames[0]), "outer");
	assert_string_equal(name_of(&f, frames[1]), "inner");
	leaf = tp_dict_frame_at(f.dict, frames[1]);
	assert_int_equal(leaf.inlined, 1);
	assert_true(leaf.line > 0);
	assert_int_equal(tp_dict_frame_at(f.dict, frames[0]).inlined, 0);
	assert_true(tp_dict_location_at(f.dict, leaf.location).address == pc);
	assert_ptr_equal(frames, rec_names_place(f.names, pc)->frames);
	rec_names_remark(f.names, remark);
	assert_string_equal(remark, "");
	end(&f);
}

static void test_names_stack_without_recorder(void **state)
{
	uint64_t pc = outer(), stack[] = {0x5010, pc, 0x5020}, pcs[8];
	struct tp_stack_node top;
	struct fixture f;
	struct tp_err err;
	uint32_t s, node, again;

	(void)state;
	rec_testing_begin(&f.t);
	rec_testing_own_module(&f.t, (void *)(uintptr_t)pc);
	rec_testing_module(&f.t, 0x5000, 0x6000, 0, "/usr/lib/tprof/tprof-preload.so", "");
	s = rec_testing_stack(&f.t, stack, 3);
	begin(&f);
	assert_int_equal(rec_names_stack(f.names, s, &node, &err), 0);
	top = tp_dict_stack_at(f.dict, node);
	assert_int_equal(top.depth, 2);
	assert_string_equal(name_of(&f, top.frame), "inner");
	assert_int_equal(rec_names_stack(f.names, s, &again, &err), 0);
	assert_int_equal(node, again);
	assert_true(rec_names_place(f.names, 0x5010)->own);
	assert_false(rec_names_place(f.names, pc)->own);
	assert_int_equal(rec_names_pcs(f.names, s, pcs, 8), 1);
	assert_true(pcs[0] == pc);
	assert_int_equal(rec_names_stack(f.names, UINT32_MAX & ~REC_LAST_STACK, &node, &err), 0);
	assert_int_equal(node, 0);
	end(&f);
}

static void test_names_begin(void **state)
{
	uint64_t pc = outer(), stack[] = {pc, 0x5010}, first;
	struct fixture f;
	uint32_t s;

	(void)state;
	rec_testing_begin(&f.t);
	rec_testing_own_module(&f.t, (void *)(uintptr_t)pc);
	rec_testing_module(&f.t, 0x5000, 0x6000, 0, "/lib/x86_64-linux-gnu/libc.so.6", "");
	s = rec_testing_stack(&f.t, stack, 2);
	begin(&f);
	assert_string_equal(name_of(&f, rec_names_begin(f.names, 0x5020, s, &first)), "outer");
	assert_true(first == pc);
	assert_int_equal(rec_names_begin(f.names, 0, 0, &first), 0);
	assert_true(first == 0);
	end(&f);
}

/* What has no names, and why. */
static void test_names_remark(void **state)
{
	static const struct {
		const char *file, *id, *name, *remark;
	} cases[] = {
	    {"/nowhere/libfoo.so", "", "libfoo.so+0xf",
	     "1 of 1 addresses have no names, most of them in libfoo.so: the file cannot be read "
	     "any more"},
	    {"/proc/self/exe", "00112233", "exe+0xf",
	     "1 of 1 addresses have no names, most of them in exe: the file has been "
	     "replaced by another build"},
	    {"[vdso]", "", "[vdso]+0xf", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rec_place *at;
		char remark[200];
		struct fixture f;

		rec_testing_begin(&f.t);
		rec_testing_module(&f.t, 0x5000, 0x6000, 0, cases[i].file, cases[i].id);
		begin(&f);
		at = rec_names_place(f.names, 0x5010);
		assert_int_equal(at->n, 1);
		assert_false(at->named);
		assert_string_equal(name_of(&f, at->frames[0]), cases[i].name);
		assert_int_equal(
		    tp_dict_function_at(f.dict, tp_dict_frame_at(f.dict, at->frames[0]).function)
			.system_name,
		    0);
		rec_names_remark(f.names, remark);
		assert_string_equal(remark, cases[i].remark);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_frames_inlined),
	    cmocka_unit_test(test_names_stack_without_recorder),
	    cmocka_unit_test(test_names_begin),
	    cmocka_unit_test(test_names_remark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
