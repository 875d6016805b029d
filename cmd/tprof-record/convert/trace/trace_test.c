/* Stories: what a few records become in each format, event by event, as a strict reader delivers
 * them; and the symbols that lie beside a trace of go 1.5. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "order/read.h"
#include "symbol/sidecar.h"
#include "tprof-record/convert/testing.h"
#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/convert/trace/trace.h"

#define S 1000000000u /* the clock when the process begins */

struct found {
	struct tp_trace trace;
	struct tp_buf text;
};

static void say(struct tp_buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct tp_buf *out, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < sizeof(text));
	assert_int_equal(tp_buf_put(out, text, (size_t)n), 0);
}

static const char *text_of(const struct found *f, uint32_t string)
{
	return tp_dict_text(f->trace.dict, string).text;
}

/* "12 p0 g1 GoBlock g1 sync": µs since the beginning; where it happened; what, to whom. The name
 * of a goroutine that is new stands in brackets. */
static int tell(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct found *f = ctx;
	const struct tp_trace *t = &f->trace;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		const struct tp_event *e = &ev[i];
		const struct tp_event_desc *d = &tp_event_descs[e->type];

		if (e->type == TP_EV_SYNC)
			continue;
		say(&f->text, "%" PRId64, (e->ts - (int64_t)t->first_ts) / 1000);
		if (e->p != TP_NONE && t->p_id[e->p] >= 0)
			say(&f->text, " p%" PRId64, t->p_id[e->p]);
		if (e->g != TP_NONE)
			say(&f->text, " g%" PRIu64, t->g_id[e->g]);
		say(&f->text, " %s", d->wire);
		if (d->subject == 'G')
			say(&f->text, " g%" PRIu64, t->g_id[e->subject]);
		if (d->subject == 'P')
			say(&f->text, " p%" PRId64, t->p_id[e->subject]);
		if (d->str && e->str)
			say(&f->text, " %s", text_of(f, e->str));
		if (d->str2 && !strcmp(d->str2, "message"))
			say(&f->text, " \"%s\"", text_of(f, e->str2));
		if (e->type == TP_EV_GO_CREATE && e->str2) {
			struct tp_stack_node s = tp_dict_stack_at(t->dict, e->str2);

			say(&f->text, " [%s]", text_of(f, tp_dict_frame_name(t->dict, s.frame)));
		}
		say(&f->text, "\n");
	}
	return 0;
}

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static void write_as(struct rec_testing *t, enum rec_trace_format format, struct tp_buf *bytes,
		     struct rec_trace_result *result)
{
	struct tp_out out = {.write = collect, .ctx = bytes};
	struct tp_err err;
	size_t wrong;

	assert_int_equal(rec_process_check(&t->process, &wrong, &err), 0);
	if (rec_trace_write(&t->process, format, &out, NULL, result, &err))
		fail_msg("%s", err.msg);
}

/* The story as text; the caller frees it. */
static char *story(struct rec_testing *t, enum rec_trace_format format,
		   struct rec_trace_result *result)
{
	struct tp_trace_options strict = {.strict = true};
	struct found f = {0};
	struct tp_sink sink = {.events = tell, .ctx = &f};
	struct tp_buf bytes = {0};
	struct tp_input *in;
	struct tp_err err;

	write_as(t, format, &bytes, result);
	assert_int_equal(tp_input_from_memory(&in, bytes.data, bytes.size, &err), 0);
	if (tp_trace_read(in, &strict, &f.trace, &sink, &err))
		fail_msg("%s", err.msg);
	say(&f.text, "%c", 0);
	tp_trace_release(&f.trace);
	tp_input_close(in);
	tp_buf_release(&bytes);
	return (char *)f.text.data;
}

/* Times in µs. */
#define AT(t)	   S + (t)*1000
#define ON(gg, mm) .g = (gg), .m = (mm)
#define MOST	   16

static const struct {
	const char *name;
	struct rec_event events[MOST];
	size_t contradictions; /* of the records */
	const char *go26, *go5;
} stories[] = {
    {"CPU samples, one of them at the end of a wait",
     {{.kind = REC_CPU, .end = AT(20), ON(1, 1), .object = 2},
      {.kind = REC_CPU, .end = AT(39), ON(1, 1), .object = 1},
      {.kind = REC_BLOCK, .start = AT(30), .end = AT(40), ON(1, 1), .arg = REC_ON_SLEEP},
      {.kind = REC_CPU, .end = AT(50), ON(1, 1), .object = 1000000}},
     1,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "20 p0 g1 CPUSample\n"
     "20 p0 g1 CPUSample\n"
     "30 p0 g1 GoBlock g1 sleep\n"
     "30 p0 ProcStop p0\n"
     "39 g1 CPUSample\n"
     "40 GoUnblock g1\n"
     "40 ProcStart p0\n"
     "40 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "29 p0 g1 GoBlock g1 sleep\n"
     "30 p0 ProcStop p0\n"
     "39 GoUnblock g1\n"
     "40 p0 ProcStart p0\n"
     "40 p0 g1 GoStart g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"a lock that another gives up",
     {{.kind = REC_THREAD_NEW, .end = AT(10), ON(1, 1), .arg = 2},
      {.kind = REC_THREAD_START, .end = AT(20), ON(2, 2), .object = 4002},
      {.kind = REC_BLOCK,
       .start = AT(30),
       .end = AT(52),
       ON(2, 2),
       .object = 0x70,
       .arg = REC_ON_MUTEX},
      {.kind = REC_POST, .end = AT(40), ON(1, 1), .object = 0x80, .arg = 1},
      {.kind = REC_POST, .end = AT(50), ON(1, 1), .object = 0x70, .arg = 1},
      {.kind = REC_BLOCK, .start = AT(55), .end = AT(70), ON(1, 1), .arg = REC_ON_SLEEP},
      {.kind = REC_THREAD_END, .end = AT(60), ON(2, 2)}},
     0,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoCreate g2\n"
     "20 ProcStatus p1\n"
     "20 ProcStart p1\n"
     "20 p1 GoStart g2\n"
     "20 p1 g2 ProcsChange\n"
     "30 p1 g2 GoBlock g2 sync\n"
     "30 p1 ProcStop p1\n"
     "50 p0 g1 GoUnblock g2\n"
     "52 ProcStart p1\n"
     "52 p1 GoStart g2\n"
     "55 p0 g1 GoBlock g1 sleep\n"
     "55 p0 ProcStop p0\n"
     "60 p1 g2 GoDestroy g2\n"
     "60 p1 ProcStop p1\n"
     "70 GoUnblock g1\n"
     "70 ProcStart p0\n"
     "70 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "9 p0 g1 GoCreate g2\n"
     "19 p1 ProcStatus p1\n"
     "20 p1 g2 GoStart g2\n"
     "20 p1 g2 ProcsChange\n"
     "29 p1 g2 GoBlock g2 sync\n"
     "30 p1 ProcStop p1\n"
     "49 p0 g1 GoUnblock g2\n"
     "51 p1 ProcStart p1\n"
     "52 p1 g2 GoStart g2\n"
     "54 p0 g1 GoBlock g1 sleep\n"
     "55 p0 ProcStop p0\n"
     "59 p1 g2 GoDestroy g2\n"
     "60 p1 ProcStop p1\n"
     "69 GoUnblock g1\n"
     "70 p0 ProcStart p0\n"
     "70 p0 g1 GoStart g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"a post for one, a post for all, and nobody's",
     {{.kind = REC_BLOCK,
       .start = AT(10),
       .end = AT(40),
       ON(2, 2),
       .object = 0x70,
       .arg = REC_ON_COND},
      {.kind = REC_BLOCK,
       .start = AT(11),
       .end = AT(41),
       ON(3, 3),
       .object = 0x70,
       .arg = REC_ON_COND},
      {.kind = REC_POST, .end = AT(20), ON(1, 1), .object = 0x70, .arg = UINT32_MAX},
      {.kind = REC_POST, .end = AT(30), ON(1, 1), .object = 0x70, .arg = 1},
      {.kind = REC_BLOCK,
       .start = AT(50),
       .end = AT(60),
       ON(3, 3),
       .object = 0x70,
       .arg = REC_ON_COND,
       .flags = REC_TIMED_OUT},
      {.kind = REC_POST, .end = AT(55), ON(1, 1), .object = 0x70, .arg = 1}},
     0,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 ProcStatus p1\n"
     "10 ProcStart p1\n"
     "10 p1 GoCreate g2\n"
     "10 p1 GoStart g2\n"
     "10 p1 g2 ProcsChange\n"
     "10 p1 g2 GoBlock g2 sync.(*Cond).Wait\n"
     "10 p1 ProcStop p1\n"
     "11 ProcStart p1\n"
     "11 p1 GoCreate g3\n"
     "11 p1 GoStart g3\n"
     "11 p1 g3 GoBlock g3 sync.(*Cond).Wait\n"
     "11 p1 ProcStop p1\n"
     "20 p0 g1 GoUnblock g3\n"
     "30 p0 g1 GoUnblock g2\n"
     "40 ProcStart p1\n"
     "40 p1 GoStart g2\n"
     "41 ProcStatus p2\n"
     "41 ProcStart p2\n"
     "41 p2 GoStart g3\n"
     "41 p2 g3 ProcsChange\n"
     "50 p2 g3 GoBlock g3 sync.(*Cond).Wait\n"
     "50 p2 ProcStop p2\n"
     "60 GoUnblock g3\n"
     "60 ProcStart p2\n"
     "60 p2 GoStart g3\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p1 g2 ProcStatus p1\n"
     "100 p2 g3 ProcStatus p2\n"
     "100 p0 g1 GoStatusStack g1\n"
     "100 p1 g2 GoStatusStack g2\n"
     "100 p2 g3 GoStatusStack g3\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "9 p1 ProcStatus p1\n"
     "10 GoCreate g2\n"
     "10 p1 g2 GoStart g2\n"
     "10 p1 g2 ProcsChange\n"
     "10 p1 g2 GoBlock g2 sync.(*Cond).Wait\n"
     "10 p1 ProcStop p1\n"
     "10 p1 ProcStart p1\n"
     "11 GoCreate g3\n"
     "11 p1 g3 GoStart g3\n"
     "11 p1 g3 GoBlock g3 sync.(*Cond).Wait\n"
     "11 p1 ProcStop p1\n"
     "19 p0 g1 GoUnblock g3\n"
     "29 p0 g1 GoUnblock g2\n"
     "39 p1 ProcStart p1\n"
     "40 p1 g2 GoStart g2\n"
     "40 p2 ProcStatus p2\n"
     "41 p2 g3 GoStart g3\n"
     "41 p2 g3 ProcsChange\n"
     "49 p2 g3 GoBlock g3 sync.(*Cond).Wait\n"
     "50 p2 ProcStop p2\n"
     "59 GoUnblock g3\n"
     "60 p2 ProcStart p2\n"
     "60 p2 g3 GoStart g3\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"system calls",
     {{.kind = REC_SYSCALL, .start = AT(10), .end = AT(12), ON(1, 1), .arg = REC_CALL_READ},
      {.kind = REC_SYSCALL,
       .start = AT(20),
       .end = AT(30),
       ON(1, 1),
       .arg = REC_CALL_READ,
       .flags = REC_SYSCALL_BLOCKED},
      {.kind = REC_BLOCK, .start = AT(40), .end = AT(50), ON(1, 1), .arg = REC_ON_YIELD}},
     0,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoSyscallBegin g1\n"
     "12 p0 g1 GoSyscallEnd g1\n"
     "20 p0 g1 GoSyscallBegin g1\n"
     "20 p0 g1 ProcStop p0\n"
     "30 g1 ProcStart p0\n"
     "30 p0 g1 GoSyscallEndBlocked g1\n"
     "30 p0 GoStart g1\n"
     "40 p0 g1 GoStop g1 yield\n"
     "40 p0 ProcStop p0\n"
     "50 ProcStart p0\n"
     "50 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "9 p0 g1 GoSyscallBegin g1\n"
     "9 p0 g1 GoSyscallEnd g1\n"
     "20 p0 g1 GoSyscallBegin g1\n"
     "20 p0 ProcStop p0\n"
     "29 p1000003 g1 GoSyscallEndBlocked g1\n"
     "30 p0 ProcStart p0\n"
     "30 p0 g1 GoStart g1\n"
     "39 p0 g1 GoStop g1 runtime.Gosched\n"
     "40 p0 ProcStop p0\n"
     "49 p0 ProcStart p0\n"
     "50 p0 g1 GoStart g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"two threads of the program's own on one of the kernel's",
     {{.kind = REC_G_NEW, .end = AT(10), ON(1, 1), .arg = 5},
      {.kind = REC_G_NEW, .end = AT(11), ON(1, 1), .arg = 6},
      {.kind = REC_G_START, .end = AT(20), ON(5, 1)},
      {.kind = REC_G_STOP, .end = AT(30), ON(5, 1), .arg = REC_ON_CHAN_RECEIVE},
      {.kind = REC_G_START, .end = AT(31), ON(6, 1)},
      {.kind = REC_G_READY, .end = AT(40), ON(6, 1), .arg = 5},
      {.kind = REC_G_END, .end = AT(50), ON(6, 1)},
      {.kind = REC_POST, .end = AT(55), ON(1, 1), .object = 1},
      {.kind = REC_G_START, .end = AT(60), ON(5, 1)},
      {.kind = REC_G_STOP, .end = AT(70), ON(5, 1), .arg = REC_ON_YIELD},
      {.kind = REC_BLOCK, .start = AT(80), .end = AT(90), ON(1, 1), .arg = REC_ON_SLEEP}},
     0,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoCreate g5\n"
     "11 p0 g1 GoCreate g6\n"
     "20 p0 g1 GoBlock g1 coroutine\n"
     "20 p0 GoStart g5\n"
     "30 p0 g5 GoBlock g5 chan receive\n"
     "31 p0 GoStart g6\n"
     "40 p0 g6 GoUnblock g5\n"
     "50 p0 g6 GoDestroy g6\n"
     "50 p0 GoUnblock g1\n"
     "50 p0 GoStart g1\n"
     "60 p0 g1 GoBlock g1 coroutine\n"
     "60 p0 GoStart g5\n"
     "70 p0 g5 GoStop g5 yield\n"
     "70 p0 GoUnblock g1\n"
     "70 p0 GoStart g1\n"
     "80 p0 g1 GoBlock g1 sleep\n"
     "80 p0 ProcStop p0\n"
     "90 GoUnblock g1\n"
     "90 ProcStart p0\n"
     "90 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"
     "100 GoStatusStack g5\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "9 p0 g1 GoCreate g5\n"
     "10 p0 g1 GoCreate g6\n"
     "19 p0 g1 GoBlock g1\n"
     "20 p0 g5 GoStart g5\n"
     "29 p0 g5 GoBlock g5 chan receive\n"
     "30 p0 g6 GoStart g6\n"
     "39 p0 g6 GoUnblock g5\n"
     "49 p0 g6 GoDestroy g6\n"
     "50 GoUnblock g1\n"
     "50 p0 g1 GoStart g1\n"
     "59 p0 g1 GoBlock g1\n"
     "60 p0 g5 GoStart g5\n"
     "69 p0 g5 GoStop g5 runtime.Gosched\n"
     "70 GoUnblock g1\n"
     "70 p0 g1 GoStart g1\n"
     "79 p0 g1 GoBlock g1 sleep\n"
     "80 p0 ProcStop p0\n"
     "89 GoUnblock g1\n"
     "90 p0 ProcStart p0\n"
     "90 p0 g1 GoStart g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"tasks, regions, logs, labels",
     {{.kind = REC_TASK_NEW, .end = AT(10), ON(1, 1), .object = 3, .arg = 1},
      {.kind = REC_REGION_BEGIN, .end = AT(11), ON(1, 1), .object = 3, .arg = 9},
      {.kind = REC_REGION_BEGIN, .end = AT(12), ON(1, 1), .object = 3, .arg = 1},
      {.kind = REC_TEXT,
       .start = 0x6f77206f,
       .end = AT(13),
       ON(1, 1),
       .object = 0x2c6f6c6c6568202d,
       .arg = 12},
      {.kind = REC_LOG, .end = AT(13), ON(1, 1), .object = 3, .arg = 9},
      {.kind = REC_LABELS, .end = AT(14), ON(1, 1), .arg = 1},
      {.kind = REC_REGION_END, .end = AT(15), ON(1, 1), .object = 3, .arg = 9},
      {.kind = REC_REGION_END, .end = AT(16), ON(1, 1), .object = 3, .arg = 1},
      {.kind = REC_TASK_END, .end = AT(17), ON(1, 1), .object = 3},
      {.kind = REC_PROCESS_FORK, .end = AT(18), ON(1, 1), .object = 4321}},
     1,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 UserTaskBegin request\n"
     "11 p0 g1 UserRegionBegin parse\n"
     "12 p0 g1 UserRegionBegin request\n"
     "13 p0 g1 UserLog parse \"- hello,o wo\"\n"
     "14 p0 g1 GoLabel g1 shard=7\n"
     "15 p0 g1 UserRegionEnd request\n"
     "15 p0 g1 UserRegionEnd parse\n"
     "16 p0 g1 UserRegionEnd request\n"
     "17 p0 g1 UserTaskEnd request\n"
     "18 p0 g1 UserLog process \"forked process 4321\"\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"a trace that begins in the middle",
     {{.kind = REC_TRACE_START, .end = AT(25), ON(1, 1)},
      {.kind = REC_BLOCK, .start = AT(10), .end = AT(30), ON(2, 2), .arg = REC_ON_POLL},
      {.kind = REC_SYSCALL, .start = AT(15), .end = AT(35), ON(3, 3), .flags = REC_SYSCALL_BLOCKED},
      {.kind = REC_BLOCK, .start = AT(40), .end = AT(45), ON(4, 4), .arg = REC_ON_PIPE},
      {.kind = REC_TRACE_STOP, .end = AT(50), ON(1, 1)},
      {.kind = REC_BLOCK, .start = AT(60), .end = AT(65), ON(4, 4), .arg = REC_ON_PIPE}},
     0,
     "0 ProcStatus p0\n"
     "0 ProcStatus p1\n"
     "0 GoStatusStack g2\n"
     "0 GoStatusStack g3\n"
     "0 p0 GoStatusStack g1\n"
     "0 p1 GoStatusStack g4\n"
     "0 p0 g1 ProcsChange\n"
     "5 GoUnblock g2\n"
     "5 ProcStatus p2\n"
     "5 ProcStart p2\n"
     "5 p2 GoStart g2\n"
     "5 p2 g2 ProcsChange\n"
     "10 g3 ProcStatus p3\n"
     "10 g3 ProcStart p3\n"
     "10 p3 g3 GoSyscallEndBlocked g3\n"
     "10 p3 GoStart g3\n"
     "10 p3 g3 ProcsChange\n"
     "15 p1 g4 GoBlock g4 pipe\n"
     "15 p1 ProcStop p1\n"
     "20 GoUnblock g4\n"
     "20 ProcStart p1\n"
     "20 p1 GoStart g4\n"
     "25 p0 g1 ProcStatus p0\n"
     "25 p1 g4 ProcStatus p1\n"
     "25 p2 g2 ProcStatus p2\n"
     "25 p3 g3 ProcStatus p3\n"
     "25 p2 g2 GoStatusStack g2\n"
     "25 p3 g3 GoStatusStack g3\n"
     "25 p0 g1 GoStatusStack g1\n"
     "25 p1 g4 GoStatusStack g4\n",
     "0 g2 GoStatus g2\n"
     "0 g3 GoStatus g3\n"
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "0 GoStatus g4\n"
     "0 p1 ProcStatus p1\n"
     "0 p1 g4 GoStart g4\n"
     "4 GoUnblock g2\n"
     "5 p2 ProcStatus p2\n"
     "5 p2 g2 GoStart g2\n"
     "5 p2 g2 ProcsChange\n"
     "9 p1000003 g3 GoSyscallEndBlocked g3\n"
     "10 p3 ProcStatus p3\n"
     "10 p3 g3 GoStart g3\n"
     "10 p3 g3 ProcsChange\n"
     "14 p1 g4 GoBlock g4 network\n"
     "15 p1 ProcStop p1\n"
     "19 p1000002 GoUnblock g4\n"
     "20 p1 ProcStart p1\n"
     "20 p1 g4 GoStart g4\n"
     "24 p0 g1 GoStop g1 runtime.Gosched\n"},
    {"a trace that is switched on, and says how things are",
     {{.kind = REC_TRACE_START, .end = AT(25), ON(1, 1)},
      {.kind = REC_THREAD_START, .end = AT(25), ON(1, 1), .object = 4000},
      {.kind = REC_G_NEW, .end = AT(25), ON(1, 1), .arg = 5},
      {.kind = REC_G_NEW, .end = AT(25), ON(1, 1), .arg = 6},
      {.kind = REC_G_NEW, .end = AT(25), ON(1, 1), .arg = 7},
      {.kind = REC_G_STOP, .end = AT(25), ON(6, 1), .arg = REC_ON_CHAN_SEND},
      {.kind = REC_LABELS, .end = AT(25), ON(6, 1), .arg = 1},
      {.kind = REC_POST, .end = AT(27), ON(5, 2), .object = 4},
      {.kind = REC_THREAD_START, .end = AT(25), ON(2, 2), .object = 4002},
      {.kind = REC_G_START, .end = AT(25), ON(5, 2)},
      {.kind = REC_LABELS, .end = AT(25), ON(5, 1), .arg = 1},
      {.kind = REC_BLOCK, .start = AT(25), .end = AT(30), ON(1, 1), .arg = REC_ON_POLL},
      {.kind = REC_G_READY, .end = AT(35), ON(5, 2), .arg = 6},
      {.kind = REC_G_END, .end = AT(40), ON(5, 2)},
      {.kind = REC_G_START, .end = AT(50), ON(6, 2)}},
     0,
     "0 ProcStatus p0\n"
     "0 ProcStatus p1\n"
     "0 p0 GoStatusStack g5\n"
     "0 GoStatusStack g6\n"
     "0 GoStatusStack g7\n"
     "0 p1 GoStatusStack g1\n"
     "0 GoStatusStack g2\n"
     "0 p0 g5 ProcsChange\n"
     "0 p0 g5 GoLabel g5 shard=7\n"
     "0 p1 g1 GoBlock g1 poll\n"
     "0 p1 ProcStop p1\n"
     "5 GoUnblock g1\n"
     "5 ProcStart p1\n"
     "5 p1 GoStart g1\n"
     "10 p0 g5 GoUnblock g6\n"
     "15 p0 g5 GoDestroy g5\n"
     "25 p0 GoStart g6\n"
     "75 p0 g6 ProcStatus p0\n"
     "75 p1 g1 ProcStatus p1\n"
     "75 GoStatusStack g2\n"
     "75 p0 g6 GoStatusStack g6\n"
     "75 GoStatusStack g7\n"
     "75 p1 g1 GoStatusStack g1\n",
     "0 g6 GoStatus g6\n"
     "0 g2 GoStatus g2\n"
     "0 p0 ProcStatus p0\n"
     "0 p0 g5 GoStatus g5\n"
     "0 GoStatus g7\n"
     "0 GoStatus g1\n"
     "0 p1 ProcStatus p1\n"
     "0 p1 g1 GoStart g1\n"
     "0 p1 g1 GoBlock g1 network\n"
     "0 p1 ProcStop p1\n"
     "4 p1000002 GoUnblock g1\n"
     "4 p1 ProcStart p1\n"
     "5 p1 g1 GoStart g1\n"
     "9 p0 g5 GoUnblock g6\n"
     "14 p0 g5 GoDestroy g5\n"
     "24 p0 g6 GoStart g6\n"
     "74 p0 g6 GoStop g6 runtime.Gosched\n"},
    {"what cannot be",
     {{.kind = REC_THREAD_END, .end = AT(10), ON(2, 2)},
      {.kind = REC_BLOCK, .start = AT(20), .end = AT(30), ON(2, 2), .arg = REC_ON_SLEEP},
      {.kind = REC_G_READY, .end = AT(30), ON(1, 1), .arg = 0},
      {.kind = REC_G_START, .end = AT(40), ON(1, 3)},
      {.kind = REC_NKINDS, .end = AT(41), ON(1, 1)},
      {.kind = REC_POST, .end = 5, ON(1, 1)}},
     6,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 ProcStatus p1\n"
     "10 ProcStart p1\n"
     "10 p1 GoCreate g2\n"
     "10 p1 GoStart g2\n"
     "10 p1 g2 ProcsChange\n"
     "10 p1 g2 GoDestroy g2\n"
     "10 p1 ProcStop p1\n"
     "40 p0 g1 GoStop g1 yield\n"
     "40 p0 ProcStop p0\n"
     "40 ProcStart p0\n"
     "40 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n",
     "0 p0 ProcStatus p0\n"
     "0 p0 g1 GoStatus g1\n"
     "9 p1 ProcStatus p1\n"
     "10 GoCreate g2\n"
     "10 p1 g2 GoStart g2\n"
     "10 p1 g2 ProcsChange\n"
     "10 p1 g2 GoDestroy g2\n"
     "10 p1 ProcStop p1\n"
     "39 p0 g1 GoStop g1 runtime.Gosched\n"
     "40 p0 ProcStop p0\n"
     "40 p0 ProcStart p0\n"
     "40 p0 g1 GoStart g1\n"
     "99 p0 g1 GoStop g1 runtime.Gosched\n"},
};

static void test_trace_write_story(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		for (int format = REC_GO_1_26; format <= REC_GO_1_5; format++) {
			struct rec_trace_result result;
			struct rec_testing t;
			char *text;

			rec_testing_begin(&t);
			rec_testing_string(&t, "request"); /* 1 */
			rec_testing_string(&t, "parse");   /* 9 */
			rec_testing_labels(&t, (const char *const[][2]){{"shard", "7"}}, 1);
			for (const struct rec_event *e = stories[i].events; e->kind; e++)
				rec_testing_add(&t, *e);
			t.process.end_ns = S + 100000;
			text = story(&t, (enum rec_trace_format)format, &result);
			if (getenv("TPROF_PRINT"))
				printf("%s\n%s\n", stories[i].name, text);
			else
				assert_string_equal(text, format == REC_GO_1_5 ? stories[i].go5
									       : stories[i].go26);
			if (format == REC_GO_1_26)
				assert_int_equal(result.contradictions, stories[i].contradictions);
			free(text);
			rec_testing_end(&t);
		}
	}
}

/* ---- times off a processor ---- */

#define IN(t, tid)                                                                                 \
	{                                                                                          \
		.kind = REC_SWITCH_IN, .end = AT(t), .g = (tid), .m = 4000                         \
	}
#define OUT(t, tid, why)                                                                           \
	{                                                                                          \
		.kind = REC_SWITCH_OUT, .flags = (why), .end = AT(t), .g = (tid), .m = 4000        \
	}
#define WAKE(t, tid, by)                                                                           \
	{                                                                                          \
		.kind = REC_SWITCH_WAKE, .end = AT(t), .g = (tid), .object = (by)                  \
	}
#define LOST(t0, t1, cpu)                                                                          \
	{                                                                                          \
		.kind = REC_SWITCH_LOST, .start = AT(t0), .end = AT(t1), .arg = (cpu)              \
	}
#define CPU(us) .cpu = (uint32_t)(((us) + 1000) * 1000 >> REC_CPU_SHIFT)

/* What only the kernel has seen, beside records of hooks. Without switches, CPU times of the records count. */
static const struct {
	const char *name;
	struct rec_event events[MOST], switches[MOST];
	uint64_t running_us;
	const char *go26;
} off_stories[] = {
    {"preempted",
     {{.kind = REC_POST, .end = AT(90), ON(1, 1)}},
     {OUT(10, 4000, REC_SWITCH_RUNNABLE), IN(30, 4000)},
     79,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoStop g1 preempted\n"
     "10 p0 ProcStop p0\n"
     "30 ProcStart p0\n"
     "30 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a lock: spinning, sleeping twice, preempted in between",
     {{.kind = REC_BLOCK,
       .start = AT(10),
       .end = AT(50),
       ON(1, 1),
       .object = 0x70,
       .arg = REC_ON_MUTEX},
      {.kind = REC_BLOCK,
       .start = AT(60),
       .end = AT(70),
       ON(1, 1),
       .object = 0x70,
       .arg = REC_ON_MUTEX}},
     {OUT(12, 4000, 0), IN(20, 4000), OUT(22, 4000, REC_SWITCH_RUNNABLE), IN(25, 4000),
      OUT(30, 4000, 0), IN(45, 4000)},
     73,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "12 p0 g1 GoBlock g1 sync\n"
     "12 p0 ProcStop p0\n"
     "20 GoUnblock g1\n"
     "20 ProcStart p0\n"
     "20 p0 GoStart g1\n"
     "22 p0 g1 GoStop g1 preempted\n"
     "22 p0 ProcStop p0\n"
     "25 ProcStart p0\n"
     "25 p0 GoStart g1\n"
     "30 p0 g1 GoBlock g1 sync\n"
     "30 p0 ProcStop p0\n"
     "45 GoUnblock g1\n"
     "45 ProcStart p0\n"
     "45 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a page fault, and a wait for the disk in a call",
     {{.kind = REC_SYSCALL, .start = AT(30), .end = AT(60), ON(1, 1), .arg = REC_CALL_READ},
      {.kind = REC_SYSCALL, .start = AT(70), .end = AT(80), ON(1, 1), .arg = REC_CALL_READ}},
     {OUT(10, 4000, 0), IN(20, 4000), OUT(40, 4000, 0), IN(50, 4000)},
     79,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoBlock g1 kernel\n"
     "10 p0 ProcStop p0\n"
     "20 GoUnblock g1\n"
     "20 ProcStart p0\n"
     "20 p0 GoStart g1\n"
     "40 p0 g1 GoSyscallBegin g1\n"
     "40 p0 g1 ProcStop p0\n"
     "50 g1 ProcStart p0\n"
     "50 p0 g1 GoSyscallEndBlocked g1\n"
     "50 p0 GoStart g1\n"
     "70 p0 g1 GoSyscallBegin g1\n"
     "70 p0 g1 GoSyscallEnd g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a thread: begins earlier and ends later than its hooks say",
     {{.kind = REC_THREAD_NEW, .end = AT(10), ON(1, 1), .arg = 2},
      {.kind = REC_THREAD_START, .end = AT(30), ON(2, 2), .object = 4002},
      {.kind = REC_THREAD_END, .end = AT(50), ON(2, 2)}},
     {IN(20, 4002), OUT(60, 4002, REC_SWITCH_EXIT), OUT(80, 4000, REC_SWITCH_EXIT)},
     119,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoCreate g2\n"
     "20 ProcStatus p1\n"
     "20 ProcStart p1\n"
     "20 p1 GoStart g2\n"
     "20 p1 g2 ProcsChange\n"
     "60 p1 g2 GoDestroy g2\n"
     "60 p1 ProcStop p1\n"
     "80 p0 g1 GoDestroy g1\n"
     "80 p0 ProcStop p0\n"},
    {"switches that were lost",
     {{.kind = REC_POST, .end = AT(90), ON(1, 1)}},
     {OUT(10, 4000, 0), IN(20, 4000), LOST(30, 40, 0), LOST(60, 70, 1)},
     79,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoBlock g1 kernel\n"
     "10 p0 ProcStop p0\n"
     "20 GoUnblock g1\n"
     "20 ProcStart p0\n"
     "20 p0 GoStart g1\n"
     "30 p0 g1 GoBlock g1 not known\n"
     "30 p0 ProcStop p0\n"
     "40 GoUnblock g1\n"
     "40 ProcStart p0\n"
     "40 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a wait that only switches tell, some of which were lost",
     {{.kind = REC_BLOCK, .start = AT(10), .end = AT(40), ON(1, 1), .arg = REC_ON_KERNEL},
      {.kind = REC_BLOCK, .start = AT(50), .end = AT(60), ON(1, 1), .arg = REC_ON_KERNEL}},
     {OUT(10, 4000, 0), LOST(20, 30, 1), IN(40, 4000), OUT(50, 4000, 0), IN(60, 4000)},
     59,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoBlock g1 not known\n"
     "10 p0 ProcStop p0\n"
     "40 GoUnblock g1\n"
     "40 ProcStart p0\n"
     "40 p0 GoStart g1\n"
     "50 p0 g1 GoBlock g1 kernel\n"
     "50 p0 ProcStop p0\n"
     "60 GoUnblock g1\n"
     "60 ProcStart p0\n"
     "60 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"records that were lost at the end",
     {{.kind = REC_POST, .end = AT(40), ON(1, 1)}},
     {OUT(10, 4000, 0), IN(20, 4000), OUT(50, 4000, 0), IN(60, 4000)},
     79,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "10 p0 g1 GoBlock g1 kernel\n"
     "10 p0 ProcStop p0\n"
     "20 GoUnblock g1\n"
     "20 ProcStart p0\n"
     "20 p0 GoStart g1\n"
     "50 p0 g1 GoBlock g1 not known\n"
     "50 p0 ProcStop p0\n"
     "60 GoUnblock g1\n"
     "60 ProcStart p0\n"
     "60 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a signal handler that sleeps and reads while its thread waits",
     {{.kind = REC_BLOCK, .start = AT(20), .end = AT(30), ON(1, 1), .arg = REC_ON_SLEEP},
      {.kind = REC_SYSCALL, .start = AT(32), .end = AT(34), ON(1, 1), .arg = REC_CALL_READ},
      {.kind = REC_BLOCK, .start = AT(10), .end = AT(60), ON(1, 1), .arg = REC_ON_PIPE},
      {.kind = REC_POST, .end = AT(90), ON(1, 1)}},
     {OUT(12, 4000, 0), IN(18, 4000), OUT(21, 4000, 0), IN(29, 4000), OUT(40, 4000, 0),
      IN(60, 4000)},
     65,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "12 p0 g1 GoBlock g1 pipe\n"
     "12 p0 ProcStop p0\n"
     "18 GoUnblock g1\n"
     "18 ProcStart p0\n"
     "18 p0 GoStart g1\n"
     "21 p0 g1 GoBlock g1 sleep\n"
     "21 p0 ProcStop p0\n"
     "29 GoUnblock g1\n"
     "29 ProcStart p0\n"
     "29 p0 GoStart g1\n"
     "32 p0 g1 GoSyscallBegin g1\n"
     "32 p0 g1 GoSyscallEnd g1\n"
     "40 p0 g1 GoBlock g1 pipe\n"
     "40 p0 ProcStop p0\n"
     "60 GoUnblock g1\n"
     "60 ProcStart p0\n"
     "60 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"},
    {"a switch takes long, but begins after the post that woke the thread",
     {{.kind = REC_THREAD_START, .end = AT(0), ON(1, 1), .object = 4000, CPU(0)},
      {.kind = REC_THREAD_START, .end = AT(0), ON(2, 2), .object = 4002, CPU(0)},
      {.kind = REC_POST, .end = AT(50), ON(2, 2), .object = 0x70, .arg = 1},
      {.kind = REC_BLOCK,
       .start = AT(10),
       .end = AT(62),
       ON(1, 1),
       .object = 0x70,
       .arg = REC_ON_SEMAPHORE},
      {.kind = REC_THREAD_USAGE, .end = AT(100), ON(1, 1), CPU(72)}},
     {IN(0, 4002), OUT(12, 4000, 0), IN(60, 4000)},
     161,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "0 ProcStatus p1\n"
     "0 ProcStart p1\n"
     "0 p1 GoCreate g2\n"
     "0 p1 GoStart g2\n"
     "0 p1 g2 ProcsChange\n"
     "12 p0 g1 GoBlock g1 semacquire\n"
     "12 p0 ProcStop p0\n"
     "50 p1 g2 GoUnblock g1\n"
     "50 ProcStart p0\n"
     "50 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p1 g2 ProcStatus p1\n"
     "100 p0 g1 GoStatusStack g1\n"
     "100 p1 g2 GoStatusStack g2\n"},
    {"a switch takes long, but begins after the kernel has woken the thread",
     {{.kind = REC_THREAD_START, .end = AT(0), ON(1, 1), .object = 4000, CPU(0)},
      {.kind = REC_THREAD_START, .end = AT(0), ON(2, 2), .object = 4002, CPU(0)},
      {.kind = REC_THREAD_USAGE, .end = AT(100), ON(1, 1), CPU(72)}},
     {IN(0, 4002), OUT(12, 4000, 0), WAKE(55, 4000, 4002), IN(60, 4000)},
     156,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "0 ProcStatus p1\n"
     "0 ProcStart p1\n"
     "0 p1 GoCreate g2\n"
     "0 p1 GoStart g2\n"
     "0 p1 g2 ProcsChange\n"
     "12 p0 g1 GoBlock g1 kernel\n"
     "12 p0 ProcStop p0\n"
     "55 p1 g2 GoUnblock g1\n"
     "55 ProcStart p0\n"
     "55 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p1 g2 ProcStatus p1\n"
     "100 p0 g1 GoStatusStack g1\n"
     "100 p1 g2 GoStatusStack g2\n"},
    {"killed while it waits, and preempted when it is woken for that",
     {{.kind = REC_THREAD_START, .end = AT(0), ON(1, 1), .object = 4000}},
     {OUT(12, 4000, 0), WAKE(80, 4000, 0), IN(82, 4000), OUT(84, 4000, REC_SWITCH_RUNNABLE),
      IN(86, 4000), OUT(90, 4000, REC_SWITCH_EXIT)},
     12,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "12 p0 g1 GoBlock g1 semacquire\n"
     "12 p0 ProcStop p0\n"
     "100 GoStatusStack g1\n"},
    {"killed after it was woken while it waits, and after long computing",
     {{.kind = REC_THREAD_START, .end = AT(0), ON(1, 1), .object = 4000}},
     {OUT(12, 4000, 0), WAKE(80, 4000, 0), IN(82, 4000), OUT(5082, 4000, REC_SWITCH_RUNNABLE),
      IN(5086, 4000), OUT(10086, 4000, REC_SWITCH_EXIT)},
     10011,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "12 p0 g1 GoBlock g1 semacquire\n"
     "12 p0 ProcStop p0\n"
     "80 GoUnblock g1\n"
     "82 ProcStart p0\n"
     "82 p0 GoStart g1\n"
     "5082 p0 g1 GoStop g1 preempted\n"
     "5082 p0 ProcStop p0\n"
     "5086 ProcStart p0\n"
     "5086 p0 GoStart g1\n"
     "10086 p0 g1 GoDestroy g1\n"
     "10086 p0 ProcStop p0\n"},
    {"without switches",
     {{.kind = REC_THREAD_START, .end = AT(0), ON(1, 1), .object = 4000, CPU(0)},
      {.kind = REC_POST, .end = AT(20), ON(1, 1)},
      {.kind = REC_BLOCK, .start = AT(40), .end = AT(50), ON(1, 1), .arg = REC_ON_SLEEP, CPU(30)},
      {.kind = REC_THREAD_USAGE, .end = AT(100), ON(1, 1), CPU(80)}},
     {{.kind = REC_NOTHING}},
     79,
     "0 ProcStatus p0\n"
     "0 p0 GoStatusStack g1\n"
     "0 p0 g1 ProcsChange\n"
     "14 p0 g1 GoBlock g1 not on a processor\n"
     "14 p0 ProcStop p0\n"
     "20 GoUnblock g1\n"
     "20 ProcStart p0\n"
     "20 p0 GoStart g1\n"
     "34 p0 g1 GoBlock g1 not on a processor\n"
     "34 p0 ProcStop p0\n"
     "40 GoUnblock g1\n"
     "40 ProcStart p0\n"
     "40 p0 GoStart g1\n"
     "40 p0 g1 GoBlock g1 sleep\n"
     "40 p0 ProcStop p0\n"
     "50 GoUnblock g1\n"
     "50 ProcStart p0\n"
     "50 p0 GoStart g1\n"
     "100 p0 g1 ProcStatus p0\n"
     "100 p0 g1 GoStatusStack g1\n"}};

static void test_trace_write_off_story(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(off_stories) / sizeof(*off_stories); i++) {
		struct rec_trace_result result;
		struct rec_testing t;
		char *text;

		rec_testing_begin(&t);
		for (const struct rec_event *e = off_stories[i].events; e->kind; e++)
			rec_testing_add(&t, *e);
		for (const struct rec_event *e = off_stories[i].switches; e->kind; e++)
			rec_testing_switch(&t, *e);
		if (strstr(off_stories[i].name, "while it waits"))
			rec_testing_wait(rec_testing_g(&t, 1, 4000, "main"),
					 (struct rec_event){.kind = REC_BLOCK,
							    .start = AT(10),
							    .object = 0x70,
							    .arg = REC_ON_SEMAPHORE});
		t.process.arena.header->options.cpu_time = !t.process.switches;
		t.process.end_ns =
		    S + (strstr(off_stories[i].name, "long computing") ? 20000000 : 100000);
		if (strstr(off_stories[i].name, "at the end"))
			t.process.events_end_ns = AT(40);
		text = story(&t, REC_GO_1_26, &result);
		if (getenv("TPROF_PRINT")) {
			printf("%s: %" PRIu64 "\n%s\n", off_stories[i].name,
			       result.running_ns / 1000, text);
		} else {
			assert_string_equal(text, off_stories[i].go26);
			assert_int_equal(result.running_ns / 1000, off_stories[i].running_us);
		}
		assert_int_equal(result.contradictions, 0);
		free(text);
		rec_testing_end(&t);
	}
}

/* A disk that is full: the error comes back, whenever it happens. */
static int fill_up(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	size_t *left = ctx;

	(void)data;
	if (size > *left)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "no space left");
	*left -= size;
	return 0;
}

static void test_trace_write_full_disk(void **state)
{
	(void)state;
	for (size_t room = 0; room < 400; room += 7) {
		for (int format = REC_GO_1_26; format <= REC_GO_1_5; format++) {
			size_t left = room;
			struct tp_out out = {.write = fill_up, .ctx = &left};
			struct rec_testing t;
			struct tp_err err;
			int code;

			rec_testing_begin(&t);
			for (const struct rec_event *e = stories[0].events; e->kind; e++)
				rec_testing_add(&t, *e);
			code = rec_trace_write(&t.process, (enum rec_trace_format)format, &out,
					       NULL, NULL, &err);
			if (code) {
				assert_int_equal(code, TP_EIO);
				assert_string_equal(err.msg, "no space left");
			}
			assert_true(code || room > 100);
			rec_testing_end(&t);
		}
	}
}

static volatile uint64_t here;

static __attribute__((noinline)) uint64_t mark(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static inline __attribute__((always_inline)) void inner(void)
{
	here = mark();
}

static __attribute__((noinline)) uint64_t outer(void)
{
	inner();
	return here;
}

/* Written beside, found and read: inlined calls, start routines, code that has no name. */
static void test_trace_symbols(void **state)
{
	char dir[] = "/tmp/tprof-symbols-XXXXXX", dump[64], path[80], found[80];
	uint64_t pc = outer(), stack[] = {pc, 0x5010};
	struct tp_symbol chain[8];
	struct tp_sidecar *sidecar;
	struct rec_testing t;
	struct tp_buf symbols = {0}, trace = {0};
	struct tp_out out = {.write = collect, .ctx = &trace};
	struct tp_err err;
	size_t wrong, n;
	bool known;
	FILE *f;

	(void)state;
	rec_testing_begin(&t);
	rec_testing_own_module(&t, (void *)(uintptr_t)pc);
	rec_testing_module(&t, 0x5000, 0x6000, 0x1000, "/nowhere/libfoo.so", "");
	rec_testing_stack(&t, stack, 2);
	rec_testing_add(&t, (struct rec_event){.kind = REC_THREAD_NEW,
					       .object = (uint64_t)(uintptr_t)outer,
					       .arg = 2,
					       .end = AT(10),
					       ON(1, 1)});
	assert_int_equal(rec_process_check(&t.process, &wrong, &err), 0);

	assert_non_null(mkdtemp(dir));
	snprintf(dump, sizeof(dump), "%s/trace.out", dir);
	snprintf(path, sizeof(path), "%s.symbols", dump);
	assert_false(tp_sidecar_find(dump, found, sizeof(found)));
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(rec_trace_write(&t.process, REC_GO_1_5, &out, &symbols, NULL, &err), 0);
	tp_buf_release(&trace);
	assert_int_equal(fwrite(symbols.data, 1, symbols.size, f), symbols.size);
	assert_int_equal(fclose(f), 0);
	tp_buf_release(&symbols);
	assert_true(tp_sidecar_find(dump, found, sizeof(found)));
	assert_string_equal(found, path);
	assert_false(tp_sidecar_find(dump, found, 8));
	if (tp_sidecar_open(&sidecar, path, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(tp_sidecar_lookup(sidecar, pc, chain, 8, &known), 2);
	assert_true(known);
	assert_string_equal(chain[0].name, "inner");
	assert_true(chain[0].line > 0);
	assert_string_equal(chain[1].name, "outer");
	n = tp_sidecar_lookup(sidecar, (uint64_t)(uintptr_t)outer + 1, chain, 8, &known);
	assert_true(n > 0);
	assert_string_equal(chain[n - 1].name, "outer");
	assert_int_equal(tp_sidecar_lookup(sidecar, 0x5010, chain, 8, &known), 1);
	assert_string_equal(chain[0].name, "libfoo.so+0x100f");
	assert_int_equal(tp_sidecar_lookup(sidecar, 0x5011, chain, 8, &known), 0);
	assert_false(known);
	tp_sidecar_close(sidecar);
	unlink(path);
	assert_int_equal(tp_sidecar_open(&sidecar, path, &err), TP_ENOENT);
	rmdir(dir);
	rec_testing_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trace_write_story),
	    cmocka_unit_test(test_trace_write_off_story),
	    cmocka_unit_test(test_trace_write_full_disk),
	    cmocka_unit_test(test_trace_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
