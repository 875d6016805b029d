#include "tprof-record/core/hello.h"

#include <string.h>

static bool is_library(const char *path, size_t size)
{
	size_t n = strlen(REC_LIBRARY);

	return size >= n && memcmp(path + size - n, REC_LIBRARY, n) == 0 &&
	       (size == n || path[size - n - 1] == '/');
}

const char *rec_preload_find(const char *list, size_t *size)
{
	for (const char *s = list; s && *s; s += *size + strspn(s + *size, REC_SEPARATORS)) {
		*size = strcspn(s, REC_SEPARATORS);
		if (is_library(s, *size))
			return s;
	}
	return NULL;
}

bool rec_preload_strip(char *list)
{
	char *to = list;

	for (char *s = list; *s;) {
		size_t size = strcspn(s, REC_SEPARATORS);

		if (size && !is_library(s, size)) {
			if (to > list)
				*to++ = ':';
			memmove(to, s, size);
			to += size;
		}
		s += size + strspn(s + size, REC_SEPARATORS);
	}
	*to = 0;
	return to > list;
}
