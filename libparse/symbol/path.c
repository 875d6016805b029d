#include "symbol/path.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"

#define MOST_FILES 4096 /* files of all folders that are opened for their build ids */

struct tp_symbol_path {
	char **dir;
	size_t ndirs;
	struct tp_image **image; /* every file that was opened */
	size_t n, room;
	bool listed; /* the files of the folders themselves have been opened */
};

int tp_symbol_path_new(struct tp_symbol_path **out, const char *path, struct tp_err *err)
{
	struct tp_symbol_path *p = calloc(1, sizeof(*p));
	struct stat st;

	*out = NULL;
	for (const char *at = path; p && at;) {
		size_t n = strcspn(at, ":");
		char **more = tp_more(p->dir, p->ndirs + 1, sizeof(*more));

		if (!more)
			goto no_memory;
		p->dir = more;
		more[p->ndirs] = strndup(n ? at : ".", n ? n : 1);
		if (!more[p->ndirs])
			goto no_memory;
		if (stat(more[p->ndirs++], &st) || !S_ISDIR(st.st_mode)) {
			tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				   "--symbol-path: %s is not a folder", more[p->ndirs - 1]);
			tp_symbol_path_free(p);
			return TP_ENOENT;
		}
		at = at[n] ? at + n + 1 : NULL;
	}
	*out = p;
	if (p)
		return 0;
no_memory:
	tp_symbol_path_free(p);
	return tp_nomem(err);
}

void tp_symbol_path_free(struct tp_symbol_path *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		tp_image_close(p->image[i]);
	for (size_t i = 0; i < p->ndirs; i++)
		free(p->dir[i]);
	free(p->image);
	free(p->dir);
	free(p);
}

/* Opens a file and keeps it. Returns NULL if it is not an ELF file, after MOST_FILES files, or when
 * memory is out. */
static struct tp_image *add(struct tp_symbol_path *p, const char *dir, const char *name)
{
	struct tp_image *image;
	struct tp_err err;
	char *path;

	if (tp_grow(&p->image, &p->room, p->n, sizeof(*p->image)))
		return NULL;
	if (p->n >= MOST_FILES || asprintf(&path, "%s/%s", dir, name) < 0)
		return NULL;
	if (tp_image_open(&image, path, &err) == 0)
		p->image[p->n++] = image;
	free(path);
	return image;
}

static struct tp_image *known(struct tp_symbol_path *p, const char *id)
{
	struct tp_image *found = NULL;

	for (size_t i = 0; i < p->n; i++) {
		if (!tp_image_is(p->image[i], id))
			continue;
		if (tp_image_has_lines(p->image[i]))
			return p->image[i];
		found = found ? found : p->image[i];
	}
	return found;
}

static void list(struct tp_symbol_path *p)
{
	for (size_t i = 0; !p->listed && i < p->ndirs; i++) {
		struct dirent **entry;
		int n = scandir(p->dir[i], &entry, NULL, alphasort);

		for (int k = 0; k < n; k++) {
			if (entry[k]->d_name[0] != '.' &&
			    (entry[k]->d_type == DT_REG || entry[k]->d_type == DT_LNK ||
			     entry[k]->d_type == DT_UNKNOWN))
				add(p, p->dir[i], entry[k]->d_name);
			free(entry[k]);
		}
		if (n >= 0)
			free(entry);
	}
	p->listed = true;
}

/* Returns whether an id may be part of a path: a GNU build id may, anything else (a Go build id has
 * slashes) must not. */
static bool is_hex(const char *id)
{
	size_t n = 0;

	while (isxdigit((unsigned char)id[n]))
		n++;
	return n >= 4 && n < 256 && !id[n];
}

struct tp_image *tp_symbol_path_by_id(struct tp_symbol_path *p, const char *id)
{
	static const char *const forms[] = {".build-id/%.2s/%s.debug", ".build-id/%.2s/%s",
					    "%.2s/%s.debug", "%.2s/%s"};
	struct tp_image *found = known(p, id);
	char lower[256], name[300];
	size_t n = 0;

	if (!*id || (found && tp_image_has_lines(found)))
		return found;
	for (; is_hex(id) && id[n]; n++)
		lower[n] = (char)tolower((unsigned char)id[n]);
	lower[n] = '\0';
	for (size_t i = 0; n && !found && i < p->ndirs; i++) {
		for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
			struct tp_image *image;

			snprintf(name, sizeof(name), forms[f], lower, lower + 2);
			image = add(p, p->dir[i], name);
			if (image && tp_image_is(image, id) && tp_image_has_lines(image))
				return image;
		}
	}
	list(p);
	return known(p, id);
}

struct tp_image *tp_symbol_path_by_name(struct tp_symbol_path *p, const char *name)
{
	list(p);
	for (size_t i = 0; *name && i < p->n; i++) {
		const char *slash = strrchr(tp_image_path(p->image[i]), '/');

		if (slash && !strcmp(slash + 1, name))
			return p->image[i];
	}
	return NULL;
}
