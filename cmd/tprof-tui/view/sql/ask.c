/* Runs statements, and commands that begin with a dot, on the worker's thread. */
#include "tprof-tui/view/sql/sql.h"

#include <string.h>
#include <time.h>

#include "store/describe.h"

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- commands ---- */

static const struct rep_column text_column = {.name = "text", .title = "TEXT", .kind = REP_TEXT};

static int put_lines(const struct tp_buf *text, struct rep_output *out, struct tp_err *err)
{
	int code = rep_output_begin(out, "schema", &text_column, 1, err);

	for (size_t at = 0; at < text->size && !code;) {
		const char *from = (const char *)text->data + at;
		const char *end = memchr(from, '\n', text->size - at);
		size_t n = end ? (size_t)(end - from) : text->size - at;
		struct rep_value line = rep_text(from, n);

		code = rep_output_row(out, &line, err);
		at += n + 1;
	}
	return code ? code : rep_output_end(out, err);
}

static int put_functions(struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "call", .title = "FUNCTION", .kind = REP_TEXT, .least = 30},
	    {.name = "what", .title = "RESULT", .kind = REP_TEXT},
	};
	int code = rep_output_begin(out, "functions", columns, 2, err);

	for (const struct tp_sql_function *f = tp_sql_functions; f->call && !code; f++)
		code = rep_output_row(out, (struct rep_value[]){rep_str(f->call), rep_str(f->doc)},
				      err);
	return code ? code : rep_output_end(out, err);
}

static int command(struct rep_query *q, const char *text, struct rep_output *out,
		   struct tp_err *err)
{
	size_t n = strcspn(text, " \t\n;"), size;
	char table[100];
	int code;

	snprintf(table, sizeof(table), "%s", text + n + strspn(text + n, " \t\n;"));
	for (size = strlen(table); size && strchr(" \t\n;", table[size - 1]);)
		table[--size] = '\0';
	if (!strncmp(text, ".tables", n) && n > 1)
		return rep_query_tables(q, out, err);
	if (!strncmp(text, ".help", n) && n > 1)
		return put_functions(out, err);
	if (!strncmp(text, ".schema", n) && n > 1) {
		struct tp_buf lines = {0};

		code = rep_query_schema(q, *table ? table : NULL, &lines, err);
		if (!code)
			code = put_lines(&lines, out, err);
		tp_buf_release(&lines);
		return code;
	}
	return tp_err_set(
	    err, TP_ENOENT, TP_OFFSET_NONE,
	    "'%.*s' is not a command; the commands are .tables, .schema TABLE and .help",
	    n < 60 ? (int)n : 60, text);
}

/* ---- statements ---- */

int sql_answer(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	       struct tp_err *err)
{
	struct sql_answer *a = (struct sql_answer *)f;
	const struct rep_query_options opt = {
	    .run = f->job.select.run ? f->job.select.run->row.id : TP_NULL,
	    .fleeting = true,
	    .stop = &f->job.stop,
	    .read_only = "statements can only read here; tprof-query can make temporary tables, "
			 "and with --write change the store",
	};
	const char *text = a->text + strspn(a->text, " \t\n");
	int64_t began = now_ns();
	struct rep_query *q = NULL;
	int code = rep_query_new(&q, store, &opt, err);

	a->place = SIZE_MAX;
	f->cells.most_rows = SQL_MOST_ROWS;
	f->cells.most_bytes = SQL_MOST_BYTES;
	if (!code && *text == '.')
		code = command(q, text, out, err);
	else if (!code)
		code = rep_query_run(q, a->text, out, err);
	if (code && q && *text != '.')
		a->place = rep_query_place(q);
	a->cut = f->cells.cut;
	if (a->cut)
		code = 0;
	rep_query_free(q);
	a->took_ns = now_ns() - began;
	return code;
}
