/* Tests graphs of small profiles: what counts once, which nodes and edges are kept, and their
 * order. */
#include "profile/testing.h"

#include "profile/graph.h"
#include "profile/top.h"

static const struct rep_profile_traits text_traits = {.all_nodes = true, .edges = true};
static const struct rep_profile_traits picture_traits = {
    .visual = true, .edges = true, .call_tree = true};

/* Writes "name flat/cum in1*weight …" for every node; "~" is a residual edge, "+" an inlined one.
 */
static void describe(const struct rep_graph *g, struct tp_buf *b)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct rep_node *n = g->node[i];
		char text[200];

		snprintf(text, sizeof(text), "%s%.*s %lld/%lld", i ? " | " : "", (int)n->name.size,
			 n->name.text, (long long)n->flat, (long long)n->cum);
		test_put(b, text, strlen(text));
		for (size_t k = 0; k < n->nin; k++) {
			const struct rep_edge *e = n->in[k];

			assert_ptr_equal(e->dest, n);
			snprintf(text, sizeof(text), " %s%s%.*s*%lld", e->residual ? "~" : "",
				 e->inlined ? "+" : "", (int)e->src->name.size, e->src->name.text,
				 (long long)e->weight);
			test_put(b, text, strlen(text));
		}
	}
	assert_int_equal(tp_buf_put(b, "", 1), 0);
}

static void assert_graph(const char *const *samples, const struct rep_profile_traits *traits,
			 const struct rep_profile_options *opt, const char *want)
{
	struct tp_profile *p = test_profile("n/count v/count", "BIN", samples);
	struct rep_profile_view v;
	struct tp_buf b = {0};
	struct rep_graph *g;
	struct tp_err err;

	assert_int_equal(rep_profile_view_init(&v, p, opt, traits, &err), 0);
	assert_int_equal(rep_graph_new(&g, &v, &err), 0);
	describe(g, &b);
	assert_string_equal((char *)b.data, want);
	tp_buf_release(&b);
	rep_graph_free(g);
	rep_profile_view_release(&v);
	tp_profile_free(p);
}

#define OPTIONS(...)                                                                               \
	&(struct rep_profile_options)                                                              \
	{                                                                                          \
		.divide_by = 1, .unit = "minimum", __VA_ARGS__                                     \
	}

/* A function counts once in its cum, however often it is on the stack; so does an edge. */
static void test_graph_recursion(void **state)
{
	const char *const samples[] = {"1,10 a;b;a;b", "1,3 a;b", "1,5 a;a", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.cum = true), "a 5/18 b*10 | b 13/13 a*13");
}

/* The order of stacks in the dictionary does not matter: these jump between two paths. */
static void test_graph_jumps(void **state)
{
	const char *const samples[] = {"1,1 a;b;c",   "1,2 d;e;a",  "1,4 a;b;c;a",
				       "1,8 d;e;a;d", "1,16 a;b;x", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.cum = true),
		     "a 6/31 e*10 c*4 | b 0/21 a*21 | x 16/16 b*16 | d 8/10 a*8 | e 0/10 d*10 | "
		     "c 1/5 b*5");
}

static void test_graph_inlined(void **state)
{
	const char *const samples[] = {"1,4 a;b+c", "1,2 a;c", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.cum = true),
		     "a 0/6 | c 6/6 +b*4 a*2 | b 0/4 a*4");
	assert_graph(samples, &text_traits, OPTIONS(.cum = true, .no_inlines = true),
		     "a 0/6 | b 4/4 a*4 | c 2/2 a*2");
}

/* An edge skips a node that is left out; its flat is not shown. */
static void test_graph_trimmed(void **state)
{
	const char *const samples[] = {"1,90 a;b;c", "1,9 a;x;c", "1,1 a;b;y", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.node_fraction = 0.1),
		     "c 99/99 b*90 ~a*9 | a 0/100 | b 0/91 a*91");
	assert_graph(samples, &text_traits, OPTIONS(.node_fraction = 0.1, .edge_fraction = 0.1),
		     "c 99/99 b*90 | a 0/100 | b 0/91 a*91");
	assert_graph(samples, &text_traits, OPTIONS(.node_count = 2), "c 99/99 | y 1/1");
	/* A picture drops the edge that skips x, because the path through b leads there, too. */
	assert_graph(samples, &picture_traits, OPTIONS(.node_fraction = 0.1),
		     "c 99/99 b*90 | a 0/100 | b 0/91 a*91");
}

static void test_graph_tree(void **state)
{
	const char *const samples[] = {"1,4 a;b;c", "1,2 a;d;c", "1,1 c", NULL};

	(void)state;
	assert_graph(samples, &picture_traits, OPTIONS(.call_tree = true),
		     "a 0/6 | c 4/4 b*4 | c 2/2 d*2 | c 1/1 | b 0/4 a*4 | d 0/2 a*2");
	assert_graph(samples, &picture_traits, OPTIONS(.call_tree = true, .node_fraction = 0.5),
		     "c 4/4 b*4 | a 0/6 | b 0/4 a*4");
}

/* In differences, a node that adds up to 0 is not shown; its callees may be. */
static void test_graph_negative(void **state)
{
	const char *const samples[] = {"1,5 a;b;c", "1,-5 a;b;d", "1,-2 e", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.cum = false),
		     "c 5/5 b*5 | d -5/-5 b*-5 | e -2/-2");
	assert_graph(samples, &text_traits, OPTIONS(.drop_negative = true), "c 5/5 b*5");
}

static void test_graph_granularity(void **state)
{
	const char *const samples[] = {"1,1 f@./x//a.go:1;g@y/../a.go:2", "1,2 f@x/a.go:3",
				       "1,4 0x20", NULL};

	(void)state;
	assert_graph(samples, &text_traits, OPTIONS(.granularity = REP_LINES),
		     "[BIN] 4/4 | f x/a.go:3 2/2 | g a.go:2 1/1 f x/a.go:1*1 | f x/a.go:1 0/1");
	assert_graph(samples, &text_traits, OPTIONS(.granularity = REP_FILES),
		     "[BIN] 4/4 | x/a.go 2/3 | a.go 1/1 x/a.go*1");
	assert_graph(samples, &text_traits,
		     OPTIONS(.granularity = REP_ADDRESSES, .focus = "BIN", .ignore = "a.go"),
		     "0000000000000020 [BIN] 4/4");
}

static void test_graph_tags(void **state)
{
	const char *const samples[] = {"1,4 a;b k=v bytes:1024b", "1,2 a;b k=v bytes:2048b",
				       "1,1 a k=w", NULL};
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct tp_profile *p = test_profile("n/count v/count", NULL, samples);
	struct rep_profile_view v;
	struct rep_graph *g;
	struct rep_node *a;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_profile_view_init(&v, p, &opt, &picture_traits, &err), 0);
	assert_int_equal(rep_graph_new(&g, &v, &err), 0);
	a = g->node[0]->name.text[0] == 'a' ? g->node[0] : g->node[1];
	assert_int_equal(a->tags.n, 2);
	rep_tags_sort(a->tags.tag, a->tags.n, false);
	assert_string_equal(a->tags.tag[0].name.text, "k:v");
	assert_int_equal(a->tags.tag[0].cum, 6);
	assert_int_equal(a->tags.tag[0].flat, 0);
	assert_int_equal(a->tags.tag[1].flat, 1);
	assert_int_equal(a->nnumeric, 1);
	assert_string_equal(a->numeric[0].labels.text, "k:v");
	assert_int_equal(a->numeric[0].n, 2);
	rep_tags_sort(a->numeric[0].tag, 2, false);
	assert_string_equal(a->numeric[0].tag[0].name.text, "1kB");
	assert_int_equal(a->numeric[0].tag[0].cum, 4);
	rep_graph_free(g);
	rep_profile_view_release(&v);
	tp_profile_free(p);
}

/* Tests stacks of a hundred thousand frames, and moves between two of them. */
static void test_graph_deep(void **state)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	const char *const none[] = {NULL};
	struct tp_profile *p = test_profile("v/count", NULL, none);
	uint32_t stack[2] = {0, 0};
	struct rep_profile_top top;
	struct tp_err err;

	(void)state;
	for (int i = 0; i < 100000; i++)
		for (int k = 0; k < 2; k++)
			test_location(p, k ? "even" : "odd", k ? 4 : 3, &stack[k]);
	for (int k = 0; k < 2; k++)
		assert_int_equal(tp_profile_add_sample(p, stack[k], 0, (int64_t[]){k + 1}), 0);
	assert_int_equal(rep_profile_top(&top, p, &opt, &err), 0);
	assert_int_equal(top.n, 2);
	assert_string_equal(top.row[0].name.text, "even");
	assert_int_equal(top.row[0].cum, 2);
	assert_int_equal(top.row[1].flat, 1);
	rep_profile_top_release(&top);
	tp_profile_free(p);
}

static const struct {
	const char *text;
	int index; /* -1: not found */
} indices[] = {{NULL, 2}, {"0", 0},   {"inuse_space", 1}, {"space", 1},	  {"delay", 2},
	       {"3", -1}, {"-1", -1}, {"total_delay", 2}, {"objects", 0}, {"cpu", -1}};

/* Functions found by name take no slot of the table that the nameless ones then need: thousands of
 * them once filled it, and the search for a free slot did not end. */
static void test_graph_many_names_then_none(void **state)
{
	enum { NAMES = 5000 };
	const char **samples = calloc(NAMES + 2, sizeof(*samples));
	char(*text)[32] = calloc(NAMES, sizeof(*text));
	struct rep_profile_view v;
	struct tp_profile *p;
	struct rep_graph *g;
	struct tp_err err;

	(void)state;
	assert_non_null(samples);
	assert_non_null(text);
	for (int i = 0; i < NAMES; i++) {
		snprintf(text[i], sizeof(text[i]), "1,1 root;f%d", i);
		samples[i] = text[i];
	}
	samples[NAMES] = "1,1 root;0x10";
	p = test_profile("n/count v/count", NULL, samples);
	assert_int_equal(rep_profile_view_init(&v, p, OPTIONS(.no_trim = true), &text_traits, &err),
			 0);
	assert_int_equal(rep_graph_new(&g, &v, &err), 0);
	assert_int_equal(g->n, NAMES + 2);
	rep_graph_free(g);
	rep_profile_view_release(&v);
	tp_profile_free(p);
	free(samples);
	free(text);
}

static void test_sample_index(void **state)
{
	const char *const none[] = {NULL};
	struct tp_profile *p = test_profile("objects/count space/bytes delay/ns", NULL, none);
	struct tp_err err;
	size_t index;

	(void)state;
	for (size_t i = 0; i < sizeof(indices) / sizeof(indices[0]); i++) {
		int code = rep_profile_sample_index(p, indices[i].text, &index, &err);

		assert_int_equal(code, indices[i].index < 0 ? TP_ENOENT : 0);
		if (!code)
			assert_int_equal(index, indices[i].index);
		else
			assert_non_null(strstr(err.msg, "objects, space, delay"));
	}
	p->default_type = p->types[0].type;
	assert_int_equal(rep_profile_sample_index(p, NULL, &index, &err), 0);
	assert_int_equal(index, 0);
	tp_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_graph_recursion),
	    cmocka_unit_test(test_graph_jumps),
	    cmocka_unit_test(test_graph_inlined),
	    cmocka_unit_test(test_graph_trimmed),
	    cmocka_unit_test(test_graph_tree),
	    cmocka_unit_test(test_graph_negative),
	    cmocka_unit_test(test_graph_granularity),
	    cmocka_unit_test(test_graph_tags),
	    cmocka_unit_test(test_graph_many_names_then_none),
	    cmocka_unit_test(test_graph_deep),
	    cmocka_unit_test(test_sample_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
