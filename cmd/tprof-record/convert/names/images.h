/* Keeps files open that names were read from. All profiles, snapshots and processes of a recording
 * need the same files, and reading a large one takes as long as everything else. For one thread. */
#ifndef RECORD_CONVERT_IMAGES_H
#define RECORD_CONVERT_IMAGES_H

#include "base/err.h"
#include "symbol/image.h"

struct rec_images;

/* Returns the path of the debugging information of a build id (in hex) that was downloaded, or NULL. The caller frees
 * it. */
typedef char *(*rec_fetch_fn)(void *ctx, const char *build_id);

/* `fetch` may be NULL. Returns NULL when memory is out. */
struct rec_images *rec_images_new(rec_fetch_fn fetch, void *ctx);
void rec_images_free(struct rec_images *images);

/* As tp_image_open, but returns the same image again for the same unchanged file. `images` may be
 * NULL. The caller calls rec_images_give for each image. */
int rec_images_get(struct rec_images *images, const char *path, struct tp_image **image,
		   struct tp_err *err);
/* Returns the separate file with the debugging information of an image without lines, or NULL: that of the same build
 * id below /usr/lib/debug/.build-id, or the one that .gnu_debuglink names, with that checksum, where gdb searches for it:
 * beside the file, in .debug there, and in the same folder below /usr/lib/debug; or one that was fetched. The caller
 * calls rec_images_give. */
struct tp_image *rec_images_debug(struct rec_images *images, struct tp_image *image);
void rec_images_give(struct rec_images *images, struct tp_image *image);

#endif
