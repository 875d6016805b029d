/* A program or library as an ELF file: who it is, where its code lies, and what the three sources
 * of names (its own tables of Go, DWARF, symbols) say about an address.
 *
 * Files are read through elfutils, which checks every offset; they may change or be damaged, never
 * trusted. Texts it gives out live as long as the image. One thread. */
#ifndef TP_SYMBOL_IMAGE_H
#define TP_SYMBOL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/frame.h"

struct tp_image;

/* TP_ENOENT, TP_EIO; TP_EFORMAT where it is no ELF file; TP_ENOMEM. *image is NULL after an error.
 */
int tp_image_open(struct tp_image **image, const char *path, struct tp_err *err);
void tp_image_close(struct tp_image *image);

const char *tp_image_path(const struct tp_image *image);
/* The GNU build id in hex, the Go build id as it is; "" where there is none. */
const char *tp_image_gnu_id(const struct tp_image *image);
const char *tp_image_go_id(const struct tp_image *image);
/* Is `id` one of them? (Case does not matter in hex.) */
bool tp_image_is(const struct tp_image *image, const char *id);
/* Can it name code, or must its names be looked for in a file of their own (with the same id)? */
bool tp_image_has_lines(const struct tp_image *image);

/* Was a look-up cut short, as its tables ask for far more work than those of a real file of its
 * size?
 */
bool tp_image_spent(const struct tp_image *image);

/* The address within the file for one of the running program, which had mapped `start` on to
 * `offset` of the file; mapped false: nothing is known of that. */
struct tp_image_mapping {
	bool mapped;
	uint64_t start, limit, offset;
};
uint64_t tp_image_address(const struct tp_image *image, const struct tp_image_mapping *mapping,
			  uint64_t address);

/* The frames at an address within the file, innermost first; how many there are, at most `room`
 * (more than 0), 0 where nothing is known. The first call reads what is needed. */
size_t tp_image_lookup(struct tp_image *image, uint64_t address, struct tp_symbol *chain,
		       size_t room);
/* Where the function begins that has the code at an address, inlined calls aside; 0 unknown. */
uint64_t tp_image_function(struct tp_image *image, uint64_t address);

#endif
