/* Stands in for the timeline. */
#include "tprof-web/lanes.h"

#include <stdlib.h>

struct web_lanes {
	int unused;
};

int web_lanes_new(struct web_lanes **lanes, const char *store, struct tp_err *err)
{
	(void)store;
	*lanes = calloc(1, sizeof(**lanes));
	return *lanes ? 0 : tp_nomem(err);
}

void web_lanes_free(struct web_lanes *lanes)
{
	free(lanes);
}

int web_lanes_answer(struct web_lanes *lanes, const char *what, const struct web_query *query,
		     struct tp_buf *out, const char **type, const atomic_bool *stop,
		     struct tp_err *err)
{
	(void)lanes, (void)query, (void)out, (void)type, (void)stop;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "there is no timeline data '%s' yet",
			  what);
}
