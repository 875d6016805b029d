/* A child whose threads wait for objects that somebody knows, or nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/convert/testing.h"
#include "tprof-record/parent/live/leak.h"
#include "tprof-record/parent/live/threads.h"
#include "tprof-record/parent/live/tracee.h"
#include "tprof-record/parent/live/testing.h"

/* What a thread waits for, and what only it knows. */
struct box {
	sem_t sem;
	pthread_mutex_t mutex[2];
	struct box *next;
	uint64_t other;
	char fill[200];
};

struct report {
	int32_t tid;
	int32_t reason; /* enum rec_reason */
	uint64_t object;
};

/* What a thread that only made something tells when it has forgotten it. */
#define READY 0

static int to_parent[2];
static struct box *volatile known;
static volatile uint64_t known_tagged;

static void tell(uint32_t reason, const void *object)
{
	struct report r = {(int32_t)syscall(SYS_gettid), (int32_t)reason,
			   (uint64_t)(uintptr_t)object};

	if (write(to_parent[1], &r, sizeof(r)) != sizeof(r))
		_exit(1);
}

static void *wait_sem(void *arg)
{
	struct box *box = arg;

	tell(REC_ON_SEMAPHORE, &box->sem);
	sem_wait(&box->sem);
	return box;
}

static void *wait_sem_timed(void *arg)
{
	struct timespec until = {.tv_sec = time(NULL) + 100};
	struct box *box = arg;

	tell(REC_ON_SEMAPHORE, &box->sem);
	sem_timedwait(&box->sem, &until);
	return box;
}

/* Knows the next one, on its stack only. */
static void *wait_with_next(void *arg)
{
	struct box *box = arg;
	struct box *volatile next = box->next;

	box->next = NULL;
	tell(REC_ON_SEMAPHORE, &box->sem);
	sem_wait(&box->sem);
	return next;
}

static void *wait_on_stack(void *arg)
{
	struct box box;

	(void)arg;
	sem_init(&box.sem, 0, 0);
	tell(REC_ON_SEMAPHORE, &box.sem);
	sem_wait(&box.sem);
	return NULL;
}

static void *lock_both(void *arg)
{
	struct box *box = arg;
	bool second = __atomic_fetch_add(&box->other, 1, __ATOMIC_SEQ_CST);

	pthread_mutex_lock(&box->mutex[second]);
	while (__atomic_load_n(&box->other, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	tell(REC_ON_MUTEX, &box->mutex[!second]);
	pthread_mutex_lock(&box->mutex[!second]);
	return NULL;
}

static struct box *new_box(void)
{
	struct box *box = calloc(1, sizeof(*box));

	sem_init(&box->sem, 0, 0);
	pthread_mutex_init(&box->mutex[0], NULL);
	pthread_mutex_init(&box->mutex[1], NULL);
	return box;
}

static void go(void *(*body)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attr, body, arg))
		_exit(1);
	pthread_attr_destroy(&attr);
}

/* Each makes what its name says, and forgets it. */
static __attribute__((noinline)) void dropped(void)
{
	go(wait_sem, new_box());
}

static void dropped_timed(void)
{
	go(wait_sem_timed, new_box());
}

static void global(void)
{
	known = new_box();
	go(wait_sem, known);
}

static void global_tagged(void)
{
	struct box *box = new_box();

	known_tagged = (uint64_t)(uintptr_t)box | (uint64_t)0xbeef << 48;
	go(wait_sem, box);
}

/* The first may be woken, so the second may. */
static void chain_from_global(void)
{
	known = new_box();
	known->next = new_box();
	go(wait_sem, known->next);
	go(wait_with_next, known);
}

/* Nobody wakes the first, who alone could wake the second. */
static void chain_dropped(void)
{
	struct box *box = new_box();

	box->next = new_box();
	go(wait_sem, box->next);
	go(wait_with_next, box);
}

static void deadlock_dropped(void)
{
	struct box *box = new_box();

	go(lock_both, box);
	go(lock_both, box);
}

static void deadlock_global(void)
{
	known = new_box();
	go(lock_both, known);
	go(lock_both, known);
}

static void own_stack(void)
{
	go(wait_on_stack, NULL);
}

static void in_epoll(void)
{
	struct box *box = new_box();
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = box};
	int fd = epoll_create1(0), ends[2];

	if (pipe(ends) || epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event))
		_exit(1);
	go(wait_sem, box);
	/* The kernel only; this stack is wiped below. */
	memset(&event, 0, sizeof(event));
}

static void shared(void)
{
	struct box *box =
	    mmap(NULL, sizeof(*box), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	sem_init(&box->sem, 1, 0);
	go(wait_sem, box);
}

/* A block that malloc maps by itself, and one of another arena. */
static void dropped_large(void)
{
	struct box *box = calloc(1, 1 << 20);

	sem_init(&box->sem, 0, 0);
	go(wait_sem, box);
}

/* Nothing of what the scene had in its frames stays, nor in vector registers, where malloc has left
 * its blocks (and where a search finds them, unless the dynamic linker came by). */
static __attribute__((noinline)) void wipe(void)
{
	volatile char room[16384];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 0;
#ifdef __x86_64__
#define CLEAR(n) __asm__ volatile("pxor %%xmm" #n ", %%xmm" #n ::: "xmm" #n)
	CLEAR(0);
	CLEAR(1);
	CLEAR(2);
	CLEAR(3);
	CLEAR(4);
	CLEAR(5);
	CLEAR(6);
	CLEAR(7);
	CLEAR(8);
	CLEAR(9);
	CLEAR(10);
	CLEAR(11);
	CLEAR(12);
	CLEAR(13);
	CLEAR(14);
	CLEAR(15);
#endif
}

/* The mapping that the stack is in is not the thread's alone. */
static void stack_beside(void)
{
	size_t size = (size_t)1 << 20;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct box *box = new_box();
	pthread_attr_t attr;
	pthread_t thread;

	*(struct box **)(void *)map = box;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, map + size / 2, size / 2);
	if (pthread_create(&thread, &attr, wait_sem, box))
		_exit(1);
	pthread_attr_destroy(&attr);
}

static void *drop_from_thread(void *arg)
{
	(void)arg;
	dropped();
	wipe();
	tell(READY, NULL);
	while (!known)
		pause();
	return NULL;
}

static void dropped_by_thread(void)
{
	go(drop_from_thread, NULL);
}

/* Whether that can be seen depends on what the kernel maps beside it. */
#define MAYBE (-1)

static const struct scene {
	const char *name;
	void (*make)(void);
	int threads;
	int leaked; /* how many of them, whoever told first coming first */
	int makers; /* threads beside main that made them */
} scenes[] = {
    {"dropped", dropped, 1, 1, 0},
    {"dropped, with a time limit", dropped_timed, 1, 0, 0},
    {"global", global, 1, 0, 0},
    {"global, tagged", global_tagged, 1, 0, 0},
    {"chain from a global", chain_from_global, 2, 0, 0},
    {"chain dropped", chain_dropped, 2, 2, 0},
    {"deadlock dropped", deadlock_dropped, 2, 2, 0},
    {"deadlock of globals", deadlock_global, 2, 0, 0},
    {"own stack", own_stack, 1, 1, 0},
    {"in epoll", in_epoll, 1, 0, 0},
    {"stack beside what knows it", stack_beside, 1, 0, 0},
    {"shared memory", shared, 1, 0, 0},
    {"dropped, large", dropped_large, 1, MAYBE, 0},
    {"dropped by a thread", dropped_by_thread, 1, 1, 1},
};

static void child(const struct scene *scene)
{
	scene->make();
	wipe();
	tell(READY, NULL);
	for (;;)
		pause();
}

/* Until it waits in the kernel. The child's alarm ends what never does. */
static void settle(pid_t pid, pid_t tid)
{
	struct timespec t = {.tv_nsec = 1000000};
	struct rec_tracee_call call;

	while (!rec_tracee_call(pid, tid, &call) || call.running || call.number != SYS_futex) {
		if (waitpid(pid, NULL, WNOHANG))
			fail_msg("the child has ended before thread %d waits", (int)tid);
		nanosleep(&t, NULL);
	}
}

static void check_scene(const struct scene *scene)
{
	struct rec_testing t;
	struct rec_live live = {0};
	struct tp_err err = {0};
	int code, waiting = 0;
	pid_t pid;

	rec_testing_begin(&t);
	assert_int_equal(pipe(to_parent), 0);
	pid = fork();
	if (!pid) {
		/* Anew: the memory of this one is full of what was found before. */
		dup2(to_parent[1], 3);
		execl("/proc/self/exe", "leak_test", scene->name, NULL);
		_exit(1);
	}
	/* Main and other makers are ready as well, in any order. */
	for (int i = 0; i < scene->threads + scene->makers + 1; i++) {
		struct report r;

		assert_int_equal(read(to_parent[0], &r, sizeof(r)), sizeof(r));
		if (r.reason == READY)
			continue;
		rec_testing_wait(rec_testing_g(&t, (uint32_t)waiting++ + 2, (uint32_t)r.tid, "w"),
				 (struct rec_event){.kind = REC_BLOCK,
						    .arg = (uint32_t)r.reason,
						    .object = r.object,
						    .start = 1});
	}
	assert_int_equal(waiting, scene->threads);
	for (uint32_t i = 0; i < t.process.arena.header->gs.used; i++)
		settle(pid, (pid_t)t.process.arena.gs[i].tid);
	code = rec_live_leaks(pid, &t.process, &live, &err);
	if (code || (scene->leaked != MAYBE && live.n != (size_t)scene->leaked))
		fail_msg("%s: %d (%s), %zu leaked", scene->name, code, err.msg, live.n);
	for (size_t i = 0; i < live.n; i++)
		assert_true(live.stack[i].leaked && !live.stack[i].npcs && live.stack[i].g >= 2);
	rec_live_release(&live);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(to_parent[0]);
	close(to_parent[1]);
	rec_testing_end(&t);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define HIDDEN 1 /* another malloc, whose blocks are not known; or another machine */
#else
#define HIDDEN 0
#endif

static void test_live_leaks_scenes(void **state)
{
	(void)state;
	if (HIDDEN) {
		print_message("leaks are not looked for with this malloc, or on this machine\n");
		skip();
	}
	REC_TESTING_NEED_TRACE();
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		check_scene(&scenes[i]);
}

/* Those that were found before stay. */
static void test_live_leaks_adds(void **state)
{
	uint64_t pcs[] = {1, 2, 3};
	struct rec_live live = {0};
	struct rec_testing t;
	struct tp_err err;

	(void)state;
	assert_int_equal(
	    rec_live_add(&live, (struct rec_live_stack){.g = 1, .tid = 2, .pcs = pcs, .npcs = 3}),
	    0);
	rec_testing_begin(&t);
	assert_int_equal(rec_live_leaks(getpid(), &t.process, &live, &err), 0);
	assert_int_equal(live.n, 1);
	assert_int_equal(live.stack[0].npcs, 3);
	assert_memory_equal(live.stack[0].pcs, pcs, sizeof(pcs));
	rec_live_release(&live);
	rec_testing_end(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_live_leaks_scenes),
	    cmocka_unit_test(test_live_leaks_adds),
	};

	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes) && argc == 2; i++) {
		if (!strcmp(scenes[i].name, argv[1])) {
			to_parent[1] = 3;
			alarm(60);
			child(&scenes[i]);
		}
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
