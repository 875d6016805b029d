/* Stubs of the procedure linkage table, through which a program calls functions of other libraries. They have no
 * symbols of their own; the relocation of the address that a stub jumps to has the function's. */
#ifndef TP_SYMBOL_PLT_H
#define TP_SYMBOL_PLT_H

#include <libelf.h>

#include "symbol/ranges.h"

/* Lists the stubs of a program for x86-64 or arm64, sorted; other files have none. The value of a range is the
 * section of the function's name << 32 | the offset in it. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_plt_list(Elf *elf, struct tp_ranges *stubs);

#endif
