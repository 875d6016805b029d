/* Traces: start, stop, and the reader.
 *
 *   OFF ──start──▶ ON ──stop──▶ ENDING ──▶ READY ──the reader has read the end──▶ OFF
 *
 * While tracing is on, a thread of the library takes the records out of the arena, and the reader converts them
 * from time to time. The thread that stops the trace waits for the reader. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/api/lib.h"
#include "tprof-record/parent/drain.h"

/* How long an idle drainer sleeps, and how long the end waits for threads in the middle of a
 * record. */
#define NAP_NS	 20000000
#define GRACE_NS 50000000

/* How long a part of the trace is: at first, and at most. */
#define FIRST_PART_NS 20000000
#define PART_NS	      1000000000

enum state { OFF, ON, ENDING, READY };

static struct trace {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
	enum tprof_format format;
	bool switched_on; /* by this library; under tprof-record it may have been on */
	bool file;	  /* tprof_trace_to_file: its thread is the reader */
	int file_error;	  /* … and its error */
	pthread_t filer;
	int fd;
	char *symbols_path;
	bool reading; /* stream, and what is below, is the reader's meanwhile */
	bool begun, over;
	int error; /* why the trace is not complete */
	uint64_t begin_ns, lost_before;
	uint64_t due; /* of the next part, and its length */
	uint64_t length;
	struct api_stream stream;

	pthread_t drainer;
	_Atomic bool drain_over;
	pthread_mutex_t draining;
	struct rec_drain drain; /* exists as long as the arena */
	struct rec_spool records;
	bool at_exit;
} t = {.lock = PTHREAD_MUTEX_INITIALIZER,
       .changed = PTHREAD_COND_INITIALIZER,
       .draining = PTHREAD_MUTEX_INITIALIZER};

void api_forget_trace(void)
{
	bool at_exit = t.at_exit;

	if (t.state != OFF && !api.guest) {
		rec_spool_end(&t.records);
		if (t.file)
			close(t.fd);
	}
	/* Another thread may have been in the middle of a part. */
	if (!t.reading)
		api_stream_end(&t.stream);
	rec_drain_end(&t.drain);
	/* Neither the trace's threads nor the lock's owner exist in this process. */
	memset(&t, 0, sizeof(t));
	t.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	t.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	t.draining = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	t.at_exit = at_exit;
}

/* ---- taking the records out ---- */

static size_t drain(const struct rec_host *h)
{
	size_t n;

	pthread_mutex_lock(&t.draining);
	n = rec_drain(&t.drain, api_arena(h), &t.records, h->now(), false);
	pthread_mutex_unlock(&t.draining);
	return n;
}

static void *drain_thread(void *arg)
{
	const struct rec_host *h = arg;
	const struct rec_arena *a = api_arena(h);
	struct timespec nap = {.tv_nsec = NAP_NS};

	pthread_setname_np(pthread_self(), "tprof");
	while (!atomic_load(&t.drain_over)) {
		uint32_t bell = atomic_load(&a->header->doorbell);

		if (!drain(h))
			syscall(SYS_futex, &a->header->doorbell, FUTEX_WAIT, bell, &nap, NULL, 0);
	}
	return NULL;
}

/* Starts a thread with all signals blocked, because signals are meant for the program's threads. */
static int begin_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, was;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was);
	code = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return code;
}

/* Takes the records that threads were writing when the trace ended. */
static void drain_rest(const struct rec_host *h)
{
	struct timespec nap = {.tv_nsec = 1000000};
	uint64_t until = h->now() + GRACE_NS;
	bool waits;

	do {
		drain(h);
		waits = false;
		for (size_t i = 0; i < REC_NCHUNKS; i++)
			waits |= t.drain.chunk[i].nleft;
		if (waits)
			nanosleep(&nap, NULL);
	} while (waits && h->now() < until);
}

/* ---- start ---- */

static int begin_drain(void)
{
	struct tp_err err = {0};
	int code;

	if (!t.drain.round && rec_drain_begin(&t.drain))
		return ENOMEM;
	code = rec_spool_begin(&t.records, api_folder(), &err);
	if (code) {
		code = t.records.error ? t.records.error : ENOMEM;
		rec_spool_end(&t.records);
		return code;
	}
	return 0;
}

static void switch_off(const struct rec_host *h)
{
	struct rec_event e = {.kind = REC_TRACE_STOP};

	struct api_inside was;

	if (!t.switched_on)
		return;
	if (!api.guest) {
		was = api_inside(h);
		api_write_clocks(h);
		api_outside(h, was);
	}
	e.start = e.end = h->now();
	h->write(&e);
	atomic_store(&api_header(h)->options.trace, 0);
}

static int start(enum tprof_format format)
{
	const struct rec_host *h;
	struct rec_options *options;
	int code;

	if (format != TPROF_GO_1_26 && format != TPROF_GO_1_5)
		return EINVAL;
	if (t.state != OFF || t.file)
		return EALREADY;
	code = api_begin(&h);
	if (code)
		return code;
	api_stream_end(&t.stream);
	if (!api.guest)
		code = begin_drain();
	if (code)
		return code;
	t.format = format;
	t.error = 0;
	t.begun = t.over = false;
	t.begin_ns = h->now();
	t.lost_before = api_header(h)->lost[REC_LOST_EVENTS];
	options = &api_header(h)->options;
	/* Only the recorder hears the kernel's switches. */
	if (!api.guest)
		atomic_store(&options->cpu_time, 1);
	t.switched_on = !atomic_exchange(&options->trace, 1);
	if (t.switched_on)
		api_write_state(h, t.begin_ns);
	if (!api.guest) {
		/* Start the drainer only now: it sorts a thread's records by time, and those of the
		 * state all have the same time. The arena has room for them. */
		atomic_store(&t.drain_over, false);
		drain(h);
		code = begin_thread(&t.drainer, drain_thread, (void *)(uintptr_t)h);
		if (code) {
			switch_off(h);
			drain_rest(h);
			rec_spool_end(&t.records);
			return code;
		}
	}
	t.state = ON;
	return 0;
}

int tprof_trace_start(enum tprof_format format)
{
	int code;

	pthread_mutex_lock(&t.lock);
	code = start(format);
	pthread_mutex_unlock(&t.lock);
	return code;
}

/* ---- stop ---- */

static void end_drain(const struct rec_host *h)
{
	atomic_store(&t.drain_over, true);
	atomic_fetch_add(&api_header(h)->doorbell, 1);
	syscall(SYS_futex, &api_header(h)->doorbell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	pthread_join(t.drainer, NULL);
	drain_rest(h);
}

/* Under the lock. Ends the trace after the reader has read all of it. */
static void end_reading(void)
{
	const struct rec_host *h = atomic_load(&api.host);

	if (!t.error)
		t.error = t.records.error;
	/* A trace without some records is still valid. */
	if (!t.error && api_header(h)->lost[REC_LOST_EVENTS] > t.lost_before)
		t.error = ENOBUFS;
	rec_spool_end(&t.records);
	t.state = OFF;
	pthread_cond_broadcast(&t.changed);
}

int tprof_trace_stop(void)
{
	struct api_inside was;
	const struct rec_host *h = atomic_load(&api.host);
	bool file;
	int code;

	pthread_mutex_lock(&t.lock);
	if (t.state != ON) {
		pthread_mutex_unlock(&t.lock);
		return 0;
	}
	t.state = ENDING;
	pthread_mutex_unlock(&t.lock);
	api_enter();
	switch_off(h);
	was = api_inside(h);
	if (!api.guest)
		end_drain(h);
	pthread_mutex_lock(&t.lock);
	t.state = api.guest ? OFF : READY;
	pthread_cond_broadcast(&t.changed);
	while (t.state != OFF)
		pthread_cond_wait(&t.changed, &t.lock);
	file = t.file;
	code = t.error;
	pthread_mutex_unlock(&t.lock);
	if (file) {
		pthread_join(t.filer, NULL);
		if (!code)
			code = t.file_error;
		pthread_mutex_lock(&t.lock);
		t.file = false;
		pthread_cond_broadcast(&t.changed);
		pthread_mutex_unlock(&t.lock);
	}
	api_outside(h, was);
	return code;
}

/* ---- read ---- */

/* Brings the records up to date; returns how many have been taken so far. */
static size_t take(const struct rec_host *h)
{
	size_t n;

	if (!atomic_load(&t.drain_over))
		drain(h);
	pthread_mutex_lock(&t.draining);
	rec_spool_flush(&t.records);
	n = t.records.n;
	pthread_mutex_unlock(&t.draining);
	return n;
}

/* Waits until the next part is due: at its time, or when the trace has ended. */
static void wait_for_part(const struct rec_host *h)
{
	while (t.state == ENDING || t.state == ON) {
		uint64_t now = h->now(), left = t.due - now;
		struct timespec until;

		if (t.state == ENDING || t.error) {
			pthread_cond_wait(&t.changed, &t.lock);
			continue;
		}
		if (now >= t.due)
			break;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (time_t)((left + (uint64_t)until.tv_nsec) / 1000000000);
		until.tv_nsec = (long)((left + (uint64_t)until.tv_nsec) % 1000000000);
		pthread_cond_timedwait(&t.changed, &t.lock, &until);
	}
}

/* Under the lock, which is released while the next part is made. */
static bool make_part(const struct rec_host *h)
{
	struct api_inside was;
	/* Go does not read a trace of go 1.5 that is only a header. */
	bool begin = !t.begun, more = !begin || t.format == TPROF_GO_1_5;
	bool last = t.state == READY;
	int code = 0;

	t.begun = true;
	pthread_mutex_unlock(&t.lock);
	was = api_inside(h);
	if (begin)
		code = api_stream_begin(&t.stream, t.format, t.begin_ns);
	else
		t.stream.part.size = 0;
	if (!code && more)
		code = api_stream_part(h, &t.stream, &t.records, take, last);
	api_outside(h, was);
	pthread_mutex_lock(&t.lock);
	t.length = begin ? 0 : t.length ? t.length * 2 : FIRST_PART_NS;
	t.length = t.length < PART_NS ? t.length : PART_NS;
	t.due = h->now() + t.length;
	t.error = code;
	/* A part has a limited number of records. */
	t.over = last && more && t.stream.until == UINT64_MAX;
	return !code && t.stream.part.size;
}

/* Under the lock. Waits for the next piece; the first one does not come any more after an error. */
static const void *next_piece(size_t *size, bool first)
{
	const struct rec_host *h = atomic_load(&api.host);

	while (t.state != OFF && !api.guest) {
		if (t.begun)
			wait_for_part(h);
		if (t.state == READY && (t.over || t.error)) {
			end_reading();
			break;
		}
		if (make_part(h)) {
			*size = t.stream.part.size;
			return t.stream.part.data;
		}
		if (first && t.error)
			break;
	}
	return NULL;
}

const void *tprof_trace_read(size_t *size)
{
	const void *next = NULL;
	int cancel;

	*size = 0;
	/* A thread cancelled in here would leave the lock held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&t.lock);
	if (!t.reading) {
		t.reading = true;
		next = next_piece(size, false);
		t.reading = false;
	}
	pthread_mutex_unlock(&t.lock);
	pthread_setcancelstate(cancel, NULL);
	return next;
}

int tprof_trace_symbols(void **data, size_t *size)
{
	int code = 0;

	*data = NULL;
	*size = 0;
	pthread_mutex_lock(&t.lock);
	/* Until then they are the reader's. */
	if (!t.stream.symbols.size || t.state != OFF)
		code = ENOENT;
	else if (!(*data = malloc(t.stream.symbols.size)))
		code = ENOMEM;
	if (!code) {
		memcpy(*data, t.stream.symbols.data, t.stream.symbols.size);
		*size = t.stream.symbols.size;
	}
	pthread_mutex_unlock(&t.lock);
	return code;
}

/* ---- into a file ---- */

/* Appends a part to the file, or none of it. */
static int append(const void *data, size_t size)
{
	off_t at = lseek(t.fd, 0, SEEK_CUR);
	int code = api_write(t.fd, data, size);

	if (code && at >= 0 && !ftruncate(t.fd, at))
		lseek(t.fd, at, SEEK_SET);
	return code;
}

/* Writes the symbols of the trace so far. Those of the parts before stay until these are complete. */
static int write_symbols(void)
{
	const struct tp_buf *symbols = &t.stream.symbols;
	char part[PATH_MAX];
	int n = snprintf(part, sizeof(part), "%s.part", t.symbols_path), fd, code;

	if (n >= (int)sizeof(part))
		return ENAMETOOLONG;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno;
	code = api_write(fd, symbols->data, symbols->size);
	if ((close(fd) || (!code && rename(part, t.symbols_path))) && !code)
		code = errno;
	if (code)
		unlink(part);
	return code;
}

static void *file_thread(void *arg)
{
	const void *data;
	size_t size;
	int code = 0;

	(void)arg;
	pthread_setname_np(pthread_self(), "tprof");
	while ((data = tprof_trace_read(&size)) != NULL) {
		if (!code)
			code = append(data, size);
		if (!code && t.symbols_path && t.stream.symbols.size)
			code = write_symbols();
	}
	if (close(t.fd) && !code)
		code = errno;
	free(t.symbols_path);
	t.symbols_path = NULL;
	t.file_error = code;
	return NULL;
}

static void stop_at_exit(void)
{
	bool file;

	pthread_mutex_lock(&t.lock);
	file = t.file && t.state == ON;
	/* If another thread is stopping the trace, wait for it. */
	while (!file && t.file)
		pthread_cond_wait(&t.changed, &t.lock);
	pthread_mutex_unlock(&t.lock);
	if (file)
		tprof_trace_stop();
}

static int begin_file(const char *path, enum tprof_format format)
{
	t.symbols_path = NULL;
	t.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (t.fd < 0)
		return errno;
	if (format != TPROF_GO_1_5 || asprintf(&t.symbols_path, "%s.symbols", path) >= 0)
		return 0;
	t.symbols_path = NULL;
	close(t.fd);
	return ENOMEM;
}

/* Ends a trace that has no reader. Under the lock. */
static void abandon(void)
{
	const struct rec_host *h = atomic_load(&api.host);

	switch_off(h);
	end_drain(h);
	rec_spool_end(&t.records);
	t.state = OFF;
}

/* Under the lock. Writes the beginning at once, so that no file is left without it. */
static int append_first(void)
{
	const void *data;
	size_t size;
	int code;

	t.reading = true;
	data = next_piece(&size, true);
	t.reading = false;
	code = data ? append(data, size) : t.error ? t.error : EIO;
	/* What a full disk loses is told at the end. */
	return code == ENOSPC ? 0 : code;
}

/* Called under the lock; the new thread's first read waits for it. */
static int start_filing(const char *path, enum tprof_format format)
{
	int code;

	if (t.state != OFF || t.file)
		return EALREADY;
	code = begin_file(path, format);
	if (code)
		return code;
	code = start(format);
	if (!code) {
		code = append_first();
		if (!code)
			code = begin_thread(&t.filer, file_thread, NULL);
		if (code)
			abandon();
	}
	if (code) {
		close(t.fd);
		free(t.symbols_path);
		return code;
	}
	t.file = true;
	t.file_error = 0;
	if (!t.at_exit)
		t.at_exit = !atexit(stop_at_exit);
	return 0;
}

int tprof_trace_to_file(const char *path, enum tprof_format format)
{
	const struct rec_host *h;
	int code = api_begin(&h);

	/* After api_begin it is known whether tprof-record records this process. */
	if (code || api.guest)
		return code ? code : tprof_trace_start(format);
	pthread_mutex_lock(&t.lock);
	code = start_filing(path, format);
	pthread_mutex_unlock(&t.lock);
	return code;
}
