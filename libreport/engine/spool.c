#include "engine/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failed(struct tp_err *err)
{
	int why = errno;

	return tp_err_set(err, why == ENOMEM ? TP_ENOMEM : TP_EIO, TP_OFFSET_NONE,
			  "cannot write the engine's answer to the folder for temporary files: %s",
			  strerror(why));
}

int rep_spool_begin(struct rep_spool *s, const char *path, struct tp_err *err)
{
	char *name = NULL;

	*s = (struct rep_spool){.fd = -1};
	if (asprintf(&name, "%s.spool-XXXXXX", path) < 0) {
		errno = ENOMEM;
		return failed(err);
	}
	s->fd = mkostemp(name, O_CLOEXEC);
	if (s->fd >= 0)
		unlink(name);
	free(name);
	return s->fd < 0 ? failed(err) : 0;
}

static int flush(struct rep_spool *s, struct tp_err *err)
{
	const uint8_t *from = s->block.data;
	size_t left = s->block.size;

	while (left) {
		ssize_t n = write(s->fd, from, left);

		if (n < 0 && errno != EINTR)
			return failed(err);
		from += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	s->block.size = 0;
	return 0;
}

int rep_spool_put(struct rep_spool *s, const void *data, size_t size, struct tp_err *err)
{
	const uint8_t *from = data;

	if (size > SIZE_MAX / 2 - s->size)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the engine's answer is too long; ask for fewer runs");
	s->size += size;
	while (size) {
		size_t n = REP_SPOOL_BLOCK - s->block.size;

		if (n > size)
			n = size;
		if (tp_buf_put(&s->block, from, n)) {
			errno = ENOMEM;
			return failed(err);
		}
		if (s->block.size == REP_SPOOL_BLOCK && flush(s, err))
			return err->code;
		from += n;
		size -= n;
	}
	return 0;
}

int rep_spool_end(struct rep_spool *s, struct tp_err *err)
{
	void *data;
	int code = flush(s, err);

	tp_buf_release(&s->block);
	if (code || !s->size)
		return code;
	data = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, s->fd, 0);
	if (data == MAP_FAILED)
		return failed(err);
	s->data = data;
	return 0;
}

void rep_spool_release(struct rep_spool *s)
{
	if (s->data)
		munmap((void *)(uintptr_t)s->data, s->size);
	tp_buf_release(&s->block);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct rep_spool){.fd = -1};
}
