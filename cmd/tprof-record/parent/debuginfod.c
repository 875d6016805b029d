#include "tprof-record/parent/debuginfod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TPROF_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <unistd.h>

/* Returns a function of the library. */
#define FUNCTION(d, name) ((__typeof__(name) *)dlsym((d)->library, #name))

static void fail(struct rec_debuginfod *d, const char *why)
{
	snprintf(d->trouble, sizeof(d->trouble), "debuginfod: %.60s; check DEBUGINFOD_URLS", why);
}

static void begin(struct rec_debuginfod *d)
{
	__typeof__(debuginfod_begin) *start;

	d->begun = true;
	d->library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_LOCAL);
	start = d->library ? FUNCTION(d, debuginfod_begin) : NULL;
	d->client = start && FUNCTION(d, debuginfod_find_debuginfo) && FUNCTION(d, debuginfod_end)
			? start()
			: NULL;
	if (!d->client)
		snprintf(d->trouble, sizeof(d->trouble),
			 "debuginfod: %s cannot be used; install it", DEBUGINFOD_SONAME);
}

char *rec_debuginfod_fetch(void *ctx, const char *build_id)
{
	struct rec_debuginfod *d = ctx;
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);
	char *path = NULL;
	int fd;

	if (!urls || !urls[strspn(urls, " ")])
		return NULL;
	if (!d->begun)
		begin(d);
	if (d->trouble[0])
		return NULL;
	fd = FUNCTION(d, debuginfod_find_debuginfo)(d->client, (const unsigned char *)build_id, 0,
						    &path);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	/* No server has it, or it is larger than the user wants. */
	if (fd != -ENOENT && fd != -EFBIG)
		fail(d, strerror(-fd));
	return NULL;
}

void rec_debuginfod_end(struct rec_debuginfod *d)
{
	if (d->client)
		FUNCTION(d, debuginfod_end)(d->client);
	/* The library stays: GnuTLS and others below it cannot be unloaded. */
}
#else
char *rec_debuginfod_fetch(void *ctx, const char *build_id)
{
	struct rec_debuginfod *d = ctx;

	(void)build_id;
	if (getenv("DEBUGINFOD_URLS"))
		snprintf(d->trouble, sizeof(d->trouble),
			 "tprof-record was built without debuginfod");
	return NULL;
}

void rec_debuginfod_end(struct rec_debuginfod *d)
{
	(void)d;
}
#endif

void rec_debuginfod_remark(const struct rec_debuginfod *d, char *remark, size_t room)
{
	size_t n = strlen(remark);

	if (d->trouble[0])
		snprintf(remark + n, room - n, "%s%s", n ? "; " : "", d->trouble);
}
