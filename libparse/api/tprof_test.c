/* Uses the library as programs do, through its one header. */
#include "tprof.h"

#include <inttypes.h>

#include "base/many.h"
#include "store/testing.h"

static const char *const traces[] = {
    "testdata/checkout.trace",
    "testdata/checkout-cut.trace",
    "testdata/checkout-1.19.trace.gz",
    "testdata/checkout-1.19-cut.trace",
    "testdata/counter-1.5.trace",
    "testdata/callbacks.trace",
    "testdata/corpus/broken/middle-1.27.trace",
};
static const char *const profiles[] = {
    "testdata/catalog.heap",
    "testdata/catalog.cpu",
    "testdata/corpus/profiles/stuck-1.19.heap.d1",
    "testdata/corpus/profiles/stuck-1.27.goroutine.d2",
    "testdata/corpus/profiles/odd-labels.pb",
};

static struct tprof *open_or_fail(const char *path)
{
	struct tprof *t;
	struct tprof_err err;

	if (tprof_open(&t, path, NULL, &err))
		fail_msg("%s: %s", path, err.text);
	return t;
}

/* Imports a dump into a new store and opens the store. */
static struct tprof *import_and_open(const char *dump)
{
	const char *store = at("s.tprof");
	struct tprof_err err;
	int64_t run = -1;

	unlink(store);
	if (tprof_import(dump, store, NULL, &run, &err))
		fail_msg("%s: %s", dump, err.text);
	assert_int_equal(run, 1);
	return open_or_fail(store);
}

/* ---- everything the library returns, as text ---- */

static void write_stack(FILE *out, struct tprof *t, uint32_t stack)
{
	const struct tprof_frame *f;

	while ((f = tprof_next_frame(t, &stack)))
		fprintf(out, " %s %s:%" PRId64 " %" PRIx64 " %s %d", f->function, f->file, f->line,
			f->address, f->module, f->inlined);
	fputc('\n', out);
}

static void write_event(FILE *out, struct tprof *t, const struct tprof_event *ev)
{
	fprintf(out, "%" PRId64 " g%" PRId64 " m%" PRId64 " p%" PRId64 " %s %d %" PRId64, ev->ts_ns,
		ev->goroutine, ev->m, ev->p, ev->name, ev->type, ev->subject);
	fprintf(out, " %s-%s '", tprof_state_name(ev->from), tprof_state_name(ev->to));
	fwrite(ev->text, 1, ev->text_size, out);
	fwrite(ev->message, 1, ev->message_size, out);
	fprintf(out, "' %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d", ev->arg[0], ev->arg[1],
		ev->arg[2], ev->inferred, ev->lost);
	write_stack(out, t, ev->stack);
	write_stack(out, t, ev->subject_stack);
}

static void write_span(FILE *out, struct tprof *t, const struct tprof_span *s)
{
	fprintf(out, "%" PRId64 " %" PRId64 " g%" PRId64 " %s '%s' m%" PRId64 " p%" PRId64,
		s->start_ns, s->end_ns, s->goroutine, tprof_state_name(s->state), s->reason, s->m,
		s->p);
	fprintf(out, " waker %" PRId64 " %d %d", s->waker, s->open, s->inferred);
	write_stack(out, t, s->stack);
	write_stack(out, t, s->waker_stack);
}

static void write_goroutine(FILE *out, struct tprof *t, const struct tprof_goroutine *g)
{
	fprintf(out, "g%" PRId64 "/%d %s of g%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, g->id,
		g->life, g->name, g->parent, g->created_ns, g->started_ns, g->ended_ns);
	fprintf(out, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
		g->total_ns, g->running_ns, g->runnable_ns, g->blocked_ns, g->syscall_ns,
		g->syscall_blocked_ns);
	fprintf(out, " %" PRId64 " %s", g->lost_ns, tprof_state_name(g->last_state));
	write_stack(out, t, g->create_stack);
}

static void write_sample(FILE *out, struct tprof *t, const struct tprof_sample *s)
{
	const struct tprof_label *l;

	for (size_t i = 0; tprof_sample_type(t, i); i++)
		fprintf(out, "%" PRId64 " %s %s, ", s->value[i], tprof_sample_type(t, i)->type,
			tprof_sample_type(t, i)->unit);
	for (size_t i = 0; (l = tprof_label(t, i)); i++)
		fprintf(out, "%s=%s %" PRId64 " %s, ", l->key, l->text ? l->text : "(number)",
			l->number, l->unit);
	write_stack(out, t, s->stack);
}

static void write_notices(FILE *out, struct tprof *t)
{
	const struct tprof_notice *n;

	for (size_t i = 0; (n = tprof_notice(t, i)); i++)
		fprintf(out, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %s\n",
			(int)n->severity, n->offset, n->bytes, n->events, n->from_ns, n->to_ns,
			n->text);
}

static void write_info(FILE *out, struct tprof *t)
{
	const struct tprof_info *info = tprof_info(t);

	fprintf(out, "%d %s %" PRId64 " %" PRId64 " %" PRId64 " %d\n", (int)info->kind,
		info->format, info->wall_ns, info->duration_ns, info->events, info->ticks);
}

#define WRITE_ALL(next, type, write)                                                               \
	do {                                                                                       \
		const struct type *item;                                                           \
		while ((more = next(t, &item, NULL)) == 1)                                         \
			write(out, t, item);                                                       \
		assert_null(item);                                                                 \
		assert_int_equal(next(t, &item, NULL), more);                                      \
	} while (0)

/* Returns everything that can be read as text, which the caller frees. */
static char *all_of(struct tprof *t)
{
	char *text;
	size_t size;
	int more;
	FILE *out = open_memstream(&text, &size);

	if (tprof_info(t)->kind == TPROF_PROFILE) {
		WRITE_ALL(tprof_next_sample, tprof_sample, write_sample);
	} else {
		WRITE_ALL(tprof_next, tprof_event, write_event);
		tprof_rewind(t);
		WRITE_ALL(tprof_next_span, tprof_span, write_span);
		tprof_rewind(t);
		WRITE_ALL(tprof_next_goroutine, tprof_goroutine, write_goroutine);
	}
	assert_int_equal(more, 0);
	write_info(out, t);
	write_notices(out, t);
	fclose(out);
	return text;
}

static void compare(const char *path)
{
	struct tprof *dump = open_or_fail(path), *stored = import_and_open(path);
	char *a = all_of(dump), *b = all_of(stored), *again;

	if (strcmp(a, b)) {
		size_t same = 0;

		while (a[same] == b[same])
			same++;
		fail_msg("%s: dump and store differ at %zu:\n%.200s\n%.200s", path, same, a + same,
			 b + same);
	}
	assert_null(tprof_db(dump));
	assert_non_null(tprof_db(stored));
	tprof_rewind(dump);
	tprof_rewind(stored);
	again = all_of(dump);
	assert_string_equal(a, again);
	free(again);
	again = all_of(stored);
	assert_string_equal(a, again);
	free(again);
	free(a);
	free(b);
	tprof_close(dump);
	tprof_close(stored);
}

/* A dump and its run in a store give the same text, and again after rewinding. */
static void test_tprof_traces(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(traces); i++)
		compare(traces[i]);
}

static void test_tprof_profiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(profiles); i++)
		compare(profiles[i]);
}

/* ---- numbers known from elsewhere ---- */

static int64_t ask_db(struct tprof *t, const char *sql)
{
	sqlite3_stmt *s;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(tprof_db(t), sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

/* Counts and sums of events, spans and goroutines equal those that SQL computes from the store. */
static void test_tprof_as_sql(void **state)
{
	struct tprof *t = import_and_open("testdata/checkout.trace");
	const struct tprof_event *ev;
	const struct tprof_span *span;
	const struct tprof_goroutine *g;
	int64_t events = 0, blocks = 0, ts = 0, ids = 0, spans = 0, waits = 0, ran = 0;

	(void)state;
	while (tprof_next(t, &ev, NULL) == 1) {
		events++;
		blocks += ev->type == TPROF_EV_GO_BLOCK;
		ts += ev->ts_ns;
		if (ev->goroutine != TPROF_NONE)
			ids += ev->goroutine;
	}
	assert_int_equal(events, 32058);
	assert_int_equal(events, ask_db(t, "SELECT count(*) FROM event"));
	assert_int_equal(blocks, ask_db(t, "SELECT count(*) FROM event WHERE type = 'GoBlock'"));
	assert_int_equal(ts, ask_db(t, "SELECT sum(ts_ns) FROM event"));
	assert_int_equal(ids, ask_db(t, "SELECT sum(goroutine) FROM event"));
	tprof_rewind(t);
	while (tprof_next_span(t, &span, NULL) == 1) {
		spans++;
		if (span->state == TPROF_ST_WAITING && !strcmp(span->reason, "chan receive"))
			waits += span->end_ns - span->start_ns;
	}
	assert_int_equal(spans, ask_db(t, "SELECT count(*) FROM span"));
	assert_int_equal(waits, ask_db(t, "SELECT sum(end_ns - start_ns) FROM span "
					  "WHERE state = 'Waiting' AND reason = 'chan receive'"));
	tprof_rewind(t);
	while (tprof_next_goroutine(t, &g, NULL) == 1)
		if (!strcmp(g->name, "main.main"))
			ran += g->running_ns;
	assert_int_equal(ran,
			 ask_db(t, "SELECT running_ns FROM goroutine WHERE name = 'main.main'"));
	tprof_close(t);
}

/* A heap profile as text: allocated bytes by the function that allocated them. */
static void test_tprof_text_profile(void **state)
{
	struct tprof *t = open_or_fail("testdata/corpus/profiles/stuck-1.19.heap.d1");
	const struct tprof_sample *s;
	const struct tprof_frame *f;
	int64_t sum = 0, of_main = 0, samples = 0;

	(void)state;
	assert_string_equal(tprof_info(t)->format, "heap text");
	assert_string_equal(tprof_sample_type(t, 1)->type, "space");
	assert_string_equal(tprof_sample_type(t, 1)->unit, "bytes");
	assert_null(tprof_sample_type(t, 2));
	while (tprof_next_sample(t, &s, NULL) == 1) {
		bool here = false;

		samples++;
		sum += s->value[1];
		for (uint32_t stack = s->stack; (f = tprof_next_frame(t, &stack));)
			here |= !strncmp(f->function, "main.", 5);
		of_main += here ? s->value[1] : 0;
	}
	assert_int_equal(samples, tprof_info(t)->events);
	assert_true(sum > 0 && of_main > 0 && of_main <= sum);
	tprof_close(t);
	t = import_and_open("testdata/corpus/profiles/stuck-1.19.heap.d1");
	assert_int_equal(sum, ask_db(t, "SELECT sum(value) FROM bucket_value WHERE type = 1"));
	tprof_close(t);
}

/* Labels belong to the sample that was returned last; before the first sample every label is NULL. */
static void test_tprof_labels(void **state)
{
	struct tprof *t = open_or_fail("testdata/corpus/profiles/odd-labels.pb");
	struct tprof *trace = open_or_fail(traces[0]);
	const struct tprof_sample *s;
	size_t texts = 0, numbers = 0;

	(void)state;
	assert_null(tprof_label(t, 0));
	assert_null(tprof_label(trace, 0));
	while (tprof_next_sample(t, &s, NULL) == 1) {
		const struct tprof_label *l;
		size_t n = 0;

		for (; (l = tprof_label(t, n)); n++) {
			assert_true(*l->key);
			texts += l->text != NULL;
			numbers += !l->text;
		}
		assert_null(tprof_label(t, n));
		assert_null(tprof_label(t, SIZE_MAX));
	}
	assert_true(texts > 0 && numbers > 0);
	tprof_rewind(t);
	assert_null(tprof_label(t, 0));
	tprof_close(t);
	tprof_close(trace);
}

/* An unknown frame (all 0 in the file) does not end a stack. */
static void test_tprof_unknown_frame(void **state)
{
	(void)state;
	for (int stored = 0; stored < 2; stored++) {
		struct tprof *t = stored ? import_and_open("testdata/unknown-frame.trace")
					 : open_or_fail("testdata/unknown-frame.trace");
		const char *const names[] = {"main.leaf", "", "main.main"};
		const struct tprof_event *ev;
		const struct tprof_frame *f;
		size_t blocks = 0;

		while (tprof_next(t, &ev, NULL) == 1) {
			uint32_t stack = ev->stack;
			size_t n = 0;

			if (ev->type != TPROF_EV_GO_BLOCK)
				continue;
			for (blocks++; (f = tprof_next_frame(t, &stack)); n++) {
				assert_true(n < TP_COUNT_OF(names));
				assert_string_equal(f->function, names[n]);
			}
			assert_int_equal(n, TP_COUNT_OF(names));
			assert_int_equal(stack, 0);
		}
		assert_int_equal(blocks, 1);
		tprof_close(t);
	}
}

/* ---- damage ---- */

/* Appends batches of 40 Ms to a trace. Each batch has an event whose varint is too long. */
static const char *damage(const char *from)
{
	static const uint8_t event[] = {0x14, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const char *path = at("damaged.trace");
	FILE *out;

	copy_file(from, path);
	out = fopen(path, "ab");
	assert_non_null(out);
	for (uint8_t m = 20; m < 60; m++) {
		const uint8_t head[] = {1, 1, m, 100, sizeof(event)};

		fwrite(head, sizeof(head), 1, out);
		fwrite(event, sizeof(event), 1, out);
	}
	assert_int_equal(fclose(out), 0);
	return path;
}

/* The first notice stays the same while reading goes on and finds many more. Rewinding drops all notices and
 * the facts about the trace that were known at its end. */
static void test_tprof_many_notices(void **state)
{
	struct tprof *t = open_or_fail(damage("testdata/unknown-frame.trace"));
	const struct tprof_notice *first = NULL;
	const struct tprof_event *ev;
	char text[200] = "";
	uint64_t offset = 0;
	size_t n = 0;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		size_t before = n;

		first = NULL;
		assert_null(tprof_notice(t, 0));
		assert_true(tprof_info(t)->wall_ns == TPROF_UNKNOWN);
		assert_int_equal(tprof_info(t)->events, 0);
		assert_int_equal(tprof_info(t)->duration_ns, 0);
		assert_int_equal(tprof_info(t)->kind, TPROF_TRACE);
		assert_string_equal(tprof_info(t)->format, "go 1.22");
		while (tprof_next(t, &ev, NULL) == 1) {
			if (first)
				continue;
			first = tprof_notice(t, 0);
			if (first) {
				offset = first->offset;
				snprintf(text, sizeof(text), "%s", first->text);
			}
		}
		assert_non_null(first);
		assert_string_equal(first->text, text);
		assert_true(first->offset == offset);
		for (n = 0; tprof_notice(t, n);)
			n++;
		assert_true(n > 16 && (!twice || n == before));
		assert_true(tprof_info(t)->events > 0 && tprof_info(t)->duration_ns > 0);
		tprof_rewind(t);
	}
	tprof_close(t);
}

/* At the end, a notice gives the place, size and time of a loss; a sound trace has no notices. */
static void test_tprof_losses(void **state)
{
	struct tprof *t = open_or_fail("testdata/corpus/broken/middle-1.27.trace");
	const struct tprof_notice *n;
	const struct tprof_event *ev;

	(void)state;
	while (tprof_next(t, &ev, NULL) == 1)
		continue;
	n = tprof_notice(t, 0);
	assert_non_null(n);
	assert_int_equal(n->severity, TPROF_LOSS);
	assert_int_equal(n->offset, 45970);
	assert_int_equal(n->bytes, 1742);
	assert_int_equal(n->from_ns, 2666001536);
	assert_int_equal(n->to_ns, TPROF_UNKNOWN);
	assert_string_equal(n->text, "generation 3, batch of M 18601: varint overflow");
	tprof_close(t);

	t = open_or_fail("testdata/checkout.trace");
	while (tprof_next(t, &ev, NULL) == 1)
		continue;
	assert_null(tprof_notice(t, 0));
	tprof_close(t);
}

/* Strict reading returns the events before the damage, then the error, again at each call. */
static void test_tprof_strict(void **state)
{
	struct tprof_options opt = TPROF_OPTIONS_INIT;
	struct tprof_err err = {0}, again = {0};
	const struct tprof_event *ev;
	struct tprof *t;
	int events = 0, more;

	(void)state;
	opt.strict = true;
	assert_int_equal(tprof_open(&t, "testdata/checkout-1.19-cut.trace", &opt, &err), 0);
	while ((more = tprof_next(t, &ev, &err)) == 1)
		events++;
	assert_int_equal(more, TPROF_EFORMAT);
	assert_int_equal(err.code, more);
	assert_true(*err.text);
	assert_int_equal(tprof_next(t, &ev, &again), more);
	assert_string_equal(again.text, err.text);
	tprof_close(t);

	assert_int_equal(tprof_open(&t, "testdata/checkout-cut.trace", &opt, &err), 0);
	while ((more = tprof_next(t, &ev, &err)) == 1)
		events++;
	assert_int_equal(more, TPROF_ETRUNC);
	assert_true(events > 0 && err.offset != TPROF_NOWHERE);
	tprof_close(t);
}

/* ---- uses by programs ---- */

static void test_tprof_closed_early(void **state)
{
	(void)state;
	for (int stored = 0; stored < 2; stored++)
		for (int items = 0; items < 20000; items = items * 7 + 1) {
			struct tprof *t =
			    stored ? import_and_open(traces[0]) : open_or_fail(traces[0]);
			const struct tprof_event *ev;
			const struct tprof_span *span;

			for (int i = 0; i < items; i++)
				assert_int_equal(tprof_next(t, &ev, NULL), 1);
			tprof_rewind(t);
			for (int i = 0; i < items; i++)
				assert_int_equal(tprof_next_span(t, &span, NULL), 1);
			tprof_close(t);
		}
	tprof_close(NULL);
}

/* Reads several handles in turn. */
static void test_tprof_together(void **state)
{
	struct tprof *t[3] = {open_or_fail(traces[0]), open_or_fail(traces[0]),
			      import_and_open(traces[0])};
	const struct tprof_event *ev[3];
	int more = 1;

	(void)state;
	while (more) {
		more = tprof_next(t[0], &ev[0], NULL);
		for (int i = 1; i < 3; i++) {
			assert_int_equal(tprof_next(t[i], &ev[i], NULL), more);
			if (more)
				assert_int_equal(ev[i]->ts_ns, ev[0]->ts_ns);
		}
	}
	for (int i = 0; i < 3; i++)
		tprof_close(t[i]);
}

static void test_tprof_misuse(void **state)
{
	struct tprof_options opt = TPROF_OPTIONS_INIT;
	struct {
		struct tprof_options opt;
		const char *more[2];
	} newer;
	const struct tprof_event *ev;
	const struct tprof_span *span;
	const struct tprof_sample *sample;
	struct tprof_err err = {0};
	struct tprof *t = open_or_fail(traces[0]);

	(void)state;
	assert_int_equal(tprof_next(t, &ev, NULL), 1);
	assert_int_equal(tprof_next_span(t, &span, &err), TPROF_EMISUSE);
	assert_string_equal(err.text, "testdata/checkout.trace: events are being read; call "
				      "tprof_rewind before you read spans");
	assert_int_equal(tprof_next_sample(t, &sample, &err), TPROF_EUNKNOWN);
	assert_int_equal(tprof_next(t, &ev, NULL), 1);
	tprof_rewind(t);
	assert_int_equal(tprof_next_span(t, &span, NULL), 1);
	tprof_close(t);

	t = open_or_fail("testdata/catalog.heap");
	assert_int_equal(tprof_next(t, &ev, &err), TPROF_EUNKNOWN);
	assert_string_equal(
	    err.text, "testdata/catalog.heap: this is a profile (pprof), not an execution trace");
	assert_int_equal(tprof_next_sample(t, &sample, NULL), 1);
	tprof_close(t);

	opt.size = 0;
	assert_int_equal(tprof_open(&t, traces[0], &opt, &err), TPROF_EMISUSE);
	assert_null(t);
	opt.size = SIZE_MAX;
	assert_int_equal(tprof_open(&t, traces[0], &opt, &err), TPROF_EMISUSE);
	/* A program whose header has more options than the library: first it leaves them 0, then it
	 * sets one. */
	memset(&newer, 0, sizeof(newer));
	newer.opt = (struct tprof_options)TPROF_OPTIONS_INIT;
	newer.opt.size = sizeof(newer);
	assert_int_equal(tprof_open(&t, traces[0], &newer.opt, &err), 0);
	tprof_close(t);
	newer.more[1] = "set";
	assert_int_equal(tprof_open(&t, traces[0], &newer.opt, &err), TPROF_EMISUSE);
	assert_non_null(strstr(err.text, "the options set one that libtprof"));
	assert_null(t);
	/* A program whose header has fewer options. */
	opt.size = offsetof(struct tprof_options, strict);
	assert_int_equal(tprof_open(&t, traces[0], &opt, &err), 0);
	tprof_close(t);
}

/* However long the path is, the message begins with it and keeps its end. */
static void test_tprof_long_path(void **state)
{
	static const char missing[] = "missing: No such file or directory";
	struct tprof_err err;
	struct tprof *t;
	int64_t run;
	char path[3000];

	(void)state;
	for (size_t n = 250; n + sizeof("missing") < sizeof(path); n += n < 400 ? 1 : 777) {
		for (size_t i = 0; i < n; i++)
			path[i] = i % 2 ? '/' : '.';
		strcpy(path + n, n % 2 ? "/missing" : "missing");
		memset(&err, 0xff, sizeof(err));
		assert_int_equal(tprof_open(&t, path, NULL, &err), TPROF_ENOENT);
		assert_memory_equal(err.text, "././", 4);
		assert_string_equal(strstr(err.text, "missing"), missing);
		assert_int_equal(tprof_import(path, at("s.tprof"), NULL, &run, &err), TPROF_ENOENT);
		assert_string_equal(strstr(err.text, "missing"), missing);
		for (size_t i = 0; i < TP_COUNT_OF(err.reserved); i++)
			assert_int_equal(err.reserved[i], 0);
	}
}

static int cancel(void *ctx, uint64_t done, uint64_t total)
{
	(void)done, (void)total;
	++*(int *)ctx;
	return 1;
}

static void test_tprof_cannot_open(void **state)
{
	struct tprof_options opt = TPROF_OPTIONS_INIT;
	const struct tprof_event *ev;
	struct tprof_err err = {0};
	struct tprof *t;
	int64_t run;
	int calls = 0, more;

	(void)state;
	assert_int_equal(tprof_open(&t, at("missing"), NULL, &err), TPROF_ENOENT);
	assert_null(t);
	assert_non_null(strstr(err.text, "/missing: No such file or directory"));
	assert_true(err.offset == TPROF_NOWHERE);
	assert_int_equal(tprof_open(&t, "testdata", NULL, NULL), TPROF_EUNKNOWN);
	assert_int_equal(tprof_open(&t, "Makefile", NULL, &err), TPROF_EUNKNOWN);
	assert_int_equal(tprof_import("Makefile", at("s.tprof"), NULL, &run, &err), TPROF_EUNKNOWN);

	tprof_close(import_and_open(traces[0]));
	opt.run = 2;
	assert_int_equal(tprof_open(&t, at("s.tprof"), &opt, &err), TPROF_ENOENT);
	assert_int_equal(tprof_import(traces[0], at("s.tprof"), NULL, &run, NULL), 1);
	assert_int_equal(run, 1);

	opt.run = 0;
	opt.progress = cancel;
	opt.ctx = &calls;
	assert_int_equal(tprof_open(&t, traces[0], &opt, &err), 0);
	while ((more = tprof_next(t, &ev, &err)) == 1)
		continue;
	assert_int_equal(more, TPROF_ECANCEL);
	assert_int_equal(calls, 1);
	tprof_close(t);
	assert_int_equal(tprof_import(traces[1], at("s.tprof"), &opt, &run, NULL), TPROF_ECANCEL);
}

/* Stores of all versions are read, the newest run unless the options name another. */
static void test_tprof_stores(void **state)
{
	struct tprof_options opt = TPROF_OPTIONS_INIT;
	struct tprof *t;

	(void)state;
	for (int version = 1; version <= 3; version++) {
		char path[64];

		snprintf(path, sizeof(path), "testdata/version-%d.store", version);
		for (opt.run = 0; opt.run <= 2; opt.run++) {
			assert_int_equal(tprof_open(&t, path, &opt, NULL), 0);
			assert_int_equal(tprof_info(t)->run, opt.run ? opt.run : 2);
			free(all_of(t));
			tprof_close(t);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    STORE_TEST(test_tprof_traces),	 STORE_TEST(test_tprof_profiles),
	    STORE_TEST(test_tprof_as_sql),	 STORE_TEST(test_tprof_text_profile),
	    STORE_TEST(test_tprof_labels),	 STORE_TEST(test_tprof_unknown_frame),
	    STORE_TEST(test_tprof_many_notices), STORE_TEST(test_tprof_losses),
	    STORE_TEST(test_tprof_strict),	 STORE_TEST(test_tprof_closed_early),
	    STORE_TEST(test_tprof_together),	 STORE_TEST(test_tprof_misuse),
	    STORE_TEST(test_tprof_long_path),	 STORE_TEST(test_tprof_cannot_open),
	    STORE_TEST(test_tprof_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
