#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tprof-record/core/testing.h"

static void begin(bool shared)
{
	struct rec_options options = {.trace = 1, .heap_rate = 1, .block_rate = 1, .seed = 7};

	assert_int_equal(0, rec_core_begin(&options, shared));
}

static void test_core_begin_shared(void **state)
{
	struct rec_options options = {0};
	struct stat st;

	(void)state;
	begin(true);
	assert_true(header()->magic == REC_MAGIC);
	assert_int_equal(getpid(), header()->pid);
	assert_int_equal(128, header()->options.depth);
	assert_int_equal(126, header()->options.profiler);
	assert_int_equal(1, rec_self.g);
	assert_int_equal(1, rec_core->arena.gs[0].id);
	assert_int_equal(1, count_events(REC_THREAD_START));
	assert_int_equal(0, fstat(rec_core->fd, &st));
	assert_int_equal(rec_arena_size(rec_core->arena.scale), st.st_size);
	assert_true(st.st_blocks * 512 < 5 << 20);
	/* Nobody can cut it. */
	assert_int_equal(-1, ftruncate(rec_core->fd, 4096));
	assert_int_equal(EBUSY, rec_core_begin(&options, true));
	rec_core_end();
	assert_false(rec_alive());
}

static void test_core_begin_private(void **state)
{
	(void)state;
	begin(false);
	assert_int_equal(-1, rec_core->fd);
	assert_int_equal(1, count_events(REC_THREAD_START));
	rec_core_end();
}

/* Everything may be called without an arena. */
static void test_core_without_arena(void **state)
{
	struct rec_event wait = {.kind = REC_BLOCK, .object = 1, .arg = REC_ON_MUTEX};

	(void)state;
	assert_false(rec_alive());
	rec_thread_begin(0, 0);
	assert_int_equal(0, rec_thread_new(1));
	rec_thread_name("x");
	rec_thread_end();
	assert_int_equal(0, rec_stack(0));
	assert_int_equal(0, rec_string("x", 1));
	rec_write(&wait);
	rec_wait_begin(&wait, 0);
	rec_wait_end(&wait, 0);
	assert_false(rec_waited_for(&wait));
	rec_post(&wait, 1, 0);
	rec_malloc(&wait, 10, 0);
	assert_int_equal(0, rec_free(&wait));
	rec_unfree(&wait, 1);
	rec_set_heap_rate(1);
	rec_block_event(1, 1);
	rec_mutex_event(1, 1);
	rec_settle();
	rec_code_changed();
}

static void test_core_file_size_limit(void **state)
{
	struct rlimit was, narrow;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &was));
	child = fork();
	if (!child) {
		struct rec_options options = {.trace = 1};
		int error;

		narrow = was;
		narrow.rlim_cur = 4096;
		setrlimit(RLIMIT_FSIZE, &narrow);
		error = rec_core_begin(&options, true);
		getrlimit(RLIMIT_FSIZE, &narrow);
		if (error || narrow.rlim_cur != 4096)
			_exit(1);
		rec_core_end();
		narrow.rlim_max = 4096;
		setrlimit(RLIMIT_FSIZE, &narrow);
		_exit(rec_core_begin(&options, true) == EFBIG ? 0 : 2);
	}
	assert_int_equal(child, waitpid(child, &status, 0));
	assert_int_equal(0, status);
}

/* A child of fork has no arena, does not write to its parent's, and can have one of its own. */
static void test_core_fork(void **state)
{
	struct rec_module module = {.start = 0x1000, .limit = 0x5000};
	uint32_t events, block = 5;
	uint64_t reserved;
	pid_t child;
	int status;

	(void)state;
	begin(true);
	module.file = rec_string("/lib/x.so", 9);
	module.build_id = rec_string("abcd", 4);
	assert_int_equal(1, rec_module_add(&module));
	module.limit = 0x9000;
	assert_int_equal(2, rec_module_add(&module));
	rec_core->arena.modules[1].gone = 1;
	rec_malloc(&block, 10, 0);
	assert_true(rec_maybe_sampled(&block));
	rec_sampled[7] = 255;
	events = count_events(REC_LOG);
	reserved = header()->chunks.used;
	child = fork();
	if (!child) {
		struct rec_options options = {.trace = 1};
		struct rec_event event = {.kind = REC_LOG};

		rec_write(&event);
		rec_free(&block);
		rec_stack(0);
		if (rec_alive())
			_exit(1);
		if (rec_core_begin(&options, true))
			_exit(2);
		rec_write(&event);
		if (count_events(REC_LOG) != 1 || rec_self.g != 1 ||
		    header()->pid != (uint32_t)getpid())
			_exit(3);
		if (rec_maybe_sampled(&block) || rec_free(&block) || rec_sampled[7] != 255)
			_exit(4);
		/* The code that its parent had, by names of its own arena. */
		if (header()->modules.used != 1 || rec_core->arena.modules[0].limit != 0x5000 ||
		    rec_core->arena.modules[0].file != rec_string("/lib/x.so", 9) ||
		    rec_core->arena.modules[0].build_id != rec_string("abcd", 4))
			_exit(6);
		_exit(rec_stack(0) ? 0 : 5);
	}
	assert_int_equal(child, waitpid(child, &status, 0));
	assert_int_equal(0, status);
	assert_int_equal(events, count_events(REC_LOG));
	assert_int_equal(reserved, header()->chunks.used);
	assert_int_not_equal(0, rec_free(&block));
	rec_core_end();
}

static _Atomic int stop_writing;

static void *write_on(void *arg)
{
	struct rec_event event = {.kind = REC_BLOCK, .object = 1, .arg = REC_ON_MUTEX};

	(void)arg;
	while (!atomic_load(&stop_writing)) {
		rec_wait_begin(&event, 0);
		rec_post(&event, 1, 0);
		rec_wait_end(&event, 0);
	}
	return NULL;
}

/* A program may restrict its system calls while others of its threads record. */
static void test_core_end_while_threads_record(void **state)
{
	pthread_t thread[2];

	(void)state;
	for (int i = 0; i < 100; i++) {
		begin(false);
		atomic_store(&stop_writing, 0);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(0, pthread_create(&thread[k], NULL, write_on, NULL));
		usleep(500);
		rec_core_end();
		assert_false(rec_alive());
		usleep(500);
		atomic_store(&stop_writing, 1);
		for (size_t k = 0; k < 2; k++)
			pthread_join(thread[k], NULL);
	}
}

static void take_away(void *from, void *to)
{
	assert_int_equal(0, munmap(from, (size_t)((char *)to - (char *)from)));
}

/* Memory that cannot be reserved is counted, and what needs it is lost; nothing else happens. */
static void test_core_reservation_fails(void **state)
{
	struct rec_event event = {.kind = REC_LOG};
	uint32_t first = 0, i;

	(void)state;
#ifdef __SANITIZE_THREAD__
	/* What it noted of these addresses is wrong when something else is mapped there by a system
	 * call of our own, which it does not see. */
	print_message("ThreadSanitizer does not follow memory that is taken away and comes back\n");
	skip();
#endif
	begin(true);
	/* What is not reserved yet is not there to be had. */
	take_away((char *)rec_core->arena.chunks + 65536, rec_core->arena.nodes);
	take_away(rec_core->arena.nodes + 4096, rec_core->arena.edges);
	take_away(rec_core->arena.buckets,
		  (char *)rec_core->arena.header + rec_arena_size(rec_core->arena.scale));
	for (i = 0; i < 20 * REC_CHUNK_EVENTS; i++)
		rec_write(&event);
	assert_int_not_equal(0, header()->lost[REC_LOST_EVENTS]);
	assert_int_not_equal(0, header()->lost[REC_LOST_MEMORY]);
	assert_true(header()->lost[REC_LOST_MEMORY] < header()->lost[REC_LOST_EVENTS] / 100);
	assert_int_equal(20 * REC_CHUNK_EVENTS,
			 count_events(REC_LOG) + header()->lost[REC_LOST_EVENTS]);
	for (i = 0; i < 10000; i++) {
		uint64_t pc = 0x1000 + i;
		uint32_t stack = stack_of(&pc, 1);

		first += !stack;
	}
	assert_int_equal(first, header()->lost[REC_LOST_STACKS]);
	assert_int_not_equal(0, first);
	for (i = 0; i < 10; i++)
		rec_block_event(10, 1);
	assert_int_equal(10, header()->lost[REC_LOST_BUCKETS]);
	/* When there is memory again, it goes on. */
	assert_true(mmap(rec_core->arena.header, rec_arena_size(rec_core->arena.scale),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, rec_core->fd,
			 0) != MAP_FAILED);
	first = count_events(REC_LOG);
	for (i = 0; i < 1000; i++)
		rec_write(&event);
	assert_true(count_events(REC_LOG) > first);
	for (i = 0; i < 1000; i++)
		rec_block_event(10, 1);
	assert_int_equal(1, header()->buckets.used);
	rec_core_end();
}

/* The table that finds stacks stays as it is, and asks for memory now and then. */
static void test_core_table_cannot_grow(void **state)
{
	uint32_t n = 0;

	(void)state;
#ifdef __SANITIZE_THREAD__
	print_message("ThreadSanitizer does not follow memory that is taken away\n");
	skip();
#endif
	begin(true);
	take_away((char *)(rec_core->arena.edges + REC_LEVELS_SIZE(1)),
		  (char *)rec_core->arena.header + rec_arena_size(rec_core->arena.scale));
	for (uint64_t pc = 0x1000; pc < 0x1000 + 15000; pc++)
		n += stack_of(&pc, 1) != 0;
	assert_in_range(n, 10000, 15000);
	assert_in_range(header()->lost[REC_LOST_MEMORY], 1, 100);
	assert_true(mmap(rec_core->arena.header, rec_arena_size(rec_core->arena.scale),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, rec_core->fd,
			 0) != MAP_FAILED);
	for (uint64_t pc = 0x100000; pc < 0x100000 + 15000; pc++)
		n += stack_of(&pc, 1) != 0;
	assert_in_range(n, 24000, 30000);
	rec_core_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_core_without_arena),
	    cmocka_unit_test(test_core_begin_shared),
	    cmocka_unit_test(test_core_begin_private),
	    cmocka_unit_test(test_core_file_size_limit),
	    cmocka_unit_test(test_core_fork),
	    cmocka_unit_test(test_core_end_while_threads_record),
	    cmocka_unit_test(test_core_reservation_fails),
	    cmocka_unit_test(test_core_table_cannot_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
