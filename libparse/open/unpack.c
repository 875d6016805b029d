/* Sources: RFC 1952 (gzip: members may be concatenated, zero padding may follow), RFC 8878 (zstd:
 * frames may be concatenated, skippable frames may come between them). */
#include "open/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"

struct sink {
	int fd; /* -1: the bytes are in `memory` */
	struct tp_buf memory;
	uint64_t size;
	XXH3_state_t *hash;
	const struct tp_source *source;
	const struct tp_input_options *opt;
	struct tp_err *err;
};

/* The file has no name, so it disappears however the process ends. */
int tp_input_temporary(const char *tmp_dir, struct tp_err *err)
{
	const char *dirs[] = {tmp_dir, "/var/tmp", "/tmp"};
	int saved = ENOENT;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char path[4096];
		int fd;

		if (!dirs[i] || !*dirs[i])
			continue;
#ifdef O_TMPFILE
		fd = open(dirs[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
#endif
		if (snprintf(path, sizeof(path), "%s/tprof-XXXXXX", dirs[i]) < (int)sizeof(path)) {
			fd = mkostemp(path, O_CLOEXEC);
			if (fd >= 0) {
				unlink(path);
				return fd;
			}
		}
		saved = errno;
	}
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
			  "cannot create a temporary file in any of TMPDIR, /var/tmp and /tmp: %s",
			  strerror(saved));
}

static int write_all(int fd, const uint8_t *data, size_t n)
{
	while (n) {
		ssize_t w = write(fd, data, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -1;
		data += w;
		n -= (size_t)w;
	}
	return 0;
}

/* Moves the bytes to a temporary file, which takes all further ones. */
static int leave_memory(struct sink *s)
{
	int given = s->opt ? s->opt->tmp_fd : 0;

	s->fd = given > 0 ? fcntl(given, F_DUPFD_CLOEXEC, 0)
			  : tp_input_temporary(s->opt ? s->opt->tmp_dir : NULL, s->err);
	if (s->fd < 0) {
		int code = given > 0
			       ? tp_err_set(s->err, TP_EIO, TP_OFFSET_NONE,
					    "cannot use a temporary file: %s", strerror(errno))
			       : s->fd;

		s->fd = -1;
		return code;
	}
	if (write_all(s->fd, s->memory.data, s->memory.size))
		return tp_err_set(s->err, TP_EIO, TP_OFFSET_NONE,
				  "cannot write a temporary file: %s", strerror(errno));
	tp_buf_release(&s->memory);
	return 0;
}

static int sink_put(struct sink *s, const uint8_t *data, size_t n)
{
	const struct tp_input_options *opt = s->opt;
	uint64_t ratio = opt && opt->max_ratio ? opt->max_ratio : TP_UNPACK_RATIO;
	uint64_t size = s->size + n;

	if (opt && opt->max_size && size > opt->max_size)
		return tp_err_set(s->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "unpacks to more than the limit of %llu bytes",
				  (unsigned long long)opt->max_size);
	if (size > TP_UNPACK_FREE && size / ratio > s->source->taken)
		return tp_err_set(s->err, TP_ELIMIT, TP_OFFSET_NONE,
				  "unpacks to more than %llu times its size, as a decompression "
				  "bomb does; if it is not one, unpack it first",
				  (unsigned long long)ratio);
	if (s->fd < 0 && size > (opt && opt->memory ? opt->memory : TP_UNPACK_MEMORY)) {
		int code = leave_memory(s);

		if (code)
			return code;
	}
	if (s->fd < 0 && n && tp_buf_put(&s->memory, data, n))
		return tp_nomem(s->err);
	if (s->fd >= 0 && write_all(s->fd, data, n))
		return tp_err_set(s->err, TP_EIO, TP_OFFSET_NONE,
				  "cannot write a temporary file: %s", strerror(errno));
	XXH3_128bits_update(s->hash, data, n);
	s->size = size;
	return 0;
}

/* Reads input if the buffer is empty. Returns 1 if the buffer has bytes, 0 at the end, or an error code. */
static int refill(struct tp_source *in, struct sink *out)
{
	const struct tp_input_options *opt = out->opt;
	long n;

	if (in->have)
		return 1;
	n = tp_source_fill(in);
	if (n < 0)
		return tp_source_error(in, out->err);
	if (n && opt && opt->progress && opt->progress(opt->progress_ctx, in->taken, in->total))
		return tp_err_set(out->err, TP_ECANCEL, TP_OFFSET_NONE, "cancelled");
	return n > 0;
}

static int copy_plain(struct tp_source *in, struct sink *out)
{
	int code;

	while ((code = refill(in, out)) > 0) {
		code = sink_put(out, in->buf + in->at, in->have);
		if (code)
			return code;
		in->have = 0;
	}
	return code;
}

static void note(char *damaged, const char *what, const struct tp_source *in)
{
	snprintf(damaged, 160, "%s at byte %llu of the compressed file", what,
		 (unsigned long long)(in->taken - in->have));
}

/* Looks for another gzip member. Returns 1 if one follows, 0 at the end or at zero padding, or an
 * error code. */
static int next_member(struct tp_source *in, struct sink *out, char *damaged)
{
	int code;

	while ((code = refill(in, out)) > 0) {
		if (in->buf[in->at]) {
			long n = 1;

			while (in->have < 3 && n > 0)
				n = tp_source_fill(in);
			if (n < 0)
				return tp_source_error(in, out->err);
			if (tp_packing_of(in->buf + in->at, in->have) == TP_PACKING_GZ)
				return 1;
			note(damaged, "data that is not gzip follows", in);
			return 0;
		}
		in->at++;
		in->have--;
	}
	return code;
}

static int copy_gz(struct tp_source *in, struct sink *out, uint8_t *room, char *damaged)
{
	z_stream z = {0};
	int code, status = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return tp_nomem(out->err);
	while ((code = refill(in, out)) > 0) {
		z.next_in = in->buf + in->at;
		z.avail_in = (uInt)in->have;
		do {
			z.next_out = room;
			z.avail_out = (uInt)TP_UNPACK_BYTES;
			status = inflate(&z, Z_NO_FLUSH);
			code = sink_put(out, room, TP_UNPACK_BYTES - z.avail_out);
		} while (!code && status == Z_OK && !z.avail_out);
		in->at += in->have - z.avail_in;
		in->have = z.avail_in;
		if (code)
			break;
		if (status == Z_MEM_ERROR) {
			code = tp_nomem(out->err);
			break;
		}
		if (status == Z_STREAM_END) {
			code = next_member(in, out, damaged);
			if (code <= 0)
				break;
			inflateReset(&z);
		} else if (status != Z_OK && status != Z_BUF_ERROR) {
			note(damaged, "gzip data are damaged", in);
			break;
		}
	}
	if (!code && !*damaged && status != Z_STREAM_END)
		note(damaged, "gzip data end too early", in);
	inflateEnd(&z);
	return code < 0 ? code : 0;
}

static int copy_zst(struct tp_source *in, struct sink *out, uint8_t *room, char *damaged)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	size_t hint = 0;
	int code;

	if (!z)
		return tp_nomem(out->err);
	while ((code = refill(in, out)) > 0) {
		ZSTD_inBuffer from = {in->buf + in->at, in->have, 0};
		ZSTD_outBuffer to = {room, TP_UNPACK_BYTES, 0};

		do {
			to.pos = 0;
			hint = ZSTD_decompressStream(z, &to, &from);
			code = sink_put(out, room, to.pos);
			/* Once a frame is complete, asking again without input begins another. */
		} while (!code && !ZSTD_isError(hint) &&
			 (from.pos < from.size || (hint && to.pos == to.size)));
		in->at += from.pos;
		in->have -= from.pos;
		if (code)
			break;
		if (ZSTD_isError(hint)) {
			snprintf(damaged, 160,
				 "zstd data are damaged (%s) at byte %llu of the compressed file",
				 ZSTD_getErrorName(hint),
				 (unsigned long long)(in->taken - in->have));
			break;
		}
	}
	if (!code && !*damaged && hint)
		note(damaged, "zstd data end too early", in);
	ZSTD_freeDStream(z);
	return code < 0 ? code : 0;
}

int tp_source_unpack(struct tp_source *s, enum tp_packing packing,
		     const struct tp_input_options *opt, struct tp_unpacked *unpacked,
		     char damaged[160], struct tp_err *err)
{
	struct sink out = {.fd = -1, .source = s, .opt = opt, .err = err};
	char trouble[160] = "";
	uint8_t *room = NULL;
	int code = 0;

	out.hash = XXH3_createState();
	if (packing != TP_PACKING_NONE)
		room = malloc(TP_UNPACK_BYTES);
	if (!out.hash || (packing != TP_PACKING_NONE && !room)) {
		code = tp_nomem(err);
		goto done;
	}
	XXH3_128bits_reset(out.hash);
	if (packing == TP_PACKING_GZ)
		code = copy_gz(s, &out, room, trouble);
	else if (packing == TP_PACKING_ZST)
		code = copy_zst(s, &out, room, trouble);
	else
		code = copy_plain(s, &out);
	/* Damage is an error if the caller does not accept it, or if no bytes could be unpacked. */
	if (!code && *trouble && (!damaged || !out.size))
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "%s", trouble);
	if (code)
		goto done;
	if (damaged)
		memcpy(damaged, trouble, sizeof(trouble));
	*unpacked = (struct tp_unpacked){.fd = out.fd, .memory = out.memory.data, .size = out.size};
	XXH128_canonicalFromHash((XXH128_canonical_t *)unpacked->hash,
				 XXH3_128bits_digest(out.hash));
	out.fd = -1;
	out.memory = (struct tp_buf){0};
done:
	if (out.fd >= 0)
		close(out.fd);
	tp_buf_release(&out.memory);
	free(room);
	XXH3_freeState(out.hash);
	return code;
}
