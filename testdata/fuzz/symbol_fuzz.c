/* Programs (ELF, DWARF, tables of Go) and bare tables of Go: texts given out are texts. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "symbol/image.h"
#include "symbol/pclntab.h"

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
	for (uint64_t at = 1; at < size && at < 64; at++)
		if (tp_pclntab_inlining(&t, at, memory, &in))
			break;
	for (uint64_t pc = 0; pc < 256; pc += 5) {
		check(chain, tp_pclntab_lookup(&t, pc, chain, ROOM));
		check(chain, tp_pclntab_lookup(&t, t.text + pc, chain, ROOM));
		check(chain, tp_pclntab_lookup(&t, 0x400000 + pc, chain, 1));
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
		for (uint64_t at = 0; at < 4096; at += 13) {
			uint64_t address = tp_image_address(image, &mapping, 0x500000 + at);

			check(chain, tp_image_lookup(image, at, chain, ROOM));
			check(chain, tp_image_lookup(image, address, chain, ROOM));
			check(chain, tp_image_lookup(image, 0x400000 + at, chain, 1));
		}
		tp_image_close(image);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	look_table(data, size);
	look_image(data, size);
	return 0;
}
