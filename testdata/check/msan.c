/* For make msan. The compressors are not built with MemorySanitizer, which therefore does not see
 * what they write. The linker (--wrap) has each called by way of a function here, which checks that
 * what goes in was written by somebody, and says that what comes out was. */
#include <libdeflate.h>
#include <lz4.h>
#include <sanitizer/msan_interface.h>
#include <zlib.h>
#include <zstd.h>

/* The names are the linker's. */
#pragma clang diagnostic ignored "-Wreserved-identifier"
#define WRAPPED(type, name, ...)                                                                   \
	type __real_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)

WRAPPED(int, inflate, z_streamp z, int flush)
{
	Bytef *out = z->next_out;
	int status;

	__msan_check_mem_is_initialized(z->next_in, z->avail_in);
	status = __real_inflate(z, flush);
	__msan_unpoison(out, (size_t)(z->next_out - out));
	return status;
}

WRAPPED(int, deflate, z_streamp z, int flush)
{
	Bytef *out = z->next_out;
	int status;

	__msan_check_mem_is_initialized(z->next_in, z->avail_in);
	status = __real_deflate(z, flush);
	__msan_unpoison(out, (size_t)(z->next_out - out));
	return status;
}

WRAPPED(enum libdeflate_result, libdeflate_gzip_decompress_ex, struct libdeflate_decompressor *d,
	const void *in, size_t in_nbytes, void *out, size_t room, size_t *taken, size_t *made)
{
	enum libdeflate_result result;

	__msan_check_mem_is_initialized(in, in_nbytes);
	result = __real_libdeflate_gzip_decompress_ex(d, in, in_nbytes, out, room, taken, made);
	if (result == LIBDEFLATE_SUCCESS) {
		__msan_unpoison(taken, sizeof(*taken));
		__msan_unpoison(made, sizeof(*made));
		__msan_unpoison(out, *made);
	}
	return result;
}

WRAPPED(size_t, ZSTD_decompressStream, ZSTD_DStream *d, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	size_t from = out->pos, result;

	__msan_check_mem_is_initialized((const char *)in->src + in->pos, in->size - in->pos);
	result = __real_ZSTD_decompressStream(d, out, in);
	__msan_unpoison((char *)out->dst + from, out->pos - from);
	return result;
}

WRAPPED(size_t, ZSTD_decompressDCtx, ZSTD_DCtx *d, void *out, size_t room, const void *in,
	size_t size)
{
	size_t result;

	__msan_check_mem_is_initialized(in, size);
	result = __real_ZSTD_decompressDCtx(d, out, room, in, size);
	if (!ZSTD_isError(result))
		__msan_unpoison(out, result);
	return result;
}

WRAPPED(size_t, ZSTD_compress, void *out, size_t room, const void *in, size_t size, int level)
{
	size_t result;

	__msan_check_mem_is_initialized(in, size);
	result = __real_ZSTD_compress(out, room, in, size, level);
	if (!ZSTD_isError(result))
		__msan_unpoison(out, result);
	return result;
}

WRAPPED(int, LZ4_compress_fast_extState, void *state, const char *in, char *out, int size, int room,
	int acceleration)
{
	int result;

	__msan_check_mem_is_initialized(in, (size_t)size);
	result = __real_LZ4_compress_fast_extState(state, in, out, size, room, acceleration);
	if (result > 0)
		__msan_unpoison(out, (size_t)result);
	return result;
}

WRAPPED(int, LZ4_decompress_safe, const char *in, char *out, int size, int room)
{
	int result;

	__msan_check_mem_is_initialized(in, (size_t)size);
	result = __real_LZ4_decompress_safe(in, out, size, room);
	if (result > 0)
		__msan_unpoison(out, (size_t)result);
	return result;
}
