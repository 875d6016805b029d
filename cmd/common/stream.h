/* Lines on their way to stdout, collected so that they are written in large pieces. */
#ifndef CMD_STREAM_H
#define CMD_STREAM_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define CMD_STREAM_BLOCK ((size_t)256 << 10)

struct cmd_stream {
	struct tp_buf buf; /* append to it */
};

/* Writes the buffer when it holds at least `least` bytes. 0, or TP_EIO when stdout is full or
 * closed (cmd_fail keeps quiet about a closed one). */
int cmd_stream_flush(struct cmd_stream *s, size_t least, struct tp_err *err);
void cmd_stream_release(struct cmd_stream *s);

#endif
