/* A small .gz in one go: several times as fast as by way of a stream. Private to open/. */
#ifndef TP_OPEN_GUNZIP_H
#define TP_OPEN_GUNZIP_H

#include <stddef.h>
#include <stdint.h>

#define TP_GUNZIP_MAX ((size_t)8 << 20) /* bytes, packed or not */

/* The bytes of a gzip file: *data, which the caller frees, and *unpacked. Only for what is sound,
 * small, and says truly how large it is: NULL otherwise, also when memory is out. Then the stream
 * decides. */
uint8_t *tp_gunzip(const uint8_t *gz, size_t size, size_t *unpacked);

#endif
