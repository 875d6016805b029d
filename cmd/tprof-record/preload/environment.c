#include "tprof-record/preload/environment.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fcntl.h>

#include "tprof-record/core/hello.h"
#include "tprof-record/core/inside.h"

enum { MAX_TEXT = 1024 };

/* "TPROF_RECORD=…" and "LD_PRELOAD=…" as they were when the process began, kept for the programs that it
 * executes, and this library's path in the latter. Empty if they did not fit. */
static char record_text[MAX_TEXT], preload_text[MAX_TEXT], library[MAX_TEXT];

static const char *value(const char *entry, const char *key)
{
	size_t size = strlen(key);

	return !strncmp(entry, key, size) && entry[size] == '=' ? entry + size + 1 : NULL;
}

/* Removes a sanitizer's runtime from the beginning of the list. The recorder put it before us
 * ("libasan.so.8", no path) because a program built with that sanitizer insists on it being first; other
 * programs must not get it. */
static void drop_runtime(char *entry)
{
	char *list = entry + strlen(REC_PRELOAD "=");
	size_t size, n = strcspn(list, REC_SEPARATORS);
	const char *own = rec_preload_find(list, &size);

	if (own && own == list + n + 1 && n > 6 && !strncmp(list, "lib", 3) &&
	    !memchr(list, '/', n) && memmem(list, n, "san.so", 6))
		memmove(list, own, strlen(own) + 1);
}

/* ---- ours ---- */

static char *entry_of(char **env, const char *key)
{
	for (; env && *env; env++)
		if (value(*env, key))
			return *env;
	return NULL;
}

const char *environment_read(char **env)
{
	char *entry = entry_of(env, REC_ENVIRONMENT);

	return entry ? value(entry, REC_ENVIRONMENT) : NULL;
}

/* Returns true if all of it fits. */
static bool keep(const char *record, const char *preload, const char *again)
{
	size_t size = 0;
	const char *path = preload ? rec_preload_find(value(preload, REC_PRELOAD), &size) : NULL;

	if (!path || size >= MAX_TEXT || strlen(preload) >= MAX_TEXT ||
	    strlen(record) + strlen(again) >= MAX_TEXT)
		return false;
	memcpy(library, path, size);
	stpcpy(preload_text, preload);
	stpcpy(stpcpy(record_text, record), again);
	return true;
}

bool environment_take(char **env, const char *again, bool follows)
{
	char *record = entry_of(env, REC_ENVIRONMENT), *preload = entry_of(env, REC_PRELOAD);
	char **to = env;

	if (!record)
		return false;
	if (preload)
		drop_runtime(preload);
	if (!record_text[0] && !keep(record, preload, again))
		follows = false;
	for (char **e = env; *e; e++) {
		if (*e == record && follows)
			*to++ = record_text;
		else if (*e != record && (*e != preload || follows ||
					  rec_preload_strip(preload + strlen(REC_PRELOAD "="))))
			*to++ = *e;
	}
	*to = NULL;
	return follows;
}

/* ---- theirs ---- */

/* What an environment lacks for recording. */
struct lack {
	size_t count;		 /* entries that the environment has */
	bool record;		 /* TPROF_RECORD is missing */
	bool preload;		 /* LD_PRELOAD lacks this library, … */
	const char *const *list; /* … and has this value (NULL: it is not set) */
};

static struct lack lacking(char *const *env)
{
	struct lack l = {0};

	l.record = l.preload = record_text[0] != 0;
	for (; env && env[l.count]; l.count++) {
		const char *const *entry = (const char *const *)&env[l.count];
		size_t size;

		if (value(*entry, REC_ENVIRONMENT)) {
			l.record = false;
		} else if (value(*entry, REC_PRELOAD)) {
			l.preload =
			    l.preload && !rec_preload_find(value(*entry, REC_PRELOAD), &size);
			l.list = l.preload ? entry : NULL;
		}
	}
	return l;
}

bool environment_can_load(void)
{
	return !library[0] || !rec_call(SYS_faccessat, AT_FDCWD, (long)library, R_OK, 0, 0, 0);
}

/* Returns how many bytes a copy of the environment without our entries takes; 0: it has none. */
static size_t excess(char *const *env)
{
	size_t count = 0, size = 0, text = 0;
	bool any = false;

	for (; env && env[count]; count++) {
		const char *list = value(env[count], REC_PRELOAD);

		if (list && rec_preload_find(list, &size))
			text += strlen(env[count]) + 1;
		any = any || text || value(env[count], REC_ENVIRONMENT);
	}
	return any ? (count + 1) * sizeof(*env) + text : 0;
}

static char **strip(void *room, char *const *env)
{
	char **to = room, *text;
	size_t count = 0, size;

	while (env[count])
		count++;
	text = (char *)(to + count + 1);
	for (; *env; env++) {
		const char *list = value(*env, REC_PRELOAD);

		if (value(*env, REC_ENVIRONMENT))
			continue;
		*to++ = *env;
		if (!list || !rec_preload_find(list, &size))
			continue;
		to[-1] = text;
		text = stpcpy(text, *env) + 1;
		if (!rec_preload_strip(to[-1] + strlen(REC_PRELOAD "=")))
			to--;
	}
	*to = NULL;
	return room;
}

size_t environment_lack(char *const *env, bool wanted)
{
	struct lack l = lacking(env);

	if (!wanted)
		return excess(env);
	return l.record || l.preload ? (l.count + 3) * sizeof(*env) + strlen(library) +
					   (l.list ? strlen(*l.list) : 0) + 2
				     : 0;
}

char **environment_complete(void *room, char *const *env, bool wanted)
{
	struct lack l = lacking(env);
	char **to = room;
	size_t n = l.count;

	if (!wanted)
		return strip(room, env);

	if (n)
		memcpy(to, env, n * sizeof(*to));
	if (l.record)
		to[n++] = record_text;
	if (l.preload && !l.list) {
		to[n++] = preload_text;
	} else if (l.preload) {
		char *text = (char *)(to + l.count + 3);
		char *end = stpcpy(stpcpy(text, REC_PRELOAD "="), library);

		*end++ = REC_SEPARATORS[0];
		stpcpy(end, *l.list + strlen(REC_PRELOAD "="));
		to[(char *const *)l.list - env] = text;
	}
	to[n] = NULL;
	return to;
}
