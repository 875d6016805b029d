#include "common/gzip.h"

#include <zlib.h>

#include "common/common.h"

#define PIECE ((size_t)256 << 10)

static int out_of_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

int cmd_write_gzipped(const struct tp_buf *b, struct tp_err *err)
{
	z_stream z = {.next_in = b->data};
	struct tp_buf piece = {0};
	size_t left = b->size;
	int code = 0, end = Z_OK;

	/* 16: with a gzip header, which holds no time, so that equal profiles are equal files. */
	if (tp_buf_reserve(&piece, PIECE) ||
	    deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		tp_buf_release(&piece);
		return out_of_memory(err);
	}
	while (!code && end == Z_OK) {
		uInt n = left < PIECE ? (uInt)left : (uInt)PIECE;

		z.avail_in = n;
		do {
			z.next_out = piece.data;
			z.avail_out = (uInt)PIECE;
			end = deflate(&z, n == left ? Z_FINISH : Z_NO_FLUSH);
			code = cmd_write(piece.data, PIECE - z.avail_out, err);
		} while (!code && !z.avail_out);
		left -= n;
	}
	deflateEnd(&z);
	tp_buf_release(&piece);
	return code;
}
