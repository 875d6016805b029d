#include <link.h>
#include <sys/mman.h>

#include "tprof-record/core/testing.h"
#include "tprof-record/core/stack/unwind.h"

/* The tables of this very program, copied to where they can be damaged: the memory of the segment
 * they are in, as if the program were mapped there, with nothing behind it. */
struct copy {
	struct rec_image image;
	uint8_t *memory;
	size_t size;
	const uint8_t *original, *header, *text;
	size_t text_size;
};

static int find_segments(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct copy *c = arg;
	uintptr_t eh = 0;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			eh = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		if (eh - start < p->p_memsz) {
			c->original = (const uint8_t *)start;
			c->size = p->p_memsz;
		}
		if (p->p_flags & PF_X) {
			c->text = (const uint8_t *)start;
			c->text_size = p->p_memsz;
		}
	}
	c->header = (const uint8_t *)eh;
	return 1; /* the program itself comes first */
}

/* Sanitizers keep watch over what lies between the program's own constants. */
__attribute__((no_sanitize("address"))) static void copy_bytes(uint8_t *to, const uint8_t *from,
							       size_t size)
{
	volatile uint8_t *p = to;

	while (size-- > 0)
		*p++ = *from++;
}

/* Ends where memory ends. */
static void make_copy(struct copy *c)
{
	size_t room;
	uint8_t *p;

	memset(c, 0, sizeof(*c));
	dl_iterate_phdr(find_segments, c);
	assert_non_null(c->original);
	assert_non_null(c->text);
	room = (c->size + 4095) / 4096 * 4096;
	p = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	assert_int_equal(0, mprotect(p + room, 4096, PROT_NONE));
	c->memory = p + room - c->size / 8 * 8;
	c->size = c->size / 8 * 8;
	copy_bytes(c->memory, c->original, c->size);
	c->image.start = (uint64_t)(uintptr_t)p;
	/* A library may say more than there is. */
	c->image.limit = (uint64_t)(uintptr_t)p + room + 4096;
	c->image.header = c->memory + (c->header - c->original);
}

static uint64_t pc_in(const struct copy *c, size_t i)
{
	return (uint64_t)(uintptr_t)(c->memory + (c->text - c->original) + i);
}

static void test_cfi_is_position_independent(void **state)
{
	struct copy c;
	size_t i, n = 0;

	(void)state;
	make_copy(&c);
	for (i = 0; i < c.text_size; i++) {
		uint64_t rule = rec_cfi_rule((uint64_t)(uintptr_t)c.text + i);

		if (rule != rec_cfi_rule_in(&c.image, pc_in(&c, i)))
			fail_msg("another rule at %zu", i);
		n += (rule & 7) == REC_RULE_SP || (rule & 7) == REC_RULE_FP;
	}
	/* Nearly all code has a simple rule. */
	assert_true(n > c.text_size / 2);
}

static void test_cfi_damaged(void **state)
{
	const char *wanted = getenv("CFI_TEST_ROUNDS");
	uint64_t dice = 12345, i, k, rounds = wanted ? strtoull(wanted, NULL, 10) : 20000;
	struct copy c;
	size_t at, tables;

	(void)state;
	make_copy(&c);
	at = (size_t)(c.header - c.original);
	tables = c.size - at;
	for (i = 0; i < rounds; i++) {
		for (k = 0; k < 1 + i % 8; k++) {
			size_t where;

			dice = dice * 6364136223846793005u + 1442695040888963407u;
			where = at + (dice >> 33) % (k % 4 ? tables : 64);
			c.memory[where] = dice >> 60 < 8    ? (uint8_t)(dice >> 24)
					  : dice >> 60 < 12 ? 0xff
							    : c.memory[where] ^ 1;
		}
		for (k = 0; k < 10; k++) {
			dice = dice * 6364136223846793005u + 1442695040888963407u;
			rec_cfi_rule_in(&c.image, pc_in(&c, (dice >> 33) % c.text_size));
		}
		if (i % 64 == 63)
			copy_bytes(c.memory, c.original, c.size);
	}
}

static void test_cfi_nothing_there(void **state)
{
	struct rec_image image = {.start = 4096, .limit = 1 << 20};
	struct copy c;

	(void)state;
	image.header = (const uint8_t *)8192;
	assert_int_equal(REC_RULE_GUESS, rec_cfi_rule_in(&image, 9000));
	assert_int_equal(REC_RULE_NONE, rec_cfi_rule(4097));
	make_copy(&c);
	c.image.header = c.memory + c.size - 4;
	assert_int_equal(REC_RULE_GUESS, rec_cfi_rule_in(&c.image, pc_in(&c, 0)));
	c.image.header = (const uint8_t *)0x10;
	assert_int_equal(REC_RULE_GUESS, rec_cfi_rule_in(&c.image, pc_in(&c, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cfi_is_position_independent),
	    cmocka_unit_test(test_cfi_damaged),
	    cmocka_unit_test(test_cfi_nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
