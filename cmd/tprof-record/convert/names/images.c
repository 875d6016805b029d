#include "tprof-record/convert/names/images.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_IMAGES = 64 }; /* further ones are not kept */

struct rec_images {
	struct entry {
		struct tp_image *image;
		struct tp_image *debug; /* once it is `searched`; NULL: there is none */
		bool searched;
		char *path;
		struct stat st; /* of the file */
	} entry[MAX_IMAGES];
	size_t n;
	rec_fetch_fn fetch;
	void *ctx;
};

struct rec_images *rec_images_new(rec_fetch_fn fetch, void *ctx)
{
	struct rec_images *images = calloc(1, sizeof(*images));

	if (images) {
		images->fetch = fetch;
		images->ctx = ctx;
	}
	return images;
}

void rec_images_free(struct rec_images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->n; i++) {
		tp_image_close(images->entry[i].image);
		tp_image_close(images->entry[i].debug);
		free(images->entry[i].path);
	}
	free(images);
}

static bool is_at(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Returns whether it is still the same file, unchanged. A program can set the time of its bytes back,
 * but not the other time. */
static bool is_current(const struct stat *was, const struct stat *st)
{
	return was->st_dev == st->st_dev && was->st_ino == st->st_ino &&
	       was->st_size == st->st_size && is_at(&was->st_mtim, &st->st_mtim) &&
	       is_at(&was->st_ctim, &st->st_ctim);
}

static void keep(struct rec_images *images, const char *path, const struct stat *st,
		 struct tp_image *image)
{
	struct entry e = {.image = image, .st = *st};

	if (images->n < MAX_IMAGES && (e.path = strdup(path)))
		images->entry[images->n++] = e;
}

int rec_images_get(struct rec_images *images, const char *path, struct tp_image **image,
		   struct tp_err *err)
{
	struct stat st;
	bool known = images && !stat(path, &st);
	int code;

	for (size_t i = 0; known && i < images->n; i++) {
		const struct entry *e = &images->entry[i];

		if (!strcmp(e->path, path) && is_current(&e->st, &st)) {
			*image = e->image;
			return 0;
		}
	}
	code = tp_image_open(image, path, err);
	if (!code && known)
		keep(images, path, &st, *image);
	return code;
}

/* ---- debugging information in files of its own ---- */

/* Opens a file if it has the build id or, if a checksum is given, that checksum. */
static struct tp_image *open_debug(const char *path, const char *id, const uint32_t *checksum)
{
	struct tp_image *debug;

	if (tp_image_open(&debug, path, NULL))
		return NULL;
	if (checksum ? tp_image_checksum(debug) == *checksum &&
			   (!*id || !*tp_image_gnu_id(debug) || tp_image_is(debug, id))
		     : tp_image_is(debug, id))
		return debug;
	tp_image_close(debug);
	return NULL;
}

static struct tp_image *find_by_link(const struct tp_image *image)
{
	static const char *const places[] = {"%s/%s", "%s/.debug/%s", "/usr/lib/debug%s/%s"};
	uint32_t checksum;
	const char *name = tp_image_debug_link(image, &checksum);
	char *folder = *name ? realpath(tp_image_path(image), NULL) : NULL;
	struct tp_image *debug = NULL;

	if (!folder)
		return NULL;
	*strrchr(folder, '/') = 0;
	for (size_t i = 0; !debug && i < sizeof(places) / sizeof(*places); i++) {
		char path[PATH_MAX];

		if ((size_t)snprintf(path, sizeof(path), places[i], folder, name) < sizeof(path))
			debug = open_debug(path, tp_image_gnu_id(image), &checksum);
	}
	free(folder);
	return debug;
}

static struct tp_image *find_debug(const struct rec_images *images, const struct tp_image *image)
{
	const char *id = tp_image_gnu_id(image);
	struct tp_image *debug = NULL;
	bool has_id = strlen(id) > 2;
	char path[64 + TP_IMAGE_ID], *fetched;

	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id,
		 has_id ? id + 2 : "");
	if (has_id)
		debug = open_debug(path, id, NULL);
	if (!debug)
		debug = find_by_link(image);
	if (!debug && has_id && images && images->fetch &&
	    (fetched = images->fetch(images->ctx, id))) {
		debug = open_debug(fetched, id, NULL);
		free(fetched);
	}
	return debug;
}

struct tp_image *rec_images_debug(struct rec_images *images, struct tp_image *image)
{
	if (tp_image_has_lines(image))
		return NULL;
	for (size_t i = 0; images && i < images->n; i++) {
		struct entry *e = &images->entry[i];

		if (e->image != image)
			continue;
		if (!e->searched)
			e->debug = find_debug(images, image);
		e->searched = true;
		return e->debug;
	}
	return find_debug(images, image);
}

void rec_images_give(struct rec_images *images, struct tp_image *image)
{
	for (size_t i = 0; images && i < images->n; i++)
		if (images->entry[i].image == image || images->entry[i].debug == image)
			return;
	tp_image_close(image);
}
