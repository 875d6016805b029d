#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/regex.h"

#include "base/buf.h"

/* Results of Go's regexp.MatchString; -1 if Go or tprof rejects the pattern. */
static const struct {
	const char *pattern, *text;
	int matches;
} cases[] = {
    {"main", "main.work", 1},
    {"main", "net/http", 0},
    {"", "anything", 1},
    {"main\\.work", "main.work", 1},
    {"main\\.work", "mainXwork", 0},
    {"main.work", "mainXwork", 1},
    {"^runtime\\.", "runtime.mallocgc", 1},
    {"^runtime\\.", "myruntime.x", 0},
    {"\\(\\*conn\\)", "http.(*conn).serve", 1},
    {"(?i)MAIN", "main.x", 1},
    {"(?i:MAIN)", "main.x", 1},
    {"a(?i)b", "aB", -1},
    {"(?:ab)+c", "ababc", 1},
    {"(?P<x>ab)c", "abc", 1},
    {"(?<x>ab)c", "abc", 1},
    {"(?s)a.b", "a\nb", 1},
    {"\\d+", "func12", 1},
    {"\\D", "12", 0},
    {"^\\w+$", "a_1", 1},
    {"^\\w+$", "a.1", 0},
    {"a\\sb", "a b", 1},
    {"^\\S+$", "a b", 0},
    {"\\bmain\\b", "a main b", 1},
    {"\\bmain\\b", "amain", 0},
    {"\\Amain\\z", "main", 1},
    {"\\Amain\\z", "main ", 0},
    {"a.*?b", "xaxxb", 1},
    {"a+?b??$", "aa", 1},
    {"^a{2}$", "aa", 1},
    {"^a{2,3}?$", "aaaa", 0},
    {"a{,2}", "a{,2}", 1},
    {"interface {}", "interface {}", 1},
    {"\\Qa.b(\\E+", "a.b((", 1},
    {"\\x41\\x{42}", "AB", 1},
    {"^\\x{e9}+$", "\xc3\xa9\xc3\xa9", 1},
    {"a\\tb", "a\tb", 1},
    {"[abc]", "xbx", 1},
    {"[^abc]", "abc", 0},
    {"^[a-c]+$", "abcd", 0},
    {"^[\\d.]+$", "1.2", 1},
    {"^[\\w/]+$", "net/http", 1},
    {"^[]a]+$", "]a", 1},
    {"^[a\\]]+$", "]a", 1},
    {"^[a-]+$", "a-", 1},
    {"^[a\\-c]+$", "b", 0},
    {"^[\\^a]+$", "^a", 1},
    {"[\\^]", "^", 1},
    {"[\\^]", "x", 0},
    {"^[-^]+$", "-^", 1},
    {"^[+--]+$", "+,-", 1},
    {"^[Z-b]+$", "[]^_`a", 1},
    {"^[^\\]]+$", "a]", 0},
    {"^[\\\\]$", "\\", 1},
    {"^[[:alpha:]]+$", "abc", 1},
    {"^[[:word:].]+$", "a_1.b", 1},
    {"[\\n]", "a\nb", 1},
    {"a|b|", "c", 1},
    {"a||b", "c", 1},
    {"(|a)b", "b", 1},
    {"()", "x", 1},
    {"x*", "", 1},
    {"\xc3\xa9", "caf\xc3\xa9", 1},
    {"]", "a]", 1},
    {"}", "a}", 1},
    {"(", "", -1},
    {")", "", -1},
    {"a)b(", "", -1},
    {"[a", "", -1},
    {"[c-a]", "", -1},
    {"*a", "", -1},
    {"a**", "", -1},
    {"(?=a)", "", -1},
    {"\\p{Greek}", "", -1},
    {"\\", "", -1},
    {"\\1", "", -1},
    {"\\y", "", -1},
    {"\\x4", "", -1},
    {"a{1001}", "", -1},
    {"((a{100}){100}){100}", "", -1},
};

static void test_regex(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_err err = {0};
		struct tp_regex r;
		int code = tp_regex_init(&r, cases[i].pattern, "--focus", &err);
		int got = code ? -1 : tp_regex_match(&r, cases[i].text, strlen(cases[i].text));

		if (got != cases[i].matches)
			fail_msg("'%s' on '%s': %d (%s)", cases[i].pattern, cases[i].text, got,
				 err.msg);
		if (code) {
			assert_int_equal(code, TP_EFORMAT);
			assert_non_null(strstr(err.msg, "--focus"));
		}
		tp_regex_release(&r);
	}
}

/* Names of a dump may contain NULs; the bytes after a NUL are matched, too. */
static void test_regex_nul(void **state)
{
	struct tp_err err;
	struct tp_regex r;

	(void)state;
	assert_int_equal(tp_regex_init(&r, "b$", "--hide", &err), 0);
	assert_true(tp_regex_match(&r, "a\0b", 3));
	assert_false(tp_regex_match(&r, "a\0b", 2));
	tp_regex_release(&r);
}

static void test_regex_deep(void **state)
{
	char pattern[600];
	struct tp_err err;
	struct tp_regex r;

	(void)state;
	memset(pattern, '(', 299);
	memset(pattern + 299, ')', 299);
	pattern[598] = '\0';
	assert_int_equal(tp_regex_init(&r, pattern, "--hide", &err), TP_EFORMAT);
	tp_regex_release(&r);
}

/* Patterns for which regcomp would take gigabytes or minutes. */
static void test_regex_costly(void **state)
{
	static const struct {
		const char *before, *again, *behind;
		size_t times;
		int code;
	} forms[] = {
	    {"^(", "a?", ")$", 100, 0},
	    {"^(", "a?", ")$", 30000, TP_EFORMAT},
	    {"", "a|", "b", 1000, 0},
	    {"", "a|", "b", 30000, TP_EFORMAT},
	    {"", "()", "", 30000, TP_EFORMAT},
	    {"", "^", "", 60000, TP_EFORMAT},
	    {"(", "a", "){10}", 1000, 0},
	    {"(", "a", "){1000}", 1000, TP_EFORMAT},
	    {"a", ".+b", "", 500, 0},
	    {"", "[ab]x", "", 5000, 0},
	    /* Rings in a row, nested rings, and repetitions that are not rings. */
	    {"", "(a?b*)*", "", 6, 0},
	    {"", "(a?b*)*", "", 7, TP_EFORMAT},
	    {"", "(a?|b)+", "", 7, TP_EFORMAT},
	    {"", "(|b){2,}", "", 7, TP_EFORMAT},
	    {"", "($)*", "", 7, TP_EFORMAT},
	    {"((((((((a", ")*", ")", 7, 0},
	    {"(((((((((a", ")*", ")", 8, TP_EFORMAT},
	    {"((a?b*)*", "", "){7}", 1, TP_EFORMAT},
	    {"(a*)*(b*)*", "c?", "", 100, 0},
	    {"(a*)*(b*)*", "c?", "", 300, TP_EFORMAT},
	    {"(a*)*", "c?", "", 700, 0},
	    {"(a*)*", "c?", "", 800, TP_EFORMAT},
	    {"", "(a?b)*", "", 100, 0},
	    {"", "(a|bc?)+", "", 100, 0},
	    {"", "(a?){5}", "", 20, 0},
	    {"", "(a?(b|c))*", "", 100, 0},
	};
	struct tp_err err;
	struct tp_regex r;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tp_buf b = {0};

		assert_int_equal(tp_buf_put(&b, forms[i].before, strlen(forms[i].before)), 0);
		for (size_t k = 0; k < forms[i].times; k++)
			assert_int_equal(tp_buf_put(&b, forms[i].again, strlen(forms[i].again)), 0);
		assert_int_equal(tp_buf_put(&b, forms[i].behind, strlen(forms[i].behind) + 1), 0);
		assert_int_equal(tp_regex_init(&r, (char *)b.data, "--hide", &err), forms[i].code);
		tp_regex_release(&r);
		tp_buf_release(&b);
	}
	/* Each + copies its operand: 2^30 copies. */
	assert_int_equal(tp_regex_init(&r,
				       "((((((((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)"
				       "+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+",
				       "--hide", &err),
			 TP_EFORMAT);
	tp_regex_release(&r);
}

/* A text in which a match could begin at every byte takes one pass, not one for each byte. The
 * states that it needs are freed on the way. */
static void test_regex_long(void **state)
{
	size_t n = 50 * (size_t)1000 * 1000;
	char *text = malloc(n + 1);
	struct tp_err err;
	struct tp_regex r;
	uint32_t seed = 1;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = seed >> 31 ? 'a' : 'b';
	}
	text[n] = '\0'; /* regexec needs no NUL, but the address sanitizer looks for one */
	assert_int_equal(tp_regex_init(&r, "(a|b)*a(a|b){12}c", "--hide", &err), 0);
	tp_regex_most_ns = INT64_MAX / 2; /* however slow the machine is */
	assert_false(tp_regex_match(&r, text, n));
	for (size_t i = 0; i < 20; i++)
		assert_false(tp_regex_match(&r, text + i * 4000, 4000));
	text[n - 1] = 'c';
	assert_true(tp_regex_match(&r, text + n - 60000, 60000)); /* a stack as text */
	assert_true(tp_regex_match(&r, text + n - 4000, 4000));
	tp_regex_most_ns = INT64_C(2000000000);
	tp_regex_release(&r);
	free(text);
}

/* A match that takes too long fails, and so do all later ones; they do not return "no match". */
static void test_regex_slow(void **state)
{
	int64_t most = tp_regex_most_ns;
	struct tp_err err;
	struct tp_regex r;

	(void)state;
	assert_int_equal(tp_regex_init(&r, "a.*c", "--hide", &err), 0);
	assert_int_equal(tp_regex_find(&r, "abc", 3), 1);
	assert_int_equal(tp_regex_settle(&r, &err), 0);
	tp_regex_most_ns = INT64_MIN / 2;
	assert_int_equal(tp_regex_find(&r, "abc", 3), TP_ELIMIT);
	tp_regex_most_ns = most;
	assert_int_equal(tp_regex_settle(&r, &err), TP_ELIMIT);
	assert_non_null(strstr(err.msg, "takes too long"));
	tp_regex_release(&r);
}

#ifdef __GLIBC__ /* other libraries have no table of states */
/* Names that need a new state at every byte would take a minute. */
static void test_regex_states(void **state)
{
	enum { SIZE = 8000, MOST = 400 };
	char *text = malloc(SIZE + 1);
	struct tp_err err;
	struct tp_regex r;
	int64_t most = tp_regex_most_ns;
	uint32_t seed = 1;
	int found = 0;

	(void)state;
	assert_non_null(text);
	text[SIZE] = '\0';
	assert_int_equal(tp_regex_init(&r, "(a|b)*a(a|b){16}c", "--hide", &err), 0);
	tp_regex_most_ns = most / 10;
	for (size_t i = 0; i < MOST && !found; i++) {
		for (size_t k = 0; k < SIZE; k++) {
			seed = seed * 1664525 + 1013904223;
			text[k] = seed >> 31 ? 'a' : 'b';
		}
		found = tp_regex_find(&r, text, SIZE);
	}
	tp_regex_most_ns = most;
	assert_int_equal(found, TP_ELIMIT);
	tp_regex_release(&r);
	free(text);
}
#endif

#define EMPTY_TEXTS 300000

static int64_t look_at_empty(struct tp_regex *r)
{
	clock_t began = clock();

	for (size_t i = 0; i < EMPTY_TEXTS; i++)
		tp_regex_find(r, "", 0);
	return (int64_t)(clock() - began) * (1000000000 / CLOCKS_PER_SEC);
}

/* An empty text counts as a byte, so it raises the limit by its share of the time. Here the limit
 * is half the time that the texts have just taken on this machine, and the share is four times the
 * time of one text. Without the shares, the texts always take too long. */
static void test_regex_empty(void **state)
{
	int64_t most = tp_regex_most_ns, per_byte = tp_regex_ns_per_byte, took;
	struct tp_err err;
	struct tp_regex r;

	(void)state;
	assert_int_equal(tp_regex_init(&r, "^$|a", "--hide", &err), 0);
	took = look_at_empty(&r);
	tp_regex_release(&r);
	for (int shares = 0; shares < 2; shares++) {
		tp_regex_most_ns = took / 2;
		tp_regex_ns_per_byte = shares ? 4 * took / EMPTY_TEXTS : 0;
		assert_int_equal(tp_regex_init(&r, "^$|a", "--hide", &err), 0);
		/* Five times the work certainly exceeds half the time. */
		for (int k = 0; k < (shares ? 1 : 5); k++)
			look_at_empty(&r);
		assert_int_equal(tp_regex_settle(&r, &err), shares ? 0 : TP_ELIMIT);
		tp_regex_release(&r);
	}
	tp_regex_most_ns = most;
	tp_regex_ns_per_byte = per_byte;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef __GLIBC__
	    cmocka_unit_test(test_regex_states),
#endif
	    cmocka_unit_test(test_regex_slow),	 cmocka_unit_test(test_regex_empty),
	    cmocka_unit_test(test_regex),	 cmocka_unit_test(test_regex_nul),
	    cmocka_unit_test(test_regex_deep),	 cmocka_unit_test(test_regex_costly),
	    cmocka_unit_test(test_regex_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
