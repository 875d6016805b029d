/* A growing byte buffer. The owner calls tp_buf_release. Zero-initialised is valid and empty.
 * A buffer that failed to grow keeps its content and refuses all further puts (TP_ENOMEM) until its
 * owner makes it shorter or releases it. Callers therefore check only the last of a series of puts:
 *
 *	tp_buf_text(b, "[");
 *	tp_buf_put(b, name, size);
 *	return tp_buf_text(b, "]"); */
#ifndef TP_BASE_BUF_H
#define TP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tp_buf {
	uint8_t *data;
	size_t size; /* bytes in use */
	size_t room; /* bytes allocated; after a failure, `size` */
	bool failed; /* private */
};

/* Makes room for `more` bytes after the content. Returns 0 or TP_ENOMEM. */
int tp_buf_reserve(struct tp_buf *b, size_t more);
/* Append bytes, a formatted text (with a NUL after it that is not part of the content), a number,
 * or a text without its NUL. Return 0 or TP_ENOMEM. */
int tp_buf_put(struct tp_buf *b, const void *data, size_t n);
int tp_buf_printf(struct tp_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int tp_buf_put_uvarint(struct tp_buf *b, uint64_t v);
static inline int tp_buf_text(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}
/* Makes the buffer fail, for callers that lack memory for its content. Returns TP_ENOMEM. */
int tp_buf_fail(struct tp_buf *b);
void tp_buf_release(struct tp_buf *b);

/* Writes v at p, which has room for ten bytes. Returns the end. */
static inline uint8_t *tp_put_uvarint(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Maps small magnitudes of either sign to small unsigned numbers: 0, -1, 1, -2 … → 0, 1, 2, 3 … */
static inline uint64_t tp_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t tp_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
