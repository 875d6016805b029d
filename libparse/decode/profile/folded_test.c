/* Folded stacks, as their producers write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "decode/profile/testing.h"

static const struct {
	const char *story, *text, *shows;
} cases[] = {
    {"blanks in names; empty frames are none; comments, blank lines and CRLF",
     "# by hand\r\n"
     "main;operator new(unsigned long);f 3\r\n"
     "\r\n"
     ";main;;f g; 4\r\n",
     "samples/count per / 0\n"
     "3: f < operator new(unsigned long) < main\n"
     "4: f g < main\n"},
    {"suffixes: kernel, code that was made at run time, inlined; a caller of a kernel's frame",
     "a;b_[j];c_[i];d_[i];e_[k] 1\n"
     "a_[0];b_[1];_[k] 2\n",
     "samples/count per / 0\n"
     "1: 0x0#3 e < 0x0#2 d+c+b < a\n"
     "2: _[k] < 0x0#2 b < 0x0#4 a\n"
     "map 0-0 0  \n"
     "map 0-0 0 [jit] \n"
     "map 0-0 0 [kernel.kallsyms] \n"
     "map 0-0 0 [interpreted] \n"},
    {"files and lines of py-spy, heaptrack and rbspy, and what only looks like them",
     "<module> (a b.py:10);f (x.c);operator() (int);g (a.b, c) 7\n"
     "<main> - /x/y.rb:12;a - b;- c:3;(d:4) 1\n",
     "samples/count per / 0\n"
     "7: g (a.b, c) < operator() (int) < f@x.c:0 < <module>@a b.py:10\n"
     "1: (d:4) < - c:3 < a - b < <main>@/x/y.rb:12\n"},
    {"two columns, if each line has two", "a;b 1 20\na;b 3 0 5\n",
     "before/count after/count per / 0\n"
     "1 20: b < a\n"
     "0 5: b 3 < a\n"},
    {"one line has one column: the other's last frame ends in a number", "a;b 1 20\na;b 5\n",
     "samples/count per / 0\n"
     "20: b 1 < a\n"
     "5: b < a\n"},
    {"fractions have the least unit of three that holds them all", "a;b 1.5\na;c 2.\na;d 0.0625\n",
     "samples/millionths per / 0\n"
     "1500000: b < a\n"
     "2000000: c < a\n"
     "62500: d < a\n"},
    {"the unit holds the largest count; smaller ones are rounded",
     "main;a 12345678901.5\nmain;b 0.1234567891\n",
     "samples/millionths per / 0\n12345678901500000: a < main\n123457: b < main\n"},
    {"versions in brackets are no files; a name may begin with '#'",
     "#foo;GC (1.2);python 3 (v3.11) 2\n# foo 3\n",
     "samples/count per / 0\n2: python 3 (v3.11) < GC (1.2) < #foo\n"},
    {"fractions of more than nine places are rounded", "a;b 0.1234567895\na;c 1.0000000004\n",
     "samples/billionths per / 0\n"
     "123456790: b < a\n"
     "1000000000: c < a\n"},
    {"a line of something else is lost, and numbers that do not fit",
     "a;b 1\nlistening\na;c 2\na;d 9223372036854775807\na;e 9223372036854775808\na;f 1\na;g 1\n"
     "a;h 1\n",
     "samples/count per / 0\n"
     "1: b < a\n"
     "2: c < a\n"
     "9223372036854775807: d < a\n"
     "1: f < a\n"
     "1: g < a\n"
     "1: h < a\n"
     "lost line 2 is not a stack and a count (main;f;g 12)\n"
     "lost line 5 has a count of more digits than fit 64 bits\n"},
    {"no unit for fractions holds the largest count: all are rounded",
     "a;b 9223372036854776\na;c 0.001\n",
     "samples/count per / 0\n"
     "9223372036854776: b < a\n"
     "0: c < a\n"},
    {"the last line is cut off", "a;b 1\na;c 2\na;",
     "samples/count per / 0\n"
     "1: b < a\n"
     "2: c < a\n"
     "lost line 3 is not a stack and a count (main;f;g 12)\n"},
    {"mangled names are left to the reports", "_ZN1a1bEv_[k];_RNvC1a1b 1\n",
     "samples/count per / 0\n"
     "1: _RNvC1a1b < 0x0#2 _ZN1a1bEv\n"
     "map 0-0 0  \n"
     "map 0-0 0 [kernel.kallsyms] \n"},
};

static void test_folded_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = show_read(cases[i].text, strlen(cases[i].text), false);

		if (strcmp(got, cases[i].shows) != 0)
			fail_msg("%s:\ngot\n%sbut not\n%s", cases[i].story, got, cases[i].shows);
		free(got);
	}
}

static void test_folded_read_strictly(void **state)
{
	static const char text[] = "a;b 1\na;b 2\na;b 3\na;b 4\nlistening\n";
	char *got = show_read(text, strlen(text), true);

	(void)state;
	assert_string_equal(got, "error -3: line 5 is not a stack and a count (main;f;g 12)\n");
	free(got);
}

static void test_folded_read_cut_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t n = strlen(cases[i].text); n--;) {
			/* A separate copy, so that a sanitizer sees reads beyond its end. */
			char *data = malloc(n ? n : 1);

			memcpy(data, cases[i].text, n);
			free(show_read(data, n, false));
			free(data);
		}
	}
}

static void test_folded_read_long_lines(void **state)
{
	static const char *const again[] = {";",       "a_[i];",   "a - b", " - ",
					    "a (b.c)", "a (b:1);", "_[k];", "1 "};

	(void)state;
	for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
		struct tp_buf text = {0};
		char *got;

		say(&text, "a;b;");
		for (int n = 0; n < 300000; n++)
			say(&text, "%s", again[i]);
		say(&text, "b 1\n");
		got = show_read(text.data, text.size, true);
		assert_int_equal(strncmp(got, "samples/count per / 0\n1: ", 25), 0);
		free(got);
		tp_buf_release(&text);
	}
}

static void test_folded_is_not(void **state)
{
	static const char *const texts[] = {
	    "main 12\nf 3\n",	     /* no ';': any list of words and numbers */
	    "a;b;c\n1;2;3\n4;5;6\n", /* CSV */
	    "int main(void) {\n\tx = 1; y = 2;\n}\n",
	    "a;b 1\nlistening\nagain\n",
	    "# a;b 1\n",
	    "a;b -1\n",
	    "a;b 1\n\001\n",
	    "\"GET /a;jsessionid=1\" 200 12\n\"GET /b\" 200 3\n\"GET /c\" 200 4\n",
	    "usb 1-1: new device; number 3\nusb 1-2: new device; number 4\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *got = show_read(texts[i], strlen(texts[i]), false);

		assert_string_equal(got, "error -11: is not a profile of a known kind\n");
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_folded_read),
	    cmocka_unit_test(test_folded_read_strictly),
	    cmocka_unit_test(test_folded_read_cut_anywhere),
	    cmocka_unit_test(test_folded_read_long_lines),
	    cmocka_unit_test(test_folded_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
