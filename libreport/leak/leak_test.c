/* Sites, how they are joined, what is allowed, and what a trace and its dumps say of one program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "import.h"
#include "leak/parts.h"
#include "open/input.h"

static void test_allow_match(void **state)
{
	static const struct {
		const char *rule, *name;
		bool is;
	} cases[] = {
	    {"main.f", "main.f", true},
	    {"main.f", "main.fg", false},
	    {"main.f", "main.", false},
	    {"main.*", "main.f", true},
	    {"main.*", "main.", true},
	    {"main.*", "domain.f", false},
	    {"*", "", true},
	    {"*Serve", "net/http.(*Server).Serve", true},
	    {"net/http.(*Server).Serve", "net/http.(*Server).Serve", true},
	    {"a*b*c", "axxbxxbc", true},
	    {"a*b*c", "axxbxxbd", false},
	    {"main.f[...]", "main.f[...]", true},
	    {"main.f[...]", "main.fx", false},
	    {"**a", "bca", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rep_allow_rule rule = {.name = cases[i].rule};

		if (rep_allow_match(&rule, cases[i].name, strlen(cases[i].name)) != cases[i].is)
			fail_msg("%s on %s", cases[i].rule, cases[i].name);
	}
}

static void test_allow_parse(void **state)
{
	static const char text[] =
	    "# all of these\r\n\n  main.a \t\r\n12\tmain.b\n12main.c\nmain.d\n"
	    "3 main.e\t # why\r\n\t#\nmain.f#1 #\nmain.g[struct { A int }]";
	static const struct {
		const char *name;
		int64_t most;
		size_t line;
	} want[] = {{"main.a", INT64_MAX, 3},
		    {"main.b", 12, 4},
		    {"12main.c", INT64_MAX, 5},
		    {"main.d", INT64_MAX, 6},
		    {"main.e", 3, 7},
		    {"main.f#1", INT64_MAX, 9},
		    {"main.g[struct { A int }]", INT64_MAX, 10}};
	const size_t n = sizeof(want) / sizeof(want[0]);
	struct rep_allow a;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_allow_parse(&a, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(a.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(a.rule[i].name, want[i].name);
		assert_int_equal(a.rule[i].most, want[i].most);
		assert_int_equal(a.rule[i].line, want[i].line);
	}
	rep_allow_release(&a);
	assert_int_equal(rep_allow_parse(&a, "", 0, &err), 0);
	assert_int_equal(a.n, 0);
	rep_allow_release(&a);
	assert_int_equal(rep_allow_parse(&a, "a\nb\0c", 5, &err), TP_EFORMAT);
	rep_allow_release(&a);
	assert_int_equal(rep_allow_parse(&a, "ok\n1234567890 x", 15, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "line 2"));
	rep_allow_release(&a);
}

/* ---- dumps written here ---- */

static void add_text(struct rep_leaks *l, const char *text)
{
	struct tp_profile *p;
	struct tp_err err;

	if (tp_profile_read(text, strlen(text), NULL, &p, &err))
		fail_msg("%s", err.msg);
	if (rep_leaks_add_profile(l, "text", p, &err))
		fail_msg("%s", err.msg);
	tp_profile_free(p);
}

static struct rep_leaks *leaks(const struct rep_leak_options *opt, const char *const *text,
			       size_t n)
{
	struct rep_leaks *l;

	assert_int_equal(rep_leaks_new(&l, opt, NULL), 0);
	for (size_t i = 0; i < n; i++)
		add_text(l, text[i]);
	assert_int_equal(rep_leaks_finish(l, NULL), 0);
	return l;
}

#define G(id, what, by, line)                                                                      \
	"goroutine " id " [" what "]:\nmain.wait()\n\t/src/w.go:7 +0x1d\ncreated by " by           \
	" in goroutine 1\n\t/src/w.go:" line " +0x5e\n\n"
#define COUNTED                                                                                    \
	"goroutine profile: total 4\n4 @ 0x1 0x2\n#\t0x1\tmain.wait+0x1d\t/elsewhere/w.go:7\n\n"

/* A store may name any stack, also one that its dictionary does not have. */
static void test_leak_stack_unknown(void **state)
{
	struct tp_dict *from = tp_dict_new(), *to = tp_dict_new();
	static const uint32_t stacks[] = {1, 100000, UINT32_MAX};
	struct rep_leak_names m;
	struct rep_own own = {0};
	const char *waits;
	uint32_t common;

	(void)state;
	assert_non_null(from);
	assert_non_null(to);
	assert_int_equal(rep_leak_names_init(&m, from, to, &own), 0);
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		assert_int_equal(rep_leak_stack(&m, stacks[i], &common, &waits), 0);
		assert_int_equal(common, 0);
		assert_null(waits);
	}
	rep_leak_names_release(&m);
	rep_own_release(&own);
	tp_dict_free(from);
	tp_dict_free(to);
}

/* Appends a frame of this function to the stack. */
static void push(struct tp_dict *d, const char *function, uint32_t *stack)
{
	struct tp_function f = {0};
	struct tp_frame frame = {0};
	uint32_t id;

	assert_int_equal(tp_dict_string(d, function, strlen(function), &f.name), 0);
	assert_int_equal(tp_dict_function(d, &f, &frame.function), 0);
	assert_int_equal(tp_dict_frame(d, &frame, &id), 0);
	assert_int_equal(tp_dict_stack(d, *stack, id, stack), 0);
}

/* A chain of the runtime's frames, and a goroutine at each of them: what is behind one is looked
 * for once, in whatever order they come. */
static void test_leak_stack_long(void **state)
{
	enum { DEPTH = 100000 };
	struct tp_dict *from = tp_dict_new(), *to = tp_dict_new();
	uint32_t stack = 0, common, expected, first;
	struct rep_leak_names m;
	struct rep_own own = {0};
	const char *waits;

	(void)state;
	assert_non_null(from);
	assert_non_null(to);
	push(from, "runtime.goexit", &stack);
	push(from, "main.f", &stack);
	first = stack;
	push(from, "runtime.gopark", &stack);
	push(from, "runtime.chanrecv1", &stack);
	for (int i = 0; i < DEPTH; i++)
		push(from, i % 2 ? "runtime.selectgo" : "runtime.x", &stack);
	assert_int_equal(rep_leak_names_init(&m, from, to, &own), 0);
	assert_int_equal(rep_leak_stack(&m, stack / 2, &expected, &waits), 0);
	for (uint32_t at = first; at <= stack; at++) {
		assert_int_equal(rep_leak_stack(&m, at, &common, &waits), 0);
		assert_int_equal(common, expected);
		if (at < first + 2)
			assert_null(waits);
		else
			assert_string_equal(waits, "chan receive");
	}
	assert_int_equal(tp_dict_stack_at(to, expected).parent, 0);
	rep_leak_names_release(&m);
	rep_own_release(&own);
	tp_dict_free(from);
	tp_dict_free(to);
}

/* A text that only counts joins the one creator there is for its stack, and none of two. */
static void test_leaks_join(void **state)
{
	const struct rep_leak_options opt = {0};
	const char *one[] = {COUNTED,
			     G("7", "select", "main.a", "30") G("8", "select", "main.a", "30")};
	const char *two[] = {COUNTED,
			     G("7", "select", "main.a", "30") G("8", "select", "main.b", "31")};
	const struct rep_leak_site *s;
	struct rep_leaks *l;
	size_t n;

	(void)state;
	l = leaks(&opt, one, 2);
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 1);
	assert_int_equal(s[0].count[0].goroutines, 4);
	assert_int_equal(s[0].count[1].goroutines, 2);
	assert_int_equal(s[0].nids, 2);
	assert_int_equal(s[0].id[1].goid, 8);
	assert_string_equal(tp_dict_text(l->dict, s[0].waits).text, "select");
	rep_leaks_free(l);

	l = leaks(&opt, two, 2);
	assert_int_equal(l->nsites, 3);
	rep_leaks_free(l);
}

#define TO_GO "created by main.serve in goroutine 1\n\t/src/w.go:20 +0x65\n\n"

/* A crash prints the functions that the compiler makes, and the runtime's goroutines; a dump does
 * not. */
static void test_leaks_wrappers(void **state)
{
	static const char *const texts[] = {
	    "goroutine 7 [chan send]:\nmain.f(...)\n\t/src/w.go:8 +0x1d\n" TO_GO
	    "goroutine 8 [chan send]:\nmain.(*T).F(...)\n\t/src/w.go:9 +0x1d\n" TO_GO,
	    "goroutine 7 [chan send]:\nmain.f(...)\n\t/src/w.go:8\n"
	    "main.serve[...].gowrap12()\n\t/src/w.go:20 +0x28\n"
	    "runtime.goexit({})\n\truntime/asm_amd64.s:1264 +0x1\n" TO_GO
	    "goroutine 8 [chan send]:\nmain.(*T).F(...)\n\t/src/w.go:9 +0x1d\n"
	    "main.(*Deep).F(0x1)\n\t<autogenerated>:1 +0x1f\n"
	    "main.Deep.F-fm()\n\t/src/w.go:20 +0x28\n"
	    "main.serve.deferwrap1()\n\t/src/w.go:20 +0x28\n" TO_GO
	    "goroutine 2 [sleep]:\nruntime.gopark(0x1)\n\truntime/proc.go:474 +0xca\n"
	    "runtime.bgscavenge(0x1)\n\truntime/mgc.go:9 +0x3\n"
	    "runtime.gcenable.gowrap2()\n\truntime/mgc.go:215 +0x25\n"
	    "runtime.goexit({})\n\truntime/asm_amd64.s:1264 +0x1\n"
	    "created by runtime.gcenable in goroutine 1\n\truntime/mgc.go:215 +0x66\n",
	};
	struct rep_leak_options opt = {0};
	struct rep_leaks *l = leaks(&opt, texts, 2);
	const struct rep_leak_site *s;
	size_t n;

	(void)state;
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s[i].count[0].goroutines, 1);
		assert_int_equal(s[i].count[1].goroutines, 1);
	}
	assert_int_equal(l->excess, 0);
	rep_leaks_free(l);
}

/* A creator whose place is cut off is not another one. */
static void test_leaks_cut_creator(void **state)
{
	static const char *const texts[] = {G("7", "chan send", "main.open", "62") G(
	    "8", "chan send", "main.open",
	    "62\n\n"
	    "goroutine 9 [chan send]:\nmain.wait()\n"
	    "\t/src/w.go:7 +0x1d\n"
	    "created by main.open in goroutine 1\n\n"
	    "goroutine 10 [running]:\nmain.main()\n\t/src/w.go:1")};
	struct rep_leak_options opt = {0};
	struct rep_leaks *l = leaks(&opt, texts, 1);

	(void)state;
	assert_int_equal(l->site->count[0].goroutines, 3);
	assert_int_equal(l->nsites, 1);
	rep_leaks_free(l);
}

static void test_leaks_grow(void **state)
{
	const struct rep_leak_options opt = {.sort = REP_LEAK_BY_GROWTH};
#define A G("1", "select", "main.a", "30")
#define B G("2", "select", "main.b", "31")
	const char *text[] = {A B B B B, A A B B B B, A A A B B B B};
	const struct rep_leak_site *s;
	struct rep_leaks *l = leaks(&opt, text, 3);
	size_t n;

	(void)state;
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 2);
	assert_int_equal(s[0].count[2].goroutines, 3);
	assert_true(s[0].grows);
	assert_false(s[1].grows);
	assert_int_equal(l->excess, 2);
	rep_leaks_free(l);
}

/* Rules with a number are used up by the largest sites; what is left over counts. */
static void test_leaks_allowed(void **state)
{
	struct rep_allow allow;
	const char *text[] = {A A A B B};
	static const struct {
		const char *list;
		int64_t excess;
		size_t allowed;
	} cases[] = {
	    {"", 5, 0},
	    {"main.a", 2, 1},
	    {"main.wait", 0, 2},
	    {"4 main.wait", 1, 1},
	    {"2 main.wait", 3, 0},
	    {"2 main.a\n1 main.a", 2, 1},
	    {"3 main.*\nnone", 2, 1},
	    {"main.a\nmain.b", 0, 2},
	    {"0 main.a", 5, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rep_leak_options opt = {.allow = &allow};
		const struct rep_leak_site *s;
		struct rep_leaks *l;
		size_t n, allowed = 0;

		assert_int_equal(
		    rep_allow_parse(&allow, cases[i].list, strlen(cases[i].list), NULL), 0);
		l = leaks(&opt, text, 1);
		s = l->site;
		n = l->nsites;
		for (size_t k = 0; k < n; k++)
			allowed += s[k].allowed;
		if (l->excess != cases[i].excess || allowed != cases[i].allowed)
			fail_msg("'%s': %lld, %zu", cases[i].list, (long long)l->excess, allowed);
		rep_leaks_free(l);
		rep_allow_release(&allow);
	}
}

/* What goes on is no leak, nor what the runtime keeps, nor the main goroutine. */
static void test_leaks_left_out(void **state)
{
	struct rep_leak_options opt = {0};
	const char *text[] = {
	    "goroutine 1 [select]:\nmain.main()\n\t/src/w.go:7 +0x1d\n\n"
	    "goroutine 2 [force gc (idle)]:\nruntime.gopark()\n\t/go/runtime/proc.go:1 +0x1\n"
	    "runtime.forcegchelper()\n\t/go/runtime/proc.go:2 +0x1\n"
	    "runtime.goexit({})\n\t/go/runtime/asm.s:2 +0x1\n"
	    "created by runtime.init.7 in goroutine 1\n\t/go/runtime/proc.go:3 +0x1\n\n" G(
		"3", "running", "main.a", "30") G("4", "runnable", "main.a", "30")
		G("5", "chan send, 3 minutes", "main.a", "30")};
	const struct rep_leak_site *s;
	struct rep_leaks *l = leaks(&opt, text, 1);
	size_t n;

	(void)state;
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 1);
	assert_int_equal(s[0].count[0].goroutines, 1);
	assert_int_equal(s[0].count[0].most_ns, 180000000000);
	assert_int_equal(l->source[0].left_out[REP_LEAK_LEFT_MAIN], 1);
	assert_int_equal(l->source[0].left_out[REP_LEAK_LEFT_RUNNING], 2);
	assert_int_equal(l->source[0].left_out[REP_LEAK_LEFT_RUNTIME], 1);
	rep_leaks_free(l);
	opt.all = true;
	l = leaks(&opt, text, 1);
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 3);
	assert_int_equal(s[0].count[0].goroutines, 3);
	assert_int_equal(l->source[0].left_out[REP_LEAK_LEFT_RUNNING], 0);
	rep_leaks_free(l);
}

static void test_leaks_min_wait(void **state)
{
	const struct rep_leak_options opt = {.min_wait_ns = 150000000000};
	const char *text[] = {G("4", "select", "main.a", "30") G(
	    "5", "select, 2 minutes", "main.a", "30") G("6", "select, 3 minutes", "main.a", "30")};
	const struct rep_leak_site *s;
	struct rep_leaks *l = leaks(&opt, text, 1);
	size_t n;

	(void)state;
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, 1);
	assert_int_equal(s[0].count[0].goroutines, 1);
	assert_int_equal(l->source[0].unknown, 1);
	rep_leaks_free(l);
}

/* A rule that is about nothing is known. */
static void test_leaks_met(void **state)
{
	static const char list[] = "main.b\nmain.bb\n0 main.w*\nmain.wai";
	static const bool met[] = {true, false, true, false};
	const char *text[] = {A B, A};
	struct rep_allow allow;
	const struct rep_leak_options opt = {.allow = &allow};
	struct rep_leaks *l;

	(void)state;
	assert_int_equal(rep_allow_parse(&allow, list, sizeof(list) - 1, NULL), 0);
	l = leaks(&opt, text, 2);
	for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++)
		assert_int_equal(l->met[i], met[i]);
	rep_leaks_free(l);
	rep_allow_release(&allow);
}

/* What a damaged trace says of goroutines: so many wait for this, and have no stack. */
static void put_lost(struct rep_leaks *l, const char *waits, uint32_t creator, int64_t count)
{
	struct rep_leak_item item = {.count = count,
				     .creator = creator,
				     .id = REP_GOID_NONE,
				     .wait_ns = 1000000000,
				     .no_stack = true,
				     .in_trace = true};

	assert_int_equal(tp_dict_string(l->dict, waits, strlen(waits), &item.waits), 0);
	assert_int_equal(rep_leaks_put(l, &item, NULL), 0);
}

/* They are told apart by what they wait for, also over several traces; none joins another. */
static void test_leaks_no_stack(void **state)
{
	const struct rep_leak_options opt = {.sort = REP_LEAK_BY_COUNT};
	static const struct {
		const char *waits;
		int64_t n[2];
	} want[] = {{"select", {2, 5}}, {"sync", {3, 3}}, {"sync", {0, 2}}, {"", {4, 1}}};
	const struct rep_leak_site *s;
	struct rep_leaks *l;
	size_t n;

	(void)state;
	assert_int_equal(rep_leaks_new(&l, &opt, NULL), 0);
	assert_int_equal(rep_leaks_begin(l, "a", false, NULL), 0);
	put_lost(l, "", 0, 4);
	put_lost(l, "sync", 0, 3);
	put_lost(l, "select", 0, 2);
	assert_int_equal(rep_leaks_begin(l, "b", false, NULL), 0);
	put_lost(l, "select", 0, 4);
	put_lost(l, "", 0, 1);
	put_lost(l, "select", 0, 1);
	put_lost(l, "sync", 7, 2);
	put_lost(l, "sync", 0, 3);
	assert_int_equal(rep_leaks_finish(l, NULL), 0);
	s = l->site;
	n = l->nsites;
	assert_int_equal(n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(tp_dict_text(l->dict, s[i].waits).text, want[i].waits);
		assert_int_equal(s[i].count[0].goroutines, want[i].n[0]);
		assert_int_equal(s[i].count[1].goroutines, want[i].n[1]);
	}
	assert_int_equal(l->excess, 5);
	rep_leaks_free(l);
}

/* How long ticks are, nobody knows. */
static void test_leaks_min_wait_ticks(void **state)
{
	const struct rep_leak_options opt = {.min_wait_ns = 1000};
	struct rep_leaks *l;

	(void)state;
	assert_int_equal(rep_leaks_new(&l, &opt, NULL), 0);
	assert_int_equal(rep_leaks_begin(l, "timed", false, NULL), 0);
	put_lost(l, "sync", 0, 3);
	assert_int_equal(rep_leaks_begin(l, "ticks", true, NULL), 0);
	put_lost(l, "sync", 0, 4);
	assert_int_equal(rep_leaks_finish(l, NULL), 0);
	assert_int_equal(l->site[0].count[1].goroutines, 0);
	assert_int_equal(l->source[0].unknown, 0);
	assert_int_equal(l->source[1].unknown, 4);
	assert_true(l->source[1].ticks);
	rep_leaks_free(l);
}

static void test_leaks_no_goroutines(void **state)
{
	static const char heap[] = "heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @ 0x1\n";
	const struct rep_leak_options opt = {0};
	struct rep_leaks *l;
	struct tp_profile *p;
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_leaks_new(&l, &opt, NULL), 0);
	assert_int_equal(tp_profile_read(heap, sizeof(heap) - 1, NULL, &p, NULL), 0);
	assert_int_equal(rep_leaks_add_profile(l, "heap", p, &err), TP_ENOENT);
	tp_profile_free(p);
	rep_leaks_free(l);
}

/* ---- a program that leaks a known number, as each kind of dump tells it ---- */

static void add_dump(struct rep_leaks *l, const char *path)
{
	struct tp_input_options opt = {0};
	struct tp_input *in;
	struct tp_profile *p = NULL;
	struct tp_err err;
	char damaged[160];

	if (tp_input_open(&in, path, &opt, damaged, &err) ||
	    tp_profile_read(in->data, in->size, NULL, &p, &err) ||
	    rep_leaks_add_profile(l, path, p, &err))
		fail_msg("%s: %s", path, err.msg);
	tp_profile_free(p);
	tp_input_close(in);
}

static void add_trace(struct rep_leaks *l, const char *trace)
{
	const struct tp_import_options opt = {.store.wait_ms = 1000};
	const char *tmp = getenv("TMPDIR");
	struct tp_import_result result;
	struct tp_store *store;
	struct rep_runs runs;
	struct tp_err err;
	char dir[64], path[80], lock[96];

	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.tprof", dir);
	snprintf(lock, sizeof(lock), "%s-lock", path);
	if (tp_import(trace, path, &opt, &result, &err))
		fail_msg("%s: %s", trace, err.msg);
	assert_int_equal(tp_store_open(&store, path, NULL), 0);
	assert_int_equal(rep_runs_load(store, &runs, NULL), 0);
	if (rep_leaks_add_run(l, "trace", store, &runs.run[0], &err))
		fail_msg("%s", err.msg);
	rep_runs_release(&runs);
	tp_store_close(store);
	unlink(lock);
	unlink(path);
	rmdir(dir);
}

static void test_leaks_inbox(void **state)
{
	/* After rounds 1, 2, 3 (stacks, unreachable ones, trace): see testdata/programs/inbox.go.
	 */
	static const struct {
		const char *function, *waits, *creator;
		int64_t n[5], created;
		bool certain;
	} want[] = {
	    {"main.lookup.func1", "chan send", "main.lookup", {3, 6, 9, 9, 9}, 6, true},
	    {"main.(*watcher).run", "select", "main.watch", {2, 2, 2, 2, 2}, 0, true},
	    {"main.stamp", "sync.Mutex.Lock", "main.main", {1, 1, 1, 0, 1}, 0, false},
	    {"main.never", "chan receive", "main.main", {0, 0, 1, 1, 1}, 1, true},
	};
	const struct rep_leak_options opt = {.sort = REP_LEAK_BY_COUNT};
	const struct rep_leak_site *s;
	const struct tp_dict *d;
	struct rep_leaks *l;
	size_t n;

	(void)state;
	assert_int_equal(rep_leaks_new(&l, &opt, NULL), 0);
	add_dump(l, "testdata/inbox/inbox-1.d0");
	add_dump(l, "testdata/inbox/inbox-2.d1");
	add_dump(l, "testdata/inbox/inbox-3.d2");
	add_dump(l, "testdata/inbox/inbox-3.leak");
	add_trace(l, "testdata/inbox/inbox.trace");
	assert_int_equal(rep_leaks_finish(l, NULL), 0);
	s = l->site;
	n = l->nsites;
	d = l->dict;
	assert_int_equal(n, 4);
	for (size_t i = 0; i < 4; i++) {
		size_t w = 0;
		uint32_t frame;
		const char *root;

		frame = tp_dict_stack_root(d, s[i].stack);
		root = tp_dict_text(d, tp_dict_frame_name(d, frame)).text;
		while (w < 4 && strcmp(want[w].function, root) != 0)
			w++;
		if (w == 4)
			fail_msg("%s", root);
		assert_string_equal(tp_dict_text(d, s[i].waits).text, want[w].waits);
		assert_string_equal(tp_dict_text(d, tp_dict_frame_name(d, s[i].creator)).text,
				    want[w].creator);
		for (size_t k = 0; k < 5; k++)
			assert_int_equal(s[i].count[k].goroutines, want[w].n[k]);
		assert_int_equal(s[i].count[4].created, want[w].created);
		assert_int_equal(s[i].certain, want[w].certain);
	}
	rep_leaks_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_allow_match),
	    cmocka_unit_test(test_leak_stack_unknown),
	    cmocka_unit_test(test_allow_parse),
	    cmocka_unit_test(test_leaks_join),
	    cmocka_unit_test(test_leaks_wrappers),
	    cmocka_unit_test(test_leaks_cut_creator),
	    cmocka_unit_test(test_leaks_grow),
	    cmocka_unit_test(test_leaks_allowed),
	    cmocka_unit_test(test_leaks_left_out),
	    cmocka_unit_test(test_leaks_min_wait),
	    cmocka_unit_test(test_leaks_no_goroutines),
	    cmocka_unit_test(test_leaks_inbox),
	    cmocka_unit_test(test_leaks_met),
	    cmocka_unit_test(test_leaks_no_stack),
	    cmocka_unit_test(test_leaks_min_wait_ticks),
	    cmocka_unit_test(test_leak_stack_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
