#include "profile/paper/heading.h"

#include <string.h>

int rep_heading_line(void *ctx, const char *text, size_t size, struct tp_err *err)
{
	struct rep_paper *out = ctx;

	rep_paper_prose(out, (struct tp_text){text, (uint32_t)size});
	rep_paper_put(out, "\n");
	if (out->err.code && err)
		*err = out->err;
	return out->err.code;
}

void rep_put_value(struct rep_paper *out, const struct rep_profile_view *v, int width,
		   int64_t value)
{
	char text[REP_MEASURE_SIZE];

	rep_view_label(v, value, text);
	rep_paper_column(out, (size_t)width, text, strlen(text));
}

void rep_put_share(struct rep_paper *out, int64_t value, int64_t total)
{
	char text[REP_PERCENTAGE_SIZE];

	rep_paper_put(out, rep_percentage(text, value, total));
}
