#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "open/log.h"

/* Compares the lines returned with `shows`. Marks before lines: ! is TP_LOG_ALIEN, % a string
 * without an end, $ the end of a string. */
static void expect(const char *story, const void *data, size_t size, const char *shows)
{
	char *own = malloc(size ? size : 1);
	struct tp_buf out = {0};
	struct tp_log l;
	int code;

	memcpy(own, data, size);
	tp_log_init(&l, own, size);
	while ((code = tp_log_next(&l)) > 0) {
		static const char *const marks[] = {"", "!", "%", "$"};

		tp_buf_put(&out, marks[l.kind], strlen(marks[l.kind]));
		tp_buf_put(&out, l.text.at, tp_scan_left(&l.text));
		tp_buf_put(&out, "\n", 1);
		assert_true(l.offset + l.bytes <= size);
	}
	assert_int_equal(code, 0);
	tp_buf_put(&out, "", 1);
	if (strcmp((const char *)out.data, shows) != 0)
		fail_msg("%s:\n%s", story, (const char *)out.data);
	tp_log_release(&l);
	tp_buf_release(&out);
	free(own);
}

#define H     "goroutine 1 [running]:"
#define STACK H "\nmain.f()\n\tx.go:1 +0x1\n"

static void test_log_next_forms(void **state)
{
	static const struct {
		const char *story, *text, *shows;
	} files[] = {
	    {"plain", STACK, STACK},
	    {"ends of lines: CRLF, CR CR LF", H "\r\nmain.f()\r\r\n", H "\nmain.f()\n"},
	    {"ends of lines: CR", H "\rmain.f()\r", H "\nmain.f()\n"},
	    {"BOM, odd blanks",
	     "\xef\xbb\xbfgoroutine\xc2\xa0"
	     "1 [running]:\n",
	     H "\n"},
	    {"colours", "\033[1;31m" H "\033[0m\n\033[36mmain.f()\033[K\n", H "\nmain.f()\n"},
	    {"a string for the terminal", "\033]0;title\007" H "\n\033_bk;t=1\033\\main.f()\n",
	     H "\nmain.f()\n"},
	    {"one that never ends", H "\n\033]0;main.f()\n", H "\n!0;main.f()\n"},
	    {"colours that lost ESC", "[31m" H "[0m\n", H "\n"},
	    {"a prefix whose numbers vary",
	     "Jan 31 09:59 n d[1]: " H "\nFeb 1 10:00 n d[1]: main.f()\n", H "\nmain.f()\n"},
	    {"what lacks it is alien", "n app[1]: " H "\nn app[1]: main.f()\nn web[1]: bye\n",
	     H "\nmain.f()\n!n web[1]: bye\n"},
	    {"a prefix of the first line only",
	     "x_test.go:1: " H "\n    main.f()\n    \tx.go:1 +0x1\n", STACK},
	    {"containers of docker compose: the first that has a stack",
	     "shop-2  | goroutine 3 [idle] waits\ndb-1 | x\nshop-1  | " H "\nshop-2  | " H
	     "\nshop-1  | "
	     "main.f()\nshop-1  |\nx\n",
	     "goroutine 3 [idle] waits\ndb-1 | x\n" H "\nmain.f()\n\n!x\n"},
	    {"pods of kubectl",
	     "[pod/a/c] " H "\n[pod/b/c] " H "\n[pod/b/c] main.g()\n[pod/a/c] main.f()\n",
	     H "\nmain.f()\n"},
	    {"a level is no container", "INFO | " H "\nERROR | main.f()\n", H "\nmain.f()\n"},
	    {"parts of CRI",
	     "2026-01-01T00:00:00.1Z stderr F " H "\n2026-01-01T00:00:00.2Z stderr P created \n"
	     "2026-01-01T00:00:00.2Z stderr P by main.\n2026-01-01T00:00:00.3Z stderr F f\n",
	     H "\ncreated by main.f\n"},
	    {"a part of CRI at the end", "2026-01-01T00:00:00.1Z stderr P " H, H "\n"},
	    {"quoted mail", "> " H "\n> main.f()\n>\n", H "\nmain.f()\n\n"},
	    {"grep's context", "a.log:7:" H "\na.log-8-main.f()\n", H "\nmain.f()\n"},
	    {"goleak", "[Goroutine 1 in state running, with f on top of the stack:\nmain.f()\n",
	     H "\nmain.f()\n"},
	    {"JSON by its key",
	     "{\"a\":1,\"log\":\"" H "\\n\"}\n{\"log\":\"main.f()\\n\",\"b\":2}\n",
	     H "\nmain.f()\n"},
	    {"a record without the key is alien, a brace is not",
	     "{\"log\":\"" H "\"}\n{\"msg\":\"x\"}\n{\n{}\n\"b\": 2,\n},\n",
	     H "\n!{\"msg\":\"x\"}\n"},
	    {"a number is no text, nor a list of them that are no bytes",
	     "{\"m\":\"" H "\"}\n{\"m\":7}\n{\"m\":[65,300]}\n",
	     H "\n!{\"m\":7}\n!{\"m\":[65,300]}\n"},
	    {"a list of bytes, and an empty one",
	     "{\"m\":\"" H "\"}\n{\"m\":[102, 40, 41]}\n{\"m\":[]}\n", H "\nf()\n\n"},
	    {"the dump in a string", "{\"s\":\"" H "\\nmain.f()\\n\\u0009x.go:1 +0x1\"}\n",
	     "$\n" STACK "$\n"},
	    {"JSON in JSON", "{\"log\":\"{\\\"s\\\":\\\"" H "\\\\nmain.f()\\\"}\\n\"}\n",
	     "$\n" H "\nmain.f()\n$\n"},
	    {"a string without an end", "{\"s\":\"" H "\\nmain.f(0x\n",
	     "$\n" H "\nmain.f(0x\n%\n$\n"},
	    {"logfmt", "t=1 msg=\"" H "\" n=1\nt=2 msg=main.f() n=1\n", H "\nmain.f()\n"},
	    {"a bare string", "  \"" H "\\n\" +\n  \"main.f()\\n\"\n", H "\nmain.f()\n"},
	    {"escapes without quotes", "d: " H "\\nmain.f()\\n\\tx.go:1 +0x1\n", "$\n" STACK "$\n"},
	    {"rsyslog's", "d: " H "#012main.f()\n", "$\n" H "\nmain.f()\n$\n"},
	    {"entities", H "&#xA;main.f()&#10;&lt;x&gt;\n", "$\n" H "\nmain.f()\n<x>\n$\n"},
	};
	static const char nul[] = "{\"m\":\"" H "\"}\n\0x\n";

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		expect(files[i].story, files[i].text, strlen(files[i].text), files[i].shows);
	expect("NUL holds no JSON together", nul, sizeof(nul) - 1, H "\n!");
}

/* Docker's parts of a line are joined. A long string that ends a line is not such a part. */
static void test_log_next_docker_parts(void **state)
{
	static const char first[] = "{\"log\":\"" H "\\n\"}\n{\"log\":\"main.f(";
	struct tp_buf text = {0}, shows = {0};

	(void)state;
	tp_buf_put(&text, first, sizeof(first) - 1);
	tp_buf_put(&shows, H "\nmain.f(", sizeof(H "\nmain.f(") - 1);
	for (int i = 0; i < 16384 - 7; i++) {
		tp_buf_put(&text, "x", 1);
		tp_buf_put(&shows, "x", 1);
	}
	tp_buf_put(&text, "\"}\n{\"log\":\")\\n\"}\n{\"log\":\"y\"}\n",
		   sizeof("\"}\n{\"log\":\")\\n\"}\n{\"log\":\"y\"}\n") - 1);
	tp_buf_put(&shows, ")\ny\n", sizeof(")\ny\n"));
	expect("parts of docker", text.data, text.size, (const char *)shows.data);
	tp_buf_release(&text);
	tp_buf_release(&shows);
}

/* UTF-16 of either byte order, with and without a byte order mark; an odd byte; half a surrogate pair. */
static void test_log_next_utf16(void **state)
{
	static const char text[] = STACK STACK STACK STACK STACK;
	char wide[2 * sizeof(text) + 8];

	(void)state;
	for (int big = 0; big < 2; big++) {
		for (int mark = 0; mark < 2; mark++) {
			size_t n = 0;

			if (mark) {
				wide[n++] = big ? '\xfe' : '\xff';
				wide[n++] = big ? '\xff' : '\xfe';
			}
			for (size_t i = 0; text[i]; i++) {
				wide[n + (size_t)big] = text[i];
				wide[n + !big] = '\0';
				n += 2;
			}
			expect("UTF-16", wide, n, text);
			expect("UTF-16, cut", wide, n - 1, text);
		}
	}
	expect("half a pair", "\xff\xfe\x61\0\0\xd8", 6, "a\xef\xbf\xbd\n");
}

/* Each of these took time that grows with the square of the size. */
static void test_log_has_dump_time(void **state)
{
	static const char *const parts[] = {"foo\\n", "\\n", "goroutine 1 [x\\n", "\""};
	clock_t begin = clock();

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct tp_buf text = {0};

		tp_buf_put(&text, "{\"a\":\"" H, strlen("{\"a\":\"" H));
		while (text.size < 400000)
			tp_buf_put(&text, parts[i], strlen(parts[i]));
		assert_false(tp_log_has_dump(text.data, text.size));
		tp_buf_release(&text);
	}
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_log_next_forms),
	    cmocka_unit_test(test_log_next_docker_parts),
	    cmocka_unit_test(test_log_next_utf16),
	    cmocka_unit_test(test_log_has_dump_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
