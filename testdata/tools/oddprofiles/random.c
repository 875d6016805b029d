/* Profiles by chance: all that a profile may hold, in small numbers, so that things coincide. */
#include <stdio.h>

#include "base/random.h"
#include "oddprofiles/odd.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct chance {
	uint64_t state;
};

static uint64_t draw(struct chance *c, uint64_t n)
{
	return tp_random(&c->state) % n;
}

static bool often(struct chance *c, uint64_t percent)
{
	return draw(c, 100) < percent;
}

#define PICK(c, array) ((array)[draw(c, N(array))])

static const char *const names[] = {
    "main.main",
    "main.(*T).M",
    "main.f[...]",
    "main.f.func1",
    "runtime.mallocgc",
    "malloc",
    "operator new",
    "ns::C<int>::f()",
    "(anonymous namespace)::g(int)",
    "com.a.B.c()",
    "core::ops::f",
    "",
    "a/b.c",
    "net/http.(*conn).serve",
    "_start",
    "f",
    "g",
};
static const char *const files[] = {"",	 "main.go",    "/src/main.go",	 "/src//x/../main.go",
				    "a", "./a/b/c.cc", "/Library/X.java"};
static const char *const units[] = {"count", "nanoseconds", "bytes",	   "kilobytes", "seconds",
				    "",	     "things",	    "microseconds"};
static const char *const keys[] = {"user", "bytes", "request", "latency", "a", "z z"};
static const char *const texts[] = {"x", "y", "long text", "8"};
static const char *const objects[] = {"/bin/app", "/bin/app", "/lib/libx.so.1",
				      "[vdso]",	  "",	      "/bin/app (deleted)"};
static const char *const drops[] = {"malloc|operator new", "runtime\\..*", "f|g", "main\\.main"};

static uint64_t id_of(struct chance *c, uint64_t i, bool wild)
{
	(void)c;
	return wild ? (i + 1) * 0x9e3779b97f4a7c15u | 1 : i + 1;
}

static void tables(struct draft *d, struct chance *c, uint64_t nmappings, uint64_t nfunctions,
		   uint64_t nlocations, bool wild)
{
	for (uint64_t i = 0; i < nmappings; i++)
		draft_mapping(d, id_of(c, i, wild), 0x400000 * (i + 1), 0x400000 * (i + 2),
			      often(c, 50) ? 0x1000 * i : 0, PICK(c, objects),
			      often(c, 50) ? "b1" : "", (unsigned)draw(c, 16));
	for (uint64_t i = 0; i < nfunctions; i++) {
		const char *name = PICK(c, names);

		draft_function(d, id_of(c, i, wild), name, often(c, 80) ? name : "_Zsys",
			       PICK(c, files), (int64_t)draw(c, 3) * 10);
	}
	for (uint64_t i = 0; i < nlocations; i++) {
		struct draft_line line[4];
		uint64_t n = nfunctions ? (often(c, 75) ? 1 : draw(c, 5)) : 0;
		uint64_t mapping = draw(c, nmappings + 1);

		for (uint64_t k = 0; k < n; k++)
			line[k] = (struct draft_line){id_of(c, draw(c, nfunctions), wild),
						      (int64_t)draw(c, 4) * 5,
						      often(c, 20) ? (int64_t)draw(c, 9) : 0};
		draft_location(d, id_of(c, i, wild), mapping ? id_of(c, mapping - 1, wild) : 0,
			       often(c, 90) ? 0x400000 * mapping + draw(c, 40) : 0, often(c, 5),
			       line, (size_t)n);
	}
}

static void samples(struct draft *d, struct chance *c, uint64_t ntypes, uint64_t nlocations,
		    bool wild)
{
	uint64_t n = draw(c, 60), from = draw(c, 3) ? 1000 : 3;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t id[24], depth = nlocations ? draw(c, N(id)) : 0, nlabels = 0;
		int64_t value[4];
		struct draft_label label[4];

		for (uint64_t k = 0; k < depth; k++)
			id[k] = id_of(c, draw(c, often(c, 50) ? nlocations : (nlocations + 3) / 4),
				      wild);
		for (uint64_t k = 0; k < ntypes; k++)
			value[k] = ((int64_t)draw(c, from) - (often(c, 10) ? (int64_t)from : 0)) *
				   (often(c, 20) ? 1000003 : 1);
		if (often(c, 40))
			nlabels = draw(c, N(label) + 1);
		for (uint64_t k = 0; k < nlabels; k++)
			label[k] = often(c, 50) ? (struct draft_label){PICK(c, keys),
								       PICK(c, texts), 0, NULL}
						: (struct draft_label){PICK(c, keys), NULL,
								       (int64_t)draw(c, 2000) - 100,
								       PICK(c, units)};
		draft_add_sample(d, &(struct draft_sample){id, (size_t)depth, value, (size_t)ntypes,
							   label, (size_t)nlabels});
	}
}

void odd_random(struct draft *d, uint64_t seed)
{
	static const char *const types[] = {"alpha", "beta", "gamma", "delta"};
	struct chance c = {.state = seed};
	bool wild = often(&c, 20);
	uint64_t ntypes = 1 + draw(&c, N(types)), nmappings = draw(&c, 5);
	uint64_t nfunctions = often(&c, 90) ? 1 + draw(&c, 25) : 0, nlocations = 1 + draw(&c, 50);

	d->order = (enum draft_order)draw(&c, 3);
	d->unpacked = often(&c, 25);
	d->unknown = often(&c, 25);
	d->unshared = often(&c, 20);
	for (uint64_t i = 0; i < ntypes; i++)
		draft_type(d, types[i], PICK(&c, units));
	tables(d, &c, nmappings, nfunctions, nlocations, wild);
	samples(d, &c, ntypes, nlocations, wild);
	if (often(&c, 40))
		draft_text(d, DRAFT_DROP_FRAMES, PICK(&c, drops));
	if (often(&c, 20))
		draft_text(d, DRAFT_KEEP_FRAMES, PICK(&c, drops));
	if (often(&c, 50))
		draft_text(d, DRAFT_DEFAULT_TYPE, types[draw(&c, ntypes)]);
	if (often(&c, 50))
		draft_period_type(d, "alpha", PICK(&c, units));
	if (often(&c, 70))
		draft_number(d, DRAFT_PERIOD, (int64_t)draw(&c, 1000000));
	if (often(&c, 70))
		draft_number(d, DRAFT_TIME, 1500000000000000000 + (int64_t)draw(&c, 1000000000000));
	if (often(&c, 70))
		draft_number(d, DRAFT_DURATION, (int64_t)draw(&c, 100000000000));
	for (uint64_t i = draw(&c, 3); i; i--)
		draft_text(d, DRAFT_COMMENT, PICK(&c, texts));
	if (often(&c, 20))
		draft_text(d, DRAFT_DOC_URL, "https://example.org/");
}
