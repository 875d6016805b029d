#include "tprof-record/parent/debuginfod.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool asking, cancelled;

bool rec_debuginfod_cancel(void)
{
	return atomic_load(&asking) && !atomic_exchange(&cancelled, true);
}

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

/* Called once a second at least. Returns whether to give up. */
static int on_progress(debuginfod_client *client, long done, long whole)
{
	(void)client;
	if (whole > 0 && getenv(DEBUGINFOD_PROGRESS_ENV_VAR))
		fprintf(stderr, "\rdebuginfod: %ld of %ld bytes%s", done, whole,
			done < whole ? "" : "\n");
	return atomic_load(&cancelled);
}

static void begin(struct rec_debuginfod *d)
{
	__typeof__(debuginfod_begin) *start;
	__typeof__(debuginfod_set_progressfn) *set;

	d->begun = true;
	d->library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_LOCAL);
	start = d->library ? FUNCTION(d, debuginfod_begin) : NULL;
	set = d->library ? FUNCTION(d, debuginfod_set_progressfn) : NULL;
	d->client =
	    start && set && FUNCTION(d, debuginfod_find_debuginfo) && FUNCTION(d, debuginfod_end)
		? start()
		: NULL;
	if (!d->client)
		snprintf(d->trouble, sizeof(d->trouble),
			 "debuginfod: %s cannot be used; install it", DEBUGINFOD_SONAME);
	else
		set(d->client, on_progress);
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
	atomic_store(&asking, true);
	fd = FUNCTION(d, debuginfod_find_debuginfo)(d->client, (const unsigned char *)build_id, 0,
						    &path);
	atomic_store(&asking, false);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	if (atomic_load(&cancelled))
		snprintf(d->trouble, sizeof(d->trouble), "debuginfod: the download was cancelled");
	/* No server has it, or it is larger than the user wants. */
	else if (fd != -ENOENT && fd != -EFBIG)
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
