/* Programs (ELF, DWARF, tables of Go) and bare tables of Go: texts given out are texts, and a
 * profile that they name goes all the way. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/profile.h"
#include "harness/fuzz.h"
#include "symbol/image.h"
#include "symbol/pclntab.h"
#include "symbol/symbol.h"

#define ROOM 8

struct input {
	const uint8_t *data;
	size_t size;
};

static void check(const struct tp_symbol *chain, size_t n)
{
	MUST(n <= ROOM);
	for (size_t i = 0; i < n; i++) {
		MUST(chain[i].name && chain[i].system_name && chain[i].file);
		MUST(strlen(chain[i].name) + strlen(chain[i].file) < SIZE_MAX / 2);
		MUST(chain[i].line >= 0 && chain[i].start_line >= 0);
	}
}

/* Addresses are places in the input. */
static struct tp_slice memory(void *ctx, uint64_t address)
{
	struct input *in = ctx;

	if (address >= in->size)
		return (struct tp_slice){0};
	return (struct tp_slice){in->data + address, in->size - (size_t)address};
}

static void look_table(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct tp_symbol chain[ROOM];
	struct tp_pclntab t;

	if (!tp_pclntab_init(&t, data, size, 0x400000))
		return;
	for (uint64_t at = 1; at < size && at < 256; at++)
		if (tp_pclntab_inlining(&t, at, memory, &in))
			break;
	for (uint64_t pc = 0; pc < 256; pc += 5) {
		check(chain, tp_pclntab_lookup(&t, pc, chain, ROOM));
		check(chain, tp_pclntab_lookup(&t, t.text + pc, chain, ROOM));
		check(chain, tp_pclntab_lookup(&t, 0x400000 + pc, chain, 1));
	}
}

/* Wherever the input says that something may be: symbols, sections, entries of tables. */
static void look_where_it_says(struct tp_image *image, const uint8_t *data, size_t size)
{
	struct tp_symbol chain[ROOM];
	uint64_t at;

	for (size_t i = 0, n = 0; i + 8 <= size && n < 200; i += 8) {
		memcpy(&at, data + i, 8);
		if (!at || at >> 40)
			continue;
		check(chain, tp_image_lookup(image, at, chain, ROOM));
		check(chain, tp_image_lookup(image, at + 5, chain, ROOM));
		n++;
	}
}

static void look_image(const uint8_t *data, size_t size)
{
	static const struct tp_image_mapping mapping = {
	    .mapped = true, .start = 0x500000, .limit = 0x600000};
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct tp_symbol chain[ROOM];
	struct tp_image *image;
	char path[64];

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tp_image_open(&image, path, NULL) == 0) {
		MUST(!tp_image_is(image, ""));
		look_where_it_says(image, data, size);
		for (uint64_t at = 0; at < 4096; at += 61) {
			uint64_t address = tp_image_address(image, &mapping, 0x500000 + at);

			check(chain, tp_image_lookup(image, at, chain, ROOM));
			check(chain, tp_image_lookup(image, address, chain, ROOM));
			check(chain, tp_image_lookup(image, 0x400000 + at, chain, 1));
		}
		tp_image_close(image);
	}
	close(fd);
}

static void look_place(struct tp_symbolizer *s, const struct tp_symbol_place *place)
{
	const char *file, *id;
	struct tp_symbol chain[ROOM];

	tp_symbolizer_file(s, place, &file, &id);
	MUST(id && (file || !*id));
	for (uint64_t at = 0; at < 4096; at += 401) {
		check(chain, tp_symbolizer_lookup(s, place, at, chain, ROOM));
		check(chain, tp_symbolizer_lookup(s, place, place->start + at, chain, 1));
		check(chain, tp_symbolizer_lookup(s, place, 0x400000 + at, chain, ROOM));
	}
}

/* Folders for a build id below ours, with the file in them; or both gone again. */
static void put_under_id(const char *file, const char *id, bool debug)
{
	char name[200];

	MUST(!mkdir(fuzz_path(".build-id"), 0700));
	snprintf(name, sizeof(name), ".build-id/%.2s", id);
	MUST(!mkdir(fuzz_path(name), 0700));
	snprintf(name, sizeof(name), ".build-id/%.2s/%.140s%s", id, id + 2, debug ? ".debug" : "");
	MUST(!rename(file, fuzz_path(name)));
}

static void take_from_id(const char *file, const char *id, bool debug)
{
	char name[200];

	snprintf(name, sizeof(name), ".build-id/%.2s/%.140s%s", id, id + 2, debug ? ".debug" : "");
	MUST(!rename(fuzz_path(name), file));
	snprintf(name, sizeof(name), ".build-id/%.2s", id);
	rmdir(fuzz_path(name));
	rmdir(fuzz_path(".build-id"));
}

/* As a file of the symbol path, where it is found by its name or under its build id. */
static void look_path(const uint8_t *data, size_t size, uint64_t pick)
{
	char program[200], folder[200], id[150], go_id[150];
	bool debug = fuzz_pick(&pick, 2), by_id;
	const char *const binary = program;
	struct tp_symbol_options opt = {.path = folder};
	struct tp_symbolizer *s;
	struct tp_image *image;
	struct tp_err err;

	snprintf(program, sizeof(program), "%s", fuzz_file("program", data, size));
	snprintf(folder, sizeof(folder), "%s", fuzz_path("."));
	if (tp_image_open(&image, program, &err)) {
		MUST_SAY(err);
		return;
	}
	tp_image_has_lines(image);
	for (uint64_t at = 0; at < 8192; at += 509)
		tp_image_function(image, 0x400000 + at);
	snprintf(id, sizeof(id), "%s", tp_image_gnu_id(image));
	snprintf(go_id, sizeof(go_id), "%s", tp_image_go_id(image));
	tp_image_close(image);
	by_id = strlen(id) >= 4 && fuzz_pick(&pick, 4);
	if (by_id) {
		put_under_id(program, id, debug);
	} else if (fuzz_pick(&pick, 2)) {
		opt.binaries = &binary;
		opt.nbinaries = 1;
	}
	if (tp_symbolizer_new(&s, &opt, &err)) {
		MUST_SAY(err);
	} else {
		const struct tp_symbol_place places[] = {
		    {.file = "/bin/program", .build_id = ""},
		    {.file = "/bin/program", .build_id = id, .start = 0x400000, .limit = 0x500000},
		    {"/bin/program", id, 0x500000, 0x600000, 0, .mapped = true},
		    {.file = "", .build_id = go_id, .first = true},
		    {.file = "[vdso]", .build_id = ""},
		    {.file = "/other", .build_id = "abcdef0123", .first = true},
		};

		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			look_place(s, &places[i]);
		tp_symbolizer_free(s);
	}
	if (by_id)
		take_from_id(program, id, debug);
	fuzz_sweep();
}

/* A profile of addresses only, which the input is to name, by way of a store into reports. */
static void name_profile(const uint8_t *data, size_t size, uint64_t pick)
{
	static const char heap[] =
	    "heap profile: 3: 300 [3: 300] @ heap/1\n"
	    "1: 100 [1: 100] @ 0x1010 0x1020 0x401010\n1: 100 [1: 100] @ 0x401000 0x1040 0x500010\n"
	    "1: 100 [1: 100] @ 0x500120 0x500240\nMAPPED_LIBRARIES:\n"
	    "00001000-00003000 r-xp 00001000 00:00 0 /bin/a\n"
	    "00401000-00500000 r-xp 00001000 00:00 0 /bin/b\n"
	    "00500000-00600000 r-xp 00000000 00:00 0 /bin/c\n";
	const char *const binary = fuzz_file("binary", data, size);
	const struct tp_import_options opt = {.threads = 1,
					      .symbols = {.binaries = &binary, .nbinaries = 1}};
	struct tp_import_result result;
	struct tp_profile *p;
	struct tp_store *s;
	struct tp_err err = {0};

	if (tp_import(fuzz_file("dump", heap, sizeof(heap) - 1), fuzz_path("store"), &opt, &result,
		      &err)) {
		MUST_SAY(err);
	} else {
		MUST(!tp_store_open(&s, fuzz_path("store"), &err));
		MUST(!tp_profile_load(s, result.run, &p, &err));
		fuzz_profile_check(p);
		fuzz_profile_round(p);
		fuzz_profile_reports(p, pick);
		tp_profile_free(p);
		tp_store_close(s);
	}
	fuzz_sweep();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pick = fuzz_hash(data, size);

	look_table(data, size);
	look_image(data, size);
	if (size > 4 && !memcmp(data, "\177ELF", 4) && !fuzz_pick(&pick, 4))
		look_path(data, size, pick);
	/* A store costs as much as a hundred looks. */
	if (size > 4 && !memcmp(data, "\177ELF", 4) && !fuzz_pick(&pick, 12))
		name_profile(data, size, pick);
	return 0;
}
