#include "symbol/plt.h"

#include <gelf.h>
#include <string.h>

#include "base/err.h"

/* Hostile files have many sections of the same bytes. Large programs have some ten thousand stubs. */
#define MOST_RELOCATIONS ((uint64_t)1 << 22)
#define MOST_BYTES	 ((uint64_t)16 << 20)
#define STUB		 16
#define HALF		 8 /* stubs without lazy binding, in .plt.got of older linkers */

static bool fills_slot(int machine, uint64_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	default:
		return false;
	}
}

/* Adds the slots that relocations fill with addresses of functions. */
static int add_slots(Elf *elf, int machine, struct tp_ranges *slots)
{
	uint64_t left = MOST_RELOCATIONS, bytes = MOST_RELOCATIONS * 24;
	Elf_Scn *section = NULL;
	GElf_Shdr sh, symbols;
	GElf_Rela rela;
	GElf_Sym sym;
	int code = 0;

	while (!code && left && (section = elf_nextscn(elf, section))) {
		Elf_Scn *table;
		Elf_Data *data, *names;

		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_RELA ||
		    !(sh.sh_flags & SHF_ALLOC) || sh.sh_size > bytes)
			continue;
		bytes -= sh.sh_size; /* libelf may copy it */
		if (!(data = elf_getdata(section, NULL)) ||
		    !(table = elf_getscn(elf, sh.sh_link)) || !gelf_getshdr(table, &symbols) ||
		    symbols.sh_link > UINT32_MAX || !(names = elf_getdata(table, NULL)))
			continue;
		for (int i = 0; !code && left && gelf_getrela(data, i, &rela); i++, left--) {
			uint64_t number = GELF_R_SYM(rela.r_info);

			if (fills_slot(machine, GELF_R_TYPE(rela.r_info)) && number &&
			    number <= INT32_MAX && gelf_getsym(names, (int)number, &sym) &&
			    sym.st_name)
				code = tp_ranges_add(slots, rela.r_offset, rela.r_offset + HALF,
						     (uint64_t)symbols.sh_link << 32 | sym.st_name);
		}
	}
	return code ? code : tp_ranges_sort(slots);
}

static uint32_t word_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Returns the address of the slot that a stub jumps through, or 0. `at` has `size` bytes from `address` on. */
static uint64_t slot_of(int machine, const uint8_t *at, size_t size, uint64_t address)
{
	size_t i = 0;

	if (machine == EM_X86_64) {
		/* [endbr64] [bnd] jmp *slot(%rip) */
		if (size >= STUB && !memcmp(at, "\xf3\x0f\x1e\xfa", 4))
			i = 4;
		if (size > i && at[i] == 0xf2)
			i++;
		if (size < i + 6 || at[i] != 0xff || at[i + 1] != 0x25)
			return 0;
		return address + i + 6 + (uint64_t)(int64_t)(int32_t)word_at(at + i + 2);
	}
	/* [bti c] adrp x16, page; ldr x17, [x16, slot in it] */
	if (size >= STUB && word_at(at) == 0xd503245f)
		i = 4;
	if (size < i + 8 || (word_at(at + i) & 0x9f00001f) != 0x90000010 ||
	    (word_at(at + i + 4) & 0xffc003ff) != 0xf9400211)
		return 0;
	return ((address + i) & ~(uint64_t)0xfff) + ((uint64_t)(word_at(at + i) >> 29 & 3) << 12) +
	       ((uint64_t)(int64_t)(int32_t)(word_at(at + i) << 8 & 0xffffe000) << 1) +
	       (uint64_t)(word_at(at + i + 4) >> 10 & 0xfff) * 8;
}

static int add_stubs(int machine, const uint8_t *bytes, size_t size, uint64_t address,
		     const struct tp_ranges *slots, struct tp_ranges *stubs)
{
	int code = 0;

	for (size_t at = 0; !code && at + HALF <= size; at += HALF) {
		uint64_t slot = slot_of(machine, bytes + at, size - at, address + at);
		const struct tp_range *r = slot ? tp_ranges_find(slots, slot) : NULL;
		bool half =
		    slot && size - at >= STUB &&
		    slot_of(machine, bytes + at + HALF, size - at - HALF, address + at + HALF);

		if (r && r->low == slot)
			code = tp_ranges_add(stubs, address + at,
					     address + at + (half ? HALF : STUB), r->value);
	}
	return code;
}

int tp_plt_list(Elf *elf, struct tp_ranges *stubs)
{
	struct tp_ranges slots = {0};
	uint64_t left = MOST_BYTES;
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	int code;

	if (!gelf_getehdr(elf, &eh) || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64) ||
	    elf_getshdrstrndx(elf, &names))
		return 0;
	code = add_slots(elf, eh.e_machine, &slots);
	while (!code && slots.n && (section = elf_nextscn(elf, section))) {
		const char *name =
		    gelf_getshdr(section, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strncmp(name, ".plt", 4) != 0 || sh.sh_type != SHT_PROGBITS ||
		    sh.sh_size > left || !(data = elf_rawdata(section, NULL)) || !data->d_buf)
			continue;
		left -= sh.sh_size;
		code =
		    add_stubs(eh.e_machine, data->d_buf, data->d_size, sh.sh_addr, &slots, stubs);
	}
	tp_ranges_release(&slots);
	return code ? code : tp_ranges_sort(stubs);
}
