/* Decides which SQL users may run. SQLite calls the guard when it prepares a statement. That
 * includes the statements of virtual tables and functions, all of which only read. */
#include <stdbool.h>
#include <string.h>

#include "query/inside.h"

static bool in_list(const char *name, const char *const *list)
{
	for (; name && *list; list++)
		if (!sqlite3_stricmp(name, *list))
			return true;
	return false;
}

/* Returns whether a pragma only reads. Pragmas in the first list may have an argument. */
static bool pragma_is_harmless(const char *name, const char *argument)
{
	static const char *const asking[] = {
	    "table_info",  "table_xinfo",      "table_list",	  "index_list",	 "index_info",
	    "index_xinfo", "foreign_key_list", "integrity_check", "quick_check", NULL};
	static const char *const telling[] = {
	    "database_list",   "collation_list", "function_list",  "module_list",  "pragma_list",
	    "compile_options", "user_version",	 "application_id", "page_count",   "page_size",
	    "freelist_count",  "encoding",	 "data_version",   "journal_mode", NULL};

	return in_list(name, asking) || (!argument && in_list(name, telling));
}

static bool function_is_harmless(const char *name)
{
	/* The SQLite shell has the functions on files; other builds of SQLite may have them, too.
	 */
	static const char *const refused[] = {"load_extension", "fts3_tokenizer", "readfile",
					      "writefile",	"edit",		  NULL};

	return !in_list(name, refused);
}

static const char no_files[] = "other files cannot be attached; tprof-import -o STORE imports "
			       "several dumps into one store";

static int refuse(struct rep_query *q, const char *why)
{
	q->refused = why;
	return SQLITE_DENY;
}

static int when_writing(struct rep_query *q, const char *database)
{
	if (q->opt.write || (database && !strcmp(database, "temp")))
		return SQLITE_OK;
	return refuse(q, rep_query_read_only(q));
}

/* Limits on a statement, below SQLite's own and far above what users write. The number of attached
 * files is limited separately, because VACUUM attaches one. */
static const struct {
	int limit, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 256 << 20}, {SQLITE_LIMIT_SQL_LENGTH, 16 << 20},
    {SQLITE_LIMIT_EXPR_DEPTH, 500},   {SQLITE_LIMIT_COMPOUND_SELECT, 500},
    {SQLITE_LIMIT_FUNCTION_ARG, 100}, {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10000},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 10}, {SQLITE_LIMIT_VDBE_OP, 10 << 20},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

#define NLIMITS (sizeof(limits) / sizeof(limits[0]))
_Static_assert(NLIMITS == REP_QUERY_LIMITS, "as many are kept");

void rep_query_limit(struct rep_query *q)
{
	for (size_t i = 0; i < NLIMITS; i++)
		q->before[i] = sqlite3_limit(q->db, limits[i].limit, limits[i].most);
	q->attached = sqlite3_limit(q->db, SQLITE_LIMIT_ATTACHED, q->opt.write ? -1 : 0);
}

void rep_query_unlimit(struct rep_query *q)
{
	for (size_t i = 0; i < NLIMITS; i++)
		sqlite3_limit(q->db, limits[i].limit, q->before[i]);
	sqlite3_limit(q->db, SQLITE_LIMIT_ATTACHED, q->attached);
}

int rep_query_guard(void *ctx, int action, const char *a, const char *b, const char *database,
		    const char *trigger)
{
	struct rep_query *q = ctx;

	(void)trigger;
	switch (action) {
	/* A virtual table is declared as if by CREATE TABLE when it is first named. SQLite itself
	 * refuses an UPDATE of the schema. */
	case SQLITE_UPDATE:
		if (a && !strcmp(a, "sqlite_master"))
			return SQLITE_OK;
		return when_writing(q, database);
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
	case SQLITE_CREATE_TEMP_INDEX:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
	case SQLITE_DROP_TEMP_INDEX:
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_VIEW:
		return q->opt.fleeting ? refuse(q, rep_query_read_only(q)) : SQLITE_OK;
	case SQLITE_FUNCTION:
		return function_is_harmless(b)
			   ? SQLITE_OK
			   : refuse(q,
				    "this function is not allowed; .help lists functions that are");
	case SQLITE_PRAGMA:
		return pragma_is_harmless(a, b)
			   ? SQLITE_OK
			   : refuse(q, "only pragmas that change nothing are allowed, such as "
				       "table_info");
	case SQLITE_ATTACH: /* VACUUM attaches a nameless temporary file */
		if (q->opt.write && a && !*a)
			return SQLITE_OK;
		return refuse(q, no_files);
	case SQLITE_DETACH:
		return q->opt.write ? SQLITE_OK : refuse(q, no_files);
	case SQLITE_CREATE_VTABLE:
	case SQLITE_DROP_VTABLE:
		return refuse(q, "virtual tables cannot be made");
	case SQLITE_ALTER_TABLE: /* the one action whose database comes first */
		return when_writing(q, a);
	default:
		return when_writing(q, database);
	}
}
