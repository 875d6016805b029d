/* Checks the contracts of the functions that the recorder wraps: results, errno, time limits,
 * cancellation, signals. Prints a line for each violation. Exits with 0 if all hold.
 *
 * The results are the same with and without the recorder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int wrong;

#define IS(want, call)                                                                             \
	do {                                                                                       \
		errno = 0;                                                                         \
		long got_ = (long)(call), want_ = (long)(want);                                    \
		if (got_ != want_) {                                                               \
			printf("%s:%d: %s is %ld (errno %d), not %ld\n", __func__, __LINE__,       \
			       #call, got_, errno, want_);                                         \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

/* Checks that a call returns -1 with this errno. */
#define FAILS(error, call)                                                                         \
	do {                                                                                       \
		IS(-1, call);                                                                      \
		if (errno != (error)) {                                                            \
			printf("%s:%d: %s: errno %d, not %d\n", __func__, __LINE__, #call, errno,  \
			       error);                                                             \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Sends a signal that does not restart calls after `ms`, and then every `again` ms, because it may
 * come before the call that it should interrupt. */
static void alarm_ms(long ms, long again)
{
	struct sigaction a = {.sa_handler = on_alarm};
	struct itimerval t = {.it_value = {.tv_usec = ms * 1000},
			      .it_interval = {.tv_usec = again * 1000}};

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

/* Checks that a signal ends a call that waits forever. */
#define IS_INTERRUPTED(call)                                                                       \
	do {                                                                                       \
		alarm_ms(10, 10);                                                                  \
		FAILS(EINTR, call);                                                                \
		alarm_ms(0, 0);                                                                    \
	} while (0)

static void *in_thread(void *(*f)(void *), void *arg)
{
	pthread_t t;
	void *value = NULL;

	IS(0, pthread_create(&t, NULL, f, arg));
	IS(0, pthread_join(t, &value));
	return value;
}

/* ---- memory ---- */

static void memory(void)
{
	volatile size_t huge = SIZE_MAX - 64, half = SIZE_MAX / 2 + 5, much = (size_t)1 << 33;
	void *volatile p = malloc(0); /* volatile, so that the compiler keeps it */
	void *q = NULL;

	IS(1, p != NULL);
	free(p);
	IS(1, malloc(huge) == NULL && errno == ENOMEM);
	IS(1, malloc(half) == NULL && errno == ENOMEM);
	IS(1, calloc(much, much) == NULL && errno == ENOMEM);
	p = strcpy(malloc(100), "kept");
	IS(1, realloc(p, huge) == NULL && errno == ENOMEM);
	IS(1, reallocarray(p, much, much) == NULL && errno == ENOMEM);
	IS(0, strcmp(p, "kept"));
	p = realloc(p, 100000);
	IS(0, strcmp(p, "kept"));
	free(p);
	IS(1, (errno = 77, free(malloc(1 << 20)), errno == 77));
	IS(EINVAL, posix_memalign(&q, 3, 100));
	IS(0, posix_memalign(&q, 4096, 100));
	IS(0, (uintptr_t)q % 4096);
	free(q);
	q = aligned_alloc(64, 128);
	IS(0, (uintptr_t)q % 64);
	free(q);
	q = valloc(10);
	IS(0, (uintptr_t)q % 4096);
	free(q);
	q = calloc(1000, 1000);
	for (size_t i = 0; i < 1000000; i += 999)
		IS(0, ((char *)q)[i]);
	free(q);
	free(NULL);
}

/* ---- locks ---- */

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;

static void make_mutex(int type, int protocol, int robust)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutexattr_setrobust(&a, robust);
	pthread_mutex_init(&mutex, &a);
}

static void *try_it(void *unused)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10), m = in_ms(CLOCK_MONOTONIC, 10);

	IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &t));
	IS(ETIMEDOUT, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &m));
	IS(EINVAL, pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &m));
	return unused;
}

static void *die_with_it(void *unused)
{
	IS(0, pthread_mutex_lock(&mutex));
	return unused;
}

static void *lock_and_unlock(void *unused)
{
	IS(0, pthread_mutex_lock(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
	return unused;
}

static void *unlock_other(void *unused)
{
	IS(EPERM, pthread_mutex_unlock(&mutex));
	return unused;
}

static void robust_mutexes(void)
{
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	in_thread(die_with_it, NULL);
	IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
	IS(0, pthread_mutex_consistent(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
	in_thread(die_with_it, NULL);
	IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
	IS(ENOTRECOVERABLE, pthread_mutex_lock(&mutex));
}

static void mutexes(void)
{
	pthread_t t;
	void *list;
	size_t size;

	make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	IS(0, pthread_mutex_lock(&mutex));
	IS(EDEADLK, pthread_mutex_lock(&mutex));
	in_thread(unlock_other, NULL);
	in_thread(try_it, NULL);
	IS(EDEADLK, pthread_mutex_lock(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
	IS(EPERM, pthread_mutex_unlock(&mutex));

	make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	for (int i = 0; i < 3; i++)
		IS(0, pthread_mutex_lock(&mutex));
	in_thread(try_it, NULL);
	for (int i = 0; i < 3; i++)
		IS(0, pthread_mutex_unlock(&mutex));
	IS(EPERM, pthread_mutex_unlock(&mutex));

	for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ADAPTIVE_NP; type++)
		for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT;
		     protocol++) {
			make_mutex(type, protocol, PTHREAD_MUTEX_STALLED);
			IS(0, pthread_mutex_lock(&mutex));
			pthread_create(&t, NULL, lock_and_unlock, NULL);
			usleep(10000);
			IS(0, pthread_mutex_unlock(&mutex));
			pthread_join(t, NULL);
		}

	/* The kernel releases them; qemu does not. */
	if (syscall(SYS_get_robust_list, 0, &list, &size) == 0)
		robust_mutexes();
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

/* Set when another thread may go on, so that the order does not depend on scheduling. */
static atomic_int may_go_on;

static void until_it_may(void)
{
	while (!atomic_load(&may_go_on))
		usleep(1000);
	atomic_store(&may_go_on, 0);
}

static void *wait_for_rwlock(void *unused)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10), m = in_ms(CLOCK_MONOTONIC, 10);

	IS(ETIMEDOUT, pthread_rwlock_timedrdlock(&rwlock, &t));
	IS(ETIMEDOUT, pthread_rwlock_timedwrlock(&rwlock, &t));
	IS(ETIMEDOUT, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &m));
	IS(ETIMEDOUT, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &m));
	IS(EINVAL, pthread_rwlock_clockwrlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &m));
	atomic_store(&may_go_on, 1);
	IS(0, pthread_rwlock_rdlock(&rwlock));
	IS(0, pthread_rwlock_unlock(&rwlock));
	return unused;
}

static void rwlocks(void)
{
	struct timespec bad = {.tv_nsec = -1};
	pthread_t t;

	IS(0, pthread_rwlock_wrlock(&rwlock));
	IS(EDEADLK, pthread_rwlock_wrlock(&rwlock));
	IS(EDEADLK, pthread_rwlock_rdlock(&rwlock));
	pthread_create(&t, NULL, wait_for_rwlock, NULL);
	until_it_may();
	usleep(10000); /* the thread usually waits by then */
	IS(0, pthread_rwlock_unlock(&rwlock));
	pthread_join(t, NULL);
	IS(EINVAL, pthread_rwlock_timedrdlock(&rwlock, &bad));
	IS(0, pthread_rwlock_rdlock(&rwlock));
	IS(0, pthread_rwlock_rdlock(&rwlock));
	IS(0, pthread_rwlock_unlock(&rwlock));
	IS(0, pthread_rwlock_unlock(&rwlock));
}

static int cleaned;

static void clean(void *unused)
{
	(void)unused;
	/* A cancelled wait has locked the mutex again. */
	IS(EBUSY, pthread_mutex_trylock(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
	cleaned++;
}

static void *wait_forever(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, NULL);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static void *signal_soon(void *unused)
{
	usleep(10000);
	pthread_mutex_lock(&mutex);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void conditions(void)
{
	struct timespec past = {0}, m = in_ms(CLOCK_MONOTONIC, 10), bad = {.tv_nsec = -1};
	pthread_t t;
	void *value;

	pthread_mutex_lock(&mutex);
	IS(ETIMEDOUT, pthread_cond_timedwait(&cond, &mutex, &past));
	IS(ETIMEDOUT, pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &m));
	IS(EINVAL, pthread_cond_timedwait(&cond, &mutex, &bad));
	pthread_create(&t, NULL, signal_soon, NULL);
	IS(0, pthread_cond_wait(&cond, &mutex));
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);

	pthread_create(&t, NULL, wait_forever, NULL);
	usleep(10000);
	pthread_cancel(t);
	IS(0, pthread_join(t, &value));
	IS(PTHREAD_CANCELED, value);
	IS(1, cleaned);
	IS(0, pthread_mutex_trylock(&mutex));
	IS(0, pthread_mutex_unlock(&mutex));
}

static void *wait_for_sem(void *unused)
{
	sem_wait(&sem);
	return unused;
}

/* Is cancelled in sem_wait even if there is no need to wait. */
static void *cancelled_at_sem(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&sem);
	return unused;
}

static void semaphores(void)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	int value;

	sem_init(&sem, 0, 1);
	IS(0, sem_wait(&sem));
	FAILS(ETIMEDOUT, sem_timedwait(&sem, &t));
	t = in_ms(CLOCK_MONOTONIC, 10);
	FAILS(ETIMEDOUT, sem_clockwait(&sem, CLOCK_MONOTONIC, &t));
	FAILS(EAGAIN, sem_trywait(&sem));
	IS_INTERRUPTED(sem_wait(&sem));
	IS(0, sem_post(&sem));
	IS(1, (errno = 5, sem_wait(&sem), errno == 5));
	IS(0, sem_post(&sem));
	IS(PTHREAD_CANCELED, in_thread(cancelled_at_sem, &value));
	IS(0, sem_getvalue(&sem, &value));
	IS(1, value);
	IS(0, in_thread(wait_for_sem, NULL));
}

static pthread_barrier_t barrier;

static void *at_barrier(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)pthread_barrier_wait(&barrier);
}

static void barriers(void)
{
	pthread_t t[3];
	int serial = 0;

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, at_barrier, NULL);
	for (int i = 0; i < 3; i++) {
		void *value;

		pthread_join(t[i], &value);
		serial += (intptr_t)value == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	IS(1, serial);
}

static mtx_t mtx;
static cnd_t cnd;

static int c11_thread(void *unused)
{
	(void)unused;
	mtx_lock(&mtx);
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
	return 42;
}

static void c11(void)
{
	struct timespec t;
	thrd_t thread;
	int value;

	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	IS(thrd_success, mtx_lock(&mtx));
	timespec_get(&t, TIME_UTC);
	IS(thrd_timedout, mtx_timedlock(&mtx, &t));
	IS(thrd_timedout, cnd_timedwait(&cnd, &mtx, &t));
	IS(thrd_success, thrd_create(&thread, c11_thread, NULL));
	IS(thrd_success, cnd_wait(&cnd, &mtx));
	IS(thrd_success, mtx_unlock(&mtx));
	IS(thrd_success, thrd_join(thread, &value));
	IS(42, value);
	IS(thrd_success, thrd_create(&thread, c11_thread, NULL));
	usleep(10000);
	IS(thrd_success, thrd_join(thread, NULL));
	IS(0, thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL));
}

/* ---- threads ---- */

static void *asleep(void *unused)
{
	until_it_may();
	return unused;
}

static void *exits(void *value)
{
	pthread_exit(value);
}

static void *named(void *unused)
{
	char name[16] = "";

	until_it_may();
	pthread_getname_np(pthread_self(), name, sizeof(name));
	IS(0, strcmp(name, "from outside"));
	prctl(PR_SET_NAME, "prctl", 0, 0, 0);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	IS(0, strcmp(name, "prctl"));
	return unused;
}

static void threads(void)
{
	struct timespec soon;
	pthread_attr_t small;
	pthread_t t;
	void *value = NULL;

	IS(7, in_thread(exits, (void *)7));
	pthread_create(&t, NULL, asleep, (void *)3);
	IS(EBUSY, pthread_tryjoin_np(t, &value));
	soon = in_ms(CLOCK_REALTIME, 5);
	IS(ETIMEDOUT, pthread_timedjoin_np(t, &value, &soon));
	soon = in_ms(CLOCK_MONOTONIC, 5);
	IS(ETIMEDOUT, pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &soon));
	atomic_store(&may_go_on, 1);
	IS(0, pthread_join(t, &value));
	IS(3, value);
	IS(EDEADLK, pthread_join(pthread_self(), NULL));
	IS(ERANGE, pthread_setname_np(pthread_self(), "a name that is too long"));
	pthread_create(&t, NULL, named, NULL);
	IS(0, pthread_setname_np(t, "from outside"));
	atomic_store(&may_go_on, 1);
	pthread_join(t, NULL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	IS(0, pthread_create(&t, &small, lock_and_unlock, NULL));
	IS(0, pthread_join(t, NULL));
}

/* ---- time, signals, children ---- */

static void times(void)
{
	struct timespec t = {.tv_sec = 1000}, left = {0};

	IS_INTERRUPTED(nanosleep(&t, &left));
	IS(1, left.tv_sec > 500 && left.tv_sec < 1000);
	t.tv_nsec = -1;
	FAILS(EINVAL, nanosleep(&t, NULL));
	IS(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	t = in_ms(CLOCK_MONOTONIC, 5);
	IS(0, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	alarm_ms(10, 10);
	IS(1, sleep(1000) > 500);
	alarm_ms(0, 0);
	IS(0, usleep(100));
}

static void signals(void)
{
	struct timespec t = {.tv_nsec = 1000000};
	siginfo_t info;
	sigset_t set, old;
	int signal;

	IS_INTERRUPTED(pause());
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	FAILS(EAGAIN, sigtimedwait(&set, &info, &t));
	raise(SIGUSR1);
	IS(0, sigwait(&set, &signal));
	IS(SIGUSR1, signal);
	raise(SIGUSR1);
	IS(SIGUSR1, sigwaitinfo(&set, &info));
	alarm_ms(1, 0);
	usleep(5000);
	FAILS(EINTR, sigsuspend(&old));
	alarm_ms(1, 0);
	usleep(5000);
	/* Only the real wait unblocks the signal. */
	FAILS(EINTR, ppoll(NULL, 0, NULL, &old));
	alarm_ms(1, 0);
	usleep(5000);
	FAILS(EINTR, pselect(0, NULL, NULL, NULL, NULL, &old));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void children(void)
{
	char *args[] = {"sh", "-c", "exit 5", NULL}, *env[] = {"PATH=/bin:/usr/bin", NULL};
	int status = 0;
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(3);
	IS(pid, waitpid(pid, &status, 0));
	IS(3, WEXITSTATUS(status));
	FAILS(ECHILD, wait(NULL));
	IS(0, posix_spawnp(&pid, "sh", NULL, NULL, args, env));
	IS(pid, wait4(pid, &status, 0, NULL));
	IS(5, WEXITSTATUS(status));
	IS(0, posix_spawn(NULL, "/bin/sh", NULL, NULL, args, environ));
	IS(1, wait(&status) > 0);
	IS(ENOENT, posix_spawn(&pid, "/nothing/there", NULL, NULL, args, environ));
	FAILS(ENOENT, execl("/nothing/there", "there", NULL));
	FAILS(ENOENT, execv("/nothing/there", args));
	FAILS(ENOENT, execlp("nothing-there", "there", "and", "there", NULL));
	pid = vfork();
	if (!pid) {
		execle("/bin/sh", "sh", "-c", "exit $((X + 1))", NULL, (char *[]){"X=5", NULL});
		_exit(127);
	}
	IS(0, waitid(P_PID, (id_t)pid, &info, WEXITED));
	IS(6, info.si_status);
	pid = vfork();
	if (!pid)
		_exit(9);
	IS(pid, wait(&status));
	IS(9, WEXITSTATUS(status));
	pid = fork();
	if (!pid) {
		/* The child goes on using locks, threads and memory. */
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		in_thread(lock_and_unlock, NULL);
		free(malloc(1 << 20));
		_exit(wrong);
	}
	IS(pid, waitpid(pid, &status, 0));
	IS(0, status);
}

static int seven(void *unused)
{
	(void)unused;
	return 7;
}

/* A child by clone with a stack of 4 KiB and nothing below it. */
static void small_child(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *stack = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	IS(0, mprotect(stack + page, page, PROT_READ | PROT_WRITE));
	child = clone(seven, stack + page + 4096, SIGCHLD, NULL);
	IS(child, waitpid(child, &status, 0));
	IS(0, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	IS(7, WEXITSTATUS(status));
	munmap(stack, 2 * page);
}

static void other_processes(void)
{
	char name[] = "/tmp/tprof-hooks-XXXXXX";
	int fd = mkstemp(name), other = open(name, O_RDWR), queue, set;
	struct sembuf take = {0, -1, 0};
	struct timespec t = {.tv_nsec = 1000000};
	struct {
		long type;
		char text[4];
	} message = {1, "abc"};

	unlink(name);
	IS(0, flock(fd, LOCK_EX));
	FAILS(EWOULDBLOCK, flock(other, LOCK_EX | LOCK_NB));
	IS_INTERRUPTED(flock(other, LOCK_EX));
	IS(0, flock(fd, LOCK_UN));
	IS(0, lockf(fd, F_LOCK, 0));
	close(fd);
	close(other);
	IS(0, system("exit 0"));
	IS(3, WEXITSTATUS(system("exit 3")));
	IS(1, system(NULL));
	IS(4, WEXITSTATUS(pclose(popen("exit 4", "r"))));
	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, 1, 0600);
	if (queue < 0 || set < 0) {
		fprintf(stderr,
			"queues and semaphores of System V are not tried: this kernel has none\n");
		return;
	}
	FAILS(EAGAIN, semtimedop(set, &take, 1, &t));
	IS_INTERRUPTED(semop(set, &take, 1));
	IS(0, msgsnd(queue, &message, 4, 0));
	IS(4, msgrcv(queue, &message, 4, 1, 0));
	FAILS(ENOMSG, msgrcv(queue, &message, 4, 1, IPC_NOWAIT));
	semctl(set, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
}

/* ---- files and sockets ---- */

static int fds[2];

static void *write_soon(void *size)
{
	static char data[100000];

	usleep(10000);
	IS(size, write(fds[1], data, (size_t)size));
	return NULL;
}

static void pipes(void)
{
	struct iovec iov[2];
	static char buf[200000];
	pthread_t t;
	size_t got = 0;

	IS(0, pipe(fds));
	pthread_create(&t, NULL, write_soon, (void *)5);
	IS(5, read(fds[0], buf, 100));
	pthread_join(t, NULL);
	pthread_create(&t, NULL, write_soon, (void *)100000);
	while (got < 100000)
		got += (size_t)read(fds[0], buf, sizeof(buf));
	IS(100000, got);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, write_soon, (void *)3);
	iov[0] = iov[1] = (struct iovec){buf, 2};
	IS(3, readv(fds[0], iov, 2));
	pthread_join(t, NULL);
	IS_INTERRUPTED(read(fds[0], buf, 1));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	FAILS(EAGAIN, read(fds[0], buf, 1));
	fcntl(fds[0], F_SETFL, 0);
	IS_INTERRUPTED(read(fds[0], buf, 1));
	IS(0, ioctl(fds[0], FIONBIO, &(int){1}));
	FAILS(EAGAIN, read(fds[0], buf, 1));
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	FAILS(EPIPE, write(fds[1], buf, 1));
	FAILS(EBADF, read(fds[0], buf, 1));
	FAILS(EBADF, write(-1, buf, 1));
	close(fds[1]);
	fds[0] = eventfd(0, 0);
	IS_INTERRUPTED(read(fds[0], buf, 8));
	IS(8, write(fds[0], &(uint64_t){1}, 8));
	IS(8, read(fds[0], buf, 8));
	close(fds[0]);
}

static void *send_twice(void *unused)
{
	usleep(5000);
	IS(2, send(fds[1], "ab", 2, 0));
	usleep(5000);
	IS(2, write(fds[1], "cd", 2));
	return unused;
}

static void sockets(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_usec = 10000};
	struct mmsghdr many[2];
	struct iovec iov[2];
	char buf[10];
	pthread_t t;
	int s, c;

	IS(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	pthread_create(&t, NULL, send_twice, NULL);
	IS(4, recv(fds[0], buf, 4, MSG_WAITALL));
	IS(0, memcmp(buf, "abcd", 4));
	pthread_join(t, NULL);
	FAILS(EAGAIN, recv(fds[0], buf, 1, MSG_DONTWAIT));
	IS(0, setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
	FAILS(EAGAIN, recv(fds[0], buf, 1, 0));
	FAILS(EAGAIN, recvfrom(fds[0], buf, 1, 0, NULL, NULL));
	memset(many, 0, sizeof(many));
	for (int i = 0; i < 2; i++) {
		iov[i] = (struct iovec){&buf[i], 1};
		many[i].msg_hdr.msg_iov = &iov[i];
		many[i].msg_hdr.msg_iovlen = 1;
	}
	IS(2, sendmmsg(fds[1], many, 2, 0));
	IS(2, recvmmsg(fds[0], many, 2, 0, NULL));
	FAILS(EAGAIN, recvmsg(fds[0], &many[0].msg_hdr, 0));
	IS(1, sendto(fds[1], "x", 1, 0, NULL, 0));
	IS(1, read(fds[0], buf, 10));
	shutdown(fds[1], SHUT_WR);
	IS(0, read(fds[0], buf, 10));
	close(fds[0]);
	close(fds[1]);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "tprof-hooks-%d", (int)getpid());
	IS(0, bind(s, (struct sockaddr *)&a, sizeof(a)));
	IS(0, listen(s, 1));
	IS_INTERRUPTED(accept(s, NULL, NULL));
	c = socket(AF_UNIX, SOCK_STREAM, 0);
	IS(0, connect(c, (struct sockaddr *)&a, sizeof(a)));
	fds[0] = accept4(s, NULL, NULL, SOCK_NONBLOCK);
	FAILS(EAGAIN, read(fds[0], buf, 1));
	close(fds[0]);
	close(c);
	close(s);
	c = socket(AF_UNIX, SOCK_STREAM, 0);
	FAILS(ECONNREFUSED, connect(c, (struct sockaddr *)&a, sizeof(a)));
	close(c);
}

static void polls(void)
{
	struct timeval limit = {.tv_usec = 10000};
	struct epoll_event e = {.events = EPOLLIN};
	struct pollfd p;
	fd_set r, w;
	int ep = epoll_create1(0);

	IS(0, pipe(fds));
	p = (struct pollfd){.fd = fds[0], .events = POLLIN};
	IS(0, epoll_ctl(ep, EPOLL_CTL_ADD, fds[0], &e));
	IS(0, poll(&p, 1, 0));
	IS(0, poll(&p, 1, 5));
	IS(0, ppoll(&p, 1, &(struct timespec){.tv_nsec = 1000000}, NULL));
	IS(0, epoll_wait(ep, &e, 1, 5));
	FAILS(EINVAL, epoll_wait(ep, &e, 0, 5));
	FD_ZERO(&r);
	FD_SET(fds[0], &r);
	FD_ZERO(&w);
	FD_SET(fds[1], &w);
	IS(1, select(fds[1] + 1, &r, &w, NULL, &limit));
	IS(0, FD_ISSET(fds[0], &r));
	IS(1, FD_ISSET(fds[1], &w) != 0);
	FD_SET(fds[0], &r);
	IS(0, select(fds[0] + 1, &r, NULL, NULL, &limit));
	IS(0, FD_ISSET(fds[0], &r));
	IS(0, limit.tv_usec);
	IS_INTERRUPTED(poll(&p, 1, -1));
	IS_INTERRUPTED(epoll_pwait(ep, &e, 1, -1, NULL));
	FD_SET(fds[0], &r);
	IS_INTERRUPTED(select(fds[0] + 1, &r, NULL, NULL, NULL));
	IS(1, write(fds[1], "x", 1));
	IS(1, poll(&p, 1, -1));
	IS(POLLIN, p.revents);
	IS(1, epoll_wait(ep, &e, 1, -1));
	IS(1, select(fds[0] + 1, &r, NULL, NULL, NULL));
	FAILS(EBADF, (close(fds[0]), FD_SET(fds[0], &r), select(fds[0] + 1, &r, NULL, NULL, NULL)));
	close(fds[1]);
	close(ep);
}

static void files(void)
{
	char name[] = "/tmp/tprof-hooks-XXXXXX", buf[8] = "";
	struct iovec iov = {buf, 4};
	int fd = mkstemp(name), other;

	unlink(name);
	IS(8, write(fd, "12345678", 8));
	IS(4, pread(fd, buf, 4, 2));
	IS(0, memcmp(buf, "3456", 4));
	IS(4, pwrite(fd, buf, 4, 4));
	IS(4, preadv(fd, &iov, 1, 4));
	IS(4, pwritev(fd, &iov, 1, 0));
	IS(0, fsync(fd));
	IS(0, fdatasync(fd));
	IS(8, lseek(fd, 0, SEEK_END));
	IS(0, read(fd, buf, 1));
	FAILS(EINVAL, pread(fd, buf, 1, -1));
	/* The descriptor now refers to another file. */
	IS(0, pipe(fds));
	other = dup(fds[0]);
	IS(fd, dup2(fds[0], fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	FAILS(EAGAIN, read(fd, buf, 1));
	FAILS(ESPIPE, pread(fd, buf, 1, 0));
	close(fd);
	close(other);
	close(fds[0]);
	close(fds[1]);
	FAILS(EBADF, close(fd));
	FAILS(EBADF, fsync(fd));
}

static void *lines_soon(void *unused)
{
	usleep(10000);
	IS(8, write(fds[1], "one\ntwo\n", 8));
	usleep(10000);
	IS(7, write(fds[1], "three\nf", 7));
	usleep(10000);
	IS(3, write(fds[1], "our", 3));
	close(fds[1]);
	return unused;
}

static void streams(void)
{
	char *line = NULL, text[16];
	size_t room = 0;
	pthread_t t;
	FILE *f;

	IS(0, pipe(fds));
	f = fdopen(fds[0], "r");
	pthread_create(&t, NULL, lines_soon, NULL);
	IS(4, getline(&line, &room, f));
	IS(0, strcmp(line, "one\n"));
	IS('t', getc(f));
	IS(1, fgets(text, sizeof(text), f) == text);
	IS(0, strcmp(text, "wo\n"));
	IS(6, getdelim(&line, &room, '\n', f));
	IS(0, strcmp(line, "three\n"));
	IS(4, fread(text, 1, 10, f));
	IS(0, memcmp(text, "four", 4));
	IS(1, feof(f) != 0);
	IS(EOF, fgetc(f));
	IS(EOF, getc_unlocked(f));
	IS(-1, getline(&line, &room, f));
	IS(1, fgets(text, sizeof(text), f) == NULL);
	IS(0, fread(text, 1, 10, f));
	pthread_join(t, NULL);
	fclose(f);
	IS(0, pipe(fds));
	f = fdopen(fds[0], "r");
	IS_INTERRUPTED(fgetc(f));
	IS(1, ferror(f) != 0);
	clearerr(f);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	FAILS(EAGAIN, getc_unlocked(f));
	fclose(f);
	close(fds[1]);
	f = fmemopen((char[]){"memory"}, 6, "r");
	IS(6, fread(text, 1, sizeof(text), f));
	fclose(f);
	free(line);
}

/* ---- futexes ---- */

static uint32_t word;

static void *wake_soon(void *unused)
{
	long woken;

	/* The call wakes no thread until one waits. */
	do {
		usleep(10000);
		woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	} while (!woken);
	IS(1, woken);
	return unused;
}

static void futexes(void)
{
	struct timespec t = {.tv_nsec = 1000000}, until = in_ms(CLOCK_MONOTONIC, 5);
	pthread_t thread;

	FAILS(EAGAIN, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0));
	FAILS(ETIMEDOUT, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0));
	FAILS(ETIMEDOUT, syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, -1));
	IS(0, syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0));
	pthread_create(&thread, NULL, wake_soon, NULL);
	IS(0, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
	pthread_join(thread, NULL);
	IS(getpid(), syscall(SYS_getpid));
	FAILS(EBADF, syscall(SYS_write, -1, "", 1));
}

/* ---- leaving a wait in other ways ---- */

static sigjmp_buf out;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static void *jumps(void *unused)
{
	struct sigaction a = {.sa_handler = jump};
	struct itimerval t = {.it_value = {.tv_usec = 5000}};
	char c;

	pipe(fds);
	for (volatile int i = 0; i < 20; i++) {
		if (!sigsetjmp(out, 1)) {
			sigaction(SIGALRM, &a, NULL);
			setitimer(ITIMER_REAL, &t, NULL);
			if (i % 2)
				read(fds[0], &c, 1);
			else
				sleep(5);
			printf("jumps: nobody jumped\n");
			wrong = 1;
		}
	}
	close(fds[0]);
	close(fds[1]);
	pthread_exit(unused);
}

static void *reads_forever(void *unused)
{
	char c;

	read(fds[0], &c, 1);
	return unused;
}

static void *sleeps_forever(void *unused)
{
	sleep(1000);
	return unused;
}

static void *polls_forever(void *unused)
{
	poll(NULL, 0, -1);
	return unused;
}

static void cancelled(void)
{
	void *(*const forever[])(void *) = {reads_forever, sleeps_forever, polls_forever,
					    wait_for_sem};
	sigset_t set;
	pthread_t t;
	void *value;

	pipe(fds);
	sem_init(&sem, 0, 0);
	for (size_t i = 0; i < sizeof(forever) / sizeof(forever[0]); i++) {
		pthread_create(&t, NULL, forever[i], NULL);
		usleep(5000);
		pthread_cancel(t);
		IS(0, pthread_join(t, &value));
		IS(PTHREAD_CANCELED, value);
	}
	close(fds[0]);
	close(fds[1]);
	/* Block the signal here, so that it interrupts the thread that jumps. */
	pthread_create(&t, NULL, jumps, (void *)8);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	IS(0, pthread_join(t, &value));
	IS(8, value);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void libraries(void)
{
	void *self = dlopen(NULL, RTLD_NOW), *m = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double) = (double (*)(double))(uintptr_t)(m ? dlsym(m, "cos") : NULL);

	IS(1, self != NULL && cosine && cosine(0) == 1);
	IS(1, dlopen("no-such-library.so", RTLD_NOW) == NULL && dlerror() != NULL);
	IS(1, dlsym(self, "no_such_symbol") == NULL);
	if (m)
		IS(0, dlclose(m));
}

/* Runs last: closing all descriptors also closes the recorder's. */
static void close_everything(void)
{
	char name[] = "/tmp/tprof-hooks-XXXXXX";
	int fd;

	for (int i = 3; i < 1024; i++)
		close(i);
	closefrom(3);
	IS(0, close_range(100, 200, 0));
	fd = mkstemp(name);
	unlink(name);
	for (int i = 0; i < 2000; i++)
		in_thread(lock_and_unlock, NULL);
	for (int i = 0; i < 20000; i++)
		free(malloc(10000));
	IS(0, lseek(fd, 0, SEEK_END));
}

int main(void)
{
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	memory();
	mutexes();
	rwlocks();
	conditions();
	semaphores();
	barriers();
	c11();
	threads();
	times();
	signals();
	children();
	small_child();
	other_processes();
	pipes();
	sockets();
	polls();
	files();
	streams();
	futexes();
	cancelled();
	libraries();
	close_everything();
	if (!wrong)
		printf("all is as it should be\n");
	return wrong;
}
