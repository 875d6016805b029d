/* The library is not part of librecord.a: what is tested comes along. */
#include "tprof-record/preload/environment.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void forget(void)
{
	record_text[0] = preload_text[0] = 0;
	memset(library, 0, sizeof(library));
}

static void join(char *to, char *const *env)
{
	*to = 0;
	for (; *env; env++) {
		strcat(to, *env);
		strcat(to, "|");
	}
}

/* An environment of entries that can be written to, as a process has it. */
static char **make(const char *text, char *space, char **env)
{
	size_t n = 0;

	strcpy(space, text);
	for (char *s = strtok(space, "|"); s; s = strtok(NULL, "|"))
		env[n++] = s;
	env[n] = NULL;
	return env;
}

static void test_take(void **unused)
{
	static const struct {
		const char *env;
		bool follows;
		const char *left;
	} cases[] = {
	    {"A=1|TPROF_RECORD=x trace=1|LD_PRELOAD=/l/tprof-preload.so|B=2", false, "A=1|B=2|"},
	    {"LD_PRELOAD=a.so:/l/tprof-preload.so:b.so|TPROF_RECORD=x", false,
	     "LD_PRELOAD=a.so:b.so|"},
	    {"LD_PRELOAD=tprof-preload.so a.so|TPROF_RECORD=x", false, "LD_PRELOAD=a.so|"},
	    {"LD_PRELOAD=/l/not-tprof-preload.so|TPROF_RECORD=x", false,
	     "LD_PRELOAD=/l/not-tprof-preload.so|"},
	    {"TPROF_RECORD=x|LD_PRELOAD=/l/tprof-preload.so", true,
	     "TPROF_RECORD=x again=1|LD_PRELOAD=/l/tprof-preload.so|"},
	    /* The runtime of a sanitizer, which is for this program alone. */
	    {"TPROF_RECORD=x|LD_PRELOAD=libasan.so.8:/l/tprof-preload.so", false, ""},
	    {"TPROF_RECORD=x|LD_PRELOAD=libtsan.so.2:/l/tprof-preload.so:b.so", true,
	     "TPROF_RECORD=x again=1|LD_PRELOAD=/l/tprof-preload.so:b.so|"},
	    {"TPROF_RECORD=x|LD_PRELOAD=/l/tprof-preload.so:libasan.so.8", false,
	     "LD_PRELOAD=libasan.so.8|"},
	    {"TPROF_RECORD=x", true, ""}, /* nobody could be followed */
	    {"A=1|LD_PRELOAD=/l/tprof-preload.so", false, "A=1|LD_PRELOAD=/l/tprof-preload.so|"},
	    {"", false, ""},
	};

	(void)unused;
	for (size_t i = 0; i < N(cases); i++) {
		char space[256], text[256], *env[8];

		forget();
		environment_take(make(cases[i].env, space, env), " again=1", cases[i].follows);
		join(text, env);
		assert_string_equal(text, cases[i].left);
	}
}

static void test_take_too_long(void **unused)
{
	static char space[4096], text[4096];
	char *env[8];

	(void)unused;
	forget();
	memset(text, 'x', 2000);
	memcpy(text, "TPROF_RECORD=", 13);
	strcpy(text + 2000, "|LD_PRELOAD=/l/tprof-preload.so");
	assert_false(environment_take(make(text, space, env), "", true));
	assert_null(env[0]);
	assert_int_equal(environment_lack(env, true), 0);
}

static void test_complete(void **unused)
{
	static const struct {
		const char *env, *whole;
	} cases[] = {
	    {"A=1", "A=1|TPROF_RECORD=x again=1|LD_PRELOAD=c.so:/l/tprof-preload.so|"},
	    {"", "TPROF_RECORD=x again=1|LD_PRELOAD=c.so:/l/tprof-preload.so|"},
	    {"LD_PRELOAD=a.so|B=2",
	     "LD_PRELOAD=/l/tprof-preload.so:a.so|B=2|TPROF_RECORD=x again=1|"},
	    {"LD_PRELOAD=/l/tprof-preload.so",
	     "LD_PRELOAD=/l/tprof-preload.so|TPROF_RECORD=x again=1|"},
	    {"TPROF_RECORD=y|LD_PRELOAD=/l/tprof-preload.so",
	     "TPROF_RECORD=y|LD_PRELOAD=/l/tprof-preload.so|"},
	    {"TPROF_RECORDS=y|LD_PRELOADED=z", "TPROF_RECORDS=y|LD_PRELOADED=z|TPROF_RECORD=x "
					       "again=1|LD_PRELOAD=c.so:/l/tprof-preload.so|"},
	};
	char space[256], *env[8];

	(void)unused;
	forget();
	environment_take(make("TPROF_RECORD=x|LD_PRELOAD=c.so:/l/tprof-preload.so", space, env),
			 " again=1", false);
	for (size_t i = 0; i < N(cases); i++) {
		char text[256];
		size_t size = environment_lack(make(cases[i].env, space, env), true);
		void *room = malloc(size + 1);

		assert_non_null(room);
		join(text, size ? environment_complete(room, env, true) : env);
		free(room);
		assert_string_equal(text, cases[i].whole);
	}
}

static void test_strip(void **unused)
{
	static const struct {
		const char *env, *left;
	} cases[] = {
	    {"A=1|LD_PRELOAD=c.so", "A=1|LD_PRELOAD=c.so|"},
	    {"TPROF_RECORD=x|A=1|LD_PRELOAD=/l/tprof-preload.so|B=2", "A=1|B=2|"},
	    {"LD_PRELOAD=a.so:/l/tprof-preload.so:b.so|LD_PRELOAD=/l/tprof-preload.so:c.so",
	     "LD_PRELOAD=a.so:b.so|LD_PRELOAD=c.so|"},
	    {"", ""},
	};
	char space[256], *env[8];

	(void)unused;
	for (size_t i = 0; i < N(cases); i++) {
		char text[256];
		size_t size = environment_lack(make(cases[i].env, space, env), false);
		void *room = malloc(size + 1);

		assert_non_null(room);
		join(text, size ? environment_complete(room, env, false) : env);
		free(room);
		assert_string_equal(text, cases[i].left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_take),
	    cmocka_unit_test(test_take_too_long),
	    cmocka_unit_test(test_complete),
	    cmocka_unit_test(test_strip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
