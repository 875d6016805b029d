/* What reports write, and what may not be in it. */
#include "fuzz.h"

uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 29;
}

unsigned fuzz_pick(uint64_t *pick, unsigned n)
{
	/* Knuth's multiplier for such generators; the high bits are the good ones. */
	*pick = *pick * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*pick >> 33) % n);
}

bool fuzz_replays;

bool fuzz_goes_on(uint64_t hash)
{
	return fuzz_replays || !(hash >> 40 & 3);
}

/* What is around a byte, to find out who wrote it. */
static void show(const struct tp_buf *text, size_t at)
{
	size_t from = at > 60 ? at - 60 : 0;

	for (size_t i = from; i < text->size && i < from + 80; i++) {
		if (text->data[i] >= 32 && text->data[i] < 127)
			fputc(text->data[i], stderr);
		else
			fprintf(stderr, "\\x%02x", text->data[i]);
	}
	fputc('\n', stderr);
}

void fuzz_printable(const struct tp_buf *text)
{
	for (size_t i = 0; i < text->size; i++) {
		uint8_t c = text->data[i];

		/* Lines of CSV end in two. */
		if (c == '\r' && i + 1 < text->size && text->data[i + 1] == '\n')
			continue;
		if ((c < 32 && c != '\n' && c != '\t') || c == 127) {
			show(text, i);
			MUST(c == ' ');
		}
	}
}

struct rep_output *fuzz_paper(struct tp_buf *text, uint64_t *pick, bool several)
{
	const struct rep_output_options how = {
	    .format = (enum rep_format)fuzz_pick(pick, REP_NFORMATS),
	    .width = fuzz_pick(pick, 3) * 40,
	    .ascii = fuzz_pick(pick, 4) == 0,
	    .several = several,
	    .sink = rep_sink_buf(text),
	};
	struct rep_output *out;
	struct tp_err err;

	MUST(!rep_output_new(&out, &how, &err));
	return out;
}

void fuzz_paper_end(struct rep_output *out, struct tp_buf *text, int code, const struct tp_err *err)
{
	struct tp_err why;

	if (code)
		MUST_SAY(*err);
	else
		MUST(!rep_output_finish(out, &why));
	rep_output_free(out);
	fuzz_printable(text);
	tp_buf_release(text);
}
