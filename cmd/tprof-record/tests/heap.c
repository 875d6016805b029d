/* A heap with known content: allocates in every way, each from its own functions (site_…), with
 * frees and reallocations in between.
 *
 *	heap [SEED [RATE]]
 *
 * Prints, per site: its name, objects and bytes ever allocated, objects and bytes in use at the
 * end, and the variance that Poisson sampling with a mean of RATE bytes gives the last one: a block
 * of s bytes is sampled with the probability p = 1 - exp(-s / RATE) and then counts s / p, so its
 * variance is s * s * (1 - p) / p. The table of blocks is outside the heap. */
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NBLOCKS 60000

struct site {
	const char *name;
	void *(*make)(size_t);
	uint64_t allocs, alloc_bytes, inuse, inuse_bytes;
	double variance;
};

struct block {
	void *at;
	size_t size;
	struct site *site;
};

#define SITE __attribute__((noinline)) static void *
/* Keeps a call from becoming a jump at the end of its function, which would then be on no stack. */
#define KEEP(p) __asm__ volatile("" : "+r"(p))

SITE site_malloc(size_t n)
{
	void *p = malloc(n);

	KEEP(p);
	return p;
}
SITE site_calloc(size_t n)
{
	void *p = calloc(1, n);

	KEEP(p);
	return p;
}
SITE site_aligned_alloc(size_t n)
{
	void *p = aligned_alloc(64, n);

	KEEP(p);
	return p;
}
SITE site_posix_memalign(size_t n)
{
	void *p;

	if (posix_memalign(&p, 256, n))
		return NULL;
	KEEP(p);
	return p;
}
SITE site_memalign(size_t n)
{
	void *p = memalign(32, n);

	KEEP(p);
	return p;
}
SITE site_reallocarray(size_t n)
{
	void *p = reallocarray(NULL, n, 1);

	KEEP(p);
	return p;
}
SITE site_strdup(size_t n)
{
	char text[1 << 14]; /* room for pick_size's largest result */
	void *p;

	if (n > sizeof(text))
		return NULL;
	memset(text, 'x', n - 1);
	text[n - 1] = '\0';
	p = strdup(text);
	KEEP(p);
	return p;
}

static struct site site[] = {
    {.name = "site_malloc", .make = site_malloc},
    {.name = "site_calloc", .make = site_calloc},
    {.name = "site_aligned_alloc", .make = site_aligned_alloc},
    {.name = "site_posix_memalign", .make = site_posix_memalign},
    {.name = "site_memalign", .make = site_memalign},
    {.name = "site_reallocarray", .make = site_reallocarray},
    {.name = "site_strdup", .make = site_strdup},
    {.name = "site_realloc"},
};
#define NSITES	(sizeof(site) / sizeof(*site))
#define REALLOC (&site[NSITES - 1])

static uint64_t random_state;

static uint32_t pick(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

/* Mostly small, some large: sizes over four orders of magnitude. */
static size_t pick_size(void)
{
	size_t n = (size_t)1 << (4 + pick(4) + pick(4) + pick(4));

	return n + pick((uint32_t)n);
}

static void add(struct block *b, void *at, size_t size, struct site *s)
{
	if (!at)
		abort();
	*b = (struct block){at, size, s};
	s->allocs++;
	s->alloc_bytes += size;
	s->inuse++;
	s->inuse_bytes += size;
}

static void take(struct block *b)
{
	b->site->inuse--;
	b->site->inuse_bytes -= b->size;
	b->at = NULL;
}

__attribute__((noinline)) static void site_realloc(struct block *b)
{
	size_t n = pick_size();
	void *p = realloc(b->at, n);

	take(b);
	add(b, p, n, REALLOC);
}

static void fill(struct block *block)
{
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < NBLOCKS; i++) {
			struct block *b = &block[i];
			uint32_t what = pick(10);
			struct site *s = &site[pick(NSITES - 1)];

			if (!b->at) {
				size_t n = pick_size();

				add(b, s->make(n), n, s);
			} else if (what < 5) {
				free(b->at);
				take(b);
			} else if (what < 7) {
				site_realloc(b);
			}
		}
}

int main(int argc, char **argv)
{
	double rate = argc > 2 ? strtod(argv[2], NULL) : 1;
	struct block *block = mmap(NULL, NBLOCKS * sizeof(*block), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	random_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	if (block == MAP_FAILED)
		return 3;
	fill(block);
	for (int i = 0; i < NBLOCKS; i++)
		if (block[i].at) {
			double s = (double)block[i].size, p = rate > 1 ? -expm1(-s / rate) : 1;

			block[i].site->variance += s * s * (1 - p) / p;
		}
	for (size_t i = 0; i < NSITES; i++)
		printf("%s\t%ju\t%ju\t%ju\t%ju\t%.0f\n", site[i].name, (uintmax_t)site[i].allocs,
		       (uintmax_t)site[i].alloc_bytes, (uintmax_t)site[i].inuse,
		       (uintmax_t)site[i].inuse_bytes, site[i].variance);
	return 0;
}
