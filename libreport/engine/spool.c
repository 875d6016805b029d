#include "engine/spool.h"

#include <errno.h>
#include <fcntl.h>
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
	int fd;

	if (asprintf(&name, "%s.spool-XXXXXX", path) < 0) {
		errno = ENOMEM;
		return failed(err);
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	s->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (s->file)
		return 0;
	failed(err);
	if (fd >= 0)
		close(fd);
	return err->code;
}

int rep_spool_put(struct rep_spool *s, const void *data, size_t size, struct tp_err *err)
{
	if (size > SIZE_MAX / 2 - s->size)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the engine's answer is too long; ask for fewer runs");
	s->size += size;
	return fwrite(data, 1, size, s->file) == size ? 0 : failed(err);
}

int rep_spool_end(struct rep_spool *s, struct tp_err *err)
{
	void *data;

	if (fflush(s->file))
		return failed(err);
	if (!s->size)
		return 0;
	data = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, fileno(s->file), 0);
	if (data == MAP_FAILED)
		return failed(err);
	s->data = data;
	return 0;
}

void rep_spool_release(struct rep_spool *s)
{
	if (s->data)
		munmap((void *)(uintptr_t)s->data, s->size);
	if (s->file)
		fclose(s->file);
	*s = (struct rep_spool){0};
}
