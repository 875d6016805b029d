#include "tprof-record/parent/switches.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mount.h>
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
	MOST_PAGES_READ = 2048,	 /* with a reader, if permitted */
	MOST_PAGES_OF_NONE = 16, /* without switches */
	LEAST_PAGES = 4,
	QUICK_MS = 10, /* while switches come; a ring that is half full does not wait */
	SLOW_MS = 1000,
	LEAST_FILES = 8,  /* descriptors that rings leave to the recording, … */
	SPARE_FILES = 64, /* … and wakes */
};

/* The switches of one round of a processor may not be much later than those of another round. */
#define SLACK_NS 1000000000u

/* PERF_FORMAT_LOST, of Linux 6.0 and its headers. */
#define FORMAT_LOST (1u << 4)

struct ring {
	int fd;
	int more;	     /* another event that writes to it; -1: none */
	int wakes;	     /* the event of wake-ups; -1: none */
	uint64_t told, lost; /* how many records it says are lost; the events do, at the end */
	struct perf_event_mmap_page *page; /* followed by the data */
	size_t size;			   /* of the data, a power of 2 */
	uint32_t cpu;
	uint64_t latest; /* time of its last record */
};

/* The last program that a process has executed. */
struct exec {
	uint64_t time;
	char name[16];
};

struct rec_switches {
	enum rec_switches_of of;
	pid_t pid;
	struct ring *rings;
	struct pollfd *polls; /* of the rings, and the bell */
	size_t nrings;
	int bell; /* ends the thread */
	pthread_t thread;
	bool begun;	      /* and not stopped */
	bool reads;	      /* has the thread */
	pthread_mutex_t lock; /* what follows */
	struct rec_spool spool;
	struct rec_event *round; /* not in the file yet */
	size_t nround, room;
	uint64_t lost;
	uint64_t nbegun;       /* processes */
	struct tp_ids exec_of; /* by process */
	struct exec *execs;
	size_t nexecs, room_execs;
	const struct rec_switches_reader *reader; /* NULL: there is none */
	struct followed {
		int fd;
		uint32_t number, ring;
	} * events; /* that were added for it */
	size_t nevents, room_events;
	struct tp_ids numbers; /* by the kernel's numbers of the events */
	bool wakes_due;	       /* sched_waking is to be heard */
	bool wakes;	       /* it is heard */
	bool notices;	       /* keeps what follows */
	struct tp_ids off_of;  /* by thread: */
	uint64_t *offs;	       /* since when it is on no processor; 0: it is on one */
	size_t noffs, room_offs;
	char *record;
};

/* ---- rings ---- */

/* What an event is to report. */
enum { SWITCHES = 1, PROCESSES = 2, OF_CHILDREN = 4 };

/* Opens an event, without what an older kernel does not know. */
static int open_attr(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	for (;;) {
		int fd =
		    (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0 || errno != EINVAL)
			return fd;
		if (attr->read_format)
			attr->read_format = 0;
		else if (attr->inherit_thread) /* before 5.13 children are always followed */
			attr->inherit_thread = 0;
		else
			return fd;
	}
}

static int open_event(pid_t pid, int cpu, unsigned what, size_t size)
{
	/* The event counts nothing. */
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	    .read_format = FORMAT_LOST,
	    .disabled = 1,
	    .enable_on_exec = 1,
	    .inherit = 1,
	    .inherit_thread = !(what & OF_CHILDREN),
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .sample_id_all = 1,
	    .context_switch = (what & SWITCHES) != 0,
	    .task = (what & PROCESSES) != 0,
	    .comm = (what & PROCESSES) != 0,
	    .comm_exec = (what & PROCESSES) != 0,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .watermark = 1,
	    .wakeup_watermark = (uint32_t)size / 2,
	};

	return open_attr(&attr, pid, cpu);
}

/* Opens the event for processes, beside that for switches of the program's own threads. Returns 0, or errno. */
static int open_more(struct ring *r, pid_t pid, int cpu)
{
	int error;

	r->more = open_event(pid, cpu, PROCESSES | OF_CHILDREN, r->size);
	if (r->more < 0)
		return errno;
	if (!ioctl(r->more, PERF_EVENT_IOC_SET_OUTPUT, r->fd))
		return 0;
	error = errno;
	close(r->more);
	return error;
}

/* Creates a detached tracefs mount; that needs CAP_SYS_ADMIN. Returns a descriptor, or -1. */
static int mount_tracefs(void)
{
	int fd = -1;
#if defined(SYS_fsopen) && defined(SYS_fsmount)
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);

	if (fs >= 0 && !syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (fs >= 0)
		close(fs);
#endif
	return fd;
}

static uint64_t read_number(int fd)
{
	char text[24];
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return strtoull(text, NULL, 10);
}

/* Tracepoints tell the numbers that threads have outside of all containers, unlike the events' other records. */
static bool in_container(void)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO of the kernel */
	char name[sizeof(first)] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 ||
	       strcmp(name, first) != 0;
}

/* Returns the number of the tracepoint sched_waking; 0: it may not be used. */
static uint64_t find_waking(void)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	static const char file[] = "events/sched/sched_waking/id";
	char path[64];
	uint64_t id = 0;
	int fd;

	if (in_container())
		return 0;
	for (size_t i = 0; i < TP_COUNT_OF(mounts) && !id; i++) {
		snprintf(path, sizeof(path), "%s/%s", mounts[i], file);
		id = read_number(open(path, O_RDONLY | O_CLOEXEC));
	}
	if (id || (fd = mount_tracefs()) < 0)
		return id;
	id = read_number(openat(fd, file, O_RDONLY | O_CLOEXEC));
	close(fd);
	return id;
}

/* Opens the tracepoint on the ring's processor, for all processes: it is told by who wakes, not by who is woken.
 * Returns -1 if that is not allowed. */
static int open_waking(const struct ring *r, uint64_t id)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_TRACEPOINT,
	    .size = sizeof(attr),
	    .config = id,
	    .sample_period = 1,
	    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
	    .sample_id_all = 1,
	    .read_format = FORMAT_LOST,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	};
	int fd = open_attr(&attr, -1, (int)r->cpu);

	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd))
		return fd;
	close(fd);
	return -1;
}

/* Takes less memory where the kernel does not allow more. Returns 0, or errno. */
static int open_ring(struct ring *r, pid_t pid, int cpu, enum rec_switches_of of, size_t most)
{
	static const unsigned what[] = {
	    [REC_SWITCHES_OF_NONE] = PROCESSES | OF_CHILDREN,
	    [REC_SWITCHES_OF_PROGRAM] = SWITCHES,
	    [REC_SWITCHES_OF_ALL] = SWITCHES | PROCESSES | OF_CHILDREN,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	r->cpu = (uint32_t)cpu;
	r->more = r->wakes = -1;
	for (r->size = most * page; r->size >= LEAST_PAGES * page; r->size /= 2) {
		void *map;

		r->fd = open_event(pid, cpu, what[of], r->size);
		if (r->fd < 0)
			return errno;
		map = mmap(NULL, page + r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
		error = map == MAP_FAILED ? errno : 0;
		r->page = map;
		if (!error && of == REC_SWITCHES_OF_PROGRAM) {
			error = open_more(r, pid, cpu);
			if (error)
				munmap(map, page + r->size);
		}
		if (!error)
			return 0;
		close(r->fd);
		if (error != EPERM && error != ENOMEM)
			break;
	}
	return error;
}

static void close_ring(struct ring *r)
{
	munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->size);
	if (r->more >= 0)
		close(r->more);
	if (r->wakes >= 0)
		close(r->wakes);
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

static size_t id_size(const struct rec_switches *s)
{
	return s->reader ? sizeof(struct id) : offsetof(struct id, event);
}

/* Samples for a reader begin with the event and the instruction in front of the rest. */
static bool copy_id(const struct rec_switches *s, const struct ring *r,
		    const struct perf_event_header *h, uint64_t at, struct id *id)
{
	size_t size = id_size(s);

	if (h->size < sizeof(*h) + size + (h->type == PERF_RECORD_SAMPLE ? 8 : 0))
		return false;
	if (h->type == PERF_RECORD_SAMPLE && !s->reader) {
		copy(r, at + sizeof(*h), id, size);
	} else if (h->type == PERF_RECORD_SAMPLE) {
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

/* Copies what comes before `id`, as far as there is room; the rest stays. */
static void copy_body(const struct rec_switches *s, const struct ring *r,
		      const struct perf_event_header *h, uint64_t at, void *body, size_t room)
{
	size_t size = h->size - sizeof(*h) - id_size(s);

	copy(r, at + sizeof(*h), body, size < room ? size : room);
}

static void add_exec(struct rec_switches *s, const struct id *id, const char *name)
{
	uint32_t i = tp_ids_get(&s->exec_of, id->pid);
	struct exec *e;

	if (i == TP_NO_ID) {
		i = (uint32_t)s->nexecs;
		if (tp_grow_raw(&s->execs, &s->room_execs, s->nexecs, sizeof(*s->execs)) ||
		    tp_ids_put(&s->exec_of, id->pid, i))
			return;
		s->nexecs++;
		s->execs[i].time = 0;
	}
	e = &s->execs[i];
	/* The rings are read one after the other. */
	if (id->time < e->time)
		return;
	e->time = id->time;
	memcpy(e->name, name, sizeof(e->name));
	e->name[sizeof(e->name) - 1] = 0;
}

/* Adds a record to the round. If memory is out, the last one becomes a loss that includes it. */
static void put(struct rec_switches *s, const struct rec_event *e)
{
	struct rec_event *last;

	if (s->of == REC_SWITCHES_OF_NONE)
		return;
	if (!tp_grow_raw(&s->round, &s->room, s->nround, sizeof(*s->round))) {
		s->round[s->nround++] = *e;
		return;
	}
	s->lost++;
	last = s->nround ? &s->round[s->nround - 1] : NULL;
	if (!last)
		return;
	if (last->kind != REC_SWITCH_LOST) {
		s->lost++;
		last->kind = REC_SWITCH_LOST;
		last->start = last->end;
	}
	if (e->end < last->start)
		last->start = e->end;
	if (e->end > last->end)
		last->end = e->end;
	last->arg = UINT32_MAX;
}

/* Makes an event of a loss. */
static void lose(struct rec_switches *s, struct ring *r, uint64_t n, struct rec_event *e)
{
	e->kind = REC_SWITCH_LOST;
	e->start = r->latest;
	e->arg = r->cpu;
	r->told += n;
	s->lost += n;
}

/* Counts processes, and notes what they execute; a reader does that itself. */
static void see_process(struct rec_switches *s, const struct ring *r,
			const struct perf_event_header *h, uint64_t at, const struct id *id)
{
	/* Of COMM pid, tid, name; of FORK pid, parent, tid, parent's tid. */
	uint32_t body[6] = {0};

	copy_body(s, r, h, at, body, sizeof(body));
	if (h->type == PERF_RECORD_FORK)
		s->nbegun += body[0] != body[1];
	else if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC)
		add_exec(s, id, (const char *)&body[2]);
}

/* Makes an event of a sample of sched_waking. Returns false if it is not one. */
static bool make_wake(const struct rec_switches *s, const struct ring *r,
		      const struct perf_event_header *h, uint64_t at, struct rec_event *e)
{
	/* As tracefs describes it. `flags`: hardirq 8, softirq 16; then it was not the present thread. */
	struct {
		uint32_t size;
		uint16_t type;
		uint8_t flags, depth;
		int32_t by;
		char name[16];
		int32_t pid, priority, cpu;
	} raw;

	if (s->reader || h->size < sizeof(*h) + id_size(s) + sizeof(raw))
		return false;
	copy(r, at + sizeof(*h) + id_size(s), &raw, sizeof(raw));
	e->kind = REC_SWITCH_WAKE;
	e->object = raw.flags & 24 || raw.by <= 0 ? 0 : e->g;
	e->m = 0;
	e->g = (uint32_t)raw.pid;
	return raw.size >= sizeof(raw) - sizeof(raw.size) && raw.pid > 0;
}

static void add(struct rec_switches *s, struct ring *r, const struct perf_event_header *h,
		uint64_t at)
{
	struct rec_event e = {0};
	struct id id;
	uint64_t lost[2] = {0}; /* the event, number */

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
		if (s->of == REC_SWITCHES_OF_PROGRAM && id.pid != (uint32_t)s->pid)
			return;
		e.kind = REC_SWITCH_OUT;
		e.flags = REC_SWITCH_EXIT;
		break;
	case PERF_RECORD_LOST:
		copy_body(s, r, h, at, lost, sizeof(lost));
		lose(s, r, lost[1], &e);
		break;
	case PERF_RECORD_SAMPLE:
		if (s->reader)
			break;
		if (!make_wake(s, r, h, at, &e))
			return;
		break;
	default:
		if (!s->reader) {
			see_process(s, r, h, at, &id);
			return;
		}
	}
	r->latest = id.time;
	if (s->reader && !ask_reader(s, r, h, at, &id, &e))
		return;
	put(s, &e);
}

static uint64_t lost_of(int fd)
{
	struct {
		uint64_t value, lost;
	} of;

	return read(fd, &of, sizeof(of)) == sizeof(of) ? of.lost : 0;
}

/* Adds what full rings have not said yet, as no record came after those that were lost. */
static void add_untold(struct rec_switches *s)
{
	for (size_t i = 0; i < s->nevents; i++)
		s->rings[s->events[i].ring].lost += lost_of(s->events[i].fd);
	for (size_t i = 0; i < s->nrings; i++) {
		struct ring *r = &s->rings[i];
		struct rec_event e = {.end = rec_now()};

		r->lost += lost_of(r->fd) + (r->more >= 0 ? lost_of(r->more) : 0) +
			   (r->wakes >= 0 ? lost_of(r->wakes) : 0);
		if (r->lost > r->told) {
			lose(s, r, r->lost - r->told, &e);
			put(s, &e);
		}
	}
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

/* Notes whether a thread is on a processor. Returns false for a wake of a thread that is not ours. */
static bool notice(struct rec_switches *s, const struct rec_event *e)
{
	uint32_t i;

	if (e->kind == REC_SWITCH_LOST)
		return true;
	i = tp_ids_get(&s->off_of, rec_switch_tid(e));
	if (e->kind == REC_SWITCH_WAKE)
		return i != TP_NO_ID;
	if (i == TP_NO_ID) {
		i = (uint32_t)s->noffs;
		if (tp_grow_raw(&s->offs, &s->room_offs, s->noffs, sizeof(*s->offs)) ||
		    tp_ids_put(&s->off_of, rec_switch_tid(e), i))
			return true;
		s->noffs++;
	}
	s->offs[i] = e->kind == REC_SWITCH_OUT && !e->flags ? e->end : 0;
	return true;
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
		if ((!s->notices || notice(s, &s->round[n])) &&
		    (!s->reader || s->reader->see(s->reader->ctx, &s->round[n])))
			rec_spool_put(&s->spool, &s->round[n], s->round[n].kind);
		n++;
	}
	s->nround -= n;
	if (n && s->nround)
		memmove(s->round, s->round + n, s->nround * sizeof(*s->round));
	return taken;
}

size_t rec_switches_take(struct rec_switches *s)
{
	size_t n;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	n = take(s);
	pthread_mutex_unlock(&s->lock);
	return n;
}

bool rec_switches_notice(struct rec_switches *s)
{
	if (!s || s->of == REC_SWITCHES_OF_NONE)
		return false;
	pthread_mutex_lock(&s->lock);
	s->notices = true;
	pthread_mutex_unlock(&s->lock);
	return true;
}

uint64_t rec_switches_off(struct rec_switches *s, uint32_t tid)
{
	uint64_t off;
	uint32_t i;

	pthread_mutex_lock(&s->lock);
	i = tp_ids_get(&s->off_of, tid);
	off = i == TP_NO_ID ? 0 : s->offs[i];
	pthread_mutex_unlock(&s->lock);
	return off;
}

/* Opens sched_waking on every processor; on failure closes all of them. The kernel changes its code for that, and waits
 * for all processors when it ends: more than all else that a recording of some ms needs. Others may take the switches
 * meanwhile. */
static void open_wakes(struct rec_switches *s)
{
	uint64_t id = find_waking();
	int *wakes = calloc(s->nrings, sizeof(*wakes));
	size_t n = 0;
	bool all;

	pthread_mutex_lock(&s->lock);
	s->notices |= id && wakes;
	pthread_mutex_unlock(&s->lock);
	while (id && wakes && n < s->nrings && (wakes[n] = open_waking(&s->rings[n], id)) >= 0)
		n++;
	all = n && n == s->nrings;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; all && i < n; i++)
		s->rings[i].wakes = wakes[i];
	s->wakes = all;
	s->wakes_due = false;
	pthread_mutex_unlock(&s->lock);
	while (!all && n--)
		close(wakes[n]);
	free(wakes);
}

static void *work(void *arg)
{
	struct rec_switches *s = arg;
	struct pollfd *bell = &s->polls[s->nrings];
	int ms = 0;

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
		/* Only this thread changes it. */
		if (s->wakes_due && !bell->revents)
			open_wakes(s);
		ms = n || !ms ? QUICK_MS : ms < SLOW_MS ? ms * 2 : SLOW_MS;
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
	if (s->reads)
		pthread_join(s->thread, NULL);
	for (size_t i = 0; s->wakes && i < s->nrings; i++)
		ioctl(s->rings[i].wakes, PERF_EVENT_IOC_DISABLE, 0);
	take(s);
	add_untold(s);
	take(s);
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
	tp_ids_release(&s->off_of);
	free(s->offs);
	free(s->execs);
	tp_ids_release(&s->exec_of);
	free(s);
}

/* Returns how many descriptors can still be opened, if all that are open have the lowest numbers. */
static uint64_t spare_files(const struct rec_switches *s)
{
	struct rlimit files;
	int next = fcntl(s->bell, F_DUPFD_CLOEXEC, 0);

	if (next >= 0)
		close(next);
	if (next < 0 || getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur < (rlim_t)next)
		return 0;
	return files.rlim_cur - (rlim_t)next;
}

static int open_rings(struct rec_switches *s, struct tp_err *err)
{
	int ncpus = (int)sysconf(_SC_NPROCESSORS_CONF), error = EINVAL;

	s->rings = calloc((size_t)ncpus, sizeof(*s->rings));
	s->polls = calloc((size_t)ncpus + 1, sizeof(*s->polls));
	if (!s->rings || !s->polls)
		return tp_nomem(err);
	for (int cpu = 0; cpu < ncpus; cpu++) {
		error = open_ring(&s->rings[s->nrings], s->pid, cpu, s->of,
				  s->reader			  ? MOST_PAGES_READ
				  : s->of == REC_SWITCHES_OF_NONE ? MOST_PAGES_OF_NONE
								  : MOST_PAGES);
		/* ENODEV: the processor is switched off. */
		if (error == ENODEV)
			continue;
		if (error)
			break;
		s->polls[s->nrings] =
		    (struct pollfd){.fd = s->rings[s->nrings].fd, .events = POLLIN};
		s->nrings++;
	}
	if (s->nrings && (!error || error == ENODEV) && spare_files(s) < LEAST_FILES)
		error = EMFILE;
	if (s->nrings && (!error || error == ENODEV))
		return 0;
	if ((error == EACCES || error == EPERM) && rec_switches_paranoid() > 2)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "kernel.perf_event_paranoid is %d, not 2",
				  rec_switches_paranoid());
	if (error == EPERM && s->rings[s->nrings].page == MAP_FAILED)
		return tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "its memory is not allowed (kernel.perf_event_mlock_kb, ulimit -l)");
	if (error == EACCES || error == EPERM)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "perf_event_open(2) is not allowed here (seccomp, container)");
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "perf_event_open: %s", strerror(error));
}

size_t rec_switches_files(struct rec_switches *s)
{
	size_t n = 0;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->nrings; i++)
		n += 1u + (s->rings[i].more >= 0) + (s->wakes_due || s->wakes);
	pthread_mutex_unlock(&s->lock);
	return n;
}

int rec_switches_start(struct rec_switches *s, struct tp_err *err)
{
	if (!s)
		return 0;
	s->begun = true;
	s->reads = !pthread_create(&s->thread, NULL, work, s);
	return s->reads ? 0 : tp_nomem(err);
}

static int open_all(struct rec_switches **out, pid_t pid, enum rec_switches_of of,
		    const struct rec_switches_reader *reader, const char *folder,
		    struct tp_err *err)
{
	struct rec_switches *s = calloc(1, sizeof(*s));
	int code = 0;

	*out = NULL;
	if (!s)
		return tp_nomem(err);
	s->of = of;
	s->pid = pid;
	s->spool.fd = -1;
	s->reader = reader;
	pthread_mutex_init(&s->lock, NULL);
	s->bell = eventfd(0, EFD_CLOEXEC);
	if (reader && !(s->record = malloc(UINT16_MAX + 1)))
		code = tp_nomem(err);
	if (!code)
		code = open_rings(s, err);
	if (!code && of != REC_SWITCHES_OF_NONE)
		code = rec_spool_begin(&s->spool, folder, err);
	/* Wakes are not worth the descriptors that files need. */
	s->wakes_due = !code && of != REC_SWITCHES_OF_NONE && !reader &&
		       spare_files(s) >= SPARE_FILES + s->nrings;
	if (!code) {
		s->polls[s->nrings] = (struct pollfd){.fd = s->bell, .events = POLLIN};
		*out = s;
	} else {
		rec_switches_end(s);
	}
	return code;
}

int rec_switches_begin(struct rec_switches **out, pid_t pid, enum rec_switches_of of,
		       const char *folder, struct tp_err *err)
{
	int code = open_all(out, pid, of, NULL, folder, err);

	if (!code)
		(*out)->begun = true;
	return code;
}

/* ---- a reader ---- */

/* The rings belong to events on ourselves, which are never switched on, as the program may end before. */
int rec_switches_open(struct rec_switches **out, const struct rec_switches_reader *reader,
		      const char *folder, struct tp_err *err)
{
	return open_all(out, 0, REC_SWITCHES_OF_ALL, reader, folder, err);
}

/* Opens an event that writes to a ring. Returns 0 or errno. */
static int join(struct rec_switches *s, size_t ring, struct perf_event_attr *attr, pid_t tid,
		uint32_t number)
{
	const struct ring *r = &s->rings[ring];
	uint64_t id;
	int fd, error = 0;

	if (tp_grow(&s->events, &s->room_events, s->nevents, sizeof(*s->events)))
		return ENOMEM;
	fd = open_attr(attr, tid, (int)r->cpu);
	if (fd < 0)
		return errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) || ioctl(fd, PERF_EVENT_IOC_ID, &id))
		error = errno;
	else if (tp_ids_put(&s->numbers, id, number))
		error = ENOMEM;
	if (error)
		close(fd);
	else
		s->events[s->nevents++] = (struct followed){fd, number, (uint32_t)ring};
	return error;
}

int rec_switches_follow(struct rec_switches *s, struct perf_event_attr *attr, pid_t tid,
			uint32_t number)
{
	int error = 0;

	attr->read_format = FORMAT_LOST;
	for (size_t i = 0; i < s->nrings && !error; i++)
		error = join(s, i, attr, tid, number);
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
		     struct rec_switches_list *list, struct tp_err *err)
{
	size_t first;
	int code;

	*list = (struct rec_switches_list){0};
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	code = rec_spool_map(&s->spool, &list->events, err);
	list->n = s->spool.n;
	list->lost = s->lost + s->spool.lost;
	list->error = s->spool.error;
	list->wakes = s->wakes;
	if (!code && s->spool.lost)
		list->end_ns = list->n ? list->events[list->n - 1].end : 1;
	pthread_mutex_unlock(&s->lock);
	if (code || !list->n)
		return code;
	first = find(list->events, list->n, from > SLACK_NS ? from - SLACK_NS : 0);
	list->n =
	    find(list->events, list->n, to < UINT64_MAX - SLACK_NS ? to + SLACK_NS : to) - first;
	list->events += first;
	return 0;
}

/* ---- processes ---- */

uint64_t rec_switches_begun(struct rec_switches *s, bool *more)
{
	uint64_t n = 0;

	*more = !s;
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	n = s->nbegun;
	*more = s->lost;
	pthread_mutex_unlock(&s->lock);
	return n;
}

uint64_t rec_switches_exec(struct rec_switches *s, pid_t pid, uint64_t from, uint64_t to,
			   char name[16])
{
	const struct exec *e = NULL;
	uint64_t time = 0;
	uint32_t i;

	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	i = tp_ids_get(&s->exec_of, (uint64_t)pid);
	e = i == TP_NO_ID ? NULL : &s->execs[i];
	if (e && e->time > from && e->time <= to) {
		time = e->time;
		memcpy(name, e->name, sizeof(e->name));
	}
	pthread_mutex_unlock(&s->lock);
	return time;
}
