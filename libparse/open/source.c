/* Reads the bytes of a dump from a descriptor, and recognises their packing. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "open/unpack.h"

long tp_source_fill(struct tp_source *s)
{
	ssize_t n;

	if (s->at) {
		memmove(s->buf, s->buf + s->at, s->have);
		s->at = 0;
	}
	if (s->have == TP_UNPACK_BYTES)
		return 0;
	/* A pipe's writer may write nothing for a long time, so a signal may have to cancel the read. */
	while ((n = read(s->fd, s->buf + s->have, TP_UNPACK_BYTES - s->have)) < 0 &&
	       errno == EINTR) {
		if (s->opt && s->opt->progress &&
		    s->opt->progress(s->opt->progress_ctx, s->taken, s->total)) {
			errno = ECANCELED;
			return -1;
		}
	}
	if (n > 0) {
		s->have += (size_t)n;
		s->taken += (uint64_t)n;
	}
	return (long)n;
}

int tp_source_error(const struct tp_source *s, struct tp_err *err)
{
	return errno == ECANCELED
		   ? tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped")
		   : tp_err_set(err, TP_EIO, s->taken, "cannot read: %s", strerror(errno));
}

enum tp_packing tp_packing_of(const uint8_t *d, size_t size)
{
	if (size >= 3 && d[0] == 0x1f && d[1] == 0x8b && d[2] == 8)
		return TP_PACKING_GZ;
	if (size >= 4 && d[1] == 0xb5 && d[2] == 0x2f && d[3] == 0xfd && d[0] == 0x28)
		return TP_PACKING_ZST;
	if (size >= 4 && (d[0] & 0xf0) == 0x50 && d[1] == 0x2a && d[2] == 0x4d && d[3] == 0x18)
		return TP_PACKING_ZST; /* a skippable frame comes first */
	return TP_PACKING_NONE;
}
