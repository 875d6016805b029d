#include "oddprofiles/odd.h"

#include <stdio.h>

#define N(array)    (sizeof(array) / sizeof((array)[0]))
#define IDS(...)    ((const uint64_t[]){__VA_ARGS__})
#define VALUES(...) ((const int64_t[]){__VA_ARGS__})
#define LABELS(...) ((const struct draft_label[]){__VA_ARGS__})
#define LINES(...)  ((const struct draft_line[]){__VA_ARGS__})
#define TEXT(key, t)                                                                               \
	{                                                                                          \
		key, t, 0, NULL                                                                    \
	}
#define NUMBER(k, n, u)                                                                            \
	{                                                                                          \
		k, NULL, n, u                                                                      \
	}

/* A sample of these locations (leaf first) and values, without labels. */
static void sample(struct draft *d, const uint64_t *ids, size_t nids, const int64_t *values,
		   size_t nvalues)
{
	draft_add_sample(d, &(struct draft_sample){ids, nids, values, nvalues, NULL, 0});
}

#define SAMPLE(d, ids, values) sample(d, ids, N(ids), values, N(values))

static void labelled(struct draft *d, uint64_t id, int64_t value, const struct draft_label *labels,
		     size_t n)
{
	draft_add_sample(d, &(struct draft_sample){&id, 1, &value, 1, labels, n});
}

#define LABELLED(d, id, value, labels) labelled(d, id, value, labels, N(labels))

/* Functions and locations 1 … n, one line each, in mapping 1. */
static void plain(struct draft *d, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		draft_function(d, i + 1, names[i], names[i], "src/main.cc", 10 * (int64_t)i);
		draft_location(d, i + 1, 1, 0x401000 + 16 * i, false,
			       LINES({i + 1, 10 * (int64_t)i + 3, 0}), 1);
	}
}

static void binary(struct draft *d)
{
	draft_mapping(d, 1, 0x400000, 0x500000, 0, "/srv/server", "cafe0001", DRAFT_ALL_KNOWN);
}

/* A heap profile of C++ that wants the allocator's frames dropped, but what it calls back kept:
 * pprof cuts stacks at the outermost frame of the allocator that user code has called. */
static void drop_frames(struct draft *d)
{
	static const char *const names[] = {"main",
					    "handler(Request const&)",
					    "operator new(unsigned long)",
					    "malloc",
					    "malloc_hook::run",
					    "(anonymous namespace)::pool_alloc",
					    "std::vector<int>::push_back"};

	draft_type(d, "objects", "count");
	draft_type(d, "space", "bytes");
	binary(d);
	plain(d, names, N(names));
	SAMPLE(d, IDS(4, 3, 2, 1), VALUES(1, 100));
	SAMPLE(d, IDS(4, 3, 7, 2, 1), VALUES(2, 200));
	SAMPLE(d, IDS(2, 5, 4, 1), VALUES(3, 300));
	SAMPLE(d, IDS(4, 3), VALUES(4, 400));
	SAMPLE(d, IDS(6, 2, 1), VALUES(5, 500));
	SAMPLE(d, IDS(2, 4, 3, 2, 1), VALUES(6, 600));
	draft_text(d, DRAFT_DROP_FRAMES, "malloc.*|operator new.*|.*pool_alloc");
	draft_text(d, DRAFT_KEEP_FRAMES, "malloc_hook::.*");
	draft_text(d, DRAFT_DEFAULT_TYPE, "objects");
}

/* The same without anything kept, and with an expression that matches nothing. */
static void drop_nothing(struct draft *d)
{
	static const char *const names[] = {"main", "work", "sleep"};

	draft_type(d, "cpu", "nanoseconds");
	binary(d);
	plain(d, names, N(names));
	SAMPLE(d, IDS(3, 2, 1), VALUES(7));
	SAMPLE(d, IDS(2, 1), VALUES(5));
	draft_text(d, DRAFT_DROP_FRAMES, "nothing_of_this_name");
}

/* Numbers with units, without, in two units, several of one key; texts of the same key; keys that
 * pprof guesses units for (bytes, request, alignment). */
static void labels(struct draft *d)
{
	static const char *const names[] = {"main", "read", "write"};

	draft_type(d, "delay", "microseconds");
	binary(d);
	plain(d, names, N(names));
	LABELLED(d, 2, 10, LABELS(NUMBER("bytes", 512, NULL)));
	LABELLED(d, 2, 20, LABELS(NUMBER("bytes", 512, "bytes"), TEXT("op", "get")));
	LABELLED(d, 3, 30, LABELS(NUMBER("latency", 3, "milliseconds")));
	LABELLED(d, 3, 40, LABELS(NUMBER("latency", 4, "seconds"), NUMBER("latency", 5, "")));
	LABELLED(d, 1, 50, LABELS(NUMBER("latency", 6, ""), NUMBER("latency", 7, "seconds")));
	LABELLED(d, 1, 60, LABELS(NUMBER("request", 100, NULL), NUMBER("alignment", 8, NULL)));
	LABELLED(d, 1, 70, LABELS(NUMBER("zero", 0, "bytes"), NUMBER("lost", 0, "")));
	LABELLED(d, 1, 80, LABELS(TEXT("op", "put"), TEXT("op", "get"), TEXT("op", "put")));
	LABELLED(d, 2, 90, LABELS(TEXT("z", "1"), TEXT("a", "2"), NUMBER("m", -3, "count")));
	LABELLED(d, 2, 11, LABELS(TEXT("bytes", "many"), NUMBER("bytes", 9, "kilobytes")));
	LABELLED(d, 3, 12, LABELS(TEXT("key with spaces", "a, \"b\": c"), TEXT("ünï", "cödé")));
	LABELLED(d, 3, 13,
		 LABELS(NUMBER("big", INT64_MAX, "bytes"), NUMBER("small", INT64_MIN, "x")));
}

/* Several mappings: a program in two parts, a library, what has no file, what is no file; locations
 * without lines show the file they are in. One mapping is named by none, one not at all. */
static void mappings(struct draft *d)
{
	draft_type(d, "samples", "count");
	draft_mapping(d, 5, 0x7f0000000000, 0x7f0000100000, 0x1000, "/lib/libc.so.6", "beef02", 0);
	draft_mapping(d, 1, 0x400000, 0x500000, 0, "/srv/server", "cafe01", 0);
	draft_mapping(d, 2, 0x500000, 0x600000, 0x100000, "/srv/server", "cafe01", 0);
	draft_mapping(d, 3, 0x7fff00000000, 0x7fff00002000, 0, "[vdso]", "", 0);
	draft_mapping(d, 4, 0x800000, 0x900000, 0, "", "", 0);
	draft_mapping(d, 9, 0xffffffff80000000, 0xffffffffff000000, 0, "[kernel.kallsyms]_text", "",
		      0);
	draft_mapping(d, 7, 0, 0, 0, "//anon", "", 0);
	for (uint64_t i = 1; i <= 9; i++)
		draft_location(d, i,
			       i == 8	? 77
			       : i == 6 ? 0
					: i,
			       0x400000 + i * 0x10000, false, NULL, 0);
	draft_location(d, 10, 0, 0, false, NULL, 0);
	draft_location(d, 11, 1, 0, false, NULL, 0);
	SAMPLE(d, IDS(1, 2, 3), VALUES(1));
	SAMPLE(d, IDS(5, 1), VALUES(2));
	SAMPLE(d, IDS(4, 2), VALUES(4));
	SAMPLE(d, IDS(9, 7, 6, 8), VALUES(8));
	SAMPLE(d, IDS(10, 11, 10), VALUES(16));
	SAMPLE(d, IDS(6), VALUES(32));
}

/* Inlined calls, of each other, of themselves, in a folded location; the same function inlined here
 * and called there; columns; start lines; system names; file names to be cleaned. */
static void inlined(struct draft *d)
{
	draft_type(d, "cpu", "nanoseconds");
	binary(d);
	draft_function(d, 1, "main.main", "main.main", "/src//app/./main.go", 10);
	draft_function(d, 2, "main.(*T).Outer", "main.(*T).Outer", "/src/app/../app/t.go", 20);
	draft_function(d, 3, "main.inner[...]", "main.inner[go.shape.int]", "t.go", 30);
	draft_function(d, 4, "ns::leaf<int>(int)", "_ZN2ns4leafIiEEvi", "", 0);
	draft_location(d, 1, 1, 0x401000, false, LINES({1, 11, 0}), 1);
	draft_location(d, 2, 1, 0x401010, false, LINES({3, 33, 7}, {2, 22, 5}, {1, 12, 3}), 3);
	draft_location(d, 3, 1, 0x401020, true, LINES({4, 1, 0}, {4, 2, 0}, {3, 34, 0}), 3);
	draft_location(d, 4, 1, 0x401030, false, LINES({3, 35, 0}), 1);
	draft_location(d, 5, 1, 0x401010, false, LINES({3, 38, 7}, {2, 22, 5}, {1, 12, 3}), 3);
	draft_location(d, 6, 1, 0x401040, false, LINES({2, -1, 0}), 1);
	SAMPLE(d, IDS(3, 2, 1), VALUES(10));
	SAMPLE(d, IDS(2, 1), VALUES(20));
	SAMPLE(d, IDS(4, 2, 1), VALUES(30));
	SAMPLE(d, IDS(5, 1), VALUES(40));
	SAMPLE(d, IDS(3, 3, 2, 2, 1), VALUES(50));
	SAMPLE(d, IDS(6, 1), VALUES(60));
}

/* Samples that are the same: by ids, by equal locations and functions under other ids, by labels in
 * another order; some cancel out, some are nothing. */
static void merged(struct draft *d)
{
	static const struct draft_label ab[] = {TEXT("a", "1"), TEXT("b", "2")};
	static const struct draft_label ba[] = {TEXT("b", "2"), TEXT("a", "1")};

	draft_type(d, "n", "count");
	binary(d);
	draft_function(d, 1, "main", "main", "m.c", 1);
	draft_function(d, 2, "f", "f", "m.c", 2);
	draft_function(d, 3, "f", "f", "m.c", 2);
	draft_location(d, 1, 1, 0x400100, false, LINES({1, 5, 0}), 1);
	draft_location(d, 2, 1, 0x400200, false, LINES({2, 6, 0}), 1);
	draft_location(d, 3, 1, 0x400200, false, LINES({3, 6, 0}), 1);
	draft_location(d, 4, 1, 0x400200, false, LINES({3, 7, 0}), 1);
	SAMPLE(d, IDS(2, 1), VALUES(1));
	SAMPLE(d, IDS(2, 1), VALUES(2));
	SAMPLE(d, IDS(3, 1), VALUES(4));
	SAMPLE(d, IDS(4, 1), VALUES(8));
	SAMPLE(d, IDS(1), VALUES(-16));
	SAMPLE(d, IDS(1), VALUES(16));
	SAMPLE(d, IDS(2), VALUES(0));
	labelled(d, 1, 32, ab, 2);
	labelled(d, 1, 64, ba, 2);
	draft_add_sample(d, &(struct draft_sample){NULL, 0, VALUES(128), 1, NULL, 0});
	draft_add_sample(d, &(struct draft_sample){NULL, 0, VALUES(256), 1, NULL, 0});
}

/* What a difference of two profiles is: values below zero, totals that cancel out. */
static void negative(struct draft *d)
{
	static const char *const names[] = {"main", "faster", "slower", "gone", "same"};

	draft_type(d, "samples", "count");
	draft_type(d, "cpu", "nanoseconds");
	binary(d);
	plain(d, names, N(names));
	SAMPLE(d, IDS(2, 1), VALUES(-5, -50000000));
	SAMPLE(d, IDS(3, 1), VALUES(5, 50000000));
	SAMPLE(d, IDS(4, 1), VALUES(-1, -1));
	SAMPLE(d, IDS(5, 1), VALUES(0, 0));
	SAMPLE(d, IDS(5, 3, 1), VALUES(INT64_MIN / 4, 3));
	SAMPLE(d, IDS(5, 2, 1), VALUES(INT64_MAX / 4, -2));
	draft_number(d, DRAFT_DURATION, -1500000000);
	draft_number(d, DRAFT_PERIOD, -10);
}

/* Nothing but addresses: no function, no mapping, as an agent without symbols writes it. */
static void no_functions(struct draft *d)
{
	draft_type(d, "samples", "count");
	for (uint64_t i = 1; i <= 6; i++)
		draft_location(d, i, 0, i < 6 ? 0xffff800000001000 + i : 0, false, NULL, 0);
	SAMPLE(d, IDS(1, 2, 3), VALUES(3));
	SAMPLE(d, IDS(2, 3), VALUES(2));
	SAMPLE(d, IDS(4, 3), VALUES(1));
	SAMPLE(d, IDS(6, 5, 6), VALUES(7));
}

/* Functions that are there, but without names; without files; named like addresses. */
static void nameless(struct draft *d)
{
	draft_type(d, "samples", "count");
	draft_mapping(d, 1, 0x400000, 0x500000, 0, "/srv/server", "", DRAFT_ALL_KNOWN);
	draft_function(d, 1, "", "", "", 0);
	draft_function(d, 2, "", "_Z1fv", "a.cc", 3);
	draft_function(d, 3, "", "", "b.cc", 0);
	draft_function(d, 4, "0x1234", "0x1234", "", 0);
	draft_function(d, 5, "f", "", "", 0);
	for (uint64_t i = 1; i <= 5; i++)
		draft_location(d, i, 1, 0x400000 + i, false, LINES({i, 0, 0}), 1);
	draft_location(d, 6, 0, 0, false, LINES({1, 0, 0}), 1);
	draft_location(d, 7, 1, 0x400077, false, LINES({1, 0, 0}, {5, 3, 0}, {1, 9, 0}), 3);
	SAMPLE(d, IDS(1, 2, 3), VALUES(1));
	SAMPLE(d, IDS(2, 5), VALUES(2));
	SAMPLE(d, IDS(3, 5), VALUES(4));
	SAMPLE(d, IDS(4, 5), VALUES(8));
	SAMPLE(d, IDS(6, 7, 6), VALUES(16));
}

/* The same profile four times, as far apart on the wire as can be: ids that are no small numbers,
 * in no order; numbers packed or not; samples before what they name; fields that nobody knows. */
static void wire(struct draft *d)
{
	static const uint64_t ids[] = {UINT64_MAX, 1, 0x7f1234567890, 3, 1u << 31};

	draft_type(d, "wall", "nanoseconds");
	draft_type(d, "hits", "count");
	draft_mapping(d, ids[0], 0x1000, 0x2000, 0, "/a", "", DRAFT_ALL_KNOWN);
	draft_mapping(d, ids[2], 0x3000, 0x4000, 0, "/b", "", 3);
	for (size_t i = 0; i < N(ids); i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%zu", i);
		draft_function(d, ids[N(ids) - 1 - i], name, name, "x.rs", 1);
	}
	for (size_t i = 0; i < N(ids); i++)
		draft_location(d, ids[i], ids[i % 3], 0x1000 * (i + 1), i == 3,
			       LINES({ids[i], (int64_t)i, 0}, {ids[(i + 2) % 5], 7, 1}), 1 + i % 2);
	SAMPLE(d, IDS(UINT64_MAX, 1, 0x7f1234567890), VALUES(1000, 1));
	SAMPLE(d, IDS(1u << 31, 1, 3), VALUES(2500000, 2));
	SAMPLE(d, IDS(1u << 31), VALUES(1, INT64_MAX / 2));
	draft_add_sample(d, &(struct draft_sample){IDS(3, 1), 2, VALUES(30, 3), 2,
						   LABELS(TEXT("k", "v"), NUMBER("n", 1, "bytes")),
						   2});
	draft_text(d, DRAFT_COMMENT, "one");
	draft_text(d, DRAFT_COMMENT, "two");
	draft_period_type(d, "wall", "nanoseconds");
	draft_number(d, DRAFT_PERIOD, 1000003);
	draft_number(d, DRAFT_TIME, 1600000000123456789);
	draft_number(d, DRAFT_DURATION, 61500000000);
	draft_text(d, DRAFT_DOC_URL, "https://example.org/profile");
}

static void wire_late(struct draft *d)
{
	d->order = DRAFT_TABLES_LAST;
	d->unpacked = true;
	wire(d);
}

static void wire_early(struct draft *d)
{
	d->order = DRAFT_STRINGS_FIRST;
	d->unshared = true;
	wire(d);
}

static void wire_unknown(struct draft *d)
{
	d->unknown = true;
	wire(d);
}

/* Units of all kinds, each scaled by its own rules, with values from tiny to huge. */
static void units(struct draft *d)
{
	static const char *const types[][2] = {{"a", "nanoseconds"},
					       {"b", "us"},
					       {"c", "milliseconds"},
					       {"d", "seconds"},
					       {"e", "hours"},
					       {"f", "bytes"},
					       {"g", "KB"},
					       {"h", "mebibytes"},
					       {"i", "count"},
					       {"j", "GCU"},
					       {"k", "kiloGCUs"},
					       {"l", "widgets"},
					       {"m", ""},
					       {"n", "cycles"}};
	static const char *const names[] = {"main", "little", "middle", "much"};
	int64_t values[N(types)];

	for (size_t i = 0; i < N(types); i++)
		draft_type(d, types[i][0], types[i][1]);
	binary(d);
	plain(d, names, N(names));
	for (uint64_t id = 2; id <= 4; id++) {
		for (size_t i = 0; i < N(types); i++)
			values[i] = id == 2   ? 1
				    : id == 3 ? 123456
					      : (int64_t)987654321012 + (int64_t)i;
		sample(d, IDS(id, 1), 2, values, N(types));
	}
	draft_text(d, DRAFT_DEFAULT_TYPE, "i");
}

/* Recursion, direct and through another, deeper than any table is wide. */
static void recursion(struct draft *d)
{
	static const char *const names[] = {"main", "walk", "visit", "leaf"};
	uint64_t deep[3000];

	draft_type(d, "samples", "count");
	binary(d);
	plain(d, names, N(names));
	for (size_t i = 0; i < N(deep); i++)
		deep[i] = i + 1 == N(deep) ? 1 : 2 + i % 2;
	sample(d, deep, N(deep), VALUES(3), 1);
	deep[0] = 4;
	sample(d, deep, N(deep), VALUES(5), 1);
	SAMPLE(d, IDS(2, 2, 2, 1), VALUES(7));
	SAMPLE(d, IDS(3, 2, 3, 2, 1), VALUES(11));
}

/* A table of strings of which few are named, some more than once, some very long. */
static void strings(struct draft *d)
{
	static char text[70000];

	draft_type(d, "samples", "count");
	binary(d);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = "abcdefghij/.*()[]{} "[(i * 7 + i / 91) % 20];
	d->unshared = true;
	for (int i = 0; i < 60000; i++) {
		char one[32];

		snprintf(one, sizeof(one), "unused string %d", i);
		draft_string(d, one);
	}
	draft_function(d, 1, text, "", "", 0);
	draft_function(d, 2, text + 60000, text + 60000, text + 69000, 0);
	draft_location(d, 1, 1, 0x400001, false, LINES({1, 1, 0}), 1);
	draft_location(d, 2, 1, 0x400002, false, LINES({2, 2, 0}), 1);
	SAMPLE(d, IDS(1, 2), VALUES(1));
	SAMPLE(d, IDS(2), VALUES(2));
}

/* A profile with types but no samples. */
static void empty(struct draft *d)
{
	draft_type(d, "samples", "count");
	draft_type(d, "cpu", "nanoseconds");
	binary(d);
	draft_number(d, DRAFT_DURATION, 1000000000);
}

const struct odd odd[] = {
    {"drop-frames", drop_frames},
    {"drop-nothing", drop_nothing},
    {"empty", empty},
    {"inlined", inlined},
    {"labels", labels},
    {"mappings", mappings},
    {"merged", merged},
    {"nameless", nameless},
    {"negative", negative},
    {"no-functions", no_functions},
    {"recursion", recursion},
    {"strings", strings},
    {"units", units},
    {"wire", wire},
    {"wire-early", wire_early},
    {"wire-late", wire_late},
    {"wire-unknown", wire_unknown},
    {NULL, NULL},
};
