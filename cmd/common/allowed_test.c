/* The commands that may be run for others, and their command lines. */
#include "common/allowed.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* "NAME WORD|WORD|…" */
static struct cmd_words words;
static char text[400];

static const struct cmd_allowed *split(const char *line)
{
	char *at;

	snprintf(text, sizeof(text), "%s", line);
	at = strchr(text, ' ');
	words.n = 0;
	*at++ = '\0';
	if (!*at)
		at = NULL;
	while (at && words.n < CMD_WORDS)
		words.word[words.n++] = strsep(&at, "|");
	return cmd_allowed(text);
}

static void test_command_lines(void **state)
{
	static const struct {
		const char *asked, *line;
	} tests[] = {
	    {"top @", "tprof-top s"},
	    {"top --json-head|-n20|@3|block", "tprof-top --json-head -n20 --run=3 s block"},
	    {"top --from=1ms|--to=2ms|--goroutine=^a b$|@",
	     "tprof-top --from=1ms --to=2ms --goroutine=^a b$ s"},
	    {"top --list=^main$|@", "tprof-top --source-path=/src --source-within --list=^main$ s"},
	    {"path --slowest|@", "tprof-path --slowest s"},
	    {"path --slowest=3|@1|hops", "tprof-path --slowest=3 --run=1 s hops"},
	    {"diff @1|@2|--changed", "tprof-diff --base-label=1 --label=2 s --changed"},
	    {"diff --base-label=a=b|--label=a=c|@", "tprof-diff --base-label=a=b --label=a=c s"},
	    {"flame @12|@9|--view=wall", "tprof-flame --base-label=12 --label=9 s --view=wall"},
	    {"leaks --run=all|@", "tprof-leaks --run=all s"},
	    {"query @|SELECT '@', 1", "tprof-query s SELECT '@', 1"},
	    {"store list|@", "tprof-store list s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const struct cmd_allowed *c = split(tests[i].asked);
		struct cmd_line line;
		char all[400] = "";
		struct tp_err err = {.msg = ""};

		assert_non_null(c);
		if (cmd_allowed_check(c, &words, &err))
			fail_msg("%s: %s", tests[i].asked, err.msg);
		cmd_allowed_line(c, &words, "s", "--source-path=/src", &line);
		for (size_t k = 0; line.word[k]; k++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", k ? " " : "",
				 line.word[k]);
		assert_string_equal(all, tests[i].line);
	}
}

static void test_command_refuses(void **state)
{
	static const char *const wrong[] = {
	    "top ",
	    "top groups|@",
	    "top @|@",
	    "top @1|@2",
	    "top @|/etc/passwd",
	    "top @|heap.pb.gz",
	    "top @|block|locks",
	    "top @|groups goroutines",
	    "top @|",
	    "top @x",
	    "top @-1",
	    "top @1x",
	    "top -|@",
	    "top --|@",
	    "top -o|x|@",
	    "top --output=x|@",
	    "top --disasm=x|@",
	    "top --binary=/bin/ls|@",
	    "top --base=/etc/passwd|@",
	    "top --source-path=/|@",
	    "top --symbol-path=/|@",
	    "top --run|1|@",
	    "top --from|1s|@",
	    "top --cum=1|@",
	    "top --rows|@",
	    "top -n|@",
	    "top -n-1|@",
	    "top -n1x|@",
	    "top -nbase=x|@",
	    "top --=x|@",
	    "top -- --json-head|@",
	    "top --lis=x|@",
	    "top --slowest[=1|@",
	    "top --help|@",
	    "top -top|@",
	    "path --output=x.svg|@",
	    "path --output|x.svg|@",
	    "leaks --allow=/etc/passwd|@",
	    "diff @1|@2|@3",
	    "diff @1|--sum|@2",
	    "diff @|@2",
	    "diff @1|@",
	    "diff @|/etc/passwd",
	    "diff @|--|/etc/passwd",
	    "diff --base|x|@",
	    "flame -o|x|@",
	    "flame --output=x|@",
	    "flame @|x",
	    "query @",
	    "query SELECT 1|@",
	    "query @|a|b",
	    "query --write|@|x",
	    "query --file=/etc/passwd|@",
	    "query -f|x|@|x",
	    "store @",
	    "store list",
	    "store delete|@",
	    "store list|@|x",
	    "store cache|--empty",
	    "store compact|@",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct cmd_allowed *c = split(wrong[i]);

		assert_non_null(c);
		if (!cmd_allowed_check(c, &words, NULL))
			fail_msg("may be asked: %s", wrong[i]);
	}
	assert_null(cmd_allowed(""));
	assert_null(cmd_allowed("import"));
	assert_null(cmd_allowed("record"));
	assert_null(cmd_allowed("export"));
	assert_null(cmd_allowed("../top"));
}

static void test_command_types(void **state)
{
	static const char *const tests[][2] = {
	    {"top @", "text/plain; charset=utf-8"},
	    {"top --json-head|@", "application/json"},
	    {"top --format=json|@", "application/json"},
	    {"flame @", "image/svg+xml"},
	    {"flame --format=svg|@", "image/svg+xml"},
	    {"flame --format=speedscope|@", "application/json"},
	    {"flame --format=frames|@", "application/json"},
	    {"flame --format=html|@", "text/plain; charset=utf-8"},
	    {"flame --format=folded|@", "text/plain; charset=utf-8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const struct cmd_allowed *c = split(tests[i][0]);

		assert_string_equal(cmd_allowed_type(c, &words), tests[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_command_lines),
	    cmocka_unit_test(test_command_refuses),
	    cmocka_unit_test(test_command_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
