#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "output/text.h"

static void test_escape_all_modes(void **state)
{
	/* clang-format off */
	static const struct {
		const char *in;
		size_t size; /* 0: strlen */
		const char *shown, *json, *tsv, *csv;
	} cases[] = {
		{"main.main", 0, "main.main", "main.main", "main.main", "main.main"},
		{"", 0, "", "", "", ""},
		{"a\tb\nc\rd", 0, "a\\tb\\nc\\rd", "a\\u0009b\\u000ac\\u000dd", "a\\tb\\nc\\rd", "a\tb\nc\\rd"},
		{"\x1b[31mred", 0, "\\x1b[31mred", "\\u001b[31mred", "\\x1b[31mred", "\\x1b[31mred"},
		{"a\0b", 3, "a\\x00b", "a\\u0000b", "a\\x00b", "a\\x00b"},
		{"C:\\x \"q\"", 0, "C:\\x \"q\"", "C:\\\\x \\\"q\\\"", "C:\\\\x \"q\"", "C:\\x \"\"q\"\""},
		{"gr\xc3\xbc\xc3\x9f \xe4\xb8\x96", 0, "grüß 世", "grüß 世", "grüß 世", "grüß 世"},
		{"\xff\xc3(", 0, "\\xff\\xc3(", "\\\\xff\\\\xc3(", "\\xff\\xc3(", "\\xff\\xc3("},
		{"\xc0\x80", 0, "\\xc0\\x80", "\\\\xc0\\\\x80", "\\xc0\\x80", "\\xc0\\x80"},         /* overlong */
		{"\xed\xa0\x80", 0, "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"}, /* surrogate */
		{"\xf4\x90\x80\x80", 0, "\\xf4\\x90\\x80\\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xe4\xb8", 0, "\\xe4\\xb8", "\\\\xe4\\\\xb8", "\\xe4\\xb8", "\\xe4\\xb8"},         /* cut */
		{"\xc2\x9b" "31m", 0, "\\u009b31m", "\\u009b31m", "\\u009b31m", "\\u009b31m"},         /* C1 CSI */
		{"a\xe2\x80\xae" "b", 0, "a\\u202eb", "a\\u202eb", "a\\u202eb", "a\\u202eb"},          /* right-to-left override */
		{"\xf3\xa0\x80\x81", 0, "\\U000e0001", "\\udb40\\udc01", "\\U000e0001", "\\U000e0001"},
		{"\x7f", 0, "\\x7f", "\\u007f", "\\x7f", "\\x7f"},
	};
	/* clang-format on */
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want[] = {cases[i].shown, cases[i].json, cases[i].tsv, cases[i].csv};
		size_t size = cases[i].size ? cases[i].size : strlen(cases[i].in);

		for (int how = REP_ESCAPE_SHOWN; how <= REP_ESCAPE_CSV; how++) {
			struct tp_buf b = {0};

			assert_int_equal(rep_escape(&b, cases[i].in, size, (enum rep_escape)how),
					 0);
			assert_int_equal(tp_buf_put(&b, "", 1), 0);
			assert_string_equal((char *)b.data, want[how]);
			tp_buf_release(&b);
		}
	}
}

static void test_escape_xml(void **state)
{
	static const char *const cases[][2] = {
	    {"main.main", "main.main"},
	    {"</script><img onerror='x'>", "&lt;/script&gt;&lt;img onerror=&#39;x&#39;&gt;"},
	    {"a&b \"q\" \\", "a&amp;b &quot;q&quot; \\"},
	    {"\x1b<\xff", "\\x1b&lt;\\xff"},
	    {"a\xe2\x80\xae]]>", "a\\u202e]]&gt;"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};

		assert_int_equal(rep_escape(&b, cases[i][0], strlen(cases[i][0]), REP_ESCAPE_XML),
				 0);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((char *)b.data, cases[i][1]);
		tp_buf_release(&b);
	}
}

static void test_text_width_of_scripts(void **state)
{
	(void)state;
	assert_int_equal(rep_text_width("abc", 3), 3);
	assert_int_equal(rep_text_width("grüß", strlen("grüß")), 4);
	assert_int_equal(rep_text_width("世界", strlen("世界")), 4);
	assert_int_equal(rep_text_width("e\xcc\x81", 3), 1);
	assert_int_equal(rep_text_width("🙂", strlen("🙂")), 2);
}

static void test_shorten_ways(void **state)
{
	static const struct {
		const char *in;
		size_t width;
		enum rep_shorten how;
		int ascii;
		const char *want;
	} cases[] = {
	    {"net/http.(*conn).serve", 22, REP_SHORTEN_LEFT, 0, "net/http.(*conn).serve"},
	    {"net/http.(*conn).serve", 10, REP_SHORTEN_LEFT, 0, "…nn).serve"},
	    {"net/http.(*conn).serve", 10, REP_SHORTEN_LEFT, 1, "...).serve"},
	    {"net/http.(*conn).serve", 10, REP_SHORTEN_RIGHT, 0, "net/http.…"},
	    {"net/http.(*conn).serve", 10, REP_SHORTEN_MIDDLE, 0, "net….serve"},
	    {"shop.Sort[go.shape.[]int,shop.Item].func1", 20, REP_SHORTEN_FUNCTION, 0,
	     "shop.Sort[…].func1"},
	    {"shop.Sort[go.shape.[]int,shop.Item].func1", 12, REP_SHORTEN_FUNCTION, 1,
	     ".....].func1"},
	    {"shop.Sort[go.shape.[]int,shop.Item].func1", 40, REP_SHORTEN_MIDDLE, 0,
	     "shop.Sort[go.…ape.[]int,shop.Item].func1"},
	    {"main.open;shop.A[int];[sync]", 20, REP_SHORTEN_FUNCTION, 0, "…en;shop.A[…];[sync]"},
	    {"a[[b]c[d", 4, REP_SHORTEN_FUNCTION, 0, "…c[d"},
	    {"a[]b[i]ccc", 9, REP_SHORTEN_FUNCTION, 0, "…]b[i]ccc"},
	    {"net/http.(*conn).serve", 10, REP_SHORTEN_FUNCTION, 0, "…nn).serve"},
	    {"net.(*FD).Read << main.(*conn).query", 36, REP_SHORTEN_WHERE, 0,
	     "net.(*FD).Read << main.(*conn).query"},
	    {"net.(*FD).Read << main.(*conn).query < main.f", 41, REP_SHORTEN_WHERE, 0,
	     "net.(*FD).Read << main.(*conn).query < m…"},
	    {"net.(*FD).Read << main.(*conn).query < main.f", 36, REP_SHORTEN_WHERE, 0,
	     "net.(*FD).Read << main.(*conn).query"},
	    {"net.(*FD).Read << main.(*conn).query < main.f", 32, REP_SHORTEN_WHERE, 0,
	     "…*FD).Read << main.(*conn).query"},
	    {"net.(*FD).Read << main.(*conn).query", 32, REP_SHORTEN_FUNCTION, 0,
	     "…*FD).Read << main.(*conn).query"},
	    {"net.(*FD).Read << main.(*conn).query", 23, REP_SHORTEN_FUNCTION, 0,
	     "… << main.(*conn).query"},
	    {"net.(*FD).Read << main.(*conn).query < main.f", 24, REP_SHORTEN_WHERE, 1,
	     "....Read << ...nn).query"},
	    {"io.F << main.(*conn).query < main.f", 24, REP_SHORTEN_WHERE, 0,
	     "io.F << …n.(*conn).query"},
	    {"net.(*FD).Read << main.f", 12, REP_SHORTEN_WHERE, 0, "net.(*FD).R…"},
	    {"main.a < main.b", 12, REP_SHORTEN_WHERE, 0, "main.a < ma…"},
	    {"abc", 1, REP_SHORTEN_FUNCTION, 0, "c"},
	    {"bench[case-alpha].trace", 16, REP_SHORTEN_LEFT, 0, "…se-alpha].trace"},
	    {"世界世界", 4, REP_SHORTEN_RIGHT, 0, "世…"},
	    {"世界世界", 4, REP_SHORTEN_LEFT, 0, "…界"},
	    {"abc", 1, REP_SHORTEN_LEFT, 0, "c"},
	    {"abc", 2, REP_SHORTEN_RIGHT, 1, "ab"},
	    {"abc", 0, REP_SHORTEN_RIGHT, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};

		assert_int_equal(rep_shorten(&b, cases[i].in, strlen(cases[i].in), cases[i].width,
					     cases[i].how, cases[i].ascii),
				 0);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((char *)b.data, cases[i].want);
		tp_buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_escape_all_modes),
	    cmocka_unit_test(test_escape_xml),
	    cmocka_unit_test(test_text_width_of_scripts),
	    cmocka_unit_test(test_shorten_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
