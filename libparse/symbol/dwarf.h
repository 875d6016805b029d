/* Finds functions, inlined calls and lines by address in DWARF; private to libparse/symbol.
 *
 * elfutils only finds a compilation unit through .debug_aranges, which Go does not write, and a
 * function by walking its unit each time; so this keeps sorted ranges of both. */
#ifndef TP_SYMBOL_DWARF_H
#define TP_SYMBOL_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/frame.h"

struct tp_dwarf;

/* Returns NULL if the file has no DWARF, or when memory is out. The ELF handle must outlive it. */
struct tp_dwarf *tp_dwarf_new(Elf *elf);
void tp_dwarf_free(struct tp_dwarf *d);

/* Returns whether the file needs far more work than a real one of its size. Look-ups then find nothing. */
bool tp_dwarf_spent(const struct tp_dwarf *d);

/* Does what tp_image_lookup does. A line without a function, as in assembly, is a frame without a
 * name. After memory has run out, finds nothing more. */
size_t tp_dwarf_lookup(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room);

#endif
