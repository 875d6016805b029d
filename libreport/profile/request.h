/* The samples of one request: those with a label whose value is the request's id (trace_id, span_id, request_id
 * or any other key). */
#ifndef REP_PROFILE_REQUEST_H
#define REP_PROFILE_REQUEST_H

#include "base/err.h"
#include "decode/profile.h"

/* Keeps the samples of a request, written as in task/request.h. The value must be the id as a whole; a number
 * counts only if the key is given. Errors: TP_ENOENT with a sentence that names the keys or the key's values, if
 * no sample has it (the profile is empty then); TP_ENOMEM. */
int rep_profile_keep_request(struct tp_profile *p, const char *request, struct tp_err *err);

#endif
