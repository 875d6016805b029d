#include "flame/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flame/search.h"

/* ---- trees from a few lines: "a;b;c 12", frames from the root ---- */

static struct tp_profile *empty(void)
{
	struct tp_profile *p = tp_profile_new();
	uint32_t type, unit;

	assert_non_null(p);
	assert_int_equal(tp_dict_string(p->dict, "time", 4, &type), 0);
	assert_int_equal(tp_dict_string(p->dict, "ns", 2, &unit), 0);
	assert_int_equal(tp_profile_add_type(p, type, unit), 0);
	return p;
}

/* Adds a line. Values may be negative; numbers after a colon are source lines: "b:7". */
static void add_line(struct tp_profile *p, const char *line)
{
	const char *end = strrchr(line, ' ');
	int64_t value = strtoll(end, NULL, 10);
	uint32_t stack = 0;

	while (line < end) {
		size_t n = strcspn(line, "; "), colon = strcspn(line, ":; ");
		struct tp_function f = {0};
		struct tp_frame frame = {0};

		if (colon < n)
			frame.line = strtoll(line + colon + 1, NULL, 10);
		assert_int_equal(tp_dict_string(p->dict, line, colon, &f.name), 0);
		assert_int_equal(tp_dict_function(p->dict, &f, &frame.function), 0);
		assert_int_equal(tp_profile_push_location(
				     p, &stack,
				     &(struct tp_location){.address = frame.function * 1000 +
								      (uint64_t)frame.line},
				     &frame, 1),
				 0);
		line += n + (line[n] == ';');
	}
	assert_int_equal(tp_profile_add_sample(p, stack, 0, &value), 0);
}

struct sample {
	struct tp_profile *p[REP_FLAME_SIDES];
	struct rep_flame_tree t;
	struct rep_flame_order o;
};

static void build(struct sample *s, const struct rep_flame_tree_options *opt)
{
	struct tp_err err;

	assert_int_equal(rep_flame_tree_init(&s->t, opt, &err), 0);
	for (int side = 0; side < REP_FLAME_SIDES; side++) {
		struct rep_flame_source source = {.profile = s->p[side], .ratio = 1};

		if (s->p[side])
			assert_int_equal(
			    rep_flame_tree_add(&s->t, &source, (enum rep_flame_side)side, &err), 0);
	}
	assert_int_equal(rep_flame_tree_sum(&s->t, &err), 0);
	assert_int_equal(rep_flame_order(&s->t, &s->o, &err), 0);
}

static void release(struct sample *s)
{
	rep_flame_order_release(&s->o);
	rep_flame_tree_release(&s->t);
	for (int side = 0; side < REP_FLAME_SIDES; side++)
		tp_profile_free(s->p[side]);
}

static void build_lines(struct sample *s, const char *const *lines,
			const struct rep_flame_tree_options *opt)
{
	*s = (struct sample){.p = {empty()}};
	for (; *lines; lines++)
		add_line(s->p[0], *lines);
	build(s, opt);
}

static struct rep_flame_cells lay(const struct sample *s, struct rep_flame_zoom zoom,
				  uint32_t width)
{
	const struct rep_flame_cells_options opt = {.zoom = zoom, .width = width, .noise = 2};
	struct rep_flame_cells c;
	struct tp_err err;

	assert_int_equal(rep_flame_cells(&s->t, &s->o, &opt, &c, &err), 0);
	return c;
}

static const char *name_of(const struct sample *s, uint32_t node)
{
	return node ? tp_dict_text(s->t.names, s->t.node[node].name).text : "total";
}

/* "total[0+10]; a[0+6] b[6+3] 2[9+1]" */
static char *text_of(const struct sample *s, const struct rep_flame_cells *c, char text[1000])
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct rep_flame_bar *b = &c->bar[i];
		const char *gap = !i ? "" : c->level[b->level] == i ? "; " : " ";

		if (b->count)
			n += (size_t)snprintf(text + n, 1000 - n, "%s%u[%u+%u]", gap, b->count,
					      b->first, b->cells);
		else
			n += (size_t)snprintf(text + n, 1000 - n, "%s%s[%u+%u]", gap,
					      name_of(s, b->what.node), b->first, b->cells);
	}
	return text;
}

/* ---- layout ---- */

static void test_cells_layout(void **state)
{
	static const struct {
		const char *lines[8], *shown;
		uint32_t width;
	} cases[] = {
	    {{"a 6", "b 3", "c 1"}, "total[0+10]; a[0+6] b[6+3] c[9+1]", 10},
	    /* its own time is a gap at the right */
	    {{"a;b 5", "a 5"}, "total[0+10]; a[0+10]; b[0+5]", 10},
	    /* narrower children become one bar */
	    {{"a 96", "b 2", "c 1", "d 1"}, "total[0+10]; a[0+10] 3[10+0]", 10},
	    {{"a 80", "b 7", "c 7", "d 6"}, "total[0+10]; a[0+8] 3[8+2]", 10},
	    /* a single narrower child is shown if a cell is left */
	    {{"a 93", "b 7"}, "total[0+10]; a[0+9] b[9+1]", 10},
	    {{"a;x 900", "a;y 50", "a 50"}, "total[0+10]; a[0+10]; x[0+9] y[9+1]", 10},
	    /* merged ones get a cell of the frame's own part */
	    {{"a;x 900", "a;y 1", "a;z 1", "a 98"}, "total[0+10]; a[0+10]; x[0+9] 2[9+1]", 10},
	    /* equal ones are in the order of names */
	    {{"z 5", "y 5", "x 5", "w 5"}, "total[0+8]; w[0+2] x[2+2] y[4+2] z[6+2]", 8},
	    {{NULL}, "total[0+7]", 7},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample s;
		struct rep_flame_cells c;
		char text[1000];

		build_lines(&s, cases[i].lines, &(struct rep_flame_tree_options){0});
		c = lay(&s, (struct rep_flame_zoom){0}, cases[i].width);
		assert_string_equal(text_of(&s, &c, text), cases[i].shown);
		rep_flame_cells_release(&c);
		release(&s);
	}
}

/* Merged bars can be zoomed into until every frame has had a cell. */
static void test_cells_zoom_merged(void **state)
{
	struct sample s = {.p = {empty()}};
	struct rep_flame_zoom zoom = {0};
	uint32_t seen = 0, rounds = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char line[40];

		snprintf(line, sizeof(line), "f%03d 1", i);
		add_line(s.p[0], line);
	}
	build(&s, &(struct rep_flame_tree_options){0});
	for (;;) {
		struct rep_flame_cells c = lay(&s, zoom, 40);
		const struct rep_flame_bar *last = &c.bar[c.n - 1];

		assert_true(++rounds < 100);
		for (uint32_t i = 1; i < c.n; i++)
			seen += !c.bar[i].count;
		zoom = last->what;
		if (!last->count) {
			rep_flame_cells_release(&c);
			break;
		}
		assert_int_equal(seen + last->count, 1000);
		rep_flame_cells_release(&c);
	}
	assert_int_equal(seen, 1000);
	release(&s);
}

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

/* Makes a profile with few names on each level and values over six powers of ten, also negative
 * ones on request. */
static struct tp_profile *random_profile(uint32_t stacks, bool negative)
{
	struct tp_profile *p = empty();

	for (uint32_t i = 0; i < stacks; i++) {
		char line[600];
		size_t n = 0;
		uint32_t depth = random_below(12) + 1, fan = random_below(5) ? 4 : 60;
		long long value = 1;

		for (uint32_t d = 0; d < depth; d++)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%sf%u", d ? ";" : "",
					      random_below(fan));
		for (uint32_t d = random_below(7); d > 0; d--)
			value *= 1 + random_below(10);
		if (negative && !random_below(4))
			value = -value;
		snprintf(line + n, sizeof(line) - n, " %lld", value);
		add_line(p, line);
	}
	return p;
}

/* Counts the nodes at and below a bar, including those of merged bars. */
static uint32_t count_below(const struct sample *s, const struct rep_flame_bar *b)
{
	uint32_t first = s->o.first[b->what.node] + b->what.from, n = 0, at = b->what.node, next;

	if (!b->count) {
		for (n = 1; (next = rep_flame_tree_next(&s->t, at, false)); at = next, n++) {
			uint32_t up = next;

			while (up && up != b->what.node)
				up = s->t.node[up].parent;
			if (up != b->what.node)
				break;
		}
		return n;
	}
	for (uint32_t i = first; i < s->o.first[b->what.node + 1]; i++)
		n += count_below(s, &(struct rep_flame_bar){.what = {.node = s->o.child[i]}});
	return n;
}

static void check_children(const struct sample *s, const struct rep_flame_cells *c, uint32_t bar)
{
	const struct rep_flame_bar *up = &c->bar[bar];
	uint32_t at = up->first, n = 0, expected = rep_flame_nchildren(&s->o, up->what.node);
	int64_t weight = 0, value[REP_FLAME_SIDES] = {0};

	for (uint32_t i = up->child; i < up->child + up->nchildren; i++) {
		const struct rep_flame_bar *b = &c->bar[i];
		double exact;

		/* In order, side by side, within the parent. */
		assert_int_equal(b->parent, bar);
		assert_int_equal(b->level, up->level + 1);
		assert_true(b->first >= at);
		assert_true(b->first + b->cells <= up->first + up->cells);
		at = b->first + b->cells;
		/* Each is the next among its siblings. */
		if (b->count) {
			assert_int_equal(b->what.node, up->what.node);
			assert_int_equal(b->what.from, up->what.from + n);
			assert_int_equal(b->count, expected - b->what.from);
			assert_int_equal(i + 1, up->child + up->nchildren);
			n += b->count;
		} else {
			assert_int_equal(b->what.node,
					 s->o.child[s->o.first[up->what.node] + up->what.from + n]);
			assert_int_equal(b->weight, rep_flame_weight(&s->t, b->what.node));
			assert_true(b->cells > 0);
			n++;
		}
		/* Edges are rounded, except for single bars and those that share the remaining
		 * cells. */
		exact = (double)b->weight / (double)(c->bar[0].weight ? c->bar[0].weight : 1) *
			c->width;
		if (!c->bar[0].what.from && exact >= 1)
			assert_true(b->cells + 1.0 > exact && b->cells < exact + 1.0);
		weight += b->weight;
		for (int side = 0; side < REP_FLAME_SIDES; side++)
			value[side] += b->value[side];
	}
	if (up->count && bar)
		return;
	/* Every child has a bar or is counted. */
	assert_int_equal(n + up->what.from, expected);
	assert_int_equal(weight + (up->what.from ? 0 : rep_flame_own_weight(&s->t, up->what.node)),
			 up->weight);
	for (int side = 0; side < REP_FLAME_SIDES; side++)
		assert_int_equal(
		    value[side] + (up->what.from ? 0 : rep_flame_self(&s->t, up->what.node, side)),
		    up->value[side]);
}

static void check_cells(const struct sample *s, struct rep_flame_zoom zoom, uint32_t width)
{
	struct rep_flame_cells c = lay(s, zoom, width);
	uint32_t nodes = 0;

	assert_int_equal(c.bar[0].cells, width);
	for (uint32_t i = 0; i < c.n; i++) {
		assert_true(i >= c.level[c.bar[i].level] && i < c.level[c.bar[i].level + 1]);
		if (!i || !c.bar[i].count) {
			check_children(s, &c, i);
			nodes += !c.bar[i].count;
		} else {
			assert_int_equal(c.bar[i].nchildren, 0);
			nodes += count_below(s, &c.bar[i]);
		}
	}
	assert_int_equal(nodes, count_below(s, &c.bar[0]));
	rep_flame_cells_release(&c);
}

static void test_cells_random(void **state)
{
	static const uint32_t widths[] = {1, 2, 7, 38, 80, 250};

	(void)state;
	for (uint32_t round = 0; round < 40; round++) {
		struct sample s = {0};
		bool two = round % 3 == 0;

		random_state = round;
		s.p[0] = random_profile(1 + random_below(200), round % 4 == 1);
		if (two)
			s.p[1] = random_profile(1 + random_below(200), false);
		build(&s,
		      &(struct rep_flame_tree_options){.compared = two, .reverse = round % 2 != 0});
		for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			uint32_t node = random_below(s.t.n), n = rep_flame_nchildren(&s.o, node);

			check_cells(&s, (struct rep_flame_zoom){0}, widths[w]);
			check_cells(&s, (struct rep_flame_zoom){.node = node}, widths[w]);
			if (n > 1)
				check_cells(&s,
					    (struct rep_flame_zoom){node, 1 + random_below(n - 1)},
					    widths[w]);
		}
		release(&s);
	}
}

/* Sums saturate at 64 bits, and bars stay within the picture. */
static void test_cells_overflow(void **state)
{
	static const char *const lines[] = {"a;x 9223372036854775807", "a;y 9223372036854775807",
					    "b 9223372036854775807", "c 1", NULL};
	struct sample s;
	struct rep_flame_cells c;

	(void)state;
	build_lines(&s, lines, &(struct rep_flame_tree_options){0});
	c = lay(&s, (struct rep_flame_zoom){0}, 10);
	for (uint32_t i = 0; i < c.n; i++)
		assert_true(c.bar[i].first + c.bar[i].cells <= 10);
	rep_flame_cells_release(&c);
	release(&s);
}

/* ---- moving ---- */

static const char *const walk_lines[] = {"a;b;c 40", "a;b;d 20", "a;e 20", "f;g 10",
					 "f;h 8",    "i 1",	 "j 1",	   NULL};

static void test_cells_step(void **state)
{
	/* total; a f 2; b e g h; c d */
	static const struct {
		const char *steps, *ends;
	} cases[] = {
	    {"", "total"},    {"d", "a"},	 {"ddd", "c"},	  {"dddd", "c"},   {"u", "total"},
	    {"dr", "f"},      {"drr", "2"},	 {"drrr", "2"},	  {"drrl", "f"},   {"drd", "g"},
	    {"drdr", "h"},    {"drdru", "f"},	 {"drdrud", "h"}, {"ddr", "e"},	   {"ddrr", "g"},
	    {"ddrrl", "e"},   {"ddru", "a"},	 {"ddrud", "e"},  {"dddr", "d"},   {"dddrr", "d"},
	    {"dddruud", "b"}, {"dddruudd", "d"}, {"drrd", "2"},	  {"ll", "total"}, {"drdll", "b"},
	};
	struct sample s;
	struct rep_flame_cells c;

	(void)state;
	build_lines(&s, walk_lines, &(struct rep_flame_tree_options){0});
	c = lay(&s, (struct rep_flame_zoom){0}, 50);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t at = 0, cell = 0;
		char text[40];

		for (const char *p = cases[i].steps; *p; p++)
			at = rep_flame_cells_step(&c, at,
						  *p == 'u'   ? REP_FLAME_PARENT
						  : *p == 'd' ? REP_FLAME_CHILD
						  : *p == 'l' ? REP_FLAME_BEFORE
							      : REP_FLAME_BEHIND,
						  &cell);
		if (c.bar[at].count)
			snprintf(text, sizeof(text), "%u", c.bar[at].count);
		else
			snprintf(text, sizeof(text), "%s", name_of(&s, c.bar[at].what.node));
		assert_string_equal(text, cases[i].ends);
	}
	rep_flame_cells_release(&c);
	release(&s);
}

static void test_cells_find(void **state)
{
	struct sample s;
	struct rep_flame_cells c;

	(void)state;
	build_lines(&s, walk_lines, &(struct rep_flame_tree_options){0});
	c = lay(&s, (struct rep_flame_zoom){0}, 50);
	/* A node with a bar is found there, a merged one in the merged bar. */
	for (uint32_t i = 0; i < s.t.n; i++) {
		uint32_t at = rep_flame_cells_find(&c, &s.t, (struct rep_flame_zoom){.node = i});
		const char *name = name_of(&s, i);

		if (!strcmp(name, "i") || !strcmp(name, "j"))
			assert_int_equal(c.bar[at].count, 2);
		else
			assert_int_equal(c.bar[at].what.node, i);
	}
	for (uint32_t i = 0; i < c.n; i++) {
		assert_int_equal(rep_flame_cells_find(&c, &s.t, c.bar[i].what), i);
		if (c.bar[i].cells)
			assert_int_equal(rep_flame_cells_at(&c, c.bar[i].level,
							    c.bar[i].first + c.bar[i].cells - 1),
					 i);
	}
	assert_int_equal(rep_flame_cells_at(&c, 99, 0), UINT32_MAX);
	assert_int_equal(rep_flame_cells_at(&c, 3, 49), UINT32_MAX);
	rep_flame_cells_release(&c);
	/* Outside of the zoomed part: the whole part. */
	c = lay(&s, (struct rep_flame_zoom){.node = 1}, 50);
	assert_string_equal(name_of(&s, c.bar[0].what.node), "a");
	assert_int_equal(rep_flame_cells_find(&c, &s.t, (struct rep_flame_zoom){.node = s.t.n - 1}),
			 0);
	rep_flame_cells_release(&c);
	release(&s);
}

/* ---- search ---- */

static void test_search_share(void **state)
{
	static const char *const lines[] = {"main;http.(*conn).serve;Read 5",
					    "main;Read;x;Read 7",
					    "main;read 11",
					    "Read 13",
					    "main;(unbalanced 1",
					    "caf\xc3\xa9.Open 3",
					    NULL};
	static const struct {
		const char *text;
		int64_t value;
		uint32_t frames;
	} cases[] = {
	    {"Read", 25, 3}, /* a stack with two matches counts once */
	    {"read", 36, 4}, /* without capitals, case is ignored */
	    {"^re", 36, 4},	   {"(*conn)", 5, 1},  {"main", 24, 1},	      {"Main", 0, 0},
	    {"(unbalanced", 1, 1}, {"serve|x", 12, 2}, {"f\xc3\xa9.o", 3, 1}, {"F\xc3\xa9", 0, 0},
	    {"\xc3\xa9", 3, 1},	   {"nothing", 0, 0},
	};
	struct sample s;

	(void)state;
	build_lines(&s, lines, &(struct rep_flame_tree_options){0});
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_flame_found f;
		struct tp_err err;

		assert_int_equal(rep_flame_search(&s.t, &s.o, (struct rep_flame_zoom){0},
						  cases[i].text, &f, &err),
				 0);
		assert_int_equal(f.value[REP_FLAME_NEW], cases[i].value);
		assert_int_equal(f.weight, cases[i].value);
		assert_int_equal(f.frames, cases[i].frames);
		assert_int_equal(!f.mark[0], !f.frames);
		rep_flame_found_release(&f);
	}
	release(&s);
}

/* Searches the zoomed part: a frame, or some of the children of one. */
static void test_search_zoomed(void **state)
{
	static const char *const lines[] = {"a;x 50", "b;x 30", "c;x 2", "d;x 1", NULL};
	struct sample s;
	struct rep_flame_found f;
	struct rep_flame_cells c;
	struct tp_err err;

	(void)state;
	build_lines(&s, lines, &(struct rep_flame_tree_options){0});
	assert_int_equal(
	    rep_flame_search(&s.t, &s.o, (struct rep_flame_zoom){.from = 2}, "x", &f, &err), 0);
	assert_int_equal(f.value[REP_FLAME_NEW], 3);
	assert_int_equal(f.frames, 2);
	c = lay(&s, (struct rep_flame_zoom){0}, 20);
	assert_int_equal(c.bar[3].count, 2);
	assert_int_equal(rep_flame_found_mark(&f, &s.o, &c.bar[3]), REP_FLAME_HOLDS);
	assert_int_equal(rep_flame_found_mark(&f, &s.o, &c.bar[1]), REP_FLAME_HOLDS);
	assert_int_equal(rep_flame_found_mark(&f, &s.o, &c.bar[4]), REP_FLAME_MATCHES);
	rep_flame_found_release(&f);
	assert_int_equal(rep_flame_search(&s.t, &s.o,
					  (struct rep_flame_zoom){.node = c.bar[2].what.node}, "x",
					  &f, &err),
			 0);
	assert_int_equal(f.value[REP_FLAME_NEW], 30);
	rep_flame_found_release(&f);
	rep_flame_cells_release(&c);
	release(&s);
}

/* ---- source lines ---- */

/* Of the source lines of a node, the one with most samples is shown, from the root and from the
 * leaf. */
static void test_tree_frames(void **state)
{
	static const char *const lines[] = {"a:1;b:5 3", "a:1;b:6 4", "a:2;b:7 2",
					    "a:2;c:9 2", "a:3 1",     NULL};
	static const struct {
		const char *name;
		int64_t line[2];
	} places[] = {{"a", {1, 1}}, {"b", {6, 6}}, {"c", {9, 9}}};

	(void)state;
	for (int reverse = 0; reverse < 2; reverse++) {
		struct sample s;

		build_lines(&s, lines,
			    &(struct rep_flame_tree_options){.reverse = reverse, .frames = true});
		assert_int_equal(rep_flame_frame_of(&s.t, 0, REP_FLAME_NEW), 0);
		assert_int_equal(rep_flame_frame_of(&s.t, 1, REP_FLAME_OLD), 0);
		for (uint32_t i = 1; i < s.t.n; i++) {
			uint32_t frame = rep_flame_frame_of(&s.t, i, REP_FLAME_NEW);

			for (size_t k = 0; k < 3; k++)
				/* In the tree from the leaf, a below b and c has other lines. */
				if (!strcmp(name_of(&s, i), places[k].name) &&
				    !(reverse && s.t.node[i].depth > 1))
					assert_int_equal(
					    tp_dict_frame_at(s.p[0]->dict, frame).line,
					    reverse && k == 0 ? 3 : places[k].line[reverse]);
		}
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cells_layout), cmocka_unit_test(test_cells_zoom_merged),
	    cmocka_unit_test(test_cells_random), cmocka_unit_test(test_cells_overflow),
	    cmocka_unit_test(test_cells_step),	 cmocka_unit_test(test_cells_find),
	    cmocka_unit_test(test_search_share), cmocka_unit_test(test_search_zoomed),
	    cmocka_unit_test(test_tree_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
