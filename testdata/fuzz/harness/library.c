/* The library as programs use it, by tprof.h: what it has of a dump it has of the dump's run in a store. */
#include <string.h>

#include "fuzz.h"
#include "tprof.h"

static void add(uint64_t *sum, uint64_t number)
{
	*sum = (*sum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	*sum ^= *sum >> 29;
}

static void add_text(uint64_t *sum, const char *text, size_t size)
{
	add(sum, fuzz_hash((const uint8_t *)text, size));
}

static void add_stack(uint64_t *sum, struct tprof *t, uint32_t stack)
{
	const struct tprof_frame *f;

	while ((f = tprof_next_frame(t, &stack))) {
		add_text(sum, f->function, strlen(f->function));
		add_text(sum, f->module, strlen(f->module));
		add(sum, (uint64_t)f->line ^ f->address);
	}
}

static void add_event(uint64_t *sum, struct tprof *t, const struct tprof_event *ev)
{
	add(sum, (uint64_t)ev->ts_ns);
	add(sum, (uint64_t)ev->goroutine ^ (uint64_t)ev->m << 20 ^ (uint64_t)ev->p << 40);
	add(sum, (uint64_t)ev->type ^ (uint64_t)ev->subject << 8);
	add(sum, ev->arg[0] ^ ev->arg[1] << 20 ^ ev->arg[2] << 40);
	add_text(sum, ev->name, strlen(ev->name));
	add_text(sum, ev->text, ev->text_size);
	add_text(sum, ev->message, ev->message_size);
	add_stack(sum, t, ev->stack);
	add_stack(sum, t, ev->subject_stack);
}

static void add_span(uint64_t *sum, struct tprof *t, const struct tprof_span *s)
{
	add(sum, (uint64_t)s->start_ns ^ (uint64_t)s->end_ns << 32);
	add(sum, (uint64_t)s->goroutine ^ (uint64_t)s->waker << 20 ^ (uint64_t)s->state << 40);
	add_text(sum, s->reason, strlen(s->reason));
	add_stack(sum, t, s->stack);
	add_stack(sum, t, s->waker_stack);
}

static void add_goroutine(uint64_t *sum, struct tprof *t, const struct tprof_goroutine *g)
{
	add(sum, (uint64_t)g->id ^ (uint64_t)g->life << 32 ^ (uint64_t)g->parent << 40);
	add(sum, (uint64_t)g->running_ns ^ (uint64_t)g->total_ns << 32);
	add_text(sum, g->name, strlen(g->name));
	add_stack(sum, t, g->create_stack);
}

static void add_sample(uint64_t *sum, struct tprof *t, const struct tprof_sample *s)
{
	const struct tprof_label *l;

	for (size_t i = 0; tprof_sample_type(t, i); i++)
		add(sum, (uint64_t)s->value[i]);
	for (size_t i = 0; (l = tprof_label(t, i)); i++)
		add_text(sum, l->key, strlen(l->key));
	add_stack(sum, t, s->stack);
}

#define ADD_ALL(next, type, add_one)                                                               \
	do {                                                                                       \
		const struct type *item;                                                           \
		int more;                                                                          \
		while ((more = next(t, &item, &err)) == 1)                                         \
			add_one(&sum, t, item);                                                    \
		MUST(!item && (!more || (err.code == more && *err.text)));                         \
		failed |= more < 0;                                                                \
		tprof_rewind(t);                                                                   \
	} while (0)

/* Everything there is to read; false where some of it cannot be. */
static bool read_all(const char *path, int64_t run, uint64_t *out)
{
	struct tprof_options opt = TPROF_OPTIONS_INIT;
	const struct tprof_notice *n;
	struct tprof_err err;
	struct tprof *t;
	uint64_t sum = 0;
	bool failed = false;

	opt.run = run;
	if (tprof_open(&t, path, &opt, &err)) {
		MUST(!t && err.code < 0 && *err.text);
		return false;
	}
	if (tprof_info(t)->kind == TPROF_PROFILE) {
		ADD_ALL(tprof_next_sample, tprof_sample, add_sample);
	} else {
		ADD_ALL(tprof_next, tprof_event, add_event);
		ADD_ALL(tprof_next_span, tprof_span, add_span);
		ADD_ALL(tprof_next_goroutine, tprof_goroutine, add_goroutine);
	}
	for (size_t i = 0; (n = tprof_notice(t, i)); i++)
		MUST(*n->text);
	tprof_close(t);
	*out = sum;
	return !failed;
}

void fuzz_library(const struct fuzz_store *f, const uint8_t *data, size_t size)
{
	uint64_t stored, dump;
	bool whole = read_all(f->path, f->result.run, &stored);

	MUST(whole || f->hostile);
	if (!f->hostile)
		MUST(read_all(fuzz_file("dump", data, size), 0, &dump) && dump == stored);
}
