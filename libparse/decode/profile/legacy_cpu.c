/* The binary CPU profile of gperftools and of old Go releases (pprof: parseCPU), words of 4 or 8
 * bytes in either order:
 *
 *   WORDS          MEANING
 *   0, 3, K, P, 0  header: K 0 for C++ and Go, 1 for Java; P the period in microseconds
 *   N, D, A × D    a stack of D addresses from the leaf on that was seen N times; …
 *   0, 1, 0        the end
 *   text           mappings (Java: names of the addresses)
 * Addresses above the leaf are return addresses and are decremented. If nearly all stacks have the
 * same second frame, it is the signal handler's and is removed, up to two times. */
#include <string.h>

#include "decode/profile/legacy.h"

struct reader {
	struct tp_words words;
	size_t at;
};

static bool take(const struct tp_legacy *l, struct reader *r, uint64_t *word)
{
	if (l->size - r->at < r->words.bytes)
		return false;
	*word = tp_word(l->data + r->at, &r->words);
	r->at += r->words.bytes;
	return true;
}

static int cut(struct tp_legacy *l, size_t from, uint64_t samples, const char *why)
{
	struct tp_loss loss = {.offset = from, .bytes = l->size - from, .events = samples};

	return tp_profile_lose(l->p, l->err, l->strict ? TP_ETRUNC : 0, loss, "%s", why);
}

/* Reads a sample; sets *more to false after the last one. */
static int read_sample(struct tp_legacy *l, struct reader *r, uint64_t back, bool *more)
{
	uint64_t count = 0, depth = 0, address = 0;
	int64_t value[TP_LEGACY_VALUES];
	size_t from = r->at;
	int code = 0;

	*more = false;
	if (from == l->size)
		return l->body ? 0 : cut(l, from, 0, "ends without the words that end the samples");
	if (!take(l, r, &count) || !take(l, r, &depth) ||
	    depth > (l->size - r->at) / r->words.bytes) {
		r->at = l->size;
		return cut(l, from, 1, "ends, or is damaged, in the middle of a stack");
	}
	if (!count && depth == 1 && !tp_word(l->data + r->at, &r->words)) {
		r->at += r->words.bytes;
		return 0;
	}
	*more = true;
	for (uint64_t i = 0; i < depth && !code; i++) {
		take(l, r, &address);
		code = tp_legacy_push(l, i ? address - back : address);
	}
	value[0] = (int64_t)count;
	value[1] = (int64_t)(count * (uint64_t)l->p->period);
	return code ? code : tp_legacy_end_sample(l, value, 0);
}

/* Removes the address that is second on nearly all stacks. Returns false if there is none. */
static bool strip_handler(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;
	size_t n = tp_legacy_nsamples(l), margin = n / 32, candidates = 0;
	uint32_t candidate = 0;
	bool common;

	/* Majority vote: finds the address that is second on more than half of them, if any. */
	for (size_t i = 0; i < n; i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);
		uint32_t second;

		if (s->n < 2)
			continue;
		second = stack[s->at + 1];
		if (!candidates)
			candidate = second;
		if (second == candidate)
			candidates++;
		else
			candidates--;
	}
	candidates = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);

		candidates += s->n > 1 && stack[s->at + 1] == candidate;
	}
	common = candidates && candidates >= n - margin;
	for (size_t i = 0; i < n && common; i++) {
		struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);

		if (s->n > 1 && stack[s->at + 1] == candidate)
			tp_legacy_strip_second(l, s);
	}
	return common;
}

int tp_legacy_cpu(struct tp_legacy *l)
{
	bool java = l->kind == TP_KIND_JAVA_CPU, more = true, timed;
	struct reader r = {0};
	uint64_t period = 0;
	int code = tp_legacy_period_type(l, "cpu", "nanoseconds");

	tp_kind_of_words(l->data + l->body, l->size - l->body, &r.words, &period);
	r.at = l->body + (size_t)5 * r.words.bytes;
	/* google-pprof --raw writes the period 1, and no words at the end. */
	timed = !l->body || period != 1;
	l->p->period = (int64_t)(period * 1000);
	if (!code)
		code = tp_legacy_add_type(l, "samples", "count");
	if (!code && timed)
		code = tp_legacy_add_type(l, "cpu", "nanoseconds");
	if (!code && !timed)
		code = tp_legacy_fail(
		    l,
		    tp_profile_add_notice(l->p, TP_INFO, TP_OFFSET_NONE,
					  "does not say how often it was sampled, so samples are "
					  "counted and have no time"));
	while (!code && more)
		code = read_sample(l, &r, java || l->body ? 0 : 1, &more);
	if (code)
		return code;
	l->lines = tp_lines(l->data, l->size);
	l->lines.next += r.at;
	if (java)
		return tp_legacy_java_names(l);
	for (int i = 0; i < 2; i++)
		if (!strip_handler(l))
			break;
	return tp_legacy_read_maps(l);
}
