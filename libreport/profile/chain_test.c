/* Tests callers and callees: recursion against results made by hand, and others against the graph's
 * edges. */
#include "profile/testing.h"

#include "profile/chain.h"
#include "profile/graph.h"

static const struct rep_profile_traits text_traits = {.all_nodes = true, .edges = true};

struct fixture {
	struct tp_profile *p;
	struct rep_profile_view v;
	struct rep_chains *chains;
};

static void begin(struct fixture *f, const char *const *samples,
		  const struct rep_profile_options *opt)
{
	struct tp_err err;

	f->p = test_profile("n/count v/count", "BIN", samples);
	assert_int_equal(rep_profile_view_init(&f->v, f->p, opt, &text_traits, &err), 0);
	assert_int_equal(rep_chains_new(&f->chains, &f->v, &err), 0);
}

static void end(struct fixture *f)
{
	rep_chains_free(f->chains);
	rep_profile_view_release(&f->v);
	tp_profile_free(f->p);
}

static uint32_t node_of(struct fixture *f, const char *name)
{
	struct rep_node_info info = {
	    .name = {name, (uint32_t)strlen(name)}, .file = {"", 0}, .object = {"", 0}};

	return rep_chains_node(f->chains, &info);
}

#define OPTIONS(...)                                                                               \
	(struct rep_profile_options)                                                               \
	{                                                                                          \
		.divide_by = 1, .unit = "minimum", __VA_ARGS__                                     \
	}

/* Checks the callers or callees of a chain "a;b": "name flat/cum | …". */
static void assert_next(struct fixture *f, const char *text, bool callers, const char *want)
{
	struct rep_chain_next *next;
	struct tp_buf b = {0};
	uint32_t chain[8];
	struct tp_err err;
	char names[100], *name, *rest = names;
	size_t n = 0, nnext;

	snprintf(names, sizeof(names), "%s", text);
	while ((name = strtok_r(rest, ";", &rest)) != NULL) {
		chain[n] = node_of(f, name);
		assert_int_not_equal(chain[n++], TP_NONE);
	}
	assert_int_equal(rep_chains_next(f->chains, chain, n, callers, &next, &nnext, &err), 0);
	for (size_t i = 0; i < nnext; i++) {
		char line[100];

		snprintf(line, sizeof(line), "%s%.*s %lld/%lld", i ? " | " : "",
			 (int)next[i].name.size, next[i].name.text, (long long)next[i].flat,
			 (long long)next[i].cum);
		test_put(&b, line, strlen(line));
	}
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_string_equal((char *)b.data, want);
	tp_buf_release(&b);
	free(next);
}

static void test_chains_next_levels(void **state)
{
	const char *const samples[] = {"1,1 a;b;d",   "1,2 a;c;d", "1,4 x;b;d",
				       "1,8 x;b;d;e", "1,16 d",	   NULL};
	struct rep_profile_options opt = OPTIONS(.cum = true);
	struct fixture f;

	(void)state;
	begin(&f, samples, &opt);
	assert_next(&f, "d", true, "b 5/13 | c 2/2");
	assert_next(&f, "b;d", true, "x 4/12 | a 1/1");
	assert_next(&f, "c;d", true, "a 2/2");
	assert_next(&f, "x;b;d", true, "");
	assert_next(&f, "b", false, "d 5/13");
	assert_next(&f, "a", false, "c 0/2 | b 0/1");
	assert_next(&f, "b;d", false, "e 8/8");
	assert_next(&f, "e", false, "");
	assert_int_equal(node_of(&f, "nobody"), TP_NONE);
	end(&f);
}

/* A function's direct calls of itself are one step; other nodes count once, however often they
 * occur. */
static void test_chains_next_recursion(void **state)
{
	const char *const samples[] = {"1,10 a;b;a;b", "1,3 a;b", "1,5 a;a", "1,7 a;a;b;b", NULL};
	struct rep_profile_options opt = OPTIONS(.cum = true);
	struct fixture f;

	(void)state;
	begin(&f, samples, &opt);
	assert_next(&f, "b", true, "a 20/20");
	assert_next(&f, "a", false, "b 20/20");
	assert_next(&f, "a;b", true, "b 10/10");
	assert_next(&f, "a", true, "b 0/10");
	end(&f);
}

/* With no_inlines, an inlined function counts for the function that it was inlined into. */
static void test_chains_next_inlined(void **state)
{
	const char *const samples[] = {"1,4 a;b+c", "1,2 a;c", "1,1 a;b+c;d", NULL};
	struct rep_profile_options opt = OPTIONS(.cum = true);
	struct fixture f;

	(void)state;
	begin(&f, samples, &opt);
	assert_next(&f, "c", true, "b 4/5 | a 2/2");
	end(&f);
	opt.no_inlines = true;
	begin(&f, samples, &opt);
	assert_next(&f, "b", true, "a 4/5");
	assert_next(&f, "b", false, "d 1/1");
	end(&f);
}

/* The callers of a single node have the weights of the edges into it. */
static void test_chains_next_edges(void **state)
{
	struct rep_profile_options opt = OPTIONS(.cum = true);
	uint32_t seed = 7;
	char lines[300][64];
	const char *samples[301] = {NULL};
	struct rep_graph *g;
	struct tp_err err;
	struct fixture f;
	size_t checked = 0;

	(void)state;
	for (size_t i = 0; i < 300; i++) {
		size_t n = (size_t)snprintf(lines[i], sizeof(lines[i]), "1,%zu ", i % 17 + 1);

		for (size_t k = 0; k < 2 + i % 9; k++) {
			seed = seed * 1664525 + 1013904223;
			n += (size_t)snprintf(lines[i] + n, sizeof(lines[i]) - n, "%s%c",
					      k ? ";" : "", 'a' + (int)(seed >> 24) % 6);
		}
		samples[i] = lines[i];
	}
	begin(&f, samples, &opt);
	assert_int_equal(rep_graph_new(&g, &f.v, &err), 0);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t node = rep_chains_node(f.chains, &g->node[i]->info);

		for (int callers = 0; callers < 2; callers++) {
			size_t nedges = callers ? g->node[i]->nin : g->node[i]->nout, nnext;
			struct rep_edge **edge = callers ? g->node[i]->in : g->node[i]->out;
			struct rep_chain_next *next;

			assert_int_equal(
			    rep_chains_next(f.chains, &node, 1, callers, &next, &nnext, &err), 0);
			assert_int_equal(nnext, nedges);
			for (size_t k = 0; k < nedges; k++) {
				const struct rep_node *other =
				    callers ? edge[k]->src : edge[k]->dest;
				size_t at = 0;

				while (at < nnext &&
				       next[at].node != rep_chains_node(f.chains, &other->info))
					at++;
				assert_true(at < nnext);
				assert_int_equal(next[at].cum, edge[k]->weight);
				checked++;
			}
			free(next);
		}
	}
	assert_true(checked > 40);
	rep_graph_free(g);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_chains_next_levels), cmocka_unit_test(test_chains_next_recursion),
	    cmocka_unit_test(test_chains_next_inlined), cmocka_unit_test(test_chains_next_edges)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
