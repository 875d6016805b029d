/* The virtual tables of a store: names, types and meanings of their columns.
 *
 * The packed tables of store/tables.h come first, under their enum tp_table_id; `event`, `span` and
 * `string` follow. Every table begins with the column `run`, every packed table goes on with
 * `row`, the position in the run. */
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
	E(ts_ns, INTEGER, "when, ns since the run began")                                           \
	E(type, TEXT, "type on the wire: GoCreate, GoBlock, ProcStart, …")                          \
	E(kind, TEXT, "kind as Go's reader names it: StateTransition, RangeBegin, Metric, …")       \
	E(goroutine, INTEGER, "id of the goroutine it happened on, NULL for none")                  \
	E(m, INTEGER, "id of the thread it happened on")                                            \
	E(p, INTEGER, "number of the proc it happened on")                                          \
	E(subject_kind, TEXT, "'G' or 'P': what subject is; NULL for none")                         \
	E(subject, INTEGER, "id of the goroutine or proc whose state changes or range it is")       \
	E(from_state, TEXT, "transitions: state before")                                            \
	E(to_state, TEXT, "transitions: state after")                                               \
	E(text, TEXT, "reason, name, type, label or category, as the event has one")                \
	E(text2, TEXT, "message of a user log")                                                     \
	E(stack, INTEGER, "stack.row of the event's stack, 0 for none")                             \
	E(stack2, INTEGER, "GoCreate: stack.row of the new goroutine")                              \
	E(arg0, INTEGER, "first number of the event: value of a metric, task id, bytes swept, …")   \
	E(arg1, INTEGER, "second number: parent task, bytes reclaimed, …")                          \
	E(arg2, INTEGER, "third number")                                                            \
	E(inferred, INTEGER, "1: salvage put it in, it is not in the dump")                         \
	E(lost, INTEGER, "1: what precedes it on its thread or of its subject is lost")

#define TP_SQL_SPAN_COLUMNS(E)                                                                      \
	E(run, INTEGER, "run.id")                                                                   \
	E(goroutine, INTEGER, "goroutine id")                                                       \
	E(state, TEXT, "Running, Runnable, Waiting, Syscall, SyscallBlocked, …")                    \
	E(start_ns, INTEGER, "began, ns since the run began")                                       \
	E(end_ns, INTEGER, "ended, or the end of the run")                                          \
	E(dur_ns, INTEGER, "end_ns - start_ns")                                                     \
	E(reason, TEXT, "Waiting: why blocked; Runnable: why stopped; '' for none")                 \
	E(stack, INTEGER, "stack.row: where it blocked, entered a call or was made runnable; 0: none")  \
	E(m, INTEGER, "id of the thread it ran on")                                                 \
	E(p, INTEGER, "number of the proc it ran on")                                               \
	E(waker, INTEGER, "goroutine that made it runnable, NULL for none; who ended a wait: tprof-path(1)")   \
	E(waker_stack, INTEGER, "stack.row of the waker then")                                      \
	E(inferred, INTEGER, "1: one of its ends was put in by salvage")                            \
	E(open, INTEGER, "1: it had not ended when the run did")

#define TP_SQL_STRING_COLUMNS(E)                                                                    \
	E(run, INTEGER, "run.id")                                                                   \
	E(id, INTEGER, "string id within the run; 0 is the empty one")                              \
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

/* Name, meaning and number of columns of table 0 … TP_SQL_NTABLES-1. */
const char *tp_sql_table_name(unsigned table);
const char *tp_sql_table_doc(unsigned table);
unsigned tp_sql_table_columns(unsigned table);
struct tp_sql_column tp_sql_column_at(unsigned table, unsigned column);

/* Functions: "fmt_ns(ns)" and what it gives; NULL behind the last. */
struct tp_sql_function {
	const char *call, *doc;
};
extern const struct tp_sql_function tp_sql_functions[];

#endif
