/* An ELF file, a program or library: its build ids, its segments, and the names of its code from
 * three sources (Go's own tables, DWARF, symbols).
 *
 * Files are read with elfutils, which checks every offset. They are untrusted, may be damaged, and
 * may change while they are read. Texts live as long as the image. For one thread. */
#ifndef TP_SYMBOL_IMAGE_H
#define TP_SYMBOL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "symbol/frame.h"

struct tp_image;

#define TP_IMAGE_ID 256 /* room of a build id */

/* Returns 0, TP_ENOENT, TP_EIO, TP_ENOMEM, or TP_EFORMAT if the file is not an ELF file. *image is
 * NULL after an error. */
int tp_image_open(struct tp_image **image, const char *path, struct tp_err *err);
void tp_image_close(struct tp_image *image);

const char *tp_image_path(const struct tp_image *image);
/* Return the GNU build id in hex, and the Go build id; "" if the file has none. */
const char *tp_image_gnu_id(const struct tp_image *image);
const char *tp_image_go_id(const struct tp_image *image);
/* Returns whether `id` is one of them. Case does not matter in hex. */
bool tp_image_is(const struct tp_image *image, const char *id);
/* Returns whether the file has lines. If not, they may be in a separate file with the same build id. */
bool tp_image_has_lines(const struct tp_image *image);

/* Returns the name of the separate file with the debugging information (.gnu_debuglink), and fills in the checksum
 * of its bytes; "" if the file names none, or one with folders. */
const char *tp_image_debug_link(const struct tp_image *image, uint32_t *checksum);
/* Returns that checksum of the file itself. */
uint32_t tp_image_checksum(const struct tp_image *image);

/* Returns whether look-ups have ended because the file's tables need far more work than those of a
 * real file of its size. */
bool tp_image_spent(const struct tp_image *image);

/* Converts an address of the running program to one of the file. The program had mapped `offset` of
 * the file at `start`; `mapped` is false if that is unknown. */
struct tp_image_mapping {
	bool mapped;
	uint64_t start, limit, offset;
};
uint64_t tp_image_address(const struct tp_image *image, const struct tp_image_mapping *mapping,
			  uint64_t address);

/* Finds the frames at an address of the file, innermost first. Returns how many, at most `room`
 * (more than 0); 0 if the address is unknown. The first call reads the tables. */
size_t tp_image_lookup(struct tp_image *image, uint64_t address, struct tp_symbol *chain,
		       size_t room);
/* Returns the start of the function that contains an address, inlined calls aside; 0 if unknown. */
uint64_t tp_image_function(struct tp_image *image, uint64_t address);

/* Calls `fn` for each function of the symbol table that has a size: it is [start, end) of the file.
 * Stops at the first code that is not 0, and returns it; TP_ELIMIT: the names are longer together
 * than those of a real program. */
typedef int (*tp_image_function_fn)(void *ctx, const char *name, uint64_t start, uint64_t end);
int tp_image_functions(struct tp_image *image, tp_image_function_fn fn, void *ctx);

#endif
