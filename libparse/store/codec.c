/* For ZSTD_c_literalCompressionMode. */
#define ZSTD_STATIC_LINKING_ONLY

#include "store/codec.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define ZSTD_LEVEL 3
/* Levels below 0 look for repetition in ever fewer places. */
#define ZSTD_UNEVENLY (-500)
#define ALWAYS	      1 /* the name of this changed from version to version */
/* Compressing shorter inputs does not pay. */
#define MIN_SIZE 32

/* Returns 0 and sets *n to the compressed size, 0 if that is not less; or returns TP_ENOMEM. */
static int pack_lz4(struct tp_packer *p, void *to, size_t room, const void *data, size_t size,
		    size_t *n)
{
	int got;

	if (!p->lz4)
		p->lz4 = malloc((size_t)LZ4_sizeofState());
	if (!p->lz4)
		return TP_ENOMEM;
	got = LZ4_compress_fast_extState(p->lz4, data, to, (int)size, (int)room, 1);
	*n = got > 0 ? (size_t)got : 0;
	return 0;
}

static int pack_zstd(struct tp_packer *p, void *to, size_t room, const void *data, size_t size,
		     size_t *n)
{
	size_t got;

	if (!p->zstd) {
		p->zstd = ZSTD_createCCtx();
		if (!p->zstd)
			return TP_ENOMEM;
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel,
				       p->unevenly ? ZSTD_UNEVENLY : ZSTD_LEVEL);
		/* A library that does not know this parameter compresses less well, but correctly. */
		if (p->unevenly)
			ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_literalCompressionMode, ALWAYS);
		/* At these levels this is the distance between two positions that are searched. */
		if (p->unrepeated)
			ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_targetLength, ZSTD_TARGETLENGTH_MAX);
	}
	got = ZSTD_compress2(p->zstd, to, room, data, size);
	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return TP_ENOMEM;
	*n = ZSTD_isError(got) ? 0 : got;
	return 0;
}

int tp_pack(struct tp_packer *p, struct tp_buf *out, const void *data, size_t size, size_t *stored)
{
	size_t n = 0;
	int code = 0;

	if (tp_buf_reserve(out, size))
		return TP_ENOMEM;
	/* The buffer has size - 1 bytes, as a larger result is useless. */
	if (size >= MIN_SIZE && size <= INT_MAX) {
		uint8_t *to = out->data + out->size;

		if (p->codec == TP_CODEC_LZ4)
			code = pack_lz4(p, to, size - 1, data, size, &n);
		else if (p->codec == TP_CODEC_ZSTD)
			code = pack_zstd(p, to, size - 1, data, size, &n);
	}
	if (code)
		return code;
	if (!n) {
		if (size)
			memcpy(out->data + out->size, data, size);
		n = size;
	}
	out->size += n;
	*stored = n;
	return 0;
}

void tp_packer_release(struct tp_packer *p)
{
	free(p->lz4);
	ZSTD_freeCCtx(p->zstd);
	memset(p, 0, sizeof(*p));
}

int tp_unpack(struct tp_unpacker *u, enum tp_codec codec, const void *data, size_t stored,
	      void *out, size_t raw_size)
{
	if (stored > raw_size || raw_size > INT_MAX)
		return TP_EFORMAT;
	if (stored == raw_size) {
		if (raw_size)
			memcpy(out, data, raw_size);
		return 0;
	}
	switch (codec) {
	case TP_CODEC_LZ4:
		if (LZ4_decompress_safe(data, out, (int)stored, (int)raw_size) != (int)raw_size)
			return TP_EFORMAT;
		return 0;
	case TP_CODEC_ZSTD:
		if (!u->zstd)
			u->zstd = ZSTD_createDCtx();
		if (!u->zstd)
			return TP_ENOMEM;
		if (ZSTD_decompressDCtx(u->zstd, out, raw_size, data, stored) != raw_size)
			return TP_EFORMAT;
		return 0;
	default:
		return TP_EFORMAT;
	}
}

void tp_unpacker_release(struct tp_unpacker *u)
{
	ZSTD_freeDCtx(u->zstd);
	memset(u, 0, sizeof(*u));
}
