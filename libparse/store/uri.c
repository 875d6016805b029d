#include "store/uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Escapes every character that is special in a URI. */
char *tp_uri(const char *path, const char *parameters)
{
	size_t room = strlen(path) * 3 + strlen(parameters) + 16;
	char *uri = malloc(room), *p = uri, *end;

	if (!uri)
		return NULL;
	end = uri + room;
	p += snprintf(p, (size_t)(end - p), "file:");
	if (*path != '/')
		p += snprintf(p, (size_t)(end - p), "./");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c <= ' ' || c >= 0x7f || strchr("%?#", c))
			p += snprintf(p, (size_t)(end - p), "%%%02x", c);
		else
			*p++ = (char)c;
	}
	snprintf(p, (size_t)(end - p), "?%s", parameters);
	return uri;
}
