/* For make msan: decodes and orders the files given, as Go's reader would and leniently, and prints
 * a sum over every byte of what came of each. A byte that nobody wrote makes the sum one, too,
 * which is when MemorySanitizer speaks. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "decode/profile.h"
#include "decode/profile/encode.h"
#include "open/input.h"
#include "order/listing.h"
#include "order/read.h"

struct sum {
	const struct tp_trace *trace;
	struct tp_buf text;
	uint64_t sum;
};

static void add(struct sum *s, const void *data, size_t size)
{
	const uint8_t *byte = data;

	for (size_t i = 0; i < size; i++)
		s->sum = (s->sum ^ byte[i]) * 0x100000001b3u;
}

static void add_text(struct sum *s, const char *text)
{
	add(s, text, strlen(text));
}

static int add_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct sum *s = ctx;
	const struct tp_trace *t = s->trace;
	const struct tp_listing listing = {
	    .dict = t->dict,
	    .g_id = t->g_id,
	    .m_id = t->m_id,
	    .p_id = t->p_id,
	    .ng = t->ng,
	    .nm = t->nm,
	    .np = t->np,
	};

	for (size_t i = 0; i < n; i++) {
		s->text.size = 0;
		if (tp_listing_line(&listing, &ev[i], &s->text))
			return tp_nomem(err);
		add(s, s->text.data, s->text.size);
	}
	return 0;
}

static void add_trace(struct sum *s, struct tp_input *in, bool strict)
{
	struct tp_trace_options opt = {.strict = strict};
	struct tp_sink sink = {.events = add_events, .ctx = s};
	struct tp_trace trace;
	struct tp_err err;
	int code;

	s->trace = &trace;
	code = tp_trace_read(in, &opt, &trace, &sink, &err);
	if (code)
		add_text(s, err.msg);
	add(s, trace.g_id, trace.ng * sizeof(*trace.g_id));
	for (size_t i = 0; i < trace.nlosses; i++)
		add_text(s, trace.losses[i].reason);
	tp_trace_release(&trace);
}

static void add_profile(struct sum *s, struct tp_input *in)
{
	struct tp_profile *p = NULL;
	struct tp_err err;

	if (tp_profile_read(in->data, in->size, NULL, &p, &err)) {
		add_text(s, err.msg);
		return;
	}
	s->text.size = 0;
	if (!tp_profile_encode(p, NULL, &s->text, &err))
		add(s, s->text.data, s->text.size);
	add(s, p->value, p->nsamples * p->ntypes * sizeof(*p->value));
	tp_profile_free(p);
}

/* Not by printf, which is not looked into. */
static void print(const char *path, uint64_t sum)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		putchar("0123456789abcdef"[sum >> shift & 15]);
	printf("  %s\n", path);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct sum s = {.sum = 0xcbf29ce484222325u};
		struct tp_input *in;
		struct tp_err err;
		char damaged[160] = "";

		if (tp_input_open(&in, argv[i], NULL, damaged, &err)) {
			printf("%s: %s\n", argv[i], err.msg);
			continue;
		}
		if (!tp_input_hash(in, NULL, &err))
			add(&s, in->hash, sizeof(in->hash));
		add_trace(&s, in, true);
		add_trace(&s, in, false);
		add_profile(&s, in);
		tp_input_close(in);
		tp_buf_release(&s.text);
		print(argv[i], s.sum);
	}
	return 0;
}
