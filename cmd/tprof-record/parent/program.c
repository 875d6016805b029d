#include "tprof-record/parent/program.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_INTERPRETERS = 4 /* of a script whose interpreter is a script (Linux: fs/exec.c) */ };

/* Our own head; the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

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

/* ---- finding the file ---- */

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

/* ---- examining the file ---- */

/* Read by hand, as libelf and what it needs would be a large part of our start. All of it is untrusted: a
 * table has a limit, and a name that cannot be read is "". */

enum { MAX_PARTS = 4096, MAX_ENTRIES = 1 << 16, MAX_NAMES = 1 << 20, NAME = 32 };

static bool read_at(int fd, uint64_t offset, void *to, size_t size)
{
	return offset <= INT64_MAX - size && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Reads the text at an offset, as much of it as there is room for. */
static const char *read_text(int fd, uint64_t offset, char *text, size_t room)
{
	ssize_t n = offset <= INT64_MAX - room ? pread(fd, text, room - 1, (off_t)offset) : 0;

	text[n > 0 ? n : 0] = 0;
	return text;
}

/* Returns a table of n entries, which the caller frees; NULL if it cannot be read. */
static void *read_table(int fd, uint64_t offset, uint64_t n, size_t most, size_t size)
{
	void *table = n && n <= most ? malloc(n * size) : NULL;

	if (table && read_at(fd, offset, table, n * size))
		return table;
	free(table);
	return NULL;
}

/* Finds the runtime of a sanitizer among the needed libraries; that runtime must be loaded first. */
static void find_first(int fd, const ElfW(Shdr) * dynamic, const ElfW(Shdr) * strings,
		       char first[32])
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so",
					    "libhwasan.so"};
	uint64_t n = dynamic->sh_size / sizeof(ElfW(Dyn));
	ElfW(Dyn) *entry = read_table(fd, dynamic->sh_offset, n, MAX_ENTRIES, sizeof(*entry));
	char name[NAME + 1];

	for (uint64_t i = 0; entry && i < n && entry[i].d_tag != DT_NULL; i++) {
		if (entry[i].d_tag != DT_NEEDED || entry[i].d_un.d_val >= strings->sh_size)
			continue;
		read_text(fd, strings->sh_offset + entry[i].d_un.d_val, name, sizeof(name));
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strncmp(name, names[k], strlen(names[k])) && strlen(name) < 32 &&
			    !strpbrk(name, ": /"))
				strcpy(first, name);
	}
	free(entry);
}

/* Returns whether a section has the name of one that Go's linker makes; other linkers leave out the first. */
static bool has_go_section(int fd, const ElfW(Shdr) * section, size_t n, const ElfW(Shdr) * strings)
{
	char *names = read_table(fd, strings->sh_offset, strings->sh_size, MAX_NAMES, 1);
	bool is_go = false;

	for (size_t i = 0; names && i < n; i++) {
		uint64_t left = strings->sh_size - section[i].sh_name;

		is_go |= section[i].sh_name < strings->sh_size &&
			 (!strncmp(names + section[i].sh_name, ".note.go.buildid", left) ||
			  !strncmp(names + section[i].sh_name, ".go.buildinfo", left));
	}
	free(names);
	return is_go;
}

/* Returns whether the sections say that it is a Go program. Fills in `first` (find_first). */
static bool look_at_sections(int fd, const ElfW(Ehdr) * h, char first[32])
{
	size_t n = h->e_shentsize == sizeof(ElfW(Shdr)) ? h->e_shnum : 0;
	ElfW(Shdr) *section = read_table(fd, h->e_shoff, n, UINT16_MAX, sizeof(*section));
	bool is_go;

	for (size_t i = 0; section && i < n; i++)
		if (section[i].sh_type == SHT_DYNAMIC && section[i].sh_link < n)
			find_first(fd, &section[i], &section[section[i].sh_link], first);
	is_go =
	    section && h->e_shstrndx < n && has_go_section(fd, section, n, &section[h->e_shstrndx]);
	free(section);
	return is_go;
}

/* Reads the name of the dynamic linker that the program asks for, "" if it does not ask for one.
 * Returns false if the file cannot be read. */
static bool read_loader(int fd, const ElfW(Ehdr) * h, char loader[256])
{
	ElfW(Phdr) *part = h->e_phentsize == sizeof(*part)
			       ? read_table(fd, h->e_phoff, h->e_phnum, MAX_PARTS, sizeof(*part))
			       : NULL;

	loader[0] = 0;
	for (size_t i = 0; part && i < h->e_phnum; i++)
		if (part[i].p_type == PT_INTERP && part[i].p_filesz >= 2)
			read_text(fd, part[i].p_offset, loader,
				  part[i].p_filesz < 255 ? (size_t)part[i].p_filesz + 1 : 256);
	free(part);
	return part || !h->e_phnum;
}

/* The program may run all the same; the verdict is open. */
static void note_unreadable(struct rec_program *p, const char *path, const char *why)
{
	snprintf(p->note, sizeof(p->note), "%.180s cannot be read: %s", path, why);
}

static void judge_loader(struct rec_program *p, const char *path, const char *loader, bool is_go)
{
	const char *slash = strrchr(loader, '/');

	loader = slash ? slash + 1 : loader;
	if (is_go && !*loader)
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
	else if (is_go)
		snprintf(p->note, sizeof(p->note),
			 "it is a Go program with C in it: only the threads of the C part are "
			 "recorded; Go has its own tracer and profiler");
}

static void judge_elf(struct rec_program *p, const char *path, int fd, const char *head)
{
	ElfW(Ehdr) h; /* e_machine lies at the same place in both classes */
	char loader[256];

	memcpy(&h, head, sizeof(h));
	if (h.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    h.e_machine != __ehdr_start.e_machine)
		judge(p, REC_UNRECORDABLE,
		      "%s is a program for another architecture (%s-bit, ELF machine %u): the "
		      "recorder's "
		      "library cannot be loaded into it; record a build for this machine",
		      p->path, h.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64", h.e_machine);
	else if (read_loader(fd, &h, loader))
		judge_loader(p, path, loader, look_at_sections(fd, &h, p->first));
	else
		note_unreadable(p, path, "it is damaged");
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
		int fd = open(at, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ssize_t n = -1;
		const char *base;
		int error;

		memset(line, 0, sizeof(line));
		if (fd >= 0)
			n = pread(fd, line, sizeof(line) - 1, 0);
		if (n < 0)
			note_unreadable(p, at, strerror(errno));
		if (n >= (ssize_t)sizeof(Elf64_Ehdr) && !memcmp(line, ELFMAG, SELFMAG)) {
			judge_elf(p, at, fd, line);
			if (p->verdict == REC_RECORDABLE)
				judge_rights(p, at);
			n = -1;
		}
		if (fd >= 0)
			close(fd);
		if (n < 0)
			return;
		if (n < 2 || memcmp(line, "#!", 2) != 0) {
			/* A file that the kernel cannot execute is run by the shell, as execvp does. */
			snprintf(next, sizeof(next), "/bin/sh");
			argument[0] = 0;
		} else if (!interpreter_of(line, next, argument)) {
			judge(p, REC_NOT_RUNNABLE,
			      "%s: its first line does not name an interpreter", at);
			return;
		}
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
