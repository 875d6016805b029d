#include "cuts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/many.h"
#include "call.h"

/* One number and what follows it; false: there is none. */
static bool number(const char **at, char after, uint64_t *n)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*n = strtoull(*at, &end, 10);
	if (*end != after)
		return false;
	*at = end + 1;
	return true;
}

int cuts_divide(const char *list, uint64_t bytes, struct cut **cuts, size_t *n, struct tp_err *err)
{
	uint64_t generation, offset, size, sum = 0;
	size_t room = 0;

	*cuts = NULL;
	*n = 0;
	for (uint64_t expected = 1; *list; expected++) {
		if (!number(&list, '\t', &generation) || !number(&list, '\t', &offset) ||
		    !number(&list, '\n', &size) || generation != expected ||
		    generation >= UINT32_MAX) {
			*n = 0;
			break;
		}
		/* To the part that would else be nearer to what is wanted. */
		if (!*n || (sum && sum + size / 2 > bytes)) {
			if (*n == room) {
				struct cut *grown = tp_more(*cuts, room + 64, sizeof(*grown));

				if (!grown) {
					free(*cuts);
					*cuts = NULL;
					return tp_nomem(err);
				}
				*cuts = grown;
				room += 64;
			}
			(*cuts)[(*n)++].first = (uint32_t)generation;
			sum = 0;
		}
		(*cuts)[*n - 1].last = (uint32_t)generation;
		sum += size;
	}
	if (*n < 2) {
		free(*cuts);
		*cuts = NULL;
		*n = 0;
	}
	return 0;
}

/* A trace that is not compressed: only that can be read from somewhere in it. */
static bool is_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[5];
	bool is = fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		  !memcmp(head, "go 1.", sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

int cuts_find(const char *self, const char *trace, uint64_t bytes, struct cut **cuts, size_t *n,
	      struct tp_err *err)
{
	struct tp_buf list = {0}, said = {0};
	struct call c = {0};
	int code, status;

	*cuts = NULL;
	*n = 0;
	if (!is_plain(trace))
		return 0;
	call_add(&c, "%s", self);
	call_add(&c, "--generations=list");
	call_add(&c, "--");
	call_add(&c, "%s", trace);
	code = call_run(&c, &list, &said, &status, err);
	if (!code && !status)
		code = cuts_divide((const char *)list.data, bytes, cuts, n, err);
	call_release(&c);
	tp_buf_release(&list);
	tp_buf_release(&said);
	return code;
}
