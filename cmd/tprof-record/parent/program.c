#include "tprof-record/parent/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	MAX_INTERPRETERS = 4, /* of a script whose interpreter is a script (Linux: fs/exec.c) */
	MAX_HEADERS = 128,    /* program headers that are looked at */
	MAX_NOTES = 1 << 16,  /* bytes of notes */
	MAX_DYNAMIC = 4096,   /* entries of a dynamic section */
};

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#elif defined(__s390x__)
#define OUR_MACHINE EM_S390
#elif defined(__i386__)
#define OUR_MACHINE EM_386
#elif defined(__arm__)
#define OUR_MACHINE EM_ARM
#else
#define OUR_MACHINE EM_NONE
#endif

static void judge(struct rec_program *p, enum rec_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void judge(struct rec_program *p, enum rec_verdict verdict, const char *fmt, ...)
{
	va_list ap;

	p->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(p->why, sizeof(p->why), fmt, ap);
	va_end(ap);
}

/* ---- where it is ---- */

/* Returns 0 if it is a file that we may execute, else an errno value. */
static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0;
}

/* Returns 0 and `path`, or an errno value; EACCES: a file of that name may not be executed. */
static int find(const char *name, const char *search, char path[PATH_MAX])
{
	int result = ENOENT;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/')) {
		if (strlen(name) >= PATH_MAX)
			return ENAMETOOLONG;
		snprintf(path, PATH_MAX, "%s", name);
		return runnable(name);
	}
	if (!search)
		search = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(search, ":");
		/* An empty folder is the current one. */
		int size = snprintf(path, PATH_MAX, "%.*s%s%s", (int)(n < PATH_MAX ? n : PATH_MAX),
				    search, n ? "/" : "./", name);

		if (size > 0 && size < PATH_MAX) {
			int error = runnable(path);

			if (!error)
				return 0;
			if (error == EACCES)
				result = EACCES;
		}
		if (!search[n])
			break;
		search += n + 1;
	}
	path[0] = 0;
	return result;
}

/* ---- what it is ---- */

/* An ELF file and its program headers; all reads are bounded. */
struct elf {
	int fd;
	Elf64_Ehdr head;
	Elf64_Phdr part[MAX_HEADERS];
	size_t nparts;
	char loader[256]; /* PT_INTERP, "" none */
	bool is_go;
	int error; /* errno of a read that failed: then the verdict is open */
};

/* Returns false if the file ends earlier. */
static bool read_at(struct elf *e, void *data, size_t size, uint64_t offset)
{
	size_t got = 0;
	ssize_t n;

	do {
		n = offset < INT64_MAX - size
			? pread(e->fd, (char *)data + got, size - got, (off_t)(offset + got))
			: 0;
		got += n > 0 ? (size_t)n : 0;
	} while ((n > 0 && got < size) || (n < 0 && errno == EINTR));
	if (n < 0)
		e->error = errno;
	return got == size;
}

/* Go marks its programs with a note of its own (cmd/link/internal/ld: ELFNOTESECT_GO). */
static bool has_go_note(struct elf *e, const Elf64_Phdr *part)
{
	uint8_t data[1024];
	size_t size = part->p_filesz < sizeof(data) ? (size_t)part->p_filesz : sizeof(data);
	size_t at = 0;

	if (part->p_filesz > MAX_NOTES || !read_at(e, data, size, part->p_offset))
		return false;
	while (size - at >= 12) {
		uint32_t head[3];
		uint64_t name, desc;

		memcpy(head, data + at, sizeof(head));
		at += sizeof(head);
		name = ((uint64_t)head[0] + 3) & ~3ull;
		desc = ((uint64_t)head[1] + 3) & ~3ull;
		if (name + desc > size - at)
			return false;
		if (head[0] == 4 && !memcmp(data + at, "Go\0", 4))
			return true;
		at += (size_t)(name + desc);
	}
	return false;
}

/* Programs linked by other linkers have Go's build information in a section. */
static bool has_go_section(struct elf *e)
{
	const Elf64_Ehdr *head = &e->head;
	Elf64_Shdr names, section;
	char name[16];

	if (head->e_shentsize != sizeof(section) || head->e_shstrndx >= head->e_shnum)
		return false;
	if (!read_at(e, &names, sizeof(names),
		     head->e_shoff + (uint64_t)head->e_shstrndx * sizeof(names)))
		return false;
	for (unsigned i = 0; i < head->e_shnum && i < 4096; i++) {
		if (!read_at(e, &section, sizeof(section),
			     head->e_shoff + (uint64_t)i * sizeof(section)))
			return false;
		if (names.sh_offset < INT64_MAX &&
		    read_at(e, name, sizeof(name), names.sh_offset + section.sh_name) &&
		    !memcmp(name, ".go.buildinfo", 14))
			return true;
	}
	return false;
}

static void read_parts(struct elf *e)
{
	if (e->head.e_phentsize != sizeof(Elf64_Phdr))
		return;
	for (size_t i = 0; i < e->head.e_phnum && e->nparts < MAX_HEADERS; i++) {
		Elf64_Phdr *part = &e->part[e->nparts];

		if (!read_at(e, part, sizeof(*part), e->head.e_phoff + i * sizeof(*part)))
			break;
		e->nparts++;
		if (part->p_type == PT_INTERP && part->p_filesz > 1) {
			size_t size = part->p_filesz < sizeof(e->loader) ? (size_t)part->p_filesz
									 : sizeof(e->loader);

			if (!read_at(e, e->loader, size, part->p_offset))
				e->loader[0] = 0;
			e->loader[sizeof(e->loader) - 1] = 0;
		}
		if (part->p_type == PT_NOTE && has_go_note(e, part))
			e->is_go = true;
	}
	if (!e->is_go)
		e->is_go = has_go_section(e);
}

/* Returns the offset in the file of an address; UINT64_MAX: not in the file. */
static uint64_t offset_of(const struct elf *e, uint64_t address)
{
	for (size_t i = 0; i < e->nparts; i++) {
		const Elf64_Phdr *part = &e->part[i];

		if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
		    address - part->p_vaddr < part->p_filesz)
			return part->p_offset + (address - part->p_vaddr);
	}
	return UINT64_MAX;
}

/* Reads the n-th entry of the dynamic section. */
static bool dynamic_entry(struct elf *e, size_t n, Elf64_Dyn *entry)
{
	for (size_t i = 0; i < e->nparts; i++)
		if (e->part[i].p_type == PT_DYNAMIC)
			return n < MAX_DYNAMIC && n < e->part[i].p_filesz / sizeof(*entry) &&
			       read_at(e, entry, sizeof(*entry),
				       e->part[i].p_offset + n * sizeof(*entry)) &&
			       entry->d_tag != DT_NULL;
	return false;
}

/* Finds the runtime of a sanitizer among the needed libraries: it must be loaded first. */
static void find_first(struct elf *e, char first[32])
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so",
					    "libhwasan.so"};
	uint64_t strings = UINT64_MAX;
	Elf64_Dyn entry;
	char name[32];

	for (size_t n = 0; dynamic_entry(e, n, &entry); n++)
		if (entry.d_tag == DT_STRTAB)
			strings = offset_of(e, entry.d_un.d_ptr);
	if (strings == UINT64_MAX)
		return;
	for (size_t n = 0; dynamic_entry(e, n, &entry); n++) {
		if (entry.d_tag != DT_NEEDED || entry.d_un.d_val > UINT32_MAX ||
		    !read_at(e, name, sizeof(name), strings + entry.d_un.d_val))
			continue;
		name[sizeof(name) - 1] = 0;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strncmp(name, names[i], strlen(names[i])) && !strpbrk(name, ": /"))
				memcpy(first, name, sizeof(name));
	}
}

/* The program may run all the same; the verdict is open. */
static void note_unreadable(struct rec_program *p, const char *path, int error)
{
	snprintf(p->note, sizeof(p->note), "%.180s cannot be read: %s", path, strerror(error));
}

static void judge_machine(struct rec_program *p, const Elf64_Ehdr *head)
{
	bool small = head->e_ident[EI_CLASS] == ELFCLASS32;

	judge(p, REC_UNRECORDABLE,
	      "%s is a program for another architecture (%s-bit, ELF machine %u): the recorder's "
	      "library cannot be loaded into it; record a build for this machine",
	      p->path, small ? "32" : "64", head->e_machine);
}

static void judge_elf(struct rec_program *p, const char *path, struct elf *e)
{
	const char *loader;

	/* e_machine lies at the same place in both classes. */
	if (e->head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    e->head.e_machine != OUR_MACHINE) {
		judge_machine(p, &e->head);
		return;
	}
	read_parts(e);
	loader = strrchr(e->loader, '/');
	loader = loader ? loader + 1 : e->loader;
	if (e->error && !*loader)
		note_unreadable(p, path, e->error);
	else if (e->is_go && !*loader)
		judge(
		    p, REC_UNRECORDABLE,
		    "%s is a Go program, which has its own tracer and profiler: use runtime/trace, "
		    "'go test -trace', or net/http/pprof, and look at what they write with "
		    "tprof-top",
		    path);
	else if (!*loader)
		judge(p, REC_UNRECORDABLE,
		      "%s is statically linked: the recorder's library cannot be loaded into it; "
		      "link "
		      "it dynamically (without -static), or build libtprof-record into it",
		      path);
	else if (!strncmp(loader, "ld-musl", 7))
		judge(
		    p, REC_UNRECORDABLE,
		    "%s uses musl as its C library, and the recorder's library is made for glibc; "
		    "record a build for glibc",
		    path);
	else
		find_first(e, p->first);
	if (p->verdict == REC_RECORDABLE && e->is_go)
		snprintf(p->note, sizeof(p->note),
			 "it is a Go program with C in it: only the threads of the C part are "
			 "recorded; Go has its own tracer and profiler");
}

/* ld.so ignores LD_PRELOAD if the program gets rights that its caller lacks. */
static void judge_rights(struct rec_program *p, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	    ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid()))
		judge(p, REC_UNRECORDABLE,
		      "%s is set%sid: the system does not preload libraries into it; record a copy "
		      "without that bit, or record as the user it runs as",
		      path, st.st_mode & S_ISUID ? "u" : "g");
	else if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		judge(p, REC_UNRECORDABLE,
		      "%s has file capabilities: the system does not preload libraries into it; "
		      "record a copy without them, or record as root",
		      path);
}

/* "#!/usr/bin/env -S python3 -u": reads the interpreter, and its first argument, which env runs. */
static bool interpreter_of(const char *line, char path[PATH_MAX], char argument[PATH_MAX])
{
	const char *p = line + 2 + strspn(line + 2, " \t");
	size_t n = strcspn(p, " \t\n");

	if (!n || n >= PATH_MAX)
		return false;
	memcpy(path, p, n);
	path[n] = 0;
	p += n;
	p += strspn(p, " \t");
	if (!strncmp(p, "-S", 2)) {
		p += 2;
		p += strspn(p, " \t");
	}
	n = strcspn(p, " \t\n");
	memcpy(argument, p, n);
	argument[n] = 0;
	return true;
}

static void look(struct rec_program *p, const char *search)
{
	char at[PATH_MAX], line[256] = "", next[PATH_MAX], argument[PATH_MAX];
	int scripts = 0;

	snprintf(at, sizeof(at), "%s", p->path);
	for (;;) {
		struct elf e = {.fd = open(at, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
		ssize_t n;
		const char *base;
		int error;

		if (e.fd < 0) {
			note_unreadable(p, at, errno);
			return;
		}
		memset(line, 0, sizeof(line));
		n = pread(e.fd, line, sizeof(line) - 1, 0);
		if (n < 0) {
			note_unreadable(p, at, errno);
			close(e.fd);
			return;
		}
		if (n >= (ssize_t)sizeof(e.head) && !memcmp(line, ELFMAG, SELFMAG)) {
			memcpy(&e.head, line, sizeof(e.head));
			judge_elf(p, at, &e);
			close(e.fd);
			if (p->verdict == REC_RECORDABLE)
				judge_rights(p, at);
			return;
		}
		close(e.fd);
		if (n < 2 || memcmp(line, "#!", 2) != 0) {
			/* As execvp: a file that the kernel does not know is run by the shell. */
			snprintf(next, sizeof(next), "/bin/sh");
			argument[0] = 0;
		} else if (!interpreter_of(line, next, argument)) {
			judge(p, REC_NOT_RUNNABLE,
			      "%s: its first line does not name an interpreter", at);
			return;
		}
		p->script = true;
		base = strrchr(next, '/');
		if (base && !strcmp(base, "/env") && *argument && *argument != '-' &&
		    !strchr(argument, '=') && !find(argument, search, at))
			snprintf(next, sizeof(next), "%s", at);
		error = runnable(next);
		if (error) {
			judge(p, REC_NOT_RUNNABLE, "%s: its interpreter %.200s cannot be run: %s",
			      p->path, next, strerror(error));
			return;
		}
		snprintf(p->interpreter, sizeof(p->interpreter), "%s", next);
		snprintf(at, sizeof(at), "%s", next);
		if (++scripts > MAX_INTERPRETERS) {
			judge(p, REC_NOT_RUNNABLE,
			      "%s: its interpreter is a script of a script, and so on; name a "
			      "program",
			      p->path);
			return;
		}
	}
}

void rec_program_check(struct rec_program *p, const char *name, const char *search)
{
	int error;

	memset(p, 0, sizeof(*p));
	error = find(name, search, p->path);
	switch (error) {
	case 0:
		look(p, search);
		break;
	case ENOENT:
	case ENOTDIR:
		if (!*name)
			judge(p, REC_NOT_FOUND,
			      "the name of the program is empty; give one after --");
		else if (strchr(name, '/'))
			judge(p, REC_NOT_FOUND, "%s: no such program", name);
		else
			judge(p, REC_NOT_FOUND, "%s: no such program in PATH%s%s", name,
			      access(name, X_OK) ? "" : "; did you mean ./",
			      access(name, X_OK) ? "" : name);
		break;
	case EISDIR:
		judge(p, REC_NOT_RUNNABLE, "%s is a folder, not a program", name);
		break;
	default:
		judge(p, REC_NOT_RUNNABLE, "%s cannot be executed: %s%s", name, strerror(error),
		      error == EACCES ? "; if it is a program, make it executable with chmod +x"
				      : "");
	}
}

void rec_program_name(const char *path, char name[65])
{
	const char *base = strrchr(path, '/');
	size_t n = 0;

	for (base = base ? base + 1 : path; *base && n < 64; base++) {
		char c = *base;

		if ((unsigned char)c <= ' ' || c == 127 || (!n && (c == '.' || c == '-')))
			c = '_';
		name[n++] = c;
	}
	if (!n)
		name[n++] = '_';
	name[n] = 0;
}
