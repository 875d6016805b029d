/* ELF files of sections. */
#ifndef HOSTILE_ELF_H
#define HOSTILE_ELF_H

#include <stdint.h>

#include "hostile/pen.h"

#define ELF_TEXT      0x400000u /* of the program, which has no bytes there */
#define ELF_TEXT_SIZE 0x10000000u

struct elf_section {
	const char *name;
	uint32_t type, link; /* of them, counted from 1 */
	uint64_t flags, entry_size, address;
	struct pen content;
};

/* A program of n sections, whose content is released. */
void elf_write(struct pen *p, struct elf_section *section, unsigned n);

#endif
