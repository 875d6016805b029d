/* A bounded, sticky reader over bytes in memory; libparse reads all input through it.
 *
 * After the first failure every read returns 0 and the position stays, so a decoder reads a whole
 * record and checks `c.failed` once. Nothing here allocates; the bytes belong to the caller and
 * must outlive every slice taken from them. */
#ifndef TP_BASE_CURSOR_H
#define TP_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum tp_cursor_fault {
	TP_CURSOR_OK = 0,
	TP_CURSOR_END,      /* the input ends inside a value */
	TP_CURSOR_OVERFLOW, /* a varint does not fit 64 bits */
	TP_CURSOR_MALFORMED, /* set by readers of a format: the next bytes are invalid */
};

struct tp_cursor {
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *start; /* offset 0 */
	enum tp_cursor_fault failed;
};

struct tp_slice {
	const uint8_t *data;
	size_t size;
};

static inline struct tp_cursor tp_cursor(const void *data, size_t size)
{
	/* An empty input may be NULL, on which pointer arithmetic is undefined. */
	const uint8_t *p = data ? data : (const uint8_t *)"";

	return (struct tp_cursor){.at = p, .end = p + size, .start = p};
}

static inline size_t tp_cursor_left(const struct tp_cursor *c)
{
	return c->failed ? 0 : (size_t)(c->end - c->at);
}

static inline uint64_t tp_cursor_offset(const struct tp_cursor *c)
{
	return (uint64_t)(c->at - c->start);
}

static inline uint8_t tp_cursor_u8(struct tp_cursor *c)
{
	if (c->failed || c->at == c->end) {
		if (!c->failed)
			c->failed = TP_CURSOR_END;
		return 0;
	}
	return *c->at++;
}

uint64_t tp_cursor_uvarint_slow(struct tp_cursor *c);

/* Reads a base-128 varint, least significant group first, of at most ten bytes and 64 bits (Go's
 * binary.Uvarint). */
static inline uint64_t tp_cursor_uvarint(struct tp_cursor *c)
{
	if (!c->failed && c->at < c->end && *c->at < 0x80)
		return *c->at++;
	return tp_cursor_uvarint_slow(c);
}

/* Returns the next n bytes, or an empty slice (and sets the fault) if fewer are left. */
static inline struct tp_slice tp_cursor_bytes(struct tp_cursor *c, uint64_t n)
{
	struct tp_slice s = {0};

	if (c->failed)
		return s;
	if (n > (uint64_t)(c->end - c->at)) {
		c->failed = TP_CURSOR_END;
		return s;
	}
	s.data = c->at;
	s.size = (size_t)n;
	c->at += n;
	return s;
}

static inline uint32_t tp_cursor_le32(struct tp_cursor *c)
{
	struct tp_slice s = tp_cursor_bytes(c, 4);

	if (!s.size)
		return 0;
	return (uint32_t)s.data[0] | (uint32_t)s.data[1] << 8 | (uint32_t)s.data[2] << 16 |
	       (uint32_t)s.data[3] << 24;
}

/* Returns the fault in words: "ends in the middle of a value", "varint overflow". */
const char *tp_cursor_fault_text(enum tp_cursor_fault fault);

#endif
