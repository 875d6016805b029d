/* Tables made by hand, in all four layouts, both byte orders and both sizes of pointers; and the
 * same tables with bytes changed, and cut short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/pclntab.h"

#define TEXT	   0x400000u
#define CALLS_AT   0x500000u /* where the table of inlined calls is */
#define MAIN	   0x10	     /* entry of main.main, from the text */
#define END	   0x80
#define TABLE_SIZE 1024

/* A table that is being made. */
struct table {
	uint8_t data[TABLE_SIZE];
	size_t size;
	unsigned version, pointer;
	bool big;
	uint8_t calls[64];
	size_t ncalls;
};

static void put(struct table *t, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		t->data[t->size++] = (uint8_t)(n > 8 ? 0 : v >> 8 * (t->big ? n - 1 - i : i));
}

static void put_at(struct table *t, size_t at, uint64_t v, unsigned n)
{
	size_t end = t->size;

	t->size = at;
	put(t, v, n);
	t->size = end;
}

static size_t put_text(struct table *t, const char *text)
{
	size_t at = t->size;

	memcpy(t->data + at, text, strlen(text) + 1);
	t->size += strlen(text) + 1;
	return at;
}

static void put_call32(struct table *t, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		t->calls[t->ncalls++] = (uint8_t)(v >> 8 * (t->big ? 3 - i : i));
}

/* The two functions:
 *
 *   runtime.text  0x00 to 0x10  line 7 of asm.s
 *   main.main     0x10 to 0x80  line 20 of main.go, but from 0x30 to 0x40 main.leaf (line 5 of
 *                               leaf.go), called by main.mid (line 11 of main.go), called at line
 * 22
 *
 * Positions of calls are at 0x50 (line 22) and at 0x60 (line 11, in main.mid). */
static void make_table(struct table *t, unsigned version, unsigned pointer, bool big)
{
	static const uint32_t magic[] = {
	    [2] = 0xfffffffb, [16] = 0xfffffffa, [18] = 0xfffffff0, [20] = 0xfffffff1};
	unsigned words = version >= 18 ? 8 : version == 16 ? 7 : 1;
	size_t names, units = 0, files = 0, values, functions, name[4], file[3], base, list;
	size_t pcfile, pcln, index, asm_file, asm_line, record[2];

	*t = (struct table){.version = version, .pointer = pointer, .big = big};
	put(t, magic[version], 4);
	put(t, 0, 2);
	put(t, 1, 1);
	put(t, pointer, 1);
	put(t, 2, pointer); /* functions */
	if (version == 2) {
		/* The function table follows directly; its entries are filled in later. */
		functions = t->size;
		t->size += (2 * 2 + 1) * pointer + 4;
	} else {
		t->size += (words - 1) * pointer;
		functions = 0;
	}
	names = t->size;
	put(t, 0, 1);
	name[0] = put_text(t, "runtime.text");
	name[1] = put_text(t, "main.main");
	name[2] = put_text(t, "main.mid");
	name[3] = put_text(t, "main.leaf");
	files = t->size;
	put(t, 0, 1);
	file[0] = put_text(t, "asm.s");
	file[1] = put_text(t, "main.go");
	file[2] = put_text(t, "leaf.go");
	base = version == 2 ? 0 : files;
	units = t->size;
	/* 1.2: the number of entries (one more than files), and no file 0. */
	put(t, version == 2 ? 4 : file[0] - base, 4);
	for (int i = version == 2 ? 0 : 1; i < 3; i++)
		put(t, file[i] - base, 4);
	values = t->size;
	put(t, 0, 1);
#define PAIR(change, pcs)                                                                          \
	put(t, (uint64_t)((change) < 0 ? 2 * -(change)-1 : 2 * (change)), 1), put(t, pcs, 1)
	/* Values begin at -1; in 1.2 files count from 1. */
	asm_file = t->size;
	PAIR(1 + (version == 2), MAIN), put(t, 0, 1);
	asm_line = t->size;
	PAIR(8, MAIN), put(t, 0, 1);
	pcfile = t->size;
	PAIR(2 + (version == 2), 0x20), PAIR(1, 0x10), PAIR(-1, 0x40), put(t, 0, 1);
	pcln = t->size;
	PAIR(21, 0x20), PAIR(-15, 0x10), PAIR(15, 0x10), PAIR(2, 0x10), PAIR(-11, 0x20),
	    put(t, 0, 1);
	index = t->size;
	PAIR(0, 0x20), PAIR(2, 0x10), PAIR(-2, 0x20), PAIR(1, 0x20), put(t, 0, 1);
	/* The index is -1 at first, so its first change is 0, which does not end the table. */
	base = version == 2 ? 0 : t->size;
	if (version != 2)
		functions = t->size, t->size += (2 * 2 + 1) * (version >= 18 ? 4 : pointer);
	for (int i = 0; i < 2; i++) {
		record[i] = t->size - base;
		put(t, version >= 18 ? (i ? MAIN : 0) : TEXT + (i ? MAIN : 0),
		    version >= 18 ? 4 : pointer);
		put(t, name[i] - (version == 2 ? 0 : names), 4);
		put(t, 0, 12); /* args, frame or deferreturn, pcsp */
		put(t, (i ? pcfile : asm_file) - (version == 2 ? 0 : values), 4);
		put(t, (i ? pcln : asm_line) - (version == 2 ? 0 : values), 4);
		put(t, i ? 3 : 0, 4); /* npcdata */
		put(t, 0, 4);	      /* unit, or in 1.2 nfuncdata */
		if (version == 20)
			put(t, i ? 19 : 3, 4);
		put(t, 0, 3);
		put(t, i ? 4 : 0, 1); /* nfuncdata */
		list = index - values;
		for (int k = 0; i && version >= 18 && k < 3; k++)
			put(t, k == 2 ? list : 0, 4);
		for (int k = 0; i && version >= 18 && k < 4; k++)
			put(t, k == 3 ? 0 : 0xffffffff, 4);
		put(t, 0, 16);
	}
	for (int i = 0; i < 3; i++) {
		unsigned field = version >= 18 ? 4 : pointer;
		uint32_t entry = (uint32_t[]){0, MAIN, END}[i];

		put_at(t, functions + 2 * (size_t)i * field, version >= 18 ? entry : TEXT + entry,
		       field);
		if (i < 2)
			put_at(t, functions + (2 * (size_t)i + 1) * field, record[i], field);
	}
	if (version == 2)
		put_at(t, functions + 5 * pointer, units, 4);
	for (unsigned w = 1; w < words; w++) {
		/* files (their number) [text] names units files values functions */
		size_t part[] = {names, units, files, values, functions};
		uint64_t v = w == 1		       ? 3
			     : version >= 18 && w == 2 ? 0
						       : part[w - (version >= 18 ? 3 : 2)];

		put_at(t, 8 + (size_t)w * pointer, v, pointer);
	}
	/* Inlined calls: 0 is main.mid, 1 is main.leaf, which it calls. */
	for (int i = 0; i < 2; i++) {
		uint32_t called = (uint32_t)(name[2 + i] - names),
			 parent = i ? 0x60 - MAIN : 0x50 - MAIN;

		put_call32(t, 0);
		if (version == 18)
			put_call32(t, 0), put_call32(t, 0);
		put_call32(t, called);
		put_call32(t, parent);
		if (version == 20)
			put_call32(t, i ? 4 : 9);
	}
	assert_true(t->size < TABLE_SIZE);
}

static struct tp_slice memory(void *ctx, uint64_t address)
{
	struct table *t = ctx;

	if (address < CALLS_AT || address >= CALLS_AT + t->ncalls)
		return (struct tp_slice){0};
	return (struct tp_slice){t->calls + (address - CALLS_AT),
				 t->ncalls - (size_t)(address - CALLS_AT)};
}

static void check(struct tp_pclntab *p, uint64_t pc, const char *want)
{
	struct tp_symbol chain[8];
	size_t n = tp_pclntab_lookup(p, pc, chain, 8);
	char got[256] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s %s:%d@%d",
			 i ? " < " : "", chain[i].name, chain[i].file, (int)chain[i].line,
			 (int)chain[i].start_line);
	assert_string_equal(got, want);
}

static void test_pclntab_lookup_layouts(void **state)
{
	static const unsigned versions[] = {2, 16, 18, 20};

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		unsigned version = versions[i / 4];
		struct tp_pclntab p;
		struct table t;

		make_table(&t, version, i & 1 ? 4 : 8, i & 2);
		assert_true(tp_pclntab_init(&p, t.data, t.size, TEXT));
		assert_int_equal(p.version, version);
		check(&p, TEXT - 1, "");
		check(&p, TEXT + 4,
		      version == 20 ? "runtime.text asm.s:7@3" : "runtime.text asm.s:7@0");
		check(&p, TEXT + 0x1f,
		      version == 20 ? "main.main main.go:20@19" : "main.main main.go:20@0");
		/* Without inlined calls, the frame has the outer function and the line of the
		 * inlined code. */
		check(&p, TEXT + 0x30,
		      version == 20 ? "main.main leaf.go:5@19" : "main.main leaf.go:5@0");
		check(&p, TEXT + END, "");
		assert_false(tp_pclntab_inlining(&p, 0, memory, &t));
		assert_false(tp_pclntab_inlining(&p, CALLS_AT + 4, memory, &t));
		assert_false(tp_pclntab_inlining(&p, TEXT, memory, &t));
		assert_int_equal(tp_pclntab_inlining(&p, CALLS_AT, memory, &t), version >= 18);
		if (version == 18)
			check(&p, TEXT + 0x30,
			      "main.leaf leaf.go:5@0 < main.mid main.go:11@0 < main.main "
			      "main.go:22@0");
		if (version == 20)
			check(&p, TEXT + 0x3f,
			      "main.leaf leaf.go:5@4 < main.mid main.go:11@9 < main.main "
			      "main.go:22@19");
		check(&p, TEXT + 0x40,
		      version == 20 ? "main.main main.go:20@19" : "main.main main.go:20@0");
	}
}

static void look_everywhere(struct tp_pclntab *p)
{
	struct tp_symbol chain[4];

	for (uint64_t pc = TEXT - 8; pc < TEXT + END + 8; pc += 8) {
		size_t n = tp_pclntab_lookup(p, pc, chain, 4);

		assert_true(n <= 4);
		for (size_t i = 0; i < n; i++)
			assert_true(strlen(chain[i].name) && strlen(chain[i].file) < TABLE_SIZE);
	}
}

/* A damaged table gives other answers or fails. Sanitizers watch all reads, because the table is in
 * a block of exactly its size. */
static void test_pclntab_lookup_damaged(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	static const unsigned versions[] = {2, 16, 18, 20};

	(void)state;
	for (unsigned v = 0; v < 4; v++) {
		struct tp_pclntab p;
		struct table t;
		uint8_t *data;

		make_table(&t, versions[v], 8, false);
		data = malloc(t.size);
		assert_non_null(data);
		for (size_t i = 0; i < 5 * t.size; i++) {
			memcpy(data, t.data, t.size);
			data[i / 5] = values[i % 5];
			if (!tp_pclntab_init(&p, data, t.size, TEXT))
				continue;
			tp_pclntab_inlining(&p, CALLS_AT, memory, &t);
			look_everywhere(&p);
		}
		free(data);
		for (size_t size = 0; size < t.size; size++) {
			data = malloc(size + 1);
			assert_non_null(data);
			memcpy(data + 1, t.data, size);
			if (tp_pclntab_init(&p, data + 1, size, TEXT)) {
				tp_pclntab_inlining(&p, CALLS_AT, memory, &t);
				look_everywhere(&p);
			}
			free(data);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pclntab_lookup_layouts),
	    cmocka_unit_test(test_pclntab_lookup_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
