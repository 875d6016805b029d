#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/parser.h>

#include "chart/chart.h"
#include "chart/scale.h"

/* ---- scales ---- */

static void test_scale_ticks_are_round(void **state)
{
	/* clang-format off */
	static const struct {
		enum rep_kind kind;
		bool logarithmic, round;
		double least, most;
		unsigned want;
		const char *ticks; /* each followed by a blank */
	} cases[] = {
		{REP_NS, false, false, 0, 2e9, 5, "0s 500ms 1s 1.5s 2s "},
		{REP_NS, false, false, 12340100000, 12340140000, 4, "12.3401s 12.34011s 12.34012s 12.34013s 12.34014s "},
		{REP_NS, false, false, 0, 3600e9, 4, "0s 15m 30m 45m 1h "},
		{REP_NS, false, false, 0, 200e9, 4, "0s 1m 2m 3m "},
		{REP_NS, false, true, 3, 3, 4, "0s 1ns 2ns 3ns "},
		{REP_BYTES, false, true, 0, 70e6, 4, "0B 20MiB 40MiB 60MiB 80MiB "},
		{REP_BYTES, false, true, 0, 3000, 4, "0B 1KiB 2KiB 3KiB "},
		{REP_COUNT, false, true, 0, 2, 8, "0 1 2 "},
		{REP_COUNT, false, true, 0, 25000, 4, "0 10k 20k 30k "},
		{REP_SHARE, false, true, 0.1, 1, 4, "0% 50% 100% "},
		{REP_SHARE, false, true, 0.991, 0.999, 4, "99% 99.2% 99.4% 99.6% 99.8% 100% "},
		{REP_NS, true, true, 2e3, 4e8, 6, "1us 10us 100us 1ms 10ms 100ms 1s "},
		{REP_NS, true, true, 2e3, 9e3, 6, "1us 2us 5us 10us "},
		{REP_BYTES, true, true, 1000, 9e6, 10, "256B 1KiB 4KiB 16KiB 64KiB 256KiB 1MiB 4MiB 16MiB "},
		{REP_FLOAT, false, true, -1, 1, 4, "-1 -0.5 0 0.5 1 "},
		{REP_FLOAT, false, true, -3, -3, 4, "-5 -4 -3 -2 -1 "},
		{REP_COUNT, false, true, NAN, NAN, 4, "0 1 "},
		{REP_NS, true, true, NAN, NAN, 4, "0s 1ns "},
	};
	/* clang-format on */
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_chart_axis axis = {.kind = cases[i].kind,
					      .logarithmic = cases[i].logarithmic};
		char text[REP_TICKS * (REP_TICK_TEXT + 1) + 1] = "";
		struct rep_scale s;

		rep_scale_init(&s, &axis, cases[i].least, cases[i].most, cases[i].want,
			       cases[i].round);
		for (size_t k = 0; k < s.nticks; k++) {
			strcat(text, s.ticks[k].text);
			strcat(text, " ");
		}
		assert_string_equal(text, cases[i].ticks);
		assert_true(s.from < s.to);
	}
}

static void test_scale_at_ends(void **state)
{
	struct rep_chart_axis axis = {.kind = REP_NS, .from = 10, .to = 1000};
	struct rep_scale s;

	(void)state;
	rep_scale_init(&s, &axis, 0, 1e9, 4, true);
	assert_true(rep_scale_at(&s, 10) == 0 && rep_scale_at(&s, 1000) == 1);
	assert_true(isnan(rep_scale_at(&s, NAN)));
	axis.logarithmic = true;
	rep_scale_init(&s, &axis, 1, 1e9, 4, true);
	assert_true(fabs(rep_scale_at(&s, 100) - 0.5) < 1e-12);
	assert_true(isnan(rep_scale_at(&s, 0)) && isnan(rep_scale_at(&s, -1)));
}

/* No values may lead to scales without an extent, or to endless ticks. */
static void test_scale_extremes(void **state)
{
	static const double values[] = {0,	 1,	   -1,	   5e-324, 1e-300, 1e300,
					1.7e308, -1.7e308, 9.2e18, 1e-9,   1e15,   3.3};
	size_t n = sizeof(values) / sizeof(values[0]);

	(void)state;
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			for (int kind = REP_COUNT; kind <= REP_FLOAT; kind++) {
				struct rep_chart_axis axis = {.kind = (enum rep_kind)kind,
							      .logarithmic = b % 2};
				struct rep_scale s;

				if (values[a] > values[b])
					continue;
				rep_scale_init(&s, &axis, values[a], values[b], 5, a % 2);
				assert_true(isfinite(s.from) && isfinite(s.to) && s.from < s.to);
				assert_true(s.nticks <= REP_TICKS);
			}
		}
	}
}

/* ---- terminal ---- */

static const double xs[] = {0, 1e9, 2e9, 3e9, 4e9};
static const double up[] = {0, 1, 2, 3, 4}, flat[] = {2, 2, 2, 2, 2};
static const double gap[] = {4, 4, NAN, 1, 1}, powers[] = {1, 10, 100, 1000, 10000};

static char *draw(const struct rep_chart *chart, unsigned rows, bool colour, bool ascii)
{
	static struct tp_buf b;
	struct rep_chart_terminal t = {
	    .columns = 34, .rows = rows, .colour = colour, .ascii = ascii};
	struct tp_err err;

	tp_buf_release(&b);
	b = (struct tp_buf){0};
	t.sink = rep_sink_buf(&b);
	assert_int_equal(rep_chart_terminal(chart, &t, &err), 0);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	return (char *)b.data;
}

static void test_terminal_braille(void **state)
{
	struct rep_chart_line lines[] = {{"up", xs, up, 5, false}, {"flat", xs, flat, 5, false}};
	struct rep_chart chart = {.title = "Two lines",
				  .x = {.kind = REP_NS},
				  .y = {.title = "count", .kind = REP_COUNT},
				  .lines = lines,
				  .nlines = 2};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 9, false, false), 
			    "Two lines\n"
			    "count   ⠤⠤ up   ⠄⠄ flat\n"
			    "4 ┤                         ⢀⡠⠤⠒⠒⠉\n"
			    "  │                  ⢀⣀⡠⠤⠒⠊⠉⠁\n"
			    "2 ┤⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⢄⣄⠤⠴⠖⠍⠅⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄⠄\n"
			    "  │     ⢀⣀⡠⠤⠒⠊⠉⠁\n"
			    "0 ┤⣀⠤⠤⠒⠊⠁\n"
			    "  └┬──────────────┬──────────────┬\n"
			    "  0s             2s             4s\n");
	/* clang-format on */
}

static void test_terminal_ascii(void **state)
{
	struct rep_chart_line lines[] = {{"up", xs, up, 5, false}, {"gap", xs, gap, 5, true}};
	struct rep_chart chart = {.x = {.title = "time", .kind = REP_NS},
				  .y = {.kind = REP_COUNT},
				  .lines = lines,
				  .nlines = 2};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 9, false, true), 
			    "** up   oo gap\n"
			    "4 +oooooooooooooooo           ****\n"
			    "  |                    *******\n"
			    "2 +            ********\n"
			    "  |     *******           oooooooo\n"
			    "0 +*****\n"
			    "  ++--------------+--------------+\n"
			    "  0s             2s             4s\n"
			    "   time\n");
	/* clang-format on */
}

static void test_terminal_logarithm(void **state)
{
	struct rep_chart_line line = {NULL, xs, powers, 5, false};
	struct rep_chart chart = {.x = {.kind = REP_NS},
				  .y = {.kind = REP_COUNT, .logarithmic = true},
				  .lines = &line,
				  .nlines = 1};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 10, false, true), 
			    " 10k +                          **\n"
			    "     |                      ****\n"
			    "1000 +                  ****\n"
			    "     |              ****\n"
			    " 100 +           ****\n"
			    "  10 +       ****\n"
			    "     |   ****\n"
			    "   1 +***\n"
			    "     ++-------------+------------+\n"
			    "     0s            2s           4s\n");
	/* clang-format on */
}

static void test_terminal_colour(void **state)
{
	struct rep_chart_line line = {"a\x1b[31mb", xs, flat, 5, false};
	struct rep_chart chart = {
	    .x = {.kind = REP_NS}, .y = {.kind = REP_COUNT}, .lines = &line, .nlines = 1};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 6, true, true), 
			    "\x1b[34m**\x1b[0m a\\x1b[31mb\n"
			    "2 +\x1b[34m*******************************\x1b[0m\n"
			    "  |\n"
			    "0 +\n"
			    "  ++--------------+--------------+\n"
			    "  0s             2s             4s\n");
	/* clang-format on */
}

static void test_terminal_nothing(void **state)
{
	struct rep_chart chart = {.title = "empty", .y = {.kind = REP_NS}, .x = {.kind = REP_NS}};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 6, false, true), 
			    "empty\n"
			    "1ns +\n"
			    "    |\n"
			    " 0s +\n"
			    "    ++---------------------------+\n"
			    "    0s                         1ns\n");
	/* clang-format on */
}

/* Lines that leave the field are cut at its edge, not drawn along it. */
static void test_terminal_clips(void **state)
{
	struct rep_chart_line line = {NULL, xs, up, 5, false};
	struct rep_chart chart = {.x = {.kind = REP_NS},
				  .y = {.kind = REP_COUNT, .from = 1, .to = 3},
				  .lines = &line,
				  .nlines = 1};

	(void)state;
	/* clang-format off */
	assert_string_equal(draw(&chart, 7, false, true), 
			    "3 +                      **\n"
			    "  |                  ****\n"
			    "2 +              ****\n"
			    "  |          ****\n"
			    "1 +        **\n"
			    "  ++--------------+--------------+\n"
			    "  0s             2s             4s\n");
	/* clang-format on */
}

/* ---- sparklines ---- */

static void test_sparkline(void **state)
{
	static const double y[] = {0, 1, 2, 3, 4, 5, 6, 7}, holes[] = {1, NAN, 3};
	static const double huge[] = {-1.7e308, 0, 1.7e308};
	static const struct {
		const double *y;
		size_t n;
		unsigned columns;
		bool ascii;
		const char *want;
	} cases[] = {
	    {y, 8, 8, false, "▁▂▃▄▅▆▇█"}, {y, 8, 4, false, "▁▃▆█"}, {y, 8, 100, true, "__.--=##"},
	    {holes, 3, 3, false, "▁ █"},  {y, 1, 9, false, "▄"},    {y, 0, 9, false, ""},
	    {huge, 3, 3, false, "▁▅█"},	  {y, 8, 0, false, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_buf b = {0};

		assert_int_equal(
		    rep_sparkline(&b, cases[i].y, cases[i].n, cases[i].columns, cases[i].ascii), 0);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((char *)b.data, cases[i].want);
		tp_buf_release(&b);
	}
}

/* ---- SVG ---- */

static char *picture(const struct rep_chart *chart)
{
	static struct tp_buf b;
	struct tp_err err;
	xmlDocPtr doc;

	tp_buf_release(&b);
	b = (struct tp_buf){0};
	assert_int_equal(rep_chart_svg(chart, 300, 150, rep_sink_buf(&b), &err), 0);
	doc = xmlReadMemory((char *)b.data, (int)b.size, "chart.svg", NULL, XML_PARSE_NONET);
	assert_non_null(doc);
	xmlFreeDoc(doc);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	return (char *)b.data;
}

static void test_svg_paths(void **state)
{
	struct rep_chart_line lines[] = {{"up", xs, up, 5, false}, {"gap", xs, gap, 5, true}};
	struct rep_chart chart = {.title = "t",
				  .x = {.kind = REP_NS},
				  .y = {.kind = REP_COUNT},
				  .lines = lines,
				  .nlines = 2};
	const char *svg = picture(&chart);

	(void)state;
	/* The field is 19 to 288 by 50 to 126. */
	assert_non_null(strstr(svg, "d=\"M19 126L86.3 107L153.5 88L220.8 69L288 50\"><title>up<"));
	assert_non_null(strstr(svg, "d=\"M19 50H86.3H153.5M220.8 107H288\"><title>gap<"));
}

static void test_svg_hostile_names(void **state)
{
	struct rep_chart_line line = {"</title><script>x\x01\xff\"", xs, up, 5, false};
	struct rep_chart chart = {.title = "</svg><img onerror='1'>",
				  .x = {.title = "<&", .kind = REP_NS},
				  .y = {.title = "<y>", .kind = REP_NS},
				  .lines = &line,
				  .nlines = 1};
	const char *svg = picture(&chart);

	(void)state;
	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "<img"));
	assert_non_null(strstr(svg, "&lt;/title&gt;&lt;script&gt;x\\x01\\xff&quot;"));
}

/* A million points become a few per column of pixels, including the extremes. */
static void test_svg_reduces_points(void **state)
{
	size_t n = 1000000;
	double *x = malloc(n * sizeof(*x)), *y = malloc(n * sizeof(*y));
	struct rep_chart_line line = {"many", x, y, n, false};
	struct rep_chart chart = {.x = {.kind = REP_NS},
				  .y = {.kind = REP_COUNT, .from = 0, .to = 100},
				  .lines = &line,
				  .nlines = 1};
	const char *svg;

	(void)state;
	assert_non_null(x);
	assert_non_null(y);
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i;
		y[i] = i == 500000 ? 100 : (double)(i % 7);
	}
	svg = picture(&chart);
	assert_true(strlen(svg) < 20000);
	assert_non_null(strstr(svg, " 30L")); /* the peak, at the top of the field */
	free(x);
	free(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scale_ticks_are_round),
	    cmocka_unit_test(test_scale_at_ends),
	    cmocka_unit_test(test_scale_extremes),
	    cmocka_unit_test(test_terminal_braille),
	    cmocka_unit_test(test_terminal_ascii),
	    cmocka_unit_test(test_terminal_logarithm),
	    cmocka_unit_test(test_terminal_colour),
	    cmocka_unit_test(test_terminal_nothing),
	    cmocka_unit_test(test_terminal_clips),
	    cmocka_unit_test(test_sparkline),
	    cmocka_unit_test(test_svg_paths),
	    cmocka_unit_test(test_svg_hostile_names),
	    cmocka_unit_test(test_svg_reduces_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
