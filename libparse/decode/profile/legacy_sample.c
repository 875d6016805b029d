/* Samples of the older formats while they are collected: stacks of places. */
#include <stdlib.h>
#include <string.h>

#include "decode/profile/legacy.h"

#define MAX_ENTRIES ((size_t)1 << 30)

size_t tp_legacy_nsamples(const struct tp_legacy *l)
{
	return l->samples.size / sizeof(struct tp_legacy_sample);
}

struct tp_legacy_sample *tp_legacy_sample_at(const struct tp_legacy *l, size_t i)
{
	return (struct tp_legacy_sample *)(void *)l->samples.data + i;
}

struct tp_legacy_place *tp_legacy_place_at(const struct tp_legacy *l, size_t i)
{
	return (struct tp_legacy_place *)(void *)l->places.data + i;
}

bool tp_legacy_is_same_stack(const struct tp_legacy *l, size_t i)
{
	const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);

	return i > 0 && s[-1].at == s->at && s[-1].n == s->n;
}

static int place_of(struct tp_legacy *l, uint64_t address, uint32_t *place)
{
	struct tp_legacy_place new = {.address = address};
	int code;

	*place = tp_ids_get(&l->by_address, address);
	if (*place != TP_NO_ID)
		return 0;
	*place = (uint32_t)(l->places.size / sizeof(new));
	code = tp_buf_put(&l->places, &new, sizeof(new));
	return code ? code : tp_ids_put(&l->by_address, address, *place);
}

/* ---- samples ---- */

static size_t used(const struct tp_legacy *l)
{
	const struct tp_legacy_sample *last;

	if (!tp_legacy_nsamples(l))
		return 0;
	last = tp_legacy_sample_at(l, tp_legacy_nsamples(l) - 1);
	return last->at + last->n;
}

size_t tp_legacy_depth(const struct tp_legacy *l)
{
	return l->stack.size / sizeof(uint32_t) - used(l);
}

int tp_legacy_push(struct tp_legacy *l, uint64_t address)
{
	uint32_t place;
	int code = place_of(l, address, &place);

	if (!code)
		code = tp_buf_put(&l->stack, &place, sizeof(place));
	return tp_legacy_fail(l, code);
}

int tp_legacy_push_all(struct tp_legacy *l, struct tp_scan text, unsigned back, bool leaf)
{
	bool first = leaf && !tp_legacy_depth(l);
	int code = 0;

	while (!code) {
		const char *x = memchr(text.at, 'x', tp_scan_left(&text));
		struct tp_scan digits;
		uint64_t address;

		if (!x)
			break;
		digits = (struct tp_scan){x + 1, text.end};
		/* Lower case only, as in pprof. */
		digits = tp_scan_run(&digits, "0123456789abcdef");
		if (x == text.at || x[-1] != '0' || !tp_scan_left(&digits)) {
			text.at = x + 1;
			continue;
		}
		text.at = digits.end;
		if (tp_scan_hex(&digits, &address) == TP_NUMBER_HUGE) {
			code = tp_legacy_lose(l, !leaf, "has an address that does not fit 64 bits");
			return code ? code : 1;
		}
		code = tp_legacy_push(l, first || l->body ? address : address - back);
		first = false;
	}
	return code;
}

static int add_sample(struct tp_legacy *l, struct tp_legacy_sample *s, const int64_t *values)
{
	if (tp_legacy_nsamples(l) >= MAX_ENTRIES)
		return tp_legacy_fail(l, TP_ELIMIT);
	memcpy(s->value, values, l->p->ntypes * sizeof(*values));
	return tp_legacy_fail(l, tp_buf_put(&l->samples, s, sizeof(*s)));
}

int tp_legacy_end_sample(struct tp_legacy *l, const int64_t *values, uint32_t labels)
{
	struct tp_legacy_sample s = {.at = used(l), .labels = labels};
	size_t depth = tp_legacy_depth(l);
	int code;

	if (depth > UINT32_MAX)
		return tp_legacy_fail(l, TP_ELIMIT);
	s.n = (uint32_t)depth;
	code = tp_legacy_end_names(l);
	if (code)
		return code;
	l->naming.any = true;
	l->naming.next = 0;
	return add_sample(l, &s, values);
}

int tp_legacy_same_stack(struct tp_legacy *l, const int64_t *values, uint32_t labels)
{
	struct tp_legacy_sample s = *tp_legacy_sample_at(l, tp_legacy_nsamples(l) - 1);

	s.labels = labels;
	return add_sample(l, &s, values);
}

int tp_legacy_drop(struct tp_legacy *l)
{
	int code = tp_legacy_end_names(l);

	l->stack.size = used(l) * sizeof(uint32_t);
	l->naming.any = false;
	return code;
}

int tp_legacy_add_sample(struct tp_legacy *l, struct tp_scan text, unsigned back,
			 const int64_t *values, uint32_t labels)
{
	int code = tp_legacy_push_all(l, tp_scan_run(&text, " x0123456789abcdef"), back, false);

	if (code)
		return code < 0 ? code : 0;
	return tp_legacy_end_sample(l, values, labels);
}

bool tp_legacy_next(struct tp_legacy *l, int *code)
{
	while (!*code && tp_lines_next(&l->lines)) {
		if (!tp_legacy_is_comment(l->lines.line))
			return !tp_legacy_is_maps(l->lines.line);
		*code = tp_legacy_comment(l, l->lines.line);
	}
	return false;
}

/* ---- frames of the profiler ---- */

void tp_legacy_strip_second(const struct tp_legacy *l, struct tp_legacy_sample *s)
{
	uint32_t *stack = (uint32_t *)(void *)l->stack.data + s->at;

	/* Move the leaf, so that all other frames can stay in place. */
	stack[1] = stack[0];
	s->at++;
	s->n--;
}

void tp_legacy_strip_duplicates(const struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;

	for (size_t i = 0; i < tp_legacy_nsamples(l); i++) {
		struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);

		if (s->n > 1 && tp_legacy_place_at(l, stack[s->at])->address ==
				    tp_legacy_place_at(l, stack[s->at + 1])->address + 1)
			tp_legacy_strip_second(l, s);
	}
}
