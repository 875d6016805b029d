#include "tprof-record/api/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *api_spool_folder(void)
{
	static const char *const folders[] = {"/var/tmp", "/tmp", "/dev/shm"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (!access(folders[i], W_OK | X_OK))
			return folders[i];
	return ".";
}

int api_spool_begin(struct api_spool *s)
{
	*s = API_SPOOL_NONE;
	s->fd = open(api_spool_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	/* Some file systems cannot do that. */
	if (s->fd < 0)
		s->fd = memfd_create("tprof", MFD_CLOEXEC);
	return s->fd < 0 ? errno : 0;
}

void api_spool_end(struct api_spool *s)
{
	if (s->map)
		munmap(s->map, s->mapped);
	if (s->fd >= 0)
		close(s->fd);
	*s = API_SPOOL_NONE;
}

int api_write(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int put(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct api_spool *s = ctx;

	if (!s->error)
		s->error = api_write(s->fd, data, size);
	if (s->error)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "temporary file: %s",
				  strerror(s->error));
	s->size += size;
	return 0;
}

struct tp_out api_spool_out(struct api_spool *s)
{
	return (struct tp_out){.write = put, .ctx = s};
}

int api_spool_map(struct api_spool *s)
{
	void *map;

	if (!s->size || s->map)
		return 0;
	map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		return errno;
	s->map = map;
	s->mapped = s->size;
	return 0;
}
