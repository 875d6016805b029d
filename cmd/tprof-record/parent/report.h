/* The summary at the end, on standard error: what was recorded, what was lost and why (first), where the files are
 * and how large, and the commands that show the files. */
#ifndef RECORD_PARENT_REPORT_H
#define RECORD_PARENT_REPORT_H

#include "base/buf.h"
#include "tprof-record/parent/session.h"

/* Writes the summary, escaped for a terminal. Returns 0 or TP_ENOMEM. */
int rec_report(const struct rec_result *r, const struct rec_request *request, struct tp_buf *out);
/* Writes only losses and errors, for --quiet. */
int rec_report_troubles(const struct rec_result *r, struct tp_buf *out);
/* Returns whether anything that was to be recorded is missing from the files. */
bool rec_report_loses(const struct rec_result *r, bool children);

#endif
