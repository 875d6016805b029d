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
	T(GOROUTINE, goroutine,                                                                    \
	  "a goroutine, with its times added up over the run as in Go's summary")                  \
	C(GOROUTINE, id, INT,                                                                      \
	  "key for other tables: its goid; negative for every life but the last")                  \
	C(GOROUTINE, name, STR, "entry function: the root frame of its first stack")               \
	C(GOROUTINE, parent, G, "goroutine that created it")                                       \
	C(GOROUTINE, create_stack, STACK, "stack of the go statement that created it")             \
	C(GOROUTINE, created_ns, NS, "created; the start of the run if it existed before")         \
	C(GOROUTINE, started_ns, NS, "first ran; NULL if it did not run")                          \
	C(GOROUTINE, ended_ns, NS, "ended; NULL if it had not ended when the run did")             \
	C(GOROUTINE, total_ns, DUR, "from its creation to its end, as far as the trace covers it") \
	C(GOROUTINE, running_ns, DUR, "running on a P")                                            \
	C(GOROUTINE, runnable_ns, DUR,                                                             \
	  "runnable: waiting for a P; also a system call without a P that is open at the end")     \
	C(GOROUTINE, blocked_ns, DUR, "blocked for any reason; goroutine_block has each reason")   \
	C(GOROUTINE, syscall_ns, DUR,                                                              \
	  "in system calls while it kept its P; also all of one that is open at the end")          \
	C(GOROUTINE, syscall_blocked_ns, DUR, "in system calls after its P was taken away")        \
	C(GOROUTINE, lost_ns, DUR, "unknown because the trace is damaged")                         \
	C(GOROUTINE, spans, INT, "number of spans")                                                \
	C(GOROUTINE, last_state, STATE, "state at its end or at the end of the run")               \
	C(GOROUTINE, inferred, INT,                                                                \
	  "transitions that were added to make sense of a damaged trace")                          \
	C(GOROUTINE, goid, INT, "Go's goroutine id")                                               \
	C(GOROUTINE, life, INT,                                                                    \
	  "1, 2, …: counts the goroutines that had this goid one after the other")                 \
                                                                                                   \
	T(GOROUTINE_BLOCK, goroutine_block, "blocked time of a goroutine by reason")               \
	C(GOROUTINE_BLOCK, goroutine, G, "the goroutine")                                          \
	C(GOROUTINE_BLOCK, reason, STR, "in Go's words: chan receive, sync, …; \"\" if unknown")   \
	C(GOROUTINE_BLOCK, count, INT, "how many times it blocked")                                \
	C(GOROUTINE_BLOCK, total_ns, DUR, "time blocked")                                          \
                                                                                                   \
	T(GOROUTINE_RANGE, goroutine_range, "time of a goroutine in ranges, whatever its state")   \
	C(GOROUTINE_RANGE, goroutine, G, "the goroutine")                                          \
	C(GOROUTINE_RANGE, name, STR, "GC mark assist, GC incremental sweep, stop-the-world (…)")  \
	C(GOROUTINE_RANGE, total_ns, DUR, "time in them")                                          \
                                                                                                   \
	T(GOROUTINE_TIME, goroutine_time,                                                          \
	  "sums of the spans that begin and end in the same segment")                              \
	C(GOROUTINE_TIME, segment, INT, "segment.id")                                              \
	C(GOROUTINE_TIME, goroutine, G, "the goroutine")                                           \
	C(GOROUTINE_TIME, state, STATE, "state of the goroutine")                                  \
	C(GOROUTINE_TIME, reason, STR, "why it was blocked or stopped")                            \
	C(GOROUTINE_TIME, stack, STACK, "see span.stack")                                          \
	C(GOROUTINE_TIME, count, INT, "spans")                                                     \
	C(GOROUTINE_TIME, total_ns, DUR, "sum of their durations")                                 \
	C(GOROUTINE_TIME, max_ns, DUR, "duration of the longest")                                  \
                                                                                                   \
	T(SITE, site, "sums of the spans of goroutines with the same entry function, by segment")  \
	C(SITE, segment, INT, "segment.id")                                                        \
	C(SITE, entry, STR, "entry function of the goroutines")                                    \
	C(SITE, state, STATE, "state of the goroutine")                                            \
	C(SITE, reason, STR, "why it was blocked or stopped")                                      \
	C(SITE, stack, STACK, "see span.stack")                                                    \
	C(SITE, count, INT, "spans")                                                               \
	C(SITE, total_ns, DUR, "sum of their durations")                                           \
	C(SITE, min_ns, DUR, "duration of the shortest")                                           \
	C(SITE, max_ns, DUR, "duration of the longest")                                            \
                                                                                                   \
	T(SITE_HIST, site_hist, "durations of a site's spans as a logarithmic histogram")          \
	C(SITE_HIST, site, INT, "site.row")                                                        \
	C(SITE_HIST, bucket, INT, "bucket number")                                                 \
	C(SITE_HIST, count, INT, "spans in the bucket")                                            \
                                                                                                   \
	T(SPAN_CROSSING, span_crossing, "spans that begin in one segment and end in a later one")  \
	C(SPAN_CROSSING, goroutine, G, "the goroutine")                                            \
	C(SPAN_CROSSING, state, STATE, "state of the goroutine")                                   \
	C(SPAN_CROSSING, start_ns, NS, "start")                                                    \
	C(SPAN_CROSSING, end_ns, NS, "end; the end of the run if it is open")                      \
	C(SPAN_CROSSING, reason, STR, "why it was blocked or stopped")                             \
	C(SPAN_CROSSING, stack, STACK, "see span.stack")                                           \
	C(SPAN_CROSSING, m, M, "thread, if known")                                                 \
	C(SPAN_CROSSING, p, P, "P, if known")                                                      \
	C(SPAN_CROSSING, waker, G, "see span.waker")                                               \
	C(SPAN_CROSSING, waker_stack, STACK, "see span.waker_stack")                               \
	C(SPAN_CROSSING, first_segment, INT, "segment in which it begins")                         \
	C(SPAN_CROSSING, last_segment, INT, "segment in which it ends")                            \
	C(SPAN_CROSSING, open, BOOL, "1: it had not ended when the run did")                       \
	C(SPAN_CROSSING, inferred, BOOL,                                                           \
	  "1: its start or end was added to make sense of a damaged trace")                        \
                                                                                                   \
	T(PROC_TIME, proc_time, "time of a P by state and segment")                                \
	C(PROC_TIME, segment, INT, "segment.id")                                                   \
	C(PROC_TIME, p, P, "the P")                                                                \
	C(PROC_TIME, state, STATE, "Running or Idle")                                              \
	C(PROC_TIME, count, INT, "how many times it was in this state")                            \
	C(PROC_TIME, total_ns, DUR, "sum of these times")                                          \
                                                                                                   \
	T(PROC_SPAN, proc_span, "the time that a P spent in one state without a break")            \
	C(PROC_SPAN, p, P, "the P")                                                                \
	C(PROC_SPAN, state, STATE, "Running (a thread holds it) or Idle")                          \
	C(PROC_SPAN, start_ns, NS, "start; the start of the run if the state is older")            \
	C(PROC_SPAN, end_ns, NS, "end; the end of the run if it is open")                          \
	C(PROC_SPAN, m, M, "thread that held it, if known")                                        \
	C(PROC_SPAN, open, BOOL, "1: it had not ended when the run did")                           \
                                                                                                   \
	T(RANGE, range, "a stop-the-world, GC mark phase, sweep or mark assist")                   \
	C(RANGE, name, STR, "name in Go's reader")                                                 \
	C(RANGE, goroutine, G, "goroutine that it ran on; NULL for the GC mark phase")             \
	C(RANGE, p, P, "P that it belongs to, if any")                                             \
	C(RANGE, start_ns, NS, "start; the start of the run if it was active before")              \
	C(RANGE, end_ns, NS, "end; the end of the run if it was still active")                     \
	C(RANGE, complete, BOOL, "1: its start and its end are in the trace")                      \
	C(RANGE, swept_bytes, BYTES, "bytes swept, for sweeps")                                    \
	C(RANGE, reclaimed_bytes, BYTES, "bytes reclaimed, for sweeps")                            \
	C(RANGE, stack, STACK, "stack where it begins")                                            \
                                                                                                   \
	T(GC_WORK, gc_work,                                                                        \
	  "the time that a P ran a mark assist or a background worker of the GC")                  \
	C(GC_WORK, name, STR, "GC mark assist, GC (dedicated), GC (fractional), GC (idle)")        \
	C(GC_WORK, goroutine, G,                                                                   \
	  "the worker; NULL for mark assists, whose goroutines are in range")                      \
	C(GC_WORK, p, P, "P that it ran on")                                                       \
	C(GC_WORK, start_ns, NS, "start; the start of the run if it ran before")                   \
	C(GC_WORK, told_ns, NS, "when the trace says which of these it is")                        \
	C(GC_WORK, end_ns, NS, "end; the end of the run if it was still running")                  \
                                                                                                   \
	T(METRIC, metric, "a metric of the whole program, at each of its changes")                 \
	C(METRIC, name, STR, "name in Go's reader: /gc/heap/goal:bytes, …")                        \
	C(METRIC, ts_ns, NS, "time")                                                               \
	C(METRIC, value, INT, "value from then on; not every change of the heap's size is stored") \
                                                                                                   \
	T(TASK, task, "a user task (runtime/trace.NewTask)")                                       \
	C(TASK, id, INT, "task id")                                                                \
	C(TASK, parent, INT, "task id of its parent; 0 if unknown")                                \
	C(TASK, name, STR, "type, as given to NewTask")                                            \
	C(TASK, start_ns, NS, "start; NULL if before the run")                                     \
	C(TASK, end_ns, NS, "ended; NULL if it had not ended when the run did")                    \
	C(TASK, goroutine, G, "goroutine that began it")                                           \
	C(TASK, stack, STACK, "stack where it begins")                                             \
	C(TASK, regions, INT, "its regions, counted as in Go's summary")                           \
	C(TASK, logs, INT, "its log messages")                                                     \
	C(TASK, goroutines, INT, "goroutines that worked on it")                                   \
                                                                                                   \
	T(REGION, region, "a user region (runtime/trace.StartRegion)")                             \
	C(REGION, name, STR,                                                                       \
	  "type; \"\" if it was inherited from the task of the goroutine's creator")               \
	C(REGION, task, INT, "task id; 0 for the background task")                                 \
	C(REGION, goroutine, G, "the goroutine")                                                   \
	C(REGION, start_ns, NS, "start; NULL if before the run")                                   \
	C(REGION, end_ns, NS, "end; NULL if it had not ended when the run or its goroutine did")   \
	C(REGION, running_ns, DUR, "time that its goroutine was running")                          \
	C(REGION, runnable_ns, DUR, "time that its goroutine waited for a P")                      \
	C(REGION, blocked_ns, DUR, "time that its goroutine was blocked")                          \
	C(REGION, syscall_ns, DUR, "time that its goroutine was in system calls with a P")         \
	C(REGION, syscall_blocked_ns, DUR,                                                         \
	  "time that its goroutine was in system calls without a P")                               \
	C(REGION, stack, STACK, "stack where it begins")                                           \
                                                                                                   \
	T(LOG, log, "a user log message (runtime/trace.Log)")                                      \
	C(LOG, ts_ns, NS, "time")                                                                  \
	C(LOG, goroutine, G, "the goroutine")                                                      \
	C(LOG, task, INT, "task id; 0 for the background task")                                    \
	C(LOG, category, STR, "category")                                                          \
	C(LOG, message, STR, "text of the message")                                                \
	C(LOG, stack, STACK, "stack")                                                              \
                                                                                                   \
	T(CPU_SAMPLE, cpu_sample, "a sample of the CPU profiler in a trace")                       \
	C(CPU_SAMPLE, ts_ns, NS, "time")                                                           \
	C(CPU_SAMPLE, goroutine, G, "running goroutine; NULL if none")                             \
	C(CPU_SAMPLE, m, M, "thread, if known")                                                    \
	C(CPU_SAMPLE, p, P, "P, if known")                                                         \
	C(CPU_SAMPLE, stack, STACK, "stack")                                                       \
                                                                                                   \
	T(PROC, proc, "a P: a processor of Go's scheduler")                                        \
	C(PROC, id, INT, "number; negative for pseudo Ps of old traces")                           \
	T(THREAD, thread, "an M: a thread of the operating system")                                \
	C(THREAD, id, INT, "id")                                                                   \
                                                                                                   \
	T(PROFILE, profile, "properties of a profile; one row")                                    \
	C(PROFILE, period_type, STR, "type of what is counted between two samples")                \
	C(PROFILE, period_unit, STR, "unit of what is counted")                                    \
	C(PROFILE, period, INT, "how much of it lies between two samples")                         \
	C(PROFILE, time_ns, INT, "Unix time at which it was taken; NULL if unknown")               \
	C(PROFILE, duration_ns, DUR, "time that it covers; 0 if unknown")                          \
	C(PROFILE, default_type, STR, "sample type to show by default, if it names one")           \
	C(PROFILE, drop_frames, STR,                                                               \
	  "regular expression: frames to drop, with all that they call")                           \
	C(PROFILE, keep_frames, STR,                                                               \
	  "regular expression: frames to keep although drop_frames matches")                       \
	C(PROFILE, doc_url, STR, "URL of its documentation")                                       \
	T(SAMPLE_TYPE, sample_type,                                                                \
	  "a type of value; a profile has one of each type for every bucket")                      \
	C(SAMPLE_TYPE, type, STR, "such as inuse_space")                                           \
	C(SAMPLE_TYPE, unit, STR, "such as bytes")                                                 \
	T(MAPPING, mapping,                                                                        \
	  "a file mapped into the program's memory; location.mapping is row + 1")                  \
	C(MAPPING, start_address, INT, "first address (two's complement: format with %x)")         \
	C(MAPPING, end_address, INT, "first address behind it")                                    \
	C(MAPPING, file_offset, INT, "offset in the file of the first address")                    \
	C(MAPPING, file, STR, "name of the file")                                                  \
	C(MAPPING, build_id, STR, "build id")                                                      \
	C(MAPPING, flags, INT,                                                                     \
	  "sum of 1 functions, 2 file names, 4 lines, 8 inlined calls are known")                  \
	T(BUCKET, bucket,                                                                          \
	  "a sample of a profile, as in the dump: a stack and labels; values are in bucket_value") \
	C(BUCKET, stack, STACK, "stack.row")                                                       \
	C(BUCKET, labels, INT, "bucket_label.labels; 0 if it has none")                            \
	T(BUCKET_VALUE, bucket_value, "a value of a bucket; rows come by type, then by bucket")    \
	C(BUCKET_VALUE, type, INT, "sample_type.row")                                              \
	C(BUCKET_VALUE, bucket, INT, "bucket.row")                                                 \
	C(BUCKET_VALUE, value, INT, "value, in the unit of its type")                              \
	T(BUCKET_LABEL, bucket_label, "a label in a set of labels, which buckets refer to")        \
	C(BUCKET_LABEL, labels, INT, "number of the set; bucket.labels")                           \
	C(BUCKET_LABEL, key, STR, "key of the label")                                              \
	C(BUCKET_LABEL, text, STR, "value, if it is text")                                         \
	C(BUCKET_LABEL, number, INT, "value, if it is a number")                                   \
	C(BUCKET_LABEL, unit, STR, "unit of the number")                                           \
	T(COUNTER, counter, "a number about the whole program that came with a profile")           \
	C(COUNTER, name, STR, "name in runtime.MemStats")                                          \
	C(COUNTER, item, INT,                                                                      \
	  "position in a list of numbers, from 0; NULL if it is not in a list")                    \
	C(COUNTER, value, INT, "the number; 0 if it is not an integer")                            \
	C(COUNTER, text, STR, "text as written in the dump")                                       \
	T(COMMENT, comment, "a comment of a profile")                                              \
	C(COMMENT, text, STR, "text as written in the dump")                                       \
                                                                                                   \
	T(FUNCTION, function, "a function; row is its id")                                         \
	C(FUNCTION, name, STR, "name")                                                             \
	C(FUNCTION, system_name, STR, "name known to the linker")                                  \
	C(FUNCTION, file, STR, "source file")                                                      \
	C(FUNCTION, start_line, INT, "line of its definition; 0 if unknown")                       \
	T(LOCATION, location, "a code address; row is its id")                                     \
	C(LOCATION, address, INT, "address (two's complement: format with %x)")                    \
	C(LOCATION, mapping, INT, "mapping.row + 1; 0 if none")                                    \
	C(LOCATION, flags, INT, "internal, of profiles")                                           \
	T(FRAME, frame, "a frame of stacks: a line of a function at an address; row is its id")    \
	C(FRAME, function, FUNC, "function.row")                                                   \
	C(FRAME, location, LOC, "location.row")                                                    \
	C(FRAME, line, INT, "line; 0 if unknown")                                                  \
	C(FRAME, column, INT, "column; 0 if unknown")                                              \
	C(FRAME, inlined, BOOL, "1: inlined into its caller")                                      \
	T(STACK, stack,                                                                            \
	  "a stack: a frame and the stack of its callers; row is its id, 0 for the empty stack")   \
	C(STACK, parent, STACK, "stack.row of its callers")                                        \
	C(STACK, frame, FRAME, "frame.row")                                                        \
	C(STACK, depth, INT, "number of frames")

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
