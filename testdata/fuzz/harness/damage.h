/* Stores that are damaged on purpose. An input of the target `store` says what is done to a sound
 * one (sound.h), so that inputs outlive changes of the format:
 *
 *   base   u8    which store; from 64 to 127 it is merged with another one afterwards
 *   then any number of changes, each begun by a byte, modulo DAMAGE_KINDS:
 *   COLUMN       which block u8, column u8, where u16, how u8, n u8, n bytes: bytes of an unpacked
 *                column are replaced, inserted or taken away; sizes are made to agree; or the where-th
 *                number of it becomes larger (how from 192 on). Blocks from 192 on: of those of
 *                pools
 *   HEAD         which block u8, where u8, n u8, n bytes: bytes at the beginning of a block
 *   FIELD        which field of table block, which row u8, value
 *   VALUE        which table u8, column u8, row u8, value: of an ordinary table
 *   ROW          which table u8, row u8, how u8: it is taken away, or there twice
 *   PAGE         where u24, n u8, n bytes: bytes of the file
 *   SIZE         u16: the file ends there, in units of 64 bytes
 *   SCHEMA       which u8: a table or an index is dropped or becomes another one
 *   value: how u8, then 8 bytes, or u8 and so many bytes
 *
 * Input that begins as an SQLite file does is the store itself. */
#ifndef FUZZ_DAMAGE_H
#define FUZZ_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct damaged {
	struct tp_buf file; /* to be released by the caller */
	bool changed;
	bool merge;
	unsigned way;		     /* 0 to 3: how */
	const struct tp_buf *beside; /* the sound store that it is merged with; NULL: none */
};

void damage_apply(const uint8_t *data, size_t size, struct damaged *out);

#endif
