/* A growing byte buffer. The owner calls tp_buf_release; a buffer that failed to grow keeps its
 * content and reports TP_ENOMEM. Zero-initialised is valid and empty. */
#ifndef TP_BASE_BUF_H
#define TP_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct tp_buf {
	uint8_t *data;
	size_t size; /* bytes in use */
	size_t room; /* bytes allocated */
};

/* Makes room for `more` bytes behind the content. Returns 0 or TP_ENOMEM. */
int tp_buf_reserve(struct tp_buf *b, size_t more);
int tp_buf_put(struct tp_buf *b, const void *data, size_t n);
int tp_buf_put_uvarint(struct tp_buf *b, uint64_t v);
void tp_buf_release(struct tp_buf *b);

/* Writes v at p, which has room for ten bytes; returns the byte behind it. */
static inline uint8_t *tp_put_uvarint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Small magnitudes of either sign to small unsigned numbers: 0, -1, 1, -2 … → 0, 1, 2, 3 … */
static inline uint64_t tp_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t tp_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
