/* RFC 1952: a member ends with its size; further members may follow, and zeros may follow the last. */
#include "open/gunzip.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "base/big.h"

#define ENDS   8    /* CRC32 and ISIZE */
#define EXPAND 1032 /* the highest ratio of deflate; a larger stated size is false */

static size_t stated_size(const uint8_t *gz, size_t size)
{
	const uint8_t *p = gz + size - 4;

	return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

uint8_t *tp_gunzip(const uint8_t *gz, size_t size, size_t *unpacked)
{
	struct libdeflate_decompressor *d;
	uint8_t *data;
	size_t room, used;

	if (size <= ENDS || size > TP_GUNZIP_MAX)
		return NULL;
	room = stated_size(gz, size);
	if (!room || room > TP_GUNZIP_MAX || room / EXPAND > size)
		return NULL;
	d = libdeflate_alloc_decompressor();
	data = d ? tp_big_alloc(room) : NULL;
	/* The file must be a single member. Other files are rare and can be unpacked as a stream. */
	if (data && (libdeflate_gzip_decompress_ex(d, gz, size, data, room, &used, unpacked) !=
			 LIBDEFLATE_SUCCESS ||
		     used != size || *unpacked != room)) {
		free(data);
		data = NULL;
	}
	libdeflate_free_decompressor(d);
	return data;
}
