/* For tests: a clock that goes HASTE times as fast as others, and a poll that waits as much less.
 * libcurl calls those of the program it is linked into, so that what it waits seconds for, and has
 * no smaller unit for, takes a test a fraction of one. */
#include <dlfcn.h>
#include <poll.h>
#include <time.h>

#define HASTE 20

int clock_gettime(clockid_t id, struct timespec *out)
{
	static int (*real)(clockid_t id, struct timespec * out);
	int code;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	code = real(id, out);
	if (!code && id != CLOCK_REALTIME) {
		long long ns = (long long)out->tv_nsec * HASTE;

		out->tv_sec = out->tv_sec * HASTE + (time_t)(ns / 1000000000);
		out->tv_nsec = (long)(ns % 1000000000);
	}
	return code;
}

int poll(struct pollfd *fd, nfds_t n, int timeout_ms)
{
	static int (*real)(struct pollfd * fd, nfds_t n, int timeout_ms);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "poll");
	return real(fd, n, timeout_ms > 0 ? (timeout_ms + HASTE - 1) / HASTE : timeout_ms);
}
