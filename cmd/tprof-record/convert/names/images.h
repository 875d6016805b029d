/* Keeps files open that names were read from. All profiles, snapshots and processes of a recording
 * need the same files, and reading a large one takes as long as everything else. For one thread. */
#ifndef RECORD_CONVERT_IMAGES_H
#define RECORD_CONVERT_IMAGES_H

#include "base/err.h"
#include "symbol/image.h"

struct rec_images;

struct rec_images *rec_images_new(void); /* NULL: out of memory */
void rec_images_free(struct rec_images *images);

/* As tp_image_open, but returns the same image again for the same unchanged file. `images` may be
 * NULL. The caller calls rec_images_give for each image. */
int rec_images_get(struct rec_images *images, const char *path, struct tp_image **image,
		   struct tp_err *err);
void rec_images_give(struct rec_images *images, struct tp_image *image);

#endif
