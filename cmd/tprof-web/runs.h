/* The runs of the store, for the page's beginning: a command would take longer than all the rest of it. */
#ifndef WEB_RUNS_H
#define WEB_RUNS_H

#include "base/buf.h"
#include "base/err.h"

/* Appends [{"id":…,"kind":…,"name":…,"format":…,"wall_ns":…,"duration_ns":…,"ticks":…,"events":…,"goroutines":…,
 * "losses":…,"labels":["KEY=VALUE", …]}, …]: all that the store has now. Errors: TP_ESTORE, TP_ENOMEM. */
int web_runs_put(struct tp_buf *out, const char *store, struct tp_err *err);

#endif
