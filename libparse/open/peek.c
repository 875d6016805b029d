#include "open/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "open/unpack.h"

/* Packed bytes to read. zstd unpacks a block, which may have 128 KiB, only when it has all of it. */
#define READ ((size_t)160 << 10)

static int peek_gz(const uint8_t *data, size_t n, void *head, size_t room, size_t *size)
{
	z_stream z = {0};

	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = head;
	z.avail_out = (uInt)room;
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return TP_ENOMEM;
	n = inflate(&z, Z_SYNC_FLUSH) == Z_MEM_ERROR;
	inflateEnd(&z);
	*size = room - z.avail_out;
	return n ? TP_ENOMEM : 0;
}

static int peek_zst(const uint8_t *data, size_t n, void *head, size_t room, size_t *size)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer from = {data, n, 0};
	ZSTD_outBuffer to = {head, room, 0};
	size_t left = 1;

	if (!z)
		return TP_ENOMEM;
	while (left && !ZSTD_isError(left) && from.pos < from.size && to.pos < to.size)
		left = ZSTD_decompressStream(z, &to, &from);
	ZSTD_freeDStream(z);
	*size = to.pos;
	return ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
		   ? TP_ENOMEM
		   : 0;
}

static int read_head(int fd, uint8_t *data, size_t room, size_t *have, struct tp_err *err)
{
	struct stat st;
	ssize_t n = 1;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "this is a folder; a store or a dump is needed");
	for (*have = 0; *have < room && n != 0; *have += n > 0 ? (size_t)n : 0) {
		n = pread(fd, data + *have, room - *have, (off_t)*have);
		if (n < 0 && errno == ESPIPE)
			return tp_err_set(
			    err, TP_EIO, TP_OFFSET_NONE,
			    "is a pipe, whose kind cannot be told before it is read; make "
			    "it standard input and give '-'");
		if (n < 0 && errno != EINTR)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read: %s",
					  strerror(errno));
	}
	return 0;
}

int tp_peek_packed(const char *path, void *head, size_t room, size_t *size, struct tp_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = STDIN_FILENO, code;

	*size = 0;
	do
		fd = is_stdin ? fd : open(path, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return tp_err_set(err, errno == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s",
				  strerror(errno));
	code = read_head(fd, head, room, size, err);
	if (!is_stdin)
		close(fd);
	return code;
}

int tp_peek(const char *path, void *head, size_t room, size_t *size, struct tp_err *err)
{
	uint8_t *data = malloc(READ);
	size_t have;
	int code = data ? 0 : tp_nomem(err);

	*size = 0;
	if (!code)
		code = tp_peek_packed(path, data, READ, &have, err);
	if (code) {
		free(data);
		return code;
	}
	switch (tp_packing_of(data, have)) {
	case TP_PACKING_GZ:
		code = peek_gz(data, have, head, room, size);
		break;
	case TP_PACKING_ZST:
		code = peek_zst(data, have, head, room, size);
		break;
	case TP_PACKING_NONE:
		*size = have < room ? have : room;
		memcpy(head, data, *size);
		break;
	}
	free(data);
	return code ? tp_nomem(err) : 0;
}
