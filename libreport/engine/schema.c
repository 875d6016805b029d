#include "engine/schema.h"

#include <string.h>

#define INT   "Nullable(Int64)"
#define TEXT  "Nullable(String)"
#define TEXTS "Array(String)"
#define HASH  "FixedString(16)"
#define COMMON                                                                                     \
	{"day", "Date"}, {"load", "UInt64"},                                                       \
	{                                                                                          \
		"row", "UInt32"                                                                    \
	}

/* Loads that do not say until when, as tables of the first form have them, take less than a day. */
static const struct rep_engine_column load_columns[] = {{"day", "Date"},
							{"load", "UInt64"},
							{"run", "String"},
							{"begun", "DateTime"},
							{"until", "DateTime DEFAULT begun + 86400"},
							{NULL, NULL}};
static const struct rep_engine_column run_columns[] = {
    {"day", "Date"},	{"load", "UInt64"},   {"run", "String"},       {"kind", "String"},
    {"name", "String"}, {"source", "String"}, {"format", "String"},    {"id", INT},
    {"start_ns", INT},	{"duration_ns", INT}, {"ticks", INT},	       {"wall_ns", INT},
    {"events", INT},	{"inferred", INT},    {"generations", INT},    {"goroutines", INT},
    {"size_in", INT},	{"lost_bytes", INT},  {"lost_events", INT},    {"imported_ns", INT},
    {"types", TEXTS},	{"units", TEXTS},     {"has_events", "UInt8"}, {NULL, NULL}};
static const struct rep_engine_column label_columns[] = {
    COMMON, {"key", "String"}, {"value", "String"}, {NULL, NULL}};
static const struct rep_engine_column loss_columns[] = {
    COMMON,	    {"offset", INT}, {"bytes", INT},   {"from_ns", INT},
    {"to_ns", INT}, {"events", INT}, {"reason", TEXT}, {NULL, NULL}};
static const struct rep_engine_column notice_columns[] = {
    COMMON, {"severity", INT}, {"offset", INT}, {"text", TEXT}, {NULL, NULL}};
static const struct rep_engine_column wire_columns[] = {
    COMMON, {"name", TEXT}, {"events", INT}, {"with_stack", INT}, {"bytes", INT}, {NULL, NULL}};
static const struct rep_engine_column clock_columns[] = {
    COMMON, {"ts_ns", INT}, {"mono_ns", INT}, {"wall_sec", INT}, {"wall_nsec", INT}, {NULL, NULL}};
static const struct rep_engine_column segment_columns[] = {
    COMMON,	      {"id", INT},    {"first_block", INT}, {"blocks", INT},
    {"from_ns", INT}, {"to_ns", INT}, {"events", INT},	    {NULL, NULL}};
static const struct rep_engine_column stack_columns[] = {{"stack", HASH},
							 {"functions", TEXTS},
							 {"files", TEXTS},
							 {"lines", "Array(Int64)"},
							 {"columns", "Array(Int64)"},
							 {"marks", "Array(UInt8)"},
							 {"system_names", TEXTS},
							 {"start_lines", "Array(Int64)"},
							 {"mappings", "Array(UInt64)"},
							 {"addresses", "Array(UInt64)"},
							 {"flags", "Array(UInt32)"},
							 {NULL, NULL}};
static const struct rep_engine_column bucket_columns[] = {COMMON,
							  {"stack", HASH},
							  {"node", "UInt32"},
							  {"label_keys", TEXTS},
							  {"label_values", TEXTS},
							  {"label_units", TEXTS},
							  {"label_numeric", "Array(UInt8)"},
							  {"values", "Array(Int64)"},
							  {NULL, NULL}};
static const struct rep_engine_column string_columns[] = {COMMON, {"text", "String"}, {NULL, NULL}};
static const struct rep_engine_column event_columns[] = {COMMON,
							 {"ts_ns", INT},
							 {"type", TEXT},
							 {"goroutine", INT},
							 {"m", INT},
							 {"p", INT},
							 {"subject", INT},
							 {"stack", INT},
							 {"str", TEXT},
							 {"str2", TEXT},
							 {"second_stack", INT},
							 {"from_state", TEXT},
							 {"to_state", TEXT},
							 {"flags", INT},
							 {"arg0", "UInt64"},
							 {"arg1", "UInt64"},
							 {"arg2", "UInt64"},
							 {NULL, NULL}};

static const struct rep_engine_column span_columns[] = {
    COMMON,	     {"goroutine", INT},   {"state", TEXT},   {"start_ns", INT}, {"end_ns", INT},
    {"dur_ns", INT}, {"reason", TEXT},	   {"stack", INT},    {"m", INT},	 {"p", INT},
    {"waker", INT},  {"waker_stack", INT}, {"inferred", INT}, {"open", INT},	 {NULL, NULL}};

static const struct {
	const char *name;
	const struct rep_engine_column *columns;
	const char *order;
	const char *doc;
} fixed[REP_ENGINE_PACKED] = {
    [REP_ENGINE_LOAD] = {"load", load_columns, "load", "a load that was begun"},
    [REP_ENGINE_RUN] = {"run", run_columns, "(kind, name, load)",
			"a run, as the store has it; its load counts"},
    [REP_ENGINE_LABEL] = {"label", label_columns, "(key, value, load)", "a label of a run"},
    [REP_ENGINE_LOSS] = {"loss", loss_columns, "(load, row)", "what could not be kept, and why"},
    [REP_ENGINE_NOTICE] = {"notice", notice_columns, "(load, row)",
			   "what a reader of the run should know"},
    [REP_ENGINE_WIRE] = {"wire", wire_columns, "(load, row)",
			 "how often each event of the file format occurred"},
    [REP_ENGINE_CLOCK] = {"clock", clock_columns, "(load, row)",
			  "moments at which several clocks were read"},
    [REP_ENGINE_SEGMENT] = {"segment", segment_columns, "(load, row)",
			    "stretches of the run that aggregates are kept for"},
    [REP_ENGINE_STACK] = {"stack", stack_columns, "stack",
			  "a stack with its names, root first; of all runs"},
    [REP_ENGINE_BUCKET] = {"bucket", bucket_columns, "(load, row)",
			   "a sample of a profile, with a value of each type"},
    [REP_ENGINE_STRING] = {"string", string_columns, "(load, row)",
			   "a string of a trace's dictionary; row is its id"},
    [REP_ENGINE_EVENT] = {"event", event_columns, "(load, row)", "an event of a trace"},
    [REP_ENGINE_SPAN] = {"span", span_columns, "(load, row)",
			 "a stretch of time a goroutine of a trace spent in one state"},
};

/* Buckets are a table of their own. */
bool rep_engine_has(enum rep_engine_table_id table)
{
	if (table < REP_ENGINE_PACKED)
		return true;
	switch ((int)table - REP_ENGINE_PACKED) {
	case TP_TABLE_BUCKET:
	case TP_TABLE_BUCKET_VALUE:
	case TP_TABLE_BUCKET_LABEL:
		return false;
	default:
		return true;
	}
}

bool rep_engine_of_profile(enum tp_table_id table)
{
	return table == TP_TABLE_PROFILE || table == TP_TABLE_SAMPLE_TYPE ||
	       table == TP_TABLE_MAPPING || table == TP_TABLE_COUNTER || table == TP_TABLE_COMMENT;
}

bool rep_engine_of_load(enum rep_engine_table_id table)
{
	return table != REP_ENGINE_STACK;
}

const char *rep_engine_name(enum rep_engine_table_id table)
{
	if (table < REP_ENGINE_PACKED)
		return fixed[table].name;
	/* `stack` has the names of all runs; this one is a trace's own tree. */
	if (table == (int)REP_ENGINE_PACKED + TP_TABLE_STACK)
		return "node";
	return tp_tables[table - REP_ENGINE_PACKED].name;
}

const char *rep_engine_doc(enum rep_engine_table_id table)
{
	return table < REP_ENGINE_PACKED ? fixed[table].doc
					 : tp_tables[table - REP_ENGINE_PACKED].doc;
}

static const char *type_of(enum tp_column_kind kind)
{
	return kind == TP_COL_STR || kind == TP_COL_STATE ? TEXT : INT;
}

unsigned rep_engine_columns(enum rep_engine_table_id table,
			    struct rep_engine_column column[REP_ENGINE_COLUMNS])
{
	static const struct rep_engine_column common[] = {COMMON};
	const struct tp_table_desc *t;
	unsigned n = 0;

	if (table < REP_ENGINE_PACKED) {
		for (; fixed[table].columns[n].name; n++)
			column[n] = fixed[table].columns[n];
		return n;
	}
	t = &tp_tables[table - REP_ENGINE_PACKED];
	for (; n < sizeof(common) / sizeof(common[0]); n++)
		column[n] = common[n];
	for (unsigned c = 0; c < t->ncolumns; c++)
		column[n++] =
		    (struct rep_engine_column){t->columns[c].name, type_of(t->columns[c].kind)};
	/* What joins a trace's stacks with the names of all runs. */
	if (table == (int)REP_ENGINE_PACKED + TP_TABLE_STACK)
		column[n++] = (struct rep_engine_column){"stack", HASH};
	return n;
}

/* ---- statements ---- */

void rep_engine_put_table(struct rep_sql *s, const struct rep_engine_place *at,
			  enum rep_engine_table_id table, bool local)
{
	char name[64];
	size_t n = strlen(rep_engine_name(table));

	memcpy(name, rep_engine_name(table), n + 1);
	if (local && at->cluster)
		memcpy(name + n, "_local", sizeof("_local"));
	rep_sql_name(s, at->database);
	rep_sql_put(s, ".");
	rep_sql_name(s, name);
}

void rep_engine_put_columns(struct rep_sql *s, enum rep_engine_table_id table, unsigned first)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);

	for (unsigned c = first; c < n; c++) {
		rep_sql_put(s, "%s", c > first ? ", " : "");
		rep_sql_name(s, column[c].name);
	}
}

static void put_create(struct rep_sql *s, const struct rep_engine_place *at,
		       enum rep_engine_table_id table)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);

	rep_sql_put(s, "CREATE TABLE IF NOT EXISTS ");
	rep_engine_put_table(s, at, table, true);
	for (unsigned c = 0; c < n; c++) {
		rep_sql_put(s, c ? ", " : " (");
		rep_sql_name(s, column[c].name);
		rep_sql_put(s, " %s", column[c].type);
	}
	if (table == REP_ENGINE_STACK)
		rep_sql_put(s, ") ENGINE = ReplacingMergeTree ORDER BY stack");
	else
		rep_sql_put(s, ") ENGINE = MergeTree PARTITION BY day ORDER BY %s",
			    table < REP_ENGINE_PACKED ? fixed[table].order : "(load, row)");
}

/* All rows of a run go to one server, which its hash names (the upper half of a load). */
static void put_distributed(struct rep_sql *s, const struct rep_engine_place *at,
			    enum rep_engine_table_id table)
{
	struct rep_engine_place whole = {at->database, NULL};
	char local[64];

	rep_sql_put(s, "CREATE TABLE IF NOT EXISTS ");
	rep_engine_put_table(s, &whole, table, false);
	rep_sql_put(s, " AS ");
	rep_engine_put_table(s, at, table, true);
	rep_sql_put(s, " ENGINE = Distributed(");
	rep_sql_name(s, at->cluster);
	rep_sql_put(s, ", ");
	rep_sql_name(s, at->database);
	rep_sql_put(s, ", ");
	memcpy(local, rep_engine_name(table), strlen(rep_engine_name(table)) + 1);
	strncat(local, "_local", sizeof(local) - strlen(local) - 1);
	rep_sql_name(s, local);
	rep_sql_put(s, ", %s)",
		    table == REP_ENGINE_STACK ? "cityHash64(stack)" : "intDiv(load, 4294967296)");
}

static int hand_on(struct rep_sql *s, int (*each)(void *ctx, const char *sql, struct tp_err *err),
		   void *ctx, struct tp_err *err)
{
	const char *sql = rep_sql_text(s);
	int code = sql ? each(ctx, sql, err) : tp_nomem(err);

	rep_sql_release(s);
	return code;
}

int rep_engine_ddl(const struct rep_engine_place *at,
		   int (*each)(void *ctx, const char *sql, struct tp_err *err), void *ctx,
		   struct tp_err *err)
{
	struct rep_sql s = {0};
	int code;

	rep_sql_put(&s, "CREATE DATABASE IF NOT EXISTS ");
	rep_sql_name(&s, at->database);
	code = hand_on(&s, each, ctx, err);
	for (int t = 0; t < REP_ENGINE_NTABLES && !code; t++) {
		if (!rep_engine_has((enum rep_engine_table_id)t))
			continue;
		put_create(&s, at, (enum rep_engine_table_id)t);
		code = hand_on(&s, each, ctx, err);
		if (code || !at->cluster)
			continue;
		put_distributed(&s, at, (enum rep_engine_table_id)t);
		code = hand_on(&s, each, ctx, err);
	}
	return code;
}
