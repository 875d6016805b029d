#include "sourcepath.h"

#include <string.h>

int rep_path_clean(const char *path, size_t size, struct tp_buf *out)
{
	size_t begin = out->size, floor, i = 0;
	bool rooted = size && path[0] == '/';
	int failed = rooted ? tp_buf_put(out, "/", 1) : 0;

	/* Names after `floor` may be removed by a "..". */
	floor = out->size;
	while (i < size && !failed) {
		size_t end = i;

		while (end < size && path[end] != '/')
			end++;
		if (end == i || (end - i == 1 && path[i] == '.')) {
			/* empty, or "." */
		} else if (end - i == 2 && path[i] == '.' && path[i + 1] == '.') {
			if (out->size > floor) {
				while (out->size > floor && out->data[out->size - 1] != '/')
					out->size--;
				if (out->size > floor)
					out->size--; /* the slash before the name */
			} else if (!rooted) {
				failed |= out->size > begin ? tp_buf_put(out, "/", 1) : 0;
				failed |= tp_buf_put(out, "..", 2);
				floor = out->size;
			}
		} else {
			if (out->size > begin && out->data[out->size - 1] != '/')
				failed |= tp_buf_put(out, "/", 1);
			failed |= tp_buf_put(out, path + i, end - i);
		}
		i = end + 1;
	}
	if (out->size == begin)
		failed |= tp_buf_put(out, ".", 1);
	return failed ? TP_ENOMEM : 0;
}

struct tp_text rep_path_base(struct tp_text path)
{
	uint32_t at;

	if (!path.size)
		return (struct tp_text){".", 1};
	while (path.size && path.text[path.size - 1] == '/')
		path.size--;
	for (at = path.size; at && path.text[at - 1] != '/'; at--)
		;
	if (!path.size)
		return (struct tp_text){"/", 1};
	return (struct tp_text){path.text + at, path.size - at};
}

static bool has_prefix(struct tp_text t, const char *prefix, size_t size)
{
	return t.size >= size && !memcmp(t.text, prefix, size);
}

static struct tp_text cut(struct tp_text t, size_t n)
{
	return (struct tp_text){t.text + n, t.size - (uint32_t)n};
}

bool rep_path_next(const char **list, struct tp_text *dir)
{
	size_t n = strcspn(*list, ":");

	if (!**list)
		return false;
	*dir = (struct tp_text){*list, (uint32_t)n};
	*list += n + ((*list)[n] == ':');
	return true;
}

struct tp_text rep_path_trim(struct tp_text path, const char *trim, const char *source)
{
	static const char *const always[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
	struct tp_text dir;

	if (trim && !*trim)
		trim = NULL;
	while (!trim && source && rep_path_next(&source, &dir)) {
		struct tp_text base = rep_path_base(dir);

		for (uint32_t i = 0; i + base.size + 2 <= path.size; i++)
			if (path.text[i] == '/' && path.text[i + 1 + base.size] == '/' &&
			    !memcmp(path.text + i + 1, base.text, base.size))
				return cut(path, i + base.size + 2);
	}
	while (trim && rep_path_next(&trim, &dir)) {
		bool slash = dir.size && dir.text[dir.size - 1] == '/';

		if (has_prefix(path, dir.text, dir.size) &&
		    (slash || (path.size > dir.size && path.text[dir.size] == '/')))
			return cut(path, dir.size + !slash);
	}
	for (size_t i = 0; i < 2; i++)
		if (has_prefix(path, always[i], strlen(always[i])))
			return cut(path, strlen(always[i]));
	return path;
}
