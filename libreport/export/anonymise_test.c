#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/anonymise.h"

/* The test vectors of the paper: key 00 01 … 0f, message 00 01 … */
static void test_siphash(void **state)
{
	static const struct {
		size_t size;
		uint64_t expected;
	} cases[] = {
	    {0, 0x726fdb47dd0e0e31u},
	    {1, 0x74f839c593dc67fdu},
	    {8, 0x93f5f5799a932462u},
	    {15, 0xa129ca6149be45e5u},
	};
	static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	uint8_t message[15];

	(void)state;
	for (uint8_t i = 0; i < sizeof(message); i++)
		message[i] = i;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(rep_siphash(key, message, cases[i].size) == cases[i].expected);
}

static void test_names(void **state)
{
	/* What becomes of the name of a function and of its file; NULL: something made up. */
	static const struct {
		const char *name, *file;
		bool all;
		const char *name_then, *file_then;
	} cases[] = {
	    {"main.main", "/home/me/x/main.go", false, "main.main", NULL},
	    {"main.secret", "/home/me/x/main.go", false, NULL, NULL},
	    {"runtime.mallocgc", "/home/me/sdk/go1.22/src/runtime/malloc.go", false,
	     "runtime.mallocgc", "runtime/malloc.go"},
	    {"runtime.mallocgc", "runtime/malloc.go", true, NULL, NULL},
	    {"net/http.(*conn).serve", "net/http/server.go", false, "net/http.(*conn).serve",
	     "net/http/server.go"},
	    {"slices.SortFunc[go.shape.struct { main.secret }]", "slices/sort.go", false,
	     "slices.SortFunc[...]", "slices/sort.go"},
	    {"example.com/secret.F", "example.com/secret@v1.0.0/f.go", false, NULL, NULL},
	    {"secret/net.F", "secret/net/f.go", false, NULL, NULL},
	    {"malloc", "", false, NULL, ""},
	    {"[chan receive]", "", false, "[chan receive]", ""},
	};
	struct rep_anonymise a;

	(void)state;
	rep_anonymise_key(&a, "secret", 6);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_profile *p = tp_profile_new();
		struct tp_function f = {0};
		const char *name, *file;
		uint32_t id;

		assert_non_null(p);
		tp_dict_string(p->dict, cases[i].name, strlen(cases[i].name), &f.name);
		tp_dict_string(p->dict, cases[i].file, strlen(cases[i].file), &f.file);
		assert_int_equal(tp_dict_function(p->dict, &f, &id), 0);
		a.all = cases[i].all;
		assert_int_equal(rep_anonymise_profile(&a, p, NULL), 0);
		name = tp_dict_text(p->dict, f.name).text;
		file = tp_dict_text(p->dict, f.file).text;
		assert_string_equal(cases[i].name_then ? cases[i].name_then : name, name);
		assert_string_equal(cases[i].file_then ? cases[i].file_then : file, file);
		if (!cases[i].name_then) {
			assert_null(strstr(name, "secret"));
			assert_null(strstr(name, "malloc"));
		}
		if (!cases[i].file_then) {
			assert_null(strstr(file, "home"));
			assert_null(strstr(file, "malloc"));
			assert_null(strstr(file, "secret"));
		}
		tp_profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_siphash),
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
