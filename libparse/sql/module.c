/* Common code of the virtual table modules: connecting, constraints on integers, results. */
#include "sql/sql.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "decode/event.h"
#include "store/describe.h"

int tp_sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
		   char **msg)
{
	const struct tp_sql_module *module = aux;
	sqlite3_str *s = sqlite3_str_new(db);
	struct tp_sql_vtab *t;
	char *sql;
	int rc;

	(void)argc, (void)argv, (void)msg;
	for (unsigned i = 0; i < tp_sql_table_columns(module->table); i++) {
		struct tp_sql_column c = tp_sql_column_at(module->table, i);

		sqlite3_str_appendf(s, "%s\"%w\" %s", i ? ", " : "CREATE TABLE x(", c.name, c.type);
	}
	sqlite3_str_appendall(s, ")");
	sql = sqlite3_str_finish(s);
	if (!sql)
		return SQLITE_NOMEM;
	rc = sqlite3_declare_vtab(db, sql);
	sqlite3_free(sql);
	if (rc)
		return rc;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	t = sqlite3_malloc(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	memset(t, 0, sizeof(*t));
	t->sql = module->sql;
	t->table = module->table;
	*vtab = &t->base;
	return SQLITE_OK;
}

int tp_sql_disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

int tp_sql_fail(sqlite3_vtab *vtab, const struct tp_err *err)
{
	struct tp_err shown = *err;

	if (err->code == TP_ENOMEM)
		return SQLITE_NOMEM;
	tp_err_printable(&shown);
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("%s", shown.msg);
	return err->code == TP_ECANCEL ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

int tp_sql_plan_begin(sqlite3_index_info *info)
{
	size_t size = 2 * (size_t)info->nConstraint + 1;

	info->idxStr = sqlite3_malloc64(size);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	memset(info->idxStr, 0, size);
	info->needToFreeIdxStr = 1;
	return SQLITE_OK;
}

void tp_sql_plan_add(sqlite3_index_info *info, int i, char op, bool exact)
{
	size_t n = strlen(info->idxStr);

	info->idxStr[n] = (char)('a' + info->aConstraint[i].iColumn);
	info->idxStr[n + 1] = op;
	info->aConstraintUsage[i].argvIndex = (int)n / 2 + 1;
	info->aConstraintUsage[i].omit = exact;
}

char tp_sql_op_char(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return '=';
	case SQLITE_INDEX_CONSTRAINT_LT:
		return '<';
	case SQLITE_INDEX_CONSTRAINT_LE:
		return 'L';
	case SQLITE_INDEX_CONSTRAINT_GT:
		return '>';
	case SQLITE_INDEX_CONSTRAINT_GE:
		return 'G';
	default:
		return 0;
	}
}

int tp_sql_op_of_char(char op)
{
	switch (op) {
	case '<':
		return SQLITE_INDEX_CONSTRAINT_LT;
	case 'L':
		return SQLITE_INDEX_CONSTRAINT_LE;
	case '>':
		return SQLITE_INDEX_CONSTRAINT_GT;
	case 'G':
		return SQLITE_INDEX_CONSTRAINT_GE;
	default:
		return SQLITE_INDEX_CONSTRAINT_EQ;
	}
}

bool tp_sql_take_in(sqlite3_index_info *info, int i)
{
	return sqlite3_libversion_number() >= 3038000 && sqlite3_vtab_in(info, i, 1);
}

bool tp_sql_want_int(sqlite3_value *value, int64_t *n)
{
	double d;

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		*n = sqlite3_value_int64(value);
		return true;
	case SQLITE_FLOAT:
		d = sqlite3_value_double(value);
		if (!(d >= -0x1p63 && d < 0x1p63) || d != floor(d))
			return false;
		*n = (int64_t)d;
		return true;
	default: /* NULL, text, blob: equal to no integer */
		return false;
	}
}

/* Return the largest integer <= d and the smallest >= d, limited to int64. */
static int64_t floor_int(double d)
{
	d = floor(d);
	return d < -0x1p63 ? INT64_MIN : d >= 0x1p63 ? INT64_MAX : (int64_t)d;
}

static int64_t ceil_int(double d)
{
	d = ceil(d);
	return d < -0x1p63 ? INT64_MIN : d >= 0x1p63 ? INT64_MAX : (int64_t)d;
}

bool tp_sql_narrow(int op, sqlite3_value *value, int64_t *from, int64_t *to)
{
	int64_t lo, hi; /* value lies between these */

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		lo = hi = sqlite3_value_int64(value);
		break;
	case SQLITE_FLOAT:
		lo = floor_int(sqlite3_value_double(value));
		hi = ceil_int(sqlite3_value_double(value));
		break;
	case SQLITE_NULL:
		return false;
	default: /* every number is less than any text or blob */
		return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
	}
	/* If a real was rounded, SQLite's own comparison removes the surplus rows. */
	if (op == SQLITE_INDEX_CONSTRAINT_GT && lo == hi) {
		if (lo == INT64_MAX)
			return false;
		hi = lo + 1;
	}
	if (op == SQLITE_INDEX_CONSTRAINT_LT && lo == hi) {
		if (hi == INT64_MIN)
			return false;
		lo = hi - 1;
	}
	if (op == SQLITE_INDEX_CONSTRAINT_EQ && lo != hi)
		return false;
	if (op != SQLITE_INDEX_CONSTRAINT_LT && op != SQLITE_INDEX_CONSTRAINT_LE && hi > *from)
		*from = hi;
	if (op != SQLITE_INDEX_CONSTRAINT_GT && op != SQLITE_INDEX_CONSTRAINT_GE && lo < *to)
		*to = lo;
	return *from <= *to;
}

int tp_sql_result_text(sqlite3_context *c, struct tp_sql_run *run, int64_t string,
		       struct tp_err *err)
{
	const struct tp_dict *dict;
	struct tp_text text;
	int code = tp_sql_dict(run, &dict, err);

	if (code || string < 0 || string >= (int64_t)tp_dict_strings(dict))
		return code;
	text = tp_dict_text(dict, (uint32_t)string);
	if (text.size <= INT_MAX)
		sqlite3_result_text(c, text.text, (int)text.size, SQLITE_STATIC);
	return 0;
}

int tp_sql_result_id(sqlite3_context *c, struct tp_sql_run *run, enum tp_column_kind kind,
		     int64_t index, struct tp_err *err)
{
	const struct tp_sql_rows *ids;
	int code;

	if (index == TP_NONE)
		return 0;
	code = tp_sql_ids(run, kind, &ids, err);
	if (!code && index >= 0 && (uint64_t)index < ids->nrows && ids->col[0][index] != TP_NULL)
		sqlite3_result_int64(c, ids->col[0][index]);
	return code;
}

void tp_sql_result_state(sqlite3_context *c, int64_t state)
{
	if (state > TP_ST_NONE && state < TP_NSTATES)
		sqlite3_result_text(c, tp_state_names[state], -1, SQLITE_STATIC);
}
