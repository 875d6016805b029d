#include "tprof-record/parent/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof-record/core/hello.h"

#define PRELOAD "LD_PRELOAD="

void rec_request_complete(struct rec_request *r)
{
	bool any = r->trace;

	for (int i = 0; i < REC_NPROFILES; i++)
		any |= r->profile[i];
	if (!any)
		r->trace = r->profile[REC_PROFILE_HEAP] = r->profile[REC_PROFILE_BLOCK] =
		    r->profile[REC_PROFILE_MUTEX] = true;
	/* Go 1.5 to 1.7 had no mutex profile. */
	if (r->profiler < 108)
		r->profile[REC_PROFILE_MUTEX] = false;
}

size_t rec_request_settings(const struct rec_request *r, const char *socket, char *text,
			    size_t room)
{
	/* Of struct rec_options, by the names of its fields. */
	uint64_t heap_rate = r->profile[REC_PROFILE_HEAP] ? r->heap_rate : 0;
	uint64_t block_rate = r->profile[REC_PROFILE_BLOCK] ? r->block_rate : 0;
	uint64_t mutex_fraction = r->profile[REC_PROFILE_MUTEX] ? r->mutex_fraction : 0;
	uint64_t trace = r->trace, depth = r->depth, profiler = r->profiler;
	uint64_t threadcreate = r->profile[REC_PROFILE_THREADCREATE];
	uint64_t syscall_ns = REC_SYSCALL_NS, seed = r->seed;
	size_t n = (size_t)snprintf(text, room, "%s", socket);

#define REC_X(key, field)                                                                          \
	n += (size_t)snprintf(n < room ? text + n : NULL, n < room ? room - n : 0, " %s=%llu",     \
			      key, (unsigned long long)field);
	REC_SETTINGS(REC_X)
	REC_X(REC_SETTING_CHILDREN, r->children)
#undef REC_X
	return n;
}

/* Returns whether a list like LD_PRELOAD, of spaces or colons, begins with `library`. */
static bool begins_with(const char *list, const char *library)
{
	size_t n = strlen(library);

	return !strncmp(list, library, n) && (!list[n] || list[n] == ':' || list[n] == ' ');
}

/* Writes the list without `library`; returns the end of the text. */
static char *without(char *to, const char *list, const char *library)
{
	while (*list) {
		size_t n = strcspn(list, ": ");

		if (n && !begins_with(list, library)) {
			*to++ = ':';
			memcpy(to, list, n);
			to += n;
		}
		list += n;
		list += strspn(list, ": ");
	}
	return to;
}

char **rec_request_environment(char *const *env, const char *settings, const char *first,
			       const char *library)
{
	size_t n = 0, room = strlen(settings) + strlen(first) + strlen(library) +
			     sizeof(REC_ENVIRONMENT) + sizeof(PRELOAD) + 8;
	const char *old = "";
	char **out, *text;
	size_t k = 0;

	for (; env[n]; n++)
		if (!strncmp(env[n], PRELOAD, sizeof(PRELOAD) - 1))
			old = env[n] + sizeof(PRELOAD) - 1;
	room += strlen(old) + 1;
	out = malloc((n + 3) * sizeof(*out) + room);
	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(env[i], PRELOAD, sizeof(PRELOAD) - 1) != 0 &&
		    strncmp(env[i], REC_ENVIRONMENT "=", sizeof(REC_ENVIRONMENT)) != 0)
			out[k++] = env[i];
	text = (char *)(out + n + 3);
	out[k++] = text;
	text += sprintf(text, "%s=%s", REC_ENVIRONMENT, settings) + 1;
	out[k++] = text;
	text += sprintf(text, "%s%s%s%s", PRELOAD, first, *first ? ":" : "", library);
	*without(text, old, library) = 0;
	out[k] = NULL;
	return out;
}
