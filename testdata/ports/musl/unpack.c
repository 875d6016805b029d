/* In place of open/unpack.c and gunzip.c, which need zlib, libdeflate and zstd: dumps are as they
 * are. Nothing here is packed, and no test that is built with it reads what is. */
#include "open/unpack.h"

#include "open/gunzip.h"

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
