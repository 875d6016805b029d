/* Uses CPU time in functions, and prints how many us each of them used by its thread's own clock.
 * uses: tprof-record
 *
 *	cpu shares	threads, a fork, a thread that blocks all signals, short threads, system calls
 *	cpu signals	handlers for all signals, SIGPROF, a signal to itself: prints what arrived
 *	cpu storm	threads allocate and lock while another one makes the recorder's handler interrupt them
 *			as often as it can, wherever they are */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <tprof-record.h>
#include <unistd.h>

static long cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static volatile unsigned long sink;

/* Defines a function that uses so many us, and counts them. */
#define USES(name)                                                                                 \
	static atomic_long name##_us;                                                              \
	__attribute__((noinline)) void name(long us);                                              \
	void name(long us)                                                                         \
	{                                                                                          \
		long from = cpu_us();                                                              \
                                                                                                   \
		while (cpu_us() - from < us)                                                       \
			for (int i = 0; i < 100000; i++)                                           \
				sink = sink * 3 + 1;                                               \
		atomic_fetch_add(&name##_us, cpu_us() - from);                                     \
	}

USES(site_main)
USES(site_first)
USES(site_second)
USES(site_blocked)
USES(site_short)
USES(site_child)

static void *first(void *arg)
{
	const char *labels[][2] = {{"route", "/pay"}};

	pthread_setname_np(pthread_self(), "first");
	tprof_set_labels(labels, 1);
	site_first(600000);
	return arg;
}

static void *second(void *arg)
{
	pthread_setname_np(pthread_self(), "second");
	site_second(300000);
	return arg;
}

static void *blocked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	site_blocked(300000);
	return arg;
}

static void *brief(void *arg)
{
	site_short(2000);
	return arg;
}

__attribute__((noinline)) void site_kernel(long us);
static long kernel_us;
void site_kernel(long us)
{
	static char bytes[1 << 18];
	int fd = open("/dev/zero", O_RDONLY);
	long from = cpu_us();

	while (cpu_us() - from < us)
		if (read(fd, bytes, sizeof(bytes)) < 0)
			abort();
	kernel_us = cpu_us() - from;
	close(fd);
}

static int shares(void)
{
	pthread_t thread[3], one;
	pid_t child;

	pthread_create(&thread[0], NULL, first, NULL);
	pthread_create(&thread[1], NULL, second, NULL);
	pthread_create(&thread[2], NULL, blocked, NULL);
	site_main(300000);
	site_kernel(300000);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 150; i++) {
		pthread_create(&one, NULL, brief, NULL);
		pthread_join(one, NULL);
	}
	fflush(stdout);
	child = fork();
	if (child == 0) {
		site_child(300000);
		printf("child site_child %ld\n", atomic_load(&site_child_us));
		exit(0);
	}
	waitpid(child, NULL, 0);
	printf("self site_main %ld\nself site_first %ld\nself site_second %ld\n",
	       atomic_load(&site_main_us), atomic_load(&site_first_us),
	       atomic_load(&site_second_us));
	printf("self site_blocked %ld\nself brief %ld\nself site_kernel %ld\n",
	       atomic_load(&site_blocked_us), atomic_load(&site_short_us), kernel_us);
	return 0;
}

/* ---- signals ---- */

static atomic_int arrived[65];

static void on_signal(int n)
{
	atomic_fetch_add(&arrived[n], 1);
}

static void *own_mask(void *set)
{
	sigprocmask(SIG_BLOCK, NULL, set);
	return NULL;
}

/* Takes signals that are blocked; two for each, sent to the process and to the thread. */
static int wait_for_all(void)
{
	sigset_t set, was;
	pthread_t thread;
	int had = 0;

	sigemptyset(&set);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		sigaddset(&set, n);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, own_mask, &was);
	pthread_join(thread, NULL);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
		struct timespec second = {1, 0};

		kill(getpid(), n);
		pthread_kill(pthread_self(), n);
		had += sigtimedwait(&set, NULL, &second) == n &&
		       sigtimedwait(&set, NULL, &second) == n && sigismember(&was, n);
	}
	return had;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int signals(void)
{
	struct itimerval every = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
	struct sigaction sa = {.sa_handler = on_signal}, is;
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	sigset_t all;
	int kept = 0;

	sigaltstack(&alternate, NULL);
	sigfillset(&sa.sa_mask);
	sa.sa_flags = SA_RESTART;
	for (int n = 1; n <= SIGRTMAX; n++)
		if (n != SIGSEGV && n != SIGBUS)
			sigaction(n, &sa, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	site_main(300000);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	site_blocked(100000);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
	/* Of any number, also the one that the recorder uses. */
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
		raise(n);
		kept += !sigaction(n, NULL, &is) && is.sa_handler == on_signal;
	}
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		if (arrived[n] != 1)
			printf("signal %d: %d\n", n, arrived[n]);
	printf("SIGPROF %s, %d handlers of %d kept\n", arrived[SIGPROF] > 5 ? "comes" : "is lost",
	       kept, SIGRTMAX - SIGRTMIN + 1);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		sigset(n, SIG_DFL);
	site_main(200000);
	printf("sigwait had %d of %d\n", wait_for_all(), SIGRTMAX - SIGRTMIN + 1);
	return 0;
}

/* ---- a storm ---- */

static atomic_int over;
static _Atomic pid_t worker[3];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counted;

static void *work(void *arg)
{
	void *p[16] = {0};
	long n = 0;

	atomic_store((_Atomic pid_t *)arg, (pid_t)syscall(SYS_gettid));
	for (unsigned i = 0; n < 200000; i++, n++) {
		free(p[i % 16]);
		p[i % 16] = malloc(16 + i % 100);
		pthread_mutex_lock(&mutex);
		counted++;
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 16; i++)
		free(p[i]);
	atomic_store((_Atomic pid_t *)arg, 0);
	return NULL;
}

/* Finds the signal and the value that the timers of this process send, so that the same can be sent by hand.
 * Returns 0 without a recorder, which makes the timers. */
static int find_signal(siginfo_t *info)
{
	FILE *f = fopen("/proc/self/timers", "r");
	unsigned long value = 0;
	int n = 0;

	while (f && !n && !feof(f))
		if (fscanf(f, " signal: %d/%lx", &n, &value) != 2 && fscanf(f, "%*[^\n]") < 0)
			break;
	if (f)
		fclose(f);
	memset(info, 0, sizeof(*info));
	info->si_signo = n;
	info->si_code = SI_TIMER;
	info->si_value.sival_ptr = (void *)value;
	return n;
}

static void *interrupt(void *arg)
{
	siginfo_t info;
	int n = find_signal(&info);

	/* Where signals come faster than their handler returns, the workers would never end. */
	for (unsigned round = 0; !atomic_load(&over); round++) {
		long until = cpu_us() + 50 + round % 61;

		if (n && worker[round % 3])
			syscall(SYS_rt_tgsigqueueinfo, getpid(), worker[round % 3], n, &info);
		while (cpu_us() < until)
			;
	}
	return arg;
}

static int storm(void)
{
	pthread_t thread[3], sender;

	pthread_create(&sender, NULL, interrupt, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, &worker[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	atomic_store(&over, 1);
	pthread_join(sender, NULL);
	printf("%ld\n", counted);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "shares";

	return !strcmp(what, "storm") ? storm() : !strcmp(what, "signals") ? signals() : shares();
}
