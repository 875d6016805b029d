/* The packed tables of a run: what they hold, column by column.
 *
 * One table of facts serves the writer (timeline/), the codec and the virtual tables (store/), the
 * reports (libreport/) and tprof-store(5). A packed table is a sequence of rows of int64 columns;
 * the kind of a column says what the number means and how SQL shows it:
 *
 *   INT    a number                      NS     ns since the run began (run.start_ns)
 *   DUR    a duration in ns              BYTES  bytes
 *   STR    dictionary string, shown as text       STACK  dictionary stack, shown as its id
 *   G      goroutine index, shown as goroutine id  P, M   likewise for procs and threads
 *   STATE  enum tp_state, shown as text  BOOL   0 or 1
 *   FRAME, FUNC, LOC  dictionary ids, shown as numbers
 *
 * TP_NULL stands for SQL NULL in every column. In SQL every table has a leading column `run`, and
 * `row` (0, 1, … within the run, the order written). */
#ifndef TP_STORE_TABLES_H
#define TP_STORE_TABLES_H

#include <stdint.h>

#define TP_NULL INT64_MIN

/* T(TABLE, sql name, what a row is) and C(TABLE, column, KIND, meaning); columns of a table follow
 * it in order. The row number of `goroutine`, `proc` and `thread` is the index that events use. */
#define TP_TABLES(T, C)                                                                            \
	T(GOROUTINE, goroutine, "a goroutine, as Go's summary has it; times add up over the run")  \
	C(GOROUTINE, id, INT,                                                                      \
	  "what other tables refer to: goid; negative for all lives but the last")                 \
	C(GOROUTINE, name, STR, "entry function (root frame of its first stack)")                  \
	C(GOROUTINE, parent, G, "goroutine that created it")                                       \
	C(GOROUTINE, create_stack, STACK, "stack of the go statement (the creator's)")             \
	C(GOROUTINE, created_ns, NS, "first seen; the start of the run where it was there before") \
	C(GOROUTINE, started_ns, NS, "first ran; NULL if never")                                   \
	C(GOROUTINE, ended_ns, NS, "ended; NULL if not by the end of the run")                     \
	C(GOROUTINE, total_ns, DUR, "presence in the trace")                                       \
	C(GOROUTINE, running_ns, DUR, "executing on a P")                                          \
	C(GOROUTINE, runnable_ns, DUR,                                                             \
	  "waiting for a P (scheduling latency), and a call open at the end without one")          \
	C(GOROUTINE, blocked_ns, DUR, "blocked, all reasons; goroutine_block has them one by one") \
	C(GOROUTINE, syscall_ns, DUR, "in system calls with a P, and all of one open at the end")  \
	C(GOROUTINE, syscall_blocked_ns, DUR, "in system calls after the P was taken away")        \
	C(GOROUTINE, lost_ns, DUR, "of which a damaged trace says nothing")                        \
	C(GOROUTINE, spans, INT, "number of spans")                                                \
	C(GOROUTINE, last_state, STATE, "state when the run ended or it ended")                    \
	C(GOROUTINE, inferred, INT, "transitions that salvage put in")                             \
	C(GOROUTINE, goid, INT, "goroutine id as Go has it")                                       \
	C(GOROUTINE, life, INT,                                                                    \
	  "1, or which of the goroutines that had this goid one after the other")                  \
                                                                                                   \
	T(GOROUTINE_BLOCK, goroutine_block, "blocked time of a goroutine by reason")               \
	C(GOROUTINE_BLOCK, goroutine, G, "who")                                                    \
	C(GOROUTINE_BLOCK, reason, STR, "as Go spells it: chan receive, sync, …; \"\" unknown")    \
	C(GOROUTINE_BLOCK, count, INT, "times")                                                    \
	C(GOROUTINE_BLOCK, total_ns, DUR, "time blocked")                                          \
                                                                                                   \
	T(GOROUTINE_RANGE, goroutine_range, "time of a goroutine in ranges (overlaps its states)") \
	C(GOROUTINE_RANGE, goroutine, G, "who")                                                    \
	C(GOROUTINE_RANGE, name, STR, "GC mark assist, GC incremental sweep, stop-the-world (…)")  \
	C(GOROUTINE_RANGE, total_ns, DUR, "time")                                                  \
                                                                                                   \
	T(GOROUTINE_TIME, goroutine_time, "spans that begin and end in one segment, summed")       \
	C(GOROUTINE_TIME, segment, INT, "segment.id")                                              \
	C(GOROUTINE_TIME, goroutine, G, "who")                                                     \
	C(GOROUTINE_TIME, state, STATE, "in what state")                                           \
	C(GOROUTINE_TIME, reason, STR, "why blocked or stopped")                                   \
	C(GOROUTINE_TIME, stack, STACK, "see span.stack")                                          \
	C(GOROUTINE_TIME, count, INT, "spans")                                                     \
	C(GOROUTINE_TIME, total_ns, DUR, "their durations")                                        \
	C(GOROUTINE_TIME, max_ns, DUR, "the longest")                                              \
                                                                                                   \
	T(SITE, site, "spans of goroutines with one entry function, summed over a segment")        \
	C(SITE, segment, INT, "segment.id")                                                        \
	C(SITE, entry, STR, "entry function of the goroutines")                                    \
	C(SITE, state, STATE, "in what state")                                                     \
	C(SITE, reason, STR, "why blocked or stopped")                                             \
	C(SITE, stack, STACK, "see span.stack")                                                    \
	C(SITE, count, INT, "spans")                                                               \
	C(SITE, total_ns, DUR, "their durations")                                                  \
	C(SITE, min_ns, DUR, "the shortest")                                                       \
	C(SITE, max_ns, DUR, "the longest")                                                        \
                                                                                                   \
	T(SITE_HIST, site_hist, "durations of a site as a logarithmic histogram (base/hist.h)")    \
	C(SITE_HIST, site, INT, "site.row")                                                        \
	C(SITE_HIST, bucket, INT, "bucket number")                                                 \
	C(SITE_HIST, count, INT, "spans in it")                                                    \
                                                                                                   \
	T(SPAN_CROSSING, span_crossing, "spans that cross the start of a segment, each once")      \
	C(SPAN_CROSSING, goroutine, G, "who")                                                      \
	C(SPAN_CROSSING, state, STATE, "in what state")                                            \
	C(SPAN_CROSSING, start_ns, NS, "began")                                                    \
	C(SPAN_CROSSING, end_ns, NS, "ended, or the end of the run")                               \
	C(SPAN_CROSSING, reason, STR, "why blocked or stopped")                                    \
	C(SPAN_CROSSING, stack, STACK, "see span.stack")                                           \
	C(SPAN_CROSSING, m, M, "thread, where known")                                              \
	C(SPAN_CROSSING, p, P, "proc, where known")                                                \
	C(SPAN_CROSSING, waker, G, "see span.waker")                                               \
	C(SPAN_CROSSING, waker_stack, STACK, "see span.waker_stack")                               \
	C(SPAN_CROSSING, first_segment, INT, "segment it began in")                                \
	C(SPAN_CROSSING, last_segment, INT, "segment it ended in")                                 \
	C(SPAN_CROSSING, open, BOOL, "it had not ended when the run did")                          \
	C(SPAN_CROSSING, inferred, BOOL, "one of its ends was put in by salvage")                  \
                                                                                                   \
	T(PROC_TIME, proc_time, "time of a P by state, summed over a segment")                     \
	C(PROC_TIME, segment, INT, "segment.id")                                                   \
	C(PROC_TIME, p, P, "which P")                                                              \
	C(PROC_TIME, state, STATE, "Running or Idle")                                              \
	C(PROC_TIME, count, INT, "times")                                                          \
	C(PROC_TIME, total_ns, DUR, "time")                                                        \
                                                                                                   \
	T(PROC_SPAN, proc_span, "a time in which a P was in one state")                            \
	C(PROC_SPAN, p, P, "which P")                                                              \
	C(PROC_SPAN, state, STATE, "Running (held by a thread) or Idle")                           \
	C(PROC_SPAN, start_ns, NS, "began; the start of the run where it was so before")           \
	C(PROC_SPAN, end_ns, NS, "ended, or the end of the run")                                   \
	C(PROC_SPAN, m, M, "thread that held it, where known")                                     \
	C(PROC_SPAN, open, BOOL, "it had not ended when the run did")                              \
                                                                                                   \
	T(RANGE, range, "a stop of the world, GC mark phase, sweep or mark assist")                \
	C(RANGE, name, STR, "as Go's reader names it")                                             \
	C(RANGE, goroutine, G, "goroutine it belongs to or ran on; NULL for the GC mark phase")    \
	C(RANGE, p, P, "P it belongs to, where it belongs to one")                                 \
	C(RANGE, start_ns, NS, "began; the start of the run where it was active before")           \
	C(RANGE, end_ns, NS, "ended; the end of the run where it was still active")                \
	C(RANGE, complete, BOOL, "both ends are in the trace")                                     \
	C(RANGE, swept_bytes, BYTES, "sweeps: bytes swept")                                        \
	C(RANGE, reclaimed_bytes, BYTES, "sweeps: bytes reclaimed")                                \
	C(RANGE, stack, STACK, "stack at its beginning")                                           \
                                                                                                   \
	T(GC_WORK, gc_work,                                                                        \
	  "a time in which a P ran a mark assist or a background worker of the GC")                \
	C(GC_WORK, name, STR, "GC mark assist, GC (dedicated), GC (fractional), GC (idle)")        \
	C(GC_WORK, goroutine, G, "the one that is labelled; NULL for assists: see range")          \
	C(GC_WORK, p, P, "P it ran on")                                                            \
	C(GC_WORK, start_ns, NS, "began to run; the start of the run where it did so before")      \
	C(GC_WORK, told_ns, NS, "when the trace said what it does")                                \
	C(GC_WORK, end_ns, NS, "stopped, or the end of the run")                                   \
                                                                                                   \
	T(METRIC, metric, "a number of the whole program, when it changed")                        \
	C(METRIC, name, STR, "as Go's reader names it: /gc/heap/goal:bytes, …")                    \
	C(METRIC, ts_ns, NS, "when")                                                               \
	C(METRIC, value, INT, "from then on; the heap's size is not kept every time it changes")   \
                                                                                                   \
	T(TASK, task, "a user task (runtime/trace.NewTask)")                                       \
	C(TASK, id, INT, "task id")                                                                \
	C(TASK, parent, INT, "task id of its parent, 0 for none known")                            \
	C(TASK, name, STR, "its type")                                                             \
	C(TASK, start_ns, NS, "began; NULL if before the run")                                     \
	C(TASK, end_ns, NS, "ended; NULL if not by the end of the run")                            \
	C(TASK, goroutine, G, "goroutine that began it")                                           \
	C(TASK, stack, STACK, "stack at its beginning")                                            \
	C(TASK, regions, INT, "regions in it, as Go's summary counts them")                        \
	C(TASK, logs, INT, "logs in it")                                                           \
	C(TASK, goroutines, INT, "goroutines that worked for it")                                  \
                                                                                                   \
	T(REGION, region, "a user region (runtime/trace.StartRegion)")                             \
	C(REGION, name, STR, "its type; \"\" for one inherited from the creator's task")           \
	C(REGION, task, INT, "task id, 0 for the background task")                                 \
	C(REGION, goroutine, G, "who")                                                             \
	C(REGION, start_ns, NS, "began; NULL if before the run")                                   \
	C(REGION, end_ns, NS, "ended; NULL if not by the end of the run or goroutine")             \
	C(REGION, running_ns, DUR, "executing while in it")                                        \
	C(REGION, runnable_ns, DUR, "waiting for a P while in it")                                 \
	C(REGION, blocked_ns, DUR, "blocked while in it")                                          \
	C(REGION, syscall_ns, DUR, "in system calls with a P while in it")                         \
	C(REGION, syscall_blocked_ns, DUR, "in system calls without a P while in it")              \
	C(REGION, stack, STACK, "stack at its beginning")                                          \
                                                                                                   \
	T(LOG, log, "a user log message (runtime/trace.Log)")                                      \
	C(LOG, ts_ns, NS, "when")                                                                  \
	C(LOG, goroutine, G, "who")                                                                \
	C(LOG, task, INT, "task id, 0 for the background task")                                    \
	C(LOG, category, STR, "its category")                                                      \
	C(LOG, message, STR, "its text")                                                           \
	C(LOG, stack, STACK, "where")                                                              \
                                                                                                   \
	T(CPU_SAMPLE, cpu_sample, "a sample of the CPU profiler, where the trace holds them")      \
	C(CPU_SAMPLE, ts_ns, NS, "when")                                                           \
	C(CPU_SAMPLE, goroutine, G, "running goroutine, NULL for none")                            \
	C(CPU_SAMPLE, m, M, "thread, where known")                                                 \
	C(CPU_SAMPLE, p, P, "proc, where known")                                                   \
	C(CPU_SAMPLE, stack, STACK, "where")                                                       \
                                                                                                   \
	T(PROC, proc, "a P (processor of the Go scheduler)")                                       \
	C(PROC, id, INT, "its number; negative for pseudo Ps of old traces")                       \
	T(THREAD, thread, "an M (operating system thread)")                                        \
	C(THREAD, id, INT, "its id")                                                               \
                                                                                                   \
	T(PROFILE, profile, "what a profile says about itself; one row")                           \
	C(PROFILE, period_type, STR, "what was counted between two samples")                       \
	C(PROFILE, period_unit, STR, "in what unit")                                               \
	C(PROFILE, period, INT, "how many of them between two samples")                            \
	C(PROFILE, time_ns, INT, "Unix time of collection; NULL unknown")                          \
	C(PROFILE, duration_ns, DUR, "time covered; 0 unknown")                                    \
	C(PROFILE, default_type, STR, "sample type to show first, if it says so")                  \
	C(PROFILE, drop_frames, STR,                                                               \
	  "regular expression: frames to leave out, with all they call")                           \
	C(PROFILE, keep_frames, STR, "regular expression: frames to keep nevertheless")            \
	C(PROFILE, doc_url, STR, "documentation of it")                                            \
	T(SAMPLE_TYPE, sample_type, "a kind of value that a profile holds for every bucket")       \
	C(SAMPLE_TYPE, type, STR, "such as inuse_space")                                           \
	C(SAMPLE_TYPE, unit, STR, "such as bytes")                                                 \
	T(MAPPING, mapping,                                                                        \
	  "a file mapped into the program's memory; location.mapping is row + 1")                  \
	C(MAPPING, start_address, INT, "first address (two's complement: format with %x)")         \
	C(MAPPING, end_address, INT, "address behind the last")                                    \
	C(MAPPING, file_offset, INT, "place in the file of the first address")                     \
	C(MAPPING, file, STR, "name of the file")                                                  \
	C(MAPPING, build_id, STR, "its build id")                                                  \
	C(MAPPING, flags, INT, "1 functions, 2 file names, 4 lines, 8 inlined calls are known")    \
	T(BUCKET, bucket, "a sample of a profile: a stack and labels with values, as in the dump") \
	C(BUCKET, stack, STACK, "where; stack.row")                                                \
	C(BUCKET, labels, INT, "bucket_label.labels; 0 for none")                                  \
	T(BUCKET_VALUE, bucket_value, "a value of a bucket; by type, then bucket")                 \
	C(BUCKET_VALUE, type, INT, "sample_type.row")                                              \
	C(BUCKET_VALUE, bucket, INT, "bucket.row")                                                 \
	C(BUCKET_VALUE, value, INT, "in the unit of the type")                                     \
	T(BUCKET_LABEL, bucket_label, "a label of the buckets with this set of labels")            \
	C(BUCKET_LABEL, labels, INT, "bucket.labels")                                              \
	C(BUCKET_LABEL, key, STR, "its name")                                                      \
	C(BUCKET_LABEL, text, STR, "its value, where it is text")                                  \
	C(BUCKET_LABEL, number, INT, "its value, where it is a number")                            \
	C(BUCKET_LABEL, unit, STR, "unit of the number")                                           \
	T(COUNTER, counter, "a number of the whole program that came with a profile")              \
	C(COUNTER, name, STR, "as runtime.MemStats names it")                                      \
	C(COUNTER, item, INT, "place in a list of numbers, from 0; NULL where it is none")         \
	C(COUNTER, value, INT, "the number; 0 for a fraction")                                     \
	C(COUNTER, text, STR, "as written")                                                        \
	T(COMMENT, comment, "a comment of a profile")                                              \
	C(COMMENT, text, STR, "as written")                                                        \
                                                                                                   \
	T(FUNCTION, function, "a function of the run's dictionary; row is its id")                 \
	C(FUNCTION, name, STR, "name")                                                             \
	C(FUNCTION, system_name, STR, "name as the linker knows it")                               \
	C(FUNCTION, file, STR, "source file")                                                      \
	C(FUNCTION, start_line, INT, "line of its definition, 0 unknown")                          \
	T(LOCATION, location, "a code address; row is its id")                                     \
	C(LOCATION, address, INT, "address (two's complement: format with %x)")                    \
	C(LOCATION, mapping, INT, "mapping number, 0 for none")                                    \
	C(LOCATION, flags, INT, "for profiles")                                                    \
	T(FRAME, frame, "a line of code in a function at an address; row is its id")               \
	C(FRAME, function, FUNC, "function.row")                                                   \
	C(FRAME, location, LOC, "location.row")                                                    \
	C(FRAME, line, INT, "line, 0 unknown")                                                     \
	C(FRAME, column, INT, "column, 0 unknown")                                                 \
	C(FRAME, inlined, BOOL, "inlined into the next frame towards the root")                    \
	T(STACK, stack, "a node of the prefix tree of stacks; row is its id; 0 is the empty one")  \
	C(STACK, parent, STACK, "the caller's node")                                               \
	C(STACK, frame, FRAME, "frame.row")                                                        \
	C(STACK, depth, INT, "frames up to the root")

enum tp_column_kind {
	TP_COL_INT,
	TP_COL_NS,
	TP_COL_DUR,
	TP_COL_BYTES,
	TP_COL_STR,
	TP_COL_STACK,
	TP_COL_G,
	TP_COL_P,
	TP_COL_M,
	TP_COL_STATE,
	TP_COL_BOOL,
	TP_COL_FRAME,
	TP_COL_FUNC,
	TP_COL_LOC,
};

enum tp_table_id {
#define TP_T(TABLE, name, doc) TP_TABLE_##TABLE,
#define TP_C(TABLE, column, kind, doc)
	TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
	    TP_NTABLES
};

/* Column numbers: TP_GOROUTINE_id … ; numbered over all tables, so subtract tp_tables[t].first —
 * or use TP_COL(GOROUTINE, id), which is the position within its table. */
enum {
#define TP_T(TABLE, name, doc)	       TP_FIRST_##TABLE, TP_BEFORE_##TABLE = TP_FIRST_##TABLE - 1,
#define TP_C(TABLE, column, kind, doc) TP_##TABLE##_##column,
	TP_TABLES(TP_T, TP_C)
#undef TP_T
#undef TP_C
	    TP_COLUMNS_END
};
#define TP_COL(TABLE, column) (TP_##TABLE##_##column - TP_FIRST_##TABLE)

#define TP_MAX_COLUMNS 24

struct tp_column_desc {
	const char *name;
	enum tp_column_kind kind;
	const char *doc;
};

struct tp_table_desc {
	const char *name;
	const char *doc;
	const struct tp_column_desc *columns;
	unsigned ncolumns;
};

/* Indexed by enum tp_table_id. */
extern const struct tp_table_desc tp_tables[TP_NTABLES];

#endif
