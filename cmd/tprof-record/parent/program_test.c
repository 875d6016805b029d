#include "tprof-record/parent/program.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/program_test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const void *data, size_t size, unsigned mode)
{
	FILE *f = fopen(at(name), "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(at(name), mode), 0);
}

/* A program of this machine, as far as its headers say; `loader` NULL: static; `go`: it has a section
 * that Go's linker makes. */
static void put_elf(const char *name, unsigned char class, unsigned machine, const char *loader,
		    int go, unsigned mode)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr part[2];
		Elf64_Shdr section[3];
		char loader[64];
		char names[64];
	} file = {.head = {.e_type = ET_DYN,
			   .e_version = EV_CURRENT,
			   .e_machine = (Elf64_Half)machine,
			   .e_phoff = offsetof(__typeof__(file), part),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2,
			   .e_shoff = offsetof(__typeof__(file), section),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 3,
			   .e_shstrndx = 1}};

	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = class;
	file.head.e_ident[EI_DATA] =
	    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	file.head.e_ident[EI_VERSION] = EV_CURRENT;
	file.part[0].p_type = PT_LOAD;
	if (loader) {
		strcpy(file.loader, loader);
		file.part[0] = (Elf64_Phdr){.p_type = PT_INTERP,
					    .p_offset = offsetof(__typeof__(file), loader),
					    .p_filesz = strlen(loader) + 1};
	}
	memcpy(file.names, "\0.strings\0.go.buildinfo", 24);
	file.section[1] = (Elf64_Shdr){.sh_name = 1,
				       .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(__typeof__(file), names),
				       .sh_size = sizeof(file.names)};
	file.section[2] = (Elf64_Shdr){.sh_name = go ? 10 : 1, .sh_type = SHT_PROGBITS};
	put(name, &file, sizeof(file), mode);
}

/* What this test itself is. */
static Elf64_Ehdr own(void)
{
	Elf64_Ehdr head;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(read(fd, &head, sizeof(head)), sizeof(head));
	close(fd);
	return head;
}

static void test_program_find(void **state)
{
	struct rec_program p;
	char search[256];

	(void)state;
	rec_program_check(&p, "sh", "/nowhere:/bin");
	assert_int_equal(p.verdict, REC_RECORDABLE);
	assert_string_equal(p.path, "/bin/sh");
	rec_program_check(&p, "sh", "/nowhere");
	assert_int_equal(p.verdict, REC_NOT_FOUND);
	assert_non_null(strstr(p.why, "PATH"));
	rec_program_check(&p, "", "/bin");
	assert_int_equal(p.verdict, REC_NOT_FOUND);
	rec_program_check(&p, "/nowhere/sh", "/bin");
	assert_int_equal(p.verdict, REC_NOT_FOUND);
	rec_program_check(&p, folder, "/bin");
	assert_int_equal(p.verdict, REC_NOT_RUNNABLE);
	assert_non_null(strstr(p.why, "folder"));
	/* One that may not be executed does not hide another further on. */
	put("sh", "", 0, 0600);
	snprintf(search, sizeof(search), "%s:/bin", folder);
	rec_program_check(&p, "sh", search);
	assert_string_equal(p.path, "/bin/sh");
	rec_program_check(&p, "sh", folder);
	assert_int_equal(p.verdict, REC_NOT_RUNNABLE);
}

static void test_program_elf(void **state)
{
	Elf64_Ehdr self = own();
	unsigned char class = self.e_ident[EI_CLASS];
	const struct {
		const char *name;
		unsigned char class;
		unsigned machine;
		const char *loader;
		int note;
		enum rec_verdict verdict;
		const char *says;
	} cases[] = {
	    {"plain", class, self.e_machine, "/lib64/ld-linux.so.2", 0, REC_RECORDABLE, ""},
	    {"static", class, self.e_machine, NULL, 0, REC_UNRECORDABLE, "statically linked"},
	    {"go", class, self.e_machine, NULL, 1, REC_UNRECORDABLE, "runtime/trace"},
	    {"cgo", class, self.e_machine, "/lib64/ld-linux.so.2", 1, REC_RECORDABLE, ""},
	    {"musl", class, self.e_machine, "/lib/ld-musl-x86_64.so.1", 0, REC_UNRECORDABLE,
	     "musl"},
	    {"foreign", class, EM_68K, "/lib/ld.so", 0, REC_UNRECORDABLE, "another architecture"},
	    {"small", ELFCLASS32, EM_386, "/lib/ld-linux.so.2", 0, REC_UNRECORDABLE, "32-bit"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rec_program p;

		put_elf(cases[i].name, cases[i].class, cases[i].machine, cases[i].loader,
			cases[i].note, 0700);
		rec_program_check(&p, at(cases[i].name), NULL);
		assert_int_equal(p.verdict, cases[i].verdict);
		assert_non_null(strstr(p.why, cases[i].says));
		assert_int_equal(p.note[0] != 0, !strcmp(cases[i].name, "cgo"));
	}
}

/* A file that calls itself a program, cut or scribbled over anywhere, is looked at and no more. */
static void test_program_broken_elf(void **state)
{
	Elf64_Ehdr self = own();
	unsigned char data[1024];
	struct rec_program p;
	FILE *f;
	size_t n;

	(void)state;
	put_elf("whole", self.e_ident[EI_CLASS], self.e_machine, "/lib64/ld-linux.so.2", 1, 0700);
	f = fopen(at("whole"), "rb");
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (size_t size = 0; size < n; size++) {
		put("cut", data, size, 0700);
		rec_program_check(&p, at("cut"), NULL);
	}
	for (size_t i = 4; i < n; i++) {
		unsigned char kept = data[i];

		data[i] = 0xff;
		put("scribbled", data, n, 0700);
		rec_program_check(&p, at("scribbled"), NULL);
		data[i] = kept;
	}
}

/* A real one, where there is a compiler that has the runtime. */
static void test_program_first(void **state)
{
	struct rec_program p;
	char command[512];

	(void)state;
	put("main.c", "int main(void) { return 0; }", 28, 0600);
	snprintf(command, sizeof(command),
		 "cc -o %s/plain_one %s/main.c && cc -fsanitize=address -o %s/asan %s/main.c "
		 "2>/dev/null && ldd %s/asan | grep -q libasan.so",
		 folder, folder, folder, folder, folder);
	if (system(command)) {
		print_message("cc has no AddressSanitizer in a library of its own\n");
		skip();
	}
	rec_program_check(&p, at("plain_one"), NULL);
	assert_string_equal(p.first, "");
	rec_program_check(&p, at("asan"), NULL);
	assert_int_equal(p.verdict, REC_RECORDABLE);
	assert_memory_equal(p.first, "libasan.so.", 11);
}

static void test_program_rights(void **state)
{
	Elf64_Ehdr self = own();
	struct rec_program p;

	(void)state;
	put_elf("setuid", self.e_ident[EI_CLASS], self.e_machine, "/lib64/ld.so", 0, 04755);
	rec_program_check(&p, at("setuid"), NULL);
	/* Our own file: no rights are gained. */
	assert_int_equal(p.verdict, REC_RECORDABLE);
	if (geteuid() || chown(at("setuid"), 65534, 65534) || chmod(at("setuid"), 04755))
		return;
	rec_program_check(&p, at("setuid"), NULL);
	assert_int_equal(p.verdict, REC_UNRECORDABLE);
	assert_non_null(strstr(p.why, "setuid"));
	assert_int_equal(chmod(at("setuid"), 02755), 0);
	rec_program_check(&p, at("setuid"), NULL);
	assert_non_null(strstr(p.why, "setgid"));
}

static void test_program_script(void **state)
{
	Elf64_Ehdr self = own();
	struct rec_program p;
	char text[256], name[16];

	(void)state;
	put("a", "#! /bin/sh -e\n", 14, 0700);
	rec_program_check(&p, at("a"), "/bin");
	assert_int_equal(p.verdict, REC_RECORDABLE);
	put("b", "#!/usr/bin/env -S sh -e\n", 24, 0700);
	rec_program_check(&p, at("b"), "/bin");
	assert_int_equal(p.verdict, REC_RECORDABLE);
	put("c", "echo without a first line\n", 26, 0700);
	rec_program_check(&p, at("c"), "/bin");
	assert_int_equal(p.verdict, REC_RECORDABLE);
	put("d", "#!/nowhere/python\n", 18, 0700);
	rec_program_check(&p, at("d"), "/bin");
	assert_int_equal(p.verdict, REC_NOT_RUNNABLE);
	assert_non_null(strstr(p.why, "/nowhere/python"));
	put("e", "#!\n", 3, 0700);
	rec_program_check(&p, at("e"), "/bin");
	assert_int_equal(p.verdict, REC_NOT_RUNNABLE);
	put_elf("static", self.e_ident[EI_CLASS], self.e_machine, NULL, 0, 0700);
	snprintf(text, sizeof(text), "#!%s\n", at("static"));
	put("f", text, strlen(text), 0700);
	rec_program_check(&p, at("f"), "/bin");
	assert_int_equal(p.verdict, REC_UNRECORDABLE);
	/* The one that env runs. */
	put("g", "#!/usr/bin/env -S static -e\n", 28, 0700);
	rec_program_check(&p, at("g"), folder);
	assert_int_equal(p.verdict, REC_UNRECORDABLE);
	/* A chain of them that never ends. */
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "s%d", i + 1);
		snprintf(text, sizeof(text), "#!%s\n", at(name));
		snprintf(name, sizeof(name), "s%d", i);
		put(name, text, strlen(text), 0700);
	}
	put("s8", "#!/bin/sh\n", 10, 0700);
	rec_program_check(&p, at("s0"), "/bin");
	assert_int_equal(p.verdict, REC_NOT_RUNNABLE);
}

static void test_program_name(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
	    {"/usr/bin/redis-server", "redis-server"},
	    {"a.out", "a.out"},
	    {"", "_"},
	    {"/", "_"},
	    {"/x/..", "_."},
	    {"-n", "_n"},
	    {"a b\n\x7f", "a_b__"},
	};
	char name[65], longer[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rec_program_name(cases[i].path, name);
		assert_string_equal(name, cases[i].name);
	}
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	rec_program_name(longer, name);
	assert_int_equal(strlen(name), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_program_find),       cmocka_unit_test(test_program_elf),
	    cmocka_unit_test(test_program_broken_elf), cmocka_unit_test(test_program_first),
	    cmocka_unit_test(test_program_rights),     cmocka_unit_test(test_program_script),
	    cmocka_unit_test(test_program_name),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
