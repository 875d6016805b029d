/* The files whose code a process has mapped. */
#include "tprof-record/core/inside.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* Build IDs have 20 bytes (SHA-1), or 8 or 32 with some linkers. */
enum { MAX_ID = 64 };

struct reading {
	uint8_t seen[REC_NMODULES];
	uint32_t before; /* modules that were known when it began */
	uint32_t exe;	 /* string */
	uint64_t vdso;
};

/* Returns the build ID as a string in hex, from a "GNU\0" note of type NT_GNU_BUILD_ID; 0: the file has
 * none. */
static uint32_t build_id(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const char *at = (const char *)(info->dlpi_addr + p->p_vaddr);
		uint64_t left = p->p_memsz, align = p->p_align == 8 ? 8 : 4;

		if (p->p_type != PT_NOTE)
			continue;
		while (left >= sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)(const void *)at;
			uint64_t name = (n->n_namesz + align - 1) & ~(align - 1);
			uint64_t desc = (n->n_descsz + align - 1) & ~(align - 1);
			uint64_t size = sizeof(*n) + name + desc;

			if (size > left)
				break;
			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(at + sizeof(*n), "GNU", 4) && n->n_descsz <= MAX_ID) {
				const uint8_t *id = (const uint8_t *)at + sizeof(*n) + name;
				char hex[2 * MAX_ID];

				for (uint32_t k = 0; k < n->n_descsz; k++) {
					hex[2 * k] = "0123456789abcdef"[id[k] >> 4];
					hex[2 * k + 1] = "0123456789abcdef"[id[k] & 15];
				}
				return rec_string(hex, 2 * n->n_descsz);
			}
			at += size;
			left -= size;
		}
	}
	return 0;
}

/* The main program has an empty name. The vdso's name is not a file: /proc/PID/maps calls it [vdso]. */
static uint32_t file_of(const struct dl_phdr_info *info, const struct reading *r)
{
	const char *name = info->dlpi_name;

	if (info->dlpi_addr == r->vdso && r->vdso)
		return rec_string("[vdso]", 6);
	if (!name || !*name)
		return r->exe;
	return rec_string(name, strnlen(name, PATH_MAX));
}

static bool known(struct reading *r, const struct rec_module *m)
{
	for (uint32_t i = 0; i < r->before; i++) {
		const struct rec_module *k = &rec_core->arena.modules[i];

		if (k->start == m->start && k->limit == m->limit && k->file == m->file &&
		    k->build_id == m->build_id &&
		    !atomic_load_explicit(&k->gone, memory_order_relaxed)) {
			r->seen[i] = 1;
			return true;
		}
	}
	return false;
}

static int read_one(struct dl_phdr_info *info, size_t size, void *reading)
{
	struct reading *r = reading;
	uint32_t file = 0, id = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct rec_module m = {0};

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (!file) {
			file = file_of(info, r);
			id = build_id(info);
		}
		m.start = (info->dlpi_addr + p->p_vaddr) & -rec_page;
		m.limit = rec_pages(info->dlpi_addr + p->p_vaddr + p->p_memsz);
		m.offset = p->p_offset & -rec_page;
		m.file = file;
		m.build_id = id;
		if (!known(r, &m))
			rec_module_add(&m);
	}
	return 0;
}

void rec_modules_read(void)
{
	_Atomic uint32_t *at_work;
	struct reading r = {0};
	/* static, as the caller's stack may be small (that of a signal handler, for example) */
	static char exe[PATH_MAX];
	long size;

	/* Two simultaneous readers would add the same modules. */
	if (!rec_alive())
		return;
	at_work = &rec_state()->reading_modules;
	if (atomic_exchange_explicit(at_work, 1, memory_order_acquire))
		return;
	size = !rec_may(REC_NEED_FILES)
		   ? 0
		   : rec_call(SYS_readlinkat, -100 /* AT_FDCWD */, (long)"/proc/self/exe",
			      (long)exe, sizeof(exe), 0, 0);
	r.exe = size > 0 ? rec_string(exe, (size_t)size) : rec_core->arena.header->exe;
	r.vdso = getauxval(AT_SYSINFO_EHDR);
	r.before =
	    atomic_load_explicit(&rec_core->arena.header->modules.used, memory_order_acquire);
	if (r.before > REC_NMODULES)
		r.before = REC_NMODULES;
	dl_iterate_phdr(read_one, &r);
	for (uint32_t i = 0; i < r.before; i++)
		if (!r.seen[i])
			atomic_store_explicit(&rec_core->arena.modules[i].gone, 1,
					      memory_order_relaxed);
	atomic_store_explicit(at_work, 0, memory_order_release);
}

static int count(struct dl_phdr_info *info, size_t size, void *changes)
{
	(void)size;
	*(uint64_t *)changes = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

uint64_t rec_modules_changes(void)
{
	uint64_t changes = 0;

	dl_iterate_phdr(count, &changes);
	return changes;
}
