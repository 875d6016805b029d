/* A file under construction: bytes and varints behind one another, up to about `size` of them.
 * Where memory runs out it says so once, at the end. */
#ifndef HOSTILE_PEN_H
#define HOSTILE_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct pen {
	struct tp_buf out;
	size_t size; /* bytes the file should have */
	bool failed;
};

void pen_bytes(struct pen *p, const void *data, size_t n);
void pen_byte(struct pen *p, unsigned byte);
void pen_number(struct pen *p, uint64_t v);
/* n numbers. */
void pen_numbers(struct pen *p, size_t n, const uint64_t *v);
#define PEN_NUMBERS(p, ...)                                                                        \
	pen_numbers(p, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                       \
		    (uint64_t[]){__VA_ARGS__})
void pen_text(struct pen *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends and releases `part`. */
void pen_append(struct pen *p, struct pen *part);

static inline bool pen_full(const struct pen *p)
{
	return p->failed || p->out.size >= p->size;
}

/* Numbers that look random and are the same every time. */
static inline uint64_t pen_mix(uint64_t n)
{
	n = (n + 1) * 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	return n ^ n >> 27;
}

#endif
