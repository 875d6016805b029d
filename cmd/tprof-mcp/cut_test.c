/* Pages of texts, joined, are the text; each keeps to its budget, and none breaks a line that fits. */
#include "tprof-mcp/cut.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void fill(struct tp_buf *text, unsigned seed, size_t longest)
{
	size_t lines = seed % 40;

	srand(seed);
	for (size_t i = 0; i < lines; i++) {
		size_t n = (size_t)rand() % (longest + 1);

		for (size_t k = 0; k < n; k++)
			assert_int_equal(tp_buf_text(text, rand() % 4 ? "x" : "\xc3\xa4"), 0);
		assert_int_equal(tp_buf_text(text, "\n"), 0);
	}
}

/* Adds a page without its last line to *all. Returns the cursor in it, or NULL. */
static char *join(const struct tp_buf *page, const struct tp_buf *text, struct tp_buf *all)
{
	static char cursor[40];
	const char *note = page->size ? memmem(page->data, page->size, "[lines ", 7) : NULL;
	size_t n = note ? (size_t)(note - (const char *)page->data) : page->size;

	/* What was broken has a newline of its own. */
	if (note && memcmp(text->data + all->size, page->data, n) != 0)
		n--;
	assert_true(n > 0 || !text->size);
	assert_int_equal(tp_buf_put(all, page->data, n), 0);
	if (!note)
		return NULL;
	assert_int_equal(sscanf(strstr(note, "\"cursor\": \""), "\"cursor\": \"%39[^\"]", cursor),
			 1);
	return cursor;
}

static void test_cut_pages(void **state)
{
	static const size_t budgets[] = {300, 500, 501, 1000, 20000};

	(void)state;
	for (unsigned seed = 0; seed < 200; seed++) {
		size_t budget = budgets[seed % 5], longest = seed % 3 ? 60 : 900;
		struct tp_buf text = {0}, all = {0}, page = {0};
		const char *cursor = NULL;

		fill(&text, seed, longest);
		assert_int_equal(tp_buf_reserve(&text, 1), 0);
		text.data[text.size] = 0;
		do {
			page.size = 0;
			assert_int_equal(mcp_cut(&text, cursor, budget, &page, NULL), 0);
			assert_true(page.size <= budget);
			assert_int_equal(tp_buf_put(&page, "", 1), 0);
			page.size--;
			cursor = join(&page, &text, &all);
			if (cursor && longest == 60)
				assert_int_equal(all.data[all.size - 1], '\n');
			/* No character is broken. */
			assert_true(!cursor || (text.data[all.size] & 0xc0) != 0x80);
		} while (cursor);
		assert_int_equal(all.size, text.size);
		assert_true(!text.size || !memcmp(all.data, text.data, text.size));
		tp_buf_release(&text);
		tp_buf_release(&all);
		tp_buf_release(&page);
	}
}

static void test_cut_refuses_cursors(void **state)
{
	static const char *const wrong[] = {"1",
					    "0-",
					    "2-00000000",
					    "-1-00000000",
					    "99-12345678",
					    "x",
					    "18446744073709551616-00000000",
					    " 0-2d06800",
					    "5-1234567g",
					    "0x1-12345678"};
	struct tp_buf text = {0}, page = {0};
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_buf_text(&text, "one\ntwo\n"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(mcp_cut(&text, wrong[i], 500, &page, &err), TP_EFORMAT);
		assert_non_null(strstr(err.msg, "call without a cursor"));
	}
	assert_int_equal(page.size, 0);
	tp_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut_pages),
	    cmocka_unit_test(test_cut_refuses_cursors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
