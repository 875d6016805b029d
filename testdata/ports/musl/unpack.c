/* In place of open/unpack.c and gunzip.c, which need zlib, libdeflate and zstd: dumps are as they
 * are. Nothing here is packed, and no test that is built with it reads what is. */
#include "open/unpack.h"

#include <unistd.h>

#include "open/gunzip.h"

long tp_source_fill(struct tp_source *s)
{
	ssize_t n = read(s->fd, s->buf + s->have, TP_UNPACK_BYTES - s->have);

	s->have += n > 0 ? (size_t)n : 0;
	return n;
}

enum tp_packing tp_packing_of(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return TP_PACKING_NONE;
}

int tp_source_unpack(struct tp_source *s, enum tp_packing packing,
		     const struct tp_input_options *opt, struct tp_unpacked *out, char damaged[160],
		     struct tp_err *err)
{
	(void)s;
	(void)packing;
	(void)opt;
	(void)out;
	damaged[0] = '\0';
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "packed: not with this C library");
}

uint8_t *tp_gunzip(const uint8_t *gz, size_t size, size_t *unpacked)
{
	(void)gz;
	(void)size;
	(void)unpacked;
	return NULL;
}
