#include "tprof-record/api/lib.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct api api = {.profiler = 126};
__thread struct api_self api_self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;
/* The key's destructor is called when a thread ends. */
static pthread_key_t thread_key;
static bool have_key;

static void thread_over(void *unused)
{
	const struct rec_host *h = atomic_load(&api.host);

	(void)unused;
	if (!h || !api_alive(h) || api_self.pid != api_header(h)->pid)
		return;
	if (api_self.g)
		tprof_g_end();
	api_self.over = true;
	h->thread_end();
}

static void child_of_fork(void)
{
	begin_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	api_forget_goroutines();
	api_forget_trace();
	api_forget_records();
	api_forget_stacks();
	api_forget_text();
	atomic_store(&api.heap_rate, 0);
	memset(&api_self, 0, sizeof(api_self));
}

/* Returns the core of the preloaded library, or NULL if it is not loaded or of another build. */
static const struct rec_host *preloaded(void)
{
	const struct rec_host *(*ask)(void);
	const struct rec_host *h;

	*(void **)&ask = dlsym(RTLD_DEFAULT, "tprof_record_host");
	h = ask ? ask() : NULL;
	if (h && (h->version != REC_VERSION || h->size != sizeof(*h) ||
		  h->size_of_self != sizeof(struct rec_self)))
		return NULL;
	return h == tprof_record_host() ? NULL : h;
}

__attribute__((constructor)) static void loaded(void)
{
	const struct rec_host *h = preloaded();

	api.guest = h;
	atomic_store(&api.host, h ? h : tprof_record_host());
	pthread_atfork(NULL, NULL, child_of_fork);
	have_key = !pthread_key_create(&thread_key, thread_over);
}

bool api_meet(const struct rec_host *h)
{
	struct rec_self *self = h->self();

	if (self->depth || api_self.over)
		return false;
	if (api_self.pid != api_header(h)->pid) {
		memset(&api_self, 0, sizeof(api_self));
		api_self.pid = api_header(h)->pid;
		/* The preloaded library notices the end of threads itself. */
		if (!api.guest && have_key)
			pthread_setspecific(thread_key, &api_self);
	}
	if (!self->g)
		h->thread_begin(0, 0);
	return self->g;
}

int api_begin(const struct rec_host **host)
{
	struct rec_options options = {.heap_rate = api.heap_rate,
				      .depth = api.depth,
				      .threadcreate = 1,
				      .profiler = api.profiler};
	const struct rec_host *h;
	int code = 0;

	pthread_mutex_lock(&begin_lock);
	h = atomic_load(&api.host);
	if (api.guest && !*h->core) {
		/* The preloaded library has not begun yet: the caller is a constructor of another library. */
		pthread_mutex_unlock(&begin_lock);
		return EAGAIN;
	}
	if (api.guest && !api_alive(h)) {
		/* In a child that tprof-record does not record, the library works alone. */
		api.guest = false;
		h = tprof_record_host();
		atomic_store(&api.host, h);
	}
	if (!api_alive(h)) {
		code = h->core_begin(&options, false);
		/* A forked child has inherited the list of modules, and cannot read it again,
		 * because libc's lock on the list may never be released there. */
		if (!code && api_alive(h) && !api_header(h)->modules.used)
			h->modules_read();
	}
	pthread_mutex_unlock(&begin_lock);
	*host = api_enter();
	return code ? code : *host ? 0 : EPERM;
}

struct api_inside api_inside(const struct rec_host *h)
{
	struct api_inside was = {.saved = errno};

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was.cancel);
	h->self()->depth++;
	return was;
}

void api_outside(const struct rec_host *h, struct api_inside was)
{
	h->self()->depth--;
	pthread_setcancelstate(was.cancel, NULL);
	errno = was.saved;
}

/* Changes a setting that is fixed once recording has begun. Returns 0, EINVAL or EBUSY. */
static int set_early(unsigned *setting, unsigned value, bool valid)
{
	const struct rec_host *h = atomic_load(&api.host);

	if (!valid)
		return EINVAL;
	if (h && api_alive(h))
		return EBUSY;
	*setting = value;
	return 0;
}

int tprof_set_profiler(unsigned release)
{
	return set_early(&api.profiler, release,
			 release == 105 || release == 108 || release == 118 || release == 126);
}

int tprof_set_stack_depth(unsigned frames)
{
	return set_early(&api.depth, frames, frames && frames <= REC_MAX_DEPTH);
}

uint64_t tprof_lost(void)
{
	const struct rec_host *h = atomic_load(&api.host);

	if (!h || !api_alive(h))
		return 0;
	return api_header(h)->lost[REC_LOST_EVENTS] + api_header(h)->lost[REC_LOST_STACKS] +
	       api_header(h)->lost[REC_LOST_BUCKETS] + api_header(h)->lost[REC_LOST_BLOCKS] +
	       api_header(h)->lost[REC_LOST_WAITS];
}

uint32_t api_string(const struct rec_host *h, const char *text)
{
	return text ? h->string(text, strnlen(text, 1024)) : 0;
}

int api_write(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int api_errno(int code)
{
	return code == 0 ? 0 : code == TP_ENOMEM ? ENOMEM : code == TP_ELIMIT ? E2BIG : EIO;
}

int api_process_copy(const struct rec_host *h, struct rec_process *p, struct tp_err *err)
{
	struct timespec wall;
	size_t wrong;
	int code = rec_process_copy(p, api_arena(h), err);

	if (code)
		return code;
	p->pid = p->arena.header->pid;
	p->alive = true;
	p->at = (uint64_t)(uintptr_t)api_header(h);
	p->end_ns = h->now();
	clock_gettime(CLOCK_REALTIME, &wall);
	p->end_sec = (uint64_t)wall.tv_sec;
	p->end_nsec = (uint64_t)wall.tv_nsec;
	code = rec_process_check(p, &wrong, err);
	if (code)
		rec_process_free(p);
	return code;
}

enum rec_reason api_reason(enum tprof_reason reason)
{
	static const enum rec_reason of[] = {
	    [TPROF_OTHER] = REC_ON_NONE,
	    [TPROF_CHAN_SEND] = REC_ON_CHAN_SEND,
	    [TPROF_CHAN_RECEIVE] = REC_ON_CHAN_RECEIVE,
	    [TPROF_SELECT] = REC_ON_SELECT,
	    [TPROF_MUTEX] = REC_ON_MUTEX,
	    [TPROF_COND] = REC_ON_COND,
	    [TPROF_NETWORK] = REC_ON_NETWORK,
	    [TPROF_SLEEP] = REC_ON_SLEEP,
	    [TPROF_YIELD] = REC_ON_YIELD,
	    [TPROF_RWLOCK_READ] = REC_ON_RWLOCK_R,
	    [TPROF_RWLOCK_WRITE] = REC_ON_RWLOCK_W,
	    [TPROF_SEMAPHORE] = REC_ON_SEMAPHORE,
	    [TPROF_BARRIER] = REC_ON_BARRIER,
	    [TPROF_JOIN] = REC_ON_JOIN,
	};

	return (unsigned)reason < sizeof(of) / sizeof(of[0]) ? of[reason] : REC_ON_NONE;
}
