/* Compresses what goes into blobs, and uncompresses blobs, which are not trusted. */
#ifndef TP_STORE_CODEC_H
#define TP_STORE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum tp_codec {
	TP_CODEC_NONE = 0,
	TP_CODEC_LZ4 = 1,  /* fast both ways */
	TP_CODEC_ZSTD = 2, /* smaller */
};

/* State of the compressors; zero-initialised is valid. One thread at a time. */
struct tp_packer {
	enum tp_codec codec;
	/* Zstd for bytes that hardly repeat but are unevenly distributed (such as small
	 * differences). They get short codes with almost no search, which is as fast as lz4; lz4
	 * would hardly compress them. */
	bool unevenly;
	bool unrepeated; /* as unevenly, but without any search: repetitions are chance */
	void *lz4, *zstd;
};

/* Appends `size` bytes to out, compressed if that makes them smaller. Sets *stored to the number of
 * bytes appended (== size: not compressed). Returns 0 or TP_ENOMEM. */
int tp_pack(struct tp_packer *p, struct tp_buf *out, const void *data, size_t size, size_t *stored);
void tp_packer_release(struct tp_packer *p);

struct tp_unpacker {
	void *zstd;
};

/* The inverse: writes exactly raw_size bytes to out, which has room for them, or returns
 * TP_EFORMAT. If stored == raw_size, it copies. */
int tp_unpack(struct tp_unpacker *u, enum tp_codec codec, const void *data, size_t stored,
	      void *out, size_t raw_size);
void tp_unpacker_release(struct tp_unpacker *u);

#endif
