/* Files with code that were opened for their names, kept open: the profiles of a snapshot, all
 * snapshots, and all processes of a recording ask the same files, and reading a large one takes as
 * long as all else. One thread. */
#ifndef RECORD_CONVERT_IMAGES_H
#define RECORD_CONVERT_IMAGES_H

#include "base/err.h"
#include "symbol/image.h"

struct rec_images;

struct rec_images *rec_images_new(void); /* NULL: out of memory */
void rec_images_free(struct rec_images *images);

/* As tp_image_open, but another time for the same file (not only the same path) it is the same
 * image. `images` may be NULL. What was got is given back. */
int rec_images_get(struct rec_images *images, const char *path, struct tp_image **image,
		   struct tp_err *err);
void rec_images_give(struct rec_images *images, struct tp_image *image);

#endif
