#include "common/stream.h"

#include "common/common.h"

int cmd_stream_flush(struct cmd_stream *s, size_t least, struct tp_err *err)
{
	size_t size = s->buf.size;

	if (!size || size < least)
		return 0;
	s->buf.size = 0;
	return cmd_write(s->buf.data, size, err);
}

void cmd_stream_release(struct cmd_stream *s)
{
	tp_buf_release(&s->buf);
}
