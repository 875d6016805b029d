#include "profile/code/source.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sourcepath.h"

#define LARGEST ((off_t)64 << 20)

void rep_source_init(struct rep_source *s, const char *search, const char *trim)
{
	*s = (struct rep_source){.search = search ? search : "", .trim = trim ? trim : ""};
}

void rep_source_release(struct rep_source *s)
{
	tp_buf_release(&s->path);
	tp_buf_release(&s->found);
	tp_buf_release(&s->text);
	tp_buf_release(&s->lines);
}

/* ---- content ---- */

/* Sets s->why to Go's words, "open PATH: no such file or directory", which are in lower case. */
static int give_up(struct rep_source *s, const char *path, int why)
{
	char words[128];

	snprintf(words, sizeof(words), "%s", strerror(why));
	words[0] = (char)tolower((unsigned char)words[0]);
	snprintf(s->why, sizeof(s->why), "open %.160s: %s", path, words);
	return 0;
}

static int index_lines(struct rep_source *s)
{
	size_t at = 0, size = s->text.size;

	tp_buf_put(&s->lines, &at, sizeof(at));
	while (at < size) {
		const uint8_t *stop = memchr(s->text.data + at, '\n', size - at);

		at = stop ? (size_t)(stop - s->text.data) + 1 : size;
		tp_buf_put(&s->lines, &at, sizeof(at));
	}
	return tp_buf_text(&s->lines, "");
}

static int read_all(struct rep_source *s, int fd, size_t size)
{
	int code = tp_buf_reserve(&s->text, size);
	ssize_t n = 1;

	while (!code && n && s->text.size < size) {
		n = read(fd, s->text.data + s->text.size, size - s->text.size);
		if (n > 0)
			s->text.size += (size_t)n;
		else if (n < 0 && errno != EINTR)
			break;
	}
	return code ? code : index_lines(s);
}

/* Returns whether an open file is below one of the searched folders, wherever links led to. */
static bool is_within(const struct rep_source *s, int fd)
{
	char link[40], file[4096], folder[4096], real[PATH_MAX];
	const char *list = s->search;
	struct tp_text in;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, file, sizeof(file) - 1);
	file[n > 0 ? n : 0] = '\0';
	while (rep_path_next(&list, &in)) {
		size_t size;

		snprintf(folder, sizeof(folder), "%.*s", (int)in.size, in.text);
		if (in.size >= sizeof(folder) || !realpath(*folder ? folder : ".", real))
			continue;
		size = strcmp(real, "/") ? strlen(real) : 0;
		if (!strncmp(file, real, size) && file[size] == '/')
			return true;
	}
	return false;
}

/* Reads a file. *found says whether it can be opened, even if it is not a readable source file. */
static int try_path(struct rep_source *s, const char *path, bool *found)
{
	/* Opening a pipe without a writer must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), code = 0;
	struct stat st;

	*found = fd >= 0;
	if (fd < 0)
		return give_up(s, path, errno);
	if (s->within && !is_within(s, fd)) {
		*found = false;
		close(fd);
		snprintf(s->why, sizeof(s->why),
			 "%.160s is outside of the folders of --source-path", path);
		return 0;
	}
	s->why[0] = 0;
	if (fstat(fd, &st))
		give_up(s, path, errno);
	else if (S_ISDIR(st.st_mode))
		give_up(s, path, EISDIR);
	else if (!S_ISREG(st.st_mode))
		snprintf(s->why, sizeof(s->why), "%.160s is not a regular file", path);
	else if (st.st_size > LARGEST)
		snprintf(s->why, sizeof(s->why), "%.160s is larger than 64 MiB", path);
	else
		code = read_all(s, fd, (size_t)st.st_size) |
		       tp_buf_put(&s->found, path, strlen(path) + 1);
	close(fd);
	return code;
}

/* Turns a path into the folder above: "/a/b" into "/a", "a" into ".". Returns false if there is
 * none. */
static bool go_up(char *folder)
{
	size_t n = strlen(folder);

	if (!strcmp(folder, ".") || !strcmp(folder, "/"))
		return false;
	while (n > 1 && folder[n - 1] == '/')
		n--;
	while (n && folder[n - 1] != '/')
		n--;
	if (!n) {
		memcpy(folder, ".", 2);
		return true;
	}
	while (n > 1 && folder[n - 1] == '/')
		n--;
	folder[n] = 0;
	return true;
}

static int search_for(struct rep_source *s, const char *path, bool *found)
{
	const char *list = s->search;
	struct tp_text in;

	while (rep_path_next(&list, &in)) {
		char folder[4096], whole[8192];
		int code = 0;

		if (in.size + 2 > sizeof(folder))
			continue;
		snprintf(folder, sizeof(folder), "%.*s", (int)in.size, in.text);
		do {
			int n = snprintf(whole, sizeof(whole), "%s%s%s", folder, *folder ? "/" : "",
					 path);

			if (n > 0 && (size_t)n < sizeof(whole))
				code = try_path(s, whole, found);
			if (code || *found)
				return code;
		} while (*folder && go_up(folder));
	}
	snprintf(s->why, sizeof(s->why), "could not find file %.120s on path %.120s", path,
		 s->search);
	return 0;
}

/* Searches the folders for the rest of a name, which must not lead out of them. As in pprof,
 * "a/../b" means "b", whatever "a" is. */
static int search_below(struct rep_source *s, struct tp_text path, bool *found)
{
	struct tp_buf clean = {0};
	int code;

	rep_path_clean(path.text, path.size, &clean);
	code = tp_buf_put(&clean, "", 1);
	if (!code && !strncmp((char *)clean.data, "..", 2) && strchr("/", clean.data[2]))
		snprintf(s->why, sizeof(s->why),
			 "%.160s leads out of the folders that are searched", path.text);
	else if (!code)
		code = search_for(s, (char *)clean.data, found);
	tp_buf_release(&clean);
	return code;
}

static int try_go_path(void *ctx, const char *path, bool *found)
{
	return try_path(ctx, path, found);
}

/* Searches Go's folders. If the file is not found there, s->why keeps the earlier reason. */
static int search_go(struct rep_source *s, struct tp_text path, bool *found)
{
	char why[sizeof(s->why)];
	int code;

	memcpy(why, s->why, sizeof(why));
	code = rep_go_source_find(&s->go, s->search, s->program, path, try_go_path, s, found);
	if (!code && !*found)
		memcpy(s->why, why, sizeof(why));
	return code;
}

int rep_source_open(struct rep_source *s, struct tp_text path, struct tp_err *err)
{
	struct tp_text whole;
	const char *name;
	bool found = false;
	int code;

	if (s->known && s->path.size == path.size + 1 &&
	    !memcmp(s->path.data, path.text, path.size))
		return 0;
	s->known = false;
	s->path.size = s->found.size = s->text.size = s->lines.size = 0;
	s->why[0] = 0;
	tp_buf_put(&s->path, path.text, path.size);
	code = tp_buf_put(&s->path, "", 1);
	if (!code) {
		/* A NUL in the name would cut it short. */
		whole = (struct tp_text){(char *)s->path.data, path.size};
		path = rep_path_trim(whole, s->trim, s->search);
		name = path.text;
		if (!path.size || memchr(name, 0, path.size))
			snprintf(s->why, sizeof(s->why), "this is not the name of a file");
		else
			code = *name == '/' ? try_path(s, name, &found)
					    : search_below(s, path, &found);
		if (!code && !found)
			code = search_go(s, path, &found);
		if (!code && !found && path.size != whole.size)
			code = search_go(s, whole, &found);
	}
	s->known = !code;
	return code ? tp_nomem(err) : 0;
}

bool rep_source_line(const struct rep_source *s, int64_t number, struct tp_text *line)
{
	const size_t *begin = (const size_t *)(const void *)s->lines.data;
	size_t n = s->lines.size / sizeof(*begin), at, end;

	if (number < 1 || n < 2 || (uint64_t)number > n - 1)
		return false;
	at = begin[number - 1];
	end = begin[number];
	if (end > at && s->text.data[end - 1] == '\n')
		end--;
	if (end > at && s->text.data[end - 1] == '\r')
		end--;
	*line = (struct tp_text){(const char *)s->text.data + at, (uint32_t)(end - at)};
	return true;
}
