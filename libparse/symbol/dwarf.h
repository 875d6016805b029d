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

/* Returns NULL if the file has no DWARF, or without memory. The ELF handle must outlive it. */
struct tp_dwarf *tp_dwarf_new(Elf *elf);
void tp_dwarf_free(struct tp_dwarf *d);

/* Whether the file needs far more work than a real one of its size. Nothing is found then. */
bool tp_dwarf_spent(const struct tp_dwarf *d);

/* As tp_image_lookup. A line without a function, as in assembly, is a frame without a name. Finds
 * nothing more after memory has run out. */
size_t tp_dwarf_lookup(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room);

#endif
