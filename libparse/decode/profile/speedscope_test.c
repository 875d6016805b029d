/* Tests of the reader of speedscope's files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/profile/testing.h"

#define FILE_OF(profiles)                                                                          \
	"{\"$schema\":\"https://www.speedscope.app/"                                               \
	"file-format-schema.json\",\"profiles\":[" profiles                                        \
	"],\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":7,"  \
	"\"col\":3},{\"name\":\"c\"}]}}"
#define SAMPLED(unit, samples, weights)                                                            \
	"{\"type\":\"sampled\",\"unit\":\"" unit "\",\"name\":\"n\",\"samples\":[" samples         \
	"],\"weights\":[" weights "]}"
#define EVENTED(unit, events)                                                                      \
	"{\"type\":\"evented\",\"unit\":\"" unit                                                   \
	"\",\"name\":\"n\",\"startValue\":1,\"endValue\":9,\"events\":[" events "]}"
#define O(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define C(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

/* Shows the profile, or the error. */
static const char *read_text(const char *text, size_t size, bool strict)
{
	static char kept[8192];
	struct tp_profile_options opt = {.strict = strict};
	struct tp_profile *p;
	struct tp_err err = {0};
	char *shown;

	if (tp_profile_read(text, size, &opt, &p, &err)) {
		snprintf(kept, sizeof(kept), "%s at %lld", err.msg, (long long)err.offset);
		return kept;
	}
	shown = show_profile(p);
	snprintf(kept, sizeof(kept), "%s", shown);
	for (size_t i = 0; i < p->nnotices; i++)
		snprintf(kept + strlen(kept), sizeof(kept) - strlen(kept), "notice %s\n",
			 p->notices[i].text);
	free(shown);
	tp_profile_free(p);
	return kept;
}

static const char *read_whole(const char *text)
{
	return read_text(text, strlen(text), false);
}

static void test_speedscope_sampled(void **state)
{
	(void)state;
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("bytes", "[0,1],[0],[],[0,1],[2]", "1,2,3,4,0"))),
	    "space/bytes per / 0\n"
	    "5: b@b.c:7 < a\n"
	    "2: a\n"
	    "3\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("seconds", "[0,1],[2]", "0.01,1e-9"))),
			    "time/nanoseconds per / 0\n"
			    "10000000: b@b.c:7 < a\n"
			    "1: c\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "0.25,3"))),
			    "samples/millionths per / 0\n"
			    "250000: a\n"
			    "3000000: c\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "0.25,3.00000049"))),
			    "samples/millionths per / 0\n"
			    "250000: a\n"
			    "3000000: c\n"
			    "notice values with more digits than are kept: 1; they are rounded to "
			    "the unit of their sample type\n");
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("furlongs", "[0]", "5"))),
	    "samples/count per / 0\n"
	    "5: a\n"
	    "notice a profile has no unit that speedscope knows; its values are counts\n");
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[1]", "9223372036854775807") "," SAMPLED(
		"none", "[1],[1]", "9223372036854775807,1"))),
	    "samples/count per / 0\n"
	    "9223372036854775807: b@b.c:7 {profile=n}\n"
	    "9223372036854775807: b@b.c:7 {profile=n}\n"
	    "1: b@b.c:7 {profile=n}\n"
	    "notice holds 2 profiles, whose samples are added up; the label \"profile\" has their "
	    "names\n");
}

/* The unit of counts with fractions. */
static void test_speedscope_fractions(void **state)
{
	(void)state;
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "5e-05,7E-05"))),
			    "samples/millionths per / 0\n"
			    "50: a\n"
			    "70: c\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "2.0,1e3"))),
			    "samples/count per / 0\n"
			    "2: a\n"
			    "1000: c\n");
	/* What does not fit is read in a larger unit; neither does the sum, in the second. */
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "20000000000000,0.5"))),
			    "samples/thousandths per / 0\n"
			    "20000000000000000: a\n"
			    "500: c\n");
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[0],[1],[2]",
				       "9e12,9e12,0.25") "," SAMPLED("none", "[0]", "-0.5"))),
	    "samples/thousandths per / 0\n"
	    "9000000000000000: a {profile=n}\n"
	    "9000000000000000: b@b.c:7 {profile=n}\n"
	    "250: c {profile=n}\n"
	    "lost a weight is less than 0\n"
	    "notice holds 2 profiles, whose samples are added up; the label \"profile\" has their "
	    "names\n");
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "9000000000000000001,0.5"))),
	    "samples/count per / 0\n"
	    "9000000000000000001: a\n"
	    "1: c\n"
	    "notice values with more digits than are kept: 1; they are rounded to the unit of "
	    "their sample type\n");
	/* What does not fit at all makes nothing else larger. */
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[0],[2]", "18446744073709551616,0.5"))),
	    "samples/millionths per / 0\n"
	    "500000: c\n"
	    "lost a weight is not a number, or does not fit 64 bits\n");
	assert_string_equal(
	    read_whole(FILE_OF(EVENTED("none", O(0, 1e-3) "," C(0, 3.5e-3)) "," EVENTED(
		"none", O(2, -9e12) "," C(2, 9e12)))),
	    "samples/thousandths per / 0\n"
	    "3: a {profile=n}\n"
	    "18000000000000000: c {profile=n}\n"
	    "notice holds 2 profiles, whose samples are added up; the label \"profile\" has their "
	    "names\n"
	    "notice values with more digits than are kept: 1; they are rounded to the unit of "
	    "their sample type\n");
}

/* Numbers and names that no reader uses may be of any size. */
static void test_speedscope_ignored(void **state)
{
	(void)state;
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED(
		"none", "[0]",
		"1") ",{\"type\":\"sampled\",\"unit\":\"none\",\"id\":"
		     "12345678901234567890123,\"\\u0000\":0,\"samples\":[[2]],\"weights\":[2]}")),
	    "samples/count per / 0\n"
	    "1: a {profile=n}\n"
	    "2: c\n"
	    "notice holds 2 profiles, whose samples are added up; the label \"profile\" has their "
	    "names\n");
}

static void test_speedscope_lost(void **state)
{
	(void)state;
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[0],[3],[1,-1],7,[1.5],[2]", "1,2,3,4,5,-6"))),
	    "samples/count per / 0\n"
	    "1: a\n"
	    "lost a sample has a frame that the file lacks\n"
	    "lost a sample has a frame that the file lacks\n"
	    "lost a sample is not a list of frames\n"
	    "lost a sample has a frame that the file lacks\n"
	    "lost a weight is less than 0\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0],[0],[0]", "1"))),
			    "samples/count per / 0\n"
			    "1: a\n"
			    "lost samples have no weight\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0]", "1,2,3"))),
			    "samples/count per / 0\n"
			    "1: a\n"
			    "lost weights have no sample\n");
	assert_string_equal(
	    read_whole(FILE_OF(SAMPLED("none", "[0],[0]", "null,9223372036854775808.0"))),
	    "nothing of the profile can be read: a weight is not a number, or does not fit 64 bits "
	    "at 150");
	assert_string_equal(read_whole(FILE_OF("{\"type\":\"heap\"}," SAMPLED("none", "[0]", "1"))),
			    "samples/count per / 0\n"
			    "1: a\n"
			    "lost a profile is neither sampled nor evented\n");
	assert_string_equal(read_whole(FILE_OF("{\"type\":\"sampled\",\"samples\":7},7," SAMPLED(
				"none", "[0]", "1"))),
			    "samples/count per / 0\n"
			    "1: a\n"
			    "lost a profile has no samples or events\n"
			    "lost a profile is neither sampled nor evented\n");
}

static void test_speedscope_evented(void **state)
{
	(void)state;
	assert_string_equal(
	    read_whole(FILE_OF(
		EVENTED("milliseconds", O(0, 1) "," O(1, 2) "," C(1, 4) "," O(1, 4.5) "," C(
					    1, 5) "," C(0, 5.0000001) "," O(2, 7) "," C(2, 8)))),
	    "time/nanoseconds per / 0\n"
	    "1500000: a\n"
	    "2500000: b@b.c:7 < a\n"
	    "1000000: c\n"
	    "notice values with more digits than are kept: 1; they are rounded to the unit of "
	    "their sample type\n");
	/* Closing an outer frame closes those within; one that is not open is nothing. */
	assert_string_equal(
	    read_whole(FILE_OF(EVENTED(
		"none", O(0, 1) "," O(1, 2) "," C(0, 4) "," C(1, 5) "," O(2, 6) "," C(2, 8)))),
	    "samples/count per / 0\n"
	    "1: a\n"
	    "2: b@b.c:7 < a\n"
	    "2: c\n"
	    "lost an event closes a frame while others in it are open\n"
	    "lost an event closes a frame that is not open\n");
	/* Time that goes back, frames that are never closed. */
	assert_string_equal(
	    read_whole(FILE_OF(EVENTED("none", O(0, 3) "," O(1, 2) "," C(1, 4)))),
	    "samples/count per / 0\n"
	    "1: b@b.c:7 < a\n"
	    "lost frames are open at the end; their time is counted up to the last event\n"
	    "notice events earlier than the one before: 1; they count as of the same time\n");
	assert_string_equal(read_whole(FILE_OF(EVENTED(
				"none", O(0, 1) ",{\"type\":\"X\",\"frame\":0,\"at\":2}," O(
					    9, 3) ",{\"type\":\"C\",\"frame\":0}," C(0, 5)))),
			    "samples/count per / 0\n"
			    "4: a\n"
			    "lost an event neither opens nor closes a frame\n"
			    "lost an event has a frame that the file lacks\n"
			    "lost an event has no time, or one that does not fit 64 bits\n");
}

static void test_speedscope_several(void **state)
{
	(void)state;
	assert_string_equal(
	    read_whole(
		"{\"exporter\":\"x@1\",\"name\":\"n\\u0000\\u00e4\",\"activeProfileIndex\":1,"
		"\"$schema\":\"https:\\/\\/www.speedscope.app\\/file-format-schema.json\","
		"\"shared\":{\"frames\":[{\"name\":\"_ZN1a1bEv\"},{\"file\":\"x\"}]},\"profiles\":["
		"{\"type\":\"sampled\",\"unit\":\"bytes\",\"name\":\"Thread "
		"1\",\"samples\":[[0]],\"weights\":[5]},"
		"{\"type\":\"sampled\",\"unit\":\"microseconds\",\"name\":\"thread "
		"2\",\"samples\":[[0],[0,1]],\"weights\":[5,6]},"
		"{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"Thread "
		"1\",\"startValue\":0,\"endValue\":4,\"events\":[" O(0, 1) "," C(0, 4) "]}]}"),
	    "space/bytes time/nanoseconds per / 0\n"
	    "5 0: _ZN1a1bEv {thread=Thread 1}\n"
	    "0 5000: _ZN1a1bEv {thread=thread 2}\n"
	    "0 6000: @x:0 < _ZN1a1bEv {thread=thread 2}\n"
	    "0 3: _ZN1a1bEv {thread=Thread 1}\n"
	    "comment name: n\n"
	    "comment exporter: x@1\n"
	    "lost a frame has no name\n"
	    "notice holds 3 profiles, whose samples are added up; the label \"thread\" has their "
	    "names\n");
}

static void test_speedscope_cut(void **state)
{
	const char *text = FILE_OF(SAMPLED("none", "[0,1],[2]", "1,2") "," EVENTED(
	    "none", O(0, 1) "," O(1, 2) "," C(1, 4) "," C(0, 5)));
	const char *first = "{\"name\":\"a\"}";
	size_t size = strlen(text), frames = (size_t)(strstr(text, first) - text) + strlen(first);

	(void)state;
	/* The frames come last: nothing is left without the first one. */
	for (size_t i = 1; i < size; i++) {
		assert_int_equal(strstr(read_text(text, i, false), " per / 0\n") != NULL,
				 i >= frames);
		assert_null(strstr(read_text(text, i, true), " per / 0\n"));
	}
	text = "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"$schema\":\"https://"
	       "www.speedscope.app/file-format-schema.json\",\"profiles\":[" EVENTED(
		   "none", O(0, 1) "," C(0, 5) "," O(0, 6) "," O(0, 7) ",{\"type\":\"C");
	size = strlen(text) - 2;
	assert_string_equal(read_text(text, size, false), "samples/count per / 0\n"
							  "5: a\n"
							  "lost the text ends within a string\n");
	assert_string_equal(read_text(text, size, true), "the text ends within a string at 322");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0]", "1")) " {}"),
			    "samples/count per / 0\n"
			    "1: a\n"
			    "lost the text goes on behind its end\n");
	assert_string_equal(read_whole(FILE_OF(SAMPLED("none", "[0]", "1")) "\n"),
			    "samples/count per / 0\n"
			    "1: a\n");
	assert_string_equal(
	    read_whole("{\"profiles\":[],\"profiles\":[" SAMPLED(
		"none", "[]", "1") "],\"$schema\":"
				   "\"https://www.speedscope.app/file-format-schema.json\"}"),
	    "samples/count per / 0\n"
	    "1\n"
	    "lost a member of an object occurs again; the last counts\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_speedscope_sampled), cmocka_unit_test(test_speedscope_lost),
	    cmocka_unit_test(test_speedscope_evented), cmocka_unit_test(test_speedscope_several),
	    cmocka_unit_test(test_speedscope_cut),     cmocka_unit_test(test_speedscope_fractions),
	    cmocka_unit_test(test_speedscope_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
