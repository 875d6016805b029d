#include "tprof-record/convert/names/images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_IMAGES = 64 }; /* further ones are not kept */

struct rec_images {
	struct entry {
		struct tp_image *image;
		char *path;
		struct stat st; /* of the file */
	} entry[MAX_IMAGES];
	size_t n;
};

struct rec_images *rec_images_new(void)
{
	return calloc(1, sizeof(struct rec_images));
}

void rec_images_free(struct rec_images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->n; i++) {
		tp_image_close(images->entry[i].image);
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

void rec_images_give(struct rec_images *images, struct tp_image *image)
{
	for (size_t i = 0; images && i < images->n; i++)
		if (images->entry[i].image == image)
			return;
	tp_image_close(image);
}
