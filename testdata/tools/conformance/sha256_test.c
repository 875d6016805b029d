#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A command's own code is in no library: the test brings it along. */
#include "conformance/sha256.c"

static void check(const void *data, size_t n, size_t step, const char *want)
{
	struct sha256 s;
	char hex[65];

	sha256_init(&s);
	for (size_t at = 0; at < n; at += step)
		sha256_update(&s, (const char *)data + at, n - at < step ? n - at : step);
	sha256_hex(&s, hex);
	assert_string_equal(hex, want);
}

/* FIPS 180-4 and NIST's examples. */
static void test_sha256_vectors(void **state)
{
	static const struct {
		const char *text, *hash;
	} cases[] = {
	    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmno"
	     "p"
	     "qrlmnopqrsmnopqrstnopqrstu",
	     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t step = 1; step < 130; step += 21)
			check(cases[i].text, strlen(cases[i].text), step, cases[i].hash);
}

static void test_sha256_million(void **state)
{
	size_t n = 1000000;
	char *a = malloc(n);

	(void)state;
	memset(a, 'a', n);
	check(a, n, n, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	check(a, n, 977, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sha256_vectors),
	    cmocka_unit_test(test_sha256_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
