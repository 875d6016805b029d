#include "tprof-record/parent/switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/many.h"
#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/core/core.h"
#include "tprof-record/parent/spool.h"

enum {
	/* Pages of a ring, powers of 2. kernel.perf_event_mlock_kb (516 for each processor) is one page more
	 * than the most. */
	MOST_PAGES = 128,
	MOST_PAGES_READ = 2048, /* with a reader, if permitted */
	LEAST_PAGES = 4,
	QUICK_MS = 10, /* while switches come; a ring that is half full does not wait */
	SLOW_MS = 1000,
};

/* The switches of one round of a processor may not be much later than those of another round. */
#define SLACK_NS 1000000000u

struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* followed by the data */
	size_t size;			   /* of the data, a power of 2 */
	uint32_t cpu;
	uint64_t latest; /* time of its last record */
};

struct rec_switches {
	struct ring *rings;
	struct pollfd *polls; /* of the rings, and the bell */
	size_t nrings;
	int bell; /* ends the thread */
	pthread_t thread;
	bool begun;
	pthread_mutex_t lock; /* what follows */
	struct rec_spool spool;
	struct rec_event *round; /* not in the file yet */
	size_t nround, room;
	uint64_t lost;
	const struct rec_switches_reader *reader; /* NULL: there is none */
	struct followed {
		int fd;
		uint32_t number;
	} * events; /* that were added for it */
	size_t nevents, room_events;
	struct tp_ids numbers; /* by the kernel's numbers of the events */
	char *record;
};

/* ---- rings ---- */

static int open_event(pid_t pid, int cpu, bool children, size_t size)
{
	/* The event counts nothing: it makes the kernel report switches, forks and exits of threads. */
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	    .disabled = 1,
	    .enable_on_exec = 1,
	    .inherit = 1,
	    .inherit_thread = !children,
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .sample_id_all = 1,
	    .context_switch = 1,
	    .task = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .watermark = 1,
	    .wakeup_watermark = (uint32_t)size / 2,
	};
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 || errno != EINVAL || children)
		return fd;
	/* Before 5.13 children are always followed. */
	attr.inherit_thread = 0;
	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Takes less memory where the kernel does not allow more. Returns 0, or errno. */
static int open_ring(struct ring *r, pid_t pid, int cpu, bool children, size_t most)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	r->cpu = (uint32_t)cpu;
	for (r->size = most * page; r->size >= LEAST_PAGES * page; r->size /= 2) {
		void *map;

		r->fd = open_event(pid, cpu, children, r->size);
		if (r->fd < 0)
			return errno;
		map = mmap(NULL, page + r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
		if (map != MAP_FAILED) {
			r->page = map;
			return 0;
		}
		error = errno;
		close(r->fd);
		if (error != EPERM && error != ENOMEM)
			break;
	}
	return error;
}

static void close_ring(struct ring *r)
{
	munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->size);
	close(r->fd);
}

int rec_switches_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (f && fscanf(f, "%d", &level) != 1)
		level = -1;
	if (f)
		fclose(f);
	return level;
}

/* ---- records ---- */

/* Copies bytes of a ring, which is circular. */
static void copy(const struct ring *r, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)r->page + sysconf(_SC_PAGESIZE);
	size_t from = at & (r->size - 1), first = size;

	if (first > r->size - from)
		first = r->size - from;
	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

/* The end of each record (sample_id_all). */
struct id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, unused;
	uint64_t event; /* only with a reader */
};

/* Samples begin with the event and the instruction in front of the rest. */
static bool copy_id(const struct rec_switches *s, const struct ring *r,
		    const struct perf_event_header *h, uint64_t at, struct id *id)
{
	size_t size = s->reader ? sizeof(*id) : offsetof(struct id, event);

	if (h->size < sizeof(*h) + size + (h->type == PERF_RECORD_SAMPLE ? 8 : 0))
		return false;
	if (h->type == PERF_RECORD_SAMPLE) {
		copy(r, at + sizeof(*h), &id->event, sizeof(id->event));
		copy(r, at + sizeof(*h) + 16, id, offsetof(struct id, event));
	} else {
		copy(r, at + h->size - size, id, size);
	}
	return true;
}

static bool ask_reader(struct rec_switches *s, const struct ring *r,
		       const struct perf_event_header *h, uint64_t at, const struct id *id,
		       struct rec_event *e)
{
	uint32_t number = tp_ids_get(&s->numbers, id->event);

	if (number == TP_NO_ID)
		return e->kind == REC_SWITCH_LOST;
	e->object = number;
	copy(r, at, s->record, h->size);
	return s->reader->make(s->reader->ctx, r->cpu, (const void *)s->record, e);
}

static void add(struct rec_switches *s, struct ring *r, const struct perf_event_header *h,
		uint64_t at)
{
	struct rec_event e = {0};
	struct id id;
	uint64_t lost;

	if (!copy_id(s, r, h, at, &id))
		return;
	e.end = id.time;
	e.arg = r->cpu;
	e.m = id.pid;
	e.g = id.tid;
	switch (h->type) {
	case PERF_RECORD_SWITCH:
		e.kind = h->misc & PERF_RECORD_MISC_SWITCH_OUT ? REC_SWITCH_OUT : REC_SWITCH_IN;
		if (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			e.flags = REC_SWITCH_RUNNABLE;
		break;
	case PERF_RECORD_EXIT:
		e.kind = REC_SWITCH_OUT;
		e.flags = REC_SWITCH_EXIT;
		break;
	case PERF_RECORD_LOST:
		/* id, number */
		copy(r, at + sizeof(*h) + sizeof(uint64_t), &lost, sizeof(lost));
		s->lost += lost;
		e.kind = REC_SWITCH_LOST;
		e.start = r->latest;
		break;
	default:
		if (!s->reader)
			return;
	}
	r->latest = id.time;
	if (s->reader && !ask_reader(s, r, h, at, &id, &e))
		return;
	if (tp_grow_raw(&s->round, &s->room, s->nround, sizeof(*s->round))) {
		s->lost++;
		return;
	}
	s->round[s->nround++] = e;
}

static void take_ring(struct rec_switches *s, struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;

	while (tail < head) {
		struct perf_event_header h;

		copy(r, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail)
			break; /* the kernel does not write that */
		add(s, r, &h, tail);
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Those of one thread at the same time keep their order by its leaving before it comes. */
static int by_time(const void *a, const void *b)
{
	const struct rec_event *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (int)y->kind - (int)x->kind;
}

/* A thread leaves a processor before it comes to another, but the rings are read one after the other: what is
 * later than the reading of the first waits for the next round. Returns how many there were. */
static size_t take(struct rec_switches *s)
{
	uint64_t until = rec_now();
	size_t before = s->nround, n = 0, taken;

	for (size_t i = 0; i < s->nrings; i++)
		take_ring(s, &s->rings[i]);
	taken = s->nround - before;
	if (s->nround)
		qsort(s->round, s->nround, sizeof(*s->round), by_time);
	while (n < s->nround && s->round[n].end <= until) {
		if (!s->reader || s->reader->see(s->reader->ctx, &s->round[n]))
			rec_spool_put(&s->spool, &s->round[n], s->round[n].kind);
		n++;
	}
	s->nround -= n;
	if (n && s->nround)
		memmove(s->round, s->round + n, s->nround * sizeof(*s->round));
	return taken;
}

void rec_switches_take(struct rec_switches *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	take(s);
	pthread_mutex_unlock(&s->lock);
}

static void *work(void *arg)
{
	struct rec_switches *s = arg;
	struct pollfd *bell = &s->polls[s->nrings];
	int ms = QUICK_MS;

	pthread_setname_np(pthread_self(), "tprof-switches");
	/* If permitted, as the rings are small. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	while (!bell->revents) {
		size_t n;

		poll(s->polls, s->nrings + 1, ms);
		/* The process that it was opened for is over; its children go on. */
		for (size_t i = 0; i < s->nrings; i++)
			if (s->polls[i].revents & (POLLHUP | POLLERR))
				s->polls[i].fd = -1;
		pthread_mutex_lock(&s->lock);
		n = take(s);
		pthread_mutex_unlock(&s->lock);
		ms = n ? QUICK_MS : ms < SLOW_MS ? ms * 2 : SLOW_MS;
	}
	return NULL;
}

/* ---- beginning and end ---- */

void rec_switches_stop(struct rec_switches *s)
{
	if (!s || !s->begun)
		return;
	s->begun = false;
	for (size_t i = 0; i < s->nrings; i++)
		ioctl(s->rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < s->nevents; i++)
		ioctl(s->events[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	(void)!write(s->bell, &(uint64_t){1}, sizeof(uint64_t));
	pthread_join(s->thread, NULL);
}

void rec_switches_end(struct rec_switches *s)
{
	if (!s)
		return;
	rec_switches_stop(s);
	for (size_t i = 0; i < s->nevents; i++)
		close(s->events[i].fd);
	for (size_t i = 0; i < s->nrings; i++)
		close_ring(&s->rings[i]);
	rec_spool_end(&s->spool);
	if (s->bell >= 0)
		close(s->bell);
	pthread_mutex_destroy(&s->lock);
	free(s->rings);
	free(s->polls);
	free(s->round);
	free(s->events);
	free(s->record);
	tp_ids_release(&s->numbers);
	free(s);
}

static int open_rings(struct rec_switches *s, pid_t pid, bool children, struct tp_err *err)
{
	int ncpus = (int)sysconf(_SC_NPROCESSORS_CONF), error = EINVAL;

	s->rings = calloc((size_t)ncpus, sizeof(*s->rings));
	s->polls = calloc((size_t)ncpus + 1, sizeof(*s->polls));
	if (!s->rings || !s->polls)
		return tp_nomem(err);
	for (int cpu = 0; cpu < ncpus; cpu++) {
		error = open_ring(&s->rings[s->nrings], pid, cpu, children,
				  s->reader ? MOST_PAGES_READ : MOST_PAGES);
		/* ENODEV: the processor is switched off. */
		if (error == ENODEV)
			continue;
		if (error)
			break;
		s->polls[s->nrings] =
		    (struct pollfd){.fd = s->rings[s->nrings].fd, .events = POLLIN};
		s->nrings++;
	}
	if (s->nrings && (!error || error == ENODEV))
		return 0;
	if ((error == EACCES || error == EPERM) && rec_switches_paranoid() > 2)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "kernel.perf_event_paranoid is %d, not 2",
				  rec_switches_paranoid());
	if (error == EPERM)
		return tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "its memory is not allowed (kernel.perf_event_mlock_kb, ulimit -l)");
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "perf_event_open: %s", strerror(error));
}

int rec_switches_start(struct rec_switches *s, struct tp_err *err)
{
	s->begun = !pthread_create(&s->thread, NULL, work, s);
	return s->begun ? 0 : tp_nomem(err);
}

static int open_all(struct rec_switches **out, pid_t pid, bool children,
		    const struct rec_switches_reader *reader, const char *folder,
		    struct tp_err *err)
{
	struct rec_switches *s = calloc(1, sizeof(*s));
	int code = 0;

	*out = NULL;
	if (!s)
		return tp_nomem(err);
	s->spool.fd = -1;
	s->reader = reader;
	pthread_mutex_init(&s->lock, NULL);
	s->bell = eventfd(0, EFD_CLOEXEC);
	if (reader && !(s->record = malloc(UINT16_MAX + 1)))
		code = tp_nomem(err);
	if (!code)
		code = open_rings(s, pid, children, err);
	if (!code)
		code = rec_spool_begin(&s->spool, folder, err);
	if (!code) {
		s->polls[s->nrings] = (struct pollfd){.fd = s->bell, .events = POLLIN};
		*out = s;
	} else {
		rec_switches_end(s);
	}
	return code;
}

int rec_switches_begin(struct rec_switches **out, pid_t pid, bool children, const char *folder,
		       struct tp_err *err)
{
	int code = open_all(out, pid, children, NULL, folder, err);

	if (!code && (code = rec_switches_start(*out, err))) {
		rec_switches_end(*out);
		*out = NULL;
	}
	return code;
}

/* ---- a reader ---- */

/* The rings belong to events on ourselves, which are never switched on, as the program may end before. */
int rec_switches_open(struct rec_switches **out, const struct rec_switches_reader *reader,
		      const char *folder, struct tp_err *err)
{
	return open_all(out, 0, true, reader, folder, err);
}

/* Opens an event that writes to a ring. Returns 0 or errno. */
static int join(struct rec_switches *s, const struct ring *r, struct perf_event_attr *attr,
		pid_t tid, uint32_t number)
{
	uint64_t id;
	int fd, error = 0;

	if (tp_grow(&s->events, &s->room_events, s->nevents, sizeof(*s->events)))
		return ENOMEM;
	fd = (int)syscall(SYS_perf_event_open, attr, tid, (int)r->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) || ioctl(fd, PERF_EVENT_IOC_ID, &id))
		error = errno;
	else if (tp_ids_put(&s->numbers, id, number))
		error = ENOMEM;
	if (error)
		close(fd);
	else
		s->events[s->nevents++] = (struct followed){fd, number};
	return error;
}

int rec_switches_follow(struct rec_switches *s, struct perf_event_attr *attr, pid_t tid,
			uint32_t number)
{
	int error = 0;

	for (size_t i = 0; i < s->nrings && !error; i++) {
		error = join(s, &s->rings[i], attr, tid, number);
		/* Before 5.13 children are always followed; the reader leaves them out. */
		if (error == EINVAL && attr->inherit_thread) {
			attr->inherit_thread = 0;
			error = join(s, &s->rings[i], attr, tid, number);
		}
	}
	return error;
}

void rec_switches_enable(struct rec_switches *s)
{
	for (size_t i = 0; i < s->nevents; i++)
		ioctl(s->events[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void rec_switches_disable_odd(struct rec_switches *s)
{
	for (size_t i = 0; i < s->nevents; i++)
		if (s->events[i].number & 1)
			ioctl(s->events[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void rec_switches_put_first(struct rec_switches *s, const struct rec_event *events, size_t n)
{
	if (s->spool.n) {
		rec_spool_rewrite(&s->spool, events, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		rec_spool_put(&s->spool, &events[i], events[i].kind);
	rec_spool_flush(&s->spool);
}

/* ---- the file ---- */

/* Returns the first of n switches, in the order of time, that is not earlier. */
static size_t find(const struct rec_event *events, size_t n, uint64_t time)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int rec_switches_map(struct rec_switches *s, uint64_t from, uint64_t to,
		     const struct rec_event **events, size_t *n, uint64_t *lost, struct tp_err *err)
{
	size_t first;
	int code;

	pthread_mutex_lock(&s->lock);
	code = rec_spool_map(&s->spool, events, err);
	*n = s->spool.n;
	*lost = s->lost + s->spool.lost;
	pthread_mutex_unlock(&s->lock);
	if (code || !*n)
		return code;
	first = find(*events, *n, from > SLACK_NS ? from - SLACK_NS : 0);
	*n = find(*events, *n, to < UINT64_MAX - SLACK_NS ? to + SLACK_NS : to) - first;
	*events += first;
	return 0;
}
