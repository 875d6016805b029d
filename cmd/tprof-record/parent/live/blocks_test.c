/* A child that has what the test has, and stands still while it is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tprof-record/parent/live/blocks.h"
#include "tprof-record/parent/live/testing.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OTHER_MALLOC 1
#else
#define OTHER_MALLOC 0
#endif

static pid_t same_as_this(void)
{
	pid_t pid = fork();

	while (!pid)
		pause();
	return pid;
}

static void done(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void look(struct rec_memory *m, struct rec_blocks *b)
{
	pid_t pid = same_as_this();
	struct tp_err err;
	int code = rec_memory_open(m, pid, &err);

	assert_int_equal(code, 0);
	*b = (struct rec_blocks){0};
	for (size_t i = 0; i < m->n; i++)
		m->region[i].blocks = rec_blocks_add(b, m, &m->region[i], &code);
	assert_int_equal(code, 0);
	done(pid);
}

static void expect_block(const struct rec_blocks *b, const void *p, size_t size)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	struct rec_block block;

	assert_true(rec_blocks_find(b, at, &block, true));
	assert_true(block.start == at && block.limit >= at + size);
	assert_true(block.limit <= at + malloc_usable_size((void *)(uintptr_t)p));
	/* Anywhere in it. */
	assert_true(rec_blocks_find(b, at + size - 1, &block, false));
	assert_true(block.start == at);
	assert_true(rec_blocks_find(b, at + size / 2, &block, false));
	assert_true(block.start == at);
}

static void test_blocks_main_heap(void **state)
{
	static void *block[2000];
	struct rec_memory m;
	struct rec_blocks b;
	struct rec_block found;

	(void)state;
	if (OTHER_MALLOC) {
		print_message("the blocks of this malloc are not known\n");
		skip();
	}
	REC_TESTING_NEED_TRACE();
	for (size_t i = 0; i < 2000; i++)
		memset(block[i] = malloc(24 + i * 37 % 9000), 1, 24);
	for (size_t i = 0; i < 2000; i += 3) {
		free(block[i]);
		block[i] = NULL;
	}
	look(&m, &b);
	for (size_t i = 0; i < 2000; i++) {
		if (block[i])
			expect_block(&b, block[i], 24 + i * 37 % 9000);
	}
	assert_true(rec_blocks_find(&b, (uint64_t)(uintptr_t)block[1], &found, true));
	assert_false(rec_block_marked(&found));
	assert_true(rec_block_mark(&found));
	assert_false(rec_block_mark(&found));
	assert_true(rec_blocks_find(&b, (uint64_t)(uintptr_t)block[1] + 5, &found, false));
	assert_true(rec_block_marked(&found));
	assert_true(rec_blocks_find(&b, (uint64_t)(uintptr_t)block[2], &found, false));
	assert_false(rec_block_marked(&found));
	/* What is no heap. */
	assert_false(rec_blocks_find(&b, (uint64_t)(uintptr_t)&m, &found, true));
	assert_false(rec_blocks_find(&b, (uint64_t)(uintptr_t)block, &found, true));
	assert_false(rec_blocks_find(&b, 0, &found, true));
	assert_false(rec_blocks_find(&b, UINT64_MAX, &found, true));
	for (size_t i = 0; i < 2000; i++)
		free(block[i]);
	rec_blocks_release(&b);
	rec_memory_close(&m);
}

static void *in_thread(void *arg)
{
	struct rec_memory m;
	struct rec_blocks b;
	void *p[50];

	(void)arg;
	for (size_t i = 0; i < 50; i++)
		p[i] = malloc(100 + i * 1000);
	look(&m, &b);
	for (size_t i = 0; i < 50; i++)
		expect_block(&b, p[i], 100 + i * 1000);
	for (size_t i = 0; i < 50; i++)
		free(p[i]);
	rec_blocks_release(&b);
	rec_memory_close(&m);
	return NULL;
}

/* Threads have arenas of their own. */
static void test_blocks_arena(void **state)
{
	pthread_t thread;

	(void)state;
	if (OTHER_MALLOC) {
		print_message("the blocks of this malloc are not known\n");
		skip();
	}
	REC_TESTING_NEED_TRACE();
	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

/* What looks like a heap of an arena, with a size that leads to before its beginning. */
static void test_blocks_absurd_heap(void **state)
{
	uint64_t step = (uint64_t)64 << 20, at;
	char *map = mmap(NULL, 2 * step, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rec_memory m;
	struct rec_blocks b;
	struct rec_block found;
	uint64_t *heap;

	(void)state;
	REC_TESTING_NEED_TRACE();
	assert_true(map != MAP_FAILED);
	at = ((uint64_t)(uintptr_t)map + step) / step * step;
	heap = (uint64_t *)(uintptr_t)at;
	/* A region of its own. */
	assert_int_equal(0, munmap(map, (size_t)(at - (uint64_t)(uintptr_t)map)));
	heap[0] = at;
	heap[2] = 0 - (uint64_t)4096;
	look(&m, &b);
	assert_false(rec_blocks_find(&b, at + 64, &found, true));
	rec_blocks_release(&b);
	rec_memory_close(&m);
	munmap(heap, 2 * step - (size_t)(at - (uint64_t)(uintptr_t)map));
}

/* Reading is bounded, and what was never touched is not there. */
static void test_memory_peek(void **state)
{
	size_t size = (size_t)1 << 20, n;
	char *map =
	    mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = map + (REC_WINDOW - (uintptr_t)map % REC_WINDOW);
	uint64_t at = (uint64_t)(uintptr_t)p;
	const struct rec_region *r;
	struct rec_memory m;
	struct tp_err err;
	const uint8_t *byte;

	(void)state;
	memset(p, 'x', 100);
	assert_int_equal(rec_memory_open(&m, getpid(), &err), 0);
	r = rec_memory_find(&m, at);
	assert_true(r && r->writable && r->start <= at && at < r->limit);
	byte = rec_memory_peek(&m, r, at, &n);
	assert_true(byte && n <= REC_WINDOW && byte[0] == 'x' && byte[99] == 'x' && !byte[100]);
	if (m.pagemap >= 0) {
		byte = rec_memory_peek(&m, r, at + 8 * REC_WINDOW, &n);
		assert_true(!byte && n == REC_WINDOW);
	}
	m.left = 1;
	m.end_ns = 1;
	rec_memory_peek(&m, r, at + 4 * REC_WINDOW, &n);
	assert_true(m.over);
	assert_null(rec_memory_peek(&m, r, at, &n));
	rec_memory_close(&m);
	munmap(map, 2 * size);
}

static void test_memory_split(void **state)
{
	struct rec_memory m;
	struct tp_err err;
	uint64_t at = (uint64_t)(uintptr_t)&m, middle;
	const struct rec_region *r;
	size_t before;

	(void)state;
	assert_int_equal(rec_memory_open(&m, getpid(), &err), 0);
	before = m.n;
	r = rec_memory_find(&m, at);
	assert_true(r && r->main_stack);
	middle = r->limit - 4096;
	assert_int_equal(rec_memory_split(&m, middle), 0);
	assert_int_equal(rec_memory_split(&m, middle), 0);
	assert_int_equal(m.n, before + 1);
	assert_true(rec_memory_find(&m, middle)->start == middle);
	assert_true(rec_memory_find(&m, middle - 1)->limit == middle);
	assert_null(rec_memory_find(&m, 0));
	rec_memory_close(&m);
	assert_int_equal(rec_memory_open(&m, 0x7ffffff0, &err), TP_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_blocks_main_heap),   cmocka_unit_test(test_blocks_arena),
	    cmocka_unit_test(test_blocks_absurd_heap), cmocka_unit_test(test_memory_peek),
	    cmocka_unit_test(test_memory_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
