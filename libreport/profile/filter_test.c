/* Tests filters by cases from pprof's tests (profile/filter_test.go, prune_test.go) and by its
 * code. Stacks are written from the root. */
#include "profile/testing.h"

#include "profile/filter.h"

static const char *const samples[] = {
    "1 A;B;C;B",	 "2 A;D+E;F",	"3 0x10;G@dir/g.go:3", "4 -",
    "5 H k=v size:64kb", "6 H k=w n:7", "7 A;X(int);Y",	       NULL,
};

static const struct {
	const char *what; /* options: "focus=B hide=C" */
	const char *left;
} cases[] = {
    {"focus=B", "1 A;B;C;B"},
    {"focus=E", "2 A;D+E;F"},
    {"focus=dir/", "3 ??;G"},
    {"focus=xbin",
     "1 A;B;C;B | 2 A;D+E;F | 3 ??;G | 5 H k=v size:64kb | 6 H k=w n:7 | 7 A;X(int);Y"},
    {"ignore=A", "3 ??;G | 5 H k=v size:64kb | 6 H k=w n:7"},
    {"focus=A ignore=D", "1 A;B;C;B | 7 A;X(int);Y"},
    /* Any filter on names drops samples with an empty stack. */
    {"hide=D", "1 A;B;C;B | 2 A;E;F | 3 ??;G | 5 H k=v size:64kb | 6 H k=w n:7 | 7 A;X(int);Y"},
    {"hide=E|H", "1 A;B;C;B | 2 A;D;F | 3 ??;G | 7 A;X(int);Y"},
    {"hide=xbin", ""},
    {"show=^[AB]$", "1 A;B;B | 2 A | 7 A"},
    {"show=E", "2 E"},
    /* An address without lines has no line to show. */
    {"show=xbin", "1 A;B;C;B | 2 A;D+E;F | 3 G | 5 H k=v size:64kb | 6 H k=w n:7 | 7 A;X(int);Y"},
    {"show=[ADE] hide=D", "1 A | 2 A;E | 7 A"},
    {"show_from=B", "1 B;C;B"},
    {"show_from=C", "1 C;B"},
    {"show_from=E", "2 E;F"},
    {"show_from=D", "2 D+E;F"},
    {"prune_from=^B$",
     "1 A;B;C;B | 2 A;D+E;F | 3 ??;G | 4  | 5 H k=v size:64kb | 6 H k=w n:7 | 7 A;X(int);Y"},
    {"prune_from=^C$ focus=C", "1 A;B;C"},
    {"prune_from=^D$ focus=D", "2 A;D"},
    /* Names match without their arguments. */
    {"prune_from=X$ focus=X", "7 A;X(int)"},
    {"tag_focus=k=v", "5 H k=v size:64kb"},
    {"tag_focus=k=v|w", "5 H k=v size:64kb | 6 H k=w n:7"},
    {"tag_focus=k:w", "6 H k=w n:7"},
    {"tag_focus=k:,v", "5 H k=v size:64kb"},
    {"tag_focus=64kb", "5 H k=v size:64kb"},
    {"tag_focus=size=1kb:1mb", "5 H k=v size:64kb"},
    {"tag_focus=size=:1kb", ""},
    {"tag_focus=65536b", "5 H k=v size:64kb"},
    {"tag_focus=n=7n", "6 H k=w n:7"},
    {"tag_ignore=k=v", "1 A;B;C;B | 2 A;D+E;F | 3 ??;G | 4  | 6 H k=w n:7 | 7 A;X(int);Y"},
    {"tag_show=k focus=H", "5 H k=v | 6 H k=w"},
    {"tag_hide=k focus=H", "5 H size:64kb | 6 H n:7"},
    {"tag_root=k,size focus=H", "5 v;64kB;H k=v size:64kb | 6 w;;H k=w n:7"},
    {"tag_leaf=k focus=H", "5 H;v k=v size:64kb | 6 H;w k=w n:7"},
};

/* Sets options from "name=value name=value"; modifies the text. */
static void set_options(struct rep_profile_options *opt, char *text)
{
	char *save = NULL;

	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const char *name, *value;
		struct tp_err err;
		bool ignored, done = false;

		assert_true(rep_profile_option_pprof(word, &name, &value, &ignored));
		for (size_t i = 0; i < REP_NPROFILE_OPTIONS; i++) {
			if (strcmp(rep_profile_options[i].name, name) != 0)
				continue;
			assert_int_equal(
			    rep_profile_option_set(opt, (enum rep_profile_option)i, value, &err),
			    0);
			done = true;
		}
		assert_true(done);
	}
}

static void test_filter(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
		struct tp_profile *p = test_profile("n/count", "/usr/xbin", samples);
		char text[100];
		struct tp_err err;

		snprintf(text, sizeof(text), "%s", cases[i].what);
		set_options(&opt, text);
		assert_int_equal(rep_profile_tag_frames(p, &opt, NULL, &err), 0);
		assert_int_equal(rep_profile_filter(p, &opt, NULL, &err), 0);
		assert_samples(p, cases[i].left);
		tp_profile_free(p);
	}
}

static const struct {
	const char *drop, *keep, *sample, *left;
} prunes[] = {
    {"malloc", NULL, "1 main;work;malloc;sys", "1 main;work"},
    {"malloc", NULL, "1 main;malloc;work;malloc", "1 main"},
    {"mal", NULL, "1 main;malloc", "1 main;malloc"}, /* must match the whole name */
    {"malloc|free", "malloc", "1 main;malloc;free", "1 main;malloc"},
    /* If all frames match, they are kept. */
    {"malloc|sys", NULL, "1 malloc;sys", "1 malloc;sys"},
    {"start|malloc", NULL, "1 start;main;malloc", "1 start;main"},
    {"inner", NULL, "1 main;outer+inner+leaf;x", "1 main;outer"},
    {"outer", NULL, "1 main;outer+inner;x", "1 main"},
    {"malloc", NULL, "1 main;malloc(int);x", "1 main"},
    {"(", NULL, "1 main;malloc", "1 main;malloc"}, /* invalid: drops nothing */
};

static void test_drop_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(prunes) / sizeof(prunes[0]); i++) {
		const char *const one[] = {prunes[i].sample, NULL};
		struct tp_profile *p = test_profile("n/count", NULL, one);
		struct tp_err err;

		p->drop_frames = test_string(p, prunes[i].drop, strlen(prunes[i].drop));
		if (prunes[i].keep)
			p->keep_frames = test_string(p, prunes[i].keep, strlen(prunes[i].keep));
		assert_int_equal(rep_profile_drop_frames(p, &err), 0);
		assert_samples(p, prunes[i].left);
		/* A second call changes nothing. */
		assert_int_equal(rep_profile_drop_frames(p, &err), 0);
		assert_samples(p, prunes[i].left);
		tp_profile_free(p);
	}
}

static void test_filter_notes(void **state)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	struct tp_profile *p = test_profile("n/count", NULL, samples);
	struct rep_filter_notes notes = {0};
	struct tp_err err;

	(void)state;
	opt.focus = "nobody";
	assert_int_equal(rep_profile_filter(p, &opt, &notes, &err), 0);
	assert_string_equal((char *)notes.texts.data, "--focus matched no samples");
	assert_int_equal(p->nsamples, 0);
	opt.hide = "(";
	assert_int_equal(rep_profile_filter(p, &opt, &notes, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "--hide"));
	rep_filter_notes_release(&notes);
	tp_profile_free(p);
}

/* For a value that no sample has, the note lists the existing values; likewise for keys and pairs.
 */
static void test_filter_notes_values(void **state)
{
	static const struct {
		const char *filter, *note;
	} choices[] = {
	    {"k=nobody", "--tag-focus matched no samples; k is v, w"},
	    {"nobody=v",
	     "--tag-focus matched no samples; no sample has the label nobody; the keys are k, "
	     "size, n"},
	    {"nobody", "--tag-focus matched no samples; the labels are k:v, size=64kb, k:w, n=7"},
	};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
		struct tp_profile *p = test_profile("n/count", NULL, samples);
		struct rep_filter_notes notes = {0};

		opt.tag_focus = choices[i].filter;
		assert_int_equal(rep_profile_filter(p, &opt, &notes, &err), 0);
		assert_string_equal((char *)notes.texts.data, choices[i].note);
		assert_true(rep_filter_note_nothing(choices[i].note));
		assert_true(
		    rep_filter_notes_have(&notes, "--tag-focus matched no samples; k is x"));
		assert_int_equal(p->nsamples, 0);
		rep_filter_notes_release(&notes);
		tp_profile_free(p);
	}
}

/* Filtering a hundred thousand frames must need neither recursion nor much time. */
static void test_filter_deep(void **state)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;
	const char *const none[] = {NULL};
	struct tp_profile *p = test_profile("n/count", NULL, none);
	struct tp_err err;
	uint32_t stack = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		test_location(p, i % 2 ? "even" : "odd", i % 2 ? 4 : 3, &stack);
	assert_int_equal(tp_profile_add_sample(p, stack, 0, (int64_t[]){1}), 0);
	opt.hide = "odd";
	opt.tag_root = "k";
	assert_int_equal(rep_profile_tag_frames(p, &opt, NULL, &err), 0);
	assert_int_equal(rep_profile_filter(p, &opt, NULL, &err), 0);
	assert_int_equal(tp_dict_stack_at(p->dict, p->stack[0]).depth, 50001);
	tp_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_filter),	 cmocka_unit_test(test_drop_frames),
	    cmocka_unit_test(test_filter_notes), cmocka_unit_test(test_filter_notes_values),
	    cmocka_unit_test(test_filter_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
