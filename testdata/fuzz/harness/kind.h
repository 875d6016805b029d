/* What an input of the targets for profiles is. */
#ifndef FUZZ_KIND_H
#define FUZZ_KIND_H

#include <stddef.h>
#include <stdint.h>

enum fuzz_kind {
	FUZZ_KIND_NONE,
	FUZZ_KIND_PACKED, /* by gzip or zstd */
	FUZZ_KIND_PROTO,
	FUZZ_KIND_TEXT, /* any of the older formats, the binary ones too */
};

enum fuzz_kind fuzz_kind_of(const uint8_t *data, size_t size);

#endif
