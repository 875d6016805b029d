/* Functions, inlined calls and lines from DWARF, by address; private to libparse/symbol.
 *
 * elfutils finds a compilation unit through .debug_aranges only, which Go does not write, and a
 * function by walking over its unit each time; so the ranges of both are kept here, sorted. */
#ifndef TP_SYMBOL_DWARF_H
#define TP_SYMBOL_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/frame.h"

struct tp_dwarf;

/* NULL where the file has no DWARF, or memory is out. The ELF handle must outlive it. */
struct tp_dwarf *tp_dwarf_new(Elf *elf);
void tp_dwarf_free(struct tp_dwarf *d);

/* Was more to be read than a real file of its size makes necessary? Nothing is found any more. */
bool tp_dwarf_spent(const struct tp_dwarf *d);

/* As tp_image_lookup. A line without a function, which assembly has, is a frame without a name.
 * Once memory was out nothing is found any more. */
size_t tp_dwarf_lookup(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room);

#endif
