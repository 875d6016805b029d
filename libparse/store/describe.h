/* The virtual tables of a store: names, types and meanings of their columns.
 *
 * The packed tables of store/tables.h come first, numbered as in enum tp_table_id; `event`, `span` and `string`
 * follow. The first column of every table is `run`, the second of every packed table is `row`, the position in
 * the run. */
#ifndef TP_STORE_DESCRIBE_H
#define TP_STORE_DESCRIBE_H

#include "store/tables.h"

enum { TP_SQL_EVENT = TP_NTABLES, TP_SQL_SPAN, TP_SQL_STRING, TP_SQL_NTABLES };

struct tp_sql_column {
	const char *name;
	const char *type; /* "INTEGER" or "TEXT" */
	const char *doc;
};

/* E(column, TYPE, meaning): the columns of `event`. */
/* clang-format off */
#define TP_SQL_EVENT_COLUMNS(E)                                                                     \
	E(run, INTEGER, "run.id")                                                                   \
	E(seq, INTEGER, "position of the event within the run, from 0")                             \
	E(ts_ns, INTEGER, "time in ns since the run began")                                           \
	E(type, TEXT, "type in the trace format: GoCreate, GoBlock, ProcStart, …")                          \
	E(kind, TEXT, "kind in Go's reader: StateTransition, RangeBegin, Metric, …")       \
	E(goroutine, INTEGER, "id of the goroutine it happened on; NULL if none")                  \
	E(m, INTEGER, "id of the thread it happened on")                                            \
	E(p, INTEGER, "number of the P it happened on")                                          \
	E(subject_kind, TEXT, "'G' or 'P': what the subject is; NULL if none")                         \
	E(subject, INTEGER, "id of the goroutine or P that changes its state or has the range")       \
	E(from_state, TEXT, "state before, if it is a transition")                                            \
	E(to_state, TEXT, "state after, if it is a transition")                                               \
	E(text, TEXT, "reason, name, type, label or category, depending on the type")                \
	E(text2, TEXT, "message of a user log")                                                     \
	E(stack, INTEGER, "stack.row of the event's stack; 0 if none")                             \
	E(stack2, INTEGER, "stack.row of the new goroutine, if it is a GoCreate")                              \
	E(arg0, INTEGER, "first number: value of a metric, task id, bytes swept, …")   \
	E(arg1, INTEGER, "second number: parent task, bytes reclaimed, …")                          \
	E(arg2, INTEGER, "third number")                                                            \
	E(inferred, INTEGER, "1: not in the dump; added to make sense of a damaged trace")                         \
	E(lost, INTEGER, "1: earlier events of its thread, or of its subject, are lost")

#define TP_SQL_SPAN_COLUMNS(E)                                                                      \
	E(run, INTEGER, "run.id")                                                                   \
	E(goroutine, INTEGER, "goroutine id")                                                       \
	E(state, TEXT, "Running, Runnable, Waiting, Syscall, SyscallBlocked, …")                    \
	E(start_ns, INTEGER, "start, in ns since the run began")                                       \
	E(end_ns, INTEGER, "end; the end of the run if it is open")                                          \
	E(dur_ns, INTEGER, "end_ns - start_ns")                                                     \
	E(reason, TEXT, "why it blocked, if Waiting, or stopped, if Runnable; '' if none")                 \
	E(stack, INTEGER, "stack.row where it blocked, entered a call or was made runnable; 0 if none")  \
	E(m, INTEGER, "id of the thread it ran on")                                                 \
	E(p, INTEGER, "number of the P it ran on")                                               \
	E(waker, INTEGER, "goroutine that made it runnable; NULL if none; tprof-path(1) has the wakers of waits")   \
	E(waker_stack, INTEGER, "stack.row of the waker at that time")                                      \
	E(inferred, INTEGER, "1: its start or end was added to make sense of a damaged trace")                            \
	E(open, INTEGER, "1: it had not ended when the run did")

#define TP_SQL_STRING_COLUMNS(E)                                                                    \
	E(run, INTEGER, "run.id")                                                                   \
	E(id, INTEGER, "id of the string within the run; 0 for the empty string")                              \
	E(text, TEXT, "the string")
/* clang-format on */

/* Column numbers: TP_SQL_EVENT_run, … */
#define TP_E(column, type, doc) TP_SQL_EVENT_##column,
enum { TP_SQL_EVENT_COLUMNS(TP_E) TP_SQL_EVENT_NCOLUMNS };
#undef TP_E
#define TP_E(column, type, doc) TP_SQL_SPAN_##column,
enum { TP_SQL_SPAN_COLUMNS(TP_E) TP_SQL_SPAN_NCOLUMNS };
#undef TP_E
#define TP_E(column, type, doc) TP_SQL_STRING_##column,
enum { TP_SQL_STRING_COLUMNS(TP_E) TP_SQL_STRING_NCOLUMNS };
#undef TP_E

/* Return the name, the meaning and the number of columns of table 0 … TP_SQL_NTABLES-1. */
const char *tp_sql_table_name(unsigned table);
const char *tp_sql_table_doc(unsigned table);
unsigned tp_sql_table_columns(unsigned table);
struct tp_sql_column tp_sql_column_at(unsigned table, unsigned column);

/* The SQL functions: "fmt_ns(ns)" and what it returns. The last has NULL for both. */
struct tp_sql_function {
	const char *call, *doc;
};
extern const struct tp_sql_function tp_sql_functions[];

#endif
