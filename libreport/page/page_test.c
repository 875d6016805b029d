/* Tests pages of real runs: names from the dump stay text whatever they contain, sums over time
 * equal those of the reports, and limits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "import.h"
#include "page/inside.h"
#include "sums/part.h"

/* ---- writing ---- */

static void test_html_escapes(void **state)
{
	struct tp_buf h = {0};
	struct rep_value v = rep_str("<i>");

	(void)state;
	html_text(&h, "a<b>\xff&\"'", 8);
	html_attribute(&h, "title", "\"><img>");
	html_value(&h, REP_TEXT, &v);
	html_document(&h, "<p title=\"x\">&amp;</p>\n", 23);
	html_counted(&h, 1, "row");
	html_counted(&h, 1234, "row");
	html_px(&h, -1.25);
	assert_int_equal(tp_buf_put(&h, "", 1), 0);
	assert_string_equal((char *)h.data,
			    "a&lt;b&gt;\\xff&amp;&quot;&#39; title=\"&quot;&gt;&lt;img&gt;\""
			    "&lt;i&gt;&lt;p title=&quot;x&quot;>&amp;amp;&lt;/p>\n1 row1,234 "
			    "rows-1.3");
	tp_buf_release(&h);
}

static void test_tables_keep_and_show(void **state)
{
	static const struct rep_column columns[] = {
	    {.name = "name", .title = "<NAME>", .kind = REP_TEXT},
	    {.name = "ns", .title = "TIME", .kind = REP_NS},
	    {.name = "size_delta", .title = "DELTA", .kind = REP_BYTES},
	    {.name = "shown", .title = "SHOWN", .kind = REP_TEXT, .right = true, .by = "raw_delta"},
	    {.name = "raw_delta", .kind = REP_COUNT, .raw_only = true},
	};
	const struct rep_value rows[2][5] = {
	    {rep_str("a</td>"), rep_int(1500), rep_int(2048), rep_str("+1k"), rep_int(1000)},
	    {rep_null(), rep_null(), rep_int(-1), rep_str("none"), rep_null()},
	};
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	struct tp_buf h = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_cells_output(&cells, &out, &err), 0);
	assert_true(rep_output_for_people(out));
	assert_int_equal(rep_output_note(out, false, "above <it>", &err), 0);
	assert_int_equal(rep_output_begin(out, "t", columns, 5, &err), 0);
	assert_int_equal(rep_output_row(out, rows[0], &err), 0);
	assert_int_equal(rep_output_row(out, rows[1], &err), 0);
	assert_int_equal(rep_output_end(out, &err), 0);
	assert_int_equal(rep_output_note(out, false, "2 of 3 <rows>", &err), 0);
	assert_int_equal(rep_output_finish(out, &err), 0);
	assert_int_equal(cells.n, 1);
	assert_int_equal(page_cell_int(&cells.sheet[0], 0, "ns"), 1500);
	assert_int_equal(page_cell(&cells.sheet[0], 2, "ns").type, REP_TYPE_NULL);
	assert_int_equal(page_cell(NULL, 0, "ns").type, REP_TYPE_NULL);
	page_table_write(&h, &cells, &cells.sheet[0], "what");
	assert_int_equal(tp_buf_put(&h, "", 1), 0);
	assert_non_null(strstr((char *)h.data,
			       "<tr><th scope=\"col\">&lt;NAME&gt;</th><th scope=\"col\" "
			       "class=\"n\">TIME</th><th scope=\"col\" class=\"n\">DELTA</th>"
			       "<th scope=\"col\" class=\"n\">SHOWN</th>"
			       "</tr></thead>\n<tbody>\n<tr><td class=\"t\">a&lt;/td&gt;<td "
			       "class=\"n\" data-v=\"1500\">1.5us<td class=\"n up\" "
			       "data-v=\"2048\">+2KiB<td class=\"n up\" data-v=\"1000\">+1k"
			       "\n<tr><td class=\"t\">-<td "
			       "class=\"n\">-<td class=\"n down\" data-v=\"-1\">-1B"
			       "<td class=\"n\">none\n"));
	assert_non_null(strstr((char *)h.data, "2 of 3 &lt;rows&gt;"));
	assert_int_equal(strncmp((char *)h.data, "<p>above &lt;it&gt;</p>\n<div", 28), 0);
	rep_output_free(out);
	rep_cells_release(&cells);
	tp_buf_release(&h);
}

/* ---- a run ---- */

static char dir[64], path[80], dump[80];
static struct tp_store *store;
static struct rep_runs runs;

/* Names of the sample trace and their replacements: equally long, and meant to break out of the
 * markup. */
static const char *const hostile[][2] = {
    {"main.(*Shop).customer", "</script><img src=q>\""},
    {"main.(*Shop).cashier", "'\"><b onclick=q></b>"},
    {"chan receive", "<i>\x1b\xff</i>---"},
    {"reserve", "]]><u>&"},
};

/* Writes the sample trace with these names to a file. */
static void write_dump(void)
{
	FILE *in = fopen("testdata/checkout.trace", "rb"), *out = fopen(dump, "wb");
	static char data[1 << 20];
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	n = fread(data, 1, sizeof(data), in);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		size_t size = strlen(hostile[i][0]), found = 0;

		assert_int_equal(strlen(hostile[i][1]), size);
		for (char *at = data;
		     (at = memmem(at, (size_t)(data + n - at), hostile[i][0], size)); found++)
			memcpy(at, hostile[i][1], size);
		assert_true(found > 0);
	}
	assert_int_equal(fwrite(data, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
	fclose(in);
}

static int set_up(void **state)
{
	struct tp_import_options opt = {.name = "</title><script>alert(1)</script>"};
	struct tp_import_result result;
	struct tp_err err;

	(void)state;
	strcpy(dir, "/tmp/tprof-page-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s.tprof", dir);
	snprintf(dump, sizeof(dump), "%s/d.trace", dir);
	write_dump();
	assert_int_equal(tp_import(dump, path, &opt, &result, &err), 0);
	assert_int_equal(tp_store_open(&store, path, &err), 0);
	return rep_runs_load(store, &runs, &err);
}

static int tear_down(void **state)
{
	(void)state;
	rep_runs_release(&runs);
	tp_store_close(store);
	unlink(path);
	unlink(dump);
	rmdir(dir);
	return 0;
}

static char *make_page(const struct rep_page_options *opt, size_t *size)
{
	static struct tp_buf b;
	struct rep_sink sink = rep_sink_buf(&b);
	struct tp_err err;

	tp_buf_release(&b);
	b = (struct tp_buf){0};
	assert_int_equal(rep_page_trace(store, &runs.run[0], opt, &sink, &err), 0);
	*size = b.size;
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_int_equal(strlen((char *)b.data), *size);
	return (char *)b.data;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_trace_hostile_names(void **state)
{
	const struct rep_page_options opt = {.target = "'</script>'",
					     .command = "tprof-report '</script>'"};
	size_t size;
	const char *page = make_page(&opt, &size);
	size_t frames = count(page, "<iframe");

	(void)state;
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "<b onclick"));
	assert_null(strstr(page, "<u>"));
	assert_null(strstr(page, "<i>"));
	assert_null(strchr(page, '\x1b'));
	assert_null(strchr(page, '\xff'));
	/* The page has two scripts: its own and the one that all flame graphs share. Each graph has
	 * its data, and code that fetches the shared script. */
	assert_int_equal(count(page, "<script"), 2);
	assert_int_equal(count(page, "</script"), 2);
	assert_true(frames >= 4);
	/* Each document has a policy, including those of the graphs. */
	assert_int_equal(
	    count(page, "http-equiv=\"Content-Security-Policy\" content=\"default-src"), 1);
	assert_int_equal(count(page, "Content-Security-Policy"), 1 + frames);
	assert_int_equal(count(page, "&lt;/script>"), 2 * frames);
	/* The hostile names are on the page, escaped. */
	assert_non_null(strstr(page, "&lt;/script&gt;&lt;img src=q&gt;&quot;"));
	assert_non_null(strstr(page, "&lt;i&gt;\\x1b\\xff&lt;/i&gt;--"));
	assert_non_null(strstr(page, "]]&gt;&lt;u&gt;&amp;"));
}

static void test_trace_is_the_same_again(void **state)
{
	const struct rep_page_options opt = {.target = "x"};
	size_t size, again;
	char *page = make_page(&opt, &size), *kept = malloc(size);

	(void)state;
	assert_non_null(kept);
	memcpy(kept, page, size);
	page = make_page(&opt, &again);
	assert_int_equal(size, again);
	assert_memory_equal(page, kept, size);
	free(kept);
}

static void test_trace_rows_are_bounded(void **state)
{
	const struct rep_page_options opt = {.target = "x", .rows = 3};
	size_t size;
	const char *page = make_page(&opt, &size);

	(void)state;
	assert_true(count(page, "\n<tr><td") <= 3 * count(page, "<table class=\"data\">") + 6);
	assert_non_null(strstr(page, "3 of 18 groups"));
	assert_non_null(strstr(page, "tprof-top x groups -n 0"));
}

/* ---- times ---- */

static double sum_of(const struct rep_bins *b, const struct rep_binned *s)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += s->ns[i];
	return sum;
}

/* Adds a part as the reports do. */
static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	double *sum = ctx;

	(void)err;
	if (rep_time_class_of(part->state) < REP_TIME_NCLASSES)
		sum[rep_time_class_of(part->state)] += (double)part->total_ns;
	return 0;
}

static void check_sums(const struct rep_run *run, bool exact)
{
	static const struct rep_page_options none;
	struct page p = {.store = store, .run = run, .opt = &none};
	struct rep_time *t = &p.time;
	struct tp_err err;
	double busy = 0, alive = 0, all = 0, want[REP_TIME_NCLASSES] = {0};

	assert_int_equal(page_begin_trace(&p, &err), 0);
	assert_int_equal(t->exact, exact);
	assert_int_equal(rep_parts_each(&p.view, 0, on_part, want, &err), 0);
	for (int c = 0; c < REP_TIME_NCLASSES; c++) {
		assert_true(want[c] > 0);
		assert_true(fabs(sum_of(&t->bins, &t->all[c]) - want[c]) < 1);
		all += want[c];
	}
	for (size_t i = 0; i < t->nprocs; i++) {
		for (size_t k = 0; k < t->fine.n; k++)
			assert_true(rep_binned_mean(&t->fine, &t->proc[i], k) <= 1 + 1e-9);
		busy += sum_of(&t->fine, &t->proc[i]);
	}
	assert_true(busy > 0 && busy <= (double)run->row.duration_ns * (double)t->nprocs);
	alive = sum_of(&t->fine, &t->alive);
	assert_true(fabs(alive - all) < alive / 100);
	assert_int_equal(t->ngroups, REP_TIME_GROUPS);
	for (size_t i = 1; i < t->ngroups; i++)
		assert_true(t->group[i - 1].active_ns >= t->group[i].active_ns);
	page_end_trace(&p);
}

static void test_time_adds_up_by_events(void **state)
{
	(void)state;
	check_sums(&runs.run[0], true);
}

static void test_time_adds_up_by_segments(void **state)
{
	struct rep_run large = runs.run[0];

	(void)state;
	large.row.events = REP_TIME_EVENTS + 1;
	check_sums(&large, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_html_escapes),
	    cmocka_unit_test(test_tables_keep_and_show),
	    cmocka_unit_test(test_trace_hostile_names),
	    cmocka_unit_test(test_trace_is_the_same_again),
	    cmocka_unit_test(test_trace_rows_are_bounded),
	    cmocka_unit_test(test_time_adds_up_by_events),
	    cmocka_unit_test(test_time_adds_up_by_segments),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
