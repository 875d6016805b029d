#include "tprof-record/parent/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record/core/core.h"
#include "tprof-record/parent/file.h"
#include "tprof-record/parent/outside.h"
#include "tprof-record/parent/program.h"
#include "tprof-record/parent/writer.h"

enum {
	QUICK_MS = 10, /* between looks while records come … */
	SLOW_MS = 160, /* … and when none do: chunks that run short ring the bell */
};

/* ---- the drainer ---- */

static void doze(_Atomic uint32_t *bell, uint32_t seen, int ms)
{
	struct timespec t = {.tv_nsec = (long)ms * 1000000};

	syscall(SYS_futex, bell, FUTEX_WAIT, seen, &t, NULL, 0);
}

static void ring(_Atomic uint32_t *bell)
{
	atomic_fetch_add(bell, 1);
	syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Returns the time up to which records are taken. A process with another clock (time namespaces) has no such
 * limit. */
static uint64_t until(const struct rec_image *image)
{
	return image->other_clock ? UINT64_MAX : rec_now();
}

static void *drain(void *arg)
{
	struct rec_image *image = arg;
	_Atomic uint32_t *bell = &image->arena.header->doorbell;
	int ms = QUICK_MS;

	pthread_setname_np(pthread_self(), "tprof-drain");
	/* If permitted, so that the drainer does not have to wait for the threads whose records it takes. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -10);
	rec_spool_begin(&image->spool, image->root, NULL);
	for (;;) {
		uint32_t seen = atomic_load(bell);
		bool last = atomic_load(&image->halt);

		if (rec_drain(&image->drain, &image->arena, &image->spool, until(image), false))
			ms = QUICK_MS;
		else if (ms < SLOW_MS)
			ms *= 2;
		if (last)
			return NULL;
		doze(bell, seen, ms);
	}
}

/* ---- beginning ---- */

/* Seals the memory against shrinking. Returns 0, also if it was sealed already, or errno. */
static int seal(int memory)
{
	int error, seals;

	if (!fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		return 0;
	error = errno;
	seals = fcntl(memory, F_GET_SEALS);
	return seals >= 0 && seals & F_SEAL_SHRINK ? 0 : error;
}

/* The memory must have the right size and keep it, or reading it could raise SIGBUS. It is sealed before its
 * size is read, as the program could shrink it in between. */
static int check_memory(int memory, unsigned *scale, struct tp_err *err)
{
	int unsealed = seal(memory);
	struct stat st;

	if (fstat(memory, &st))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot look at its memory: %s",
				  strerror(errno));
	for (*scale = 0; *scale < REC_NSCALES; ++*scale)
		if ((uint64_t)st.st_size == rec_arena_size(*scale))
			break;
	if (!S_ISREG(st.st_mode) || *scale == REC_NSCALES)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "its memory does not have the size that this version uses");
	if (unsealed)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "its memory could shrink while it is read: it cannot be sealed: %s",
		    strerror(unsealed));
	return 0;
}

static int check_header(const struct rec_header *h, struct tp_err *err)
{
	if (h->magic != REC_MAGIC)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "its memory is not an arena");
	if (h->version != REC_VERSION || h->size_of_event != sizeof(struct rec_event))
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "its library has version %u, tprof-record has version %d: they are "
		    "not of the same build",
		    h->version, REC_VERSION);
	return 0;
}

/* Each byte is read once, as the program may change it. */
void rec_image_string(const struct rec_image *image, uint32_t at, char *to, size_t size)
{
	size_t n = 0;

	while (at < REC_STRING_BYTES && n < size - 1) {
		char c = image->arena.strings[at++];

		if (!c)
			break;
		to[n++] = c;
	}
	to[n] = 0;
}

static void name_it(struct rec_image *image)
{
	char path[PATH_MAX];

	rec_image_string(image, image->arena.header->exe, path, sizeof(path));
	rec_program_name(path, image->program);
}

static int map(struct rec_image *image, int memory, struct tp_err *err)
{
	unsigned scale = 0;
	int code = check_memory(memory, &scale, err);
	void *base;

	if (code)
		return code;
	base = mmap(NULL, rec_arena_size(scale), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (base == MAP_FAILED)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot map its memory: %s",
				  strerror(errno));
	image->arena = rec_arena_at(base, scale);
	return check_header(image->arena.header, err);
}

static int start_drainer(struct rec_image *image, struct tp_err *err)
{
	pthread_attr_t attr;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	error = pthread_create(&image->drainer, &attr, drain, image);
	pthread_attr_destroy(&attr);
	if (error)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE,
				  "cannot start a thread to read its records: %s", strerror(error));
	image->draining = true;
	return 0;
}

int rec_image_begin(struct rec_image **out, int memory, int process, pid_t pid, uint32_t how,
		    const char *root, struct tp_err *err)
{
	struct rec_image *image = calloc(1, sizeof(*image));
	int code;

	*out = NULL;
	if (!image) {
		close(memory);
		if (process >= 0)
			close(process);
		return tp_nomem(err);
	}
	image->process = process;
	image->pid = pid;
	image->how = how;
	image->root = root;
	image->begin_ns = rec_now();
	image->spool.fd = -1;
	code = map(image, memory, err);
	close(memory);
	image->last_job = calloc(1, sizeof(*image->last_job));
	if (!code && (!image->last_job || rec_drain_begin(&image->drain)))
		code = tp_nomem(err);
	if (!code) {
		name_it(image);
		image->other_clock = image->arena.header->start_ns > image->begin_ns;
		code = start_drainer(image, err);
	}
	if (code)
		rec_image_free(image);
	else
		*out = image;
	return code;
}

void rec_image_free(struct rec_image *image)
{
	if (!image)
		return;
	if (image->draining)
		rec_image_halt(image, true, 0);
	rec_spool_end(&image->spool);
	rec_drain_end(&image->drain);
	if (image->arena.header)
		munmap(image->arena.header, rec_arena_size(image->arena.scale));
	if (image->process >= 0)
		close(image->process);
	rec_outside_free(image->looks);
	free(image->last_job);
	free(image);
}

/* ---- ending ---- */

void rec_image_silence(struct rec_image *image)
{
	struct rec_options *o = &image->arena.header->options;

	atomic_store(&o->trace, 0);
	atomic_store(&o->heap_rate, 0);
	atomic_store(&o->block_rate, 0);
	atomic_store(&o->mutex_fraction, 0);
	atomic_store(&o->cpu_hz, 0);
}

static void stamp(uint64_t *ns, uint64_t *sec, uint64_t *nsec)
{
	struct timespec t;

	*ns = rec_now();
	clock_gettime(CLOCK_REALTIME, &t);
	*sec = (uint64_t)t.tv_sec;
	*nsec = (uint64_t)t.tv_nsec;
}

void rec_image_cut(struct rec_image *image, uint64_t ns)
{
	uint64_t unix_ns = image->end_sec * 1000000000u + image->end_nsec;

	if (ns <= image->arena.header->start_ns || ns >= image->end_ns)
		return;
	unix_ns -= image->end_ns - ns;
	image->end_ns = ns;
	image->end_sec = unix_ns / 1000000000u;
	image->end_nsec = unix_ns % 1000000000u;
}

void rec_image_halt(struct rec_image *image, bool alive, uint64_t exec_ns)
{
	if (!image->draining)
		return;
	if (alive)
		atomic_store(&image->arena.header->options.trace, 0);
	atomic_store(&image->halt, true);
	ring(&image->arena.header->doorbell);
	pthread_join(image->drainer, NULL);
	image->draining = false;
	rec_drain(&image->drain, &image->arena, &image->spool, rec_now(), true);
	rec_spool_flush(&image->spool);
	stamp(&image->end_ns, &image->end_sec, &image->end_nsec);
	image->alive = alive;
	/* The exec may be heard late. */
	rec_image_cut(image, exec_ns);
}

/* ---- folders ---- */

int rec_image_folder(const struct rec_image *image, char path[PATH_MAX], struct tp_err *err)
{
	int n = snprintf(path, PATH_MAX, "%s/%d-%s", image->root, (int)image->pid, image->program);
	int code = n < PATH_MAX ? rec_folder_new(path, err)
				: tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "its name is too long");

	if (!code)
		return 0;
	path[0] = 0;
	tp_err_prefix(err, "its folder");
	return code;
}

/* ---- copies ---- */

int rec_image_copy(struct rec_image *image, struct rec_process *p, size_t *wrong,
		   struct tp_err *err)
{
	int code = rec_process_copy(p, &image->arena, err);

	if (code)
		return code;
	p->pid = (uint32_t)image->pid;
	p->alive = image->draining || image->alive;
	p->end_ns = image->end_ns;
	p->end_sec = image->end_sec;
	p->end_nsec = image->end_nsec;
	if (image->draining)
		stamp(&p->end_ns, &p->end_sec, &p->end_nsec);
	code = rec_process_check(p, wrong, err);
	if (code)
		rec_process_free(p);
	return code;
}
