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

#include "open/unpack.h"

/* Packed bytes that are looked at: zstd shows nothing of a block, of up to 128 KiB, before it has
 * all of it. */
#define READ ((size_t)160 << 10)

static size_t peek_gz(const uint8_t *data, size_t n, void *head, size_t room)
{
	z_stream z = {0};

	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = head;
	z.avail_out = (uInt)room;
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return 0;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return room - z.avail_out;
}

static size_t peek_zst(const uint8_t *data, size_t n, void *head, size_t room)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer from = {data, n, 0};
	ZSTD_outBuffer to = {head, room, 0};
	size_t left = 1;

	while (z && left && !ZSTD_isError(left) && from.pos < from.size && to.pos < to.size)
		left = ZSTD_decompressStream(z, &to, &from);
	ZSTD_freeDStream(z);
	return to.pos;
}

static int peek_fd(int fd, void *head, size_t room, size_t *size, struct tp_err *err)
{
	uint8_t *data;
	struct stat st;
	ssize_t n;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "this is a folder; a store or a dump is needed");
	data = malloc(READ);
	if (!data)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	n = pread(fd, data, READ, 0);
	if (n < 0) {
		free(data);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read: %s", strerror(errno));
	}
	switch (tp_packing_of(data, (size_t)n)) {
	case TP_PACKING_GZ:
		*size = peek_gz(data, (size_t)n, head, room);
		break;
	case TP_PACKING_ZST:
		*size = peek_zst(data, (size_t)n, head, room);
		break;
	case TP_PACKING_NONE:
		*size = (size_t)n < room ? (size_t)n : room;
		memcpy(head, data, *size);
		break;
	}
	free(data);
	return 0;
}

int tp_peek(const char *path, void *head, size_t room, size_t *size, struct tp_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), code;

	*size = 0;
	if (fd < 0)
		return tp_err_set(err, errno == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s",
				  strerror(errno));
	code = peek_fd(fd, head, room, size, err);
	if (!is_stdin)
		close(fd);
	return code;
}
