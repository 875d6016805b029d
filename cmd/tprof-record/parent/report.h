/* What the recorder says at the end, on standard error: what was recorded, where it is, how much,
 * what was lost and why, and the commands that show it. */
#ifndef RECORD_PARENT_REPORT_H
#define RECORD_PARENT_REPORT_H

#include "base/buf.h"
#include "tprof-record/parent/session.h"

/* Lines of text that can be shown on a terminal as they are. TP_ENOMEM. */
int rec_report(const struct rec_result *r, const struct rec_request *request, struct tp_buf *out);
/* Only what went wrong: for --quiet. */
int rec_report_troubles(const struct rec_result *r, struct tp_buf *out);

#endif
