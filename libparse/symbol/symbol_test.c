/* Names the code of a small program, which reports the addresses at which it ran. The test compiles it in
 * several ways: with debugging information, with that in a folder by build id, with symbols only, as another
 * build. Needs the C compiler that built this test, and objcopy for stripped files. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "decode/v1/encode.h"
#include "import.h"
#include "symbol/image.h"
#include "symbol/symbol.h"

/* `probe` prints the address of its call, which is in leaf; leaf is inlined into middle, and middle
 * into work. Lines count from 1. */
static const char source[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "__attribute__((noinline)) int probe(int x)\n"
    "{\n"
    "	char line[512];\n"
    "	FILE *f = fopen(\"/proc/self/maps\", \"r\");\n"
    "	unsigned long start, limit, offset, pc = (unsigned long)__builtin_return_address(0);\n"
    "	while (f && fgets(line, sizeof(line), f))\n"
    "		if (sscanf(line, \"%lx-%lx %*s %lx\", &start, &limit, &offset) == 3 && pc >= start "
    "&& pc < limit)\n"
    "			printf(\"%lx %lx %lx %lx\\n\", start, limit, offset, pc);\n"
    "	return x + 1;\n"
    "}\n"
    "static inline __attribute__((always_inline)) int leaf(int x)\n"
    "{\n"
    "	return probe(x) * 3; /* line 15 */\n"
    "}\n"
    "static inline __attribute__((always_inline)) int middle(int x)\n"
    "{\n"
    "	return leaf(x) + 1; /* line 19 */\n"
    "}\n"
    "__attribute__((noinline)) int work(int x)\n"
    "{\n"
    "	return middle(x) ^ x; /* line 23 */\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "	(void)argv;\n"
    "	return work(argc) == -1;\n"
    "}\n";

static char dir[64];

static char *in_dir(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
	return path;
}

/* Runs a command in the folder. Returns false if it fails. */
static bool run(const char *command)
{
	char line[1200];

	snprintf(line, sizeof(line), "cd %s && { %s; } >log 2>&1", dir, command);
	return system(line) == 0;
}

static bool compile(const char *flags)
{
	const char *cc = getenv("CC");
	char line[512];

	snprintf(line, sizeof(line), "%s %s program.c", cc ? cc : "cc", flags);
	return run(line);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char path[128];
	FILE *f;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	f = fopen(in_dir(path, "program.c"), "w");
	assert_non_null(f);
	fputs(source, f);
	assert_int_equal(fclose(f), 0);
	assert_true(compile("-g -O2 -fPIE -pie -Wl,--build-id=sha1 -o pie"));
	assert_true(compile("-g -O2 -fno-pie -no-pie -o fixed"));
	assert_true(compile("-O2 -Wl,--build-id=0x1234567890abcdef -o bare"));
	return 0;
}

static int teardown(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", dir);
	return system(line);
}

/* Runs the program and returns a profile of one sample at the call of probe, without names. */
static struct tp_profile *record(const char *program, const char *file, const char *build_id)
{
	struct tp_profile *p = tp_profile_new();
	struct tp_mapping m = {0};
	struct tp_location l = {0};
	uint64_t start, limit, offset,
	    pc; /* an address of the program, which may have more bits than the test */
	uint32_t stack = 0, count;
	char line[256];
	FILE *f;

	assert_non_null(p);
	snprintf(line, sizeof(line), "%s/%s", dir, program);
	f = popen(line, "r");
	assert_non_null(f);
	assert_int_equal(
	    fscanf(f, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &start, &limit, &offset, &pc),
	    4);
	pclose(f);
	assert_int_equal(tp_dict_string(p->dict, "count", 5, &count), 0);
	assert_int_equal(tp_profile_add_type(p, count, count), 0);
	assert_int_equal(tp_dict_string(p->dict, file, strlen(file), &m.file), 0);
	assert_int_equal(tp_dict_string(p->dict, build_id, strlen(build_id), &m.build_id), 0);
	m.start = start;
	m.limit = limit;
	m.offset = offset;
	assert_int_equal(tp_profile_add_mapping(p, &m, &l.mapping), 0);
	l.address = pc - 1;
	assert_int_equal(tp_profile_push_location(p, &stack, &l, NULL, 0), 0);
	assert_int_equal(tp_profile_add_sample(p, stack, 0, &(int64_t){1}), 0);
	return p;
}

/* Writes the sample's frames, innermost first: "leaf program.c:15 < …". */
static void describe(const struct tp_profile *p, char text[512])
{
	text[0] = '\0';
	for (uint32_t at = p->stack[0]; at; at = tp_dict_stack_at(p->dict, at).parent) {
		struct tp_frame frame =
		    tp_dict_frame_at(p->dict, tp_dict_stack_at(p->dict, at).frame);
		struct tp_function f = tp_dict_function_at(p->dict, frame.function);
		const char *file = tp_dict_text(p->dict, f.file).text;
		const char *slash = strrchr(file, '/');

		snprintf(text + strlen(text), 512 - strlen(text), "%s%s %s:%d%s",
			 *text ? " < " : "", tp_dict_text(p->dict, f.name).text,
			 slash ? slash + 1 : file, (int)frame.line, frame.inlined ? "i" : "");
	}
}

#define INLINED "leaf program.c:15i < middle program.c:19i < work program.c:23"

static void gnu_id(const char *program, char id[128])
{
	struct tp_image *image;
	char path[128];

	assert_int_equal(tp_image_open(&image, in_dir(path, program), NULL), 0);
	snprintf(id, 128, "%s", tp_image_gnu_id(image));
	tp_image_close(image);
}

/* Names the locations of the profile and checks its frames and its notice. */
static void check(struct tp_profile *p, const char *binary, const char *path, const char *frames,
		  const char *notice)
{
	const char *binaries[1] = {binary};
	const struct tp_symbol_options opt = {
	    .binaries = binaries, .nbinaries = binary ? 1 : 0, .path = path};
	struct tp_symbolizer *s;
	size_t named, unnamed;
	struct tp_err err;
	char text[512];

	if (tp_symbolizer_new(&s, &opt, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(tp_profile_symbolize(p, s, &named, &unnamed, &err), 0);
	describe(p, text);
	assert_string_equal(text, frames);
	assert_int_equal(named, strcmp(frames, " :0") != 0);
	assert_int_equal(unnamed, !named);
	assert_int_equal(p->nnotices, notice ? 1 : 0);
	if (notice && !strstr(p->notices[0].text, notice))
		fail_msg("%s", p->notices[0].text);
	assert_int_equal(p->mappings[0].flags != 0, named);
	assert_int_equal(p->nsamples, 1);
	assert_string_equal(tp_dict_text(p->dict, p->types[0].type).text, "count");
	tp_symbolizer_free(s);
	tp_profile_free(p);
}

static void test_symbolize_binary(void **state)
{
	char path[128], id[128], notice[256];

	(void)state;
	check(record("pie", "", ""), in_dir(path, "pie"), NULL, INLINED, NULL);
	check(record("fixed", "/usr/bin/program", ""), in_dir(path, "fixed"), NULL, INLINED, NULL);
	check(record("bare", "", "1234567890ABCDEF"), in_dir(path, "bare"), NULL, "work :0", NULL);
	gnu_id("pie", id);
	assert_int_equal(strlen(id), 40);
	snprintf(notice, sizeof(notice),
		 "pie is another build (%s) than the program of the dump (abcd)", id);
	check(record("pie", "", "abcd"), in_dir(path, "pie"), NULL, INLINED, notice);
	/* The kernel's code is not in a file. */
	check(record("pie", "[vdso]", ""), in_dir(path, "pie"), NULL, " :0",
	      "1 of 1 code addresses have no name in the files given: is it the same build?");
}

static void test_symbolize_path(void **state)
{
	char command[1024], id[128], path[256];

	(void)state;
	gnu_id("pie", id);
	/* A folder with the program in it, and one with its debugging information by build id. */
	assert_true(run("mkdir -p none bin && cp pie bin/renamed"));
	snprintf(path, sizeof(path), "%s/none:%s/bin", dir, dir);
	check(record("pie", "/x/program", id), NULL, path, INLINED, NULL);
	check(record("pie", "/x/renamed", ""), NULL, path, INLINED, NULL);
	check(record("pie", "/x/program", "abcdef"), NULL, path, " :0",
	      "no file with the build id abcdef of /x/program was found");
	snprintf(command, sizeof(command),
		 "mkdir -p debug/.build-id/%.2s && objcopy --only-keep-debug pie "
		 "debug/.build-id/%.2s/%s.debug && objcopy --strip-all pie stripped",
		 id, id, id + 2);
	if (!run(command)) {
		print_message("there is no objcopy\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/debug", dir);
	check(record("stripped", "", id), NULL, path, INLINED, NULL);
	snprintf(command, sizeof(command), "%s/stripped", dir);
	check(record("stripped", "", ""), command, path, INLINED, NULL);
	check(record("stripped", "", id), command, path, INLINED, NULL);
	check(record("stripped", "", ""), command, NULL, " :0", "1 of 1 code addresses");
}

static void test_symbolizer_new_errors(void **state)
{
	char file[128], missing[128];
	const struct {
		const char *binary, *path;
		int code;
		const char *message;
	} cases[] = {
	    {in_dir(file, "program.c"), NULL, TP_EFORMAT, "program.c: this is not an ELF file"},
	    {in_dir(missing, "missing"), NULL, TP_ENOENT, "missing: No such file or directory"},
	    {dir, NULL, TP_EFORMAT, "this is not an ELF file"},
	    {NULL, missing, TP_ENOENT, "missing is not a folder"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tp_symbol_options opt = {.binaries = &cases[i].binary,
						      .nbinaries = cases[i].binary ? 1 : 0,
						      .path = cases[i].path};
		struct tp_symbolizer *s;
		struct tp_err err;

		assert_int_equal(tp_symbolizer_new(&s, &opt, &err), cases[i].code);
		assert_null(s);
		if (!strstr(err.msg, cases[i].message))
			fail_msg("%s", err.msg);
	}
}

/* Programs damaged at any place give other answers or none, but do not crash. */
static void test_image_lookup_damaged(void **state)
{
	char path[128];
	uint8_t *data, *copy;
	size_t size;
	FILE *f;

	(void)state;
	f = fopen(in_dir(path, "pie"), "r");
	assert_non_null(f);
	data = malloc(1 << 20);
	copy = malloc(1 << 20);
	assert_non_null(data);
	assert_non_null(copy);
	size = fread(data, 1, 1 << 20, f);
	fclose(f);
	in_dir(path, "damaged");
	for (unsigned i = 0; i < 300; i++) {
		struct tp_symbol chain[4];
		struct tp_image *image;
		uint32_t seed = i * 2654435761u;

		memcpy(copy, data, size);
		for (unsigned k = 0; k < 1 + i % 20; k++) {
			seed = seed * 1664525 + 1013904223;
			copy[i < 64 ? i : seed % size] = (uint8_t)(seed >> 24);
		}
		f = fopen(path, "w");
		assert_non_null(f);
		fwrite(copy, 1, i % 3 ? size : size * i / 300, f);
		fclose(f);
		if (tp_image_open(&image, path, NULL))
			continue;
		for (uint64_t at = 0x1000; at < 0x1400; at += 16) {
			size_t n = tp_image_lookup(image, at, chain, 4);

			assert_true(n <= 4);
			for (size_t s = 0; s < n; s++)
				assert_true(strlen(chain[s].name) + strlen(chain[s].file) < size);
		}
		tp_image_close(image);
	}
	free(data);
	free(copy);
}

#define NO_LIMIT 9 /* exit status if memory cannot be limited, as under an emulator */

/* Uses up all memory except one block of `but` bytes. */
static void use_up_memory(size_t but)
{
	struct rlimit none = {0, 0};
	/* Volatile, so that the compiler keeps the unused allocations. */
	void *volatile block = malloc(but), *volatile kept;

	setrlimit(RLIMIT_AS, &none);
	if (getrlimit(RLIMIT_AS, &none) || none.rlim_cur)
		_exit(NO_LIMIT);
	for (size_t size = 1 << 20; size >= 8; size /= 2)
		while ((kept = malloc(size)) != NULL)
			;
	free(block);
}

/* By default libdw ends the program when memory is out. Its first allocation is a page; beginning
 * takes less. */
static void test_image_lookup_without_memory(void **state)
{
	char path[128];

	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	print_message("the memory of sanitizers has other limits\n");
	skip();
#endif
	in_dir(path, "pie");
	for (size_t but = 1500; but < 4500; but += 100) {
		struct tp_image *image;
		int status;
		pid_t pid;

		assert_int_equal(tp_image_open(&image, path, NULL), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			use_up_memory(but);
			_exit(tp_image_has_lines(image) ? 8 : 7);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		tp_image_close(image);
		if (WEXITSTATUS(status) == NO_LIMIT) {
			print_message("memory is not limited here\n");
			skip();
		}
		assert_int_equal(WEXITSTATUS(status), 7);
	}
}

/* The declaration of a function is nested in so many namespaces that a recursive walk would
 * overflow the stack. The name has only the outermost TP_DWARF_DEEPEST ones. */
static void test_image_lookup_deep_namespaces(void **state)
{
	static const char assembly[] =
	    ".text\n.globl f\nf: .skip 16\n"
	    ".section .debug_abbrev,\"\",@progbits\nabbrev:\n"
	    ".byte 1, 0x11, 1, 0x13, 0x0b, 0x11, 1, 0x12, 6, 0, 0\n" /* unit */
	    ".byte 2, 0x39, 1, 0, 0\n"				     /* namespace */
	    ".byte 3, 0x2e, 0, 0x11, 1, 0x12, 6, 0x47, 0x13, 0, 0\n" /* function */
	    ".byte 4, 0x2e, 0, 3, 8, 0x3c, 0x19, 0, 0, 0\n"	     /* its declaration */
	    ".section .debug_info,\"\",@progbits\n"
	    "info: .4byte end - start\nstart: .2byte 4\n.4byte abbrev\n.byte 8\n"
	    ".byte 1, 4\n.8byte f\n.4byte 16\n"
	    ".byte 3\n.8byte f\n.4byte 16, declaration - info\n"
	    ".fill 200000, 1, 2\ndeclaration: .byte 4\n.asciz \"deep\"\n.skip 200001\nend:\n";
	struct tp_symbol chain[2];
	struct tp_image *image;
	char path[128];
	FILE *f = fopen(in_dir(path, "deep.s"), "w");

	(void)state;
	assert_non_null(f);
	fputs(assembly, f);
	assert_int_equal(fclose(f), 0);
	if (sizeof(void *) != 8 ||
	    !run("cc -nostdlib -static -Wl,-Ttext=0x401000,-ef -o deep deep.s")) {
		print_message("the assembler is not of x86-64\n");
		skip();
	}
	assert_int_equal(tp_image_open(&image, in_dir(path, "deep"), NULL), 0);
	assert_int_equal(tp_image_lookup(image, 0x401004, chain, 2), 1);
	assert_non_null(strstr(chain[0].name, "::deep"));
	tp_image_close(image);
}

/* Stubs have the names that objdump gives them, over their whole length. The first one of lazy binding that only
 * leads to the linker is none. */
static void test_image_lookup_stubs(void **state)
{
	static const char list[] =
	    "objdump -d stubs | sed -n 's/^0*\\([0-9a-f]*\\) <\\(.*@plt\\)>:$/\\1 \\2/p' >list";
	static const char *const flags[] = {"-O1 -o stubs", "-O1 -fno-plt -static-pie -o stubs",
					    "-O1 -Wl,-z,now -o stubs",
					    "-O1 -no-pie -Wl,-z,lazy -o stubs"};
	char path[128], name[64];
	struct tp_symbol chain[4];
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct tp_image *image;
		uint64_t address;
		FILE *f;

		assert_true(compile(flags[i]) && run(list));
		assert_int_equal(tp_image_open(&image, in_dir(path, "stubs"), NULL), 0);
		f = fopen(in_dir(path, "list"), "r");
		assert_non_null(f);
		for (; fscanf(f, "%" SCNx64 " %63s", &address, name) == 2; found++) {
			if (!strncmp(name, "*ABS*", 5))
				continue;
			assert_int_equal(tp_image_lookup(image, address, chain, 4), 1);
			assert_string_equal(chain[0].name, name);
			assert_int_equal(tp_image_lookup(image, address + 7, chain, 4), 1);
			assert_string_equal(chain[0].name, name);
		}
		fclose(f);
		tp_image_close(image);
	}
	assert_true(found > 6);
}

/* A dictionary read back from a damaged store may have a string twice, which is reported as an error. */
static void test_symbolize_string_twice(void **state)
{
	struct tp_profile *p = record("pie", "", "");
	struct tp_symbol_options opt = {0};
	struct tp_symbolizer *s;
	struct tp_err err;
	uint32_t id;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(tp_dict_append_string(p->dict, "twice", 5, &id), 0);
	assert_int_equal(tp_symbolizer_new(&s, &opt, &err), 0);
	assert_int_equal(tp_profile_symbolize(p, s, NULL, NULL, &err), TP_EFORMAT);
	assert_string_equal(err.msg, "its dictionary has a string twice");
	assert_int_equal(p->nsamples, 1);
	tp_symbolizer_free(s);
	tp_profile_free(p);
}

/* ---- go 1.5 ---- */

static int to_file(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)err;
	return fwrite(data, 1, size, ctx) == size ? 0 : TP_EIO;
}

static void put(struct tp_v1_encoder *e, int32_t p, struct tp_v1_event ev)
{
	struct tp_err err;

	assert_int_equal(tp_v1_encode_event(e, p, &ev, &err), 0);
}

/* Writes a trace of go 1.5, which has only addresses: goroutine 1 begins in main and blocks in
 * probe, which work called at `pc`. */
static void write_trace(const char *path, uint64_t pc, uint64_t start)
{
	struct tp_v1_encoder *e;
	struct tp_err err;
	FILE *f = fopen(path, "w");
	const struct tp_out out = {.write = to_file, .ctx = f};
	uint32_t stack;

	assert_non_null(f);
	assert_int_equal(tp_v1_encoder_new(&e, &out, &err), 0);
	assert_int_equal(tp_v1_encode_stack(e, (uint64_t[]){pc, start + 1}, 2, &stack, &err), 0);
	put(e, TP_V1_NO_P,
	    (struct tp_v1_event){.type = TP_V1_GO_CREATE,
				 .seq = 1,
				 .ticks = 1000,
				 .args = {1, start},
				 .nargs = 2,
				 .has_stack = true});
	put(e, 0,
	    (struct tp_v1_event){
		.type = TP_V1_PROC_START, .seq = 2, .ticks = 1001, .args = {1}, .nargs = 1});
	put(e, 0,
	    (struct tp_v1_event){
		.type = TP_V1_GO_START, .seq = 3, .ticks = 1010, .args = {1}, .nargs = 1});
	put(e, 0,
	    (struct tp_v1_event){.type = TP_V1_GO_BLOCK_RECV,
				 .seq = 4,
				 .ticks = 2000,
				 .has_stack = true,
				 .stack = stack});
	assert_int_equal(tp_v1_encode_finish(e, 1000000000, 0, &err), 0);
	tp_v1_encoder_free(e);
	assert_int_equal(fclose(f), 0);
}

static void test_import_names_go15(void **state)
{
	struct tp_profile *p = record("fixed", "", "");
	uint64_t pc = tp_dict_location_at(p->dict, 1).address + 1;
	char trace[128], store_path[128], binary[128];
	const char *binaries[] = {in_dir(binary, "fixed")};
	struct tp_import_options opt = {.store.wait_ms = 1000, .threads = 1};

	(void)state;
	tp_profile_free(p);
	in_dir(trace, "go15.trace");
	in_dir(store_path, "go15.tprof");
	write_trace(trace, pc, pc - 1);
	for (int named = 0; named < 2; named++) {
		struct tp_import_result result;
		struct tp_store *store;
		struct tp_dict *dict;
		struct tp_rows rows;
		struct tp_err err;
		bool found = false;

		opt.symbols =
		    (struct tp_symbol_options){.binaries = binaries, .nbinaries = (size_t)named};
		unlink(store_path);
		if (tp_import(trace, store_path, &opt, &result, &err))
			fail_msg("%s", err.msg);
		assert_string_equal(result.format, "go 1.5");
		assert_string_equal(result.unnamed, "");
		assert_int_equal(tp_store_open(&store, store_path, &err), 0);
		assert_int_equal(tp_dict_load(store, result.run, &dict, &err), 0);
		assert_int_equal(
		    tp_rows_load(store, result.run, TP_TABLE_GOROUTINE, 0, &rows, &err), 0);
		assert_int_equal(rows.nrows, 1);
		assert_string_equal(
		    tp_dict_text(dict, (uint32_t)rows.col[TP_COL(GOROUTINE, name)][0]).text,
		    named ? "work" : "");
		for (uint32_t i = 0; i < tp_dict_frames(dict); i++)
			found = found || tp_dict_frame_at(dict, i).line == 23;
		assert_int_equal(found, named);
		tp_rows_release(&rows);
		tp_dict_free(dict);
		tp_store_close(store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_symbolize_binary),
	    cmocka_unit_test(test_symbolize_path),
	    cmocka_unit_test(test_symbolizer_new_errors),
	    cmocka_unit_test(test_image_lookup_damaged),
	    cmocka_unit_test(test_image_lookup_deep_namespaces),
	    cmocka_unit_test(test_image_lookup_without_memory),
	    cmocka_unit_test(test_image_lookup_stubs),
	    cmocka_unit_test(test_symbolize_string_twice),
	    cmocka_unit_test(test_import_names_go15),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
