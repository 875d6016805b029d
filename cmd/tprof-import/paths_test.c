/* Finding dumps in folders, patterns and lists. */
#include "tprof-import/paths.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static char folder[64];

static void make(const char *name, const char *content)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

/* Writes a list in the form of find -print0; a name may contain a newline. */
static void write_zeros(void)
{
	static const char names[] = "d/a\0d/b\0no\nne\0\0@list\0we[i]rd*";
	FILE *f = fopen("zeros", "w");

	assert_non_null(f);
	fwrite(names, 1, sizeof(names), f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tprof-paths-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("d", 0777), 0);
	assert_int_equal(mkdir("d/b", 0777), 0);
	assert_int_equal(mkdir("d/b/c", 0777), 0);
	assert_int_equal(mkdir("d/.git", 0777), 0);
	assert_int_equal(mkdir("e", 0777), 0);
	make("d/Z", "1");
	make("d/a", "22");
	make("d/b/x", "333");
	make("d/b/c/y", "4444");
	make("d/b.txt", "55555");
	make("d/.hidden", "1");
	make("d/.git/x", "1");
	make("d/s.tprof", "");
	make("d/store", "SQLite format 3");
	assert_int_equal(truncate("d/store", 4096), 0);
	make("d/short", "SQLite format");
	make("we[i]rd*", "1");
	make("list", "d/a\n\nd/b\nnone\nwe[i]rd*\n@list\nlast");
	write_zeros();
	assert_int_equal(symlink("../d", "d/loop"), 0);
	assert_int_equal(symlink("b/x", "d/link"), 0);
	assert_int_equal(symlink("gone", "d/dangling"), 0);
	assert_int_equal(mkfifo("d/pipe", 0666), 0);
	assert_int_equal(symlink("d/b", "tob"), 0);
	return 0;
}

static int teardown(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

/* Writes the names as one text, with ! before those given by name and ? before those with `wrong` set. */
static void tell(const struct paths *p, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < p->n; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", i ? " " : "",
			 p->list[i].named ? "!" : "", p->list[i].wrong ? "?" : "", p->list[i].name);
}

static void test_paths_add_rows(void **state)
{
	static const struct {
		const char *argument, *names;
		uint64_t bytes;
		bool many;
	} rows[] = {
	    {"d/a", "!d/a", 2, false},
	    {"none", "!?none", 0, false},
	    {"-", "!-", 0, false},
	    {"d/store", "!d/store", 4096, false}, /* a later step says that it is not a dump */
	    {"e", "", 0, true},
	    {"d", "d/Z d/a d/b/c/y d/b/x d/b.txt ?d/dangling d/link d/s.tprof d/short",
	     1 + 2 + 4 + 3 + 5 + 3 + 13, true},
	    {"d/", "d/Z d/a d/b/c/y d/b/x d/b.txt ?d/dangling d/link d/s.tprof d/short", 31, true},
	    {"tob", "tob/c/y tob/x", 7, true}, /* a link is followed if given by name */
	    {"d/.git", "d/.git/x", 1, true},
	    {"d/[ab]*", "d/a d/b/c/y d/b/x d/b.txt", 14, true},
	    {"d/?/x", "d/b/x", 3, true},
	    {"no*", "!?no*", 0, true},
	    {"we[i]rd*", "!we[i]rd*", 1, false}, /* a file has this name */
	    {"@zeros", "!d/a d/b/c/y d/b/x !?no\nne !?@list !we[i]rd*", 2 + 4 + 3 + 1, true},
	    {"@list", "!d/a d/b/c/y d/b/x !?none !we[i]rd* !?@list !?last", 2 + 4 + 3 + 1, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct paths p = {0};
		struct tp_err err;
		char text[512];

		assert_int_equal(paths_many(rows[i].argument), rows[i].many);
		assert_int_equal(paths_add(&p, rows[i].argument, &err), 0);
		tell(&p, text, sizeof(text));
		assert_string_equal(text, rows[i].names);
		assert_int_equal(p.bytes, rows[i].bytes);
		paths_release(&p);
	}
}

static void test_paths_add_bad_lists(void **state)
{
	static const struct {
		const char *argument;
		int code;
	} rows[] = {
	    {"@nolist", TP_ENOENT},    {"@d", TP_ENOENT},
	    {"@", TP_ENOENT},	       {"@zero", TP_EUNKNOWN},
	    {"@/dev/zero", TP_ELIMIT}, {"@endless", TP_ELIMIT},
	};
	FILE *f = fopen("zero", "w");

	(void)state;
	fwrite("a\0b\n", 1, 4, f);
	fclose(f);
	make("endless", "a\n");
	assert_int_equal(truncate("endless", (16 << 20) + 1), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct paths p = {0};
		struct tp_err err;

		assert_int_equal(paths_add(&p, rows[i].argument, &err), rows[i].code);
		if (rows[i].code == TP_ELIMIT)
			assert_non_null(strstr(err.msg, "the list is longer than 16MiB"));
		paths_release(&p);
	}
}

/* Writes "NAME as RUN LABEL LABEL" for each. */
static void tell_labels(const struct paths *p, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < p->n; i++) {
		const struct path *one = &p->list[i];

		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? "; " : "",
			 one->name);
		if (one->as)
			snprintf(text + strlen(text), size - strlen(text), " as %s", one->as);
		for (size_t k = 0; k < one->nlabels; k++)
			snprintf(text + strlen(text), size - strlen(text), " %s", one->label[k]);
	}
}

static void test_paths_add_labels(void **state)
{
	static const struct {
		const char *list, *keys, *argument, *labels; /* labels NULL: the list is wrong */
	} rows[] = {
	    {"d/a\thost=x\tversion=1\n", NULL, "@labels", "d/a host=x version=1"},
	    {"d/a\t=noon\thost==\t\n", NULL, "@labels", "d/a as noon host=="},
	    {"d/b\thost=x\nd/a\n", NULL, "@labels", "d/b/c/y as c/y host=x; d/b/x host=x; d/a"},
	    {"d/b\tat=x\nd/a\n", "at/", "@labels", "d/b/c/y as c/y at=x; d/b/x at=x; d/a"},
	    {"d/b\to=x\nd/a\n", "at/deeper", "@labels", "d/b/c/y as c/y at=c o=x; d/b/x o=x; d/a"},
	    {"", "/deep", "d", /* no label for the first folder */
	     "d/Z; d/a; d/b/c/y as b/c/y deep=c; d/b/x as b/x; d/b.txt; d/dangling; d/link; "
	     "d/s.tprof; d/short"},
	    {"", "at/deep/er", "d//b", "d//b/c/y as c/y at=c; d//b/x"},
	    {"", "at", "d/[b]", "d/b/c/y as c/y at=c; d/b/x"},
	    {"none\thost=x\n", NULL, "@labels", "none host=x"},
	    /* line ends of Windows; a \r within a line belongs to the name */
	    {"\xef\xbb\xbf"
	     "d/a\thost=x\r\nd/b\tat=x\r\n\r\nnone\r",
	     "at/", "@labels", "d/a host=x; d/b/c/y as c/y at=x; d/b/x at=x; none"},
	    {"d/a\t=no\ron\r\r\n", NULL, "@labels", "d/a as no\ron\r"},
	    {"\xff\xfe"
	     "d\n",
	     NULL, "@labels", NULL},
	    {"d/a\thost\n", NULL, "@labels", NULL},
	    {"d/a\thost=\n", NULL, "@labels", NULL},
	    {"d/a\thost=a\thost=b\n", NULL, "@labels", NULL},
	    {"d/a\t=one\t=two\n", NULL, "@labels", NULL},
	    {"d/a\t=\n", NULL, "@labels", NULL},
	    {"d/b\t=both\n", NULL, "@labels", NULL}, /* one name for two files */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct paths p = {.keys = rows[i].keys};
		struct tp_err err;
		char text[512];

		make("labels", rows[i].list);
		assert_int_equal(paths_add(&p, rows[i].argument, &err),
				 rows[i].labels ? 0 : TP_EUNKNOWN);
		tell_labels(&p, text, sizeof(text));
		if (rows[i].labels)
			assert_string_equal(text, rows[i].labels);
		paths_release(&p);
	}
}

/* "?" applies to each file of the entry. */
static void test_paths_add_found(void **state)
{
	struct paths p = {0};
	struct tp_err err;
	char text[512];

	(void)state;
	make("found", "d/a\t?\nd/Z\nnone\thost=x\t?\n");
	assert_int_equal(paths_add(&p, "@found", &err), 0);
	tell(&p, text, sizeof(text));
	assert_string_equal(text, "d/a !d/Z ?none");
	paths_release(&p);
}

/* In a list with NULs, a field begins with a tab, and further tabs belong to the field. */
static void test_paths_add_labels_zeros(void **state)
{
	static const char list[] = "d/a\0\t=no\ton\0\thost=x\0d/b\0\tv=1\0no\tne\0\0\tv=2";
	struct paths p = {0};
	struct tp_err err;
	char text[512];
	FILE *f = fopen("zlist", "w");

	(void)state;
	assert_int_equal(fwrite(list, 1, sizeof(list), f), sizeof(list));
	assert_int_equal(fclose(f), 0);
	assert_int_equal(paths_add(&p, "@zlist", &err), 0);
	tell_labels(&p, text, sizeof(text));
	assert_string_equal(text,
			    "d/a as no\ton host=x; d/b/c/y as c/y v=1; d/b/x v=1; no\tne v=2");
	paths_release(&p);
}

static void test_paths_labels_own_first(void **state)
{
	static const char *const others[] = {"hostname=h", "host=none", "zone=z"};
	char *own[] = {"host=x", "version=1"};
	struct path p = {.label = own, .nlabels = 2};
	const char *all[5];

	(void)state;
	assert_int_equal(paths_labels(&p, others, 3, all), 4);
	assert_string_equal(all[0], "host=x");
	assert_string_equal(all[1], "version=1");
	assert_string_equal(all[2], "hostname=h");
	assert_string_equal(all[3], "zone=z");
}

static void test_paths_missing_rows(void **state)
{
	static const char *const others[] = {"zone=z"};
	static const struct {
		const char *keys, *missing; /* "": none */
	} rows[] = {
	    {NULL, ""},		  {"host", ""},		  {"host/zone", ""},
	    {"/host//zone/", ""}, {"service", "service"}, {"host/ver/zone", "ver"},
	    {"hos/host", "hos"},
	};
	char *own[] = {"host=x", "version=1"};
	struct path p = {.label = own, .nlabels = 2};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t size = 0;
		const char *key = paths_missing(&p, rows[i].keys, others, 1, &size);

		assert_int_equal(key ? size : 0, strlen(rows[i].missing));
		if (key)
			assert_memory_equal(key, rows[i].missing, size);
	}
}

/* A folder nested deeper than a path can be long is an error of that folder only. */
static void test_paths_add_deep(void **state)
{
	struct paths p = {0};
	struct tp_err err;
	int depth = 0;

	(void)state;
	assert_int_equal(mkdir("deep", 0777), 0);
	assert_int_equal(chdir("deep"), 0);
	make("first", "1");
	while (depth < 1100 && !mkdir("ddd", 0777) && !chdir("ddd"))
		depth++;
	assert_int_equal(depth, 1100);
	make("last", "1");
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(paths_add(&p, "deep", &err), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.list[0].wrong, ENAMETOOLONG);
	assert_string_equal(p.list[1].name, "deep/first");
	paths_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_paths_add_rows),
	    cmocka_unit_test(test_paths_add_bad_lists),
	    cmocka_unit_test(test_paths_add_labels),
	    cmocka_unit_test(test_paths_add_labels_zeros),
	    cmocka_unit_test(test_paths_add_found),
	    cmocka_unit_test(test_paths_labels_own_first),
	    cmocka_unit_test(test_paths_missing_rows),
	    cmocka_unit_test(test_paths_add_deep),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
