/* Unpacks a small .gz at once, which is several times as fast as a stream. Private to open/. */
#ifndef TP_OPEN_GUNZIP_H
#define TP_OPEN_GUNZIP_H

#include <stddef.h>
#include <stdint.h>

#define TP_GUNZIP_MAX ((size_t)8 << 20) /* bytes, packed or not */

/* Returns the unpacked bytes, which the caller frees, and sets *unpacked to their number. Returns NULL when
 * memory is out, or if the file is not sound, small and of the size that it states; it then has to be
 * unpacked as a stream. */
uint8_t *tp_gunzip(const uint8_t *gz, size_t size, size_t *unpacked);

#endif
