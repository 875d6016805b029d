#include "common/goplaces.h"

#include <stdio.h>
#include <stdlib.h>

static const char *value(const char *name, const char *otherwise)
{
	const char *v = getenv(name);

	return v && *v ? v : otherwise;
}

struct rep_go_places cmd_go_places(void)
{
	static char home[4096];
	const char *h = getenv("HOME");

	if (!*home && h && *h)
		snprintf(home, sizeof(home), "%.4000s/go", h);
	return (struct rep_go_places){.goroot = value("GOROOT", "/usr/local/go"),
				      .modcache = value("GOMODCACHE", NULL),
				      .gopath = value("GOPATH", home)};
}
