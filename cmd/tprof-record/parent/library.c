#include "tprof-record/parent/library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const places[] = {"../lib", "../lib/tprof"};

int rec_library_beside(const char *name, char path[PATH_MAX], struct tp_err *err)
{
	char own[PATH_MAX], candidate[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (n <= 0)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read /proc/self/exe: %s",
				  strerror(errno));
	own[n] = 0;
	slash = strrchr(own, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(candidate, sizeof(candidate), "%s/%s/%s", own, places[i], name) >=
		    (int)sizeof(candidate))
			continue;
		if (realpath(candidate, path))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: %s", candidate,
					  strerror(errno));
	}
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the library %s is not beside the command (in ../lib or ../lib/tprof)",
			  name);
}

int rec_library_find(char path[PATH_MAX], const char *given, struct tp_err *err)
{
	int code = 0;

	if (!given || !*given) {
		code = rec_library_beside("tprof-preload.so", path, err);
		if (code == TP_ENOENT)
			tp_err_set(
			    err, code, TP_OFFSET_NONE,
			    "the library tprof-preload.so is not beside the command (in ../lib or "
			    "../lib/tprof); install it, or say where it is with TPROF_PRELOAD");
	} else if (!realpath(given, path)) {
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "TPROF_PRELOAD: %.200s: %s",
				  given, strerror(errno));
	}
	if (code)
		return code;
	if (access(path, R_OK))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: %s", path, strerror(errno));
	/* LD_PRELOAD knows no quotes. */
	if (strpbrk(path, ": "))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the library's path has a space or a colon in it, which the "
				  "dynamic linker cannot take (%.180s): copy it elsewhere and set "
				  "TPROF_PRELOAD",
				  path);
	return 0;
}
