#include "flame/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "base/buf.h"
#include "flame/layout.h"
#include "flame/name.h"
#include "flame/words.h"

/* ---- profiles from a few lines: "a;b;c 12", frames from the root ---- */

static uint32_t string(struct tp_profile *p, const char *text, size_t size)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, size, &id), 0);
	return id;
}

static struct tp_profile *profile_of(const char *const *stacks, const char *type, const char *unit)
{
	struct tp_profile *p = tp_profile_new();

	assert_non_null(p);
	assert_int_equal(
	    tp_profile_add_type(p, string(p, type, strlen(type)), string(p, unit, strlen(unit))),
	    0);
	for (; *stacks; stacks++) {
		const char *at = *stacks, *end = strrchr(at, ' ');
		int64_t value = strtoll(end, NULL, 10);
		uint32_t stack = 0;

		while (at < end) {
			const char *semi = memchr(at, ';', (size_t)(end - at));
			size_t n = (size_t)((semi ? semi : end) - at);
			struct tp_frame f = {0};

			assert_int_equal(
			    tp_dict_function(p->dict,
					     &(struct tp_function){.name = string(p, at, n)},
					     &f.function),
			    0);
			assert_int_equal(
			    tp_profile_push_location(
				p, &stack, &(struct tp_location){.address = f.function}, &f, 1),
			    0);
			at += n + (semi != NULL);
		}
		assert_int_equal(tp_profile_add_sample(p, stack, 0, &value), 0);
	}
	return p;
}

static void add(struct rep_flame_tree *t, const char *const *stacks, enum rep_flame_side side)
{
	struct tp_profile *p = profile_of(stacks, "samples", "count");
	struct rep_flame_source source = {.profile = p, .ratio = 1};
	struct tp_err err;

	assert_int_equal(rep_flame_tree_add(t, &source, side, &err), 0);
	tp_profile_free(p);
}

static void make(struct rep_flame_tree *t, const struct rep_flame_tree_options *opt,
		 const char *const *now, const char *const *old)
{
	struct tp_err err;
	struct rep_flame_tree_options how = *opt;

	how.compared = old != NULL;
	assert_int_equal(rep_flame_tree_init(t, &how, &err), 0);
	add(t, now, REP_FLAME_NEW);
	if (old)
		add(t, old, REP_FLAME_OLD);
	assert_int_equal(rep_flame_tree_sum(t, &err), 0);
}

static char *written(const struct rep_flame_tree *t, enum rep_flame_format format,
		     const struct rep_flame_options *opt, size_t *size)
{
	struct tp_buf buf = {0};
	struct rep_sink sink = rep_sink_buf(&buf);
	struct tp_err err = {0};

	if (rep_flame_write(t, format, opt, &sink, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(tp_buf_put(&buf, "", 1), 0);
	if (size)
		*size = buf.size - 1;
	return (char *)buf.data;
}

static const struct rep_flame_options plain = REP_FLAME_OPTIONS_INIT;

static const char *const shop[] = {
    "main.main;main.serve;net/http.Get 30",
    "main.main;main.serve;runtime.mallocgc 10",
    "main.main;main.serve 5",
    "main.main;main.audit;main.main 4", /* recursion */
    "main.main;main.serve;net/http.Get 20",
    NULL,
};

/* ---- the tree ---- */

static void expect_folded(const char *const *now, const char *const *old,
			  const struct rep_flame_tree_options *opt, const char *want)
{
	struct rep_flame_tree t;
	char *got;

	make(&t, opt, now, old);
	got = written(&t, REP_FLAME_FOLDED, &plain, NULL);
	assert_string_equal(got, want);
	free(got);
	rep_flame_tree_release(&t);
}

static void test_tree_merges_by_name(void **state)
{
	(void)state;
	expect_folded(shop, NULL, &(struct rep_flame_tree_options){0},
		      "main.main;main.audit;main.main 4\n"
		      "main.main;main.serve 5\n"
		      "main.main;main.serve;net/http.Get 50\n"
		      "main.main;main.serve;runtime.mallocgc 10\n");
}

static void test_tree_reverse(void **state)
{
	(void)state;
	expect_folded(shop, NULL, &(struct rep_flame_tree_options){.reverse = true},
		      "main.main;main.audit;main.main 4\n"
		      "main.serve;main.main 5\n"
		      "net/http.Get;main.serve;main.main 50\n"
		      "runtime.mallocgc;main.serve;main.main 10\n");
}

static void test_tree_max_depth(void **state)
{
	struct rep_flame_tree t;

	(void)state;
	expect_folded(shop, NULL, &(struct rep_flame_tree_options){.max_depth = 2},
		      "main.main;main.audit 4\nmain.main;main.serve 65\n");
	expect_folded(shop, NULL, &(struct rep_flame_tree_options){.max_depth = 1, .reverse = true},
		      "main.main 4\nmain.serve 5\nnet/http.Get 50\nruntime.mallocgc 10\n");
	make(&t, &(struct rep_flame_tree_options){.max_depth = 2}, shop, NULL);
	assert_int_equal(t.cut, 3); /* distinct stacks of three frames */
	assert_int_equal(t.deepest, 3);
	rep_flame_tree_release(&t);
}

static void test_tree_two_sides(void **state)
{
	static const char *const old[] = {"main.main;main.gone 7", "main.main;main.serve 5", NULL};

	(void)state;
	expect_folded(shop, old, &(struct rep_flame_tree_options){0},
		      "main.main;main.audit;main.main 0 4\n"
		      "main.main;main.gone 7 0\n"
		      "main.main;main.serve 5 5\n"
		      "main.main;main.serve;net/http.Get 0 50\n"
		      "main.main;main.serve;runtime.mallocgc 0 10\n");
}

static void test_tree_by_name_counts_a_stack_once(void **state)
{
	struct rep_flame_tree t;
	struct rep_flame_sum *sums;
	struct tp_err err;
	uint32_t main_main;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, shop, NULL);
	sums = calloc(tp_dict_strings(t.names), sizeof(*sums));
	assert_int_equal(rep_flame_tree_by_name(&t, sums, &err), 0);
	assert_int_equal(tp_dict_string(t.names, "main.main", 9, &main_main), 0);
	assert_int_equal(sums[main_main].total[REP_FLAME_NEW], 69);
	assert_int_equal(sums[main_main].self[REP_FLAME_NEW], 4);
	free(sums);
	rep_flame_tree_release(&t);
}

/* Nodes with many children, and more nodes than the initial room: each is made once. */
static void test_tree_many(void **state)
{
	enum { ROOTS = 40, LEAVES = 300 };
	static char text[ROOTS * LEAVES][40];
	static const char *stacks[2 * ROOTS * LEAVES + 1];

	(void)state;
	for (int i = 0; i < ROOTS * LEAVES; i++) {
		snprintf(text[i], sizeof(text[i]), "main;r%d;f%d 1", i % ROOTS, i / ROOTS);
		stacks[i] = stacks[2 * ROOTS * LEAVES - 1 - i] = text[i];
	}
	for (int reverse = 0; reverse < 2; reverse++) {
		struct rep_flame_tree_options opt = {.reverse = reverse};
		struct rep_flame_tree t;

		make(&t, &opt, stacks, NULL);
		assert_int_equal(t.n, reverse ? 1 + LEAVES + 2 * ROOTS * LEAVES
					      : 2 + ROOTS + ROOTS * LEAVES);
		assert_int_equal(rep_flame_total(&t, 0, REP_FLAME_NEW), 2 * ROOTS * LEAVES);
		for (uint32_t i = 1; i < t.n; i++)
			assert_true(t.node[i].parent < i);
		rep_flame_tree_release(&t);
	}
}

/* A stack of 100,000 frames, as a runaway recursion leaves it, is cut and nothing overflows. */
static void test_tree_deep(void **state)
{
	struct tp_profile *p = tp_profile_new();
	struct rep_flame_source source = {.profile = p, .ratio = 1};
	const int64_t one = 1;
	uint32_t stack = 0;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_profile_add_type(p, 0, 0), 0);
	for (uint32_t i = 0; i < 100000; i++) {
		struct tp_frame f = {.line = i + 1};

		assert_int_equal(tp_dict_function(p->dict,
						  &(struct tp_function){.name = string(p, "f", 1)},
						  &f.function),
				 0);
		assert_int_equal(
		    tp_profile_push_location(p, &stack, &(struct tp_location){i + 1, 0, 0}, &f, 1),
		    0);
	}
	assert_int_equal(tp_profile_add_sample(p, stack, 0, &one), 0);
	for (int reverse = 0; reverse < 2; reverse++) {
		struct rep_flame_tree_options opt = {.reverse = reverse};
		struct rep_flame_tree t;
		char *svg;

		assert_int_equal(rep_flame_tree_init(&t, &opt, &err), 0);
		assert_int_equal(rep_flame_tree_add(&t, &source, REP_FLAME_NEW, &err), 0);
		assert_int_equal(rep_flame_tree_sum(&t, &err), 0);
		assert_int_equal(t.n, REP_FLAME_MAX_DEPTH + 1);
		assert_int_equal(rep_flame_total(&t, 0, REP_FLAME_NEW), 1);
		svg = written(&t, REP_FLAME_SVG, &plain, NULL);
		assert_non_null(strstr(svg, "100000 frames at most"));
		free(svg);
		rep_flame_tree_release(&t);
	}
	tp_profile_free(p);
}

/* ---- layout ---- */

static void test_layout_order_is_that_of_values_and_names(void **state)
{
	static const char *const one[] = {"a;x 3", "b 5", "a;y 3", "c 5", NULL};
	static const char *const other[] = {"c 5", "a;y 1", "b 5", "a;x 3", "a;y 2", NULL};
	struct rep_flame_layout_options opt = {0};
	struct rep_flame_layout l;
	struct rep_flame_tree t;
	struct tp_err err;
	char names[32] = "";
	char *svg[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		make(&t, &(struct rep_flame_tree_options){0}, i ? other : one, NULL);
		svg[i] = written(&t, REP_FLAME_HTML, &plain, NULL);
		if (i == 0) {
			assert_int_equal(rep_flame_layout(&t, &opt, &l, &err), 0);
			for (size_t k = 1; k < l.n; k++)
				strcat(names,
				       tp_dict_text(t.names, t.node[l.frame[k].node].name).text);
			rep_flame_layout_release(&l);
		}
		rep_flame_tree_release(&t);
	}
	assert_string_equal(names, "axybc");
	assert_string_equal(svg[0], svg[1]);
	free(svg[0]);
	free(svg[1]);
}

static void test_layout_folds_what_is_narrow(void **state)
{
	static const char *const many[] = {"main;wide 900", "main;s1 30", "main;s2 30",
					   "main;s3 30",    "main;s4 10", NULL};
	static const struct {
		double min_width;
		bool every_fold;
		size_t n, folded;
		int64_t hidden;
	} rows[] = {
	    {0, false, 7, 0, 0},
	    {0.02, false, 6, 1, 10}, /* s4 is narrower, and so is its fold */
	    {0.02, true, 7, 1, 10},
	    {0.05, false, 4, 4, 100}, /* total, main, wide, fold */
	    {0.5, false, 3, 4, 100},
	    {1, false, 3, 5, 1000},
	};
	struct rep_flame_tree t;
	struct tp_err err;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, many, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_flame_layout_options opt = {.min_width = rows[i].min_width,
						       .every_fold = rows[i].every_fold};
		struct rep_flame_layout l;
		int64_t own = 0, rest = 0;

		assert_int_equal(rep_flame_layout(&t, &opt, &l, &err), 0);
		if (l.n != rows[i].n || l.folded != rows[i].folded || l.hidden != rows[i].hidden)
			fail_msg("row %zu: %zu frames, %zu folded, %lld hidden", i, l.n, l.folded,
				 (long long)l.hidden);
		/* Frames and folds add up to the whole. */
		for (size_t k = 0; k < l.n; k++) {
			own += l.frame[k].own;
			rest += l.frame[k].rest[REP_FLAME_NEW];
		}
		assert_int_equal(own, 1000);
		assert_int_equal(rest, 1000);
		rep_flame_layout_release(&l);
	}
	rep_flame_tree_release(&t);
}

static void test_layout_budget(void **state)
{
	struct rep_flame_tree t;
	struct tp_err err;
	size_t last = 0;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, shop, NULL);
	for (size_t budget = 1; budget < 1000; budget += 10) {
		struct rep_flame_layout_options opt = {.budget = budget, .per_frame = 20};
		struct rep_flame_layout l;

		assert_int_equal(rep_flame_layout(&t, &opt, &l, &err), 0);
		assert_true((l.n - 1) * 20 <= budget);
		assert_true(l.n >= last);
		last = l.n;
		rep_flame_layout_release(&l);
	}
	assert_int_equal(last, t.n);
	rep_flame_tree_release(&t);
}

/* ---- differences ---- */

/* The variance of a value that so many samples are behind. */
static double variance_of(int64_t value, double samples)
{
	return samples > 0 ? (double)value * (double)value / samples : 0;
}

static void test_change_step_needs_evidence(void **state)
{
	static const struct {
		int64_t now, old;
		double samples_now, samples_old;
		int step;
	} rows[] = {
	    {1, 0, 1, 0, 0},	     /* one sample more than none says nothing */
	    {9, 0, 9, 0, 0},	     /* nine do not yet */
	    {10, 0, 10, 0, 5},	     /* ten do */
	    {0, 50, 0, 50, -5},	     /* all gone */
	    {100, 100, 100, 100, 0}, /* the same */
	    {120, 100, 120, 100, 0}, /* 20 more, error of 14.8 */
	    {150, 100, 150, 100, 2}, /* a third of the larger */
	    {10100, 10000, 10100, 10000, 0},
	    {10500, 10000, 10500, 10000, 1},
	    {2000000000, 1000000000, 200, 100, 3}, /* samples of 10 ms */
	    {1000000000, 2000000000, 100, 200, -3},
	    {1000000, 2000000, 1, 2, 0}, /* large values from few samples */
	    {-100, 100, 100, 100, -5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value[] = {rows[i].now, rows[i].old};
		double variance = variance_of(rows[i].now, rows[i].samples_now) +
				  variance_of(rows[i].old, rows[i].samples_old);
		int step = rep_flame_change_step(value, variance, REP_NOISE);

		if (step != rows[i].step)
			fail_msg("row %zu: step %d", i, step);
	}
}

static void test_tree_widths_of_differences(void **state)
{
	static const char *const now[] = {"a 10", "b 4", NULL}, *const old[] = {"a 6", "c 8", NULL};
	static const struct {
		enum rep_flame_width width;
		int64_t weight;
	} rows[] = {
	    {REP_FLAME_WIDTH_BOTH, 22}, {REP_FLAME_WIDTH_NEW, 14}, {REP_FLAME_WIDTH_OLD, 14}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_flame_tree_options opt = {.width = rows[i].width};
		struct rep_flame_tree t;

		make(&t, &opt, now, old);
		assert_int_equal(rep_flame_weight(&t, 0), rows[i].weight);
		assert_int_equal(rep_flame_total(&t, 0, REP_FLAME_NEW), 14);
		assert_int_equal(rep_flame_total(&t, 0, REP_FLAME_OLD), 14);
		rep_flame_tree_release(&t);
	}
}

/* ---- names and units ---- */

static void test_name_package(void **state)
{
	static const struct {
		const char *name, *package, *brief;
		bool grey;
	} rows[] = {
	    {"main.main.func1", "main", "main.main.func1", false},
	    {"net/http.(*conn).serve", "net/http", "http.(*conn).serve", false},
	    {"encoding/json/v2.Unmarshal", "encoding/json/v2", "json/v2.Unmarshal", false},
	    {"github.com/a/b%2ec.F[go.shape.int]", "github.com/a/b%2ec", "b%2ec.F[go.shape.int]",
	     false},
	    {"runtime.mallocgc", "runtime", "runtime.mallocgc", true},
	    {"internal/runtime/maps.New", "internal/runtime/maps", "maps.New", true},
	    {"runtimes.F", "runtimes", "runtimes.F", false},
	    {"std::vector<a/b.c>::push_back", "std", "std::vector<a/b.c>::push_back", false},
	    {"java.util.HashMap.put", "java.util", "java.util.HashMap.put", false},
	    {"main.Shop.Open", "main", "main.Shop.Open", false},
	    {"memmove", "", "memmove", false},
	    {"[vdso]", "", "[vdso]", true},
	    {"0x401000", "", "0x401000", true},
	    {"0x401000 main.main /src/main.go:3", "main", "main.main /src/main.go:3", false},
	    {"/src/shop/main.go", "/src/shop/main", "main.go", false},
	    {".", "", ".", false},
	    {"a/", "", "a/", false},
	    {"::x", "", "::x", false},
	    {"", "", "", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t size = strlen(rows[i].name);
		struct rep_flame_name n = rep_flame_name(rows[i].name, size);

		if (strcmp(rows[i].name + n.brief, rows[i].brief) ||
		    n.package - n.from != strlen(rows[i].package) ||
		    memcmp(rows[i].name + n.from, rows[i].package, n.package - n.from) ||
		    (n.hue == REP_FLAME_GREY) != rows[i].grey)
			fail_msg("%s: package %.*s, brief %s, hue %u", rows[i].name,
				 (int)(n.package - n.from), rows[i].name + n.from,
				 rows[i].name + n.brief, n.hue);
	}
}

/* Colours must stay the same in later versions. */
static void test_name_colour_is_that_of_the_package(void **state)
{
	(void)state;
	assert_int_equal(rep_flame_name("net/http.Get", 12).hue,
			 rep_flame_name("net/http.(*conn).serve", 22).hue);
	assert_int_equal(rep_flame_name("net/http.Get", 12).hue, 3);
	assert_int_equal(rep_flame_name("main.main", 9).hue, 5);
}

static void test_words(void **state)
{
	static const struct {
		const char *type, *unit;
		int64_t value;
		const char *human;
	} rows[] = {
	    {"cpu", "nanoseconds", 1250000, "1.25ms"},
	    {"time", "microseconds", 1250, "1.25ms"},
	    {"inuse_space", "bytes", 3 << 20, "3MiB"},
	    {"inuse_objects", "count", 1234, "1,234 objects"},
	    {"goroutine", "count", -5, "-5 goroutines"},
	    {"wall", "seconds", INT64_MAX, "106752d"},
	    {"x", "furlongs", 7, "7 furlongs"},
	};
	static const struct {
		double share;
		const char *text;
	} shares[] = {{0, "0%"},	 {1, "100%"},	    {0.12345, "12.3%"}, {0.012345, "1.23%"},
		      {0.0994, "9.94%"}, {0.99996, "100%"}, {0.0004, "0.04%"},	{-0.5, "-50.0%"}};
	char text[REP_FLAME_WORDS];

	(void)state;
	/* A unit with control characters for a terminal, and one that would be an element of a
	 * page. */
	assert_string_equal(rep_flame_measure("x", "\x1b[31m<b>&\"'").noun, "?x1b[31m?b????");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_flame_measure m = rep_flame_measure(rows[i].type, rows[i].unit);

		assert_string_equal(rep_flame_human(text, &m, rows[i].value), rows[i].human);
	}
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		assert_string_equal(rep_flame_percent(text, shares[i].share), shares[i].text);
}

/* ---- files ---- */

/* Names that would end a comment, a script or a document if they were not escaped. */
static const char *const hostile[] = {
    "</script><script>alert(1)</script>;]]>;<!-- 1",
    "\x01\x1b[31mred\x07;\xff\xfe bad UTF-8;\xef\xbf\xbf noncharacter 2",
    "quote\" and 'apostrophe' & ampersand;\xe2\x80\xa8line;\xe2\x80\xae reversed 3",
    "\\u003c;back\\slash;${x};*/--> 4",
    " 5",
    NULL,
};

static double xpath_number(xmlDocPtr doc, const char *expression)
{
	xmlXPathContextPtr ctx = xmlXPathNewContext(doc);
	xmlXPathObjectPtr o;
	double v;

	xmlXPathRegisterNs(ctx, BAD_CAST "s", BAD_CAST "http://www.w3.org/2000/svg");
	xmlXPathRegisterNs(ctx, BAD_CAST "h", BAD_CAST "http://www.w3.org/1999/xhtml");
	o = xmlXPathEvalExpression(BAD_CAST expression, ctx);
	assert_non_null(o);
	v = xmlXPathCastToNumber(o);
	xmlXPathFreeObject(o);
	xmlXPathFreeContext(ctx);
	return v;
}

static void quiet(void *ctx, const char *msg, ...)
{
	(void)ctx;
	(void)msg;
}

static xmlDocPtr parsed(const char *text, size_t size)
{
	xmlDocPtr doc = xmlReadMemory(text, (int)size, "flame", NULL,
				      XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOWARNING |
					  XML_PARSE_NOERROR);

	if (!doc)
		fail_msg("not well-formed: %s", xmlGetLastError()->message);
	return doc;
}

static void test_svg_structure(void **state)
{
	static const char *const old[] = {"main.main;main.serve;net/http.Get 300", NULL};
	static const char *const *const sources[] = {shop, hostile};

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct rep_flame_tree_options topt = {.reverse = i & 2};
		struct rep_flame_options opt = plain;
		struct rep_flame_tree t;
		xmlDocPtr doc;
		size_t size;
		char *svg;

		opt.title = i & 1 ? "</title> & \x02" : "shop";
		opt.subtitle = "what";
		opt.upwards = i & 2;
		make(&t, &topt, sources[i & 1], i & 4 ? old : NULL);
		svg = written(&t, REP_FLAME_SVG, &opt, &size);
		assert_int_equal(strlen(svg), size);
		doc = parsed(svg, size);
		assert_true(xpath_number(doc, "count(/s:svg[@viewBox and @role])") == 1);
		assert_true(xpath_number(doc, "count(/s:svg/s:title)") == 1);
		assert_true(xpath_number(doc, "count(/s:svg/s:style)") == 1);
		assert_true(xpath_number(doc, "count(/s:svg/s:script)") == 2);
		/* Every node is exactly one frame with a title and a rectangle within the
		 * picture. */
		assert_true(xpath_number(doc, "count(//s:g[@id='frames']/s:g)") == (double)t.n);
		assert_true(
		    xpath_number(doc, "count(//s:g[@id='frames']/s:g[s:title and s:rect])") ==
		    (double)t.n);
		assert_true(xpath_number(doc, "count(//s:g[@id='frames']/s:g/s:rect[@x < 0 or "
					      "@x + @width > 1180.01])") == 0);
		/* The file loads nothing and runs only its own script. */
		assert_true(xpath_number(doc,
					 "count(//@*[name()='href' or name()='src' or "
					 "name()='xlink:href' or starts-with(name(),'on')])") == 0);
		assert_null(strstr(svg, "@import"));
		assert_null(strstr(svg, "url("));
		xmlFreeDoc(doc);
		free(svg);
		rep_flame_tree_release(&t);
	}
}

static void test_html_is_xml_and_html(void **state)
{
	struct rep_flame_options opt = plain;
	struct rep_flame_tree t;
	xmlDocPtr doc;
	size_t size;
	char *html;

	(void)state;
	opt.title = "hostile </title>";
	make(&t, &(struct rep_flame_tree_options){0}, hostile, shop);
	html = written(&t, REP_FLAME_HTML, &opt, &size);
	doc = parsed(html, size);
	assert_true(xpath_number(doc, "count(//h:script)") == 2);
	assert_true(xpath_number(doc, "count(//h:section)") == 3);
	/* A policy applies only to what comes after it. */
	assert_true(xpath_number(doc, "count(//h:head/h:meta[@http-equiv='Content-Security-Policy' "
				      "and starts-with(@content, \"default-src 'none';\")]"
				      "[not(preceding::h:style | preceding::h:script)])") == 1);
	assert_true(xpath_number(doc, "count(//s:svg//s:g[@id='frames']/s:g)") == (double)t.n);
	xmlFreeDoc(doc);
	/* Parsed as browsers do: the scripts end at the right place. */
	xmlSetGenericErrorFunc(NULL, quiet);
	doc = htmlReadMemory(html, (int)size, NULL, "utf-8", HTML_PARSE_NOERROR | HTML_PARSE_NONET);
	assert_non_null(doc);
	assert_true(xpath_number(doc, "count(//script)") == 2);
	assert_true(xpath_number(doc, "count(//section)") == 3);
	xmlFreeDoc(doc);
	free(html);
	rep_flame_tree_release(&t);
}

/* The data as a script sees it: JSON without markup. */
static void test_data_has_no_markup(void **state)
{
	struct rep_flame_tree t;
	char *svg, *from, *to;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, hostile, NULL);
	svg = written(&t, REP_FLAME_SVG, &plain, NULL);
	from = strstr(svg, "id=\"tprof-data\">");
	assert_non_null(from);
	from += strlen("id=\"tprof-data\">");
	to = strstr(from, "</script>");
	assert_non_null(to);
	for (char *c = from; c < to; c++)
		if (strchr("<>&", *c) || ((unsigned char)*c < 0x20 && *c != '\n'))
			fail_msg("byte %d at %td", *c, c - from);
	*to = '\0';
	assert_non_null(strstr(from, "\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
	assert_non_null(strstr(from, "\\u005cxff\\u005cxfe bad UTF-8"));
	free(svg);
	rep_flame_tree_release(&t);
}

static void test_fold_note(void **state)
{
	static const char *const many[] = {"main;wide 900", "main;s1 30", "main;s2 30",
					   "main;s3 30",    "main;s4 10", NULL};
	struct rep_flame_options opt = plain;
	struct rep_flame_tree t;
	char *text;

	(void)state;
	opt.min_width = 0.05;
	opt.type = "samples";
	make(&t, &(struct rep_flame_tree_options){0}, many, NULL);
	text = written(&t, REP_FLAME_SVG, &opt, NULL);
	assert_non_null(strstr(
	    text,
	    "4 frames narrower than 5.00% are folded; they hold 100 samples, 10.0% of the width."));
	free(text);
	rep_flame_tree_release(&t);
}

static void test_text_fits(void **state)
{
	static const struct {
		unsigned width;
		bool upwards;
		const char *text;
	} rows[] = {
	    {40, false,
	     "\n"
	     "│total 100%\n"
	     "│main.main 100%\n"
	     "│main.serve 94.2%                     │\n"
	     "│http.Get 72.5%              │mall…│  │\n"},
	    {20, true, NULL},
	    {1, false, NULL},
	};
	struct rep_flame_tree t;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, shop, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rep_flame_options opt = plain;
		char *text, *line, *rest;

		opt.width = rows[i].width;
		opt.upwards = rows[i].upwards;
		text = written(&t, REP_FLAME_TEXT, &opt, NULL);
		if (rows[i].text)
			assert_string_equal(text, rows[i].text);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			/* In the text below the picture, a single word may be wider. */
			assert_true(rep_text_width(line, strlen(line)) <= rows[i].width ||
				    (strncmp(line, "│", strlen("│")) != 0 && !strchr(line, ' ')));
		free(text);
	}
	rep_flame_tree_release(&t);
}

static void test_speedscope(void **state)
{
	static const char *const two[] = {"a;b 3", "a 2", NULL};
	struct rep_flame_tree t;
	struct tp_buf buf = {0};
	struct rep_sink sink = rep_sink_buf(&buf);
	struct tp_err err;
	char *text;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, two, NULL);
	text = written(&t, REP_FLAME_SPEEDSCOPE, &plain, NULL);
	assert_non_null(strstr(text, "\"unit\":\"none\",\"startValue\":0,\"endValue\":5,"));
	assert_non_null(strstr(text, "\"weights\":[2,3]"));
	free(text);
	rep_flame_tree_release(&t);
	make(&t, &(struct rep_flame_tree_options){0}, two, two);
	assert_int_not_equal(rep_flame_write(&t, REP_FLAME_SPEEDSCOPE, &plain, &sink, &err), 0);
	assert_non_null(strstr(err.msg, "differences"));
	tp_buf_release(&buf);
	rep_flame_tree_release(&t);
}

static void test_empty(void **state)
{
	static const char *const none[] = {NULL};

	(void)state;
	for (int format = 0; format < REP_FLAME_NFORMATS; format++) {
		struct rep_flame_tree t;
		size_t size;
		char *text;

		make(&t, &(struct rep_flame_tree_options){0}, none, NULL);
		text = written(&t, (enum rep_flame_format)format, &plain, &size);
		if (format == REP_FLAME_SVG || format == REP_FLAME_HTML)
			xmlFreeDoc(parsed(text, size));
		free(text);
		rep_flame_tree_release(&t);
	}
}

/* A failing sink stops the output, and its error is returned. */
static int full(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	size_t *room = ctx;

	(void)data;
	if (*room < size)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full");
	*room -= size;
	return 0;
}

static void test_write_errors(void **state)
{
	struct rep_flame_tree t;

	(void)state;
	make(&t, &(struct rep_flame_tree_options){0}, shop, NULL);
	for (int format = 0; format < REP_FLAME_NFORMATS; format++) {
		size_t room = 10;
		struct rep_sink sink = {.write = full, .ctx = &room};
		struct tp_err err = {0};

		assert_int_equal(
		    rep_flame_write(&t, (enum rep_flame_format)format, &plain, &sink, &err),
		    TP_EIO);
		assert_string_equal(err.msg, "disk full");
	}
	rep_flame_tree_release(&t);
}

static void test_format_of(void **state)
{
	static const struct {
		const char *file;
		int format;
	} rows[] = {{"a.svg", REP_FLAME_SVG},
		    {"x/b.html", REP_FLAME_HTML},
		    {"c", -1},
		    {".svg", -1},
		    {"d.json", REP_FLAME_SPEEDSCOPE},
		    {"e.folded", REP_FLAME_FOLDED},
		    {"f.txt", REP_FLAME_TEXT}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum rep_flame_format format = REP_FLAME_NFORMATS;

		assert_int_equal(rep_flame_format_of(rows[i].file, &format), rows[i].format >= 0);
		if (rows[i].format >= 0)
			assert_int_equal(format, rows[i].format);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tree_merges_by_name),
	    cmocka_unit_test(test_tree_reverse),
	    cmocka_unit_test(test_tree_max_depth),
	    cmocka_unit_test(test_tree_two_sides),
	    cmocka_unit_test(test_tree_by_name_counts_a_stack_once),
	    cmocka_unit_test(test_tree_many),
	    cmocka_unit_test(test_tree_deep),
	    cmocka_unit_test(test_layout_order_is_that_of_values_and_names),
	    cmocka_unit_test(test_layout_folds_what_is_narrow),
	    cmocka_unit_test(test_layout_budget),
	    cmocka_unit_test(test_change_step_needs_evidence),
	    cmocka_unit_test(test_tree_widths_of_differences),
	    cmocka_unit_test(test_name_package),
	    cmocka_unit_test(test_name_colour_is_that_of_the_package),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_svg_structure),
	    cmocka_unit_test(test_html_is_xml_and_html),
	    cmocka_unit_test(test_data_has_no_markup),
	    cmocka_unit_test(test_fold_note),
	    cmocka_unit_test(test_text_fits),
	    cmocka_unit_test(test_speedscope),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_write_errors),
	    cmocka_unit_test(test_format_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
