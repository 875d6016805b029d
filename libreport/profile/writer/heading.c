#include "profile/writer/heading.h"

#include <string.h>

int rep_heading_line(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct rep_writer *out = ctx;

	rep_writer_prose(out, (struct tp_text){text, (uint32_t)size});
	rep_writer_put(out, "\n");
	if (out->err.code && err)
		*err = out->err;
	return out->err.code;
}

void rep_put_value(struct rep_writer *out, const struct rep_profile_view *v, int width,
		   int64_t value)
{
	char text[REP_MEASURE_SIZE];

	rep_view_label(v, value, text);
	rep_writer_column(out, (size_t)width, text, strlen(text));
}

void rep_put_share(struct rep_writer *out, int64_t value, int64_t total)
{
	char text[REP_PERCENTAGE_SIZE];

	rep_writer_put(out, rep_percentage(text, value, total));
}
