#include "decode/v1/wire.h"

#include <string.h>

#include "base/cursor.h"

const char *const tp_v1_names[TP_V1_NTYPES] = {
#define TP_X(name, number, wire, since, stack, nargs, args) [number] = wire,
    TP_V1_TYPES(TP_X)
#undef TP_X
};

static const struct {
	uint8_t since, stack, args;
} types[TP_V1_NTYPES] = {
#define TP_X(name, number, w, s, stk, n, a) [number] = {.since = s, .stack = stk, .args = n},
    TP_V1_TYPES(TP_X)
#undef TP_X
};

/* Returns the number of arguments of a type, without its stack id, in a version (Go 1.19:
 * internal/trace/parser.go, argNum). */
static unsigned args_of(unsigned type, int version)
{
	unsigned n = types[type].args;

	switch (type) {
	case TP_V1_GC_START:
	case TP_V1_GO_START:
	case TP_V1_GO_UNBLOCK:
		return version < 7 ? n - 1 : n; /* the per-goroutine sequence number */
	case TP_V1_SWEEP_DONE:
		return version < 9 ? 0 : n;
	case TP_V1_STW_START:
		return version < 10 ? 0 : n;
	case TP_V1_BATCH:
	case TP_V1_FREQUENCY:
	case TP_V1_TIMER_GOROUTINE:
		return version < 7 ? n + 1 : n;
	default:
		return n;
	}
}

void tp_v1_wire_init(struct tp_v1_wire *w, int version)
{
	memset(w, 0, sizeof(*w));
	w->version = version;
	w->lead = version < 7 ? 2 : 1;
	for (unsigned t = 1; t < TP_V1_NTYPES; t++) {
		struct tp_v1_shape *s = &w->shape[t];
		unsigned n, count;

		if (!types[t].since || types[t].since > version)
			continue;
		s->args = (uint8_t)args_of(t, version);
		s->stack = types[t].stack;
		switch (t) {
		case TP_V1_BATCH:
			s->values = s->args;
			w->form[t | 1 << 6] = TP_V1_HEAD;
			continue;
		case TP_V1_FREQUENCY:
		case TP_V1_TIMER_GOROUTINE:
			s->values = s->args;
			w->form[t] = TP_V1_INLINE_NOTED;
			continue;
		case TP_V1_STACK:
			w->form[t | 3 << 6] = TP_V1_SIZED_NOTED;
			continue;
		case TP_V1_STRING:
			w->form[t] = TP_V1_TEXT;
			continue;
		default:
			break;
		}
		s->timed = 1;
		n = s->args + s->stack;
		s->values = (uint8_t)(w->lead + n);
		count = n < 3 ? n : 3;
		if (t == TP_V1_GO_SYSEXIT_LOCAL)
			w->form[t | count << 6] = TP_V1_INLINE_NOTED;
		else if (t == TP_V1_GO_SYSEXIT || t == TP_V1_CPU_SAMPLE)
			w->form[t | count << 6] = TP_V1_SIZED_NOTED;
		else if (t == TP_V1_LOG)
			w->form[t | count << 6] = TP_V1_LOGGED;
		else
			w->form[t | count << 6] = count < 3 ? TP_V1_INLINE : TP_V1_SIZED;
	}
}

int tp_v1_read_values(const uint8_t *p, const uint8_t *end, uint64_t *v, int room)
{
	struct tp_cursor c = tp_cursor(p, (size_t)(end - p));
	int n = 0;

	while (c.at < c.end) {
		uint64_t x = tp_cursor_uvarint(&c);

		if (c.failed)
			return -1;
		if (n < room)
			v[n] = x;
		n++;
	}
	return n;
}

const uint8_t *tp_v1_read_head(const struct tp_v1_wire *wire, const uint8_t *p, const uint8_t *end,
			       uint64_t v[3])
{
	struct tp_cursor c = tp_cursor(p, (size_t)(end - p));

	v[0] = tp_cursor_uvarint(&c);
	v[1] = wire->version < 7 ? tp_cursor_uvarint(&c) : 0;
	v[2] = tp_cursor_uvarint(&c);
	if (c.failed || (v[0] != UINT64_MAX && v[0] > INT32_MAX))
		return NULL;
	return c.at;
}
