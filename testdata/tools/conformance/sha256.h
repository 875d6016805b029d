/* SHA-256 (FIPS 180-4), for comparing listings with the hashes of expectations. */
#ifndef CONFORMANCE_SHA256_H
#define CONFORMANCE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t size; /* bytes taken */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t n);
/* 64 lower-case hex digits and a NUL; s is used up. */
void sha256_hex(struct sha256 *s, char hex[65]);

#endif
