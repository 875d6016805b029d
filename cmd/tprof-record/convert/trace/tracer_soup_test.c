/* Records that make no sense together: what comes out is a trace that a strict reader takes, in
 * both formats, whatever was lost, torn or made up.
 *
 *	TPROF_SEEDS=5000     how many soups are cooked (400)
 *	TPROF_KEEP=DIR       keeps the traces, for other readers to try */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "order/read.h"
#include "tprof-record/convert/testing.h"
#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/convert/trace/tracer.h"

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % below;
}

struct soup {
	uint32_t nms, ngs, nobjects, kinds;
	uint64_t spread; /* ns between records */
	uint64_t now[16];
	uint32_t strings[4], stacks[8], set;
};

/* Mostly what the thread itself would write, in the order of its clock; sometimes anything. */
static struct rec_event random_event(struct soup *s)
{
	static const uint16_t usual[] = {REC_BLOCK, REC_BLOCK, REC_POST, REC_SYSCALL};
	uint32_t m = (uint32_t)draw(s->nms) + 1;
	uint64_t at = s->now[m % 16] += draw(s->spread) + draw(2);
	struct rec_event e = {
	    .kind = (uint16_t)(draw(3) ? usual[draw(4)] : draw(s->kinds) + 1),
	    .flags = (uint16_t)(draw(8) ? 0 : draw(4)),
	    .stack = s->stacks[draw(8)],
	    .start = at > draw(s->spread) ? at - draw(s->spread) : at,
	    .end = at,
	    .object = draw(s->nobjects),
	    .g = draw(6) ? m : (uint32_t)draw(s->ngs + 1),
	    .m = m,
	    .arg = (uint32_t)draw(s->ngs + 2),
	    .cpu = draw(3) ? (uint32_t)((at - 1000000000) / 2 >> REC_CPU_SHIFT)
			   : (uint32_t)draw(UINT32_MAX),
	};

	if (e.kind == REC_THREAD_NAME || e.kind == REC_LOG || e.kind == REC_REGION_BEGIN ||
	    e.kind == REC_REGION_END || e.kind == REC_TASK_NEW)
		e.arg = s->strings[draw(4)];
	if (e.kind == REC_LABELS)
		e.arg = draw(4) ? s->set : (uint32_t)draw(100);
	if (!draw(300))
		e.start = draw(UINT64_MAX);
	if (!draw(300))
		e.end = draw(2) ? draw(UINT64_MAX) : at - draw(s->spread * 5);
	if (!draw(200))
		e.m = (uint32_t)draw(s->nms + 3);
	if (!draw(300))
		e.g = (uint32_t)draw(UINT32_MAX);
	return e;
}

/* The kernel does not write nonsense, but some may be lost. */
static void add_switches(struct rec_testing *t, const struct soup *s)
{
	uint64_t at = 1000000000, n = draw(300);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t before = at;

		at += draw(s->spread) + draw(2);
		rec_testing_switch(
		    t, (struct rec_event){
			   .kind = (uint16_t)(draw(40) ? REC_SWITCH_IN + draw(2) : REC_SWITCH_LOST),
			   .flags = (uint16_t)(draw(4)	 ? draw(2)
					       : draw(9) ? 0
							 : draw(4)),
			   .start = before,
			   .end = at,
			   .g = 4000 + (uint32_t)draw(s->nms + 1),
			   .m = draw(9) ? 4000 : 4001,
			   .arg = (uint32_t)draw(3)});
		if (at % 5 == 0) {
			t->switches[t->process.nswitches - 1].kind = REC_SWITCH_WAKE;
			t->switches[t->process.nswitches - 1].object =
			    at % 3 ? 4000 + at % (s->nms + 1) : 0;
		}
	}
}

static void cook(struct rec_testing *t, uint64_t seed)
{
	struct soup s = {0};
	size_t n;

	random_state = seed * 0x9e3779b97f4a7c15u;
	rec_testing_begin(t);
	s.nms = (uint32_t)draw(6) + 1;
	s.ngs = s.nms + (uint32_t)draw(6);
	s.nobjects = (uint32_t)draw(5) + 1;
	s.kinds = draw(2) ? REC_NKINDS - 1 : REC_NKINDS + 1;
	s.spread = draw(3) ? 1000 : draw(2) ? 3 : 400000000;
	for (size_t i = 0; i < 16; i++)
		s.now[i] = 1000000000;
	s.strings[1] = rec_testing_string(t, "indexer");
	s.strings[2] = rec_testing_string(t, "request");
	s.strings[3] = rec_testing_string(t, "flush");
	s.set = rec_testing_labels(t, (const char *const[][2]){{"shard", "7"}}, 1);
	rec_testing_module(t, 0x1000, 0x2000, 0, "/nowhere/program", "");
	for (size_t i = 1; i < 8; i++) {
		uint64_t pcs[] = {0x1000 + 16 * i, 0x1100 + 16 * (i % 3), 0x1200};

		s.stacks[i] = rec_testing_stack(t, pcs, 3);
	}
	n = draw(4) ? draw(400) : draw(5);
	for (size_t i = 0; i < n; i++)
		rec_testing_add(t, random_event(&s));
	t->process.end_ns = 1000000000;
	for (size_t i = 0; i < 16; i++)
		if (s.now[i] > t->process.end_ns)
			t->process.end_ns = s.now[i];
	if (draw(2))
		add_switches(t, &s);
	else if (draw(2))
		t->process.arena.header->options.cpu_time = 1;
	for (uint32_t i = 1; i <= s.nms; i++) {
		struct rec_g *g;

		if (draw(2))
			continue;
		g = rec_testing_g(t, i, draw(5) ? 4000 + i : 4001, i % 2 ? "main" : "");
		g->start = 1000000000 + draw(s.spread * 10);
		if (draw(2)) {
			struct rec_event wait = random_event(&s);

			wait.kind = (uint16_t[]){REC_BLOCK, REC_SYSCALL, REC_G_STOP}[draw(3)];
			wait.end = 0;
			rec_testing_wait(g, wait);
		}
	}
}

/* ---- written and read ---- */

static int collect(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return tp_buf_put(ctx, data, size);
}

static int count(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	(void)ev;
	(void)err;
	*(size_t *)ctx += n;
	return 0;
}

static void keep(const struct tp_buf *b, uint64_t seed, const char *format)
{
	char path[4096];
	FILE *f;

	if (!getenv("TPROF_KEEP"))
		return;
	snprintf(path, sizeof(path), "%s/%05d-%s.trace", getenv("TPROF_KEEP"), (int)seed, format);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->size, f), b->size);
	fclose(f);
}

static size_t read_back(const struct tp_buf *bytes, uint64_t seed, const char *format)
{
	struct tp_trace_options strict = {.strict = true};
	size_t events = 0;
	struct tp_sink sink = {.events = count, .ctx = &events};
	struct tp_trace trace;
	struct tp_input *in;
	struct tp_err err;

	assert_int_equal(tp_input_from_memory(&in, bytes->data, bytes->size, &err), 0);
	if (tp_trace_read(in, &strict, &trace, &sink, &err))
		fail_msg("soup %d as %s: %s", (int)seed, format, err.msg);
	tp_trace_release(&trace);
	tp_input_close(in);
	return events;
}

static void test_trace_write_soup(void **state)
{
	const char *seeds = getenv("TPROF_SEEDS");
	uint64_t n = seeds ? strtoull(seeds, NULL, 10) : 400;
	size_t events = 0, contradictions = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
		struct rec_testing t;
		struct tp_err err;
		size_t wrong;

		cook(&t, seed);
		assert_int_equal(rec_process_check(&t.process, &wrong, &err), 0);
		for (int format = REC_GO_1_26; format <= REC_GO_1_5; format++) {
			const char *name = format == REC_GO_1_5 ? "1.5" : "1.26";
			struct tp_buf bytes = {0};
			struct tp_out out = {.write = collect, .ctx = &bytes};
			struct rec_trace_result result;
			size_t seen;

			if (rec_trace_write(&t.process, (enum rec_trace_format)format, &out, NULL,
					    &result, &err))
				fail_msg("soup %d: %s", (int)seed, err.msg);
			keep(&bytes, seed, name);
			/* What readers make of go 1.5 is not event for event. */
			seen = read_back(&bytes, seed, name);
			if (format == REC_GO_1_26 && seen != result.events)
				fail_msg("soup %d: %zu events, read are %zu", (int)seed,
					 result.events, seen);
			events += result.events;
			contradictions += result.contradictions;
			tp_buf_release(&bytes);
		}
		rec_testing_end(&t);
	}
	/* It was worth the trouble. */
	assert_true(events > n * 50 && contradictions > n);
}

/* Records in any number of parts: after each of them what is written can be read. */
static void write_parts(const struct rec_process *whole, uint64_t seed,
			enum rec_trace_format format)
{
	const char *name = format == REC_GO_1_5 ? "1.5, in parts" : "1.26, in parts";
	struct tp_buf bytes = {0};
	struct tp_out out = {.write = collect, .ctx = &bytes};
	struct rec_process p = *whole;
	struct tp_err err = {0};
	struct rec_tracer *t = rec_trace_new(format, &out, &err);
	uint64_t until = 1000000000;
	size_t n = 0, done;

	assert_non_null(t);
	for (bool last = false; !last;) {
		last = !draw(6);
		until += draw((whole->end_ns - 1000000000) / 4 + 2);
		/* Some have not come yet. */
		while (n < whole->nevents && (last || whole->events[n].end <= until || draw(2)))
			n++;
		p.nevents = n - (size_t)(p.events - whole->events);
		if (rec_trace_add(t, &p, last ? UINT64_MAX : until, &done, NULL, &err))
			fail_msg("soup %d as %s: %s", (int)seed, name, err.msg);
		p.events += done;
		read_back(&bytes, seed, name);
	}
	rec_trace_free(t);
	tp_buf_release(&bytes);
}

static void test_trace_write_parts(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct rec_testing t;
		struct tp_err err;
		size_t wrong;

		cook(&t, seed);
		assert_int_equal(rec_process_check(&t.process, &wrong, &err), 0);
		/* The library knows no switches. */
		t.process.switches = NULL;
		t.process.arena.header->options.cpu_time = seed & 1;
		for (int format = REC_GO_1_26; format <= REC_GO_1_5; format++)
			write_parts(&t.process, seed, (enum rec_trace_format)format);
		rec_testing_end(&t);
	}
}

static void add_thread_event(struct rec_testing *t, uint16_t kind, uint32_t g, uint64_t time)
{
	rec_testing_add(
	    t, (struct rec_event){
		   .kind = kind, .g = g, .m = g, .start = time, .end = time, .object = 5000 + g});
}

/* Threads that come and go take no room for ever. */
static void test_trace_parts_forget(void **state)
{
	enum { THREADS = 5000, PARTS = 50 };

	(void)state;
	for (int format = REC_GO_1_26; format <= REC_GO_1_5; format++) {
		struct rec_testing t;
		struct tp_buf bytes = {0};
		struct tp_out out = {.write = collect, .ctx = &bytes};
		struct tp_err err = {0};
		struct rec_tracer *tracer =
		    rec_trace_new((enum rec_trace_format)format, &out, &err);
		struct rec_process p;
		size_t wrong, done;

		rec_testing_begin(&t);
		for (uint32_t i = 0; i < THREADS; i++) {
			add_thread_event(&t, REC_THREAD_START, i + 2, 1000000000 + 1000 * i);
			add_thread_event(&t, REC_THREAD_END, i + 2, 1000000500 + 1000 * i);
		}
		t.process.end_ns = 1000000000 + 1000 * THREADS;
		assert_int_equal(rec_process_check(&t.process, &wrong, &err), 0);
		p = t.process;
		for (uint64_t i = 1; i <= PARTS; i++) {
			uint64_t until = 1000000000 + 1000 * THREADS / PARTS * i;

			p.nevents = 2 * THREADS / PARTS * i - (size_t)(p.events - t.process.events);
			assert_int_equal(rec_trace_add(tracer, &p, i < PARTS ? until : UINT64_MAX,
						       &done, NULL, &err),
					 0);
			p.events += done;
		}
		assert_in_range(tracer->nms, 1, 6 * THREADS / PARTS);
		assert_in_range(tracer->ngs, 1, 6 * THREADS / PARTS);
		assert_in_range(read_back(&bytes, 0, "many threads"), 5 * THREADS, 50 * THREADS);
		rec_trace_free(tracer);
		tp_buf_release(&bytes);
		rec_testing_end(&t);
	}
}

/* A thread that is forgotten has no index; lists by index leave it out. */
static void test_tracer_forgotten_thread(void **state)
{
	struct tp_buf bytes = {0};
	const struct tp_out out = {.write = collect, .ctx = &bytes};
	struct tp_err err;
	struct rec_tracer *s = rec_trace_new(REC_GO_1_26, &out, &err);

	(void)state;
	assert_non_null(s);
	rec_tracer_g(s, 5)->state = REC_G_DEAD;
	assert_int_equal(rec_tracer_known_m(s, 5), TP_NO_ID);
	rec_tracer_m(s, 5)->own = rec_index_of_g(s, rec_tracer_g(s, 5)) + 1;
	assert_true(rec_tracer_known_m(s, 5) < s->nms);
	for (int i = 0; i < 3; i++)
		rec_tracer_forget(s);
	assert_int_equal(rec_tracer_known_m(s, 5), TP_NO_ID);
	rec_trace_free(s);
	tp_buf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trace_write_soup),
	    cmocka_unit_test(test_trace_write_parts),
	    cmocka_unit_test(test_trace_parts_forget),
	    cmocka_unit_test(test_tracer_forgotten_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
