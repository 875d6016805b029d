#include "tprof-record/parent/image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tprof-record/core/hello.h"
#include "tprof-record/parent/dump.h"

/* The memory that a process would send, with nothing in it yet. */
struct program {
	char folder[64];
	int memory;
	struct rec_arena a;
	struct rec_image *image;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int begin(void **state)
{
	struct program *p = calloc(1, sizeof(*p));
	struct rec_header *h;
	void *base;

	*state = p;
	strcpy(p->folder, "/tmp/image_test-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	p->memory = memfd_create("image_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(p->memory, (off_t)rec_arena_size(0)), 0);
	base = mmap(NULL, rec_arena_size(0), PROT_READ | PROT_WRITE, MAP_SHARED, p->memory, 0);
	assert_ptr_not_equal(base, MAP_FAILED);
	p->a = rec_arena_at(base, 0);
	h = p->a.header;
	*h = (struct rec_header){.magic = REC_MAGIC,
				 .version = REC_VERSION,
				 .size_of_event = sizeof(struct rec_event),
				 .pid = (uint32_t)getpid(),
				 .start_ns = now(),
				 .start_sec = 1700000000};
	h->options.trace = 1;
	h->options.heap_rate = 1;
	h->options.profiler = 126;
	h->options.depth = 128;
	h->next_g = 2;
	h->nodes.used = h->strings.used = h->sets.used = 1;
	return 0;
}

static int end(void **state)
{
	struct program *p = *state;
	DIR *d = opendir(p->folder);
	struct dirent *e;

	rec_image_free(p->image);
	munmap(p->a.header, rec_arena_size(0));
	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	/* Not empty: a file was left half written. */
	assert_int_equal(rmdir(p->folder), 0);
	free(p);
	return 0;
}

static int start(struct program *p, struct tp_err *err)
{
	int code =
	    rec_image_begin(&p->image, p->memory, -1, getpid(), REC_HELLO_START, p->folder, err);

	if (!code)
		strcpy(p->image->folder, p->folder);
	return code;
}

static const struct rec_request everything = {
    .trace = true, .profile = {true, true, true, true, true, true, true}};

/* ---- a program that behaves ---- */

static struct rec_event *reserve(struct program *p, uint32_t *chunk)
{
	const struct rec_arena *a = &p->a;
	struct rec_header *h = a->header;

	for (;;) {
		if (*chunk) {
			uint32_t i = atomic_fetch_add(&a->chunks[*chunk - 1].reserved, 1);

			if (i < REC_CHUNK_EVENTS)
				return &a->chunks[*chunk - 1].event[i];
			atomic_store(&a->chunks[*chunk - 1].full, 1);
		}
		*chunk = (uint32_t)atomic_load(&h->free_chunks);
		if (*chunk) {
			/* The only one who takes; the recorder gives. */
			uint64_t was = atomic_load(&h->free_chunks), next;

			do {
				*chunk = (uint32_t)was;
				next = ((was >> 32) + 1) << 32 |
				       atomic_load(&a->chunks[*chunk - 1].next);
			} while (!atomic_compare_exchange_weak(&h->free_chunks, &was, next));
		} else if (h->chunks.used < REC_NCHUNKS) {
			*chunk = ++h->chunks.used;
		} else {
			return NULL;
		}
		atomic_store(&a->chunks[*chunk - 1].turn, atomic_fetch_add(&h->turns, 1) + 1);
	}
}

static void put(struct program *p, uint32_t *chunk, struct rec_event event, uint16_t kind)
{
	struct rec_event *e = reserve(p, chunk);

	if (!e) {
		p->a.header->lost[REC_LOST_EVENTS]++;
		return;
	}
	memcpy((void *)e, (void *)&event, sizeof(event));
	atomic_store_explicit(&e->kind, kind, memory_order_release);
}

static void test_image_records(void **state)
{
	struct program *p = *state;
	struct rec_dump d;
	uint32_t chunk = 0;
	struct tp_err err;
	const uint64_t many = (uint64_t)REC_NCHUNKS * REC_CHUNK_EVENTS / 2;
	uint64_t n = 0, lost;

	assert_int_equal(start(p, &err), 0);
	/* As many as it takes on a machine that is slow, or busy. */
	for (uint64_t until = now() + 200000000;
	     now() < until || n <= many + p->a.header->lost[REC_LOST_EVENTS]; n++)
		put(p, &chunk, (struct rec_event){.g = 1, .m = 1, .end = now(), .object = 9},
		    REC_POST);
	rec_image_halt(p->image, false, 0);
	lost = p->a.header->lost[REC_LOST_EVENTS];
	assert_int_equal(p->image->spool.n + lost, n);
	assert_true(p->image->spool.n > many);
	rec_dump_write(p->image, true, &everything, NULL, &d);
	assert_int_equal(d.ntroubles, 0);
	assert_int_equal(d.nfiles, REC_NPROFILES + 1);
	assert_int_equal(d.lost[REC_LOST_EVENTS], lost);
}

/* ---- memory that is none of ours ---- */

static void test_image_refused(void **state)
{
	static const struct {
		const char *what, *says;
	} cases[] = {
	    {"size", "size"},		{"magic", "not an arena"}, {"version", "same build"},
	    {"sealed", "could shrink"}, {"pipe", "size"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *what = cases[i].what;
		struct program *p;
		struct tp_err err;
		int ends[2];

		begin((void **)&p);
		if (!strcmp(what, "size"))
			assert_int_equal(ftruncate(p->memory, (off_t)rec_arena_size(0) - REC_PAGE),
					 0);
		if (!strcmp(what, "magic"))
			p->a.header->magic++;
		if (!strcmp(what, "version"))
			p->a.header->version++;
		/* Who may still shrink it and forbids us to forbid that. */
		if (!strcmp(what, "sealed"))
			assert_int_equal(fcntl(p->memory, F_ADD_SEALS, F_SEAL_SEAL), 0);
		if (!strcmp(what, "pipe")) {
			assert_int_equal(pipe(ends), 0);
			close(ends[1]);
			close(p->memory);
			p->memory = ends[0];
		}
		assert_int_equal(start(p, &err), TP_EFORMAT);
		assert_non_null(strstr(err.msg, cases[i].says));
		assert_null(p->image);
		/* It was closed. */
		assert_int_equal(fcntl(p->memory, F_GETFD), -1);
		end((void **)&p);
	}
}

/* In place of libc's: a program that cuts its memory as soon as its size has been looked at. */
static struct {
	int memory, looks, error;
} cut = {.memory = -1};

int fstat(int fd, struct stat *st)
{
	int code = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (fd == cut.memory) {
		cut.looks++;
		cut.error = ftruncate(fd, 0) ? errno : 0;
	}
	return code;
}

static void test_image_cut(void **state)
{
	struct program *p = *state;
	struct tp_err err;
	int code;

	cut.memory = p->memory;
	code = start(p, &err);
	cut.memory = -1;
	assert_int_equal(code, 0);
	assert_int_equal(cut.looks, 1);
	assert_int_equal(cut.error, EPERM);
	rec_image_halt(p->image, false, 0);
}

/* ---- a program that wrote over everything it could ---- */

static void scribble(struct program *p, unsigned *seed)
{
	struct rec_header *h = p->a.header;
	char *base = (char *)h;

	for (int i = 0; i < 20000; i++) {
		size_t at =
		    ((size_t)rand_r(seed) << 12 ^ (size_t)rand_r(seed)) % (rec_arena_size(0) - 8);
		uint64_t v =
		    rand_r(seed) & 1 ? (uint64_t)rand_r(seed) % 100 : (uint64_t)rand_r(seed) << 33;

		memcpy(base + at, &v, sizeof(v));
	}
	/* What leads to all else: counts a little too large, or far. */
	h->nodes.used = (uint32_t)rand_r(seed);
	h->buckets.used = REC_NBUCKETS(0) + (uint32_t)rand_r(seed) % 3;
	h->modules.used = (uint32_t)rand_r(seed) % (2 * REC_NMODULES);
	h->strings.used = (uint32_t)rand_r(seed) % (2 * REC_STRING_BYTES);
	h->sets.used = (uint32_t)rand_r(seed);
	h->gs.used = (uint32_t)rand_r(seed) % (2 * REC_NGS);
	h->chunks.used = (uint32_t)rand_r(seed);
	h->free_chunks = (uint64_t)rand_r(seed) << 20;
	h->exe = (uint32_t)rand_r(seed);
	for (int i = 0; i < REC_NBUCKET_KINDS; i++)
		h->newest[i] = (uint32_t)rand_r(seed) % (2 * REC_NBUCKETS(0));
	for (int i = 0; i < 50; i++) {
		struct rec_chunk *c = &p->a.chunks[rand_r(seed) % REC_NCHUNKS];

		for (int k = 0; k < REC_CHUNK_EVENTS; k++) {
			struct rec_event *e = &c->event[k];

			e->kind = (uint16_t)(rand_r(seed) % (REC_NKINDS + 1));
			e->end = h->start_ns + (uint64_t)rand_r(seed);
			e->start = rand_r(seed) & 1 ? e->end - (uint64_t)rand_r(seed) % 1000 : 0;
			e->g = (uint32_t)rand_r(seed) % 50;
			e->m = (uint32_t)rand_r(seed) % 20;
			e->arg = (uint32_t)rand_r(seed) % 70;
			e->stack = (uint32_t)rand_r(seed);
		}
		c->reserved = (uint32_t)rand_r(seed) % 500;
		c->full = (uint32_t)rand_r(seed) & 1;
	}
}

static void test_image_hostile(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 6; round++) {
		struct program *p;
		struct rec_dump d;
		struct tp_err err;

		begin((void **)&p);
		assert_int_equal(start(p, &err), 0);
		scribble(p, &seed);
		/* What a process that writes all the time looks like. */
		rec_dump_write(p->image, false,
			       &(struct rec_request){.profile = {true, true, true}}, NULL, &d);
		scribble(p, &seed);
		rec_image_halt(p->image, false, 0);
		rec_dump_write(p->image, true, &everything, NULL, &d);
		/* Either its header is no arena's any more, or there is something of each kind. */
		assert_true(d.nfiles == REC_NPROFILES + 1 || d.ntroubles);
		end((void **)&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_image_records, begin, end),
	    cmocka_unit_test(test_image_refused),
	    cmocka_unit_test_setup_teardown(test_image_cut, begin, end),
	    cmocka_unit_test(test_image_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
