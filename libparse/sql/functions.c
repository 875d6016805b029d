/* Scalar SQL functions: units, stacks as text, regular expressions. */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "base/units.h"

#define MAX_FRAMES 4096 /* of a stack as text; "..." replaces further frames */

static void answer_error(sqlite3_context *ctx, int code, struct tp_err *err)
{
	if (code == TP_ENOMEM) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	tp_err_printable(err);
	sqlite3_result_error(ctx, err->msg, -1);
}

/* ---- units ---- */

static void fmt(sqlite3_context *ctx, sqlite3_value *value, char *(*format)(char *, int64_t))
{
	char text[TP_UNITS_SIZE];
	double d;
	int64_t n;

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		n = sqlite3_value_int64(value);
		if (n == INT64_MIN)
			n++; /* the formatters treat INT64_MIN as NULL */
		break;
	case SQLITE_FLOAT: /* such as an avg() */
		d = sqlite3_value_double(value);
		n = d >= 0x1p63	   ? INT64_MAX
		    : d <= -0x1p63 ? -INT64_MAX
				   : (int64_t)(d < 0 ? d - 0.5 : d + 0.5);
		break;
	default: /* NULL and text are returned unchanged */
		sqlite3_result_value(ctx, value);
		return;
	}
	sqlite3_result_text(ctx, format(text, n), -1, SQLITE_TRANSIENT);
}

static void fmt_ns(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	fmt(ctx, argv[0], tp_fmt_ns);
}

static void fmt_bytes(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	fmt(ctx, argv[0], tp_fmt_bytes);
}

static void ns(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[0]);
	int64_t n;

	(void)argc;
	if (!text)
		return;
	if (tp_parse_ns(text, &n))
		sqlite3_result_error(
		    ctx, "ns(text) takes a duration such as '1.5ms', '20us' or '2m05s'", -1);
	else
		sqlite3_result_int64(ctx, n);
}

/* ---- regular expressions ---- */

static void free_regex(void *p)
{
	tp_regex_release(p);
	free(p);
}

/* regexp(pattern, text), with the syntax of base/regex.h. SQLite calls it for `text REGEXP pattern`. */
static void regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[1]);
	struct tp_regex *re = sqlite3_get_auxdata(ctx, 0);
	size_t size = (size_t)sqlite3_value_bytes(argv[1]);
	int found;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !text)
		return;
	if (!re) {
		const char *pattern = (const char *)sqlite3_value_text(argv[0]);
		struct tp_err err = {0};
		int code;

		re = pattern ? malloc(sizeof(*re)) : NULL;
		code = re ? tp_regex_init(re, pattern, "REGEXP", &err) : TP_ENOMEM;
		if (code) {
			if (re)
				free_regex(re);
			answer_error(ctx, code, &err);
			return;
		}
		found = tp_regex_find(re, text, size);
		sqlite3_set_auxdata(ctx, 0, re, free_regex); /* frees `re` if it cannot keep it */
	} else {
		found = tp_regex_find(re, text, size);
	}
	if (found < 0) {
		struct tp_err err;

		answer_error(ctx, tp_regex_unknown(found, &err), &err);
	} else {
		sqlite3_result_int(ctx, found);
	}
}

/* ---- stacks ---- */

/* Sets the run, to which the caller then has a reference, its dictionary and a stack in it from the
 * arguments ([run,] stack). Returns false if the result is NULL, or an error, which it has set. */
static bool find_stack(sqlite3_context *ctx, int argc, sqlite3_value **argv,
		       struct tp_sql_run **run, const struct tp_dict **dict, uint32_t *stack)
{
	struct tp_sql *sql = sqlite3_user_data(ctx);
	struct tp_err err = {0};
	int64_t id, run_id;
	int code = tp_sql_refresh(sql, &err);

	if (!code && tp_sql_want_int(argv[argc - 1], &id)) {
		if (argc == 1 && tp_sql_nruns(sql) > 1)
			code = tp_err_set(&err, TP_ENOENT, TP_OFFSET_NONE,
					  "the store has several runs; name one, as in "
					  "stack_text(run, stack)");
		else if (argc == 1 && tp_sql_nruns(sql) == 1)
			run_id = tp_sql_run_id(sql, 0);
		else if (argc == 1 || !tp_sql_want_int(argv[0], &run_id) ||
			 tp_sql_run_find(sql, run_id) == tp_sql_nruns(sql))
			return false;
		if (!code)
			code = tp_sql_run_get(sql, run_id, run, &err);
		if (!code) {
			code = tp_sql_dict(*run, dict, &err);
			if (!code && id >= 0 && id < (int64_t)tp_dict_stacks(*dict)) {
				*stack = (uint32_t)id;
				return true;
			}
			tp_sql_run_put(*run);
		}
	}
	if (code)
		answer_error(ctx, code, &err);
	return false;
}

static void append_function(sqlite3_str *s, const struct tp_dict *dict, uint32_t frame)
{
	struct tp_text name = tp_dict_text(dict, tp_dict_frame_name(dict, frame));

	if (!name.size)
		sqlite3_str_append(s, "?", 1);
	/* The separator must not occur within a name. */
	for (uint32_t i = 0, from = 0; i < name.size; i++) {
		bool last = i + 1 == name.size;

		if (name.text[i] != ';' && !last)
			continue;
		sqlite3_str_append(s, name.text + from, (int)(i - from));
		sqlite3_str_appendchar(s, 1, name.text[i] == ';' ? ':' : name.text[i]);
		from = i + 1;
	}
}

static void stack_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct tp_dict *dict;
	struct tp_sql_run *run;
	sqlite3_str *s;
	uint32_t stack;
	int size;
	char *text;

	if (!find_stack(ctx, argc, argv, &run, &dict, &stack))
		return;
	s = sqlite3_str_new(sqlite3_context_db_handle(ctx));
	for (int n = 0; stack; n++) {
		struct tp_stack_node node = tp_dict_stack_at(dict, stack);

		if (n)
			sqlite3_str_append(s, ";", 1);
		if (n == MAX_FRAMES) {
			sqlite3_str_appendall(s, "...");
			break;
		}
		append_function(s, dict, node.frame);
		stack = node.parent;
	}
	tp_sql_run_put(run);
	size = sqlite3_str_length(s);
	text = sqlite3_str_finish(s);
	if (text)
		sqlite3_result_text(ctx, text, size, sqlite3_free);
	else
		sqlite3_result_text(ctx, "", 0, SQLITE_STATIC); /* the empty stack */
}

static void end_of_stack(sqlite3_context *ctx, int argc, sqlite3_value **argv, bool root)
{
	const struct tp_dict *dict;
	struct tp_sql_run *run;
	struct tp_text name;
	uint32_t stack;

	if (!find_stack(ctx, argc, argv, &run, &dict, &stack))
		return;
	name = tp_dict_text(dict,
			    tp_dict_frame_name(dict, root ? tp_dict_stack_root(dict, stack)
							  : tp_dict_stack_at(dict, stack).frame));
	sqlite3_result_text(ctx, name.text, (int)name.size, SQLITE_TRANSIENT);
	tp_sql_run_put(run);
}

static void func_of(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	end_of_stack(ctx, argc, argv, false);
}

static void root_of(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	end_of_stack(ctx, argc, argv, true);
}

int tp_sql_functions_register(sqlite3 *db, struct tp_sql *sql)
{
	static const struct {
		const char *name;
		int nargs;
		bool pure;
		void (*call)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
	    {"fmt_ns", 1, true, fmt_ns},
	    {"fmt_bytes", 1, true, fmt_bytes},
	    {"ns", 1, true, ns},
	    {"regexp", 2, true, regexp},
	    {"stack_text", 1, false, stack_text},
	    {"stack_text", 2, false, stack_text},
	    {"func_of", 1, false, func_of},
	    {"func_of", 2, false, func_of},
	    {"root_of", 1, false, root_of},
	    {"root_of", 2, false, root_of},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		int flags =
		    SQLITE_UTF8 | SQLITE_INNOCUOUS | (functions[i].pure ? SQLITE_DETERMINISTIC : 0);
		int rc;

		tp_sql_ref(sql); /* the destructor runs even if the call fails */
		rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].nargs, flags,
						sql, functions[i].call, NULL, NULL, tp_sql_unref);
		if (rc)
			return rc;
	}
	return SQLITE_OK;
}
