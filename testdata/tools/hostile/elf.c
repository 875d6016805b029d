#include "hostile/elf.h"

#include <elf.h>
#include <string.h>

static void name(struct pen *names, Elf64_Shdr *sh, const char *text)
{
	sh->sh_name = (uint32_t)names->out.size;
	pen_bytes(names, text, strlen(text) + 1);
}

/* The header, one segment, the contents, the names of sections and the table of sections. */
void elf_write(struct pen *p, struct elf_section *section, unsigned n)
{
	struct pen names = {0}, table = {0};
	Elf64_Shdr sh = {0};
	Elf64_Phdr ph = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_vaddr = ELF_TEXT,
			 .p_filesz = 4096,
			 .p_memsz = ELF_TEXT_SIZE,
			 .p_align = 4096};
	Elf64_Ehdr eh = {.e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(eh),
			 .e_ehsize = sizeof(eh),
			 .e_phentsize = sizeof(ph),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(sh),
			 .e_shnum = (Elf64_Half)(n + 2),
			 .e_shstrndx = (Elf64_Half)(n + 1)};
	uint64_t offset = sizeof(eh) + sizeof(ph);

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	pen_bytes(&table, &sh, sizeof(sh));
	pen_byte(&names, 0);
	for (unsigned i = 0; i < n; i++) {
		sh = (Elf64_Shdr){.sh_type = section[i].type,
				  .sh_flags = section[i].flags,
				  .sh_addr = section[i].address,
				  .sh_offset = offset,
				  .sh_size = section[i].content.out.size,
				  .sh_link = section[i].link,
				  .sh_entsize = section[i].entry_size,
				  .sh_addralign = 1};
		name(&names, &sh, section[i].name);
		pen_bytes(&table, &sh, sizeof(sh));
		offset += section[i].content.out.size;
	}
	sh = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = offset, .sh_addralign = 1};
	name(&names, &sh, ".shstrtab");
	sh.sh_size = names.out.size;
	pen_bytes(&table, &sh, sizeof(sh));
	eh.e_shoff = offset + names.out.size;
	pen_bytes(p, &eh, sizeof(eh));
	pen_bytes(p, &ph, sizeof(ph));
	for (unsigned i = 0; i < n; i++)
		pen_append(p, &section[i].content);
	pen_append(p, &names);
	pen_append(p, &table);
}
