/* Threads wait in every way, and log each wait by the program's own clock.
 *
 *	waits LOG [ROUNDS]
 *
 * At the end a thread still waits for a semaphore that is never posted. The first wait of main,
 * MARK_NS, is the longest sleep, which aligns the log with recordings that have another clock. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "log.h"

#define MARK_NS	 60000000
#define NTHREADS 23

static struct log *mylog;
static int rounds = 60;

/* How often the calling thread has given up its processor, and how often it has lost it to another. */
struct switches {
	long slept, kept;
};

static struct switches switches(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_THREAD, &used))
		return (struct switches){0};
	return (struct switches){used.ru_nvcsw, used.ru_nivcsw};
}

/* Reads the clock for as long as a recorder may take for a wait. Where the machine takes the processor away for more
 * than JOLT_NS in that time, though no other thread has it, clocks of waits are read late as often. */
#define SPIN_NS 10000
#define JOLT_NS 50000

static void spin(void)
{
	long kept = switches().kept;
	uint64_t start = log_now(), now;

	while ((now = log_now()) < start + SPIN_NS)
		;
	if (switches().kept != kept)
		return;
	mylog->spins++;
	mylog->jolts += now - start > JOLT_NS;
}

/* Logs one wait: `call` between two looks at the clock. Entries are reserved before the clock is
 * read, and their kind is set when they are complete. If the thread did not sleep, the entry
 * becomes a LOG_CALL, however long it took, because it had nothing to wait for. If the thread lost
 * its processor, the clock may have been read late. */
#define WAIT(thread, what, call, by)                                                               \
	do {                                                                                       \
		struct switches was_ = switches(), is_;                                            \
		struct log_entry *e_ = log_begin(mylog, thread);                                   \
                                                                                                   \
		call;                                                                              \
		e_->end = log_now();                                                               \
		e_->waker = (by);                                                                  \
		is_ = switches();                                                                  \
		e_->late = is_.kept != was_.kept;                                                  \
		atomic_store(&e_->kind, is_.slept == was_.slept ? LOG_CALL : what);                \
		spin();                                                                            \
	} while (0)

static void nap(uint32_t me, long ns)
{
	struct timespec t = {0, ns};

	WAIT(me, LOG_SLEEP, nanosleep(&t, NULL), 0);
}

static uint32_t number(void *arg)
{
	return (uint32_t)(uintptr_t)arg;
}

/* ---- sleepers ---- */

static void *sleeper(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		struct timespec t = {0, 900000 + 10000 * i};

		WAIT(me, LOG_SLEEP, nanosleep(&t, NULL), 0);
		WAIT(me, LOG_SLEEP, usleep(700), 0);
		WAIT(me, LOG_SLEEP, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), 0);
	}
	return NULL;
}

/* ---- locks: `owner` tells a waiter which thread released the lock ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint32_t mutex_owner;

static void *locker(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		WAIT(me, LOG_MUTEX, pthread_mutex_lock(&mutex), mutex_owner);
		mutex_owner = me;
		nap(me, 600000);
		pthread_mutex_unlock(&mutex);
		nap(me, 300000);
	}
	return NULL;
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		WAIT(me, LOG_RDLOCK, pthread_rwlock_rdlock(&rwlock), 0);
		nap(me, 500000);
		pthread_rwlock_unlock(&rwlock);
		nap(me, 500000);
	}
	return NULL;
}

static void *writer(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		WAIT(me, LOG_WRLOCK, pthread_rwlock_wrlock(&rwlock), 0);
		nap(me, 600000);
		pthread_rwlock_unlock(&rwlock);
		nap(me, 900000);
	}
	return NULL;
}

/* ---- a condition, a semaphore ---- */

static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items, cond_over;
static uint32_t signaller;

static void *consumer(void *arg)
{
	uint32_t me = number(arg);

	WAIT(me, LOG_CALL, pthread_mutex_lock(&cond_mutex), 0);
	for (;;) {
		while (!items && !cond_over)
			WAIT(me, LOG_COND, pthread_cond_wait(&cond, &cond_mutex), signaller);
		if (!items)
			break;
		items--;
	}
	pthread_mutex_unlock(&cond_mutex);
	return NULL;
}

static void *producer(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		nap(me, 1200000);
		WAIT(me, LOG_CALL, pthread_mutex_lock(&cond_mutex), 0);
		items++;
		signaller = me;
		pthread_mutex_unlock(&cond_mutex);
		pthread_cond_signal(&cond);
	}
	WAIT(me, LOG_CALL, pthread_mutex_lock(&cond_mutex), 0);
	cond_over = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&cond_mutex);
	return NULL;
}

static sem_t sem;
static uint32_t poster;

static void *sem_waiter(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++)
		WAIT(me, LOG_SEM, sem_wait(&sem), poster);
	return NULL;
}

static void *sem_poster(void *arg)
{
	uint32_t me = number(arg);

	poster = me;
	for (int i = 0; i < rounds; i++) {
		nap(me, 1100000);
		sem_post(&sem);
	}
	return NULL;
}

static pthread_barrier_t barrier;

static void *meeter(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		nap(me, me % 2 ? 400000 : 1300000);
		WAIT(me, LOG_BARRIER, pthread_barrier_wait(&barrier), 0);
	}
	return NULL;
}

/* A futex by system call, which the locks of Rust and C++20 use, too. */
static _Atomic uint32_t turn;
static uint32_t futex_waker;

static void *futex_waiter(void *arg)
{
	uint32_t me = number(arg);

	for (uint32_t i = 0; i < (uint32_t)rounds; i++)
		while (atomic_load(&turn) == i)
			WAIT(me, LOG_FUTEX,
			     syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0),
			     futex_waker);
	return NULL;
}

static void *futex_poster(void *arg)
{
	uint32_t me = number(arg);

	futex_waker = me;
	for (int i = 0; i < rounds; i++) {
		nap(me, 1000000);
		atomic_fetch_add(&turn, 1);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}

/* These waits are never woken: each ends at its time limit. */
static void *timed(void *arg)
{
	static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
	static sem_t empty;
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 900000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		if (i % 2) {
			WAIT(me, LOG_SEM, sem_timedwait(&empty, &t), 0);
		} else {
			pthread_mutex_lock(&mine);
			WAIT(me, LOG_COND, pthread_cond_timedwait(&nobody, &mine, &t), 0);
			pthread_mutex_unlock(&mine);
		}
	}
	return NULL;
}

/* ---- pipes and sockets ---- */

static int pipe_fd[2], pair_fd[2], poll_fd[2];

static void *pipe_reader(void *arg)
{
	uint32_t me = number(arg);
	ssize_t n = 1;
	char c;

	while (n > 0)
		WAIT(me, LOG_PIPE, n = read(pipe_fd[0], &c, 1), 0);
	return NULL;
}

static void *socket_reader(void *arg)
{
	uint32_t me = number(arg);
	ssize_t n = 1;
	char c;

	while (n > 0)
		WAIT(me, LOG_SOCKET, n = recv(pair_fd[0], &c, 1, 0), 0);
	return NULL;
}

static void *poller(void *arg)
{
	uint32_t me = number(arg);
	int epoll = epoll_create1(0);
	struct epoll_event ev = {.events = EPOLLIN};
	ssize_t n;
	char c;

	epoll_ctl(epoll, EPOLL_CTL_ADD, poll_fd[0], &ev);
	for (int i = 0;; i++) {
		struct pollfd p = {.fd = poll_fd[0], .events = POLLIN};
		fd_set set;

		FD_ZERO(&set);
		FD_SET(poll_fd[0], &set);
		if (i % 3 == 0)
			WAIT(me, LOG_POLL, poll(&p, 1, -1), 0);
		else if (i % 3 == 1)
			WAIT(me, LOG_POLL, select(poll_fd[0] + 1, &set, NULL, NULL, NULL), 0);
		else
			WAIT(me, LOG_POLL, epoll_wait(epoll, &ev, 1, -1), 0);
		WAIT(me, LOG_CALL, n = read(poll_fd[0], &c, 1), 0);
		if (n <= 0)
			return NULL;
	}
}

static void put(int fd)
{
	if (write(fd, "x", 1) != 1)
		abort();
}

static void *feeder(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		nap(me, 1000000);
		WAIT(me, LOG_CALL, put(pipe_fd[1]), 0);
		WAIT(me, LOG_CALL, put(pair_fd[1]), 0);
		WAIT(me, LOG_CALL, put(poll_fd[1]), 0);
	}
	close(pipe_fd[1]);
	close(pair_fd[1]);
	close(poll_fd[1]);
	return NULL;
}

static int listener;
static struct sockaddr_in address;

static void *server(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		int fd;
		char c;

		WAIT(me, LOG_ACCEPT, fd = accept(listener, NULL, NULL), 0);
		WAIT(me, LOG_SOCKET, (void)!read(fd, &c, 1), 0);
		close(fd);
	}
	return NULL;
}

static void *client(void *arg)
{
	uint32_t me = number(arg);

	for (int i = 0; i < rounds; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0), refused;

		nap(me, 700000);
		WAIT(me, LOG_SOCKET,
		     refused = connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		if (refused)
			abort();
		nap(me, 700000);
		WAIT(me, LOG_CALL, put(fd), 0);
		close(fd);
	}
	return NULL;
}

/* ---- left behind ---- */

static sem_t never;

static void *stuck(void *arg)
{
	struct log_entry *e = log_begin(mylog, number(arg));

	atomic_store(&e->kind, LOG_SEM);
	sem_wait(&never);
	return NULL;
}

static void open_all(void)
{
	socklen_t size = sizeof(address);

	if (pipe(pipe_fd) || pipe(poll_fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair_fd))
		abort();
	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 5) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		abort();
}

int main(int argc, char **argv)
{
	static void *(*const body[NTHREADS])(void *) = {
	    sleeper, sleeper, locker,	    locker,	   locker,     reader,
	    reader,  writer,  consumer,	    producer,	   sem_waiter, sem_poster,
	    meeter,  meeter,  pipe_reader,  socket_reader, poller,     feeder,
	    server,  client,  futex_waiter, futex_poster,  timed};
	pthread_t thread[NTHREADS], left;

	if (argc < 2)
		return 2;
	if (argc > 2)
		rounds = atoi(argv[2]);
	mylog = log_map(argv[1], 1);
	if (!mylog)
		return 3;
	mylog->begin = log_now();
	nap(1, MARK_NS);
	open_all();
	sem_init(&sem, 0, 0);
	sem_init(&never, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	for (uintptr_t i = 0; i < NTHREADS; i++)
		if (pthread_create(&thread[i], NULL, body[i], (void *)(i + 2)))
			return 3;
	if (pthread_create(&left, NULL, stuck, (void *)(uintptr_t)(NTHREADS + 2)))
		return 3;
	for (uint32_t i = 0; i < NTHREADS; i++)
		WAIT(1, LOG_JOIN, pthread_join(thread[i], NULL), i + 2);
	printf("%u waits\n", atomic_load(&mylog->used));
	return 0;
}
