/* Unpacks a stream of bytes (a pipe, a .gz, a .zst) into memory or, if it is large, into an unlinked
 * temporary file. Private to open/. */
#ifndef TP_OPEN_UNPACK_H
#define TP_OPEN_UNPACK_H

#include <stdint.h>

#include "open/input.h"

enum tp_packing { TP_PACKING_NONE, TP_PACKING_GZ, TP_PACKING_ZST };

#define TP_UNPACK_BYTES ((size_t)256 << 10)

/* A source of bytes. buf[at … at + have) has been read but not used yet. */
struct tp_source {
	int fd;
	uint64_t taken; /* bytes read from fd */
	uint64_t total; /* bytes in all, 0 when unknown */
	size_t at, have;
	uint8_t *buf;			    /* TP_UNPACK_BYTES */
	const struct tp_input_options *opt; /* may be NULL; a signal calls its progress function,
					     * which may cancel */
};

/* Reads bytes into the free room of buf, perhaps fewer than fit. Returns their number, 0 at the
 * end, or -1 with errno set. */
long tp_source_fill(struct tp_source *s);
/* Sets the error after tp_source_fill has returned -1. Returns its code. */
int tp_source_error(const struct tp_source *s, struct tp_err *err);

/* Returns the packing by the first bytes, of which four are needed. */
enum tp_packing tp_packing_of(const uint8_t *data, size_t size);

#define TP_UNPACK_MEMORY ((uint64_t)8 << 20) /* default of tp_input_options.memory */

#define TP_UNPACK_FREE	((uint64_t)64 << 20) /* below this a high ratio is harmless */
#define TP_UNPACK_RATIO 100u /* stacks of goroutines, which pack best, reach half of it */

/* The result of unpacking. */
struct tp_unpacked {
	int fd;	      /* the temporary file, which the caller closes; -1: none */
	void *memory; /* used without a file; the caller frees it */
	uint64_t size;
	uint8_t hash[16]; /* XXH3-128 */
};

/* Unpacks the whole source; after an error the caller need not close or free anything. `damaged` as
 * in tp_input_open. */
int tp_source_unpack(struct tp_source *s, enum tp_packing packing,
		     const struct tp_input_options *opt, struct tp_unpacked *out, char damaged[160],
		     struct tp_err *err);

#endif
