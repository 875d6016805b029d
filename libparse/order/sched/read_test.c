/* Reads small texts as perf script prints them; the expected result is the listing (order/listing.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "order/listing.h"
#include "order/read.h"

struct heard {
	struct tp_trace trace;
	struct tp_buf lines;
};

static int hear(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct heard *h = ctx;
	const struct tp_trace *t = &h->trace;
	struct tp_listing l = {.dict = t->dict,
			       .g_id = t->g_id,
			       .m_id = t->m_id,
			       .p_id = t->p_id,
			       .ng = t->ng,
			       .nm = t->nm,
			       .np = t->np};

	(void)err;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tp_listing_line(&l, &ev[i], &h->lines), 0);
	return 0;
}

/* Returns the code of reading a text; the caller releases *h. */
static int listen(struct heard *h, const char *text, bool strict, struct tp_err *err)
{
	struct tp_input in = {.data = (const uint8_t *)text, .size = strlen(text)};
	struct tp_trace_options how = {.strict = strict};
	struct tp_sink sink = {.events = hear, .ctx = h};

	memset(h, 0, sizeof(*h));
	return tp_trace_read(&in, &how, &h->trace, &sink, err);
}

static void release(struct heard *h)
{
	tp_trace_release(&h->trace);
	tp_buf_release(&h->lines);
}

/* Checks what a text becomes; spaces stand for tabs. */
static void check(const char *text, const char *expect)
{
	struct heard h;
	struct tp_err err;

	assert_int_equal(listen(&h, text, false, &err), 0);
	assert_int_equal(tp_buf_put(&h.lines, "", 1), 0);
	for (char *p = (char *)h.lines.data; *p; p++)
		if (*p == '\t')
			*p = ' ';
	assert_string_equal((char *)h.lines.data, expect);
	release(&h);
}

#define LINE(who, cpu, us, event) who " [" cpu "] 1." us ": sched:sched_" event "\n"
#define SWITCH(cpu, us, a, x, state, b, y)                                                         \
	LINE(a " " x, cpu, us, "switch: " a ":" x " [120] " state " ==> " b ":" y " [120]")
#define WAKING(cpu, us, a, x, b, y)                                                                \
	LINE(a " " x, cpu, us, "waking: comm=" b " pid=" y " prio=120 target_cpu=000")

/* A thread is woken by another, runs, is preempted, and ends. */
static void test_read_life(void **state)
{
	(void)state;
	check(WAKING("000", "000001", "a", "7", "b", "8")
		  SWITCH("000", "000002", "a", "7", "S", "b", "8")
		      SWITCH("000", "000003", "b", "8", "R+", "swapper/0", "0")
			  SWITCH("000", "000004", "swapper/0", "0", "R", "b", "8")
			      SWITCH("000", "000005", "b", "8", "Z", "swapper/0", "0"),
	      "1000001000 -1 0 -1 Metric \"/sched/gomaxprocs:threads\" 1 \n"
	      "1000001000 -1 0 -1 StateTransition P 0 Undetermined->Running \"\" \n"
	      "1000001000 -1 0 7 StateTransition G 7 Undetermined->Running \"\" a:0\n"
	      "1000001000 -1 -1 8 StateTransition G 8 Undetermined->Waiting \"\" b:0\n"
	      "1000001000 -1 0 7 StateTransition G 8 Waiting->Runnable \"\" a:0\n"
	      "1000002000 -1 0 7 StateTransition G 7 Running->Waiting \"interruptible (S)\" a:0\n"
	      "1000002000 -1 0 8 StateTransition G 8 Runnable->Running \"\" \n"
	      "1000003000 -1 0 8 StateTransition G 8 Running->Runnable \"preempted\" b:0\n"
	      "1000003000 -1 0 -1 StateTransition P 0 Running->Idle \"\" \n"
	      "1000004000 -1 0 -1 StateTransition P 0 Idle->Running \"\" \n"
	      "1000004000 -1 0 8 StateTransition G 8 Runnable->Running \"\" \n"
	      "1000005000 -1 0 8 StateTransition G 8 Running->NotExist \"\" b:0\n"
	      "1000005000 -1 0 -1 StateTransition P 0 Running->Idle \"\" \n");
}

/* A thread that is woken on its way off the processor becomes runnable when it runs. */
static void test_read_early_wakeup(void **state)
{
	struct heard h;
	struct tp_err err;

	(void)state;
	assert_int_equal(listen(&h,
				SWITCH("000", "000001", "x", "5", "S", "a",
				       "7") SWITCH("001", "000001", "y", "6", "S", "b",
						   "8") WAKING("001", "000002", "b", "8", "a", "7")
				    SWITCH("000", "000003", "a", "7", "S", "swapper/0", "0")
					SWITCH("000", "000009", "swapper/0", "0", "R", "a", "7"),
				false, &err),
			 0);
	assert_int_equal(tp_buf_put(&h.lines, "", 1), 0);
	assert_non_null(strstr((char *)h.lines.data, "1000009000\t-1\t0\t8\tStateTransition\tG 7 "
						     "Waiting->Runnable"));
	assert_int_equal(h.trace.nlosses, 0);
	release(&h);
}

/* Numbers of threads are used again; names are the last ones. */
static void test_read_names(void **state)
{
	struct heard h;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    listen(&h,
		   LINE("sh 7/7", "000", "000001",
			"process_fork: comm=sh pid=7 child_comm=sh child_pid=8")
		       SWITCH("000", "000002", "sh", "7", "S", "sh", "8")
			   SWITCH("000", "000003", "ls", "8", "X", "sh", "7")
			       LINE("sh 7/7", "000", "000004",
				    "wakeup_new: comm=one thread pid=8 prio=120 target_cpu=000")
				   SWITCH("000", "000005", "sh", "7", "D", "one thread",
					  "8") "one thread 7/8 [000] 1.000006: 1 cycles:\n\t1234 "
					       "f+0x1 (/bin/sh)\n\n",
		   false, &err),
	    0);
	assert_int_equal(h.trace.ng, 3);
	assert_int_equal(h.trace.g_id[1], 8);
	assert_int_equal(h.trace.g_id[2], 8);
	assert_string_equal(tp_dict_text(h.trace.dict, h.trace.g_name[0]).text, "sh");
	assert_string_equal(tp_dict_text(h.trace.dict, h.trace.g_name[1]).text, "ls");
	assert_string_equal(tp_dict_text(h.trace.dict, h.trace.g_name[2]).text, "sh/one thread");
	assert_int_equal(tp_buf_put(&h.lines, "", 1), 0);
	assert_non_null(strstr((char *)h.lines.data, "StackSample\t\tf:0;one thread:0\n"));
	release(&h);
}

/* Where events are missing, the state that an event shows counts. */
static void test_read_missing(void **state)
{
	struct heard h;
	struct tp_err err;

	(void)state;
	assert_int_equal(listen(&h,
				SWITCH("000", "000001", "a", "7", "S", "b", "8")
				    SWITCH("000", "000003", "c", "9", "S", "swapper/0", "0")
					SWITCH("000", "000002", "swapper/0", "0", "R", "b", "8"),
				false, &err),
			 0);
	assert_int_equal(h.trace.inferred, 3);
	assert_int_equal(h.trace.nlosses, 2);
	assert_non_null(strstr(h.trace.losses[0].reason, "contradict those before them: 1;"));
	assert_non_null(strstr(h.trace.losses[1].reason, "out of order: 1;"));
	assert_int_equal(h.trace.last_ts, 1000002000);
	release(&h);
}

/* Checks that the listing of a text has these lines, separated by |, one after the other, and no loss or one. */
static void has(const char *text, const char *expect, const char *loss)
{
	char lines[1000], *save = NULL;
	struct heard h;
	struct tp_err err;
	const char *at;

	assert_int_equal(listen(&h, text, false, &err), 0);
	assert_int_equal(tp_buf_put(&h.lines, "", 1), 0);
	assert_int_equal(h.trace.nlosses, loss ? 1 : 0);
	if (loss)
		assert_non_null(strstr(h.trace.losses[0].reason, loss));
	for (char *p = (char *)h.lines.data; *p; p++)
		if (*p == '\t')
			*p = ' ';
	at = (char *)h.lines.data;
	snprintf(lines, sizeof(lines), "%s", expect);
	for (char *line = strtok_r(lines, "|", &save); line; line = strtok_r(NULL, "|", &save)) {
		const char *found = strstr(at, line);

		if (!found)
			print_error("no \"%s\" in %s\n", line, at);
		assert_non_null(found);
		at = found + strlen(line);
	}
	release(&h);
}

/* A thread of which nothing is known begins where it runs, if the text does not say when threads begin. */
static void test_read_births(void **state)
{
	(void)state;
	has(WAKING("000", "000001", "a", "7", "c", "9")
		SWITCH("000", "000005", "a", "7", "S", "b", "8"),
	    "1000005000 -1 0 -1 StateTransition G 8 NotExist->Runnable|Runnable->Running", NULL);
	has(LINE("a 7", "000", "000001", "wakeup_new: comm=c pid=9 prio=120 target_cpu=000")
		WAKING("000", "000002", "a", "7", "d", "10")
		    SWITCH("000", "000005", "a", "7", "S", "b", "8"),
	    "G 9 NotExist->Runnable|1000005000 -1 -1 8 StateTransition G 8 Undetermined->Runnable",
	    NULL);
}

/* What a thread does whose switch-out is missing is not known; a waking shows that it slept. */
static void test_read_displaced(void **state)
{
#define DISPLACED                                                                                  \
	SWITCH("000", "000001", "x", "5", "S", "a", "7")                                           \
	SWITCH("000", "000003", "b", "8", "S", "swapper/0", "0")
	(void)state;
	has(DISPLACED WAKING("000", "000005", "swapper/0", "0", "a", "7"),
	    "1000003000 -1 0 7 StateTransition G 7 Undetermined->Waiting|"
	    "1000005000 -1 0 -1 StateTransition G 7 Waiting->Runnable",
	    "contradict those before them: 1;");
	has(DISPLACED SWITCH("000", "000005", "swapper/0", "0", "R", "a", "7"),
	    "1000003000 -1 0 7 StateTransition G 7 Undetermined->Waiting|"
	    "1000005000 -1 0 7 StateTransition G 7 Undetermined->Runnable|Runnable->Running",
	    "contradict those before them: 1;");
	has(DISPLACED SWITCH("000", "000005", "swapper/0", "0", "R", "c", "9"),
	    "1000003000 -1 0 7 StateTransition G 7 Undetermined->Waiting|"
	    "1000005000 -1 -1 7 StateTransition G 7 Undetermined->Waiting",
	    "contradict those before them: 1;");
#undef DISPLACED
}

/* In a container the numbers of lines are not those of switches. The state x of old kernels is an end. */
static void test_read_numbers(void **state)
{
	(void)state;
	has(LINE("sh 1/1", "000", "000001", "switch: init:900 [120] S ==> sh:901 [120]") LINE(
		"true 2/2", "000", "000002", "waking: comm=init pid=900 prio=120 target_cpu=000")
		LINE("true 2/2", "000", "000003", "switch: true:901 [120] x ==> init:900 [120]"),
	    "1000002000 -1 0 901 StateTransition G 900 Waiting->Runnable|"
	    "1000003000 -1 0 901 StateTransition G 901 Running->NotExist",
	    NULL);
}

/* One time that is too far ahead does not hold up what follows. */
static void test_read_jump(void **state)
{
	(void)state;
	has(SWITCH("000", "000001", "a", "7", "S", "b", "8")
		SWITCH("000", "900000", "b", "8", "S", "c", "9") "\n" SWITCH("000", "000003", "c",
									     "9", "S", "d", "10"),
	    "1000003000 -1 0 8 StateTransition G 8 Running->Waiting|"
	    "1000003000 -1 0 9 StateTransition G 9 Running->Waiting",
	    "out of order: 1;");
}

/* Kinds of events beyond those that are counted by name are counted as one. */
static void test_read_kinds(void **state)
{
	struct tp_buf text = {0};
	struct heard h;
	struct tp_err err;
	char line[100];
	int n;

	(void)state;
	n = snprintf(line, sizeof(line), "%s", SWITCH("000", "000001", "a", "7", "S", "b", "8"));
	assert_int_equal(tp_buf_put(&text, line, (size_t)n), 0);
	for (unsigned i = 0; i < 1030; i++) {
		n = snprintf(line, sizeof(line), "b 8 [000] 1.000002: x:kind_%u: y=1\n", i);
		assert_int_equal(tp_buf_put(&text, line, (size_t)n), 0);
	}
	assert_int_equal(tp_buf_put(&text, "", 1), 0);
	assert_int_equal(listen(&h, (char *)text.data, false, &err), 0);
	assert_int_equal(h.trace.nwires, 1024);
	assert_string_equal(h.trace.wires[1022].name, "x:kind_1021");
	assert_int_equal(h.trace.wires[1022].events, 1);
	assert_string_equal(h.trace.wires[1023].name, "(others)");
	assert_int_equal(h.trace.wires[1023].events, 8);
	release(&h);
	tp_buf_release(&text);
}

/* Lines of places after a frame that is not kept belong to it. */
static void test_read_places(void **state)
{
	struct heard h;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    listen(&h,
		   SWITCH("000", "000001", "a", "7", "S", "b",
			  "8") "\tff10 __schedule+0x1 ([kernel.kallsyms])\n  core.c:10\n"
			       "\tff12 futex_wait+0x1 ([kernel.kallsyms])\n  futex.c:12\n\n",
		   false, &err),
	    0);
	for (size_t i = 0; i < h.trace.nnotices; i++)
		assert_null(strstr(h.trace.notices[i].text, "belong to no event"));
	release(&h);
}

static void test_read_damage(void **state)
{
	static const struct {
		const char *text, *loss;
	} cases[] = {
	    {LINE("a 7", "000", "000002", "switch: nothing"), "line 2 does not have the fields"},
	    {"a 7 1.000002: sched:sched_waking: comm=b pid=8 prio=1 target_cpu=000\n",
	     "line 2 has no processor or no time"},
	    {"a 7 [000] 1.000002: PERF_RECORD_LOST lost 12\n", "line 2 says that perf lost events"},
	    {"a 7 [000] 1.000002: sched:sched_waking: comm=b pid=8", "line 2 is cut off"},
	    {SWITCH("000", "000003", "c", "9", "S", "swapper/0", "0"), "contradict those before"},
	    {SWITCH("000", "000000", "b", "8", "S", "c", "9"), "out of order: 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[400];
		struct heard h;
		struct tp_err err;

		snprintf(text, sizeof(text), "%s%s",
			 SWITCH("000", "000001", "a", "7", "S", "b", "8"), cases[i].text);
		assert_int_equal(listen(&h, text, false, &err), 0);
		assert_int_equal(h.trace.nlosses, 1);
		assert_non_null(strstr(h.trace.losses[0].reason, cases[i].loss));
		release(&h);
		assert_int_not_equal(listen(&h, text, true, &err), 0);
		assert_non_null(strstr(err.msg, cases[i].loss));
		release(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_life),	   cmocka_unit_test(test_read_early_wakeup),
	    cmocka_unit_test(test_read_names),	   cmocka_unit_test(test_read_missing),
	    cmocka_unit_test(test_read_damage),	   cmocka_unit_test(test_read_births),
	    cmocka_unit_test(test_read_displaced), cmocka_unit_test(test_read_numbers),
	    cmocka_unit_test(test_read_jump),	   cmocka_unit_test(test_read_kinds),
	    cmocka_unit_test(test_read_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
