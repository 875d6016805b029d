/* A small command that writes a file, soundly or with one of the bugs that the faults are to find:
 *
 *   planted BUG OUT
 *
 * selftest.py tries them all. A program of the tests, never installed. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4000

static int fail(const char *what)
{
	fprintf(stderr, "planted: %s: %s\n", what, strerror(errno));
	return 4;
}

static bool put(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t k = write(fd, data, n);

		if (k < 0 && errno != EINTR)
			return false;
		data += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return true;
}

static int finish(int fd, const char *part, const char *what)
{
	int status = fail(what);

	if (fd >= 0)
		close(fd);
	unlink(part);
	return status;
}

int main(int argc, char **argv)
{
	const char *bug = argc == 3 ? argv[1] : "", *out = argc == 3 ? argv[2] : "";
	bool half = !strcmp(bug, "half-written"), early = !strcmp(bug, "early-rename");
	char part[256];
	char *data = malloc(SIZE);
	int fd;

	if (!data && strcmp(bug, "unchecked-malloc") != 0)
		return fail("cannot begin");
	memset(data, 'x', SIZE);
	snprintf(part, sizeof(part), "%s%s", out, half ? "" : ".part");
	do
		fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		/* Several: to the last one the stack may still have a pointer. */
		for (int i = 0; !strcmp(bug, "leak") && data && i < 8; i++)
			data = malloc(SIZE);
		free(data);
		return fail("cannot create a file");
	}
	if (early && (fsync(fd) || rename(part, out))) {
		free(data);
		return finish(fd, part, "cannot name it");
	}
	if (!put(fd, data, SIZE) && strcmp(bug, "silent") != 0) {
		int status;

		free(data);
		if (half) {
			close(fd);
			return fail("cannot write");
		}
		status = finish(strcmp(bug, "descriptor") ? fd : -1, part, "cannot write");
		return status;
	}
	free(data);
	if (strcmp(bug, "unsynced") != 0 && fsync(fd))
		return finish(fd, part, "cannot write");
	if (close(fd) && errno != EINTR)
		return finish(-1, part, "cannot write");
	if (!half && !early && rename(part, out))
		return finish(-1, part, "cannot name it");
	return 0;
}
