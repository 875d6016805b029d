#include "engine/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/inside.h"

#define INT   REP_ENGINE_INT
#define TEXT  REP_ENGINE_TEXT
#define TEXTS "Array(String)"
#define HASH  REP_ENGINE_HASH
#define COMMON                                                                                     \
	{"day", "Date"}, {"load", "UInt64"},                                                       \
	{                                                                                          \
		"row", "UInt32"                                                                    \
	}

static const struct rep_engine_column load_columns[] = {{"day", "Date"},
							{"load", "UInt64"},
							{"run", "String"},
							{"begun", "DateTime DEFAULT now()"},
							{NULL, NULL}};
static const struct rep_engine_column run_columns[] = {
    {"day", "Date"},	{"load", "UInt64"},   {"run", "String"},    {"kind", "String"},
    {"name", "String"}, {"source", "String"}, {"format", "String"}, {"id", INT},
    {"start_ns", INT},	{"duration_ns", INT}, {"ticks", INT},	    {"wall_ns", INT},
    {"events", INT},	{"inferred", INT},    {"generations", INT}, {"goroutines", INT},
    {"size_in", INT},	{"lost_bytes", INT},  {"lost_events", INT}, {"imported_ns", INT},
    {"types", TEXTS},	{"units", TEXTS},     {"labels", TEXTS},    {"has_spans", "UInt8"},
    {NULL, NULL}};
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
static const struct rep_engine_column block_columns[] = {
    COMMON,	      {"stream", TEXT}, {"part", INT},	   {"rows", INT},      {"first_ts", INT},
    {"last_ts", INT}, {"codec", INT},	{"raw_size", INT}, {"data", "String"}, {NULL, NULL}};
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
static const struct rep_engine_column span_columns[] = {
    COMMON,	     {"goroutine", INT},    {"state", TEXT},   {"start_ns", INT}, {"end_ns", INT},
    {"dur_ns", INT}, {"reason", TEXT},	    {"stack", HASH},   {"m", INT},	  {"p", INT},
    {"waker", INT},  {"waker_stack", HASH}, {"inferred", INT}, {"open", INT},	  {NULL, NULL}};

#define BY_ROW "(load, row)"

static const struct {
	const char *name;
	const struct rep_engine_column *columns; /* NULL: those of the packed table */
	enum tp_table_id packed;
	const char *order; /* in the engine */
	const char *order_in_store;
} tables[] = {
    [REP_ENGINE_LOAD] = {"load", load_columns, 0, "load", NULL},
    [REP_ENGINE_RUN] = {"run", run_columns, 0, "(kind, name, load)", NULL},
    [REP_ENGINE_LOSS] = {"loss", loss_columns, 0, BY_ROW, "rowid"},
    [REP_ENGINE_NOTICE] = {"notice", notice_columns, 0, BY_ROW, "rowid"},
    [REP_ENGINE_WIRE] = {"wire", wire_columns, 0, BY_ROW, "name"},
    [REP_ENGINE_CLOCK] = {"clock", clock_columns, 0, BY_ROW, "rowid"},
    [REP_ENGINE_SEGMENT] = {"segment", segment_columns, 0, BY_ROW, "id"},
    [REP_ENGINE_BLOCK] = {"block", block_columns, 0, BY_ROW, "stream, part"},
    [REP_ENGINE_STACK] = {"stack", stack_columns, 0, "stack", NULL},
    [REP_ENGINE_BUCKET] = {"bucket", bucket_columns, 0, BY_ROW, NULL},
    [REP_ENGINE_PROFILE] = {"profile", NULL, TP_TABLE_PROFILE, BY_ROW, "row"},
    [REP_ENGINE_SAMPLE_TYPE] = {"sample_type", NULL, TP_TABLE_SAMPLE_TYPE, BY_ROW, "row"},
    [REP_ENGINE_MAPPING] = {"mapping", NULL, TP_TABLE_MAPPING, BY_ROW, "row"},
    [REP_ENGINE_COMMENT] = {"comment", NULL, TP_TABLE_COMMENT, BY_ROW, "row"},
    [REP_ENGINE_COUNTER] = {"counter", NULL, TP_TABLE_COUNTER, BY_ROW, "row"},
    [REP_ENGINE_SPAN] = {"span", span_columns, 0, BY_ROW, NULL},
    [REP_ENGINE_TASK] = {"task", NULL, TP_TABLE_TASK, BY_ROW, "row"},
    [REP_ENGINE_REGION] = {"region", NULL, TP_TABLE_REGION, BY_ROW, "row"},
    [REP_ENGINE_LOG] = {"log", NULL, TP_TABLE_LOG, BY_ROW, "row"},
};

const char *rep_engine_name(enum rep_engine_table_id table)
{
	return tables[table].name;
}

const char *rep_engine_order_in_store(enum rep_engine_table_id table)
{
	return tables[table].order_in_store;
}

bool rep_engine_of_load(enum rep_engine_table_id table)
{
	return table != REP_ENGINE_STACK;
}

/* Returns a column's type. Stacks of traces are hashes, whose names are in table `stack`, for all
 * runs. */
static const char *type_of(enum tp_column_kind kind)
{
	return kind == TP_COL_STR || kind == TP_COL_STATE ? TEXT
	       : kind == TP_COL_STACK			  ? HASH
							  : INT;
}

unsigned rep_engine_columns(enum rep_engine_table_id table,
			    struct rep_engine_column column[REP_ENGINE_COLUMNS])
{
	static const struct rep_engine_column common[] = {COMMON, {NULL, NULL}};
	const struct rep_engine_column *fixed = tables[table].columns;
	const struct tp_table_desc *t = &tp_tables[tables[table].packed];
	unsigned n = 0;

	for (const struct rep_engine_column *c = fixed ? fixed : common; c->name; c++)
		column[n++] = *c;
	for (unsigned c = 0; !fixed && c < t->ncolumns; c++)
		column[n++] =
		    (struct rep_engine_column){t->columns[c].name, type_of(t->columns[c].kind)};
	return n;
}

/* ---- statements ---- */

void rep_sql_put(struct tp_buf *s, const struct rep_engine_place *at, const char *fmt, ...)
{
	char text[1024];
	const char *p = text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	while (*p) {
		size_t n = strcspn(p, "@");

		tp_buf_put(s, p, n);
		p += n;
		if (!*p)
			return;
		n = strspn(++p, "abcdefghijklmnopqrstuvwxyz_");
		rep_sql_name(s, at->database);
		tp_buf_printf(s, ".`%.*s`", (int)n, p);
		p += n;
	}
}

void rep_engine_put_columns(struct tp_buf *s, enum rep_engine_table_id table, unsigned first)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);

	for (unsigned c = first; c < n; c++) {
		tp_buf_printf(s, "%s", c > first ? ", " : "");
		rep_sql_name(s, column[c].name);
	}
}

static void put_create(struct tp_buf *s, const struct rep_engine_place *at,
		       enum rep_engine_table_id table)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);

	rep_sql_put(s, at, "CREATE TABLE IF NOT EXISTS @%s%s", tables[table].name,
		    at->cluster ? "_local" : "");
	for (unsigned c = 0; c < n; c++) {
		tp_buf_printf(s, c ? ", " : " (");
		rep_sql_name(s, column[c].name);
		tp_buf_printf(s, " %s", column[c].type);
	}
	if (table == REP_ENGINE_STACK)
		tp_buf_printf(s, ") ENGINE = ReplacingMergeTree ORDER BY stack");
	else
		tp_buf_printf(s, ") ENGINE = MergeTree PARTITION BY day ORDER BY %s",
			      tables[table].order);
}

/* Distributes rows so that all rows of a run are on one server, chosen by its hash (the upper half
 * of a load). */
static void put_distributed(struct tp_buf *s, const struct rep_engine_place *at,
			    enum rep_engine_table_id table)
{
	rep_sql_put(s, at, "CREATE TABLE IF NOT EXISTS @%s AS @%s_local ENGINE = Distributed(",
		    tables[table].name, tables[table].name);
	rep_sql_name(s, at->cluster);
	tp_buf_printf(s, ", ");
	rep_sql_name(s, at->database);
	tp_buf_printf(s, ", `%s_local`, %s)", tables[table].name,
		      table == REP_ENGINE_STACK ? "cityHash64(stack)" : "intDiv(load, 4294967296)");
}

int rep_engine_make_tables(const struct rep_engine_link *server, const struct rep_engine_place *at,
			   struct tp_err *err)
{
	struct tp_buf s = {0};
	int code;

	tp_buf_printf(&s, "CREATE DATABASE IF NOT EXISTS ");
	rep_sql_name(&s, at->database);
	code = rep_engine_send(server, &s, NULL, 0, err);
	for (int t = 0; t < REP_ENGINE_NTABLES && !code; t++) {
		put_create(&s, at, (enum rep_engine_table_id)t);
		code = rep_engine_send(server, &s, NULL, 0, err);
		if (code || !at->cluster)
			continue;
		put_distributed(&s, at, (enum rep_engine_table_id)t);
		code = rep_engine_send(server, &s, NULL, 0, err);
	}
	return code;
}
