#include "store/describe.h"

#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct tp_sql_column event_columns[] = {
#define TP_E(column, type, doc) {#column, #type, doc},
    TP_SQL_EVENT_COLUMNS(TP_E)
#undef TP_E
};

static const struct tp_sql_column span_columns[] = {
#define TP_E(column, type, doc) {#column, #type, doc},
    TP_SQL_SPAN_COLUMNS(TP_E)
#undef TP_E
};

static const struct tp_sql_column string_columns[] = {
#define TP_E(column, type, doc) {#column, #type, doc},
    TP_SQL_STRING_COLUMNS(TP_E)
#undef TP_E
};

static const struct {
	const char *name, *doc;
	const struct tp_sql_column *columns;
	unsigned ncolumns;
} derived[] = {
    [TP_SQL_EVENT - TP_NTABLES] = {"event", "an event of a trace, in the order of Go's reader",
				   event_columns, COUNT(event_columns)},
    [TP_SQL_SPAN - TP_NTABLES] = {"span",
				  "a stretch of time a goroutine spent in one state, from the "
				  "events",
				  span_columns, COUNT(span_columns)},
    [TP_SQL_STRING - TP_NTABLES] = {"string", "a string of the run's dictionary", string_columns,
				    COUNT(string_columns)},
};

static const struct tp_sql_column leading[] = {
    {"run", "INTEGER", "run.id"},
    {"row", "INTEGER", "position within the run, from 0"},
};

const char *tp_sql_table_name(unsigned table)
{
	return table < TP_NTABLES ? tp_tables[table].name : derived[table - TP_NTABLES].name;
}

const char *tp_sql_table_doc(unsigned table)
{
	return table < TP_NTABLES ? tp_tables[table].doc : derived[table - TP_NTABLES].doc;
}

unsigned tp_sql_table_columns(unsigned table)
{
	return table < TP_NTABLES ? tp_tables[table].ncolumns + (unsigned)COUNT(leading)
				  : derived[table - TP_NTABLES].ncolumns;
}

struct tp_sql_column tp_sql_column_at(unsigned table, unsigned column)
{
	const struct tp_column_desc *c;

	if (table >= TP_NTABLES)
		return derived[table - TP_NTABLES].columns[column];
	if (column < COUNT(leading))
		return leading[column];
	c = &tp_tables[table].columns[column - COUNT(leading)];
	return (struct tp_sql_column){
	    .name = c->name,
	    .type = c->kind == TP_COL_STR || c->kind == TP_COL_STATE ? "TEXT" : "INTEGER",
	    .doc = c->doc,
	};
}

const struct tp_sql_function tp_sql_functions[] = {
    {"fmt_ns(ns)", "the duration with a unit: '1.25ms'"},
    {"fmt_bytes(bytes)", "the size with a unit: '3.4MiB'"},
    {"ns(text)", "the duration in ns: ns('1.5ms') = 1500000"},
    {"stack_text([run,] stack)", "its functions: 'leaf;caller;root'; run is optional in a store of one run"},
    {"func_of([run,] stack)", "function of its innermost frame"},
    {"root_of([run,] stack)", "function of its root, where the goroutine began"},
    {"percentile(x, p)", "aggregate: the p-th percentile, 0 to 100, by nearest rank"},
    {"median(x), p50(x), p90(x), p95(x), p99(x)", "aggregates: the same for a fixed p"},
    {"regexp(pattern, text)", "1 if the pattern (RE2's syntax) matches; also text REGEXP pattern"},
    {NULL, NULL},
};
