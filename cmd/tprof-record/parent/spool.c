#include "tprof-record/parent/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file never has a name if the file system supports that (O_TMPFILE). */
int rec_nameless_file(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/.records-XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int rec_spool_begin(struct rec_spool *s, const char *folder, struct tp_err *err)
{
	*s = (struct rec_spool){.fd = -1};
	s->buffer = malloc(REC_SPOOL_BUFFER * sizeof(*s->buffer));
	if (!s->buffer)
		return tp_nomem(err);
	s->fd = rec_nameless_file(folder);
	if (s->fd >= 0)
		return 0;
	s->error = errno;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create a file for the records: %s",
			  strerror(s->error));
}

static void unmap(struct rec_spool *s)
{
	if (s->map)
		munmap((void *)(uintptr_t)s->map, s->mapped);
	s->map = NULL;
	s->mapped = 0;
}

void rec_spool_end(struct rec_spool *s)
{
	unmap(s);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	*s = (struct rec_spool){.fd = -1};
}

void rec_spool_put(struct rec_spool *s, const struct rec_event *event, uint16_t kind)
{
	struct rec_event *to;

	if (s->error || !s->buffer) {
		s->lost++;
		return;
	}
	to = &s->buffer[s->held++];
	memcpy((void *)to, (const void *)event, sizeof(*to));
	atomic_store_explicit(&to->kind, kind, memory_order_relaxed);
	if (s->held == REC_SPOOL_BUFFER)
		rec_spool_flush(s);
}

/* Returns how many bytes were written. */
static size_t write_at(struct rec_spool *s, const void *data, size_t size, off_t at)
{
	size_t done = 0;

	while (done < size && !s->error) {
		ssize_t n = pwrite(s->fd, (const char *)data + done, size - done, at + (off_t)done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			s->error = n ? errno : ENOSPC;
	}
	return done;
}

void rec_spool_flush(struct rec_spool *s)
{
	size_t done = write_at(s, s->buffer, s->held * sizeof(*s->buffer),
			       (off_t)(s->n * sizeof(*s->buffer)));

	/* Half a record at the end is overwritten or never looked at. */
	s->n += done / sizeof(*s->buffer);
	s->lost += s->held - done / sizeof(*s->buffer);
	s->held = 0;
}

void rec_spool_rewrite(struct rec_spool *s, const struct rec_event *events, size_t n)
{
	rec_spool_flush(s);
	write_at(s, events, (n < s->n ? n : s->n) * sizeof(*events), 0);
}

int rec_spool_map(struct rec_spool *s, const struct rec_event **events, struct tp_err *err)
{
	void *p;

	rec_spool_flush(s);
	unmap(s);
	*events = NULL;
	if (!s->n)
		return 0;
	p = mmap(NULL, s->n * sizeof(**events), PROT_READ, MAP_SHARED, s->fd, 0);
	if (p == MAP_FAILED)
		return tp_err_set(err, errno == ENOMEM ? TP_ENOMEM : TP_EIO, TP_OFFSET_NONE,
				  "cannot map the records: %s", strerror(errno));
	s->mapped = s->n * sizeof(**events);
	s->map = *events = p;
	return 0;
}

void rec_spool_keep(struct rec_spool *s, size_t n)
{
	unmap(s);
	if (n >= s->n)
		return;
	s->lost += s->n - n;
	s->n = n;
	/* If that fails, the disk only has less room. */
	if (ftruncate(s->fd, (off_t)(n * sizeof(struct rec_event))))
		return;
}
