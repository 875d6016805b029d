#include "tprof-record/parent/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-record/core/hello.h"

void rec_request_complete(struct rec_request *r)
{
	bool any = r->trace;

	for (int i = 0; i < REC_NPROFILES; i++)
		any |= r->profile[i];
	if (!any)
		r->trace = r->profile[REC_PROFILE_CPU] = r->profile[REC_PROFILE_HEAP] =
		    r->profile[REC_PROFILE_BLOCK] = r->profile[REC_PROFILE_MUTEX] = true;
	/* Go 1.5 to 1.7 had no mutex profile. */
	if (r->options.profiler < 108)
		r->profile[REC_PROFILE_MUTEX] = false;
	r->options.trace = r->trace;
	r->options.threadcreate = r->profile[REC_PROFILE_THREADCREATE];
	if (!r->profile[REC_PROFILE_CPU])
		r->options.cpu_hz = 0;
	if (!r->profile[REC_PROFILE_HEAP])
		r->options.heap_rate = 0;
	if (!r->profile[REC_PROFILE_BLOCK])
		r->options.block_rate = 0;
	if (!r->profile[REC_PROFILE_MUTEX])
		r->options.mutex_fraction = 0;
}

size_t rec_request_settings(const struct rec_request *r, const char *socket, char *text,
			    size_t room)
{
	size_t n = (size_t)snprintf(text, room, "%s", socket);

#define REC_PUT(key, value)                                                                        \
	n += (size_t)snprintf(n < room ? text + n : NULL, n < room ? room - n : 0, " %s=%llu",     \
			      key, (unsigned long long)(value));
#define REC_X(key, field) REC_PUT(key, r->options.field)
	REC_SETTINGS(REC_X)
	REC_PUT(REC_SETTING_CHILDREN, r->children)
#undef REC_X
#undef REC_PUT
	return n;
}

int rec_request_environment(const char *settings, const char *first, const char *library)
{
	const char *old = getenv(REC_PRELOAD);
	char *list, *end;
	int failed;

	old = old ? old : "";
	list = malloc(strlen(first) + strlen(library) + strlen(old) + 3);
	if (!list)
		return TP_ENOMEM;
	end = stpcpy(list, first);
	if (*first)
		*end++ = ':';
	end = stpcpy(end, library);
	strcpy(end + 1, old);
	*end = rec_preload_strip(end + 1) ? ':' : 0;
	/* Should there be several, the dynamic linker takes the last. */
	unsetenv(REC_PRELOAD);
	failed = setenv(REC_PRELOAD, list, 1) || setenv(REC_ENVIRONMENT, settings, 1);
	free(list);
	return failed ? TP_ENOMEM : 0;
}
